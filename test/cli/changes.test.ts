import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { readChange, type Source } from '../../src/cli/change.ts';
import { type Commit, countCommits, openGit, readCommits } from '../../src/cli/git.ts';
import { readAll } from '../../src/cli/terminal.ts';
import type { Environment } from '../../src/daemon/config/reader.ts';
import { readClientSettings } from '../../src/daemon/config/reader.ts';
import { CraError } from '../../src/model/errors.ts';
import {
  configureEvil,
  createRepository,
  ENVIRONMENT,
  type Repository,
} from './fixtures/repository.ts';

const NOTHING_GIVEN = { repoName: null, branch: null, message: null };

function read(source: Source, env: Environment = ENVIRONMENT, given = {}) {
  return readWithFiles(source, env, given).then(({ request }) => request);
}

/** The same with what can be read beside the diff. */
function readWithFiles(source: Source, env: Environment = ENVIRONMENT, given = {}) {
  return readChange(source, { ...NOTHING_GIVEN, ...given }, readClientSettings(env));
}

/** One commit on main; a second one, after it, on `side`; a third on main. */
function createBranches(t: ExecutionContext): Repository & { base: string; side: string } {
  const repository = createRepository(t);
  const base = repository.commit('base', { 'a.ts': 'a\n' });
  repository.git('checkout', '--quiet', '-b', 'side');
  const side = repository.commit('side\n\nbody', { 'side.ts': 's\n' });
  repository.git('checkout', '--quiet', 'main');
  repository.commit('main', { 'main.ts': 'm\n' });
  return { ...repository, base, side };
}

test('readChange takes what is staged, and that alone', async (t) => {
  const { path, git, write, commit } = createRepository(t);
  commit('base', { 'a.ts': 'a\n' });
  write('a.ts', 'staged\n');
  git('add', 'a.ts');
  write('a.ts', 'not staged\n');
  const change = await read({ kind: 'staged', repo: path });
  t.regex(change.diff, /\+staged\n/);
  t.notRegex(change.diff, /not staged/);
  const { repo_name, branch, commit_message, diffSource } = change;
  t.deepEqual(
    { repo_name, branch, commit_message, diffSource },
    { repo_name: 'shop', branch: 'main', commit_message: '', diffSource: 'pre-commit' },
  );
});

test('readChange takes all of a workflow, and of a file whose key is changed', async (t) => {
  const { path, git, write, commit } = createRepository(t);
  const lines = Array.from({ length: 60 }, (_, index) => `line ${index}\n`).join('');
  const files = {
    '.github/workflows/a b.yml': 'on: push\n',
    'key.txt': 'BEGIN\n',
    'a.ts': 'a\n',
    'secret.yaml': 'kind: Secret\n',
  };
  const entries = Object.entries(files);
  commit('base', Object.fromEntries(entries.map(([name, top]) => [name, `${top}${lines}`])));
  for (const [name, top] of entries) write(name, `${top}${lines}${'Abcd'.repeat(16)}\n`);
  write('a.ts', `a\n${lines}b\n`);
  write('secret.yaml', `kind: Secret\n${lines}  token: ${'Abcd'.repeat(8)}\n`);
  git('add', '.');
  const { diff } = await read({ kind: 'staged', repo: path });
  t.deepEqual(diff.match(/^@@ .*? @@/gm), [
    '@@ -1,61 +1,62 @@',
    '@@ -52,10 +52,11 @@',
    '@@ -1,61 +1,62 @@',
    '@@ -1,61 +1,62 @@',
  ]);
});

test('readChange takes what is staged before the first commit', async (t) => {
  const { path, git, write } = createRepository(t);
  write('a.ts', 'a\n');
  git('add', 'a.ts');
  t.regex((await read({ kind: 'staged', repo: path })).diff, /\+a\n/);
});

test('readChange has no diff where nothing is staged', async (t) => {
  const { path, commit } = createRepository(t);
  commit('base', { 'a.ts': 'a\n' });
  t.is((await read({ kind: 'staged', repo: path })).diff, '');
});

test('readChange compares the two ends of A..B, and of A...B from where they parted', async (t) => {
  const { path, side } = createBranches(t);
  const two = await read({ kind: 'range', repo: path, range: 'main..side' });
  t.regex(two.diff, /deleted file mode[\s\S]*main\.ts/);
  t.regex(two.diff, /\+s\n/);
  const three = await read({ kind: 'range', repo: path, range: 'main...side' });
  t.notRegex(three.diff, /main\.ts/);
  t.regex(three.diff, /\+s\n/);
  t.deepEqual([three.commit_message, three.commitSha], ['side\n\nbody', side]);
  const open = await read({ kind: 'range', repo: path, range: 'side..' });
  t.is(open.commit_message, 'main');
});

