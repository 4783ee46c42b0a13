import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { ComponentVerdict } from '../../../src/model/components.ts';
import { RFCS } from '../../../src/model/limits.ts';
import { type RfcRecord, type RfcSummary, recordText } from '../../../src/model/records.ts';
import { STATUSES, statusRank } from '../../../src/model/rfc.ts';
import type { ListInput } from '../../../src/store/contract/records.ts';
import { decisionOn } from '../fixtures/decisions.ts';
import { sampleDraft, sampleFinding, sampleRecord } from '../fixtures/records.ts';
import { type Check, DAY_MS, fails, idsOf, insert, list, NEWEST, NOW } from './steps.ts';

function checkPulse(check: Check): void {
  check(
    'listScores gives risks by pages, the newest first, without drafts',
    async (t, { store }) => {
      const score = { change_risk: 30, findings_risk: 0, factors: [], model: 'm' };
      const calibration = { group: 'org', version: 2, model_risk: 20 };
      for (const record of [
        sampleRecord({ rfc_id: 'RFC-1' }),
        sampleDraft({ rfc_id: 'RFC-2' }),
        sampleRecord({ rfc_id: 'RFC-3', score: { ...score, calibration } }),
        sampleRecord({ rfc_id: 'RFC-4', tenant_id: 'other' }),
      ]) {
        await store.insertRfc({ record: recordText(record), diff: null });
      }
      const first = await store.listScores({ tenant_id: 'default', limit: 2, cursor: null });
      t.deepEqual(
        first.scores.map(({ rfc_id, change_risk, model_risk }) => [
          rfc_id,
          change_risk,
          model_risk,
        ]),
        [['RFC-3', 30, 20]],
      );
      const { next_cursor: cursor } = first;
      const rest = await store.listScores({ tenant_id: 'default', limit: 2, cursor });
      t.deepEqual([rest.scores.map(({ rfc_id }) => rfc_id), rest.next_cursor], [['RFC-1'], null]);
    },
  );

  check('pulse counts what is there, and getState tells states apart', async (t, harness) => {
    const { store, trail } = harness;
    const of = (tenant_id: string, most = 3) => store.pulse({ tenant_id, most });
    const none = Object.fromEntries(STATUSES.map((status) => [status, 0]));
    t.deepEqual(await of('default'), { counts: none, newest: null, oldest_blocked_at: null });
    for (let n = 0; n < 5; n += 1) {
      const created_at = new Date(NOW - n * DAY_MS).toISOString();
      await insert(
        store,
        sampleRecord({ rfc_id: `RFC-${n}`, overall_status: 'BLOCKED', created_at }),
      );
    }
    await insert(store, sampleRecord({ rfc_id: 'RFC-P', overall_status: 'PASSED' }));
    const before = await of('default');
    t.deepEqual(before.counts, { ...none, BLOCKED: 3, PASSED: 1 });
    t.is(before.oldest_blocked_at, new Date(NOW).toISOString());
    t.is((await of('default')).newest, before.newest);
    await insert(store, sampleRecord({ rfc_id: 'RFC-Q', overall_status: 'PASSED' }));
    t.not((await of('default')).newest, before.newest);
    const first = { tenant_id: 'default', rfc_id: 'RFC-0' };
    t.deepEqual(await store.getState(first), { overall_status: 'BLOCKED', rev: 1 });
    await trail.decide(decisionOn(first, 'op-1', { action: 'delete' }));
    await trail.decide(decisionOn({ ...first, rfc_id: 'RFC-1' }, 'op-2'));
    const after = await of('default', 10);
    t.deepEqual(after.counts, { ...none, BLOCKED: 3, PASSED: 2, OVERRIDDEN: 1 });
    t.is(after.oldest_blocked_at, new Date(NOW - 2 * DAY_MS).toISOString());
    await fails(t, store.getState(first), 'NOT_FOUND');
    await fails(t, store.getState({ tenant_id: 'other', rfc_id: 'RFC-1' }), 'NOT_FOUND');
    t.deepEqual((await of('other')).counts, none);
  });

  check('listRfcs gives fifty rows with the worst findings in 256 KiB', async (t, { store }) => {
    const hostile = 'ü"\\\u0001\u2028'.repeat(300);
    for (let n = 0; n < 50; n += 1) {
      const findings = Array.from({ length: 60 }, (_, index) => ({
        ...sampleFinding(index),
        message: `${index} ${hostile}`,
      }));
      const record = sampleRecord({ rfc_id: `RFC-${n}`, commit_message: hostile });
      const gate = { ...record.gates.risk, findings };
      const gates = { ...record.gates, risk: gate, ast: gate };
      const override = { actor: 'ann', reason: hostile };
      await insert(store, { ...record, gates, override });
    }
    const { json } = await store.listRfcs({
      tenant_id: 'default',
      status: null,
      repo: null,
      limit: 50,
      cursor: null,
    });
    t.true(Buffer.byteLength(json) <= 256 * 1024, String(Buffer.byteLength(json)));
    const [row] = JSON.parse(json) as RfcSummary[];
    t.is(row?.gates.ast.findings_total, 60);
    t.regex(row?.gates.ast.findings[0]?.message ?? '', /^0 /);
  });
}

