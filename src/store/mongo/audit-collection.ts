import { setTimeout as delay } from 'node:timers/promises';
import type { Collection, Db, Document, Filter, IndexDescription } from 'mongodb';
import { ENTRY } from '../../audit/limits.ts';
import type { AuditEntry, AuditKind, AuditPhase } from '../../model/audit.ts';
import { CraError } from '../../model/errors.ts';
import { isOwnKind, type ListEntriesInput } from '../contract/trail.ts';
import { MONGO_TRAIL } from '../limits.ts';
import { cutPage, decodeCursor, encodeCursor } from '../lists.ts';
import { bounded, durable, insertMissing, isDuplicate, reasonOf } from './operations.ts';

/** The collection of the trail, in a database of its own. */
export const AUDIT_COLLECTION = 'audit';

/** An operation has at most one entry of each slot; an outcome is done, refused or aborted. */
type AuditSlot = 'intent' | 'outcome' | 'whole';

/** An entry as it is kept: `entry` is what counts, the rest is there to be searched. */
export interface AuditDocument {
  /** `chain:seq` */
  _id: string;
  chain: string;
  seq: number;
  op_id: string;
  slot: AuditSlot;
  phase: AuditPhase;
  kind: AuditKind;
  /** By the clock of the daemon that wrote it. */
  ts: Date;
  /** The canonical JSON of the AuditEntry. */
  entry: string;
}

export type AuditCollection = Collection<AuditDocument>;

/** An entry as it is kept; `text` is its canonical JSON. */
export function auditDocument(entry: AuditEntry, text: string): AuditDocument {
  const { chain, seq, op_id, phase, kind, ts } = entry;
  const slot = phase === 'intent' || phase === 'whole' ? phase : 'outcome';
  const place = { _id: `${chain}:${seq}`, chain, seq, op_id, slot } as const;
  return { ...place, phase, kind, ts: new Date(ts), entry: text };
}

/** BSON around the text: names, ids (twice an op_id of 255 characters of 4 bytes), a date. */
const DOCUMENT_OVERHEAD_BYTES = 4 * 1024;

/** Options of `create`; the validator refuses other documents, and entries that are too large. */
export function auditCollectionOptions(cappedBytes: number) {
  return {
    capped: true,
    size: cappedBytes,
    validator: AUDIT_VALIDATOR,
    validationLevel: 'strict',
    validationAction: 'error',
  } as const;
}

const TEXT = { bsonType: 'string' } as const;

const AUDIT_VALIDATOR: Document = {
  $jsonSchema: {
    bsonType: 'object',
    additionalProperties: false,
    required: ['_id', 'chain', 'seq', 'op_id', 'slot', 'phase', 'kind', 'ts', 'entry'],
    properties: {
      _id: TEXT,
      chain: TEXT,
      seq: { bsonType: ['int', 'long', 'double'], minimum: 1 },
      op_id: TEXT,
      slot: { enum: ['intent', 'outcome', 'whole'] },
      phase: { enum: ['whole', 'intent', 'done', 'refused', 'aborted'] },
      kind: TEXT,
      ts: { bsonType: 'date' },
      entry: TEXT,
    },
  },
  $expr: { $lte: [{ $bsonSize: '$$ROOT' }, ENTRY.ENTRY_BYTES_MAX + DOCUMENT_OVERHEAD_BYTES] },
};

/** One entry for each place of a chain, one for each slot of an operation; and intents by time. */
export const AUDIT_INDEXES = [
  { name: 'place', key: { chain: 1, seq: 1 }, unique: true },
  { name: 'operation', key: { op_id: 1, slot: 1 }, unique: true },
  {
    name: 'intents',
    key: { slot: 1, ts: 1, op_id: 1 },
    partialFilterExpression: { slot: 'intent' },
  },
] as const satisfies readonly IndexDescription[];

/**
 * What earlier versions called an index. It keeps that name where it exists: the server refuses a
 * second index of the same key, and without the first one an operation could get two outcomes.
 */
