import { useEffect, useRef } from 'preact/hooks';
import { useLoaded } from '../api.ts';
import { Answer } from '../lists.tsx';
import { rfcLink } from '../route.ts';
import { openFindings, worstFirst } from '../row.ts';
import type { ShownRfc } from './actions.ts';
import { FindingList } from './finding-list.tsx';
import { Head } from './head.tsx';

/** A change beside the queue: its head and what was found, before it is opened. */
export function Page({ id, close }: { id: string; close: () => void }) {
  const rfc = useLoaded<ShownRfc>(`rfc/${encodeURIComponent(id)}`);
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes a dialog.
    <dialog
      ref={dialog}
      class="drawer"
      aria-label="Preview"
      onClose={close}
      onClick={(event) => {
        if (event.target === dialog.current) dialog.current?.close();
      }}
    >
      <p class="actions">
        <a class="button main" autofocus href={rfcLink(id)}>
          Open the change
        </a>
        <button type="button" onClick={() => dialog.current?.close()}>
          Close (Esc)
        </button>
      </p>
      <Answer of={rfc}>
        {(shown) => (
          <>
            <Head rfc={shown} held={null} />
            <FindingList
              rfcId={id}
              findings={worstFirst(openFindings(shown))}
              most={PREVIEWED_MAX}
            />
          </>
        )}
      </Answer>
    </dialog>
  );
}

/** Findings of a preview; the page of the change has all. */
const PREVIEWED_MAX = 10;
