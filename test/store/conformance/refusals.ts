import { createProdCheck } from '../../../src/heads/prod-check.ts';
import type { DecisionRequest } from '../../../src/model/decision.ts';
import type { RfcRecord } from '../../../src/model/records.ts';
import type { ProdInput } from '../../../src/store/contract/pushes.ts';
import { blockedRecord, decisionOn, findingWith } from '../fixtures/decisions.ts';
import { shaOf } from '../fixtures/pushes.ts';
import { sampleDraft, sampleRecord } from '../fixtures/records.ts';
import { adoption, judged, pushed, REPO } from './push-steps.ts';
import { type Check, fails, type Harness, idOf, insert, list } from './steps.ts';

const REVIEW_DUE = '2120-01-01T00:00:00.000Z';
const REPO_NAME = REPO.repo_name;
const FULL_NAME = 'Acme/Shop';
const NEXT = 'refs/heads/next';

/** What deleted RFCs refused, and what the rejection of a commit refuses. */
export function checkRefusals(check: Check): void {
  checkDeleted(check);
  checkNothingLeft(check);
  checkLeftParts(check);
  checkRejected(check);
  checkDecided(check);
  checkLifted(check);
}

async function ask({ pushes, trail, store: records }: Harness, over: Partial<ProdInput> = {}) {
  const { repo_name: repo = REPO_NAME, branch = null, commit_sha: sha = null } = over;
  const check = createProdCheck({ pushes, trail, records }, () => 'https://cra.example.com');
  return await check({ tenant_id: 'default' } as never, { repo, branch, sha });
}

type Held = (harness: Harness) => Promise<RfcRecord>;

/** A decision about a record, one millisecond after the one before it. */
function decider({ trail }: Harness) {
  let ms = Date.parse('2026-11-21T11:00:00Z');
  return (record: RfcRecord, over: Partial<DecisionRequest>) => {
    ms += 1;
    const at = new Date(ms).toISOString();
    return trail.decide(decisionOn(record, `op-${ms}-${record.rfc_id}`, { at, ...over }));
  };
}

const submitted = (over: Partial<RfcRecord> = {}): Held => {
  return async ({ store }) => {
    const record = blockedRecord({ rfc_id: 'RFC-HELD', ...over });
    await insert(store, record);
    return record;
  };
};
const blockedPush = (over: Parameters<typeof judged>[1] = { rfc_id: 'RFC-HELD' }): Held => {
  return (harness) => judged(harness, over, { overall_status: 'BLOCKED' });
};
const then = (before: Held, over: Partial<DecisionRequest>): Held => {
  return async (harness) => {
    const record = await before(harness);
    await decider(harness)(record, over);
    return record;
  };
};
const EMERGENCY = { review_due_at: REVIEW_DUE };
const OF_NEXT = { rfc_id: 'RFC-HELD', ref: NEXT };

/** What holds a change back, and how a deployment asks for it. */
const HELD: [name: string, held: Held, asked?: Partial<ProdInput>][] = [
  ['a submitted RFC that is BLOCKED', submitted()],
  ['one that is REJECTED', then(submitted(), { action: 'reject' })],
  ['one without a verdict', submitted({ ...sampleDraft({ rfc_id: 'RFC-HELD' }) })],
  ['one whose emergency override nobody reviewed', then(submitted(), EMERGENCY)],
  ['one of another branch', submitted({ branch: 'next' }), { branch: 'next' }],
  ['one of a commit', submitted({ commit_sha: shaOf('x') }), { commit_sha: shaOf('x') }],
  ['one under the name in other letters', submitted({ repo_name: 'ORG/repo' })],
  ['a push that is BLOCKED', blockedPush()],
  ['a push that is REJECTED', then(blockedPush(), { action: 'reject' })],
  ['a push without a verdict', ({ pushes }) => pushed(pushes, { rfc_id: 'RFC-HELD' })],
  ['a push whose emergency override nobody reviewed', then(blockedPush(), EMERGENCY)],
  ['a push of another branch', blockedPush(OF_NEXT), { branch: 'next' }],
  ['a push of a commit', blockedPush(), { commit_sha: shaOf('RFC-HELD') }],
  [
    'a push of a repository that its host has given an id',
    async (harness) => {
      await harness.pushes.adoptBaseline(adoption('first'));
      const record = await blockedPush()(harness);
      return record;
    },
  ],
];

