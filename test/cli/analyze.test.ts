import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { exitCode, isAnswer } from '../../src/cli/answer.ts';
import type { ReplaySummary } from '../../src/cli/replay-summary.ts';
import { formatReport } from '../../src/cli/report.ts';
import { createPaint } from '../../src/cli/terminal.ts';
import type { AnalyzeAnswer } from '../../src/model/answer.ts';
import { STATUSES } from '../../src/model/rfc.ts';
import { newFile, startDaemonProcess, temporaryDir } from '../daemon.ts';
import { plan, planned } from '../gates/configuration/plan-file.ts';
import { runCommand } from './fixtures/command.ts';
import {
  answer,
  data,
  failure,
  answer as fakeAnswer,
  finding,
  startFakeService,
} from './fixtures/fake-service.ts';
import { createRepository, temporaryFolder } from './fixtures/repository.ts';

const DIFF = `diff --git a/a.ts b/a.ts
--- a/a.ts
+++ b/a.ts
@@ -1 +1,2 @@
 const a = 1;
+const b = 2;
`;

const OUTCOMES: [status: string, code: number][] = [
  ['PASSED', 0],
  ['APPROVED', 0],
  ['BLOCKED', 1],
  ['DRAFT', 2],
];

for (const [status, code] of OUTCOMES) {
  test(`analyze --server exits with ${code} for ${status}`, async (t) => {
    const answer = fakeAnswer({ status, rules: ['risk-x'] });
    const service = await startFakeService(t, ({ change }) =>
      data(change === null ? { ...answer, score: { factors: ['many lines'] } } : answer),
    );
    const args = ['analyze', '-', '--server', service.url, '--repo-name=shop', '--branch=b'];
    const outcome = await runCommand([...args, '--message=m'], { stdin: DIFF });
    t.is(outcome.code, code, outcome.stderr);
    t.true(outcome.stdout.startsWith(`${status}  risk 7/100`));
    t.regex(outcome.stdout, /why +many lines\n/);
    t.regex(outcome.stdout, /risk-x: found risk-x/);
    t.deepEqual(service.requests[0]?.change, {
      repo_name: 'shop',
      branch: 'b',
      commit_message: 'm',
      diff: DIFF,
      diffSource: 'local',
    });
  });
}

test('analyze --json prints the answer of the service', async (t) => {
  const answer = fakeAnswer({ status: 'BLOCKED', rules: ['risk-x'] });
  const service = await startFakeService(t, () => data(answer));
  const env = { CRA_API_TOKEN: 'from the environment' };
  const args = ['analyze', '--server', service.url, '--json'];
  const { code, stdout } = await runCommand(args, { stdin: DIFF, env });
  t.is(code, 1);
  t.deepEqual(JSON.parse(stdout), answer);
  t.is(service.requests.length, 1);
  t.is(service.requests[0]?.headers.authorization, 'Bearer from the environment');
});

const FORMATS: [string[], (text: string) => unknown][] = [
  [['--format', 'json'], (text) => JSON.parse(text).overall_status],
  [['--format', 'sarif'], (text) => JSON.parse(text).runs[0].results[0].ruleId],
  [['--format=rdjson'], (text) => JSON.parse(text).diagnostics[0].code.value],
  [['--format=human'], (text) => /risk-x/.exec(text)?.[0]],
];

for (const [args, read] of FORMATS) {
  test(`analyze ${args.join(' ')}`, async (t) => {
    const answer = fakeAnswer({ status: 'BLOCKED', rules: ['risk-x'] });
    const service = await startFakeService(t, () => data(answer));
    const all = ['analyze', '-', '--server', service.url, ...args];
    const { code, stdout, stderr } = await runCommand(all, { stdin: DIFF });
    t.is(code, 1, stderr);
    t.is(read(stdout), args.includes('json') ? 'BLOCKED' : 'risk-x');
  });
}

for (const args of [
  ['--format', 'xml'],
  ['--json', '--format', 'sarif'],
]) {
  test(`analyze ${args.join(' ')} is wrong usage`, async (t) => {
    const { code, stderr } = await runCommand(['analyze', '-', ...args], { stdin: DIFF });
    t.is(code, 2);
    t.regex(stderr, /--format/);
  });
}

