import test from 'ava';
import { withVerdicts } from '../../../src/analysis/worker/components.ts';
import { historyFindings, messageFindings } from '../../../src/analysis/worker/history.ts';
import { createRulesCache } from '../../../src/analysis/worker/rules-cache.ts';
import { createCancelFlag } from '../../../src/core/deadline.ts';
import { RISK_GATE } from '../../../src/gates/limits.ts';
import type { TreeFile } from '../../../src/model/change.ts';
import { type GateFinding, plainFinding } from '../../../src/model/finding.ts';
import { FINDINGS_PER_RFC_MAX } from '../../../src/model/limits.ts';
import type { AcceptedFingerprint } from '../../../src/model/rules.ts';
import type { AcceptedInput } from '../../../src/store/contract/trail.ts';
import { pattern, ruleSet } from '../../gates/patterns/scan-text.ts';
import { sampleDraft } from '../../store/fixtures/records.ts';
import { findingsIn, findingsOf, gateTools, type RunOptions, short } from './gates-run.ts';

const FIRST = 'a'.repeat(40);
const SECOND = 'b'.repeat(64);
const TOKEN = 'tok_12345678';

function newFile(path: string, text: string): string {
  const lines = text.split('\n').slice(0, -1);
  const head = `diff --git a/${path} b/${path}\nnew file mode 100644\n--- /dev/null\n+++ b/${path}\n`;
  return `${head}@@ -0,0 +1,${lines.length} @@\n${lines.map((line) => `+${line}\n`).join('')}`;
}

function patches(...commits: [sha: string, patch: string][]): Buffer {
  return Buffer.from(commits.map(([sha, patch]) => `commit ${sha}\n\n${patch}`).join(''), 'latin1');
}

function past(history: Buffer, shown: readonly GateFinding[] = []): Promise<GateFinding[]> {
  return historyFindings(history, shown, gateTools(), createCancelFlag());
}

test('a secret of a commit is found, and says in which one it is', async (t) => {
  const history = patches(
    [FIRST, newFile('readme.md', 'nothing\n')],
    [SECOND, newFile('a.txt', `one\nkey = ${TOKEN}\n`)],
  );
  const [finding, ...others] = await past(history);
  t.deepEqual(others, []);
  t.like(finding, {
    id: 'secret-token',
    file: 'a.txt',
    line: 2,
    severity: 'medium',
    commit: SECOND,
  });
  t.regex(finding?.message ?? '', /in commit bbbbbbbbbbbb of this push/);
  t.false(JSON.stringify(finding).includes(TOKEN));
});

test('what the result shows is not reported twice, nor is one secret of two commits', async (t) => {
  const file = newFile('a.txt', `key = ${TOKEN}\n`);
  const other = newFile('b.txt', `key = ${TOKEN}\n`);
  const shown = await findingsOf(file);
  t.deepEqual(await past(patches([FIRST, file]), shown), []);
  t.is((await past(patches([FIRST, file], [SECOND, other]))).length, 1);
});

test('only secrets count: what else was taken out again is gone', async (t) => {
  t.deepEqual(await past(patches([FIRST, newFile('a.sql', 'DROP TABLE users;\n')])), []);
});

test('a line that looks like the head of a commit hides nothing behind it', async (t) => {
  const head = `commit ${SECOND}`;
  for (const line of [`x\r${head}`, head, `\u0085${head}`, ` ${head}`]) {
    const text = `${line}\nkey = ${TOKEN}\n`;
    const found = await past(patches([FIRST, newFile('a.txt', text)]));
    t.is(found.length, 1, JSON.stringify(line));
    t.regex(found[0]?.message ?? '', /in commit aaaaaaaaaaaa/);
  }
});

test('a patch that cannot be read whole blocks', async (t) => {
  const torn = newFile('a.txt', 'one\ntwo\n').replace('@@ -0,0 +1,2 @@', '@@ -0,0 +1,9 @@');
  const [finding] = await past(patches([FIRST, torn]));
  t.like(finding, { id: 'history-unscanned', severity: 'high' });
});

