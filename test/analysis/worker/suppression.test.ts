import test from 'ava';
import { MARKERS } from '../../../src/analysis/limits.ts';
import { findMarkers } from '../../../src/analysis/worker/suppress.ts';
import { parseDiff } from '../../../src/diff/parse.ts';
import { plainFinding } from '../../../src/model/finding.ts';
import { newFile, pattern } from '../../gates/patterns/scan-text.ts';
import { findingsIn, findingsOf, short } from './gates-run.ts';

const TOKEN = 'tok_12345678';
/** New markers count for high findings, too. */
const TRUSTING = { pipeline: { own_markers: 'on' } } as const;

/** [what, added text, findings without the note that counts them]. */
const CASES: [string, string, string[]][] = [
  [
    'behind the code',
    `a = "${TOKEN}" # cra-ignore secret-token: made up\n`,
    ['secret-token (cra-ignore: made up)'],
  ],
  [
    'alone on the line before',
    `// cra-ignore secret-token: made up\na = "${TOKEN}"\n`,
    ['secret-token (cra-ignore: made up)'],
  ],
  [
    'between the signs of a comment',
    `/* cra-ignore secret-token: made up */ a = "${TOKEN}"\n`,
    ['secret-token (cra-ignore: made up)'],
  ],
  [
    'with several rules',
    `-- cra-ignore risk-drop , secret-token: a test's own\nDROP TABLE a; ${TOKEN}\n`,
    ["risk-drop (cra-ignore: a test's own)", "secret-token (cra-ignore: a test's own)"],
  ],
  [
    'with the beginning of ids',
    `a = "${TOKEN}" # cra-ignore secret-*: made up\n`,
    ['secret-token (cra-ignore: made up)'],
  ],
  [
    'with a line end of CRLF',
    `a = "${TOKEN}" # cra-ignore secret-token: made up\r\n`,
    ['secret-token (cra-ignore: made up)'],
  ],
  [
    'behind code on the line before',
    `b() # cra-ignore secret-token: b\na = "${TOKEN}"\n`,
    ['secret-token'],
  ],
  ['two lines before', `# cra-ignore secret-token: b\n\na = "${TOKEN}"\n`, ['secret-token']],
  ['on the line after', `a = "${TOKEN}"\n# cra-ignore secret-token: b\n`, ['secret-token']],
  ['for another rule', `a = "${TOKEN}" # cra-ignore risk-drop: made up\n`, ['secret-token']],
  [
    'for the beginning of an id without *',
    `"${TOKEN}" # cra-ignore secret-tok: b\n`,
    ['secret-token'],
  ],
  ['outside of a comment', `a = "${TOKEN}"  cra-ignore secret-token: made up\n`, ['secret-token']],
  [
    'behind a semicolon that ends code',
    `"${TOKEN}"; cra-ignore secret-token: b\n`,
    ['secret-token'],
  ],
  [
    'behind a semicolon that opens a comment',
    `${TOKEN} ; cra-ignore secret-token: b\n`,
    ['secret-token (cra-ignore: b)'],
  ],
  ['as part of a word', `"${TOKEN}" # cra-ignored secret-token: made up\n`, ['secret-token']],
  ['in upper case', `"${TOKEN}" # CRA-IGNORE secret-token: made up\n`, ['secret-token']],
  [
    'with a hyphen that only looks like one',
    `"${TOKEN}" # cra\u2010ignore secret-token: b\n`,
    ['secret-token'],
  ],
  [
    'with a letter that only looks like one',
    `"${TOKEN}" # cr\u0430-ignore secret-token: b\n`,
    ['secret-token'],
  ],
  ['with a sign of no width', `"${TOKEN}" # cra\u200b-ignore secret-token: b\n`, ['secret-token']],
];

for (const [where, text, expected] of CASES) {
  test(`a marker ${where}: ${expected.join(', ')}`, async (t) => {
    const findings = await findingsIn(text);
    t.deepEqual(short(findings.filter(({ id }) => id !== 'marker-used')), expected);
  });
}

