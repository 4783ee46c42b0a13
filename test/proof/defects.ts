import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { transformSync } from '@swc/core';
import type { RunOptions } from '../../bench/options.ts';
import type { Report } from '../../bench/report.ts';

const LIST = 'test/proof/seeded-defects.jsonl';
const AVA = 'node_modules/ava/entrypoints/cli.mjs';
/** What tests read beside the compiled code; none of them writes there. */
const LINKED = ['.cache', 'docs', 'node_modules', 'src', 'test', 'tools', 'README.md'];
const COPIED = ['ava.config.js', 'package.json', 'tsconfig.json'];
/** A defect may make a test wait for ever, which the test run then reports. */
const RUN_MS_MAX = 300_000;

/** One line of the list. */
interface Defect {
  /** Below src/ or workers/. */
  file: string;
  /** Stands exactly once in the file. */
  search: string;
  replace: string;
  /** The promise that no longer holds. */
  breaks: string;
  /** The test file that must fail. */
  test: string;
}

/** Puts each defect of the list into a copy of the compiled code and runs the test it names. */
export async function run(options: RunOptions): Promise<Report> {
  const defects = readDefects().filter(({ file, test }) => isWanted(options, file, test));
  const stale = defects.flatMap(staleness);
  if (stale.length > 0) throw new Error(`${LIST} does not fit the source:\n${stale.join('\n')}`);
  const tree = copyTree();
  const missed: string[] = [];
  try {
    const tests = [...new Set(defects.map(({ test }) => test))];
    const unbroken = await runTests(tree, tests);
    if (!unbroken.passes) throw new Error(`tests fail without any defect:\n${unbroken.failed}`);
    for (const [at, defect] of defects.entries()) {
      const isCaught = await isCaughtIn(tree, defect);
      if (!isCaught) missed.push(`${defect.file}: ${defect.breaks} (${defect.test})`);
      const outcome = isCaught ? 'caught' : 'MISSED';
      options.progress(`defects: ${at + 1}/${defects.length} ${outcome}: ${defect.breaks}`);
    }
  } finally {
    rmSync(tree, { recursive: true, force: true });
  }
  return {
    title: 'Seeded defects',
    facts: [`the defects of \`${LIST}\`, each alone in a copy of the compiled code`],
    tables: [
      {
        columns: ['defects', 'number'],
        rows: [
          ['caught by the test that is named', defects.length - missed.length],
          ['**missed**', missed.length],
        ],
      },
    ],
    notes: missed.map((text) => `MISSED: ${text}`),
    holds: missed.length === 0 && defects.length > 0,
  };
}

function readDefects(): Defect[] {
  const lines = readFileSync(LIST, 'utf8').trim().split('\n');
  return lines.map((line) => JSON.parse(line) as Defect);
}

/** `--only` takes a part of a path, of the source or of the test. */
function isWanted({ only }: RunOptions, ...paths: string[]): boolean {
  return only.length === 0 || only.some((part) => paths.some((path) => path.includes(part)));
}

/** Why a defect cannot be put into the source as it is now, in words. */
function staleness({ file, search, test }: Defect): string[] {
  const text = readOrNull(file);
  if (text === null) return [`${file}: there is no such file`];
  const places = text.split(search).length - 1;
  if (places !== 1) return [`${file}: the text stands there ${places} times: ${search}`];
  return readOrNull(test) === null ? [`${test}: there is no such test`] : [];
}

function readOrNull(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

function copyTree(): string {
  const tree = mkdtempSync(join(tmpdir(), 'cra-defects-'));
  for (const name of ['dist', ...COPIED]) cpSync(name, join(tree, name), { recursive: true });
  for (const name of LINKED) symlinkSync(join(process.cwd(), name), join(tree, name));
  return tree;
}

async function isCaughtIn(tree: string, { file, search, replace, test }: Defect): Promise<boolean> {
  const path = join(tree, compiled(file));
  const before = readFileSync(path);
  const defective = readFileSync(file, 'utf8').replace(search, () => replace);
  writeFileSync(path, compile(defective));
  try {
    return !(await runTests(tree, [test])).passes;
  } finally {
    writeFileSync(path, before);
  }
}

function compiled(path: string): string {
  return join('dist', path.replace(/\.ts$/, '.js'));
}

/** As tsc does: types go, and relative imports name the compiled files. */
function compile(source: string): string {
  const { code } = transformSync(source, {
    swcrc: false,
    jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
    module: { type: 'es6' },
  });
  return code.replaceAll(/((?:from|import)\s*\(?\s*['"]\.[^'"]*)\.ts(['"])/g, '$1.js$2');
}

interface Outcome {
  passes: boolean;
  /** Titles of what failed, a line each. */
  failed: string;
}

async function runTests(tree: string, tests: readonly string[]): Promise<Outcome> {
  const args = [AVA, '--tap', '--fail-fast', ...tests.map(compiled)];
  const ava = spawn(process.execPath, args, {
    cwd: tree,
    // `npm test` leaves some cases of these files to the proofs.
    env: { ...process.env, ALL_CASES: '1' },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const late = setTimeout(() => ava.kill(), RUN_MS_MAX * tests.length);
  const exited = new Promise<number | null>((resolve) => ava.once('close', resolve));
  let output = '';
  for await (const chunk of ava.stdout) output += String(chunk);
  const code = await exited;
  clearTimeout(late);
  const failed = output.split('\n').filter((line) => line.startsWith('not ok'));
  return { passes: code === 0, failed: failed.join('\n') };
}
