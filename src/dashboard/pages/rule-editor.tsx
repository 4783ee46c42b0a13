import { useSignal } from '@preact/signals';
import { useLoaded } from '../api.ts';
import { Field, Tick, useSend } from '../forms.tsx';
import { useTitle } from '../lists.tsx';
import { FailureBox, Loading, Time, Untrusted } from '../parts.tsx';
import { rfcLink, route } from '../route.ts';
import { abilities, session } from '../session.ts';
import { BUILT_IN, type Revision, type RulesFile } from './rule-revisions.tsx';

interface DryRun {
  looked_at: {
    rfcs: number;
    from: string | null;
    until: string | null;
    from_store: number;
    from_mirror: number;
  };
  checked: number;
  left_out: { reason: string; count: number; detail: string | null }[];
  changed: {
    rfc_id: string;
    repo_name: string;
    from: string;
    to: string;
    new_rules: string[];
    gone_rules: string[];
    components: { id: string; from: string; to: string }[];
  }[];
}

const EDITED = 'cra-rules-draft';
const STARTER = `${JSON.stringify(BUILT_IN, null, 2)}\n`;

/** Writes a new revision, after a trial over recent RFCs. The text stays until it is saved. */
export function Editor() {
  useTitle('Edit the rules');
  const revisions = useLoaded<Revision[]>('rules/revisions');
  const newest = revisions.data.value?.[0]?.number ?? null;
  const stored = useLoaded<RulesFile>(newest === null ? null : `rules/revisions/${newest}`);
  if (!abilities.value.has('rules')) {
    return (
      <section>
        <h1>Edit the rules</h1>
        <p>
          Your role ({session.value?.role}) may not change the rules; admins do.{' '}
          <a href="#/rules">See the rules</a>
        </p>
      </section>
    );
  }
  const isReady = revisions.data.value !== null && (newest === null || stored.data.value !== null);
  if (revisions.failure.value !== null) return <FailureBox failure={revisions.failure.value} />;
  if (!isReady) return <Loading />;
  const text = `${JSON.stringify(stored.data.value ?? BUILT_IN, null, 2)}\n`;
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
      {problem === null && (
        <OneRule
          text={text.value}
          change={(value) => {
            text.value = value;
            trial.value = null;
            sessionStorage.setItem(EDITED, value);
          }}
        />
      )}
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
          <button
            type="button"
            onClick={() => {
              text.value = STARTER;
              trial.value = null;
              sessionStorage.setItem(EDITED, STARTER);
            }}
          >
            Built-in rules alone
          </button>
        </p>
      </form>
      {saved.value !== null && (
        <p class="box done" role="status">
          In force as revision {saved.value.number}
          {saved.value.built_in && ': the built-in rules'}. <a href="#/rules">See the rules</a>
        </p>
      )}
      {trial.value !== null && <Trial trial={trial.value} />}
    </section>
  );
}

const AS_IT_IS = 'as it is';
const LEVELS = [AS_IT_IS, 'critical', 'high', 'medium', 'low', 'info'] as const;
const MODES = [AS_IT_IS, 'block', 'warn', 'monitor'] as const;

/** Writes the severity and the mode of one rule into the text of a rules file. */
function OneRule({ text, change }: { text: string; change(text: string): void }) {
  const rule = useSignal(route.value.query.get('rule') ?? '');
  const severity = useSignal<string>(AS_IT_IS);
  const mode = useSignal<string>(AS_IT_IS);
  const isWeaker = useSignal(false);
  const written = useSignal(false);
  const isLowered = mode.value === 'warn' || mode.value === 'monitor';
  return (
    <form
      class="filters"
      aria-label="One rule"
      onSubmit={(event) => {
        event.preventDefault();
        const id = rule.value.trim();
        if (id === '') return;
        change(withRule(text, id, severity.value, mode.value, isLowered && isWeaker.value));
        written.value = true;
      }}
    >
      <Field
        title="Rule"
        value={rule.value}
        change={(value) => {
          rule.value = value;
          written.value = false;
        }}
      />
      <Field
        title="Severity"
        options={LEVELS}
        value={severity.value}
        change={(value) => (severity.value = value)}
      />
      <Field
        title="Mode"
        options={MODES}
        value={mode.value}
        change={(value) => (mode.value = value)}
      />
      {isLowered && (
        <Tick
          title="Modes may lower vulnerabilities and private keys (allow_weaker, for all rules)"
          value={isWeaker.value}
          change={(value) => (isWeaker.value = value)}
        />
      )}
      <button type="submit">Write into the file</button>
      <span role="status">{written.value && 'It stands in the file below.'}</span>
    </form>
  );
}

