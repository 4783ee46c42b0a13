import { readdirSync, readFileSync } from 'node:fs';
import type { RunOptions } from '../../bench/options.ts';
import type { Cell, Report } from '../../bench/report.ts';
import { createCancelFlag } from '../../src/core/deadline.ts';
import { parseDiff } from '../../src/diff/parse.ts';
import { collectFragments } from '../../src/gates/syntax/collect.ts';
import { inspectFragments } from '../../src/gates/syntax/inspect.ts';
import { createSyntaxService } from '../../src/gates/syntax/syntax-service.ts';
import { inspectWholeFiles } from '../../src/gates/syntax/whole-files.ts';
import { type GateFinding, severityRank } from '../../src/model/finding.ts';
import { connectInProcess } from '../../src/rpc/channel.ts';
import { Syntax } from '../../src/rpc/contract.ts';
import { createClient, createServer, implement } from '../../src/rpc/service.ts';
import { KEY, newFile, readPackaged } from '../gates/syntax/code.ts';
import { GO, JAVA, PYTHON } from '../gates/syntax/languages.ts';

const CONTEXT_LINES = 3;
const MISSES_SHOWN = 40;

/** A harmful file, and one like it that does no harm; null: the table has none. */
interface Case {
  readonly title: string;
  readonly path: string;
  readonly bad: string;
  readonly good: string | null;
}

/** What a push does to the file. */
const KINDS = ['twin', 'guard removed', 'sink added', 'source or step added'] as const;
type Kind = (typeof KINDS)[number];

interface Tally {
  pushes: number;
  expected: number;
  missed: number;
}

/**
 * Whether a push reports what the whole file has: each harmful case of the tables becomes pushes
 * with a real base, and each finding of the new file that the base has not must be reported.
 */
export async function run(options: RunOptions): Promise<Report> {
  const rows: Cell[][] = [];
  const misses: string[] = [];
  for (const [name, cases] of tables()) {
    const tallies = new Map<Kind, Tally>(
      KINDS.map((kind) => [kind, { pushes: 0, expected: 0, missed: 0 }]),
    );
    for (const one of cases) {
      for await (const { kind, expected, missed } of pushesOf(one)) {
        const tally = tallies.get(kind);
        if (tally === undefined) continue;
        tally.pushes += 1;
        tally.expected += expected;
        tally.missed += missed.length;
        for (const what of missed) misses.push(`${name}, ${one.title}, ${kind}: ${what}`);
      }
    }
    for (const [kind, { pushes, expected, missed }] of tallies) {
      if (pushes === 0) continue;
      rows.push([name, kind, pushes, expected, expected - missed, `${share(expected, missed)} %`]);
    }
    options.progress(`push-recall: ${name} done`);
  }
  return {
    title: 'Recall of pushes against whole files',
    facts: ['harmful cases of the table tests, as pushes of one file with its base at hand'],
    tables: [{ columns: COLUMNS, rows }],
    notes: [
      'twin: the harmless case becomes the harmful one; guard removed: ' +
        'the same where lines are taken out alone; sink added: the base lacks the line of the ' +
        'finding; source or step added: it lacks another line without which there is no finding',
      'only lines whose brackets are balanced are taken out; findings: those of the new file as a ' +
        'whole that the base has not as grave, of the same class and text of the line',
      ...misses
        .slice(0, options.list ? misses.length : MISSES_SHOWN)
        .map((one) => `MISSED: ${one}`),
    ],
    holds: misses.length === 0,
  };
}

const COLUMNS = ['cases of', 'push', 'pushes', 'findings', 'reported', 'recall'];

function share(expected: number, missed: number): string {
  return expected === 0 ? '100' : (((expected - missed) * 100) / expected).toFixed(2);
}

const FOLDER = new URL('../../../test/gates/syntax/', import.meta.url);

/** The tables of each language. */
function tables(): [string, Case[]][] {
  const scripts = filesIn('catalogue/').flatMap(([topic, parts]) =>
    parts.map(([title, code]): Case => {
      const [bad = '', good = null] = code.split(/^---\n/m);
      return { title: `${topic} ${title}`, path: 'src/app.ts', bad, good };
    }),
  );
  const flows = filesIn('cases/').flatMap(([topic, parts]) =>
    parts
      .filter(([title]) => !title.startsWith('none '))
      .map(([title, bad]): Case => {
        return { title: `${topic} ${title}`, path: 'src/app.ts', bad, good: null };
      }),
  );
  const trees = [PYTHON, GO, JAVA].map(({ name, path, fileOf }): [string, Case[]] => {
    const cases = filesIn(`${name}/`).flatMap(([topic, parts]) =>
      parts.flatMap(([title, code], index): Case[] => {
        if (!title.startsWith('bad ')) return [];
        const next = parts[index + 1];
        const good = next?.[0].startsWith('good ') === true ? fileOf(next[1]) : null;
        return [{ title: `${topic} ${title}`, path, bad: fileOf(code), good }];
      }),
    );
    return [name, cases];
  });
  return [['script: catalogue', scripts], ['script: flows and checks', flows], ...trees];
}

