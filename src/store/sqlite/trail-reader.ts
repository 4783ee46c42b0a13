import { AUDIT, FINDINGS_PER_RFC_MAX } from '../../limits.ts';
import { CraError } from '../../model/errors.ts';
import type { BlockedInput, BlockedOutput, TrailReader } from '../contract/trail.ts';
import { decodeCursor, encodeCursor } from '../list-cursor.ts';
import { checkLimit } from '../list-page.ts';
import { repoKey } from '../repo-key.ts';
import { createAcceptedFinder } from './accepted.ts';
import type { Connection } from './database.ts';
import { QUERIES } from './queries.ts';
import { guarded } from './reading.ts';

interface BlockedRow {
  seq: number;
  rfc_id: string;
  created_at: string;
}

/** The reading methods of Trail. */
export function createTrailReader(database: Connection): TrailReader {
  const findAccepted = createAcceptedFinder(database);
  const findBlocked = createBlockedFinder(database);
  return {
    listBlocked: (input) => guarded(() => findBlocked(input)),
    acceptedAmong: (input) =>
      guarded(() => {
        if (input.fingerprints.length > FINDINGS_PER_RFC_MAX) {
          const message = `at most ${FINDINGS_PER_RFC_MAX} fingerprints are looked up at once`;
          throw new CraError('INVALID_ARGUMENT', message, { details: { field: 'fingerprints' } });
        }
        return { accepted: findAccepted(input) };
      }),
  };
}

function createBlockedFinder(database: Connection): (input: BlockedInput) => BlockedOutput {
  const list = database.prepare<unknown[], BlockedRow>(QUERIES.blocked);
  const listByRepo = database.prepare<unknown[], BlockedRow>(QUERIES.blockedByRepo);

  return ({ tenant_id: tenant, repo, before, limit, cursor }) => {
    checkLimit(limit, AUDIT.BULK_MAX);
    const beforeMs = before === null ? Number.POSITIVE_INFINITY : timeOf(before);
    const after = cursor === null ? 0 : decodeCursor(cursor);
    const rows =
      repo === null
        ? list.all(tenant, after, limit + 1)
        : listByRepo.all(tenant, repoKey(repo), after, limit + 1);
    const page = rows.slice(0, limit);
    const last = page.at(-1);
    const hasMore = rows.length > limit && last !== undefined;
    // The time is compared here, row by row: an index for it would cost every insert.
    const wanted = page.filter(({ created_at }) => Date.parse(created_at) < beforeMs);
    return {
      rfc_ids: wanted.map(({ rfc_id }) => rfc_id),
      next_cursor: hasMore ? encodeCursor(last.seq) : null,
    };
  };
}

function timeOf(before: string): number {
  const ms = Date.parse(before);
  if (!Number.isNaN(ms)) return ms;
  throw new CraError('INVALID_ARGUMENT', 'before is a time in ISO 8601', {
    details: { field: 'before' },
  });
}
