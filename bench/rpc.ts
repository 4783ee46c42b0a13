import type { Client } from '../src/rpc/service.ts';
import { createClient } from '../src/rpc/service.ts';
import { keepInFlight, measure, percentile } from './harness.ts';
import type { RunOptions } from './options.ts';
import type { Cell, Report } from './report.ts';
import { CARRIERS, POOL_THREADS } from './rpc/carriers.ts';
import { Echo } from './rpc/echo.ts';

const PAYLOADS = [0, 10_000];
const WARM_UP_MS = 500;

/** Round trips of an empty service over each carrier: one at a time, and several. */
export async function run(options: RunOptions): Promise<Report> {
  // Four carriers, two payloads, two depths: the time that is allowed is for all of them.
  const caseMs = (options.seconds * 1000) / PAYLOADS.length;
  const rows: Cell[][] = [];
  for (const [name, start] of Object.entries(CARRIERS)) {
    const carrier = start();
    try {
      const client = createClient(Echo, carrier.transport);
      const depths = name.includes('pool') ? [1, POOL_THREADS] : [1, 64];
      for (const payload of PAYLOADS) {
        for (const depth of depths) {
          const plan = { payload, depth, otherCpuMs: carrier.otherCpuMs };
          await roundTrips(client, { ...plan, ms: WARM_UP_MS });
          const { count, p50, p99, cpuMs, wallMs } = await roundTrips(client, {
            ...plan,
            ms: caseMs / depths.length,
          });
          const perSecond = count / (wallMs / 1000);
          const us = 1000;
          rows.push([name, payload, depth, perSecond, p50 * us, p99 * us, (cpuMs * us) / count]);
        }
      }
    } finally {
      await carrier.close();
    }
    options.progress(`rpc: ${name} done`);
  }
  return {
    title: 'RPC: round trips over each carrier',
    facts: ['payload: a Uint8Array that goes there and comes back, copied each way'],
    tables: [
      {
        columns: ['carrier', 'bytes', 'at a time', '1/s', 'p50, us', 'p99, us', 'CPU, us each'],
        rows,
      },
    ],
    notes: [],
    holds: true,
  };
}

interface Plan {
  payload: number;
  depth: number;
  ms: number;
  otherCpuMs(): number;
}

async function roundTrips(client: Client<typeof Echo>, plan: Plan) {
  const bytes = new Uint8Array(plan.payload);
  const latencies: number[] = [];
  const end = performance.now() + plan.ms;
  const timing = await measure(
    () =>
      keepInFlight(
        plan.depth,
        () => performance.now() > end,
        async () => {
          const start = performance.now();
          await client.echo({ bytes });
          latencies.push(performance.now() - start);
        },
      ),
    plan.otherCpuMs,
  );
  const { cpuMs, wallMs } = timing;
  const p50 = percentile(latencies, 0.5);
  const p99 = percentile(latencies, 0.99);
  return { count: latencies.length, p50, p99, cpuMs, wallMs };
}
