import type { UsageRecord } from '../../../src/model/usage.ts';
import type { ReservedCall } from '../../../src/store/contract/reviews.ts';
import { type Check, NOW } from './steps.ts';

function usage(usage_id: string, cost_nano_usd: number): UsageRecord {
  return {
    ...{ usage_id, tenant_id: 'default', at_ms: NOW, provider: 'a', model: 'm', context: null },
    ...{ input_tokens: 1, output_tokens: 2, cache_creation_tokens: 3, cache_read_tokens: 4 },
    ...{ cost_nano_usd, logged_by: 'gate' },
  };
}

function call(call_id: string, nano: number, over: Partial<ReservedCall> = {}): ReservedCall {
  return {
    ...{ call_id, owner: 'daemon-1', started_ms: NOW, reserved_nano_usd: nano },
    scopes: [
      { scope: 'day 1', limit_nano_usd: 1_000 },
      { scope: 'rfc 1', limit_nano_usd: null },
    ],
    usage: usage(call_id, nano),
    ...over,
  };
}

/** Budgets, open calls and answers of gate 3. */
export function checkReviews(check: Check): void {
  check('reserves that race never hold more than the budget', async (t, { reviews }) => {
    const calls = Array.from({ length: 40 }, (_, index) => call(`c${index}`, 70 + index));
    const taken = await Promise.all(calls.map((one) => reviews.reserveCall({ call: one })));
    const held = calls.filter((_, index) => taken[index]?.reserved);
    const sum = held.reduce((total, one) => total + one.reserved_nano_usd, 0);
    t.true(sum <= 1_000 && sum > 800, String(sum));
    const scopes = ['day 1', 'rfc 1', 'never used'];
    t.deepEqual(await reviews.spentIn({ scopes }), { nano_usd: [sum, sum, 0] });
    const [first] = held;
    if (first === undefined) return t.fail();
    t.deepEqual(await reviews.reserveCall({ call: first }), { reserved: true }, 'it is known');
    t.deepEqual(await reviews.spentIn({ scopes }), { nano_usd: [sum, sum, 0] });
  });

  check(
    'a call is settled once, to the nano, with its usage',
    async (t, { reviews, usage: ledger }) => {
      await reviews.reserveCall({ call: call('c1', 900) });
      const end = { call_id: 'c1', usage: usage('c1', 123) };
      t.deepEqual(await reviews.settleCall(end), { settled: true });
      t.deepEqual(await reviews.settleCall(end), { settled: false });
      t.deepEqual(await reviews.spentIn({ scopes: ['day 1'] }), { nano_usd: [123] });
      const total = await ledger.usageTotal({ tenant_id: 'default', since_ms: NOW - 1 });
      t.like(total, { calls: 1, cost_nano_usd: '123', input_tokens: 1, cache_read_tokens: 4 });
      t.deepEqual(await reviews.reserveCall({ call: call('c2', 877) }), { reserved: true });
      t.deepEqual(await reviews.reserveCall({ call: call('c3', 1) }), { reserved: false });
    },
  );

  check('what a daemon left open costs its reserve at the next start', async (t, harness) => {
    const { reviews } = harness;
    await reviews.reserveCall({ call: call('own', 100) });
    await reviews.reserveCall({ call: call('old', 50, { owner: 'gone', started_ms: NOW - 10 }) });
    await reviews.reserveCall({ call: call('busy', 30, { owner: 'other' }) });
    await harness.reopen();
    const left = { owner: 'daemon-1', before_ms: NOW };
    t.deepEqual(await harness.reviews.settleLeft(left), { calls: 2 });
    t.deepEqual(await harness.reviews.settleLeft(left), { calls: 0 });
    t.deepEqual(await harness.reviews.spentIn({ scopes: ['day 1'] }), { nano_usd: [180] });
    const total = await harness.usage.usageTotal({ tenant_id: 'default', since_ms: NOW - 1 });
    t.like(total, { calls: 2, cost_nano_usd: '150' });
    const end = { call_id: 'busy', usage: usage('busy', 7) };
    t.deepEqual(await harness.reviews.settleCall(end), { settled: true });
  });

  check('the first answer of a key stays', async (t, { reviews }) => {
    t.deepEqual(await reviews.findAnswer({ key: 'k' }), { json: null });
    await reviews.keepAnswer({ key: 'k', json: '[1]', at_ms: NOW });
    await reviews.keepAnswer({ key: 'k', json: '[2]', at_ms: NOW });
    t.deepEqual(await reviews.findAnswer({ key: 'k' }), { json: '[1]' });
  });
}
