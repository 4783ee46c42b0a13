import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PIPELINE } from '../src/analysis/limits.ts';
import { AST_GATE } from '../src/gates/limits.ts';
import { familyOf, languageOf, mayHoldSink } from '../src/gates/syntax/languages.ts';
import { heapFlags } from '../src/rpc/child.ts';
import type { Fragment } from '../src/rpc/contract.ts';
import { percentile } from './harness.ts';
import type { RunOptions } from './options.ts';
import type { Cell, Report } from './report.ts';

/** What one file took, and what the child holds after it. */
export interface FileCost {
  readonly cpuMs: number;
  readonly rss: number;
  readonly heapUsed: number;
}

const MIB = 1024 * 1024;

/**
 * Whole files of work trees (`--repo`, several; every `--count`th) by language, in turn in a child
 * of this tree and in one of another (`--data DIST`): CPU, and memory after each file.
 */
export async function run({ repos, data, count, progress }: RunOptions): Promise<Report> {
  if (data === null || repos.length === 0) {
    throw new TypeError('syntax-files needs --repo PATH and --data DIST');
  }
  const all = repos.flatMap(filesIn);
  const languages = [...new Set(all.map(({ path }) => familyOf(languageOf(path) ?? 'js')))].sort();
  const rows: Cell[][] = [];
  for (const language of languages) {
    const own = all.filter(({ path }) => familyOf(languageOf(path) ?? 'js') === language);
    const files = own.filter((_, index) => index % (count ?? 1) === 0);
    progress(`${language}: ${files.length} files`);
    // The other tree gave its child a bound of old objects alone.
    const [oldSpace = '', ...others] = heapFlags(PIPELINE.CHILD_OLD_SPACE_MIB);
    const first = child(data, [oldSpace]);
    const second = child(fileURLToPath(new URL('..', import.meta.url)), [oldSpace, ...others]);
    const costs: [FileCost[], FileCost[]] = [[], []];
    for (const file of files) {
      costs[0].push(await costOf(first, file));
      costs[1].push(await costOf(second, file));
    }
    first.kill();
    second.kill();
    const cpu = costs.map((list) => list.reduce((sum, { cpuMs }) => sum + cpuMs, 0));
    const [before = 0, after = 0] = cpu;
    rows.push([language, files.length, before, after, after / before, ...costs.flatMap(memoryOf)]);
  }
  return {
    title: 'Gate 2: whole files beside another tree',
    facts: [`work trees: ${repos.join(', ')}`, `the other tree: ${data}`],
    tables: [{ columns: COLUMNS, rows }],
    notes: ['a child of each tree for each language; the first files warm it up, and count'],
    holds: true,
  };
}

const COLUMNS = [
  'language',
  'files',
  'other: CPU ms',
  'this: CPU ms',
  'this / other',
  'other: RSS MiB p99',
  'heap p99',
  'heap most',
  'this: RSS MiB p99',
  'heap p99',
  'heap most',
];

function memoryOf(costs: readonly FileCost[]): number[] {
  const heaps = costs.map(({ heapUsed }) => heapUsed / MIB);
  const rss = costs.map((cost) => cost.rss / MIB);
  return [percentile(rss, 0.99), percentile(heaps, 0.99), Math.max(0, ...heaps)];
}

function child(dist: string, execArgv: string[]): ChildProcess {
  return fork(new URL('./syntax-files-child.js', import.meta.url), [dist], { execArgv });
}

async function costOf(process: ChildProcess, fragment: Fragment): Promise<FileCost> {
  const answer = once(process, 'message');
  process.send(fragment);
  const [cost] = await answer;
  return cost as FileCost;
}

/** Files of a work tree that gate 2 would look at. */
function filesIn(folder: string): Fragment[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const names = entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .sort();
  return names.flatMap((path) => {
    const language = languageOf(path);
    if (language === null || /(?:^|\/)(?:\.git|node_modules)\//.test(path)) return [];
    const bytes = readFileSync(join(folder, path));
    if (bytes.length > AST_GATE.FRAGMENT_BYTES_MAX || !mayHoldSink(bytes, language)) return [];
    const text = bytes.toString();
    return [{ path, text, startLine: 1, added: [[0, text.split('\n').length]] }];
  });
}
