import test from 'ava';
import { createCancelFlag } from '../../src/core/deadline.ts';
import { prepareRules, withoutAssertions } from '../../src/gates/patterns/compile.ts';
import { Work } from '../../src/gates/patterns/match.ts';
import { compileRegex } from '../../src/gates/patterns/regex.ts';
import { CraError } from '../../src/model/errors.ts';
import { DECISIONS } from '../../src/model/limits.ts';
import { redactHunks } from '../../src/redaction/prompt-redactor.ts';
import { redactTexts, withoutSecrets } from '../../src/redaction/redact.ts';
import { createMaskFinder } from '../../src/redaction/secret-search.ts';
import { defaultRules } from '../../src/rules/default.ts';
import { fake } from '../../src/rules/fake.ts';
import { findingsIn, findingsOf } from '../analysis/worker/gates-run.ts';
import { pattern } from '../gates/patterns/scan-text.ts';

const rules = prepareRules(defaultRules);
const redact = (...texts: string[]) => redactTexts(texts, rules, createCancelFlag(), () => []);

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
  [
    'at the end of a long text',
    `${'word '.repeat(798)}${AWS_KEY}`.slice(-DECISIONS.REASON_CHARS_MAX),
  ],
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

/** Rules without keywords match the first two, wherever a range of the text begins and ends. */
const RANGED = [
  `x db.acme.io:5432:shop:app:${fake('', 10)} y`,
  `ci:{SHA}${fake('', 27)}=`,
  `key ${AWS_KEY} is dead`,
];

test('a range of a text shows the secrets that it shows as a text of its own', (t) => {
  const find = createMaskFinder(rules, new Work(createCancelFlag()));
  let found = 0;
  for (const text of RANGED) {
    const bytes = Buffer.from(text);
    const findIn = find.within(bytes);
    for (let start = 0; start < bytes.length; start += 1) {
      for (let end = start + 1; end <= bytes.length; end += 1) {
        const masks = findIn({ start, end }).map((mask) => `${mask.start} ${mask.end}`);
        const alone = find(bytes.subarray(start, end));
        found += alone.length;
        const missing = alone.filter(
          (one) => !masks.includes(`${one.start + start} ${one.end + start}`),
        );
        t.deepEqual(missing, [], text.slice(start, end));
      }
    }
  }
  t.true(found > 100, `${found}`);
});

test('withoutAssertions matches what the expression matches, whatever stands around it', (t) => {
  for (const { id, regex = '', examples } of defaultRules.secret_patterns) {
    if (!/[$^]|\\[bBAz]/.test(regex)) continue;
    const loose = withoutAssertions(regex);
    if (loose === null) return t.fail(id);
    const anywhere = compileRegex(loose);
    for (const text of examples.match) t.true(anywhere.test(Buffer.from(`a${text}a`)), id);
  }
  for (const odd of ['[]a]', '[^]a]', 'a^*b', '\\b?a']) t.is(withoutAssertions(odd), null, odd);
  t.is(withoutAssertions('^[^$[:^alpha:]\\]]\\^\\b$'), '(?:)[^$[:^alpha:]\\]]\\^(?:)(?:)');
});

