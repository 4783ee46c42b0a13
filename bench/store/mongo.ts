import { join } from 'node:path';
import { openMongoAuditSource } from '../../src/store/mongo/audit-source.ts';
import { connectMongo } from '../../src/store/mongo/database.ts';
import type { DiffChunkDocument, RfcDocument } from '../../src/store/mongo/documents.ts';
import { newDocument, stageDiff } from '../../src/store/mongo/record-documents.ts';
import { startMongod } from '../../test/mongod/mongod.ts';
import type { BenchedDriver, OpenedDriver } from '../store.ts';
import { openRawMongoTrail } from './raw-mongo-trail.ts';
import type { Insert } from './sample.ts';
import { openStoreThreads } from './threads.ts';
import { measureTrail, TRAIL_COLUMNS } from './trail.ts';

/** The MongoDB driver, and the same documents given to the driver of MongoDB directly. */
export const MONGO: BenchedDriver = {
  name: 'MongoDB',
  async open(folder) {
    const mongod = await startMongod({ folder: join(folder, 'mongod') });
    const opened = await openMongo(folder, mongod.url.replace('/?', '/cra?'));
    return { ...opened, close: () => opened.close().then(mongod.stop) };
  },
  notes: [
    'MongoDB: a replica set of one on the same machine, majority and journal; the CPU is that ' +
      'of the store without mongod',
    'raw MongoDB: the same documents by insertMany into two collections with no other index, ' +
      'both at once, with the same concern, as many as the store has in flight',
    'raw audit: insertMany of equal documents into a capped collection with the same unique ' +
      'indexes; a decision is an intent, an update and an outcome, each for the whole batch',
  ],
};

/** The store at an address, which names its database; `folder` is the data directory. */
export async function openMongo(folder: string, url: string): Promise<OpenedDriver> {
  const keys = { seal: 'bench', fingerprint: 'bench' };
  const trail = {
    auditUrl: null,
    checkpointSeed: new Uint8Array(32),
    segments: null,
    version: 'bench',
    instance: 'bench',
    retention: { diffDays: 30, rules: [], holds: [] },
  };
  const opened = await openStoreThreads([
    { role: 'mongo', dataDir: folder, url, keys, lanes: [], ...trail },
  ]);
  const raw = await openRaw(url.replace(/(?<!\/)\/\w+(?=\?|$)/, '/raw'));
  return {
    store: opened.store,
    pushes: opened.pushes,
    trail: opened.trail,
    deploys: opened.deploys,
    openTrail: () => openMongoAuditSource({ url, auditUrl: null }),
    bytesOf: () => bytesOf(url),
    insertRaw: raw.insertAll,
    async measureTrail(inserts, ms) {
      const rows = await measureTrail({
        trail: opened.trail,
        inserts,
        ms,
        openRaw: (records, raws) => openRawMongoTrail(raw.db, records, raws),
      });
      return [{ columns: TRAIL_COLUMNS, rows }];
    },
    async close() {
      await raw.close();
      await opened.close();
    },
  };
}

/** How many records a store holds, and `count` ids of them, drawn. */
export async function sampleStore(url: string, count: number) {
  const { db, close } = await connectMongo(url);
  try {
    const rfcs = db.collection<RfcDocument>('rfcs');
    const drawn = await rfcs
      .aggregate<{ _id: string }>([{ $sample: { size: count } }, { $project: { _id: 1 } }])
      .toArray();
    return { records: await rfcs.estimatedDocumentCount(), ids: drawn.map(({ _id }) => _id) };
  } finally {
    await close();
  }
}

async function openRaw(url: string) {
  const { db, close } = await connectMongo(url);
  const rfcs = db.collection<RfcDocument>('rfcs');
  const diffs = db.collection<DiffChunkDocument>('diffs');
  return {
    async insertAll(inserts: readonly Insert[], batch: number) {
      for (let at = 0; at < inserts.length; at += batch) {
        const documents = inserts.slice(at, at + batch).map(documentsOf);
        await Promise.all([
          diffs.insertMany(documents.flatMap(({ chunks }) => chunks)),
          rfcs.insertMany(documents.map(({ record }) => record)),
        ]);
      }
    },
    db,
    close,
  };
}

function documentsOf({ record, diff }: Insert) {
  const { reference, chunks } = stageDiff(record.rfc_id, diff, Date.now());
  return {
    record: newDocument(record, {
      diff: reference,
      push: null,
      instance: 'bench',
      nowMs: Date.now(),
      lanes: [],
    }),
    chunks,
  };
}

/** https://www.mongodb.com/docs/manual/reference/command/collStats/ */
async function bytesOf(url: string): Promise<Map<string, number>> {
  const { db, close } = await connectMongo(url);
  const sizes = new Map<string, number>();
  try {
    for (const { name } of await db.listCollections({}, { nameOnly: true }).toArray()) {
      const stats = await db.command({ collStats: name });
      sizes.set(name, Number(stats['storageSize']));
      for (const [index, bytes] of Object.entries(stats['indexSizes'] ?? {})) {
        sizes.set(`${name}.${index}`, Number(bytes));
      }
    }
    return sizes;
  } finally {
    await close();
  }
}
