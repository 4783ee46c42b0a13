import { useSignal } from '@preact/signals';
import type { Severity } from '../../model/finding.ts';
import { ask, type Failure, useLoaded } from '../api.ts';
import { Answer, Table, useTitle } from '../lists.tsx';
import { FailureBox, Folded, Loading, Pre, SeverityLabel, Time, Untrusted } from '../parts.tsx';
import { abilities } from '../session.ts';

/** A rules file as this page reads it; parts that it does not know it shows as JSON. */
export type RulesFile = Readonly<Record<string, unknown>>;

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

/** The file that stands for the built-in rules. */
export const BUILT_IN: RulesFile = { version: 1, extends: 'default' };

interface Rule {
  id: string;
  severity?: Severity;
  message?: string;
  description?: string;
}

/** All revisions, and what is in force. */
export function History() {
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
        const rules = asRules(value);
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

function asRules(value: unknown): Rule[] | null {
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

/** One revision: who made it, what it changed, all of it. */
export function RevisionPage({ number }: { number: number }) {
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
    const rules = asRules(value);
    return rules === null ? [[name, value]] : rules.map((rule) => [`${name} ${rule.id}`, rule]);
  });
  return new Map(entries);
}
