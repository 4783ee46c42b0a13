import test, { type ExecutionContext } from 'ava';
import { settleHeld } from '../../src/analysis/awaited-reports.ts';
import { createRedact, type ScanAccess } from '../../src/analysis/job.ts';
import { createLateReports } from '../../src/analysis/late-reports.ts';
import { createDrafts, type PipelineOptions } from '../../src/analysis/pipeline.ts';
import { createWaiters } from '../../src/analysis/read-rfcs.ts';
import { createAdmission } from '../../src/analysis/scan-pool.ts';
import { CraError } from '../../src/model/errors.ts';
import { type RfcRecord, recordText, summarise } from '../../src/model/records.ts';
import type { AnalysisOutcome, SettleReportsInput } from '../../src/rpc/contract.ts';
import { createRulesDryRun, type DryRunOptions, dryRun } from '../../src/rulebook/rules-dry-run.ts';
import { NO_REVIEWER } from '../pushes/fake-analysis.ts';
import { MANAGER } from '../store/fixtures/decisions.ts';
import { sampleDraft, sampleRecord } from '../store/fixtures/records.ts';

const LONG_MS = 60_000;

test('createWaiters wakes all who wait for an RFC and nobody else', async (t) => {
  const waiters = createWaiters();
  let others = 0;
  const other = waiters.wait('b', LONG_MS, null).then(() => {
    others += 1;
  });
  const waiting = [waiters.wait('a', LONG_MS, null), waiters.wait('a', LONG_MS, null)];
  waiters.wake('a');
  await Promise.all(waiting);
  t.is(others, 0);
  waiters.close();
  await other;
  await waiters.wait('b', LONG_MS, null);
});

test('createWaiters ends a wait by time and by signal', async (t) => {
  const waiters = createWaiters();
  await waiters.wait('a', 1, null);
  const abort = new AbortController();
  const waiting = waiters.wait('a', LONG_MS, abort.signal);
  abort.abort();
  await waiting;
  await waiters.wait('a', LONG_MS, AbortSignal.abort());
  t.pass();
});

/** The background part over a store and an analysis that only wait to be told to stop. */
function createStuck() {
  const admission = createAdmission(1);
  const waiters = createWaiters();
  const problems: string[] = [];
  let started: (signal: AbortSignal) => void = () => undefined;
  const running = new Promise<AbortSignal>((resolve) => {
    started = resolve;
  });
  const options = {
    reviewer: NO_REVIEWER,
    admission,
    waiters,
    rules: { revision: 'test' },
    store: {
      startAttempt: async ({ expectedRev }: { expectedRev: number }) => ({
        record: { ...DRAFT, rev: expectedRev + 1 },
      }),
      getDiff: async () => ({ chunks: [] }),
      completeDraft: async () => {
        problems.push('an outcome was written');
      },
    },
    analysis: {
      resume: (_input: unknown, { signal }: { signal: AbortSignal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(new CraError('CANCELLED', 'cancelled')));
          started(signal);
        }),
    },
    attemptsMax: 3,
    finishDrafts: true,
    rejectedNote: async () => null,
    orphansIntervalMs: null,
    onBackgroundError: ({ message }: CraError) => problems.push(message),
  } as unknown as PipelineOptions;
  return { admission, waiters, problems, running, drafts: createDrafts(options) };
}

const DRAFT: RfcRecord = sampleRecord({ rfc_id: 'RFC-1', overall_status: 'DRAFT' });

test('cancel ends the job of a draft, frees its thread and wakes its callers', async (t) => {
  const { drafts, running, waiters, admission, problems } = createStuck();
  drafts.resume(DRAFT);
  const signal = await running;
  const woken = waiters.wait('RFC-1', LONG_MS, null);
  t.is(admission.running, 1);
  drafts.cancel('RFC-1');
  await woken;
  t.true(signal.aborted);
  await drafts.stop();
  t.is(admission.running, 0);
  t.deepEqual(problems, []);
});

test('cancel takes a draft that waits for a thread out of the queue', async (t) => {
  const { drafts, admission, problems } = createStuck();
  const ticket = { caller: 'a', bytes: 1, waitMs: null, signal: null };
  const release = await admission.acquire(ticket);
  drafts.resume(DRAFT);
  t.is(admission.waiting, 1);
  drafts.cancel('RFC-1');
  t.is(admission.waiting, 0);
  release();
  await drafts.stop();
  t.deepEqual(problems, []);
});

