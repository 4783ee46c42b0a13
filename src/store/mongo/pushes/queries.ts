import type { Document, Filter } from 'mongodb';
import {
  PULL_REQUEST_REF,
  type RefPlace,
  type Repository,
  type RepositoryPlace,
} from '../../../model/push.ts';
import type { RfcStatus } from '../../../model/rfc.ts';
import { MONGO, PUSH_STORE } from '../../limits.ts';
import {
  bodyKey,
  DECIDED_STATUSES,
  DEPENDENT_STATUSES,
  deliveryKey,
  repoKey,
} from '../../stored-record.ts';
import type { BaselineDocument, RfcDocument } from '../documents.ts';
import { LIVE_STATUSES, newest, OF_BRANCH, type Query, query } from '../queries.ts';

const EPOCH = new Date(0);

/** A record that is a push. Of a date, so that an index with the date in it answers alone. */
export const IS_PUSH = { 'push.due': { $gte: EPOCH } };
/** A push that waits or is being judged. */
export const IS_OPEN = { status: 'DRAFT', ...IS_PUSH } as const;
/** A push whose commit is an accepted head. */
export const IS_ACCEPTED = { 'push.accepted': true } as const;
/** A push that has landed against its verdict. */
export const IS_LANDED = { landed: true } as const;
/** A record whose host gets a status. */
export const IS_DUE = { 'vcs.due': { $gte: EPOCH } };

/** The refusal left by a deleted RFC that refused its change; of a push. */
export const IS_REFUSAL = { 'refusal.at': { $gte: EPOCH } };
/** See `OF_BRANCH`. */
export const REFUSED_OF_BRANCH = { 'refusal.ref': { $not: PULL_REQUEST_REF } };
export const IS_REFUSED_PUSH = { 'refusal.ref': { $gt: '' } };
/** What a person's decision gives, or what depends on one. */
export const IS_DECIDED_STATUS = { status: { $in: [...DECIDED_STATUSES] } };

/** Nobody leases it now, by the clock of the server. */
export const IS_FREE = { $expr: { $lte: ['$push.due', '$$NOW'] } };
const IS_LEASED = { $expr: { $gt: ['$push.due', '$$NOW'] } };

/**
 * What the primary has, whether or not a majority has it yet: for what a compare-and-set of the
 * same document follows, which is lost together with what it was based on.
 */
export const LOCAL = { readConcern: 'local', maxTimeMS: MONGO.READ_WAIT_MS } as const;

/** The pushes of a repository. */
function within({ tenant_id, repo_key }: RepositoryPlace) {
  return { tenant_id, 'push.repo': repo_key };
}

/** The pushes of a ref. */
function ofRef({ ref, ...repo }: RefPlace) {
  return { ...within(repo), 'push.ref': ref };
}

/** The records of a name, as the store compares it. */
export interface NamePlace {
  tenant_id: string;
  repo_key: string;
}

/** The name of a repository as the store compares it. */
export function nameOf({ tenant_id, repo_name }: Repository): NamePlace {
  return { tenant_id, repo_key: repoKey(repo_name) };
}

/** Refusals left by deleted RFCs, newest first. */
function refusals(filter: Filter<RfcDocument>, hint: string): Query<RfcDocument> {
  return query(filter, 'seq refusal', { sort: { seq: -1, _id: -1 }, hint });
}

/** What a push is viewed by. */
const VIEW = 'seq commit_sha status push';
const LIVE = { status: { $in: [...LIVE_STATUSES] } };

/**
 * Every query on pushes and statuses. test/store/mongo/pushes.test.ts holds the plan of
 * each: none may scan or sort.
 */
