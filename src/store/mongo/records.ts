import type { Collection, Document } from 'mongodb';
import { type Batcher, createBatcher } from '../../core/batcher.ts';
import { unlessNotFound } from '../../model/errors.ts';
import { FACETS } from '../../model/limits.ts';
import { acceptsPush, recordText } from '../../model/records.ts';
import type { ReportName } from '../../model/reports.ts';
import { type RfcStatus, STATUSES } from '../../model/rfc.ts';
import { readArchived } from '../archive-files.ts';
import type { EventLane } from '../contract/events.ts';
import type {
  ArchivedReference,
  ListInput,
  Pulse,
  RecordsReader,
  RecordsWriter,
  ReportSubject,
  RfcId,
} from '../contract/records.ts';
import { staleRfc, unknownDiff, unknownRfc } from '../errors.ts';
import { facetsOf } from '../facets.ts';
import { MONGO, REPORT_STORE } from '../limits.ts';
import { draftsPage, listPage, scoresPage } from '../lists.ts';
import { storePaths } from '../sqlite/database.ts';
import { attempted } from '../steps/push.ts';
import { checkRoom, commitRfcs, keptReport, reportBytes, reportText } from '../steps/report.ts';
import { parseRecord, repoKey } from '../stored-record.ts';
import {
  agree,
  type Collections,
  connectMongo,
  createRunningCalls,
  type KeyHashes,
  type MongoConnection,
  type Track,
  whenReachable,
} from './database.ts';
import type { RfcDocument } from './documents.ts';
import { addPending } from './events.ts';
import { BATCHES, bounded, fromMongo } from './operations.ts';
import {
  decodeSequence,
  encodeSequence,
  findAll,
  findFirst,
  LEASE_MS,
  type ListFilter,
  type Places,
  QUERIES,
  type Query,
} from './queries.ts';
import {
  checkSize,
  createInsertBatcher,
  dueStatus,
  type Insert,
  type Inserted,
  judgedPush,
  newDocument,
  readDiff,
  revoked,
  stageDiff,
  texts,
} from './record-documents.ts';
import { ensureIndexes } from './schema.ts';
import { searchRows } from './search.ts';
import { createTrendCounter, type TrendCounter } from './trends.ts';

export interface MongoStoreOptions {
  /** `mongodb://` or `mongodb+srv://`; may hold a password. */
  url: string;
  /** Ms since the epoch. */
  now: () => number;
  /** The name of this daemon, the same after a restart: its DRAFTs are known by it. */
  instance: string;
  /** Holds the files of archived records. */
  dataDir: string;
  keys: KeyHashes;
  /** How many days diffs are kept. */
  diffDays: number;
  /** Subscriptions to events. */
  lanes?: readonly EventLane[];
}

/** The MongoDB driver: both halves on one connection pool. */
export interface MongoStore {
  records: RecordsWriter & RecordsReader;
  connection: MongoConnection;
  /** Group commit of all new records, for the pushes, too. */
  inserts: Batcher<Insert, Inserted>;
  track: Track;
  /** Refuses new writes; resolves when the running writes are settled. */
  drained(): Promise<void>;
  /** Settles the writes that wait, then disconnects. */
  close(): Promise<void>;
}

/**
 * Connects, agrees with the other daemons of the store, and creates the indexes that are missing.
 * Rejects as `connectMongo` and `agree` do.
 */
export async function createMongoStore(options: MongoStoreOptions): Promise<MongoStore> {
  const { instance, now, lanes = [] } = options;
  const connection = await connectMongo(options.url);
  try {
    await agree(connection.collections.meta, options.keys);
    await ensureIndexes(connection.db, connection.collections, options.diffDays);
  } catch (thrown) {
    await connection.close();
    throw thrown;
  }
  const { track, drained } = createRunningCalls();
  const inserts = createInsertBatcher(connection);
  const { client } = connection.db;
  const trends = createTrendCounter(client, connection.collections, instance);
  const { collections } = connection;
  const writer = track(createRecordsWriter({ collections, inserts, instance, now, lanes }));
  const archive = storePaths(options.dataDir).archive;
  const reader = createRecordsReader(collections, trends, instance, archive);
  return {
    records: whenReachable(connection, { ...writer, ...reader }),
    connection,
    inserts,
    track,
    drained,
    async close() {
      await drained();
      await trends.close();
      await connection.close();
    },
  };
}

