import { isUtf8 } from 'node:buffer';
import { BODY, PUSHES } from '../limits.ts';
import { CraError } from '../model/errors.ts';
import { checkJsonValues, parseJsonBody } from '../model/json-body.ts';
import type { Provider, PushEvent } from '../model/push.ts';
import { hasPushFields, readPushEvent } from './push-event.ts';

/**
 * Reads a push from the body of its webhook: JSON, or a form with the JSON in its field `payload`
 * (what GitHub's API sets up when it is not told otherwise). Null for what is no push of a ref.
 * Throws INVALID_ARGUMENT.
 */
export function readPushBody(
  body: Uint8Array,
  isForm: boolean,
  provider: Provider,
): PushEvent | null {
  const json = jsonOf(Buffer.from(body.buffer, body.byteOffset, body.byteLength), isForm);
  const start = beforeCommits(json);
  if (hasPushFields(start, provider)) return readPushEvent(start, provider);
  if (json.length > BODY.UNCOUNTED_BYTES_MAX) checkJsonValues(json, PUSHES.DELIVERY_VALUES_MAX);
  return readPushEvent(parseJsonBody(json), provider);
}

function jsonOf(bytes: Buffer, isForm: boolean): Buffer {
  if (!isForm) return bytes;
  const payload = new URLSearchParams(bytes.toString()).get('payload');
  if (payload !== null) return Buffer.from(payload);
  throw new CraError('INVALID_ARGUMENT', 'payload: is missing in the form', {
    details: { field: 'payload' },
  });
}

/** As hosts write it; within a text its quotation marks would have backslashes. */
const COMMITS = Buffer.from(',"commits":[');
const CLOSING_BRACE = 0x7d;

/**
 * What a payload says before its commits, which are most of it and of no use here: to parse them
 * is half of what a webhook costs. Null where that is not at hand: other hosts, other orders,
 * a list of that name deeper inside (what stands before it is then no whole object), no JSON.
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