/** [what, added text, message]. */
const INVALID: [string, string, RegExp][] = [
  ['no reason', `"${TOKEN}" # cra-ignore secret-token\n`, /gives no reason/],
  ['a colon and no reason', `"${TOKEN}" # cra-ignore secret-token: \n`, /gives no reason/],
  ['dots for a reason', `"${TOKEN}" /* cra-ignore secret-token: ... */\n`, /gives no reason/],
  [
    'signs of no width for a reason',
    `"${TOKEN}" # cra-ignore secret-token: \u200b\u2063\n`,
    /gives no reason/,
  ],
  ['no rule', `"${TOKEN}" # cra-ignore: made up\n`, /does not name its rules/],
  ['every rule', `"${TOKEN}" # cra-ignore *: made up\n`, /does not name its rules/],
  ['a rule of look-alikes', `"${TOKEN}" # cra-ignore s\u0435cret-token: b\n`, /does not name/],
  ['too many rules', `"${TOKEN}" # cra-ignore ${'risk-a,'.repeat(30)}risk-b: b\n`, /more than 20/],
];

for (const [what, text, message] of INVALID) {
  test(`a marker with ${what} suppresses nothing and is reported`, async (t) => {
    const [finding, note, ...others] = await findingsIn(text);
    t.deepEqual(others, []);
    t.is(finding?.suppressed, null);
    t.like(note, { id: 'marker-invalid', severity: 'low', file: 'src/a.txt', line: 1 });
    t.regex(note?.message ?? '', message);
  });
}

const EVAL = 'export default (req, res) => {\n  eval(req.query.x)MARKER\n}\n';

test('no marker suppresses a vulnerability, and the other rules of that marker hold', async (t) => {
  const marker = ` + "${TOKEN}" // cra-ignore vuln-*, vuln-02, secret-token: it is fine`;
  const findings = await findingsIn(EVAL.replace('MARKER', marker), {}, 'src/a.js');
  t.deepEqual(short(findings), [
    'secret-token (cra-ignore: it is fine)',
    'vuln-02',
    'marker-invalid',
    'marker-used',
  ]);
  t.regex(findings[2]?.message ?? '', /names what can never be suppressed/);
});

test('no marker suppresses what tells that something was not looked at', async (t) => {
  const nested = `x = ${'['.repeat(2000)}; eval(a) // cra-ignore ast-unparsed: generated\n`;
  const findings = await findingsIn(nested, {}, 'src/a.js');
  const unparsed = findings.find(({ id }) => id === 'ast-unparsed');
  t.like(unparsed, { severity: 'high', suppressed: null });
});

test('a marker suppresses findings of gate 2', async (t) => {
  const text = '// cra-ignore ast-*: checked\ndb.query("SELECT * FROM t WHERE id=" + x)\n';
  const [finding, note] = await findingsIn(text, { patterns: [], ...TRUSTING }, 'src/a.js');
  t.like(finding, { gate: 'ast', line: 2, suppressed: { by: 'cra-ignore', reason: 'checked' } });
  t.is(note?.id, 'marker-used');
});

test('suppressed findings, however many, hide no vulnerability behind them', async (t) => {
  const text = [
    "import { exec } from 'node:child_process';",
    'export function f(x, y) {',
    '// cra-ignore ast-*: templates of our own',
    'x.innerHTML=y;'.repeat(1_100),
    '}',
    'function g(req, res) { exec(req.query.cmd) }',
    '',
  ].join('\n');
  const findings = await findingsIn(text, { patterns: [], ...TRUSTING }, 'src/a.js');
  const left = findings.filter(({ suppressed }) => suppressed === null);
  const grave = left.filter(({ severity }) => severity === 'high' || severity === 'critical');
  t.deepEqual(
    grave.map(({ id, file }) => `${id} ${file}`),
    ['vuln-01 src/a.js', 'findings-overflow src/a.js'],
  );
});

