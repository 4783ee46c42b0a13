import {
  type Binary,
  type Collection,
  type Document,
  type Filter,
  type FindOptions,
  MaxKey,
  type ObjectId,
  Timestamp,
  type WithId,
} from 'mongodb';
import { JOB } from '../../model/limits.ts';
import { PULL_REQUEST_REF } from '../../model/push.ts';
import { type RfcStatus, STATUSES } from '../../model/rfc.ts';
import type { RfcId } from '../contract/records.ts';
import { MONGO } from '../limits.ts';
import { decodePlace, encodePlace } from '../lists.ts';
import type { DiffChunkDocument, RfcDocument } from './documents.ts';

/** A query as the driver takes it: `find(filter, options)`. */
export interface Query<Of extends Document> {
  filter: Filter<Of>;
  options: FindOptions;
}

/** A query that reads these fields, whose names stand in one text; `-_id` leaves the id out. */
export function query<Of extends Document = RfcDocument>(
  filter: Filter<Of>,
  fields: string,
  options: FindOptions = {},
): Query<Of> {
  const projection = fields.split(' ').map((field) => {
    return field.startsWith('-') ? ([field.slice(1), 0] as const) : ([field, 1] as const);
  });
  return { filter, options: { projection: Object.fromEntries(projection), ...options } };
}

/** The same for the newest, by an index that ends with `seq`: for one unless `limit` says more. */
export function newest<Of extends Document = RfcDocument>(
  filter: Filter<Of>,
  fields: string,
  options: FindOptions,
): Query<Of> {
  return query(filter, fields, { sort: { seq: -1 }, limit: 1, ...options });
}

/** All that a query finds; `options` go before its own. */
export function findAll<Of extends Document>(
  collection: Collection<Of>,
  query: Query<Of>,
  options: FindOptions = {},
): Promise<WithId<Of>[]> {
  return collection.find(query.filter, { ...query.options, ...options }).toArray();
}

/** The first that it finds; null when absent. */
export function findFirst<Of extends Document>(
  collection: Collection<Of>,
  query: Query<Of>,
  options: FindOptions = {},
): Promise<WithId<Of> | null> {
  return collection.findOne(query.filter, { ...query.options, ...options });
}

/** How many documents a query finds, counted by the database as far as its limit. */
export function countOf<Of extends Document>(
  collection: Collection<Of>,
  { filter, options: { limit, hint } }: Query<Of>,
): Promise<number> {
  return collection.countDocuments(filter, {
    ...(limit === undefined ? {} : { limit }),
    ...(hint === undefined ? {} : { hint }),
  });
}

/** What of a record is listed, and from where on. */
export interface ListFilter {
  tenant_id: string;
  repo_key: string | null;
  status: RfcStatus | null;
  component: string | null;
  places: Places;
  limit: number;
}

/** Places within a list, by `seq`; `{}`: all. */
export interface Places {
  $gt?: Timestamp;
  $lt?: Timestamp;
  $lte?: Timestamp;
  $gte?: Timestamp;
}

/** Entries of the index of texts. */
export interface TextEntries {
  tenant_id: string;
  text: string;
  places: Places;
}

/** Whose newest record is looked for; null: any. */
export interface LatestFilter {
  tenant_id: string;
  repo_key: string;
  branch: string | null;
  commit_sha: string | null;
}

/** Of a record that counts for its repository. */
export const LIVE_STATUSES = STATUSES.filter((status) => status !== 'SUPERSEDED');

/** Of a DRAFT that a daemon works on; a push is claimed by its own fields. */
export const IS_OWNED = { owner: { $gt: '' } };

/** Sums of a day with BLOCKED changes; one daemon of several may have counted less than none. */
export const HAS_BLOCKED = { 'counts.blocked': { $exists: true } };

/** An emergency override that somebody has to review. */
export const IS_TO_REVIEW = { review_due: { $gt: new Date(0) } };

/** Overdue by the clock of the server. */
export const IS_OVERDUE = { $lte: ['$review_due', '$$NOW'] };

/** Neither a deployment nor a branch depends on the pull request of a fork. */
export const OF_BRANCH = { 'push.ref': { $not: PULL_REQUEST_REF } };

const ALIVE = { deleted: { $ne: true } } as const;

