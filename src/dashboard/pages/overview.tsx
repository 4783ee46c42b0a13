import type { ComponentChildren } from 'preact';
import { useLoaded } from '../api.ts';
import {
  Chart,
  dollars,
  duration,
  durationAxis,
  grouped,
  percent,
  type Series,
  Tile,
} from '../charts.tsx';
import { Answer, Choices, FilterForm, REPOSITORY_FIELD, Table, useTitle } from '../lists.tsx';
import { Bar, Empty, Folded, Pre, Time, Untrusted } from '../parts.tsx';
import { pageLink, route, ruleLink, searchOf } from '../route.ts';
import { counted, pulse } from '../session.ts';
import { Deploys } from './deploys.tsx';
import { Score } from './score.tsx';

interface Counts {
  passed: number;
  blocked: number;
  carried: number;
  overridden: number;
  approved: number;
  rejected: number;
  secrets: number;
  llm_findings: number;
  false_alarms: number;
}

interface Waits {
  p50: number | null;
  p90: number | null;
}

interface RuleSums {
  rule: string;
  /** RFCs that hold it, that it blocked, and that people decided about. */
  hits: number;
  blocked: number;
  suppressed: number;
  overridden: number;
  decided: number;
  /** RFCs in which people marked a finding of it as a false alarm. */
  false_alarms: number;
  /** `overridden / decided`; null: nobody has decided. */
  noise: number | null;
}

interface ComponentSums {
  component: string;
  blocked: number;
  passed: number;
  days: { date: string; blocked: number; passed: number }[];
}

/** Sums of RFCs and decisions since a day (`GET stats`). */
interface Stats {
  since: string;
  until: string;
  by: Step;
  repo: string | null;
  /** Days or weeks with changes or decisions, the oldest first. */
  days: (Counts & { date: string; decision_seconds: Waits })[];
  totals: Counts;
  decision_seconds: Waits;
  rules: RuleSums[];
  rules_total: number;
  components: ComponentSums[];
  repositories: { repo: string; blocked: number }[];
  /** Null: it is not known of one repository. */
  llm: {
    calls: number;
    cost_usd: number;
    days: { date: string; calls: number; cost_usd: number }[];
  } | null;
  coverage: { covered: number; gap: number; unknown: number };
  /** False while RFCs of an older version are still being counted. */
  complete: boolean;
}

const DAY_MS = 86_400_000;
const PERIODS = ['7', '30', '90', '365'] as const;
const STEPS = ['day', 'week'] as const;
type Step = (typeof STEPS)[number];

/** How the service does: what the gates say, and what people make of it. */
export function Page() {
  useTitle('Overview');
  const { query } = route.value;
  const days = PERIODS.find((each) => each === query.get('days')) ?? '30';
  const by = STEPS.find((each) => each === query.get('by')) ?? (Number(days) > 31 ? 'week' : 'day');
  const asked = { days, by, repo: query.get('repo') ?? '' };
  const filters = { ...asked, component: query.get('component') ?? '' };
  return (
    <section>
      <header class="page-head">
        <h1>Overview</h1>
        <FilterForm page="overview" filters={filters} fields={REPOSITORY_FIELD}>
          <Choices
            label="Period"
            values={PERIODS}
            current={days}
            link={(each) => pageLink('overview', { ...filters, by: '', days: each })}
            text={(each) => `${each} days`}
          />
          <Choices
            label="Step"
            values={STEPS}
            current={by}
            link={(each) => pageLink('overview', { ...filters, by: each })}
            text={(each) => `by ${each}`}
          />
        </FilterForm>
      </header>
      <Figures key={searchOf(asked)} {...asked} />
    </section>
  );
}

function Figures({ days, by, repo }: { days: string; by: Step; repo: string }) {
  const since = new Date(Date.now() - (Number(days) - 1) * DAY_MS).toISOString().slice(0, 10);
  const stats = useLoaded<Stats>(`stats?${searchOf({ since, by, repo })}`);
  return <Answer of={stats}>{(data) => <Shown stats={data} />}</Answer>;
}

function Shown({ stats }: { stats: Stats }) {
  const { totals, complete } = stats;
  const isEmpty = judgedOf(totals) + totals.overridden + totals.approved + totals.rejected === 0;
  return (
    <>
      {!complete && (
        <p class="box warning" role="status">
          Changes from before an upgrade are still being counted: the figures will rise.
        </p>
      )}
      <Tiles stats={stats} />
      {isEmpty && (
        <Empty>
          <p>Nothing was analyzed or decided in this time. Submit a change:</p>
          <Pre text={`cra analyze --range HEAD~1..HEAD --server ${location.origin}`} />
        </Empty>
      )}
      {!isEmpty && <Charts stats={stats} />}
      <Deploys {...deploysOf(stats)} />
      <Score />
    </>
  );
}

