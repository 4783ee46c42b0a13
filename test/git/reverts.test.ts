import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { createGit } from '../../src/git/git.ts';
import { createGroups } from '../../src/git/launcher.ts';
import { GIT } from '../../src/git/limits.ts';
import { createRead, type Mirror } from '../../src/git/mirrors.ts';
import { findReverts } from '../../src/git/reverts.ts';
import { runGit } from '../run-git.ts';
import { APP, openWithHost } from './opened.ts';

test('reverts are found by their message and by a patch that is the inverse', async (t) => {
  const { host, source } = await openWithHost(t);
  const repository = host.repository('team/app');
  const lines = (...changed: string[]) =>
    ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', ...changed].map((line) => `${line}\n`).join('');
  const put = (name: string, data: string, message?: string) =>
    repository.commit([{ name, data }], message === undefined ? {} : { message });
  put('a.txt', lines());
  const first = put('a.txt', lines('x'));
  const short = put('b.txt', 'b\n');
  const spaces = put('c.txt', 'if a\n');
  put('c.txt', '  if a\n');
  put('c.txt', '    if a\n');
  // The file moved on at its other end, so the blobs are others.
  put('a.txt', `0\n${lines('x')}`);
  const byPatch = put('a.txt', `0\n${lines()}`);
  const byMessage = put('d.txt', 'd', `Revert "b"\n\nThis reverts commit ${short.slice(0, 9)}.`);
  const untrue = put('d.txt', 'e', `This reverts commit ${'0'.repeat(40)}.`);
  const again = put('a.txt', `0\n${lines('x')}`);
  const head = put('d.txt', 'f', `This reverts commits ${spaces} and the rest`);
  await source.sync({ ...APP, wants: [head], refs: ['refs/heads/main'] });
  const found = await source.reverts({ ...APP, head, since: '2020-01-01T00:00:00Z' });
  t.true(found.isWhole);
  const told = found.reverts.map(({ sha, by, how }) => [sha, by, how]).sort();
  const expected = [
    [first, byPatch, 'patch'],
    [byPatch, again, 'patch'],
    [short, byMessage, 'message'],
    [spaces, head, 'message'],
  ].sort();
  t.deepEqual(told, expected);
  t.false(found.reverts.some(({ by }) => by === untrue));
  const none = await source.reverts({ ...APP, head, since: '2099-01-01T00:00:00Z' });
  t.deepEqual(none, { reverts: [], isWhole: true });
});

const SINCE = '2020-01-01T00:00:00Z';

test('commits that claim another time hide no revert', async (t) => {
  const { host, source } = await openWithHost(t);
  const repository = host.repository('team/app');
  const first = repository.commit([{ name: 'a.txt', data: 'a\n' }]);
  const bad = repository.commit([{ name: 'a.txt', data: 'b\n' }]);
  // A branch whose commit is dated to 1970 and one whose date no calendar has, joined again.
  const message = `This reverts commit ${bad}.`;
  const old = commitAt(repository, { tree: first, parents: [bad], seconds: 0, message });
  const main = repository.commit([{ name: 'b.txt', data: 'b\n' }]);
  const merge = commitAt(repository, { tree: main, parents: [main, old], seconds: 0 });
  const far = { tree: main, parents: [merge], seconds: 99_999_999_999_999 };
  const head = commitAt(repository, { ...far, message: `This reverts commit ${main}.` });
  repository.git('update-ref', 'refs/heads/main', head);
  await source.sync({ ...APP, wants: [head], refs: ['refs/heads/main'] });
  const { reverts, isWhole } = await source.reverts({ ...APP, head, since: SINCE });
  t.true(isWhole);
  t.deepEqual(reverts, [
    { sha: main, by: head, how: 'message' },
    { sha: bad, by: old, how: 'message' },
  ]);
});

/** A commit with the tree of another one and any committer date. */
function commitAt(
  { dir }: { dir: string },
  of: { tree: string; parents: string[]; seconds: number; message?: string },
): string {
  const git = (args: string[], input = '') =>
    runGit(['--git-dir', dir, ...args], { input: Buffer.from(input) })
      .toString()
      .trim();
  const person = `A <a@example.com> ${of.seconds} +0000`;
  const lines = [
    `tree ${git(['rev-parse', `${of.tree}^{tree}`])}`,
    ...of.parents.map((parent) => `parent ${parent}`),
    `author ${person}`,
    `committer ${person}`,
    '',
    of.message ?? 'a change',
    '',
  ];
  return git(['hash-object', '-t', 'commit', '-w', '--stdin'], lines.join('\n'));
}

