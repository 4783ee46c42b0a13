import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { MongoClient } from 'mongodb';
import { sealDiff } from '../../../src/core/seal.ts';
import { CraError } from '../../../src/model/errors.ts';
import type { TrailStore } from '../../../src/store/contract/trail.ts';
import {
  COPIED_KINDS,
  type CopyDigest,
  type CopySide,
  copyStore,
} from '../../../src/store/copy.ts';
import { COPIED_COLLECTIONS, openMongoCopy } from '../../../src/store/mongo/copy.ts';
import type { DiffChunkDocument } from '../../../src/store/mongo/documents.ts';
import { diffDaysOf } from '../../../src/store/mongo/schema.ts';
import { COPIED_TABLES, openSqliteCopy } from '../../../src/store/sqlite/copy.ts';
import { openForReading, storePaths } from '../../../src/store/sqlite/database.ts';
import { runCommand } from '../../cli/fixtures/command.ts';
import { databaseUrl, sharedMongod } from '../../mongod/mongod.ts';
import { LANES } from '../conformance/events.ts';
import { DAY_MS } from '../conformance/steps.ts';
import { decisionOn, sampleEvent } from '../fixtures/decisions.ts';
import { fill, insertOld } from '../fixtures/filled.ts';
import { recordText, sampleRecord } from '../fixtures/records.ts';
import { openSqlite, openTemporary, temporaryFor } from '../sqlite/harness.ts';
import { type OpenedMongo, openMongo } from './harness.ts';

const COUNT = { records: 120, decisions: 30 };

/** An RFC whose diff is older than a daemon keeps one that has no setting. */
const OLD_DIFF = { rfc_id: 'RFC-old-diff', days: 60 } as const;

/** A data directory with some of everything. */
async function filledSqlite(t: ExecutionContext): Promise<string> {
  const dataDir = temporaryFor(t);
  const then = openSqlite(dataDir, () => Date.now() - OLD_DIFF.days * DAY_MS);
  await then.checked();
  const { rfc_id } = OLD_DIFF;
  // Too large for the database.
  const diff = sealDiff(randomBytes(100_000), new Uint8Array(32), rfc_id, 1_000_000);
  await then.store.insertRfc({ record: recordText(sampleRecord({ rfc_id })), diff });
  await then.close();
  const opened = openSqlite(dataDir, Date.now, { lanes: LANES });
  await opened.checked();
  await fill(opened, COUNT);
  await archiveOne(opened);
  await opened.close();
  return dataDir;
}

/** An RFC that the store refers to in the archive. */
async function archiveOne({ store, archive }: Archiving): Promise<void> {
  const place = { tenant_id: 'default', branch: 'archived' };
  for (const rfc_id of ['RFC-archived', 'RFC-archived-newer']) {
    await store.insertRfc({ record: recordText(sampleRecord({ rfc_id, ...place })), diff: null });
  }
  const day = { since: '2026-11-21', until: '2026-11-21', by: 'day' } as const;
  await store.trends({ tenant_id: 'default', repo: null, ...day });
  const rfc = { rfc_id: 'RFC-archived', tenant_id: 'default', status: 'PASSED', rev: 1 } as const;
  const member = { file: 'one/2026-11.jsonl.gz', offset: 7, bytes: 9, line: 2, rests_on: [] };
  await archive.replace([{ ...rfc, ...member, archived_at: '2026-11-22T00:00:00.000Z' }]);
}

type Archiving = Pick<Awaited<ReturnType<typeof openMongo>>, 'store' | 'archive'>;

async function copied(from: CopySide, to: CopySide, stopAfter = Infinity): Promise<CopyDigest[]> {
  const stopping = new AbortController();
  let pages = 0;
  const onProgress = () => {
    pages += 1;
    if (pages > stopAfter) stopping.abort();
  };
  try {
    const { signal } = stopping;
    return await copyStore({ from, to, onProgress, signal, now: Date.now });
  } finally {
    await from.close();
    await to.close();
  }
}

const sqlite = (dataDir: string, role: 'source' | 'target') => openSqliteCopy({ dataDir, role });

test('a table or collection that no kind covers would not be copied', async (t) => {
  const database = openTemporary(t);
  const tables = database
    .prepare<[], { name: string }>("SELECT name FROM sqlite_master WHERE type = 'table'")
    .all()
    .map(({ name }) => name)
    .filter((name) => !name.startsWith('sqlite_'));
  t.deepEqual(Object.keys(COPIED_TABLES).sort(), tables.sort());
  const url = databaseUrl(await sharedMongod());
  const opened = await openMongo(url);
  await fill(opened, { records: 20, decisions: 10 });
  const names = await opened.connection.db.listCollections().toArray();
  for (const { name } of names) t.true(name in COPIED_COLLECTIONS, name);
  const known = new Set<string>(Object.values(COPIED_COLLECTIONS));
  for (const kind of COPIED_KINDS) {
    t.true(Object.values(COPIED_TABLES).includes(kind), kind);
    // They stand in documents of others, or in the database of the trail.
    if (!['deletedStatuses', 'deletedRefusals', 'fallen', 'entries'].includes(kind))
      t.true(known.has(kind), kind);
  }
  await opened.connection.db.dropDatabase();
  await opened.close();
});

