import { ANALYZE_ANSWER } from '../../model/answer.ts';
import { SPECIAL_CODES, STATUS_CODES } from '../../model/errors.ts';
import { FINDING } from '../../model/finding.ts';
import { NEXT_STEPS, SHOWN_RFC } from '../../model/next-steps.ts';
import { PRINCIPAL } from '../../model/principal.ts';
import { DECISION, RFC_SUMMARY } from '../../model/records.ts';
import { GATE, STATS } from '../../model/rfc.ts';
import { RULES_FILE } from '../../model/rules.ts';
import { exactly, FULL_NAME, NAME, TEXT, WHOLE, WORDS } from '../../model/schema.ts';
import { TASK } from '../../model/task.ts';
import { DECISION_ANSWER } from '../api/decisions.ts';
import { PROD_DECISION } from '../api/rfc.ts';
import { REVISION_ANSWER } from '../api/rules.ts';
import { STATUS_REPORT } from '../api/status.ts';
import { USAGE_DAY } from '../api/usage.ts';
import type { Route } from '../server/dispatch.ts';

/**
 * Control and format characters (Unicode, Cc and Cf). Those beyond the first plane are written
 * literally: no escape for them works in all languages.
 */
const INVISIBLE = [
  '\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u0600-\\u0605\\u061c\\u06dd\\u070f\\u0890\\u0891\\u08e2',
  '\\u180e\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u2064\\u2066-\\u206f\\ufeff\\ufff9-\\ufffb',
  '\u{110bd}\u{110cd}\u{13430}-\u{1343f}\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}',
  '\u{e0001}\u{e0020}-\u{e007f}',
].join('');

/** Punctuation of ASCII and Latin-1, and blank characters that Unicode does not call format. */
const UNREADABLE =
  '!-/:-@\\[-`{-~\\u00a1-\\u00a9\\u00ab-\\u00b1\\u00b4\\u00b6-\\u00b8\\u00bb\\u00bf' +
  '\\u115f\\u1160\\u2010-\\u2027\\u2030-\\u205e\\u2800\\u3164\\uffa0';

/** Control characters, and characters that end lines or turn the direction of text. */
const TURNING = '\\u0000-\\u001f\\u007f-\\u009f\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069';

/**
 * Our patterns as expressions that mean the same in Python, Go, Rust and ECMAScript: without
 * Unicode classes, and without lone surrogates, which text in such languages cannot hold.
 */
const PORTABLE: ReadonlyMap<unknown, string> = new Map([
  [WHOLE, '^[^\\u0000]*$'],
  // These two also let through signs that are neither letters nor digits, but for common ones.
  [WORDS, `^[^\\u0000]*[^\\s${INVISIBLE}${UNREADABLE}][^\\u0000]*$`],
  [NAME, `^[^${TURNING}]*[^\\s${INVISIBLE}${UNREADABLE}][^${TURNING}]*$`],
  // Go and Rust have no look-ahead, so this pattern does not exclude `..` and `.git`.
  [FULL_NAME, '^[0-9A-Za-z_.][0-9A-Za-z_.-]*(?:/[0-9A-Za-z_.][0-9A-Za-z_.-]*)+$'],
]);

/** Schemas that stand once in the document, under these names. */
export const NAMED_SCHEMAS: ReadonlyMap<object, string> = new Map<object, string>([
  [ANALYZE_ANSWER, 'Analysis'],
  [SHOWN_RFC, 'Rfc'],
  [NEXT_STEPS, 'NextSteps'],
  [RFC_SUMMARY, 'RfcSummary'],
  [GATE, 'GateResult'],
  [FINDING, 'Finding'],
  [STATS, 'DiffStats'],
  [PRINCIPAL, 'Principal'],
  [DECISION, 'Decision'],
  [DECISION_ANSWER, 'Decided'],
  [PROD_DECISION, 'ProdDecision'],
  [TASK, 'WorkerTask'],
  [USAGE_DAY, 'UsageDay'],
  [RULES_FILE, 'RulesFile'],
  [REVISION_ANSWER, 'RulesRevision'],
  [STATUS_REPORT, 'StatusReport'],
]);

/**
 * The schema with a reference in place of each named schema (itself too, unless it `isDefinition`)
 * and with portable patterns.
 */
export function withReferences(schema: unknown, isDefinition = false): unknown {
  if (typeof schema !== 'object' || schema === null) return schema;
  if (Array.isArray(schema)) return schema.map((entry) => withReferences(entry));
  const name = NAMED_SCHEMAS.get(schema);
  if (name !== undefined && !isDefinition) return { $ref: `#/components/schemas/${name}` };
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [
      key,
      key === 'pattern' ? (PORTABLE.get(value) ?? value) : withReferences(value),
    ]),
  );
}

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
  410: 'Archived in a file that this daemon does not have (`details.file`); `code` is `archived`',
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
