import { ENTRY } from '../../../src/audit/limits.ts';
import { plainEvent } from '../../../src/model/audit.ts';
import type { Baseline } from '../../../src/model/push.ts';
import type { RfcRecord } from '../../../src/model/records.ts';
import type { RfcStatus } from '../../../src/model/rfc.ts';
import { PUSH_STORE } from '../../../src/store/limits.ts';
import { decisionOn } from '../fixtures/decisions.ts';
import { judgedPush, shaOf } from '../fixtures/pushes.ts';
import { recordText, sampleRecord } from '../fixtures/records.ts';
import { adoption, judged, pushed, REPO } from './push-steps.ts';
import { type Check, fails, type Harness, insert, read } from './steps.ts';

const [MAIN, NEXT] = ['refs/heads/main', 'refs/heads/next'] as const;
const OTHERS = [
  { ...REPO, tenant_id: 'other' },
  { ...REPO, repo_name: 'Org/Repo2', repo_key: 'org/repo2' },
] as const;

/** What counts as accepted in a repository, and what is known of its pushes. */
export function checkHeads(check: Check): void {
  checkAccepted(check);
  checkPins(check);
  checkCarries(check);
  checkUnjudged(check);
  checkBaseline(check);
  checkNewest(check);
  checkRepositories(check);
}

function checkAccepted(check: Check): void {
  check('heads of PASSED, OVERRIDDEN and APPROVED are accepted', async (t, harness) => {
    const { pushes, store } = harness;
    const statuses: readonly RfcStatus[] = [
      ...(['PASSED', 'OVERRIDDEN', 'APPROVED'] as const),
      ...(['BLOCKED', 'REJECTED', 'SUPERSEDED'] as const),
    ];
    for (const status of statuses) {
      await judged(harness, { rfc_id: status }, { overall_status: status });
    }
    await pushed(pushes, { rfc_id: 'DRAFT' });
    await insert(store, sampleRecord({ rfc_id: 'API', commit_sha: shaOf('API') }));
    const shas = [...statuses, 'DRAFT', 'API', 'UNKNOWN'].map(shaOf);
    const { accepted } = await pushes.acceptedHeads({ ...REPO, shas });
    const ids = accepted.map(({ rfc_id }) => rfc_id ?? '');
    t.deepEqual([...ids].sort(), ['APPROVED', 'OVERRIDDEN', 'PASSED']);
    for (const head of accepted) {
      t.deepEqual(head, { sha: shaOf(head.rfc_id ?? ''), rfc_id: head.rfc_id, ref: MAIN });
    }
    for (const other of OTHERS) {
      t.deepEqual((await pushes.acceptedHeads({ ...other, shas })).accepted, []);
      const newest = await pushes.newestAccepted({ ...other, refs: [MAIN] });
      t.deepEqual(newest.accepted, []);
    }
    const many = Array.from({ length: PUSH_STORE.HEADS_PER_CALL_MAX + 1 }, (_, n) => shaOf(`${n}`));
    await fails(t, pushes.acceptedHeads({ ...REPO, shas: many }), 'INVALID_ARGUMENT');
  });

  check('decisions give and revoke an accepted head', async (t, harness) => {
    const { pushes, trail } = harness;
    const record = await judged(harness, { rfc_id: 'RFC-1' }, { overall_status: 'BLOCKED' });
    const heads = () => headsOf(harness, ['RFC-1']);
    t.deepEqual(await heads(), []);
    await trail.decide(decisionOn(record, 'op-1'));
    t.deepEqual(await heads(), ['RFC-1']);
    const newest = await pushes.newestAccepted({ ...REPO, refs: [MAIN] });
    t.deepEqual(newest.accepted, [{ sha: record.commit_sha ?? '', rfc_id: 'RFC-1', ref: MAIN }]);
    await trail.decide(decisionOn(record, 'op-2', { action: 'reject' }));
    t.deepEqual(await heads(), []);
    t.deepEqual((await pushes.newestAccepted({ ...REPO, refs: [MAIN] })).accepted, []);
    const passed = await judged(harness, { rfc_id: 'RFC-2' });
    t.deepEqual(await headsOf(harness, ['RFC-2']), ['RFC-2']);
    await trail.decide(decisionOn(passed, 'op-3', { action: 'approve' }));
    t.deepEqual(await headsOf(harness, ['RFC-2']), ['RFC-2']);
    await trail.decide(decisionOn(passed, 'op-4', { action: 'delete' }));
    t.deepEqual(await headsOf(harness, ['RFC-2']), []);
  });

  check('a commit that two pushes have is accepted by either', async (t, harness) => {
    const { pushes, trail } = harness;
    const sha = shaOf('both');
    const shared = { commit_sha: sha };
    const one = await judged(harness, { rfc_id: 'RFC-1', ...shared });
    await judged(harness, { rfc_id: 'RFC-2', ref: NEXT, ...shared }, { overall_status: 'BLOCKED' });
    t.deepEqual((await pushes.acceptedHeads({ ...REPO, shas: [sha, sha] })).accepted, [
      { sha, rfc_id: 'RFC-1', ref: MAIN },
    ]);
    await trail.decide(decisionOn(one, 'op-1', { action: 'reject' }));
    t.deepEqual((await pushes.acceptedHeads({ ...REPO, shas: [sha] })).accepted, []);
    await judged(harness, { rfc_id: 'RFC-3', ...shared });
    const { accepted } = await pushes.acceptedHeads({ ...REPO, shas: [sha] });
    t.deepEqual(accepted, [{ sha, rfc_id: 'RFC-3', ref: MAIN }]);
  });
}

