import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { ExecutionContext } from 'ava';
import { type Db, MongoClient } from 'mongodb';
import type { StoredAcceptance } from '../../../src/audit/records-check.ts';
import type { AuditEntry, AuditKind } from '../../../src/model/audit.ts';
import { RETENTION } from '../../../src/model/limits.ts';
import { type RfcRecord, recordText } from '../../../src/model/records.ts';
import type { ArchiveSide } from '../../../src/store/archive.ts';
import type { RecordStore } from '../../../src/store/contract/records.ts';
import type { StoreClients } from '../../../src/store/contract/store.ts';
import { auditDatabaseName, defaultAuditUrl } from '../../../src/store/mongo/address.ts';
import {
  type AuditCollection,
  auditCollection,
} from '../../../src/store/mongo/audit-collection.ts';
import { openMongoAuditSource } from '../../../src/store/mongo/audit-source.ts';
import {
  packText,
  type RfcDocument,
  type RulesDocument,
  unpackText,
} from '../../../src/store/mongo/documents.ts';
import type { MongoStore } from '../../../src/store/mongo/records.ts';
import { diffDaysOf } from '../../../src/store/mongo/schema.ts';
import { openMongoDriver } from '../../../src/store/mongo/store.ts';
import { databaseUrl, type SharedMongod, sharedMongod } from '../../mongod/mongod.ts';
import { LANES } from '../conformance/events.ts';
import { type Editor, type Harness, verifyStored } from '../conformance/steps.ts';
import { connectDriver, PATIENT_MS } from '../in-process.ts';
import { takeSlot } from './slots.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

export const KEYS = { seal: hashOf('seal'), fingerprint: hashOf('fingerprint') };

/** Signs the checkpoints of tests. */
const SEED = new Uint8Array(32).fill(3);

export type OpenedMongo = MongoStore & StoreClients & { archive: ArchiveSide };

/**
 * The MongoDB driver as a daemon named `instance` runs it, behind the carrier of one thread;
 * `kept`: a data directory that stays.
 */
export async function openMongo(
  url: string,
  now: () => number = Date.now,
  instance = 'daemon-1',
  kept: string | null = null,
  diffDays: number = RETENTION.DIFF_DAYS_DEFAULT,
): Promise<OpenedMongo> {
  const dataDir = kept ?? mkdtempSync(join(tmpdir(), 'cra-mongo-'));
  const driver = await openMongoDriver({
    url,
    now,
    instance,
    keys: KEYS,
    auditUrl: null,
    diffDays,
    dataDir,
    checkpointSeed: SEED,
    version: 'test',
    lanes: LANES,
  });
  const close = async () => {
    await driver.close();
    if (kept === null) rmSync(dataDir, { recursive: true });
  };
  const { archive, store } = driver;
  return { ...store, ...connectDriver(driver, driver, PATIENT_MS), archive, close };
}

/** The same on an empty database of the shared mongod, closed and dropped after the test. */
export async function openTemporary(t: ExecutionContext): Promise<OpenedMongo> {
  const opened = await openMongo(databaseUrl(await sharedMongod()));
  t.teardown(() => drop(opened));
  return opened;
}

/** Two daemons on one database. */
export async function openTwo(t: ExecutionContext): Promise<[OpenedMongo, OpenedMongo]> {
  const url = databaseUrl(await sharedMongod());
  // At once, as after a power cut: they must not trip over each other's indexes.
  const opened = await Promise.all(
    ['daemon-1', 'daemon-2'].map(async (instance) => {
      const each = await openMongo(url, Date.now, instance);
      t.teardown(each.close);
      return each;
    }),
  );
  t.teardown(() => opened[0]?.connection.db.dropDatabase());
  return opened as [OpenedMongo, OpenedMongo];
}

/** Databases that a test has left empty: to make one with its indexes takes half a second. */
const emptied: string[] = [];

/** The MongoDB driver for the conformance suite; `mongod`: another one than the shared. */
export async function openHarness(now: () => number, mongod?: SharedMongod): Promise<Harness> {
  let passedMs = 0;
  const clock = () => now() + passedMs;
  const leave = await takeSlot();
  const url = emptied.pop() ?? databaseUrl(mongod ?? (await sharedMongod()));
  const dataDir = mkdtempSync(join(tmpdir(), 'cra-mongo-'));
  let diffDays: number = RETENTION.DIFF_DAYS_DEFAULT;
  const open = () => openMongo(url, clock, 'daemon-1', dataDir, diffDays);
  let opened = await open();
  return {
    get archived() {
      return { side: opened.archive, root: join(dataDir, 'archive') };
    },
    get store() {
      return opened.store;
    },
    get trail() {
      return opened.trail;
    },
    get tasks() {
      return opened.tasks;
    },
    get usage() {
      return opened.usage;
    },
    get reviews() {
      return opened.reviews;
    },
    get rulebook() {
      return opened.rulebook;
    },
    get sessions() {
      return opened.sessions;
    },
    get deploys() {
      return opened.deploys;
    },
    get events() {
      return opened.events;
    },
    get pushes() {
      return opened.pushes;
    },
    async passTime(ms) {
      const { db } = opened.connection;
      const serverMs = async () => Number((await db.command({ hello: 1 }))['localTime']);
      const untilMs = (await serverMs()) + ms;
      passedMs += ms;
      for (let leftMs = ms; leftMs > 0; leftMs = untilMs - (await serverMs())) await delay(leftMs);
    },
    entries: () => readEntries(defaultAuditUrl(url, opened.connection.db.databaseName)),
    async reopen() {
      await opened.close();
      opened = await open();
    },
    source: () => openMongoAuditSource({ url, auditUrl: null }),
    async verify() {
      return verifyStored(await openMongoAuditSource({ url, auditUrl: null }));
    },
    get edit() {
      const { db } = opened.connection;
      const audit = db.client.db(auditDatabaseName(db.databaseName));
      return editorOf(db, auditCollection(audit));
    },
    async keepDiffs(days) {
      diffDays = days;
      await opened.close();
      opened = await open();
    },
    // In production the server does so, by the index "retention".
    async pruneDiffs(nowMs) {
      const { diffs } = opened.connection.collections;
      const days = (await diffDaysOf({ diffs })) ?? Infinity;
      const oldest = new Date(nowMs - days * DAY_MS);
      return (await diffs.deleteMany({ written_at: { $lt: oldest } })).deletedCount;
    },
    async clear() {
      const { rfcs, baselines } = opened.connection.collections;
      await Promise.all([rfcs.deleteMany({}), baselines.deleteMany({})]);
    },
    async close() {
      const { databaseName } = opened.connection.db;
      await opened.close();
      rmSync(dataDir, { recursive: true });
      await empty(url, [databaseName, auditDatabaseName(databaseName)]);
      emptied.push(url);
      leave();
    },
  };
}

