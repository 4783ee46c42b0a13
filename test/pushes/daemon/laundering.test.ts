import test from 'ava';
import { until } from '../../daemon.ts';
import { HOLE, leak } from './bad-code.ts';
import { houseForAll } from './house.ts';
import { MAIN, PushedRepository, riskIds } from './pushed-repository.ts';

const house = houseForAll(test, {
  times: { retryMs: [100, 100, 100], graceMs: 500, pollMs: 200, sweepMs: 3_600_000 },
});

/** A repository whose state so far counts as accepted, and one push that was. */
async function founded(name: string): Promise<{ repo: PushedRepository; good: string }> {
  const repo = new PushedRepository(house(), name);
  repo.commit({ 'README.md': 'read me\n' });
  const push = await repo.push({ 'a.txt': 'one\n' });
  await repo.verdict(push);
  return { repo, good: push.sha };
}

test('what a blocked push has stays in the range until it is gone', async (t) => {
  const { repo, good } = await founded('acme/stays');
  t.true(await repo.isAllowed());
  const bad = await repo.push({ 'run.js': HOLE });
  t.is((await repo.verdict(bad)).overall_status, 'BLOCKED');
  const harmless = await repo.push({ 'b.txt': 'two\n' });
  const second = await repo.verdict(harmless);
  t.is(second.overall_status, 'BLOCKED');
  t.is(second.push?.base, good);
  t.is(second.diff_hash, repo.diffHash(good, harmless.sha));
  await repo.shows(harmless.sha, 'failure');
  t.false(await repo.isAllowed());
  t.false(await repo.isAllowed(`?sha=${harmless.sha}`));

  const mended = await repo.push({ 'run.js': null });
  const third = await repo.verdict(mended);
  t.is(third.overall_status, 'PASSED');
  t.is(third.diff_hash, repo.diffHash(good, mended.sha));
  await repo.shows(mended.sha, 'success');
  t.true(await repo.isAllowed());
  t.false(await repo.isAllowed(`?sha=${bad.sha}`));
  for (const { sha } of [bad, harmless]) t.false(repo.statesOf(sha).includes('success'));
});

test('a secret stays in the range until no commit of it has it', async (t) => {
  const { repo, good } = await founded('acme/secret');
  await repo.judge({ 'env.sh': leak('secret') });
  t.is((await repo.judge({ 'env.sh': null })).overall_status, 'BLOCKED');
  t.false(await repo.isAllowed());
  const clean = await repo.push({ 'b.txt': 'two\n' }, { from: good });
  t.is((await repo.verdict(clean)).overall_status, 'PASSED');
  t.true(await repo.isAllowed());
});

test('a secret that one push adds and removes is found', async (t) => {
  const { repo, good } = await founded('acme/passing');
  repo.commit({ 'env.sh': leak('passing') });
  const after = repo.commit({ 'env.sh': null, 'b.txt': 'two\n' });
  const record = await repo.verdict(await repo.tell({ ref: MAIN, before: good, after }));
  t.is(record.overall_status, 'BLOCKED');
  t.is(record.diff_hash, repo.diffHash(good, after));
  const found = record.gates.risk.findings.find(({ id }) => id.startsWith('secret-'));
  t.regex(found?.message ?? '', /not in its result/);
  t.false(JSON.stringify(record).includes(leak('passing').trim().slice(-20)));
});

test('an override makes the head accepted, a rejection takes that back', async (t) => {
  const { repo, good } = await founded('acme/override');
  await repo.judge({ 'run.js': HOLE });
  const push = await repo.push({ 'b.txt': 'two\n' });
  await repo.verdict(push);
  await repo.decide(push.rfcId, 'override');
  await repo.shows(push.sha, 'success');
  t.true(await repo.isAllowed());

  const ref = 'refs/heads/next';
  const next = await repo.push({ 'c.txt': 'three\n' }, { ref, from: push.sha });
  const record = await repo.verdict(next);
  t.is(record.overall_status, 'PASSED');
  t.is(record.push?.base, push.sha);
  t.is(record.diff_hash, repo.diffHash(push.sha, next.sha));

  await repo.decide(push.rfcId, 'reject');
  await repo.shows(push.sha, 'failure');
  t.false(await repo.isAllowed('?branch=main'));
  const again = await repo.verdict(await repo.push({ 'd.txt': 'four\n' }));
  t.is(again.push?.base, good);
  t.is(again.overall_status, 'BLOCKED');
});

test('a push back to a commit that held what was taken out is judged', async (t) => {
  const { repo, good } = await founded('acme/back');
  const held = repo.commit({ 'run.js': HOLE });
  const after = repo.commit({ 'run.js': null, 'b.txt': 'two\n' });
  const push = await repo.tell({ ref: MAIN, before: good, after });
  t.is((await repo.verdict(push)).overall_status, 'PASSED');
  const back = await repo.verdict(await repo.move(MAIN, held));
  t.is(back.overall_status, 'BLOCKED');
  t.is(back.push?.base, good);
  t.false(await repo.isAllowed());
  const forth = await repo.verdict(await repo.move(MAIN, after));
  t.is(forth.overall_status, 'PASSED');
  t.true(riskIds(forth).includes('no-changes'), 'the commit was accepted before');
  t.true(await repo.isAllowed());
});

