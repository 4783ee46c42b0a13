import test from 'ava';
import { runCommand } from './fixtures/command.ts';
import { data, failure, answer as fakeAnswer, startFakeService } from './fixtures/fake-service.ts';
import { createRepository, temporaryFolder } from './fixtures/repository.ts';

const DIFF = `diff --git a/a.ts b/a.ts
--- a/a.ts
+++ b/a.ts
@@ -1 +1,2 @@
 const a = 1;
+const b = 2;
`;

const STATUSES: [status: string, code: number][] = [
  ['PASSED', 0],
  ['APPROVED', 0],
  ['BLOCKED', 1],
  ['DRAFT', 2],
];

for (const [status, code] of STATUSES) {
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
  ['a repository that is none', ['--repo', '/'], '', /not a git repository/],
  ['two sources', ['-', '--staged'], DIFF, /give one of them/],
  ['a diff and a repository', ['-', '--repo', '/'], DIFF, /give one of them/],
  ['an unknown word', ['staged'], DIFF, /what is "staged"/],
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
