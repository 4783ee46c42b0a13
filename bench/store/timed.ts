import type { RecordStore } from '../../src/store/contract/records.ts';
import { keepInFlight, measure, percentile, type Timing } from '../harness.ts';
import type { Cell } from '../report.ts';
import type { Insert } from './sample.ts';

const LIST_LIMIT = 50;

export const READ_COLUMNS = ['read', 'in flight', '1/s', 'p50, ms', 'p99, ms', 'CPU, us each'];

export interface Run extends Timing {
  count: number;
  p50: number;
  p99: number;
}

/** Inserts a second. */
export function rate({ count, wallMs }: Pick<Run, 'count' | 'wallMs'>): number {
  return count / (wallMs / 1000);
}

/** Calls `work` with `depth` in flight until it was called `countMax` times or the time is over. */
export async function timed(
  depth: number,
  limits: { countMax: number; ms: number },
  work: (index: number) => Promise<unknown>,
): Promise<Run> {
  const latencies: number[] = [];
  const end = performance.now() + limits.ms;
  let next = 0;
  const isDone = () => next >= limits.countMax || performance.now() > end;
  const timing = await measure(() =>
    keepInFlight(depth, isDone, async () => {
      const start = performance.now();
      await work(next++);
      latencies.push(performance.now() - start);
    }),
  );
  const p50 = percentile(latencies, 0.5);
  const p99 = percentile(latencies, 0.99);
  return { ...timing, count: latencies.length, p50, p99 };
}

/** Inserts with `depth` in flight, for `ms` at most. */
export function insertAll(
  store: RecordStore,
  inserts: readonly Insert[],
  depth: number,
  ms: number,
) {
  return timed(depth, { countMax: inserts.length, ms }, async (index) => {
    const insert = inserts[index];
    if (insert !== undefined) await store.insertRfc(insert);
  });
}

/** Rows of READ_COLUMNS. */
export async function measureReads(
  store: RecordStore,
  ids: readonly string[],
  ms: number,
): Promise<Cell[][]> {
  const rows: Cell[][] = [];
  const tenant_id = 'default';
  const limits = { countMax: Number.POSITIVE_INFINITY, ms: ms / 4 };
  const filter = { tenant_id, status: null, repo: null, limit: LIST_LIMIT, cursor: null };
  // A stride that meets all of them out of order.
  const read = (index: number) =>
    store.getRfc({ tenant_id, rfc_id: ids[(index * 7919) % ids.length] ?? '' });
  const list = () => store.listRfcs(filter);
  for (const [name, work] of [
    ['getRfc', read],
    [`listRfcs, ${LIST_LIMIT} newest`, list],
  ] as const) {
    for (const depth of [1, 64]) {
      const { cpuMs, ...run } = await timed(depth, limits, work);
      rows.push([name, depth, rate(run), run.p50, run.p99, (cpuMs * 1000) / run.count]);
    }
  }
  return rows;
}
