import test, { type ExecutionContext } from 'ava';
import type { ComponentVerdict } from '../../../src/model/components.ts';
import { type RfcRecord, statusHost } from '../../../src/model/records.ts';
import type { RfcStatus } from '../../../src/model/rfc.ts';
import { createOutbox } from '../../../src/pushes/statuses/outbox.ts';
import { statusIntents } from '../../../src/pushes/statuses/post-record.ts';
import { fake } from '../../../src/rules/fake.ts';
import { startStatusHost } from '../../hosts/status-host.ts';
import { createSteppedClock } from '../../hosts/stepped-clock.ts';
import { accept, judged } from '../../store/conformance/push-steps.ts';
import { insert, NOW, read } from '../../store/conformance/steps.ts';
import { blockedRecord, decisionOn } from '../../store/fixtures/decisions.ts';
import { samplePush } from '../../store/fixtures/pushes.ts';
import { sampleFinding, sampleRecord } from '../../store/fixtures/records.ts';
import { openHarness } from '../../store/sqlite/harness.ts';
import { listLogger, TOKEN, vcsHost } from './outbox-house.ts';
import { decision, pushedRecord, shaOf } from './status-records.ts';

const REPO = 'acme/shop';

/** The outbox over a real SQLite store, and a host. */
async function open(t: ExecutionContext) {
  const clock = createSteppedClock(NOW);
  const harness = await openHarness(clock.now);
  t.teardown(() => harness.close());
  const host = await startStatusHost(t, { kind: 'gitlab', token: TOKEN });
  const start = (store: Pick<typeof harness.pushes, StatusMethods> = harness.pushes) => {
    const outbox = createOutbox({
      settings: {
        hosts: [vcsHost('hub', 'gitlab', host)],
        defaultHost: 'hub',
        adopt: 'baseline',
        judgesTags: false,
        sweepIntervalMs: 1,
        mirrorBytesMax: 1,
      },
      store,
      baseUrl: () => 'https://cra.example',
      components: () => [],
      freezes: async () => [],
      log: listLogger([]),
      clock,
    });
    outbox.start();
    return outbox;
  };
  return { clock, harness, host, start };
}

type StatusMethods = 'dueStatuses' | 'settleStatus' | 'decisionsOfCommit' | 'pushesOfCommit';

const states = (host: { taken: { state: string }[] }) => host.taken.map(({ state }) => state);

test('outbox on SQLite: a push has statuses from its arrival to its last decision', async (t) => {
  const { clock, harness, host, start } = await open(t);
  const { pushes, store, trail } = harness;
  const outbox = start();
  t.teardown(() => outbox.stop());
  const tell = async () => {
    await clock.idle();
    outbox.wake();
    await clock.advance(0);
  };
  const draft = samplePush({ rfc_id: 'RFC-1', repo_full_name: REPO });
  await accept(pushes, draft);
  await tell();
  t.deepEqual(states(host), ['pending']);
  const blocked = await judged(
    harness,
    { rfc_id: 'RFC-2', repo_full_name: REPO },
    {
      overall_status: 'BLOCKED',
    },
  );
  await tell();
  await trail.decide(decisionOn(blocked, 'op-1', { action: 'override' }));
  await tell();
  await trail.decide(decisionOn(blocked, 'op-2', { action: 'reject' }));
  await tell();
  t.deepEqual(states(host), ['pending', 'failed', 'success', 'failed']);
  t.is(host.taken[0]?.ref, 'main');
  await tell();
  t.is(host.requests, 4, 'and nothing twice');
  const { statuses_due } = await pushes.queueDepth(null);
  t.is(statuses_due, 0);
  t.is((await read(store, blocked)).overall_status, 'REJECTED');
});

test('outbox on SQLite: what is due survives a stop, and is posted once after it', async (t) => {
  const { clock, harness, host, start } = await open(t);
  await host.setFault('down');
  for (let index = 1; index <= 5; index += 1) {
    await judged(harness, {
      rfc_id: `RFC-${index}`,
      repo_full_name: REPO,
      ref: `refs/heads/b${index}`,
    });
  }
  const first = start();
  await clock.advance(60_000);
  await first.stop();
  t.is(host.taken.length, 0);
  await harness.reopen();
  await host.setFault('none');
  const second = start();
  await clock.advance(10_000);
  await second.stop();
  t.deepEqual(states(host), ['success', 'success', 'success', 'success', 'success']);
  t.is((await harness.pushes.queueDepth(null)).statuses_due, 0);
});

