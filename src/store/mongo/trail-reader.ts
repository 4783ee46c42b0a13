import type { BlockedInput, BlockedOutput } from '../../rpc/trail-contract.ts';
import { repoKey } from '../repo-key.ts';
import type { TrailReader } from '../store.ts';
import { readFailure } from './audit-error.ts';
import { decodeSequence, encodeSequence } from './cursor.ts';
import { findAccepted } from './decide-accepted.ts';
import type { RecordCollection } from './decide-record.ts';
import type { DecideCollections } from './decide-steps.ts';

/** The reading methods of Trail. */
export function createTrailReader(
  places: Pick<DecideCollections, 'records' | 'accepted'>,
): TrailReader {
  return {
    listBlocked: (input) => listBlocked(places.records, input).catch(rethrow),
    acceptedAmong: (input) =>
      findAccepted(places, input)
        .then((accepted) => ({ accepted }))
        .catch(rethrow),
  };
}

function rethrow(thrown: unknown): never {
  throw readFailure(thrown);
}

async function listBlocked(
  records: RecordCollection,
  { tenant_id, repo, before, limit, cursor }: BlockedInput,
): Promise<BlockedOutput> {
  const found = await records
    .find({
      tenant_id,
      ...(repo === null ? {} : { repo_key: repoKey(repo) }),
      status: 'BLOCKED',
      ...(cursor === null ? {} : { seq: { $gt: decodeSequence(cursor) } }),
      ...(before === null ? {} : { created_at: { $lt: before } }),
      deleted: { $ne: true },
    })
    .project<{ _id: string; seq: Parameters<typeof encodeSequence>[0] }>({ seq: 1 })
    .sort({ seq: 1 })
    .limit(limit + 1)
    .hint(repo === null ? 'by_status' : 'by_repo_status')
    .toArray();
  const page = found.slice(0, limit);
  const last = page.at(-1);
  const isMore = found.length > limit && last !== undefined;
  return {
    rfc_ids: page.map(({ _id }) => _id),
    next_cursor: isMore ? encodeSequence(last.seq) : null,
  };
}