/** Deploys of the same time and steps as the charts. */
function deploysOf({ since, until, by, repo }: Stats) {
  const dates = datesFrom(since, until, by);
  return {
    repo: repo ?? '',
    days: Math.round((Date.parse(until) - Date.parse(since)) / DAY_MS) + 1,
    dates,
    labels: labelsOf(dates, by),
    dateOf: by === 'day' ? (day: string) => day : mondayOf,
  };
}

function labelsOf(dates: readonly string[], by: Step): string[] {
  return dates.map(by === 'day' ? dayName : (date) => `week of ${dayName(date)}`);
}

function judgedOf({ passed, carried, blocked }: Counts): number {
  return passed + carried + blocked;
}

/** What somebody looks at first. */
function Tiles({ stats }: { stats: Stats }) {
  const { totals, decision_seconds: waits, llm, coverage } = stats;
  const now = pulse.value;
  const judged = judgedOf(totals);
  const decided = totals.overridden + totals.rejected;
  const repositories = coverage.covered + coverage.gap + coverage.unknown;
  return (
    <dl class="tiles">
      {now !== null && (
        <Tile title="Blocked now" value={<a href={pageLink('queue')}>{counted(now, 'BLOCKED')}</a>}>
          {now.oldest_blocked_at === null ? (
            'nothing waits for a decision'
          ) : (
            <>
              the oldest <Time at={now.oldest_blocked_at} />
            </>
          )}
        </Tile>
      )}
      {now !== null && now.pushes_waiting !== null && (
        <Tile title="Pushes in the queue" value={now.pushes_waiting}>
          {now.pushes_waiting === 0 ? 'every push is judged' : 'wait for their verdict'}
        </Tile>
      )}
      <Tile title="Blocked share" value={judged === 0 ? '–' : percent(totals.blocked / judged)}>
        {grouped(totals.blocked)} of {grouped(judged)} changes
      </Tile>
      <Tile title="Time to decide" value={waits.p50 === null ? '–' : duration(waits.p50)}>
        {waits.p90 === null ? 'nothing was decided' : `90 % within ${duration(waits.p90)}`}
      </Tile>
      <Tile title="Overridden" value={decided === 0 ? '–' : percent(totals.overridden / decided)}>
        {grouped(totals.overridden)} of {grouped(decided)}; false alarms:{' '}
        {grouped(totals.false_alarms)}
      </Tile>
      <Tile title="Secrets found" value={grouped(totals.secrets)}>
        in changes, by rule
      </Tile>
      {llm !== null && (
        <Tile title="LLM review" value={dollars(llm.cost_usd)}>
          {llm.calls} calls, {totals.llm_findings} findings
        </Tile>
      )}
      {repositories > 0 && (
        <Tile title="Repositories covered" value={`${coverage.covered} of ${repositories}`}>
          <a href="#/coverage">
            {coverage.gap === 0 ? 'no gap is known' : `${coverage.gap} with a gap`}
          </a>
        </Tile>
      )}
    </dl>
  );
}

