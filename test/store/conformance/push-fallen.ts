import { plainEvent } from '../../../src/model/audit.ts';
import { baselineId } from '../../../src/model/push.ts';
import type { RfcRecord } from '../../../src/model/records.ts';
import type { RfcStatus } from '../../../src/model/rfc.ts';
import { reopenedRecord } from '../../../src/pushes/push-record.ts';
import { PUSH_STORE } from '../../../src/store/limits.ts';
import { decisionOn, MANAGER } from '../fixtures/decisions.ts';
import { samplePush, shaOf } from '../fixtures/pushes.ts';
import { recordText, sampleRecord } from '../fixtures/records.ts';
import { accept, adoption, claim, claimedId, dueIds, judged, pushed, REPO } from './push-steps.ts';
import { type Check, fails, type Harness, insert, NOW, read } from './steps.ts';

const MAIN = 'refs/heads/main';
const FORKED = { ...REPO, repo_name: 'Org/Fork', repo_key: 'org/fork' };
const ID = { repo_name: 'Org/Repo', repo_key: 'hub#42' };

/** What heads are revoked by, and what falls with them. */
export function checkFallen(check: Check): void {
  checkRefused(check);
  checkLists(check);
  checkReopen(check);
  checkTakenBack(check);
  checkLower(check);
  checkBind(check);
}

function checkRefused(check: Check): void {
  check('refusedPushes are BLOCKED, REJECTED or DRAFT, in any repository', async (t, harness) => {
    const { pushes, store } = harness;
    const statuses: readonly RfcStatus[] = [
      ...(['BLOCKED', 'REJECTED', 'PASSED', 'OVERRIDDEN', 'APPROVED', 'SUPERSEDED'] as const),
    ];
    const { repo_name } = FORKED;
    for (const overall_status of statuses) {
      await judged(harness, { rfc_id: overall_status, repo_name }, { overall_status });
    }
    await pushed(pushes, { rfc_id: 'DRAFT' });
    await pushed(pushes, { rfc_id: 'OTHER', tenant_id: 'other' });
    await insert(store, sampleRecord({ rfc_id: 'API', commit_sha: shaOf('API') }));
    const shas = [...statuses, 'DRAFT', 'OTHER', 'API', 'UNKNOWN'].map(shaOf);
    const find = (wanted: string[], tenant_id = 'default') =>
      pushes.refusedPushes({ tenant_id, shas: wanted });
    t.deepEqual(idsIn(await find(shas)).sort(), ['BLOCKED', 'DRAFT', 'REJECTED']);
    const upper = [shaOf('BLOCKED').toUpperCase(), shaOf('BLOCKED')];
    t.deepEqual(idsIn(await find(upper)), ['BLOCKED']);
    t.deepEqual(idsIn(await find(shas, 'other')), ['OTHER']);
    const many = Array.from({ length: PUSH_STORE.HEADS_PER_CALL_MAX + 1 }, (_, n) => shaOf(`${n}`));
    await fails(t, find(many), 'INVALID_ARGUMENT');
  });
}