test('a marker that was there before holds when its line is changed', async (t) => {
  const diff = [
    'diff --git a/a.py b/a.py',
    '--- a/a.py',
    '+++ b/a.py',
    '@@ -1,3 +1,3 @@',
    ' # cra-ignore secret-token: made up',
    '-a = "tok_00000000"',
    `+a = "${TOKEN}"`,
    ' b = 1',
    '',
  ].join('\n');
  t.deepEqual(short(await findingsOf(diff)), ['secret-token (cra-ignore: made up)', 'marker-used']);
  const removed = diff.replace(' # cra', '-# cra').replace('-1,3 +1,3', '-1,3 +1,2');
  t.deepEqual(short(await findingsOf(removed)), ['secret-token']);
});

test('what markers suppress is counted, and how grave it was', async (t) => {
  const line = `"${TOKEN}" # cra-ignore secret-token: made up\n`;
  const findings = await findingsIn(line.repeat(3));
  t.like(findings.at(-1), {
    id: 'marker-used',
    severity: 'info',
    message: '3 findings (worst: medium) are suppressed by comments in the code: secret-token',
  });
});

test('a reason shows no secret, neither a found secret nor a secret that stands in it alone', async (t) => {
  const other = 'tok_99999999';
  const text = [
    `a = "${TOKEN}" # cra-ignore secret-token: ${TOKEN} and ${other} are made up`,
    `/* cra-ignore secret-token: as tok_55555555\u202e\u0007 */ b = "${TOKEN}"`,
    '',
  ].join('\n');
  const findings = await findingsIn(text);
  const json = JSON.stringify(findings);
  for (const secret of [TOKEN, other, 'tok_55555555']) t.false(json.includes(secret.slice(4)));
  t.regex(json, /are made up/);
  t.notRegex(json, /\u202e|\\u0007/);
});

test('a secret in the place of a rule is not shown', async (t) => {
  const text = `a = "${TOKEN}" # cra-ignore x-${TOKEN}, risk-drop: made up\n`;
  const findings = await findingsIn(text);
  t.true(findings.some(({ id }) => id === 'marker-invalid'));
  t.false(JSON.stringify(findings).includes(TOKEN.slice(4)));
});

test('a secret in the reason of an older marker is masked, too', async (t) => {
  const diff = [
    '--- a/a.py',
    '+++ b/a.py',
    '@@ -1,1 +1,2 @@',
    ' # cra-ignore risk-drop: the password is tok_77777777 here',
    '+DROP TABLE users',
    '',
  ].join('\n');
  const [finding] = await findingsOf(diff);
  t.like(finding, { suppressed: { by: 'cra-ignore', reason: 'the password is tok… here' } });
});

test('a long reason is cut', async (t) => {
  const [finding] = await findingsIn(
    `"${TOKEN}" # cra-ignore secret-token: ${'why '.repeat(200)}\n`,
  );
  t.true((finding?.suppressed?.reason.length ?? 999) <= 200);
});

/** [name, line with the token, whether it is for the line before the token instead]. */
const FOREIGN: [string, string][] = [
  ['gitleaks:allow', `"${TOKEN}" # gitleaks:allow`],
  ['trufflehog:ignore', `"${TOKEN}" # trufflehog:ignore`],
  ['ggignore', `"${TOKEN}" # ggignore`],
  ['pragma: allowlist secret', `"${TOKEN}" # pragma: allowlist secret`],
  ['pragma: allowlist secret', `# pragma: allowlist nextline secret\n"${TOKEN}"`],
  ['secretlint-disable-line', `"${TOKEN}" // secretlint-disable-line`],
  ['secretlint-disable-line', `// secretlint-disable-next-line\n"${TOKEN}"`],
  ['nosemgrep', `# nosemgrep: generic.secrets\n"${TOKEN}"`],
  ['nosec', `"${TOKEN}" # nosec B105`],
  ['NOSONAR', `"${TOKEN}" // NOSONAR`],
  ['eslint-disable-line', `"${TOKEN}" // eslint-disable-line no-secrets/no-secrets`],
  ['eslint-disable-line', `// eslint-disable-next-line no-eval\n"${TOKEN}"`],
];

