import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Severity } from '../../model/finding.ts';
import type { Pattern, SeverityMap } from '../../model/rules.ts';
import { ask, type Failure, useLoaded } from '../api.ts';
import { percent } from '../charts.tsx';
import { Choices, FilterForm, Table, useTitle } from '../lists.tsx';
import {
  Empty,
  Fact,
  FailureBox,
  Field,
  Folded,
  Pre,
  SeverityLabel,
  Time,
  Untrusted,
  Words,
} from '../parts.tsx';
import { pageLink, route, ruleLink } from '../route.ts';
import { openFindings, worstFirst } from '../row.ts';
import { abilities } from '../session.ts';
import type { ShownRfc } from './actions.ts';

/** Sections of a rules file that hold rules, and what these are about. */
const KINDS = {
  secret_patterns: 'secrets',
  risk_patterns: 'risks',
  vulnerability_patterns: 'vulnerabilities',
} as const;
type Section = keyof typeof KINDS;
const SECTIONS = Object.keys(KINDS) as Section[];

interface Mode {
  rules: readonly string[];
  mode: string;
  branches?: readonly string[];
}

/** What this page reads of the rules in force. */
export type ShownRules = Readonly<Partial<Record<Section, readonly Pattern[]>>> & {
  pipeline?: { modes?: readonly Mode[]; block_severities?: readonly Severity[] };
  components?: readonly {
    id: string;
    modes?: readonly Mode[];
    block_severities?: readonly Severity[];
  }[];
  severities?: SeverityMap;
  disabled_rules?: readonly string[];
};

/** A rule as findings name it: one pattern, or several that are reported as the same. */
interface Rule {
  id: string;
  section: Section;
  severity: Severity;
  title: string;
  patterns: readonly Pattern[];
}

/** What a rule did in this time (`GET stats`). */
interface RuleSums {
  rule: string;
  hits: number;
  blocked: number;
  overridden: number;
  decided: number;
  false_alarms: number;
}

const DAYS = 90;
const DAY_MS = 86_400_000;

/** What the rules did of late, by their ids: the most frequent ones. */
function useSums(): ReadonlyMap<string, RuleSums> {
  const since = new Date(Date.now() - DAYS * DAY_MS).toISOString().slice(0, 10);
  const stats = useLoaded<{ rules: RuleSums[] }>(`stats?since=${since}`);
  return new Map(stats.data.value?.rules.map((one) => [one.rule, one]));
}

function rulesOf(file: ShownRules): Rule[] {
  const severities = Object.entries(file.severities ?? {});
  return SECTIONS.flatMap((section) => {
    const byId = new Map<string, Pattern[]>();
    for (const pattern of file[section] ?? []) {
      const id = pattern.report_as ?? pattern.id;
      byId.set(id, [...(byId.get(id) ?? []), pattern]);
    }
    return [...byId].map(([id, patterns]) => {
      const [worst] = worstFirst(patterns);
      const { severity: own = 'info' as const, description = id } = worst ?? {};
      // By path it has several: the page of the rule lists them.
      const set = severities.findLast(([rule]) => names(rule, id))?.[1];
      const severity = typeof set === 'string' ? set : own;
      // Of several patterns, each says of which language it is.
      const title = patterns.length === 1 ? description : description.replace(/ \([^()]*\)$/, '');
      return { id, section, severity, title, patterns };
    });
  });
}

/** `block`, unless the last entry that names the rule says something else. */
function modeOf(id: string, modes: readonly Mode[] = []): string {
  const last = modes.findLast(({ rules }) => rules.some((rule) => names(rule, id)));
  const { mode = 'block', branches } = last ?? {};
  return branches === undefined ? mode : `${mode} on ${branches.join(', ')}`;
}

/** Whether an entry of the rules names a rule: by its id, or by how ids begin (`risk-*`). */
function names(entry: string, id: string): boolean {
  return entry.endsWith('*') ? id.startsWith(entry.slice(0, -1)) : entry === id;
}

const ALL = 'all';
/** Rows that are made at once. */
const ROWS_STEP = 100;

