import { setImmediate } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { knownBaseline } from '../../src/heads/adoption.ts';
import { findBase } from '../../src/heads/base.ts';
import { createProdCheck, type ProdQuestion } from '../../src/heads/prod-check.ts';
import { rejectionOf } from '../../src/heads/rejections.ts';
import { CraError } from '../../src/model/errors.ts';
import { DEFAULT_TENANT } from '../../src/model/principal.ts';
import type { Baseline } from '../../src/model/push.ts';
import { acceptsHead, type Decision, type RfcRecord } from '../../src/model/records.ts';
import { STATUSES } from '../../src/model/rfc.ts';
import { newPushRecord } from '../../src/pushes/push-record.ts';
import { MAIN, World } from '../pushes/world.ts';
import { judged, REPO } from '../store/conformance/push-steps.ts';
import { insert, NOW } from '../store/conformance/steps.ts';
import { blockedRecord, decisionOn, findingWith, MANAGER } from '../store/fixtures/decisions.ts';
import { sampleRecord } from '../store/fixtures/records.ts';
import { openHarness } from '../store/sqlite/harness.ts';

const FIRST = 'a'.repeat(40);
const SECOND = 'b'.repeat(40);
const GRACE_MS = 5_000;
const REFS = { 'refs/heads/main': SECOND, 'refs/heads/next': SECOND };

function pushOf(ref: string, before: string | null): RfcRecord {
  const info = { source: 'webhook', delivery_id: ref, before, pusher: null } as const;
  return newPushRecord(
    {
      host: { id: 'hub', provider: 'github', tenantId: 'default', hasStatuses: false },
      repoFullName: 'acme/shop',
      ref,
      sha: SECOND,
      rulesRevision: 'r1',
      pusherEmail: null,
      pullRequest: null,
      info: { ...info, default_branch: 'main', repository_id: null },
    },
    new Date(NOW),
  );
}

test('a store that fails two reads of a rejection ends no daemon', async (t) => {
  const unawaited: unknown[] = [];
  const note = (reason: unknown) => void unawaited.push(reason);
  process.on('unhandledRejection', note);
  t.teardown(() => process.off('unhandledRejection', note));
  const fail = () => Promise.reject(new CraError('UNAVAILABLE', 'the store does not answer'));
  const reads = { decisionsOfCommit: fail, pushesOfCommit: fail };
  const asked = rejectionOf(pushOf('refs/heads/main', null), reads);
  await t.throwsAsync(asked, { message: 'the store does not answer' });
  // Node reports them once the microtasks have run.
  await setImmediate();
  t.deepEqual(unawaited, []);
});

/** What is adopted for a push of another branch, so many ms after it came. */
async function adopted(ageMs: number, ofMain: RfcRecord | null) {
  let kept: Baseline | null = null;
  await knownBaseline(pushOf('refs/heads/next', null), 'acme/shop', REFS, null, {
    source: {
      sync: async () => ({ refs: REFS, missing: [], problem: null }),
      ancestry: async () => ({ shas: [], hasMore: false }),
      isAncestor: async () => ({ is_ancestor: false }),
    },
    pushes: {
      acceptedHeads: async () => ({ accepted: [] }),
      pushesOfCommit: async () => ({ records: [] }),
      refusedPushes: async () => ({ records: [] }),
      oldestPush: async () => ({ record: ofMain }),
      adoptBaseline: async ({ baseline }) => {
        kept = baseline;
        return { baseline, adopted: true };
      },
    },
    adopt: 'baseline',
    times: { graceMs: GRACE_MS },
    now: () => new Date(NOW + ageMs),
  });
  return kept;
}

test('of two branches pushed at once none has the other adopted by its webhook', async (t) => {
  t.is(await adopted(0, null), null);
  const ofMain = pushOf('refs/heads/main', FIRST);
  t.like(await adopted(GRACE_MS, ofMain), { sha: FIRST });
  t.like(await adopted(0, ofMain), { sha: FIRST });
});

test('without a push to the default branch its state is adopted after a while', async (t) => {
  t.is(await adopted(GRACE_MS - 1, null), null);
  t.like(await adopted(GRACE_MS, null), { sha: SECOND });
});

const SHA = 'a1b2c3d4e5f60718293a4b5c6d7e8f9001122334';
const OTHER_SHA = 'f'.repeat(40);

