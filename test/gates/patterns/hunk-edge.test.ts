import { generateKeyPairSync } from 'node:crypto';
import { rootCertificates } from 'node:tls';
import test from 'ava';
import { createCancelFlag } from '../../../src/core/deadline.ts';
import { parseDiff } from '../../../src/diff/parse.ts';
import { prepareRules } from '../../../src/gates/patterns/compile.ts';
import { scanRisk } from '../../../src/gates/patterns/scan.ts';
import { findWideContext } from '../../../src/gates/patterns/wide-context.ts';
import { defaultRules } from '../../../src/rules/default.ts';
import { fake } from '../../../src/rules/fake.ts';
import { someOf } from '../../some-cases.ts';
import { KEY, newFile, scanDiff, scanText } from './scan-text.ts';

const rules = prepareRules(defaultRules);

/** A change of one hunk, whose lines start with their markers. */
function change(path: string, lines: readonly string[]): string {
  const count = (marks: string) => lines.filter((line) => marks.includes(line[0] ?? '')).length;
  const range = `-10,${count(' -')} +10,${count(' +')}`;
  const names = `diff --git a/${path} b/${path}\n--- a/${path}\n+++ b/${path}\n`;
  return `${names}@@ ${range} @@\n${lines.join('\n')}\n`;
}

const PEM = generateKeyPairSync('rsa', { modulusLength: 1024 })
  .privateKey.export({ type: 'pkcs8', format: 'pem' })
  .toString()
  .trim()
  .split('\n');
const BEGIN = PEM[0] ?? '';
const END = PEM.at(-1) ?? '';
const BODY = PEM.slice(1, -1);
const OPENSSH_BODY = [
  'b3BlbnNzaC1rZXktdjEAAAAACmFlczI1Ni1jdHIAAAAGYmNyeXB0AAAAGAAAABDx9+kQ',
  ...BODY.slice(1),
];
const mark = (marker: string, lines: readonly string[]) => lines.map((line) => marker + line);
const HEAD_REF = `          ref: \${{ github.event.pull_request.head.sha }}`;

const CHANGES: readonly (readonly [title: string, path: string, lines: string[], ids: string[]])[] =
  [
    [
      'a private key whose first and last lines stay',
      'deploy/key.txt',
      [` ${BEGIN}`, ...mark('-', ['oldoldold']), ...mark('+', BODY), ` ${END}`],
      ['secret-private-key'],
    ],
    [
      'the first line of a private key, put before its body',
      'deploy/key.txt',
      ['+-----BEGIN OPENSSH PRIVATE KEY-----', ...mark(' ', OPENSSH_BODY)],
      ['secret-private-key'],
    ],
    [
      'one line of a private key',
      'deploy/key.txt',
      [` ${BEGIN}`, ...mark(' ', BODY.slice(0, 3)), `-${BODY[4]}`, `+${BODY[3]}`, ` ${END}`],
      ['secret-private-key'],
    ],
    [
      'a removed line that kept a private key apart',
      'deploy/key.txt',
      [` ${BEGIN}`, '-<redacted>', ...mark(' ', BODY), ` ${END}`],
      ['secret-private-key'],
    ],
    [
      'no private key that stays as it was',
      'deploy/key.txt',
      ['+hello', ` ${BEGIN}`, ...mark(' ', BODY), ` ${END}`, '-bye'],
      [],
    ],
    [
      'the checkout in a workflow whose trigger stays',
      '.github/workflows/ci.yml',
      [' on: pull_request_target', ' jobs:', '   build:', `+${HEAD_REF}`],
      ['risk-workflow-untrusted-checkout'],
    ],
    [
      'the trigger of a workflow whose checkout stays',
      '.github/workflows/ci.yml',
      [
        '-on: pull_request',
        '+on: workflow_run',
        ' jobs:',
        `${HEAD_REF.replace('pull_request.head.sha', 'workflow_run.head_sha')}`,
      ],
      ['risk-workflow-untrusted-checkout'],
    ],
    [
      'the trigger of a workflow behind its checkout',
      '.github/workflows/ci.yml',
      [' jobs:', '   build:', ` ${HEAD_REF}`, '+on: [push, pull_request_target]'],
      ['risk-workflow-untrusted-checkout'],
    ],
    [
      'a second checkout behind one that stays',
      '.github/workflows/ci.yml',
      [' on: pull_request_target', ` ${HEAD_REF}`, `+${HEAD_REF}`],
      ['risk-workflow-untrusted-checkout'],
    ],
  ];

for (const [title, path, lines, ids] of CHANGES) {
  test(`multi-line rules match over the new side: ${title}`, (t) => {
    const found = scanDiff(rules, change(path, lines)).filter(({ severity }) => {
      return severity === 'critical' || severity === 'high';
    });
    t.deepEqual([...new Set(found.map(({ id }) => id))], ids);
  });
}