/** All rules with what they did: a search stands in the address. */
export function RuleList({ file }: { file: ShownRules }) {
  useTitle('Rules');
  const { query } = route.value;
  const q = query.get('q') ?? '';
  const kind = query.get('kind') ?? ALL;
  const sums = useSums();
  const shown = useSignal(ROWS_STEP);
  const hits = ({ id }: Rule) => sums.get(id)?.hits ?? 0;
  const found = rulesOf(file)
    .filter((rule) => kind === ALL || KINDS[rule.section] === kind)
    .filter((rule) => holdsAll(rule, q))
    .sort((one, other) => hits(other) - hits(one) || (one.id < other.id ? -1 : 1));
  const rows = found.slice(0, shown.value);
  return (
    <section>
      <header class="page-head">
        <h1>Rules</h1>
        <p class="actions">
          <a href="#/rules/revisions">Revisions and settings</a>
          {abilities.value.has('rules') && (
            <a class="button" href="#/rules/edit">
              Edit the rules
            </a>
          )}
        </p>
      </header>
      <FilterForm page="rules" filters={{ q, kind }} fields={SEARCH_FIELD} button="Search">
        <Choices
          label="Kind"
          values={[ALL, ...Object.values(KINDS)]}
          current={kind}
          link={(each) => pageLink('rules', { q, kind: each })}
          text={(each) => each}
        />
      </FilterForm>
      <p class="quiet">
        {found.length} rules; what they found in {DAYS} days, and what people made of it.
      </p>
      {found.length === 0 ? (
        <Empty>
          <p>
            No rule has these words. <a href="#/rules">Show all</a>
          </p>
        </Empty>
      ) : (
        <Table
          columns={['Severity', 'Rule', 'Mode', 'Found', 'Overridden', 'False alarms']}
          kind="rules"
        >
          {rows.map((rule) => (
            <tr key={rule.id}>
              <td>
                <SeverityLabel severity={rule.severity} />
              </td>
              <td>
                <a href={ruleLink(rule.id)}>
                  <Words text={rule.title} max={200} />
                </a>
                <br />
                <code class="quiet">
                  <Untrusted text={rule.id} max={120} />
                </code>
              </td>
              <td>{modeOf(rule.id, file.pipeline?.modes)}</td>
              <td class="number" data-title="Found">
                {hits(rule) === 0 ? <span class="quiet">–</span> : hits(rule)}
              </td>
              <td class="number" data-title="Overridden">
                <Overridden of={sums.get(rule.id)} />
              </td>
              <td class="number" data-title="False alarms">
                <FalseAlarms of={sums.get(rule.id)} />
              </td>
            </tr>
          ))}
        </Table>
      )}
      {found.length > rows.length && (
        <p class="actions">
          <button
            type="button"
            onClick={() => {
              shown.value += ROWS_STEP;
            }}
          >
            Show {Math.min(ROWS_STEP, found.length - rows.length)} more
          </button>
        </p>
      )}
    </section>
  );
}

const SEARCH_FIELD = {
  q: { title: 'Search', type: 'search', placeholder: 'words of a rule, its id or CWE' },
} as const;

function holdsAll({ id, title, patterns }: Rule, q: string): boolean {
  const words = q.toLowerCase().split(/\s+/);
  const text = [id, title, ...patterns.flatMap((each) => [each.id, each.description, each.cwe])];
  const all = text.join(' ').toLowerCase();
  return words.every((word) => all.includes(word));
}

/** How many of the changes that it blocked a person let pass. */
function Overridden({ of }: { of: RuleSums | undefined }) {
  if (of === undefined || of.decided === 0) return <span class="quiet">–</span>;
  return (
    <>
      {percent(of.overridden / of.decided)}{' '}
      <span class="quiet">
        {of.overridden} of {of.decided}
      </span>
    </>
  );
}

/** Changes in which people marked a finding of it as a false alarm. */
function FalseAlarms({ of }: { of: RuleSums | undefined }) {
  if (of === undefined || of.false_alarms === 0) return <span class="quiet">–</span>;
  return <>{of.false_alarms}</>;
}

