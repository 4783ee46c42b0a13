import { signal, useSignal } from '@preact/signals';
import { Field } from '../forms.tsx';
import { Untrusted } from '../parts.tsx';
import { pageLink } from '../route.ts';
import { say } from '../toast.tsx';

/** A search that somebody kept under a name, in this browser. */
interface SavedView {
  name: string;
  q: string;
}

const SAVED = 'cra-views';
const SAVED_MAX = 20;
const NAME_CHARS_MAX = 40;

const saved = signal(readSaved());

function readSaved(): SavedView[] {
  try {
    const read: unknown = JSON.parse(localStorage.getItem(SAVED) ?? '[]');
    return Array.isArray(read) ? (read as SavedView[]).slice(0, SAVED_MAX) : [];
  } catch {
    return [];
  }
}

function keepSaved(views: SavedView[]): void {
  saved.value = views.slice(0, SAVED_MAX);
  localStorage.setItem(SAVED, JSON.stringify(saved.value));
}

/** The searches that this person kept. */
export function SavedViews({ q }: { q: string }) {
  if (saved.value.length === 0) return null;
  return (
    <nav aria-label="Saved views" class="choices">
      {saved.value.map((view) => (
        <a
          key={view.name}
          href={pageLink('queue', { q: view.q })}
          {...(view.q === q && { 'aria-current': 'true' as const })}
        >
          <Untrusted text={view.name} max={NAME_CHARS_MAX} />
        </a>
      ))}
    </nav>
  );
}

/** A way to keep the search that is shown under a name, or to forget it. */
export function SaveView({ q }: { q: string }) {
  const name = useSignal('');
  const others = saved.value.filter((view) => view.name !== name.value.trim());
  const current = saved.value.find((view) => view.q === q);
  if (current !== undefined) {
    return (
      <button
        type="button"
        class="link"
        onClick={() => keepSaved(saved.value.filter((view) => view !== current))}
      >
        Forget this view
      </button>
    );
  }
  return (
    <details class="menu">
      <summary class="link">Save this view</summary>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (name.value.trim() === '') return;
          keepSaved([{ name: name.value.trim().slice(0, NAME_CHARS_MAX), q }, ...others]);
          say('View saved in this browser');
        }}
      >
        <Field title="Name" value={name.value} change={(value) => (name.value = value)} />
        <button type="submit">Save</button>
      </form>
    </details>
  );
}
