import { CraError } from '../domain/errors.ts';
import { newRfcId } from '../domain/ids.ts';
import type { Principal } from '../domain/principal.ts';
import type { RfcRecord } from '../domain/records.ts';
import { isTerminal } from '../domain/rfc.ts';
import { PIPELINE } from '../limits.ts';
import type { Analysis, AnalysisOutcome } from '../rpc/contract.ts';
import type { Client } from '../rpc/service.ts';
import type { Store } from '../store/store.ts';
import type { Admission } from './admission.ts';
import { isThreadLost, type JobContext, type RulesSource, refuseJob, runJob } from './job.ts';
import type { Waiters } from './waiters.ts';

export interface PipelineOptions {
  admission: Admission;
  analysis: Client<typeof Analysis>;
  store: Store;
  waiters: Waiters;
  rules: RulesSource;
  now(): Date;
  /** Milliseconds before an analyze answers DRAFT. */
  answerWithinMs: number;
  /** An RFC is BLOCKED when it was started on more often than this. */
  attemptsMax: number;
  /** False: drafts are left to the next start. */
  finishDrafts: boolean;
  /** Told of failures that no caller hears of. */
  onBackgroundError(error: CraError, rfcId: string | null): void;
}

export interface Submission {
  /** Body of `POST analyze`, in shared memory. */
  body: Uint8Array;
  principal: Principal;
  /** Callers are served in turn, also those who share a principal. */
  remoteAddress: string;
  signal: AbortSignal | null;
}

/** Takes one diff from its body to a durable record. */
export interface Pipeline {
  /** Resolves with `data` of the analyze answer, as JSON, once the RFC is durable. */
  analyze(submission: Submission): Promise<string>;
  /** Takes up every DRAFT in the store, in the background. */
  resumeDrafts(): void;
  /** Ends the background jobs; their drafts are left to the next start. */
  stop(): Promise<void>;
}

/** Creates the pipeline; see docs/ARCHITECTURE.md for the path of a diff. */
export function createPipeline(options: PipelineOptions): Pipeline {
  const { admission, analysis, store, waiters, rules } = options;
  const background = new Set<Promise<void>>();
  const stopping = new AbortController();
  if (!options.finishDrafts) stopping.abort();

  async function analyze(submission: Submission): Promise<string> {
    const { body, principal, signal } = submission;
    const now = options.now();
    const context = {
      rfc_id: newRfcId(now.getTime()),
      principal,
      created_at: now.toISOString(),
    };
    const release = await admission.acquire({
      caller: `${principal.id}@${submission.remoteAddress}`,
      bytes: body.byteLength,
      waitMs: PIPELINE.ADMISSION_WAIT_MS,
      signal,
    });
    let result: AnalysisOutcome;
    try {
      result = await scan(context, body, signal);
    } finally {
      release();
    }
    const { record, diff, answer } = result;
    await store.insertRfc({ record, diff });
    if (!isTerminal(record.overall_status)) goOn(JSON.parse(record.json) as RfcRecord);
    return answer;
  }

  async function scan(
    context: JobContext,
    body: Uint8Array,
    signal: AbortSignal | null,
  ): Promise<AnalysisOutcome> {
    try {
      return await runJob(rules, { yieldAfterMs: options.answerWithinMs }, signal, (job, call) =>
        analysis.analyze({ ...context, ...job, body }, call),
      );
    } catch (thrown) {
      if (!isThreadLost(thrown)) throw thrown;
      const reason = CraError.fromUnknown(thrown).message;
      return refuseJob(analysis, rules, context, { body, record: null }, reason);
    }
  }

  /** Runs the rest of a DRAFT in the background. */
  function goOn(draft: RfcRecord): void {
    if (stopping.signal.aborted) return;
    const job = finishDraft(draft)
      .catch((thrown: unknown) => {
        const error = CraError.fromUnknown(thrown);
        // Somebody else was faster, or it was deleted: nothing is lost.
        if (error.code === 'ABORTED' || error.code === 'NOT_FOUND') return;
        if (stopping.signal.aborted) return;
        options.onBackgroundError(error, draft.rfc_id);
      })
      .finally(() => {
        background.delete(job);
        waiters.wake(draft.rfc_id);
      });
    background.add(job);
  }

  async function finishDraft(draft: RfcRecord): Promise<void> {
    const release = await admission.acquire({
      caller: draft.submitted_by.id,
      bytes: draft.stats.bytes,
      waitMs: null,
      signal: stopping.signal,
    });
    try {
      const key = { tenant_id: draft.tenant_id, rfc_id: draft.rfc_id };
      const { record } = await store.startAttempt({ ...key, expectedRev: draft.rev });
      const outcome = await attempt(record);
      await store.completeDraft({ record: outcome.record, expectedRev: record.rev });
    } finally {
      release();
    }
  }

  async function attempt(record: RfcRecord): Promise<AnalysisOutcome> {
    const { rfc_id, tenant_id, submitted_by: principal, created_at } = record;
    const context = { rfc_id, principal, created_at };
    const refuse = (reason: string) =>
      refuseJob(analysis, rules, context, { body: null, record }, reason);
    if ((record.queue?.attempts ?? 0) > options.attemptsMax) {
      return refuse(`${options.attemptsMax} attempts ended with their thread or daemon`);
    }
    try {
      const { chunks } = await store.getDiff({ rfc_id, tenant_id });
      return await runJob(rules, { yieldAfterMs: null }, stopping.signal, (job, call) =>
        analysis.resume({ ...context, ...job, record, chunks }, call),
      );
    } catch (thrown) {
      if (stopping.signal.aborted) throw thrown;
      return refuse(CraError.fromUnknown(thrown).message);
    }
  }

  /** One batch after the other, so that no list of drafts fills the memory. */
  async function resumeAll(): Promise<void> {
    let isMore = true;
    while (isMore && !stopping.signal.aborted) {
      const { drafts } = await store.listDrafts({ limit: PIPELINE.RESUME_BATCH });
      for (const draft of drafts) goOn(draft);
      await Promise.allSettled([...background]);
      isMore = drafts.length === PIPELINE.RESUME_BATCH;
    }
  }

  return {
    analyze,
    resumeDrafts() {
      resumeAll().catch((thrown: unknown) =>
        options.onBackgroundError(CraError.fromUnknown(thrown), null),
      );
    },
    async stop() {
      stopping.abort();
      while (background.size > 0) await Promise.allSettled([...background]);
    },
  };
}
