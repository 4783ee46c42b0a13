import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Cell, Table } from '../report.ts';

/** The part of a `.cpuprofile` that is read (Chrome DevTools Protocol, Profiler.Profile). */
interface CpuProfile {
  nodes: readonly {
    id: number;
    callFrame: { functionName: string; url: string; lineNumber: number };
  }[];
  samples?: readonly number[];
  /** Microseconds between samples. */
  timeDeltas?: readonly number[];
}

const TOP = 15;
/** Threads that did less than this are no news. */
const BUSY_MS_MIN = 50;

/** The functions with the most time of their own, a table for each thread that was busy. */
export function readProfiles(directory: string): Table[] {
  const names = readdirSync(directory).filter((name) => name.endsWith('.cpuprofile'));
  return names.flatMap((name) => {
    const profile = JSON.parse(readFileSync(join(directory, name), 'utf8')) as CpuProfile;
    const times = selfTimes(profile);
    const idle = times.get('(idle)') ?? 0;
    const total = sum(times.values());
    const busy = total - idle;
    if (busy < BUSY_MS_MIN) return [];
    times.delete('(idle)');
    const top = [...times].sort(([, a], [, b]) => b - a).slice(0, TOP);
    const rows: Cell[][] = top.map(([what, ms]) => [what, ms, (100 * ms) / busy]);
    const share = Math.round((100 * busy) / total);
    const title = `${threadName(times)}: busy ${share} % of ${(total / 1000).toFixed(1)} s`;
    return [{ columns: [title, 'own time, ms', '% of busy'], rows }];
  });
}

/** Ms by function. */
function selfTimes({ nodes, samples = [], timeDeltas = [] }: CpuProfile): Map<string, number> {
  const labels = new Map(nodes.map(({ id, callFrame }) => [id, labelOf(callFrame)]));
  const times = new Map<string, number>();
  for (const [index, id] of samples.entries()) {
    const label = labels.get(id) ?? '?';
    times.set(label, (times.get(label) ?? 0) + (timeDeltas[index] ?? 0) / 1000);
  }
  return times;
}

function labelOf(frame: CpuProfile['nodes'][number]['callFrame']): string {
  const name = frame.functionName || '(anonymous)';
  const file = frame.url.replace(/^.*\/(?:dist|node_modules)\//, '').replace(/^file:\/\//, '');
  return file === '' ? name : `${name} ${file}:${frame.lineNumber + 1}`;
}

/** Recognised by the files that it runs. */
function threadName(times: ReadonlyMap<string, number>): string {
  const files = [...times.keys()].join(' ');
  if (files.includes('src/http/')) return 'main thread';
  if (files.includes('sqlite/group-commit')) return 'store writer';
  if (files.includes('sqlite/records')) return 'store reader';
  if (files.includes('src/gates/syntax/') && !files.includes('src/analysis/worker/'))
    return 'AST child';
  return files.includes('src/diff/') ? 'scan thread' : 'thread';
}

function sum(numbers: Iterable<number>): number {
  let total = 0;
  for (const number of numbers) total += number;
  return total;
}
