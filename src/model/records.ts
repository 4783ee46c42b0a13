import type { ChangeEntry } from './change.ts';
import type { Finding } from './finding.ts';
import { commitId } from './ids.ts';
import type { Principal } from './principal.ts';
import type { PushInfo } from './push.ts';
import type { Discussion } from './remark.ts';
import {
  type DiffSource,
  type DiffStats,
  type GateResult,
  type Gates,
  isTerminal,
  type RfcStatus,
  type ScoreParts,
} from './rfc.ts';

/** An override, approval or rejection, as the RFC shows it. */
export interface Decision {
  decision_id: string;
  action: 'override' | 'approve' | 'reject';
  /** Who was authenticated: the one who answers for it. */
  principal: Principal;
  /** The name the caller gave; kept as claimed. */
  actor: string;
  reason: string;
  at: string;
  /** Commit and repository (`owner/repo`) that the decision is pinned to, or null. */
  commit_sha: string | null;
  repo_full_name: string | null;
}

/** A review of an RFC that had a verdict: asked for, or the retry of one that had failed. */
export interface ReviewEntry {
  review_id: string;
  /** Who asked for it; null, like `reason`: the service tried again. */
  principal: Principal | null;
  reason: string | null;
  /** When it ended. */
  at: string;
  result: GateResult['status'];
  skip_reason: string | null;
  findings_added: number;
  status_before: RfcStatus;
  status_after: RfcStatus;
}

/** Where a DRAFT stands on its way through the pipeline; null once it is final. */
interface QueueState {
  /** How often the pipeline started on it; written at the start of each attempt. */
  attempts: number;
  queued_at: string;
}

export interface VcsStatus {
  posted: false;
  /** A sentence. */
  reason: string;
}

/** The change record: what is stored, and what `GET rfc/<id>` shows. Every field is present. */
export interface RfcRecord {
  rfc_id: string;
  tenant_id: string;
  diff_hash: string;
  repo_name: string;
  branch: string;
  commit_message: string;
  overall_status: RfcStatus;
  risk_score: number;
  score: ScoreParts;
  created_at: string;
  updated_at: string;
  gates: Gates;
  /**
   * Limits that bind every decision, computed from all findings, listed or not: the ids of the
   * vulnerabilities that a gate found (`vuln-01`), and `llm` when gate 3 failed.
   */
  hard_limits: string[];
  override: { actor: string; reason: string } | null;
  override_history: Decision[];
  /** Reviews after the verdict, the oldest first; absent: none. */
  review_history?: ReviewEntry[];
  /**
   * Of an OVERRIDDEN push that nobody decided about: the RFCs whose decisions cover the same
   * change. Empty: its own decision, or none.
   */
  carried_from: string[];
  stats: DiffStats;
  rules_revision: string;
  trigger: 'api' | 'webhook';
  diff_source: DiffSource | null;
  commit_sha: string | null;
  repo_full_name: string | null;
  ref: string | null;
  post_vcs_status: boolean;
  /** Why no commit status can be posted, though it was asked for; null: nothing is in the way. */
  vcs_status: VcsStatus | null;
  submitted_by: Principal;
  queue: QueueState | null;
  /** What people say about it; absent while nobody has said anything. */
  discussion?: Discussion;
  /** Of a push; null: the diff was submitted. */
  push: PushInfo | null;
  /** Raised by one with every change; what compare-and-set compares. */
  rev: number;
}

/** The commit that the decision which let the change pass is pinned to; null: to none. */
export function pinOf(record: RfcRecord): string | null {
  const passed = passingDecision(record);
  return passed?.commit_sha ? commitId(passed.commit_sha) : null;
}

/** The decision that let the change pass, also where a rejection came after it; undefined: none. */
export function passingDecision({ override_history }: RfcRecord): Decision | undefined {
  return override_history.findLast(({ action }) => action !== 'reject');
}

const ACCEPTED: ReadonlySet<RfcStatus> = new Set(['PASSED', 'OVERRIDDEN', 'APPROVED']);

/**
 * Whether the commit of a push counts as an accepted head by this record (DESIGN 7). A change that
 * could not be read does not count, even if somebody let it pass: the next push is judged with it.
 */
export function acceptsHead(record: RfcRecord): boolean {
  const { push, overall_status } = record;
  if (push === null || push.waiting_for !== null || !ACCEPTED.has(overall_status)) return false;
  const pin = pinOf(record);
  return pin === null || pin === record.commit_sha;
}

/** The RFCs whose decisions an OVERRIDDEN push rests on; records of older versions name none. */
export function carriedFrom({ carried_from }: Partial<Pick<RfcRecord, 'carried_from'>>): string[] {
  return carried_from ?? [];
}

/**
 * The id of the host to which a record's status is posted, `''` for the default one; null: to none.
 * A decision may name a commit and repository of its own.
 */
export function statusHost(record: RfcRecord): string | null {
  if (record.post_vcs_status) return record.push?.host ?? '';
  // Also after a rejection: what the decision made green must not stay so.
  const passed = passingDecision(record);
  return passed?.commit_sha || passed?.repo_full_name ? '' : null;
}

const NO_DISCUSSION: Discussion = { findings: [], comments: [] };

/**
 * What is kept of a deleted record until its host shows that it is gone: where its status stands,
 * without findings and texts.
 */
