import { decisionOn } from '../fixtures/decisions.ts';
import { shaOf } from '../fixtures/pushes.ts';
import { outcomeOf, recordText, sampleDraft, sampleRecord } from '../fixtures/records.ts';
import {
  claim,
  due,
  dueIds,
  FAR_MS,
  finish,
  judged,
  LONG_MS,
  PULL_REQUEST,
  pushed,
  settle,
} from './push-steps.ts';
import { type Check, fails, idOf, insert, NOW } from './steps.ts';

const NEXT = 'refs/heads/next';
const LIVE = { isOutdated: false, isDeleted: false };

/** What hosts are to be told, and how much waits. */
export function checkStatuses(check: Check): void {
  checkDue(check);
  checkPullRequests(check);
  checkHosts(check);
  checkSpeakers(check);
  checkSettle(check);
  checkDepth(check);
}

function checkDue(check: Check): void {
  check('a status is due after each change of status, and no other', async (t, harness) => {
    const { pushes, trail } = harness;
    const draft = await pushed(pushes, { rfc_id: 'RFC-1' });
    t.deepEqual(await due(pushes), [{ record: draft, posted: null, ...LIVE }]);
    await settle(harness, draft);
    t.deepEqual(await dueIds(pushes), []);
    const id = { tenant_id: 'default', rfc_id: 'RFC-1' };
    t.deepEqual(await pushes.postedStatus(id), { posted: 'DRAFT', isDue: false });
    const nothing = { posted: null, isDue: false };
    t.deepEqual(await pushes.postedStatus({ ...id, tenant_id: 'other' }), nothing);
    t.deepEqual(await pushes.postedStatus({ ...id, rfc_id: 'RFC-9' }), nothing);
    const claimed = await claim(pushes);
    t.deepEqual(await dueIds(pushes), []);
    if (claimed !== null) await finish(harness, claimed);
    const [passed] = await due(pushes);
    t.deepEqual(await pushes.postedStatus(id), { posted: 'DRAFT', isDue: true });
    t.like(passed, { posted: 'DRAFT', record: { rfc_id: 'RFC-1', overall_status: 'PASSED' } });
    await settle(harness, draft);
    for (const action of ['approve', 'reject'] as const) {
      await trail.decide(decisionOn(draft, `op-${action}`, { action }));
      t.deepEqual(await dueIds(pushes), ['RFC-1']);
      await settle(harness, draft);
      t.deepEqual(await dueIds(pushes), []);
    }
  });

  check('the status of a deleted RFC is due until it is settled', async (t, harness) => {
    const { pushes, trail, store } = harness;
    const [commit_sha, overall_status] = [shaOf('one'), 'BLOCKED'] as const;
    const first = await judged(harness, { rfc_id: 'RFC-1', commit_sha }, { overall_status });
    const newer = await judged(harness, { rfc_id: 'RFC-2', commit_sha });
    await insert(store, sampleRecord({ rfc_id: 'RFC-3' }));
    for (const record of [first, newer]) await settle(harness, record);
    t.deepEqual(await dueIds(pushes), []);
    const remove = (rfc_id: string) =>
      trail.decide(
        decisionOn({ tenant_id: 'default', rfc_id }, `op-${rfc_id}`, { action: 'delete' }),
      );
    await remove('RFC-1');
    const told = async () => (await due(pushes)).map(({ record, ...rest }) => [record, rest]);
    const [[record, rest] = []] = await told();
    t.like(record, { rfc_id: 'RFC-1', commit_sha, rev: first.rev + 1, commit_message: '' });
    t.deepEqual(rest, { posted: 'BLOCKED', isOutdated: true, isDeleted: true });
    t.is((await pushes.queueDepth(null)).statuses_due, 1);
    await remove('RFC-2');
    await remove('RFC-3');
    const left = new Map((await due(pushes)).map(({ record, ...facts }) => [record.rfc_id, facts]));
    const gone = { isOutdated: false, isDeleted: true };
    t.deepEqual(left.get('RFC-1'), { posted: 'BLOCKED', ...gone });
    t.deepEqual(left.get('RFC-2'), { posted: 'PASSED', ...gone });
    const id = { tenant_id: 'default', rfc_id: 'RFC-2', rev: newer.rev + 1 };
    await pushes.settleStatus({ ...id, posted: 'gone', dueMs: FAR_MS + 1 });
    t.deepEqual(await dueIds(pushes), ['RFC-1']);
    for (const rfc_id of ['RFC-1', 'RFC-2']) {
      const rev = rfc_id === 'RFC-1' ? first.rev + 1 : newer.rev + 1;
      await pushes.settleStatus({ ...id, rfc_id, rev, posted: null, dueMs: null });
    }
    t.deepEqual(await dueIds(pushes), []);
    t.is((await pushes.queueDepth(null)).statuses_due, 0);
  });

  check('statuses of submitted diffs are due where the host is asked for', async (t, harness) => {
    const { pushes, store, trail } = harness;
    await insert(store, sampleRecord({ rfc_id: 'RFC-1' }));
    t.deepEqual(await dueIds(pushes, ''), []);
    const draft = sampleDraft({ rfc_id: 'RFC-2', post_vcs_status: true });
    await insert(store, draft);
    t.deepEqual(await dueIds(pushes, ''), ['RFC-2']);
    await settle(harness, draft);
    await store.startAttempt({ ...idOf(draft), expectedRev: 1 });
    t.deepEqual(await dueIds(pushes, ''), []);
    const outcome = recordText(outcomeOf({ ...draft, rev: 2 }));
    await store.completeDraft({ record: outcome, expectedRev: 2 });
    t.deepEqual(await dueIds(pushes, ''), ['RFC-2']);
    // A decision may name a commit and a repository of its own.
    const pin = { action: 'approve', commit_sha: 'c'.repeat(40), repo_full_name: 'o/r' } as const;
    await trail.decide(decisionOn({ tenant_id: 'default', rfc_id: 'RFC-1' }, 'op-1', pin));
    t.deepEqual([...(await dueIds(pushes, ''))].sort(), ['RFC-1', 'RFC-2']);
    t.deepEqual(await dueIds(pushes, 'hub'), []);
  });
}