export const FORMER_INDEX_NAMES: Readonly<Record<string, string>> = { operation: 'deed' };

/** The collection, acknowledged by a majority and journaled, read as the majority has it. */
export function auditCollection(database: Db): AuditCollection {
  return database.collection<AuditDocument>(AUDIT_COLLECTION, {
    writeConcern: { w: 'majority', j: true },
    readConcern: { level: 'majority' },
    readPreference: 'primary',
  });
}

/** What became of documents that were given in order. */
interface Written {
  /** So many of them, from the first, are durable now. */
  count: number;
  /** The entry that has the op_id and slot of the next one: that one can never be written. */
  blockedBy: AuditDocument | null;
}

interface WriteOptions {
  /** Ends the attempts; what they did stays unknown. */
  signal: AbortSignal;
  /** Called before each new attempt; a sentence for the operator. */
  onTrouble(reason: string): void;
}

/**
 * Writes the next documents of a chain, in order, until it is known which of them are durable.
 * An attempt whose outcome is unknown (no answer, no majority, whatever error) is followed by one
 * with the same bytes: only so can an earlier one, which may still be on its way, do no harm.
 * Rejects with UNKNOWN when `signal` ends it, and with DATA_LOSS when another writer has taken a
 * place of the chain.
 */
export async function writeUntilKnown(
  database: Db,
  documents: readonly AuditDocument[],
  { signal, onTrouble }: WriteOptions,
): Promise<Written> {
  const audit = auditCollection(database);
  let count = 0;
  let waitMs: number = MONGO_TRAIL.RETRY_MS_MIN;
  for (;;) {
    const attempt = insert(database, documents.slice(count));
    const failure = await bounded(attempt, MONGO_TRAIL.ATTEMPT_HUNG_MS).catch(
      (thrown: unknown) => thrown,
    );
    if (failure === null) return { count: documents.length, blockedBy: null };
    const reading = readBack(audit, documents.slice(count), failure);
    const found = await bounded(reading, MONGO_TRAIL.ATTEMPT_HUNG_MS).catch(unreadable);
    count += found.present;
    if (count === documents.length || found.blockedBy !== null) {
      return { count, blockedBy: found.blockedBy };
    }
    if (found.present > 0) continue;
    onTrouble(reasonOf(failure));
    await delay(waitMs, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) {
      throw new CraError('UNKNOWN', 'it is not known whether the audit trail has the entry');
    }
    waitMs = Math.min(waitMs * 2, MONGO_TRAIL.RETRY_MS_MAX);
  }
}

/** Null when all are durable, else the first thing that failed. */
async function insert(database: Db, documents: readonly AuditDocument[]): Promise<unknown> {
  try {
    const answer = await database.command({
      insert: AUDIT_COLLECTION,
      documents,
      ordered: true,
      writeConcern: { w: 'majority', j: true, wtimeout: MONGO_TRAIL.ATTEMPT_MS },
    });
    return failureIn(answer);
  } catch (thrown) {
    return thrown;
  }
}

interface InsertFailure {
  code: number;
  codeName?: string;
  errmsg?: string;
}

/** The driver gives the answer of a raw command as it is. */
function failureIn(answer: Document): unknown {
  const errors = (answer['writeErrors'] ?? []) as InsertFailure[];
  const failure = errors[0] ?? (answer['writeConcernError'] as InsertFailure | undefined);
  return failure === undefined ? null : new InsertError(failure);
}

class InsertError extends Error {
  readonly code: number;

  constructor({ code, codeName, errmsg }: InsertFailure) {
    super(codeName ?? errmsg?.slice(0, 100) ?? `error ${code}`);
    this.code = code;
  }
}

interface Found {
  present: number;
  blockedBy: AuditDocument | null;
}

/** After a failed read nothing is known: the next attempt tells. */
function unreadable(thrown: unknown): Found {
  if (thrown instanceof CraError && thrown.code === 'DATA_LOSS') throw thrown;
  return { present: 0, blockedBy: null };
}