/** What a copy there and back does not keep: claims, numbers of rows, what a daemon counts anew. */
const NOT_KEPT = new Set([
  ...['rfc.seq', 'rfc.push_owner', 'rfc.push_held_until', 'rfc.trend', 'deleted_status.seq'],
  'deleted_refusal.seq',
]);

/** All columns of all copied tables whose values are not the same in both databases. */
function differentColumns(one: string, other: string): string[] {
  const databases = [one, other].map((dataDir) => openForReading(storePaths(dataDir).database));
  const valuesOf = (table: string, column: string) =>
    databases.map((database) => {
      const rows = database.prepare(`SELECT quote("${column}") AS v FROM ${table}`).all();
      return JSON.stringify(rows.map((row) => (row as { v: string }).v).sort());
    });
  const different: string[] = [];
  for (const [table, kind] of Object.entries(COPIED_TABLES)) {
    if (kind === 'derived') continue;
    const columns = databases[0]?.pragma(`table_info(${table})`) as { name: string }[];
    for (const { name } of columns) {
      const [first, second] = valuesOf(table, name);
      if (first !== second && !NOT_KEPT.has(`${table}.${name}`)) different.push(`${table}.${name}`);
    }
  }
  for (const database of databases) database.close();
  return different;
}

test('a store is copied to MongoDB and back: some of each kind, all equal', async (t) => {
  const first = await filledSqlite(t);
  const url = databaseUrl(await sharedMongod());
  const client = await MongoClient.connect(url);
  t.teardown(() => client.close());
  const diffs = client.db().collection<DiffChunkDocument>('diffs');
  const keepFor = (days: number) =>
    diffs.createIndex(
      { written_at: 1 },
      { name: 'retention', expireAfterSeconds: (days * DAY_MS) / 1000 },
    );
  // Left by a daemon: the server would delete what is copied.
  await keepFor(30);
  const there = await copied(await sqlite(first, 'source'), await openMongoCopy(url, null));
  for (const { kind, rows } of there) t.true(rows > 0, kind);
  t.is(await diffDaysOf({ diffs }), null);
  await keepFor(90);
  const second = temporaryFor(t);
  const back = await copied(await openMongoCopy(url, null), await sqlite(second, 'target'));
  t.deepEqual(back, there);
  t.is(await diffDaysOf({ diffs }), 90);
  t.deepEqual(differentColumns(first, second), []);

  const again = decisionOn({ tenant_id: 'default', rfc_id: 'RFC-D3' }, 'op-3');
  const answers = [];
  const mongo = await openMongo(url, Date.now, 'daemon-1', null, 90);
  for (const { trail, store } of [mongo, openSqlite(second, Date.now)]) {
    const { rfc_id } = OLD_DIFF;
    t.is((await store.getDiff({ tenant_id: 'default', rfc_id })).bytes, 100_000);
    answers.push(await trail.decide(again));
    const { json } = await store.listRfcs({
      tenant_id: 'default',
      status: null,
      repo: null,
      limit: 5,
      cursor: null,
    });
    answers.push((JSON.parse(json) as { rfc_id: string }[]).map(({ rfc_id }) => rfc_id));
  }
  t.deepEqual(answers.slice(0, 2), answers.slice(2));
  t.like(answers[0], { replayed: true, overall_status: 'OVERRIDDEN' });
  t.is((await mongo.usage.usageTotal({ tenant_id: 'default', sinceMs: 0 })).calls, 21);
  await mongo.close();
});

test('decisions that were made in MongoDB are answered in SQLite as there', async (t) => {
  const url = databaseUrl(await sharedMongod());
  const mongo = await openMongo(url);
  await fill(mongo, { records: 10, decisions: 10 });
  await archiveOne(mongo);
  const decision = decisionOn({ tenant_id: 'default', rfc_id: 'RFC-D3' }, 'op-3');
  const answer = await mongo.trail.decide(decision);
  await mongo.close();
  const dataDir = temporaryFor(t);
  const digests = await copied(await openMongoCopy(url, null), await sqlite(dataDir, 'target'));
  for (const { kind, rows } of digests) t.true(rows > 0, kind);
  const opened = openSqlite(dataDir, Date.now);
  await opened.checked();
  t.deepEqual(await opened.trail.decide(decision), answer);
  await opened.close();
  const { stdout, code } = await runCommand(['audit', 'verify'], {
    env: { SERVICE_DATA_DIR: dataDir, SERVICE_CHECKPOINT_KEY: '03'.repeat(32) },
  });
  t.is(code, 0, stdout);
});

