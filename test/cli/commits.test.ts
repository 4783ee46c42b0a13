import { execFileSync } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { type Commit, countCommits, readCommits } from '../../src/cli/commits.ts';
import { openGit } from '../../src/cli/git.ts';
import { type Environment, readClientSettings } from '../../src/daemon/config/config.ts';
import { CraError } from '../../src/model/errors.ts';
import {
  configureEvil,
  createRepository,
  ENVIRONMENT,
  type Repository,
} from './fixtures/repository.ts';

async function readAll(
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
  const commits = await readAll(repository.path);
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
  const commits = await readAll(repository.path, 2);
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
  const plain = (await readAll(path)).map(({ diff }) => diff?.toString());
  const wasRun = configureEvil(repository);
  const env = { ...ENVIRONMENT, GIT_EXTERNAL_DIFF: 'false', GIT_DIFF_OPTS: '--unified=0' };
  const commits = await readAll(path, null, readClientSettings(env).gitEnvironment);
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
  const error = await t.throwsAsync(readAll(path), { instanceOf: CraError });
  t.is(error.code, 'FAILED_PRECONDITION');
  t.regex(error.message, /^git log: .*HEAD/);
});
