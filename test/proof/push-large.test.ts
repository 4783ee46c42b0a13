import { randomBytes } from 'node:crypto';
import test from 'ava';
import { HOLE } from '../pushes/daemon/bad-code.ts';
import { openHouse } from '../pushes/daemon/house.ts';
import { PushedRepository } from '../pushes/daemon/pushed-repository.ts';

const MB = 1_000_000;

test.serial(
  '300 MB of history: pushes are judged, and the second one fetches little',
  async (t) => {
    t.timeout(280_000);
    const house = await openHouse(t);
    const repo = new PushedRepository(house, 'acme/large');
    let root = '';
    for (let n = 0; n < 30; n += 1) root = repo.commit({ 'data.bin': randomBytes(10 * MB) });
    const first = await repo.push({ 'a.txt': 'one\n' });
    const record = await repo.verdict(first);
    t.is(record.overall_status, 'PASSED');
    t.is(record.diff_hash, repo.diffHash(root, first.sha));
    t.is(record.stats.files, 1);
    await repo.shows(first.sha, 'success');

    const startedAt = performance.now();
    const bad = await repo.push({ 'run.js': HOLE });
    t.is((await repo.verdict(bad)).overall_status, 'BLOCKED');
    t.log(`the second verdict took ${Math.round(performance.now() - startedAt)} ms`);
    t.false(await repo.isAllowed());
  },
);

test.serial(
  'a host that hangs or stalls: BLOCKED with the reason, judged when it is back',
  async (t) => {
    t.timeout(280_000);
    const times = { retryMs: [], graceMs: 500, pollMs: 500, sweepMs: 2_000 };
    const house = await openHouse(t, { times });
    for (const kind of ['hang', 'stall'] as const) {
      const repo = new PushedRepository(house, `acme/${kind}s`);
      // So much that a part of it is not all.
      repo.commit({ 'data.bin': randomBytes(MB) });
      house.git.behave({ kind });
      const push = await repo.push({ 'a.txt': 'one\n' });
      const record = await repo.verdict(push);
      t.is(record.overall_status, 'BLOCKED');
      const [finding] = record.gates.risk.findings;
      t.is(finding?.id, 'diff-unavailable');
      t.regex(finding?.message ?? '', /does not answer in time|broke off/);
      house.git.behave({ kind: 'serve' });
      await repo.shows(push.sha, 'success');
      t.true(await repo.isAllowed());
    }

    const repo = new PushedRepository(house, 'acme/status-hangs');
    repo.commit({ 'README.md': 'read me\n' });
    await house.statuses.hub.setFault('hangs');
    const push = await repo.push({ 'a.txt': 'one\n' });
    t.is((await repo.verdict(push)).overall_status, 'PASSED');
    await house.statuses.hub.setFault('none');
    await repo.shows(push.sha, 'success');
  },
);
