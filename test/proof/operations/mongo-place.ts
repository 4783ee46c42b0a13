import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Document, MongoClient } from 'mongodb';
import { openMongoAuditSource } from '../../../src/store/mongo/audit-source.ts';
import { decisionsIn } from '../../../src/store/mongo/decide-record.ts';
import type { Mongod } from '../../mongod/mongod.ts';
import { type Moment, type StoredRecord, type StorePlace, signal } from './place.ts';

const DATABASE = 'proof';

const SHOWS: Readonly<Record<Exclude<Moment, 'log'>, Document>> = {
  intent: { 'ns.coll': 'audit', 'fullDocument.slot': 'intent' },
  record: { 'ns.coll': 'rfcs', operationType: 'update' },
  outcome: { 'ns.coll': 'audit', 'fullDocument.slot': 'outcome' },
};

interface RfcRow {
  _id: string;
  status: string;
  json?: string;
  deleted?: boolean;
  deleted_by?: string;
  decisions?: string[];
}

/** Databases on a replica set; the data directories of its daemons are below `folder`. */
export async function openMongoPlace(mongod: Mongod, folder: string): Promise<StorePlace> {
  const url = mongod.url.replace('/?', `/${DATABASE}?`);
  const dataDir = join(folder, 'data');
  mkdirSync(dataDir, { recursive: true });
  const client = await new MongoClient(url).connect();
  return {
    name: 'MongoDB',
    dataDir,
    settings: { SERVICE_STORE_URL: url, ...sharedKeys() },
    moments: ['intent', 'record', 'outcome'],
    openTrail: () => openMongoAuditSource({ url, auditUrl: null }),
    async readRecords() {
      const rows = client
        .db(DATABASE)
        .collection<RfcRow>('rfcs', { readConcern: { level: 'majority' } });
      return (await rows.find().toArray()).map(toRecord);
    },
    watch: (moment) => watchFor(client, moment),
    close: () => client.close(),
  };
}

/** Daemons of one store have their keys in common. */
function sharedKeys(): Record<string, string> {
  const key = () => randomBytes(32).toString('hex');
  return {
    SERVICE_SEAL_KEY: key(),
    SERVICE_FINGERPRINT_KEY: key(),
    SERVICE_CHECKPOINT_KEY: key(),
  };
}

function toRecord({ _id, status, json, deleted, deleted_by, decisions }: RfcRow): StoredRecord {
  if (deleted === true || json === undefined) {
    const recorded = { decisions: decisions ?? [], deletedBy: deleted_by ?? '' };
    return { rfcId: _id, status: null, ...recorded };
  }
  return { rfcId: _id, status, decisions: decisionsIn(json), deletedBy: null };
}

async function watchFor(client: MongoClient, moment: Moment) {
  const { promise, fire } = signal();
  if (moment === 'log') throw new RangeError('MongoDB has no log to watch');
  const stream = client.watch([{ $match: SHOWS[moment] }], { maxAwaitTimeMS: 50 });
  // The first look opens it: what comes after that is seen.
  if ((await stream.tryNext()) === null) void stream.next().then(fire, fire);
  else fire();
  return { seen: promise, stop: () => stream.close() };
}