function checkDeleted(check: Check): void {
  for (const [name, held, asked = {}] of HELD) {
    check(`a deletion leaves what was refused by ${name}`, async (t, harness) => {
      const { store, trail } = harness;
      const isPush = name.includes('push');
      if (isPush) await judged(harness, { rfc_id: 'RFC-OLD' });
      else await insert(store, sampleRecord({ rfc_id: 'RFC-OLD' }));
      t.true((await ask(harness)).allowed);
      const record = await held(harness);
      await trail.decide(decisionOn(record, 'op-delete', { action: 'delete' }));
      await fails(t, store.getRfc(idOf(record)), 'NOT_FOUND');
      t.deepEqual(
        (await list(store, {})).summaries.map(({ rfc_id }) => rfc_id),
        ['RFC-OLD'],
      );
      const refused = await ask(harness, asked);
      t.like(refused, { allowed: false, rfcId: 'RFC-HELD', latest_rfc_id: 'RFC-HELD' });
      t.regex(refused.reason, /its RFC deleted: submit or push the change again/);
      await harness.reopen();
      t.false((await ask(harness, asked)).allowed);
      const next = { rfc_id: 'RFC-NEW', branch: record.branch, commit_sha: shaOf('new') };
      if (isPush) await judged(harness, { ...next, ref: record.ref ?? '' });
      else await insert(harness.store, sampleRecord(next));
      const isOfCommit = asked.commit_sha !== undefined;
      t.is((await ask(harness, asked)).allowed, !isOfCommit, 'a newer change was accepted');
      t.true((await ask(harness, { ...asked, commit_sha: shaOf('new') })).allowed);
    });
  }

  check('a submitted RFC clears no push that was deleted', async (t, harness) => {
    const record = await blockedPush()(harness);
    await harness.trail.decide(decisionOn(record, 'op-delete', { action: 'delete' }));
    await insert(harness.store, sampleRecord({ rfc_id: 'RFC-2' }));
    t.like(await ask(harness), { allowed: false, rfcId: 'RFC-HELD', latest_rfc_id: 'RFC-2' });
    await judged(harness, { rfc_id: 'RFC-3' });
    t.true((await ask(harness)).allowed);
  });

  check('an older deletion refuses nothing that is newer', async (t, harness) => {
    const { store, trail } = harness;
    const records = ['RFC-1', 'RFC-2'].map((rfc_id) => blockedRecord({ rfc_id }));
    for (const record of records) await insert(store, record);
    await insert(store, sampleRecord({ rfc_id: 'RFC-3' }));
    for (const record of records) {
      await trail.decide(decisionOn(record, `op-${record.rfc_id}`, { action: 'delete' }));
      t.true((await ask(harness)).allowed);
    }
    await trail.decide(decisionOn(sampleRecord({ rfc_id: 'RFC-3' }), 'op-3', { action: 'delete' }));
    t.like(await ask(harness), { allowed: false, rfcId: 'RFC-2' });
  });
}

function checkNothingLeft(check: Check): void {
  const ENDS: [name: string, over: Partial<RfcRecord>, decision?: Partial<DecisionRequest>][] = [
    ['PASSED', { overall_status: 'PASSED' }],
    ['SUPERSEDED', { overall_status: 'SUPERSEDED' }],
    ['APPROVED', { overall_status: 'PASSED' }, { action: 'approve' }],
    ['OVERRIDDEN', {}, { action: 'override' }],
  ];
  for (const [name, over, decision] of ENDS) {
    check(`the deletion of an RFC that is ${name} leaves nothing`, async (t, harness) => {
      const { store, pushes, trail } = harness;
      const record = await submitted({ ...over, commit_sha: shaOf('x') })(harness);
      if (decision !== undefined) await decider(harness)(record, decision);
      await trail.decide(decisionOn(record, 'op-delete', { action: 'delete' }));
      t.is((await pushes.deletedRefusal(idOf(record))).record, null);
      await fails(t, ask(harness), 'NOT_FOUND');
      await insert(store, sampleRecord({ rfc_id: 'RFC-2' }));
      t.true((await ask(harness)).allowed);
    });
  }
}

