import { isDeepStrictEqual } from 'node:util';
import type { StopSignal } from '../core/deadline.ts';
import { answerOf } from '../model/answer.ts';
import { CraError, unlessNotFound } from '../model/errors.ts';
import type { GateFinding } from '../model/finding.ts';
import { JOB } from '../model/limits.ts';
import type { Principal } from '../model/principal.ts';
import {
  type RecordText,
  type RfcRecord,
  readRecord,
  recordText,
  viewedRecord,
} from '../model/records.ts';
import { awaitsReports, reportsHoldMs, uncounted } from '../model/reports.ts';
import { isTerminal, newRfcId } from '../model/rfc.ts';
import { withMarks } from '../model/task.ts';
import type { Analysis, AnalysisOutcome } from '../rpc/contract.ts';
import { isNotRun } from '../rpc/pool.ts';
import type { Client } from '../rpc/service.ts';
import type { RecordStore } from '../store/contract/records.ts';
import { awaitsReview } from '../verdict/verdict.ts';
import { heldForReports, keptReports, type ReportedChange, settleHeld } from './awaited-reports.ts';
import {
  type ChangeContext,
  type CurvesFor,
  isThreadLost,
  type RulesSource,
  refuseJob,
  runJob,
} from './job.ts';
import type { LateReports } from './late-reports.ts';
import { PIPELINE } from './limits.ts';
import type { Waiters } from './read-rfcs.ts';
import type { Reviewer } from './review.ts';
import type { Admission } from './scan-pool.ts';

/** Finishes DRAFTs in the background: of this daemon, and of a former one. */
export interface Drafts {
  /** How many jobs run or wait. */
  readonly running: number;
  /** Takes up one draft; if it runs already, again when that has ended. */
  resume(draft: RfcRecord): void;
  /** Ends the job of a draft that was decided about; wakes the callers that wait for it. */
  cancel(rfcId: string): void;
  /** Takes up every draft in the store, one batch after the other; now and at each interval. */
  start(): void;
  /** Ends the background jobs; their drafts are left to the next start. */
  stop(): Promise<void>;
}

/** Creates the background part of the pipeline. */
export function createDrafts(options: PipelineOptions): Drafts {
  const { store, waiters, onBackgroundError } = options;
  /** By rfc_id. */
  const running = new Map<string, Running>();
  /** Drafts that were to be taken up while they ran. */
  const again = new Set<string>();
  /** Timers of drafts that wait for reports: each ends when the first of its reports is overdue. */
  const overdue = new Map<string, NodeJS.Timeout>();
  let retry: NodeJS.Timeout | null = null;
  let isStopping = !options.finishDrafts;
  let orphans: NodeJS.Timeout | null = null;

  function resume(draft: RfcRecord): void {
    const { rfc_id } = draft;
    if (isStopping) return;
    if (running.has(rfc_id)) return void again.add(rfc_id);
    const own = new AbortController();
    const job = finishDraft(options, draft, own.signal)
      .catch((thrown: unknown) => {
        const error = CraError.fromUnknown(thrown);
        // Somebody decided, was faster, or deleted it: nothing is lost.
        if (own.signal.aborted || error.code === 'ABORTED' || error.code === 'NOT_FOUND') return;
        fail(error, rfc_id);
      })
      .finally(() => {
        running.delete(rfc_id);
        look(draft).then(
          // Who waits for a verdict waits on while reports are awaited.
          (isHeld) => isHeld || waiters.wake(rfc_id),
          (thrown: unknown) => {
            fail(CraError.fromUnknown(thrown), rfc_id);
            waiters.wake(rfc_id);
          },
        );
      });
    running.set(rfc_id, { job, cancel: () => own.abort() });
  }

  /** Looks at a draft whose job has ended: whether it waits for reports. */
  async function look(begun: ReportedChange, isOverdue = false): Promise<boolean> {
    const { tenant_id, rfc_id } = begun;
    const isAgain = again.delete(rfc_id) || isOverdue;
    clearTimeout(overdue.get(rfc_id));
    overdue.delete(rfc_id);
    if (isStopping) return false;
    const id = { tenant_id, rfc_id };
    const state = await store.getState(id).catch(unlessNotFound);
    if (state === null || isTerminal(state.overall_status)) {
      await options.late.count(begun);
      return false;
    }
    const view = await store.getRfc(id).catch(unlessNotFound);
    const draft = view && viewedRecord(view);
    if (isStopping || draft === null || !awaitsReports(draft)) return false;
    if (isAgain) {
      resume(draft);
      return true;
    }
    const ms = Math.max(PIPELINE.OVERDUE_MS_MIN, reportsHoldMs(draft, options.now()));
    const onOverdue = () =>
      look(begun, true).catch((thrown: unknown) => {
        fail(CraError.fromUnknown(thrown), rfc_id);
      });
    overdue.set(rfc_id, setTimeout(onOverdue, ms));
    return true;
  }

  /** The store may be full or slow just now: the rest is taken up again later. */
  function fail(error: CraError, rfcId: string | null): void {
    if (isStopping) return;
    onBackgroundError(error, rfcId);
    retry ??= setTimeout(() => {
      retry = null;
      resumeAll();
    }, PIPELINE.RESUME_RETRY_MS);
  }

  async function settled(): Promise<void> {
    await Promise.allSettled([...running.values()].map(({ job }) => job));
  }

  /** In batches, so that no list fills the memory. */
  async function takeUpAll(): Promise<void> {
    let cursor: string | null = null;
    do {
      const page: Awaited<ReturnType<typeof store.listDrafts>> = await store.listDrafts({
        limit: PIPELINE.RESUME_BATCH,
        cursor,
      });
      for (const draft of page.drafts) {
        // It is taken up when a report of it comes, or is overdue.
        if (!running.has(draft.rfc_id) && !overdue.has(draft.rfc_id)) resume(draft);
      }
      await settled();
      cursor = page.next_cursor;
    } while (cursor !== null && !isStopping);
  }

  function resumeAll(): void {
    takeUpAll().catch((thrown: unknown) => fail(CraError.fromUnknown(thrown), null));
  }

  return {
    get running() {
      return running.size;
    },
    resume,
    cancel(rfcId) {
      running.get(rfcId)?.cancel();
      clearTimeout(overdue.get(rfcId));
      overdue.delete(rfcId);
      waiters.wake(rfcId);
    },
    start() {
      const { orphansIntervalMs } = options;
      resumeAll();
      // Calls may overlap: a draft that runs already is not begun again.
      if (orphansIntervalMs !== null) orphans = setInterval(resumeAll, orphansIntervalMs);
    },
    async stop() {
      isStopping = true;
      for (const { cancel } of running.values()) cancel();
      if (retry !== null) clearTimeout(retry);
      if (orphans !== null) clearInterval(orphans);
      for (const timer of overdue.values()) clearTimeout(timer);
      while (running.size > 0) await settled();
    },
  };
}