test('outbox on SQLite: a push that is superseded after its daemon died at the note is ended', async (t) => {
  const { clock, harness, host, start } = await open(t);
  const { pushes } = harness;
  const draft = samplePush({ rfc_id: 'RFC-1', repo_full_name: REPO });
  await accept(pushes, draft);
  // What follows the answer of the host is never written.
  const settleStatus: typeof pushes.settleStatus = async (input) => {
    if (host.taken.length > 0) throw new Error('killed');
    return await pushes.settleStatus(input);
  };
  const dying = start({ ...pushes, settleStatus });
  await clock.advance(0);
  await dying.stop();
  t.deepEqual(states(host), ['pending']);
  await harness.reopen();
  const { tenant_id, rfc_id, rev } = draft;
  const superseded = { tenant_id, pushes: [{ rfc_id, rev }], by: null, at: draft.updated_at };
  await harness.pushes.supersedePushes(superseded);
  const second = start();
  await clock.advance(0);
  await second.stop();
  t.deepEqual(states(host), ['pending', 'canceled']);
});

test('outbox on SQLite: a rejection takes the green of a pinned approval away', async (t) => {
  const { clock, harness, host, start } = await open(t);
  const record = sampleRecord({ rfc_id: 'RFC-1', repo_name: REPO });
  await insert(harness.store, record);
  const pin = { commit_sha: 'a'.repeat(40), repo_full_name: REPO };
  await harness.trail.decide(decisionOn(record, 'op-1', { action: 'approve', ...pin }));
  const outbox = start();
  t.teardown(() => outbox.stop());
  await clock.idle();
  t.is(host.stateOf(REPO, pin.commit_sha), 'success');
  await harness.trail.decide(decisionOn(record, 'op-2', { action: 'reject' }));
  outbox.wake();
  await clock.advance(0);
  t.is(host.stateOf(REPO, pin.commit_sha), 'failed');
});

test('outbox on SQLite: the commit of a rejected RFC does not stay green', async (t) => {
  const { clock, harness, host, start } = await open(t);
  const { store, trail } = harness;
  const commit_sha = 'b'.repeat(40);
  const named = { repo_name: REPO, repo_full_name: REPO, commit_sha, post_vcs_status: true };
  const outbox = start();
  t.teardown(() => outbox.stop());
  const tell = async () => {
    await clock.idle();
    outbox.wake();
    await clock.advance(0);
  };
  const bad = blockedRecord({ rfc_id: 'RFC-1', ...named });
  await insert(store, bad);
  const harmless = sampleRecord({ rfc_id: 'RFC-2', ...named });
  await insert(store, harmless);
  await tell();
  t.is(host.stateOf(REPO, commit_sha), 'success', 'the newer one speaks for the commit');
  const at = (minute: number) => ({ at: `2026-11-21T11:0${minute}:00.000Z` });
  await trail.decide(decisionOn(bad, 'op-1', { action: 'reject', ...at(1) }));
  await tell();
  t.is(host.stateOf(REPO, commit_sha), 'failed');
  await insert(store, sampleRecord({ rfc_id: 'RFC-3', ...named }));
  await tell();
  t.is(host.stateOf(REPO, commit_sha), 'failed', 'a harmless diff does not clear it');
  await trail.decide(decisionOn(bad, 'op-2', { action: 'delete' }));
  await insert(store, sampleRecord({ rfc_id: 'RFC-4', ...named }));
  await tell();
  t.is(host.stateOf(REPO, commit_sha), 'failed', 'nor does the deletion');
  const last = sampleRecord({ rfc_id: 'RFC-5', ...named });
  await insert(store, last);
  await trail.decide(decisionOn(last, 'op-3', { action: 'approve', ...at(2) }));
  await tell();
  t.is(host.stateOf(REPO, commit_sha), 'success');
});

const BASE = 'https://cra.example';
const FACTS = { isOutdated: false, isDeleted: false, baseUrl: BASE };