/** One rule: what it does, what it finds and what not, what people made of it. */
export function RulePage({ file, id }: { file: ShownRules; id: string }) {
  useTitle(`Rule ${id}`);
  const rule = rulesOf(file).find((each) => each.id === id);
  const sums = useSums().get(id);
  return (
    <section>
      <p>
        <a href="#/rules">All rules</a>
      </p>
      {rule === undefined ? (
        <NoPattern id={id} sums={sums} />
      ) : (
        <>
          <h1>
            <SeverityLabel severity={rule.severity} /> <Words text={rule.title} max={300} />
          </h1>
          <div class="columns">
            <div>
              {rule.patterns.slice(0, PATTERNS_MAX).map((pattern) => (
                <PatternCard
                  key={pattern.id}
                  pattern={pattern}
                  section={rule.section}
                  isAlone={rule.patterns.length === 1}
                />
              ))}
              {rule.patterns.length > PATTERNS_MAX && (
                <p class="quiet">{rule.patterns.length - PATTERNS_MAX} more patterns</p>
              )}
            </div>
            <Facts rule={rule} file={file} sums={sums} />
          </div>
        </>
      )}
    </section>
  );
}

/** Patterns of one rule that a page shows. */
const PATTERNS_MAX = 50;

/** Of rules without patterns: data that gate 2 follows, and what models find. */
function NoPattern({ id, sums }: { id: string; sums: RuleSums | undefined }) {
  return (
    <>
      <h1>
        <code>
          <Untrusted text={id} max={120} />
        </code>
      </h1>
      <p>
        This rule has no pattern: gate 2 follows data to find it, a model found it, or it says what
        could not be looked at. Its findings say what comes of it and what mends it.
      </p>
      <Figures id={id} sums={sums} />
    </>
  );
}

function Facts({
  rule,
  file,
  sums,
}: {
  rule: Rule;
  file: ShownRules;
  sums?: RuleSums | undefined;
}) {
  const { id, section, patterns } = rule;
  const [{ cwe, source } = { cwe: undefined, source: '' }] = patterns;
  const { pipeline = {}, components = [] } = file;
  const others = components.filter((one) => one.modes ?? one.block_severities);
  const paths = Object.entries(file.severities ?? {}).findLast(([name]) => names(name, id))?.[1];
  return (
    <aside class="box">
      <dl class="facts">
        <Fact title="Id">
          <code>
            <Untrusted text={id} max={120} />
          </code>
        </Fact>
        <Fact title="Kind">{KINDS[section]}</Fact>
        <Fact title="Mode">{modeOf(id, pipeline.modes)}</Fact>
        {typeof paths === 'object' &&
          Object.entries(paths).map(([path, severity]) => (
            <Fact key={path} title={`Severity in ${path}`}>
              {severity}
            </Fact>
          ))}
        {others.map(({ id: component, modes, block_severities: blocking }) => (
          <Fact key={component} title={`In ${component}`}>
            {modeOf(id, [...(pipeline.modes ?? []), ...(modes ?? [])])}
            {blocking && !blocking.includes(rule.severity) && `, ${rule.severity} blocks nothing`}
          </Fact>
        ))}
        {cwe !== undefined && <Fact title="Class">{cwe}</Fact>}
      </dl>
      <Figures id={id} sums={sums} />
      {abilities.value.has('rules') && (
        <p>
          <a href={pageLink('rules', { rule: id }).replace('#/rules', '#/rules/edit')}>
            Change its severity or mode
          </a>
        </p>
      )}
      <Folded title="Who changed it">{() => <WhoChanged id={id} />}</Folded>
      {source.startsWith('https://') && (
        <p>
          <a href={source} target="_blank" rel="noreferrer">
            Where it comes from
          </a>
        </p>
      )}
    </aside>
  );
}

/** A revision, as `GET rules/revisions` answers. */
interface Revision {
  number: number;
  added_at: string;
  added_by: string;
  comment: string;
}

/** Revisions whose texts are compared, the newest. */
const COMPARED_MAX = 20;

