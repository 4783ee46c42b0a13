import type { Redact } from '../analysis/job.ts';
import type { Rereviews } from '../analysis/rereview.ts';
import type { Reviewer } from '../analysis/review.ts';
import { type AuditPlace, plainEvent } from '../model/audit.ts';
import { CraError } from '../model/errors.ts';
import type { RfcRecord } from '../model/records.ts';
import type { RfcStatus } from '../model/rfc.ts';
import type { RecordStore } from '../store/contract/records.ts';
import type { TrailStore } from '../store/contract/trail.ts';
import { redactNamed } from './decisions.ts';
import { operationId, type Requester, writeFailure } from './operation.ts';

/** A review that was asked for: it stands in `review_history` once it has ended. */
export interface ReviewRequest {
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
 * reviews), and as decisions do when nothing could be written.
 */
export type AskReview = (
  ask: { rfcId: string; reason: string },
  requester: Requester,
) => Promise<ReviewRequest>;

export interface AskReviewOptions {
  store: Pick<RecordStore, 'getRfc'>;
  trail: Pick<TrailStore, 'appendEvent'>;
  reviewer: Pick<Reviewer, 'isConfigured'>;
  rereviews: Pick<Rereviews, 'queue'>;
  redact: Redact;
  now(): Date;
}

/** Reviews of one RFC that stand in its history. */
const HISTORY_MAX = 100;
const REVIEWED: ReadonlySet<RfcStatus> = new Set(['BLOCKED', 'PASSED', 'OVERRIDDEN', 'APPROVED']);

/** Creates it. */
export function createAskReview(options: AskReviewOptions): AskReview {
  const { store, trail, reviewer, rereviews, redact, now } = options;
  return async ({ rfcId: rfc_id, reason: given }, requester) => {
    const { principal } = requester;
    const { tenant_id } = principal;
    const { reason } = await redactNamed({ reason: given }, redact, requester);
    const { json } = await store.getRfc({ tenant_id, rfc_id });
    const record = JSON.parse(Buffer.from(json).toString()) as RfcRecord;
    const { overall_status, repo_name, rev } = record;
    if (!REVIEWED.has(overall_status)) {
      const message = `the RFC is ${overall_status}, and a review does not apply to that`;
      throw new CraError('ABORTED', message, { details: { status: overall_status, rev } });
    }
    if (!reviewer.isConfigured) {
      throw new CraError('FAILED_PRECONDITION', 'no model is configured (SERVICE_LLM_CONFIG)');
    }
    if ((record.review_history?.length ?? 0) >= HISTORY_MAX) {
      const message = `the RFC was reviewed ${HISTORY_MAX} times; no more reviews are made`;
      throw new CraError('FAILED_PRECONDITION', message);
    }
    const review_id = operationId('review', requester);
    const event = plainEvent({
      ...{ kind: 'review', op_id: review_id, principal, tenant_id, rfc_id, repo_name, reason },
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
