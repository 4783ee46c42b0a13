import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import {
  type Collection,
  type Db,
  type Document,
  type IndexDescription,
  MongoNetworkError,
} from 'mongodb';
import { RETENTION, TRENDS } from '../../model/limits.ts';
import { MONGO, STORE } from '../limits.ts';
import type { Collections, DecisionCollections } from './database.ts';
import { IS_DEAD_EVENT, IS_OPEN_EVENT } from './events.ts';
import {
  fromMongo,
  isIndexConflict,
  isIndexMissing,
  isMissing,
  isUnauthorized,
} from './operations.ts';
import {
  IS_ACCEPTED,
  IS_DECIDED_STATUS,
  IS_DUE,
  IS_LANDED,
  IS_OPEN,
  IS_PUSH,
  IS_REFUSAL,
  IS_REFUSED_PUSH,
} from './pushes/queries.ts';
import { HAS_BLOCKED, IS_OWNED, IS_TO_REVIEW, LIVE_STATUSES } from './queries.ts';
import { OPEN_TASK } from './tasks.ts';

interface IndexOptions {
  /** Only these documents are in it. */
  where?: Document;
  unique?: true;
  sparse?: true;
  /** The server removes a document so long after the date in it. */
  keptSeconds?: number;
}

/** An index by these fields, in this order; a `-` stands before a descending field. */
function index(name: string, fields: string, options: IndexOptions = {}): IndexDescription {
  const { where, keptSeconds, ...rest } = options;
  const key = fields.split(' ').map((field) => {
    return field.startsWith('-') ? ([field.slice(1), -1] as const) : ([field, 1] as const);
  });
  return {
    name,
    key: Object.fromEntries(key),
    ...rest,
    ...(where === undefined ? {} : { partialFilterExpression: where }),
    ...(keptSeconds === undefined ? {} : { expireAfterSeconds: keptSeconds }),
  };
}

const DAY_SECONDS = 24 * 60 * 60;
const KEPT_SECONDS = STORE.RETENTION_DAYS * DAY_SECONDS;

const IS_LIVE = { status: { $in: LIVE_STATUSES } };
/** Any text: most records of the API name no commit. */
const HAS_COMMIT = { commit_sha: { $gt: '' } };
/** A record with a decision. */
const IS_DECIDED = { 'decided.at': { $gte: new Date(0) } };
const IS_KNOWN = { $exists: true };

/**
 * Of pushes and of statuses that are due: all are partial, so that no other record is in them. A
 * filter that an index must answer alone names fields of its key.
 */
const PUSH_INDEXES: readonly IndexDescription[] = [
  index('push_delivery', 'push.delivery', { unique: true, where: { 'push.delivery': IS_KNOWN } }),
  index('push_body', 'push.body', { unique: true, where: { 'push.body': IS_KNOWN } }),
  // The next repository and the newest push of its ref; the key also shows held pushes.
  index('push_turns', 'status tenant_id push.repo push.ref -seq push.due', { where: IS_OPEN }),
  // One run of keys is what is open, and one within it what is held: cheap to count.
  index('push_open', 'status push.due', { where: IS_OPEN }),
  index('push_age', 'seq', { where: IS_OPEN }),
  index('push_by_name', 'tenant_id repo_key -seq', { where: IS_PUSH }),
  index('push_by_repository', 'tenant_id push.repo -seq', { where: IS_PUSH }),
  index('push_of_commit', 'tenant_id commit_sha -seq', { where: IS_PUSH }),
  index('push_of_ref', 'tenant_id push.repo push.ref -seq status', { where: IS_PUSH }),
  index('push_overridden', 'tenant_id push.repo -seq', {
    where: { status: 'OVERRIDDEN', ...IS_PUSH },
  }),
  index('push_head', 'push.head', { unique: true, where: { 'push.head': IS_KNOWN } }),
  index('head_of_commit', 'tenant_id push.repo commit_sha', { where: IS_ACCEPTED }),
  index('head_of_ref', 'tenant_id push.repo push.ref -seq', { where: IS_ACCEPTED }),
  index('push_rests', 'tenant_id push.rests_on', { where: { 'push.rests_on': { $gt: '' } } }),
  index('fallen', 'fallen.at', { sparse: true }),
  index('landed', 'landed -seq status', { where: IS_LANDED }),
  // What deleted RFCs refused.
  index('refusal_by_name', 'tenant_id repo_key -seq -_id', { where: IS_REFUSAL }),
  index('refusal_by_branch', 'tenant_id repo_key branch -seq -_id', { where: IS_REFUSAL }),
  index('refusal_by_commit', 'tenant_id commit_sha -seq -_id', {
    where: { ...IS_REFUSAL, ...HAS_COMMIT },
  }),
  index('refusal_by_ref', 'tenant_id refusal.repo refusal.ref -seq -_id', {
    where: IS_REFUSED_PUSH,
  }),
  index('refusal_pushed', 'tenant_id repo_key -seq -_id', { where: IS_REFUSED_PUSH }),
  index('decided_of_commit', 'tenant_id commit_sha -seq', {
    where: { ...IS_DECIDED_STATUS, ...HAS_COMMIT },
  }),
  index('statuses_due_by_status', 'vcs.host status -vcs.due', { where: IS_DUE }),
];