for (const [name, text] of FOREIGN) {
  test(`${text.replace(TOKEN, '...')} holds only where the rules enable it`, async (t) => {
    t.deepEqual(short(await findingsIn(`${text}\n`)), ['secret-token']);
    const enabled = { pipeline: { foreign_markers: [name] } } as Parameters<typeof findingsIn>[1];
    const [finding, note] = await findingsIn(`${text}\n`, enabled);
    t.is(finding?.suppressed?.by, name);
    t.is(note?.id, 'marker-used');
  });
}

test('foreign markers are about what their tool finds, and never about vulnerabilities', async (t) => {
  const pipeline = {
    foreign_markers: ['gitleaks:allow', 'nosemgrep', 'eslint-disable-line'] as const,
  };
  const drop = await findingsIn('DROP TABLE a -- gitleaks:allow\n', { pipeline });
  t.deepEqual(short(drop), ['risk-drop']);
  const style = await findingsIn('DROP TABLE a // eslint-disable-line semi\n', { pipeline });
  t.deepEqual(short(style), ['risk-drop']);
  const vuln = await findingsIn(EVAL.replace('MARKER', ' // nosemgrep'), { pipeline }, 'src/a.js');
  t.deepEqual(short(vuln), ['vuln-02']);
});

test('an accepted fingerprint suppresses its finding wherever it moves, in its repository', async (t) => {
  const [before] = await findingsIn(`a = "${TOKEN}"\n`);
  const fingerprint = before?.fingerprint ?? '';
  const moved = `\n\nlet other = "${TOKEN}"\nb = "tok_11111111"\n`;
  const entry = { fingerprint, reason: 'rotated', by: 'alice', repo: 'Shop' };
  const findings = await findingsIn(moved, { accepted: [entry] }, 'lib/b.js');
  t.deepEqual(short(findings), ['secret-token (alice: rotated)', 'secret-token']);
  const elsewhere = await findingsIn(moved, { accepted: [entry], repoName: 'other' });
  t.deepEqual(short(elsewhere), ['secret-token', 'secret-token']);
});

const CRITICAL = pattern({
  id: 'secret-token',
  severity: 'critical',
  regex: '(tok_[0-9]{8})',
  keywords: ['tok_'],
});

test('no accepted fingerprint suppresses what was not looked at or not listed', async (t) => {
  const binary = 'diff --git a/a.js b/a.js\nBinary files a/a.js and b/a.js differ\n';
  const many = Array.from({ length: 120 }, (_, i) => `"tok_${10_000_000 + i}"\n`).join('');
  for (const diff of [Buffer.from(binary), newFile(many)]) {
    const found = await findingsOf(diff, { patterns: [CRITICAL] });
    const accepted = found.map(({ fingerprint }) => ({ fingerprint, reason: 'known' }));
    const left = (await findingsOf(diff, { patterns: [CRITICAL], accepted })).filter(
      ({ suppressed }) => suppressed === null,
    );
    t.is(left.length, 1);
    t.true(left[0]?.severity === 'high' || left[0]?.severity === 'critical');
  }
});

test('a change to rules files and ignore lists is judged by the active rules', async (t) => {
  const paths = ['rules.json', '.gitleaks.toml', '.gitleaksignore', '.semgrepignore'];
  for (const path of paths) {
    const text = `"disabled_rules": ["secret-token"], foreign_markers: ["nosec"] # nosec\n${TOKEN}\n`;
    t.deepEqual(short(await findingsIn(text, {}, path)), ['secret-token']);
  }
});

