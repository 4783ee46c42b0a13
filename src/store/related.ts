import { repositoryKey } from '../model/push.ts';
import { carriedFrom, type RfcRecord, type RfcSummary } from '../model/records.ts';
import type {
  CommitInput,
  PushStore,
  RelatedInput,
  RelatedRfc,
  RelatedRfcs,
  RestingInput,
} from './contract/pushes.ts';
import type { ListInput, ListOutput } from './contract/records.ts';

/** What is read of a store for it; the drivers answer at once or later. */
export interface RelatedReads {
  /** NOT_FOUND. */
  record(id: RfcId): MaybePromise<RfcRecord>;
  /** Those of these RFCs of a tenant that are there. */
  among(tenantId: string, rfcIds: readonly string[]): MaybePromise<RfcRecord[]>;
  resting(input: RestingInput): ReturnType<PushStore['restingOn']> | Records;
  ofCommit(input: CommitInput): ReturnType<PushStore['pushesOfCommit']> | Records;
  list(input: ListInput): MaybePromise<ListOutput>;
}

type MaybePromise<Value> = Value | Promise<Value>;
type Records = { records: RfcRecord[] };

interface RfcId {
  tenant_id: string;
  rfc_id: string;
}

/** See `relatedTo` of the contract. */
export async function findRelated(
  reads: RelatedReads,
  { tenant_id, rfc_id, limit }: RelatedInput,
): Promise<RelatedRfcs> {
  const record = await reads.record({ tenant_id, rfc_id });
  if (record.push === null) return { rests_on: [], resting: [], carries_to: [], more: false };
  const place = { tenant_id, repo_key: repositoryKey(record) };
  const ids = [...new Set([...(record.push.rests_on ?? []), ...carriedFrom(record)])];
  const below = await reads.among(tenant_id, ids.slice(0, limit));
  // One more shows that there are others.
  const { records: resting } = await reads.resting({ ...place, id: rfc_id, limit: limit + 1 });
  const alike = await findAlike(reads, record, place, limit);
  const carries = [...alike].map(([other, same]) => rowOf(other, { same }));
  return {
    rests_on: below.map((other) => rowOf(other, { isCarried: isFrom(record, other.rfc_id) })),
    resting: resting
      .slice(0, limit)
      .map((other) => rowOf(other, { isCarried: isFrom(other, rfc_id) })),
    carries_to: carries.slice(0, limit),
    more: ids.length > limit || resting.length > limit || carries.length > limit,
  };
}

/** Other BLOCKED pushes of the repository with the same commit or change. */
async function findAlike(
  reads: RelatedReads,
  { rfc_id, repo_name, commit_sha: sha, diff_hash, stats }: RfcRecord,
  { tenant_id, repo_key }: { tenant_id: string; repo_key: string },
  limit: number,
): Promise<Map<RfcRecord, 'commit' | 'change'>> {
  const found = new Map<string, [RfcRecord, 'commit' | 'change']>();
  const isAlike = (other: RfcRecord) =>
    other.rfc_id !== rfc_id && other.push !== null && other.overall_status === 'BLOCKED';
  const add = (same: 'commit' | 'change', others: readonly RfcRecord[]) => {
    for (const other of others.filter(isAlike)) {
      if (!found.has(other.rfc_id)) found.set(other.rfc_id, [other, same]);
    }
  };
  if (sha !== null) add('commit', (await reads.ofCommit({ tenant_id, repo_key, sha })).records);
  // What could not be read has no change to compare.
  if (stats.bytes > 0) {
    const asked = { tenant_id, status: 'BLOCKED' as const, repo: repo_name, cursor: null, limit };
    const { json } = await reads.list(asked);
    const rows = (JSON.parse(json) as RfcSummary[]).filter((row) => row.diff_hash === diff_hash);
    add(
      'change',
      await reads.among(
        tenant_id,
        rows.map((row) => row.rfc_id),
      ),
    );
  }
  return new Map(found.values());
}

function isFrom(record: RfcRecord, rfcId: string): boolean {
  return carriedFrom(record).includes(rfcId);
}

function rowOf(
  { rfc_id, overall_status, ref, commit_sha, created_at }: RfcRecord,
  { isCarried = false, same = null }: { isCarried?: boolean; same?: RelatedRfc['same'] },
): RelatedRfc {
  return { rfc_id, overall_status, ref, commit_sha, created_at, is_carried: isCarried, same };
}
