import type { UsageRecord, UsageSums } from '../../../src/model/usage.ts';
import { type Check, NOW } from './steps.ts';

const HOUR_MS = 3_600_000;

function record(index: number, fields: Partial<UsageRecord> = {}): UsageRecord {
  return {
    usage_id: `U-${index}`,
    tenant_id: 'default',
    at_ms: NOW - index * 7_123_457,
    provider: index % 2 === 0 ? 'one' : 'two',
    model: `m${index % 3}`,
    input_tokens: index,
    output_tokens: 2 * index,
    cache_creation_tokens: index % 5,
    cache_read_tokens: index % 7,
    cost_nano_usd: 1_000_000_007 * index,
    context: index % 2 === 0 ? null : 'a review',
    logged_by: 'somebody',
    source: 'api',
    ...fields,
  };
}

/** The same sums, by adding up. */
function sums(records: readonly UsageRecord[]): UsageSums {
  const total = (
    field: 'input_tokens' | 'output_tokens' | 'cache_creation_tokens' | 'cache_read_tokens',
  ) => records.reduce((sum, one) => sum + one[field], 0);
  return {
    calls: records.length,
    input_tokens: total('input_tokens'),
    output_tokens: total('output_tokens'),
    cache_creation_tokens: total('cache_creation_tokens'),
    cache_read_tokens: total('cache_read_tokens'),
    cost_nano_usd: String(records.reduce((sum, one) => sum + BigInt(one.cost_nano_usd), 0n)),
  };
}

/** The ledger of LLM calls. */
export function checkUsage(check: Check): void {
  check('usage sums are exact to the millisecond at both edges of hours', async (t, { usage }) => {
    const records = Array.from({ length: 60 }, (_, index) => record(index));
    await Promise.all(records.map((one) => usage.logUsage({ record: one })));
    await usage.logUsage({ record: record(1000, { tenant_id: 'other' }) });
    const edges = records.flatMap(({ at_ms }) => [at_ms - 1, at_ms, at_ms + 1]);
    const hours = [NOW - HOUR_MS, NOW - 24 * HOUR_MS, Math.floor(NOW / HOUR_MS) * HOUR_MS, 0];
    for (const sinceMs of [...edges, ...hours]) {
      const expected = sums(records.filter(({ at_ms }) => at_ms >= sinceMs));
      t.deepEqual(await usage.usageTotal({ tenant_id: 'default', sinceMs }), expected);
    }
  });

  check('usage is summed by day, provider and model', async (t, { usage }) => {
    const records = Array.from({ length: 60 }, (_, index) => record(index));
    await Promise.all(records.map((one) => usage.logUsage({ record: one })));
    const sinceMs = NOW - 2 * 24 * HOUR_MS - 12 * HOUR_MS;
    const ask = (limit: number) => usage.usageDays({ tenant_id: 'default', sinceMs, limit });
    const { days } = await ask(1_000);
    if (days === null) return t.fail();
    t.deepEqual((await ask(days.length)).days, days);
    t.is((await ask(days.length - 1)).days, null);
    const groups = new Map<string, UsageRecord[]>();
    for (const one of records.filter(({ at_ms }) => at_ms >= sinceMs)) {
      const key = `${new Date(one.at_ms).toISOString().slice(0, 10)} ${one.provider} ${one.model}`;
      groups.set(key, [...(groups.get(key) ?? []), one]);
    }
    const expected = [...groups].sort(([a], [b]) => (a < b ? -1 : 1));
    t.deepEqual(
      days.map(({ date, provider, model, ...rest }) => [`${date} ${provider} ${model}`, rest]),
      expected.map(([key, parts]) => [key, sums(parts)]),
    );
  });

  check(
    'the same usage_id counts once; costs beyond 2^53 keep every digit',
    async (t, { usage }) => {
      const large = record(1, { cost_nano_usd: Number.MAX_SAFE_INTEGER });
      for (const usage_id of ['U-1', 'U-1', 'U-2', 'U-3']) {
        await usage.logUsage({ record: { ...large, usage_id } });
      }
      const total = await usage.usageTotal({ tenant_id: 'default', sinceMs: 0 });
      t.is(total.calls, 3);
      t.is(total.cost_nano_usd, String(3n * BigInt(Number.MAX_SAFE_INTEGER)));
      t.is((await usage.usageTotal({ tenant_id: 'nobody', sinceMs: 0 })).cost_nano_usd, '0');
    },
  );
}