/** A daemon that inserted or took up a DRAFT holds its lease for this long. */
export const LEASE_MS = JOB.ATTEMPT_DEADLINE_MS + MONGO.LEASE_MARGIN_MS;

/** The end of a lease on the server's clock: a new DRAFT's runs from when it was inserted. */
const LEASE_END = { $ifNull: ['$lease_until', { $add: [{ $toDate: '$seq' }, LEASE_MS] }] };

/**
 * Every query on records and diffs. test/store/mongo/records.test.ts holds the plan of each: no
 * query may scan or sort. `hint` keeps the plans of lists whatever the planner has seen before.
 */
export const QUERIES = {
  /** A record that is not deleted. */
  view: ({ rfc_id, tenant_id }: RfcId) =>
    query({ _id: rfc_id, tenant_id, ...ALIVE }, 'status rev json -_id'),
  /** Records of any tenant that are not deleted: the caller compares the tenant. */
  views: (ids: readonly string[]) =>
    query({ _id: { $in: [...ids] }, ...ALIVE }, 'tenant_id status rev json'),
  diff: ({ rfc_id, tenant_id }: RfcId) => query({ _id: rfc_id, tenant_id, ...ALIVE }, 'diff -_id'),
  /** Whatever stands under these ids, tombstones included. */
  known: (ids: readonly string[]) => query({ _id: { $in: [...ids] } }, 'tenant_id json deleted'),
  /** Keys of an index alone; tombstones are among them. */
  ofStatus: (tenant_id: string, status: RfcStatus, limit: number) =>
    query({ tenant_id, status }, 'status -_id', { limit, hint: 'by_status' }),
  gone: (tenant_id: string, status: RfcStatus, limit: number) =>
    query({ tenant_id, status, deleted: true }, 'status -_id', { limit, hint: 'gone' }),
  oldestBlocked: (tenant_id: string) =>
    query({ tenant_id, status: 'BLOCKED', ...ALIVE }, 'created_at -_id', {
      sort: { seq: 1 },
      limit: 1,
      hint: 'by_status',
    }),
  list: ({ tenant_id, repo_key, status, component, places, limit }: ListFilter) => {
    const filter: Filter<RfcDocument> = {
      tenant_id,
      ...(repo_key === null ? {} : { repo_key }),
      ...(status === null ? {} : { status }),
      ...(component === null ? {} : { components: component }),
      ...within(places),
      ...ALIVE,
    };
    const hint = component === null ? listIndex(repo_key, status) : 'by_component';
    return newest(filter, 'seq status summary -_id', { limit, hint });
  },
  scores: (tenant_id: string, places: Places, limit: number) =>
    newest({ tenant_id, ...within(places), ...ALIVE }, 'seq json -_id', {
      limit,
      hint: 'by_tenant',
    }),
  /** The record whose time is the nearest to one: the newest until it, or the oldest since it. */
  nearest: (tenant_id: string, side: 'until' | 'since', at: string) => {
    const isUntil = side === 'until';
    const direction = isUntil ? -1 : 1;
    const created_at = isUntil ? { $lte: at } : { $gte: at };
    return query({ tenant_id, created_at }, 'seq -_id', {
      sort: { created_at: direction, seq: direction },
      limit: 1,
      hint: 'by_time',
    });
  },
  /** Keys of the index alone. */
  withText: (entries: TextEntries, limit: number) =>
    query(ofText(entries), 'seq -_id', { limit, hint: 'by_text' }),
  /** Of records of these places. */
  textsOf: (tenant_id: string, places: readonly Timestamp[]) =>
    query({ tenant_id, seq: { $in: [...places] } }, 'seq texts -_id', { hint: 'by_tenant' }),
  /** The place of the last entry that a page looks at; absent: the list ends before. */
  lastExamined: (entries: TextEntries, examined: number) =>
    newest(ofText(entries), 'seq -_id', { skip: examined - 1, hint: 'by_text' }),
  listByTexts: (entries: TextEntries, others: readonly string[], list: ListFilter) => {
    const { repo_key, status, component, limit } = list;
    const filter: Filter<RfcDocument> = {
      ...ofText(entries),
      ...(repo_key === null ? {} : { repo_key }),
      ...(status === null ? {} : { status }),
      ...(component === null ? {} : { components: component }),
      // As an expression, so that the index is read by the text of `entries`.
      $expr: { $setIsSubset: [{ $literal: others }, '$texts'] },
      ...ALIVE,
    };
    return newest(filter, 'seq status summary -_id', { limit, hint: 'by_text' });
  },
  /**
   * The newest record that is not SUPERSEDED. Of a whole repository it is the newest of the records
   * that the index of the lists has for each status.
   */
  latest: ({ tenant_id, repo_key, branch, commit_sha }: LatestFilter) => {
    const filter: Filter<RfcDocument> = {
      tenant_id,
      repo_key,
      ...(branch === null ? {} : { branch }),
      ...(commit_sha === null ? {} : { commit_sha }),
      status: { $in: [...LIVE_STATUSES] },
      ...OF_BRANCH,
      ...ALIVE,
    };
    return newest(filter, 'seq status rev json -_id', { hint: latestIndex(branch, commit_sha) });
  },
  /** DRAFTs of this daemon, and DRAFTs whose lease has run out; pushes are not in it. */
  drafts: (owner: string, limit: number, places: Places) => {
    const filter: Filter<RfcDocument> = {
      status: 'DRAFT',
      ...within(places),
      ...IS_OWNED,
      push: { $exists: false },
      ...ALIVE,
      $or: [{ owner }, { $expr: { $lt: [LEASE_END, '$$NOW'] } }],
    };
    return query(filter, 'seq json -_id', { sort: { seq: 1 }, limit, hint: 'owned_drafts' });
  },
  /** The newest RFCs of a commit that are not SUPERSEDED. */
  ofCommit: (tenant_id: string, repo_key: string, commit_sha: string, limit: number) => {
    const status = { $in: LIVE_STATUSES };
    const filter: Filter<RfcDocument> = { tenant_id, repo_key, commit_sha, status, ...ALIVE };
    return query(filter, '_id', { sort: { seq: -1 }, limit, hint: 'live_of_commit' });
  },
  /** The DRAFT that a compare-and-set may change. */
  draftAt: (rfc_id: string, tenant_id: string, rev: number): Filter<RfcDocument> => ({
    _id: rfc_id,
    tenant_id,
    status: 'DRAFT',
    rev,
    ...ALIVE,
  }),
  chunks: (diff: ObjectId): Query<DiffChunkDocument> =>
    query(
      { _id: { $gte: { diff, chunk: 0 }, $lt: { diff, chunk: new MaxKey() as never } } },
      'data',
      { sort: { _id: 1 } },
    ),
} as const;