/**
 * Every index but the index of `_id`. The lists end with `seq`, so each gives its records in order
 * of age; test/store/mongo/records.test.ts holds which query uses which.
 */
export const INDEXES: Partial<Record<keyof Collections, readonly IndexDescription[]>> = {
  rfcs: [
    index('by_tenant', 'tenant_id -seq'),
    index('by_repo', 'tenant_id repo_key -seq'),
    index('by_status', 'tenant_id status -seq'),
    index('by_repo_status', 'tenant_id repo_key status -seq'),
    index('by_component', 'tenant_id components -seq', { where: { components: { $gt: '' } } }),
    index('by_text', 'tenant_id texts -seq', { where: { texts: { $gt: '' } } }),
    index('by_time', 'tenant_id created_at seq'),
    index('owned_drafts', 'status seq', { where: { status: 'DRAFT', ...IS_OWNED } }),
    index('live_by_branch', 'tenant_id repo_key branch -seq', { where: IS_LIVE }),
    index('live_of_commit', 'tenant_id commit_sha repo_key -seq', {
      where: { ...IS_LIVE, ...HAS_COMMIT },
    }),
    index('gone', 'tenant_id status', { where: { deleted: true } }),
    index('decided', '-decided.at', { where: IS_DECIDED }),
    index('review_due', 'tenant_id review_due _id', { where: IS_TO_REVIEW }),
    // The tombstone of a deleted record, once the trail has the deletion.
    index('deleted', 'expires_at', { keptSeconds: 0, sparse: true }),
    index('trend_due', 'trend.due', { where: { 'trend.due': true } }),
    index('untold', 'events.event_id', { where: { 'events.event_id': { $gt: '' } } }),
    ...PUSH_INDEXES,
  ],
  baselines: [
    index('by_name', '_id.tenant_id name _id.repo_key'),
    index('fallen', 'fallen.at', { sparse: true }),
  ],
  diffs: diffIndexes(RETENTION.DIFF_DAYS_DEFAULT),
  tasks: [
    index('open', 'tenant_id finding_id', { unique: true, where: OPEN_TASK }),
    index('pending', 'tenant_id seq', { where: { status: 'pending' } }),
    index('by_tenant', 'tenant_id -seq'),
    index('by_status', 'tenant_id status -seq'),
  ],
  usage: [index('by_time', 'tenant_id at_ms')],
  usageHours: [index('by_hour', 'tenant_id hour')],
  reviewCalls: [index('by_owner', 'owner'), index('by_start', 'started_ms')],
  reviewAnswers: [index('retention', 'at', { keptSeconds: KEPT_SECONDS })],
  reviewQueue: [index('due', 'due_ms held_until'), index('by_owner', 'owner')],
  reviewMemory: [
    index('by_line', '_id.tenant_id _id.repo_key _id.line_key'),
    index('retention', 'at', { keptSeconds: KEPT_SECONDS }),
  ],
  reports: [
    index('by_change', '_id.tenant_id _id.repo_key _id.subject'),
    index('bytes', '_id.tenant_id bytes'),
    index('retention', 'at', { keptSeconds: KEPT_SECONDS }),
  ],
  trends: [
    index('by_day', 'tenant_id repo_key day'),
    index('blocked', 'tenant_id -day', { where: { repo_key: { $gt: '' }, ...HAS_BLOCKED } }),
    index('retention', 'day', { keptSeconds: (TRENDS.DAYS_MAX + 1) * DAY_SECONDS }),
  ],
  archived: [
    index('by_place', 'file offset'),
    index('by_delivery', 'delivery', { where: { delivery: { $gt: '' } } }),
    index('by_body', 'body', { where: { body: { $gt: '' } } }),
  ],
  deployReports: [
    index('by_place', 'tenant_id place sorted'),
    index('by_commit', 'tenant_id place sha result sorted'),
  ],
  scoreCurves: [index('newest', '_id.tenant_id -_id.version')],
  sessions: [
    index('by_principal', 'tenant_id principal_id'),
    index('ended', 'ends', { keptSeconds: 0 }),
  ],
  events: [
    index('due', 'lane due_ms', { where: IS_OPEN_EVENT }),
    index('open', 'lane subject place', { where: IS_OPEN_EVENT }),
    index('waiting', 'lane at', { where: IS_OPEN_EVENT }),
    index('dead', 'lane due_ms', { where: IS_DEAD_EVENT }),
    index('dead_of', 'tenant_id -at', { where: IS_DEAD_EVENT }),
    index('retention', 'at', { keptSeconds: KEPT_SECONDS }),
  ],
};