function checkComponents(check: Check): void {
  check('listRfcs by component follows the record', async (t, { store, trail }) => {
    const verdict: ComponentVerdict = {
      id: 'web',
      status: 'BLOCKED',
      risk_score: 9,
      findings: [],
      findings_total: 0,
      base: null,
      same_as: null,
    };
    const parts = [verdict, { ...verdict, id: 'pay', same_as: 'RFC-0' }];
    const judged = { components: parts, component_map: 'map' };
    const record = (rfc_id: string, repo_name: string) =>
      sampleRecord({ rfc_id, repo_name, overall_status: 'BLOCKED', ...judged });
    const draft = sampleRecord({ rfc_id: 'RFC-3', repo_name: 'a/b', overall_status: 'DRAFT' });
    await insert(store, record('RFC-1', 'a/b'));
    await insert(store, record('RFC-2', 'a/c'));
    await insert(store, draft);
    const of = async (filter: Partial<ListInput>) =>
      (await list(store, filter)).summaries.map(idsOf);
    t.deepEqual(await of({ component: 'web' }), ['RFC-2', 'RFC-1']);
    t.deepEqual(await of({ component: 'pay' }), [], 'an RFC lists what it judged itself');
    t.deepEqual(await of({ component: 'we' }), []);
    t.deepEqual(await of({ component: 'web', tenant_id: 'other' }), []);
    t.deepEqual(await of({ component: 'web', repo: 'A/B' }), ['RFC-1']);
    const done = { ...draft, ...judged, overall_status: 'PASSED' as const, rev: 2, queue: null };
    await store.completeDraft({ record: recordText(done), expectedRev: 1 });
    t.deepEqual(await of({ component: 'web', repo: 'a/b' }), ['RFC-1', 'RFC-3']);
    t.deepEqual(await of({ component: 'web', status: 'PASSED' }), ['RFC-3']);
    const { next_cursor } = await list(store, { component: 'web', limit: 1 });
    t.deepEqual(await of({ component: 'web', limit: 1, cursor: next_cursor }), ['RFC-2']);
    const id = { tenant_id: 'default', rfc_id: 'RFC-2' };
    await trail.decide(decisionOn({ ...id, rfc_id: 'RFC-1' }, 'op-1'));
    t.deepEqual(await of({ component: 'web', status: 'OVERRIDDEN' }), ['RFC-1']);
    await trail.decide(decisionOn(id, 'op-2', { action: 'delete' }));
    t.deepEqual(await of({ component: 'web', status: 'BLOCKED' }), []);
  });
}

