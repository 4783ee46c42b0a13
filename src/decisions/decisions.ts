import { createHash, randomUUID } from 'node:crypto';
import canonicalize from 'canonicalize';
import type { Redact, RulesSource } from '../analysis/job.ts';
import type { Pipeline } from '../analysis/pipeline.ts';
import { type AgentCeilings, isAgent } from '../model/agent.ts';
import type { AuditPlace } from '../model/audit.ts';
import type { DecisionAction, DecisionRequest } from '../model/decision.ts';
import { CraError, invalidField, type StatusCode } from '../model/errors.ts';
import { RULES } from '../model/limits.ts';
import type { Principal } from '../model/principal.ts';
import { approveUrl, type Decision } from '../model/records.ts';
import { nextStatus, type RfcStatus, STATUSES } from '../model/rfc.ts';
import type { PipelineSettings } from '../model/rules.ts';
import { endTime } from '../model/schema.ts';
import type { TrailStore } from '../store/contract/trail.ts';

/** A decision as it was asked for; texts may hold secrets. */
export interface DecisionAsk {
  /** The endpoint: an Idempotency-Key counts for one. */
  route: 'override' | 'approve' | 'reject' | 'delete' | 'review-emergency';
  action: DecisionAction;
  rfcId: string;
  /** Null: not given; the credential names the caller. */
  actor: string | null;
  reason: string;
  commit_sha: string | null;
  repo_full_name: string | null;
  /** All of its findings, or findings by their ids. */
  accept_findings: boolean | readonly string[];
  /** When the acceptance ends, as `endTime` reads it; null: never. */
  expires_at: string | null;
  /** An override that somebody else has to review. */
  emergency: boolean;
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
   * for another request), FAILED_PRECONDITION (no review is due, or an overdue one refuses further
   * emergencies), PERMISSION_DENIED (a second person is needed, or, with `details.approveUrl`, an
   * agent may not do it), UNAVAILABLE or RESOURCE_EXHAUSTED (nothing was changed). After other
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
  /** What callers with the token of agents may do. */
  agentCeilings: AgentCeilings;
  /** Base of links. */
  baseUrl(): string;
  /** The rules in force: `pipeline.max_acceptance_days` and what concerns emergencies. */
  rules: RulesSource;
  now(): Date;
}

/** Creates the service. */
export function createDecisions(options: DecisionsOptions): Decisions {
  const decideRfc = createDecideRfc(options);
  return {
    async decide(ask, requester) {
      const { principal } = requester;
      const { route, rfcId, action, accept_findings, emergency, expectedRev } = ask;
      const { actor, reason, commit_sha, repo_full_name } = ask;
      const texts = await redactNamed(
        { actor: actor ?? nameOf(principal), reason, commit_sha, repo_full_name },
        options.redact,
        requester,
      );
      const expires_at = endOf(ask, options.now());
      const end = expires_at === null ? {} : { expires_at };
      const request = { action, ...texts, accept_findings, ...end };
      const opId = operationId(route, requester);
      return decideRfc({ rfcId, opId, request, emergency, expectedRev }, requester);
    },
  };
}

/** Throws INVALID_ARGUMENT for an end that is over, no time, or the end of nothing. */
function endOf({ expires_at, accept_findings }: DecisionAsk, now: Date): string | null {
  if (expires_at === null) return null;
  const end = endTime(expires_at);
  if (end === null) throw invalidField('expires_at', 'is not a valid time');
  if (accept_findings === false) {
    throw invalidField('expires_at', 'is for a decision with accept_findings alone');
  }
  if (end <= now.toISOString()) throw invalidField('expires_at', 'is over already');
  return end;
}

/** A decision whose texts are redacted. */
interface RedactedDecision {
  rfcId: string;
  opId: string;
  request: Omit<
    DecisionRequest,
    'principal' | 'at' | 'max_acceptance_days' | 'review_due_at' | 'agent'
  >;
  emergency: boolean;
  expectedRev: number | null;
}

export type DecideRfc = (
  decision: RedactedDecision,
  requester: Requester,
) => Promise<DecisionOutcome>;

