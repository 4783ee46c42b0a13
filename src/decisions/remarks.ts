import type { Redact } from '../analysis/job.ts';
import type { Rereviews } from '../analysis/rereview.ts';
import type { Reviewer } from '../analysis/review.ts';
import { type AuditDetails, type AuditPlace, plainEvent } from '../model/audit.ts';
import type { Remark } from '../model/decision.ts';
import { CraError } from '../model/errors.ts';
import type { Author, DecisionRequested, FindingComment, PersonFinding } from '../model/finding.ts';
import { readRecord } from '../model/records.ts';
import { releaseProblem } from '../model/release.ts';
import { findingId, type RfcStatus } from '../model/rfc.ts';
import type { RecordStore } from '../store/contract/records.ts';
import type { TrailStore } from '../store/contract/trail.ts';
import {
  operationId,
  type Requester,
  redactNamed,
  requestHash,
  writeFailure,
} from './decisions.ts';

/** Where an operation stands in the trail. */
export interface Audited {
  op_id: string;
  audit: AuditPlace;
  /** Whether an earlier request with this Idempotency-Key did it. */
  replayed: boolean;
}

/**
 * What people add to an RFC besides decisions. All of it is written with an audit entry, or not at
 * all; texts may hold secrets and are kept without. Rejects like `Decisions.decide`.
 */
export interface Remarks {
  /** A finding of a person; the verdict stays. */
  addFinding(
    rfcId: string,
    given: Pick<PersonFinding, 'severity' | 'message' | 'file' | 'line'>,
    requester: Requester,
  ): Promise<Audited & { finding: PersonFinding }>;
  /** A comment on a finding, of a gate or a person; that of a gate may be a false alarm. */
  addComment(
    rfcId: string,
    given: Pick<FindingComment, 'finding_id' | 'text' | 'false_alarm'>,
    requester: Requester,
  ): Promise<Audited & { comment: FindingComment }>;
  /** Asks a person, by e-mail address or id, to decide: `asked:me` finds the RFC for them. */
  askToDecide(
    rfcId: string,
    asked: string,
    requester: Requester,
  ): Promise<Audited & { request: DecisionRequested }>;
  /** Ends the acceptance of a fingerprint in a repository from now on; verdicts stay. */
  endAcceptance(
    given: { repo: string; fingerprint: string; reason: string },
    requester: Requester,
  ): Promise<Audited>;
}

export interface RemarksOptions {
  trail: Pick<TrailStore, 'addRemark' | 'endAcceptance'>;
  redact: Redact;
  now(): Date;
}

/** Digits of the id of what a person adds. */
const ID_DIGITS = 16;

/** Creates the service. */
export function createRemarks({ trail, redact, now }: RemarksOptions): Remarks {
  async function add(rfcId: string, remark: Remark, op_id: string, requester: Requester) {
    const { principal } = requester;
    const details = detailsOf(remark);
    const event = plainEvent({ kind: remark.kind, op_id, principal, rfc_id: rfcId, details });
    const { tenant_id } = principal;
    const written = await trail
      .addRemark({ tenant_id, rfc_id: rfcId, remark, event })
      .catch((thrown: unknown) => {
        throw writeFailure(thrown, op_id, requester);
      });
    const { chain, seq, replayed } = written;
    return { op_id, audit: { chain, seq }, replayed };
  }

  return {
    async addFinding(rfcId, given, requester) {
      const { severity, line } = given;
      const texts = { message: given.message, file: given.file };
      const shown = await redactNamed(texts, redact, requester);
      const op_id = operationId(`finding ${rfcId}`, requester);
      const finding: PersonFinding = {
        finding_id: `${findingId(rfcId, 0).slice(0, -1)}P${digitsOf(op_id)}`,
        severity,
        ...shown,
        line,
        by: authorOf(requester),
        at: now().toISOString(),
      };
      return { finding, ...(await add(rfcId, { kind: 'finding', finding }, op_id, requester)) };
    },
    async addComment(rfcId, { finding_id, text: given, false_alarm }, requester) {
      const { text } = await redactNamed({ text: given }, redact, requester);
      const op_id = operationId(`comment ${rfcId} ${finding_id}`, requester);
      const comment: FindingComment = {
        comment_id: `C-${digitsOf(op_id)}`,
        finding_id,
        text,
        ...(false_alarm === undefined ? {} : { false_alarm }),
        by: authorOf(requester),
        at: now().toISOString(),
      };
      return { comment, ...(await add(rfcId, { kind: 'comment', comment }, op_id, requester)) };
    },
    async askToDecide(rfcId, given, requester) {
      const { asked } = await redactNamed({ asked: given.trim() }, redact, requester);
      const op_id = operationId(`request ${rfcId} ${asked}`, requester);
      const request: DecisionRequested = {
        request_id: `Q-${digitsOf(op_id)}`,
        asked,
        by: authorOf(requester),
        at: now().toISOString(),
      };
      return { request, ...(await add(rfcId, { kind: 'request', request }, op_id, requester)) };
    },
    async endAcceptance({ repo, fingerprint, reason: given }, requester) {
      const { principal } = requester;
      const { reason } = await redactNamed({ reason: given }, redact, requester);
      const op_id = operationId('end-acceptance', requester);
      const event = plainEvent({
        kind: 'acceptance-ended',
        op_id,
        principal,
        repo_name: repo,
        reason,
        details: { fingerprint },
      });
      const { tenant_id } = principal;
      const { chain, seq, replayed } = await trail
        .endAcceptance({ tenant_id, repo_name: repo, fingerprint, event })
        .catch((thrown: unknown) => {
          throw writeFailure(thrown, op_id, requester);
        });
      return { op_id, audit: { chain, seq }, replayed };
    },
  };
}

