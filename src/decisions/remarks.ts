import type { Redact } from '../analysis/job.ts';
import { type AuditPlace, plainEvent } from '../model/audit.ts';
import type { Author, FindingComment, PersonFinding } from '../model/finding.ts';
import { findingId } from '../model/ids.ts';
import type { Remark } from '../model/remark.ts';
import type { TrailStore } from '../store/contract/trail.ts';
import { redactNamed } from './decisions.ts';
import { operationId, type Requester, requestHash, writeFailure } from './operation.ts';

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
  /** A comment on a finding, of a gate or a person. */
  addComment(
    rfcId: string,
    given: Pick<FindingComment, 'finding_id' | 'text'>,
    requester: Requester,
  ): Promise<Audited & { comment: FindingComment }>;
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
    const at = now().toISOString();
    const said = remark.kind === 'finding' ? remark.finding : remark.comment;
    const text = remark.kind === 'finding' ? remark.finding.message : remark.comment.text;
    const event = plainEvent({
      ...{ kind: remark.kind, op_id, principal, rfc_id: rfcId },
      // The text itself stays with the RFC, and goes with it.
      details: { finding_id: said.finding_id, text_sha256: requestHash(text) },
    });
    const { tenant_id } = principal;
    const written = await trail
      .addRemark({ tenant_id, rfc_id: rfcId, remark, event, at })
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
        ...{ severity, ...shown, line },
        ...{ by: authorOf(requester), at: now().toISOString() },
      };
      return { finding, ...(await add(rfcId, { kind: 'finding', finding }, op_id, requester)) };
    },
    async addComment(rfcId, { finding_id, text: given }, requester) {
      const { text } = await redactNamed({ text: given }, redact, requester);
      const op_id = operationId(`comment ${rfcId} ${finding_id}`, requester);
      const comment: FindingComment = {
        comment_id: `C-${digitsOf(op_id)}`,
        ...{ finding_id, text, by: authorOf(requester), at: now().toISOString() },
      };
      return { comment, ...(await add(rfcId, { kind: 'comment', comment }, op_id, requester)) };
    },
    async endAcceptance({ repo, fingerprint, reason: given }, requester) {
      const { principal } = requester;
      const { reason } = await redactNamed({ reason: given }, redact, requester);
      const op_id = operationId('end-acceptance', requester);
      const event = plainEvent({
        ...{ kind: 'acceptance-ended', op_id, principal, repo_name: repo, reason },
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

function authorOf({ principal: { id, name } }: Requester): Author {
  return { id, name };
}

function digitsOf(opId: string): string {
  return requestHash(opId).slice(0, ID_DIGITS);
}