for (const [status, reason] of [
  ['PASSED', 'a submitted diff that passed'],
  ['BLOCKED', 'a submitted diff that is blocked, too'],
] as const) {
  test(`prod-check names the push that blocks, not ${reason}`, async (t) => {
    const harness = await openHarness(() => NOW);
    t.teardown(() => harness.close());
    await judged(harness, { rfc_id: 'RFC-1' }, { overall_status: 'BLOCKED', risk_score: 91 });
    const newer = { rfc_id: 'RFC-2', ...REPO, overall_status: status, risk_score: 7 };
    await insert(harness.store, sampleRecord(newer));
    const check = createProdCheck(storesOf(harness), () => 'https://cra.example.com');
    const { reason: why, ...decision } = await check(MANAGER, {
      repo: REPO.repo_name,
      branch: null,
      sha: null,
    });
    t.deepEqual(decision, {
      allowed: false,
      rfcId: 'RFC-1',
      riskScore: 91,
      approveUrl: 'https://cra.example.com/cra#approve-RFC-1',
      latest_rfc_id: 'RFC-2',
    });
    t.regex(why, /RFC-1/);
  });
}

function storesOf({ pushes, trail, store: records }: Awaited<ReturnType<typeof openHarness>>) {
  return { pushes, trail, records };
}

test('prod-check refuses once the acceptance of a finding has ended, and says which', async (t) => {
  const harness = await openHarness(() => NOW);
  t.teardown(() => harness.close());
  const { store, trail } = harness;
  const check = createProdCheck(storesOf(harness), () => 'https://cra.example.com');
  const ask = () => check(MANAGER, { repo: 'org/repo', branch: null, sha: null });
  const finding = findingWith('a', { id: 'secret-a' });
  const record = blockedRecord({ rfc_id: 'RFC-1', risk_score: 71 }, [finding]);
  await insert(store, record);
  const end = { accept_findings: true, expires_at: '2020-03-01T00:00:00.000Z' };
  await trail.decide(decisionOn(record, 'op-1', end));
  await insert(store, sampleRecord({ rfc_id: 'RFC-2', overall_status: 'PASSED', risk_score: 3 }));
  t.deepEqual(await ask(), {
    allowed: false,
    rfcId: 'RFC-1',
    riskScore: 71,
    reason: 'the acceptance of secret-a by RFC-1 ended on 2020-03-01T00:00:00.000Z',
    approveUrl: 'https://cra.example.com/cra#approve-RFC-1',
    latest_rfc_id: 'RFC-2',
  });
  const again = blockedRecord({ rfc_id: 'RFC-3', risk_score: 71 }, [finding]);
  await insert(store, again);
  const later = { ...end, expires_at: '2120-03-01T00:00:00.000Z' };
  await trail.decide(decisionOn(again, 'op-3', later));
  t.like(await ask(), { allowed: true, rfcId: 'RFC-3' });
});

/** The check over these records, oldest first. */
async function openCheck(t: ExecutionContext, records: readonly Partial<RfcRecord>[]) {
  const harness = await openHarness(() => NOW);
  t.teardown(() => harness.close());
  for (const [index, fields] of records.entries()) {
    const own = { rfc_id: `RFC-${index + 1}`, repo_name: 'Acme/Shop', risk_score: 7 };
    await insert(harness.store, sampleRecord({ ...own, ...fields }));
  }
  const check = createProdCheck(storesOf(harness), () => 'https://cra.example.com');
  return (question: Partial<ProdQuestion> = {}, tenant_id = DEFAULT_TENANT) =>
    check({ ...MANAGER, tenant_id }, { repo: 'acme/shop', branch: null, sha: null, ...question });
}

function pinnedTo(commit_sha: string | null, action: Decision['action'] = 'approve'): Decision {
  return {
    decision_id: 'D-1',
    action,
    principal: MANAGER,
    actor: 'ann',
    reason: 'known',
    at: '2026-11-21T11:00:00.000Z',
    commit_sha,
    repo_full_name: null,
  };
}

async function isUnknown(t: ExecutionContext, call: Promise<unknown>): Promise<void> {
  const error = await t.throwsAsync(call, { instanceOf: CraError });
  t.is(error?.code, 'NOT_FOUND');
}

for (const status of STATUSES) {
  const isAllowed = ['PASSED', 'APPROVED', 'OVERRIDDEN'].includes(status);
  if (status === 'SUPERSEDED') continue;
  test(`prod-check of a change that is ${status}: allowed is ${isAllowed}`, async (t) => {
    const check = await openCheck(t, [{ overall_status: status }]);
    const { reason, ...decision } = await check();
    t.deepEqual(decision, {
      allowed: isAllowed,
      rfcId: 'RFC-1',
      riskScore: 7,
      approveUrl: 'https://cra.example.com/cra#approve-RFC-1',
      latest_rfc_id: 'RFC-1',
    });
    t.regex(reason, /change/);
  });
}