/** The server deletes diffs that are older than so many days. */
function diffIndexes(days: number): IndexDescription[] {
  return [index('retention', 'written_at', { keptSeconds: days * DAY_SECONDS })];
}

/** The age in days at which the server deletes a diff; null: it deletes no diff. */
export async function diffDaysOf({ diffs }: Pick<Collections, 'diffs'>): Promise<number | null> {
  const present = await indexesOf(diffs as unknown as Collection);
  const found = present.find(({ expireAfterSeconds }) => expireAfterSeconds !== undefined);
  return found?.expireAfterSeconds === undefined ? null : found.expireAfterSeconds / DAY_SECONDS;
}

/** Makes the server delete no diff, until `ensureIndexes` says after how many days. */
export async function keepDiffs({ diffs }: Pick<Collections, 'diffs'>): Promise<void> {
  for (const { name, expireAfterSeconds } of await indexesOf(diffs as unknown as Collection)) {
    if (expireAfterSeconds !== undefined)
      await dropUnlessMissing(diffs as unknown as Collection, name);
  }
}

/**
 * Creates what is missing; what is there stays as it is, but for how long diffs are kept:
 * `diffDays` days, null: as before. An index of a large collection takes the server longer than one
 * operation may: asked again, it says when that index is built.
 */
export async function ensureIndexes(
  db: Db,
  collections: Collections,
  diffDays: number | null,
): Promise<void> {
  await untilBuilt(() => nameRepositories(collections));
  const diffs = diffDays === null ? [] : diffIndexes(diffDays);
  for (const [name, indexes] of Object.entries({ ...INDEXES, diffs })) {
    const collection = collections[name as keyof Collections] as unknown as Collection;
    await untilBuilt(() => ensureIndexesOf(db, collection, indexes));
  }
}

async function ensureIndexesOf(
  db: Db,
  collection: Collection,
  indexes: readonly IndexDescription[],
): Promise<void> {
  const present = await indexesOf(collection);
  // Nearly every start finds them all, and the server takes longer to create what is there.
  if (indexes.every((index) => present.some((found) => isSameDescription(index, found)))) return;
  await dropChanged(db, collection, indexes, present);
  await collection.createIndexes([...indexes]);
}

/** As the server lists it. */
type PresentIndex = IndexDescription & { name: string; v?: number };

/** The indexes of a collection; none where it does not exist yet. */
async function indexesOf(collection: Collection): Promise<PresentIndex[]> {
  try {
    return await collection.listIndexes().toArray();
  } catch (thrown) {
    if (isMissing(thrown)) return [];
    throw thrown;
  }
}

