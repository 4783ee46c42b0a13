import test from 'ava';
import { NOW } from '../store/conformance/steps.ts';
import { openHarness } from '../store/sqlite/harness.ts';
import { MAIN, REPO, TENANT, World } from './world.ts';

test('a repository of the same name on another host changes nothing for the first', async (t) => {
  const harness = await openHarness(() => NOW);
  t.teardown(() => harness.close());
  const world = new World(harness, NOW);
  const { host } = world;
  const root = host.commit([], ['readme']);
  host.refs.set(MAIN, root);
  const bad = world.push(MAIN, host.commit([root], ['readme', 'bad-1']));
  await world.deliver(bad);
  await world.drain();
  const prod = () =>
    harness.pushes.prodView({
      ...{ tenant_id: TENANT, repo_name: REPO, branch: null, commit_sha: null },
    });
  t.like(await prod(), { newest: { overall_status: 'BLOCKED' } });

  // Whoever holds a secret of the other host names its harmless repository like this one.
  const waiting = world.push(MAIN, host.commit([bad.after], ['readme', 'bad-1', 'more']));
  await world.deliver(waiting);
  const stranger = { ref: MAIN, before: null, after: host.commit([], ['harmless']), id: 99 };
  await world.deliver(stranger, 'other');
  await world.drain();

  const records = await world.records();
  t.deepEqual(
    records.map(({ commit_sha, overall_status, push }) => [commit_sha, push?.host, overall_status]),
    [
      [stranger.after, 'other', 'BLOCKED'],
      [waiting.after, 'hub', 'BLOCKED'],
      [bad.after, 'hub', 'BLOCKED'],
    ],
  );
  const { accepted } = await harness.pushes.acceptedHeads({
    ...{ tenant_id: TENANT, repo_name: REPO, shas: [...host.commits.keys()] },
  });
  t.deepEqual(
    accepted.map(({ sha }) => sha),
    [root],
  );
  t.like(await prod(), { newest: { overall_status: 'BLOCKED' } });
});