test('a file that should be text and is shown as binary blocks, unless the result shows it', async (t) => {
  const hidden = (path: string) =>
    `diff --git a/${path} b/${path}\nnew file mode 100644\nindex ${'0'.repeat(40)}..${FIRST}\n` +
    `Binary files /dev/null and b/${path} differ\n`;
  const [finding, ...others] = await past(patches([FIRST, hidden('deploy.py') + hidden('a.png')]));
  t.deepEqual(others, []);
  t.like(finding, { id: 'binary-file', severity: 'high', file: 'deploy.py' });
  const shown = await findingsOf(hidden('deploy.py'));
  t.deepEqual(await past(patches([FIRST, hidden('deploy.py')]), shown), []);
});

/** A store that has accepted every fingerprint but those of `not`, and what it was asked. */
function acceptsAll(not: readonly string[] = []) {
  const asked: AcceptedInput[] = [];
  const findAccepted = async (input: AcceptedInput) => {
    asked.push(input);
    const accepted: AcceptedFingerprint[] = input.fingerprints
      .filter((fingerprint) => !not.includes(fingerprint))
      .map((fingerprint) => ({ fingerprint, reason: 'made up', by: 'ann', repo: input.repo_name }));
    return { accepted };
  };
  return { asked, findAccepted };
}

test('an accepted fingerprint suppresses its findings and says who and why', async (t) => {
  const { asked, findAccepted } = acceptsAll();
  const findings = await findingsIn(`a = "${TOKEN}"\nb = "${TOKEN}"\n`, { findAccepted });
  t.deepEqual(short(findings), ['secret-token (ann: made up)'], 'one for both places');
  t.is(asked.length, 1);
  t.like(asked[0], { tenant_id: 'default', repo_name: 'shop' });
  t.is(asked[0]?.fingerprints.length, 1, 'each once');
});

test('the store is not asked about a change with nothing to suppress', async (t) => {
  const { asked, findAccepted } = acceptsAll();
  t.deepEqual(await findingsIn('a = 1\n', { findAccepted }), []);
  const marked = await findingsIn(`"${TOKEN}" # cra-ignore secret-token: b\n`, { findAccepted });
  t.is(marked.filter(({ suppressed }) => suppressed === null).length, 1, 'the note alone');
  const vulnerable = "app.get('/', (req) => require('child_process').exec(req.query.c));\n";
  const [finding] = await findingsIn(vulnerable, { findAccepted }, 'src/a.js');
  t.is(finding?.id, 'vuln-01');
  t.is(finding?.suppressed, null);
  t.deepEqual(asked, []);
});

test('a vulnerability stays beside an accepted finding, whatever the store says', async (t) => {
  const { asked, findAccepted } = acceptsAll();
  const text = `const k = "${TOKEN}";\napp.get('/', (req) => require('child_process').exec(req.query.c));\n`;
  const findings = await findingsIn(text, { findAccepted }, 'src/a.js');
  t.deepEqual(short(findings).sort(), ['secret-token (ann: made up)', 'vuln-01']);
  const vulnerability = findings.find(({ id }) => id === 'vuln-01');
  t.false(asked[0]?.fingerprints.includes(vulnerability?.fingerprint ?? ''));
});

test('a long reason is shown in one line of bounded length', async (t) => {
  const findAccepted = async ({ fingerprints: [fingerprint = ''] }: AcceptedInput) => ({
    accepted: [{ fingerprint, reason: `first\n  second ${'word '.repeat(700)}`, by: 'ann' }],
  });
  const [finding] = await findingsIn(`a = "${TOKEN}"\n`, { findAccepted });
  t.regex(finding?.suppressed?.reason ?? '', /^first second word .*…$/);
  t.is(finding?.suppressed?.reason.length, RISK_GATE.EXCERPT_CHARS_MAX);
});

test('without an answer of the store nothing is suppressed', async (t) => {
  const findAccepted = () => Promise.reject(new Error('no answer in time'));
  t.deepEqual(short(await findingsIn(`a = "${TOKEN}"\n`, { findAccepted })), ['secret-token']);
});

test('the store is asked about so many fingerprints; the rest is not suppressed', async (t) => {
  const { asked, findAccepted } = acceptsAll();
  const words = ['ann', 'bob', 'cat', 'dan', 'eve', 'fay'];
  const patterns = words.map((word) =>
    pattern({ id: `secret-${word}`, regex: `${word}_[0-9]{8}`, keywords: [`${word}_`] }),
  );
  const tokens = words.flatMap((word) =>
    Array.from({ length: 90 }, (_, n) => `${word}_${10_000_000 + n}\n`),
  );
  const findings = await findingsIn(tokens.join(''), { findAccepted, patterns });
  t.is(findings.length, 540);
  t.is(asked[0]?.fingerprints.length, FINDINGS_PER_RFC_MAX);
  const open = findings.filter(({ suppressed }) => suppressed === null);
  t.is(open.length, 540 - FINDINGS_PER_RFC_MAX);
});

