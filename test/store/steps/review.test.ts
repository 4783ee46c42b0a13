import test from 'ava';
import type { ReservedCall } from '../../../src/store/contract/records.ts';
import { fitsBudgets, openCall, settledDifference } from '../../../src/store/steps/review.ts';
import { createRandom, frozen } from './random.ts';

const RUNS = 1_000;

test('calls that fit never hold more than a limit, and hold their cost in the end', (t) => {
  const limit = 100;
  let fitted = 0;
  for (let seed = 0; seed < RUNS; seed += 1) {
    const random = createRandom(seed);
    const held = new Map<string, number>();
    const costs: number[] = [];
    for (let n = 0; n < 10; n += 1) {
      const cost_nano_usd = random.number(30);
      const call = frozen({
        call_id: `call ${n}`,
        owner: 'daemon',
        started_ms: n,
        reserved_nano_usd: cost_nano_usd + random.number(30),
        scopes: [
          { scope: 'day', limitNanoUsd: limit },
          { scope: 'rfc', limitNanoUsd: null },
        ],
        usage: { cost_nano_usd } as ReservedCall['usage'],
      });
      if (!fitsBudgets(call, (scope) => held.get(scope) ?? 0)) continue;
      fitted += 1;
      const open = openCall(call);
      t.deepEqual(open.scopes, ['day', 'rfc']);
      const add = (nano: number) => {
        for (const scope of open.scopes) held.set(scope, (held.get(scope) ?? 0) + nano);
      };
      add(call.reserved_nano_usd);
      t.true((held.get('day') ?? 0) <= limit, `seed ${seed}`);
      add(settledDifference(open, call.usage));
      costs.push(cost_nano_usd);
    }
    const sum = costs.reduce((total, cost) => total + cost, 0);
    t.deepEqual([held.get('day') ?? 0, held.get('rfc') ?? 0], [sum, sum], `seed ${seed}`);
  }
  t.true(fitted > RUNS);
});
