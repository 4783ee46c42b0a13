import { type CancelFlag, createCancelFlag, raise } from '../core/cancel-flag.ts';
import { PIPELINE } from '../limits.ts';
import { CraError } from '../model/errors.ts';
import { type GateFinding, plainFinding } from '../model/finding.ts';
import type {
  Analysis,
  AnalysisContext,
  AnalysisOutcome,
  JobContext,
  RefuseInput,
  RulesRevision,
} from '../rpc/contract.ts';
import type { CallOptions, Client } from '../rpc/service.ts';

/** The rules that new jobs run under: read anew for each. */
export type RulesSource = Readonly<RulesRevision>;

/** What is the same for every call about one change; the rest of its input is the call's own. */
export type ChangeContext = Omit<AnalysisContext, keyof JobContext>;

export interface JobTimes {
  /** The answer is due: end with a DRAFT. Null: the job may use all of its attempt. */
  yieldAfterMs: number | null;
}

type Run<Output> = (context: JobContext, options: CallOptions) => Promise<Output>;

/**
 * Runs one call of `Analysis` on a scan thread, with a cancel flag that the deadline, the signal
 * and the due answer raise, and sends the rules along when the thread asks for them.
 */
export async function runJob<Output>(
  source: RulesSource,
  times: JobTimes,
  signal: AbortSignal | null,
  run: Run<Output>,
): Promise<Output> {
  const cancel = createCancelFlag();
  const onAbort = () => raise(cancel);
  signal?.addEventListener('abort', onAbort, { once: true });
  const deadline = setTimeout(onAbort, PIPELINE.ATTEMPT_DEADLINE_MS);
  const due =
    times.yieldAfterMs === null
      ? undefined
      : setTimeout(() => raise(cancel, 'yield'), times.yieldAfterMs);
  try {
    return await withRules(source, cancel, (context) => run(context, { signal }));
  } finally {
    clearTimeout(deadline);
    clearTimeout(due);
    signal?.removeEventListener('abort', onAbort);
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
    fix: 'Split the change, or have its content reviewed and override.',
  });
}