function checkLeftParts(check: Check): void {
  check('what a deletion leaves has no findings, texts and approvals', async (t, harness) => {
    const { pushes, store, trail } = harness;
    const fields = { rfc_id: 'RFC-1', commit_message: 'said' };
    const record = blockedRecord(fields, [findingWith('a')]);
    await insert(store, record);
    const decide = decider(harness);
    await decide(record, EMERGENCY);
    await decide(record, { action: 'reject', reason: 'a reason', actor: 'somebody' });
    await trail.decide(decisionOn(record, 'op-delete', { action: 'delete' }));
    const { record: left } = await pushes.deletedRefusal(idOf(record));
    t.like(left, { overall_status: 'REJECTED', commit_message: '', override: null });
    t.is(left?.gates.risk.findings.length, 0);
    t.deepEqual(
      left?.override_history.map(({ action, actor, reason }) => [action, actor, reason]),
      [['reject', '', '']],
    );
    t.is(left?.emergency, undefined);
    const foreign = { ...idOf(record), tenant_id: 'other' };
    t.is((await pushes.deletedRefusal(foreign)).record, null);
  });

  check('heads know deleted pushes that refused, and relations do not', async (t, harness) => {
    const { pushes, trail } = harness;
    const commit = { commit_sha: shaOf('bad') };
    const blocked = { overall_status: 'BLOCKED' } as const;
    const first = await judged(harness, { rfc_id: 'RFC-1', ...commit }, blocked);
    const second = await judged(harness, { rfc_id: 'RFC-2', ref: NEXT, ...commit }, blocked);
    await trail.decide(decisionOn(first, 'op-1', { action: 'delete' }));
    const idsOf = ({ records }: { records: RfcRecord[] }) =>
      records.map(({ rfc_id }) => rfc_id).sort();
    const all = ['RFC-1', 'RFC-2'];
    const sha = commit.commit_sha.toUpperCase();
    t.deepEqual(idsOf(await pushes.pushesOfCommit({ ...REPO, sha })), all);
    t.deepEqual(idsOf(await pushes.refusedPushes({ tenant_id: 'default', shas: [sha] })), all);
    const foreign = { ...REPO, tenant_id: 'other', sha };
    t.deepEqual(idsOf(await pushes.pushesOfCommit(foreign)), []);
    const related = await pushes.relatedTo({ ...idOf(second), limit: 10 });
    t.deepEqual(related.carries_to, []);
    const bound = { ...REPO, repo_key: 'hub#7', host: 'hub' };
    await pushes.adoptBaseline(adoption('first'));
    t.true((await pushes.bindRepository(bound)).bound);
    t.deepEqual(idsOf(await pushes.pushesOfCommit({ ...bound, sha })), all);
    const { head } = await pushes.prodView({ ...REPO, branch: 'main', commit_sha: null });
    t.like(head, { rfc_id: 'RFC-1', isAccepted: false });
  });

  check('a component that a deleted RFC blocked stays blocked', async (t, harness) => {
    const { pushes, store, trail } = harness;
    const part = (status: 'PASSED' | 'BLOCKED') => ({
      id: 'pay',
      status,
      risk_score: 9,
      findings: [],
      findings_total: 0,
      base: null,
      same_as: null,
    });
    const judgedBy = { component_map: 'map' };
    const old = { ...judgedBy, components: [part('PASSED')] };
    await insert(store, sampleRecord({ rfc_id: 'RFC-1', ...old }));
    const held = { ...judgedBy, components: [part('BLOCKED')] };
    const record = blockedRecord({ rfc_id: 'RFC-2', ...held });
    await insert(store, record);
    const asked = { tenant_id: 'default', repo_name: 'ORG/repo', component: 'pay' };
    await trail.decide(decisionOn(record, 'op-1', { action: 'delete' }));
    await insert(store, sampleRecord({ rfc_id: 'RFC-3' }));
    t.is((await pushes.newestOfComponent(asked)).rfc_id, 'RFC-2');
    t.is((await pushes.newestOfComponent({ ...asked, component: 'web' })).rfc_id, null);
    await insert(store, sampleRecord({ rfc_id: 'RFC-4', ...old }));
    t.is((await pushes.newestOfComponent(asked)).rfc_id, 'RFC-4');
  });

  check('a deleted push speaks for its commit at the host', async (t, harness) => {
    const { pushes, store, trail } = harness;
    const commit_sha = shaOf('RFC-HELD');
    const record = await blockedPush()(harness);
    const fields = { post_vcs_status: true, repo_name: REPO_NAME, repo_full_name: REPO_NAME };
    await insert(store, sampleRecord({ rfc_id: 'RFC-2', commit_sha, ...fields }));
    await trail.decide(decisionOn(record, 'op-1', { action: 'delete' }));
    const { due } = await pushes.dueStatuses({ host: '', nowMs: Date.now(), limit: 10 });
    t.deepEqual(
      due.map(({ record: { rfc_id }, isOutdated }) => [rfc_id, isOutdated]),
      [['RFC-2', true]],
    );
    const gone = await pushes.dueStatuses({ host: 'hub', nowMs: Date.now(), limit: 10 });
    t.like(gone.due[0], { isDeleted: true, isOutdated: false });
  });
}

