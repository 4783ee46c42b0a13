import { useLoaded } from '../api.ts';
import { Answer, Choices, FilterForm, REPOSITORY_FIELD, Table, useTitle } from '../lists.tsx';
import { Bar, Untrusted } from '../parts.tsx';
import { route, searchOf } from '../route.ts';

interface Counts {
  passed: number;
  blocked: number;
  carried: number;
  overridden: number;
  approved: number;
  rejected: number;
}

/** Sums of RFCs and decisions since a day (`GET stats`). */
interface Stats {
  since: string;
  until: string;
  /** Days with changes or decisions, the oldest first. */
  days: (Counts & { date: string })[];
  totals: Counts;
  decision_seconds: { p50: number | null; p95: number | null };
  rules: {
    rule: string;
    /** RFCs that hold it, that it blocked, and that people decided about. */
    hits: number;
    blocked: number;
    suppressed: number;
    overridden: number;
    decided: number;
    /** `overridden / decided`; null: nobody has decided. */
    noise: number | null;
  }[];
  rules_total: number;
  /** False while RFCs of an older version are still being counted. */
  complete: boolean;
}

const DAY_MS = 86_400_000;
const PERIODS = ['7', '30', '90', '365'] as const;

/** What the gates say and what people make of it: noise by rule, and the time to decide. */
export function Page() {
  useTitle('Trends');
  const { query } = route.value;
  const days = PERIODS.find((each) => each === query.get('days')) ?? '30';
  const filters = { days, repo: query.get('repo') ?? '' };
  return (
    <section>
      <h1>Trends</h1>
      <FilterForm page="trends" filters={filters} fields={REPOSITORY_FIELD}>
        <Choices
          page="trends"
          label="Period"
          filters={filters}
          name="days"
          values={PERIODS}
          text={(each) => `${each} days`}
        />
      </FilterForm>
      <Figures key={searchOf(filters)} {...filters} />
    </section>
  );
}

function Figures({ days, repo }: { days: string; repo: string }) {
  const since = new Date(Date.now() - (Number(days) - 1) * DAY_MS).toISOString().slice(0, 10);
  const stats = useLoaded<Stats>(`stats?${searchOf({ since, repo })}`);
  return <Answer of={stats}>{(data) => <Shown stats={data} />}</Answer>;
}

function Shown({ stats }: { stats: Stats }) {
  const { totals, complete } = stats;
  const judged = totals.passed + totals.blocked + totals.carried;
  const decided = totals.overridden + totals.approved + totals.rejected;
  return (
    <>
      {!complete && (
        <p class="box warning" role="status">
          Changes from before an upgrade are still being counted: the figures will rise.
        </p>
      )}
      {judged + decided === 0 ? (
        <p>Nothing was analyzed or decided in this time.</p>
      ) : (
        <>
          <Noise stats={stats} />
          <TimeToDecide stats={stats} />
          <Days stats={stats} />
        </>
      )}
    </>
  );
}

/** Which rules people overrule: what they let pass nearly always costs more than it saves. */
function Noise({ stats: { rules, rules_total: total } }: { stats: Stats }) {
  const loudest = rules.toSorted(
    (one, other) => (other.noise ?? -1) - (one.noise ?? -1) || other.decided - one.decided,
  );
  return (
    <section>
      <h2>Noise by rule</h2>
      <p class="quiet">
        Of the changes that a rule blocked and somebody decided about, the share that was let pass.
        {total > rules.length && ` The ${rules.length} most frequent of ${total} rules.`}
      </p>
      {rules.length === 0 ? (
        <p>No rule found anything.</p>
      ) : (
        <Table
          columns={['Rule', 'Noise', 'Overridden', 'Decided', 'Blocked', 'Suppressed', 'Found']}
          kind="figures"
        >
          {loudest.map(({ rule, hits, blocked, suppressed, overridden, decided, noise }) => (
            <tr key={rule}>
              <th scope="row">
                <code>
                  <Untrusted text={rule} max={120} />
                </code>
              </th>
              <td>
                {noise === null ? (
                  <span class="quiet">no decision</span>
                ) : (
                  <>
                    <Bar value={noise} most={1} /> {Math.round(noise * 100)} %
                  </>
                )}
              </td>
              <Numbers
                of={{
                  Overridden: overridden,
                  Decided: decided,
                  Blocked: blocked,
                  Suppressed: suppressed,
                  Found: hits,
                }}
              />
            </tr>
          ))}
        </Table>
      )}
    </section>
  );
}

function TimeToDecide({ stats: { totals, decision_seconds: seconds } }: { stats: Stats }) {
  const { p50, p95 } = seconds;
  const most = p95 ?? 0;
  return (
    <section>
      <h2>Time to decide</h2>
      {p50 === null || p95 === null ? (
        <p>No BLOCKED change was decided in this time.</p>
      ) : (
        <Table
          columns={['Of the changes', 'From BLOCKED to the first decision, at most']}
          kind="figures"
        >
          {[['half', p50] as const, ['95 %', p95] as const].map(([name, value]) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>
                <Bar value={value} most={most} /> {duration(value)}
              </td>
            </tr>
          ))}
        </Table>
      )}
      <p class="quiet">
        {totals.overridden} overridden, {totals.approved} approved, {totals.rejected} rejected,{' '}
        {totals.carried} covered by the decision about another change.
      </p>
    </section>
  );
}

