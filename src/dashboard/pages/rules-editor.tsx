import { useSignal } from '@preact/signals';
import { Field, useSend } from '../forms.tsx';
import { useLoaded } from '../loaded.ts';
import { FailureBox, Loading, Untrusted } from '../parts.tsx';
import { rfcLink } from '../route.ts';
import type { Revision, RulesFile } from './rules.tsx';

interface DryRun {
  checked: number;
  skipped: number;
  unreached: number;
  changed: {
    rfc_id: string;
    repo_name: string;
    from: string;
    to: string;
    new_rules: string[];
    gone_rules: string[];
  }[];
}

const EDITED = 'cra-rules-draft';
const STARTER = '{\n  "version": 1,\n  "extends": "default"\n}\n';

/** Writes a new revision, after a trial over recent RFCs. The text stays until it is saved. */
export function Editor() {
  const revisions = useLoaded<Revision[]>('rules/revisions');
  const newest = revisions.data.value?.[0]?.number ?? null;
  const stored = useLoaded<RulesFile>(newest === null ? null : `rules/revisions/${newest}`);
  const isReady = revisions.data.value !== null && (newest === null || stored.data.value !== null);
  if (revisions.failure.value !== null) return <FailureBox failure={revisions.failure.value} />;
  if (!isReady) return <Loading />;
  const text =
    stored.data.value === null ? STARTER : `${JSON.stringify(stored.data.value, null, 2)}\n`;
  return <EditorForm stored={text} base={revisions.data.value?.[0] ?? null} />;
}

function EditorForm({ stored, base }: { stored: string; base: Revision | null }) {
  const text = useSignal(sessionStorage.getItem(EDITED) ?? stored);
  const comment = useSignal('');
  const trial = useSignal<DryRun | null>(null);
  const saved = useSignal<Revision | null>(null);
  const { isSending, failure, send } = useSend<Revision | DryRun>();
  const problem = syntaxProblem(text.value);

  const put = (query: string, headers: Record<string, string> = {}) =>
    problem === null
      ? send(`rules?${query}`, { method: 'PUT', body: text.value, headers })
      : Promise.resolve(null);
  const save = async () => {
    const revision = await put(
      `comment=${encodeURIComponent(comment.value.trim())}`,
      base === null ? {} : { 'If-Match': `"${base.number}-${base.revision}"` },
    );
    if (revision === null) return;
    sessionStorage.removeItem(EDITED);
    saved.value = revision as Revision;
  };

  return (
    <section>
      <h1>Edit the rules</h1>
      <p>
        <a href="#/rules">Back to the rules</a>. This replaces revision {base?.number ?? 0}; the
        built-in rules stay as long as <code>"extends": "default"</code> is there.
      </p>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <Field
          title="Rules file (JSON)"
          rows={24}
          isCode={true}
          value={text.value}
          change={(value) => {
            text.value = value;
            trial.value = null;
            sessionStorage.setItem(EDITED, value);
          }}
        />
        {problem !== null && <p role="alert">{problem}</p>}
        <Field
          title="Comment (stands beside the revision, and in the audit trail)"
          value={comment.value}
          change={(value) => (comment.value = value)}
        />
        {failure.value !== null && <FailureBox failure={failure.value} />}
        <p class="actions">
          <button
            type="button"
            onClick={async () => {
              trial.value = (await put('dry_run=true')) as DryRun | null;
            }}
          >
            {isSending.value ? 'Working…' : 'Try over recent RFCs'}
          </button>
          <button type="submit" class="main">
            Put in force
          </button>
          <button
            type="button"
            onClick={() => {
              text.value = stored;
              sessionStorage.removeItem(EDITED);
            }}
          >
            Discard changes
          </button>
        </p>
      </form>
      {saved.value !== null && (
        <p class="box done" role="status">
          In force as revision {saved.value.number}. <a href="#/rules">See the rules</a>
        </p>
      )}
      {trial.value !== null && <Trial trial={trial.value} />}
    </section>
  );
}

function Trial({ trial: { checked, skipped, unreached, changed } }: { trial: DryRun }) {
  return (
    <section class="box" role="status">
      <h2>
        {changed.length === 0 ? 'No verdict would change' : `${changed.length} would change`} of{' '}
        {checked} recent RFCs
      </h2>
      {skipped + unreached > 0 && (
        <p class="quiet">
          Not tried: {skipped} whose diff is no longer kept, {unreached} for lack of time.
        </p>
      )}
      <ul>
        {changed.map(({ rfc_id: id, repo_name: repo, from, to, new_rules, gone_rules }) => (
          <li key={id}>
            <a href={rfcLink(id)}>
              <Untrusted text={repo} max={120} />
            </a>{' '}
            {from} → {to}
            {new_rules.length > 0 && ` now also ${new_rules.join(', ')}`}
            {gone_rules.length > 0 && ` no longer ${gone_rules.join(', ')}`}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Why the text is not JSON, with the line; null: it is. */
function syntaxProblem(text: string): string | null {
  try {
    JSON.parse(text);
    return null;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const position = Number(/position (\d+)/.exec(message)?.[1] ?? Number.NaN);
    const line = Number.isNaN(position)
      ? ''
      : ` (line ${text.slice(0, position).split('\n').length})`;
    return `This is not valid JSON${line}: ${message}`;
  }
}
