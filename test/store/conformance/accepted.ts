import { plainEvent } from '../../../src/model/audit.ts';
import type { Discussion } from '../../../src/model/finding.ts';
import { FINDINGS_PER_RFC_MAX, REMARKS } from '../../../src/model/limits.ts';
import type { Remark } from '../../../src/model/remark.ts';
import type { TrailStore } from '../../../src/store/contract/trail.ts';
import { blockedRecord, decisionOn, findingWith, MANAGER } from '../fixtures/decisions.ts';
import { sampleDraft } from '../fixtures/records.ts';
import { type Check, fails, insert, read } from './steps.ts';

const [A, B, C] = ['a', 'b', 'c'].map((digit) => digit.repeat(64)) as [string, string, string];

function among(trail: TrailStore, repo_name = 'org/REPO', tenant_id = 'default') {
  return trail
    .acceptedAmong({ tenant_id, repo_name, fingerprints: [A, B, C, A] })
    .then(({ accepted }) => accepted.map(({ fingerprint }) => fingerprint).sort());
}

/** After this the fingerprint counts again. */
function checkEnd(check: Check): void {
  check('endAcceptance ends it for all decisions, with its entry, once', async (t, harness) => {
    const { store, trail, entries } = harness;
    for (const id of ['RFC-1', 'RFC-2']) {
      const record = blockedRecord({ rfc_id: id }, [findingWith('a'), findingWith('b')]);
      await insert(store, record);
      await trail.decide(decisionOn(record, `op-${id}`, { accept_findings: true }));
    }
    const end = (over: object = {}) =>
      trail.endAcceptance({
        ...{ tenant_id: 'default', repo_name: 'ORG/repo', fingerprint: A },
        event: plainEvent({
          ...{ kind: 'acceptance-ended', op_id: 'end-1', principal: MANAGER, reason: 'moved' },
          ...{ repo_name: 'ORG/repo', details: { fingerprint: A }, ...over },
        }),
      });
    const { replayed, ...place } = await end();
    t.false(replayed);
    t.deepEqual(await among(trail), [B]);
    t.deepEqual(await end(), { ...place, replayed: true });
    await fails(t, end({ op_id: 'end-2' }), 'NOT_FOUND');
    await fails(t, end({ reason: 'another' }), 'ALREADY_EXISTS');
    const ended = (await entries()).filter(({ kind }) => kind === 'acceptance-ended');
    t.deepEqual(
      ended.map(({ op_id, reason }) => [op_id, reason]),
      [['end-1', 'moved']],
    );
    t.is((await store.getRfc({ tenant_id: 'default', rfc_id: 'RFC-1' })).rev, 2);
    await harness.reopen();
    t.deepEqual(await among(harness.trail), [B]);
  });
}

function checkRemarks(check: Check): void {
  const by = { id: MANAGER.id, name: MANAGER.name };
  const at = '2026-11-21T11:00:00.000Z';
  const comment = (n: number, finding_id: string): Remark => ({
    kind: 'comment',
    comment: { comment_id: `C-${n}`, finding_id, text: `text ${n}`, by, at },
  });
  const own: Remark = {
    kind: 'finding',
    finding: {
      ...{ finding_id: 'F-1-P1', severity: 'medium', message: 'look', by, at },
      ...{ file: 'a.js', line: 3 },
    },
  };

  check(
    'addRemark adds what people say, each with its entry, and moves nothing',
    async (t, harness) => {
      const { store, trail, entries } = harness;
      const record = blockedRecord({ rfc_id: 'RFC-1' }, [findingWith('a')]);
      await insert(store, record);
      const add = (remark: Remark, op_id: string, over: object = {}) =>
        trail.addRemark({
          ...{ tenant_id: 'default', rfc_id: 'RFC-1', remark, at, ...over },
          event: plainEvent({
            ...{ kind: remark.kind, op_id, principal: MANAGER, rfc_id: 'RFC-1' },
            details: { text: JSON.stringify(remark).length },
          }),
        });
      const first = await add(own, 'op-1');
      t.like(first, { rev: 2, replayed: false });
      t.like(await add(own, 'op-1'), { rev: 2, replayed: true, seq: first.seq });
      t.is((await add(comment(1, 'F-1-P1'), 'op-2')).rev, 3);
      const gate = record.gates.risk.findings[0]?.finding_id ?? '';
      const many = Array.from({ length: 8 }, (_, n) => add(comment(n + 2, gate), `op-${n + 3}`));
      await Promise.all(many);
      await fails(t, add(comment(99, 'F-none'), 'op-x'), 'NOT_FOUND');
      await fails(t, add(comment(99, gate), 'op-x', { tenant_id: 'other' }), 'NOT_FOUND');
      const stored = await read(store, record);
      t.like(stored, { overall_status: 'BLOCKED', rev: 11, gates: record.gates });
      t.deepEqual(stored.discussion?.findings, [own.finding]);
      t.is(stored.discussion?.comments.length, 9);
      const kinds = (await entries()).map(({ kind }) => kind);
      t.is(kinds.filter((kind) => kind === 'comment').length, 9);
      t.is(kinds.filter((kind) => kind === 'finding').length, 1);
      await insert(store, sampleDraft({ rfc_id: 'RFC-2' }));
      const error = await fails(t, add(own, 'op-y', { rfc_id: 'RFC-2' }), 'ABORTED');
      t.is(error?.details['status'], 'DRAFT');
      const decided = await trail.decide(decisionOn(stored, 'op-z', { action: 'reject' }));
      t.is(decided.overall_status, 'REJECTED');
      t.is((await read(store, record)).discussion?.comments.length, 9);
    },
  );

  check('addRemark keeps so many comments and no more', async (t, { store, trail }) => {
    const record = blockedRecord({ rfc_id: 'RFC-1' }, [findingWith('a')]);
    const comments = Array.from({ length: REMARKS.COMMENTS_MAX }, (_, n) => {
      const one = comment(n, 'F-1-P1');
      return one.kind === 'comment' ? one.comment : t.fail();
    }) as Discussion['comments'];
    const discussion = { findings: [own.finding], comments };
    await insert(store, { ...record, discussion });
    const remark = comment(REMARKS.COMMENTS_MAX, 'F-1-P1');
    const input = { tenant_id: 'default', rfc_id: 'RFC-1', remark, at };
    const details = {};
    const event = plainEvent({ kind: 'comment', op_id: 'op-1', principal: MANAGER, details });
    await fails(t, trail.addRemark({ ...input, event }), 'ABORTED');
  });
}

