import { ENTRY } from '../../../src/audit/limits.ts';
import { DECISIONS } from '../../../src/model/limits.ts';
import { STATUSES } from '../../../src/model/rfc.ts';
import type { BlockedInput } from '../../../src/store/contract/trail.ts';
import { blockedRecord, decisionOn, sampleEvent } from '../fixtures/decisions.ts';
import { sampleRecord } from '../fixtures/records.ts';
import { type Check, DAY_MS, fails, insert, NOW } from './steps.ts';

export function checkEvents(check: Check): void {
  check('appendEvent writes an entry once', async (t, { trail, entries }) => {
    const event = sampleEvent('op-1');
    const { replayed, ...place } = await trail.appendEvent({ event });
    t.false(replayed);
    t.deepEqual(await trail.appendEvent({ event }), { ...place, replayed: true });
    const next = await trail.appendEvent({ event: sampleEvent('op-2') });
    t.is(next.chain, place.chain);
    t.true(next.seq > place.seq);
    const written = (await entries()).filter(({ kind }) => kind === 'ops-log');
    t.is(written.length, 2);
    const { v, chain, seq, ts, mono_ms, prev, ...rest } = written[0] ?? t.fail('no entry');
    t.deepEqual(rest, event);
    t.deepEqual({ v, chain, seq }, { v: 1, ...place });
    t.is(ts, new Date(NOW).toISOString());
    t.true(Number.isSafeInteger(mono_ms) && mono_ms >= 0);
    t.regex(prev, /^[0-9a-f]{64}$/);
  });

  check('appendEvent: 20 calls with one op_id write one entry', async (t, { trail, entries }) => {
    const call = () => trail.appendEvent({ event: sampleEvent('op-1') });
    const places = await Promise.all(Array.from({ length: 20 }, call));
    t.is(places.filter(({ replayed }) => !replayed).length, 1);
    for (const { chain, seq } of places) t.like(places[0], { chain, seq });
    t.is((await entries()).filter(({ op_id }) => op_id === 'op-1').length, 1);
  });

  check('appendEvent refuses what is not a whole event, and writes nothing', async (t, harness) => {
    const { trail, store, entries } = harness;
    const refuse = (event: ReturnType<typeof sampleEvent>) =>
      fails(t, trail.appendEvent({ event }), 'INVALID_ARGUMENT');
    await refuse(sampleEvent('op-1', { phase: 'intent' }));
    await refuse(sampleEvent('op-1', { reason: '\ud800' }));
    await refuse(sampleEvent('op-1', { details: { fraction: Number.NaN } }));
    await refuse(sampleEvent('op-1', { reason: 'x'.repeat(ENTRY.ENTRY_BYTES_MAX) }));
    t.deepEqual(
      (await entries()).filter(({ op_id }) => op_id === 'op-1'),
      [],
    );
    await trail.appendEvent({ event: sampleEvent('op-1') });
    const foreign = sampleEvent('op-1', { tenant_id: 'other' });
    await fails(t, trail.appendEvent({ event: foreign }), 'ALREADY_EXISTS');
    await fails(
      t,
      trail.appendEvent({ event: sampleEvent('op-1', { kind: 'rules' }) }),
      'ALREADY_EXISTS',
    );
    const changed = sampleEvent('op-1', { details: { command: 'restart db' } });
    await fails(t, trail.appendEvent({ event: changed }), 'ALREADY_EXISTS');
    const record = blockedRecord({ rfc_id: 'RFC-1' });
    await insert(store, record);
    await fails(t, trail.decide(decisionOn(record, 'op-1')), 'ALREADY_EXISTS');
  });

  check('auditStatus tells where the trail stands', async (t, { trail }) => {
    let before = await trail.auditStatus(null);
    while (before.state === 'checking') before = await trail.auditStatus(null);
    t.is(before.state, 'up');
    t.deepEqual(await trail.decisionState(null), { state: 'up', reasons: [] });
    t.is(before.open_intents, 0);
    const place = await trail.appendEvent({ event: sampleEvent('op-1') });
    const after = await trail.auditStatus(null);
    t.deepEqual({ chain: after.chain, seq: after.seq, replayed: false }, place);
    t.true(after.bytes > before.bytes);
  });
}

