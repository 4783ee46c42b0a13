import { createHash } from 'node:crypto';
import test from 'ava';
import { createRulesCache } from '../../../src/analysis/worker/rules-cache.ts';
import {
  type Changes,
  type Code,
  showChanges,
  showCode,
} from '../../../src/analysis/worker/show-code.ts';
import { createCancelFlag } from '../../../src/core/deadline.ts';
import { compileRegex, type Span } from '../../../src/gates/patterns/regex.ts';
import { type Finding, plainFinding } from '../../../src/model/finding.ts';
import type { RfcRecord } from '../../../src/model/records.ts';
import type { Pattern } from '../../../src/model/rules.ts';
import { defaultRules } from '../../../src/rules/default.ts';
import { newFile } from '../../daemon.ts';
import { AWS_KEY } from '../../decision-calls.ts';
import { someOf } from '../../some-cases.ts';

const RULES = createRulesCache().get('now', defaultRules);

/** A finding on a line of the new file. */
function findingAt(file: string, line: number, over: Partial<Finding> = {}): Finding {
  const plain = plainFinding({ id: 'risk-x', gate: 'risk', severity: 'high', message: 'found' });
  const place = { file, line, end_line: line, column: 1 };
  return { ...plain, ...place, finding_id: `${file}:${line}`, resolved: null, ...over };
}

function show(diff: string, findings: Finding[], revision = 'now'): Code | string {
  return showCode(optionsFor(diff, findings, revision));
}

/** The change of a diff; `judged` is the one of its record. */
function change(diff: string, only: string | null, judged = diff): Changes | string {
  return showChanges(optionsFor(diff, [], 'now', judged), only);
}

function optionsFor(diff: string, findings: Finding[], revision: string, judged = diff) {
  const none = { findings: [] };
  const record = {
    diff_hash: createHash('sha256').update(judged).digest('hex'),
    rules_revision: revision,
    gates: { risk: { findings }, ast: none, llm: none },
  } as unknown as RfcRecord;
  return {
    record,
    diff: Buffer.from(diff),
    rules: RULES,
    revision: 'now',
    cancel: createCancelFlag(),
    own: () => [],
  };
}

function shownIn(code: Code | string): string[] {
  if (typeof code === 'string') throw new Error(code);
  return code.blocks.flatMap(({ lines }) => lines.map(({ text }) => text));
}

/** What the rule's own expression calls the secret. */
function secretOf({ regex }: Pattern, text: string): string {
  const bytes = Buffer.from(text);
  const match = compileRegex(regex ?? '').search(bytes, 0);
  const whole: Span = [match?.start ?? 0, match?.end ?? 0];
  const [start, end] = match?.groups.find((group) => group !== null) ?? whole;
  return bytes.toString('utf8', start, end);
}

interface Example {
  pattern: Pattern;
  text: string;
  secret: string;
}

const EXAMPLES: Example[] = defaultRules.secret_patterns.flatMap((pattern) =>
  pattern.regex === undefined
    ? []
    : pattern.examples.match.map((text) => ({ pattern, text, secret: secretOf(pattern, text) })),
);

/** A file in which the lines of an example stand below an added line with a finding. */
function fileOf(path: string, lines: readonly string[], marker: ' ' | '-' | '+'): string {
  const body = ['+the hit', ...lines.map((line) => `${marker}${line}`)];
  const count = (signs: string) => body.filter((line) => signs.includes(line[0] ?? '')).length;
  const range = `@@ -1,${count(' -')} +1,${count(' +')} @@`;
  const names = `--- a/${path}\n+++ b/${path}`;
  return `diff --git a/${path} b/${path}\n${names}\n${range}\n${body.join('\n')}\n`;
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}

/** Parts of a secret that nobody may read: it as a whole, or its longer lines. */
function partsOf(secret: string): string[] {
  const lines = secret.split('\n').map((line) => line.trim());
  return lines.length === 1 ? [secret] : lines.filter(({ length }) => length >= 16);
}

/** Encoded text: of some rules the examples are bytes, in which signs stand for others. */
const isText = ({ text }: Example) => !/(?![\t\n\r])\p{Cc}/u.test(text);

