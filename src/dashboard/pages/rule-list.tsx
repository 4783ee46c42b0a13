import { useSignal } from '@preact/signals';
import type { Severity } from '../../model/finding.ts';
import type { Pattern, SeverityMap } from '../../model/rules.ts';
import { useLoaded } from '../api.ts';
import { grouped, percent } from '../charts.tsx';
import { Choices, FilterForm, Table, useTitle } from '../lists.tsx';
import { Empty, SeverityLabel, Untrusted, Words } from '../parts.tsx';
import { pageLink, route, ruleLink } from '../route.ts';
import { worstFirst } from '../row.ts';
import { abilities } from '../session.ts';

/** Sections of a rules file that hold rules, and what these are about. */
export const KINDS = {
  secret_patterns: 'secrets',
  risk_patterns: 'risks',
  vulnerability_patterns: 'vulnerabilities',
} as const;
export type Section = keyof typeof KINDS;
export const SECTIONS = Object.keys(KINDS) as Section[];

export interface Mode {
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
export interface Rule {
  id: string;
  section: Section;
  severity: Severity;
  title: string;
  patterns: readonly Pattern[];
}

/** What a rule did in this time (`GET stats`). */
export interface RuleSums {
  rule: string;
  hits: number;
  blocked: number;
  overridden: number;
  decided: number;
  false_alarms: number;
}

export const DAYS = 90;
const DAY_MS = 86_400_000;

/** What the rules did of late, by their ids: the most frequent ones. */
export function useSums(): ReadonlyMap<string, RuleSums> {
  const since = new Date(Date.now() - DAYS * DAY_MS).toISOString().slice(0, 10);
  const stats = useLoaded<{ rules: RuleSums[] }>(`stats?since=${since}`);
  return new Map(stats.data.value?.rules.map((one) => [one.rule, one]));
}

/** The rules of a file by the ids that findings have, each with all of its patterns. */
export function rulesOf(file: ShownRules): Rule[] {
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
export function modeOf(id: string, modes: readonly Mode[] = []): string {
  const last = modes.findLast(({ rules }) => rules.some((rule) => names(rule, id)));
  const { mode = 'block', branches } = last ?? {};
  return branches === undefined ? mode : `${mode} on ${branches.join(', ')}`;
}

/** Whether an entry of the rules names a rule: by its id, or by how ids begin (`risk-*`). */
export function names(entry: string, id: string): boolean {
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
        {grouped(found.length)} rules; what they found in {DAYS} days, and what people made of it.
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
export function Overridden({ of }: { of: RuleSums | undefined }) {
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
export function FalseAlarms({ of }: { of: RuleSums | undefined }) {
  if (of === undefined || of.false_alarms === 0) return <span class="quiet">–</span>;
  return <>{of.false_alarms}</>;
}
