import { invalidField } from '../model/json-body.ts';
import { requestHash } from './operation.ts';

/** Selects the RFCs of a bulk call: those that match all filters. */
export interface BulkFilter {
  /** Name of a repository, without regard to case. */
  repo: string | null;
  /** ISO 8601 as it came. */
  beforeDate: string | null;
  rfcIds: readonly string[] | null;
}

/** Where one call of a series starts. */
export interface BulkStart {
  /** Only RFCs created before (ISO 8601, UTC): those that come during the series are left out. */
  before: string;
  /** Cursor of the store, where no ids are given; null: from the oldest. */
  cursor: string | null;
  /** Of the ids given, the first one that is left. */
  index: number;
}

const ISO_8601 =
  /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/;
const HAS_ZONE = /(?:Z|T.*[+-]\d{2}:?\d{2})$/;

/**
 * Where to start: at the beginning, or where `next` of the answer before says. Throws
 * INVALID_ARGUMENT without a filter, for an invalid date, and for a `next` of other filters.
 */
export function startOf(filter: BulkFilter, next: string | null, now: Date): BulkStart {
  const { repo, beforeDate, rfcIds } = filter;
  if (repo === null && beforeDate === null && rfcIds === null) {
    throw invalidField('body', 'needs at least one of repo, before_date and rfc_ids');
  }
  const before = beforeDate === null ? now.toISOString() : readDate(beforeDate);
  return next === null ? { before, cursor: null, index: 0 } : readNext(filter, next);
}

/** The `next` of an answer; it goes with these filters only. */
export function writeNext(filter: BulkFilter, start: BulkStart): string {
  const token = { filter: filterHash(filter), ...start };
  return Buffer.from(JSON.stringify(token)).toString('base64url');
}

function readNext(filter: BulkFilter, next: string): BulkStart {
  const token = parse(next);
  if (token === null || token.filter !== filterHash(filter)) {
    throw invalidField('next', 'does not belong to these filters; send those of the call before');
  }
  const { before, cursor, index } = token;
  return { before, cursor, index };
}

function parse(next: string): ({ filter: string } & BulkStart) | null {
  try {
    const token = JSON.parse(Buffer.from(next, 'base64url').toString()) as Record<string, unknown>;
    const { filter, before, cursor, index } = token;
    if (typeof filter !== 'string' || typeof before !== 'string') return null;
    if (cursor !== null && typeof cursor !== 'string') return null;
    if (!Number.isSafeInteger(index) || Number(index) < 0) return null;
    return { filter, before, cursor, index: Number(index) };
  } catch {
    return null;
  }
}

function filterHash({ repo, beforeDate, rfcIds }: BulkFilter): string {
  return requestHash([repo?.toLowerCase() ?? null, beforeDate, rfcIds]);
}

/** In the form of `created_at` of records. A time without a zone is UTC. */
function readDate(text: string): string {
  const isTime = text.includes('T');
  const ms =
    ISO_8601.test(text) && isDay(text.slice(0, 10))
      ? Date.parse(isTime && !HAS_ZONE.test(text) ? `${text}Z` : text)
      : Number.NaN;
  if (Number.isNaN(ms)) {
    throw invalidField('before_date', 'must be a date or time of ISO 8601, like 2026-01-31');
  }
  return new Date(ms).toISOString();
}

/** Whether the calendar has this day; `Date` turns 30 February into 2 March. */
function isDay(text: string): boolean {
  const ms = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(text);
}
