import type { DecisionAction } from '../../../src/model/decision.ts';
import type { Finding } from '../../../src/model/finding.ts';
import type { RfcRecord } from '../../../src/model/records.ts';
import { summariseTrends, type Trends, trendOf } from '../../../src/model/trend.ts';
import type { RecordStore } from '../../../src/store/contract/records.ts';
import { blockedRecord, decisionOn, findingWith } from '../fixtures/decisions.ts';
import { outcomeOf, recordText, sampleDraft, sampleRecord } from '../fixtures/records.ts';
import { type Check, insert, list, read } from './steps.ts';

const DAYS = { since: '2026-11-01', until: '2026-11-30' };
const NOTHING = { passed: 0, blocked: 0, carried: 0, overridden: 0, approved: 0, rejected: 0 };

async function trends(
  store: RecordStore,
  {
    tenant_id = 'default',
    repo = null as string | null,
    ...days
  }: object & {
    tenant_id?: string;
    repo?: string | null;
  } = {},
): Promise<Trends> {
  const found = await store.trends({ tenant_id, repo, ...DAYS, ...days });
  const { complete, ...rest } = found;
  return rest;
}

/** The same from the records that are there. */
async function expected(store: RecordStore, records: readonly RfcRecord[]): Promise<Trends> {
  const left = await Promise.all(records.map((one) => read(store, one).catch(() => null)));
  const sums = left.flatMap((record) =>
    Object.entries(record === null ? {} : trendOf(record)).flatMap(([day, counts]) =>
      Object.entries(counts).map(([counter, count]) => ({ day, counter, count })),
    ),
  );
  return summariseTrends(sums);
}

function rule(id: string, over: Partial<Finding> = {}): Finding {
  return findingWith('a', { id, ...over });
}

export function checkTrends(check: Check): void {
  check('trends count verdicts, decisions and rules on their days', async (t, harness) => {
    const { store, trail } = harness;
    await insert(store, sampleRecord({ rfc_id: 'RFC-1' }));
    const found = [
      rule('secret-a'),
      rule('secret-a', { finding_id: 'F-2' }),
      rule('risk-b', { severity: 'low' }),
      rule('ast-c', { suppressed: { by: 'cra-ignore', reason: 'test' } }),
    ];
    const blocked = blockedRecord({ rfc_id: 'RFC-2' }, found);
    const other = blockedRecord({ rfc_id: 'RFC-3', repo_name: 'org/other' }, [rule('secret-a')]);
    await insert(store, blocked);
    await insert(store, other);
    const at = '2026-11-22T10:00:30.000Z';
    await trail.decide(decisionOn(blocked, 'op-1', { at }));
    await trail.decide(decisionOn(other, 'op-2', { action: 'reject', at }));
    await harness.reopen();
    const all = await trends(harness.store);
    t.deepEqual(all.days, [
      { ...NOTHING, date: '2026-11-21', passed: 1, blocked: 2 },
      { ...NOTHING, date: '2026-11-22', overridden: 1, rejected: 1 },
    ]);
    t.deepEqual(all.totals, { ...NOTHING, passed: 1, blocked: 2, overridden: 1, rejected: 1 });
    const none = { hits: 1, blocked: 0, suppressed: 0, overridden: 0, rejected: 0 };
    t.deepEqual(all.rules, [
      {
        rule: 'secret-a',
        hits: 2,
        blocked: 2,
        suppressed: 0,
        overridden: 1,
        rejected: 1,
        decided: 2,
        noise: 0.5,
      },
      { rule: 'ast-c', ...none, suppressed: 1, decided: 0, noise: null },
      { rule: 'risk-b', ...none, decided: 0, noise: null },
    ]);
    t.is(all.rules_total, 3);
    // A day and half a minute, as the end of a step that is less than half as long again.
    const { p50, p95 } = all.decision_seconds;
    t.true(p50 !== null && p50 >= 86_430 && p50 < 86_430 * 1.42);
    t.is(p95, p50);

    const own = await trends(harness.store, { repo: 'ORG/repo' });
    t.deepEqual(own.totals, { ...NOTHING, passed: 1, blocked: 1, overridden: 1 });
    t.is(own.rules[0]?.noise, 1);
    t.deepEqual((await trends(harness.store, { tenant_id: 'else' })).days, []);
    t.deepEqual((await trends(harness.store, { repo: 'org/none' })).rules, []);
    const day = { since: '2026-11-22', until: '2026-11-22' };
    t.deepEqual((await trends(harness.store, day)).days.length, 1);
  });

  check('trends count a record once, and what it is now', async (t, { store, trail }) => {
    const record = blockedRecord({ rfc_id: 'RFC-1' }, [rule('secret-a')]);
    await insert(store, record);
    await insert(store, record);
    t.is((await trends(store)).totals.blocked, 1);
    const released = recordText({ ...record, overall_status: 'PASSED', rev: 2 });
    await store.reviseRfc({ record: released, from: 'BLOCKED', expectedRev: 1 });
    t.deepEqual((await trends(store)).totals, { ...NOTHING, passed: 1 });
    t.is((await trends(store)).rules[0]?.blocked, 0);
    await trail.decide(decisionOn(record, 'op-1', { action: 'approve' }));
    await trail.decide(decisionOn(record, 'op-1', { action: 'approve' }));
    t.deepEqual((await trends(store)).totals, { ...NOTHING, passed: 1, approved: 1 });
    await trail.decide(decisionOn(record, 'op-2', { action: 'delete' }));
    t.deepEqual(await trends(store), summariseTrends([]));
  });

  check('trends count a draft with its verdict', async (t, { store }) => {
    const draft = sampleDraft({ rfc_id: 'RFC-1' });
    await insert(store, draft);
    t.deepEqual((await trends(store)).days, []);
    const record = recordText(outcomeOf(draft));
    await store.completeDraft({ record, expectedRev: 1 });
    await t.throwsAsync(store.completeDraft({ record, expectedRev: 1 }));
    t.is((await trends(store)).totals.passed, 1);
  });
  checkSums(check);
}

function checkSums(check: Check): void {
  check('trends are those of the records, whatever is written at once', async (t, harness) => {
    const { store, trail } = harness;
    const actions: readonly DecisionAction[] = ['override', 'approve', 'reject', 'delete'];
    const records = Array.from({ length: 24 }, (_, n) => {
      const fields = { rfc_id: `RFC-${n}`, repo_name: `org/${n % 3}` };
      return n % 2 === 0 ? sampleRecord(fields) : blockedRecord(fields, [rule(`rule-${n % 5}.$x`)]);
    });
    await Promise.all(records.map((record) => insert(store, record)));
    const decisions = records.flatMap((record, n) =>
      [0, 1, 2].map((step) =>
        trail.decide(
          decisionOn(record, `op-${n}-${step}`, {
            action: actions[(n * 7 + step * 5) % actions.length] ?? 'reject',
            at: `2026-11-2${(n + step) % 9}T12:00:00.000Z`,
          }),
        ),
      ),
    );
    const reads = Array.from({ length: 4 }, () => trends(store));
    await Promise.allSettled([...decisions, ...reads]);
    t.deepEqual(await trends(store), await expected(store, records));
    const repo = 'org/1';
    const ofRepo = records.filter(({ repo_name }) => repo_name === repo);
    t.deepEqual(await trends(store, { repo }), await expected(store, ofRepo));
    t.true((await store.trends({ tenant_id: 'default', repo: null, ...DAYS })).complete);
    t.true((await list(store, {})).summaries.length < records.length);
  });
}
