import { useEffect } from 'preact/hooks';
import { useLoaded } from '../loaded.ts';
import { FailureBox } from '../parts.tsx';
import { pageLink, route, searchOf } from '../route.ts';
import { Untrusted } from '../untrusted.tsx';

/** Sums over days (`GET stats`). Times are seconds. */
interface Stats {
  days: {
    date: string;
    passed: number;
    blocked: number;
    overridden: number;
    rejected: number;
    decide_p50_seconds: number | null;
    decide_p95_seconds: number | null;
  }[];
  rules: { id: string; hits: number; blocked: number; overridden: number; suppressed: number }[];
}

const DAY_MS = 86_400_000;
const PERIODS = [7, 30, 90] as const;

/** How often the gates block, how fast people decide, and which rules are noise. */
export function Page() {
  useEffect(() => {
    document.title = 'Trends · cra';
  }, []);
  const { query } = route.value;
  const days = Number(query.get('days') ?? 30);
  const repo = query.get('repo') ?? '';
  const since = new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10);
  const { data, failure, reload } = useLoaded<Stats>(`stats?${searchOf({ since, repo })}`);
  const stats = data.value;
  return (
    <section>
      <h1>Trends</h1>
      <nav aria-label="Period" class="filters">
        {PERIODS.map((each) => (
          <a
            key={each}
            href={pageLink('trends', { days: String(each), repo })}
            {...(each === days && { 'aria-current': 'true' as const })}
          >
            {each} days
          </a>
        ))}
      </nav>
      {failure.value !== null && <FailureBox failure={failure.value} retry={reload} />}
      {stats === null && failure.value === null && <p class="quiet late">Loading…</p>}
      {stats?.days.length === 0 && <p>Nothing was analyzed in this time.</p>}
      {stats !== null && stats.days.length > 0 && (
        <>
          <Rules rules={stats.rules} />
          <Days days={stats.days} />
        </>
      )}
    </section>
  );
}

/** A rule that people override again and again is noise, and a candidate to be tuned. */
function Rules({ rules }: Pick<Stats, 'rules'>) {
  return (
    <>
      <h2>Rules that block</h2>
      <table>
        <thead>
          <tr>
            <th scope="col">Rule</th>
            <th scope="col">Findings</th>
            <th scope="col">Blocked</th>
            <th scope="col">Overridden</th>
            <th scope="col">Suppressed</th>
            <th scope="col">Overridden share</th>
          </tr>
        </thead>
        <tbody>
          {rules.map(({ id, hits, blocked, overridden, suppressed }) => (
            <tr key={id}>
              <th scope="row">
                <code>
                  <Untrusted text={id} max={120} />
                </code>
              </th>
              <td class="number">{hits}</td>
              <td class="number">{blocked}</td>
              <td class="number">{overridden}</td>
              <td class="number">{suppressed}</td>
              <td class="number">
                {blocked > 0 && (
                  <>
                    <meter min={0} max={1} value={overridden / blocked} aria-label="Share" />{' '}
                    {Math.round((100 * overridden) / blocked)} %
                  </>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}

function Days({ days }: Pick<Stats, 'days'>) {
  const most = Math.max(1, ...days.map(({ passed, blocked }) => passed + blocked));
  return (
    <>
      <h2>Days (UTC)</h2>
      <table>
        <thead>
          <tr>
            <th scope="col">Day</th>
            <th scope="col">Changes</th>
            <th scope="col">Blocked</th>
            <th scope="col">Overridden</th>
            <th scope="col">Rejected</th>
            <th scope="col">Time to decide: half within, 95 % within</th>
          </tr>
        </thead>
        <tbody>
          {days.toReversed().map((day) => (
            <tr key={day.date}>
              <th scope="row" class="number">
                {day.date}
              </th>
              <td class="number">
                <meter min={0} max={most} value={day.passed + day.blocked} aria-label="Changes" />{' '}
                {day.passed + day.blocked}
              </td>
              <td class="number">{day.blocked}</td>
              <td class="number">{day.overridden}</td>
              <td class="number">{day.rejected}</td>
              <td class="number">
                {duration(day.decide_p50_seconds)}, {duration(day.decide_p95_seconds)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}

function duration(seconds: number | null): string {
  if (seconds === null) return '–';
  if (seconds < 90) return `${Math.round(seconds)} s`;
  if (seconds < 5_400) return `${Math.round(seconds / 60)} min`;
  return seconds < 172_800
    ? `${Math.round(seconds / 3_600)} h`
    : `${Math.round(seconds / 86_400)} d`;
}
