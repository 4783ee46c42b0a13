import test from 'ava';
import { RISK_GATE } from '../../../src/gates/limits.ts';
import { prepareRules } from '../../../src/gates/patterns/compile.ts';
import { defaultRules } from '../../../src/rules/default.ts';
import { fake } from '../../../src/rules/fake.ts';
import { compile, newFile, pattern, placesOf, scanDiff, scanText, workOf } from './scan-text.ts';

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

const TOKEN_RULES = compile(
  pattern({ id: 'secret-tok', regex: 'tok_([A-Z]{12})', keywords: ['tok_'] }),
  pattern({ id: 'risk-x', regex: 'const', keywords: ['const'] }),
);

const JOINED: [title: string, text: string, places: string[]][] = [
  ['joined with + at the end', 'const t = "tok_ABCD" +\n  "EFGHIJKL";', ['1:12-2']],
  ['joined with + at the start', "const t = 'tok_ABCD'\n  + 'EFGHIJKL';", ['1:12-2']],
  ['joined over three lines', 'x("tok_AB" +\n  "CDEF" +\n  "GHIJKL")', ['1:4-3']],
  ['joined by nothing but a line break', 't = ("tok_ABCD"\n     "EFGHIJKL")', ['1:7-2']],
  ['joined with a dot, as in PHP', "$t = 'tok_ABCD' .\n  'EFGHIJKL';", ['1:7-2']],
  ['joined with a backslash', '"tok_ABCD" \\\n"EFGHIJKL"', ['1:2-2']],
  ['joined on one line', 'const t = "tok_ABCD" + "EFGHIJKL";', ['1:12']],
  ['joined on one line, in back quotes', 'const t = `tok_ABCD` + `EFGHIJKL`;', ['1:12']],
  ['joined with CRLF', 'const t = "tok_ABCD" +\r\n  "EFGHIJKL";\r', ['1:12-2']],
  ['joined in the prefix', 'const t = "to" +\n  "k_ABCDEFGHIJKL";', ['1:12-2']],
  [
    'joined and written with an escape',
    String.raw`const t = "\x74ok_ABCD" + "EFGHIJKL";`,
    ['1:12'],
  ],
];

/** Escapes of ASCII, each of which belongs to the token. */
const ESCAPED: [title: string, text: string, places: string[]][] = [
  ['with an escape of two digits', String.raw`t = "tok_ABCD\x45FGHIJKL"`, ['1:6']],
  ['with an escape of eight', String.raw`t = "\U00000074ok_ABCDEFGHIJKL"`, ['1:6']],
  ['with an escape of four', String.raw`t = "\u0074ok_ABCD\u0045FGHIJKL"`, ['1:6']],
  [
    'with an escape in braces',
    String.raw`t = "tok_ABCD\u{45}FGHIJKL", "tok_ABCDEFGH\u{000049}JKL"`,
    ['1:6'],
  ],
];

for (const [title, text, places] of [...JOINED, ...ESCAPED]) {
  test(`scanRisk finds a token ${title}, and shows no part of it`, (t) => {
    const findings = scanText(TOKEN_RULES, text);
    const found = placesOf(findings.filter(({ id }) => id === 'secret-tok'));
    t.deepEqual(
      found,
      places.map((place) => `secret-tok ${place}`),
    );
    const shown = JSON.stringify(findings);
    t.false(shown.includes('EFGH') || shown.includes('GHIJKL'), shown);
  });
}

const APART: [title: string, text: string][] = [
  ['separated by commas', '["tok_ABCD",\n "EFGHIJKL"]'],
  ['with a line between', '"tok_ABCD" +\nx +\n"EFGHIJKL"'],
  ['joined by a variable', '"tok_ABCD" + x + "EFGHIJKL"'],
  ['without quotes behind', '"tok_ABCD" +\nEFGHIJKL'],
  ['around a backslash that is escaped', String.raw`"tok_ABCD\\x45FGHIJKL"`],
  ['around an escape of another alphabet', String.raw`"tok_ABCD\u00e9FGHIJKL"`],
];

for (const [title, text] of APART) {
  test(`scanRisk joins no literals ${title}`, (t) => {
    t.deepEqual(placesOf(scanText(TOKEN_RULES, text)), []);
  });
}

test('scanRisk joins added lines only', (t) => {
  const diff = (marker: string) =>
    `diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1,2 +1,3 @@\n x\n+"tok_ABCD" +\n${marker}"EFGHIJKL"\n`;
  t.is(scanText(TOKEN_RULES, 'x').length, 0);
  for (const [marker, count] of [
    ['+', 1],
    [' ', 0],
    ['-', 0],
  ] as const) {
    const { findings } = workOf(TOKEN_RULES, Buffer.from(diff(marker)));
    t.is(findings.length, count, marker);
  }
});