function Charts({ stats }: { stats: Stats }) {
  const { since, until, by, days, decision_seconds: waits, llm, repo } = stats;
  const dates = datesFrom(since, until, by);
  const labels = labelsOf(dates, by);
  const byDate = new Map(days.map((day) => [day.date, day]));
  const each = <T,>(read: (day: Stats['days'][number]) => T) =>
    dates.map((date) => {
      const day = byDate.get(date);
      return day === undefined ? null : read(day);
    });
  const share = each((day) => (judgedOf(day) === 0 ? null : day.blocked / judgedOf(day)));
  const costs = costsBy(llm?.days ?? [], by);
  const verdicts: Series[] = [
    { name: 'blocked', tone: 'bad', values: each(({ blocked }) => blocked) },
    { name: 'carried', tone: 'note', values: each(({ carried }) => carried) },
    { name: 'passed', tone: 'good', values: each(({ passed }) => passed) },
  ];
  const common = { labels, empty: 'Nothing in this time.' };
  // Of the three columns below the first row none stays empty.
  const hasComponents = stats.components.length > 0;
  const cards = [true, true, llm !== null, hasComponents, true, repo === null, hasComponents];
  const isNoiseWide = cards.filter(Boolean).length % 3 === 2;
  return (
    <div class="charts">
      <Chart title="Verdicts" kind="columns" {...common} series={verdicts} isWide={true}>
        Changes by {by}; carried ones are covered by the decision about another change.
      </Chart>
      <Chart
        title="Blocked share"
        kind="lines"
        {...common}
        series={[{ name: 'blocked share', tone: 'bad', values: share }]}
        format={percent}
      >
        Of the changes that were judged.
      </Chart>
      <Chart
        title="Time to decide"
        kind="lines"
        {...common}
        empty="No BLOCKED change was decided in this time."
        series={[
          { name: 'half within', tone: 'note', values: each((day) => day.decision_seconds.p50) },
          { name: '90 % within', tone: 'warn', values: each((day) => day.decision_seconds.p90) },
        ]}
        format={duration}
        axis={durationAxis(
          Math.max(waits.p90 ?? 0, ...each((d) => d.decision_seconds.p90 ?? 0).map(Number)),
        )}
      >
        From BLOCKED to the first decision.
      </Chart>
      <Chart
        title="Secrets found"
        kind="columns"
        {...common}
        empty="No secret was found in this time."
        series={[{ name: 'secrets', tone: 'warn', values: each(({ secrets }) => secrets) }]}
      >
        Changes with a secret, counted once for each rule.
      </Chart>
      {llm !== null && (
        <Chart
          title="LLM cost"
          kind="columns"
          {...common}
          empty="No call of a model was logged in this time."
          series={[
            { name: 'cost', tone: 'note', values: dates.map((date) => costs.get(date) ?? 0) },
          ]}
          format={dollars}
        >
          {stats.totals.llm_findings} findings for {dollars(llm.cost_usd)}.{' '}
          <a href="#/usage">By model</a>
        </Chart>
      )}
      {hasComponents && <OfComponent all={stats.components} dates={dates} {...common} />}
      <Noise stats={stats} isWide={isNoiseWide} />
      {repo === null && (
        <Ranked title="Repositories" empty="No change was blocked." rows={stats.repositories}>
          {({ repo: name }) => <SearchLink of="repo" value={name} />}
        </Ranked>
      )}
      {hasComponents && (
        <Ranked
          title="Components"
          empty=""
          rows={stats.components}
          note="Passed ones count in RFCs that a version after 1.0.0 has written."
        >
          {({ component }) => <SearchLink of="component" value={component} />}
        </Ranked>
      )}
    </div>
  );
}

/** The verdicts of one component: that of the address, or the one with most blocked changes. */
function OfComponent(props: {
  all: readonly ComponentSums[];
  dates: readonly string[];
  labels: readonly string[];
  empty: string;
}) {
  const { all, dates, ...common } = props;
  const { query } = route.value;
  const asked = query.get('component');
  const found = all.find(({ component }) => component === asked);
  const shown = found ?? all[0];
  const days = new Map(shown?.days.map((day) => [day.date, day]));
  const valuesOf = (outcome: 'blocked' | 'passed') =>
    dates.map((date) => days.get(date)?.[outcome] ?? null);
  return (
    <Chart
      title="Verdicts by component"
      kind="columns"
      {...common}
      series={[
        { name: 'blocked', tone: 'bad', values: valuesOf('blocked') },
        { name: 'passed', tone: 'good', values: valuesOf('passed') },
      ]}
    >
      Changes of{' '}
      <select
        aria-label="Component"
        value={shown?.component ?? ''}
        onChange={({ currentTarget }) => {
          const next = { ...Object.fromEntries(query), component: currentTarget.value };
          location.hash = pageLink('overview', next);
        }}
      >
        {all.map(({ component }) => (
          <option key={component}>{component}</option>
        ))}
      </select>
      {asked !== null && found === undefined && (
        <>
          ; <Untrusted text={asked} max={120} /> is not among the {all.length} components with most
          blocked changes
        </>
      )}
    </Chart>
  );
}

/** To the changes that a term of the search finds. */
function SearchLink({ of, value }: { of: 'repo' | 'component'; value: string }) {
  return (
    <a href={pageLink('queue', { q: `is:any ${of}:${value}` })}>
      <Untrusted text={value} max={120} />
    </a>
  );
}

/** Rows of one card; the table below has all. */
const RANKED_MAX = 7;