export function deletedRecord(record: RfcRecord, at: string): RfcRecord {
  const { risk, ast, llm } = record.gates;
  return {
    ...record,
    commit_message: '',
    gates: {
      risk: { ...risk, findings: [] },
      ast: { ...ast, findings: [] },
      llm: { ...llm, findings: [] },
    },
    override: null,
    override_history: record.override_history.map((one) => ({ ...one, actor: '', reason: '' })),
    ...(record.discussion === undefined ? {} : { discussion: NO_DISCUSSION }),
    ...(record.review_history === undefined ? {} : { review_history: [] }),
    updated_at: at,
    rev: record.rev + 1,
  };
}

/** A line of `GET rfcs`: the record without its findings, with their counts. */
export interface RfcSummary {
  rfc_id: string;
  repo_name: string;
  branch: string;
  commit_message: string;
  overall_status: RfcStatus;
  risk_score: number;
  created_at: string;
  updated_at: string;
  diff_hash: string;
  stats: DiffStats;
  gates: Record<'risk' | 'ast' | 'llm', { status: string; findings_count: number }>;
  override: { actor: string; reason: string } | null;
}

/** The summary of a record, as lists show it. */
export function summarise(record: RfcRecord): RfcSummary {
  const gate = (name: 'risk' | 'ast' | 'llm') => ({
    status: record.gates[name].status,
    findings_count: record.gates[name].findings.length,
  });
  return {
    rfc_id: record.rfc_id,
    repo_name: record.repo_name,
    branch: record.branch,
    commit_message: record.commit_message.slice(0, SUMMARY_MESSAGE_CHARS_MAX),
    overall_status: record.overall_status,
    risk_score: record.risk_score,
    created_at: record.created_at,
    updated_at: record.updated_at,
    diff_hash: record.diff_hash,
    stats: record.stats,
    gates: { risk: gate('risk'), ast: gate('ast'), llm: gate('llm') },
    override: record.override,
  };
}

const SUMMARY_MESSAGE_CHARS_MAX = 500;

/** Where people read an RFC and decide about it; `baseUrl` without `/api/cra`. */
export function approveUrl(baseUrl: string, rfcId: string): string {
  return `${baseUrl}/cra#approve-${rfcId}`;
}

/** A record as JSON, with the fields that the store indexes. */
export interface RecordText {
  rfc_id: string;
  tenant_id: string;
  repo_name: string;
  branch: string;
  commit_sha: string | null;
  overall_status: RfcStatus;
  rev: number;
  created_at: string;
  /** The RfcRecord. */
  json: string;
  /** Its RfcSummary. */
  summary: string;
  /** What a new record adds to the history of its repository; null when it is not known. */
  change: ChangeEntry | null;
  /** Id of the host to which its status is posted, `''` for the default one; null: to none. */
  vcs_host: string | null;
}

/**
 * The texts of a record, made once where it is made. `change` is what it adds to the history of
 * its repository, null when it adds nothing.
 */
export function recordText(record: RfcRecord, change: ChangeEntry | null): RecordText {
  const { rfc_id, tenant_id, repo_name, branch, commit_sha, overall_status, rev, created_at } =
    record;
  return {
    ...{ rfc_id, tenant_id, repo_name, branch, commit_sha, overall_status, rev, created_at },
    json: JSON.stringify(record),
    summary: JSON.stringify(summarise(record)),
    change,
    vcs_host: statusHost(record),
  };
}

/**
 * What an export tells of an analysis: the fields of the analyze answer and, where they are known,
 * what was analysed.
 */
export type Outcome = Pick<
  RfcRecord,
  'rfc_id' | 'diff_hash' | 'overall_status' | 'risk_score' | 'gates' | 'stats'
> &
  Partial<Pick<RfcRecord, 'repo_name' | 'branch' | 'commit_sha' | 'rules_revision'>>;

/** The findings of all gates, in their order. */
export function findingsOf({ gates }: Pick<Outcome, 'gates'>) {
  return [gates.risk, gates.ast, gates.llm].flatMap((gate) => gate.findings);
}

/**
 * The findings that somebody means by a name: the one whose finding_id it is, else the open ones
 * (neither suppressed nor resolved) of this rule. Two at most, which tell that it is ambiguous.
 */
export function findingsNamed(record: RfcRecord, name: string): Finding[] {
  const findings = findingsOf(record);
  const own = findings.find(({ finding_id }) => finding_id === name);
  if (own !== undefined) return [own];
  const isOpen = ({ suppressed, resolved }: Finding) => suppressed === null && resolved === null;
  return findings.filter((one) => one.id === name && isOpen(one)).slice(0, 2);
}

/**
 * The record with one finding marked resolved, its rev one higher; the verdict stays. Null when
 * there is no such finding, it was resolved before, or the RFC is a DRAFT: its outcome is on the
 * way, and would miss the rev that it was begun on.
 */
export function resolveFinding(
  record: RfcRecord,
  findingId: string,
  resolved: { by: string; at: string },
): RfcRecord | null {
  if (!isTerminal(record.overall_status)) return null;
  const { risk, ast, llm } = record.gates;
  const open = [risk, ast, llm]
    .flatMap((gate) => gate.findings)
    .find((finding) => finding.finding_id === findingId && finding.resolved === null);
  if (open === undefined) return null;
  const mark = (gate: GateResult): GateResult => ({
    ...gate,
    findings: gate.findings.map((one) => (one === open ? { ...one, resolved } : one)),
  });
  return {
    ...record,
    gates: { risk: mark(risk), ast: mark(ast), llm: mark(llm) },
    updated_at: resolved.at,
    rev: record.rev + 1,
  };
}
