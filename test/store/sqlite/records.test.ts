import { randomBytes } from 'node:crypto';
import { statSync, symlinkSync, truncateSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import test from 'ava';
import Database from 'better-sqlite3';
import { openDiff, sealDiff } from '../../../src/core/seal.ts';
import { plainEvent } from '../../../src/model/audit.ts';
import { STORE } from '../../../src/store/limits.ts';
import { storePaths } from '../../../src/store/sqlite/database.ts';
import { QUERIES } from '../../../src/store/sqlite/queries.ts';
import { createSqliteReader } from '../../../src/store/sqlite/store.ts';
import { until } from '../../daemon.ts';
import { pushed } from '../conformance/push-steps.ts';
import { DAY_MS, insert, list, NOW } from '../conformance/steps.ts';
import { sampleEvent } from '../fixtures/decisions.ts';
import { judgedPush } from '../fixtures/pushes.ts';
import { recordText, sampleFinding, sampleRecord } from '../fixtures/records.ts';
import { openSqlite, openWriter, temporaryFor } from './harness.ts';
import { openParts, refused } from './parts.ts';

const KEY = new Uint8Array(32).fill(7);

/** Too large for the database: so much that cannot be compressed goes to a file. */
const NOISE = randomBytes(STORE.SMALL_DIFF_BYTES_MAX + 1);
const large = (text: string) => Buffer.concat([Buffer.from(text), NOISE]);

/** A store whose database and files the test may hurt, and steps on it. */
function openStore(t: ExecutionContext) {
  const { store, ...parts } = openParts(t);
  const insert = (rfc_id: string, diff: Uint8Array | null = null) =>
    store.insertRfc({
      record: recordText(sampleRecord({ rfc_id })),
      diff: diff === null ? null : sealDiff(diff, KEY, rfc_id, 1_000_000),
    });
  const has = (rfc_id: string) =>
    store.getRfc({ tenant_id: 'default', rfc_id }).then(
      () => true,
      () => false,
    );
  return { ...parts, store, insert, has };
}

test('insertRfc on a full disk is RESOURCE_EXHAUSTED; what was acknowledged stays', async (t) => {
  const { database, store, insert, has } = openStore(t);
  database.pragma('max_page_count = 60');
  const acknowledged: string[] = [];
  const rejected: string[] = [];
  for (let batch = 0; batch < 20; batch += 1) {
    const ids = Array.from({ length: 10 }, (_, n) => `RFC-${batch}-${n}`);
    const results = await Promise.allSettled(ids.map((rfc_id) => insert(rfc_id)));
    for (const [n, result] of results.entries()) {
      const isStored = result.status === 'fulfilled';
      (isStored ? acknowledged : rejected).push(ids[n] ?? '');
      if (!isStored) t.is(result.reason.code, 'RESOURCE_EXHAUSTED');
    }
  }
  t.true(acknowledged.length > 0 && rejected.length > 0);
  for (const rfc_id of acknowledged) t.true(await has(rfc_id), rfc_id);
  for (const rfc_id of rejected) t.false(await has(rfc_id), rfc_id);
  t.is(database.pragma('integrity_check', { simple: true }), 'ok');
  database.pragma('max_page_count = 100000');
  await insert('RFC-AFTER');
  t.true(await has('RFC-AFTER'));
  t.deepEqual(await store.ping(null), { ok: true });
});

test('insertRfc: no space for a diff fails its whole batch, and the next one works', async (t) => {
  const { paths, insert, has } = openStore(t);
  const segment = join(paths.diffs, '2026-11-21.seg');
  // Every write to this device says ENOSPC.
  symlinkSync('/dev/full', segment);
  const batch = [insert('RFC-1', large('diff')), insert('RFC-2')];
  for (const call of batch) t.is(await refused(t, call), 'RESOURCE_EXHAUSTED');
  t.false(await has('RFC-1'));
  t.false(await has('RFC-2'));
  unlinkSync(segment);
  await insert('RFC-1', large('diff'));
  await insert('RFC-2');
  t.true((await has('RFC-1')) && (await has('RFC-2')));
});

test('insertRfc: an operation that SQLite refuses takes nothing else with it', async (t) => {
  const { database, paths, store, insert, has } = openStore(t);
  database.exec(`
    CREATE TRIGGER refuse BEFORE INSERT ON rfc WHEN new.rfc_id = 'RFC-2'
    BEGIN SELECT RAISE(ABORT, 'refused by the test'); END;
    CREATE TRIGGER undone AFTER INSERT ON rfc WHEN new.rfc_id = 'RFC-4'
    BEGIN SELECT RAISE(FAIL, 'the row is there, the statement fails'); END`);
  const ids = ['RFC-1', 'RFC-2', 'RFC-3', 'RFC-4', 'RFC-5'];
  const diffs = ids.map((rfc_id) => large(`diff of ${rfc_id}`));
  const results = await Promise.allSettled(ids.map((rfc_id, n) => insert(rfc_id, diffs[n])));
  const expected = [true, false, true, false, true];
  t.deepEqual(
    results.map(({ status }) => status === 'fulfilled'),
    expected,
  );
  t.deepEqual(await Promise.all(ids.map(has)), expected);
  let bytes = 0;
  for (const rfc_id of ['RFC-1', 'RFC-3', 'RFC-5']) {
    const sealed = await store.getDiff({ tenant_id: 'default', rfc_id });
    for (const chunk of sealed.chunks) bytes += chunk.length;
    t.deepEqual(Buffer.from(openDiff(sealed, KEY, rfc_id, 100_000)), large(`diff of ${rfc_id}`));
  }
  const { size } = statSync(join(paths.diffs, '2026-11-21.seg'));
  t.is(size, bytes, 'nothing was written of those that failed');
});

test('insertRfc again does not write the diff again', async (t) => {
  const { paths, database, insert } = openStore(t);
  const size = () => statSync(join(paths.diffs, '2026-11-21.seg')).size;
  const small = database.prepare('SELECT count(*) AS count FROM small_diff');
  await insert('RFC-1', large('diff'));
  await insert('RFC-2', Buffer.from('diff'));
  const before = size();
  await insert('RFC-1', large('diff'));
  await insert('RFC-2', Buffer.from('diff'));
  t.is(size(), before);
  t.deepEqual(small.get(), { count: 1 });
  t.is(statSync(join(paths.diffs, '2026-11-21.seg')).mode & 0o777, 0o600);
});

test('a small diff goes with its RFC, a large one with its day', async (t) => {
  const dataDir = temporaryFor(t);
  const opened = openSqlite(dataDir, () => NOW);
  t.teardown(() => opened.close());
  const read = (rfc_id: string) => opened.store.getDiff({ tenant_id: 'default', rfc_id });
  for (const [rfc_id, text] of [
    ['RFC-1', Buffer.from('small')],
    ['RFC-2', large('large')],
    ['RFC-3', Buffer.from('small')],
  ] as const) {
    const diff = sealDiff(text, KEY, rfc_id, 1_000_000);
    await opened.store.insertRfc({ record: recordText(sampleRecord({ rfc_id })), diff });
  }
  const places = () => {
    const database = new Database(storePaths(dataDir).database, { readonly: true });
    const rows = database.prepare('SELECT place FROM small_diff ORDER BY place').all();
    database.close();
    return rows.length;
  };
  t.is(places(), 2);
  const database = new Database(storePaths(dataDir).database);
  database.exec("DELETE FROM rfc WHERE rfc_id = 'RFC-1'");
  database.close();
  t.is(places(), 1);
  const days = STORE.RETENTION_DAYS;
  t.is(await opened.pruneDiffs(NOW + days * DAY_MS, days), 0);
  t.is((await read('RFC-3')).bytes, 5);
  t.is(await opened.pruneDiffs(NOW + (days + 1) * DAY_MS, days), 2);
  t.is(places(), 0);
  for (const rfc_id of ['RFC-2', 'RFC-3']) t.is(await refused(t, read(rfc_id)), 'NOT_FOUND');
});

test('ping says when the database can not be written', async (t) => {
  const { database, store } = openStore(t);
  database.pragma('query_only = 1');
  t.is(await refused(t, store.ping(null)), 'UNAVAILABLE');
  database.pragma('query_only = 0');
  t.deepEqual(await store.ping(null), { ok: true });
});

test('getDiff of a file that was cut is DATA_LOSS; a torn tail hurts nobody', async (t) => {
  const dataDir = temporaryFor(t);
  const segment = join(storePaths(dataDir).diffs, '2026-11-21.seg');
  const open = () => openSqlite(dataDir, () => NOW);
  const insert = (opened: ReturnType<typeof open>, rfc_id: string) =>
    opened.store.insertRfc({
      record: recordText(sampleRecord({ rfc_id })),
      diff: sealDiff(large(rfc_id), KEY, rfc_id, 1_000_000),
    });
  const read = async (opened: ReturnType<typeof open>, rfc_id: string) => {
    const sealed = await opened.store.getDiff({ tenant_id: 'default', rfc_id });
    return Buffer.from(openDiff(sealed, KEY, rfc_id, 100_000)).toString('utf8', 0, 5);
  };
  let opened = open();
  await insert(opened, 'RFC-1');
  await opened.close();
  // What a crash in the middle of a write leaves behind.
  truncateSync(segment, statSync(segment).size + 7);
  opened = open();
  await insert(opened, 'RFC-2');
  t.deepEqual([await read(opened, 'RFC-1'), await read(opened, 'RFC-2')], ['RFC-1', 'RFC-2']);
  truncateSync(segment, statSync(segment).size - 1);
  t.is(await refused(t, read(opened, 'RFC-2')), 'DATA_LOSS');
  t.is(await read(opened, 'RFC-1'), 'RFC-1');
  await opened.close();
});

test('getRfc of a damaged database is DATA_LOSS', async (t) => {
  const { database, store, insert } = openStore(t);
  await insert('RFC-1');
  database.exec(`UPDATE rfc SET json = '{', status = 'DRAFT'`);
  t.is(await refused(t, store.listDrafts({ limit: 1 })), 'DATA_LOSS');
  const attempt = { tenant_id: 'default', rfc_id: 'RFC-1', expectedRev: 1 };
  t.is(await refused(t, store.startAttempt(attempt)), 'DATA_LOSS');
});

const CONTEXT = { stopReason: () => null };

/** A view on a shared buffer would take its neighbours along when it is transferred. */
test('createSqliteReader answers with whole ArrayBuffers', async (t) => {
  const dataDir = temporaryFor(t);
  const writer = openWriter({ dataDir });
  const reader = createSqliteReader({ dataDir, now: Date.now });
  t.teardown(() => {
    reader.close();
    return writer.close();
  });
  for (const count of [0, 1, 100]) {
    const rfc_id = `RFC-${count}`;
    const record = sampleRecord({ rfc_id });
    const findings = Array.from({ length: count }, (_, n) => sampleFinding(n));
    record.gates = { ...record.gates, risk: { ...record.gates.risk, findings } };
    const diff = sealDiff(Buffer.alloc(count), new Uint8Array(32), rfc_id, 10);
    await writer.records.insertRfc({ record: recordText(record), diff }, CONTEXT);
    const id = { tenant_id: 'default', rfc_id };
    const { json } = await reader.records.getRfc(id, CONTEXT);
    const { chunks } = await reader.records.getDiff(id, CONTEXT);
    for (const bytes of [json, ...chunks]) {
      t.is(bytes.byteLength, bytes.buffer.byteLength);
    }
  }
});

test('together shows what was written before it, and a read that fails costs no other', async (t) => {
  const dataDir = temporaryFor(t);
  const writer = openWriter({ dataDir });
  const reader = createSqliteReader({ dataDir, now: Date.now });
  t.teardown(() => {
    reader.close();
    return writer.close();
  });
  const view = (rfc_id: string) => reader.records.getRfc({ tenant_id: 'default', rfc_id }, CONTEXT);
  for (const rfc_id of ['RFC-1', 'RFC-2']) {
    const record = recordText(sampleRecord({ rfc_id }));
    await writer.records.insertRfc({ record, diff: null }, CONTEXT);
    const views: unknown[] = [];
    reader.together(() => {
      t.throws(() => view('RFC-0'), { message: /RFC not found/ });
      views.push(view(rfc_id));
    });
    t.like(views, [{ rev: record.rev }]);
    t.throws(() => reader.together(() => view('RFC-0')), { message: /RFC not found/ });
  }
});

interface Row {
  n: number;
  chain: string;
  seq: number;
  op_id: string;
  phase: string;
  kind: string;
  ts: string;
  bytes: number;
  prev: string;
  hash: string;
  entry: string;
}

/** A trail of three entries, and what would be the fourth. */
async function openTrail(t: ExecutionContext) {
  const { database, paths, trail } = openParts(t);
  await trail.appendEvent({ event: sampleEvent('op-1') });
  await trail.appendEvent({ event: sampleEvent('op-2') });
  const all = () => database.prepare<[], Row>('SELECT * FROM audit ORDER BY n').all();
  const last = all().at(-1) as Row;
  const next: Row = { ...last, n: 4, seq: 4, op_id: 'op-3', prev: last.hash, hash: 'f'.repeat(64) };
  return { database, file: paths.database, all, last, next };
}

function columns(row: Row) {
  const { n, chain, seq, op_id, phase, kind, ts, bytes, prev, hash, entry } = row;
  return [n, chain, seq, op_id, phase, kind, ts, bytes, prev, hash, entry];
}

const REPLACE = QUERIES.auditAppend.replace('INSERT', 'INSERT OR REPLACE');
const IGNORE = QUERIES.auditAppend.replace('INSERT', 'INSERT OR IGNORE');

const COLUMNS = 'n, chain, seq, op_id, phase, kind, ts, bytes, prev, hash, entry';

/** Ways to change or remove what stands in the trail. */
const CHANGES = [
  `UPDATE audit SET entry = '{}' WHERE n = 2`,
  'UPDATE audit SET n = 9 WHERE n = 3',
  `UPDATE OR REPLACE audit SET seq = 2 WHERE n = 3`,
  'DELETE FROM audit WHERE n = 3',
  'DELETE FROM audit',
  `INSERT INTO audit (${COLUMNS}) SELECT ${COLUMNS} FROM audit WHERE n = 3
    ON CONFLICT DO UPDATE SET entry = '{}'`,
];

/** Entries that do not follow the newest one, or that would take the place of one. */
function misplaced({ last, next }: { last: Row; next: Row }): [name: string, row: Row][] {
  return [
    ['a gap', { ...next, seq: 5 }],
    ['a gap in n', { ...next, n: 5 }],
    ['seq again', { ...next, seq: 3 }],
    ['the whole row again', last],
    ['n again', { ...next, n: 2 }],
    ['seq 0', { ...next, seq: 0, chain: 'other' }],
    ['a first entry with seq 2', { ...next, seq: 2, chain: 'other', prev: '0'.repeat(64) }],
    ['a first entry that has one before', { ...next, seq: 1, chain: 'other' }],
    ['another entry before it', { ...next, prev: 'a'.repeat(64) }],
    ['no entry before it', { ...next, prev: '0'.repeat(64) }],
    ['op_id again', { ...next, op_id: 'op-1' }],
  ];
}

test('audit refuses to be changed, and entries out of place', async (t) => {
  const opened = await openTrail(t);
  const { database, all, next } = opened;
  const before = all();
  for (const sql of CHANGES) {
    t.throws(() => database.exec(sql), { any: true, code: 'SQLITE_CONSTRAINT_TRIGGER' }, sql);
  }
  for (const [name, row] of misplaced(opened)) {
    for (const sql of [QUERIES.auditAppend, REPLACE]) {
      const write = () => database.prepare(sql).run(columns(row));
      t.throws(write, { any: true }, `${name}: ${sql}`);
    }
    t.throws(() => database.prepare(IGNORE).run(columns(row)), { any: true }, name);
  }
  t.deepEqual(all(), before);
  database.prepare(QUERIES.auditAppend).run(columns(next));
  t.is(all().length, 4);
});

test('audit keeps its rows from connections that know nothing of it', async (t) => {
  const opened = await openTrail(t);
  const before = opened.all();
  const other = new Database(opened.file);
  t.teardown(() => void other.close());
  t.is(other.pragma('recursive_triggers', { simple: true }), 0);
  for (const sql of CHANGES) t.throws(() => other.exec(sql), { any: true }, sql);
  for (const [name, row] of misplaced(opened)) {
    t.throws(() => other.prepare(REPLACE).run(columns(row)), { any: true }, name);
  }
  t.deepEqual(opened.all(), before);
});

test('the writing connection fires triggers for rows that are replaced', (t) => {
  const { database } = openParts(t);
  t.is(database.pragma('recursive_triggers', { simple: true }), 1);
});

test('records from before there were searches are found after the next start', async (t) => {
  const dataDir = temporaryFor(t);
  const first = openSqlite(dataDir, () => NOW);
  for (let n = 0; n < 300; n += 1) await insert(first.store, sampleRecord({ rfc_id: `RFC-${n}` }));
  await first.close();
  const database = new Database(storePaths(dataDir).database);
  t.is(database.prepare('SELECT seq FROM rfc_indexed').pluck().get(), 256);
  database.exec('UPDATE rfc SET texts = NULL');
  t.deepEqual(database.prepare('SELECT * FROM rfc_text').all(), []);
  database.close();
  const again = openSqlite(dataDir, () => NOW);
  t.teardown(again.close);
  const search = { texts: ['word:main'], until: null, since: null, examined: 1_000 };
  const found = async (cursor: string | null = null): Promise<number> => {
    const page = await list(again.store, { limit: 100, search, cursor });
    const { length } = page.summaries;
    return page.next_cursor === null ? length : length + (await found(page.next_cursor));
  };
  await until(async () => (await found()) === 300);
});

test('a carry without its entry is found at the next start', async (t) => {
  const dataDir = temporaryFor(t);
  const first = openSqlite(dataDir, () => NOW);
  for (const n of [1, 2]) {
    const draft = await pushed(first.pushes, { rfc_id: `RFC-${n}`, ref: `refs/heads/${n}` });
    const next = judgedPush(draft, { overall_status: 'OVERRIDDEN', carried_from: ['RFC-0'] });
    const op_id = `carry RFC-${n} 1`;
    const event = plainEvent({ kind: 'carry', op_id, principal: null, details: {} });
    await first.pushes.completePush({ record: recordText(next), expectedRev: 1, event });
  }
  await first.close();
  await openWriter({ dataDir, now: () => NOW }).close();

  unlinkSync(join(dataDir, 'checkpoint.note'));
  const database = new Database(storePaths(dataDir).database);
  database.exec('DROP TRIGGER audit_no_delete');
  database.exec(`DELETE FROM audit WHERE op_id = 'carry RFC-2 1'`);
  database.close();
  const writer = openWriter({ dataDir, now: () => NOW });
  await writer.gate.check();
  t.is(writer.gate.state, 'refused');
  t.regex(writer.gate.problem ?? '', /carry RFC-2/);
  await writer.acceptGap({ chain: 'unknown', actor: 'ann', reason: 'restored from a backup' });
  t.is(writer.gate.state, 'open');
  await writer.close();
});

test('pruneDiffs deletes reports that are kept for long enough', async (t) => {
  const opened = openSqlite(temporaryFor(t), () => NOW);
  t.teardown(() => opened.close());
  const about = { tenant_id: 'default', repo_name: 'a/b', subject: 'a'.repeat(40) };
  const sealed = { chunks: [new Uint8Array(1)], bytes: 1 };
  const report = { tool: 'one', sha256: 'ab', at: new Date(NOW).toISOString(), results: 0, sealed };
  await opened.store.keepReports({ ...about, reports: [report] });
  const days = STORE.RETENTION_DAYS;
  await opened.pruneDiffs(NOW + days * DAY_MS, days);
  t.is((await opened.store.reportNames(about)).reports.length, 1);
  await opened.pruneDiffs(NOW + days * DAY_MS + 1, days);
  t.is((await opened.store.reportNames(about)).reports.length, 0);
});