function checkLists(check: Check): void {
  check('pushesOfCommit gives all pushes of a commit, the newest first', async (t, harness) => {
    const { pushes, store, trail } = harness;
    const commit_sha = shaOf('both');
    const refs = ['main', 'next', 'later', 'last'].map((name) => `refs/heads/${name}`);
    const ends = ['PASSED', 'BLOCKED', 'SUPERSEDED'] as const;
    const records: RfcRecord[] = [];
    for (const [n, overall_status] of ends.entries()) {
      const push = { rfc_id: `RFC-${n}`, ref: refs[n] ?? MAIN, commit_sha };
      records.push(await judged(harness, push, { overall_status }));
    }
    await pushed(pushes, { rfc_id: 'RFC-3', ref: refs[3] ?? MAIN, commit_sha });
    await pushed(pushes, { rfc_id: 'RFC-4' });
    await pushed(pushes, { rfc_id: 'RFC-5', repo_name: FORKED.repo_name, commit_sha });
    await insert(store, sampleRecord({ rfc_id: 'RFC-6', commit_sha }));
    const find = (sha: string) => pushes.pushesOfCommit({ ...REPO, sha });
    t.deepEqual(idsIn(await find(commit_sha)), ['RFC-3', 'RFC-2', 'RFC-1', 'RFC-0']);
    t.deepEqual((await find(commit_sha)).records[3], records[0]);
    t.deepEqual(idsIn(await find(commit_sha.toUpperCase())).length, 4);
    t.deepEqual(idsIn(await find(shaOf('unknown'))), []);
    await trail.decide(decisionOn(records[0] ?? samplePush({ rfc_id: '' }), 'op', DELETE));
    t.deepEqual(idsIn(await find(commit_sha)), ['RFC-3', 'RFC-2', 'RFC-1']);
  });

  check('overriddenPushes are overridden now, the newest first', async (t, harness) => {
    const { pushes, store, trail } = harness;
    const overall_status = 'OVERRIDDEN';
    const records: RfcRecord[] = [];
    for (const n of [1, 2, 3]) {
      records.push(await judged(harness, { rfc_id: `RFC-${n}` }, { overall_status: 'BLOCKED' }));
    }
    await judged(harness, { rfc_id: 'RFC-4', repo_name: FORKED.repo_name }, { overall_status });
    await judged(harness, { rfc_id: 'RFC-5', tenant_id: 'other' }, { overall_status });
    await insert(store, sampleRecord({ rfc_id: 'RFC-6', overall_status }));
    const find = async (limit = 9) => idsIn(await pushes.overriddenPushes({ ...REPO, limit }));
    t.deepEqual(await find(), []);
    for (const [n, record] of records.entries()) await trail.decide(decisionOn(record, `op-${n}`));
    t.deepEqual(await find(), ['RFC-3', 'RFC-2', 'RFC-1']);
    t.deepEqual(await find(2), ['RFC-3', 'RFC-2']);
    await trail.decide(decisionOn(records[1] ?? samplePush({ rfc_id: '' }), 'op-r', REJECT));
    t.deepEqual(await find(), ['RFC-3', 'RFC-1']);
  });

  check('dependentsOf gives the verdicts that do not stand without an id', async (t, harness) => {
    const { pushes, trail } = harness;
    const push = { rests_on: ['RFC-0', baselineId(shaOf('a'))] };
    for (const overall_status of ['PASSED', 'APPROVED', 'OVERRIDDEN', 'BLOCKED'] as const) {
      await judged(harness, { rfc_id: overall_status, push }, { overall_status });
    }
    await judged(harness, { rfc_id: 'FORK', repo_name: FORKED.repo_name, push });
    await judged(harness, { rfc_id: 'SUPERSEDED', push }, { overall_status: 'SUPERSEDED' });
    await pushed(pushes, { rfc_id: 'DRAFT', push });
    const other = await judged(harness, { rfc_id: 'OTHER', push: { rests_on: ['RFC-9'] } });
    const find = async (id: string, limit = 9, place: typeof REPO = REPO) =>
      idsIn(await pushes.dependentsOf({ ...place, id, limit })).sort();
    const all = ['APPROVED', 'BLOCKED', 'OVERRIDDEN', 'PASSED'];
    t.deepEqual(await find('RFC-0'), all);
    t.deepEqual(await find(baselineId(shaOf('a'))), all);
    t.is((await find('RFC-0', 2)).length, 2);
    t.deepEqual(await find('RFC-0', 9, FORKED), ['FORK']);
    t.deepEqual(await find('RFC-0', 9, { ...REPO, tenant_id: 'other' }), []);
    t.deepEqual(await find('RFC-9'), ['OTHER']);
    await trail.decide(decisionOn(other, 'op-1', REJECT));
    t.deepEqual(await find('RFC-9'), []);
    const passed = (await pushes.dependentsOf({ ...REPO, id: 'RFC-0', limit: 9 })).records.find(
      ({ rfc_id }) => rfc_id === 'PASSED',
    );
    await reopen(harness, passed ?? other);
    t.deepEqual(await find('RFC-0'), ['APPROVED', 'BLOCKED', 'OVERRIDDEN']);
  });
}

