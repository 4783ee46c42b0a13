import { createHash } from 'node:crypto';
import type { DecisionAction } from '../../../src/model/decision.ts';
import type { Principal } from '../../../src/model/principal.ts';
import { nextStatus, type RfcStatus, STATUSES } from '../../../src/model/rfc.ts';
import { blockedRecord, decisionOn, findingWith, MANAGER } from '../fixtures/decisions.ts';
import { outcomeOf, recordText, sampleDraft, sampleRecord } from '../fixtures/records.ts';
import { type Check, fails, idOf, insert, list, read } from './steps.ts';

const ACTIONS: readonly DecisionAction[] = ['override', 'approve', 'reject', 'delete'];

export function checkDecisions(check: Check): void {
  checkTransitions(check);
  checkRepeats(check);

  check('decide writes decision, summary and entry', async (t, { store, trail, entries }) => {
    const record = blockedRecord({ rfc_id: 'RFC-1' }, [
      findingWith('a'),
      findingWith('b', { suppressed: { by: 'cra-ignore', reason: 'test' } }),
    ]);
    await insert(store, record);
    const pin = { commit_sha: 'c'.repeat(40), repo_full_name: 'org/repo' };
    const answer = await trail.decide(decisionOn(record, 'op-1', pin));
    const decision = {
      decision_id: 'op-1',
      action: 'override' as const,
      principal: MANAGER,
      actor: 'Alice A.',
      reason: 'incident 7',
      at: '2026-11-21T11:00:00.000Z',
      ...pin,
    };
    const { audit, ...rest } = answer;
    t.deepEqual(rest, {
      rfc_id: 'RFC-1',
      overall_status: 'OVERRIDDEN',
      decision,
      repo_name: 'Org/Repo',
      replayed: false,
    });
    t.deepEqual(await read(store, record), {
      ...record,
      overall_status: 'OVERRIDDEN',
      override: { actor: 'Alice A.', reason: 'incident 7' },
      override_history: [decision],
      updated_at: decision.at,
      rev: 2,
    });
    const { summaries } = await list(store, { status: 'OVERRIDDEN' });
    t.deepEqual(summaries[0]?.override, { actor: 'Alice A.', reason: 'incident 7' });
    t.deepEqual((await list(store, { status: 'BLOCKED' })).summaries, []);
    const written = (await entries()).filter(({ op_id }) => op_id === 'op-1');
    const entry = written.at(-1);
    t.deepEqual([entry?.chain, entry?.kind, entry?.rfc_id], [audit.chain, 'override', 'RFC-1']);
    t.deepEqual([entry?.principal, entry?.actor], [MANAGER, 'Alice A.']);
    t.deepEqual([entry?.rfc_rev, entry?.repo_name], [1, 'Org/Repo']);
    t.like(written[0], {
      reason: 'incident 7',
      details: {
        status_before: 'BLOCKED',
        status_after: 'OVERRIDDEN',
        rev: 2,
        risk_score: 13,
        diff_hash: record.diff_hash,
        ...pin,
        accepted: 0,
        findings: [{ id: 'secret-example', fingerprint: 'a'.repeat(64) }],
        findings_count: 1,
      },
    });
  });

  check('decide: unknown ids and ids of other tenants are NOT_FOUND', async (t, harness) => {
    const { store, trail } = harness;
    const record = blockedRecord({ rfc_id: 'RFC-1' });
    await insert(store, record);
    for (const action of ACTIONS) {
      const foreign = { tenant_id: 'other', rfc_id: 'RFC-1' };
      await fails(t, trail.decide(decisionOn(foreign, `f-${action}`, { action })), 'NOT_FOUND');
      const unknown = { tenant_id: 'default', rfc_id: 'RFC-2' };
      await fails(t, trail.decide(decisionOn(unknown, `u-${action}`, { action })), 'NOT_FOUND');
    }
    t.deepEqual(await read(store, record), record);
  });

  check('decide works on texts that have no canonical JSON', async (t, { store, trail }) => {
    const record = blockedRecord({ rfc_id: 'RFC-1', repo_name: 'a\ud800/\0' });
    await insert(store, record);
    await trail.decide(decisionOn(record, 'op-1', { reason: 'b\udfff', actor: '\ud800' }));
    t.is((await read(store, record)).overall_status, 'OVERRIDDEN');
  });
}

