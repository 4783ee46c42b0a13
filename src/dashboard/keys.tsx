import { signal } from '@preact/signals';
import { useTitle } from './lists.tsx';
import { type PageName, queueLink } from './route.ts';
import { session } from './session.ts';
import { say } from './toast.tsx';

/** One key, or two after another, and what they do. None decides (WCAG 2.1.4). */
const KEYS: readonly [string, string][] = [
  ['j k', 'next and previous finding or row'],
  ['[ ]', 'previous and next step of the data, within a finding'],
  ['o', 'open the row'],
  ['Enter', 'preview the row of the queue, and open it from there'],
  ['u', 'back to the queue'],
  ['n', 'next change that is BLOCKED'],
  ['r', 'show new changes, or the newest state'],
  ['x', 'tick the row'],
  ['e', 'fold and unfold the finding'],
  ['a', 'write the reason'],
  ['Ctrl+Enter', 'send the decision, in the reason'],
  ['/', 'search'],
  ['c', 'copy the address of this view'],
  ['g o', 'overview'],
  ['g q', 'queue'],
  ['g s', 'status'],
  ['g u', 'suppressions'],
  ['g r', 'rules'],
  ['Esc', 'leave a field'],
  ['?', 'this help'],
];

const OFF = 'cra-keys-off';
const areKeysOn = signal(localStorage.getItem(OFF) === null);

/** Switches the single keys on or off; the choice is kept in this browser. */
function switchKeys(isOn: boolean): void {
  areKeysOn.value = isOn;
  if (isOn) localStorage.removeItem(OFF);
  else localStorage.setItem(OFF, '1');
}

let isAfterG = false;

addEventListener('keydown', (event) => {
  const target = event.target as HTMLElement;
  const isField = target.matches('input, textarea, select, [contenteditable]');
  if (isField) {
    if (event.key === 'Escape') target.blur();
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
      target.closest('form')?.requestSubmit();
    }
    return;
  }
  if (!areKeysOn.value || event.ctrlKey || event.metaKey || event.altKey) return;
  const { key } = event;
  if (isAfterG) {
    isAfterG = false;
    const page = AFTER_G[key];
    if (page !== undefined) location.hash = `#/${page}`;
    return;
  }
  const action = ACTIONS[key];
  if (action === undefined) return;
  event.preventDefault();
  action();
});

const AFTER_G: Readonly<Record<string, PageName>> = {
  o: 'overview',
  q: 'queue',
  s: 'status',
  u: 'suppressions',
  r: 'rules',
};

const ACTIONS: Readonly<Record<string, () => void>> = {
  g() {
    isAfterG = true;
  },
  j: () => move(STOPS, 1),
  k: () => move(STOPS, -1),
  ']': () => move(STEPS, 1, document.activeElement?.closest('.finding')),
  '[': () => move(STEPS, -1, document.activeElement?.closest('.finding')),
  o: () => openRow(),
  u() {
    location.hash = queueLink();
  },
  n: () => click('[data-key=n]'),
  r: () => click('[data-key=r]'),
  x: () => rowOf(document.activeElement)?.querySelector<HTMLElement>('input')?.click(),
  e: () => rowOf(document.activeElement)?.querySelector<HTMLElement>('summary')?.click(),
  a: () => document.querySelector<HTMLElement>('#reason')?.focus(),
  '/'() {
    const field = document.querySelector<HTMLElement>('#filter');
    if (field === null) location.hash = queueLink();
    else field.focus();
  },
  c: () => void navigator.clipboard?.writeText(location.href).then(() => say('Address copied')),
  '?'() {
    location.hash = '#/help';
  },
};

const ROW = '.finding, tr';

function rowOf(element: Element | null): Element | null {
  return element?.closest(ROW) ?? null;
}

/** Presses the control that says which key is its own; it is absent where it means nothing. */
function click(selector: string): void {
  document.querySelector<HTMLElement>(selector)?.click();
}

/** Findings, and links of rows. */
const STOPS = '.finding, table.rows a[href]';
/** The way of the data of a finding. */
const STEPS = '.flow li';

/** Moves the focus over the elements of a kind, within one of them or the page. */
function move(kind: string, step: number, within: Element | null | undefined = null): void {
  const stops = [...(within ?? document).querySelectorAll<HTMLElement>(kind)];
  const at = stops.indexOf(document.activeElement as HTMLElement);
  const next = stops[at === -1 ? (step > 0 ? 0 : stops.length - 1) : at + step];
  next?.focus();
  next?.scrollIntoView({ block: 'nearest' });
}

function openRow(): void {
  const { activeElement } = document;
  if (activeElement instanceof HTMLAnchorElement) activeElement.click();
}

/** What the pages are for, who may decide, and the keys. */
export function HelpPage() {
  useTitle('Help');
  return (
    <section>
      <h1>Help</h1>
      <p>
        A change that is BLOCKED is not deployed before somebody overrides it, with a reason that
        stays in the audit trail, or a later change removes what blocks it.
      </p>
      <p>{session.value?.decides}</p>
      <h2>Keys</h2>
      <label class="tick">
        <input
          type="checkbox"
          checked={areKeysOn.value}
          onChange={(event) => switchKeys(event.currentTarget.checked)}
        />
        Single keys are on
      </label>
      <table class="figures">
        <tbody>
          {KEYS.map(([keys, does]) => (
            <tr key={keys}>
              <th scope="row">
                <kbd>{keys}</kbd>
              </th>
              <td>{does}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
