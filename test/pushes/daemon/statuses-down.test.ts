import test, { type ExecutionContext } from 'ava';
import type { Fault } from '../../hosts/status-host.ts';
import { HOLE } from './bad-code.ts';
import { type HostId, houseForAll } from './house.ts';
import { PushedRepository } from './pushed-repository.ts';

const house = houseForAll(test, {
  times: { retryMs: [], graceMs: 500, pollMs: 200, sweepMs: 3_600_000 },
});

/** What each host is told of a commit that is not accepted. */
const FAILED = { hub: 'failure', tea: 'failure', lab: 'failed' } as const;

/** Verdicts and decisions while a host takes no statuses, and what it shows when it does again. */
async function outage(t: ExecutionContext, host: HostId, fault: Fault): Promise<void> {
  const receiver = house().statuses[host];
  const repo = new PushedRepository(house(), `acme/${host}-${fault}`, host);
  repo.commit({ 'README.md': 'read me\n' });
  const good = await repo.push({ 'a.txt': 'one\n' });
  await repo.shows(good.sha, 'success');

  receiver.retryAfterSeconds = 1;
  await receiver.setFault(fault);
  const bad = await repo.push({ 'run.js': HOLE });
  t.is((await repo.verdict(bad)).overall_status, 'BLOCKED');
  t.false(await repo.isAllowed());
  const superseded = await repo.push({ 'b.txt': '2\n' });
  const rejected = await repo.push({ 'run.js': null });
  t.is((await repo.verdict(rejected)).overall_status, 'PASSED');
  t.not((await repo.verdict(superseded)).overall_status, 'PASSED');
  await repo.decide(rejected.rfcId, 'reject');
  const last = await repo.push({ 'c.txt': '3\n' });
  t.is((await repo.verdict(last)).overall_status, 'PASSED');
  t.deepEqual(repo.statesOf(last.sha), []);

  await receiver.setFault('none');
  receiver.letGo();
  await repo.shows(last.sha, 'success');
  await repo.shows(bad.sha, FAILED[host]);
  await repo.shows(rejected.sha, FAILED[host]);
  for (const { sha } of [bad, superseded]) t.false(repo.statesOf(sha).includes('success'));
  t.true(repo.statesOf(good.sha).every((state) => state === 'pending' || state === 'success'));
}

/** Of each host those that read differently there; the outbox is tried on all of them. */
const FAULTS: Record<HostId, Fault[]> = {
  hub: ['down', 'secondary-limit'],
  tea: [500, 'breaks-off'],
  lab: ['slow', 'html'],
};

for (const [host, faults] of Object.entries(FAULTS)) {
  test(`${host} fails (${faults.join(', ')}): verdicts go on, the newest status wins`, async (t) => {
    for (const fault of faults) await outage(t, host as HostId, fault);
  });
}
