import { readdirSync, readFileSync } from 'node:fs';
import test from 'ava';
import { mayHoldSink } from '../../../src/gates/syntax/hints.ts';
import type { Fragment } from '../../../src/rpc/contract.ts';
import { fragmentOf, inspect, short } from './code.ts';

/** Labelled code of our own: what must be found, and what looks like it and must not. */
interface Case {
  file: string;
  title: string;
  /** Id of the finding, or `none`. */
  expected: string;
  code: string;
}

/** From the root of the project, where ava runs. */
const FOLDER = 'test/gates/syntax/cases';
const CONTEXT_LINES = 3;

const CASES = readdirSync(FOLDER).flatMap(readCases);
const TRUE_CASES = CASES.filter(({ expected }) => expected !== 'none');
const FALSE_CASES = CASES.filter(({ expected }) => expected === 'none');

/** Cases begin with a line `=== id title`; the code follows. */
function readCases(file: string): Case[] {
  const text = readFileSync(`${FOLDER}/${file}`, 'utf8');
  return text
    .split(/^=== /m)
    .slice(1)
    .map((part) => {
      const [head = '', ...lines] = part.trimEnd().split('\n');
      const [expected = '', ...title] = head.split(' ');
      return { file, title: title.join(' '), expected, code: lines.join('\n') };
    });
}

function pathOf({ code }: Case): string {
  return /^\s*@|: (?:string|Response)\b|\bprivate \w+:/m.test(code) ? 'src/app.ts' : 'src/app.jsx';
}

/** What the gate says of a fragment, prefilter and all. */
function look(fragment: Fragment): string[] {
  if (!mayHoldSink(Buffer.from(fragment.text))) return [];
  return inspect(fragment).findings.map(short);
}

function found({ expected }: Case, findings: readonly string[]): boolean {
  return findings.some((finding) => finding.startsWith(`${expected} `));
}

/** The hunk that a change of one line makes, with three lines of context. */
function hunkAt(code: string, path: string, line: number): Fragment {
  const lines = code.split('\n');
  const first = Math.max(0, line - CONTEXT_LINES);
  const text = lines.slice(first, line + CONTEXT_LINES + 1).join('\n');
  const added: [number, number][] = [[line - first, line - first + 1]];
  return fragmentOf(text, { path, startLine: first + 1, added });
}

for (const item of TRUE_CASES) {
  test(`inspect finds ${item.expected} in ${item.file}: ${item.title}`, (t) => {
    const findings = look(fragmentOf(item.code, { path: pathOf(item) }));
    t.true(found(item, findings), findings.join());
  });
}

for (const item of FALSE_CASES) {
  test(`inspect finds nothing in ${item.file}: ${item.title}`, (t) => {
    t.deepEqual(look(fragmentOf(item.code, { path: pathOf(item) })), []);
  });
}

test('there are at least five true and five false cases of every class', (t) => {
  for (const file of readdirSync(FOLDER)) {
    const own = CASES.filter((item) => item.file === file);
    const isFalse = own.filter(({ expected }) => expected === 'none').length;
    t.true(
      own.length - isFalse >= 5 && isFalse >= 5,
      `${file}: ${own.length - isFalse}/${isFalse}`,
    );
  }
});

test('inspect finds the same in the hunk of the sink line: recall at least 0.7', (t) => {
  const missed = [];
  for (const item of TRUE_CASES) {
    const path = pathOf(item);
    const whole = inspect(fragmentOf(item.code, { path })).findings;
    const line = whole.find(({ id }) => id === item.expected)?.line;
    if (line == null) continue;
    const findings = look(hunkAt(item.code, path, line - 1));
    // The line may not show where the data comes from: then its class is what counts.
    if (findings.length === 0) missed.push(`${item.file}: ${item.title}`);
  }
  const recall = 1 - missed.length / TRUE_CASES.length;
  t.log(`${TRUE_CASES.length} cases, recall ${recall.toFixed(3)}, missed:\n${missed.join('\n')}`);
  t.true(recall >= 0.7);
});

test('inspect finds nothing in any hunk of the false cases, but for 3 %', (t) => {
  const alarms = [];
  let hunks = 0;
  for (const item of FALSE_CASES) {
    const path = pathOf(item);
    for (const [line] of item.code.split('\n').entries()) {
      hunks += 1;
      const findings = look(hunkAt(item.code, path, line));
      if (findings.length > 0) alarms.push(`${item.file}: ${item.title}: ${findings.join()}`);
    }
  }
  const rate = alarms.length / hunks;
  t.log(`${hunks} hunks, false alarms ${rate.toFixed(3)}:\n${alarms.join('\n')}`);
  t.true(rate <= 0.03);
});