function shown(record: RfcRecord, isOutdated = false) {
  const { statuses, problem } = statusIntents(record, { ...FACTS, isOutdated });
  return { problem, list: statuses.map(({ repo, sha, state }) => [repo, sha, state]) };
}

const STATES: [RfcStatus, string, string][] = [
  ['DRAFT', 'pending', 'the analysis has not ended'],
  ['PASSED', 'success', '0 critical, 0 high, score 12'],
  ['OVERRIDDEN', 'success', '0 critical, 0 high, score 12, overridden'],
  ['APPROVED', 'success', '0 critical, 0 high, score 12, approved'],
  ['BLOCKED', 'failure', '0 critical, 0 high, score 12; what to do: see the details'],
  ['REJECTED', 'failure', '0 critical, 0 high, score 12, rejected'],
  ['SUPERSEDED', 'error', 'superseded by a newer push'],
];

for (const [overall_status, state, description] of STATES) {
  test(`statusIntents: ${overall_status} is ${state}`, (t) => {
    const { statuses } = statusIntents(pushedRecord(1, { overall_status }), FACTS);
    t.deepEqual(statuses, [
      {
        repo: 'acme/shop',
        sha: shaOf(1),
        branch: 'main',
        state,
        description,
        targetUrl: `${BASE}/cra#approve-RFC-1`,
      } as const,
    ] as typeof statuses);
  });
}

test('statusIntents says nothing of a tag before its verdict: it may name something else than a commit', (t) => {
  const tag = { ref: 'refs/tags/v1', branch: 'refs/tags/v1' };
  t.deepEqual(shown(pushedRecord(1, { ...tag, overall_status: 'DRAFT' })).list, []);
  t.is(shown(pushedRecord(1, { ...tag, overall_status: 'BLOCKED' })).list.length, 1);
});

test('statusIntents: each component that a push touches has a status, failures first', (t) => {
  const part = (id: string, status: ComponentVerdict['status'], same_as: string | null = null) => ({
    id,
    status,
    risk_score: 9,
    findings: [],
    findings_total: 1,
    base: null,
    same_as,
  });
  const many = Array.from({ length: 30 }, (_, n) => part(`ok-${n}`, 'PASSED'));
  const components = [part('old', 'BLOCKED', 'RFC-0'), ...many, part('pay', 'BLOCKED')];
  const record = pushedRecord(1, { overall_status: 'BLOCKED', components });
  const { statuses } = statusIntents(record, FACTS);
  t.is(statuses.length, 21);
  t.like(statuses[1], {
    component: 'pay',
    sha: shaOf(1),
    state: 'failure',
    description: '1 finding, score 9; what to do: see the details',
  });
  t.like(statuses[2], { component: 'ok-0', state: 'success' });
  t.false(
    statuses.some(({ component }) => component === 'old'),
    'nothing of it was touched',
  );
  t.is(statusIntents({ ...record, overall_status: 'DRAFT' }, FACTS).statuses.length, 1);
});

test('statusIntents: a deleted RFC that had passed is an error at its commit', (t) => {
  const { statuses } = statusIntents(pushedRecord(1), { ...FACTS, isDeleted: true });
  t.like(statuses[0], { sha: shaOf(1), state: 'error', description: 'the RFC was deleted' });
});

for (const [name, forced, expected] of [
  ['commit', { commit_sha: shaOf(9), repo_full_name: null }, ['acme/shop', shaOf(9), 'success']],
  [
    'repository',
    { commit_sha: null, repo_full_name: 'acme/live' },
    ['acme/live', shaOf(1), 'success'],
  ],
] as const) {
  test(`an approval that names the ${name} alone takes the rest from the RFC`, (t) => {
    const record = pushedRecord(1, {
      overall_status: 'APPROVED',
      post_vcs_status: false,
      override_history: [decision({ ...forced, action: 'approve' })],
    });
    t.is(statusHost(record), '');
    t.deepEqual(shown(record), { problem: null, list: [[...expected]] });
  });
}

