import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { type Collection, type IndexDescription, MongoNetworkError } from 'mongodb';
import { TRENDS } from '../../model/limits.ts';
import { MONGO, STORE } from '../limits.ts';
import type { Collections } from './database.ts';
import { fromMongo, isIndexMissing } from './operations.ts';
import {
  IS_ACCEPTED,
  IS_DECIDED_STATUS,
  IS_DUE,
  IS_OPEN,
  IS_PUSH,
  IS_REFUSAL,
  IS_REFUSED_PUSH,
} from './pushes/queries.ts';
import { IS_OWNED, IS_TO_REVIEW, LIVE_STATUSES } from './queries.ts';
import { OPEN_TASK } from './tasks.ts';

type IndexTable = Partial<Record<keyof Collections, readonly IndexDescription[]>>;

const LIVE = { status: { $in: LIVE_STATUSES } };
const DAY_SECONDS = 24 * 60 * 60;

/**
 * Of pushes and of statuses that are due: all are partial, so that no other record is in them. A
 * filter that an index must answer alone names fields of its key.
 */
const PUSH_INDEXES: readonly IndexDescription[] = [
  {
    name: 'push_delivery',
    key: { 'push.delivery': 1 },
    unique: true,
    partialFilterExpression: { 'push.delivery': { $exists: true } },
  },
  {
    name: 'push_body',
    key: { 'push.body': 1 },
    unique: true,
    partialFilterExpression: { 'push.body': { $exists: true } },
  },
  {
    // The next repository and the newest push of its ref; the key also shows held pushes.
    name: 'push_turns',
    key: { status: 1, tenant_id: 1, 'push.repo': 1, 'push.ref': 1, seq: -1, 'push.due': 1 },
    partialFilterExpression: IS_OPEN,
  },
  {
    // One run of keys is what is open, and one within it what is held: cheap to count.
    name: 'push_open',
    key: { status: 1, 'push.due': 1 },
    partialFilterExpression: IS_OPEN,
  },
  { name: 'push_age', key: { seq: 1 }, partialFilterExpression: IS_OPEN },
  {
    name: 'push_by_name',
    key: { tenant_id: 1, repo_key: 1, seq: -1 },
    partialFilterExpression: IS_PUSH,
  },
  {
    name: 'push_by_repository',
    key: { tenant_id: 1, 'push.repo': 1, seq: -1 },
    partialFilterExpression: IS_PUSH,
  },
  {
    name: 'push_of_commit',
    key: { tenant_id: 1, commit_sha: 1, seq: -1 },
    partialFilterExpression: IS_PUSH,
  },
  {
    name: 'push_of_ref',
    key: { tenant_id: 1, 'push.repo': 1, 'push.ref': 1, seq: -1, status: 1 },
    partialFilterExpression: IS_PUSH,
  },
  {
    name: 'push_overridden',
    key: { tenant_id: 1, 'push.repo': 1, seq: -1 },
    partialFilterExpression: { status: 'OVERRIDDEN', ...IS_PUSH },
  },
  {
    name: 'push_head',
    key: { 'push.head': 1 },
    unique: true,
    partialFilterExpression: { 'push.head': { $exists: true } },
  },
  {
    name: 'head_of_commit',
    key: { tenant_id: 1, 'push.repo': 1, commit_sha: 1 },
    partialFilterExpression: IS_ACCEPTED,
  },
  {
    name: 'head_of_ref',
    key: { tenant_id: 1, 'push.repo': 1, 'push.ref': 1, seq: -1 },
    partialFilterExpression: IS_ACCEPTED,
  },
  {
    name: 'push_rests',
    key: { tenant_id: 1, 'push.rests_on': 1 },
    partialFilterExpression: { 'push.rests_on': { $gt: '' } },
  },
  { name: 'fallen', key: { 'fallen.at': 1 }, sparse: true },
  // What deleted RFCs refused.
  {
    name: 'refusal_by_name',
    key: { tenant_id: 1, repo_key: 1, seq: -1, _id: -1 },
    partialFilterExpression: IS_REFUSAL,
  },
  {
    name: 'refusal_by_branch',
    key: { tenant_id: 1, repo_key: 1, branch: 1, seq: -1, _id: -1 },
    partialFilterExpression: IS_REFUSAL,
  },
  {
    name: 'refusal_by_commit',
    key: { tenant_id: 1, commit_sha: 1, seq: -1, _id: -1 },
    partialFilterExpression: { ...IS_REFUSAL, commit_sha: { $gt: '' } },
  },
  {
    name: 'refusal_by_ref',
    key: { tenant_id: 1, 'refusal.repo': 1, 'refusal.ref': 1, seq: -1, _id: -1 },
    partialFilterExpression: IS_REFUSED_PUSH,
  },
  {
    name: 'refusal_pushed',
    key: { tenant_id: 1, repo_key: 1, seq: -1, _id: -1 },
    partialFilterExpression: IS_REFUSED_PUSH,
  },
  {
    name: 'decided_of_commit',
    key: { tenant_id: 1, commit_sha: 1, seq: -1 },
    partialFilterExpression: { ...IS_DECIDED_STATUS, commit_sha: { $gt: '' } },
  },
  {
    name: 'statuses_due_by_status',
    key: { 'vcs.host': 1, status: 1, 'vcs.due': -1 },
    partialFilterExpression: IS_DUE,
  },
];

/** A record with a decision. */
const IS_DECIDED = { 'decided.at': { $gte: new Date(0) } };

/**
 * Every index but those of `_id`. The lists end with `seq`, so each gives its records in order of
 * age; test/store/mongo/records.test.ts holds which query uses which.
 */
