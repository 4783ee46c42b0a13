import { plainEvent } from '../../../src/model/audit.ts';
import type { Remark } from '../../../src/model/decision.ts';
import type { Discussion } from '../../../src/model/finding.ts';
import { FINDINGS_PER_RFC_MAX, REMARKS } from '../../../src/model/limits.ts';
import type { ListEntriesInput, TrailStore } from '../../../src/store/contract/trail.ts';
import { blockedRecord, decisionOn, findingWith, MANAGER } from '../fixtures/decisions.ts';
import { sampleDraft } from '../fixtures/records.ts';
import { checkExpiry } from './expiry.ts';
import { type Check, fails, idsOf, insert, list, read } from './steps.ts';

const [A, B, C] = ['a', 'b', 'c'].map((digit) => digit.repeat(64)) as [string, string, string];

function among(trail: TrailStore, repo_name = 'org/REPO', tenant_id = 'default') {
  return trail
    .acceptedAmong({ tenant_id, repo_name, fingerprints: [A, B, C, A] })
    .then(({ accepted }) => accepted.map(({ fingerprint }) => fingerprint).sort());
}

function checkTrailLists(check: Check): void {
  check(
    'listAccepted walks by repository and fingerprint, within the tenant',
    async (t, harness) => {
      const { store, trail } = harness;
      const make = async (
        rfc_id: string,
        repo_name: string,
        tenant_id: string,
        letters: string,
      ) => {
        const findings = [...letters].map((letter) => findingWith(letter));
        const record = blockedRecord({ rfc_id, repo_name, tenant_id }, findings);
        await insert(store, record);
        await trail.decide(decisionOn(record, `op-${rfc_id}`, { accept_findings: true }));
      };
      await make('RFC-1', 'org/b', 'default', 'ba');
      await make('RFC-2', 'Org/A', 'default', 'ac');
      await make('RFC-3', 'org/a', 'default', 'a');
      await make('RFC-4', 'org/a', 'other', 'abc');
      const walk = async (repo: string | null, limit: number) => {
        const seen: string[] = [];
        let cursor: string | null = null;
        do {
          const page: Awaited<ReturnType<TrailStore['listAccepted']>> = await trail.listAccepted({
            tenant_id: 'default',
            repo,
            limit,
            cursor,
            endingBefore: null,
          });
          for (const row of page.accepted) {
            seen.push(`${row.repo} ${row.fingerprint[0]} ${row.rfc_id}`);
            t.like(row, { reason: 'incident 7', at: '2026-11-21T11:00:00.000Z' });
          }
          cursor = page.next_cursor;
        } while (cursor !== null);
        return seen;
      };
      const inA = ['org/a a RFC-2', 'org/a a RFC-3', 'org/a c RFC-2'];
      for (const limit of [1, 2, 3, 50]) {
        t.deepEqual(
          await walk(null, limit),
          [...inA, 'org/b a RFC-1', 'org/b b RFC-1'],
          `${limit}`,
        );
        t.deepEqual(await walk('ORG/a', limit), inA);
      }
      t.deepEqual(await walk('org/c', 5), []);
      const input = { tenant_id: 'default', repo: null, limit: 5, endingBefore: null };
      await fails(t, trail.listAccepted({ ...input, cursor: 'x' }), 'INVALID_ARGUMENT');
      await fails(t, trail.listAccepted({ ...input, limit: 0, cursor: null }), 'INVALID_ARGUMENT');
      const reject = { tenant_id: 'default', rfc_id: 'RFC-2' };
      await trail.decide(decisionOn(reject, 'op-r', { action: 'reject' }));
      t.deepEqual(await walk('org/a', 5), ['org/a a RFC-3']);
    },
  );
}