const COMMIT = 'a'.repeat(40);
const TAG = 'b'.repeat(64);
const AUTHOR = 'author Ann <ann@example.com> 1700000000 +0000';

/** An object as `git cat-file --batch` writes it; one character a byte. */
function object(id: string, kind: string, text: string): Buffer {
  return Buffer.from(`${id} ${kind} ${text.length}\n${text}\n`, 'latin1');
}

function commit(message: string, id = COMMIT): Buffer {
  return object(id, 'commit', `tree ${COMMIT}\nparent ${COMMIT}\n${AUTHOR}\n\n${message}`);
}

function find(objects: Buffer, options?: RunOptions) {
  return messageFindings(objects, gateTools(options), createCancelFlag());
}

const hidden: readonly [what: string, objects: Buffer, where: string][] = [
  ['a commit message', commit(`Add key\n\nkey = ${TOKEN}\n`), 'commit aaaaaaaaaaaa'],
  ['a message without a last line break', commit(`key = ${TOKEN}`), 'commit aaaaaaaaaaaa'],
  ['the text behind a NUL', commit(`Add\0key = ${TOKEN}\n`), 'commit aaaaaaaaaaaa'],
  ['a line that looks like a diff', commit(`@@ -1 +1 @@\n-x\n+${TOKEN}\n`), 'commit aaaaaaaaaaaa'],
  ['a line that looks like an object', commit(`${TAG} tag 9\n${TOKEN}\n`), 'commit aaaaaaaaaaaa'],
  ['the second of two commits', Buffer.concat([commit('x\n', TAG), commit(TOKEN)]), 'commit aaaa'],
  [
    'an annotated tag',
    object(TAG, 'tag', `object ${COMMIT}\ntype commit\ntag v1\ntagger A <a>\n\n${TOKEN}\n`),
    'annotated tag bbbbbbbbbbbb',
  ],
  ['the name of an author', object(COMMIT, 'commit', `author ${TOKEN} <a>\n\n`), 'commit aaaa'],
];

for (const [what, objects, where] of hidden) {
  test(`a secret in ${what} is high, and names the object`, async (t) => {
    const [finding, ...others] = await find(objects);
    t.deepEqual(others, []);
    t.like(finding, { id: 'secret-token', severity: 'high', file: null, line: null });
    t.true(finding?.message.includes(`in the message of ${where}`), finding?.message);
    t.false(JSON.stringify(finding).includes(TOKEN));
  });
}

test('a message without a secret has no finding, whatever else the rules match', async (t) => {
  t.deepEqual(await find(commit('DROP TABLE users;\n')), []);
  t.deepEqual(await find(Buffer.alloc(0)), []);
});

test('a marker in a message suppresses nothing; an accepted fingerprint does', async (t) => {
  const objects = commit(`# cra-ignore secret-*: old\nkey = ${TOKEN} # cra-ignore secret-*: old\n`);
  const [open] = await find(objects);
  t.is(open?.suppressed, null);
  const [accepted] = await find(objects, {
    findAccepted: async ({ fingerprints: [fingerprint = ''] }) => ({
      accepted: [{ fingerprint, reason: 'a dead token' }],
    }),
  });
  t.truthy(accepted?.suppressed);
});

test('of an object that was cut nothing is taken for the next one', async (t) => {
  const cut = commit(`${COMMIT} commit 20\n${TOKEN}\n`).subarray(0, -30);
  t.deepEqual(await find(cut), []);
});

const MARKED = 'query("a" + x) # cra-ignore risk-high: old';
const SUPPRESSED = 'risk-high (cra-ignore: old)';

const rule = (id: string, severity: 'critical' | 'high' | 'medium', regex: string) =>
  pattern({ id, severity, regex, keywords: [regex] });

const RULES = [
  rule('risk-high', 'high', 'query'),
  rule('risk-medium', 'medium', 'warn'),
  rule('secret-live', 'critical', 'sk_live'),
  rule('secret-acme-private-key', 'high', 'begin_key'),
  rule('risk-reverse-shell', 'high', 'dev_tcp'),
];

