import { CraError } from '../model/errors.ts';
import { newRfcId } from '../model/ids.ts';
import type { Principal } from '../model/principal.ts';
import type { RfcRecord } from '../model/records.ts';
import { isTerminal } from '../model/rfc.ts';
import type { Analysis, AnalysisOutcome } from '../rpc/contract.ts';
import type { Client } from '../rpc/service.ts';
import type { RecordStore } from '../store/contract/records.ts';
import { createDrafts } from './drafts.ts';
import { type ChangeContext, isThreadLost, type RulesSource, refuseJob, runJob } from './job.ts';
import { PIPELINE } from './limits.ts';
import type { Reviewer } from './review.ts';
import type { Waiters } from './rfcs.ts';
import type { Admission } from './scan-pool.ts';

export interface PipelineOptions {
  admission: Admission;
  analysis: Client<typeof Analysis>;
  store: RecordStore;
  waiters: Waiters;
  rules: RulesSource;
  reviewer: Reviewer;
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
  /** Receives failures that no caller hears of. */
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
  /**
   * Ends the background job of a DRAFT that somebody decided about, and wakes those who wait for
   * it. What the job had found is dropped: the store takes no outcome of what is not a DRAFT.
   */
  cancel(rfcId: string): void;
  /** DRAFTs whose background jobs run or wait. */
  readonly draftsRunning: number;
  /** Takes up every DRAFT in the store, in the background. */
  resumeDrafts(): void;
  /** Ends the background jobs; their drafts are left to the next start. */
  stop(): Promise<void>;
}

/** Creates the pipeline; see docs/ARCHITECTURE.md for the path of a diff. */
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
    if (!isTerminal(record.overall_status)) drafts.goOn(JSON.parse(record.json) as RfcRecord);
    return answer;
  }

  async function scan(
    context: ChangeContext,
    body: Uint8Array,
    signal: AbortSignal | null,
  ): Promise<AnalysisOutcome> {
    const vcs_problem = options.vcsProblem(context.principal.tenant_id);
    try {
      return await runJob(rules, { yieldAfterMs: options.answerWithinMs }, signal, (job, call) =>
        analysis.analyze({ ...context, ...job, body, files: null, vcs_problem }, call),
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
    resumeDrafts: drafts.resumeAll,
    stop: drafts.stop,
  };
}