test('readFiles reads both trees of what is staged or in a range, and nothing outside', async (t) => {
  const { path, git, write, commit } = createRepository(t);
  const first = commit('one', { 'a.ts': 'one\n', 'notes.txt': 'notes\n' });
  git('checkout', '--quiet', '-b', 'side');
  commit('two', { 'a.ts': 'two\n' });
  git('checkout', '--quiet', 'main');
  commit('three', { 'b.ts': 'three\n' });
  write('a.ts', 'staged\n');
  write('server.js', { to: 'notes.txt' });
  write('passwd.js', { to: '/etc/passwd' });
  git('add', '.');
  write('a.ts', 'not staged\n');
  const read = async (source: Source, side: 'base' | 'head', name: string) => {
    const { readFiles } = await readWithFiles(source);
    const [file] = (await readFiles?.([{ side, path: name }])) ?? [];
    return `${file?.state} ${Buffer.from(file?.bytes ?? []).toString()}`;
  };
  const staged: Source = { kind: 'staged', repo: path };
  t.is(await read(staged, 'base', 'a.ts'), 'read one\n');
  t.is(await read(staged, 'head', 'a.ts'), 'read staged\n');
  t.is(await read(staged, 'head', 'server.js'), 'read notes\n');
  t.is(await read(staged, 'head', 'passwd.js'), 'outside ');
  const range = (text: string): Source => ({ kind: 'range', repo: path, range: text });
  t.is(await read(range(`${first}..side`), 'base', 'a.ts'), 'read one\n');
  t.is(await read(range(`${first}..side`), 'head', 'a.ts'), 'read two\n');
  t.is(await read(range('main...side'), 'base', 'b.ts'), 'missing ');
  t.is(await read(range('..side'), 'base', 'b.ts'), 'read three\n');
});

test('readChange takes the names that the user gives', async (t) => {
  const { path } = createBranches(t);
  const given = { repoName: 'n', branch: 'b', message: 'm' };
  const change = await read({ kind: 'range', repo: path, range: 'main...side' }, undefined, given);
  t.deepEqual([change.repo_name, change.branch, change.commit_message], ['n', 'b', 'm']);
});

const BAD_RANGES: [range: string, says: RegExp][] = [
  ['--output=stolen', /cannot start with "-"/],
  ['-O..x', /cannot start with "-"/],
  ['main', /must be like A\.\.B/],
  ['', /must be like A\.\.B/],
  ['main..nope', /^git diff: .*nope/],
  ['main..--output=stolen', /^git diff: /],
  ['main..a.ts', /^git diff: /],
  ['main..\x1b[2J', /^git diff: \P{Cc}+$/u],
];

for (const [range, says] of BAD_RANGES) {
  test(`readChange refuses the range ${JSON.stringify(range)}`, async (t) => {
    const { path } = createBranches(t);
    const promise = read({ kind: 'range', repo: path, range });
    const error = await t.throwsAsync(promise, { instanceOf: CraError });
    t.regex(error.message, says);
    t.false(existsSync(join(path, 'stolen')));
  });
}

test('readChange depends on no setting and runs no program of the repository', async (t) => {
  const repository = createRepository(t);
  const { path, git, write, commit } = repository;
  commit('base', { '.gitattributes': '*.ts diff=evil\n', 'a.ts': 'a\n\n'.repeat(9) });
  git('mv', 'a.ts', 'é.ts');
  write('é.ts', `b\n${'a\n\n'.repeat(9)}`);
  git('add', '--all');
  const source: Source = { kind: 'staged', repo: path };
  const plain = await read(source);
  const wasRun = configureEvil(repository);
  const env = { ...ENVIRONMENT, GIT_EXTERNAL_DIFF: 'false', GIT_DIFF_OPTS: '--unified=0' };
  t.is((await read(source, env)).diff, plain.diff);
  t.true(plain.diff.includes('rename to'));
  t.false(wasRun());
});

test('readChange says that a folder is not a repository', async (t) => {
  const error = await t.throwsAsync(read({ kind: 'staged', repo: '/' }), { instanceOf: CraError });
  t.regex(error.message, /^git rev-parse: not a git repository/);
});

test('a hook that names its repository means the index that git gave it', async (t) => {
  const { path, git, write, commit } = createRepository(t);
  commit('base', { 'a.ts': 'a\n' });
  write('a.ts', 'all of it\n');
  // As `git commit --all` does it: the usual index does not know of the change.
  const index = join(path, '.git', 'index.lock');
  const env = { ...ENVIRONMENT, GIT_DIR: join(path, '.git'), GIT_INDEX_FILE: index };
  const hook = await openGit(path, env);
  await hook.run(['read-tree', 'HEAD']);
  await hook.run([`--work-tree=${path}`, 'update-index', 'a.ts']);
  t.is(git('diff', '--cached'), '');
  t.regex((await read({ kind: 'staged', repo: path }, env)).diff, /\+all of it/);
});