const BAD = shaOf('bad');
const NAMED = { repo_name: 'shop', repo_full_name: FULL_NAME, commit_sha: BAD };

/** RFCs that came later, or before, with a commit that somebody rejected. */
const LATER: [name: string, over: Partial<RfcRecord>, asked?: string][] = [
  ['a harmless diff', NAMED],
  ['another branch', { ...NAMED, branch: 'next' }],
  ['another message', { ...NAMED, commit_message: 'revert it' }],
  ['the name of the repository in other letters', { ...NAMED, repo_name: 'SHOP' }, 'Shop'],
  ['the full name in other letters', { ...NAMED, repo_full_name: 'ACME/shop' }],
  ['the full name alone', { ...NAMED, repo_name: 'other' }, 'other'],
  [
    'the full name as its name',
    { ...NAMED, repo_name: FULL_NAME, repo_full_name: null },
    FULL_NAME,
  ],
  ['no full name', { ...NAMED, repo_full_name: null }],
  [
    'another caller',
    { ...NAMED, submitted_by: { ...sampleRecord({ rfc_id: 'x' }).submitted_by, id: 't' } },
  ],
  ['another source', { ...NAMED, diff_source: 'vcs-pr' }],
];

function checkRejected(check: Check): void {
  for (const [name, over, asked = 'shop'] of LATER) {
    for (const isDeleted of [false, true]) {
      const how = isDeleted ? 'rejected and deleted' : 'rejected';
      check(`a commit that was ${how} is refused: ${name}`, async (t, harness) => {
        const { store, trail } = harness;
        const decide = decider(harness);
        const record = await submitted(NAMED)(harness);
        await decide(record, { action: 'reject' });
        if (isDeleted) await trail.decide(decisionOn(record, 'op-d', { action: 'delete' }));
        const later = sampleRecord({ rfc_id: 'RFC-LATER', ...over });
        await insert(store, later);
        const refused = { allowed: false, rfcId: 'RFC-HELD', latest_rfc_id: 'RFC-LATER' };
        t.like(await ask(harness, { repo_name: asked }), refused);
        const bySha = { repo_name: asked, commit_sha: BAD.toUpperCase() };
        t.like(await ask(harness, bySha), refused);
        await decide(later, { action: 'approve' });
        t.true((await ask(harness, { repo_name: asked })).allowed);
        t.true((await ask(harness, bySha)).allowed);
      });
    }
  }

  check('a rejection refuses what had passed before', async (t, harness) => {
    const { store } = harness;
    const record = await submitted(NAMED)(harness);
    await insert(store, sampleRecord({ rfc_id: 'RFC-2', ...NAMED }));
    t.true((await ask(harness, { repo_name: 'shop' })).allowed);
    const decide = decider(harness);
    await decide(record, { action: 'override' });
    await decide(record, { action: 'reject' });
    t.like(await ask(harness, { repo_name: 'shop' }), { allowed: false, rfcId: 'RFC-HELD' });
  });

  check('another commit, repository and tenant is not refused', async (t, harness) => {
    const { store } = harness;
    const decide = decider(harness);
    await decide(await submitted(NAMED)(harness), { action: 'reject' });
    const others = [
      { rfc_id: 'RFC-2', ...NAMED, commit_sha: shaOf('good') },
      { rfc_id: 'RFC-3', ...NAMED, repo_name: 'fork', repo_full_name: 'other/shop' },
    ];
    for (const other of others) {
      await insert(store, sampleRecord(other));
      t.true((await ask(harness, { repo_name: other.repo_name })).allowed, other.rfc_id);
    }
  });

  check('a decision about a submitted RFC clears no rejected push', async (t, harness) => {
    const { store } = harness;
    const decide = decider(harness);
    const sha = shaOf('RFC-HELD');
    await decide(await blockedPush()(harness), { action: 'reject' });
    const same = { repo_name: REPO_NAME, commit_sha: sha };
    const later = sampleRecord({ rfc_id: 'RFC-2', ...same });
    await insert(store, later);
    await decide(later, { action: 'approve' });
    t.like(await ask(harness, { commit_sha: sha }), { allowed: false, rfcId: 'RFC-HELD' });
    const again = await judged(
      harness,
      { rfc_id: 'RFC-3', ref: NEXT, commit_sha: sha },
      { overall_status: 'BLOCKED' },
    );
    await decide(again, { action: 'override' });
    t.true((await ask(harness, { commit_sha: sha })).allowed);
  });

  check('a decision that is pinned to a rejected commit lets it pass', async (t, harness) => {
    const { store } = harness;
    const decide = decider(harness);
    await decide(await submitted(NAMED)(harness), { action: 'reject' });
    const later = sampleRecord({ rfc_id: 'RFC-2', ...NAMED, commit_sha: null });
    await insert(store, later);
    await decide(later, { action: 'approve', commit_sha: BAD.toUpperCase() });
    const asked = { repo_name: 'shop' };
    t.true((await ask(harness, { ...asked })).allowed === false, 'it counts for that commit');
    t.like(await ask(harness, { ...asked, commit_sha: BAD }), { rfcId: 'RFC-HELD' });
    await insert(store, sampleRecord({ rfc_id: 'RFC-3', ...NAMED }));
    const own = sampleRecord({ rfc_id: 'RFC-3', ...NAMED });
    await decide(own, { action: 'approve', commit_sha: shaOf('elsewhere') });
    t.false((await ask(harness, { ...asked, commit_sha: BAD })).allowed);
  });
}