test('markers in huge numbers: those beyond the bound suppress nothing, and that is reported', async (t) => {
  const count = MARKERS.PER_DIFF_MAX + 50;
  const patterns = Array.from({ length: 15 }, (_, index) => ({
    regex: `k${index}x[0-9]+`,
    keywords: [`k${index}x`],
  }));
  const rules = patterns.map((fields, index) => ({
    id: `risk-k${index}`,
    description: 'x',
    severity: 'medium' as const,
    message: 'found',
    source: 'https://example.com/',
    examples: { match: [], noMatch: [] },
    ...fields,
  }));
  const line = (i: number) => `k${Math.floor(i / 90)}x${i} # cra-ignore risk-*: many\n`;
  const text = Array.from({ length: count }, (_, i) => line(i)).join('');
  const findings = await findingsIn(text, { patterns: rules });
  const suppressed = findings.filter((finding) => finding.suppressed !== null);
  t.is(suppressed.length, MARKERS.PER_DIFF_MAX);
  t.true(
    findings.some(({ id, message }) => id === 'marker-invalid' && /1000 markers/.test(message)),
  );
});

test('a line of 20 MB holds no marker, however many stand in it', async (t) => {
  const line = `${TOKEN} # ${'cra-ignore secret-token: x '.repeat(800_000)}`;
  const findings = await findingsIn(`${line}\n`);
  t.deepEqual(short(findings), ['secret-token']);
});

test('no marker counts in a file of which the diff shows several states', async (t) => {
  const state = (added: string) =>
    ['--- a/a.py', '+++ b/a.py', '@@ -1,1 +1,2 @@', ' a', `+${added}`, ''].join('\n');
  const marker = '# cra-ignore secret-token: made up';
  for (const first of [marker, `b = 1 ${marker}`]) {
    const findings = await findingsOf(state(first) + state(`"${TOKEN}"`));
    t.deepEqual(short(findings), ['secret-token', 'marker-invalid']);
    t.regex(findings[1]?.message ?? '', /more than once/);
  }
  const deleted = state(marker).replace('+++ b/a.py', '+++ /dev/null').replace('+1,2', '+0,0');
  const retyped = deleted.replace('-1,1', '-1,2').replace(' a\n+', '-a\n-');
  const findings = await findingsOf(retyped + state(`"${TOKEN}" ${marker}`));
  t.deepEqual(short(findings), ['secret-token (cra-ignore: made up)', 'marker-used']);
});

test('a file that the diff names again and again is reported once', async (t) => {
  const section = newFile(`"${TOKEN}" # cra-ignore secret-token: made up\n`).toString();
  const findings = await findingsOf(section.repeat(3_000));
  t.is(findings.find(({ id }) => id === 'secret-token')?.suppressed, null);
  t.is(findings.filter(({ id }) => id === 'marker-invalid').length, 1);
});

test('findMarkers reads markers among 150,000 findings', (t) => {
  const count = 150_000;
  const bytes = newFile('# cra-ignore secret-*: many\n'.repeat(count));
  const { files } = parseDiff(bytes);
  const findings = Array.from({ length: count }, (_, index) =>
    plainFinding({
      id: 'secret-a',
      gate: 'risk',
      severity: 'high',
      message: 'found',
      file: 'src/a.txt',
      line: index + 1,
    }),
  );
  const reasons = { read: () => 'many' };
  const settings = { block_severities: [], block_score: null };
  const search = { bytes, files, findings, settings, trees: null, nowMs: 0, reasons };
  const { markers, problems } = findMarkers(search);
  t.is(markers.length, MARKERS.PER_DIFF_MAX);
  t.is(problems.length, 1);
});

test('a line full of words that are not markers costs one pass', async (t) => {
  const line = `${TOKEN} ${'xcra-ignore'.repeat(350)}\n`;
  t.deepEqual(short(await findingsIn(line.repeat(5_000))).slice(0, 1), ['secret-token']);
});