function checkRepeats(check: Check): void {
  check('decide keeps the earlier decisions beside a later one', async (t, { store, trail }) => {
    const record = blockedRecord({ rfc_id: 'RFC-1' });
    await insert(store, record);
    const first = await trail.decide(decisionOn(record, 'op-1'));
    const later = await trail.decide(decisionOn(record, 'op-2', { action: 'reject' }));
    const { override, override_history } = await read(store, record);
    t.deepEqual(override_history, [first.decision, later.decision]);
    t.is(override, null);
  });

  checkRevs(check);
  check('decide again with the same op_id answers what it did', async (t, harness) => {
    const { store, trail, entries } = harness;
    const record = blockedRecord({ rfc_id: 'RFC-1' });
    await insert(store, record);
    const override = decisionOn(record, 'op-1');
    const first = await trail.decide(override);
    await trail.decide(decisionOn(record, 'op-2', { action: 'reject' }));
    t.deepEqual(await trail.decide(override), { ...first, replayed: true });
    await harness.reopen();
    t.deepEqual(await harness.trail.decide(override), { ...first, replayed: true });
    t.is((await read(harness.store, record)).overall_status, 'REJECTED');
    const other = decisionOn(record, 'op-1', { reason: 'another' });
    await fails(t, harness.trail.decide(other), 'ALREADY_EXISTS');
    const kinds = (await entries()).filter(({ rfc_id }) => rfc_id === 'RFC-1');
    t.deepEqual([...new Set(kinds.map(({ kind }) => kind))], ['override', 'reject']);
  });

  check('decide takes an op_id for one RFC and one tenant', async (t, { store, trail }) => {
    const one = blockedRecord({ rfc_id: 'RFC-1' });
    const two = blockedRecord({ rfc_id: 'RFC-2' });
    const foreign = blockedRecord({ rfc_id: 'RFC-3', tenant_id: 'other' });
    for (const record of [one, two, foreign]) await insert(store, record);
    await trail.decide(decisionOn(one, 'op-1'));
    await fails(t, trail.decide(decisionOn(two, 'op-1')), 'ALREADY_EXISTS');
    await fails(t, trail.decide(decisionOn(foreign, 'op-1')), 'ALREADY_EXISTS');
    t.is((await read(store, two)).overall_status, 'BLOCKED');
    t.is((await read(store, foreign)).overall_status, 'BLOCKED');
  });
}

function checkRevs(check: Check): void {
  check('decide refuses a record that has another rev than expected', async (t, stores) => {
    const { store, trail } = stores;
    const record = blockedRecord({ rfc_id: 'RFC-1' }, [findingWith('a')]);
    await insert(store, record);
    for (const action of ['override', 'delete'] as const) {
      const asked = decisionOn(record, `op-${action}`, { action });
      const error = await fails(t, trail.decide({ ...asked, expectedRev: 2 }), 'ABORTED');
      t.like(error?.details, { status: 'BLOCKED', rev: 1 });
    }
    t.is((await read(store, record)).rev, 1);
    const answer = await trail.decide({ ...decisionOn(record, 'op-2'), expectedRev: 1 });
    t.is(answer.overall_status, 'OVERRIDDEN');
    const repeated = await trail.decide({ ...decisionOn(record, 'op-2'), expectedRev: 1 });
    t.true(repeated.replayed);
  });
}

function checkTransitions(check: Check): void {
  checkPins(check);
  checkFourEyes(check);
  for (const status of STATUSES) {
    for (const action of ACTIONS) checkTransition(check, status, action);
  }
}

/** One cell of the transition table. */
function checkTransition(check: Check, status: RfcStatus, action: DecisionAction): void {
  check(`decide: ${action} of ${status}`, async (t, { store, trail }) => {
    const record = sampleRecord({ rfc_id: 'RFC-1', overall_status: status, rev: 7 });
    await insert(store, record);
    const call = trail.decide(decisionOn(record, 'op-1', { action }));
    if (action === 'delete') {
      t.like(await call, { overall_status: null, decision: null });
      await fails(t, store.getRfc(idOf(record)), 'NOT_FOUND');
      return;
    }
    const next = nextStatus(status, action);
    if (next === null) {
      const error = await fails(t, call, 'ABORTED');
      t.deepEqual(error?.details, { status, rev: 7 });
      t.deepEqual(await read(store, record), record);
      return;
    }
    t.is((await call).overall_status, next);
    t.like(await read(store, record), { overall_status: next, rev: 8 });
  });
}