function checkPullRequests(check: Check): void {
  check('the pull request of a push is noted once there is a verdict', async (t, harness) => {
    const { pushes, store } = harness;
    const draft = await pushed(pushes, { rfc_id: 'RFC-1' });
    const id = { tenant_id: 'default', rfc_id: 'RFC-1' };
    const note = (expectedRev: number, more = {}) =>
      pushes.notePullRequest({
        ...id,
        pullRequest: PULL_REQUEST,
        expectedRev,
        at: '2026-11-21T10:00:01.000Z',
        ...more,
      });
    await fails(t, note(draft.rev), 'ABORTED');
    const claimed = await claim(pushes);
    if (claimed !== null) await finish(harness, claimed);
    const { rev } = await store.getState(id);
    await fails(t, note(rev - 1), 'ABORTED');
    await fails(t, note(rev, { tenant_id: 'other' }), 'NOT_FOUND');
    t.deepEqual(await note(rev), { rev: rev + 1 });
    const { json } = await store.getRfc(id);
    const record = JSON.parse(Buffer.from(json).toString());
    t.like(record, { rev: rev + 1, overall_status: 'PASSED', pull_request: PULL_REQUEST });
    t.is(record.updated_at, '2026-11-21T10:00:01.000Z');
    t.deepEqual((await pushes.revocations({ limit: 9 })).revocations, [], 'its head stays');
  });
}