const FORMS: Record<string, { lines: (one: Example) => string[]; marker: ' ' | '-' | '+' }> = {
  'added lines': { marker: '+', lines: ({ text }) => text.split('\n') },
  'context lines': { marker: ' ', lines: ({ text }) => text.split('\n') },
  'removed lines': { marker: '-', lines: ({ text }) => text.split('\n') },
  'encoded context lines': { marker: ' ', lines: ({ text }) => [`data = "${base64(text)}"`] },
  'encoded removed lines': {
    marker: '-',
    lines: ({ text }) => [`echo ${Buffer.from(text).toString('hex')} | xxd -r -p`],
  },
};

for (const [from, [name, { lines, marker }]] of Object.entries(FORMS).entries()) {
  test(`showCode shows no secret of the examples of the rules in ${name}`, (t) => {
    t.true(EXAMPLES.length > 700);
    const examples = name.startsWith('encoded') ? EXAMPLES.filter(isText) : EXAMPLES;
    for (const example of someOf(examples, from)) {
      const path = example.pattern.examples.path ?? 'src/example.txt';
      const diff = fileOf(path, lines(example), marker);
      const shown = shownIn(show(diff, [findingAt(path, 1)]));
      t.is(shown[0], 'the hit', example.pattern.id);
      const text = shown.join('\n');
      for (const part of partsOf(example.secret)) {
        t.false(text.includes(part), `${example.pattern.id}: ${text}`);
      }
      const left = shown.slice(1).join('');
      t.false(decodes(left, example.secret), `${example.pattern.id}: ${text}`);
    }
  });
}

/** What divides the halves of a secret, and is not part of it for its reader. */
const SPLITS: Record<string, { gap: string; marker: ' ' | '-' }> = {
  'literals of a context line': { gap: '" + "', marker: ' ' },
  'literals of a removed line': { gap: "' . '", marker: '-' },
  'context lines': { gap: '\\\n', marker: ' ' },
};

for (const [from, [name, { gap, marker }]] of Object.entries(SPLITS).entries()) {
  test(`showCode shows no secret of the examples of the rules split over ${name}`, (t) => {
    const leaks: string[] = [];
    for (const { pattern, text, secret } of someOf(EXAMPLES.filter(isText), from)) {
      // Halves of a short one are words, and a line break within a secret is a form of its own.
      if (secret.length < 16 || secret.includes('\n')) continue;
      const half = Math.floor(secret.length / 2);
      const first = secret.slice(0, half);
      const second = secret.slice(half);
      const at = text.lastIndexOf(secret);
      // A plain item of a YAML list has no quotes: its halves are never joined.
      if (gap.includes(' ') && /^\s*- $/.test(text.slice(0, at).split('\n').at(-1) ?? '')) continue;
      // In a list of PgBouncer nothing joins texts.
      if (gap.includes(' ') && /^"[^"]*" "$/.test(text.slice(0, at))) continue;
      const rest = text.slice(at + secret.length);
      const lines = `${text.slice(0, at)}${first}${gap}${second}${rest}`.split('\n');
      const path = pattern.examples.path ?? 'src/example.txt';
      const shown = shownIn(show(fileOf(path, lines, marker), [findingAt(path, 1)])).join('\n');
      if (shown.includes(first) && shown.includes(second)) leaks.push(`${pattern.id}: ${shown}`);
    }
    t.deepEqual(leaks, []);
  });
}

function decodes(text: string, secret: string): boolean {
  const runs = text.match(/[A-Za-z0-9+/=]{16,}/g) ?? [];
  return runs.some((run) =>
    (['base64', 'hex'] as const).some((encoding) =>
      Buffer.from(run, encoding).toString('latin1').includes(secret.slice(0, 12)),
    ),
  );
}

test('showCode keeps within its bounds, and a long line shows the part around its finding', (t) => {
  const long = `${'x = 1; '.repeat(1_000)}HIT();${' y = 2;'.repeat(9_000)}`;
  const lines = Array.from({ length: 12_000 }, (_, index) => `const value${index} = ${index};`);
  const diff = fileOf('src/a.js', [long, ...lines], '+');
  const hit = findingAt('src/a.js', 2, { column: 7_001, severity: 'critical' });
  const others = Array.from({ length: 500 }, (_, at) => findingAt('src/a.js', 40 + at * 23));
  const code = show(diff, [...others, hit]);
  if (typeof code === 'string') return t.fail(code);
  t.true(Buffer.byteLength(JSON.stringify(code)) < 160 * 1024);
  t.is(code.blocks.flatMap(({ finding_ids }) => finding_ids).length + code.left_out, 501);
  t.true(code.left_out > 0);
  const line = code.blocks[0]?.lines.find((one) => one.new === 2);
  t.true(line?.is_cut);
  t.is(line?.text.length, 400);
  t.regex(line?.text ?? '', /HIT\(\);/);
  for (const block of code.blocks) t.true(block.lines.length <= 21);
});

