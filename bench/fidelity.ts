import { readFragment } from '../src/gates/syntax/fragments/fragment-tree.ts';
import { dialectOf, hasJsx } from '../src/gates/syntax/languages.ts';
import { findHazard } from '../src/gates/syntax/parse/hazard.ts';
import type { Fragment } from '../src/rpc/contract.ts';
import { type Call, callsOf, callsOfFile } from './fidelity/calls.ts';
import { type Sample, type Specimen, samplePackages, sampleRepository } from './fidelity/sample.ts';
import { measure } from './harness.ts';
import type { RunOptions } from './options.ts';
import type { Cell, Report } from './report.ts';

const HUNKS = 3_000;
/** The goals: added lines in a tree; calls found, and found rightly. */
const GOALS = { lines: 0.97, recall: 0.985, precision: 0.98 } as const;

/**
 * Whether what gate 2 reads of a hunk is what stands in the file: hunks of changed files, three
 * lines of context, each parsed alone and without the prefilter; the calls on its added lines, as
 * (line, name), against those of the syntax tree of the whole new file.
 */
export async function run(options: RunOptions): Promise<Report> {
  const count = Math.ceil((options.count ?? HUNKS) / Math.max(1, options.repos.length));
  const samples: Sample[] = [];
  for (const path of options.repos) samples.push(await sampleRepository(path, options, count));
  if (samples.length === 0) samples.push(samplePackages(options, count));
  const total = newTally();
  const rows: Cell[][] = [];
  for (const { source, specimens } of samples) {
    const tally = newTally();
    for (const specimen of specimens) add(tally, await examine(specimen));
    const { cpuMs } = await measure(() => specimens.map(({ fragment }) => read(fragment)));
    tally.cpuMs = cpuMs;
    add(total, tally);
    rows.push(rowOf(source, tally));
    options.progress(`fidelity: ${source} done`);
  }
  if (samples.length > 1) rows.push(rowOf('all', total));
  const { lines, recall, precision } = shares(total);
  return {
    title: 'Fragments against whole files',
    facts: [
      `seed ${options.seed}; calls and \`new\` with a name, on added lines`,
      `goals: added lines in a tree ${percent(GOALS.lines)}, recall ${percent(GOALS.recall)}, ` +
        `precision ${percent(GOALS.precision)}`,
    ],
    tables: [{ columns: COLUMNS, rows }],
    notes: [
      'a line counts as not in a tree when it holds code and no tree of its hunk covers it',
      'a whole file that the parser does not take, or that must not be shown to it, is no ' +
        'yardstick: its hunks count for lines, not for calls',
      'CPU: reading a fragment alone, without the prefilter, the guards and the taint analysis',
    ],
    holds: lines >= GOALS.lines && recall >= GOALS.recall && precision >= GOALS.precision,
  };
}

interface Tally {
  hunks: number;
  /** With every added line in a tree. */
  complete: number;
  lines: number;
  linesRead: number;
  /** Without a whole file to compare with. */
  unmatched: number;
  found: number;
  missed: number;
  invented: number;
  parses: number;
  failures: number;
  cpuMs: number;
}

function newTally(): Tally {
  return {
    hunks: 0,
    complete: 0,
    lines: 0,
    linesRead: 0,
    unmatched: 0,
    found: 0,
    missed: 0,
    invented: 0,
    parses: 0,
    failures: 0,
    cpuMs: 0,
  };
}

function add(sum: Tally, more: Tally): void {
  for (const key of Object.keys(sum) as (keyof Tally)[]) sum[key] += more[key];
}

function read({ text, added, path }: Fragment) {
  const dialect = dialectOf(path) ?? 'js';
  // What the guards keep from the parser is in no tree.
  if (findHazard(text, hasJsx(dialect)) !== null) return null;
  return readFragment(text, added, dialect);
}

/** Reads one hunk and compares it with its file. */
async function examine({ fragment, readWhole }: Specimen): Promise<Tally> {
  const { path, text, startLine, added } = fragment;
  const tally = newTally();
  const lines = added.reduce((sum, [first, after]) => sum + after - first, 0);
  const result = read(fragment);
  const lost = result === null ? lines : result.unparsed.length;
  tally.hunks = 1;
  tally.complete = lost === 0 ? 1 : 0;
  tally.lines = lines;
  tally.linesRead = lines - lost;
  tally.parses = result?.calls ?? 0;
  tally.failures = result?.failures ?? 0;
  const whole = (await readWhole())?.toString() ?? null;
  const truth = whole === null ? null : callsOfFile(whole, dialectOf(path) ?? 'js');
  if (truth === null) return { ...tally, unmatched: 1 };
  const isAdded = ({ line }: Call) =>
    added.some(([first, after]) => line >= startLine + first && line < startLine + after);
  const got = result === null ? [] : callsOf(text, startLine, result.trees);
  return { ...tally, ...compare(truth.filter(isAdded), got.filter(isAdded)) };
}

/** As multisets: two calls of one name on a line are two. */
function compare(truth: readonly Call[], got: readonly Call[]) {
  const left = new Map<string, number>();
  for (const call of got) left.set(keyOf(call), (left.get(keyOf(call)) ?? 0) + 1);
  let found = 0;
  for (const call of truth) {
    const count = left.get(keyOf(call)) ?? 0;
    if (count === 0) continue;
    left.set(keyOf(call), count - 1);
    found += 1;
  }
  return { found, missed: truth.length - found, invented: got.length - found };
}

function keyOf({ line, name }: Call): string {
  return `${line} ${name}`;
}

const COLUMNS = [
  'hunks of',
  'hunks',
  'added lines',
  'in a tree',
  'hunks wholly in trees',
  'calls',
  'recall',
  'precision',
  'no whole file',
  'parses a hunk',
  'of which fail',
  'CPU ms a hunk',
];

function shares(tally: Tally) {
  const { lines, linesRead, found, missed, invented } = tally;
  return {
    lines: linesRead / lines,
    recall: found / (found + missed),
    precision: found / (found + invented),
  };
}

function rowOf(name: string, tally: Tally): Cell[] {
  const { hunks, complete, lines, found, missed, unmatched, parses, failures, cpuMs } = tally;
  const share = shares(tally);
  return [
    name,
    hunks,
    lines,
    percent(share.lines),
    percent(complete / hunks),
    found + missed,
    percent(share.recall),
    percent(share.precision),
    unmatched,
    parses / hunks,
    percent(failures / parses),
    cpuMs / hunks,
  ];
}

/** Two digits after the point: the goals lie within two percent of all. */
function percent(share: number): string {
  return `${(share * 100).toFixed(2)} %`;
}