test('analyze --wait asks until the DRAFT is final', async (t) => {
  let polls = 0;
  const service = await startFakeService(t, ({ change }) => {
    if (change !== null) return data(fakeAnswer({ status: 'DRAFT' }));
    polls += 1;
    return data(fakeAnswer({ status: polls < 3 ? 'DRAFT' : 'PASSED' }));
  });
  const args = ['analyze', '--server', service.url, '--wait', '--json'];
  const { code, stdout } = await runCommand(args, { stdin: DIFF });
  t.deepEqual([code, polls], [0, 3]);
  t.is((JSON.parse(stdout) as { overall_status: string }).overall_status, 'PASSED');
});

test('analyze takes what is staged where standard input is neither pipe nor file', async (t) => {
  const { path, git, write } = createRepository(t);
  write('a.ts', 'const staged = 1;\n');
  git('add', 'a.ts');
  const service = await startFakeService(t, () => data(fakeAnswer({})));
  const { code } = await runCommand(['analyze', '--server', service.url], { cwd: path });
  t.is(code, 0);
  t.regex(service.requests[0]?.change?.diff ?? '', /\+const staged/);
  t.is(service.requests[0]?.change?.diffSource, 'pre-commit');
});

test('analyze passes a range or an index without changes, and asks nobody', async (t) => {
  const { path, commit } = createRepository(t);
  commit('one', { 'a.ts': 'a\n' });
  const server = '--server=http://127.0.0.1:1';
  const staged = await runCommand(['analyze', '--staged', '--json', server], { cwd: path });
  const answer = JSON.parse(staged.stdout) as ReturnType<typeof fakeAnswer>;
  t.deepEqual([staged.code, answer.overall_status], [0, 'PASSED']);
  t.is((answer.gates.risk.findings[0] as { id: string } | undefined)?.id, 'no-changes');
  const range = await runCommand(['analyze', '--repo', path, '--range', 'HEAD..HEAD']);
  t.deepEqual([range.code, range.stdout.slice(0, 7)], [0, 'PASSED ']);
});

const ERRORS: [title: string, args: string[], stdin: string, says: RegExp][] = [
  ['an empty diff', ['-'], '\n', /diff on standard input is empty/],
  ['a folder that is not a repository', ['--repo', '/'], '', /not a git repository/],
  ['two sources', ['-', '--staged'], DIFF, /give only one of them/],
  ['a diff and a repository', ['-', '--repo', '/'], DIFF, /leave out --repo/],
  ['an unknown word', ['staged'], DIFF, /unknown argument "staged"/],
  ['an unknown option', ['--nope'], DIFF, /--nope/],
  ['an option for servers', ['--wait'], DIFF, /need --server/],
  ['a range like an option', ['--range=--output=x'], '', /cannot start with/],
  ['no service', ['--server', 'http://127.0.0.1:1'], DIFF, /does not answer: ECONNREFUSED/],
  ['a bad address', ['--server', 'nowhere'], DIFF, /must be like http/],
];

for (const [title, args, stdin, says] of ERRORS) {
  test(`analyze exits with 2 for ${title}`, async (t) => {
    const outcome = await runCommand(['analyze', ...args], { stdin, cwd: temporaryFolder(t) });
    t.deepEqual([outcome.code, outcome.stdout], [2, '']);
    t.regex(outcome.stderr, says);
    t.notRegex(outcome.stderr, / at .*\.js/);
  });
}

test('analyze exits with 2 for a refusal, and says it without escape sequences', async (t) => {
  const service = await startFakeService(t, () => failure(400, 'diff: \x1b[2J'));
  const { code, stderr } = await runCommand(['analyze', '--server', service.url], { stdin: DIFF });
  t.is(code, 2);
  t.is(stderr, 'cra analyze: the service says HTTP 400: diff: \\x1b[2J\n');
});

test('analyze --help shows examples', async (t) => {
  const { code, stdout } = await runCommand(['analyze', '--help']);
  t.is(code, 0);
  t.regex(stdout, /git diff main\.\.\. \| cra analyze/);
});

const AWS_KEY = ['AKIA', 'Z7QXN4M2LPKD3WVT'].join('');
const SECRET = newFile('deploy/env.sh', `#!/bin/sh\n\nexport AWS_ACCESS_KEY_ID=${AWS_KEY}\n`);
const HARMLESS = newFile('docs/notes.txt', 'a line\nanother line\n');