test('a finding of several lines starts at its first added line, and shows only added lines', (t) => {
  const first = 'password: hunter2hunter2';
  const last = 'y';
  const lines = [
    ` kind: Secret # ${first}`,
    ' data:',
    '+  token: c2VjcmV0LXZhbHVlLWhlcmU3',
    ` ${last}`,
  ];
  const [finding] = scanDiff(rules, change('deploy/secret.yaml', lines));
  t.is(finding?.id, 'secret-kubernetes-secret');
  t.is(finding?.line, 12);
  t.false(finding?.excerpt?.includes('hunter2') ?? true);
});

const curve = (namedCurve: string) => generateKeyPairSync('ec', { namedCurve });
const rsa = (modulusLength: number) => generateKeyPairSync('rsa', { modulusLength });
const dsa = () => generateKeyPairSync('dsa', { modulusLength: 1024, divisorLength: 160 });
const pss = () => generateKeyPairSync('rsa-pss', { modulusLength: 2048 });
const SECRET = { cipher: 'aes-256-cbc', passphrase: 'x' } as const;

/** To make a long key takes a second. */
const MAKERS = [
  ...[512, 1024, 2048, 3072, 4096].flatMap((bits, index) => [
    ['pkcs8', () => rsa(bits), `RSA ${index}`] as const,
    ['pkcs1', () => rsa(bits), `RSA ${index}`] as const,
  ]),
  ['pkcs8', pss, 'RSA-PSS'] as const,
  ['pkcs8', dsa, 'DSA'] as const,
  ...['prime256v1', 'secp384r1', 'secp521r1', 'secp256k1', 'secp224r1', 'brainpoolP512r1'].flatMap(
    (name) => [
      ['pkcs8', () => curve(name), name] as const,
      ['sec1', () => curve(name), name] as const,
    ],
  ),
  ['pkcs8', () => generateKeyPairSync('ed25519'), 'Ed25519'] as const,
  ['pkcs8', () => generateKeyPairSync('ed448'), 'Ed448'] as const,
  ['pkcs8', () => generateKeyPairSync('x25519'), 'X25519'] as const,
];
const DER_KEYS = someOf(MAKERS).map(([type, make, title]) => [type, make(), title] as const);

/** The base64 of a PEM text, with line breaks, without its first and last lines. */
function bodyOf(pem: string | Buffer): string {
  return pem.toString().trim().split('\n').slice(1, -1).join('\n');
}

for (const [type, { privateKey }, title] of DER_KEYS) {
  test(`a private key is found without its first line: ${type}, ${title}`, (t) => {
    const pem = bodyOf(privateKey.export({ type, format: 'pem' } as never));
    const texts = [pem, `key: "${pem.replaceAll('\n', '')}",`, `"${pem.split('\n').join('\\n')}"`];
    for (const text of texts) {
      const found = scanText(rules, text).filter(({ severity }) => severity === 'critical');
      t.deepEqual([...new Set(found.map(({ id }) => id))], ['secret-der-private-key'], text);
    }
  });
}

const critical = (text: string | Buffer) =>
  scanText(rules, text).flatMap(({ id, severity }) => (severity === 'critical' ? [id] : []));

for (const [type, { privateKey }, title] of DER_KEYS) {
  if (!/^(?:RSA \d|prime256v1|secp384r1|secp521r1|secp256k1|Ed25519|X25519)$/.test(title)) continue;
  test(`a private key is found in hexadecimal: ${type}, ${title}`, (t) => {
    const hex = privateKey.export({ type, format: 'der' } as never).toString('hex');
    const wrapped = (text: string, length: number) => text.match(new RegExp(`.{1,${length}}`, 'g'));
    const texts = [
      `key=${hex.toUpperCase()}`,
      wrapped(hex, 64)?.join('\n') ?? '',
      hex.replace(/..(?!$)/g, '$&:'),
      `char k[] = {\n${wrapped(hex.replace(/../g, '0x$&, '), 72)?.join('\n')}\n};`,
    ];
    for (const text of texts) t.deepEqual(critical(text), ['secret-hex-private-key'], text);
  });
}

test('a private key is found in a binary file that is shown as text, and in the XML of .NET', (t) => {
  for (const { privateKey } of [rsa(2048), curve('prime256v1')]) {
    const der = privateKey.export({ type: 'pkcs8', format: 'der' });
    t.deepEqual(critical(der), ['secret-binary-private-key']);
  }
  const { d = '', n = '' } = rsa(2048).privateKey.export({ format: 'jwk' });
  const base64 = (text: string) => Buffer.from(text, 'base64url').toString('base64');
  const xml = `<RSAKeyValue>\n<Modulus>${base64(n)}</Modulus>\n<D>${base64(d)}</D>\n</RSAKeyValue>`;
  t.deepEqual(critical(xml), ['secret-xml-private-key']);
});

