import { useSignal } from '@preact/signals';
import type { Severity } from '../../model/finding.ts';
import { ask, type Failure, useLoaded } from '../api.ts';
import { Answer, Table, useTitle } from '../lists.tsx';
import {
  FailureBox,
  Field,
  Folded,
  Loading,
  Pre,
  SeverityLabel,
  Tick,
  Time,
  Untrusted,
  useSend,
} from '../parts.tsx';
import { rfcLink, route } from '../route.ts';
import { abilities, session } from '../session.ts';
import { RuleList, RulePage, type ShownRules } from './rule-list.tsx';

/** A rules file as this page reads it; parts that it does not know it shows as JSON. */
export type RulesFile = Readonly<Record<string, unknown>>;

interface Rule {
  id: string;
  severity?: Severity;
  message?: string;
  description?: string;
}

/** A revision of the rules (`GET rules/revisions`). */
export interface Revision {
  number: number;
  revision: string;
  source: string;
  added_at: string;
  added_by: string;
  comment: string;
  /** It is the built-in set of this version. */
  built_in: boolean;
}

/**
 * Rules in force (`#/rules`), one of them (`/rule/ID`), revisions and settings (`/revisions`), one
 * revision (`/revisions/N`), and the editor (`/edit`).
 */
export function Page() {
  const { rest } = route.value;
  const number = /^revisions\/(\d+)$/.exec(rest)?.[1];
  const id = /^rule\/(.+)$/s.exec(rest)?.[1];
  if (number !== undefined) return <RevisionPage key={rest} number={Number(number)} />;
  if (rest === 'edit') return <Editor />;
  return rest === 'revisions' ? <History /> : <InForce key={rest} id={id ?? null} />;
}

/** The rules for people: the list has few fields of each, a rule comes with all of them. */
function InForce({ id }: { id: string | null }) {
  const path = id === null ? 'rules/list' : `rules?rule=${encodeURIComponent(id)}`;
  const rules = useLoaded<ShownRules>(path);
  return (
    <Answer of={rules}>
      {(file) => (id === null ? <RuleList file={file} /> : <RulePage file={file} id={id} />)}
    </Answer>
  );
}

function History() {
  useTitle('Revisions of the rules');
  const rules = useLoaded<RulesFile>('rules/list');
  return (
    <section>
      <h1>Revisions of the rules</h1>
      <p>
        <a href="#/rules">The rules</a>
      </p>
      <Revisions />
      <h2>In force</h2>
      <Answer of={rules}>{(file) => <Sections file={file} />}</Answer>
    </section>
  );
}

function Revisions() {
  const revisions = useLoaded<Revision[]>('rules/revisions');
  return <Answer of={revisions}>{(rows) => <RevisionTable rows={rows} />}</Answer>;
}

function RevisionTable({ rows }: { rows: Revision[] }) {
  if (rows.length === 0) {
    return <p class="quiet">The built-in rules are in force; nobody has changed them.</p>;
  }
  return (
    <>
      {rows[0]?.built_in && <p class="quiet">The built-in rules are in force.</p>}
      <Table columns={['Number', 'When', 'By', 'Comment']}>
        {rows.map(
          ({ number, added_at: at, added_by: by, comment, source, built_in: isBuiltIn }) => (
            <tr key={number}>
              <td class="number">
                <a href={`#/rules/revisions/${number}`}>{number}</a>
                {isBuiltIn && <span class="quiet"> built-in</span>}
              </td>
              <td>
                <Time at={at} />
              </td>
              <td>
                <Untrusted text={by} max={120} /> <span class="quiet">{source}</span>
              </td>
              <td>
                <Untrusted text={comment} max={500} />
              </td>
            </tr>
          ),
        )}
      </Table>
    </>
  );
}

/** The sections of a rules file: lists of rules as tables, everything else as JSON. */
function Sections({ file }: { file: RulesFile }) {
  return (
    <>
      {Object.entries(file).map(([name, value]) => {
        const rules = rulesOf(value);
        if (typeof value !== 'object') {
          return (
            <p key={name}>
              {name.replaceAll('_', ' ')} <Untrusted text={String(value)} max={200} />
            </p>
          );
        }
        const title = `${name.replaceAll('_', ' ')}${rules === null ? '' : ` (${rules.length})`}`;
        return (
          <Folded key={name} title={title}>
            {() => (rules === null ? <Json value={value} /> : <RuleTable rules={rules} />)}
          </Folded>
        );
      })}
    </>
  );
}

