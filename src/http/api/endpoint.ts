import type { Static } from 'typebox';
import { createRateLimiter } from '../../core/rate-limit.ts';
import type { Requester } from '../../decisions/decisions.ts';
import { CraError, invalidField } from '../../model/errors.ts';
import { BODY, DECISIONS } from '../../model/limits.ts';
import { TEXT_OR_NULL } from '../../model/schema.ts';
import { createValidator, type JsonSchema, parseJsonBody } from '../../model/validate.ts';
import type { Call } from '../server/dispatch.ts';
import type { Request } from '../server/exchange.ts';
import { HTTP } from '../server/limits.ts';
import { dataReply, HttpRefusal, type Reply, tooManyRequests } from '../server/reply.ts';

/** Parts of schemas and routes that several resources share; field names are the spec's. */

/** What a list with further pages has beside `data`. */
export const NEXT_CURSOR = {
  next_cursor: { ...TEXT_OR_NULL, description: 'Continues the list; null on the last page' },
} as const;

/** A query that waits for a DRAFT to become final, in seconds. */
export const WAIT_QUERY = {
  type: 'object',
  properties: { wait: { type: 'integer', minimum: 0, maximum: HTTP.WAIT_SECONDS_MAX } },
} as const;

/** A route that takes no body. */
export const NO_BODY = { body: null, bodyBytesMax: 0 } as const;
export const GET = { ...NO_BODY, method: 'GET' } as const;
/** A GET whose answer has an ETag, by which it is asked for again. */
export const TAGGED = { hasEtag: true, headers: ['If-None-Match'] } as const;
/** A route with a small body, which the main thread parses. */
export const POST = {
  method: 'POST',
  query: null,
  bodyBytesMax: BODY.SMALL_BYTES_MAX,
} as const;

const SECOND_MS = 1_000;

/** The `wait` of a query, in ms; 0 without it. */
export function waitMsOf(query: Readonly<Record<string, string | number>>): number {
  return Number(query['wait'] ?? 0) * SECOND_MS;
}

/** A parameter of a query as text; null when it is absent. */
export function textOrNull(value: string | number | undefined): string | null {
  return value === undefined ? null : String(value);
}

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

/** Requests a minute of a caller, for at most so many callers at a time. */
interface RequesterLimit {
  max: number;
  callersMax: number;
  /** What is limited, for the caller: `entries`. */
  what: string;
}

/** Limits the requests of each caller, by address: the result answers 429 to what is too many. */
export function createRequesterLimit({
  max,
  callersMax,
  what,
}: RequesterLimit): (requester: Requester) => void {
  const limiter = createRateLimiter({
    max,
    windowMs: 60_000,
    keysMax: callersMax,
    now: () => performance.now(),
  });
  return ({ principal, remoteAddress }) => {
    const waitMs = limiter.take(`${principal.id}@${remoteAddress}`);
    if (waitMs > 0) throw tooManyRequests(`more than ${max} ${what} a minute`, waitMs);
  };
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

/** `If-Match` names the rev of the RFC that was read (`"7"`); null without it. Throws 412. */
export function expectedRev({ request }: Call): number | null {
  const { ifMatch } = request.headers;
  if (ifMatch === '' || ifMatch === '*') return null;
  const rev = /^"?(\d{1,9})"?$/.exec(ifMatch)?.[1];
  if (rev !== undefined) return Number(rev);
  // A tag of another form matches no RFC (RFC 9110, 13.1.1).
  const message = 'If-Match must be the rev of the RFC in quotes, like "7"';
  throw new HttpRefusal(412, 'FAILED_PRECONDITION', message);
}

/** A conflict because the rev is not the expected one is a failed condition: 412. */
export function asMismatch(thrown: unknown, expected: number | null): unknown {
  if (expected === null || !(thrown instanceof CraError) || thrown.code !== 'ABORTED') {
    return thrown;
  }
  const { rev } = thrown.details;
  if (rev === expected) return thrown;
  return new HttpRefusal(
    412,
    'FAILED_PRECONDITION',
    `the RFC has changed: its rev is ${rev}, not ${expected}; read it again`,
  );
}
