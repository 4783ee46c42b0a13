import test, { type ExecutionContext } from 'ava';
import type { DecisionAction } from '../../src/model/decision.ts';
import type { RfcRecord } from '../../src/model/records.ts';
import { someOf } from '../some-cases.ts';
import { type Harness, insert, NOW } from '../store/conformance/steps.ts';
import { blockedRecord, decisionOn } from '../store/fixtures/decisions.ts';
import { openHarness as openMongo } from '../store/mongo/harness.ts';
import { openHarness as openSqlite } from '../store/sqlite/harness.ts';
import { MAIN, REPO, World } from './world.ts';

const STORES = { SQLite: openSqlite, MongoDB: openMongo } as const;

/** All forms of a name on SQLite; a part of them on MongoDB, where a push takes longer. */
function casesOn<Case>(store: keyof typeof STORES, cases: readonly Case[]): readonly Case[] {
  return store === 'SQLite' ? cases : someOf(cases, 1);
}

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
      for (const [name, over] of casesOn(store, SUBMITTED)) {
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

/** How a commit that a push accepted before is rejected by an RFC that somebody submitted. */
const REJECTED_LATER: [name: string, over: (sha: string) => Partial<RfcRecord>][] = [
  ...SUBMITTED,
  [
    'the short name beside the full one',
    (commit_sha) => ({ repo_name: REPO, repo_full_name: REPO, commit_sha }),
  ],
  [
    'the full name in other letters',
    (commit_sha) => ({ repo_name: 'shop', repo_full_name: REPO.toUpperCase(), commit_sha }),
  ],
  [
    'another repository as its full name',
    (commit_sha) => ({ repo_name: REPO, repo_full_name: 'acme/other', commit_sha }),
  ],
];

for (const store of ['SQLite', 'MongoDB'] as const) {
  test.serial(`a commit that was rejected since is no base, on ${store}`, async (t) => {
    const { harness, world, push, commit, decide } = await open(t, store);
    const first = await push(MAIN, commit('word-first'));
    t.is(first.overall_status, 'PASSED');
    let count = 0;
    for (const [name, over] of casesOn(store, REJECTED_LATER)) {
      for (const isDeleted of [false, true]) {
        count += 1;
        const title = isDeleted ? `${name}, deleted` : name;
        const before = world.host.refs.get(MAIN) ?? '';
        const sha = commit(`word-base-${count}`);
        t.is((await push(MAIN, sha)).overall_status, 'PASSED', title);
        const submitted = blockedRecord({ rfc_id: `RFC-L${count}`, ...over(sha) });
        await insert(harness.store, submitted);
        await decide(submitted, 'reject', count);
        if (isDeleted) await decide(submitted, 'delete', count);
        // On the same ref, on another one, and on a ref of which the default branch is the base.
        const later = commit(`word-later-${count}`);
        const next = await push(`refs/heads/n${count}`, later);
        t.is(next.push?.base, before, title);
        const beside = world.host.commit([before], [...world.host.tree(before), `word-b${count}`]);
        const other = await push(`refs/heads/o${count}`, beside);
        t.is(other.push?.base, before, title);
        // Somebody decides about the commit: it is a base again.
        const again = await push(`refs/heads/d${count}`, sha);
        t.is(again.overall_status, 'BLOCKED', title);
        await decide(again, 'override', 30_000 + count);
        const child = world.host.commit([sha], [...world.host.tree(sha), `word-c${count}`]);
        t.is((await push(`refs/heads/e${count}`, child)).push?.base, sha, title);
      }
    }
  });

  test.serial(
    `a rejected baseline and the newest head of a branch are no base, on ${store}`,
    async (t) => {
      const { harness, world, push, commit, decide } = await open(t, store);
      const root = world.host.refs.get(MAIN) ?? '';
      const reject = async (rfc_id: string, commit_sha: string, minute: number) => {
        const submitted = blockedRecord({ rfc_id, repo_name: REPO, commit_sha });
        await insert(harness.store, submitted);
        await decide(submitted, 'reject', minute);
      };
      const child = commit('word-child');
      const side = world.host.commit([root], [...world.host.tree(root), 'word-side']);
      t.is((await push(MAIN, child)).push?.base, root);
      await reject('RFC-R1', root, 1);
      // The child is accepted still: it was judged over all that the baseline did not have.
      t.is((await push('refs/heads/on-child', commit('word-2'))).push?.base, child);
      const other = await push('refs/heads/side', side);
      t.is(other.push?.base, child);
      t.is(other.push?.base_kind, 'other-branch');
      await reject('RFC-R2', child, 2);
      const late = world.host.commit([root], [...world.host.tree(root), 'word-late']);
      const whole = await push('refs/heads/late', late);
      t.is(whole.push?.base, null);
      t.is(whole.push?.base_kind, 'empty-tree');
    },
  );
}
