import { createHash } from 'node:crypto';
import {
  type AnyBulkWriteOperation,
  type ClientSession,
  type Collection,
  type Document,
  Long,
  type MongoClient,
} from 'mongodb';
import { createRounds } from '../../core/rounds.ts';
import { TRENDS } from '../../model/limits.ts';
import { searchTexts } from '../../model/search.ts';
import {
  mostBlocked,
  summariseTrends,
  type TrendSum,
  trendSteps,
  trendText,
  WHOLE_TENANT,
} from '../../model/trend.ts';
import type { TrendsInput, TrendsView } from '../contract/records.ts';
import { parseRecord, repoKey } from '../stored-record.ts';
import type { Collections } from './database.ts';
import type { RfcDocument, TrendDocument, TrendFields, TrendMarkDocument } from './documents.ts';
import { bounded, transact } from './operations.ts';
import { findAll, findFirst, HAS_BLOCKED, query } from './queries.ts';

/** Queries on trends; test/store/mongo/trends.test.ts holds the plan of each. */
export const TREND_QUERIES = {
  due: (limit: number) =>
    query({ 'trend.due': true }, 'tenant_id repo_key trend', { limit, hint: 'trend_due' }),
  sums: ({ tenant_id, repo, since, until }: TrendsInput) => {
    const repo_key = repo === null ? WHOLE_TENANT : repoKey(repo);
    const day = { $gte: new Date(since), $lte: new Date(until) };
    return query<TrendDocument>({ tenant_id, repo_key, day }, 'day counts -_id');
  },
  blockedRepositories: ({ tenant_id, since, until }: TrendsInput) => {
    const day = { $gte: new Date(since), $lte: new Date(until) };
    const filter = { tenant_id, repo_key: { $gt: WHOLE_TENANT }, day, ...HAS_BLOCKED };
    const limit = TRENDS.REPOSITORY_DAYS_MAX;
    return query<TrendDocument>(filter, 'repo_key counts.blocked -_id', {
      sort: { day: -1 },
      limit,
      hint: 'blocked',
    });
  },
} as const;

/** Of a new record. */
export function newTrend(next: string): TrendFields {
  return next === '' ? { next } : { next, due: true };
}

/** Part of the `$set` of a pipeline: the record counts this from now on. */
export function changedTrend(next: string): Document {
  const changed = { next: { $literal: next }, due: true };
  return { trend: { $cond: [{ $eq: ['$trend.next', { $literal: next }] }, '$trend', changed] } };
}

export interface TrendCounter {
  /** Reads what was counted, after counting what is due. */
  read(input: TrendsInput): Promise<TrendsView>;
  /** Stops counting; resolves when nothing runs any more. */
  close(): Promise<void>;
}

/** How often a daemon looks for records whose trend is to be counted. */
const COUNT_INTERVAL_MS = 2_000;
/** Records of one transaction, and of one step through records of older versions. */
const AT_ONCE = 200;
/** A read begins no further step of counting after this time; what is due then is not in it. */
const COUNTING_PER_READ_MS = 500;

/**
 * Counts records. A write leaves in the record what the trends count of it and that this is due
 * (`TrendFields`); a little later it is counted in a transaction of its own: a mark says what was
 * counted of the record, so that each change counts once, whichever daemon does it and wherever one
 * dies. The records themselves are not in the transaction: nobody who writes one waits for it.
 *
 * Each daemon has sums of its own, by the name `instance`, which are added when they are read.
 */
export function createTrendCounter(
  client: MongoClient,
  collections: Collections,
  instance: string,
): TrendCounter {
  const { rfcs, trends, meta } = collections;
  const ending = new AbortController();
  let running: Promise<number> | null = null;

  /** Counts what is due, at most AT_ONCE records; calls at the same time share one step. */
  function countDue(): Promise<number> {
    running ??= step().finally(() => {
      running = null;
    });
    return running;
  }

  async function step(): Promise<number> {
    if ((await bounded(findFirst(rfcs, TREND_QUERIES.due(1)))) === null) return 0;
    const counted = await transact(client, (session) => countOnce(collections, instance, session));
    if (counted.length === 0) return 0;
    const settled = counted.map(({ _id, trend }) => ({
      updateOne: {
        filter: { _id, 'trend.next': trend?.next ?? '' },
        update: { $unset: { 'trend.due': '' as const } },
      },
    }));
    await bounded(rfcs.bulkWrite(settled, { ordered: false }));
    return counted.length;
  }

  async function countAll(): Promise<void> {
    while (!ending.signal.aborted && (await countDue()) === AT_ONCE);
  }

  let isMarked = false;
  // What fails is still due, and counted by the next round or by another daemon.
  const rounds = createRounds();
  rounds.every(COUNT_INTERVAL_MS, async () => {
    await countAll();
    if (!isMarked) isMarked = await markOlder(collections, ending.signal);
  });
  return {
    async read(input) {
      // Read first: what is marked while this counts may be missing in what it has counted.
      const marked = await meta.findOne({ _id: MARKED });
      // A step that had begun before may have missed what was written by then.
      await running?.catch(() => 0);
      const deadlineMs = performance.now() + COUNTING_PER_READ_MS;
      let due = AT_ONCE;
      do {
        due = await countDue().catch(() => Infinity);
      } while (due === AT_ONCE && performance.now() < deadlineMs);
      const [found, blocked] = await Promise.all([
        findAll(trends, TREND_QUERIES.sums(input)),
        input.repo === null ? findAll(trends, TREND_QUERIES.blockedRepositories(input)) : [],
      ]);
      const complete = due < AT_ONCE && marked?.['done'] === true;
      const repositories = mostBlocked(
        blocked.map(({ repo_key, counts }) => ({ repo_key, count: Number(counts['blocked']) })),
      );
      return { ...summariseTrends(sumsOf(found), input.by), repositories, complete };
    },
    async close() {
      ending.abort();
      await rounds.stop();
    },
  };
}