/** The server tells nothing but its format (`v`) beside what it was given. */
function isSameDescription(index: IndexDescription, { v: _, ...found }: PresentIndex): boolean {
  // `isDeepStrictEqual` does not compare the order of the fields of a key.
  return isDeepStrictEqual(index, found) && isSameIndex(index, found);
}

/**
 * Drops an index that differs from one of the table by its name or by how long it keeps documents:
 * the server refuses a second index of the same key and filter, and queries name their index. How
 * long it keeps documents is changed in place where the user may: the role `readWrite` may not.
 */
async function dropChanged(
  db: Db,
  collection: Collection,
  indexes: readonly IndexDescription[],
  present: readonly PresentIndex[],
): Promise<void> {
  for (const found of present) {
    const isKnown = indexes.some(
      ({ name, expireAfterSeconds }) =>
        name === found.name && expireAfterSeconds === found.expireAfterSeconds,
    );
    const wanted = indexes.find((index) => isSameIndex(index, found));
    if (isKnown || wanted === undefined || (await changeInPlace(db, collection, found, wanted)))
      continue;
    await dropUnlessMissing(collection, found.name);
  }
}

/** Changes for how long an index keeps documents; false: it has to be made again. */
async function changeInPlace(
  db: Db,
  { collectionName }: Collection,
  found: PresentIndex,
  { name, expireAfterSeconds }: IndexDescription,
): Promise<boolean> {
  const areBoth = expireAfterSeconds !== undefined && found.expireAfterSeconds !== undefined;
  if (name !== found.name || !areBoth) return false;
  const command = { collMod: collectionName, index: { name, expireAfterSeconds } };
  try {
    await db.command(command);
    return true;
  } catch (thrown) {
    // The user may not, or another daemon dropped it.
    if (isUnauthorized(thrown) || isIndexMissing(thrown)) return false;
    throw thrown;
  }
}

async function dropUnlessMissing(collection: Collection, name: string): Promise<void> {
  await collection.dropIndex(name).catch((thrown: unknown) => {
    // Another daemon that starts at the same time dropped it.
    if (!isIndexMissing(thrown)) throw thrown;
  });
}

/** The order of the fields of a key counts. */
function isSameIndex(one: IndexDescription, other: IndexDescription): boolean {
  return (
    isDeepStrictEqual(Object.entries(one.key), Object.entries(other.key)) &&
    isDeepStrictEqual(one.partialFilterExpression, other.partialFilterExpression)
  );
}

async function untilBuilt(step: () => Promise<unknown>): Promise<void> {
  const end = performance.now() + MONGO.INDEX_BUILD_MS;
  for (;;) {
    try {
      await step();
      return;
    } catch (thrown) {
      // The driver gave up waiting, and the server goes on; or another daemon, with other settings,
      // made the same index between two commands of this one.
      const isUnfinished = thrown instanceof MongoNetworkError || isIndexConflict(thrown);
      if (!isUnfinished || performance.now() > end) throw fromMongo(thrown);
      await delay(MONGO.HEARTBEAT_MS);
    }
  }
}

/**
 * Pushes of versions that kept them by name get that name as their repository: they are found by
 * it alone. Known by the indexes of such a version, which stay and may be dropped by hand.
 */
async function nameRepositories({ rfcs }: Collections): Promise<void> {
  const names = (
    await rfcs
      .listIndexes()
      .toArray()
      .catch(() => [])
  ).map(({ name }) => name);
  if (!names.includes('push_by_repo') || names.includes('push_by_repository')) return;
  const unnamed = { ...IS_PUSH, 'push.repo': { $exists: false } };
  await rfcs.updateMany(unnamed, [{ $set: { 'push.repo': '$repo_key' } }]);
}

/** Creates the indexes of what decisions accept; existing ones stay. */
export async function ensureAcceptedIndexes({
  accepted,
}: Pick<DecisionCollections, 'accepted'>): Promise<void> {
  await accepted.createIndexes([
    index('fingerprint', 'tenant_id repo_key fingerprint'),
    index('listed', 'tenant_id repo_key fingerprint rfc_id'),
    index('rfc', 'rfc_id'),
    index('ending', 'tenant_id repo_key expires_at', {
      where: { expires_at: { $type: 'string' } },
    }),
  ]);
}
