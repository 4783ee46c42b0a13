import type { Filter } from 'mongodb';
import { AUDIT, FINDINGS_PER_RFC_MAX } from '../../limits.ts';
import { CraError } from '../../model/errors.ts';
import type { AcceptedInput, BlockedInput, BlockedOutput, TrailReader } from '../contract/trail.ts';
import { checkLimit } from '../list-page.ts';
import { repoKey } from '../repo-key.ts';
import { readFailure } from './audit-error.ts';
import { decodeSequence, encodeSequence } from './cursor.ts';
import { findAccepted } from './decide-accepted.ts';
import type { RecordCollection, RecordDocument } from './decide-record.ts';
import type { DecidePlaces } from './decide-steps.ts';

/** The reading methods of Trail. */
export function createTrailReader(places: Pick<DecidePlaces, 'records' | 'accepted'>): TrailReader {
  return {
    listBlocked: (input) => listBlocked(places.records, input).catch(rethrow),
    acceptedAmong: (input) => acceptedAmong(places, input).catch(rethrow),
  };
}

function rethrow(thrown: unknown): never {
  throw readFailure(thrown);
}

async function acceptedAmong(
  places: Pick<DecidePlaces, 'records' | 'accepted'>,
  input: AcceptedInput,
) {
  if (input.fingerprints.length > FINDINGS_PER_RFC_MAX) {
    const message = `at most ${FINDINGS_PER_RFC_MAX} fingerprints are looked up at once`;
    throw new CraError('INVALID_ARGUMENT', message, { details: { field: 'fingerprints' } });
  }
  return { accepted: await findAccepted(places, input) };
}

async function listBlocked(records: RecordCollection, input: BlockedInput): Promise<BlockedOutput> {
  const { repo, limit } = input;
  checkLimit(limit, AUDIT.BULK_MAX);
  const found = await records
    .find(blockedFilter(input), { projection: { seq: 1 } })
    .sort({ seq: 1 })
    .limit(limit + 1)
    .hint(repo === null ? 'by_status' : 'by_repo_status')
    .maxTimeMS(AUDIT.ATTEMPT_MS)
    .toArray();
  const page = found.slice(0, limit);
  const last = page.at(-1);
  const hasMore = found.length > limit && last !== undefined;
  return {
    rfc_ids: page.map(({ _id }) => _id),
    next_cursor: hasMore ? encodeSequence(last.seq) : null,
  };
}

function blockedFilter({ tenant_id, repo, before, cursor }: BlockedInput): Filter<RecordDocument> {
  return {
    tenant_id,
    ...(repo === null ? {} : { repo_key: repoKey(repo) }),
    status: 'BLOCKED',
    ...(cursor === null ? {} : { seq: { $gt: decodeSequence(cursor) } }),
    ...(before === null ? {} : { created_at: { $lt: timeOf(before) } }),
    deleted: { $ne: true },
  };
}

/** The form in which records have their times, which sorts by time. */
function timeOf(before: string): string {
  const ms = Date.parse(before);
  if (!Number.isNaN(ms)) return new Date(ms).toISOString();
  throw new CraError('INVALID_ARGUMENT', 'before is a time in ISO 8601', {
    details: { field: 'before' },
  });
}