test('a repository that is named wins over the one of a hook', async (t) => {
  const hook = createRepository(t);
  const named = createRepository(t);
  hook.commit('hook', { 'hook.ts': 'h\n' });
  named.write('named.ts', 'n\n');
  named.git('add', '--all');
  const env = { ...ENVIRONMENT, GIT_DIR: join(hook.path, '.git') };
  t.regex((await read({ kind: 'staged', repo: named.path }, env)).diff, /named\.ts/);
});

test('a work tree has the name of its repository, a detached head no branch', async (t) => {
  const { path, git, commit } = createRepository(t);
  commit('base', { 'a.ts': 'a\n' });
  const tree = join(path, '..', 'second');
  git('worktree', 'add', '--quiet', '--detach', tree);
  const change = await read({ kind: 'staged', repo: tree });
  t.deepEqual([change.repo_name, change.branch], ['shop', 'HEAD']);
});

test('readAll stops at its limit', async (t) => {
  async function* endless() {
    for (;;) yield Buffer.alloc(1000);
  }
  const error = await t.throwsAsync(readAll(endless(), 10_000, 'the diff'), {
    instanceOf: CraError,
  });
  t.deepEqual([error.code, error.message], ['OUT_OF_RANGE', 'the diff is larger than 10000 bytes']);
});

async function commitsOf(
  path: string,
  count: number | null = null,
  env: Environment = ENVIRONMENT,
): Promise<Commit[]> {
  const git = await openGit(path, env);
  const commits: Commit[] = [];
  for await (const commit of readCommits(git, { count, numstat: true })) commits.push(commit);
  return commits;
}

/** Commits of every kind that could confuse a reader of git's output. */
function createOddRepository(repository: Repository): void {
  const { git, write, commit } = repository;
  commit('first\n\nwith a body\n\n1\t1\ta.ts\n\ndiff --git a/x b/x', { 'a.ts': 'one\ntwo\n' });
  commit('', { 'Übung "x"\ty.ts': 'a\n', 'new\nline': '1\n' });
  commit('nothing');
  commit('binary and NUL', {
    'b.bin': Buffer.from([0, 1, 2]),
    'late.txt': `${'x\n'.repeat(5000)}\0`,
  });
  git('mv', 'a.ts', 'c.ts');
  commit('rename');
  commit('latin', { 'l.txt': Buffer.from([0xe9, 0x0a, 0xff, 0xfe, 0x0a]) });
  write('link', { to: 'c.ts' });
  commit('link');
  git('checkout', '--quiet', '-b', 'side');
  commit('side', { 'side.ts': 's\n' });
  git('checkout', '--quiet', 'main');
  commit('no newline at the end', { 'n.ts': 'n' });
  git('merge', '--quiet', '--no-edit', 'side');
  chmodSync(join(repository.path, 'n.ts'), 0o755);
  commit('mode and header lines', { 'n.sql': '-- a\n++ b\n' });
  commit('minus', { 'n.sql': '-- c\n' });
}

test('readCommits gives every commit but merges, oldest first, as git show does', async (t) => {
  const repository = createRepository(t);
  createOddRepository(repository);
  const show = (sha: string, ...options: string[]) => {
    const args = ['-C', repository.path, 'show', '--format=', '--find-renames', '--full-index'];
    return execFileSync('git', [...args, ...options, sha], { env: { ...ENVIRONMENT } });
  };
  const shas = repository.git('log', '--no-merges', '--reverse', '--format=%H').trim().split('\n');
  const commits = await commitsOf(repository.path);
  t.deepEqual(
    commits.map((commit) => commit.sha),
    shas,
  );
  t.is(await countCommits(await openGit(repository.path, ENVIRONMENT), null), shas.length);
  for (const { sha, diff, bytes, numstat } of commits) {
    t.deepEqual(diff?.toString('latin1'), show(sha).toString('latin1'), sha);
    t.is(bytes, diff?.length ?? -1);
    const counts = { files: 0, additions: 0, deletions: 0 };
    const lines = show(sha, '--numstat', '-z').toString('latin1');
    for (const [, added, removed] of lines.matchAll(/(?:^|\0)(\d+|-)\t(\d+|-)\t/g)) {
      counts.files += 1;
      counts.additions += Number(added) || 0;
      counts.deletions += Number(removed) || 0;
    }
    t.deepEqual(numstat, counts, sha);
  }
  const messages = commits.map((commit) => commit.message.trimEnd());
  t.is(messages[0], 'first\n\nwith a body\n\n1\t1\ta.ts\n\ndiff --git a/x b/x');
  t.is(messages[2], 'nothing');
  t.is(commits[2]?.bytes, 0);
});

