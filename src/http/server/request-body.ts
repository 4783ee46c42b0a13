import type { Static } from 'typebox';
import type { Requester } from '../../decisions/operation.ts';
import { invalidField } from '../../model/errors.ts';
import { DECISIONS } from '../../model/limits.ts';
import { createValidator, type JsonSchema, parseJsonBody } from '../../model/validate.ts';
import type { Call } from './dispatch.ts';
import type { Request } from './exchange.ts';
import { dataReply, type Reply } from './reply.ts';

const PRINTABLE = /^[\x20-\x7e]+$/;

/** The caller of an operation. Throws INVALID_ARGUMENT for an Idempotency-Key that is not valid. */
export function requesterOf({ request, principal }: Call): Requester {
  const { remoteAddress, signal, headers } = request;
  const key = headers.idempotencyKey;
  const idempotencyKey = key === '' ? null : key;
  if (idempotencyKey !== null && !isKey(idempotencyKey)) {
    const most = DECISIONS.IDEMPOTENCY_KEY_CHARS_MAX;
    throw invalidField('Idempotency-Key', `must be 1 to ${most} printable characters of ASCII`);
  }
  return { principal, remoteAddress, signal, idempotencyKey };
}

function isKey(key: string): boolean {
  return key.length <= DECISIONS.IDEMPOTENCY_KEY_CHARS_MAX && PRINTABLE.test(key);
}

/** The answer to an operation; says if it replays that of an earlier request. */
export function operationReply(data: object, replayed: boolean): Reply {
  const reply = dataReply(JSON.stringify(data));
  return replayed ? { ...reply, headers: [['Idempotency-Replayed', 'true']] } : reply;
}

/**
 * Creates the reader of an endpoint's JSON body, typed by its schema: for small bodies, which the
 * main thread may parse itself. INVALID_ARGUMENT names the wrong field. An absent body is `{}` if
 * `isOptional`.
 */
export function createBodyReader<S extends JsonSchema>(
  schema: S,
  isOptional = false,
): (request: Request) => Promise<Static<S>> {
  const validate = createValidator<Static<S>>(schema, 'body');
  return async (request) => {
    const body = await request.body();
    if (isOptional && body.length === 0) return validate({});
    return validate(parseJsonBody(Buffer.from(body)));
  };
}