/** What the majority has of these documents, and what keeps the first that it has not out. */
async function readBack(
  audit: AuditCollection,
  documents: readonly AuditDocument[],
  failure: unknown,
): Promise<Found> {
  const [first] = documents;
  if (first === undefined) return { present: 0, blockedBy: null };
  const stored = await audit
    .find({ chain: first.chain, seq: { $gte: first.seq, $lt: first.seq + documents.length } })
    .sort({ seq: 1 })
    .maxTimeMS(MONGO_TRAIL.ATTEMPT_MS)
    .toArray();
  for (const [index, { seq, entry }] of stored.entries()) {
    const own = documents[index];
    if (own?.seq === seq && own.entry === entry) continue;
    throw new CraError('DATA_LOSS', 'another process has written to the chain of this daemon');
  }
  const next = documents[stored.length];
  if (next === undefined || !isDuplicateFailure(failure)) {
    return { present: stored.length, blockedBy: null };
  }
  const { op_id, slot } = next;
  const blockedBy = await audit.findOne({ op_id, slot }, { maxTimeMS: MONGO_TRAIL.ATTEMPT_MS });
  // What the majority has: a place of ours may have been filled since the look before.
  return { present: stored.length, blockedBy: blockedBy?._id === next._id ? null : blockedBy };
}

function isDuplicateFailure(failure: unknown): boolean {
  return isDuplicate(failure) || (failure instanceof InsertError && failure.code === 11000);
}

/**
 * Collection `trail_places`: where the entries of a tenant stand, so that they are listed without
 * looking at entries of other tenants. It is made from the trail, whose user may create no index,
 * and stands beside the records; each list brings it up to date first.
 */
interface TrailPlaceDocument {
  /** `chain:seq` of the entry. */
  _id: string;
  /** Its place in the order of the trail, from 1. */
  n: number;
  tenant_id: string;
  kind: AuditKind;
  rfc_id: string | null;
  /** Entries about the trail itself, and logins, are listed apart. */
  group: 'own' | 'login' | 'other';
}

/**
 * Of the newest entry that has a place, which it names as `rfc_id`; earlier entries have their
 * places.
 */
const NEWEST = 'newest';

type Places = Collection<TrailPlaceDocument>;
type Listed = { entries: AuditEntry[]; next_cursor: string | null };

export interface TrailList {
  list(input: ListEntriesInput): Promise<Listed>;
}

/** The list of a trail. `records`: the database of the records. */
export function createTrailList(audit: AuditCollection, records: Db): TrailList {
  const places = durable<TrailPlaceDocument>(records, 'trail_places');
  let indexed: Promise<unknown> | null = null;
  let running: Promise<void> | null = null;

  async function update(): Promise<void> {
    indexed ??= places.createIndexes([...PLACE_INDEXES]);
    await indexed.catch((thrown: unknown) => {
      indexed = null;
      throw thrown;
    });
    await catchUp(audit, places);
  }

  return {
    async list(input) {
      // What runs already may have begun before the newest entry was written.
      await running?.catch(() => undefined);
      running ??= update().finally(() => {
        running = null;
      });
      await bounded(running, MONGO_TRAIL.ATTEMPT_MS);
      return await read(audit, places, input);
    },
  };
}

const PLACE_INDEXES = [
  { name: 'listed', key: { tenant_id: 1, group: 1, n: -1 } },
  { name: 'by_kind', key: { tenant_id: 1, kind: 1, n: -1 } },
  { name: 'by_rfc', key: { tenant_id: 1, rfc_id: 1, n: -1 } },
] as const;

/** Entries that get their places in one step. */
const AT_ONCE = 1_000;

/**
 * Gives entries without a place theirs. The trail is capped, so its natural order is that of its
 * writes, the same for all daemons: daemons that do this at once write the same. All of a trail are
 * read from its start, later ones from its end.
 */
