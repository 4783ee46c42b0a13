import type { StopSignal } from '../core/deadline.ts';
import { plainEvent } from '../model/audit.ts';
import { CraError, unlessNotFound } from '../model/errors.ts';
import type { Principal } from '../model/principal.ts';
import { type RfcRecord, recordText, withLanding } from '../model/records.ts';
import type { AddPlanInput, AnalysisOutcome } from '../rpc/contract.ts';
import type { Client } from '../rpc/service.ts';
import type { Source } from '../rpc/source-contract.ts';
import type { RecordStore } from '../store/contract/records.ts';
import type { TrailStore } from '../store/contract/trail.ts';
import { runJob, type ScanAccess } from './job.ts';
import { PIPELINE } from './limits.ts';

interface Submission {
  /** The JSON of the plan, in shared memory. */
  plan: Uint8Array;
  principal: Principal;
  /** Callers are served in turn, also callers that share a principal. */
  remoteAddress: string;
  signal: StopSignal;
}

/**
 * Judges a plan of Terraform for an RFC that has a verdict, and resolves with `data` of the answer
 * of analyze, as JSON. Rejects with NOT_FOUND, INVALID_ARGUMENT (what is not a plan), ABORTED
 * (`details.status`: the RFC takes no plan), and RESOURCE_EXHAUSTED as analyze does.
 */
export type AddPlan = (rfcId: string, submission: Submission) => Promise<string>;

interface AddPlanOptions extends ScanAccess {
  store: Pick<RecordStore, 'getRfc' | 'getDiff'>;
  trail: Pick<TrailStore, 'moveRfc'>;
  /** Where diffs of pushes are made again. */
  source: Pick<Client<typeof Source>, 'diff'>;
  baseUrl(): string;
  /** An RFC was changed; `hasMoved`: its status, too. */
  onChanged(rfcId: string, hasMoved: boolean): void;
}

/** Times that a plan is judged again because the record has changed meanwhile. */
const RACES_MAX = 5;

/** Creates it over the scan pool; admits its jobs as `analyze` does. */
export function createAddPlan(options: AddPlanOptions): AddPlan {
  const { store } = options;
  return async (rfc_id, submission) => {
    const key = { tenant_id: submission.principal.tenant_id, rfc_id };
    for (let race = 1; ; race += 1) {
      const { json } = await store.getRfc(key);
      const before = JSON.parse(Buffer.from(json).toString()) as RfcRecord;
      const outcome = await judge(before, submission, options);
      try {
        await write(before, outcome, submission, options);
        return outcome.answer;
      } catch (thrown) {
        const isRace = thrown instanceof CraError && thrown.code === 'ABORTED';
        if (!isRace || race === RACES_MAX) throw thrown;
      }
    }
  };
}

async function judge(
  record: RfcRecord,
  { plan, principal, remoteAddress, signal }: Submission,
  { store, source, admission, analysis, rules, baseUrl }: AddPlanOptions,
): Promise<AnalysisOutcome> {
  const diffs = await diffOf(record, { store, source });
  const release = await admission.acquire({
    caller: `${principal.id}@${remoteAddress}`,
    bytes: plan.length,
    waitMs: PIPELINE.ADMISSION_WAIT_MS,
    signal,
  });
  try {
    return await runJob(rules, { yieldAfterMs: null }, signal, (job, call) =>
      analysis.addPlan({ ...job, ...diffs, record, plan, base_url: baseUrl() }, call),
    );
  } finally {
    release();
  }
}

/**
 * The diff shows where resources of the plan are declared. Where it is not to be had, as it was
 * deleted or git fails, the findings of the plan have no places, and all of them count.
 */
async function diffOf(
  { tenant_id, rfc_id, push, commit_sha, repo_name }: RfcRecord,
  { store, source }: Pick<AddPlanOptions, 'store' | 'source'>,
): Promise<Pick<AddPlanInput, 'diff' | 'sealed'>> {
  if (push === null) {
    return { diff: null, sealed: await store.getDiff({ tenant_id, rfc_id }).catch(unlessNotFound) };
  }
  const range = { base: push.base, head: commit_sha ?? '' };
  const repository = { host: push.host, repo_full_name: repo_name };
  const made = await source.diff({ ...repository, ...range }).catch(() => null);
  return { diff: made?.diff ?? null, sealed: null };
}

/** Writes the record together with its entry in the trail, if the plan has changed it. */
async function write(
  before: RfcRecord,
  outcome: AnalysisOutcome,
  { principal }: Submission,
  { trail, onChanged }: AddPlanOptions,
): Promise<void> {
  const { rfc_id, tenant_id, repo_name, overall_status: from, rev: expectedRev } = before;
  if (outcome.record.rev === expectedRev) return;
  const planned = JSON.parse(outcome.record.json) as RfcRecord;
  const next = withLanding(planned);
  const lands = next !== planned;
  const { overall_status: to, terraform_plan: plan } = next;
  const sha256 = plan?.sha256 ?? '';
  const event = plainEvent({
    kind: 'terraform-plan',
    // An attempt that was cut off may hold its name until it is settled.
    op_id: `plan ${rfc_id} ${expectedRev} ${sha256}`,
    principal,
    tenant_id,
    rfc_id,
    rfc_rev: expectedRev,
    repo_name,
    details: {
      plan_sha256: sha256,
      findings: plan?.finding_ids.length ?? 0,
      status_before: from,
      status_after: to,
      ...(lands ? { landed_blocked: true } : {}),
    },
  });
  const record = lands ? recordText(next) : outcome.record;
  await trail.moveRfc({ record, from, expectedRev, event });
  onChanged(rfc_id, to !== from);
}