function checkDecided(check: Check): void {
  check('decisionsOfCommit gives what people decided, by every name', async (t, harness) => {
    const { pushes, store, trail } = harness;
    const decide = decider(harness);
    const record = await submitted(NAMED)(harness);
    await insert(store, sampleRecord({ rfc_id: 'RFC-2', ...NAMED }));
    const asked = { tenant_id: 'default', names: ['ACME/SHOP'], sha: BAD.toUpperCase() };
    const found = async (over: Partial<typeof asked> = {}) =>
      (await pushes.decisionsOfCommit({ ...asked, ...over })).records.map(
        ({ rfc_id, overall_status }) => `${rfc_id} ${overall_status}`,
      );
    t.deepEqual(await found(), []);
    await decide(record, { action: 'reject' });
    t.deepEqual(await found(), ['RFC-HELD REJECTED']);
    t.deepEqual(await found({ names: ['x', 'shop'] }), ['RFC-HELD REJECTED']);
    t.deepEqual(await found({ names: ['other'] }), []);
    t.deepEqual(await found({ tenant_id: 'other' }), []);
    t.deepEqual(await found({ sha: shaOf('other') }), []);
    await trail.decide(decisionOn(record, 'op-d', { action: 'delete' }));
    t.deepEqual(await found(), ['RFC-HELD REJECTED']);
    await decide(sampleRecord({ rfc_id: 'RFC-2' }), { action: 'approve' });
    t.deepEqual((await found()).sort(), ['RFC-2 APPROVED', 'RFC-HELD REJECTED']);
  });
}

