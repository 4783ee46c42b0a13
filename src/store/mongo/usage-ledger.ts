import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import {
  type AnyBulkWriteOperation,
  type ClientSession,
  type Collection,
  Decimal128,
  type MongoClient,
  MongoError,
  MongoErrorLabel,
} from 'mongodb';
import { type Batcher, createBatcher } from '../../core/batcher.ts';
import { CraError } from '../../model/errors.ts';
import type { UsageRecord } from '../../model/usage.ts';
import { STORE } from '../contract/limits.ts';
import { HOUR_MS } from '../usage-sums.ts';
import type { AmountFields, UsageDocument, UsageHourDocument } from './documents.ts';
import { fromMongo } from './errors.ts';
import { MONGO } from './limits.ts';
import { bounded, DUPLICATE_KEY } from './operations.ts';

export interface LedgerCollections {
  client: MongoClient;
  usage: Collection<UsageDocument>;
  usageHours: Collection<UsageHourDocument>;
}

/**
 * Group commit of usage. A batch is one transaction: the records that are new, and what they add
 * to the sums of their hours. So a record is never counted without being there or the other way
 * round, and a `usage_id` that comes again, from whichever daemon, finds its record and adds
 * nothing. Of two transactions that meet, the server lets one win; the other runs again.
 *
 * Each ledger has sums of its own, which are added when they are read: daemons do not wait for
 * each other, nor for what one that is gone left open, which the server holds for a minute.
 */
export function createUsageLedger(collections: LedgerCollections): Batcher<UsageRecord, null> {
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
    batchMax: STORE.BATCH_MAX,
    batchBytesMax: STORE.BATCH_BYTES_MAX,
    pendingMax: STORE.PENDING_MAX,
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

/** Rejects with what was thrown last when the time of an operation is over. */
async function commit(ledger: Ledger, records: readonly UsageRecord[]): Promise<void> {
  const endsAt = performance.now() + MONGO.OPERATION_MS;
  for (;;) {
    let failure: unknown = null;
    try {
      const known = await bounded(writeOnce(ledger, records, endsAt));
      if (await bounded(areConfirmed(ledger, known))) return;
    } catch (thrown) {
      if (!isPassing(thrown)) throw thrown;
      failure = thrown;
    }
    if (performance.now() > endsAt) throw failure ?? unconfirmed();
    await delay(MONGO.RACE_PAUSE_MS);
  }
}

/** Runs the transaction; resolves with the ids that were there before it. */
function writeOnce(
  { client, usage, usageHours, writer }: Ledger,
  records: readonly UsageRecord[],
  endsAt: number,
): Promise<string[]> {
  return client.withSession(async (session) => {
    session.startTransaction(TRANSACTION);
    try {
      const ids = records.map(({ usage_id }) => usage_id);
      const known = await findKnown(usage, ids, session);
      const added = withoutKnown(records, new Set(known));
      if (added.length > 0) await insertUsage({ usage, usageHours, writer }, added, session);
      await end(session, endsAt);
      return known;
    } finally {
      // The first error counts, not that the abort failed too.
      if (session.inTransaction()) await session.abortTransaction().catch(() => undefined);
    }
  });
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

/** Those of the ids that are there; first of all, so that it notices a server that was lost. */
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

/** While it is unknown whether the transaction was committed, commits it again. */
async function end(session: ClientSession, endsAt: number): Promise<void> {
  for (;;) {
    try {
      await session.commitTransaction();
      return;
    } catch (thrown) {
      const isUnknown = hasLabel(thrown, MongoErrorLabel.UnknownTransactionCommitResult);
      if (!isUnknown || performance.now() > endsAt) throw thrown;
    }
    await delay(MONGO.RACE_PAUSE_MS);
  }
}

/** What is counted is neither lost nor read before it is safe. */
export const TRANSACTION = {
  readConcern: { level: 'snapshot' },
  readPreference: 'primary',
  writeConcern: { w: 'majority', journal: true, wtimeoutMS: MONGO.OPERATION_MS },
} as const;

/** A transaction sees what the primary has, which may still be lost. */
async function areConfirmed({ usage }: Ledger, ids: readonly string[]): Promise<boolean> {
  if (ids.length === 0) return true;
  return (await usage.countDocuments({ _id: { $in: [...ids] } })) === ids.length;
}

/** The transaction met another one, and has changed nothing. */
function isPassing(thrown: unknown): boolean {
  if (thrown instanceof MongoError && thrown.code === DUPLICATE_KEY) return true;
  return hasLabel(thrown, MongoErrorLabel.TransientTransactionError);
}

function hasLabel(thrown: unknown, label: MongoErrorLabel): boolean {
  return thrown instanceof MongoError && thrown.hasErrorLabel(label);
}

function unconfirmed(): CraError {
  return new CraError(
    'UNAVAILABLE',
    'the same usage is being written by another daemon: try again',
  );
}

function withoutKnown(
  records: readonly UsageRecord[],
  known: ReadonlySet<string>,
): readonly UsageRecord[] {
  return known.size === 0 ? records : records.filter(({ usage_id }) => !known.has(usage_id));
}

function documentOf(record: UsageRecord): UsageDocument {
  const { usage_id: _id, tenant_id, at_ms, provider, model, context, logged_by, source } = record;
  const about = { context, logged_by, source };
  return { _id, tenant_id, at_ms, provider, model, ...amountsOf(record), ...about };
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

function sumOf(group: readonly UsageRecord[]): AmountFields {
  const sum = (field: keyof AmountFields) =>
    decimal(group.reduce((total, record) => total + BigInt(record[field]), 0n));
  return amounts(sum);
}

function amountsOf(record: UsageRecord): AmountFields {
  return amounts((field) => decimal(BigInt(record[field])));
}

function amounts(of: (field: keyof AmountFields) => Decimal128): AmountFields {
  return {
    input_tokens: of('input_tokens'),
    output_tokens: of('output_tokens'),
    cache_creation_tokens: of('cache_creation_tokens'),
    cache_read_tokens: of('cache_read_tokens'),
    cost_nano_usd: of('cost_nano_usd'),
  };
}

function decimal(value: bigint): Decimal128 {
  return Decimal128.fromString(String(value));
}
