/** What all benchmarks measure with. Times are in ms unless a name says otherwise. */

export interface Timing {
  /** User and system time of this process with all its threads, and of what else was counted. */
  cpuMs: number;
  wallMs: number;
}

const MICROSECONDS_PER_MS = 1000;
const RUNS = 3;
/** The optimising compiler is done by then. */
const WARM_UP_MS = 1500;

/**
 * Runs the work until it is warm and then three times; resolves with the run that took the least
 * CPU: others on the machine can only add to it. `otherCpuMs` reads the clock of processes that
 * work for this one.
 */
export async function best(
  work: () => unknown,
  otherCpuMs: () => number = () => 0,
): Promise<Timing> {
  const warmUntil = performance.now() + WARM_UP_MS;
  do await work();
  while (performance.now() < warmUntil);
  let least: Timing | null = null;
  for (let run = 0; run < RUNS; run += 1) {
    const timing = await measure(work, otherCpuMs);
    if (least === null || timing.cpuMs < least.cpuMs) least = timing;
  }
  return least ?? { cpuMs: 0, wallMs: 0 };
}

/** One run. */
export async function measure(
  work: () => unknown,
  otherCpuMs: () => number = () => 0,
): Promise<Timing> {
  const other = otherCpuMs();
  const cpu = process.cpuUsage();
  const start = performance.now();
  await work();
  const wallMs = performance.now() - start;
  const { user, system } = process.cpuUsage(cpu);
  return { cpuMs: (user + system) / MICROSECONDS_PER_MS + otherCpuMs() - other, wallMs };
}

/** The value below which the share `q` of the values is; 0 when there are none. */
export function percentile(values: readonly number[], q: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? 0;
}

/** Runs `work` with `count` calls in flight until `isDone`; rejects with the first failure. */
export async function keepInFlight(
  count: number,
  isDone: () => boolean,
  work: () => Promise<unknown>,
): Promise<void> {
  const worker = async () => {
    while (!isDone()) await work();
  };
  await Promise.all(Array.from({ length: count }, worker));
}

/** 10^6 bytes a CPU-second. */
export function mbPerCpuSecond(bytes: number, { cpuMs }: Timing): number {
  return bytes / 1e6 / (cpuMs / 1000);
}