/** A diff of one hunk that changes `lib/a.txt`, perhaps after a rename. */
function edit(lines: readonly string[], from = 'lib/a.txt', to = 'lib/a.txt'): string {
  const count = (marks: string) => lines.filter((line) => marks.includes(line[0] ?? '')).length;
  return [
    `diff --git a/${from} b/${to}`,
    ...(from === to ? [] : [`rename from ${from}`, `rename to ${to}`]),
    `--- a/${from}`,
    `+++ b/${to}`,
    `@@ -1,${count(' -')} +1,${count(' +')} @@`,
    ...lines,
    '',
  ].join('\n');
}

/** `id`, or `id (by: reason)`, of the findings themselves. */
async function judged(diff: string, options: RunOptions = {}): Promise<string[]> {
  const findings = await findingsOf(diff, { patterns: RULES, ...options });
  return short(findings.filter(({ id }) => !id.startsWith('marker-')));
}

function base(path: string, text: string): TreeFile[] {
  return [{ side: 'base', path, state: 'read', bytes: Buffer.from(text) }];
}

const ADDED = [' a', `+${MARKED}`];

const OF_BASE = base('lib/a.txt', 'b\nq() # cra-ignore risk-high: old\n') ?? [];
const NOTHING = base('lib/a.txt', 'b\n') ?? [];
const OTHER = base('lib/a.txt', 'q() # cra-ignore risk-high: other\n') ?? [];
const ELSEWHERE = base('lib/b.txt', 'q() # cra-ignore risk-high: old\n') ?? [];

/** What is known of the changes that brought the markers of the base, and whether one counts. */
const DECIDED: [string, NonNullable<RunOptions['decided']>, boolean][] = [
  ['that no decided change brought', [], false],
  ['of the adopted state', [{ before: [], after: OF_BASE }], true],
  ['that a decided change brought', [{ before: NOTHING, after: OF_BASE }], true],
  ['that stood there before a decided change', [{ before: OF_BASE, after: OF_BASE }], false],
  ['that a decided change took away', [{ before: OF_BASE, after: NOTHING }], false],
  ['that a decided change brought to another file', [{ before: [], after: ELSEWHERE }], false],
  ['that a decided change brought with another reason', [{ before: [], after: OTHER }], false],
  [
    'that the second of two decided changes brought',
    [
      { before: NOTHING, after: OTHER },
      { before: NOTHING, after: OF_BASE },
    ],
    true,
  ],
];
interface MarkerCase {
  title: string;
  diff: string;
  options?: RunOptions;
  findings: string[];
}

const DECIDED_CASES: MarkerCase[] = DECIDED.flatMap(([what, decided, counts]) => [
  {
    title: `of the base ${what}`,
    diff: edit(ADDED),
    options: { files: OF_BASE, decided },
    findings: counts ? [SUPPRESSED] : ['risk-high'],
  },
  {
    title: `on a line around ${what}`,
    diff: edit([' # cra-ignore risk-high: old', '+query(x)']),
    options: { files: OF_BASE, decided },
    findings: counts ? [SUPPRESSED] : ['risk-high'],
  },
  {
    title: `for a medium finding, ${what}`,
    diff: edit([' # cra-ignore risk-medium: old', '+warn']),
    options: { files: OF_BASE, decided },
    findings: ['risk-medium (cra-ignore: old)'],
  },
]);