function checkPins(check: Check): void {
  check('a decision that is pinned to another commit accepts no head', async (t, harness) => {
    const blocked = { overall_status: 'BLOCKED' } as const;
    const pins = {
      'RFC-1': shaOf('elsewhere'),
      'RFC-2': shaOf('RFC-2'),
      'RFC-3': shaOf('RFC-3').toUpperCase(),
    };
    for (const [rfc_id, commit_sha] of Object.entries(pins)) {
      const record = await judged(harness, { rfc_id }, blocked);
      await harness.trail.decide(decisionOn(record, `op-${rfc_id}`, { commit_sha }));
    }
    t.deepEqual(await headsOf(harness, Object.keys(pins)), ['RFC-2', 'RFC-3']);
    const one = await judged(harness, { rfc_id: 'RFC-4' });
    const pin = { action: 'approve', commit_sha: shaOf('elsewhere') } as const;
    await harness.trail.decide(decisionOn(one, 'op-4', pin));
    t.deepEqual(await headsOf(harness, ['RFC-4']), []);
    const { accepted } = await harness.pushes.newestAccepted({ ...REPO, refs: [MAIN] });
    t.is(accepted[0]?.rfc_id, 'RFC-3');
  });
}

function checkCarries(check: Check): void {
  check('completePush writes a verdict and its entry, or nothing', async (t, harness) => {
    const { pushes, store, trail } = harness;
    const draft = await pushed(pushes, { rfc_id: 'RFC-1' });
    const next = judgedPush(draft, { overall_status: 'OVERRIDDEN', carried_from: ['RFC-0'] });
    const event = (op_id: string, details = {}) =>
      plainEvent({ kind: 'carry', op_id, principal: null, rfc_id: 'RFC-1', details });
    const carry = (fields: Partial<RfcRecord> = {}, own = event('carry 1'), expectedRev = 1) =>
      pushes.completePush({
        record: recordText({ ...next, ...fields }),
        expectedRev,
        event: own,
      });
    const entries = async () => (await harness.entries()).filter(({ kind }) => kind === 'carry');
    await fails(t, carry({ rev: 3 }, event('carry 2'), 2), 'ABORTED');
    await fails(t, carry({ tenant_id: 'other' }, event('carry 3')), 'NOT_FOUND');
    await fails(t, carry({ rfc_id: 'RFC-9' }, event('carry 4')), 'NOT_FOUND');
    await fails(t, carry({ overall_status: 'DRAFT' }, event('carry 5')), 'INVALID_ARGUMENT');
    const large = event('carry 6', { text: 'x'.repeat(ENTRY.ENTRY_BYTES_MAX) });
    await fails(t, carry({}, large), 'INVALID_ARGUMENT');
    t.deepEqual(await entries(), []);
    t.deepEqual(await read(store, draft), draft);
    t.deepEqual(await headsOf(harness, ['RFC-1']), []);

    t.deepEqual(await carry(), { rev: 2 });
    t.deepEqual(await read(store, next), next);
    t.deepEqual(await headsOf(harness, ['RFC-1']), ['RFC-1']);
    const written = await entries();
    t.true(written.every(({ op_id }) => op_id === 'carry 1'));
    t.true(['whole', 'done'].includes(written.at(-1)?.phase ?? ''));
    await fails(t, carry(), 'ABORTED');
    await trail.decide(decisionOn(next, 'op-1', { action: 'reject' }));
    t.deepEqual(await headsOf(harness, ['RFC-1']), []);
    t.is((await entries()).length, written.length);
  });

  check('of a carry and a decision at once one wins, and the trail says which', async (t, h) => {
    const { pushes, store, trail } = h;
    for (const n of [1, 2, 3, 4, 5]) {
      const draft = await pushed(pushes, { rfc_id: `RFC-${n}`, ref: `refs/heads/${n}` });
      const next = judgedPush(draft, { overall_status: 'OVERRIDDEN', carried_from: ['RFC-0'] });
      const op_id = `carry ${n}`;
      const about = { rfc_id: draft.rfc_id, principal: null };
      const details = { carried_from: ['RFC-0'] };
      const event = plainEvent({ kind: 'carry', op_id, ...about, details });
      const [carried, rejected] = await Promise.allSettled([
        pushes.completePush({ record: recordText(next), expectedRev: 1, event }),
        trail.decide(decisionOn(draft, `op-${n}`, { action: 'reject' })),
      ]);
      const phases = (await h.entries())
        .filter((entry) => entry.op_id === op_id)
        .map(({ phase }) => phase);
      const isCarried = phases.some((phase) => phase === 'whole' || phase === 'done');
      t.is(carried.status === 'fulfilled', isCarried, phases.join());
      // A rejection of the carried verdict may come right behind it.
      const { overall_status } = await read(store, draft);
      if (rejected.status === 'fulfilled') t.is(overall_status, 'REJECTED');
      else t.is(overall_status, 'OVERRIDDEN');
    }
  });
}