/** Edits the documents of a database. */
function editorOf(db: Db, audit: AuditCollection): Editor {
  const rfcs = db.collection<RfcDocument>('rfcs');
  const accepted = db.collection<{ _id: string } & StoredAcceptance>('accepted');
  const rules = db.collection<RulesDocument>('rules');
  const put = async (record: RfcRecord) => {
    const { rfc_id: _id, tenant_id, repo_name, overall_status: status, rev } = record;
    const { json, summary } = recordText(record);
    const { branch, commit_sha, created_at } = record;
    const found = { repo_key: repo_name.toLowerCase(), branch, commit_sha, created_at };
    const $set = { status, rev, tenant_id, ...found, summary, json };
    await rfcs.updateOne({ _id }, { $set, $unset: { deleted: 1 } }, { upsert: true });
  };
  const accept = async (row: StoredAcceptance) => {
    const _id = `${row.rfc_id}:${row.fingerprint}`;
    await accepted.replaceOne({ _id }, row, { upsert: true });
  };
  return {
    async record(rfcId, change) {
      const found = await rfcs.findOne({ _id: rfcId });
      await put(change(JSON.parse(found?.json ?? '') as RfcRecord));
    },
    insert: put,
    async remove(rfcId) {
      await rfcs.deleteOne({ _id: rfcId });
    },
    async row(rfcId, fields) {
      await rfcs.updateOne({ _id: rfcId }, { $set: fields as Partial<RfcDocument> });
    },
    async refusal(rfcId, change) {
      const found = await rfcs.findOne({ _id: rfcId });
      if (found?.refusal === undefined) throw new Error(`${rfcId} refuses nothing`);
      const json = change(found.refusal.json);
      const next =
        json === null ? { $unset: { refusal: 1 } as const } : { $set: { 'refusal.json': json } };
      await rfcs.updateOne({ _id: rfcId }, next);
    },
    async putRefusal(rfcId, json) {
      await rfcs.updateOne({ _id: rfcId }, { $set: { refusal: { json, at: new Date() } } });
    },
    async entryKind(opId, kind) {
      await audit.updateMany({ op_id: opId }, { $set: { kind: kind as AuditKind } });
    },
    async accepted(change) {
      for (const { _id, ...row } of await accepted.find().toArray()) {
        const next = change(row);
        await accepted.deleteOne({ _id });
        if (next !== null) await accept(next);
      }
    },
    accept,
    async revision(number, change) {
      const found = await rules.findOne({ _id: number });
      const text = found?.text === undefined ? '' : await unpackText(found.text, 'rules');
      const next = change({ entry: found?.entry ?? '', text });
      if (next === null) {
        await rules.deleteOne({ _id: number });
        return;
      }
      const packed = await packText(next.text, 'rules');
      const $set = { entry: next.entry, text: packed };
      await rules.updateOne({ _id: number }, { $set }, { upsert: true });
    },
  };
}

/** Removes what the collections of databases of a server hold; they stay, with their indexes. */
async function empty(url: string, databases: readonly string[]): Promise<void> {
  const client = await MongoClient.connect(url);
  for (const db of databases.map((database) => client.db(database))) {
    for (const { name, type, options } of await db
      .listCollections({}, { nameOnly: false })
      .toArray()) {
      if (type === 'view' || name.startsWith('system.')) continue;
      if (options?.['capped'] === true) await db.command({ emptycapped: name });
      else await db.collection(name).deleteMany({});
    }
  }
  await client.close();
}

/** All entries of a trail, chain by chain. */
export async function readEntries(auditUrl: string): Promise<AuditEntry[]> {
  const source = await openMongoAuditSource({ url: auditUrl, auditUrl });
  const entries: AuditEntry[] = [];
  for (const chain of await source.chains()) {
    for await (const text of source.entries(chain)) entries.push(JSON.parse(text) as AuditEntry);
  }
  await source.close();
  return entries;
}

async function drop(opened: MongoStore): Promise<void> {
  await opened.connection.db.dropDatabase();
  await opened.close();
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Whether the store confirms a write. */
export function canWrite(store: RecordStore): Promise<boolean> {
  return store.ping(null).then(
    () => true,
    () => false,
  );
}
