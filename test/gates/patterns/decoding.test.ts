import test from 'ava';
import { compileRules } from '../../../src/gates/patterns/compile.ts';
import { RISK_GATE } from '../../../src/limits.ts';
import { defaultRules } from '../../../src/rules/default.ts';
import { fake } from '../../../src/rules/fake.ts';
import { compile, newFile, pattern, placesOf, scanText, workOf } from './scan-text.ts';

const SECRET = 'QRSTUVWXYZABCDEFGH';
const TEXT = `{"user":"app","key=${SECRET}"}`;
const RULES = compile(
  pattern({ id: 'secret-key', regex: 'key=([A-Z]{8,})', keywords: ['key='] }),
  pattern({
    id: 'secret-block',
    regex: 'BEGIN\\s([A-Z\\s]+)END',
    keywords: ['begin'],
    target: 'hunk',
  }),
  pattern({ id: 'risk-line', regex: 'data' }),
);

const base64 = (text: string | Buffer) => Buffer.from(text).toString('base64');
const url = (text: string) => Buffer.from(text).toString('base64url');
const hex = (text: string) => Buffer.from(text).toString('hex');
const percent = (text: string) =>
  text.replace(/[^\w]/g, (char) => `%${char.charCodeAt(0).toString(16).padStart(2, '0')}`);

const ENCODED: [title: string, encoded: string, via: string][] = [
  ['base64', base64(TEXT), 'base64'],
  ['base64 without padding', base64(TEXT).replace(/=+$/, ''), 'base64'],
  ['base64 for URLs', url(`>>>???${TEXT}`), 'base64'],
  ['base64 of UTF-16', base64(Buffer.from(TEXT, 'utf16le')), 'base64'],
  ['base64 with a name in other letters', base64(`ü ${TEXT}`), 'base64'],
  ['hex', hex(TEXT), 'hex'],
  ['hex with 0x', `0x${hex(TEXT).toUpperCase()}`, 'hex'],
  ['percent-encoding', percent(TEXT), 'percent-encoding'],
  ['base64 in base64', base64(base64(TEXT)), 'base64 in base64'],
  ['hex in base64', base64(hex(TEXT)), 'hex in base64'],
  [
    'base64 in percent-encoding',
    percent(`{"data": "${base64(TEXT)}"}`),
    'base64 in percent-encoding',
  ],
];

for (const [title, encoded, via] of ENCODED) {
  test(`scanRisk finds a secret in ${title}, at its place`, (t) => {
    const line = `  data: "${encoded}" # data`;
    const findings = scanText(RULES, `first\n${line}`);
    t.is(findings.length, 2);
    const finding = findings.find(({ id }) => id === 'secret-key');
    t.like(finding, { id: 'secret-key', line: 2, end_line: 2, file: 'src/a.txt' });
    t.is(finding?.message, `found It stands here encoded (${via}).`);
    const rest = line.slice((finding?.column ?? 0) - 1);
    t.true(rest.replace(/^"/, '').startsWith(encoded.replace('0x', '').slice(0, 8)), rest);
    // Neither the encoded text nor the secret is in any field, of the other rule's finding either.
    const shown = JSON.stringify(findings);
    t.false(shown.includes(SECRET));
    for (let at = 8; at + 8 < encoded.length; at += 4) {
      t.false(shown.includes(encoded.slice(at, at + 8)), shown);
    }
  });
}

test('scanRisk reports no secret of encoded text at depth 3', (t) => {
  const deep = base64(base64(base64(TEXT)));
  t.deepEqual(placesOf(scanText(RULES, deep)), []);
});

test('scanRisk gives a decoded secret the fingerprint of the plain one', (t) => {
  const [plain] = scanText(RULES, `x key=${SECRET};`);
  const [encoded] = scanText(RULES, base64(TEXT), 'other.txt');
  t.is(encoded?.fingerprint, plain?.fingerprint);
});

test('scanRisk runs rules over several lines on decoded text', (t) => {
  const block = 'BEGIN QRSTUVWX\nYZABCDEF\nEND of it';
  const [finding] = scanText(RULES, `x = ${base64(block)}`);
  t.like(finding, { id: 'secret-block', line: 1, end_line: 1, column: 5 });
});

test('scanRisk hides a plain secret that it knows from its encoding', (t) => {
  const findings = scanText(RULES, `${base64(TEXT)}\ndata ${SECRET}`);
  t.is(findings.find(({ line }) => line === 2)?.excerpt, 'data QRST…');
});

test('scanRisk reports a secret once that reads the same decoded', (t) => {
  const findings = scanText(RULES, `https://a.io/%20/key=${SECRET}?x=%20%20%20%20%20%20%20%20`);
  t.is(findings.filter(({ id }) => id === 'secret-key').length, 1);
});

test('scanRisk takes digests, identifiers, paths and images for no text', (t) => {
  const lines = [
    'd41d8cd98f00b204e9800998ecf8427ed41d8cd98f00b204e9800998ecf8427e',
    'sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg==',
    'someVeryLongIdentifierNameThatGoesOnAndOn',
    'node_modules/some-package/dist/index-abcdef',
    'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk',
  ];
  const rules = compileRules(defaultRules);
  const { derivedBytes } = workOf(rules, newFile(lines.join('\n')));
  t.is(derivedBytes, 0);
});

test('scanRisk says when it did not decode everything, without blocking', (t) => {
  const long = base64(TEXT.repeat(100_000));
  const findings = scanText(RULES, `${long}\n${long}`);
  t.like(findings.at(-1), { id: 'risk-undecoded', severity: 'low', line: 1, file: 'src/a.txt' });
  const { derivedBytes } = workOf(RULES, newFile(`${long}\n`.repeat(12)));
  t.true(derivedBytes <= RISK_GATE.DECODED_BYTES_PER_DIFF_MAX);
});

test('scanRisk finds tokens of the built-in rules in Kubernetes and Docker data', (t) => {
  const rules = compileRules(defaultRules);
  const token = fake('ghp_', 36);
  const yaml = `kind: Secret\nmetadata:\n  name: ci\ndata:\n  token: ${base64(token)}`;
  const ids = scanText(rules, yaml, 'deploy/secret.yaml').map(({ id }) => id);
  t.true(ids.includes('secret-github-token'), ids.join());
  const auth = `{"auths":{"ghcr.io":{"auth":"${base64(`ci:${token}`)}"}}}`;
  const found = scanText(rules, auth, 'ci/values.txt');
  t.deepEqual(
    found.map(({ id }) => id),
    ['secret-github-token'],
  );
});