function checkEntryList(check: Check): void {
  check('listEntries gives the entries of a tenant, the newest first', async (t, { trail }) => {
    const append = (n: number, over: object = {}) =>
      trail.appendEvent({
        event: plainEvent({
          kind: 'ops-log',
          op_id: `op-${n}`,
          principal: MANAGER,
          details: {},
          ...over,
        }),
      });
    for (let n = 0; n < 12; n += 1) {
      const kind = n % 3 === 0 ? 'login' : 'ops-log';
      await append(n, { kind, rfc_id: n % 4 === 0 ? 'RFC-1' : null });
    }
    await append(99, { tenant_id: 'other' });
    const walk = async (over: Partial<ListEntriesInput>, limit = 4) => {
      const seen: string[] = [];
      let cursor: string | null = null;
      do {
        const page: Awaited<ReturnType<TrailStore['listEntries']>> = await trail.listEntries({
          tenant_id: 'default',
          kind: null,
          logins: true,
          rfc_id: null,
          limit,
          cursor,
          ...over,
        });
        t.true(
          page.next_cursor === null ? page.entries.length <= limit : page.entries.length === limit,
        );
        seen.push(...page.entries.map(({ op_id }) => op_id.replace('op-', '')));
        cursor = page.next_cursor;
      } while (cursor !== null);
      return seen.join(' ');
    };
    t.is(await walk({}), '11 10 9 8 7 6 5 4 3 2 1 0');
    t.is(await walk({}, 5), '11 10 9 8 7 6 5 4 3 2 1 0');
    t.is(await walk({ logins: false }), '11 10 8 7 5 4 2 1');
    t.is(await walk({ kind: 'login' }), '9 6 3 0');
    t.is(await walk({ rfc_id: 'RFC-1' }, 1), '8 4 0');
    t.is(await walk({ tenant_id: 'other' }), '99');
    t.regex(await walk({ kind: 'boot' }), /boot/);
  });
}

/** The others block the next change again. */
function checkChosen(check: Check): void {
  check('a decision accepts the findings that it names, or refuses', async (t, harness) => {
    const { store, trail } = harness;
    const found = ['a', 'b', 'c'].map((letter) => {
      const id = letter === 'c' ? 'vuln-01' : 'risk-x';
      return findingWith(letter, { id, finding_id: `F-${letter}` });
    });
    const record = blockedRecord({ rfc_id: 'RFC-1' }, found);
    await insert(store, record);
    const accept = (...accept_findings: string[]) =>
      trail.decide(decisionOn(record, 'op-1', { accept_findings }));
    for (const refused of ['F-c', 'F-x']) {
      await fails(t, accept('F-b', refused), 'INVALID_ARGUMENT');
    }
    t.deepEqual(await among(trail), []);
    await accept('F-b');
    t.deepEqual(await among(trail), [B]);
    await harness.reopen();
    t.deepEqual(await among(harness.trail), [B]);
  });
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
        tenant_id: 'default',
        repo_name: 'ORG/repo',
        fingerprint: A,
        event: plainEvent({
          kind: 'acceptance-ended',
          op_id: 'end-1',
          principal: MANAGER,
          reason: 'moved',
          repo_name: 'ORG/repo',
          details: { fingerprint: A },
          ...over,
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
      ended.filter(({ phase }) => phase !== 'done').map(({ op_id, reason }) => [op_id, reason]),
      [['end-1', 'moved']],
    );
    t.is((await store.getRfc({ tenant_id: 'default', rfc_id: 'RFC-1' })).rev, 2);
    // What is accepted later is not revoked when the same end comes once more.
    const later = blockedRecord({ rfc_id: 'RFC-3' }, [findingWith('a')]);
    await insert(store, later);
    await trail.decide(decisionOn(later, 'op-RFC-3', { accept_findings: true }));
    t.deepEqual(await end(), { ...place, replayed: true });
    await harness.reopen();
    t.deepEqual(await among(harness.trail), [A, B]);
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
      finding_id: 'F-1-P1',
      severity: 'medium',
      message: 'look',
      by,
      at,
      file: 'a.js',
      line: 3,
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
          tenant_id: 'default',
          rfc_id: 'RFC-1',
          remark,
          ...over,
          event: plainEvent({
            kind: remark.kind,
            op_id,
            principal: MANAGER,
            rfc_id: 'RFC-1',
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
      const request = { request_id: 'Q-1', asked: 'Eve@a.example', by, at };
      t.is((await add({ kind: 'request', request }, 'op-q')).rev, 12);
      const search = { texts: ['asked:eve@a.example'], until: null, since: null, examined: 9 };
      t.deepEqual((await list(store, { search })).summaries.map(idsOf), ['RFC-1']);
      const stored = await read(store, record);
      const { gates, updated_at } = record;
      t.like(stored, { overall_status: 'BLOCKED', rev: 12, gates, updated_at });
      t.deepEqual(stored.discussion?.requests, [request]);
      t.deepEqual(stored.discussion?.findings, [own.finding]);
      t.is(stored.discussion?.comments.length, 9);
      const kinds = (await entries())
        .filter(({ phase }) => phase === 'whole' || phase === 'done')
        .map(({ kind }) => kind);
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
    const input = { tenant_id: 'default', rfc_id: 'RFC-1', remark };
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

  checkChosen(check);
  checkEnd(check);
  checkExpiry(check);
  checkTrailLists(check);
  checkEntryList(check);
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
