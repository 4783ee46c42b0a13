import { hash } from 'node:crypto';
import { CraError } from '../model/errors.ts';
import { type ProdFacts, repositoryKey } from '../model/push.ts';
import {
  acceptsHead,
  carriedFrom,
  pinOf,
  type RfcRecord,
  type RfcSummary,
} from '../model/records.ts';
import type { RfcStatus } from '../model/rfc.ts';
import type {
  CommitInput,
  DependentsInput,
  PushStore,
  RelatedInput,
  RelatedRfc,
  RelatedRfcs,
} from './contract/pushes.ts';
import type { ListInput, ListOutput, RfcId } from './contract/records.ts';
import { PUSH_STORE } from './limits.ts';

/** A record as it stands in a store. Only this service writes there: no more is checked. */
export function parseRecord(json: string): RfcRecord {
  return parse(json) as RfcRecord;
}

/** The same of its summary. */
export function parseSummary(json: string): RfcSummary {
  return parse(json) as RfcSummary;
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch (thrown) {
    throw new CraError('DATA_LOSS', 'a stored record is damaged', { cause: thrown });
  }
}

/** What a deployment goes by, of a whole record. */
export function prodFacts(record: RfcRecord): ProdFacts {
  const { rfc_id, overall_status, risk_score, commit_sha } = record;
  const pin = pinOf(record);
  const carried_from = carriedFrom(record);
  return { rfc_id, overall_status, risk_score, commit_sha, pin, carried_from };
}

/**
 * The form in which repositories are compared: hosts treat `Org/Repo` and `org/repo` as one, so
 * a verdict under one spelling must be found under the other.
 */
export function repoKey(repoName: string): string {
  return repoName.toLowerCase();
}

/** Statuses that a person's decision gives, or that depend on one. */
export const DECIDED_STATUSES = ['REJECTED', 'OVERRIDDEN', 'APPROVED'] as const;

/** Whether a record calls its repository by one of these names. */
export function isNamed(
  { repo_name, repo_full_name }: Pick<RfcRecord, 'repo_name' | 'repo_full_name'>,
  names: readonly string[],
): boolean {
  const keys = new Set(names.map(repoKey));
  return keys.has(repoKey(repo_name)) || keys.has(repoKey(repo_full_name ?? repo_name));
}

/** The rejected ones of these, each once. */
export function rejectedOnce(records: readonly RfcRecord[]): RfcRecord[] {
  const rejected = records.filter(({ overall_status }) => overall_status === 'REJECTED');
  return [...new Map(rejected.map((record) => [record.rfc_id, record])).values()];
}

/** A row of a record that somebody decided about. */
export interface DecidedRow {
  status: RfcStatus;
  json: string;
}

/** Takes rows of records that call their repository by one of these names. */
export function createDecidedPicker(names: readonly string[]) {
  const records: RfcRecord[] = [];
  const counts = new Map<RfcStatus, number>();
  const isFull = (status: RfcStatus) => counts.get(status) === PUSH_STORE.REFUSED_MAX;
  return {
    records,
    /** True: PUSH_STORE.REFUSED_MAX of each status are taken. */
    add({ status, json }: DecidedRow): boolean {
      const record = isFull(status) ? null : parseRecord(json);
      if (record === null || !isNamed(record, names)) return false;
      records.push(record);
      counts.set(status, (counts.get(status) ?? 0) + 1);
      return DECIDED_STATUSES.every(isFull);
    },
  };
}

/** Statuses of verdicts that fall with what they depend on; a rejection and an end always stand. */
export const DEPENDENT_STATUSES = ['PASSED', 'APPROVED', 'OVERRIDDEN', 'BLOCKED'] as const;

/** Whether the verdict of a push may be revoked. */
export function canReopen({ overall_status, push }: RfcRecord): boolean {
  return push !== null && DEPENDENT_STATUSES.some((status) => status === overall_status);
}

/** Whether the change of a push was never had: it is BLOCKED until a later try. */
export function isUnjudged(status: RfcStatus, waitingFor: string | null | undefined): boolean {
  return status === 'BLOCKED' && (waitingFor ?? null) !== null;
}

/** What a store keeps beside the record of a push, to search for it: it follows from the record. */
export function searchedOf(record: RfcRecord): {
  /** Its commit is an accepted head. */
  isAccepted: boolean;
  isUnjudged: boolean;
  /** The pushes that its verdict depends on. */
  dependsOn: readonly string[];
} {
  const { overall_status, push } = record;
  return {
    isAccepted: acceptsHead(record),
    isUnjudged: isUnjudged(overall_status, push?.waiting_for),
    dependsOn: canReopen(record) ? (push?.rests_on ?? []) : [],
  };
}

/**
 * What tells a delivery, and the body of a webhook, apart from all others: half a SHA-256, hex.
 * `bodyHash` is the SHA-256 of the body.
 */
export function deliveryKey(delivery: string): string {
  return halfOf(hash('sha256', delivery));
}

/** See `deliveryKey`. */
export function bodyKey(bodyHash: string): string {
  return halfOf(bodyHash);
}

function halfOf(hex: string): string {
  return hex.slice(0, 32);
}

/** About the bytes of a row with its indexes. */
const ROW_BYTES = 2 * 1024;

/** About the bytes of a value in the database: the size of batches and pages depends on it. */
export function weightOf(value: unknown): number {
  if (typeof value === 'string' || value instanceof Uint8Array) return value.length;
  if (typeof value !== 'object' || value === null) return 0;
  let bytes = Array.isArray(value) ? 0 : ROW_BYTES;
  for (const part of Object.values(value)) bytes += weightOf(part);
  return bytes;
}

/** What is read of a store for it; the drivers answer at once or later. */
export interface RelatedReads {
  /** NOT_FOUND. */
  record(id: RfcId): MaybePromise<RfcRecord>;
  /** The RFCs of a tenant with these ids that exist. */
  among(tenantId: string, rfcIds: readonly string[]): MaybePromise<RfcRecord[]>;
  dependents(input: DependentsInput): ReturnType<PushStore['dependentsOf']> | Records;
  ofCommit(input: CommitInput): ReturnType<PushStore['pushesOfCommit']> | Records;
  list(input: ListInput): MaybePromise<ListOutput>;
}

type MaybePromise<Value> = Value | Promise<Value>;
type Records = { records: RfcRecord[] };

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
  const { records: dependents } = await reads.dependents({
    ...place,
    id: rfc_id,
    limit: limit + 1,
  });
  const alike = await findAlike(reads, record, place, limit);
  const carries = [...alike].map(([other, same]) => rowOf(other, { same }));
  return {
    rests_on: below.map((other) => rowOf(other, { isCarried: isFrom(record, other.rfc_id) })),
    resting: dependents
      .slice(0, limit)
      .map((other) => rowOf(other, { isCarried: isFrom(other, rfc_id) })),
    carries_to: carries.slice(0, limit),
    more: ids.length > limit || dependents.length > limit || carries.length > limit,
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