test('cancel of an RFC that has no job only wakes', async (t) => {
  const { drafts, waiters } = createStuck();
  const woken = waiters.wait('RFC-2', LONG_MS, null);
  drafts.cancel('RFC-2');
  await woken;
  t.pass();
});

type Thread = DryRunOptions['analysis']['resume'];
const RULES = { revision: 'r2', rules: {} } as Parameters<typeof dryRun>[2];
const bytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));

/** Two RFCs, the diff of the second of which is gone when `isSecondGone`; one thread. */
function createOver(resume: Thread, withinMs: number, isSecondGone = false) {
  const records = ['RFC-1', 'RFC-2'].map((rfc_id) => sampleRecord({ rfc_id }));
  const admission = createAdmission(1);
  const store = {
    listRfcs: async () => ({ json: JSON.stringify(records.map(summarise)), next_cursor: null }),
    async getRfc({ rfc_id }: { rfc_id: string }) {
      const record = records.find((one) => one.rfc_id === rfc_id) as RfcRecord;
      return { overall_status: record.overall_status, rev: record.rev, json: bytes(record) };
    },
    async getDiff({ rfc_id }: { rfc_id: string }) {
      if (isSecondGone && rfc_id === 'RFC-2') throw new CraError('NOT_FOUND', 'not kept');
      return { chunks: [] };
    },
  } as unknown as DryRunOptions['store'];
  const analysis = { resume } as DryRunOptions['analysis'];
  const pushAgain = () => Promise.reject(new Error('there is no push'));
  const options = { admission, analysis, store, pushAgain, withinMs };
  return {
    admission,
    options,
    run: (signal: AbortSignal | null = null) =>
      dryRun(options, 'default', RULES, { limit: 10 }, signal),
  };
}

const passing: Thread = async ({ record }) =>
  ({ record: { json: JSON.stringify(record) } }) as AnalysisOutcome;

/** Ends only when it is told to. */
const endless: Thread = (_, call) =>
  new Promise((_resolve, reject) => {
    const end = () => reject(new CraError('CANCELLED', 'told to end'));
    call?.signal?.addEventListener('abort', end, { once: true });
  });

const busy = { caller: 'a', bytes: 1, waitMs: null, signal: null };

test('dryRun tells the RFCs for which no thread was free in time', async (t) => {
  const { admission, run } = createOver(passing, 50);
  const release = await admission.acquire(busy);
  t.like(await run(), { checked: 0, skipped: 0, unreached: 2, changed: [] });
  t.is(admission.waiting, 0);
  release();
});

test('the time that rules take to compile counts in that of their dry run', async (t) => {
  const { options } = createOver(passing, 20);
  const principal = sampleRecord({ rfc_id: 'RFC-1' }).submitted_by;
  const after = (compileMs: number) => {
    const build = async () => {
      const end = performance.now() + compileMs;
      while (performance.now() < end);
      return RULES as never;
    };
    return createRulesDryRun({ build }, options)(principal, '{}', { limit: 10 }, null);
  };
  t.like(await after(25), { checked: 0, unreached: 2 });
  const { options: long } = createOver(passing, 60_000);
  const unhurried = createRulesDryRun({ build: async () => RULES as never }, long);
  t.like(await unhurried(principal, '{}', { limit: 10 }, null), { checked: 2, unreached: 0 });
});

test('dryRun of one RFC looks at no other, and refuses an unknown one', async (t) => {
  const { options } = createOver(passing, 60_000);
  const report = await dryRun(options, 'default', RULES, { rfc_id: 'RFC-2' }, null);
  t.like(report, { checked: 1, looked_at: { rfcs: 1 } });
  t.like(report.changed, [{ rfc_id: 'RFC-2', from: 'PASSED', to: 'PASSED', new_rules: [] }]);
  const store = { ...options.store, getRfc: () => Promise.reject(new CraError('NOT_FOUND', 'no')) };
  const none = dryRun({ ...options, store }, 'default', RULES, { rfc_id: 'RFC-3' }, null);
  await t.throwsAsync(none, { message: 'no' });
});

