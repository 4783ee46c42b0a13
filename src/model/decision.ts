import { type AgentCeilings, isAgent, requireAgentMay } from './agent.ts';
import type { AuditKind } from './audit.ts';
import { decidedComponents } from './components.ts';
import { CraError, invalidField } from './errors.ts';
import {
  type DecisionRequested,
  type Discussion,
  type Finding,
  type FindingComment,
  isAcceptable,
  type PersonFinding,
  type Severity,
} from './finding.ts';
import { REMARKS } from './limits.ts';
import type { Principal } from './principal.ts';
import {
  carriedFrom,
  type Decision,
  type Emergency,
  findingsOf,
  type RfcRecord,
  withLanding,
} from './records.ts';
import { isPerson, isSamePerson, openEmergency, releaseProblem } from './release.ts';
import { isRefusing, isTerminal, nextStatus, type RfcStatus } from './rfc.ts';
import type { PipelineSettings } from './rules.ts';

type MaxAcceptanceDays = NonNullable<PipelineSettings['max_acceptance_days']>;

export type DecisionAction = Decision['action'] | 'delete';

/** What somebody decided about an RFC. Texts are redacted already. */
export interface DecisionRequest {
  action: DecisionAction;
  principal: Principal;
  /** The name the caller gave; kept as claimed. */
  actor: string;
  reason: string;
  /** ISO 8601, UTC. */
  at: string;
  /** Commit and repository (`owner/repo`) that the decision is pinned to, or null. */
  commit_sha: string | null;
  repo_full_name: string | null;
  /** Whether its findings, or the findings with these ids, count no more in the repository. */
  accept_findings: boolean | readonly string[];
  /** Until when, ISO 8601, UTC; absent: for ever. */
  expires_at?: string;
  /** By severity the most days; absent: any time. */
  max_acceptance_days?: MaxAcceptanceDays;
  /** Whether nobody lets a change of their own pass (`releaseProblem`). */
  four_eyes?: true;
  /** Of a caller with the token of agents: what it may do. */
  agent?: AgentCeilings;
  /** With four eyes, and of agents: the RFCs whose rejections it lifts, as the store found them. */
  lifts?: string[];
  /** Of an emergency override: when its review is due, ISO 8601, UTC. */
  review_due_at?: string;
  /** Of an emergency override: whether the store refuses it while another review is overdue. */
  refuse_overdue?: true;
}

/** The kind of the entry of a decision in the trail; `actionOf` is the way back. */
export function kindOf(request: Pick<DecisionRequest, 'action' | 'review_due_at'>): AuditKind {
  const { action } = request;
  if (action === 'confirm' || action === 'object') return `emergency-${action}`;
  return request.review_due_at === undefined ? action : 'emergency-override';
}

/** The action of a decision whose entry has this kind. */
export function actionOf(kind: AuditKind): DecisionAction {
  return kind.replace(/^emergency-/, '') as DecisionAction;
}

/**
 * The record after a decision, one rev higher; null when the transition table (spec, "States and
 * transitions") does not allow it, and for `delete`, which leaves no record. Throws
 * INVALID_ARGUMENT for a commit without a repository where the RFC has none, and the reverse,
 * PERMISSION_DENIED where a second person is needed or an agent may not do it, and
 * FAILED_PRECONDITION for a review of what is not to be reviewed. `rejected`: see `releaseProblem`.
 */
export function decided(
  record: RfcRecord,
  decisionId: string,
  request: DecisionRequest,
  rejected: readonly RfcRecord[] = [],
): RfcRecord | null {
  const { action, principal, actor, reason, at, commit_sha } = request;
  requireAgentMay(record, request, rejected);
  const isDeletion = action === 'delete';
  const overall_status = isDeletion ? null : nextStatus(record.overall_status, action);
  if (!isDeletion && overall_status === null) return null;
  if (action === 'confirm' || action === 'object') requireReviewer(record, request);
  const problem = request.four_eyes === true ? releaseProblem(record, request, rejected) : null;
  if (problem !== null) throw new CraError('PERMISSION_DENIED', problem);
  if (isDeletion || overall_status === null) return null;
  requireStatusPlace(record, request);
  const decision: Decision = {
    decision_id: decisionId,
    action,
    principal,
    actor,
    reason,
    at,
    commit_sha,
    repo_full_name: request.repo_full_name,
    ...(request.review_due_at === undefined ? {} : { emergency: true }),
    ...(request.lifts === undefined ? {} : { lifts: request.lifts }),
  };
  const { emergency: former, ...rest } = record;
  const emergency = emergencyAfter(former, decision, request);
  return withLanding({
    ...rest,
    ...(emergency === undefined ? {} : { emergency }),
    overall_status,
    override: overrideOf(overall_status, record, { actor, reason }),
    override_history: [...record.override_history, decision],
    queue: null,
    push: record.push && { ...record.push, phase: null },
    ...decidedComponents(record, action),
    updated_at: at,
    rev: record.rev + 1,
  });
}