function checkReopen(check: Check): void {
  check('reopenPush makes a verdict a DRAFT that is claimed again', async (t, harness) => {
    const { pushes, store } = harness;
    const record = await judged(harness, { rfc_id: 'RFC-1' });
    await settleStatus(harness, record);
    const next = reopened(record);
    t.deepEqual(await reopen(harness, record), { rev: next.rev });
    // A caller that did not hear the answer asks again.
    t.deepEqual(await reopen(harness, record), { rev: next.rev });
    t.deepEqual(await read(store, record), next);
    const heads = { ...REPO, shas: [shaOf('RFC-1')] };
    t.deepEqual((await pushes.acceptedHeads(heads)).accepted, []);
    t.deepEqual(await dueIds(pushes), ['RFC-1']);
    t.is(claimedId(await claim(pushes)), 'RFC-1');
    await fails(t, reopen(harness, record), 'ABORTED');
  });

  check('reopenPush refuses what is not a verdict, or another one', async (t, harness) => {
    const { pushes, store } = harness;
    for (const overall_status of ['REJECTED', 'SUPERSEDED'] as const) {
      const ended = await judged(harness, { rfc_id: overall_status }, { overall_status });
      await fails(t, reopen(harness, ended), 'ABORTED');
      t.deepEqual(await read(store, ended), ended);
    }
    const draft = await pushed(pushes, { rfc_id: 'DRAFT' });
    await fails(t, reopen(harness, draft), 'ABORTED');
    const passed = await judged(harness, { rfc_id: 'RFC-1' });
    await fails(t, reopen(harness, { ...passed, rev: 3 }), 'ABORTED');
    await fails(t, reopen(harness, { ...passed, tenant_id: 'other' }), 'NOT_FOUND');
    await fails(t, reopen(harness, { ...passed, rfc_id: 'RFC-9' }), 'NOT_FOUND');
    const api = sampleRecord({ rfc_id: 'API' });
    await insert(store, api);
    await fails(t, reopen(harness, api), 'NOT_FOUND');
    const asIs = { record: recordText({ ...passed, rev: 3 }), expectedRev: 2, atMs: NOW };
    await fails(t, pushes.reopenPush(asIs), 'INVALID_ARGUMENT');
    t.deepEqual(await read(store, passed), passed);
    t.deepEqual((await pushes.revocations({ limit: 9 })).revocations, []);
  });
}

function checkTakenBack(check: Check): void {
  check('fallen lists what was revoked, the oldest first, until settled', async (t, harness) => {
    const { pushes, trail } = harness;
    const fallen = async (limit = 9) =>
      (await harness.pushes.revocations({ limit })).revocations.map(
        ({ at_ms: _, ...each }) => each,
      );
    const one = await judged(harness, { rfc_id: 'RFC-1' });
    const two = await judged(harness, { rfc_id: 'RFC-2' });
    const three = await judged(harness, { rfc_id: 'RFC-3' });
    const four = await judged(harness, { rfc_id: 'RFC-4' });
    const blocked = await judged(harness, { rfc_id: 'RFC-5' }, { overall_status: 'BLOCKED' });
    await pushes.adoptBaseline(adoption('a'));
    t.deepEqual(await fallen(), []);
    const place = { tenant_id: 'default', repo_key: REPO.repo_key };
    const of = (id: string, is_rejected: boolean) => ({
      ...place,
      id,
      sha: shaOf(id),
      is_rejected,
    });
    await trail.decide(decisionOn(one, 'op-1', REJECT));
    await reopen(harness, two);
    await lower(harness, 'a', null);
    await trail.decide(decisionOn(three, 'op-3', DELETE));
    // A decision that counts for another commit takes the head back, too.
    const pin = { action: 'approve', commit_sha: shaOf('elsewhere') } as const;
    await trail.decide(decisionOn(four, 'op-4', pin));
    await trail.decide(decisionOn(blocked, 'op-5', REJECT));
    const lowered = { ...of('', false), id: baselineId(shaOf('a')), sha: shaOf('a') };
    const all = [
      ...[of('RFC-1', true), of('RFC-2', false), lowered],
      ...[of('RFC-3', false), of('RFC-4', false), of('RFC-5', true)],
    ];
    await harness.reopen();
    t.deepEqual(await fallen(), all);
    t.deepEqual(await fallen(3), all.slice(0, 3));
    for (const { id } of all.slice(1)) {
      await harness.pushes.settleRevocation({ tenant_id: 'other', id });
      t.is((await fallen()).length, all.length, id);
    }
    for (const [n, { id }] of all.entries()) {
      await harness.pushes.settleRevocation({ tenant_id: 'default', id });
      t.deepEqual(await fallen(), all.slice(n + 1));
    }
  });

  check('a refused push that judged components is revoked when it goes', async (t, h) => {
    const { pushes, store, trail } = h;
    const web = { id: 'web', name: 'Web', status: 'PASSED', findings: [], same_as: null };
    const judgedBy = { overall_status: 'BLOCKED', components: [web] as never } as const;
    const gone = await judged(h, { rfc_id: 'RFC-1' }, judgedBy);
    const again = await judged(h, { rfc_id: 'RFC-2' }, judgedBy);
    const plain = await judged(h, { rfc_id: 'RFC-3' }, { overall_status: 'BLOCKED' });
    const submitted = sampleRecord({ rfc_id: 'RFC-4', ...judgedBy });
    await insert(store, submitted);
    await trail.decide(decisionOn(gone, 'op-1', DELETE));
    await reopen(h, again);
    await trail.decide(decisionOn(plain, 'op-2', DELETE));
    await trail.decide(decisionOn(submitted, 'op-3', DELETE));
    const { revocations } = await pushes.revocations({ limit: 9 });
    t.deepEqual(revocations.map(({ id, is_rejected }) => [id, is_rejected]).sort(), [
      ['RFC-1', false],
      ['RFC-2', false],
    ]);
  });

  for (const [how, asked, end] of [
    ['its rejection', {}, REJECT],
    ['an objection to an emergency', { review_due_at: '2120-01-01T00:00:00.000Z' }, OBJECT],
  ] as const) {
    check(`an override of what is BLOCKED takes nothing back; ${how} does`, async (t, h) => {
      const { pushes, trail } = h;
      const record = await judged(h, { rfc_id: 'RFC-1' }, { overall_status: 'BLOCKED' });
      await trail.decide(decisionOn(record, 'op-1', asked));
      t.deepEqual((await pushes.revocations({ limit: 9 })).revocations, []);
      await trail.decide(decisionOn(record, 'op-2', end));
      const [fallen] = (await pushes.revocations({ limit: 9 })).revocations;
      t.like(fallen, { id: 'RFC-1', is_rejected: true });
      t.true((fallen?.at_ms ?? 0) > 0);
    });
  }
}