/** `40 s`, `12 min`, `5.2 h`, `3.1 days`. */
function duration(seconds: number): string {
  if (seconds < 90) return `${Math.round(seconds)} s`;
  if (seconds < 5_400) return `${Math.round(seconds / 60)} min`;
  if (seconds < 2 * 86_400) return `${(seconds / 3_600).toFixed(1)} h`;
  return `${(seconds / 86_400).toFixed(1)} days`;
}

/** Verdicts by day, as a chart and, for who cannot see it or wants the numbers, as a table. */
function Days({ stats: { since, until, days } }: { stats: Stats }) {
  const byDate = new Map(days.map((day) => [day.date, day]));
  const dates = datesFrom(since, until);
  const most = Math.max(
    1,
    ...days.map(({ passed, blocked, carried }) => passed + blocked + carried),
  );
  const step = 100 / dates.length;
  return (
    <section>
      <h2>Verdicts by day</h2>
      <svg
        class="days bar-chart"
        viewBox="0 0 100 40"
        preserveAspectRatio="none"
        role="img"
        aria-label={`Verdicts by day from ${since} to ${until}, at most ${most} a day; the table has the numbers`}
      >
        {dates.map((date, index) => {
          const { blocked = 0, passed = 0, carried = 0 } = byDate.get(date) ?? {};
          const height = (count: number) => (40 * count) / most;
          const fine = height(passed + carried);
          return (
            <g key={date}>
              <rect class="fine" x={index * step} y={40 - fine} width={step * 0.8} height={fine} />
              <rect
                class="bad"
                x={index * step}
                y={40 - fine - height(blocked)}
                width={step * 0.8}
                height={height(blocked)}
              />
            </g>
          );
        })}
      </svg>
      <p class="quiet">
        {since} to {until}, at most {most} a day: blocked above, passed or carried below.
      </p>
      <Table
        columns={['Day', 'Passed', 'Carried', 'Blocked', 'Overridden', 'Approved', 'Rejected']}
        kind="figures"
      >
        {days.toReversed().map((day) => (
          <tr key={day.date}>
            <th scope="row">{day.date}</th>
            <Numbers
              of={{
                Passed: day.passed,
                Carried: day.carried,
                Blocked: day.blocked,
                Overridden: day.overridden,
                Approved: day.approved,
                Rejected: day.rejected,
              }}
            />
          </tr>
        ))}
      </Table>
    </section>
  );
}

/** Cells with their titles, which a narrow page shows before them. */
function Numbers({ of }: { of: Readonly<Record<string, number>> }) {
  return (
    <>
      {Object.entries(of).map(([title, value]) => (
        <td key={title} class="number" data-title={title}>
          {value}
        </td>
      ))}
    </>
  );
}

/** All days from one to another. */
function datesFrom(since: string, until: string): string[] {
  const first = Date.parse(since);
  const count = Math.max(1, Math.round((Date.parse(until) - first) / DAY_MS) + 1);
  return Array.from({ length: Math.min(count, 400) }, (_, day) =>
    new Date(first + day * DAY_MS).toISOString().slice(0, 10),
  );
}

interface Sums {
  calls: number;
  input_tokens: number;
  output_tokens: number;
  cache_read_tokens: number;
  cost_usd: number;
}

interface Summary {
  since: string;
  days: (Sums & { date: string; provider: string; model: string })[];
  total: Sums;
}

const USAGE_PERIODS = ['7', '30', '90'] as const;

/** Costs of LLM calls by day and model. */
export function UsagePage() {
  useTitle('Usage');
  const asked = route.value.query.get('days');
  const days = USAGE_PERIODS.find((each) => each === asked) ?? '30';
  return (
    <section>
      <h1>Usage of LLMs</h1>
      <Choices
        page="usage"
        label="Period"
        filters={{ days }}
        name="days"
        values={USAGE_PERIODS}
        text={(each) => `${each} days`}
      />
      <Costs key={days} days={Number(days)} />
    </section>
  );
}

function Costs({ days }: { days: number }) {
  const since = new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10);
  const summary = useLoaded<Summary>(`usage/summary?since=${since}`);
  return <Answer of={summary}>{(data) => <CostTable {...data} />}</Answer>;
}

function CostTable({ since, days, total }: Summary) {
  const highest = Math.max(0, ...days.map(({ cost_usd: cost }) => cost));
  return (
    <>
      <p>
        <strong>{dollars(total.cost_usd)}</strong> for {total.calls} calls since {since}:{' '}
        {total.input_tokens} tokens in, {total.output_tokens} out, {total.cache_read_tokens} from
        caches.
      </p>
      {days.length === 0 && <p class="quiet">No call was logged in this time.</p>}
      {days.length > 0 && (
        <Table columns={['Day', 'Model', 'Calls', 'Cost']}>
          {days.toReversed().map(({ date, provider, model, calls, cost_usd: cost }) => (
            <tr key={`${date} ${provider} ${model}`}>
              <td class="number">{date}</td>
              <td>
                <Untrusted text={`${provider} ${model}`} max={120} />
              </td>
              <td class="number">{calls}</td>
              <td class="number">
                <Bar value={cost} most={highest} /> {dollars(cost)}
              </td>
            </tr>
          ))}
        </Table>
      )}
    </>
  );
}

function dollars(amount: number): string {
  return `$${amount.toFixed(amount < 1 ? 4 : 2)}`;
}