test('a branch made from a blocked commit, renamed or merged is blocked as well', async (t) => {
  const { repo, good } = await founded('acme/renames');
  const one = 'refs/heads/one';
  const bad = await repo.push({ 'run.js': HOLE }, { ref: one, from: good });
  t.is((await repo.verdict(bad)).overall_status, 'BLOCKED');

  repo.set(one, null);
  const renamed = await repo.move('refs/heads/two', bad.sha);
  const record = await repo.verdict(renamed);
  t.is(record.overall_status, 'BLOCKED');
  t.not(record.rfc_id, bad.rfcId);
  const off = await repo.push({ 'b.txt': 'two\n' }, { ref: 'refs/heads/three', from: bad.sha });
  t.is((await repo.verdict(off)).overall_status, 'BLOCKED');

  const merged = await repo.push({ 'run.js': HOLE }, { merge: [bad.sha] });
  t.is((await repo.verdict(merged)).overall_status, 'BLOCKED');
  t.false(await repo.isAllowed());
});

test('pushes that arrive out of order: the head of the host counts', async (t) => {
  const { repo, good } = await founded('acme/order');
  const bad = repo.commit({ 'run.js': HOLE });
  const middle = repo.commit({ 'b.txt': 'two\n' });
  const newer = await repo.tell({ ref: MAIN, before: bad, after: middle });
  t.is((await repo.verdict(newer)).overall_status, 'BLOCKED');
  const older = await repo.tell({ ref: MAIN, before: good, after: bad });
  t.is((await repo.verdict(older)).overall_status, 'SUPERSEDED');
  t.false(await repo.isAllowed());
  t.is((await repo.verdict(newer)).overall_status, 'BLOCKED');

  const mended = repo.commit({ 'run.js': null });
  const last = await repo.tell({ ref: MAIN, before: middle, after: mended });
  t.is((await repo.verdict(last)).overall_status, 'PASSED');
  await repo.shows(mended, 'success');
  t.true(await repo.isAllowed());
  for (const sha of [bad, middle]) t.false(repo.statesOf(sha).includes('success'));
});

test('an old push sent again moves nothing back', async (t) => {
  const { repo, good } = await founded('acme/replay');
  const pushed = { ref: MAIN, before: good, after: repo.commit({ 'b.txt': 'two\n' }) };
  const passed = await repo.tell(pushed);
  await repo.verdict(passed);
  const bad = await repo.push({ 'run.js': HOLE });
  await repo.verdict(bad);
  const replayed = await repo.tell(pushed);
  t.deepEqual([replayed.outcome, replayed.rfcId], ['same-body', passed.rfcId]);
  // The same push in another body, as a host tells it again.
  const told = await repo.verdict(await repo.tell(pushed, { more: { pusher: { name: 'eve' } } }));
  t.is(told.overall_status, 'SUPERSEDED');
  t.false(await repo.isAllowed());
});

test('of pushes that come faster than they are judged the last one is, with all before', async (t) => {
  const { repo, good } = await founded('acme/fast');
  const pushes = [await repo.push({ 'run.js': HOLE })];
  for (let n = 0; n < 8; n += 1) pushes.push(await repo.push({ [`f${n}.txt`]: `${n}\n` }));
  const records = await Promise.all(pushes.map((push) => repo.verdict(push)));
  const last = records.at(-1);
  t.is(last?.overall_status, 'BLOCKED');
  t.is(last?.push?.base, good);
  for (const record of records) t.not(record.overall_status, 'PASSED');
  for (const { sha } of pushes) t.false(repo.statesOf(sha).includes('success'));
  t.false(await repo.isAllowed());
});

test('a history that has nothing in common is judged as a whole', async (t) => {
  const { repo } = await founded('acme/orphan');
  const push = await repo.push({ 'run.js': HOLE, 'z.txt': 'z\n' }, { from: null });
  const record = await repo.verdict(push);
  t.is(record.overall_status, 'BLOCKED');
  t.like(record.push, { base: null, base_kind: 'empty-tree' });
  const good = await repo.judge({ 'z.txt': 'z\n' }, { from: null });
  t.is(good.overall_status, 'PASSED');
});

test('tags are judged like branches', async (t) => {
  const { repo, good } = await founded('acme/tags');
  const bad = repo.commit({ 'run.js': HOLE }, { ref: 'refs/heads/side', from: good });
  const light = await repo.verdict(await repo.move('refs/tags/light', bad));
  t.is(light.overall_status, 'BLOCKED');
  t.like(light, { ref: 'refs/tags/light', branch: 'refs/tags/light' });
  const fine = await repo.verdict(await repo.move('refs/tags/fine', good));
  t.is(fine.overall_status, 'PASSED');
  for (const [name, sha] of Object.entries({ bad, good })) {
    repo.git('-c', 'user.name=A', '-c', 'user.email=a@b', 'tag', '-a', '-m', 'x', name, sha);
    const object = repo.head(`refs/tags/${name}`);
    const told = { ref: `refs/tags/${name}`, before: null, after: object };
    const record = await repo.verdict(await repo.tell(told));
    t.is(record.overall_status, name === 'bad' ? 'BLOCKED' : 'PASSED', name);
    t.deepEqual(repo.statesOf(object ?? ''), [], 'hosts keep statuses of commits alone');
  }
  await repo.shows(bad, 'failure');
  t.true(await repo.isAllowed('?branch=main'));
});

test('a push that was lost is found by a look at the host', async (t) => {
  const { repo, good } = await founded('acme/lost');
  const pushed = { ref: MAIN, before: good, after: repo.commit({ 'b.txt': 'two\n' }) };
  const push = await repo.tell(pushed);
  await repo.verdict(push);
  const lost = repo.commit({ 'run.js': HOLE });
  const side = repo.commit({ 'c.txt': 'three\n' }, { ref: 'refs/heads/side', from: push.sha });
  await repo.tell(pushed);
  await until(async () => repo.statesOf(lost).includes('failure'));
  await repo.shows(side, 'success');
  t.false(await repo.isAllowed('?branch=main'));
  t.true(await repo.isAllowed('?branch=side'));
  const record = await repo.judgedAt((await repo.newest()).commit_sha ?? '');
  t.is(record.push?.source, 'sweep');
});