interface Running {
  job: Promise<void>;
  cancel(): void;
}

/** One attempt: counted, run, and written if nobody changed the draft meanwhile. */
async function finishDraft(
  options: PipelineOptions,
  draft: RfcRecord,
  signal: AbortSignal,
): Promise<void> {
  const { store } = options;
  if (awaitsReports(draft)) return await settleDraft(options, draft, signal);
  const analyzed = awaitsReview(draft) ? null : await analyzeDraft(options, draft, signal);
  if (analyzed !== null) {
    const { record } = analyzed.outcome;
    const change = { record, expectedRev: analyzed.rev };
    const kept = analyzed.isRejected ? [] : await keptReports(draft, store);
    const held = analyzed.isRejected
      ? null
      : heldForReports(analyzed.outcome, draft, kept, options.rules);
    if (held !== null) {
      await store.reviseRfc({ ...change, record: recordText(held), from: 'DRAFT' });
      return await settleDraft(options, held, signal);
    }
    if (isTerminal(record.overall_status)) return void (await store.completeDraft(change));
    // Readers see what gates 1 and 2 found, and a crash does not lose it, while gate 3 runs.
    await store.reviseRfc({ ...change, from: 'DRAFT' });
  }
  const known = analyzed === null ? draft : (JSON.parse(analyzed.outcome.record.json) as RfcRecord);
  await reviewDraft(options, known, analyzed !== null, signal);
}

/**
 * Writes the outcome of a DRAFT that was begun as `begun`. What was marked as fixed meanwhile stays
 * so; a DRAFT that somebody else took up or judged is not overwritten: ABORTED.
 */
export async function completeDraft(
  store: Pick<RecordStore, 'completeDraft' | 'getRfc'>,
  begun: RfcRecord,
  outcome: RecordText,
): Promise<void> {
  await writeOutcome(store, begun, outcome, (change) => store.completeDraft(change));
}

