import { readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createSyntaxService } from '../src/gates/syntax/syntax-service.ts';
import type { GateFinding } from '../src/model/finding.ts';
import type { Fragment } from '../src/rpc/contract.ts';
import type { CallContext } from '../src/rpc/service.ts';
import type { RunOptions } from './options.ts';
import type { Cell, Report, Table } from './report.ts';

const CONTEXT: CallContext = { stopReason: () => null };
const KEY = new Uint8Array(32).fill(7);

/** Weak places of one file and safe ones, and which of them were reported. */
interface Score {
  readonly group: string;
  readonly weak: number;
  readonly found: number;
  readonly safe: number;
  readonly alarms: number;
  /** A condition that chooses between the two stands in another file. */
  readonly isElsewhere: boolean;
}

/**
 * Weak code beside its safe twin (`--data PATH`, a checkout of juliet-test-suite or of
 * securibench-micro): what gate 2 finds of the first, and what it says of the second.
 */
export async function run(options: RunOptions): Promise<Report> {
  if (options.data === null) throw new TypeError('twins needs --data PATH, a checkout');
  const service = createSyntaxService({
    readPackaged: (name) => readFile(fileURLToPath(import.meta.resolve(name))),
  });
  const scores: Score[] = [];
  const missed: Cell[][] = [];
  const files = javaFiles(options.data);
  let bytes = 0;
  const inspect = async () => {
    for (const path of files) {
      const text = readFileSync(path, 'utf8');
      const score = scoreOf(path, text);
      if (score === null) continue;
      bytes += text.length;
      const added: [number, number][] = [[0, text.split('\n').length]];
      // The folder of tests is not theirs: they stand for code that runs.
      const fragment: Fragment = { path: 'src/main/java/A.java', startLine: 1, added, text };
      const { results } = await service.inspect(
        { fragments: [fragment], fingerprintKey: KEY },
        CONTEXT,
      );
      const own = score(results[0]?.findings ?? []);
      scores.push(own);
      const name = path.slice(path.lastIndexOf('/') + 1);
      if (own.found < own.weak) missed.push([name, 'missed', own.weak - own.found]);
      if (own.alarms > 0) missed.push([name, 'false alarm', own.alarms]);
    }
  };
  const before = process.cpuUsage();
  await inspect();
  const { user, system } = process.cpuUsage(before);
  const cpuMs = (user + system) / 1000;
  const inFile = scores.filter(({ isElsewhere }) => !isElsewhere);
  const groups = [...new Set(scores.map(({ group }) => group))].sort();
  const table: Table = {
    columns: ['group', 'weak', 'found', 'recall %', 'safe', 'false alarms', 'share %'],
    rows: [
      ...groups.map((group) =>
        rowOf(
          group,
          scores.filter((one) => one.group === group),
        ),
      ),
      rowOf('all', scores),
      rowOf('all whose conditions stand in the file', inFile),
    ],
  };
  const list: Table = { columns: ['file', 'what', 'places'], rows: missed };
  return {
    title: 'Weak code beside its safe twin',
    facts: [
      `${scores.length} files, ${(bytes / 1e6).toFixed(1)} MB, CPU ${(cpuMs / 1000).toFixed(1)} s`,
    ],
    tables: options.list ? [table, list] : [table],
    notes: [
      'a weak place counts as found when data from outside reaches a sink of its class there',
    ],
    holds: scores.length > 0,
  };
}

function rowOf(name: string, scores: readonly Score[]): Cell[] {
  const sum = (key: 'weak' | 'found' | 'safe' | 'alarms') =>
    scores.reduce((total, score) => total + score[key], 0);
  const weak = sum('weak');
  const found = sum('found');
  const safe = sum('safe');
  const alarms = sum('alarms');
  return [name, weak, found, (100 * found) / weak, safe, alarms, (100 * alarms) / safe];
}

function javaFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.java'))
    .sort()
    .map((name) => join(folder, name));
}

/** Says how findings of a file count; null: the file is none of a set. */
function scoreOf(path: string, text: string): ((findings: readonly GateFinding[]) => Score) | null {
  const juliet = JULIET.exec(path);
  if (juliet !== null) {
    const [, number = '', source = ''] = juliet;
    const cwe = CWES.get(number);
    if (cwe === undefined || !OUTSIDE.test(source)) return null;
    return (findings) => twinsOf(`CWE-${number}`, cwe, text, findings);
  }
  if (!path.includes('/micro/')) return null;
  return (findings) => marksOf(/\/micro\/(\w+)\//.exec(path)?.[1] ?? '', text, findings);
}

/** Files of one class alone; those of several files have a letter behind the number. */
const JULIET = /\/CWE(\d+)_[^/]*__([^/]*)_\d\d\.java$/;
/** Sources that count as outside: requests, their cookies, and what comes from a network. */
const OUTSIDE =
  /getParameter_Servlet|getQueryString_Servlet|getCookies_Servlet|listen_tcp|connect_tcp|URLConnection/;
/** Classes of the set, and what gate 2 calls them. */
const CWES = new Map([
  ['78', 'CWE-78'],
  ['89', 'CWE-89'],
  ['23', 'CWE-22'],
  ['36', 'CWE-22'],
  ['643', 'CWE-643'],
  ['80', 'CWE-79'],
  ['81', 'CWE-79'],
  ['83', 'CWE-79'],
  ['90', 'CWE-90'],
  ['113', 'CWE-113'],
  ['601', 'CWE-601'],
  ['470', 'CWE-829'],
]);

/** Methods by their names: the bad one and those that it calls, and the good ones. */
function twinsOf(
  group: string,
  cwe: string,
  text: string,
  findings: readonly GateFinding[],
): Score {
  const lines = text.split('\n');
  const found = findings.filter((one) => one.cwe === cwe && isFlow(one));
  const kinds = new Set(found.map(({ line }) => methodAt(lines, line ?? 1)));
  const isElsewhere = /\bIO\.(?:static|STATIC)/.test(text);
  const score = { found: kinds.has('bad') ? 1 : 0, alarms: kinds.has('good') ? 1 : 0 };
  return { group, weak: 1, safe: 1, isElsewhere, ...score };
}

/** Whether data from outside reaches a sink: such findings name the way of the data. */
function isFlow({ flow }: GateFinding): boolean {
  return flow !== undefined;
}

/** Whether the method around a line is named good or bad. */
function methodAt(lines: readonly string[], line: number): string | null {
  for (let index = line - 1; index >= 0; index -= 1) {
    const name = /^ {4}(?:public|private|protected)\b[^=;]*?\b(bad|good)\w*\s*\(/i.exec(
      lines[index] ?? '',
    )?.[1];
    if (name !== undefined) return name.toLowerCase();
  }
  return null;
}

/** Lines that say of themselves that they are bad or not. */
function marksOf(group: string, text: string, findings: readonly GateFinding[]): Score {
  const reported = new Set(findings.filter(isFlow).map(({ line }) => line));
  const marked = (mark: RegExp) =>
    text.split('\n').flatMap((line, index) => (mark.test(line) ? [index + 1] : []));
  const bad = marked(/\/\*\s*BAD\s*\*\//);
  const safe = marked(/\/\*\s*OK\s*\*\//);
  const count = (lines: readonly number[]) => lines.filter((line) => reported.has(line)).length;
  const score = { weak: bad.length, found: count(bad), safe: safe.length, alarms: count(safe) };
  return { group, isElsewhere: false, ...score };
}