test('statusIntents counts what is not suppressed, and quotes nothing', (t) => {
  const secret = fake('ghp_', 36);
  const finding = (severity: 'critical' | 'high', isSuppressed: boolean) => ({
    ...sampleFinding(1),
    severity,
    message: secret,
    excerpt: secret,
    suppressed: isSuppressed ? { by: 'ann', reason: secret } : null,
  });
  const record = pushedRecord(1, { overall_status: 'BLOCKED', risk_score: 87 });
  record.gates = {
    risk: { ...record.gates.risk, findings: [finding('critical', false), finding('high', true)] },
    ast: { ...record.gates.ast, findings: [finding('high', false), finding('high', false)] },
    llm: record.gates.llm,
  };
  const { statuses } = statusIntents(record, FACTS);
  t.is(statuses[0]?.description, '1 critical, 2 high, score 87; what to do: see the details');
  const warned = { ...finding('high', true), suppressed: { by: 'mode warn', reason: secret } };
  const risk = { ...record.gates.risk, findings: [warned], suppressed_count: 3 };
  const beside = statusIntents({ ...record, gates: { ...record.gates, risk } }, FACTS);
  t.is(
    beside.statuses[0]?.description,
    `0 critical, 2 high, 1 warning, 2 suppressed, score 87; what to do: see the details`,
  );
  // A record of before the gates counted what is suppressed.
  for (const gate of [record.gates.risk, record.gates.ast, record.gates.llm]) {
    Reflect.deleteProperty(gate, 'suppressed_count');
  }
  const old = statusIntents(record, FACTS).statuses[0]?.description;
  t.is(old, '1 critical, 2 high, score 87; what to do: see the details');
  t.false(JSON.stringify(statuses).includes(secret));
});

const PINNED = { commit_sha: shaOf(9), repo_full_name: 'acme/live' };

test('statusIntents: a pinned approval is green at its commit alone', (t) => {
  const record = pushedRecord(1, {
    overall_status: 'APPROVED',
    override_history: [decision(PINNED)],
  });
  t.deepEqual(shown(record).list, [
    ['acme/shop', shaOf(1), 'failure'],
    ['acme/live', shaOf(9), 'success'],
  ]);
  const quiet = { ...record, post_vcs_status: false };
  t.deepEqual(shown(quiet).list, [['acme/live', shaOf(9), 'success']]);
  t.is(statusHost(quiet), '', 'the decision itself asks for the status');
});

test('statusIntents: a rejection takes the green of a pinned approval away', (t) => {
  const record = pushedRecord(1, {
    overall_status: 'REJECTED',
    post_vcs_status: false,
    override_history: [decision(PINNED), decision({ action: 'reject' })],
  });
  t.is(statusHost(record), '', 'it is due also though the rejection names no commit');
  t.deepEqual(shown(record).list, [['acme/live', shaOf(9), 'failure']]);
});

test('statusIntents: pinned to its own commit in whatever case is one status', (t) => {
  const record = pushedRecord(0xabc, { overall_status: 'OVERRIDDEN' });
  record.override_history = [decision({ commit_sha: shaOf(0xabc).toUpperCase() })];
  t.deepEqual(shown(record).list, [['acme/shop', shaOf(0xabc), 'success']]);
});

test('statusIntents says nothing at the commit of an outdated record', (t) => {
  t.deepEqual(shown(pushedRecord(1), true), { list: [], problem: null });
  const pinned = pushedRecord(1, {
    overall_status: 'APPROVED',
    override_history: [decision(PINNED)],
  });
  t.deepEqual(shown(pinned, true).list, [['acme/live', shaOf(9), 'success']]);
});

const BAD: [string, Partial<RfcRecord>][] = [
  ['no commit', { commit_sha: null }],
  ['a short commit', { commit_sha: 'abc1234' }],
  ['a path as commit', { commit_sha: `../../${'a'.repeat(34)}` }],
  ['no repository', { repo_full_name: null }],
  ['a path as repository', { repo_full_name: 'acme/../admin' }],
  ['a query as repository', { repo_full_name: 'acme/shop?x=' }],
  ['a URL as repository', { repo_full_name: 'https://evil.example/a/b' }],
];

for (const [title, over] of BAD) {
  test(`statusIntents refuses ${title}`, (t) => {
    const { list, problem } = shown(pushedRecord(1, over));
    t.deepEqual(list, []);
    t.regex(problem ?? '', /^the RFC names no (?:commit|repository)/);
  });
}
