import { hash } from 'node:crypto';
import type { StopSignal } from '../core/deadline.ts';
import { type AnalyzeAnswer, answerOf } from '../model/answer.ts';
import { type AuditDetails, plainEvent } from '../model/audit.ts';
import { CraError, invalidField, unlessNotFound } from '../model/errors.ts';
import type { Principal } from '../model/principal.ts';
import {
  type AttachmentKind,
  type RfcRecord,
  readRecord,
  recordText,
  withLanding,
} from '../model/records.ts';
import { type CommitReport, type KeptReport, reportSubject } from '../model/reports.ts';
import type { RfcStatus } from '../model/rfc.ts';
import type { AnalysisOutcome, AttachInput, ReadReport } from '../rpc/contract.ts';
import type { Client } from '../rpc/service.ts';
import type { Source } from '../rpc/source-contract.ts';
import type { RecordStore, RfcId } from '../store/contract/records.ts';
import type { TrailStore } from '../store/contract/trail.ts';
import { runAdmitted, type ScanAccess } from './job.ts';
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

/** Takes plans of Terraform and reports of other tools. */
export interface Attachments {
  /**
   * Judges an attachment of an RFC, and resolves with `data` of the answer of analyze, as JSON. A
   * report about a DRAFT is kept, and counts with its verdict. Rejects with NOT_FOUND,
   * INVALID_ARGUMENT (not of its kind, or about another commit), PERMISSION_DENIED (not of a tool
   * or repository of the caller), ABORTED (`details.status`: the RFC takes no attachment), and
   * RESOURCE_EXHAUSTED as analyze does, or beyond REPORT_STORE.
   */
  toRfc(rfcId: string, submission: Submission): Promise<string>;
  /** Keeps a report about a commit, and judges it for the RFCs that the commit has. */
  toCommit(place: CommitPlace, submission: Omit<Submission, 'kind'>): Promise<CommitReport>;
}

/** `repo_name` as of the RFCs. */
export interface CommitPlace {
  repo_name: string;
  commit_sha: string;
}

export interface AttachOptions extends ScanAccess {
  store: Pick<RecordStore, 'getRfc' | 'getDiff' | 'keepReports' | 'reportNames' | 'rfcsOfCommit'>;
  trail: Pick<TrailStore, 'moveRfc' | 'appendEvent'>;
  /** Where diffs of pushes are made again. */
  source: Pick<Client<typeof Source>, 'diff'>;
  baseUrl(): string;
  /** PERMISSION_DENIED where the token of a caller is bound to others. */
  requireBound(principal: Principal, kind: 'repos' | 'tools', name: string): void;
  now(): Date;
  /** A report was kept for a DRAFT that may wait for it. */
  onKept(draft: RfcRecord): Promise<void>;
  /** An RFC was changed; `hasMoved`: its status, too. */
  onChanged(rfcId: string, hasMoved: boolean): void;
}

/** Times that an attachment is judged again because the record has changed meanwhile. */
const RACES_MAX = 5;

/** Creates it over the scan pool; admits its jobs as `analyze` does. */
export function createAttachments(options: AttachOptions): Attachments {
  const { store } = options;

  async function attach(rfc_id: string, submission: Submission): Promise<string> {
    const key = { tenant_id: submission.principal.tenant_id, rfc_id };
    const sha256 = hash('sha256', submission.attachment);
    for (let race = 1; ; race += 1) {
      const before = await readRecord(key, store);
      const outcome = await judge(before, submission, options);
      try {
        await writeAttached(before, outcome, { ...submission, sha256 }, options);
        return outcome.answer;
      } catch (thrown) {
        const isRace = thrown instanceof CraError && thrown.code === 'ABORTED';
        if (!isRace || race === RACES_MAX) throw thrown;
      }
    }
  }

  /** A kept report for a DRAFT: the answer; null: the record has a verdict or decision. */
  async function leftToDraft({ tenant_id, rfc_id }: RfcId): Promise<string | null> {
    const now = await readRecord({ tenant_id, rfc_id }, store);
    if (now.overall_status !== 'DRAFT') return null;
    await options.onKept(now);
    return JSON.stringify(answerOf(now));
  }

  async function reportTo(rfcId: string, submission: Submission): Promise<string> {
    const { tenant_id } = submission.principal;
    const record = await readRecord({ tenant_id, rfc_id: rfcId }, store);
    const subject = reportSubject(record);
    const read = await readReport(subject, submission, options);
    const { repo_name, commit_sha } = record;
    checkBounds(read, { repo_name, commit_sha }, submission.principal, options);
    const isDraft = record.overall_status === 'DRAFT';
    // Without a commit nobody asks for it again once there is a verdict.
    if (isDraft || commit_sha !== null) {
      const about = { repo_name, subject, rfc_id: rfcId };
      await keep(read.reports, about, submission.principal, options);
    }
    return (isDraft ? await leftToDraft(record) : null) ?? (await attach(rfcId, submission));
  }

  return {
    toRfc: (rfcId, submission) =>
      submission.kind === 'report' ? reportTo(rfcId, submission) : attach(rfcId, submission),

    async toCommit({ repo_name, commit_sha }, sent) {
      const submission: Submission = { ...sent, kind: 'report' };
      const { principal } = submission;
      const { tenant_id } = principal;
      const read = await readReport(commit_sha, submission, options);
      checkBounds(read, { repo_name, commit_sha }, principal, options);
      const about = { repo_name, subject: commit_sha, rfc_id: null };
      await keep(read.reports, about, principal, options);
      const { rfc_ids, has_more } = await store.rfcsOfCommit({ tenant_id, repo_name, commit_sha });
      const rfcs: CommitReport['rfcs'] = [];
      for (const rfc_id of rfc_ids) {
        const row = await attachOrSay(rfc_id, submission);
        if (row !== null) rfcs.push(row);
      }
      const tools = read.reports.map(({ tool, results }) => ({ tool, results }));
      return { repo_name, commit_sha, tools, rfcs, has_more };
    },
  };

  async function attachOrSay(rfc_id: string, submission: Submission) {
    const { tenant_id } = submission.principal;
    try {
      const json = (await leftToDraft({ tenant_id, rfc_id })) ?? (await attach(rfc_id, submission));
      const { overall_status } = JSON.parse(json) as AnalyzeAnswer;
      return { rfc_id, overall_status, reason: null };
    } catch (thrown) {
      const { code, message, details } = CraError.fromUnknown(thrown);
      if (code === 'NOT_FOUND') return null;
      if (code !== 'ABORTED') throw thrown;
      return { rfc_id, overall_status: details['status'] as RfcStatus, reason: message };
    }
  }
}