function checkUnjudged(check: Check): void {
  check(
    'what could not be fetched never is an accepted head, also after an override',
    async (t, harness) => {
      const { pushes, trail } = harness;
      const push = { waiting_for: 'the host is down' };
      const draft = await pushed(pushes, { rfc_id: 'RFC-1', push });
      const blocked = { ...draft, overall_status: 'BLOCKED' as const, queue: null, rev: 2 };
      await harness.store.completeDraft({ record: recordText(blocked), expectedRev: 1 });
      await trail.decide(decisionOn(draft, 'op-1'));
      t.deepEqual(await headsOf(harness, ['RFC-1']), []);
      t.deepEqual((await pushes.newestAccepted({ ...REPO, refs: [MAIN] })).accepted, []);
      const [view] = (await pushes.newestPushes({ ...REPO, refs: [MAIN] })).pushes;
      t.like(view, { overall_status: 'OVERRIDDEN', isAccepted: false, isUnjudged: false });
    },
  );
}

function checkBaseline(check: Check): void {
  const told = async ({ entries }: Harness) =>
    (await entries()).filter(({ kind }) => kind === 'baseline-adopted');

  check('a baseline is kept once, with its entry of the trail', async (t, harness) => {
    const none = { baseline: null, nameHost: null };
    t.deepEqual(await harness.pushes.findBaseline(REPO), none);
    const first = { baseline: adoption('a').baseline, adopted: true };
    t.deepEqual(await harness.pushes.adoptBaseline(adoption('a')), first);
    await harness.reopen();
    const { pushes } = harness;
    const known = { baseline: adoption('a').baseline };
    t.deepEqual(await pushes.adoptBaseline(adoption('b')), { ...known, adopted: false });
    t.deepEqual(await pushes.adoptBaseline(adoption('a')), { ...known, adopted: false });
    const other = { ...REPO, repo_name: 'ORG/repo' };
    const found = { ...known, nameHost: 'hub' };
    t.deepEqual(await pushes.findBaseline(other), found);
    const later = { ...REPO, repo_key: 'hub#42' };
    t.deepEqual(await pushes.findBaseline(later), { baseline: null, nameHost: 'hub' });
    for (const foreign of OTHERS) {
      t.deepEqual(await pushes.findBaseline(foreign), { baseline: null, nameHost: null });
    }
    const entries = await told(harness);
    t.is(entries.length, 1);
    t.like(entries[0], { op_id: 'adopt-a', repo_name: 'Org/Repo', details: { sha: shaOf('a') } });
  });

  check('of 20 racing adopters one adopts, all agree', async (t, harness) => {
    const { pushes } = harness;
    const names = Array.from({ length: 20 }, (_, n) => `${n}`);
    const answers = await Promise.all(names.map((name) => pushes.adoptBaseline(adoption(name))));
    t.is(answers.filter(({ adopted }) => adopted).length, 1);
    t.is(new Set(answers.map((answer) => answer.baseline.sha)).size, 1);
    const entries = await told(harness);
    t.is(entries.length, 1);
    t.is(entries[0]?.details['sha'], answers[0]?.baseline.sha ?? '');
  });

  check('a baseline that accepts nothing leaves no entry', async (t, harness) => {
    const { pushes } = harness;
    const nothing: Baseline = { ...adoption('a').baseline, sha: null, heads: {} };
    const input = { ...REPO, baseline: nothing, event: null };
    t.deepEqual(await pushes.adoptBaseline(input), { baseline: nothing, adopted: true });
    t.deepEqual(await pushes.findBaseline(REPO), { baseline: nothing, nameHost: 'hub' });
    t.deepEqual((await pushes.newestAccepted({ ...REPO, refs: [MAIN] })).accepted, []);
    // An entry that is a part of an operation cannot stand by itself.
    const event = plainEvent({
      kind: 'baseline-lowered',
      op_id: 'part',
      principal: null,
      details: {},
    });
    const part = { ...event, phase: 'intent' as const };
    const wrong = pushes.adoptBaseline({ ...adoption('b'), event: part });
    await fails(t, wrong, 'INVALID_ARGUMENT');
    const lowered = { ...REPO, from: shaOf('a'), to: null, event: part, atMs: 0 };
    await fails(t, pushes.lowerBaseline(lowered), 'INVALID_ARGUMENT');
    t.deepEqual(await told(harness), []);
  });

  check('the baseline is an accepted head of no RFC', async (t, harness) => {
    const { pushes } = harness;
    await pushes.adoptBaseline(adoption('a'));
    const head = { sha: shaOf('a'), rfc_id: null, ref: null };
    const shas = [shaOf('a'), shaOf('b')];
    t.deepEqual((await pushes.acceptedHeads({ ...REPO, shas })).accepted, [head]);
    for (const other of OTHERS) {
      t.deepEqual((await pushes.acceptedHeads({ ...other, shas })).accepted, []);
    }
    await judged(harness, { rfc_id: 'RFC-1' });
    const newest = await pushes.newestAccepted({ ...REPO, refs: [MAIN, NEXT] });
    t.deepEqual(newest.accepted, [{ sha: shaOf('RFC-1'), rfc_id: 'RFC-1', ref: MAIN }, head]);
  });
}