/** What a verdict says, without what differs from run to run. */
function essence({ overall_status, risk_score, diff_hash, gates, stats }: AnalyzeAnswer) {
  const findings = [gates.risk, gates.ast, gates.llm].flatMap((gate) =>
    gate.findings.map(({ id, severity, file, line, column }) => [id, severity, file, line, column]),
  );
  return { overall_status, risk_score, diff_hash, findings, stats };
}

test.serial('analyze blocks a secret without a service, at its file and line', async (t) => {
  const { code, stdout, stderr } = await runCommand(['analyze', '-'], { stdin: SECRET });
  t.deepEqual([code, stderr], [1, '']);
  t.regex(stdout, /^BLOCKED {2}risk \d+\/100 {2}\(1 file, \+3 -0\)\n/);
  t.regex(stdout, /\ndeploy\/env\.sh\n {2}3:\d+ +(?:critical|high) +secret-/);
  t.regex(stdout, /why +\+\d+: (?:critical|high) finding secret-/);
  t.regex(stdout, /fix: /);
  t.false(stdout.includes(AWS_KEY));
});

test.serial('analyze prints no line that a workflow takes for a command', async (t) => {
  const diff = newFile('::add-mask::x', `::error::a ${AWS_KEY}\n`);
  const { code, stdout } = await runCommand(['analyze', '-'], { stdin: diff });
  t.is(code, 1);
  t.regex(stdout, /^\\x3a:add-mask::x$/m);
  t.notRegex(stdout, /^\s*::/m);
});

test.serial('analyze --staged reads what a link leads to, and markers of HEAD', async (t) => {
  const { path, git, write, commit } = createRepository(t);
  commit('base', {
    'notes.txt': "app.get('/', (req) => require('child_process').exec(req.query.c));\n",
    'a.sh': `${'#\n'.repeat(40)}K= # cra-ignore secret-*: of the documentation\n`,
  });
  write('server.js', { to: 'notes.txt' });
  git('add', '.');
  const linked = await runCommand(['analyze', '--staged'], { cwd: path });
  t.is(linked.code, 1, linked.stderr);
  t.regex(linked.stdout, /\nserver\.js\n {2}1:\d+ +critical vuln-01/);
  git('rm', '--quiet', '--cached', 'server.js');
  for (const [reason, expected] of [
    ['of the documentation', 0],
    ['of another one', 1],
  ] as const) {
    const url = `postgres://shop:${['tR9vQ2x', 'Lm8Kp'].join('')}@db.acme.io/shop`;
    const key = `export DATABASE_URL=${url} # cra-ignore secret-*: ${reason}\n`;
    write('a.sh', `${key}${'#\n'.repeat(40)}`);
    git('add', 'a.sh');
    const { code, stdout } = await runCommand(['analyze', '--staged'], { cwd: path });
    t.is(code, expected, stdout);
  }
});

test.serial('analyze passes a harmless change and leaves nothing behind', async (t) => {
  const TMPDIR = temporaryDir(t);
  const { code, stdout } = await runCommand(['analyze', '-'], { stdin: HARMLESS, env: { TMPDIR } });
  t.is(code, 0, stdout);
  t.deepEqual(readdirSync(TMPDIR), []);
});

test.serial('analyze refuses text that is not a diff, and rules that are not good', async (t) => {
  const noDiff = await runCommand(['analyze', '-'], { stdin: 'hello\n' });
  t.is(noDiff.code, 2);
  t.regex(noDiff.stderr, /diff: holds no file of a unified diff/);
  const env = { SERVICE_RULES_PATH: join(temporaryDir(t), 'missing.json') };
  const noRules = await runCommand(['analyze', '-'], { stdin: HARMLESS, env });
  t.is(noRules.code, 2);
  t.regex(noRules.stderr, /rules file .*missing\.json/);
});

test.serial('analyze judges alike with and without a service', async (t) => {
  const daemon = await startDaemonProcess(t, temporaryDir(t));
  const server = `http://127.0.0.1:${daemon.port}`;
  for (const stdin of [SECRET, HARMLESS]) {
    const local = await runCommand(['analyze', '--json'], { stdin });
    const remote = await runCommand(['analyze', '--json', '--server', server], { stdin });
    t.is(local.code, remote.code);
    t.deepEqual(essence(JSON.parse(local.stdout)), essence(JSON.parse(remote.stdout)));
  }
  const shown = await runCommand(['analyze', '--server', server], { stdin: SECRET });
  t.regex(shown.stdout, /why +\+\d+: (?:critical|high) finding secret-/);
  t.regex(shown.stdout, /rfc +RFC-[0-9A-F]+ at http/);
});

