import { type CancelFlag, createCancelFlag, raise, type StopSignal } from '../core/deadline.ts';
import { CraError } from '../model/errors.ts';
import { type GateFinding, plainFinding } from '../model/finding.ts';
import { JOB } from '../model/limits.ts';
import type { Principal } from '../model/principal.ts';
import type { ScoreCurves } from '../model/score.ts';
import type {
  Analysis,
  AnalysisContext,
  AnalysisOutcome,
  JobContext,
  RefuseInput,
  RulesRevision,
} from '../rpc/contract.ts';
import type { CallOptions, Client } from '../rpc/service.ts';
import { PIPELINE } from './limits.ts';
import type { Admission, Ticket } from './scan-pool.ts';

/** The rules that new jobs run under; read again for each job. */
export type RulesSource = Readonly<RulesRevision>;

/** The input that all calls about one change share; the rest is the call's own. */
export type ChangeContext = Omit<AnalysisContext, keyof JobContext>;

/** The curves of scores of a tenant; null: the shipped curve counts. */
export type CurvesFor = (tenantId: string) => Promise<ScoreCurves | null>;

export interface JobTimes {
  /** The answer is due: end with a DRAFT. Null: the job may use all of its attempt. */
  yieldAfterMs: number | null;
}

type Run<Output> = (context: JobContext, options: CallOptions) => Promise<Output>;

/**
 * Runs one call of `Analysis` on a scan thread. The signal raises its cancel flag; so does the time
 * of the answer or, without one, the deadline. Sends the rules when the thread asks for them.
 */
export async function runJob<Output>(
  source: RulesSource,
  times: JobTimes,
  signal: StopSignal | null,
  run: Run<Output>,
): Promise<Output> {
  const cancel = createCancelFlag();
  const { yieldAfterMs } = times;
  const onAbort = () => raise(cancel);
  signal?.addEventListener('abort', onAbort, { once: true });
  // A job whose answer is due ends with a DRAFT however late it sees that: somebody waits for it.
  const timer =
    yieldAfterMs === null
      ? setTimeout(onAbort, JOB.ATTEMPT_DEADLINE_MS)
      : setTimeout(() => raise(cancel, 'yield'), yieldAfterMs);
  try {
    return await withRules(source, cancel, (context) => run(context, { signal }));
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
  }
}

/**
 * The same once the job has a place on a thread; it may use all of its attempt. Rejects as
 * `Admission.acquire` does, too.
 */
export async function runAdmitted<Output>(
  { admission, analysis, rules }: ScanAccess,
  ticket: Ticket,
  run: (
    analysis: Client<typeof Analysis>,
    context: JobContext,
    options: CallOptions,
  ) => Promise<Output>,
): Promise<Output> {
  const { signal } = ticket;
  const release = await admission.acquire(ticket);
  try {
    return await runJob(rules, { yieldAfterMs: null }, signal, (job, call) =>
      run(analysis, job, call),
    );
  } finally {
    release();
  }
}

async function withRules<Output>(
  source: RulesSource,
  cancel: CancelFlag,
  run: (context: JobContext) => Promise<Output>,
): Promise<Output> {
  const { revision, rules } = source;
  try {
    return await run({ rules_revision: revision, rules: null, cancel });
  } catch (thrown) {
    if (!(thrown instanceof CraError) || thrown.details['rules_unknown'] !== true) throw thrown;
    return run({ rules_revision: revision, rules, cancel });
  }
}

/** Whether the job ended because its thread did, or because it did not stop in time. */
export function isThreadLost(thrown: unknown): boolean {
  return thrown instanceof CraError && thrown.details['thread_lost'] === true;
}

/**
 * The record of a job that ended its thread, made by another that does not look at the diff.
 * `finding` says why it is refused; null: because it crashed, for `reason`.
 */
export function refuseJob(
  analysis: Client<typeof Analysis>,
  source: RulesSource,
  context: ChangeContext,
  refused: Pick<RefuseInput, 'body' | 'record'> & Partial<Pick<RefuseInput, 'vcs_problem'>>,
  reason: string,
  finding: GateFinding | null = null,
): Promise<AnalysisOutcome> {
  return analysis.refuse({
    ...context,
    vcs_problem: null,
    ...refused,
    rules_revision: source.revision,
    pipeline: source.rules.pipeline,
    rules: null,
    cancel: createCancelFlag(),
    finding: finding ?? crashFinding(reason),
  });
}

function crashFinding(reason: string): GateFinding {
  return plainFinding({
    id: 'scan-crashed',
    gate: 'risk',
    severity: 'high',
    message: `the analysis of this change did not end: ${reason}`,
    fix: 'Split the change, or have a person review its content and override.',
  });
}

/** The caller whose texts are to be stored. */
export interface Author {
  principal: Principal;
  remoteAddress: string;
  signal: AbortSignal | null;
}

/**
 * Hides the secrets in texts on a scan thread; as many texts, in order. Rejects with
 * RESOURCE_EXHAUSTED when no thread becomes free in time, and with UNAVAILABLE when the thread
 * fails: whatever the texts are for must not happen then.
 */
export type Redact = (texts: readonly string[], author: Author) => Promise<string[]>;

/** The parts that a job on a scan thread takes: a place, the threads, and the rules in force. */
export interface ScanAccess {
  admission: Admission;
  analysis: Client<typeof Analysis>;
  rules: RulesSource;
  /** Absent: the shipped curve counts. */
  curvesFor?: CurvesFor | undefined;
}

/** Creates it over the scan pool; its jobs are admitted like jobs of analyze. */
export function createRedact(options: ScanAccess): Redact {
  return async (texts, { principal, remoteAddress, signal }) => {
    const ticket = {
      caller: `${principal.id}@${remoteAddress}`,
      bytes: texts.reduce((sum, text) => sum + text.length, 0),
      waitMs: PIPELINE.ADMISSION_WAIT_MS,
      signal,
    };
    const redact = runAdmitted(options, ticket, (analysis, job, call) =>
      analysis.redact({ ...job, texts: [...texts] }, call),
    );
    const answer = await redact.catch((thrown: unknown) => {
      throw unchanged(thrown);
    });
    return answer.texts;
  };
}

/** The failure as callers see it; nothing was stored yet in any case. */
function unchanged(thrown: unknown): CraError {
  const { code, message } = CraError.fromUnknown(thrown);
  const cause = thrown;
  if (code === 'CANCELLED') return new CraError(code, message, { cause });
  if (code === 'RESOURCE_EXHAUSTED') {
    return new CraError(code, `${message}; nothing was changed`, { cause });
  }
  const sentence = 'could not search the texts for secrets, so nothing was changed';
  return new CraError('UNAVAILABLE', sentence, { cause });
}