function checkHosts(check: Check): void {
  check('statuses are given by host, newest first', async (t, { pushes }) => {
    const ids = ['RFC-1', 'RFC-2', 'RFC-3'];
    for (const [n, rfc_id] of ids.entries()) {
      const record = await pushed(pushes, { rfc_id, tenant_id: n === 1 ? 'other' : 'default' });
      const dueMs = FAR_MS - n;
      await pushes.settleStatus({ ...idOf(record), rev: 1, posted: null, dueMs });
    }
    await pushed(pushes, { rfc_id: 'RFC-H', push: { host: 'other' } });
    t.deepEqual(await dueIds(pushes), ['RFC-1', 'RFC-2', 'RFC-3']);
    t.deepEqual(await dueIds(pushes, 'other'), ['RFC-H']);
    t.deepEqual(await dueIds(pushes, ''), []);
    const at = async (nowMs: number, limit: number) => {
      const answer = await pushes.dueStatuses({ host: 'hub', nowMs, limit });
      return answer.due.map(({ record }) => record.rfc_id);
    };
    t.deepEqual(await at(FAR_MS - 1, 10), ['RFC-2', 'RFC-3']);
    t.deepEqual(await at(FAR_MS, 2), ['RFC-1', 'RFC-2']);
    t.deepEqual(await at(FAR_MS - 3, 10), []);
    for (const limit of [0, -1, 1.5]) await fails(t, at(FAR_MS, limit), 'INVALID_ARGUMENT');
  });

  check('verdicts that are due are given before DRAFTs', async (t, harness) => {
    for (const rfc_id of ['RFC-1', 'RFC-2']) {
      const record = await pushed(harness.pushes, { rfc_id });
      const later = { rev: 1, posted: null, dueMs: FAR_MS };
      await harness.pushes.settleStatus({ ...idOf(record), ...later });
    }
    for (const rfc_id of ['RFC-3', 'RFC-4']) await judged(harness, { rfc_id });
    const ids = await dueIds(harness.pushes);
    t.deepEqual([...ids.slice(0, 2)].sort(), ['RFC-3', 'RFC-4']);
    t.deepEqual([...ids.slice(2)].sort(), ['RFC-1', 'RFC-2']);
    const few = await due(harness.pushes, 'hub', 3);
    t.is(few.filter(({ record }) => record.overall_status === 'PASSED').length, 2);
  });

  check('a status is outdated by a newer RFC of its commit', async (t, harness) => {
    const { pushes, store } = harness;
    const commit_sha = shaOf('same');
    const outdated = async () =>
      (await due(pushes)).map(({ record, isOutdated }) => [record.rfc_id, isOutdated] as const);
    await judged(harness, { rfc_id: 'RFC-1', commit_sha });
    await judged(harness, { rfc_id: 'RFC-2', commit_sha }, { overall_status: 'SUPERSEDED' });
    await insert(store, sampleRecord({ rfc_id: 'RFC-T', commit_sha, tenant_id: 'other' }));
    await insert(store, sampleRecord({ rfc_id: 'RFC-R', commit_sha, repo_name: 'Org/Other' }));
    t.deepEqual(new Map(await outdated()).get('RFC-1'), false);
    await pushed(pushes, { rfc_id: 'RFC-3', commit_sha, ref: NEXT });
    t.deepEqual([...(await outdated())].sort(), [
      ['RFC-1', true],
      ['RFC-2', true],
      ['RFC-3', false],
    ]);
  });
}

function checkSpeakers(check: Check): void {
  check('what somebody submits does not speak for the commit of a push', async (t, harness) => {
    const commit_sha = 'e'.repeat(40);
    const push = await judged(
      harness,
      { rfc_id: 'RFC-1', commit_sha },
      { overall_status: 'BLOCKED' },
    );
    const { repo_name } = push;
    const posting = { commit_sha, repo_name, post_vcs_status: true };
    await insert(harness.store, sampleRecord({ rfc_id: 'RFC-2', ...posting }));
    t.like(await due(harness.pushes), [{ record: { rfc_id: 'RFC-1' }, isOutdated: false }]);
    const [submitted] = (await harness.pushes.dueStatuses({ host: '', nowMs: NOW * 2, limit: 9 }))
      .due;
    t.like(submitted, { record: { rfc_id: 'RFC-2' }, isOutdated: true });
  });

  check(
    'nor under another name, where the status is for the repository of a push',
    async (t, h) => {
      const commit_sha = 'e'.repeat(40);
      const push = await judged(h, { rfc_id: 'RFC-1', commit_sha }, { overall_status: 'BLOCKED' });
      const repo_full_name = push.repo_name.toUpperCase();
      const posting = { commit_sha, repo_name: 'other', repo_full_name, post_vcs_status: true };
      await insert(h.store, sampleRecord({ rfc_id: 'RFC-2', ...posting }));
      const { due: submitted } = await h.pushes.dueStatuses({
        host: '',
        nowMs: NOW * 2,
        limit: 9,
      });
      t.like(submitted, [{ record: { rfc_id: 'RFC-2' }, isOutdated: true }]);
      t.like(await due(h.pushes), [{ record: { rfc_id: 'RFC-1' }, isOutdated: false }]);
    },
  );
}