test.serial('replay counts with the service what git counts', async (t) => {
  const { path, git, commit } = createRepository(t);
  commit('first', { 'a.ts': 'one\ntwo\nthree\n', 'b.bin': Buffer.from([0, 1, 2]) });
  commit('Übung\n\n@@ -1 +1 @@', { 'Übung "x"\ty.sql': '-- a\n++ b\n' });
  commit('nothing');
  git('mv', 'a.ts', 'c.ts');
  commit('rename');
  commit('latin', { 'l.txt': Buffer.from([0xe9, 0x0a, 0xff, 0xfe, 0x0a, 0x41]) });
  commit('removed', { 'Übung "x"\ty.sql': '-- a\n', 'c.ts': 'one\r\ntwo\n' });
  const daemon = await startDaemonProcess(t, temporaryDir(t));
  const { code, stdout, stderr } = await runCommand([
    ...['replay', '--repo', path, '--server', `http://127.0.0.1:${daemon.port}`, '--json'],
    ...['--all', '--verify-stats', `--pid=${daemon.process.pid}`],
  ]);
  const summary = JSON.parse(stdout) as ReplaySummary;
  t.deepEqual([code, summary.stats_mismatches, summary.failed], [0, [], []], stderr);
  t.deepEqual([summary.commits, summary.skipped.empty], [5, 1]);
  t.true((summary.server_cpu_seconds ?? -1) >= 0);
});

const PLAIN = createPaint(false);
const SCORE = { change_risk: 5, findings_risk: 80, factors: ['critical finding x'], model: 'm' };

function withFindings(...findings: unknown[]): AnalyzeAnswer {
  const made = answer({ status: 'BLOCKED' });
  made.gates.risk = { ...made.gates.risk, status: 'fail', findings: findings as never };
  return made as AnalyzeAnswer;
}

test('formatReport shows verdict, score, gates and the findings of each file', (t) => {
  const made = withFindings(
    finding('risk-a', { severity: 'low', line: 7, column: null }),
    finding('vuln-02', { severity: 'critical', cwe: 'CWE-95', excerpt: 'eval(x)', fix: 'Do not.' }),
    finding('diff-x', { file: null, line: null, column: null, severity: 'medium' }),
    finding('risk-b', {
      file: 'z.ts',
      severity: 'info',
      suppressed: { by: 'marker', reason: 'known' },
    }),
  );
  t.is(
    formatReport(made, { score: SCORE, server: null }, PLAIN),
    `BLOCKED  risk 7/100  (1 file, +1 -0)
  why    critical finding x
  gates  risk fail (4 findings), ast pass, llm pass

(the change as a whole)
  -         medium   diff-x: found diff-x

src/a.ts
  3:9       critical vuln-02 (CWE-95): found vuln-02
            | eval(x)
            fix: Do not.
  7         low      risk-a: found risk-a

z.ts
  3:9       info     risk-b: found risk-b
            suppressed by marker: known
`,
  );
});

test('formatReport shows title, message and the steps of a flow', (t) => {
  const flow = [
    { file: 'src/a.ts', line: null, column: null, what: 'request parameter `a`' },
    { file: 'lib/b.ts', line: 9, column: 3, what: 'passed to `run` as `b`' },
    { file: 'src/a.ts', line: 3, column: 9, what: 'shell command of `exec`' },
  ];
  const made = withFindings(
    finding('vuln-01', { title: 'Evil call', excerpt: 'exec(a)', flow, fix: 'Do not.' }),
    finding('risk-a', { title: 'found risk-a', file: 'z.ts' }),
  );
  const text = formatReport(made, { score: null, server: null }, PLAIN);
  t.is(
    text.slice(text.indexOf('\nsrc/a.ts')),
    `
src/a.ts
  3:9       high     vuln-01: Evil call
            found vuln-01
            | exec(a)
            request parameter \`a\`
            lib/b.ts, line 9: passed to \`run\` as \`b\`
            line 3: shell command of \`exec\`
            fix: Do not.

z.ts
  3:9       high     risk-a: found risk-a
`,
  );
});