/** Cases of the files of a folder: title and code. */
function filesIn(folder: string): [string, [string, string][]][] {
  const url = new URL(folder, FOLDER);
  return readdirSync(url).map((file) => {
    const text = readFileSync(new URL(file, url), 'utf8');
    const parts = text.split(/^=== /m).slice(1);
    return [
      file.replace('.txt', ''),
      parts.map((part): [string, string] => {
        const end = part.indexOf('\n');
        return [part.slice(0, end), part.slice(end + 1)];
      }),
    ];
  });
}

interface Outcome {
  kind: Kind;
  expected: number;
  missed: string[];
}

async function* pushesOf({ path, bad, good }: Case): AsyncGenerator<Outcome> {
  const whole = await findingsOf(newFile(path, bad), null);
  if (whole.length === 0) return;
  const lines = bad.split('\n');
  const textOf = ({ line }: GateFinding) => lines[(line ?? 0) - 1] ?? '';
  const named = (finding: GateFinding) => `${finding.id} ${finding.severity} ${textOf(finding)}`;
  const outcome = async (kind: Kind, base: string): Promise<Outcome | null> => {
    const before = await findingsOf(newFile(path, base), null);
    const fresh = whole.filter((one) => {
      const rank = severityRank(one.severity);
      // A check that is added makes a finding milder: the base has it all the same.
      const same = before.findIndex((other) => {
        const isThere = other.cwe === one.cwe && lineOf(base, other) === textOf(one);
        return isThere && severityRank(other.severity) <= rank;
      });
      if (same >= 0) before.splice(same, 1);
      return same < 0;
    });
    if (fresh.length === 0) return null;
    const reported = bag(
      (await findingsOf(diffOf(path, base, bad), { path, base, head: bad })).map(named),
    );
    const missed = fresh.filter((one) => !take(reported, named(one)));
    return { kind, expected: fresh.length, missed: missed.map(named) };
  };
  if (good !== null) {
    const kind = isWithin(lines, good.split('\n')) ? 'guard removed' : 'twin';
    const twin = await outcome(kind, good);
    if (twin !== null) yield twin;
  }
  const sinks = new Set(whole.map(({ line }) => (line ?? 0) - 1));
  for (const [index, line] of lines.entries()) {
    if (line.trim() === '' || !isBalanced(line)) continue;
    const base = lines.filter((_, other) => other !== index).join('\n');
    const one = await outcome(sinks.has(index) ? 'sink added' : 'source or step added', base);
    if (one !== null) yield one;
  }
}

function lineOf(text: string, { line }: GateFinding): string {
  return text.split('\n')[(line ?? 0) - 1] ?? '';
}

function bag(names: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

/** Takes one of a bag; false: it holds no more. */
function take(counts: Map<string, number>, name: string): boolean {
  const left = counts.get(name) ?? 0;
  counts.set(name, left - 1);
  return left > 0;
}

/** Whether lines are all in others, in their order. */
function isWithin(lines: readonly string[], others: readonly string[]): boolean {
  let at = 0;
  for (const other of others) if (other === lines[at]) at += 1;
  return at === lines.length;
}

function isBalanced(line: string): boolean {
  let depth = 0;
  for (const [one] of line.matchAll(/[{}()[\]]/g)) {
    depth += '{(['.includes(one) ? 1 : -1;
    if (depth < 0) return false;
  }
  return depth === 0 && !/[,:]\s*$/.test(line);
}

/** A diff of one hunk, with context. */
function diffOf(path: string, base: string, head: string): string {
  const before = base.split('\n');
  const after = head.split('\n');
  const least = Math.min(before.length, after.length);
  let start = 0;
  while (start < least && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < least - start && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  const first = Math.max(0, start - CONTEXT_LINES);
  const tail = Math.max(0, end - CONTEXT_LINES);
  const context = (from: number, to: number) => after.slice(from, to).map((line) => ` ${line}\n`);
  const body = [
    ...context(first, start),
    ...before.slice(start, before.length - end).map((line) => `-${line}\n`),
    ...after.slice(start, after.length - end).map((line) => `+${line}\n`),
    ...context(after.length - end, after.length - tail),
  ];
  const range = (lines: readonly string[]) => `${first + 1},${lines.length - tail - first}`;
  return (
    `diff --git a/${path} b/${path}\n--- a/${path}\n+++ b/${path}\n` +
    `@@ -${range(before)} +${range(after)} @@\n${body.join('')}`
  );
}

interface Versions {
  path: string;
  base: string;
  head: string;
}

const service = createServer([implement(Syntax, createSyntaxService({ readPackaged }))]);

/** What gate 2 says of a diff, with both versions of its file at hand or without. */
async function findingsOf(diff: string, versions: Versions | null): Promise<GateFinding[]> {
  const bytes = Buffer.from(diff);
  const { files } = parseDiff(bytes);
  const client = createClient(Syntax, connectInProcess(service));
  const context = { client, fingerprintKey: KEY, cancel: createCancelFlag(), bytes };
  const trees =
    versions &&
    (['base', 'head'] as const).map((side) => {
      const bytes = Buffer.from(versions[side]);
      return { side, path: versions.path, state: 'read' as const, bytes };
    });
  const { findings, judged } = await inspectWholeFiles({ ...context, files, trees });
  const left = collectFragments({ ...context, files: files.filter((file) => !judged.has(file)) });
  const all = [...findings, ...(await inspectFragments({ ...context, ...left })).findings];
  return all.filter(({ id }) => id !== 'ast-hunks-only' && id !== 'ast-unparsed');
}