async function catchUp(audit: AuditCollection, places: Places): Promise<void> {
  const newest = await places.findOne({ _id: NEWEST });
  if (newest !== null) {
    const found: TrailPlaceDocument[] = [];
    for await (const document of audit.find({}, { ...ENTRY_ONLY, sort: { $natural: -1 } })) {
      if (document._id === newest.rfc_id) return await place(places, found.reverse(), newest.n);
      found.push(placeOf(document));
    }
    // Another trail than before: all places belong to the old one.
    await places.deleteMany({});
  }
  let n = 0;
  let part: TrailPlaceDocument[] = [];
  for await (const document of audit.find({}, { ...ENTRY_ONLY, sort: { $natural: 1 } })) {
    part.push(placeOf(document));
    if (part.length < AT_ONCE) continue;
    await place(places, part, n);
    n += part.length;
    part = [];
  }
  await place(places, part, n);
}

const ENTRY_ONLY = { projection: { kind: 1, entry: 1 } } as const;

/** Writes the places behind number `start`, then which is the newest. */
async function place(
  places: Places,
  found: readonly TrailPlaceDocument[],
  start: number,
): Promise<void> {
  for (let at = 0; at < found.length; at += AT_ONCE) {
    const part = found.slice(at, at + AT_ONCE).map((one, n) => ({ ...one, n: start + at + n + 1 }));
    const last = part.at(-1);
    if (last === undefined) return;
    await insertMissing(places, part);
    const upTo = { ...last, _id: NEWEST, rfc_id: last._id, tenant_id: '' };
    await insertMissing(places, [upTo]);
    // Another daemon may be ahead.
    await places.updateOne({ _id: NEWEST, n: { $lt: last.n } }, { $set: upTo });
  }
}

function placeOf({ _id, kind, entry }: AuditDocument): TrailPlaceDocument {
  const { tenant_id, rfc_id } = JSON.parse(entry) as AuditEntry;
  const group = isOwnKind(kind) ? 'own' : kind === 'login' ? 'login' : 'other';
  return { _id, n: 0, tenant_id, kind, rfc_id, group };
}

async function read(
  audit: AuditCollection,
  places: Places,
  input: ListEntriesInput,
): Promise<Listed> {
  const { filter, index } = placeFilter(input);
  const found = await places
    .find(filter)
    .sort({ n: -1 })
    .limit(input.limit + 1)
    .hint(index)
    .maxTimeMS(MONGO_TRAIL.ATTEMPT_MS)
    .toArray();
  const { page, next_cursor } = cutPage(found, input.limit, ({ n }) => encodeCursor(n));
  const ids = page.map(({ _id }) => _id);
  const documents = await audit
    .find({ _id: { $in: ids } }, { projection: { entry: 1 } })
    .maxTimeMS(MONGO_TRAIL.ATTEMPT_MS)
    .toArray();
  const byId = new Map(documents.map(({ _id, entry }) => [_id, entry]));
  const texts = ids.flatMap((id) => byId.get(id) ?? []);
  return { entries: texts.map((text) => JSON.parse(text) as AuditEntry), next_cursor };
}

function placeFilter({ tenant_id, kind, logins, rfc_id, cursor }: ListEntriesInput): {
  filter: Filter<TrailPlaceDocument>;
  index: string;
} {
  const groups = (['other', 'login', 'own'] as const).filter(
    (group) => group === 'other' || (group === 'login' ? logins : kind !== null),
  );
  const filter: Filter<TrailPlaceDocument> = {
    tenant_id,
    group: { $in: groups },
    ...(kind === null ? {} : { kind }),
    ...(rfc_id === null ? {} : { rfc_id }),
    ...(cursor === null ? {} : { n: { $lt: decodeCursor(cursor) } }),
  };
  const rest = kind === null ? 'listed' : 'by_kind';
  return { filter, index: rfc_id === null ? rest : 'by_rfc' };
}
