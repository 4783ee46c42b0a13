import { useEffect } from 'preact/hooks';
import { useLoaded } from '../loaded.ts';
import { FailureBox } from '../parts.tsx';
import { pageLink, route } from '../route.ts';
import { Untrusted } from '../untrusted.tsx';

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

const DAY_MS = 86_400_000;
const PERIODS = [7, 30, 90] as const;

/** Costs of LLM calls by day and model, and what is left of the budget. */
export function Page() {
  useEffect(() => {
    document.title = 'Usage · cra';
  }, []);
  const days = Number(route.value.query.get('days') ?? 30);
  const since = new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10);
  const { data, failure, reload } = useLoaded<Summary>(`usage/summary?since=${since}`);
  const summary = data.value;
  const highest = Math.max(0, ...(summary?.days ?? []).map(({ cost_usd: cost }) => cost));
  return (
    <section>
      <h1>Usage of LLMs</h1>
      <nav aria-label="Period" class="filters">
        {PERIODS.map((each) => (
          <a
            key={each}
            href={pageLink('usage', { days: String(each) })}
            {...(each === days && { 'aria-current': 'true' as const })}
          >
            {each} days
          </a>
        ))}
      </nav>
      {failure.value !== null && <FailureBox failure={failure.value} retry={reload} />}
      {summary !== null && (
        <p>
          <strong>{dollars(summary.total.cost_usd)}</strong> for {summary.total.calls} calls since{' '}
          {summary.since}: {summary.total.input_tokens} tokens in, {summary.total.output_tokens}{' '}
          out, {summary.total.cache_read_tokens} from caches.
        </p>
      )}
      {summary?.days.length === 0 && <p class="quiet">No call was logged in this time.</p>}
      {summary !== null && summary.days.length > 0 && (
        <table>
          <thead>
            <tr>
              <th scope="col">Day</th>
              <th scope="col">Model</th>
              <th scope="col">Calls</th>
              <th scope="col">Cost</th>
            </tr>
          </thead>
          <tbody>
            {summary.days.toReversed().map(({ date, provider, model, calls, cost_usd: cost }) => (
              <tr key={`${date} ${provider} ${model}`}>
                <td class="number">{date}</td>
                <td>
                  <Untrusted text={`${provider} ${model}`} max={120} />
                </td>
                <td class="number">{calls}</td>
                <td class="number">
                  <meter
                    min={0}
                    max={highest || 1}
                    value={cost}
                    aria-label="Share of the highest"
                  />{' '}
                  {dollars(cost)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

function dollars(amount: number): string {
  return `$${amount.toFixed(amount < 1 ? 4 : 2)}`;
}
