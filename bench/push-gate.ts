import { randomBytes } from 'node:crypto';
import { type Commit, type Git, readCommits } from '../src/cli/git.ts';
import { createCancelFlag } from '../src/core/deadline.ts';
import { parseDiff } from '../src/diff/parse.ts';
import { collectFragments } from '../src/gates/syntax/collect.ts';
import { inspectFragments } from '../src/gates/syntax/inspect.ts';
import { dialectOf } from '../src/gates/syntax/languages.ts';
import { createSyntaxService } from '../src/gates/syntax/syntax-service.ts';
import { inspectWholeFiles, wantedForSyntax } from '../src/gates/syntax/whole-files.ts';
import type { GateFinding } from '../src/model/finding.ts';
import { connectInProcess } from '../src/rpc/channel.ts';
import { Syntax } from '../src/rpc/contract.ts';
import { createClient, createServer, implement } from '../src/rpc/service.ts';
import { openRepository } from './corpus/repo-corpus.ts';
import { measure, percentile } from './harness.ts';
import { readTrees } from './noise/judge.ts';
import type { RunOptions } from './options.ts';
import type { Cell, Table } from './report.ts';

const FINGERPRINT_KEY = randomBytes(32);
const RUNS = 3;
/** Commits before the first that counts: a child in service is warm. */
const WARM_COMMITS = 50;

/** Gate 2 of one push: by whole files, the same once more, and by its hunks alone. */
interface Sample {
  wholeMs: number;
  againMs: number;
  hunksMs: number;
  /** Findings, and the files of which one says that they were judged by their hunks. */
  whole: readonly GateFinding[];
  hunks: readonly GateFinding[];
}

/** CPU of gate 2 a push beside hunks alone, in this process: commits that change JS/TS. */
export async function measurePushes(options: RunOptions): Promise<Table> {
  const rows: Cell[][] = [];
  const all: Sample[] = [];
  for (const path of options.repos) {
    const { git, head } = await openRepository(path);
    const samples: Sample[] = [];
    for await (const commit of readCommits(git, { count: options.commits, numstat: false })) {
      const sample = await examine(git, commit);
      if (sample !== null) samples.push(sample);
    }
    const warm = samples.slice(WARM_COMMITS);
    rows.push(rowOf(head, warm));
    all.push(...warm);
    options.progress(`gates: pushes of ${head} done`);
  }
  if (rows.length > 1) rows.push(rowOf('all', all));
  return { columns: COLUMNS, rows };
}

const COLUMNS = [
  'gate 2 of pushes to',
  'pushes that change JS/TS',
  'by hunks, CPU ms: p50',
  'p99',
  'all',
  'by whole files: p50',
  'p99',
  'most',
  'all',
  'p50 against p50',
  'the same push again: p50',
  'p99',
  'findings by hunks',
  'by whole files',
  'pushes with a file left to its hunks',
];

function rowOf(name: string, samples: readonly Sample[]): Cell[] {
  const hunks = samples.map(({ hunksMs }) => hunksMs);
  const whole = samples.map(({ wholeMs }) => wholeMs);
  const again = samples.map(({ againMs }) => againMs);
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  const isNote = ({ id }: GateFinding) => id === 'ast-hunks-only';
  return [
    name,
    samples.length,
    ...[percentile(hunks, 0.5), percentile(hunks, 0.99), sum(hunks)],
    ...[percentile(whole, 0.5), percentile(whole, 0.99), Math.max(0, ...whole), sum(whole)],
    percentile(whole, 0.5) / percentile(hunks, 0.5),
    ...[percentile(again, 0.5), percentile(again, 0.99)],
    sum(samples.map((one) => one.hunks.length)),
    sum(samples.map((one) => one.whole.filter((finding) => !isNote(finding)).length)),
    samples.filter((one) => one.whole.some(isNote)).length,
  ];
}

/** What a child is asked with that has read nothing so far. */
function newContext() {
  const service = createServer([implement(Syntax, createSyntaxService())]);
  const client = createClient(Syntax, connectInProcess(service));
  return { client, fingerprintKey: FINGERPRINT_KEY, cancel: createCancelFlag() };
}

async function examine(git: Git, { sha, diff }: Commit): Promise<Sample | null> {
  if (diff === null || diff.length === 0) return null;
  const bytes = diff;
  const { files } = parseDiff(bytes);
  if (!files.some(({ path }) => dialectOf(path) !== null)) return null;
  const trees = await readTrees(git, sha, wantedForSyntax(files));
  type Context = ReturnType<typeof newContext>;
  const byHunks = async (context: Context, some: typeof files) => {
    const collected = collectFragments({ ...context, bytes, files: some });
    return (await inspectFragments({ ...context, ...collected })).findings;
  };
  const asWhole = async (context: Context) => {
    const { findings, judged } = await inspectWholeFiles({ ...context, bytes, files, trees });
    const left = await byHunks(
      context,
      files.filter((file) => !judged.has(file)),
    );
    return [...findings, ...left];
  };
  const never = { wholeMs: Infinity, againMs: Infinity, hunksMs: Infinity };
  const sample: Sample = { ...never, whole: [], hunks: [] };
  for (let run = 0; run < RUNS; run += 1) {
    const alone = newContext();
    const hunks = await measure(async () => {
      sample.hunks = await byHunks(alone, files);
    });
    const context = newContext();
    const whole = await measure(async () => {
      sample.whole = await asWhole(context);
    });
    const again = await measure(() => asWhole(context));
    sample.hunksMs = Math.min(sample.hunksMs, hunks.cpuMs);
    sample.wholeMs = Math.min(sample.wholeMs, whole.cpuMs);
    sample.againMs = Math.min(sample.againMs, again.cpuMs);
  }
  return sample;
}