function checkNewest(check: Check): void {
  check('newestAccepted gives the newest accepted head of each ref', async (t, harness) => {
    const { pushes } = harness;
    await judged(harness, { rfc_id: 'RFC-1' });
    await judged(harness, { rfc_id: 'RFC-2' });
    await judged(harness, { rfc_id: 'RFC-3' }, { overall_status: 'BLOCKED' });
    await pushed(pushes, { rfc_id: 'RFC-4' });
    await judged(harness, { rfc_id: 'RFC-5', ref: NEXT });
    await judged(harness, { rfc_id: 'RFC-6', ref: 'refs/tags/v1' }, { overall_status: 'REJECTED' });
    const refs = [NEXT, MAIN, 'refs/tags/v1', 'refs/heads/unknown'];
    const { accepted } = await pushes.newestAccepted({ ...REPO, refs });
    t.deepEqual(
      accepted.map(({ rfc_id, ref }) => [rfc_id, ref]),
      [
        ['RFC-5', NEXT],
        ['RFC-2', MAIN],
      ],
    );
  });

  check('newestPushes gives the newest push of each ref that was judged or waits', async (t, h) => {
    const { pushes } = h;
    await judged(h, { rfc_id: 'RFC-1' });
    await judged(h, { rfc_id: 'RFC-2' }, { overall_status: 'BLOCKED' });
    await judged(h, { rfc_id: 'RFC-3' }, { overall_status: 'SUPERSEDED' });
    await judged(h, { rfc_id: 'RFC-4', ref: NEXT });
    const tag = 'refs/tags/v1';
    await judged(h, { rfc_id: 'RFC-5', ref: tag });
    await pushed(pushes, { rfc_id: 'RFC-6', ref: tag });
    await judged(h, { rfc_id: 'RFC-7', ref: 'refs/heads/gone' }, { overall_status: 'SUPERSEDED' });
    // Of the same branch, but it was never pushed.
    await insert(h.store, sampleRecord({ rfc_id: 'RFC-8' }));
    const refs = [MAIN, NEXT, tag, 'refs/heads/gone', 'main'];
    const view = (await pushes.newestPushes({ ...REPO, refs })).pushes;
    const judgedAll = { isUnjudged: false };
    const sha = (rfc_id: string) => ({ rfc_id, commit_sha: shaOf(rfc_id) });
    t.deepEqual(view, [
      { ref: MAIN, ...sha('RFC-2'), overall_status: 'BLOCKED', isAccepted: false, ...judgedAll },
      { ref: NEXT, ...sha('RFC-4'), overall_status: 'PASSED', isAccepted: true, ...judgedAll },
      { ref: tag, ...sha('RFC-6'), overall_status: 'DRAFT', isAccepted: false, ...judgedAll },
    ]);
    for (const other of OTHERS) {
      t.deepEqual((await pushes.newestPushes({ ...other, refs })).pushes, []);
    }
    const many = Array.from(
      { length: PUSH_STORE.REFS_PER_CALL_MAX + 1 },
      (_, n) => `refs/heads/${n}`,
    );
    for (const call of [pushes.newestPushes, pushes.newestAccepted]) {
      await fails(t, call({ ...REPO, refs: many }), 'INVALID_ARGUMENT');
    }
  });
}