export function checkAccepted(check: Check): void {
  check('decide accepts what may be suppressed, in its repository', async (t, harness) => {
    const { store, trail } = harness;
    const record = blockedRecord({ rfc_id: 'RFC-1' }, [
      findingWith('a'),
      findingWith('a', { line: 9 }),
      findingWith('b', { id: 'vuln-03' }),
      findingWith('c', { suppressed: { by: 'cra-ignore', reason: 'test' } }),
    ]);
    await insert(store, record);
    t.deepEqual(await among(trail), []);
    await trail.decide(decisionOn(record, 'op-1', { accept_findings: true }));
    const { accepted } = await trail.acceptedAmong({
      tenant_id: 'default',
      repo_name: 'ORG/repo',
      fingerprints: [C, B, A],
    });
    t.deepEqual(accepted, [
      {
        fingerprint: A,
        reason: 'incident 7',
        by: 'Alice A. (alice), RFC-1',
        repo: 'ORG/repo',
      },
    ]);
    t.deepEqual(await among(trail, 'org/other'), []);
    t.deepEqual(await among(trail, 'org/repo', 'other'), []);
    const entry = (await harness.entries()).find(({ op_id }) => op_id === 'op-1');
    t.is(entry?.details['accepted'], 1);
    await harness.reopen();
    t.deepEqual(await among(harness.trail), [A]);
  });

  checkEnd(check);
  checkRemarks(check);

  check('decide without accept_findings accepts nothing', async (t, { store, trail }) => {
    const record = blockedRecord({ rfc_id: 'RFC-1' }, [findingWith('a')]);
    await insert(store, record);
    await trail.decide(decisionOn(record, 'op-1'));
    t.deepEqual(await among(trail), []);
  });

  for (const action of ['reject', 'delete'] as const) {
    check(`decide: ${action} withdraws what its RFC accepted alone`, async (t, harness) => {
      const { store, trail } = harness;
      const one = blockedRecord({ rfc_id: 'RFC-1' }, [findingWith('a'), findingWith('b')]);
      const two = blockedRecord({ rfc_id: 'RFC-2' }, [findingWith('b'), findingWith('c')]);
      for (const record of [one, two]) {
        await insert(store, record);
        const id = `op-${record.rfc_id}`;
        await trail.decide(decisionOn(record, id, { accept_findings: true }));
      }
      t.deepEqual(await among(trail), [A, B, C]);
      await trail.decide(decisionOn(one, 'op-3', { action }));
      t.deepEqual(await among(trail), [B, C]);
      const entry = (await harness.entries()).find(({ op_id }) => op_id === 'op-3');
      t.like(entry?.details, { accepted: 0, withdrawn: 2 });
      await trail.decide(decisionOn(two, 'op-4', { action }));
      t.deepEqual(await among(trail), []);
    });
  }

  check('acceptedAmong is bounded', async (t, { trail }) => {
    const ask = (count: number) =>
      trail.acceptedAmong({
        tenant_id: 'default',
        repo_name: 'org/repo',
        fingerprints: Array.from({ length: count }, (_, n) => String(n)),
      });
    t.deepEqual(await ask(FINDINGS_PER_RFC_MAX), { accepted: [] });
    await fails(t, ask(FINDINGS_PER_RFC_MAX + 1), 'INVALID_ARGUMENT');
  });
}
