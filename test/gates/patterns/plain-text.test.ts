import test from 'ava';
import { compileRules } from '../../../src/gates/patterns/compile.ts';
import { RISK_GATE } from '../../../src/limits.ts';
import { defaultRules } from '../../../src/rules/default.ts';
import { fake } from '../../../src/rules/fake.ts';
import { compile, newFile, pattern, placesOf, scanDiff, scanText, workOf } from './scan-text.ts';

const rules = compileRules(defaultRules);
const TOKEN = fake('ghp_', 36);
const [HEAD, TAIL] = [TOKEN.slice(0, 19), TOKEN.slice(19)];

const secrets = (text: string | Buffer, path?: string) =>
  scanText(rules, text, path).filter(({ id }) => id.startsWith('secret-'));

const utf16be = (text: string) => Buffer.from(text, 'utf16le').swap16();
const UTF16: [string, Buffer][] = [
  ['UTF-16LE', Buffer.from(`# a\r\n$t = "${TOKEN}"\r\n`, 'utf16le')],
  ['UTF-16LE with a mark', Buffer.from(`\ufeff# a\r\n$t = "${TOKEN}"\r\n`, 'utf16le')],
  ['UTF-16BE', utf16be(`# a\r\n$t = "${TOKEN}"\r\n`)],
  ['UTF-16BE with a mark', utf16be(`\ufeff# a\r\n$t = "${TOKEN}"\r\n`)],
  ['UTF-32', Buffer.from([...`# a\n$t = "${TOKEN}"\n`].map((char) => `${char}\0\0\0`).join(''))],
];

for (const [title, bytes] of UTF16) {
  test(`scanRisk finds a token in ${title}`, (t) => {
    const [finding, ...rest] = secrets(bytes, 'a.ps1');
    t.deepEqual(rest, []);
    t.like(finding, { id: 'secret-github-token', line: 2, end_line: 2 });
    t.regex(finding?.message ?? '', /UTF-16/);
    t.false((finding?.excerpt ?? '').replaceAll(/[^\w]/g, '').includes(TAIL));
  });
}

test('scanRisk finds a private key and a risk in UTF-16', (t) => {
  const body = Array.from({ length: 6 }, () => fake('', 64)).join('\n');
  const kind = 'PRIVATE KEY';
  const key = `-----BEGIN ${kind}-----\n${body}\n-----END ${kind}-----\n`;
  t.deepEqual(placesOf(secrets(Buffer.from(key, 'utf16le'))), placesOf(secrets(key)));
  t.deepEqual(placesOf(secrets(key)).length, 1);
  const risk = compile(pattern({ id: 'risk-drop', regex: 'DROP TABLE', keywords: ['drop'] }));
  t.deepEqual(placesOf(scanText(risk, utf16be('a\nDROP TABLE b\n'), 'a.sql')), ['risk-drop 2:2']);
});

for (const code of [0x200b, 0x200c, 0x200d, 0x2060, 0xfeff, 0xad, 0x200e, 0xfe0f]) {
  const char = String.fromCodePoint(code);
  const name = `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
  test(`scanRisk finds a token with ${name} in it`, (t) => {
    for (const token of [
      `${HEAD}${char}${TAIL}`,
      [...TOKEN].join(char),
      `gh${char}p_${TOKEN.slice(4)}`,
    ]) {
      const [finding, ...rest] = secrets(`first\n  token = "${token}"\n`);
      t.deepEqual(rest, []);
      t.like(finding, { id: 'secret-github-token', line: 2, column: 12 });
      t.false(finding?.excerpt?.replaceAll(/[^\w]/g, '').includes(TAIL));
    }
  });
}

test('scanRisk finds what invisible characters keep from the start of a line', (t) => {
  for (const start of ['\u200b', '\ufeff', ' \u2060']) {
    const found = secrets(`${start}API_SECRET=${'q8Zr2Lw5Nn7Yt1Vb3Kc6'}\n`, '.env');
    t.deepEqual(placesOf(found).length, 1, JSON.stringify(start));
  }
});

const CONTINUED: [string, string, string][] = [
  ['a shell script', `export T=${HEAD}\\\n${TAIL}\n`, 'run.sh'],
  ['a shell script with CRLF', `export T=${HEAD}\\\r\n${TAIL}\r\n`, 'run.sh'],
  ['a recipe', `x:\n\tcurl -H ${HEAD}\\\n\t${TAIL}\n`, 'Makefile'],
  ['a Dockerfile', `RUN login ${HEAD}\\\n${TAIL}\n`, 'Dockerfile'],
  ['a Dockerfile with blanks', `RUN login ${HEAD}\\ \t\n  ${TAIL}\n`, 'Dockerfile'],
  ['a string of C', `char *t = "${HEAD}\\\n${TAIL}";\n`, 'a.c'],
  ['a string of Rust', `let t = "${HEAD}\\\n        ${TAIL}";\n`, 'a.rs'],
  ['three lines', `T=${TOKEN.slice(0, 9)}\\\n${TOKEN.slice(9, 19)}\\\n${TAIL}\n`, 'run.sh'],
];

for (const [title, text, path] of CONTINUED) {
  test(`scanRisk finds a token that line ends divide in ${title}`, (t) => {
    const found = secrets(text, path);
    t.deepEqual(
      found.map(({ id }) => id),
      ['secret-github-token'],
    );
    t.true((found[0]?.end_line ?? 0) > (found[0]?.line ?? 0));
    t.false(found[0]?.excerpt?.includes(HEAD.slice(5)));
  });
}

test('scanRisk joins only lines that follow each other in the new file', (t) => {
  const diff = `--- a/run.sh\n+++ b/run.sh\n@@ -1 +1,3 @@\n+T=${HEAD}\\\n kept\n+${TAIL}\n`;
  t.deepEqual(scanDiff(rules, diff), []);
  t.deepEqual(secrets(`T=${HEAD}\\\\\n${TAIL}\n`, 'run.sh'), []);
});

test('scanRisk reads nothing twice where invisible characters are part of the writing', (t) => {
  const ordinary = [
    '\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645', // Persian
    '\u{1f468}\u200d\u{1f469}\u200d\u{1f467} \u2764\ufe0f',
    'docker run \\',
    '  --rm a \\\\',
  ];
  t.is(workOf(rules, newFile(ordinary.join('\n'), 'a.md')).derivedBytes, 0);
  t.is(workOf(rules, newFile('\ufeffusing System;\n', 'a.cs')).derivedBytes, 0);
});

test('scanRisk finds a divided token wherever the pieces of a long hunk or line end', (t) => {
  const divided = `${HEAD}\u200b${TAIL}`;
  for (const before of [-40, -20, -3, 0, 3].map((shift) => RISK_GATE.HUNK_WINDOW_BYTES + shift)) {
    const lines = `${'a'.repeat(99)}\n`.repeat(before / 100) + 'a'.repeat((before % 100) - 1);
    t.is(secrets(`${lines} ${divided}\n`).length, 1, `${before} in lines`);
    t.is(secrets(`${'a'.repeat(before)} ${divided}\n`).length, 1, `${before} in a line`);
  }
});