/** What the trail keeps of a remark: its text stays with the RFC, and goes with it. */
function detailsOf(remark: Remark): AuditDetails {
  if (remark.kind === 'request') {
    const { request_id, asked } = remark.request;
    return { request_id, text_sha256: requestHash(asked) };
  }
  const said = remark.kind === 'finding' ? remark.finding : remark.comment;
  const text = remark.kind === 'finding' ? remark.finding.message : remark.comment.text;
  const mark =
    remark.kind === 'comment' && remark.comment.false_alarm !== undefined
      ? { false_alarm: remark.comment.false_alarm }
      : {};
  return { finding_id: said.finding_id, text_sha256: requestHash(text), ...mark };
}

function authorOf({ principal: { id, name } }: Requester): Author {
  return { id, name };
}

function digitsOf(opId: string): string {
  return requestHash(opId).slice(0, ID_DIGITS);
}

/** A review that was asked for: it stands in `review_history` once it has ended. */
interface ReviewRequest {
  rfc_id: string;
  review_id: string;
  /** When it was asked for; the review may move it. */
  overall_status: RfcStatus;
  op_id: string;
  /** The place of the request in the trail. */
  audit: AuditPlace;
  replayed: boolean;
}

/**
 * Asks for another review of an RFC that has a verdict. Rejects with NOT_FOUND, ABORTED
 * (`details.status`: DRAFT, REJECTED, SUPERSEDED), FAILED_PRECONDITION (no model, or too many
 * reviews), PERMISSION_DENIED (it may release a held change, which needs a second person), and as
 * decisions do when nothing could be written.
 */
export type AskReview = (
  ask: { rfcId: string; reason: string },
  requester: Requester,
) => Promise<ReviewRequest>;

interface AskReviewOptions {
  store: Pick<RecordStore, 'getRfc'>;
  trail: Pick<TrailStore, 'appendEvent'>;
  reviewer: Pick<Reviewer, 'isConfigured'>;
  rereviews: Pick<Rereviews, 'queue'>;
  /** Whether nobody lets a change of their own pass. */
  fourEyes: boolean;
  redact: Redact;
  now(): Date;
}

/** Reviews of one RFC that stand in its history. */
const HISTORY_MAX = 100;
const REVIEWED: ReadonlySet<RfcStatus> = new Set(['BLOCKED', 'PASSED', 'OVERRIDDEN', 'APPROVED']);

/** Creates it. */
export function createAskReview(options: AskReviewOptions): AskReview {
  const { store, trail, reviewer, rereviews, fourEyes, redact, now } = options;
  return async ({ rfcId: rfc_id, reason: given }, requester) => {
    const { principal } = requester;
    const { tenant_id } = principal;
    const { reason } = await redactNamed({ reason: given }, redact, requester);
    const record = await readRecord({ tenant_id, rfc_id }, store);
    const { overall_status, repo_name, rev } = record;
    if (!REVIEWED.has(overall_status)) {
      const message = `the RFC is ${overall_status}, and a review does not apply to that`;
      throw new CraError('ABORTED', message, { details: { status: overall_status, rev } });
    }
    const problem = fourEyes ? releaseProblem(record, { action: 'review', principal }) : null;
    if (problem !== null) throw new CraError('PERMISSION_DENIED', problem);
    if (!reviewer.isConfigured) {
      throw new CraError('FAILED_PRECONDITION', 'no model is configured (SERVICE_LLM_CONFIG)');
    }
    if ((record.review_history?.length ?? 0) >= HISTORY_MAX) {
      const message = `the RFC was reviewed ${HISTORY_MAX} times; no more reviews are made`;
      throw new CraError('FAILED_PRECONDITION', message);
    }
    const review_id = operationId('review', requester);
    const event = plainEvent({
      kind: 'review',
      op_id: review_id,
      principal,
      tenant_id,
      rfc_id,
      repo_name,
      reason,
      details: { review_id, asked: true },
    });
    const asked = { principal, reason, at: now().toISOString() };
    try {
      const { replayed, ...audit } = await trail.appendEvent({ event });
      await rereviews.queue({ review_id, tenant_id, rfc_id, asked, tries: 0 });
      return { rfc_id, review_id, overall_status, op_id: review_id, audit, replayed };
    } catch (thrown) {
      throw writeFailure(thrown, review_id, requester);
    }
  };
}
