import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import {
  type AnyBulkWriteOperation,
  type ClientSession,
  Decimal128,
  type Document,
  type Filter,
  type MongoClient,
} from 'mongodb';
import { type Batcher, createBatcher } from '../../core/batcher.ts';
import { CraError } from '../../model/errors.ts';
import {
  addUp,
  byDay,
  HOUR_MS,
  type HourSums,
  type RawSums,
  USAGE_AMOUNTS,
  type UsageAmount,
  type UsageRecord,
} from '../../model/usage.ts';
import type { StoreDriver } from '../contract/store.ts';
import { MONGO } from '../limits.ts';
import type { Collections } from './database.ts';
import type { AmountFields, UsageDocument, UsageHourDocument } from './documents.ts';
import { BATCHES, bounded, fromMongo, isDuplicate, transact } from './operations.ts';

/** Which records of usage are summed: with `fromMs` <= at_ms < `toMs`. */
export interface UsageWindow {
  tenant_id: string;
  fromMs: number;
  toMs: number;
}

/** Queries on usage; test/store/mongo/services.test.ts holds the plan of each. */
export const USAGE_QUERIES = {
  usageBetween: ({ tenant_id, fromMs, toMs }: UsageWindow): Filter<UsageDocument> => ({
    tenant_id,
    at_ms: { $gte: fromMs, $lt: toMs },
  }),
  usageHours: (tenant_id: string, firstHour: number): Filter<UsageHourDocument> => ({
    tenant_id,
    hour: { $gte: firstHour },
  }),
} as const;

/** The sums of all amounts, for a $group. */
const SUMS: Document = amounts((field) => ({ $sum: `$${field}` }));

type UsageCollections = Pick<Collections, 'usage' | 'usageHours'>;

const HOURS_PER_DAY = 24;

/** Usage on MongoDB. */
export interface UsageService {
  methods: StoreDriver['usage'];
  /** Refuses new records; resolves when the waiting records are written. */
  drained(): Promise<void>;
}

/** Creates it; the client is that of the collections. */
export function createUsageService(
  client: MongoClient,
  { usage, usageHours }: UsageCollections,
): UsageService {
  const ledger = createUsageLedger({ client, usage, usageHours });

  /**
   * Sums by the fields of a group: whole hours from their sums, the hour in which a window begins
   * from records. The two look at different records, so nothing that is written meanwhile counts
   * twice.
   */
  async function sumsSince(
    { tenant_id, sinceMs }: { tenant_id: string; sinceMs: number },
    by: { hours: Document; records: Document },
    rest: readonly Document[] = [],
  ): Promise<SumRow[]> {
    const firstHour = Math.ceil(sinceMs / HOUR_MS);
    const edge = { tenant_id, fromMs: sinceMs, toMs: firstHour * HOUR_MS };
    const ofHours = usageHours.aggregate<SumRow>([
      { $match: USAGE_QUERIES.usageHours(tenant_id, firstHour) },
      { $group: { _id: by.hours, calls: { $sum: '$calls' }, ...SUMS } },
      ...rest,
    ]);
    const ofRecords = usage.aggregate<SumRow>([
      { $match: USAGE_QUERIES.usageBetween(edge) },
      { $group: { _id: by.records, calls: { $sum: 1 }, ...SUMS } },
      ...rest,
    ]);
    return (await Promise.all([ofHours.toArray(), ofRecords.toArray()])).flat();
  }

  const methods: StoreDriver['usage'] = {
    async logUsage({ record }, call) {
      await ledger.submit(record, call);
      return { usage_id: record.usage_id };
    },
    async usageTotal(input) {
      return addUp((await sumsSince(input, { hours: {}, records: {} })).map(rawSums));
    },
    async usageDays(input) {
      const day = { $floor: { $divide: ['$hour', HOURS_PER_DAY] } };
      const edgeDay = Math.floor(input.sinceMs / HOUR_MS / HOURS_PER_DAY);
      const by = {
        hours: { day, ...NAMES },
        records: { day: { $literal: edgeDay }, ...NAMES },
      };
      // One more than the limit shows that there are more.
      const sums = await sumsSince(input, by, [{ $limit: input.limit + 1 }]);
      return { days: byDay(sums.map(hourSums), input.limit) };
    },
  };
  return { methods, drained: ledger.close };
}

const NAMES: Document = { provider: '$provider', model: '$model' };

type SumRow = { _id: { day: number; provider: string; model: string } } & {
  [Field in keyof RawSums]: Decimal128 | number;
};

function rawSums(row: SumRow): RawSums {
  const exact = (field: keyof RawSums) => BigInt(row[field].toString());
  return { calls: exact('calls'), ...amounts(exact) };
}

/** The sums of a day stand in its first hour. */
function hourSums(row: SumRow): HourSums {
  const { day, provider, model } = row._id;
  return { hour: BigInt(day) * BigInt(HOURS_PER_DAY), provider, model, ...rawSums(row) };
}

interface LedgerCollections extends UsageCollections {
  client: MongoClient;
}

/**
 * Group commit of usage. A batch is one transaction: the records that are new, and what they add
 * to the sums of their hours. So a record is never counted without being there or the other way
 * round, and a `usage_id` that comes again, from whichever daemon, finds its record and adds
 * nothing. Of two transactions that meet, the server lets one win; the other runs again.
 *
 * Each ledger has sums of its own, which are added when they are read: daemons do not wait for
 * each other, nor for the open transaction of a dead daemon, which the server keeps for a minute.
 */
