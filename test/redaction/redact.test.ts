import test from 'ava';
import { createCancelFlag } from '../../src/core/cancel-flag.ts';
import { compileRules } from '../../src/gates/patterns/compile.ts';
import { AUDIT } from '../../src/limits.ts';
import { redactTexts } from '../../src/redaction/redact.ts';
import { defaultRules } from '../../src/rules/default.ts';
import { fake } from '../../src/rules/fake.ts';

const rules = compileRules(defaultRules);
const redact = (...texts: string[]) => redactTexts(texts, rules, createCancelFlag());

const AWS_KEY = ['AKIA', 'Z7QXN4M2LPKD3WVT'].join('');
const SECRET_PART = AWS_KEY.slice(6);
const base64 = (text: string) => Buffer.from(text).toString('base64');

/** [where a secret stands, text]. */
const CASES: [string, string][] = [
  ['in one line', `the key ${AWS_KEY} is dead`],
  ['in one of several lines', `first\nkey: ${AWS_KEY}\r\nlast`],
  ['alone', AWS_KEY],
  ['over two lines', `the key\n${AWS_KEY.slice(0, 9)}\n${AWS_KEY.slice(9)}\nis dead`],
  ['over two lines with CRLF', `x ${AWS_KEY.slice(0, 9)}\r\n${AWS_KEY.slice(9)} y`],
  ['over indented lines', `key ${AWS_KEY.slice(0, 5)}\n    ${AWS_KEY.slice(5)}`],
  ['over lines of a command', `aws --id ${AWS_KEY.slice(0, 9)}\\\n  ${AWS_KEY.slice(9)} s3 ls`],
  ['over three lines', AWS_KEY.replace(/^(.{7})(.{7})/, '$1\n$2\n')],
  [
    'among lines of words',
    `see the key${AWS_KEY.slice(0, 2)}\nand\n${AWS_KEY.replace('X', 'X\n')}\nis dead`,
  ],
  ['in joined literals', `run "${AWS_KEY.slice(0, 9)}" + "${AWS_KEY.slice(9)}" now`],
  ['in base64', `echo ${base64(`aws_access_key_id=${AWS_KEY}`)} | base64 -d`],
  ['in base64 of base64', `echo ${base64(`x ${base64(`key = ${AWS_KEY}`)}`)} | base64 -d`],
  ['at the end of a long text', `${'word '.repeat(798)}${AWS_KEY}`.slice(-AUDIT.REASON_CHARS_MAX)],
  ['among other alphabets', `Schlüssel ключ 鍵 🔑 ${AWS_KEY} ende`],
];

for (const [where, text] of CASES) {
  test(`redactTexts hides a secret ${where}`, (t) => {
    const [shown = ''] = redact(text);
    const plain = shown.replace(/[\s\\]/g, '');
    t.false(plain.includes(SECRET_PART), shown);
    t.false(plain.includes(AWS_KEY.slice(9)), shown);
    t.false(plain.includes(base64(AWS_KEY).slice(4, 12)), shown);
    t.true(shown.includes('…'));
  });
}

test('redactTexts hides what is longer than lines', (t) => {
  const pemLines = Array.from({ length: 12 }, () => fake('', 64));
  const header = ['-----BEGIN', 'RSA PRIVATE KEY-----'].join(' ');
  const pem = [header, ...pemLines, header.replace('BEGIN', 'END')].join('\n');
  const [shown = ''] = redact(`the key was\n${pem}\nand is gone`);
  t.false(shown.includes(pemLines[0]?.slice(0, 20) ?? ''), shown);
  t.true(shown.startsWith('the key was\n') && shown.endsWith('\nand is gone'), shown);

  const claims = base64(JSON.stringify({ sub: 'ann', aud: 'shop', note: fake('', 80) }));
  const header64 = base64(JSON.stringify({ alg: 'RS256', typ: 'JWT' }));
  const jwt = `${header64}.${claims}.${fake('', 86)}`.replaceAll('=', '');
  const wrapped = jwt.replace(/(.{76})/g, '$1\n');
  const [told = ''] = redact(`curl -H "Authorization: Bearer\n${wrapped}" x`);
  t.false(told.includes(claims.slice(20, 40)), told);
  t.false(told.includes(fake('', 86).slice(20, 40)), told);
});

test('redactTexts leaves the words around a secret', (t) => {
  t.deepEqual(redact(`rotated:\nthe key ${AWS_KEY} is dead\nsee OPS-12`), [
    'rotated:\nthe key AKIA… is dead\nsee OPS-12',
  ]);
});

test('redactTexts hides a secret of one text in all of them', (t) => {
  const password = ['p4ssW0rd', 'kT9x', 'vQ2z'].join('-');
  const texts = redact(`psql postgres://app:${password}@db/shop`, `it said ${password} here`);
  t.false(texts.join('\n').includes(password), texts.join('\n'));
});

test('redactTexts gives texts without secrets back as they are', (t) => {
  const texts = [
    'False positive: the sample key of the vendor.\nSee https://example.com/wiki/Keys#rotation',
    'kubectl -n shop rollout restart deployment/api && helm upgrade --set image.tag=v1.2.3 api',
    'd2ec1b8f0a 🚀\ttab\r\n"a" + "b"',
    '',
  ];
  t.deepEqual(redact(...texts), texts);
});

test('redactTexts takes hostile texts of full length', (t) => {
  const length = AUDIT.REASON_CHARS_MAX;
  for (const text of [
    '\n'.repeat(length),
    '" + "'.repeat(length / 5),
    ' \\\n'.repeat(length / 3),
    `${AWS_KEY}\n`.repeat(length / 21),
    'QUJD'.repeat(length / 4),
    `${' '.repeat(length - 2)}\n "`,
    '%41'.repeat(length / 3),
  ]) {
    const [shown = ''] = redact(text);
    t.false(shown.includes(SECRET_PART));
    t.true(shown.length <= text.length);
  }
});