test('dryRun goes on when a thread becomes free', async (t) => {
  const { admission, run } = createOver(passing, 60_000);
  const release = await admission.acquire(busy);
  const report = run();
  while (admission.waiting === 0) await new Promise(setImmediate);
  release();
  t.like(await report, { checked: 2, skipped: 0, unreached: 0, changed: [] });
  t.is(admission.running, 0);
});

test('dryRun ends an analysis that is under way when its time is over', async (t) => {
  const { admission, run } = createOver(endless, 50);
  t.like(await run(), { checked: 0, unreached: 2 });
  t.is(admission.running, 0);
});

test('dryRun tells an RFC without a diff apart from an RFC that it did not reach', async (t) => {
  const { run } = createOver(passing, 60_000, true);
  t.like(await run(), {
    checked: 1,
    skipped: 1,
    unreached: 0,
    left_out: [{ reason: 'diff-not-kept', count: 1, detail: null }],
  });
});

test('dryRun ends when its caller goes away', async (t) => {
  const { admission, run } = createOver(endless, 60_000);
  const gone = new AbortController();
  const report = run(gone.signal);
  while (admission.running === 0) await new Promise(setImmediate);
  gone.abort(new CraError('CANCELLED', 'the client went away'));
  const error = await t.throwsAsync(report, { instanceOf: CraError });
  t.is(error?.code, 'CANCELLED');
  t.is(admission.running, 0);
});

test('dryRun fails when the analysis does', async (t) => {
  const { run } = createOver(() => Promise.reject(new CraError('INTERNAL', 'a defect')), 60_000);
  t.is((await t.throwsAsync(run(), { instanceOf: CraError }))?.code, 'INTERNAL');
});

type RedactThread = ScanAccess['analysis']['redact'];

/** Redaction over one thread that does as told. */
function createRedactOver(redact: RedactThread) {
  const admission = createAdmission(1);
  const rules = { revision: 'r1', rules: {} } as ScanAccess['rules'];
  const analysis = { redact } as ScanAccess['analysis'];
  return { admission, redact: createRedact({ admission, analysis, rules }) };
}

const author = (signal: AbortSignal | null = null) => ({
  principal: MANAGER,
  remoteAddress: '127.0.0.1',
  signal,
});

async function refusal(t: ExecutionContext, call: Promise<unknown>): Promise<CraError> {
  return (await t.throwsAsync(call, { instanceOf: CraError })) ?? new CraError('INTERNAL', '');
}

test('redact gives a thread its rules when it asks for them', async (t) => {
  const revisions: boolean[] = [];
  const { redact, admission } = createRedactOver(async ({ texts, rules }) => {
    revisions.push(rules !== null);
    if (rules === null) {
      throw new CraError('FAILED_PRECONDITION', 'unknown', { details: { rules_unknown: true } });
    }
    return { texts: texts.map((text) => text.toUpperCase()) };
  });
  t.deepEqual(await redact(['a', 'b'], author()), ['A', 'B']);
  t.deepEqual(revisions, [false, true]);
  t.is(admission.running, 0);
});

for (const [what, error] of [
  ['is lost', new CraError('INTERNAL', 'lost', { details: { thread_lost: true } })],
  ['is too slow', new CraError('DEADLINE_EXCEEDED', 'slow', { details: { thread_lost: true } })],
  ['has a defect', new TypeError('defect')],
] as const) {
  test(`a thread that ${what} ends as UNAVAILABLE: nothing was changed`, async (t) => {
    const { redact, admission } = createRedactOver(() => Promise.reject(error));
    const { code, message } = await refusal(t, redact(['a'], author()));
    t.is(code, 'UNAVAILABLE');
    t.regex(message, /nothing was changed$/);
    t.is(admission.running, 0);
  });
}

test('without a free thread redact gives up in time: nothing was changed', async (t) => {
  const { redact, admission } = createRedactOver(async ({ texts }) => ({ texts }));
  const release = await admission.acquire({ caller: 'a', bytes: 1, waitMs: null, signal: null });
  const { code, message } = await refusal(t, redact(['a'], author()));
  t.is(code, 'RESOURCE_EXHAUSTED');
  t.regex(message, /busy.*nothing was changed$/);
  release();
  t.deepEqual(await redact(['a'], author()), ['a']);
});

