import test from 'ava';
import { compileRules } from '../../../src/gates/patterns/compile.ts';
import { RISK_GATE } from '../../../src/limits.ts';
import { defaultRules } from '../../../src/rules/default.ts';
import { newFile, workOf } from './scan-text.ts';

const rules = compileRules(defaultRules);

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

for (const [title, text] of HOSTILE) {
  test(`scanRisk does at most twice the work for twice as much of ${title}`, (t) => {
    const path = 'deploy/values.yaml';
    const sizes = [1, 2, 4].map((factor) => {
      const { regexBytes, derivedBytes } = workOf(rules, newFile(text(factor * 150_000), path));
      return regexBytes + derivedBytes;
    });
    const [one = 0, two = 0, four = 0] = sizes;
    // A window, a piece or an overlap more or less is no growth.
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
  for (const bomb of bombs) {
    const { derivedBytes } = workOf(rules, newFile(bomb));
    t.true(derivedBytes <= RISK_GATE.DECODED_BYTES_PER_DIFF_MAX, `${derivedBytes}`);
  }
});