function rulesOf(value: unknown): Rule[] | null {
  const isRule = (each: unknown): each is Rule =>
    typeof each === 'object' && each !== null && 'id' in each && typeof each.id === 'string';
  return Array.isArray(value) && value.length > 0 && value.every(isRule) ? value : null;
}

function RuleTable({ rules }: { rules: Rule[] }) {
  return (
    <table>
      <tbody>
        {rules.map((rule) => (
          <tr key={rule.id}>
            <th scope="row">
              <code>
                <Untrusted text={rule.id} max={120} />
              </code>
            </th>
            <td>{rule.severity !== undefined && <SeverityLabel severity={rule.severity} />}</td>
            <td>
              <Untrusted text={rule.description ?? rule.message ?? ''} max={500} />
            </td>
            <td>
              <Folded title="JSON">{() => <Json value={rule} />}</Folded>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Json({ value }: { value: unknown }) {
  return <Pre text={JSON.stringify(value, null, 2)} max={20_000} />;
}

function RevisionPage({ number }: { number: number }) {
  useTitle(`Rules, revision ${number}`);
  const { data, failure } = useLoaded<RulesFile>(`rules/revisions/${number}`);
  const earlier = useLoaded<RulesFile>(number > 1 ? `rules/revisions/${number - 1}` : null);
  const revisions = useLoaded<Revision[]>('rules/revisions');
  const own = revisions.data.value?.find((each) => each.number === number);
  const isNewest = own !== undefined && own === revisions.data.value?.[0];
  const restored = useSignal<Failure | 'done' | 'asked' | null>(null);
  const restore = async () => {
    if (restored.value === 'asked') return;
    restored.value = 'asked';
    const reply = await ask(`rules/revisions/${number}/restore`, { method: 'POST' });
    restored.value = reply.kind === 'failure' ? reply : 'done';
  };
  const head = (
    <>
      <h1>Rules, revision {number}</h1>
      <p>
        <a href="#/rules/revisions">All revisions</a>
      </p>
    </>
  );
  if (failure.value !== null) {
    return (
      <section>
        {head}
        <FailureBox failure={failure.value} />
      </section>
    );
  }
  if (data.value === null) return <Loading />;
  const before = number === 1 ? BUILT_IN : earlier.data.value;
  const changes = before === null ? [] : differences(before, data.value);
  return (
    <section>
      {head}
      {own !== undefined && (
        <p>
          {isNewest && <strong>In force. </strong>}
          Made by <Untrusted text={own.added_by} max={120} /> <Time at={own.added_at} />
          {own.comment !== '' && (
            <>
              : <Untrusted text={own.comment} max={500} />
            </>
          )}
        </p>
      )}
      {abilities.value.has('rules') && !isNewest && (
        <p class="actions">
          <button type="button" onClick={() => void restore()}>
            Put revision {number} in force again
          </button>
        </p>
      )}
      {restored.value === 'done' && <p role="status">It is in force, as a new revision.</p>}
      {typeof restored.value === 'object' && restored.value !== null && (
        <FailureBox failure={restored.value} />
      )}
      {before !== null && (
        <>
          <h2>Changes since {number === 1 ? 'the built-in rules' : `revision ${number - 1}`}</h2>
          {changes.length === 0 && <p class="quiet">Nothing but the order or spacing.</p>}
          <ul class="changes">
            {changes.map((change) => (
              <DifferenceItem key={change.name} {...change} />
            ))}
          </ul>
        </>
      )}
      <h2>All of it</h2>
      <Sections file={data.value} />
    </section>
  );
}

/** One rule or entry that differs: added, gone, or which of its fields say something else. */
function DifferenceItem({ name, before, after }: Difference) {
  const said = before === undefined ? 'added' : after === undefined ? 'gone' : 'changed';
  const shown = after ?? before;
  const { title, message, description } = isFields(shown) ? shown : {};
  const words = [title, description, message].find((each) => typeof each === 'string');
  // A rule that is added or gone is known by its words.
  const fields = words === undefined || said === 'changed' ? fieldsOf('', before, after) : [];
  return (
    <li>
      <strong>
        <code>
          <Untrusted text={name} max={200} />
        </code>{' '}
        {said}
      </strong>{' '}
      {typeof words === 'string' && <Untrusted text={words} max={300} />}
      {fields.length > 0 && (
        <table class="figures">
          <tbody>
            {fields.map(({ path, was, is }) => (
              <tr key={path}>
                <th scope="row">
                  <Untrusted text={path} max={200} />
                </th>
                <td>
                  {was !== undefined && <Value kind="removed" value={was} />}
                  {is !== undefined && <Value kind="added" value={is} />}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <Folded title="As JSON">
        {() => (
          <>
            {before !== undefined && <Side sign="−" value={before} />}
            {after !== undefined && <Side sign="+" value={after} />}
          </>
        )}
      </Folded>
    </li>
  );
}

/** A value that a field had or has; a list of many is one text. */
function Value({ kind, value }: { kind: 'added' | 'removed'; value: unknown }) {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return (
    <div class={kind}>
      {kind === 'added' ? '+' : '−'}{' '}
      <code>
        <Untrusted text={text} max={1_000} />
      </code>
    </div>
  );
}

interface FieldDifference {
  path: string;
  was: unknown;
  is: unknown;
}

/** The fields that differ, by their paths; of lists the elements that came and went. */
function fieldsOf(path: string, was: unknown, is: unknown): FieldDifference[] {
  if (JSON.stringify(was) === JSON.stringify(is)) return [];
  if (Array.isArray(was) && Array.isArray(is)) {
    const texts = (list: unknown[]) => new Set(list.map((each) => JSON.stringify(each)));
    const old = texts(was);
    const recent = texts(is);
    const gone = was.filter((each) => !recent.has(JSON.stringify(each)));
    const came = is.filter((each) => !old.has(JSON.stringify(each)));
    return [
      ...gone.map((each, at) => ({ path: `${path} −${at + 1}`, was: each, is: undefined })),
      ...came.map((each, at) => ({ path: `${path} +${at + 1}`, was: undefined, is: each })),
    ];
  }
  if (isFields(was ?? {}) && isFields(is ?? {})) {
    const old = (was ?? {}) as Record<string, unknown>;
    const recent = (is ?? {}) as Record<string, unknown>;
    return [...new Set([...Object.keys(old), ...Object.keys(recent)])].flatMap((name) =>
      fieldsOf(path === '' ? name : `${path}.${name}`, old[name], recent[name]),
    );
  }
  return [{ path, was, is }];
}

function isFields(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function Side({ sign, value }: { sign: string; value: unknown }) {
  const kind = sign === '+' ? 'added' : 'removed';
  return <Pre kind={kind} text={`${sign} ${JSON.stringify(value, null, 2)}`} max={8_000} />;
}

interface Difference {
  name: string;
  before?: unknown;
  after?: unknown;
}

/** What differs between two rules files: rules by their id, other entries by their name. */
function differences(before: RulesFile, after: RulesFile): Difference[] {
  const old = entriesOf(before);
  const recent = entriesOf(after);
  return [...new Set([...old.keys(), ...recent.keys()])]
    .filter((name) => JSON.stringify(old.get(name)) !== JSON.stringify(recent.get(name)))
    .map((name) => ({ name, before: old.get(name), after: recent.get(name) }));
}

function entriesOf(file: RulesFile): Map<string, unknown> {
  const entries = Object.entries(file).flatMap(([name, value]): [string, unknown][] => {
    const rules = rulesOf(value);
    return rules === null ? [[name, value]] : rules.map((rule) => [`${name} ${rule.id}`, rule]);
  });
  return new Map(entries);
}

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
/** The file that stands for the built-in rules. */
const BUILT_IN: RulesFile = { version: 1, extends: 'default' };
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
