import test, { type ExecutionContext } from 'ava';
import { PIPELINE } from '../../src/analysis/limits.ts';
import { STATUS_REPORT } from '../../src/http/api/status.ts';
import type { StatusCode } from '../../src/model/errors.ts';
import { createProblemFinder } from '../../src/model/validate.ts';
import { createStatusReport, type PushesState } from '../../src/telemetry/status.ts';
import { failure } from '../decisions/services.ts';
import { NOW } from '../store/conformance/steps.ts';
import { openHarness } from '../store/sqlite/harness.ts';

const PUSHES_STATE: PushesState = {
  state: 'up',
  waiting: 12,
  oldest_seconds: 3,
  running: 2,
  webhooks_ignored: 0,
  statuses_due: 1,
  statuses_posted: 40,
  statuses_failed: 0,
  landed_blocked: 0,
  coverage: { covered: 0, gap: 0, unknown: 0 },
  hosts: [
    {
      id: 'hub',
      provider: 'github',
      state: 'limited',
      error: 'asked to wait',
      posted: 40,
      failed: 0,
    },
  ],
};

const LATER = { running: 1, queued: 4 };

const POOL = { alive: 2, replaced: 4, childPids: () => [11, 12] };

type Options = Parameters<typeof createStatusReport>[0];

const NO_MODELS: Options['reviewer'] = {
  isConfigured: false,
  waiting: 0,
  oldestMs: 0,
  tiers: () => [],
  spent: async () => ({ day: null, month: null, budgets: { day: null, month: null }, tiers: [] }),
};

async function openReport(t: ExecutionContext, over: Partial<Options> = {}) {
  const { store, trail, close } = await openHarness(() => NOW);
  t.teardown(() => close());
  return createStatusReport({
    version: '1.2.3',
    startedAt: new Date(NOW).toISOString(),
    driver: 'sqlite',
    store,
    trail,
    admission: { running: 1, waiting: 0, oldestMs: 0 },
    draftsHere: () => 1,
    pushes: () => PUSHES_STATE,
    git: () => ({ state: 'up', version: '2.39.5' }),
    events: () => [],
    threads: 2,
    pool: POOL,
    rules: () => ({ number: 5, revision: 'r', built_in: false, problems: [], warnings: [] }),
    reviewer: NO_MODELS,
    laterReviews: { depth: async () => LATER },
    issuer: null,
    ...over,
  });
}

test('the report shows each part, and fits its schema', async (t) => {
  const report = await (await openReport(t))();
  t.deepEqual(createProblemFinder(STATUS_REPORT, 'status')(report), []);
  t.like(report, {
    version: '1.2.3',
    store: { state: 'up', driver: 'sqlite', error: null },
    audit: { state: 'up', worm: 'tamper-evident' },
    git: { state: 'up', version: '2.39.5' },
    queue: { state: 'up', running: 1, waiting: 0, oldest_seconds: 0, drafts: 1 },
    pool: { state: 'up', threads: 2, alive: 2, busy: 1, replaced: 4, children: 2 },
    oidc: { state: 'not configured' },
    rules: { state: 'up', number: 5 },
    llm: { state: 'not configured', spent_today_usd: null, tiers: [] },
    object_storage: { state: 'not configured', last_sealed_at: null, behind: null },
    emergencies: { due: 0, overdue: 0 },
  });
});

const BROKEN: [StatusCode, 'down' | 'full'][] = [
  ['UNAVAILABLE', 'down'],
  ['DEADLINE_EXCEEDED', 'down'],
  ['INTERNAL', 'down'],
  ['RESOURCE_EXHAUSTED', 'full'],
];
for (const [code, state] of BROKEN) {
  test(`a store that answers ${code} is ${state}, and the rest is still reported`, async (t) => {
    const ping = () => Promise.reject(failure(code));
    const report = await (await openReport(t, { store: { ping } }))();
    t.deepEqual(createProblemFinder(STATUS_REPORT, 'status')(report), []);
    t.deepEqual(report.store, { state, driver: 'sqlite', error: 'the store says no' });
    t.is(report.audit.state, 'up');
  });
}

test('a trail that does not answer is down with the reason', async (t) => {
  const auditStatus = () => Promise.reject(failure('UNAVAILABLE'));
  const trail = { auditStatus, countEmergencies: auditStatus };
  const report = await (await openReport(t, { trail }))();
  t.deepEqual(createProblemFinder(STATUS_REPORT, 'status')(report), []);
  t.deepEqual(report.audit, { state: 'down', problems: ['the store says no'] });
  t.deepEqual(report.emergencies, { due: null, overdue: null });
});

test('rules that were not taken up are down with what is wrong, while older ones are in force', async (t) => {
  const rules = () => ({
    number: 1,
    revision: 'r',
    built_in: false,
    problems: ['rules file x: no'],
    warnings: [],
  });
  const report = await (await openReport(t, { rules }))();
  t.deepEqual(report.rules, {
    state: 'down',
    number: 1,
    revision: 'r',
    built_in: false,
    problems: ['rules file x: no'],
    warnings: [],
  });
});

const ADMISSION = { running: 2, waiting: 1, oldestMs: 1_400 };
const REFUSING = { ...ADMISSION, waiting: PIPELINE.ADMISSION_QUEUE_MAX };
const PARTS: [title: string, over: Partial<Options>, part: object][] = [
  ['all threads are busy, and a job waits', { admission: ADMISSION }, { pool: { state: 'full' } }],
  [
    'a job waits, and more may',
    { admission: ADMISSION },
    { queue: { state: 'up', waiting: 1, oldest_seconds: 1 } },
  ],
  ['no more may wait', { admission: REFUSING }, { queue: { state: 'full' } }],
  ['a thread is gone', { pool: { ...POOL, alive: 1 } }, { pool: { state: 'down', alive: 1 } }],
  ['no thread is left', { pool: { ...POOL, alive: 0 } }, { queue: { state: 'down' } }],
  ['the issuer gives its keys', { issuer: async () => true }, { oidc: { state: 'up' } }],
  ['the issuer does not', { issuer: async () => false }, { oidc: { state: 'down' } }],
  ['the issuer hangs', { issuer: () => new Promise(() => undefined) }, { oidc: { state: 'down' } }],
  [
    'half of the budget of the day is used',
    {
      reviewer: {
        isConfigured: true,
        waiting: 3,
        oldestMs: 2_000,
        tiers: () => [],
        spent: async () => ({ day: 5, month: 5, budgets: { day: 10, month: null }, tiers: [] }),
      },
    },
    {
      llm: { waiting: 3, oldest_seconds: 2, later: LATER, budget_used: { day: 0.5, month: null } },
    },
  ],
];
for (const [title, over, part] of PARTS) {
  test(`the report shows the state of now: ${title}`, async (t) => {
    const report = await (await openReport(t, over))();
    t.deepEqual(createProblemFinder(STATUS_REPORT, 'status')(report), []);
    t.like(report, part);
  });
}
