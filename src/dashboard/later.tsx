import { useSignal } from '@preact/signals';
import type { FunctionComponent } from 'preact';
import { useEffect } from 'preact/hooks';
import { Loading } from './parts.tsx';

const RELOADED = 'cra-reloaded';

interface LaterProps<Props> {
  load(): Promise<{ Page: FunctionComponent<Props> }>;
  props: Props;
}

/** A page whose script comes when it is opened. After an upgrade old names are gone: load again. */
export function Later<Props extends object>({ load, props }: LaterProps<Props>) {
  const loaded = useSignal<FunctionComponent<Props> | null>(null);
  const hasFailed = useSignal(false);
  useEffect(() => {
    load().then(
      ({ Page: page }) => {
        sessionStorage.removeItem(RELOADED);
        loaded.value = page;
      },
      () => {
        if (sessionStorage.getItem(RELOADED) !== null) {
          hasFailed.value = true;
          return;
        }
        sessionStorage.setItem(RELOADED, '1');
        location.reload();
      },
    );
  }, []);
  const Loaded = loaded.value;
  if (Loaded !== null) return <Loaded {...props} />;
  if (!hasFailed.value) return <Loading />;
  return (
    <div class="box problem" role="alert">
      <p>Could not load this page. Check the connection.</p>
      <button type="button" onClick={() => location.reload()}>
        Try again
      </button>
    </div>
  );
}