test('a client that goes away waits no more', async (t) => {
  const { redact, admission } = createRedactOver(async ({ texts }) => ({ texts }));
  const release = await admission.acquire({ caller: 'a', bytes: 1, waitMs: null, signal: null });
  const gone = new AbortController();
  const call = redact(['a'], author(gone.signal));
  gone.abort();
  t.is((await refusal(t, call)).code, 'CANCELLED');
  t.is(admission.waiting, 0);
  release();
});

/** A store with reports of these tools about all, and gates that count them. */
function createReported(names: string[], record: RfcRecord) {
  const judged: string[][] = [];
  const judge: { onJudge: () => void } = { onJudge: () => undefined };
  const access = {
    admission: createAdmission(1),
    rules: { revision: 'test', rules: {} },
    store: {
      getRfc: async () => ({ json: Buffer.from(JSON.stringify(record)) }),
      getDiff: async () => ({ chunks: [], bytes: 0 }),
      reportNames: async () => ({
        reports: names.map((tool) => ({ tool, sha256: tool, bytes: 1 })),
      }),
      getReport: async ({ tool }: { tool: string }) => ({ report: { tool, sha256: tool } }),
    },
    analysis: {
      async settleReports({ record: before, reports }: SettleReportsInput) {
        const tools = reports.map(({ tool }) => tool);
        judged.push(tools);
        judge.onJudge();
        const counted = tools.map((tool) => {
          return { tool, sha256: tool, at: '', results: 1, finding_ids: [] };
        });
        const next: RfcRecord = {
          ...before,
          overall_status: tools.includes('bad') ? 'BLOCKED' : 'PASSED',
          rev: before.rev + 1,
          reports: [...(before.reports ?? []), ...counted],
        };
        return { record: recordText(next), diff: null, answer: '', timings: null };
      },
    },
  };
  return { access, judged, judge };
}

test('settleHeld gives no verdict without a report that came while it judged', async (t) => {
  const names = ['good'];
  const held = sampleDraft({ rfc_id: 'RFC-1' });
  const { access, judged, judge } = createReported(names, held);
  judge.onJudge = () => {
    if (judged.length === 1) names.push('bad');
  };
  const verdicts: string[] = [];
  const steps = {
    readTexts: async () => ({ diff: null, sealed: null }),
    onHeld: async () => held,
    onVerdict: async ({ record }: AnalysisOutcome) => void verdicts.push(record.overall_status),
  };
  await settleHeld(held, steps, access as never, new AbortController().signal);
  t.deepEqual(verdicts, ['BLOCKED']);
  t.deepEqual(judged, [['good'], ['good', 'bad']]);
});

test('a report that came while a verdict was written counts in it, with an entry', async (t) => {
  const record = sampleRecord({ rfc_id: 'RFC-1' });
  const { access, judged } = createReported(['bad'], record);
  const moved: unknown[] = [];
  const changed: unknown[] = [];
  const problems: string[] = [];
  const options = {
    ...access,
    source: {},
    trail: { moveRfc: async (input: { event: object }) => void moved.push(input.event) },
    onChanged: (...call: unknown[]) => void changed.push(call),
    onError: ({ message }: CraError) => void problems.push(message),
  };
  const late = createLateReports(options as never);
  t.teardown(late.stop);
  t.true(await late.count(record));
  t.deepEqual(changed, [['RFC-1', true]]);
  t.like(moved[0], {
    kind: 'report',
    principal: null,
    details: { tools: ['bad'], status_before: 'PASSED', status_after: 'BLOCKED' },
  });

  const decided = createReported(['bad'], { ...record, overall_status: 'APPROVED' });
  t.false(await createLateReports({ ...options, ...decided.access } as never).count(record));
  t.deepEqual([judged.length, decided.judged.length], [1, 0]);

  const { store } = access;
  const reportNames = async () => {
    throw new CraError('UNAVAILABLE', 'no store');
  };
  const failing = createLateReports({ ...options, store: { ...store, reportNames } } as never);
  t.teardown(failing.stop);
  t.false(await failing.count(record));
  t.deepEqual(problems, ['no store']);
});