test('one message reverts a bounded number of commits', async (t) => {
  const { host, source } = await openWithHost(t);
  const repository = host.repository('team/app');
  const shas = Array.from({ length: 60 }, (_, index) =>
    repository.commit([{ name: 'a.txt', data: `${index}\n` }]),
  );
  const message = shas.map((sha) => `This reverts commit ${sha}.\n`).join('');
  const head = repository.commit([{ name: 'b.txt', data: 'b\n' }], { message });
  await source.sync({ ...APP, wants: [head], refs: ['refs/heads/main'] });
  const { reverts, isWhole } = await source.reverts({ ...APP, head, since: SINCE });
  t.is(reverts.length, 50);
  t.false(isWhole);
});

test('patches that are too large together are read in halves, and a list that is cut is not whole', async (t) => {
  const opened = await openWithHost(t);
  const repository = opened.host.repository('team/app');
  const put = (name: string, data: string) => repository.commit([{ name, data }]);
  put('a.txt', 'a\n');
  const bad = put('a.txt', 'b\n');
  const by = put('a.txt', 'a\n');
  put('c.txt', 'c\n');
  const large = put('c.txt', 'line\n'.repeat(2_000));
  const head = put('c.txt', 'c\n');
  await opened.source.sync({ ...APP, wants: [head], refs: ['refs/heads/main'] });
  const found = await findWithin(t, opened, head, { 'diff-tree': 5_000 });
  t.deepEqual(found, { reverts: [{ sha: bad, by, how: 'patch' }], isWhole: false });
  const whole = await findWithin(t, opened, head, { 'diff-tree': 15_000 });
  const both = [
    { sha: bad, by, how: 'patch' },
    { sha: large, by: head, how: 'patch' },
  ];
  t.deepEqual(whole, { reverts: both, isWhole: true });
  t.false((await findWithin(t, opened, head, { '--name-only': 100 })).isWhole);
});

test('another read of the repository waits for a command of the search, not for all', async (t) => {
  const { host, source } = await openWithHost(t);
  const repository = host.repository('team/app');
  const one = repository.commit([{ name: 'a.txt', data: 'a\n' }]);
  const other = repository.commit([{ name: 'a.txt', data: 'b\n' }]);
  const head = repository.commit([{ name: 'a.txt', data: 'a\n' }]);
  await source.sync({ ...APP, wants: [head], refs: ['refs/heads/main'] });
  const ended: string[] = [];
  const search = source.reverts({ ...APP, head, since: SINCE });
  const read = source.areRelated({ ...APP, one, other });
  await Promise.all([
    search.then(({ reverts }) => ended.push(`search: ${reverts.length}`)),
    read.then(({ related }) => ended.push(`read: ${related}`)),
  ]);
  t.deepEqual(ended, ['read: true', 'search: 1']);
});

// Alone: it sets the clock of the process.
test.serial('what the commands of a search wait for does not count as its time', async (t) => {
  const { host, source } = await openWithHost(t);
  const repository = host.repository('team/app');
  const one = repository.commit([{ name: 'a.txt', data: 'a\n' }]);
  const other = repository.commit([{ name: 'a.txt', data: 'b\n' }]);
  const head = repository.commit([{ name: 'a.txt', data: 'a\n' }]);
  await source.sync({ ...APP, wants: [head], refs: ['refs/heads/main'] });
  const now = performance.now.bind(performance);
  t.teardown(() => {
    performance.now = now;
  });
  const before = source.areRelated({ ...APP, one, other }).catch(() => null);
  const search = source.reverts({ ...APP, head, since: SINCE });
  // Both calls have come by then, and the search waits for the read before it.
  await setImmediate();
  performance.now = () => now() + 5 * GIT.REVERTS_MS;
  await before;
  t.is((await search).reverts.length, 1);
});

/** Looks with fewer bytes (by a word of the command) than the service reads. */
async function findWithin(
  t: ExecutionContext,
  { mirrorDir }: { mirrorDir: string },
  head: string,
  bytes: Readonly<Record<string, number>>,
) {
  const [name = ''] = readdirSync(mirrorDir);
  const mirror = { dir: join(mirrorDir, name), format: 'sha1' } as Mirror;
  const git = createGit(mirrorDir, createGroups());
  t.teardown(() => git.close());
  const read = createRead(git, mirror, () => null);
  const [[word, bytesMax] = ['', 0]] = Object.entries(bytes);
  return await findReverts(
    async (args, options) => read(args, args.includes(word) ? { ...options, bytesMax } : options),
    { ...APP, head, since: SINCE },
  );
}