/** The reading methods of Records; `instance`: this daemon, `archive`: directory of its archive. */
function createRecordsReader(
  collections: Collections,
  trends: Pick<TrendCounter, 'read'>,
  instance: string,
  archive: string,
): RecordsReader {
  const { rfcs } = collections;
  const views = createViewBatcher(rfcs);
  /** NOT_FOUND also for a record that is not archived. */
  async function archived({ tenant_id, rfc_id: _id }: RfcId): Promise<ArchivedReference> {
    const found = await collections.archived.findOne({ _id, tenant_id });
    if (found === null) throw unknownRfc();
    return found;
  }
  /** The rows of a list, one more than asked for where another page follows. */
  async function rowsOf(input: ListInput) {
    const filter = listFilter(input);
    if (input.search) return await searchRows(rfcs, filter, input.search);
    return { rows: await findAll(rfcs, QUERIES.list(filter)), end: null };
  }
  return {
    getRfc: async ({ tenant_id, rfc_id }, call) => {
      const found = await views.submit({ tenant_id, rfc_id }, call).catch(unlessNotFound);
      if (found === null) {
        const id = { tenant_id, rfc_id };
        return readArchived(archive, id, await archived(id));
      }
      const { status, rev, json } = found;
      return { overall_status: status, rev, json: new TextEncoder().encode(json) };
    },
    listRfcs: async (input) => {
      const { rows, end } = await rowsOf(input);
      return listPage(rows, input.limit, encodeSequence, end);
    },
    countFacets: async (input) => {
      const { rows, end } = await rowsOf({ ...input, limit: FACETS.RECORDS_MAX, cursor: null });
      const looked = rows.slice(0, FACETS.RECORDS_MAX);
      const places = looked.map(({ seq }) => seq);
      const found = await findAll(rfcs, QUERIES.textsOf(input.tenant_id, places));
      const texts = new Map(found.map((row) => [row.seq.toString(), row.texts]));
      const records = looked.map(({ seq, summary }) => ({
        summary,
        texts: texts.get(seq.toString()) ?? [],
      }));
      return facetsOf(records, input.without, rows.length > looked.length || end !== null);
    },
    listScores: async ({ tenant_id, limit, cursor }) => {
      const places: Places = cursor === null ? {} : { $lt: decodeSequence(cursor) };
      const rows = await findAll(rfcs, QUERIES.scores(tenant_id, places, limit + 1));
      return scoresPage(rows, limit, encodeSequence);
    },
    listDrafts: async ({ limit, cursor = null }) => {
      const places: Places = cursor === null ? {} : { $gt: decodeSequence(cursor) };
      const found = await findAll(rfcs, QUERIES.drafts(instance, limit, places));
      return draftsPage(found, limit, encodeSequence);
    },
    reportNames: async (about) => ({ reports: await reportNames(collections, about) }),
    getReport: async ({ tenant_id, repo_name, subject, tool }) => {
      const _id = { tenant_id, repo_key: repoKey(repo_name), subject, tool };
      const found = await collections.reports.findOne({ _id });
      return { report: found && keptReport(found.json) };
    },
    rfcsOfCommit: async ({ tenant_id, repo_name, commit_sha }) => {
      const place = [tenant_id, repoKey(repo_name), commit_sha] as const;
      const found = await findAll(rfcs, QUERIES.ofCommit(...place, REPORT_STORE.RFCS_MAX + 1));
      return commitRfcs(found.map(({ _id }) => _id));
    },
    getState: async (id) => {
      const projection = { _id: 0, status: 1, rev: 1 };
      const found =
        (await findFirst(rfcs, QUERIES.view(id), { projection })) ?? (await archived(id));
      return { overall_status: found.status, rev: found.rev };
    },
    pulse: (input) => readPulse(rfcs, input),
    trends: trends.read,
    getDiff: async (id) => {
      const found = await findFirst(rfcs, QUERIES.diff(id));
      if (found === null) throw unknownRfc();
      if (found.diff === null) throw unknownDiff();
      return await readDiff(collections.diffs, found.diff);
    },
  };
}