/** The revisions that say something else about a rule than the revision before them. */
function WhoChanged({ id }: { id: string }) {
  const found = useSignal<Revision[] | null>(null);
  const failure = useSignal<Failure | null>(null);
  useEffect(() => {
    const compare = async () => {
      const list = await ask<Revision[]>('rules/revisions');
      if (list.kind !== 'data') return list;
      const newest = list.data.slice(0, COMPARED_MAX + 1);
      const texts: string[] = [];
      for (const { number } of newest) {
        const file = await ask<ShownRules>(`rules/revisions/${number}`);
        if (file.kind !== 'data') return file;
        texts.push(aboutRule(file.data, id));
      }
      const first = aboutRule({}, id);
      found.value = newest
        .slice(0, COMPARED_MAX)
        .filter((_revision, index) => texts[index] !== (texts[index + 1] ?? first));
      return null;
    };
    compare()
      .then((reply) => {
        if (reply?.kind === 'failure') failure.value = reply;
      })
      .catch(() => undefined);
  }, [id]);
  if (failure.value !== null) return <FailureBox failure={failure.value} />;
  if (found.value === null) return <p class="quiet">Comparing the revisions…</p>;
  if (found.value.length === 0) {
    return <p class="quiet">None of the newest {COMPARED_MAX} revisions changed it.</p>;
  }
  return (
    <ul class="history">
      {found.value.map(({ number, added_at, added_by, comment }) => (
        <li key={number}>
          <a href={`#/rules/revisions/${number}`}>Revision {number}</a> by{' '}
          <Untrusted text={added_by} max={120} /> <Time at={added_at} />
          {comment !== '' && (
            <>
              : <Untrusted text={comment} max={300} />
            </>
          )}
        </li>
      ))}
    </ul>
  );
}

/** What a rules file says about a rule, as a text to compare. */
function aboutRule(file: ShownRules, id: string): string {
  const { pipeline = {}, components = [], severities = {}, disabled_rules = [] } = file;
  const modes = (all: readonly Mode[] = []) =>
    all.filter(({ rules }) => rules.some((name) => names(name, id)));
  return JSON.stringify([
    SECTIONS.map((section) =>
      (file[section] ?? []).filter((each) => each.id === id || each.report_as === id),
    ),
    disabled_rules.includes(id),
    Object.entries(severities).filter(([name]) => names(name, id)),
    modes(pipeline.modes),
    components.map((one) => [one.id, modes(one.modes)]).filter(([, own]) => own?.length !== 0),
  ]);
}

function Figures({ id, sums }: { id: string; sums: RuleSums | undefined }) {
  return (
    <>
      <dl class="facts">
        <Fact title={`Changes with it in ${DAYS} days`}>{sums?.hits ?? 'few or none'}</Fact>
        <Fact title="Blocked">{sums?.blocked ?? '–'}</Fact>
        <Fact title="Overridden">
          <Overridden of={sums} />
        </Fact>
        <Fact title="False alarms">
          <FalseAlarms of={sums} />
        </Fact>
      </dl>
      <p>
        <a href={pageLink('queue', { q: `is:any rule:${id}` })}>Changes that hold it</a>
      </p>
      <p>
        <a href={`/cra/docs/rules/${encodeURIComponent(id)}.html`}>In the handbook</a>
      </p>
    </>
  );
}

interface PatternProps {
  pattern: Pattern;
  section: Section;
  isAlone: boolean;
}

function PatternCard({ pattern, section, isAlone }: PatternProps) {
  const { description, message, fix, examples } = pattern;
  const [bad] = examples.match;
  const [good] = examples.noMatch;
  return (
    <section class="box">
      {!isAlone && <h2>{description}</h2>}
      <p>
        <Words text={message} />
      </p>
      {fix !== undefined && (
        <p>
          <strong>Fix:</strong> <Words text={fix} />
        </p>
      )}
      <div class="examples">
        <Example title="It finds" text={bad} kind="removed" />
        <Example title="It does not find" text={good} kind="added" />
      </div>
      <Folded title="Try a text">{() => <Try pattern={pattern} section={section} />}</Folded>
      <Folded title="Try a past change">
        {() => <TryChange pattern={pattern} section={section} />}
      </Folded>
      <Folded title="As JSON">
        {() => <Pre text={JSON.stringify(pattern, null, 2)} max={20_000} />}
      </Folded>
    </section>
  );
}

function Example({ title, text, kind }: { title: string; text: string | undefined; kind: string }) {
  if (text === undefined) return null;
  return (
    <figure>
      <figcaption class="quiet">{title}</figcaption>
      <Pre text={text} max={2_000} kind={kind} />
    </figure>
  );
}

type Tried = 'found' | 'not found' | Failure;