async function writeOutcome(
  store: Pick<RecordStore, 'getRfc'>,
  begun: RfcRecord,
  outcome: RecordText,
  write: (change: { record: RecordText; expectedRev: number }) => Promise<unknown>,
): Promise<void> {
  let record = outcome;
  let expectedRev = begun.rev;
  for (;;) {
    try {
      return void (await write({ record, expectedRev }));
    } catch (thrown) {
      const isRace = thrown instanceof CraError && thrown.details['status'] === 'DRAFT';
      const current = isRace ? await sameAttempt(store, begun) : null;
      if (current === null) throw thrown;
      expectedRev = current.rev;
      record = recordText(withMarks(JSON.parse(outcome.json), current));
    }
  }
}

/** The DRAFT as it is now; null: it is not what it was when the attempt began, but for marks. */
async function sameAttempt(
  store: Pick<RecordStore, 'getRfc'>,
  { tenant_id, rfc_id, queue, push }: RfcRecord,
): Promise<RfcRecord | null> {
  const now = await readRecord({ tenant_id, rfc_id }, store);
  const isSame = now.queue?.attempts === queue?.attempts && isDeepStrictEqual(now.push, push);
  return isSame && now.overall_status === 'DRAFT' ? now : null;
}

interface Attempt {
  outcome: AnalysisOutcome;
  /** A person rejected the commit: no report changes that. */
  isRejected: boolean;
}

interface Judged extends Attempt {
  /** Of the record in the store. */
  rev: number;
}

/** Runs gates 1 and 2. */
async function analyzeDraft(
  options: PipelineOptions,
  draft: RfcRecord,
  signal: AbortSignal,
): Promise<Judged> {
  const { admission, store } = options;
  const { tenant_id, rfc_id } = draft;
  const release = await admission.acquire({
    caller: draft.submitted_by.id,
    bytes: draft.stats.bytes,
    waitMs: null,
    signal,
  });
  try {
    const { record } = await store.startAttempt({ tenant_id, rfc_id, expectedRev: draft.rev });
    return { ...(await attempt(options, record, signal)), rev: record.rev };
  } finally {
    release();
  }
}

/** Runs gate 3. `isBegun`: gates 1 and 2 ran in this attempt; else in a former one. */
async function reviewDraft(
  options: PipelineOptions,
  draft: RfcRecord,
  isBegun: boolean,
  signal: AbortSignal,
): Promise<void> {
  const { store, reviewer, attemptsMax } = options;
  const { tenant_id, rfc_id } = draft;
  let awaiting: RfcRecord;
  const release = await reviewer.acquire(tenant_id, signal);
  try {
    // The attempt begins when there is a place: in a long queue others may take the draft over.
    const { rev } = (await sameAttempt(store, draft)) ?? draft;
    const started = isBegun
      ? draft
      : (await store.startAttempt({ tenant_id, rfc_id, expectedRev: rev })).record;
    const job = { record: started };
    const isLast = (started.queue?.attempts ?? 0) > attemptsMax;
    const outcome = isLast
      ? await reviewer.giveUp(job, 'unavailable')
      : await reviewer.review({ ...job, diff: await store.getDiff({ rfc_id, tenant_id }) }, signal);
    const passed = outcome.record.overall_status !== 'BLOCKED';
    const note = passed ? await options.rejectedNote({ ...started, push: null }) : null;
    const settled = note === null ? outcome : await refuseRejected(options, started, note);
    const kept = note === null ? await keptReports(started, store) : [];
    const held = note === null ? heldForReports(settled, started, kept, options.rules) : null;
    if (held === null) return await completeDraft(store, started, settled.record);
    await reviseDraft(options, started, recordText(held), false);
    awaiting = held;
  } finally {
    release();
  }
  await settleDraft(options, awaiting, signal);
}

/** Writes a DRAFT that stays one. */
async function reviseDraft(
  { store }: PipelineOptions,
  begun: RfcRecord,
  next: RecordText,
  isStatusDue: boolean,
): Promise<void> {
  await writeOutcome(store, begun, next, (change) =>
    store.reviseRfc({ ...change, from: 'DRAFT', isStatusDue }),
  );
}

/** Judges a DRAFT by the reports that came; it stays one while the rules wait for others. */
async function settleDraft(
  options: PipelineOptions,
  held: RfcRecord,
  signal: AbortSignal,
): Promise<void> {
  const { store } = options;
  const { tenant_id, rfc_id } = held;
  const isDue = reportsHoldMs(held, options.now()) === 0;
  if (!isDue && uncounted(await keptReports(held, store), held).length === 0) return;
  let draft = held;
  const steps = {
    async readTexts() {
      const sealed = await store.getDiff({ tenant_id, rfc_id }).catch(unlessNotFound);
      return { diff: null, sealed };
    },
    async onHeld(record: RecordText) {
      await reviseDraft(options, draft, record, true);
      const next = JSON.parse(record.json) as RfcRecord;
      draft = (await sameAttempt(store, next)) ?? next;
      return draft;
    },
    async onVerdict(outcome: AnalysisOutcome) {
      const note = await options.rejectedNote({ ...draft, push: null });
      const isRefused = note !== null && outcome.record.overall_status !== 'BLOCKED';
      const settled = isRefused ? await refuseRejected(options, draft, note) : outcome;
      await completeDraft(store, draft, settled.record);
    },
  };
  await settleHeld(held, steps, options, signal);
}

