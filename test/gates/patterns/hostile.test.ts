import test from 'ava';
import { createCancelFlag, raise } from '../../../src/core/deadline.ts';
import { parseDiff } from '../../../src/diff/parse.ts';
import { RISK_GATE } from '../../../src/gates/limits.ts';
import { prepareRules } from '../../../src/gates/patterns/compile.ts';
import { scanRisk } from '../../../src/gates/patterns/scan.ts';
import { CraError } from '../../../src/model/errors.ts';
import { defaultRules } from '../../../src/rules/default.ts';
import { someOf } from '../../some-cases.ts';
import {
  compile,
  KEY,
  newFile,
  pattern,
  placesOf,
  scanDiff,
  scanText,
  workOf,
} from './scan-text.ts';

const PASSWORD = pattern({
  id: 'secret-p',
  regex: '(?i)password\\s*=\\s*"([^"]{8,})"',
  keywords: ['password'],
});

const ODD_BYTES: [title: string, line: Buffer, column: number][] = [
  ['behind a stray byte', Buffer.from('x \xff password = "abcdefgh1"', 'latin1'), 5],
  ['around a stray byte', Buffer.from('password = "abcd\xffefgh1"', 'latin1'), 1],
  ['in Latin-1', Buffer.from('password = "\xe4\xf6\xfc\xdfabcdefgh" ; \xe9', 'latin1'), 1],
  ['around a NUL', Buffer.from('password = "abcd\0efgh1"'), 1],
  ['before a torn character', Buffer.from('password = "abcdefgh1" \xe2\x82', 'latin1'), 1],
  [
    'behind an overlong form',
    Buffer.from('\xc0\xaf\xed\xa0\x80\xf5password = "abcdefgh1"', 'latin1'),
    7,
  ],
  ['behind good characters', Buffer.from('é\u20ac\u{1f600} password = "äöüßabcd"'), 11],
];

for (const [title, line, column] of ODD_BYTES) {
  test(`scanRisk finds a secret ${title}`, (t) => {
    const hunk = { ...PASSWORD, target: 'hunk' as const };
    const always = { ...PASSWORD, keywords: [] };
    for (const rule of [PASSWORD, hunk, always]) {
      t.deepEqual(placesOf(scanText(compile(rule), line)), [`secret-p 1:${column}`]);
    }
    // Without a final newline nothing stands behind the text in memory.
    const torn = newFile(line);
    const found = scanDiff(compile(PASSWORD), torn.subarray(0, torn.length - 1));
    t.deepEqual(placesOf(found), [`secret-p 1:${column}`]);
  });
}

test('scanRisk searches a line of 20 MB around its keywords', (t) => {
  const line = Buffer.alloc(20 * 1024 * 1024, 'x');
  const places = [0, 65_530, 10_000_000, line.length - 26];
  for (const [index, at] of places.entries()) line.write(` password = "abcdefgh${index}" `, at);
  const { regexBytes, findings } = workOf(compile(PASSWORD), newFile(line));
  t.deepEqual(
    placesOf(findings),
    places.map((at) => `secret-p 1:${at + 2}`),
  );
  t.true(regexBytes < 100_000, `${regexBytes}`);
});

test('scanRisk does twice the work for twice the keywords, in one line and in many', (t) => {
  const unit = 'password = secret api_key=:// ghp_ eyJ akia drop chmod eval( ';
  for (const separator of ['', '\n']) {
    const sizes = [1, 2, 4].map((factor) => {
      const text = `${unit.repeat(20)}${separator}`.repeat(200 * factor);
      return workOf(rules, newFile(text)).regexBytes;
    });
    const [one = 0, two = 0, four = 0] = sizes;
    t.true(one > 0);
    t.true(two < 2.2 * one && four < 4.4 * one, sizes.join(' '));
  }
});

test('scanRisk takes 100,000 hunks and 10,000 files', (t) => {
  const head = 'diff --git a/f b/f\n--- a/f\n+++ b/f\n';
  const hunks = Array.from({ length: 100_000 }, (_, index) => {
    const line = 2 * index + 1;
    return `@@ -${line},0 +${line} @@\n+line ${index}\n`;
  });
  const rules = compile(PASSWORD);
  const secret = '@@ -300000,0 +300000 @@\n+password = "abcdefgh1"\n';
  t.deepEqual(placesOf(scanDiff(rules, `${head}${hunks.join('')}${secret}`)), [
    'secret-p 300000:1',
  ]);
  const files = Array.from({ length: 10_000 }, (_, index) => head.replaceAll('f', `f${index}`));
  const found = scanDiff(
    rules,
    `${files.map((file) => `${file}@@ -0,0 +1 @@\n+x\n`).join('')}${head}${secret}`,
  );
  t.deepEqual(placesOf(found), ['secret-p 300000:1']);
});

test('scanRisk says where it stopped reading again, and shows nothing of that line', (t) => {
  // Every match looks at the rest of the line: 4 KB cost 8 MB.
  const greedy = pattern({ id: 'secret-x', regex: 'x(?:.*y)?', keywords: ['x'] });
  const shell = pattern({ id: 'risk-shell', regex: 'curl', keywords: ['curl'] });
  const text = `${'x'.repeat(4_000)}\n`.repeat(120);
  const diff = Buffer.concat([newFile(text), newFile('xxABCDEF curl', 'src/b.txt')]);
  const { regexBytes, findings } = workOf(compile(greedy, shell), diff);
  const unscanned = findings.find(({ id }) => id === 'risk-unscanned');
  t.like(unscanned, { severity: 'high', file: 'src/a.txt' });
  t.regex(unscanned?.message ?? '', /^rule secret-x /);
  t.true((unscanned?.line ?? 0) > 1);
  t.true(regexBytes < 2 ** 30, `${regexBytes}`);
  t.is(findings.find(({ id }) => id === 'risk-shell')?.excerpt, '…');
});