function checkLower(check: Check): void {
  check('lowerBaseline accepts an older state, once, with its entry', async (t, harness) => {
    const { pushes } = harness;
    await pushes.adoptBaseline(adoption('a'));
    const told = async () =>
      (await harness.entries()).filter(({ kind }) => kind === 'baseline-lowered').length;
    t.deepEqual(await lower(harness, 'b', 'c'), { lowered: false });
    t.deepEqual(await lower(harness, 'a', 'b', FORKED), { lowered: false });
    t.is(await told(), 0);
    const answers = await Promise.all([1, 2, 3, 4, 5].map(() => lower(harness, 'a', 'b')));
    t.is(answers.filter(({ lowered }) => lowered).length, 1);
    t.is(await told(), 1);
    await harness.reopen();
    const kept = { ...adoption('a').baseline, sha: shaOf('b') };
    t.deepEqual((await harness.pushes.findBaseline(REPO)).baseline, kept);
    const accepted = async () => {
      const shas = [shaOf('a'), shaOf('b')];
      return (await harness.pushes.acceptedHeads({ ...REPO, shas })).accepted;
    };
    t.deepEqual(await accepted(), [{ sha: shaOf('b'), rfc_id: null, ref: null }]);
    t.deepEqual(await lower(harness, 'b', null), { lowered: true });
    t.deepEqual(await accepted(), []);
    const newest = await harness.pushes.newestAccepted({ ...REPO, refs: [MAIN] });
    t.deepEqual(newest.accepted, []);
    t.is(await told(), 2);
  });
}