test('readCommits gives the newest when a number is asked for', async (t) => {
  const repository = createRepository(t);
  for (const name of ['a', 'b', 'c']) repository.commit(name, { [name]: name });
  const commits = await commitsOf(repository.path, 2);
  t.deepEqual(
    commits.map((commit) => commit.message.trim()),
    ['b', 'c'],
  );
});

test('readCommits depends on no setting and runs no program of the repository', async (t) => {
  const repository = createRepository(t);
  const { path, git } = repository;
  repository.commit('one', { '.gitattributes': '*.ts diff=evil\n', 'a.ts': 'a\n'.repeat(9) });
  git('mv', 'a.ts', 'b.ts');
  repository.commit('two', { 'b.ts': 'a\n'.repeat(10), 'c.ts': 'c\n' });
  sign(repository);
  const plain = (await commitsOf(path)).map(({ diff }) => diff?.toString());
  const wasRun = configureEvil(repository);
  const env = { ...ENVIRONMENT, GIT_EXTERNAL_DIFF: 'false', GIT_DIFF_OPTS: '--unified=0' };
  const commits = await commitsOf(path, null, readClientSettings(env).gitEnvironment);
  t.deepEqual(
    commits.map(({ diff }) => diff?.toString()),
    plain,
  );
  t.true(plain[1]?.includes('\nrename to b.ts\n'));
  t.false(wasRun());
});

/** Gives the newest commit a signature, which git would have a program verify. */
function sign({ path, git }: Repository): string {
  const [head = '', ...message] = git('cat-file', 'commit', 'HEAD').split('\n\n');
  const signature = 'gpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----';
  writeFileSync(join(path, '..', 'signed'), [`${head}\n${signature}`, ...message].join('\n\n'));
  const sha = git('hash-object', '-t', 'commit', '-w', join(path, '..', 'signed')).trim();
  git('update-ref', 'HEAD', sha);
  return sha;
}

test('readCommits fails where git does', async (t) => {
  const { path } = createRepository(t);
  const error = await t.throwsAsync(commitsOf(path), { instanceOf: CraError });
  t.is(error.code, 'FAILED_PRECONDITION');
  t.regex(error.message, /^git log: .*HEAD/);
});

test('readObjects answers as git does, by processes that it keeps', async (t) => {
  const { path, commit } = createRepository(t);
  const links = { 'in.ts': { to: 'a.ts' }, 'out.ts': { to: '../../x' }, loop: { to: 'loop' } };
  commit('base', {
    'a.ts': 'a\n',
    'big.ts': 'abc\n'.repeat(100_000),
    'dir/empty.ts': '',
    ...links,
  });
  const git = await openGit(path, ENVIRONMENT);
  const names = ['big.ts', 'in.ts', 'out.ts', 'loop', 'dir', 'gone', 'dir/empty.ts', 'a.ts/x'];
  const input = Buffer.from(names.map((name) => `HEAD:${name}\n`).join(''));
  const followed = ['--batch-check', '--batch'].map((mode) => [mode, '--follow-symlinks']);
  const commands = [...followed, ['--batch'], ['--batch-check=%(objectname) %(objectsize)']];
  for (const options of commands) {
    const args = ['cat-file', ...options];
    const expected = await git.run(args, 1e6, input);
    const [first, second] = await Promise.all([
      git.readObjects(args, { input, bytesMax: 1e6 }),
      git.readObjects(args, { input, bytesMax: 1e6 }),
    ]);
    t.true(expected.equals(first), options.join(' '));
    t.true(expected.equals(second), options.join(' '));
    const tooSmall = git.readObjects(args, { input, bytesMax: 10 });
    const error = await t.throwsAsync(tooSmall, { instanceOf: CraError });
    t.is(error.code, 'OUT_OF_RANGE');
    t.true(expected.equals(await git.readObjects(args, { input, bytesMax: 1e6 })));
  }
  t.is(
    (await git.readObjects(['cat-file', '--batch'], { input: Buffer.alloc(0), bytesMax: 1 }))
      .length,
    0,
  );
  const refused = git.readObjects(['cat-file', '--batch', '--nonsense'], { input, bytesMax: 1e6 });
  const error = await t.throwsAsync(refused, { instanceOf: CraError });
  t.regex(error.message, /^git cat-file: .*nonsense/);
});
