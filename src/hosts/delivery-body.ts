import { isUtf8 } from 'node:buffer';
import { BODY, PUSHES } from '../limits.ts';
import { CraError } from '../model/errors.ts';
import { checkJsonValues, parseJsonBody } from '../model/json-body.ts';
import type { Provider, PushEvent } from '../model/push.ts';
import { dialectOf, hasPushFields, isPushPayload, readPushEvent } from './push-event.ts';

/** What a delivery's headers say of its body. */
export interface BodyKind {
  /** Whose dialect it is; null: no header names the event, so the payload decides. */
  provider: Provider | null;
  /** Whether it is a form with the JSON in its field `payload`, the default of GitHub's API. */
  isForm: boolean;
}

/**
 * Reads a push from the body of its webhook. Null for another event than the push of a ref. Throws
 * INVALID_ARGUMENT.
 */
export function readPushBody(body: Uint8Array, { provider, isForm }: BodyKind): PushEvent | null {
  const json = jsonOf(Buffer.from(body.buffer, body.byteOffset, body.byteLength), isForm);
  const start = beforeCommits(json);
  const known = provider ?? dialectOf(start);
  if (hasPushFields(start, known)) return readPushEvent(start, known);
  if (json.length > BODY.UNCOUNTED_BYTES_MAX) checkJsonValues(json, PUSHES.DELIVERY_VALUES_MAX);
  const payload = parseJsonBody(json);
  if (provider !== null) return readPushEvent(payload, provider);
  return isPushPayload(payload) ? readPushEvent(payload, dialectOf(payload)) : null;
}

function jsonOf(bytes: Buffer, isForm: boolean): Buffer {
  if (!isForm) return bytes;
  const payload = new URLSearchParams(bytes.toString()).get('payload');
  if (payload !== null) return Buffer.from(payload);
  throw new CraError('INVALID_ARGUMENT', 'payload: is missing in the form', {
    details: { field: 'payload' },
  });
}

/** As hosts write it; within a JSON text its quotation marks would have backslashes. */
const COMMITS = Buffer.from(',"commits":[');
const CLOSING_BRACE = 0x7d;

/**
 * The part of a payload before its commits, which are most of it and of no use here: to parse them
 * is half of what a webhook costs. Null where that is not known: other hosts, other orders, a
 * list of that name deeper inside (the text before it is then not a whole object), no JSON.
 */
function beforeCommits(json: Buffer): unknown {
  const end = json.indexOf(COMMITS);
  if (end === -1 || json.at(-1) !== CLOSING_BRACE || !isUtf8(json)) return null;
  try {
    return JSON.parse(`${json.toString('utf8', 0, end)}}`);
  } catch {
    return null;
  }
}