export const PUSH_QUERIES = {
  byDelivery: (delivery: string) =>
    query({ 'push.delivery': deliveryKey(delivery) }, '_id', { hint: 'push_delivery' }),
  byBody: (body: string) => query({ 'push.body': bodyKey(body) }, '_id', { hint: 'push_body' }),
  /** An open push that nobody leases, of the first repository and ref of `range`. */
  firstFree: (range: Filter<RfcDocument>) =>
    query({ ...IS_OPEN, ...IS_FREE, ...range }, 'tenant_id push.repo push.ref -_id', {
      sort: { tenant_id: 1, 'push.repo': 1, 'push.ref': 1, seq: -1 },
      limit: 1,
      hint: 'push_turns',
      ...LOCAL,
    }),
  /** The open pushes of a ref, newest first, and one more to tell that there are others. */
  openOf: (place: RefPlace) =>
    newest({ ...IS_OPEN, ...ofRef(place) }, 'rev commit_sha', {
      limit: PUSH_STORE.GROUP_MAX + 2,
      hint: 'push_turns',
      ...LOCAL,
    }),
  /** Open pushes of a tenant, by their ids. */
  openAmong: (tenant_id: string, ids: readonly string[]) =>
    query({ _id: { $in: [...ids] }, tenant_id, ...IS_OPEN }, 'rev json', LOCAL),
  acceptedAmong: (repo: RepositoryPlace, shas: readonly string[]) =>
    query(
      { ...within(repo), ...IS_ACCEPTED, commit_sha: { $in: [...shas] } },
      'commit_sha push.ref seq',
      { hint: 'head_of_commit' },
    ),
  newestAccepted: (place: RefPlace) =>
    newest({ ...ofRef(place), ...IS_ACCEPTED }, 'commit_sha push.ref', { hint: 'head_of_ref' }),
  /** The newest push of a ref that is not SUPERSEDED. */
  newestOfRef: (place: RefPlace) =>
    newest({ ...ofRef(place), ...IS_PUSH, ...LIVE }, VIEW, { hint: 'push_of_ref' }),
  /** The newest push of a commit that is not SUPERSEDED. */
  newestOfCommit: (name: NamePlace, commit_sha: string) =>
    newest({ ...name, commit_sha, ...IS_PUSH, ...LIVE, ...OF_BRANCH }, VIEW, {
      hint: 'live_of_commit',
    }),
  oldestOfRef: (place: RefPlace) =>
    query({ ...ofRef(place), ...IS_PUSH }, 'json', {
      sort: { seq: 1 },
      limit: 1,
      hint: 'push_of_ref',
    }),
  /** Open pushes that a daemon leases. */
  leasedBy: (owner: string) =>
    query({ ...IS_OPEN, ...IS_LEASED, 'push.owner': owner }, '_id', { hint: 'push_open' }),
  /** The newest push of the first repository of `range`. */
  newestOfFirst: (range: Filter<RfcDocument>) =>
    query({ ...IS_PUSH, ...range }, 'tenant_id push.repo json -_id', {
      sort: { tenant_id: 1, 'push.repo': 1, seq: -1 },
      limit: 1,
      hint: 'push_by_repository',
    }),
  /** The newest push of a name. */
  newestOfName: (name: NamePlace) =>
    newest({ ...IS_PUSH, ...name, ...OF_BRANCH }, 'push.repo status rev json -_id', {
      hint: 'push_by_name',
    }),
  pushesOfCommit: (repo: RepositoryPlace, commit_sha: string) =>
    newest({ ...within(repo), commit_sha, ...IS_PUSH }, 'json', {
      limit: PUSH_STORE.REFUSED_MAX,
      hint: 'push_of_commit',
    }),
  /** The newest verdict on a commit of a branch or tag. */
  judgedOfBranches: (repo: RepositoryPlace, commit_sha: string) => {
    const status = { $in: LIVE_STATUSES.filter((one) => one !== 'DRAFT') };
    return newest({ ...within(repo), commit_sha, ...IS_PUSH, ...OF_BRANCH, status }, '_id', {
      hint: 'push_of_commit',
    });
  },
  /** The pushes of a ref to one head, newest first. */
  pushesOfHead: (place: RefPlace, commit_sha: string) =>
    newest({ ...ofRef(place), commit_sha, ...IS_PUSH }, VIEW, {
      limit: PUSH_STORE.REF_LOG_MAX,
      hint: 'push_of_commit',
    }),
  /** The pushes of a ref that came later than one, newest first. */
  pushesAfter: (place: RefPlace, seq: RfcDocument['seq'], limit: number) =>
    newest({ ...ofRef(place), seq: { $gt: seq }, ...IS_PUSH }, VIEW, {
      limit,
      hint: 'push_of_ref',
    }),
  refused: (tenant_id: string, shas: readonly string[]) => {
    const status = { $in: ['BLOCKED', 'REJECTED', 'DRAFT'] };
    const filter = { tenant_id, commit_sha: { $in: [...shas] }, ...IS_PUSH, status };
    const options = { limit: PUSH_STORE.REFUSED_MAX, hint: 'push_of_commit' };
    return query(filter as Filter<RfcDocument>, 'json', options);
  },
  /** RFCs of a commit that somebody decided about, in any repository. */
  decidedOfCommit: (tenant_id: string, commit_sha: string) =>
    query({ tenant_id, commit_sha, ...IS_DECIDED_STATUS, deleted: { $ne: true } }, 'status json', {
      sort: { seq: -1 },
      hint: 'decided_of_commit',
    }),
  /** Refusals left by the deleted RFCs of a name. */
  refusalsOfName: (name: NamePlace, branch: string | null) =>
    branch === null
      ? refusals({ ...name, ...IS_REFUSAL, ...REFUSED_OF_BRANCH }, 'refusal_by_name')
      : refusals({ ...name, branch, ...IS_REFUSAL, ...REFUSED_OF_BRANCH }, 'refusal_by_branch'),
  /** The same of the pushes of a name. */
  refusedPushesOfName: (name: NamePlace) =>
    refusals({ ...name, ...IS_REFUSED_PUSH }, 'refusal_pushed'),
  refusalsOfRef: ({ tenant_id, repo_key, ref }: RefPlace) =>
    refusals({ tenant_id, 'refusal.repo': repo_key, 'refusal.ref': ref }, 'refusal_by_ref'),
  /** The same of one repository, to give it another key. */
  refusalsOfRepository: ({ tenant_id, repo_key }: RepositoryPlace) => ({
    filter: { tenant_id, 'refusal.repo': repo_key, ...IS_REFUSED_PUSH },
    options: { hint: 'refusal_by_ref' },
  }),
  /** Refusals left by deleted RFCs of commits; few: each was deleted by a person. */
  refusalsOfCommit: (tenant_id: string, shas: readonly string[], which: Filter<RfcDocument>) => {
    const filter = { tenant_id, commit_sha: { $in: [...shas] }, ...IS_REFUSAL, ...which };
    return refusals(filter, 'refusal_by_commit');
  },
  overridden: (repo: RepositoryPlace, limit: number) =>
    newest({ ...within(repo), ...IS_PUSH, status: 'OVERRIDDEN' }, 'json', {
      limit,
      hint: 'push_overridden',
    }),
  dependentsOf: (repo: RepositoryPlace, id: string, limit: number) =>
    query(
      { ...within(repo), 'push.rests_on': id, status: { $in: [...DEPENDENT_STATUSES] } },
      'json',
      { limit, hint: 'push_rests' },
    ),
  revocations: (limit: number) =>
    query({ 'fallen.at': { $gte: EPOCH } }, 'tenant_id fallen', {
      sort: { 'fallen.at': 1 },
      limit,
      hint: 'fallen',
    }),
  /** What of a repository was revoked. */
  revocationsOf: ({ tenant_id, repo_key }: RepositoryPlace) => ({
    filter: { tenant_id, 'fallen.repo': repo_key, 'fallen.at': { $gte: EPOCH } },
    options: { hint: 'fallen' },
  }),
  revokedBaselines: (limit: number): Query<BaselineDocument> =>
    query({ 'fallen.at': { $gte: EPOCH } }, 'fallen', { limit, hint: 'fallen' }),
  /** Baselines of other keys that had this name. */
  baselinesOfName: (tenant_id: string, name: string): Query<BaselineDocument> =>
    query({ '_id.tenant_id': tenant_id, name, untold: { $exists: false } }, 'baseline', {
      sort: { '_id.repo_key': 1 },
      limit: 1,
      hint: 'by_name',
    }),
  oldestOpen: () => query(IS_OPEN, 'created_at', { sort: { seq: 1 }, limit: 1, hint: 'push_age' }),
  /** Counted as the index alone tells. */
  open: () => query(IS_OPEN, '_id', { limit: PUSH_STORE.DEPTH_COUNTED_MAX, hint: 'push_open' }),
  leased: () =>
    query({ ...IS_OPEN, ...IS_LEASED }, '_id', {
      limit: PUSH_STORE.DEPTH_COUNTED_MAX,
      hint: 'push_open',
    }),
  statusesDue: () =>
    query({ 'vcs.host': { $gte: '' }, ...IS_DUE }, '_id', {
      limit: PUSH_STORE.DEPTH_COUNTED_MAX,
      hint: 'statuses_due_by_status',
    }),
  /** Records of these statuses whose host gets one by `nowMs`, newest due time first. */
  due: (host: string, statuses: readonly RfcStatus[], nowMs: number, limit: number) => {
    const due = { $gte: EPOCH, $lte: new Date(nowMs) };
    const filter = { 'vcs.host': host, status: { $in: statuses }, 'vcs.due': due };
    const fields =
      'tenant_id repo_key commit_sha seq json vcs.posted vcs.deleted vcs.was_push push.ref';
    const options = { sort: { 'vcs.due': -1 }, limit, hint: 'statuses_due_by_status' } as const;
    return query(filter as Filter<RfcDocument>, fields, options);
  },
  /** An RFC that speaks for the commit in its place. */
  speakerOfCommit: (than: RfcDocument, repoKeys: readonly string[], commit_sha: string) => {
    const isPush = { push: { $exists: true } };
    const later = { seq: { $gt: than.seq } };
    const filter = {
      ...placeOf(than, repoKeys, commit_sha),
      ...(wasPush(than) ? { ...isPush, ...later } : { $or: [isPush, later] }),
      ...LIVE,
      deleted: { $ne: true },
    };
    return query(filter as Filter<RfcDocument>, '_id', { limit: 1, hint: 'live_of_commit' });
  },
  /** What a deletion left that speaks for the commit in its place. */
  refusalOfCommit: (than: RfcDocument, repoKeys: readonly string[], commit_sha: string) => {
    // After a copy it may have the place of the record before it.
    const later = { seq: { $gte: than.seq } };
    const filter = {
      _id: { $ne: than._id },
      ...placeOf(than, repoKeys, commit_sha),
      ...IS_REFUSAL,
      ...(wasPush(than) ? { ...IS_REFUSED_PUSH, ...later } : { $or: [IS_REFUSED_PUSH, later] }),
    };
    return query(filter as Filter<RfcDocument>, '_id', { limit: 1, hint: 'refusal_by_commit' });
  },
  /** A baseline that the trail has. */
  baseline: ({ tenant_id, repo_key }: RepositoryPlace): Query<BaselineDocument> => ({
    filter: { _id: { tenant_id, repo_key }, untold: { $exists: false } },
    options: {},
  }),
} as const;