const person = (id: string) => ({
  id,
  name: null,
  credential: 'oidc',
  role: 'admin',
  tenant_id: 'default',
  email: `${id}@example.com`,
});

/** Rejected RFCs, and whether four eyes compare a decision about NAMED with them. */
const COMPARED: [name: string, over: Partial<RfcRecord>, lifts: string[]][] = [
  ['the same', NAMED, ['RFC-HELD']],
  ['the name in other letters', { ...NAMED, repo_name: 'SHOP' }, ['RFC-HELD']],
  ['the full name alone', { ...NAMED, repo_name: 'other' }, ['RFC-HELD']],
  ['no full name', { ...NAMED, repo_full_name: null }, ['RFC-HELD']],
  ['another branch', { ...NAMED, branch: 'next' }, ['RFC-HELD']],
  ['another repository', { ...NAMED, repo_name: 'fork', repo_full_name: 'other/shop' }, []],
  ['another commit', { ...NAMED, commit_sha: shaOf('good') }, []],
];

function checkLifted(check: Check): void {
  const [ann, bob] = [person('ann'), person('bob')] as DecisionRequest['principal'][];
  if (ann === undefined || bob === undefined) throw new TypeError('no people');
  const fourEyes = { action: 'approve', four_eyes: true, principal: ann } as const;
  for (const [name, over, lifts] of COMPARED) {
    for (const isDeleted of [false, true]) {
      const how = isDeleted ? 'rejected and deleted' : 'rejected';
      check(`four eyes compare with what was ${how}: ${name}`, async (t, harness) => {
        const { store, trail } = harness;
        const decide = decider(harness);
        const own = lifts.length > 0;
        for (const submitted_by of [bob, ann]) {
          const rfc_id = submitted_by === bob ? 'RFC-HELD' : 'RFC-OWN';
          const record = await submitted({ ...over, rfc_id, submitted_by })(harness);
          await decide(record, { action: 'reject' });
          const gone = decisionOn(record, `op-d-${rfc_id}`, { action: 'delete' });
          if (isDeleted) await trail.decide(gone);
          const later = sampleRecord({ ...NAMED, rfc_id: `${rfc_id}-2`, submitted_by: bob });
          await insert(store, later);
          if (submitted_by === ann && own) {
            const message = /RFC-OWN, which was rejected for the same commit, is your own/;
            const error = await fails(t, decide(later, fourEyes), 'PERMISSION_DENIED');
            t.regex(error?.message ?? '', message);
          } else {
            t.deepEqual((await decide(later, fourEyes)).decision?.lifts, lifts);
          }
        }
      });
    }
  }

  check('a rejection that a decision has not seen is not lifted by it', async (t, harness) => {
    const { store, trail } = harness;
    const record = await submitted({ ...NAMED, submitted_by: ann })(harness);
    const later = sampleRecord({ ...NAMED, rfc_id: 'RFC-2', submitted_by: bob });
    await insert(store, later);
    const early = '2026-11-21T11:00:00.000Z';
    const late = '2026-11-21T11:00:05.000Z';
    await trail.decide(decisionOn(later, 'op-1', { ...fourEyes, at: late }));
    // It was asked for before, and written after: another daemon was slower.
    await trail.decide(decisionOn(record, 'op-2', { action: 'reject', at: early }));
    const refused = { allowed: false, rfcId: 'RFC-HELD' };
    t.like(await ask(harness, { repo_name: 'shop', commit_sha: BAD }), refused);
    await harness.reopen();
    t.like(await ask(harness, { repo_name: 'shop', commit_sha: BAD }), refused);
  });
}