/** The record of a change whose commit somebody rejected, whatever its gates say. */
function refuseRejected(
  { analysis, rules }: PipelineOptions,
  record: RfcRecord,
  note: GateFinding,
): Promise<AnalysisOutcome> {
  const { rfc_id, submitted_by: principal, created_at } = record;
  const context = { rfc_id, principal, created_at };
  return refuseJob(analysis, rules, context, { body: null, record }, note.message, note);
}

async function attempt(
  options: PipelineOptions,
  record: RfcRecord,
  signal: AbortSignal,
): Promise<Attempt> {
  const { analysis, rules, store, reviewer, attemptsMax, rejectedNote } = options;
  const { rfc_id, tenant_id, submitted_by: principal, created_at } = record;
  const curves = (await options.curvesFor?.(tenant_id)) ?? null;
  const context = { rfc_id, principal, created_at, reviews: reviewer.isConfigured, curves };
  const refuse = async (reason: string) => {
    const outcome = await refuseJob(analysis, rules, context, { body: null, record }, reason);
    return { outcome, isRejected: false };
  };
  if ((record.queue?.attempts ?? 0) > attemptsMax) {
    return refuse(`${attemptsMax} attempts ended with their thread or daemon`);
  }
  try {
    const note = await rejectedNote({ ...record, push: null });
    const notes = note === null ? [] : [note];
    const { chunks } = await store.getDiff({ rfc_id, tenant_id });
    const outcome = await runJob(rules, { yieldAfterMs: null }, signal, (job, call) =>
      analysis.resume({ ...context, ...job, record, chunks, notes }, call),
    );
    // Rules may let the finding pass, but not the commit.
    if (note === null) return { outcome, isRejected: false };
    const isPassed = outcome.record.overall_status === 'PASSED';
    const refused = isPassed ? await refuseRejected(options, record, note) : outcome;
    return { outcome: refused, isRejected: true };
  } catch (thrown) {
    if (signal.aborted) throw thrown;
    const { code, message } = CraError.fromUnknown(thrown);
    const limit = `it was not done after ${JOB.ATTEMPT_DEADLINE_MS} ms`;
    return refuse(code === 'CANCELLED' ? limit : message);
  }
}

/** The commit that a submitted diff names, and its repository. */
export interface SubmittedCommit {
  tenant_id: string;
  repo_name: string;
  repo_full_name: string | null;
  commit_sha: string | null;
  push: null;
}

export interface PipelineOptions {
  admission: Admission;
  analysis: Client<typeof Analysis>;
  store: RecordStore;
  waiters: Waiters;
  rules: RulesSource;
  reviewer: Reviewer;
  late: LateReports;
  /** Absent: the shipped curve counts. */
  curvesFor?: CurvesFor | undefined;
  /** The finding that blocks a change whose commit a person rejected; null: nobody did. */
  rejectedNote(change: SubmittedCommit): Promise<GateFinding | null>;
  /** Where people reach the service, without `/api/cra`. */
  baseUrl(): string;
  /** Why no commit status of this tenant can be posted, a sentence; null: it can. */
  vcsProblem(tenantId: string): string | null;
  now(): Date;
  /** Milliseconds before an analyze answers DRAFT. */
  answerWithinMs: number;
  /** An RFC is BLOCKED when it was started on more often than this. */
  attemptsMax: number;
  /** False: drafts are left to the next start. */
  finishDrafts: boolean;
  /** How often to look for drafts that another daemon left; null: the store has no other. */
  orphansIntervalMs: number | null;
  /** Receives failures that reach no caller. */
  onBackgroundError(error: CraError, rfcId: string | null): void;
}

interface Submission {
  /** Body of `POST analyze`, in shared memory. */
  body: Uint8Array;
  principal: Principal;
  /** Callers are served in turn, also callers that share a principal. */
  remoteAddress: string;
  signal: StopSignal | null;
}

