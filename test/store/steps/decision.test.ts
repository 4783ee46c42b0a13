import test from 'ava';
import canonicalize from 'canonicalize';
import type { DecisionRequest } from '../../../src/model/decision.ts';
import { CraError } from '../../../src/model/errors.ts';
import { deletedRecord, type RfcRecord } from '../../../src/model/records.ts';
import { refusalLeft } from '../../../src/model/release.ts';
import { STATUSES } from '../../../src/model/rfc.ts';
import { outputOf, readIntent } from '../../../src/store/mongo/intents.ts';
import {
  type DecisionPlan,
  decisionEvent,
  decisionOutput,
  leftovers,
  planDecision,
  requireSameRequest,
} from '../../../src/store/steps/decision.ts';
import { blockedRecord, decisionOn, findingWith, MANAGER } from '../fixtures/decisions.ts';
import { samplePush } from '../fixtures/pushes.ts';
import { createRandom, frozen, type Random } from './random.ts';

const RUNS = 2_000;
const AT = '2026-11-21T11:00:00.000Z';
const DUE = '2026-11-22T11:00:00.000Z';
const ACTIONS = ['override', 'approve', 'reject', 'delete', 'confirm', 'object'] as const;
const REVIEWER = { ...MANAGER, id: 'somebody-else' };

function anyRecord(random: Random): RfcRecord {
  const findings = ['a', 'b', 'c'].slice(random.number(4)).map((digit) => findingWith(digit));
  const fields = {
    rfc_id: 'RFC-1',
    overall_status: random.one(STATUSES),
    rev: random.number(5) + 1,
    risk_score: random.number(1_000) / 10,
    post_vcs_status: random.maybe(),
    commit_sha: random.one([null, 'c'.repeat(40)]),
  };
  const record = random.maybe()
    ? blockedRecord(fields, findings)
    : { ...blockedRecord(fields, findings), push: samplePush({ rfc_id: 'RFC-1' }).push };
  if (!random.maybe()) return record;
  const made = planned(record, { action: 'override', review_due_at: DUE });
  return made?.next ?? record;
}

function anyRequest(random: Random): Partial<DecisionRequest> {
  const action = random.one(ACTIONS);
  const isOverride = action === 'override';
  return {
    action,
    principal: random.one([MANAGER, REVIEWER]),
    accept_findings: isOverride && random.maybe(),
    ...(isOverride && random.maybe() ? { expires_at: DUE } : {}),
    ...(isOverride && random.maybe() ? { review_due_at: DUE } : {}),
    ...(random.maybe() ? { four_eyes: true as const } : {}),
    ...(random.maybe() ? { commit_sha: 'd'.repeat(40), repo_full_name: 'Org/Repo' } : {}),
  };
}

/** Null: it is refused. */
function planned(
  record: RfcRecord,
  overrides: Partial<DecisionRequest>,
  facts: Parameters<typeof planDecision>[3] = { rejected: null, overdue: null },
): DecisionPlan | null {
  const input = decisionOn(record, 'op-1', overrides);
  try {
    return planDecision({ record, json: JSON.stringify(record) }, input, 'op-1', facts);
  } catch (thrown) {
    if (thrown instanceof CraError && thrown.code !== 'INTERNAL') return null;
    throw thrown;
  }
}

/** Plans of random requests about random records, of which nothing can be changed. */
function* plans(): Generator<{ seed: number; plan: DecisionPlan }> {
  for (let seed = 0; seed < RUNS; seed += 1) {
    const random = createRandom(seed);
    const record = frozen(anyRecord(random));
    const plan = planned(record, frozen(anyRequest(random)));
    if (plan !== null) yield { seed, plan };
  }
}

test('planDecision moves a record on by one rev, with the decision, or deletes it', (t) => {
  const met = new Set<string>();
  for (const { seed, plan } of plans()) {
    const { record, next, request, acceptance, accepts } = plan;
    met.add(request.action);
    t.is(next === null, request.action === 'delete', `seed ${seed}`);
    if (accepts.length > 0) t.is(acceptance, 'add', `seed ${seed}`);
    if (next === null) continue;
    t.is(next.rev, record.rev + 1);
    t.not(next.overall_status, 'DRAFT');
    t.is(next.override_history.length, record.override_history.length + 1);
    t.like(next.override_history.at(-1), { decision_id: 'op-1', action: request.action });
  }
  t.deepEqual([...met].sort(), [...ACTIONS].sort());
});