/** The places with most blocked changes. */
function Ranked<T extends { blocked: number; passed?: number }>(props: {
  title: string;
  empty: string;
  rows: readonly T[];
  note?: string;
  children: (row: T) => ComponentChildren;
}) {
  const { title, empty, rows, note, children } = props;
  const shown = rows.slice(0, RANKED_MAX);
  const more = rows.slice(RANKED_MAX);
  const most = rows[0]?.blocked ?? 0;
  const table = (some: readonly T[]) => (
    <Table columns={['', 'Blocked changes']} kind="ranked">
      {some.map((row, at) => (
        <tr key={at}>
          <th scope="row">{children(row)}</th>
          <td class="number">
            <Bar value={row.blocked} most={most} /> {row.blocked}
            {row.passed !== undefined && ` of ${row.blocked + row.passed}`}
          </td>
        </tr>
      ))}
    </Table>
  );
  return (
    <section class="box chart">
      <h2>{title}</h2>
      <p class="quiet">With most blocked changes. {note}</p>
      {rows.length === 0 ? <p class="nothing quiet">{empty}</p> : table(shown)}
      {more.length > 0 && <Folded title={`${more.length} more`}>{() => table(more)}</Folded>}
    </section>
  );
}

/** Which rules people overrule: what they let pass nearly always costs more than it saves. */
function Noise(props: { stats: Stats; isWide: boolean }) {
  const { rules, rules_total: total } = props.stats;
  // An RFC that was overridden and has a false alarm counts twice, as in the order of the service.
  const overruled = (one: RuleSums) => one.overridden + one.false_alarms;
  const loudest = rules.toSorted(
    (one, other) =>
      overruled(other) - overruled(one) || other.blocked - one.blocked || other.hits - one.hits,
  );
  return (
    <section class={props.isWide ? 'box chart wide' : 'box chart'}>
      <h2>Noisiest rules</h2>
      <p class="quiet">Blocks that a person let pass, and findings marked as false alarms.</p>
      {rules.length === 0 ? (
        <p class="nothing quiet">No rule found anything.</p>
      ) : (
        <>
          <Table columns={['Rule', 'Overridden, false alarms']} kind="ranked">
            {loudest
              .slice(0, RANKED_MAX)
              .map(({ rule, overridden, decided, noise, false_alarms: alarms }) => (
                <tr key={rule}>
                  <th scope="row">
                    <a href={ruleLink(rule)}>
                      <Untrusted text={rule} max={120} />
                    </a>
                  </th>
                  <td class="number">
                    {noise === null ? (
                      <span class="quiet">no decision</span>
                    ) : (
                      <>
                        <Bar value={noise} most={1} kind="alarm" /> {overridden} of {decided}
                      </>
                    )}
                    {alarms > 0 && `, ${alarms} false`}
                  </td>
                </tr>
              ))}
          </Table>
          <Folded title={total > rules.length ? `${rules.length} of ${total} rules` : 'All rules'}>
            {() => <RuleTable rules={loudest} />}
          </Folded>
        </>
      )}
    </section>
  );
}

function RuleTable({ rules }: { rules: readonly RuleSums[] }) {
  return (
    <Table
      columns={['Rule', 'Overridden', 'Decided', 'False alarms', 'Blocked', 'Suppressed', 'Found']}
      kind="figures"
    >
      {rules.map(({ rule, hits, blocked, suppressed, overridden, decided, false_alarms }) => (
        <tr key={rule}>
          <th scope="row">
            <code>
              <Untrusted text={rule} max={120} />
            </code>
          </th>
          {Object.entries({
            Overridden: overridden,
            Decided: decided,
            'False alarms': false_alarms,
            Blocked: blocked,
            Suppressed: suppressed,
            Found: hits,
          }).map(([title, value]) => (
            <td key={title} class="number" data-title={title}>
              {value}
            </td>
          ))}
        </tr>
      ))}
    </Table>
  );
}

/** All days, or the Mondays of all weeks, from one day to another. */
function datesFrom(since: string, until: string, by: Step): string[] {
  const days = by === 'day' ? 1 : 7;
  const first = Date.parse(by === 'day' ? since : mondayOf(since));
  const count = Math.floor((Date.parse(until) - first) / (days * DAY_MS)) + 1;
  return Array.from({ length: Math.max(1, Math.min(count, DATES_MAX)) }, (_, at) =>
    new Date(first + at * days * DAY_MS).toISOString().slice(0, 10),
  );
}

/** The service keeps no more days. */
const DATES_MAX = 400;

function mondayOf(day: string): string {
  const ms = Date.parse(day);
  const since = (new Date(ms).getUTCDay() + 6) % 7;
  return new Date(ms - since * DAY_MS).toISOString().slice(0, 10);
}

function costsBy(days: readonly { date: string; cost_usd: number }[], by: Step) {
  const costs = new Map<string, number>();
  for (const { date, cost_usd: cost } of days) {
    const key = by === 'day' ? date : mondayOf(date);
    costs.set(key, (costs.get(key) ?? 0) + cost);
  }
  return costs;
}

const DAY_NAME = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short', timeZone: 'UTC' });

function dayName(date: string): string {
  return DAY_NAME.format(Date.parse(date));
}