test('prod-check goes by the newest change that is not SUPERSEDED, of the branch asked for', async (t) => {
  const check = await openCheck(t, [
    { overall_status: 'PASSED' },
    { overall_status: 'BLOCKED', branch: 'next' },
    { overall_status: 'SUPERSEDED' },
  ]);
  t.like(await check(), { allowed: false, rfcId: 'RFC-2' });
  t.like(await check({ branch: 'main' }), { allowed: true, rfcId: 'RFC-1' });
  await isUnknown(t, check({ branch: 'gone' }));
});

test('prod-check knows no repository of another tenant, and none it never saw', async (t) => {
  const check = await openCheck(t, [{ tenant_id: 'other' }]);
  await isUnknown(t, check());
  await isUnknown(t, check({ repo: 'acme/none' }));
  t.true((await check({}, 'other')).allowed);
});

test('prod-check of a commit goes by the newest change of that commit, in any case', async (t) => {
  const check = await openCheck(t, [
    { overall_status: 'PASSED', commit_sha: SHA },
    { overall_status: 'BLOCKED', commit_sha: OTHER_SHA },
  ]);
  t.like(await check({ sha: SHA }), { allowed: true, rfcId: 'RFC-1' });
  t.like(await check({ sha: SHA.toUpperCase() }), { allowed: true, rfcId: 'RFC-1' });
  t.like(await check({ sha: OTHER_SHA }), { allowed: false, rfcId: 'RFC-2' });
  await isUnknown(t, check({ sha: '0'.repeat(40) }));
  await isUnknown(t, check({ sha: SHA, branch: 'next' }));
});

test('an approval that is pinned to a commit counts for that commit alone', async (t) => {
  const decided = { overall_status: 'OVERRIDDEN', override_history: [pinnedTo(SHA)] } as const;
  const check = await openCheck(t, [{ ...decided, override_history: [pinnedTo(SHA)] }]);
  const unknown_ = await check();
  t.false(unknown_.allowed);
  t.regex(unknown_.reason, new RegExp(`commit ${SHA} alone`));
  t.true((await check({ sha: SHA })).allowed);
  t.true((await check({ sha: SHA.toUpperCase() })).allowed);
  await isUnknown(t, check({ sha: OTHER_SHA }));
});

test('an approval of one commit pinned to another counts for neither without being asked', async (t) => {
  const check = await openCheck(t, [
    {
      overall_status: 'APPROVED',
      commit_sha: OTHER_SHA,
      override_history: [pinnedTo(SHA.toUpperCase())],
    },
  ]);
  t.false((await check()).allowed);
  t.false((await check({ sha: OTHER_SHA })).allowed);
  t.true((await check({ sha: SHA })).allowed);
});

test('a pinned approval of an RFC that came with that commit needs no ?sha=', async (t) => {
  const check = await openCheck(t, [
    {
      overall_status: 'OVERRIDDEN',
      commit_sha: SHA,
      override_history: [pinnedTo(SHA, 'override')],
    },
  ]);
  t.true((await check()).allowed);
});

test('a change that was approved for a commit and rejected since may not deploy', async (t) => {
  const override_history = [pinnedTo(SHA), pinnedTo(null, 'reject')];
  const check = await openCheck(t, [{ overall_status: 'REJECTED', override_history }]);
  t.false((await check()).allowed);
  t.false((await check({ sha: SHA })).allowed);
});

test('a newer change that is blocked is not hidden by an older approval for the commit', async (t) => {
  const check = await openCheck(t, [
    { overall_status: 'OVERRIDDEN', override_history: [pinnedTo(SHA)] },
    { overall_status: 'BLOCKED' },
  ]);
  t.false((await check()).allowed);
  await isUnknown(t, check({ sha: SHA }));
});

test('acceptsHead: not what could not be read, nor another commit than a decision names', (t) => {
  const record = sampleRecord({
    ...pushOf('refs/heads/main', null),
    rfc_id: 'RFC-1',
    overall_status: 'APPROVED',
    commit_sha: SECOND,
  });
  const { push } = record;
  if (push === null) throw new Error('it is a push');
  t.true(acceptsHead(record));
  t.false(acceptsHead({ ...record, push: { ...push, waiting_for: 'no such commit' } }));
  t.false(acceptsHead({ ...record, overall_status: 'BLOCKED' }));
  t.false(acceptsHead({ ...record, push: null }));
  const decided = (commit_sha: string): RfcRecord => ({
    ...record,
    override_history: [
      {
        decision_id: 'D',
        action: 'approve',
        principal: MANAGER,
        actor: 'ann',
        reason: 'ok',
        at: record.created_at,
        commit_sha,
        repo_full_name: null,
      },
    ],
  });
  t.true(acceptsHead(decided(SECOND.toUpperCase())));
  t.false(acceptsHead(decided(FIRST)));
});