test('an encrypted private key is found without its first line', (t) => {
  for (const { privateKey } of [rsa(2048), curve('prime256v1')]) {
    const pem = bodyOf(privateKey.export({ type: 'pkcs8', format: 'pem', ...SECRET }));
    t.deepEqual([...new Set(scanText(rules, pem).map(({ id }) => id))], ['secret-der-private-key']);
  }
});

test('public keys and certificates are not findings without their first lines', (t) => {
  for (const [, { publicKey }, title] of DER_KEYS) {
    const types = title.startsWith('RSA ') ? (['spki', 'pkcs1'] as const) : (['spki'] as const);
    for (const type of types) {
      const pem = bodyOf(publicKey.export({ type, format: 'pem' } as never));
      t.deepEqual(scanText(rules, pem), [], `${title} ${type}`);
      t.deepEqual(scanText(rules, pem.replaceAll('\n', '')), [], `${title} ${type}`);
      const der = publicKey.export({ type, format: 'der' } as never);
      t.deepEqual(critical(der.toString('hex')), [], `${title} ${type}`);
      t.deepEqual(critical(der), [], `${title} ${type}`);
    }
  }
  const certificates = rootCertificates.map((certificate) => bodyOf(certificate)).join('\n\n');
  t.deepEqual(scanText(rules, certificates), []);
});

const TOKEN = fake('ghp_', 36);
const BLOCK = [
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
  const atMargin = fingerprint(BLOCK.join('\n'), 'a.pem');
  t.regex(atMargin ?? '', /^[0-9a-f]{64}$/);
  const indented = BLOCK.map((line) => `    ${line}`).join('\n');
  t.is(fingerprint(`key: |\n${indented}`, 'b.yaml'), atMargin);
  t.is(fingerprint(BLOCK.join('\r\n'), 'c.pem'), atMargin);
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

const FILLER = 'x'.repeat(1024);
const WORKFLOW = change('.github/workflows/ci.yml', ['-on: push', '+on: pull_request_target']);
const LIST = change('src/names.ts', ['-  somethingThatIsLong,', '+  somethingThatIsLonger,']);
const withContext = (diff: string, kib: number) => {
  const context = ` ${FILLER}\n`.repeat(kib);
  return diff.replace('-10,1 +10,1', `-10,${kib + 1} +10,${kib + 1}`) + context;
};
const repeat = (diff: string, count: number) =>
  Array.from({ length: count }, (_, index) => diff.replaceAll('ci.yml', `ci${index}.yml`)).join('');

/** [what git showed, the diff, what git shows with more context, severity]. */
const WIDE: readonly (readonly [string, string, string | null, string | null])[] = [
  ['all of a workflow', WORKFLOW, withContext(WORKFLOW, 8), null],
  ['a workflow that is too large', WORKFLOW, withContext(WORKFLOW, 193), 'high'],
  ['nothing of a workflow', WORKFLOW, null, 'high'],
  ['nothing of a line that may be of a key', LIST, null, 'medium'],
  ['nothing of a line of a key', change('a.ts', [`-${BODY[4]}`, `+${BODY[3]}`]), null, 'high'],
  ['nothing of a file of keys', LIST.replaceAll('names.ts', 'names.pem'), null, 'high'],
  ['1000 files of 1001', repeat(WORKFLOW, 1001), repeat(WORKFLOW, 1001), 'high'],
  ['the workflow, and 1000 lists not', LIST.repeat(1000) + WORKFLOW, WORKFLOW, 'medium'],
];

for (const [title, diff, wide, severity] of WIDE) {
  test(`context of several lines: git showed ${title}`, (t) => {
    const found = findWideContext(Buffer.from(diff));
    const { bytes, notes } = found?.merge(wide === null ? null : Buffer.from(wide), 2 ** 20) ?? {};
    const ids = notes?.map((note) => [note.id, note.severity]);
    t.deepEqual(ids, severity === null ? [] : [['diff-context-unread', severity]]);
    t.is(bytes?.includes(FILLER), severity === null);
  });
}

test('a diff that would become too long stays as it is, with a finding', (t) => {
  const found = findWideContext(Buffer.from(WORKFLOW));
  const merged = found?.merge(Buffer.from(withContext(WORKFLOW, 8)), 1024);
  t.is(merged?.bytes.toString(), WORKFLOW);
  t.is(merged?.notes[0]?.severity, 'high');
});