const CASES: MarkerCase[] = [
  { title: 'new in the change', diff: edit(ADDED), findings: ['risk-high'] },
  {
    title: 'new, and the setting is on',
    diff: edit(ADDED),
    options: { pipeline: { own_markers: 'on' } },
    findings: [SUPPRESSED],
  },
  {
    title: 'on a context line',
    diff: edit([' # cra-ignore risk-high: old', '+query(x)']),
    findings: [SUPPRESSED],
  },
  {
    title: 'on a context line, and the setting is off',
    diff: edit([' # cra-ignore risk-high: old', '+query(x)']),
    options: { pipeline: { own_markers: 'off' } },
    findings: ['risk-high'],
  },
  {
    title: 'on a removed line of the hunk',
    diff: edit(['-query(y) # cra-ignore risk-high: old', `+${MARKED}`]),
    findings: [SUPPRESSED],
  },
  {
    title: 'on a removed line, with another reason',
    diff: edit(['-query(y) # cra-ignore risk-high: very old', `+${MARKED}`]),
    findings: ['risk-high'],
  },
  {
    title: 'on a removed line, for other rules',
    diff: edit(['-query(y) # cra-ignore risk-*: old', `+${MARKED}`]),
    findings: ['risk-high'],
  },
  ...['2027-03-01', '2028-03-01'].map((day, index) => ({
    title: `on a removed line, which ${index === 0 ? 'ends on the same' : 'ended on another'} day`,
    diff: edit([
      '-query(y) # cra-ignore risk-high until 2027-03-01: old',
      `+query("a" + x) # cra-ignore risk-high until ${day}: old`,
    ]),
    findings: index === 0 ? [SUPPRESSED] : ['risk-high'],
  })),
  {
    title: 'in the file of the base',
    diff: edit(ADDED),
    options: { files: base('lib/a.txt', 'b\nq() # cra-ignore risk-high: old\n') },
    findings: [SUPPRESSED],
  },
  {
    title: 'in the file of the base under its old name',
    diff: edit(ADDED, 'lib/old.txt', 'lib/a.txt'),
    options: { files: base('lib/old.txt', '# cra-ignore risk-high:  old  \n') },
    findings: [SUPPRESSED],
  },
  {
    title: 'in another file of the base',
    diff: edit(ADDED),
    options: { files: base('lib/b.txt', '# cra-ignore risk-high: old\n') },
    findings: ['risk-high'],
  },
  {
    title: 'new, for a medium finding',
    diff: edit(['+warn # cra-ignore risk-medium: old']),
    findings: ['risk-medium (cra-ignore: old)'],
  },
  ...DECIDED_CASES,
];

for (const { title, diff, options = {}, findings } of CASES) {
  test(`a marker ${title}: ${findings.join()}`, async (t) => {
    t.deepEqual(await judged(diff, options), findings);
  });
}

test('no marker lowers live provider keys, private keys and remote code', async (t) => {
  const line = 'sk_live begin_key dev_tcp # cra-ignore secret-*, risk-*: old';
  const diff = edit([` ${line}`, `-${line}`, `+${line} `]);
  const settings: RunOptions = { pipeline: { own_markers: 'on' } };
  for (const options of [{}, settings, { files: base('lib/a.txt', line) }]) {
    t.deepEqual((await judged(diff, options)).sort(), [
      'risk-reverse-shell',
      'secret-acme-private-key',
      'secret-live',
    ]);
  }
});

test('a marker that lowers nothing yet says so, and why', async (t) => {
  const findings = await findingsOf(edit(ADDED), { patterns: RULES });
  const note = findings.find(({ id }) => id === 'marker-invalid');
  t.like(note, { file: 'lib/a.txt', line: 2, severity: 'low' });
  t.regex(note?.message ?? '', /is new in this change/);
});

test('a foreign marker that the change adds lowers no high finding either', async (t) => {
  const diff = edit(['+query(x) # nosec']);
  const pipeline = { foreign_markers: ['nosec'] } as const;
  t.deepEqual(await judged(diff, { pipeline }), ['risk-high']);
  const moved = edit(['-query(x) # nosec', ' a', '+query(x) # nosec']);
  t.regex((await judged(moved, { pipeline })).join(), /risk-high \(nosec/);
});

test('what nobody could search counts for each component, touched or not', (t) => {
  const components = ['web', 'pay'].map((id) => ({ id, paths: [`services/${id}/**`] }));
  const rules = createRulesCache().get('test', { ...ruleSet([]), components });
  const message = 'made for a test';
  const note = (id: string, severity: 'high' | 'critical' | 'info') =>
    plainFinding({ id, gate: 'risk', severity, message });
  const draft = sampleDraft({ rfc_id: 'RFC-1' });
  const statuses = (...found: GateFinding[]) =>
    withVerdicts(draft, null, found, rules).components?.map(({ id, status }) => `${id} ${status}`);
  t.deepEqual(statuses(note('history-unscanned', 'high')), ['web BLOCKED', 'pay BLOCKED']);
  t.deepEqual(statuses(note('diff-unreadable', 'high')), ['web BLOCKED', 'pay BLOCKED']);
  t.deepEqual(statuses(note('no-changes', 'info'), note('commit-rejected', 'critical')), []);
});
