import test from 'ava';
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