/**
 * Whether a rule finds something in a text: the service tries rules on their own examples before
 * it tries them on anything else, and refuses a rule that misses an example.
 */
async function tryText(
  { pattern, section }: Omit<PatternProps, 'isAlone'>,
  text: string,
  path: string,
) {
  const rule = { ...pattern, examples: { ...pattern.examples, path, match: [text] } };
  const body = { version: 1, allow_empty: true, [section]: [rule] };
  const reply = await ask<unknown>('rules/dry-run?limit=1', { method: 'POST', body });
  if (reply.kind !== 'failure') return 'found';
  return /misses examples\.match\[0\]/.test(reply.error) ? 'not found' : reply;
}

function Try({ pattern, section }: Omit<PatternProps, 'isAlone'>) {
  const text = useSignal(pattern.examples.match[0] ?? '');
  const path = useSignal(pattern.examples.path ?? 'src/example.txt');
  const result = useSignal<Tried | null>(null);
  const isAsking = useSignal(false);
  return (
    <form
      onSubmit={async (event) => {
        event.preventDefault();
        if (isAsking.value) return;
        isAsking.value = true;
        result.value = await tryText({ pattern, section }, text.value, path.value);
        isAsking.value = false;
      }}
    >
      <Field
        title="Text that a change adds"
        rows={5}
        isCode={true}
        value={text.value}
        change={(value) => {
          text.value = value;
          result.value = null;
        }}
      />
      <Field
        title="Path of the file"
        value={path.value}
        change={(value) => {
          path.value = value;
          result.value = null;
        }}
      />
      <Outcome of={result.value} isAsking={isAsking.value} />
    </form>
  );
}

/** Whether a rule, alone, finds something in the change of an RFC that the service still has. */
async function tryChange({ pattern, section }: Omit<PatternProps, 'isAlone'>, rfcId: string) {
  const id = encodeURIComponent(rfcId);
  const rule = pattern.report_as ?? pattern.id;
  const body = { version: 1, allow_empty: true, [section]: [pattern] };
  const [report, rfc] = await Promise.all([
    ask<Trial>(`rules/dry-run?rfc_id=${id}`, { method: 'POST', body }),
    ask<ShownRfc>(`rfc/${id}`),
  ]);
  if (report.kind === 'failure') return report;
  if (rfc.kind === 'failure') return rfc;
  if (report.kind !== 'data' || rfc.kind !== 'data') return null;
  const [change] = report.data.changed;
  if (change === undefined) return 'not tried';
  const was = openFindings(rfc.data).some((finding) => finding.id === rule);
  const isFound = change.new_rules.includes(rule) || (was && !change.gone_rules.includes(rule));
  return isFound ? 'found' : 'not found';
}

/** One RFC, as `POST rules/dry-run` answers. */
interface Trial {
  changed: { new_rules: string[]; gone_rules: string[] }[];
}

function TryChange({ pattern, section }: Omit<PatternProps, 'isAlone'>) {
  const rfcId = useSignal('');
  const result = useSignal<Tried | 'not tried' | null>(null);
  const isAsking = useSignal(false);
  return (
    <form
      onSubmit={async (event) => {
        event.preventDefault();
        const id = rfcId.value.trim();
        if (isAsking.value || id === '') return;
        isAsking.value = true;
        result.value = await tryChange({ pattern, section }, id);
        isAsking.value = false;
      }}
    >
      <Field
        title="RFC"
        placeholder="RFC-…"
        value={rfcId.value}
        change={(value) => {
          rfcId.value = value;
          result.value = null;
        }}
      />
      <Outcome of={result.value} isAsking={isAsking.value} />
    </form>
  );
}

function Outcome({ of, isAsking }: { of: Tried | 'not tried' | null; isAsking: boolean }) {
  return (
    <>
      <p class="actions">
        <button type="submit">{isAsking ? 'Trying…' : 'Try'}</button>
        <span role="status">
          {of === 'found' && <strong class="gate fail">It finds something here.</strong>}
          {of === 'not found' && <strong class="gate pass">It finds nothing here.</strong>}
          {of === 'not tried' && 'Its diff is not kept any more, so nothing was tried.'}
        </span>
      </p>
      {of !== null && typeof of === 'object' && <FailureBox failure={of} />}
    </>
  );
}
