import { effect, signal } from '@preact/signals';

/** What a person chose for this browser. */
const SCHEME = 'cra-scheme';
const UTC = 'cra-utc';

type Scheme = 'light' | 'dark';

const system = matchMedia('(prefers-color-scheme: dark)');
/** The colours in use: the person's choice, else the system's. */
export const scheme = signal<Scheme>(chosen() ?? ofSystem());
/** Whether times stand as UTC instead of relative to now. */
export const isUtc = signal(localStorage.getItem(UTC) !== null);

system.addEventListener('change', () => {
  scheme.value = chosen() ?? ofSystem();
});
effect(() => {
  document.documentElement.dataset['scheme'] = scheme.value;
});

/** Changes between light and dark; the system's own scheme is not stored as a choice. */
export function switchScheme(): void {
  const next = scheme.value === 'dark' ? 'light' : 'dark';
  if (next === ofSystem()) localStorage.removeItem(SCHEME);
  else localStorage.setItem(SCHEME, next);
  scheme.value = next;
}

/** Changes between relative times and UTC. */
export function switchUtc(): void {
  isUtc.value = !isUtc.value;
  if (isUtc.value) localStorage.setItem(UTC, '1');
  else localStorage.removeItem(UTC);
}

function chosen(): Scheme | null {
  const stored = localStorage.getItem(SCHEME);
  return stored === 'light' || stored === 'dark' ? stored : null;
}

function ofSystem(): Scheme {
  return system.matches ? 'dark' : 'light';
}