async function readReport(
  subject: string,
  submission: Submission,
  access: ScanAccess,
): Promise<ReadReport> {
  return await runAdmitted(access, ticketOf(submission), (analysis, job, call) =>
    analysis.readReport({ ...job, report: submission.attachment, subject }, call),
  );
}

function ticketOf({ attachment, principal, remoteAddress, signal }: Submission) {
  return {
    caller: `${principal.id}@${remoteAddress}`,
    bytes: attachment.length,
    waitMs: PIPELINE.ADMISSION_WAIT_MS,
    signal,
  };
}

/** INVALID_ARGUMENT for a report about another commit; PERMISSION_DENIED beyond its bounds. */
function checkBounds(
  { reports, commits: byRun }: ReadReport,
  { repo_name, commit_sha }: { repo_name: string; commit_sha: string | null },
  principal: Principal,
  { requireBound }: Pick<AttachOptions, 'requireBound'>,
): void {
  const isAbout = (commit: string) => commit_sha === null || commit_sha.startsWith(commit);
  for (const commits of byRun) {
    if (commits.some(isAbout)) continue;
    throw invalidField('report', `is about commit ${commits[0]}, not about ${commit_sha}`);
  }
  requireBound(principal, 'repos', repo_name);
  for (const { tool } of reports) requireBound(principal, 'tools', tool);
}

interface ReportedAbout {
  repo_name: string;
  subject: string;
  rfc_id: string | null;
}

/** Keeps what is new of a report; its entry in the trail comes first. */
async function keep(
  reports: readonly KeptReport[],
  { repo_name, subject, rfc_id }: ReportedAbout,
  principal: Principal,
  { store, trail, now }: AttachOptions,
): Promise<void> {
  const { tenant_id } = principal;
  const place = { tenant_id, repo_name, subject };
  const { reports: known } = await store.reportNames(place);
  const fresh = reports.filter(({ tool, sha256 }) => {
    return !known.some((one) => one.tool === tool && one.sha256 === sha256);
  });
  const [first] = fresh;
  if (first === undefined) return;
  const event = plainEvent({
    kind: 'report',
    op_id: `report ${subject} ${first.sha256} ${now().getTime()}`,
    principal,
    tenant_id,
    rfc_id,
    repo_name,
    details: {
      report_sha256: first.sha256,
      tools: fresh.map(({ tool }) => tool),
      ...(rfc_id === subject ? {} : { commit_sha: subject }),
    },
  });
  await trail.appendEvent({ event });
  await store.keepReports({ ...place, reports: fresh });
}

async function judge(
  record: RfcRecord,
  submission: Submission,
  options: AttachOptions,
): Promise<AnalysisOutcome> {
  const { kind, attachment } = submission;
  const input = { ...(await diffOf(record, options)), record, kind, attachment };
  return await runAdmitted(options, ticketOf(submission), (analysis, job, call) =>
    analysis.attach({ ...job, ...input, base_url: options.baseUrl() }, call),
  );
}

/**
 * The diff shows where resources of a plan are declared, and which lines of a report are new. Null
 * where it was deleted, or git fails.
 */
export async function diffOf(
  { tenant_id, rfc_id, push, commit_sha, repo_name }: RfcRecord,
  { store, source }: { store: Pick<RecordStore, 'getDiff'>; source: AttachOptions['source'] },
): Promise<Pick<AttachInput, 'diff' | 'sealed'>> {
  if (push === null) {
    return { diff: null, sealed: await store.getDiff({ tenant_id, rfc_id }).catch(unlessNotFound) };
  }
  const range = { base: push.base, head: commit_sha ?? '' };
  const repository = { host: push.host, repo_full_name: repo_name };
  const made = await source.diff({ ...repository, ...range }).catch(() => null);
  return { diff: made?.diff ?? null, sealed: null };
}

/**
 * Writes the record together with its entry in the trail, if the attachment has changed it, and
 * resolves with the record as it is stored then.
 * `principal`: null where its sender saw no verdict, and has an entry of its own.
 */
export async function writeAttached(
  before: RfcRecord,
  outcome: AnalysisOutcome,
  { kind, sha256, principal }: Attached,
  { trail, onChanged }: Pick<AttachOptions, 'trail' | 'onChanged'>,
): Promise<RfcRecord> {
  const { rfc_id, tenant_id, repo_name, overall_status: from, rev: expectedRev } = before;
  if (outcome.record.rev === expectedRev) return before;
  const attached = JSON.parse(outcome.record.json) as RfcRecord;
  const next = withLanding(attached);
  const lands = next !== attached;
  const { overall_status: to } = next;
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
  return next;
}

interface Attached {
  kind: AttachmentKind;
  sha256: string;
  principal: Principal | null;
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