test('scanRisk ends when the flag is raised', (t) => {
  const bytes = newFile('x');
  const { files } = parseDiff(bytes);
  const cancel = createCancelFlag();
  raise(cancel);
  const rules = compile(PASSWORD);
  const error = t.throws(() => scanRisk({ bytes, files, rules, fingerprintKey: KEY, cancel }), {
    instanceOf: CraError,
  });
  t.is(error?.code, 'CANCELLED');
});

test('scanRisk leaves the built-in rules silent on bytes of every kind', (t) => {
  const all = Buffer.from(
    Array.from({ length: 256 }, (_, byte) => byte).filter((byte) => byte !== 10),
  );
  t.deepEqual(scanText(rules, Buffer.concat([all, Buffer.from('\n'), all, all])), []);
});

const rules = prepareRules(defaultRules);

const base64 = (text: string) => Buffer.from(text).toString('base64');
const KEYWORDS = 'password = secret api_key=:// ghp_ eyJ akia token drop chmod eval( kty": key=';
const SENTENCE = '{"password": "not a word", "key": 1} ';

/** Texts of about `size` bytes that make a scan work. */
const HOSTILE: [title: string, text: (size: number) => string][] = [
  ['a line of keywords', (size) => repeat(KEYWORDS, size)],
  ['lines of keywords', (size) => repeat(`${KEYWORDS}\n`, size)],
  ['a line of the base64 alphabet', (size) => 'Ab3/'.repeat(size / 4)],
  ['a line of base64 that is text', (size) => base64(repeat(SENTENCE, size * 0.75))],
  ['base64 in base64', (size) => base64(base64(repeat(SENTENCE, size * 0.56)))],
  ['base64 five times over', (size) => nested(repeat(SENTENCE, size / 4.3), 5)],
  ['many short runs of base64', (size) => repeat(`${base64(SENTENCE)} `, size)],
  ['hex that is text', (size) => Buffer.from(repeat(SENTENCE, size / 2)).toString('hex')],
  ['percent signs', (size) => '%41%'.repeat(size / 4)],
  ['escapes in every run', (size) => repeat('aaaaaaaaaaaaaaaaaaaaaaaa%41.', size)],
  ['percent-encoded base64', (size) => repeat(`%7B${base64(SENTENCE)}%7D`, size)],
  ['open private keys', (size) => repeat('-----BEGIN PRIVATE KEY-----\nAAAA\n', size)],
  ['joined literals', (size) => repeat('"password = " +\n', size)],
  ['joined literals on one line', (size) => repeat(`"password" + `, size)],
  ['escapes', (size) => repeat(String.raw`\/\x41`, size)],
  ['quotes and operators', (size) => repeat(`"+"'+'`, size)],
  ['URLs with half a password', (size) => repeat('postgres://a:bbbbbbbb', size)],
  ['Kubernetes secrets', (size) => repeat('kind: Secret\ndata:\n  a: QUJDREVGR0g=\n', size)],
  ['keys of one JWK', (size) => `{"kty": "oct", ${repeat('"k": 1, "d": 2, ', size)}}`],
  ['settings of a connection', (size) => repeat('server=a;user=b;password= ', size)],
  ['lines that go on', (size) => repeat('password=a\\\n', size)],
  ['invisible characters', (size) => repeat('pass\u200bword="a\u00ad" ', size)],
  ['lines with invisible characters', (size) => repeat('pass\u200bword="a\u00ad"\n', size)],
  ['NULs', (size) => '\0'.repeat(size)],
  ['UTF-16', (size) => repeat([...`${KEYWORDS}\n`].join('\0'), size)],
  ['lines without text', (size) => '\n'.repeat(size)],
];

function repeat(text: string, size: number): string {
  return text.repeat(Math.ceil(size / text.length));
}

function nested(text: string, depth: number): string {
  return depth === 0 ? text : nested(base64(text), depth - 1);
}

for (const [title, text] of someOf(HOSTILE)) {
  test(`scanRisk does at most twice the work for twice as much of ${title}`, (t) => {
    const path = 'deploy/values.yaml';
    const sizes = [1, 2, 4].map((factor) => {
      const { regexBytes, derivedBytes } = workOf(rules, newFile(text(factor * 150_000), path));
      return regexBytes + derivedBytes;
    });
    const [one = 0, two = 0, four = 0] = sizes;
    // A window, a piece or an overlap more or less is not a growth.
    const slack = 2 * RISK_GATE.HUNK_OVERLAP_BYTES;
    t.true(two <= 2.1 * one + slack && four <= 2.1 * two + slack, sizes.join(' '));
  });
}

test('scanRisk bounds what it decodes of a bomb, whatever it is made of', (t) => {
  const bombs = [
    'Ab3/'.repeat(5_000_000),
    base64(base64(repeat(SENTENCE, 6_000_000))),
    repeat(`${base64(repeat(SENTENCE, 900_000))}\n`, 20_000_000),
    '%41'.repeat(5_000_000),
  ];
  for (const bomb of someOf(bombs)) {
    const { derivedBytes } = workOf(rules, newFile(bomb));
    t.true(derivedBytes <= RISK_GATE.DECODED_BYTES_PER_DIFF_MAX, `${derivedBytes}`);
  }
});
