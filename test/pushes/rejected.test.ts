import test, { type ExecutionContext } from 'ava';
import type { DecisionAction } from '../../src/model/decision.ts';
import type { RfcRecord } from '../../src/model/records.ts';
import { type Harness, insert, NOW } from '../store/conformance/steps.ts';
import { blockedRecord, decisionOn } from '../store/fixtures/decisions.ts';
import { openHarness as openMongo } from '../store/mongo/harness.ts';
import { openHarness as openSqlite } from '../store/sqlite/harness.ts';
import { MAIN, REPO, World } from './world.ts';

const STORES = { SQLite: openSqlite, MongoDB: openMongo } as const;

/** Decides about a record at a minute after the start. */
const decider = ({ trail }: Harness) => {
  return async (record: RfcRecord, action: DecisionAction, minute: number) => {
    const at = new Date(NOW + minute * 60_000).toISOString();
    await trail.decide(decisionOn(record, `${action} ${record.rfc_id}`, { action, at }));
  };
};

async function open(t: ExecutionContext, store: keyof typeof STORES) {
  const harness = await STORES[store](() => NOW);
  t.teardown(() => harness.close());
  const world = new World(harness, NOW);
  const { host } = world;
  host.refs.set(MAIN, host.commit([], ['readme']));
  const push = async (ref: string, sha: string) => {
    await world.deliver(world.push(ref, sha));
    await world.drain();
    const made = [...world.known.values()].filter((one) => one.ref === ref);
    return await world.record(made.at(-1)?.rfc_id ?? '');
  };
  const commit = (word: string) => {
    const head = host.refs.get(MAIN) ?? '';
    return host.commit([head], [...host.tree(head), word]);
  };
  return { harness, world, push, commit, decide: decider(harness) };
}

/** What the rejected RFC calls the repository and commit, as somebody submitted it. */
const SUBMITTED: [name: string, over: (sha: string) => Partial<RfcRecord>][] = [
  ['the same name', (commit_sha) => ({ repo_name: REPO, commit_sha })],
  ['other letters', (commit_sha) => ({ repo_name: REPO.toUpperCase(), commit_sha })],
  ['a full name', (commit_sha) => ({ repo_name: 'shop', repo_full_name: REPO, commit_sha })],
  ['another branch', (commit_sha) => ({ repo_name: REPO, branch: 'next', commit_sha })],
];

for (const store of ['SQLite', 'MongoDB'] as const) {
  test.serial(
    `a push of a commit that was rejected as submitted is BLOCKED, on ${store}`,
    async (t) => {
      const { harness, push, commit, decide } = await open(t, store);
      t.is((await push(MAIN, commit('word-first'))).overall_status, 'PASSED');
      let count = 0;
      for (const [name, over] of SUBMITTED) {
        for (const isDeleted of [false, true]) {
          count += 1;
          const title = isDeleted ? `${name}, deleted` : name;
          const sha = commit(`word-${count}`);
          const submitted = blockedRecord({ rfc_id: `RFC-S${count}`, ...over(sha) });
          await insert(harness.store, submitted);
          await decide(submitted, 'reject', count);
          if (isDeleted) await decide(submitted, 'delete', count);
          const blocked = await push(`refs/heads/b${count}`, sha);
          t.is(blocked.overall_status, 'BLOCKED', title);
          const found = blocked.gates.risk.findings.map(({ id }) => id);
          t.true(found.includes('commit-rejected'), title);
          await decide(blocked, 'override', 10_000 + count);
          t.is((await push(`refs/heads/c${count}`, sha)).overall_status, 'PASSED', title);
        }
      }
    },
  );

  test.serial(`a push that was rejected and deleted stays rejected, on ${store}`, async (t) => {
    const { world, push, commit, decide } = await open(t, store);
    await push(MAIN, commit('word-1'));
    const sha = commit('word-2');
    const passed = await push('refs/heads/a', sha);
    t.is(passed.overall_status, 'PASSED');
    await decide(passed, 'reject', 1);
    await decide(passed, 'delete', 2);
    world.known.delete(passed.rfc_id);
    world.rfcIds.delete(passed.rfc_id);
    const again = await push('refs/heads/b', sha);
    t.is(again.overall_status, 'BLOCKED');
    await decide(again, 'override', 20_000);
    t.is((await push('refs/heads/c', sha)).overall_status, 'PASSED');
  });
}