export function checkDeletions(check: Check): void {
  check('decide: a deletion leaves a digest and its answer', async (t, harness) => {
    const { store, trail, entries } = harness;
    const record = blockedRecord({ rfc_id: 'RFC-1' });
    await insert(store, record);
    const deletion = decisionOn(record, 'op-1', { action: 'delete' });
    const first = await trail.decide(deletion);
    t.is(first.repo_name, 'Org/Repo');
    await fails(t, store.getRfc(idOf(record)), 'NOT_FOUND');
    await fails(t, store.getDiff(idOf(record)), 'NOT_FOUND');
    t.deepEqual((await list(store, {})).summaries, []);
    const entry = (await entries()).find(({ op_id }) => op_id === 'op-1');
    t.like(entry, {
      kind: 'delete',
      repo_name: 'Org/Repo',
      details: {
        status_before: 'BLOCKED',
        status_after: null,
        diff_hash: record.diff_hash,
        record_sha256: createHash('sha256').update(JSON.stringify(record)).digest('hex'),
      },
    });
    t.deepEqual(await trail.decide(deletion), { ...first, replayed: true });
    const again = decisionOn(record, 'op-2', { action: 'delete' });
    await fails(t, trail.decide(again), 'NOT_FOUND');
  });

  check('a draft that was rejected or deleted takes no outcome', async (t, { store, trail }) => {
    const drafts = ['RFC-1', 'RFC-2'].map((rfc_id) => sampleDraft({ rfc_id }));
    for (const draft of drafts) await insert(store, draft);
    const [one, two] = drafts as [(typeof drafts)[0], (typeof drafts)[0]];
    await trail.decide(decisionOn(one, 'op-1', { action: 'reject' }));
    await trail.decide(decisionOn(two, 'op-2', { action: 'delete' }));
    t.deepEqual((await store.listDrafts({ limit: 10 })).drafts, []);
    const complete = (draft: typeof one) =>
      store.completeDraft({ record: recordText(outcomeOf(draft)), expectedRev: 1 });
    await fails(t, complete(one), 'ABORTED');
    await fails(t, complete(two), 'NOT_FOUND');
    await fails(t, store.startAttempt({ ...idOf(one), expectedRev: 1 }), 'ABORTED');
    await fails(t, store.startAttempt({ ...idOf(two), expectedRev: 1 }), 'NOT_FOUND');
    t.like(await read(store, one), { overall_status: 'REJECTED', queue: null });
  });
}

/** Where nobody lets a change of their own pass; by whom it was submitted, by whom decided. */
function checkFourEyes(check: Check): void {
  const person = (id: string, email?: string): Principal => ({
    id,
    name: null,
    credential: 'session',
    role: 'admin',
    tenant_id: 'default',
    ...(email === undefined ? {} : { email }),
  });
  const host = (email?: string): Principal => ({
    ...person('webhook:hub', email),
    credential: 'webhook',
  });
  const token: Principal = { ...person('api-token:x'), credential: 'api-token' };
  const ann = person('ann', 'ann@example.com');
  const CASES: [submitter: Principal, approver: Principal, says: RegExp | null][] = [
    [ann, person('bob'), null],
    [ann, { ...ann, credential: 'oidc' }, /your own/],
    [ann, person('ann-2', 'Ann@Example.com'), /your own/],
    [host('ann@example.com'), person('bob', 'bob@example.com'), null],
    [host('ANN@example.com'), ann, /your own/],
    [host('ann@example.com'), person('bob'), /no e-mail/],
    [host(), ann, /not known who submitted/],
    [token, ann, /not known who submitted/],
    [ann, { ...token, credential: 'override-token' }, /names no person/],
  ];

  check('decide with four eyes refuses who decides about an own change', async (t, harness) => {
    const { store, trail, entries } = harness;
    for (const [index, [submitted_by, principal, says]] of CASES.entries()) {
      const record = blockedRecord({ rfc_id: `RFC-${index}`, submitted_by });
      await insert(store, record);
      const asked = { principal, four_eyes: true } as const;
      const decision = trail.decide(decisionOn(record, `op-${index}`, asked));
      if (says === null) {
        t.is((await decision).overall_status, 'OVERRIDDEN');
        continue;
      }
      const error = await fails(t, decision, 'PERMISSION_DENIED');
      t.regex(error?.message ?? '', says);
      t.is((await read(store, record)).overall_status, 'BLOCKED');
      const reject = decisionOn(record, `reject-${index}`, { ...asked, action: 'reject' });
      t.is((await trail.decide(reject)).overall_status, 'REJECTED');
    }
    const overrides = (await entries()).filter(({ kind }) => kind === 'override');
    const outcomes = overrides.filter(({ phase }) => phase !== 'intent');
    t.deepEqual(outcomes.map(({ rfc_id }) => rfc_id).sort(), ['RFC-0', 'RFC-3']);
  });
}