/** Creates the last step of every decision; it throws as `Decisions.decide` does. */
export function createDecideRfc({
  trail,
  pipeline,
  fourEyes,
  agentCeilings,
  baseUrl,
  rules,
  now,
}: Omit<DecisionsOptions, 'redact'>): DecideRfc {
  return async ({ rfcId, opId, request, emergency, expectedRev }, requester) => {
    const { principal } = requester;
    const { pipeline: settings } = rules.rules;
    const { max_acceptance_days: most } = settings;
    const at = now();
    const what = { ...request, rfc_id: rfcId, ...(emergency ? { emergency: true } : {}) };
    // It goes on even if the client goes away: no signal.
    const output = await trail
      .decide({
        tenant_id: principal.tenant_id,
        rfc_id: rfcId,
        op_id: opId,
        request_hash: requestHash(what),
        request: {
          ...request,
          ...(fourEyes ? { four_eyes: true } : {}),
          ...(isAgent(principal) ? { agent: agentCeilings } : {}),
          ...(most === undefined ? {} : { max_acceptance_days: most }),
          ...(emergency ? emergencyFrom(at, settings) : {}),
          principal,
          at: at.toISOString(),
        },
        expectedRev,
      })
      .catch((thrown: unknown) => {
        throw withLink(writeFailure(conflict(thrown, request.action), opId, requester), () =>
          approveUrl(baseUrl(), rfcId),
        );
      });
    pipeline.cancel(rfcId);
    const { rfc_id, overall_status, decision, audit, replayed } = output;
    return { rfc_id, overall_status, decision, op_id: opId, audit, replayed };
  };
}

const DAY_MS = 24 * 3_600_000;

/** What an emergency override adds to its request: the day of its review does not move later. */
function emergencyFrom(at: Date, settings: PipelineSettings) {
  const {
    emergency_review_days: days = RULES.EMERGENCY_REVIEW_DAYS_DEFAULT,
    refuse_overdue_emergencies: refuses,
  } = settings;
  return {
    review_due_at: new Date(at.getTime() + days * DAY_MS).toISOString(),
    ...(refuses === true ? { refuse_overdue: true as const } : {}),
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

/** A refusal that asks for a person says where that person decides. */
function withLink(error: CraError, link: () => string): CraError {
  const { code, message, details, cause } = error;
  if (details['requiresDashboardApproval'] !== true) return error;
  return new CraError(code, message, { details: { ...details, approveUrl: link() }, cause });
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

/** The caller of an operation, and how a repeat of it is known. */
export interface Requester {
  principal: Principal;
  remoteAddress: string;
  /** Fires when the client goes away. */
  signal: AbortSignal | null;
  /** `Idempotency-Key`; null: every request is an operation of its own. */
  idempotencyKey: string | null;
}

/**
 * Names an operation: the same caller, route and key give the same id, in every daemon. Without a
 * key it is new each time.
 */
export function operationId(route: string, { principal, idempotencyKey }: Requester): string {
  if (idempotencyKey === null) return randomUUID();
  return hashOf([principal.tenant_id, principal.id, route, idempotencyKey]);
}

/** The id of one of several operations of one request. */
export function partOperationId(operation: string, part: string): string {
  return hashOf([operation, part]);
}

/** Tells requests under one id apart. The texts in it are redacted: a hash can be guessed at. */
export function requestHash(request: unknown): string {
  return hashOf(request);
}

function hashOf(value: unknown): string {
  return createHash('sha256')
    .update(canonicalize(value) ?? '')
    .digest('hex');
}

/** After these codes the operation may have happened, or not. */
const UNKNOWN_OUTCOME: ReadonlySet<StatusCode> = new Set([
  'DEADLINE_EXCEEDED',
  'UNKNOWN',
  'INTERNAL',
  'DATA_LOSS',
  'CANCELLED',
]);

/**
 * The error that a caller gets for a failed write: that nothing was changed (`details.changed` is
 * false), or, with the `op_id` in the details, that the outcome is not known and how to learn it.
 */
export function writeFailure(
  thrown: unknown,
  opId: string,
  { idempotencyKey }: Requester,
): CraError {
  const error = CraError.fromUnknown(thrown);
  const { code, details, message, cause } = error;
  if (code === 'UNAVAILABLE' || code === 'RESOURCE_EXHAUSTED') {
    if (details['changed'] === false) return error;
    const unchanged = { ...details, changed: false };
    return new CraError(code, `${message}: nothing was changed`, { details: unchanged, cause });
  }
  if (!UNKNOWN_OUTCOME.has(code)) return error;
  const advice =
    idempotencyKey === null
      ? 'read the RFC before you send it again'
      : 'the same Idempotency-Key may be sent again';
  return new CraError(
    code === 'CANCELLED' ? 'UNKNOWN' : code,
    `it is not known whether this was done; ${advice}`,
    { details: { ...details, op_id: opId }, cause: cause ?? error },
  );
}
