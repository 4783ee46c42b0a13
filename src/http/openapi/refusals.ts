import { SPECIAL_CODES, STATUS_CODES } from '../../model/errors.ts';
import { exactly, TEXT } from '../api/fields.ts';
import type { Route } from '../server/route.ts';

const REFUSAL = {
  ...exactly({
    ok: { const: false },
    error: { type: 'string', description: 'A sentence that may be shown to users' },
    code: { type: 'string', enum: [...STATUS_CODES, ...SPECIAL_CODES] },
    request_id: TEXT,
    details: { type: 'object', description: 'Facts such as the wrong field' },
  }),
  required: ['ok', 'error', 'code', 'request_id'],
};

/** The meaning of each error, by HTTP status. */
const MEANINGS: Readonly<Record<number, string>> = {
  400: 'Malformed: not JSON, or a field is missing or wrong (`details.field` names it)',
  401: 'The credential is missing or wrong',
  403: 'The credential is not allowed here',
  404: "Not found in the caller's tenant",
  408: 'The body arrived too slowly',
  409: 'Conflict with the state of the resource, or with another request',
  412: 'The revision in If-Match is not the current one: read the resource again',
  413: 'The body is too large',
  429: 'Too many such requests from one caller: wait as Retry-After says',
  431: 'The request line and headers are too large',
  500: 'The service failed; its log has the request_id',
  503: 'Overload, or the store does not answer: wait as Retry-After says',
  504: 'No answer in time',
};

const WITH_RETRY_AFTER = [429, 503];

const RETRY_AFTER = {
  'Retry-After': { description: 'Seconds', schema: { type: 'string', pattern: '^\\d+$' } },
};

const CHALLENGE = {
  'WWW-Authenticate': { description: 'RFC 6750, 3', schema: { type: 'string' } },
};

/** The error responses of the document, by their component names. */
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

/** The errors of a route: references, by status. */
export function refusalsOf(route: Route): Record<string, { $ref: string }> {
  const isOpen = route.auth.unauthenticated === 'yes';
  const statuses = new Set([400, 431, 500, 503, 504, ...(route.refusals ?? [])]);
  // Repeated attempts with wrong credentials are answered 429.
  if (!isOpen) for (const status of [401, 403, 429]) statuses.add(status);
  if (route.path.includes('/:') || route.path.endsWith('*')) statuses.add(404);
  if (route.bodyBytesMax > 0) for (const status of [408, 413]) statuses.add(status);
  const sorted = [...statuses].sort((a, b) => a - b);
  return Object.fromEntries(
    sorted.map((status) => [status, { $ref: `#/components/responses/Refusal${status}` }]),
  );
}
