import test from 'ava';
import { HOLE } from './bad-code.ts';
import { openHouse } from './house.ts';
import { PushedRepository } from './pushed-repository.ts';

test('kill -9 between a webhook and its verdict loses and launders nothing', async (t) => {
  const house = await openHouse(t);
  const { git } = house;
  const repo = new PushedRepository(house, 'acme/killed');
  repo.commit({ 'README.md': 'read me\n' });
  const good = await repo.push({ 'a.txt': 'one\n' });
  await repo.verdict(good);
  t.true(await repo.isAllowed());

  // The push is claimed, and its host is being asked.
  git.behave({ kind: 'hang' });
  const asked = git.nextRequest();
  const bad = await repo.push({ 'run.js': HOLE });
  await asked;
  await house.daemon.kill();
  git.behave({ kind: 'serve' });
  await house.start();
  t.false(await repo.isAllowed(), 'it waits, or is blocked');
  const record = await repo.verdict(bad);
  t.is(record.overall_status, 'BLOCKED');
  t.is(record.diff_hash, repo.diffHash(good.sha, bad.sha));

  // The webhook was answered, and nothing more.
  const harmless = await repo.push({ 'b.txt': 'two\n' });
  await house.daemon.kill();
  await house.start();
  const next = await repo.verdict(harmless);
  t.is(next.overall_status, 'BLOCKED');
  t.is(next.push?.base, good.sha);
  await repo.shows(harmless.sha, 'failure');
  t.false(await repo.isAllowed());

  const mended = await repo.push({ 'run.js': null });
  t.is((await repo.verdict(mended)).overall_status, 'PASSED');
  await repo.shows(mended.sha, 'success');
  t.true(await repo.isAllowed());
  for (const { sha } of [bad, harmless]) t.false(repo.statesOf(sha).includes('success'));
});