/** Whether the rejections that a request lifts matter to whether it is allowed. */
export function comparesRejections({ four_eyes, principal }: DecisionRequest): boolean {
  return four_eyes === true || isAgent(principal);
}

/** The same request with the RFCs whose rejections it lifts; null: it was compared with none. */
export function withLifted(
  request: DecisionRequest,
  rejected: readonly RfcRecord[] | null,
): DecisionRequest {
  if (rejected === null) return request;
  return { ...request, lifts: rejected.map(({ rfc_id }) => rfc_id) };
}

/** The emergency after a decision; another override begins a new one. */
function emergencyAfter(
  former: Emergency | undefined,
  { decision_id, action }: Decision,
  { review_due_at: due_at }: DecisionRequest,
): Emergency | undefined {
  if (due_at !== undefined) return { decision_id, due_at, review: 'due' };
  const review = REVIEWS[action];
  if (former === undefined || review === undefined) return undefined;
  return former.review === 'due' ? { ...former, review } : former;
}

const REVIEWS: Partial<Record<DecisionAction, Emergency['review']>> = {
  confirm: 'confirmed',
  object: 'objected',
  reject: 'rejected',
};

/**
 * Throws unless the caller may review the override: FAILED_PRECONDITION when nothing is to be
 * reviewed, PERMISSION_DENIED for the person who made it, who is known by tenant and id, which do
 * not depend on the credential, and by the e-mail address. A token may be used by anybody, also by
 * the person who made the override: it may object, as that accepts nothing.
 */
function requireReviewer(record: RfcRecord, { action, principal }: DecisionRequest): void {
  const open = openEmergency(record);
  const made = record.override_history.find((one) => one.decision_id === open?.decision_id);
  if (open === null || made === undefined) {
    throw new CraError('FAILED_PRECONDITION', nothingToReview(record));
  }
  if (isSamePerson(made.principal, principal)) {
    const message = isPerson(principal)
      ? 'this emergency override is your own: another person has to review it ' +
        '(to revoke it, reject the RFC)'
      : 'this emergency override is your own: a person has to review it, or reject the RFC';
    throw new CraError('PERMISSION_DENIED', message);
  }
  if (action === 'object' || isPerson(principal)) return;
  const message = 'only a person may confirm an emergency override, and a token names no person';
  throw new CraError('PERMISSION_DENIED', message);
}

function nothingToReview({ emergency, ...record }: RfcRecord): string {
  const [origin] = carriedFrom(record);
  if (origin !== undefined) {
    return `nobody overrode this RFC: it is carried from ${origin}, review that one`;
  }
  if (emergency === undefined)
    return 'this override is not an emergency: nothing is to be reviewed';
  return `this emergency override was ${emergency.review} already`;
}

/** A commit without its repository, or the reverse, names no place for a commit status. */
function requireStatusPlace(record: RfcRecord, { commit_sha, repo_full_name }: DecisionRequest) {
  if (commit_sha === null && repo_full_name === null) return;
  if ((commit_sha ?? record.commit_sha) === null) {
    throw invalidField('force_commit_sha', 'is needed: the RFC names no commit');
  }
  if ((repo_full_name ?? record.repo_full_name) === null) {
    throw invalidField('force_repo_full_name', 'is needed: the RFC names no repository');
  }
}

/** Null for an RFC that is not (or no longer) overridden; the history keeps all decisions. */
function overrideOf(
  status: RfcStatus,
  record: RfcRecord,
  now: { actor: string; reason: string },
): RfcRecord['override'] {
  if (status !== 'OVERRIDDEN') return null;
  return record.override ?? now;
}

/** The decisions that change what counts in the repository, and how. */
export type Acceptance = 'add' | 'withdraw' | 'keep';

/** What a decision does to the fingerprints that earlier ones on the same RFC accepted. */
export function acceptanceOf({ action, accept_findings }: DecisionRequest): Acceptance {
  if (action === 'delete' || isRefusing({ action })) return 'withdraw';
  return accept_findings === false ? 'keep' : 'add';
}

/** A fingerprint that a decision accepts for the repository of its RFC. */
export interface NewAcceptance {
  fingerprint: string;
  /** The finding's rule. */
  rule: string;
  reason: string;
  by: string;
  /** ISO 8601, UTC; null: never. */
  expires_at: string | null;
}

/** The same as a store keeps it. */
export interface KeptAcceptance extends Omit<NewAcceptance, 'rule'> {
  rfc_id: string;
  /** ISO 8601, UTC. */
  at: string;
  /** The finding's rule; null: accepted by an older version. */
  rule: string | null;
}