export function checkLists(check: Check): void {
  checkComponents(check);
  check('listRfcs sorts the newest by status, then newest', async (t, { store }) => {
    const statuses = [...STATUSES, ...STATUSES].reverse();
    // The clock runs backwards: the order is that of the inserts all the same.
    for (const [n, overall_status] of statuses.entries()) {
      const created_at = new Date(NOW - n * DAY_MS).toISOString();
      await insert(store, sampleRecord({ rfc_id: `RFC-${n}`, overall_status, created_at }));
    }
    const { summaries } = await list(store, { limit: STATUSES.length + 2 });
    const expected = ['13 BLOCKED', '6 BLOCKED', '12 DRAFT', '5 DRAFT', '11 REJECTED'];
    const ids = summaries.map((summary) => `${summary.rfc_id.slice(4)} ${summary.overall_status}`);
    t.deepEqual(ids.slice(0, 5), expected);
    t.is(summaries.length, STATUSES.length + 2);
  });

  checkPulse(check);

  check('listRfcs filters by status and by repository without case', async (t, { store }) => {
    const make = (rfc_id: string, repo_name: string, overall_status: 'PASSED' | 'BLOCKED') =>
      insert(store, sampleRecord({ rfc_id, repo_name, overall_status }));
    await make('RFC-1', 'Org/App', 'PASSED');
    await make('RFC-2', 'org/app', 'BLOCKED');
    await make('RFC-3', 'org/app-2', 'PASSED');
    const ids = async (input: Partial<ListInput>) =>
      (await list(store, input)).summaries.map(idsOf);
    t.deepEqual(await ids({ repo: 'ORG/APP' }), ['RFC-2', 'RFC-1']);
    t.deepEqual(await ids({ status: 'PASSED' }), ['RFC-3', 'RFC-1']);
    t.deepEqual(await ids({ status: 'PASSED', repo: 'oRG/aPP' }), ['RFC-1']);
    t.deepEqual(await ids({ status: 'DRAFT' }), []);
    t.deepEqual(await ids({ repo: 'org/%' }), []);
    t.deepEqual(await ids({ repo: '' }), []);
  });

  check('listRfcs of nothing is an empty array', async (t, { store }) => {
    t.deepEqual(await list(store, {}), { summaries: [], next_cursor: null });
  });

  check('listRfcs refuses a limit out of range', async (t, { store }) => {
    for (const limit of [0, -1, 1.5, Number.NaN, RFCS.LIST_LIMIT_MAX + 1]) {
      await fails(t, store.listRfcs({ ...NEWEST, limit }), 'INVALID_ARGUMENT');
    }
  });
}

export function checkCursors(check: Check): void {
  check('listRfcs: a walk along the cursor meets each once', async (t, { store }) => {
    const row = fc.record({
      status: fc.constantFrom(...STATUSES),
      repo: fc.constantFrom('org/a', 'ORG/A', 'org/b'),
    });
    const filters = fc.record({
      status: fc.constantFrom(null, ...STATUSES),
      repo: fc.constantFrom(null, 'org/a', 'Org/B'),
      limit: fc.integer({ min: 1, max: 7 }),
    });
    let runs = 0;
    const property = fc.asyncProperty(
      fc.array(row, { maxLength: 25 }),
      filters,
      async (rows, by) => {
        runs += 1;
        const tenant_id = `tenant-${runs}`;
        const records = rows.map(({ status: overall_status, repo: repo_name }, n) =>
          sampleRecord({ rfc_id: `RFC-${runs}-${n}`, tenant_id, repo_name, overall_status }),
        );
        for (const record of records) await insert(store, record);
        const newestFirst = records.filter((record) => matches(record, by)).reverse();
        let cursor: string | null = null;
        do {
          const page = await list(store, { ...by, tenant_id, cursor });
          const rank = (record: RfcRecord) => statusRank(record.overall_status);
          const expected = newestFirst.splice(0, by.limit).sort((a, b) => rank(a) - rank(b));
          assert.deepEqual(page.summaries.map(idsOf), expected.map(idsOf));
          cursor = page.next_cursor;
        } while (cursor !== null);
        assert.deepEqual(newestFirst, []);
      },
    );
    await t.notThrowsAsync(fc.assert(property, { numRuns: 40 }));
  });

  check('listRfcs: what is inserted during a walk is not in it', async (t, { store }) => {
    for (const n of [1, 2, 3]) await insert(store, sampleRecord({ rfc_id: `RFC-${n}` }));
    const first = await list(store, { limit: 2 });
    await insert(store, sampleRecord({ rfc_id: 'RFC-4' }));
    const second = await list(store, { limit: 2, cursor: first.next_cursor });
    t.deepEqual(second.summaries.map(idsOf), ['RFC-1']);
    t.is(second.next_cursor, null);
  });

  check('listRfcs refuses a cursor that it never gave', async (t, { store }) => {
    const bad = ['', ' ', '0', 'MA', 'LTE', '!!!!', 'MQ==', 'MS41', 'MWU1', 'x'.repeat(10_000)];
    const huge = Buffer.from('9'.repeat(17)).toString('base64url');
    for (const cursor of [...bad, huge, '\0', '\ud800']) {
      await fails(t, store.listRfcs({ ...NEWEST, cursor }), 'INVALID_ARGUMENT');
    }
  });
}

function matches(record: RfcRecord, by: Pick<ListInput, 'status' | 'repo'>): boolean {
  if (by.status !== null && record.overall_status !== by.status) return false;
  return by.repo === null || record.repo_name.toLowerCase() === by.repo.toLowerCase();
}