function checkBind(check: Check): void {
  check('bindRepository gives the heads of a name to the id of its host', async (t, harness) => {
    const { pushes, trail } = harness;
    const bound = { ...REPO, ...ID };
    const bind = (host = 'hub') => pushes.bindRepository({ ...bound, host });
    t.deepEqual(await bind(), { bound: false });
    await pushes.adoptBaseline(adoption('a'));
    const passed = await judged(harness, { rfc_id: 'RFC-1' });
    const rejected = await judged(harness, { rfc_id: 'RFC-2', push: { rests_on: ['RFC-1'] } });
    await judged(harness, { rfc_id: 'RFC-3', repo_name: FORKED.repo_name });
    await trail.decide(decisionOn(rejected, 'op-1', REJECT));
    t.deepEqual(await bind('lab'), { bound: false });
    t.deepEqual(await pushes.bindRepository({ ...REPO, host: 'hub' }), { bound: false });
    t.deepEqual(await bind(), { bound: true });
    t.deepEqual(await bind(), { bound: false });

    const { baseline } = adoption('a');
    t.deepEqual(await pushes.findBaseline(bound), { baseline, nameHost: 'hub' });
    // Another repository of this name comes from the same host, or from none that owns it.
    t.deepEqual(await pushes.findBaseline(REPO), { baseline: null, nameHost: 'hub' });
    const shas = [shaOf('a'), shaOf('RFC-1'), shaOf('RFC-3')];
    const idsOfHeads = async (place: typeof REPO) =>
      (await pushes.acceptedHeads({ ...place, shas })).accepted.map(({ rfc_id }) => rfc_id);
    t.deepEqual((await idsOfHeads(bound)).sort(), ['RFC-1', null]);
    t.deepEqual(await idsOfHeads(REPO), []);
    t.deepEqual(await idsOfHeads(FORKED), ['RFC-3']);
    t.deepEqual(idsIn(await pushes.pushesOfCommit({ ...bound, sha: shaOf('RFC-1') })), ['RFC-1']);
    // What was revoked just before is still found where its repository is.
    const { revocations } = await pushes.revocations({ limit: 9 });
    t.deepEqual(
      revocations.map(({ id, repo_key }) => [id, repo_key]),
      [['RFC-2', ID.repo_key]],
    );
    await reopen(harness, passed);
    t.is(claimedId(await claim(pushes)), 'RFC-1');
  });

  check('bindRepository leaves an id alone that has heads of its own', async (t, harness) => {
    const { pushes } = harness;
    await pushes.adoptBaseline(adoption('a'));
    await judged(harness, { rfc_id: 'RFC-1' });
    const own = adoption('b');
    await pushes.adoptBaseline({ ...own, ...ID });
    t.deepEqual(await pushes.bindRepository({ ...REPO, ...ID, host: 'hub' }), { bound: false });
    const { baseline } = await pushes.findBaseline({ ...REPO, ...ID });
    t.deepEqual(baseline, own.baseline);
    t.deepEqual((await pushes.findBaseline(REPO)).baseline, adoption('a').baseline);
    const heads = { ...REPO, shas: [shaOf('RFC-1')] };
    t.is((await pushes.acceptedHeads(heads)).accepted.length, 1);
  });

  check('a push by the id follows those by the name, once they are bound', async (t, harness) => {
    const { pushes } = harness;
    await pushes.adoptBaseline(adoption('a'));
    await pushed(pushes, { rfc_id: 'RFC-1' });
    await pushes.bindRepository({ ...REPO, ...ID, host: 'hub' });
    await accept(pushes, samplePush({ rfc_id: 'RFC-2' }), { repo_key: ID.repo_key });
    const claimed = await claim(pushes);
    t.is(claimedId(claimed), 'RFC-2');
    t.deepEqual(claimed?.place, { tenant_id: 'default', repo_key: ID.repo_key, ref: MAIN });
    t.deepEqual(
      claimed?.older.map(({ rfc_id }) => rfc_id),
      ['RFC-1'],
    );
  });
}

const REJECT = { action: 'reject' } as const;
const OBJECT = { action: 'object', principal: { ...MANAGER, id: 'somebody-else' } } as const;
const DELETE = { action: 'delete' } as const;

function idsIn({ records }: { records: RfcRecord[] }): string[] {
  return records.map(({ rfc_id }) => rfc_id);
}

function reopened(record: RfcRecord): RfcRecord {
  return reopenedRecord(record, 'its base was revoked', new Date(NOW));
}

function reopen({ pushes }: Harness, record: RfcRecord): Promise<{ rev: number }> {
  const text = recordText(reopened(record));
  return pushes.reopenPush({ record: text, expectedRev: record.rev, atMs: NOW });
}

function lower({ pushes }: Harness, from: string, to: string | null, place: typeof REPO = REPO) {
  const event = plainEvent({
    kind: 'baseline-lowered',
    op_id: `lower ${place.repo_key} ${from}`,
    principal: null,
    repo_name: place.repo_name,
    details: { from },
  });
  const sha = to === null ? null : shaOf(to);
  return pushes.lowerBaseline({ ...place, from: shaOf(from), to: sha, event, atMs: NOW });
}

async function settleStatus({ pushes }: Harness, { tenant_id, rfc_id, rev }: RfcRecord) {
  await pushes.settleStatus({ tenant_id, rfc_id, rev, posted: 'PASSED', dueMs: null });
}
