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

test('a name that another host takes while its push is fetched is not judged', async (t) => {
  const harness = await openHarness(() => NOW);
  t.teardown(() => harness.close());
  const world = new World(harness, NOW);
  const { host } = world;
  const root = host.commit([], ['harmless']);
  host.refs.set(MAIN, root);
  const { source } = host;
  const { sync } = source;
  const lateSync: typeof sync = async (input) => {
    const synced = await sync(input);
    await harness.pushes.adoptBaseline({
      ...{ tenant_id: TENANT, repo_name: REPO, event: null },
      baseline: { host: 'hub', sha: null, heads: {}, adopted_at: new Date(NOW).toISOString() },
    });
    return synced;
  };
  Object.assign(source, { sync: lateSync });
  await world.deliver(world.push(MAIN, host.commit([root], ['harmless', 'more'])), 'other');
  await world.drain();
  const [record] = await world.records();
  t.is(record?.overall_status, 'BLOCKED');
  t.deepEqual(host.shown, []);
});

test('a push of a stranger becomes no base, whoever overrides it', async (t) => {
  const harness = await openHarness(() => NOW);
  t.teardown(() => harness.close());
  const world = new World(harness, NOW);
  const { host } = world;
  const root = host.commit([], ['readme']);
  host.refs.set(MAIN, root);
  await world.deliver(world.push(MAIN, host.commit([root], ['readme', 'more'])));
  await world.drain();
  const after = host.commit([], ['unseen']);
  await world.deliver({ ref: MAIN, before: null, after, id: 99 }, 'other');
  await world.drain();
  const stranger = (await world.records()).find(({ commit_sha }) => commit_sha === after);
  if (stranger === undefined) return t.fail('the push is not there');
  await world.decide(stranger, 'override');
  t.is((await world.record(stranger.rfc_id)).overall_status, 'OVERRIDDEN');
  const repository = { tenant_id: TENANT, repo_name: REPO };
  const { accepted } = await harness.pushes.acceptedHeads({ ...repository, shas: [after] });
  t.deepEqual(accepted, []);
});