test('isAnswer takes no title or flow of another shape', (t) => {
  const step = { file: 'a', line: 1, column: null, what: 'a' };
  t.true(isAnswer(withFindings(finding('a', { title: 'a', flow: [step] }))));
  for (const fields of [
    { title: 1 },
    { flow: 'a' },
    { flow: [null] },
    { flow: [{ ...step, line: '1' }] },
    { flow: [{ ...step, what: 7 }] },
    { flow: [{ ...step, file: null }] },
  ]) {
    t.false(isAnswer(withFindings(finding('a', fields))), JSON.stringify(fields));
  }
});

test('formatReport says where an RFC is kept and that a DRAFT is not decided', (t) => {
  const draft = answer({ status: 'DRAFT', id: 'RFC-7' }) as AnalyzeAnswer;
  const parts = ['PASSED', 'BLOCKED'].map((status) => ({ id: status.toLowerCase(), status }));
  const parted = { ...draft, components: parts } as AnalyzeAnswer;
  const text = formatReport(parted, { score: null, server: 'http://cra' }, PLAIN);
  t.regex(text, /^ {2}components {2}blocked BLOCKED, passed PASSED$/m);
  t.regex(text, /^DRAFT /);
  t.regex(text, /RFC-7 at http:\/\/cra/);
  t.regex(text, /--wait/);
});

test('formatReport lets no text of the change reach the terminal as it is', (t) => {
  const evil = '\x1b[2J\u202e\r\n';
  const suppressed = { by: evil, reason: evil };
  const texts = { id: evil, message: evil, file: evil, excerpt: evil, fix: evil, cwe: evil };
  const flow = [{ file: `other ${evil}`, line: 1, column: null, what: evil }];
  const made = withFindings(finding('x', { ...texts, title: `a ${evil}`, flow, suppressed }));
  made.gates.llm.skip_reason = evil;
  const score = { ...SCORE, factors: [evil] };
  const lines = formatReport(made, { score, server: evil }, PLAIN).split('\n');
  t.true(lines.every((line) => /^[^\p{Cc}\p{Cf}]*$/u.test(line)));
  t.is(lines.length, 13);
});

test('formatReport has colours only where they are wanted', (t) => {
  const made = withFindings(finding('x'));
  const context = { score: null, server: null };
  t.true(formatReport(made, context, createPaint(true)).includes('\x1b[31m'));
  t.false(formatReport(made, context, PLAIN).includes('\x1b'));
});

test('exitCode is 0 only for a change that may go on', (t) => {
  const codes = STATUSES.map((status) => [status, exitCode(status)]);
  t.deepEqual(Object.fromEntries(codes), {
    BLOCKED: 1,
    DRAFT: 2,
    REJECTED: 1,
    OVERRIDDEN: 0,
    APPROVED: 0,
    PASSED: 0,
    SUPERSEDED: 1,
  });
});

const good = answer({ rules: ['x'] });
const gates = (value: unknown) => ({ ...good, gates: { ...good.gates, risk: value } });
const one = (value: unknown) => gates({ ...good.gates.risk, findings: [value] });

const UNREADABLE: [title: string, data: unknown][] = [
  ['null', null],
  ['an array', []],
  ['a text', 'PASSED'],
  ['an unknown status', { ...good, overall_status: 'FINE' }],
  ['no gates', { ...good, gates: null }],
  ['a gate without findings', gates({ status: 'pass', skip_reason: null })],
  ['a finding that is null', one(null)],
  ['a finding with a number as message', one(finding('x', { message: 7 }))],
  ['a finding with a text as line', one(finding('x', { line: '\x1b' }))],
  ['a finding with an odd suppression', one(finding('x', { suppressed: true }))],
  ['no stats', { ...good, stats: undefined }],
  ['a component without a status', { ...good, components: [{ id: 'web' }] }],
];

for (const [title, data] of UNREADABLE) {
  test(`isAnswer refuses ${title}`, (t) => {
    t.false(isAnswer(data));
  });
}

test('isAnswer takes an answer, with fields that it does not know', (t) => {
  t.true(isAnswer({ ...good, more: 1 }));
});

