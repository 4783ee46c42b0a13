import { keepInFlight, measure, percentile, type Timing } from '../harness.ts';

export interface Run extends Timing {
  count: number;
  p50: number;
  p99: number;
}

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
  const [p50, p99] = [percentile(latencies, 0.5), percentile(latencies, 0.99)];
  return { ...timing, count: latencies.length, p50, p99 };
}