test('redactTexts takes hostile texts of full length', (t) => {
  const length = DECISIONS.REASON_CHARS_MAX;
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

const REQUEST = {
  repo_name: 'acme/shop',
  branch: 'feature/login',
  commit_message: 'Fix login\n\nThe session was dropped.\n',
  diff: 'x',
};

const read = (over: object) =>
  withoutSecrets({ ...REQUEST, ...over }, rules, createCancelFlag(), () => []);

test('withoutSecrets hides secrets in the commit message and nothing else', (t) => {
  const { commit_message, ...rest } = read({ commit_message: `Rotate\n\nold: ${AWS_KEY}\nend` });
  t.false(commit_message.includes(AWS_KEY.slice(8)), commit_message);
  t.regex(commit_message, /^Rotate\n\nold: .*…\nend$/s);
  t.deepEqual(rest, { repo_name: 'acme/shop', branch: 'feature/login', diff: 'x' });
});

test('withoutSecrets keeps a request without secrets as it is', (t) => {
  t.deepEqual(read({}), REQUEST);
  t.deepEqual(read({ commit_message: '' }), { ...REQUEST, commit_message: '' });
});

for (const field of ['repo_name', 'branch', 'commitSha', 'repoFullName']) {
  test(`withoutSecrets refuses a secret in ${field}`, (t) => {
    const error = t.throws(() => read({ [field]: `o/${AWS_KEY}` }), { instanceOf: CraError });
    t.is(error?.code, 'INVALID_ARGUMENT');
    t.is(error?.details['field'], field);
    t.false(error?.message.includes(AWS_KEY));
  });
}

const TOKEN = 'tok_12345678';

/** A change of a handler that gets `before` as context and `added` as its new line. */
function handler(before: string, added: string, after = ''): string {
  return [
    '--- a/a.js',
    '+++ b/a.js',
    '@@ -1,4 +1,5 @@',
    " const { exec } = require('child_process')",
    " app.get('/', (req, res) => {",
    ` ${before}`,
    `+${added}`,
    ` ${after}`,
    '',
  ].join('\n');
}

const CHANGES: [string, string][] = [
  ['on a line around', handler('', '  const c = req.query.c', `  exec("x -t ${TOKEN} " + c)`)],
  ['in a name on a line around', handler(`  const c = req.headers.${TOKEN}`, '  exec("x " + c)')],
  ['in a name on an added line', handler('', `  exec("x " + req.headers.${TOKEN})`)],
  [
    'where an excerpt ends',
    handler('', '  const c = req.query.c', `  exec(c + "${' x'.repeat(85)} ${TOKEN}")`),
  ],
];

for (const [where, diff] of CHANGES) {
  test(`gate 2 shows no secret ${where}`, async (t) => {
    const findings = await findingsOf(diff);
    const found = findings.find(({ id }) => id === 'vuln-01');
    t.true((found?.flow?.length ?? 0) >= 2);
    t.is(typeof found?.title, 'string');
    t.false(JSON.stringify(findings).includes(TOKEN.slice(4)));
  });
}

test('gate 2 shows no secret in the name of a file, in steps either', async (t) => {
  const text = "const { exec } = require('child_process')\nexec('x ' + req.query.c)\n";
  const named = pattern({ id: 'secret-token', regex: 'tok_[0-9]{8}', keywords: ['tok_'] });
  const findings = await findingsIn(text, { patterns: [named] }, `${TOKEN}/a.js`);
  const found = findings.find(({ id }) => id === 'vuln-01');
  t.true(found?.flow?.every(({ file }) => file === found.file && file.endsWith('/a.js')));
  t.false(JSON.stringify(findings).includes(TOKEN.slice(4)));
});

test('gate 2 shows no beginning of a secret whose end is far away', async (t) => {
  const long = pattern({ id: 'secret-long', regex: 'key_[0-9]+\\.end', keywords: ['key_'] });
  for (const digits of [300, 700]) {
    const secret = `key_${'7'.repeat(digits)}.end`;
    const diff = handler('', `  exec("${secret} " + req.query.c)`);
    const findings = await findingsOf(diff, { patterns: [long] });
    t.deepEqual(findings.map(({ id }) => id).sort(), ['secret-long', 'vuln-01']);
    t.false(JSON.stringify(findings).includes('77777777'), String(digits));
  }
});

test('what gate 2 says and shows is whole where there is no secret', async (t) => {
  const [finding] = await findingsOf(handler('', '  exec("x " + req.query.c)'));
  t.like(finding, {
    id: 'vuln-01',
    excerpt: 'exec("x " + req.query.c)',
    message:
      'An attacker can run any command on the server: request parameter `c` (line 4) reaches ' +
      '`exec` (line 4).',
    title: 'Request parameter `c` reaches a shell command',
  });
});

test('an excerpt of gate 2 is cut', async (t) => {
  const long = handler('', `  exec(req.query.c, "${'word '.repeat(300)}")`);
  const [finding] = await findingsOf(long);
  t.is(finding?.excerpt?.length, 200);
});

test('gate 2 shows no secret in findings beyond the listed ones', async (t) => {
  const calls = Array.from({ length: 600 }, () => `+exec("x -t ${TOKEN} " + c)`);
  const diff = `--- /dev/null\n+++ b/a.js\n@@ -0,0 +1,${calls.length} @@\n${calls.join('\n')}\n`;
  const findings = await findingsOf(diff);
  t.is(findings.filter(({ gate }) => gate === 'ast').length, calls.length);
  t.false(JSON.stringify(findings).includes(TOKEN.slice(4)));
});

const KNOWN = { values: [], numbers: new Map<string, number>(), own: () => [] };

test('redactHunks hides secrets, their repeats, passwords of URLs and addresses of people', (t) => {
  const password = fake('hunter-', 12);
  const texts = [
    `db_password = "${password}"`,
    `# was ${password} before`,
    'url = "https://ann:letmein@db/shop"',
    '# ask ann.miller@corp.example',
    'plain text stays',
  ];
  const lines = texts.map((text, index) => ({ number: index + 1, side: 'added' as const, text }));
  const [hunk] =
    redactHunks([{ path: 'a.py', priority: 0, lines }], rules, createCancelFlag(), KNOWN) ?? [];
  const shown = hunk?.lines.map(({ text }) => text) ?? [];
  t.is(shown.length, texts.length);
  for (const secret of [password, 'letmein', 'ann.miller']) {
    t.false(shown.join('\n').includes(secret), shown.join('\n'));
  }
  t.is(shown[4], 'plain text stays');
});