test('scanRisk reports a token once that a line holds whole', (t) => {
  const findings = scanText(TOKEN_RULES, '"tok_ABCDEFGHIJKL" +\n  "x"');
  t.deepEqual(placesOf(findings), ['secret-tok 1:2']);
});

test('scanRisk looks at a long statement in parts', (t) => {
  const lines = Math.ceil((2 * RISK_GATE.LITERAL_BYTES_MAX) / 100);
  const statement = `${`"${'x'.repeat(96)}" +\n`.repeat(lines)}"tok_ABCD" +\n"EFGHIJKL"`;
  t.deepEqual(placesOf(scanText(TOKEN_RULES, statement)), [
    `secret-tok ${lines + 1}:2-${lines + 2}`,
  ]);
  const { derivedBytes } = workOf(TOKEN_RULES, newFile(statement));
  t.true(derivedBytes <= statement.length);
});

test('scanRisk joins literals anywhere in a long line, in pieces', (t) => {
  const gap = 'x = 1; '.repeat(RISK_GATE.LITERAL_BYTES_MAX / 5);
  const line = `${gap}f("tok_ABCD" + "EFGHIJKL"); ${gap}g('tok_MNOP' + 'QRSTUVWX'); ${gap}`;
  const columns = [...line.matchAll(/tok_/g)].map(({ index }) => index + 1);
  t.deepEqual(
    placesOf(scanText(TOKEN_RULES, line)),
    columns.map((column) => `secret-tok 1:${column}`),
  );
  const { derivedBytes } = workOf(TOKEN_RULES, newFile(line));
  t.true(derivedBytes < 1.2 * line.length, `${derivedBytes}`);
});

const rules = prepareRules(defaultRules);
const TOKEN = fake('ghp_', 36);
const HEAD = TOKEN.slice(0, 19);
const TAIL = TOKEN.slice(19);

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

const token = fake('ghp_', 36);
const head = token.slice(0, 4);
const middle = token.slice(4, 20);
const tail = token.slice(20);

/** Ways of languages to write one text as several literals, or a letter as an escape. */
const WRITTEN: readonly string[] = [
  `t = '${head}' '${middle}' "${tail}"`,
  `t = r'${head}' rb'${middle}' '${tail}'`,
  `T='${head}'"${middle}"'${tail}'`,
  `T=${head}""${middle}''${tail}`,
  `const char *t = "${head}" "${middle}"\n  "${tail}";`,
  `$t = '${head}' . '${middle}' . "${tail}";`,
  `t = '${head}' .. '${middle}' .. '${tail}'`,
  `T = '${head}' << '${middle}' << '${tail}'`,
  `t = "${head}" <> "${middle}${tail}"`,
  `insert into t values ('${head}' || '${middle}' || '${tail}');`,
  `t = "${head}" & "${middle}" & "${tail}"`,
  `string t = "${head}" + @"${middle}" + $"${tail}";`,
  `new StringBuilder("${head}").append("${middle}").append("${tail}")`,
  `const t = '${head}' +\n  "${middle}" +\n  '${tail}';`,
  `"\\147\\150\\160\\137${token.slice(4)}"`,
  `<p>&#103;&#x68;p&#95;${token.slice(4)}</p>`,
  `<p>${[...token].map((char) => `&#${char.charCodeAt(0)};`).join('')}</p>`,
];

test('a token is found however a language joins its parts or writes its letters', (t) => {
  for (const text of WRITTEN) {
    const ids = scanText(rules, text, 'src/a.txt').map(({ id }) => id);
    t.deepEqual(ids, ['secret-github-token'], text);
  }
});

test('literals of their own are not joined', (t) => {
  const rules = compile(pattern({ id: 'secret-key', regex: 'key[A-Z]{8}', keywords: ['key'] }));
  for (const text of [
    `['key', 'QRSTUVWX']`,
    `f('key' ,'QRSTUVWX')`,
    `x.split('').join(' '); 'key' + a + 'QRSTUVWX'`,
    `key=' 'QRSTUVWX`,
    `'key' ? 'QRSTUVWX' : ''`,
    `"key": "QRSTUVWX"`,
  ]) {
    t.deepEqual(placesOf(scanText(rules, text)), [], text);
  }
});

test('base64 that is broken into lines is decoded where two of them meet', (t) => {
  for (const before of [0, 10, 20, 30, 40, 50]) {
    for (const width of [64, 76]) {
      const text = `${'some text '.repeat(6).slice(0, before)} token: ${token} and more of it`;
      const lines = base64(text).replace(new RegExp(`.{${width}}`, 'g'), '$&\n');
      for (const indent of ['', '    ']) {
        const file = `data: |\n${lines.replace(/^/gm, indent)}\n`;
        const ids = scanText(rules, file, 'a.yaml').map(({ id }) => id);
        t.true(ids.includes('secret-github-token'), `${before} ${width}`);
      }
    }
  }
});
