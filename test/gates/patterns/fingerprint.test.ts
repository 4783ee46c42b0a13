import test from 'ava';
import { createCancelFlag } from '../../../src/core/cancel-flag.ts';
import { parseDiff } from '../../../src/diff/parse.ts';
import { compileRules } from '../../../src/gates/patterns/compile.ts';
import { scanRisk } from '../../../src/gates/patterns/scan.ts';
import { defaultRules } from '../../../src/rules/default.ts';
import { fake } from '../../../src/rules/fake.ts';
import { KEY, newFile, scanText } from './scan-text.ts';

const rules = compileRules(defaultRules);
const TOKEN = fake('ghp_', 36);
const PEM = [
  '-----BEGIN RSA PRIVATE KEY-----',
  fake('MII', 61),
  fake('', 64),
  '-----END RSA PRIVATE KEY-----',
];

/** The fingerprint of the only secret in a file. */
function fingerprint(text: string, path = 'src/a.ts'): string | undefined {
  const found = scanText(rules, text, path).filter(({ id }) => id.startsWith('secret-'));
  return found.length === 1 ? found[0]?.fingerprint : `${found.length} findings`;
}

const plain = fingerprint(`const token = '${TOKEN}';`);

const MOVES: [title: string, text: string, path: string][] = [
  ['to another line', `\n\n\nconst token = '${TOKEN}';`, 'src/a.ts'],
  ['to another file', `const token = '${TOKEN}';`, 'lib/other.ts'],
  ['with other indentation', `\t\t  const token = '${TOKEN}';`, 'src/a.ts'],
  ['to another statement', `call("${TOKEN}", 1)`, 'src/a.ts'],
  ['to a file with CRLF', `const token = '${TOKEN}';\r`, 'src/a.ts'],
  ['into base64', Buffer.from(`token: ${TOKEN}!`).toString('base64'), 'src/a.yaml'],
  ['into two literals', `f("${TOKEN.slice(0, 12)}" +\n  "${TOKEN.slice(12)}")`, 'src/a.ts'],
];

for (const [title, text, path] of MOVES) {
  test(`scanRisk keeps the fingerprint of a secret that moves ${title}`, (t) => {
    t.regex(plain ?? '', /^[0-9a-f]{64}$/);
    t.is(fingerprint(text, path), plain);
  });
}

test('scanRisk keeps the fingerprint of a private key that is indented', (t) => {
  const atMargin = fingerprint(PEM.join('\n'), 'a.pem');
  t.regex(atMargin ?? '', /^[0-9a-f]{64}$/);
  const indented = PEM.map((line) => `    ${line}`).join('\n');
  t.is(fingerprint(`key: |\n${indented}`, 'b.yaml'), atMargin);
  t.is(fingerprint(PEM.join('\r\n'), 'c.pem'), atMargin);
});

test('scanRisk makes fingerprints with its key, so that nobody else can try values', (t) => {
  const bytes = newFile(`const token = '${TOKEN}';`);
  const { files } = parseDiff(bytes);
  const of = (fingerprintKey: Buffer) =>
    scanRisk({ bytes, files, rules, fingerprintKey, cancel: createCancelFlag() }).findings[0]
      ?.fingerprint;
  t.is(of(KEY), plain);
  t.not(of(Buffer.from('another key of the fingerprints!')), plain);
});

test('scanRisk tells two secrets, and two rules, apart', (t) => {
  const other = fingerprint(`const token = '${TOKEN.replace('F4ke', 'F5ke')}';`);
  t.regex(other ?? '', /^[0-9a-f]{64}$/);
  t.not(other, plain);
});

test('scanRisk redacts what others show of the diff, and what they cut off', (t) => {
  const bytes = newFile(`const token = '${TOKEN}'; exec(cmd);`);
  const { files } = parseDiff(bytes);
  const { redact } = scanRisk({
    bytes,
    files,
    rules,
    fingerprintKey: KEY,
    cancel: createCancelFlag(),
  });
  t.is(redact(`const token = '${TOKEN}'; exec(cmd);`), "const token = 'ghp_…'; exec(cmd);");
  t.is(redact(`exec(cmd, '${TOKEN.slice(0, 9)}`), "exec(cmd, '…");
  t.is(redact(`${TOKEN.slice(-9)}'); exec(cmd);`), "…'); exec(cmd);");
  t.is(redact('exec(cmd);'), 'exec(cmd);');
});
