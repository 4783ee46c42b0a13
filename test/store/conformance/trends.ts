import { plainEvent } from '../../../src/model/audit.ts';
import type { ComponentVerdict } from '../../../src/model/components.ts';
import type { DecisionAction } from '../../../src/model/decision.ts';
import type { Finding } from '../../../src/model/finding.ts';
import type { RfcRecord } from '../../../src/model/records.ts';
import { summariseTrends, type Trends, trendOf } from '../../../src/model/trend.ts';
import type { RecordStore } from '../../../src/store/contract/records.ts';
import { blockedRecord, decisionOn, findingWith, MANAGER } from '../fixtures/decisions.ts';
import { outcomeOf, recordText, sampleDraft, sampleRecord } from '../fixtures/records.ts';
import { type Check, insert, list, read } from './steps.ts';

const DAYS = { since: '2026-11-01', until: '2026-11-30', by: 'day' as const };
const NO_DECISIONS = { overridden: 0, approved: 0, rejected: 0 };
const NOTHING = {
  passed: 0,
  blocked: 0,
  carried: 0,
  ...NO_DECISIONS,
  secrets: 0,
  llm_findings: 0,
  false_alarms: 0,
};
const NO_WAIT = { p50: null, p90: null };

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
  const { complete, repositories, ...rest } = found;
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
  return summariseTrends(sums, 'day');
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
      // The second only says how complete the review is.
      rule('llm-injection', { severity: 'low' }),
      rule('llm-unreviewed', { severity: 'low' }),
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
      {
        ...NOTHING,
        date: '2026-11-21',
        passed: 1,
        blocked: 2,
        secrets: 2,
        llm_findings: 1,
        decision_seconds: NO_WAIT,
      },
      {
        ...NOTHING,
        date: '2026-11-22',
        overridden: 1,
        rejected: 1,
        decision_seconds: { p50: all.decision_seconds.p50, p90: all.decision_seconds.p90 },
      },
    ]);
    const decided = { overridden: 1, rejected: 1 };
    const secrets = { secrets: 2, llm_findings: 1 };
    t.deepEqual(all.totals, { ...NOTHING, passed: 1, blocked: 2, ...decided, ...secrets });
    const none = {
      hits: 1,
      blocked: 0,
      suppressed: 0,
      overridden: 0,
      rejected: 0,
      false_alarms: 0,
    };
    t.deepEqual(all.rules, [
      {
        rule: 'secret-a',
        hits: 2,
        blocked: 2,
        suppressed: 0,
        overridden: 1,
        rejected: 1,
        false_alarms: 0,
        decided: 2,
        noise: 0.5,
      },
      { rule: 'ast-c', ...none, suppressed: 1, decided: 0, noise: null },
      ...['llm-injection', 'llm-unreviewed', 'risk-b'].map((id) => {
        return { rule: id, ...none, decided: 0, noise: null };
      }),
    ]);
    t.is(all.rules_total, 5);
    // A day and half a minute, as the end of a step that is less than half as long again.
    const { p50, p95 } = all.decision_seconds;
    t.true(p50 !== null && p50 >= 86_430 && p50 < 86_430 * 1.42);
    t.is(p95, p50);
    t.is(all.decision_seconds.p90, p50);

    const own = await trends(harness.store, { repo: 'ORG/repo' });
    const ownCounts = { passed: 1, blocked: 1, overridden: 1, secrets: 1, llm_findings: 1 };
    t.deepEqual(own.totals, { ...NOTHING, ...ownCounts });
    t.is(own.rules[0]?.noise, 1);
    t.deepEqual((await trends(harness.store, { tenant_id: 'else' })).days, []);
    t.deepEqual((await trends(harness.store, { repo: 'org/none' })).rules, []);
    // Saturday and Sunday are days of one week.
    const tenant = { tenant_id: 'default', repo: null, ...DAYS };
    const weeks = await harness.store.trends({ ...tenant, by: 'week' });
    const { date, ...week } = weeks.days[0] ?? {};
    t.is(date, '2026-11-16');
    t.deepEqual(week, { ...all.totals, decision_seconds: all.days[1]?.decision_seconds });
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
    t.deepEqual((await trends(store)).totals, { ...NOTHING, passed: 1, secrets: 1 });
    t.is((await trends(store)).rules[0]?.blocked, 0);
    await trail.decide(decisionOn(record, 'op-1', { action: 'approve' }));
    await trail.decide(decisionOn(record, 'op-1', { action: 'approve' }));
    const approved = { passed: 1, approved: 1, secrets: 1 };
    t.deepEqual((await trends(store)).totals, { ...NOTHING, ...approved });
    await trail.decide(decisionOn(record, 'op-2', { action: 'delete' }));
    t.deepEqual(await trends(store), summariseTrends([], 'day'));
  });

  check('trends count false alarms of a rule as people say them last', async (t, harness) => {
    const { store, trail } = harness;
    const found = [rule('secret-a'), rule('secret-a', { finding_id: 'F-2' })];
    const record = blockedRecord({ rfc_id: 'RFC-1' }, found);
    await insert(store, record);
    const say = async (n: number, finding_id: string, false_alarm?: boolean) => {
      const comment = {
        comment_id: `C-${n}`,
        finding_id,
        text: 'a key of the documentation',
        ...(false_alarm === undefined ? {} : { false_alarm }),
        by: { id: 'ann', name: null },
        at: `2026-11-2${n}T10:00:00.000Z`,
      };
      const event = plainEvent({
        kind: 'comment',
        op_id: `op-${n}`,
        principal: MANAGER,
        rfc_id: 'RFC-1',
        details: { finding_id },
      });
      const remark = { kind: 'comment' as const, comment };
      await trail.addRemark({ tenant_id: 'default', rfc_id: 'RFC-1', remark, event });
    };
    const counted = async () => {
      const { days, rules } = await trends(harness.store);
      t.deepEqual(await trends(harness.store), await expected(harness.store, [record]));
      return [rules[0]?.false_alarms, days.find((day) => day.false_alarms > 0)?.date];
    };
    const [first = '', second = ''] = found.map(({ finding_id }) => finding_id);
    await say(2, first);
    t.deepEqual(await counted(), [0, undefined]);
    await say(3, first, true);
    await say(3, first, true);
    await say(4, second, true);
    t.deepEqual(await counted(), [1, '2026-11-24']);
    await say(5, second, false);
    await harness.reopen();
    t.deepEqual(await counted(), [1, '2026-11-23']);
    await harness.trail.decide(decisionOn(record, 'op-9', { action: 'reject' }));
    t.deepEqual(await counted(), [1, '2026-11-23']);
  });

  check('trends name the components and repositories with most blocked changes', async (t, it) => {
    const verdict: ComponentVerdict = {
      id: 'web',
      status: 'BLOCKED',
      risk_score: 80,
      findings: [],
      findings_total: 1,
      base: null,
      same_as: null,
    };
    const components = [
      verdict,
      { ...verdict, id: 'api', status: 'PASSED' as const, findings_total: 0 },
      { ...verdict, id: 'docs', same_as: 'RFC-0' },
    ];
    // More components than count as passed stand before it.
    const many = Array.from({ length: 50 }, (_, n) => ({
      ...verdict,
      id: `a${n}`,
      status: 'PASSED' as const,
      findings_total: 0,
    }));
    const large = { components: [...many, { ...verdict, id: 'last' }] };
    const judged = (n: number, repo_name: string) =>
      blockedRecord({ rfc_id: `RFC-${n}`, repo_name, components }, [rule('secret-a')]);
    for (const [n, repo] of ['Org/B', 'org/b', 'org/a', 'org/c'].entries()) {
      await insert(it.store, judged(n, repo));
    }
    await insert(it.store, sampleRecord({ rfc_id: 'RFC-9', repo_name: 'org/passes' }));
    // A decision does not change what was blocked; a rejection is of every component.
    await it.trail.decide(decisionOn(judged(0, 'Org/B'), 'op-1', { action: 'override' }));
    await it.trail.decide(decisionOn(judged(1, 'org/b'), 'op-2', { action: 'reject' }));
    // What is deleted is not counted any more.
    await it.trail.decide(decisionOn(judged(3, 'org/c'), 'op-3', { action: 'delete' }));
    const whole = { tenant_id: 'default', repo: null, ...DAYS };
    const sumsOf = (component: string, sums: { blocked: number; passed: number }) => {
      return { component, ...sums, days: [{ date: '2026-11-21', ...sums }] };
    };
    const found = await it.store.trends(whole);
    t.deepEqual(found.repositories, [
      { repo: 'org/b', blocked: 2 },
      { repo: 'org/a', blocked: 1 },
    ]);
    t.deepEqual(found.components, [
      sumsOf('web', { blocked: 3, passed: 0 }),
      sumsOf('api', { blocked: 0, passed: 3 }),
    ]);
    const own = await it.store.trends({ ...whole, repo: 'org/a' });
    t.deepEqual(
      [own.repositories, own.components],
      [[], [sumsOf('web', { blocked: 1, passed: 0 }), sumsOf('api', { blocked: 0, passed: 1 })]],
    );
    const later = await it.store.trends({ ...whole, since: '2026-11-22' });
    t.deepEqual([later.repositories, later.components], [[], []]);
    t.deepEqual((await it.store.trends({ ...whole, tenant_id: 'else' })).repositories, []);
    const place = { rfc_id: 'RFC-large', repo_name: 'org/large' };
    await insert(it.store, blockedRecord({ ...place, ...large }, [rule('secret-a')]));
    const { components: shown } = await it.store.trends({ ...whole, repo: 'org/large' });
    t.deepEqual(shown[0], sumsOf('last', { blocked: 1, passed: 0 }));
    t.is(shown.length, 11);
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
  check('trends follow the records, whatever is written at once', async (t, harness) => {
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