/**
 * `severities` and `pipeline.modes` with what is asked of a rule, where the later entry counts;
 * `isWeaker`: also `pipeline.allow_weaker`.
 */
function withRule(
  text: string,
  rule: string,
  severity: string,
  mode: string,
  isWeaker: boolean,
): string {
  const file = JSON.parse(text) as {
    severities?: Record<string, string>;
    pipeline?: { modes?: { rules: string[]; mode: string }[]; allow_weaker?: boolean };
  };
  if (severity !== AS_IT_IS) {
    const { [rule]: _former, ...others } = file.severities ?? {};
    file.severities = { ...others, [rule]: severity };
  }
  if (mode !== AS_IT_IS) {
    const modes = file.pipeline?.modes ?? [];
    const others = modes.filter(({ rules }) => rules.length !== 1 || rules[0] !== rule);
    const isOf = (one: string) =>
      one.endsWith('*') ? rule.startsWith(one.slice(0, -1)) : one === rule;
    // Rules block without an entry, and the service refuses an entry that changes nothing.
    const isNeeded = mode !== 'block' || others.some(({ rules }) => rules.some(isOf));
    const next = isNeeded ? [...others, { rules: [rule], mode }] : others;
    if (next.length > 0 || modes.length > 0) file.pipeline = { ...file.pipeline, modes: next };
  }
  if (isWeaker) file.pipeline = { ...file.pipeline, allow_weaker: true };
  return `${JSON.stringify(file, null, 2)}\n`;
}

/** Why RFCs were not tried, in words. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  draft: 'have no verdict yet',
  superseded: 'were superseded by a later push',
  unread: 'were blocked because their change could not be read',
  'diff-not-kept': 'have a diff that is no longer kept',
  'commit-gone': 'have a commit that neither the mirror nor the host has any more',
  'mirror-unavailable': 'have a range that git could not show',
  deleted: 'were deleted meanwhile',
  time: 'were not reached within a minute',
  bytes: 'were not reached: their diffs are too large together',
};

function Trial({ trial: { looked_at: seen, checked, left_out, changed } }: { trial: DryRun }) {
  return (
    <section class="box" role="status">
      <h2>
        {changed.length === 0 ? 'No verdict would change' : `${changed.length} would change`} of{' '}
        {checked} recent RFCs
      </h2>
      <p class="quiet">
        Looked at the newest {seen.rfcs} RFCs
        {seen.from !== null && seen.until !== null && (
          <>
            , made from <Time at={seen.from} /> to <Time at={seen.until} />
          </>
        )}
        ; tried {seen.from_store} submitted diffs and {seen.from_mirror} pushes.
      </p>
      {left_out.length > 0 && (
        <ul class="quiet">
          {left_out.map(({ reason, count, detail }) => (
            <li key={reason}>
              {count} {LEFT_OUT[reason] ?? reason}
              {detail !== null && (
                <>
                  : <Untrusted text={detail} max={300} />
                </>
              )}
            </li>
          ))}
        </ul>
      )}
      <ul>
        {changed.map(({ rfc_id: id, repo_name: repo, from, to, ...what }) => (
          <li key={id}>
            <a href={rfcLink(id)}>
              <Untrusted text={repo} max={120} />
            </a>{' '}
            {from === to ? `stays ${to}` : `${from} → ${to}`}
            {what.new_rules.length > 0 && ` now also ${what.new_rules.join(', ')}`}
            {what.gone_rules.length > 0 && ` no longer ${what.gone_rules.join(', ')}`}
            {what.components.length > 0 && (
              <ul>
                {what.components.map((one) => (
                  <li key={one.id}>
                    component <code>{one.id}</code> {one.from} → {one.to}
                  </li>
                ))}
              </ul>
            )}
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