/** A commit status needs a commit and a repository: what the decision leaves out, the RFC has. */
function checkPins(check: Check): void {
  check('decide refuses a pin without its other half, and changes nothing', async (t, harness) => {
    const { store, trail, entries } = harness;
    const commit_sha = 'c'.repeat(40);
    const repo_full_name = 'org/repo';
    const cases = [
      { has: {}, asks: { commit_sha }, field: 'force_repo_full_name' },
      { has: {}, asks: { repo_full_name }, field: 'force_commit_sha' },
      { has: { repo_full_name }, asks: { commit_sha }, field: null },
      { has: { commit_sha }, asks: { repo_full_name }, field: null },
      { has: {}, asks: { commit_sha, repo_full_name }, field: null },
    ];
    for (const [index, { has, asks, field }] of cases.entries()) {
      const record = blockedRecord({ rfc_id: `RFC-${index}`, ...has });
      await insert(store, record);
      const decision = trail.decide(decisionOn(record, `op-${index}`, asks));
      if (field === null) {
        t.is((await decision).overall_status, 'OVERRIDDEN');
        continue;
      }
      const error = await fails(t, decision, 'INVALID_ARGUMENT');
      t.is(error?.details['field'], field);
      t.is((await read(store, record)).overall_status, 'BLOCKED');
    }
    const ids = (await entries()).map(({ rfc_id }) => rfc_id);
    t.false(ids.includes('RFC-0') || ids.includes('RFC-1'));
  });
}

export function checkDecisionRaces(check: Check): void {
  check('decide: of 50 racing decisions exactly one wins', async (t, harness) => {
    const { store, trail, entries } = harness;
    const record = blockedRecord({ rfc_id: 'RFC-1' });
    await insert(store, record);
    const inputs = Array.from({ length: 50 }, (_, n) =>
      decisionOn(record, `op-${n}`, { actor: `actor ${n}` }),
    );
    const results = await Promise.allSettled(inputs.map((input) => trail.decide(input)));
    const codes = results.map((result) =>
      result.status === 'fulfilled'
        ? 'won'
        : `${result.reason.code} ${result.reason.details.status}`,
    );
    t.is(codes.filter((code) => code === 'won').length, 1);
    t.is(codes.filter((code) => code === 'ABORTED OVERRIDDEN').length, 49);
    const winner = codes.indexOf('won');
    t.is((await read(store, record)).override?.actor, `actor ${winner}`);
    const done = (await entries()).filter(
      ({ rfc_id, phase }) => rfc_id !== null && (phase === 'whole' || phase === 'done'),
    );
    t.deepEqual(
      done.map(({ op_id }) => op_id),
      [`op-${winner}`],
    );
  });

  check('decide: of 20 calls with one op_id one does it, all answer it', async (t, harness) => {
    const { store, trail } = harness;
    const record = blockedRecord({ rfc_id: 'RFC-1' });
    await insert(store, record);
    const calls = Array.from({ length: 20 }, () => trail.decide(decisionOn(record, 'op-1')));
    const answers = await Promise.all(calls);
    t.is(answers.filter(({ replayed }) => !replayed).length, 1);
    for (const answer of answers)
      t.deepEqual({ ...answer, replayed: false }, { ...answers[0], replayed: false });
    t.is((await read(store, record)).override_history.length, 1);
  });
}