test('what is kept of a deleted record names no package of its lockfiles', (t) => {
  const change = { name: 'acme-secret', from: null, to: '1.0.0', direct: true, required_by: null };
  const packages = [{ file: 'yarn.lock', ...change }];
  const record: RfcRecord = {
    ...blockedRecord({ rfc_id: 'RFC-1' }),
    dependencies: { added: 1, removed: 0, changed: 0, packages },
  };
  const kept = deletedRecord(record, AT);
  t.deepEqual(kept.dependencies, { added: 1, removed: 0, changed: 0, packages: [] });
  t.false(JSON.stringify(kept).includes('acme-secret'));
});

test('the entry of a decision tells what its plan does', (t) => {
  for (const { seed, plan } of plans()) {
    const { record, next, accepts } = plan;
    const { details, op_id, rfc_rev, phase } = decisionEvent(plan, 3);
    t.deepEqual([op_id, rfc_rev, phase], ['op-1', record.rev, 'whole'], `seed ${seed}`);
    t.like(details, {
      status_before: record.overall_status,
      status_after: next?.overall_status ?? null,
      accepted: accepts.length,
      withdrawn: 3,
    });
    t.is('record_sha256' in details, next === null);
    t.is('refusal_sha256' in details, next === null && refusalLeft(record, AT) !== null);
  }
});

test('an intent holds enough for the same answer as its plan', (t) => {
  for (const { seed, plan } of plans()) {
    const event = decisionEvent(plan, 0);
    const text = canonicalize({ ...event, details: { ...event.details, request_hash: 'h' } });
    const { replayed, ...output } = decisionOutput(plan, { chain: 'c', seq: 7 });
    t.false(replayed);
    t.deepEqual(outputOf(readIntent(text ?? ''), { chain: 'c', seq: 7 }), output, `seed ${seed}`);
  }
});

test('planDecision refuses another rev, and an emergency while a review is overdue', (t) => {
  const record = blockedRecord({ rfc_id: 'RFC-1', rev: 4 });
  const json = JSON.stringify(record);
  const input = decisionOn(record, 'op-1');
  const facts = { rejected: null, overdue: null };
  const stale = t.throws(() =>
    planDecision({ record, json }, { ...input, expectedRev: 3 }, 'op-1', facts),
  );
  t.like(stale, { code: 'ABORTED', details: { status: 'BLOCKED', rev: 4 } });
  const overdue = { rfc_id: 'RFC-0', due_at: DUE };
  const refused = t.throws(() =>
    planDecision({ record, json }, input, 'op-1', { ...facts, overdue }),
  );
  t.like(refused, { code: 'FAILED_PRECONDITION', details: overdue });
});

test('planDecision names the RFCs whose rejections it lifts', (t) => {
  const record = blockedRecord({ rfc_id: 'RFC-1', commit_sha: 'c'.repeat(40) });
  const rejected = [blockedRecord({ rfc_id: 'RFC-0', overall_status: 'REJECTED' })];
  const plan = planned(record, {}, { rejected, overdue: null });
  t.deepEqual(plan?.request.lifts, ['RFC-0']);
  t.deepEqual(plan?.next?.override_history.at(-1)?.lifts, ['RFC-0']);
  t.deepEqual(decisionEvent(plan as DecisionPlan, 0).details['lifts'], ['RFC-0']);
});

test('leftovers keep neither findings nor approvals', (t) => {
  for (let seed = 0; seed < RUNS; seed += 1) {
    const record = frozen(anyRecord(createRandom(seed)));
    const { refusal, status } = leftovers(record, AT);
    if (record.post_vcs_status) t.is(status?.host, record.push?.host ?? '', `seed ${seed}`);
    for (const left of [refusal, status?.record]) {
      if (!left) continue;
      t.is(left.rev, record.rev + 1, `seed ${seed}`);
      t.deepEqual(left.gates.risk.findings, []);
    }
    t.deepEqual(refusal?.override_history.filter(({ action }) => action !== 'reject') ?? [], []);
  }
});

test('requireSameRequest refuses an op_id that stands for another request', (t) => {
  const asked = decisionOn({ tenant_id: 'default', rfc_id: 'RFC-1' }, 'op-1');
  t.notThrows(() => requireSameRequest(asked, asked));
  for (const other of [{ tenant_id: 'x' }, { rfc_id: 'x' }, { request_hash: 'x' }]) {
    const refused = t.throws(() => requireSameRequest({ ...asked, ...other }, asked));
    t.like(refused, { code: 'ALREADY_EXISTS' });
  }
});