/** Takes one diff from its body to a durable record. */
export interface Pipeline {
  /** Resolves with `data` of the analyze answer, as JSON, once the RFC is durable. */
  analyze(submission: Submission): Promise<string>;
  /**
   * Ends the background job of a DRAFT that was decided about, and wakes the callers that wait for
   * it. What the job had found is dropped: the store takes no outcome of what is not a DRAFT.
   */
  cancel(rfcId: string): void;
  /** DRAFTs whose background jobs run or wait. */
  readonly draftsRunning: number;
  /** Takes up every DRAFT in the store, in the background. */
  start(): void;
  /** A report came for a DRAFT that waits for it. */
  reported(draft: RfcRecord): void;
  /** Ends the background jobs; their drafts are left to the next start. */
  stop(): Promise<void>;
}

/** Creates the pipeline; see docs/why/architecture.md for the path of a diff. */
export function createPipeline(options: PipelineOptions): Pipeline {
  const { admission, analysis, store, rules } = options;
  const drafts = createDrafts(options);

  async function analyze(submission: Submission): Promise<string> {
    const { body, principal, signal } = submission;
    const now = options.now();
    const context = {
      rfc_id: newRfcId(now.getTime()),
      principal,
      created_at: now.toISOString(),
      reviews: options.reviewer.isConfigured,
      base_url: options.baseUrl(),
      curves: (await options.curvesFor?.(principal.tenant_id)) ?? null,
    };
    const isLight = body.byteLength <= PIPELINE.LIGHT_JOB_BYTES_MAX;
    const inThread = async (isLight: boolean, notes: GateFinding[] = []) => {
      const release = await admission.acquire({
        caller: `${principal.id}@${submission.remoteAddress}`,
        bytes: body.byteLength,
        isLight,
        waitMs: PIPELINE.ADMISSION_WAIT_MS,
        signal,
      });
      try {
        return await scan(context, { body, notes }, isLight, signal);
      } finally {
        release();
      }
    };
    const scanned = async (notes: GateFinding[]) =>
      inThread(isLight, notes).catch((thrown: unknown) => {
        if (isNotRun(thrown)) return inThread(false, notes);
        throw thrown;
      });
    const first = await scanned([]);
    const { commit_sha, created_at } = first.record;
    // The commit is known once the body was read: a rejected one is rare, and judged once more.
    const [note, kept] = await Promise.all([
      options.rejectedNote({ ...first.record, push: null }),
      commit_sha === null ? [] : keptReports(first.record, store),
    ]);
    const last = note === null ? first : await refusedScan(await scanned([note]), note);
    const begun = { queue: null, created_at };
    const held = note === null ? heldForReports(last, begun, kept, rules) : null;
    if (held !== null) {
      await store.insertRfc({ record: recordText(held), diff: last.diff });
      drafts.resume(held);
      return JSON.stringify(answerOf(held));
    }
    const { record, diff, answer } = last;
    await store.insertRfc({ record, diff });
    if (!isTerminal(record.overall_status)) drafts.resume(JSON.parse(record.json) as RfcRecord);
    else if (commit_sha !== null && (await options.late.count(record))) {
      return JSON.stringify(answerOf(await readRecord(record, store)));
    }
    return answer;
  }

  /** Rules may let the finding pass, but not the commit; its first rev is stored. */
  async function refusedScan(scanned: AnalysisOutcome, note: GateFinding) {
    if (scanned.record.overall_status !== 'PASSED') return scanned;
    const record = JSON.parse(scanned.record.json) as RfcRecord;
    const refused = await refuseRejected(options, { ...record, rev: record.rev - 1 }, note);
    return { ...refused, diff: scanned.diff };
  }

  async function scan(
    context: ChangeContext,
    { body, notes }: { body: Uint8Array; notes: GateFinding[] },
    may_share: boolean,
    signal: StopSignal | null,
  ): Promise<AnalysisOutcome> {
    const vcs_problem = options.vcsProblem(context.principal.tenant_id);
    try {
      return await runJob(rules, { yieldAfterMs: options.answerWithinMs }, signal, (job, call) =>
        analysis.analyze(
          { ...context, ...job, body, files: null, vcs_problem, may_share, notes },
          call,
        ),
      );
    } catch (thrown) {
      if (!isThreadLost(thrown)) throw thrown;
      const reason = CraError.fromUnknown(thrown).message;
      return refuseJob(analysis, rules, context, { body, record: null, vcs_problem }, reason);
    }
  }

  return {
    analyze,
    cancel: drafts.cancel,
    get draftsRunning() {
      return drafts.running;
    },
    start: drafts.start,
    reported: drafts.resume,
    stop: drafts.stop,
  };
}