function checkSettle(check: Check): void {
  check('settleStatus of an older rev leaves the status due', async (t, harness) => {
    const { pushes, trail } = harness;
    const record = await judged(harness, { rfc_id: 'RFC-1' });
    await trail.decide(decisionOn(record, 'op-1', { action: 'reject' }));
    const old = { ...idOf(record), rev: record.rev, dueMs: null };
    t.deepEqual(await pushes.settleStatus({ ...old, posted: 'success' }), { ok: true });
    const [left] = await due(pushes);
    t.like(left, { posted: 'success', record: { overall_status: 'REJECTED' } });
    await pushes.settleStatus({ ...old, rev: record.rev + 1, posted: null });
    t.deepEqual(await due(pushes), []);
    // Late, and another daemon has posted and settled the newer state before.
    await pushes.settleStatus({ ...old, posted: 'success' });
    t.is((await due(pushes)).length, 1);
    // What was posted stays known.
    await trail.decide(decisionOn(record, 'op-2', { action: 'delete' }));
    t.deepEqual(await pushes.settleStatus({ ...old, posted: 'failure' }), { ok: true });
  });

  check(
    'settleStatus of an older rev after that of the newer one makes it due',
    async (t, harness) => {
      const { pushes, trail } = harness;
      const record = await judged(harness, { rfc_id: 'RFC-1' });
      await trail.decide(decisionOn(record, 'op-1', { action: 'reject' }));
      const old = { ...idOf(record), rev: record.rev, dueMs: null };
      await pushes.settleStatus({ ...old, rev: record.rev + 1, posted: 'failure' });
      t.deepEqual(await due(pushes), []);
      await pushes.settleStatus({ ...old, posted: 'success' });
      const [left] = await due(pushes);
      t.like(left, { posted: 'success', record: { overall_status: 'REJECTED' } });
    },
  );

  check('settleStatus puts a status off, of its own tenant alone', async (t, { pushes }) => {
    const record = await pushed(pushes, { rfc_id: 'RFC-1' });
    const foreign = { tenant_id: 'other', rfc_id: 'RFC-1', rev: 1, posted: 'x', dueMs: null };
    t.deepEqual(await pushes.settleStatus(foreign), { ok: true });
    t.is((await due(pushes))[0]?.posted, null);
    const later = { ...idOf(record), rev: 1, posted: 'pending', dueMs: FAR_MS + 1 };
    await pushes.settleStatus(later);
    t.deepEqual(await due(pushes), []);
    await pushes.settleStatus({ ...later, posted: null, dueMs: FAR_MS });
    t.is((await due(pushes))[0]?.posted, 'pending');
  });

  check('supersedePushes owes a status only where one was posted', async (t, harness) => {
    const { pushes } = harness;
    const one = await pushed(pushes, { rfc_id: 'RFC-1' });
    await pushed(pushes, { rfc_id: 'RFC-2' });
    await settle(harness, one);
    t.deepEqual(await dueIds(pushes), ['RFC-2']);
    const both = ['RFC-1', 'RFC-2'].map((rfc_id) => ({ rfc_id, rev: 1 }));
    const input = { tenant_id: 'default', by: null, at: '2026-11-21T13:00:00.000Z' };
    t.deepEqual(await pushes.supersedePushes({ ...input, pushes: both }), { superseded: 2 });
    const [left, ...rest] = await due(pushes);
    t.like(left, { posted: 'DRAFT', record: { rfc_id: 'RFC-1', overall_status: 'SUPERSEDED' } });
    t.deepEqual(rest, []);
  });
}

function checkDepth(check: Check): void {
  check('queueDepth counts what waits, is held, and is to be posted', async (t, harness) => {
    const { pushes, store } = harness;
    const empty = { open: 0, held: 0, oldestAt: null, statuses_due: 0, landed_blocked: 0 };
    t.deepEqual(await pushes.queueDepth(null), empty);
    await insert(store, sampleDraft({ rfc_id: 'RFC-0' }));
    t.deepEqual(await pushes.queueDepth(null), empty);
    const created_at = '2026-11-20T10:00:00.000Z';
    await pushed(pushes, { rfc_id: 'RFC-1', created_at });
    await pushed(pushes, { rfc_id: 'RFC-2' });
    await pushed(pushes, { rfc_id: 'RFC-3', ref: NEXT, tenant_id: 'other' });
    t.like(await pushes.queueDepth(null), { open: 3, held: 0, oldestAt: created_at });
    const claimed = await claim(pushes, { leaseMs: LONG_MS });
    await claim(pushes, { leaseMs: 50, after: claimed?.place ?? null });
    await harness.passTime(51);
    t.like(await pushes.queueDepth(null), { open: 3, held: 1, oldestAt: created_at });
    if (claimed !== null) await finish(harness, claimed);
    t.like(await pushes.queueDepth(null), { open: 2, held: 0 });
    const dueMs = FAR_MS;
    const later = { tenant_id: 'default', rfc_id: 'RFC-1', rev: 1, posted: null, dueMs };
    await pushes.settleStatus(later);
    const { statuses_due } = await pushes.queueDepth(null);
    t.is(statuses_due, 3);
  });
}