test('cra store archive of a store in MongoDB makes no keys, and --verify asks the store', async (t) => {
  const url = databaseUrl(await sharedMongod());
  const dataDir = temporaryFor(t);
  const mongo = await openMongo(url);
  await insertOld(mongo.store);
  await mongo.close();
  const retention = join(dataDir, 'retention.json');
  writeFileSync(retention, '{"archive": [{"days": 91}]}');
  writeFileSync(join(dataDir, 'instance'), `${randomUUID()}\n`);
  const env = {
    SERVICE_DATA_DIR: dataDir,
    SERVICE_STORE_URL: url,
    SERVICE_CHECKPOINT_KEY: '03'.repeat(32),
    SERVICE_RETENTION_CONFIG: retention,
  };
  const { stdout, stderr } = await runCommand(['store', 'archive'], { env });
  t.regex(stdout, /^1 RFCs are archived/, stderr);
  t.false(existsSync(join(dataDir, 'keys')));
  rmSync(storePaths(dataDir).archive, { recursive: true });
  const bad = await runCommand(['store', 'archive', '--verify'], { env });
  t.is(bad.code, 1, bad.stderr);
  t.regex(bad.stdout, /^BAD .*2026-01\.jsonl\.gz .*: the file is missing$/m);
});

test('a copy that was stopped goes on, and no daemon serves it before', async (t) => {
  const from = await filledSqlite(t);
  const url = databaseUrl(await sharedMongod());
  for (const stopAfter of [0, 1, 3, 7]) {
    const sides = [await sqlite(from, 'source'), await openMongoCopy(url, null)] as const;
    await t.throwsAsync(copied(...sides, stopAfter));
    await t.throwsAsync(openMongo(url), { message: /a part of a copy/ });
  }
  const other = await filledSqlite(t);
  const wrong = [await sqlite(other, 'source'), await openMongoCopy(url, null)] as const;
  await t.throwsAsync(copied(...wrong), { instanceOf: CraError, message: /another store/ });
  await copied(await sqlite(from, 'source'), await openMongoCopy(url, null));
  const mongo = await openMongo(url);
  await mongo.close();
  const full = [await sqlite(from, 'source'), await openMongoCopy(url, null)] as const;
  await t.throwsAsync(copied(...full), { instanceOf: CraError, message: /holds data already/ });
});

test('a row that changed in the copy is found', async (t) => {
  const from = await filledSqlite(t);
  const dataDir = temporaryFor(t);
  const to = await sqlite(dataDir, 'target');
  const spoilt: CopySide = {
    ...to,
    write: (kind, rows, first) =>
      to.write(
        kind,
        kind === 'sessions' ? rows.map((row) => ({ ...row, principal_id: 'eve' })) : rows,
        first,
      ),
  };
  const failed = await t.throwsAsync(copied(await sqlite(from, 'source'), spoilt));
  t.regex(failed?.message ?? '', /differs .* in: sessions\./);
  t.throws(() => openSqlite(dataDir, Date.now), { message: /a part of a copy/ });
});

test('two daemons that list the trail at once list each entry of a tenant once, in order', async (t) => {
  const url = databaseUrl(await sharedMongod());
  const daemons = await Promise.all(
    ['daemon-1', 'daemon-2'].map((instance) => openMongo(url, Date.now, instance)),
  );
  t.teardown(async () => {
    await daemons[0]?.connection.db.dropDatabase();
    await Promise.all(daemons.map((one) => one.close()));
  });
  const asked = { tenant_id: 'default', kind: null, logins: false, rfc_id: null };
  const walk = async ({ trail }: OpenedMongo) => {
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const page: Awaited<ReturnType<TrailStore['listEntries']>> = await trail.listEntries({
        ...asked,
        limit: 7,
        cursor,
      });
      seen.push(...page.entries.map(({ op_id }) => op_id));
      cursor = page.next_cursor;
    } while (cursor !== null);
    return seen;
  };
  for (let round = 0; round < 3; round += 1) {
    const writes = Array.from({ length: 20 }, (_, n) => {
      const tenant_id = n % 4 === 3 ? 'other' : 'default';
      const event = sampleEvent(`op-${round}-${n}`, { tenant_id });
      return daemons[n % 2]?.trail.appendEvent({ event });
    });
    await Promise.all([...writes, ...daemons.map(walk)]);
    const lists = await Promise.all(daemons.map(walk));
    t.deepEqual(lists[0], lists[1]);
    t.is(lists[0]?.length, 15 * (round + 1));
    t.is(new Set(lists[0]).size, 15 * (round + 1));
    t.true(lists[0]?.slice(0, 15).every((name) => name.startsWith(`op-${round}-`)));
  }
});
