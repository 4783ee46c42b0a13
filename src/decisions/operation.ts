import { createHash, randomUUID } from 'node:crypto';
import canonicalize from 'canonicalize';
import { CraError, type StatusCode } from '../model/errors.ts';
import type { Principal } from '../model/principal.ts';

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
