import test, { type ExecutionContext } from 'ava';
import { USAGE } from '../../src/model/limits.ts';
import type { UsageDay, UsageEntry } from '../../src/model/usage.ts';
import { createUsageLedger } from '../../src/usage/usage.ts';
import { fails, NOW } from '../store/conformance/steps.ts';
import { MANAGER } from '../store/fixtures/decisions.ts';
import { openHarness } from '../store/sqlite/harness.ts';

const HOUR_MS = 3_600_000;
const CALL: UsageEntry = {
  provider: 'anthropic',
  model: 'claude-opus',
  input_tokens: 10,
  output_tokens: 2,
  cost_usd: 0.1,
};

async function openLedger(t: ExecutionContext) {
  const harness = await openHarness(() => NOW);
  t.teardown(() => harness.close());
  let at = NOW;
  const ledger = createUsageLedger(harness.usage, () => at);
  return {
    ledger,
    async logAt(ms: number, over: Partial<UsageEntry> = {}, principal = MANAGER) {
      at = ms;
      await ledger.log(principal, { ...CALL, ...over });
      at = NOW;
    },
  };
}

test('costs add up exactly, where doubles would not', async (t) => {
  const { ledger, logAt } = await openLedger(t);
  for (let count = 0; count < 10; count += 1) await logAt(NOW);
  await logAt(NOW, { cost_usd: 0.000000001, cache_creation_tokens: 3, cache_read_tokens: 4 });
  t.is(
    await ledger.total(MANAGER, 24),
    '{"hours":24,"since":"2026-11-20T12:00:00.000Z","calls":11,"input_tokens":110,' +
      '"output_tokens":22,"cache_creation_tokens":3,"cache_read_tokens":4,"cost_usd":1.000000001}',
  );
});

test('costs above 2^53 nano-dollars keep every digit', async (t) => {
  const { ledger, logAt } = await openLedger(t);
  const { COST_USD_MAX } = USAGE;
  for (let count = 0; count < 40; count += 1) await logAt(NOW, { cost_usd: COST_USD_MAX });
  await logAt(NOW, { cost_usd: 0.000000001 });
  const text = await ledger.total(MANAGER, 1);
  t.true(text.endsWith(`"cost_usd":${40 * COST_USD_MAX}.000000001}`), text);
});

test('a window of hours begins to the millisecond, and costs nothing when it is empty', async (t) => {
  const { ledger, logAt } = await openLedger(t);
  await logAt(NOW - HOUR_MS - 1);
  const empty = JSON.parse(await ledger.total(MANAGER, 1));
  t.like(empty, { calls: 0, cost_usd: 0, since: '2026-11-21T11:00:00.000Z' });
  await logAt(NOW - HOUR_MS);
  t.is(JSON.parse(await ledger.total(MANAGER, 1)).calls, 1);
  t.is(JSON.parse(await ledger.total(MANAGER, 2)).calls, 2);
  t.is(JSON.parse(await ledger.total(MANAGER, USAGE.HOURS_MAX)).calls, 2);
});

test('a summary is by day (UTC), provider and model, and its total is that of its days', async (t) => {
  const { ledger, logAt } = await openLedger(t);
  const midnight = Date.parse('2026-11-20T00:00:00Z');
  await logAt(midnight - 1);
  await logAt(midnight);
  await logAt(midnight + 24 * HOUR_MS - 1, { model: 'a' });
  await logAt(midnight + 24 * HOUR_MS, { provider: 'another' });
  const { since, days, total } = JSON.parse(await ledger.summary(MANAGER, '2026-11-20'));
  t.is(since, '2026-11-20');
  const keys = (days as UsageDay[]).map((day) => [day.date, day.provider, day.model]);
  t.deepEqual(keys, [
    ['2026-11-20', 'anthropic', 'a'],
    ['2026-11-20', 'anthropic', 'claude-opus'],
    ['2026-11-21', 'another', 'claude-opus'],
  ]);
  t.like(total, { calls: 3, input_tokens: 30, output_tokens: 6, cost_usd: 0.3 });
});

test('a summary without a day goes 30 days back', async (t) => {
  const { ledger, logAt } = await openLedger(t);
  await logAt(Date.parse('2026-10-22T00:00:00Z'));
  await logAt(Date.parse('2026-10-21T23:59:59.999Z'));
  const { since, total } = JSON.parse(await ledger.summary(MANAGER, null));
  t.is(since, '2026-10-22');
  t.is(total.calls, 1);
});

test('a day that the calendar has not is refused', async (t) => {
  const { ledger } = await openLedger(t);
  for (const day of ['2026-02-29', '2026-13-01', '2026-00-10', 'yesterday', '']) {
    await fails(t, ledger.summary(MANAGER, day), 'INVALID_ARGUMENT');
  }
  t.is(JSON.parse(await ledger.summary(MANAGER, '2024-02-29')).since, '2024-02-29');
});

test('another tenant sees nothing of it', async (t) => {
  const { ledger, logAt } = await openLedger(t);
  const outsider = { ...MANAGER, tenant_id: 'other' };
  await logAt(NOW);
  await logAt(NOW, { cost_usd: 5 }, outsider);
  t.is(JSON.parse(await ledger.total(MANAGER, 24)).cost_usd, 0.1);
  t.is(JSON.parse(await ledger.summary(outsider, '2026-11-01')).total.cost_usd, 5);
});

test('a summary has a bound; beyond it a later day has to be asked for', async (t) => {
  const { ledger, logAt } = await openLedger(t);
  await logAt(NOW - 25 * HOUR_MS);
  const models = Array.from({ length: USAGE.SUMMARY_LINES_MAX }, (_, n) => `m${n}`);
  await Promise.all(models.map((model) => ledger.log(MANAGER, { ...CALL, model })));
  const { days, total } = JSON.parse(await ledger.summary(MANAGER, '2026-11-21'));
  t.is(days.length, USAGE.SUMMARY_LINES_MAX);
  t.is(total.calls, USAGE.SUMMARY_LINES_MAX);
  const error = await fails(t, ledger.summary(MANAGER, '2026-11-20'), 'INVALID_ARGUMENT');
  t.regex(error?.message ?? '', /^since: .* later day/);
});
