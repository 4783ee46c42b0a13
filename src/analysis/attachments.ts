import { hash } from 'node:crypto';
import type { StopSignal } from '../core/deadline.ts';
import { type AuditDetails, plainEvent } from '../model/audit.ts';
import { CraError, unlessNotFound } from '../model/errors.ts';
import type { Principal } from '../model/principal.ts';
import { type AttachmentKind, type RfcRecord, recordText, withLanding } from '../model/records.ts';
import type { AnalysisOutcome, AttachInput } from '../rpc/contract.ts';
import type { Client } from '../rpc/service.ts';
import type { Source } from '../rpc/source-contract.ts';
import type { RecordStore } from '../store/contract/records.ts';
import type { TrailStore } from '../store/contract/trail.ts';
import { runJob, type ScanAccess } from './job.ts';
import { PIPELINE } from './limits.ts';

interface Submission {
  kind: AttachmentKind;
  /** As it was sent, in shared memory. */
  attachment: Uint8Array;
  principal: Principal;
  /** Callers are served in turn, also callers that share a principal. */
  remoteAddress: string;
  signal: StopSignal;
}

/**
 * Judges an attachment (a plan of Terraform, or a report of other tools) of an RFC that has a
 * verdict, and resolves with `data` of the answer of analyze, as JSON. Rejects with NOT_FOUND,
 * INVALID_ARGUMENT (not of its kind), ABORTED (`details.status`: the RFC takes no attachment), and
 * RESOURCE_EXHAUSTED as analyze does.
 */
export type Attach = (rfcId: string, submission: Submission) => Promise<string>;

interface AttachOptions extends ScanAccess {
  store: Pick<RecordStore, 'getRfc' | 'getDiff'>;
  trail: Pick<TrailStore, 'moveRfc'>;
  /** Where diffs of pushes are made again. */
  source: Pick<Client<typeof Source>, 'diff'>;
  baseUrl(): string;
  /** An RFC was changed; `hasMoved`: its status, too. */
  onChanged(rfcId: string, hasMoved: boolean): void;
}

/** Times that an attachment is judged again because the record has changed meanwhile. */
const RACES_MAX = 5;

/** Creates it over the scan pool; admits its jobs as `analyze` does. */
export function createAttach(options: AttachOptions): Attach {
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
  { kind, attachment, principal, remoteAddress, signal }: Submission,
  { store, source, admission, analysis, rules, baseUrl }: AttachOptions,
): Promise<AnalysisOutcome> {
  const diffs = await diffOf(record, { store, source });
  const release = await admission.acquire({
    caller: `${principal.id}@${remoteAddress}`,
    bytes: attachment.length,
    waitMs: PIPELINE.ADMISSION_WAIT_MS,
    signal,
  });
  try {
    return await runJob(rules, { yieldAfterMs: null }, signal, (job, call) =>
      analysis.attach({ ...job, ...diffs, record, kind, attachment, base_url: baseUrl() }, call),
    );
  } finally {
    release();
  }
}

/**
 * The diff shows where resources of a plan are declared, and which lines of a report are new. Null
 * where it was deleted, or git fails.
 */
async function diffOf(
  { tenant_id, rfc_id, push, commit_sha, repo_name }: RfcRecord,
  { store, source }: Pick<AttachOptions, 'store' | 'source'>,
): Promise<Pick<AttachInput, 'diff' | 'sealed'>> {
  if (push === null) {
    return { diff: null, sealed: await store.getDiff({ tenant_id, rfc_id }).catch(unlessNotFound) };
  }
  const range = { base: push.base, head: commit_sha ?? '' };
  const repository = { host: push.host, repo_full_name: repo_name };
  const made = await source.diff({ ...repository, ...range }).catch(() => null);
  return { diff: made?.diff ?? null, sealed: null };
}

/** Writes the record together with its entry in the trail, if the attachment has changed it. */
async function write(
  before: RfcRecord,
  outcome: AnalysisOutcome,
  { kind, attachment, principal }: Submission,
  { trail, onChanged }: AttachOptions,
): Promise<void> {
  const { rfc_id, tenant_id, repo_name, overall_status: from, rev: expectedRev } = before;
  if (outcome.record.rev === expectedRev) return;
  const attached = JSON.parse(outcome.record.json) as RfcRecord;
  const next = withLanding(attached);
  const lands = next !== attached;
  const { overall_status: to } = next;
  const sha256 = hash('sha256', attachment);
  const event = plainEvent({
    kind,
    // An attempt that was cut off may hold its name until it is settled.
    op_id: `${kind} ${rfc_id} ${expectedRev} ${sha256}`,
    principal,
    tenant_id,
    rfc_id,
    rfc_rev: expectedRev,
    repo_name,
    details: {
      ...detailsOf(kind, next, sha256),
      status_before: from,
      status_after: to,
      ...(lands ? { landed_blocked: true } : {}),
    },
  });
  const record = lands ? recordText(next) : outcome.record;
  await trail.moveRfc({ record, from, expectedRev, event });
  onChanged(rfc_id, to !== from);
}

/** What an entry says of an attachment that was judged. */
function detailsOf(
  kind: AttachmentKind,
  { terraform_plan: plan, reports = [] }: RfcRecord,
  sha256: string,
): AuditDetails {
  if (kind === 'terraform-plan') {
    return { plan_sha256: sha256, findings: plan?.finding_ids.length ?? 0 };
  }
  const own = reports.filter((report) => report.sha256 === sha256);
  const findings = own.reduce((sum, { finding_ids }) => sum + finding_ids.length, 0);
  return { report_sha256: sha256, tools: own.map(({ tool }) => tool), findings };
}
