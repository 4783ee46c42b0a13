import type { Pipeline } from '../analysis/drafts.ts';
import type { Redact } from '../analysis/job.ts';
import type { AuditPlace } from '../model/audit.ts';
import type { DecisionAction, DecisionRequest } from '../model/decision.ts';
import { CraError } from '../model/errors.ts';
import type { Principal } from '../model/principal.ts';
import type { Decision } from '../model/records.ts';
import { nextStatus, type RfcStatus, STATUSES } from '../model/rfc.ts';
import type { TrailStore } from '../store/contract/trail.ts';
import { operationId, type Requester, requestHash, writeFailure } from './operation.ts';

/** A decision as it was asked for; texts may hold secrets. */
export interface DecisionAsk {
  /** The endpoint: an Idempotency-Key counts for one. */
  route: 'override' | 'approve' | 'reject' | 'delete';
  action: DecisionAction;
  rfcId: string;
  /** Null: not given; the credential names the caller. */
  actor: string | null;
  reason: string;
  commitSha: string | null;
  repoFullName: string | null;
  acceptFindings: boolean;
  /** The rev of the RFC that was looked at; null: any. */
  expectedRev: number | null;
}

export interface DecisionOutcome {
  rfc_id: string;
  /** Null after a deletion, like `decision`. */
  overall_status: RfcStatus | null;
  decision: Decision | null;
  op_id: string;
  /** The place of its entry in the trail. */
  audit: AuditPlace;
  /** Whether an earlier request with this Idempotency-Key did it. */
  replayed: boolean;
}

/** Overrides, approvals, rejections and deletions. */
export interface Decisions {
  /**
   * Decides about one RFC, durably and in the trail, or not at all. Rejects with NOT_FOUND,
   * ABORTED (`details.status`: the RFC's status does not allow it), ALREADY_EXISTS (the key stands
   * for another request), UNAVAILABLE or RESOURCE_EXHAUSTED (nothing was changed). After other
   * errors the outcome is not known; they carry `details.op_id`.
   */
  decide(ask: DecisionAsk, requester: Requester): Promise<DecisionOutcome>;
}

export interface DecisionsOptions {
  trail: Pick<TrailStore, 'decide'>;
  pipeline: Pick<Pipeline, 'cancel'>;
  redact: Redact;
  /** Whether nobody lets a change of their own pass. */
  fourEyes: boolean;
  now(): Date;
}

/** Creates the service. */
export function createDecisions(options: DecisionsOptions): Decisions {
  const decideRfc = createDecideRfc(options);
  return {
    async decide(ask, requester) {
      const { principal } = requester;
      const texts = await redactNamed(
        {
          actor: ask.actor ?? nameOf(principal),
          reason: ask.reason,
          commit_sha: ask.commitSha,
          repo_full_name: ask.repoFullName,
        },
        options.redact,
        requester,
      );
      const { rfcId, action, acceptFindings } = ask;
      const asked = { action, ...texts, accept_findings: acceptFindings };
      const opId = operationId(ask.route, requester);
      return decideRfc({ rfcId, opId, asked, expectedRev: ask.expectedRev }, requester);
    },
  };
}

/** A decision whose texts are redacted. */
interface RedactedDecision {
  rfcId: string;
  opId: string;
  asked: Omit<DecisionRequest, 'principal' | 'at'>;
  expectedRev: number | null;
}

export type DecideRfc = (
  decision: RedactedDecision,
  requester: Requester,
) => Promise<DecisionOutcome>;

/** Creates the last step of every decision; its errors are those of `Decisions.decide`. */
export function createDecideRfc({
  trail,
  pipeline,
  fourEyes,
  now,
}: Omit<DecisionsOptions, 'redact'>): DecideRfc {
  return async ({ rfcId, opId, asked, expectedRev }, requester) => {
    const { principal } = requester;
    // It goes on even if the client goes away: no signal.
    const output = await trail
      .decide({
        tenant_id: principal.tenant_id,
        rfc_id: rfcId,
        op_id: opId,
        request_hash: requestHash({ ...asked, rfc_id: rfcId }),
        request: {
          ...asked,
          ...(fourEyes ? { four_eyes: true } : {}),
          principal,
          at: now().toISOString(),
        },
        expected_rev: expectedRev,
      })
      .catch((thrown: unknown) => {
        throw writeFailure(conflict(thrown, asked.action), opId, requester);
      });
    pipeline.cancel(rfcId);
    const { rfc_id, overall_status, decision, audit, replayed } = output;
    return { rfc_id, overall_status, decision, op_id: opId, audit, replayed };
  };
}

/** A conflict in words for the caller: the store only says that it was refused. */
function conflict(thrown: unknown, action: DecisionAction): unknown {
  if (!(thrown instanceof CraError) || thrown.code !== 'ABORTED') return thrown;
  const { details } = thrown;
  const status = STATUSES.find((known) => known === details['status']);
  if (status === undefined || action === 'delete') return thrown;
  // It would be allowed now: another decision was faster.
  if (nextStatus(status, action) !== null) return thrown;
  const message = `the RFC is ${status}, and ${action} does not apply to that`;
  return new CraError('ABORTED', message, { details, cause: thrown });
}

/** The actor of requests that name no actor. */
export function nameOf({ name, id }: Principal): string {
  return name ?? id;
}

/** The same texts without secrets; null stays null. */
export async function redactNamed<T extends Readonly<Record<string, string | null>>>(
  texts: T,
  redact: Redact,
  requester: Requester,
): Promise<T> {
  const given = Object.entries(texts).filter(([, text]) => text !== null);
  const redacted = await redact(
    given.map(([, text]) => text ?? ''),
    requester,
  );
  const hidden = given.map(([name], index) => [name, redacted[index] ?? null]);
  return { ...texts, ...Object.fromEntries(hidden) };
}
