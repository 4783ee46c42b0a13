import { useLoaded } from '../api.ts';
import { dollars } from '../charts.tsx';
import { Answer, Choices, Table, useTitle } from '../lists.tsx';
import { Bar, Empty, Untrusted } from '../parts.tsx';
import { pageLink, route } from '../route.ts';

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
const PERIODS = ['7', '30', '90'] as const;

/** Costs of LLM calls by day and model. */
export function Page() {
  useTitle('Usage');
  const asked = route.value.query.get('days');
  const days = PERIODS.find((each) => each === asked) ?? '30';
  return (
    <section>
      <h1>Usage of LLMs</h1>
      <Choices
        label="Period"
        values={PERIODS}
        current={days}
        link={(each) => pageLink('usage', { days: each })}
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
      {days.length === 0 && (
        <Empty>
          <p>
            No call was logged in this time. Calls of models stand here by day, with their cost.
          </p>
        </Empty>
      )}
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