/** Pushes of a default branch before the service knows it, as [from, to]; 0: what was there. */
const FIRST_SIGHTS: [string, [number, number][]][] = [
  [
    'back to the middle of three pushes',
    [
      [0, 1],
      [1, 2],
      [2, 1],
    ],
  ],
  [
    'back to where it began',
    [
      [0, 1],
      [1, 0],
    ],
  ],
];

for (const [where, moves] of FIRST_SIGHTS) {
  test(`a branch that was forced ${where} has nothing green that was not judged, whichever webhook comes first`, async (t) => {
    const tries = ordersOf(moves).flatMap((order) =>
      [false, true].map((isJudged) => ({ order, isJudged })),
    );
    for (const { order, isJudged } of tries) {
      const harness = await openHarness(() => NOW);
      const world = new World(harness, NOW);
      const { host } = world;
      const root = host.commit([], ['readme']);
      const bad = host.commit([root], ['readme', 'bad-1']);
      const shas = [root, bad, host.commit([bad], ['readme', 'bad-1', 'more'])];
      host.refs.set(MAIN, root);
      const hooks = new Map(moves.map((move) => [move, world.push(MAIN, shas[move[1]] ?? '')]));
      for (const move of order) {
        const hook = hooks.get(move);
        if (hook !== undefined) await world.deliver(hook);
        // Each before the next one comes.
        if (isJudged) await world.drain();
      }
      await world.drain();
      await world.deliver(world.push('refs/heads/next', bad));
      await world.drain();
      const label = `${order.map((move) => move.join('..'))}${isJudged ? ', one by one' : ''}`;
      const heads = { ...world.place, shas: shas.slice(1) };
      t.deepEqual((await harness.pushes.acceptedHeads(heads)).accepted, [], label);
      const next = (await world.records()).find(({ ref }) => ref === 'refs/heads/next');
      t.is(next?.overall_status, 'BLOCKED', label);
      await harness.close();
    }
  });
}

function ordersOf<Item>(items: readonly Item[]): Item[][] {
  if (items.length < 2) return [[...items]];
  return items.flatMap((first) =>
    ordersOf(items.filter((each) => each !== first)).map((rest) => [first, ...rest]),
  );
}

test('a fork begins at its common commit with the base branch, unless that was rejected', async (t) => {
  const harness = await openHarness(() => NOW);
  t.teardown(() => harness.close());
  const [first, common, newest, fork] = ['a', 'c', 'd', 'f'].map((letter) => letter.repeat(40));
  const parents = new Map([
    [fork, common],
    [newest, common],
    [common, first],
  ]);
  const reach = (sha: string | undefined): string[] =>
    sha === undefined ? [] : [sha, ...reach(parents.get(sha))];
  await judged(harness, { rfc_id: 'RFC-A', commit_sha: first ?? '' });
  const { push } = await judged(harness, { rfc_id: 'RFC-D', commit_sha: newest ?? '' });
  if (push === null) return t.fail();
  const { repo_name } = REPO;
  const baseOfFork = () =>
    findBase(
      {
        repository: { host: 'hub', repo_full_name: repo_name },
        place: { tenant_id: 'default', repo_key: REPO.repo_key },
        sha: fork ?? '',
        ref: 'refs/pull/7/head',
        push,
        baseBranch: 'main',
      },
      null,
      {
        source: {
          sync: async () => ({ refs: {}, missing: [], problem: null }),
          ancestry: async ({ from }) => ({ shas: reach(from), hasMore: false }),
          ancestorsAmong: async ({ head, shas }) => {
            return { shas: shas.filter((sha) => reach(head).includes(sha)) };
          },
          areRelated: async () => ({ related: true }),
          isAncestor: async ({ one, other }) => ({ is_ancestor: reach(other).includes(one) }),
        },
        pushes: harness.pushes,
      },
    );
  t.like(await baseOfFork(), { sha: common, kind: 'ancestor', accepted: newest });
  await judged(
    harness,
    { rfc_id: 'RFC-C', commit_sha: common ?? '', ref: 'refs/heads/other' },
    { overall_status: 'BLOCKED' },
  );
  const reject = { action: 'reject' } as const;
  await harness.trail.decide(decisionOn({ tenant_id: 'default', rfc_id: 'RFC-C' }, 'op-c', reject));
  t.like(await baseOfFork(), { sha: first, kind: 'ancestor', accepted: first });
});
