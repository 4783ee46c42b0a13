import { CraError } from '../model/errors.ts';
import { type RfcStatus, statusRank } from '../model/rfc.ts';
import type { ListOutput } from './contract/records.ts';

/** What a list needs of a record; `Place` is where it stands in the order of the store. */
export interface ListRow<Place> {
  seq: Place;
  status: RfcStatus;
  /** The RfcSummary as JSON. */
  summary: string;
}

/**
 * A page from its rows, newest first, of which there is one more than `limit` when another page
 * follows.
 */
export function listPage<Place>(
  rows: readonly ListRow<Place>[],
  limit: number,
  encode: (place: Place) => string,
): ListOutput {
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  const hasMore = rows.length > limit && last !== undefined;
  const next_cursor = hasMore ? encode(last.seq) : null;
  // Sorting is stable: within a status the newest stays first.
  page.sort((a, b) => statusRank(a.status) - statusRank(b.status));
  const texts = page.map((row) => row.summary);
  // The summaries are JSON already: nothing is parsed.
  return { json: `[${texts.join(',')}]`, next_cursor };
}

/** INVALID_ARGUMENT unless `limit` is a whole number from 1 to `max`. */
export function checkLimit(limit: number, max: number): void {
  if (Number.isInteger(limit) && limit >= 1 && limit <= max) return;
  throw new CraError('INVALID_ARGUMENT', `limit must be a whole number from 1 to ${max}`, {
    details: { field: 'limit' },
  });
}
