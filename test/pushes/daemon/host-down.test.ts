import test from 'ava';
import { until } from '../../daemon.ts';
import type { Behaviour } from '../../hosts/git-host.ts';
import { someOf } from '../../some-cases.ts';
import { HOLE } from './bad-code.ts';
import { houseForAll } from './house.ts';
import { MAIN, PushedRepository, riskIds } from './pushed-repository.ts';

const house = houseForAll(test, {
  times: { retryMs: [100, 100], graceMs: 300, pollMs: 100, sweepMs: 1_000 },
});

test.afterEach.always(() => house().git.behave({ kind: 'serve' }));

async function founded(name: string): Promise<{ repo: PushedRepository; good: string }> {
  const repo = new PushedRepository(house(), name);
  repo.commit({ 'README.md': 'read me\n' });
  const push = await repo.push({ 'a.txt': 'one\n' });
  await repo.verdict(push);
  return { repo, good: push.sha };
}

const FAILURES: [title: string, behaviour: Behaviour, reason: RegExp][] = [
  ['500', { kind: 'status', status: 500 }, /answered with HTTP 500/],
  ['403', { kind: 'status', status: 403 }, /refuses access \(HTTP 403\)/],
  ['404', { kind: 'status', status: 404 }, /no such repository/],
  ['html', { kind: 'html' }, /something that is not git/],
  ['empty-page', { kind: 'status', status: 200 }, /something that is not git/],
  ['redirect', { kind: 'redirect', to: 'http://127.0.0.1:9' }, /redirects to another place/],
  ['refs-only', { kind: 'refs-only' }, /HTTP 500/],
];

for (const [title, behaviour, reason] of someOf(FAILURES)) {
  test.serial(
    `a host that fails (${title}): from the mirror, or BLOCKED until a sweep`,
    async (t) => {
      const { git } = house();
      // One repository for all, so that few are swept; it is green before and after.
      const repo = new PushedRepository(house(), 'acme/fails');
      const good = repo.head(MAIN) ?? (await founded('acme/fails')).good;
      const bad = await repo.push({ 'run.js': HOLE }, { ref: `refs/heads/${title}`, from: good });
      await repo.verdict(bad);

      git.behave(behaviour);
      const known = await repo.verdict(await repo.move(MAIN, bad.sha));
      t.is(known.overall_status, 'BLOCKED');
      t.false(riskIds(known).includes('diff-unavailable'), 'the mirror has the commit');
      t.is(known.diff_hash, repo.diffHash(good, bad.sha));

      const unknown = await repo.push({ 'b.txt': `${title}\n` }, { from: good });
      const record = await repo.verdict(unknown);
      t.is(record.overall_status, 'BLOCKED');
      const [finding] = record.gates.risk.findings;
      t.is(finding?.id, 'diff-unavailable');
      t.regex(finding?.message ?? '', reason);
      t.is(record.push?.tries, 2);
      await repo.shows(unknown.sha, 'failure');
      t.false(await repo.isAllowed('?branch=main'));

      git.behave({ kind: 'serve' });
      await repo.shows(unknown.sha, 'success');
      const again = await repo.judgedAt(unknown.sha);
      t.is(again.push?.source, 'sweep');
      t.is(again.overall_status, 'PASSED');
      t.is(again.diff_hash, repo.diffHash(good, unknown.sha));
      t.true(await repo.isAllowed('?branch=main'));
    },
  );
}

test.serial('what could not be had stays in the range of the next push', async (t) => {
  const { git } = house();
  const { repo, good } = await founded('acme/failed-diff');
  git.behave({ kind: 'status', status: 502 });
  const bad = await repo.push({ 'run.js': HOLE });
  t.deepEqual(riskIds(await repo.verdict(bad)), ['diff-unavailable']);
  git.behave({ kind: 'serve' });
  const next = await repo.push({ 'b.txt': 'two\n' });
  const record = await repo.verdict(next);
  t.is(record.overall_status, 'BLOCKED');
  t.is(record.diff_hash, repo.diffHash(good, next.sha));
  t.false(await repo.isAllowed());
});

test.serial('an override of what could not be had is not a base for the next push', async (t) => {
  const { git } = house();
  const { repo, good } = await founded('acme/overridden-unseen');
  git.behave({ kind: 'status', status: 500 });
  const bad = await repo.push({ 'run.js': HOLE });
  await repo.verdict(bad);
  await repo.decide(bad.rfcId, 'override');
  git.behave({ kind: 'serve' });
  const next = await repo.push({ 'b.txt': 'two\n' });
  const record = await repo.verdict(next);
  t.is(record.overall_status, 'BLOCKED');
  t.is(record.push?.base, good);
  t.false(await repo.isAllowed());
});

test.serial('a repository that was never reached is BLOCKED, and adopted later', async (t) => {
  const { git } = house();
  const repo = new PushedRepository(house(), 'acme/never-reached');
  const root = repo.commit({ 'README.md': 'read me\n' });
  git.behave({ kind: 'status', status: 500 });
  const push = await repo.push({ 'a.txt': 'one\n' });
  t.deepEqual(riskIds(await repo.verdict(push)), ['diff-unavailable']);
  t.false(await repo.isAllowed());
  git.behave({ kind: 'serve' });
  await repo.shows(push.sha, 'success');
  t.is((await repo.judgedAt(push.sha)).diff_hash, repo.diffHash(root, push.sha));
});

test.serial('a webhook that was lost is found by the sweep', async (t) => {
  const { repo } = await founded('acme/swept');
  const lost = repo.commit({ 'run.js': HOLE });
  await repo.shows(lost, 'failure');
  t.false(await repo.isAllowed());
  const record = await repo.judgedAt(lost);
  t.like(record.push, { source: 'sweep', before: null, pusher: null });
  repo.commit({ 'run.js': null });
  await until(() => repo.isAllowed());
});

test.serial('a lost webhook does not let the next one launder its push', async (t) => {
  const { repo, good } = await founded('acme/lost-one');
  const lost = repo.commit({ 'run.js': HOLE });
  const next = await repo.tell({ ref: MAIN, before: lost, after: repo.commit({ 'b.txt': '2\n' }) });
  const record = await repo.verdict(next);
  t.is(record.overall_status, 'BLOCKED');
  t.is(record.push?.base, good);
});