function createUsageLedger(collections: LedgerCollections): Batcher<UsageRecord, null> {
  let writer = randomUUID();
  return createBatcher({
    async commit(batch) {
      try {
        await commit({ ...collections, writer }, distinct(batch));
      } catch (thrown) {
        // The transaction may still be open and hold our sums.
        writer = randomUUID();
        throw fromMongo(thrown);
      }
      return batch.map(() => ({ ok: true, value: null }));
    },
    weigh: () => RECORD_BYTES,
    ...BATCHES,
  });
}

interface Ledger extends LedgerCollections {
  /** The id under which this ledger adds to the hours. */
  writer: string;
}

/** About what a record weighs; only the size of batches depends on it. */
const RECORD_BYTES = 1024;

/** The first of each `usage_id` counts. */
function distinct(batch: readonly UsageRecord[]): UsageRecord[] {
  const found = new Map<string, UsageRecord>();
  for (const record of batch) {
    if (!found.has(record.usage_id)) found.set(record.usage_id, record);
  }
  return [...found.values()];
}

/** Rejects with UNAVAILABLE when the time of an operation is over. */
async function commit(ledger: Ledger, records: readonly UsageRecord[]): Promise<void> {
  const endsAt = performance.now() + MONGO.OPERATION_MS;
  do {
    const adding = transact(
      ledger.client,
      (session) => addMissing(ledger, records, session),
      endsAt - performance.now(),
    );
    // Another daemon has just written one of them: it is found the next time.
    const known = await adding.catch((thrown: unknown) => {
      if (isDuplicate(thrown)) return null;
      throw thrown;
    });
    if (known !== null && (await bounded(areConfirmed(ledger, known)))) return;
    await delay(MONGO.RACE_PAUSE_MS);
  } while (performance.now() < endsAt);
  const message = 'the same usage is being written by another daemon: try again';
  throw new CraError('UNAVAILABLE', message);
}

/** Within a transaction; resolves with the ids that were there before it. */
async function addMissing(
  ledger: Ledger,
  records: readonly UsageRecord[],
  session: ClientSession,
): Promise<string[]> {
  const ids = records.map(({ usage_id }) => usage_id);
  const known = await findKnown(ledger.usage, ids, session);
  const added = records.filter(({ usage_id }) => !known.includes(usage_id));
  if (added.length > 0) await insertUsage(ledger, added, session);
  return known;
}

/** Inserts records that are new, and what they add to the sums of their hours. */
export async function insertUsage(
  { usage, usageHours, writer }: Omit<Ledger, 'client'>,
  added: readonly UsageRecord[],
  session: ClientSession,
): Promise<void> {
  await usage.insertMany(added.map(documentOf), { session });
  await usageHours.bulkWrite(hoursOf(writer, added), { session, ordered: false });
}

/** The ids that exist; read first of all, so that it notices a server that was lost. */
async function findKnown(
  usage: LedgerCollections['usage'],
  ids: readonly string[],
  session: ClientSession,
): Promise<string[]> {
  // See `bounded`: the driver ends this by a signal, and lets go of the connection.
  const signal = AbortSignal.timeout(MONGO.OPERATION_MS / 2);
  try {
    const found = usage.find({ _id: { $in: [...ids] } }, { session, signal, projection: ID_ONLY });
    return (await found.toArray()).map(({ _id }) => _id);
  } catch (thrown) {
    if (!signal.aborted) throw thrown;
    throw new CraError('UNAVAILABLE', 'the database of the store does not answer');
  }
}

const ID_ONLY = { _id: 1 } as const;

/** A transaction sees what the primary has, which may still be lost. */
async function areConfirmed({ usage }: Ledger, ids: readonly string[]): Promise<boolean> {
  if (ids.length === 0) return true;
  return (await usage.countDocuments({ _id: { $in: [...ids] } })) === ids.length;
}

function documentOf(record: UsageRecord): UsageDocument {
  const { usage_id: _id, tenant_id, at_ms, provider, model, context, logged_by, source } = record;
  const about = { context, logged_by, source };
  return { _id, tenant_id, at_ms, provider, model, ...sumOf([record]), ...about };
}

/** One update for each hour, provider and model of the records. */
function hoursOf(
  writer: string,
  records: readonly UsageRecord[],
): AnyBulkWriteOperation<UsageHourDocument>[] {
  const groups = new Map<string, UsageRecord[]>();
  for (const record of records) {
    const id = hourId(writer, record);
    const group = groups.get(id);
    if (group === undefined) groups.set(id, [record]);
    else group.push(record);
  }
  return [...groups].flatMap(([_id, group]) => {
    const [first] = group;
    if (first === undefined) return [];
    const { tenant_id, provider, model } = first;
    const place = { tenant_id, hour: hourOf(first), provider, model };
    const update = { $inc: { calls: group.length, ...sumOf(group) }, $setOnInsert: place };
    return [{ updateOne: { filter: { _id }, update, upsert: true } }];
  });
}

function hourOf({ at_ms }: UsageRecord): number {
  return Math.floor(at_ms / HOUR_MS);
}

/** A key of bounded length, whatever the names are. */
function hourId(writer: string, record: UsageRecord): string {
  const { tenant_id, provider, model } = record;
  const place = JSON.stringify([writer, tenant_id, hourOf(record), provider, model]);
  return createHash('sha256').update(place).digest('base64url');
}

function sumOf(records: readonly UsageRecord[]): AmountFields {
  return amounts((field) => {
    const sum = records.reduce((total, record) => total + BigInt(record[field]), 0n);
    return Decimal128.fromString(String(sum));
  });
}

/** What `of` gives for each amount, by its name. */
function amounts<T>(of: (field: UsageAmount) => T): Record<UsageAmount, T> {
  const entries = USAGE_AMOUNTS.map((field) => [field, of(field)]);
  return Object.fromEntries(entries) as Record<UsageAmount, T>;
}