function checkRepositories(check: Check): void {
  check('newestPush is the newest of the repository, whatever became of it', async (t, harness) => {
    const { pushes, store, trail } = harness;
    await fails(t, pushes.newestPush(REPO), 'NOT_FOUND');
    const first = await pushed(pushes, { rfc_id: 'RFC-1' });
    const second = await judged(
      harness,
      { rfc_id: 'RFC-2', ref: NEXT },
      { overall_status: 'SUPERSEDED' },
    );
    await insert(store, sampleRecord({ rfc_id: 'RFC-3' }));
    const { json, ...view } = await pushes.newestPush({ ...REPO, repo_name: 'ORG/REPO' });
    t.deepEqual(view, { overall_status: 'SUPERSEDED', rev: 2 });
    t.is(Buffer.from(json).toString(), JSON.stringify(second));
    await trail.decide(decisionOn(second, 'op-1', { action: 'delete' }));
    t.like(await pushes.newestPush(REPO), { overall_status: 'DRAFT', rev: first.rev });
    for (const other of OTHERS) await fails(t, pushes.newestPush(other), 'NOT_FOUND');
  });

  check('listPushed gives the repositories in order, in pages', async (t, harness) => {
    const { pushes, store } = harness;
    await pushed(pushes, { rfc_id: 'RFC-1', repo_name: 'Org/B' });
    await pushed(pushes, { rfc_id: 'RFC-2', repo_name: 'Org/A', tenant_id: 'other' });
    await pushed(pushes, { rfc_id: 'RFC-3', repo_name: 'Org/A' });
    const newest = await judged(harness, { rfc_id: 'RFC-4', repo_name: 'org/b', ref: NEXT });
    await insert(store, sampleRecord({ rfc_id: 'RFC-5', repo_name: 'Org/C' }));
    const first = (await pushes.listPushed({ after: null, limit: 2 })).repos;
    t.deepEqual(
      first.map(({ repo_key, record }) => [repo_key, record.rfc_id]),
      [
        ['org/a', 'RFC-3'],
        ['org/b', 'RFC-4'],
      ],
    );
    t.deepEqual(first[1]?.record, newest);
    const after = { tenant_id: 'default', repo_key: 'org/b' };
    const rest = (await pushes.listPushed({ after, limit: 2 })).repos;
    t.deepEqual(
      rest.map(({ tenant_id, repo_key }) => [tenant_id, repo_key]),
      [['other', 'org/a']],
    );
    for (const limit of [0, -1, 1.5]) {
      await fails(t, pushes.listPushed({ after: null, limit }), 'INVALID_ARGUMENT');
    }
  });
}

/** Which of the records, whose commits belong to their ids, have an accepted head. */
async function headsOf({ pushes }: Harness, ids: readonly string[]): Promise<(string | null)[]> {
  const { accepted } = await pushes.acceptedHeads({ ...REPO, shas: ids.map(shaOf) });
  return accepted.map(({ rfc_id }) => rfc_id).sort();
}
