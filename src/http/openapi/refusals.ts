import { SPECIAL_CODES, STATUS_CODES } from '../../model/errors.ts';
import { exactly, TEXT } from '../api/schemas.ts';
import type { Route } from '../server/route.ts';

const REFUSAL = {
  ...exactly({
    ok: { const: false },
    error: { type: 'string', description: 'A sentence that may be shown' },
    code: { type: 'string', enum: [...STATUS_CODES, ...SPECIAL_CODES] },
    request_id: TEXT,
    details: { type: 'object', description: 'Facts, such as the field that is wrong' },
  }),
  required: ['ok', 'error', 'code', 'request_id'],
};

/** What each refusal means, by HTTP status. */
const MEANINGS: Readonly<Record<number, string>> = {
  400: 'Malformed: no JSON, a field that is missing or wrong (`details.field` names it)',
  401: 'No credential, or a wrong one',
  403: 'The credential does not reach',
  404: 'There is no such thing, or not in the tenant of the caller',
  408: 'The body came too slowly',
  409: 'Conflict with the state of what is asked for, or with another request',
  412: 'What If-Match names has changed: read it again',
  413: 'The body is too large',
  429: 'Too many of these from one caller; Retry-After tells when to go on',
  431: 'Request line and headers are too large',
  500: 'The service failed; its log has the request_id',
  503: 'Overload, or the store does not answer; Retry-After tells when to go on',
  504: 'No answer in time',
};

const WITH_RETRY_AFTER = [429, 503];

const RETRY_AFTER = {
  'Retry-After': { description: 'Seconds', schema: { type: 'string', pattern: '^\\d+$' } },
};

const CHALLENGE = {
  'WWW-Authenticate': { description: 'RFC 6750, 3', schema: { type: 'string' } },
};

/** The refusals as the document has them, under their statuses. */
export const RESPONSES = Object.fromEntries(
  Object.entries(MEANINGS).map(([status, description]) => [
    `Refusal${status}`,
    {
      description,
      ...(WITH_RETRY_AFTER.includes(Number(status)) ? { headers: RETRY_AFTER } : {}),
      ...(status === '401' ? { headers: CHALLENGE } : {}),
      content: { 'application/json': { schema: REFUSAL } },
    },
  ]),
);

/** The refusals of a route: references, by status. */
export function refusalsOf(route: Route): Record<string, { $ref: string }> {
  const isOpen = route.auth.unauthenticated === 'yes';
  const statuses = new Set([400, 431, 500, 503, 504, ...(route.refusals ?? [])]);
  // Whoever comes with wrong credentials again and again is answered 429.
  if (!isOpen) for (const status of [401, 403, 429]) statuses.add(status);
  if (route.path.includes('/:') || route.path.endsWith('*')) statuses.add(404);
  if (route.bodyBytesMax > 0) for (const status of [408, 413]) statuses.add(status);
  const sorted = [...statuses].sort((a, b) => a - b);
  return Object.fromEntries(
    sorted.map((status) => [status, { $ref: `#/components/responses/Refusal${status}` }]),
  );
}