/** Within a transaction; answers the records that were counted. */
async function countOnce(
  { rfcs, trends, trendMarks }: Collections,
  instance: string,
  session: ClientSession,
): Promise<RfcDocument[]> {
  const due = await findAll(rfcs, TREND_QUERIES.due(AT_ONCE), { session });
  if (due.length === 0) return [];
  const ids = due.map(({ _id }) => _id);
  const known = await trendMarks.find({ _id: { $in: ids } }, { session }).toArray();
  const marks = new Map(known.map(({ _id, counted }) => [_id, counted]));
  const sums = new Map<string, TrendDocument>();
  const marked: AnyBulkWriteOperation<TrendMarkDocument>[] = [];
  for (const { _id, tenant_id, repo_key, trend } of due) {
    const next = trend?.next ?? '';
    const before = marks.get(_id) ?? '';
    if (before === next) continue;
    for (const { day, counter, by } of trendSteps(before, next)) {
      for (const repo of [WHOLE_TENANT, repo_key]) {
        const sum = sumOf(sums, { instance, tenant_id, repo_key: repo, day });
        const name = fieldOf(counter);
        sum.counts[name] = (sum.counts[name] ?? 0) + by;
      }
    }
    marked.push(
      next === ''
        ? { deleteOne: { filter: { _id } } }
        : { updateOne: { filter: { _id }, update: { $set: { counted: next } }, upsert: true } },
    );
  }
  if (marked.length > 0) await trendMarks.bulkWrite(marked, { session, ordered: false });
  if (sums.size > 0) await trends.bulkWrite([...sums.values()].map(adding), { session });
  return due;
}

interface TrendPlace {
  instance: string;
  tenant_id: string;
  repo_key: string;
  /** YYYY-MM-DD */
  day: string;
}

function sumOf(sums: Map<string, TrendDocument>, { day, ...place }: TrendPlace): TrendDocument {
  const text = JSON.stringify([place.instance, place.tenant_id, place.repo_key, day]);
  const _id = createHash('sha256').update(text).digest('base64url');
  const { tenant_id, repo_key } = place;
  const sum = sums.get(_id) ?? { _id, tenant_id, repo_key, day: new Date(day), counts: {} };
  sums.set(_id, sum);
  return sum;
}

function adding({ _id, counts, ...place }: TrendDocument): AnyBulkWriteOperation<TrendDocument> {
  const added = Object.entries(counts).filter(([, count]) => count !== 0);
  const $inc = Object.fromEntries(
    added.map(([name, by]) => [`counts.${name}`, Long.fromNumber(by)]),
  );
  const change = added.length > 0 ? { $inc } : {};
  const update = { $setOnInsert: place, ...change };
  return { updateOne: { filter: { _id }, update: update as never, upsert: true } };
}

/** A name of any characters as that of a field: without dots and dollars. */
function fieldOf(counter: string): string {
  return encodeURIComponent(counter).replaceAll('.', '%2E');
}

function* sumsOf(documents: readonly TrendDocument[]): Generator<TrendSum> {
  for (const { day, counts } of documents) {
    const date = day.toISOString().slice(0, 10);
    for (const [name, count] of Object.entries(counts)) {
      yield { day: date, counter: decodeURIComponent(name), count: Number(count) };
    }
  }
}

/** In the collection `meta`: how far the records of older versions are marked. */
const MARKED = 'trends and texts';

/**
 * Makes the trends of records due that were written by versions that kept none, and adds the texts
 * by which a search finds a record, which later versions wrote without. It goes on where
 * an earlier daemon ended, and ends at once where that is done; false: `signal` ended it.
 */
async function markOlder({ rfcs, meta }: Collections, signal: AbortSignal): Promise<boolean> {
  const state = await meta.findOne({ _id: MARKED });
  if (state?.['done'] === true) return true;
  let after = String(state?.['after'] ?? '');
  for (;;) {
    if (signal.aborted) return false;
    const projection = { rev: 1, status: 1, deleted: 1, json: 1, trend: 1, texts: 1 };
    const page = await rfcs
      .find({ _id: { $gt: after } }, { projection, sort: { _id: 1 }, limit: AT_ONCE })
      .toArray();
    await markAll(rfcs, page);
    const done = page.length < AT_ONCE;
    after = page.at(-1)?._id ?? after;
    await meta.updateOne({ _id: MARKED }, { $set: { after, done } }, { upsert: true });
    if (done) return true;
  }
}

async function markAll(rfcs: Collection<RfcDocument>, page: readonly RfcDocument[]): Promise<void> {
  const alive = page.filter(({ deleted }) => deleted !== true);
  const operations = alive.flatMap(({ _id, rev, json, trend, texts }) => {
    if (trend !== undefined && texts !== undefined) return [];
    const record = parseRecord(json);
    const set = (field: 'trend' | 'texts', value: unknown): AnyBulkWriteOperation<RfcDocument> => ({
      updateOne: {
        filter: { _id, rev, [field]: { $exists: false } },
        update: { $set: { [field]: value } },
      },
    });
    return [
      ...(trend === undefined ? [set('trend', newTrend(trendText(record)))] : []),
      ...(texts === undefined ? [set('texts', searchTexts(record))] : []),
    ];
  });
  if (operations.length > 0) await bounded(rfcs.bulkWrite(operations, { ordered: false }));
}
