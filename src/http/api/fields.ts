import { TEXT_OR_NULL } from '../../model/schema.ts';
import { HTTP } from '../server/limits.ts';

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
  bodyBytesMax: HTTP.SMALL_BODY_BYTES_MAX,
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
