import { signal } from '@preact/signals';

const SHOWN_MS = 6_000;
const text = signal('');
let timer: ReturnType<typeof setTimeout> | undefined;

/** Says for a few seconds, over the page, that something was done which nothing else shows. */
export function say(what: string): void {
  clearTimeout(timer);
  text.value = what;
  timer = setTimeout(() => {
    text.value = '';
  }, SHOWN_MS);
}

/** Where it stands; it is there from the start, so that screen readers read what comes. */
export function Toast() {
  return (
    <p class="toast" role="status">
      {text.value}
    </p>
  );
}
