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
  /** Told of failures that no caller hears of. */
  onBackgroundError(error: CraError, rfcId: string): void;
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
  /** Goes on with every DRAFT in the store; resolves when all of them are taken up. */
  resumeDrafts(): Promise<number>;
  /** Resolves when no job runs in the background. */
  idle(): Promise<void>;
}

/** Creates the pipeline; see docs/ARCHITECTURE.md for the path of a diff. */
export function createPipeline(options: PipelineOptions): Pipeline {
  const { admission, analysis, store, waiters, rules } = options;
  const background = new Set<Promise<void>>();

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
    const { record, diff } = result;
    await store.insertRfc({ record, diff });
    if (!isTerminal(record.overall_status)) goOn(JSON.parse(record.json) as RfcRecord);
    return record.answer;
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

  /** Runs the rest of a DRAFT in the background; `idle` waits for it. */
  function goOn(draft: RfcRecord): void {
    const job = finishDraft(draft)
      .catch((thrown: unknown) => {
        const error = CraError.fromUnknown(thrown);
        // Somebody else was faster, or it was deleted: nothing is lost.
        if (error.code === 'ABORTED' || error.code === 'NOT_FOUND') return;
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
      signal: null,
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
    if ((record.queue?.attempts ?? 0) > PIPELINE.ATTEMPTS_MAX) {
      return refuse(`${PIPELINE.ATTEMPTS_MAX} attempts ended with their thread or daemon`);
    }
    try {
      const { chunks } = await store.getDiff({ rfc_id, tenant_id });
      return await runJob(rules, { yieldAfterMs: null }, null, (job, call) =>
        analysis.resume({ ...context, ...job, record, chunks }, call),
      );
    } catch (thrown) {
      return refuse(CraError.fromUnknown(thrown).message);
    }
  }

  return {
    analyze,
    async resumeDrafts() {
      const { drafts } = await store.listDrafts({ limit: PIPELINE.RESUME_MAX });
      for (const draft of drafts) goOn(draft);
      return drafts.length;
    },
    async idle() {
      while (background.size > 0) await Promise.allSettled(background);
    },
  };
}