async function reportNames(
  { reports }: Pick<Collections, 'reports'>,
  { tenant_id, repo_name, subject }: ReportSubject,
): Promise<ReportName[]> {
  const place = { '_id.tenant_id': tenant_id, '_id.repo_key': repoKey(repo_name) };
  const projection = { sha256: 1, bytes: 1 };
  const found = await reports
    .find({ ...place, '_id.subject': subject }, { hint: 'by_change', projection })
    .toArray();
  return found.map(({ _id: { tool }, sha256, bytes }) => ({ tool, sha256, bytes }));
}

async function readPulse(
  rfcs: Collections['rfcs'],
  { tenant_id, most }: { tenant_id: string; most: number },
): Promise<Pulse> {
  const count = async (query: Query<RfcDocument>) => (await findAll(rfcs, query)).length;
  const countOf = async (status: RfcStatus) => {
    const [all, gone] = await Promise.all([
      count(QUERIES.ofStatus(tenant_id, status, most)),
      count(QUERIES.gone(tenant_id, status, most)),
    ]);
    return [status, Math.max(0, all - gone)];
  };
  const all = { tenant_id, repo_key: null, status: null, component: null, places: {}, limit: 1 };
  const [counts, [first], [last]] = await Promise.all([
    Promise.all(STATUSES.map(countOf)),
    findAll(rfcs, QUERIES.oldestBlocked(tenant_id)),
    findAll(rfcs, QUERIES.list(all)),
  ]);
  return {
    counts: Object.fromEntries(counts) as Pulse['counts'],
    newest: last === undefined ? null : encodeSequence(last.seq),
    oldest_blocked_at: first?.created_at ?? null,
  };
}

/** One record more than asked for, which shows that another page follows. */
function listFilter(input: ListInput): ListFilter {
  const { tenant_id, status, repo, component = null, limit, cursor } = input;
  return {
    tenant_id,
    status,
    repo_key: repo === null ? null : repoKey(repo),
    component,
    places: cursor === null ? {} : { $lt: decodeSequence(cursor) },
    limit: limit + 1,
  };
}

interface RecordsWriterOptions {
  collections: Collections;
  inserts: Batcher<Insert, Inserted>;
  /** The name of this daemon. */
  instance: string;
  /** Ms since the epoch. */
  now: () => number;
  lanes: readonly EventLane[];
}

/**
 * The writing methods of Records. Inserts are committed in groups. A step of a DRAFT is a
 * compare-and-set of one document: it needs no batch, as drafts are few and the server commits what
 * is written at once together.
 */