const PLAN = plan([
  planned({ address: 'aws_db_instance.main', actions: ['delete'], before: { engine: 'mysql' } }),
]);

test('analyze judges a plan of Terraform with its change', async (t) => {
  const { path, git, write, commit } = createRepository(t);
  commit('first', { 'a.ts': 'const a = 1;\n' });
  write('a.ts', 'const a = 2;\n');
  git('add', '-A');
  const files = temporaryFolder(t);
  const run = (text: Buffer) => {
    writeFileSync(join(files, 'plan.json'), text);
    const args = ['analyze', '--staged', '--terraform-plan', join(files, 'plan.json')];
    return runCommand(args, { cwd: path });
  };
  const judged = await run(PLAN);
  t.is(judged.code, 1, judged.stderr);
  t.regex(judged.stdout, /The plan deletes aws_db_instance\.main\./);
  const harmless = await run(plan([]));
  t.is(harmless.code, 0, harmless.stderr);
  t.regex(harmless.stdout, /creates 0, changes 0, replaces 0 and deletes 0 resources/);
  const binary = await run(Buffer.from('PK\x03\x04'));
  t.is(binary.code, 2);
  t.regex(binary.stderr, /terraform plan: is the binary file of a plan/);
  // A plan that belongs to no change is not passed by.
  git('reset', '-q', '--hard');
  const alone = await run(PLAN);
  t.is(alone.code, 2);
  t.regex(alone.stderr, /the plan belongs to no change/);
});

test('analyze joins the report of another tool with its change', async (t) => {
  const { path, git, write, commit } = createRepository(t);
  commit('first', { 'a.ts': 'const a = 1;\n' });
  write('a.ts', 'const a = 2;\n');
  git('add', '-A');
  const place = { artifactLocation: { uri: 'a.ts' }, region: { startLine: 1 } };
  const result = { ruleId: 'r', level: 'error', locations: [{ physicalLocation: place }] };
  const runs = [{ tool: { driver: { name: 'Lint' } }, results: [result] }];
  const report = join(temporaryFolder(t), 'lint.sarif');
  writeFileSync(report, JSON.stringify({ version: '2.1.0', runs }));
  const judged = await runCommand(['analyze', '--staged', '--sarif-in', report], { cwd: path });
  t.is(judged.code, 1, judged.stderr);
  t.regex(judged.stdout, /ext-lint-r: lint: r\n/);
  const missing = await runCommand(['analyze', '--staged', '--sarif-in', 'none'], { cwd: path });
  t.is(missing.code, 2);
  t.regex(missing.stderr, /--sarif-in: could not read it/);

  const service = await startFakeService(t, () => data(fakeAnswer({ status: 'BLOCKED' })));
  const send = ['report', report, '--rfc', 'RFC-1', '--server', service.url];
  const sent = await runCommand(send);
  t.is(sent.code, 1, sent.stderr);
  t.regex(sent.stdout, /^BLOCKED {2}RFC-1: 0 findings of other tools\n$/);
  t.like(service.requests.at(-1), { method: 'POST', path: '/api/cra/rfc/RFC-1/reports' });
  t.is((await runCommand(['report', report])).code, 2);
});

test('analyze --server has the plan judged for the verdict of the change', async (t) => {
  const files = temporaryFolder(t);
  const path = join(files, 'plan.json');
  writeFileSync(path, PLAN);
  let polls = 0;
  const service = await startFakeService(t, (request) => {
    const isPlan = request.path.endsWith('/terraform-plan');
    if (request.method === 'GET') polls += 1;
    const status = isPlan ? 'BLOCKED' : polls === 0 ? 'DRAFT' : 'PASSED';
    return data(fakeAnswer({ status, rules: isPlan ? ['risk-plan-deleted'] : [] }));
  });
  const args = ['analyze', '-', '--server', service.url, '--json', '--terraform-plan', path];
  const { code, stdout, stderr } = await runCommand(args, { stdin: DIFF });
  t.is(code, 1, stderr);
  t.is(JSON.parse(stdout).gates.risk.findings[0].id, 'risk-plan-deleted');
  const last = service.requests.at(-1);
  t.like(last, { method: 'POST', path: '/api/cra/rfc/RFC-1/terraform-plan' });
  t.deepEqual(last?.change, JSON.parse(PLAN.toString()));
});
