import test from 'ava';
import { HOLE } from './bad-code.ts';
import { type HostId, openHouse } from './house.ts';
import { PushedRepository } from './pushed-repository.ts';

/** pino's level of errors. */
const ERROR = 50;

test('a restart with statuses due and no SERVICE_BASE_URL posts them, without an error', async (t) => {
  const house = await openHouse(t);
  const hosts: HostId[] = ['hub', 'tea', 'lab'];
  const repositories = hosts.map((host) => new PushedRepository(house, `acme/${host}`, host));
  for (const repo of repositories) repo.commit({ 'README.md': 'read me\n' });
  const status = (host: HostId) => house.statuses[host];
  // However the daemon ends, and however a host did not take the status before.
  for (const [index, end] of (['kill', 'stop', 'kill'] as const).entries()) {
    await Promise.all([
      status('hub').setFault('down'),
      status('tea').setFault('hangs'),
      status('lab').setFault(503),
    ]);
    const pushes = await Promise.all(
      repositories.map(async (repo, at) => {
        const text = at === index ? HOLE : 'harmless\n';
        const push = await repo.push({ [`run-${index}.js`]: text });
        const { overall_status } = await repo.verdict(push);
        const red = repo.host === 'lab' ? 'failed' : 'failure';
        return { repo, sha: push.sha, state: overall_status === 'PASSED' ? 'success' : red };
      }),
    );
    await house.daemon[end]();
    for (const { repo, sha, state } of pushes) t.false(repo.statesOf(sha).includes(state));
    await Promise.all(hosts.map((host) => status(host).setFault('none')));
    const { log, port } = await house.start();
    for (const { repo, sha, state } of pushes) {
      await repo.shows(sha, state);
      const told = status(repo.host).taken.findLast((one) => one.sha === sha);
      t.true(told?.targetUrl.startsWith(`http://127.0.0.1:${port}/`), told?.targetUrl);
    }
    t.deepEqual(
      log.filter(({ level }) => Number(level) >= ERROR),
      [],
    );
  }
});