/**
 * The fingerprints that a decision with `accept_findings` accepts for the repository of an RFC:
 * of its unsuppressed findings that may be suppressed at all (never vuln-*), each once. Throws
 * INVALID_ARGUMENT when it accepts one of them for longer than `max_acceptance_days` allows, or
 * names a finding that may not be accepted.
 */
export function acceptedFindings(record: RfcRecord, request: DecisionRequest): NewAcceptance[] {
  const { principal, actor, reason, expires_at = null, accept_findings: chosen } = request;
  const all = findingsOf(record).filter(isAcceptable);
  const findings = typeof chosen === 'boolean' ? all : named(all, chosen);
  for (const { severity } of findings) requireEnd(severity, request);
  const rules = new Map(findings.map(({ fingerprint, id }) => [fingerprint, id]));
  const by = `${actor} (${principal.id}), ${record.rfc_id}`;
  return [...rules].map(([fingerprint, rule]) => ({ fingerprint, rule, reason, by, expires_at }));
}

function named(acceptable: readonly Finding[], ids: readonly string[]): Finding[] {
  return ids.map((id) => {
    const finding = acceptable.find(({ finding_id }) => finding_id === id);
    if (finding !== undefined) return finding;
    throw invalidField('accept_findings', 'names a finding that is not there, or never accepted');
  });
}

const DAY_MS = 24 * 3_600_000;

function requireEnd(
  severity: Severity,
  { at, expires_at, max_acceptance_days: most }: DecisionRequest,
): void {
  const days = most?.[severity];
  if (days === undefined) return;
  const latest = new Date(Date.parse(at) + days * DAY_MS).toISOString();
  if (expires_at !== undefined && expires_at <= latest) return;
  const limit = `${severity} findings are accepted for at most ${days} days`;
  const message = `must be given, and not after ${latest}: ${limit} (pipeline.max_acceptance_days)`;
  throw invalidField('expires_at', message);
}

/** Something new in a discussion. */
export type Remark =
  | { kind: 'finding'; finding: PersonFinding }
  | { kind: 'comment'; comment: FindingComment }
  | { kind: 'request'; request: DecisionRequested };

/**
 * The record with a remark, its rev one higher; the verdict stays, and so does `updated_at`. The
 * same object when the remark is in it already. ABORTED (`details.status`) for a DRAFT, whose
 * outcome is on the way and would miss the rev that it was begun on, and for an RFC that has enough
 * of them; NOT_FOUND for a comment about a finding that is not there.
 */
export function withRemark(record: RfcRecord, remark: Remark): RfcRecord {
  const known = record.discussion ?? { findings: [], comments: [] };
  const { findings, comments, requests = [] } = known;
  if (isKnown(known, remark)) return record;
  const { overall_status: status, rev } = record;
  if (!isTerminal(status)) {
    throw conflict('the RFC is a DRAFT: wait until its gates have run', { status, rev });
  }
  const [count, most] = {
    finding: [findings.length, REMARKS.FINDINGS_MAX] as const,
    comment: [comments.length, REMARKS.COMMENTS_MAX] as const,
    request: [requests.length, REMARKS.REQUESTS_MAX] as const,
  }[remark.kind];
  if (count >= most)
    throw conflict(`the RFC has ${most} of these: no more are kept`, { status, rev });
  if (remark.kind === 'comment') requireFinding(record, findings, remark.comment);
  return { ...record, discussion: discussionWith(known, remark), rev: rev + 1 };
}

function discussionWith(known: Discussion, remark: Remark): Discussion {
  const { findings, comments, requests = [] } = known;
  switch (remark.kind) {
    case 'finding':
      return { ...known, findings: [...findings, remark.finding] };
    case 'comment':
      return { ...known, comments: [...comments, remark.comment] };
    case 'request':
      return { ...known, requests: [...requests, remark.request] };
  }
}

function isKnown({ findings, comments, requests = [] }: Discussion, remark: Remark): boolean {
  switch (remark.kind) {
    case 'finding':
      return findings.some(({ finding_id }) => finding_id === remark.finding.finding_id);
    case 'comment':
      return comments.some(({ comment_id }) => comment_id === remark.comment.comment_id);
    case 'request':
      return requests.some(({ request_id }) => request_id === remark.request.request_id);
  }
}

function requireFinding(
  record: RfcRecord,
  findings: readonly PersonFinding[],
  { finding_id, false_alarm }: FindingComment,
): void {
  const isMeant = (finding: { finding_id: string }) => finding.finding_id === finding_id;
  if (findingsOf(record).some(isMeant)) return;
  if (findings.some(isMeant)) {
    if (false_alarm === undefined) return;
    throw invalidField('false_alarm', 'is for findings of gates: no rule made this one');
  }
  throw new CraError('NOT_FOUND', 'finding not found');
}

function conflict(message: string, details: { status: string; rev: number }): CraError {
  return new CraError('ABORTED', message, { details });
}