function ofText({ tenant_id, text, places }: TextEntries): Filter<RfcDocument> {
  return { tenant_id, texts: text, ...within(places) };
}

function within(places: Places): Filter<RfcDocument> {
  return Object.keys(places).length === 0 ? {} : { seq: places };
}

function listIndex(repoKey: string | null, status: RfcStatus | null): string {
  if (repoKey === null) return status === null ? 'by_tenant' : 'by_status';
  return status === null ? 'by_repo' : 'by_repo_status';
}

function latestIndex(branch: string | null, commitSha: string | null): string {
  if (commitSha !== null) return 'live_of_commit';
  return branch === null ? 'by_repo_status' : 'live_by_branch';
}

/** The bytes of a BSON Binary in an ArrayBuffer that holds nothing else, to be transferred. */
export function ownBytes(data: Binary | Uint8Array): Uint8Array {
  return new Uint8Array(data instanceof Uint8Array ? data : data.buffer);
}

const PLACE = /^([1-9]\d{0,9}):(0|[1-9]\d{0,9})$/;
const UINT32_MAX = 2 ** 32 - 1;

/** A place in the order of the store, as callers carry it. */
export function encodeSequence({ t, i }: Timestamp): string {
  return encodePlace(`${t}:${i}`);
}

/** The place that `encodeSequence` was given; INVALID_ARGUMENT for any other text. */
export function decodeSequence(cursor: string): Timestamp {
  return decodePlace(cursor, (text) => {
    const match = PLACE.exec(text);
    const t = Number(match?.[1]);
    const i = Number(match?.[2]);
    return match !== null && t <= UINT32_MAX && i <= UINT32_MAX ? new Timestamp({ t, i }) : null;
  });
}
