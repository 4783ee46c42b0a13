import { useSignal } from '@preact/signals';
import type { Severity } from '../../model/finding.ts';
import { ask, type Failure } from '../api.ts';
import { Answer, Table, useTitle } from '../lists.tsx';
import { useLoaded } from '../loaded.ts';
import { FailureBox, Folded, Loading, Pre, SeverityLabel, Time, Untrusted } from '../parts.tsx';
import { route } from '../route.ts';
import { abilities } from '../session.ts';
import { Editor } from './rules-editor.tsx';

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
}

/** Rules in force (`#/rules`), their editor (`/edit`), one revision (`/revisions/N`). */
export function Page() {
  useTitle('Rules');
  const { rest } = route.value;
  const number = /^revisions\/(\d+)$/.exec(rest)?.[1];
  if (number !== undefined) return <RevisionPage key={rest} number={Number(number)} />;
  return rest === 'edit' ? <Editor /> : <InForce />;
}

function InForce() {
  const rules = useLoaded<RulesFile>('rules');
  return (
    <section>
      <h1>Rules</h1>
      {abilities.value.has('rules') && (
        <p>
          <a href="#/rules/edit">Edit the rules</a>
        </p>
      )}
      <h2>Revisions</h2>
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
    <Table columns={['Number', 'When', 'By', 'Comment']}>
      {rows.map(({ number, added_at: at, added_by: by, comment, source }) => (
        <tr key={number}>
          <td class="number">
            <a href={`#/rules/revisions/${number}`}>{number}</a>
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
      ))}
    </Table>
  );
}

/** The sections of a rules file: lists of rules as tables, everything else as JSON. */
function Sections({ file }: { file: RulesFile }) {
  return (
    <>
      {Object.entries(file).map(([name, value]) => {
        const rules = rulesOf(value);
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
  const { data, failure } = useLoaded<RulesFile>(`rules/revisions/${number}`);
  const earlier = useLoaded<RulesFile>(number > 1 ? `rules/revisions/${number - 1}` : null);
  const restored = useSignal<Failure | 'done' | 'asked' | null>(null);
  const restore = async () => {
    if (restored.value === 'asked') return;
    restored.value = 'asked';
    const reply = await ask(`rules/revisions/${number}/restore`, { method: 'POST' });
    restored.value = reply.kind === 'failure' ? reply : 'done';
  };
  if (failure.value !== null) return <FailureBox failure={failure.value} />;
  if (data.value === null) return <Loading />;
  const changes = number === 1 ? [] : differences(earlier.data.value ?? {}, data.value);
  return (
    <section>
      <h1>Rules, revision {number}</h1>
      <p>
        <a href="#/rules">All revisions</a>
      </p>
      {abilities.value.has('rules') && (
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
      {number > 1 && earlier.data.value !== null && (
        <>
          <h2>Changes since revision {number - 1}</h2>
          {changes.length === 0 && <p class="quiet">Nothing but the order or spacing.</p>}
          <ul class="changes">
            {changes.map(({ name, before, after }) => (
              <li key={name}>
                <code>
                  <Untrusted text={name} max={200} />
                </code>
                {before !== undefined && <Side sign="−" value={before} />}
                {after !== undefined && <Side sign="+" value={after} />}
              </li>
            ))}
          </ul>
        </>
      )}
      <h2>All of it</h2>
      <Sections file={data.value} />
    </section>
  );
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
  const [old, recent] = [entriesOf(before), entriesOf(after)];
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