/** Counts the pushes among the newest landings against a verdict that nothing has ended. */
export function openLandings(collection: string, limit: number): Document[] {
  const isLater = {
    $and: [
      { $eq: ['$tenant_id', '$$tenant'] },
      { $eq: ['$push.repo', '$$repo'] },
      { $eq: ['$push.ref', '$$ref'] },
      { $gt: ['$seq', '$$seq'] },
    ],
  };
  const place = { tenant: '$tenant_id', repo: '$push.repo', ref: '$push.ref', seq: '$seq' };
  return [
    { $match: { ...IS_LANDED, status: { $in: ['BLOCKED', 'REJECTED'] } } },
    { $sort: { seq: -1 } },
    { $limit: limit },
    {
      $lookup: {
        from: collection,
        let: place,
        pipeline: [
          { $match: { ...IS_ACCEPTED, $expr: isLater } },
          { $limit: 1 },
          { $project: { _id: 1 } },
        ],
        as: 'later',
      },
    },
    { $match: { later: [] } },
    { $count: 'count' },
  ];
}

function placeOf(
  { tenant_id }: RfcDocument,
  repoKeys: readonly string[],
  commit_sha: string,
): Filter<RfcDocument> {
  return { tenant_id, repo_key: { $in: [...repoKeys] }, commit_sha };
}

function wasPush({ push, vcs }: RfcDocument): boolean {
  return push !== undefined || vcs?.was_push === true;
}

/** Repositories behind `after` up to and with `upTo`, in order of tenant and key; null: no end. */
export interface RepoRange {
  after: RepositoryPlace | null;
  upTo: RepositoryPlace | null;
}

/** Filters that together are the range, each of one run of an index, in order. */
export function runsOf({ after, upTo }: RepoRange): Filter<RfcDocument>[] {
  if (after !== null && upTo !== null && after.tenant_id === upTo.tenant_id) {
    const keys = { $gt: after.repo_key, $lte: upTo.repo_key };
    return [{ tenant_id: after.tenant_id, 'push.repo': keys }];
  }
  const between = {
    ...(after === null ? {} : { $gt: after.tenant_id }),
    ...(upTo === null ? {} : { $lt: upTo.tenant_id }),
  };
  const first = after && { tenant_id: after.tenant_id, 'push.repo': { $gt: after.repo_key } };
  const last = upTo && { tenant_id: upTo.tenant_id, 'push.repo': { $lte: upTo.repo_key } };
  const inner = after === null && upTo === null ? {} : { tenant_id: between };
  return [first, inner, last].filter((run) => run !== null);
}