function createRecordsWriter(options: RecordsWriterOptions): RecordsWriter {
  const { collections, inserts, instance, now, lanes } = options;
  const { rfcs } = collections;

  async function find(id: RfcId): Promise<View> {
    const found = await findFirst(rfcs, QUERIES.view(id));
    if (found === null) throw unknownRfc();
    return found;
  }

  /** Only a DRAFT of `expectedRev` is changed; `update` is a pipeline. */
  async function replace(id: RfcId, expectedRev: number, update: Document): Promise<void> {
    const filter = QUERIES.draftAt(id.rfc_id, id.tenant_id, expectedRev);
    const { matchedCount } = await rfcs.updateOne(filter, [{ $set: update }]);
    if (matchedCount !== 1) throw staleRfc(await find(id));
  }

  return {
    async insertRfc({ record, diff }, call) {
      checkSize(record);
      const staged = diff === null ? null : stageDiff(record.rfc_id, diff, now());
      const reference = staged?.reference ?? null;
      const own = { diff: reference, push: null, instance, nowMs: now(), lanes };
      const document = newDocument(record, own);
      await inserts.submit({ record, document, chunks: staged?.chunks ?? [] }, call);
      return { rev: record.rev };
    },

    async completeDraft({ record, expectedRev }) {
      checkSize(record);
      const { overall_status: status, rev } = record;
      await replace(record, expectedRev, {
        status,
        rev,
        owner: null,
        lease_until: null,
        ...texts(record),
        ...judgedPush(parseRecord(record.json)),
        ...dueStatus(record.vcs_host, now()),
        ...addPending(record.events, lanes),
      });
      return { rev };
    },

    async reviseRfc(input) {
      checkSize(input.record);
      const { record, from, expectedRev, isStatusDue = record.overall_status !== from } = input;
      const { overall_status: status, rev, rfc_id, tenant_id } = record;
      const next = parseRecord(record.json);
      const due = {
        ...(isStatusDue ? dueStatus(record.vcs_host, now()) : {}),
        ...(status === from ? {} : addPending(record.events, lanes)),
      };
      const filter = { ...QUERIES.draftAt(rfc_id, tenant_id, expectedRev), status: from };
      const { matchedCount } = await rfcs.updateOne(filter, [
        { $set: acceptsPush(next) ? {} : revoked('other') },
        { $set: { status, rev, ...texts(record), ...judgedPush(next), ...due } },
      ]);
      if (matchedCount !== 1) throw staleRfc(await find(record));
      return { rev };
    },

    async startAttempt({ expectedRev, ...id }) {
      const record = attempted(await find(id), expectedRev, now());
      await replace(record, expectedRev, {
        rev: record.rev,
        ...texts(recordText(record)),
        owner: { $literal: instance },
        lease_until: { $add: ['$$NOW', LEASE_MS] },
      });
      return { record };
    },

    /** Racing daemons may pass a bound by what each of them writes at that moment. */
    async keepReports({ reports: given, ...about }) {
      const { reports } = collections;
      const { tenant_id, subject } = about;
      const known = await reportNames(collections, about);
      const [total] = await reports
        .aggregate<{ bytes: number }>(
          [
            { $match: { '_id.tenant_id': tenant_id } },
            { $group: { _id: null, bytes: { $sum: '$bytes' } } },
          ],
          { hint: 'bytes' },
        )
        .toArray();
      checkRoom(known, given, total?.bytes ?? 0);
      for (const report of given) {
        const { tool, sha256 } = report;
        const _id = { tenant_id, repo_key: repoKey(about.repo_name), subject, tool };
        const json = reportText(report);
        const next = { sha256, at: new Date(now()), bytes: reportBytes(report), json };
        await bounded(reports.replaceOne({ _id }, next, { upsert: true }));
      }
      return { ok: true };
    },

    async ping() {
      const seen = [{ $set: { seen_at: '$$NOW' } }];
      await collections.meta.updateOne({ _id: `daemon:${instance}` }, seen, { upsert: true });
      return { ok: true };
    },
  };
}

type View = Pick<RfcDocument, 'status' | 'rev' | 'json'>;

/**
 * Reads of single records, grouped: reads that come while a query runs share the next one, for a
 * query costs the driver ten times what a document in it does. Each begins after it was asked for,
 * so it sees what was acknowledged by then. NOT_FOUND as for every read.
 */
function createViewBatcher(rfcs: Collection<RfcDocument>): Batcher<RfcId, View> {
  return createBatcher({
    weigh: () => 0,
    ...BATCHES,
    batchMax: MONGO.READ_BATCH_MAX,
    async commit(batch) {
      const reading = bounded(
        findAll(rfcs, QUERIES.views(batch.map(({ rfc_id }) => rfc_id))),
        MONGO.ANSWER_MS,
      );
      const found = await reading.catch((thrown: unknown) => {
        throw fromMongo(thrown);
      });
      const byId = new Map(found.map((document) => [document._id, document]));
      return batch.map(({ tenant_id, rfc_id }) => {
        const view = byId.get(rfc_id);
        return view?.tenant_id === tenant_id
          ? { ok: true, value: view }
          : { ok: false, error: unknownRfc() };
      });
    },
  });
}
