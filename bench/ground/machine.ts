import { cpus, totalmem } from 'node:os';

/** The first line of a result: what it was measured on, without names. */
export function describeMachine(): string {
  const cores = cpus();
  const memoryGiB = Math.round(totalmem() / 1024 ** 3);
  const model = cores[0]?.model ?? 'unknown';
  return `Node ${process.version}, ${cores.length} cores (${model}), ${memoryGiB} GiB memory`;
}