export const INDEXES: IndexTable = {
  rfcs: [
    { name: 'by_tenant', key: { tenant_id: 1, seq: -1 } },
    { name: 'by_repo', key: { tenant_id: 1, repo_key: 1, seq: -1 } },
    { name: 'by_status', key: { tenant_id: 1, status: 1, seq: -1 } },
    { name: 'by_repo_status', key: { tenant_id: 1, repo_key: 1, status: 1, seq: -1 } },
    {
      name: 'by_component',
      key: { tenant_id: 1, components: 1, seq: -1 },
      partialFilterExpression: { components: { $gt: '' } },
    },
    {
      name: 'owned_drafts',
      key: { status: 1, seq: 1 },
      partialFilterExpression: { status: 'DRAFT', ...IS_OWNED },
    },
    {
      name: 'live_by_branch',
      key: { tenant_id: 1, repo_key: 1, branch: 1, seq: -1 },
      partialFilterExpression: LIVE,
    },
    {
      name: 'live_by_commit',
      key: { tenant_id: 1, repo_key: 1, commit_sha: 1, seq: -1 },
      // Any text: most records of the API name no commit.
      partialFilterExpression: { ...LIVE, commit_sha: { $gt: '' } },
    },
    {
      name: 'gone',
      key: { tenant_id: 1, status: 1 },
      partialFilterExpression: { deleted: true },
    },
    { name: 'decided', key: { 'decided.at': -1 }, partialFilterExpression: IS_DECIDED },
    {
      name: 'review_due',
      key: { tenant_id: 1, review_due: 1, _id: 1 },
      partialFilterExpression: IS_TO_REVIEW,
    },
    // The tombstone of a deleted record, once the trail has the deletion.
    { name: 'deleted', key: { expires_at: 1 }, expireAfterSeconds: 0, sparse: true },
    { name: 'trend_due', key: { 'trend.due': 1 }, partialFilterExpression: { 'trend.due': true } },
    ...PUSH_INDEXES,
  ],
  baselines: [
    { name: 'by_name', key: { '_id.tenant_id': 1, name: 1, '_id.repo_key': 1 } },
    { name: 'fallen', key: { 'fallen.at': 1 }, sparse: true },
  ],
  diffs: [
    {
      name: 'retention',
      key: { written_at: 1 },
      expireAfterSeconds: STORE.DIFF_RETENTION_DAYS * DAY_SECONDS,
    },
  ],
  tasks: [
    {
      name: 'open',
      key: { tenant_id: 1, finding_id: 1 },
      unique: true,
      partialFilterExpression: OPEN_TASK,
    },
    {
      name: 'pending',
      key: { tenant_id: 1, seq: 1 },
      partialFilterExpression: { status: 'pending' },
    },
    { name: 'by_tenant', key: { tenant_id: 1, seq: -1 } },
    { name: 'by_status', key: { tenant_id: 1, status: 1, seq: -1 } },
  ],
  usage: [{ name: 'by_time', key: { tenant_id: 1, at_ms: 1 } }],
  usageHours: [{ name: 'by_hour', key: { tenant_id: 1, hour: 1 } }],
  reviewCalls: [
    { name: 'by_owner', key: { owner: 1 } },
    { name: 'by_start', key: { started_ms: 1 } },
  ],
  reviewAnswers: [
    {
      name: 'retention',
      key: { at: 1 },
      expireAfterSeconds: STORE.DIFF_RETENTION_DAYS * DAY_SECONDS,
    },
  ],
  reviewQueue: [
    { name: 'due', key: { due_ms: 1, held_until: 1 } },
    { name: 'by_owner', key: { owner: 1 } },
  ],
  reviewMemory: [
    {
      name: 'by_line',
      key: { '_id.tenant_id': 1, '_id.repo_key': 1, '_id.line_key': 1 },
    },
    {
      name: 'retention',
      key: { at: 1 },
      expireAfterSeconds: STORE.DIFF_RETENTION_DAYS * DAY_SECONDS,
    },
  ],
  trends: [
    { name: 'by_day', key: { tenant_id: 1, repo_key: 1, day: 1 } },
    { name: 'retention', key: { day: 1 }, expireAfterSeconds: (TRENDS.DAYS_MAX + 1) * DAY_SECONDS },
  ],
  sessions: [
    { name: 'by_principal', key: { tenant_id: 1, principal_id: 1 } },
    { name: 'ended', key: { ends: 1 }, expireAfterSeconds: 0 },
  ],
};

/**
 * Creates what is missing; what is there stays as it is. An index of a large collection takes the
 * server longer than one operation may: asked again, it says when that index is built.
 */
export async function ensureIndexes(collections: Collections): Promise<void> {
  await untilBuilt(() => nameRepositories(collections));
  for (const [name, indexes] of Object.entries(INDEXES)) {
    const collection = collections[name as keyof Collections] as unknown as Collection;
    await untilBuilt(() => dropRenamed(collection, indexes));
    await untilBuilt(() => collection.createIndexes([...indexes]));
  }
}

/**
 * Drops an index of an older version that differs from one of the table by its name alone: the
 * server refuses a second index of the same key and filter, and queries name their index.
 */
async function dropRenamed(
  collection: Collection,
  indexes: readonly IndexDescription[],
): Promise<void> {
  const present = await collection
    .listIndexes()
    .toArray()
    .catch(() => []);
  for (const found of present) {
    const isKnown = indexes.some(({ name }) => name === found.name);
    if (isKnown || !indexes.some((index) => isSameIndex(index, found))) continue;
    await collection.dropIndex(found.name).catch((thrown: unknown) => {
      // Another daemon that starts at the same time dropped it.
      if (!isIndexMissing(thrown)) throw thrown;
    });
  }
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
      // The driver gave up waiting; the server goes on.
      const isUnfinished = thrown instanceof MongoNetworkError;
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