export function checkBlocked(check: Check): void {
  const ALL: BlockedInput = {
    tenant_id: 'default',
    repo: null,
    before: null,
    limit: 100,
    cursor: null,
    summaries: false,
  };

  check('listBlocked gives the blocked of a tenant, oldest first', async (t, { store, trail }) => {
    // The clock runs backwards: the order is that of the inserts all the same.
    for (const [n, overall_status] of [...STATUSES, ...STATUSES].entries()) {
      const created_at = new Date(NOW - n * DAY_MS).toISOString();
      await insert(store, sampleRecord({ rfc_id: `RFC-${n}`, overall_status, created_at }));
    }
    await insert(store, blockedRecord({ rfc_id: 'RFC-X', tenant_id: 'other' }));
    await insert(store, blockedRecord({ rfc_id: 'RFC-Y', repo_name: 'Org/Second' }));
    const ids = async (input: Partial<BlockedInput>) =>
      (await trail.listBlocked({ ...ALL, ...input })).rfcIds;
    t.deepEqual(await ids({}), ['RFC-0', 'RFC-7', 'RFC-Y']);
    t.deepEqual(await ids({ repo: 'ORG/second' }), ['RFC-Y']);
    t.deepEqual(await ids({ repo: 'org/%' }), []);
    t.deepEqual(await ids({ tenant_id: 'other' }), ['RFC-X']);
    t.deepEqual(await ids({ tenant_id: 'third' }), []);
    const second = blockedRecord({ rfc_id: 'RFC-7' });
    await trail.decide(decisionOn(second, 'op-1'));
    t.deepEqual(await ids({}), ['RFC-0', 'RFC-Y']);
    t.deepEqual(await ids({ before: new Date(NOW).toISOString() }), ['RFC-Y']);
    t.deepEqual(await ids({ before: '2026-11-21T10:00:00Z' }), []);
    await fails(t, ids({ before: 'yesterday' }), 'INVALID_ARGUMENT');
  });

  check('listBlocked: a walk meets each record once', async (t, { store, trail }) => {
    const names = Array.from({ length: 7 }, (_, n) => `RFC-${n}`);
    for (const [n, rfc_id] of names.entries()) {
      const created_at = `2026-11-2${n}T00:00:00.000Z`;
      await insert(store, blockedRecord({ rfc_id, created_at }));
    }
    const walk = async (input: Partial<BlockedInput>) => {
      const met: string[] = [];
      let cursor: string | null = null;
      do {
        const page = await trail.listBlocked({ ...ALL, limit: 2, ...input, cursor });
        t.true(page.rfcIds.length <= (input.limit ?? 2));
        met.push(...page.rfcIds);
        cursor = page.next_cursor;
      } while (cursor !== null);
      return met;
    };
    t.deepEqual(await walk({}), names);
    t.deepEqual(await walk({ limit: 7 }), names);
    t.deepEqual(await walk({ repo: 'org/repo' }), names);
    t.deepEqual(await walk({ before: '2026-11-23T00:00:00Z' }), names.slice(0, 3));
    const before = '2026-11-25T00:00:00Z';
    const page = await trail.listBlocked({ ...ALL, limit: 4, before, summaries: true });
    const shown = page.summaries.map((text) => (JSON.parse(text) as { rfc_id: string }).rfc_id);
    t.deepEqual(shown, names.slice(0, 4));
    t.deepEqual(page.rfcIds, shown);
    for (const limit of [0, 1.5, DECISIONS.BULK_MAX + 1]) {
      await fails(t, trail.listBlocked({ ...ALL, limit }), 'INVALID_ARGUMENT');
    }
    await fails(t, trail.listBlocked({ ...ALL, cursor: 'x' }), 'INVALID_ARGUMENT');
  });
}
