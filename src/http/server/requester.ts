import type { Requester } from '../../decisions/operation.ts';
import { AUDIT } from '../../limits.ts';
import { invalidField } from '../../model/json-body.ts';
import type { Call } from './dispatch.ts';
import { dataReply, type Reply } from './reply.ts';

const PRINTABLE = /^[\x20-\x7e]+$/;

/** The caller of an operation. Throws INVALID_ARGUMENT for an Idempotency-Key that is not valid. */
export function requesterOf({ request, principal }: Call): Requester {
  const { remoteAddress, signal, headers } = request;
  const key = headers.idempotencyKey;
  const idempotencyKey = key === '' ? null : key;
  if (idempotencyKey !== null && !isKey(idempotencyKey)) {
    const most = AUDIT.IDEMPOTENCY_KEY_CHARS_MAX;
    throw invalidField('Idempotency-Key', `must be 1 to ${most} printable characters of ASCII`);
  }
  return { principal, remoteAddress, signal, idempotencyKey };
}

function isKey(key: string): boolean {
  return key.length <= AUDIT.IDEMPOTENCY_KEY_CHARS_MAX && PRINTABLE.test(key);
}

/** The answer to an operation; says if it replays that of an earlier request. */
export function operationReply(data: object, replayed: boolean): Reply {
  const reply = dataReply(JSON.stringify(data));
  return replayed ? { ...reply, headers: [['Idempotency-Replayed', 'true']] } : reply;
}