test('showCode hides what other rules took for a secret, and refuses where it cannot know', (t) => {
  const lines = ['const name = "plain-word-of-a-house";', 'log("plain-word-of-a-house");'];
  const diff = fileOf('src/a.js', lines, '+');
  const secret = findingAt('src/a.js', 2, { id: 'secret-house', column: 15 });
  t.deepEqual(shownIn(show(diff, [secret])), ['the hit', ...lines]);
  const shown = shownIn(show(diff, [secret], 'then')).join('\n');
  t.false(shown.includes('plain-word'), shown);
  const overflow = findingAt('src/a.js', 1, { id: 'findings-overflow' });
  t.regex(String(show(diff, [secret, overflow], 'then')), /other rules/);
  t.deepEqual(shownIn(show(diff, [overflow])), ['the hit', ...lines]);
});

test('showCode shows nothing of another diff, or of one with too many secrets', (t) => {
  const diff = fileOf('src/a.js', ['text'], '+');
  const record = { diff_hash: 'f'.repeat(64), rules_revision: 'now' };
  const none = { findings: [] };
  const other = { ...record, gates: { risk: none, ast: none, llm: none } };
  const options = { diff: Buffer.from(diff), rules: RULES, revision: 'now' };
  const code = showCode({
    ...options,
    record: other as unknown as RfcRecord,
    cancel: createCancelFlag(),
    own: () => [],
  });
  t.regex(String(code), /not the judged diff/);
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
  const keys = Array.from({ length: 150 }, (_, index) => {
    const ends = `${letters[index % 32]}${letters[index >> 5]}`;
    return `id = ${['AKIA', 'Z7QXN4M2LPKD3W', ends].join('')}`;
  });
  const full = fileOf('src/a.txt', keys, '+');
  t.regex(String(show(full, [findingAt('src/a.txt', 1)])), /too many secrets/);
});

test('showChanges gives files with their lines, hides secrets, and says what has no room', (t) => {
  const long = Array.from({ length: 30_000 }, (_, n) => `const value${n} = compute(${n});`);
  const diff = [
    newFile('a.js', `const key = '${AWS_KEY}';\nlast();\n`),
    newFile('long.js', `${long.join('\n')}\n`),
    newFile('z.js', 'z();\n'),
  ].join('');
  const changes = change(diff, null);
  if (typeof changes === 'string') throw new Error(changes);
  t.deepEqual(
    changes.files.map(({ file, change: kind, additions, is_cut }) => [
      file,
      kind,
      additions,
      is_cut,
    ]),
    [
      ['a.js', 'added', 2, false],
      ['long.js', 'added', 30_000, true],
      ['z.js', 'added', 1, false],
    ],
  );
  t.false(JSON.stringify(changes).includes(AWS_KEY));
  t.true(JSON.stringify(changes.files[0]).includes('[secret 1]'));
  t.deepEqual(changes.files[1]?.blocks, []);
  const alone = change(diff, 'long.js');
  if (typeof alone === 'string') throw new Error(alone);
  const lines = alone.files[0]?.blocks.flat() ?? [];
  t.true(lines.length > 10_000 && lines.length < 30_000);
  t.is(lines[0]?.text, 'const value0 = compute(0);');
  t.deepEqual(change(diff, 'none.js'), { files: [], left_out: 0 });
});

test('showChanges gives nothing of a diff that is too long or not the judged one', (t) => {
  const diff = newFile('a.js', `${'x'.repeat(99)}\n`.repeat(530_000));
  t.regex(String(change(diff, null)), /up to 52428800 are shown/);
  t.regex(String(change(newFile('a.js', 'a();\n'), null, 'other')), /not the judged diff/);
});
