import { statSync, symlinkSync, truncateSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { openDiff, sealDiff } from '../../../src/core/seal.ts';
import { storePaths } from '../../../src/store/sqlite/database.ts';
import { NOW } from '../conformance/steps.ts';
import { recordText, sampleRecord } from '../fixtures/records.ts';
import { openSqlite, temporaryFor } from './harness.ts';
import { openParts, refused } from './parts.ts';

const KEY = new Uint8Array(32).fill(7);

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
  const batch = [insert('RFC-1', Buffer.from('diff')), insert('RFC-2')];
  for (const call of batch) t.is(await refused(t, call), 'RESOURCE_EXHAUSTED');
  t.false(await has('RFC-1'));
  t.false(await has('RFC-2'));
  unlinkSync(segment);
  await insert('RFC-1', Buffer.from('diff'));
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
  const diffs = ids.map((rfc_id) => Buffer.from(`diff of ${rfc_id}`));
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
    t.is(Buffer.from(openDiff(sealed, KEY, rfc_id, 100)).toString(), `diff of ${rfc_id}`);
  }
  const { size } = statSync(join(paths.diffs, '2026-11-21.seg'));
  t.is(size, bytes, 'nothing was written of those that failed');
});

test('insertRfc again does not write the diff again', async (t) => {
  const { paths, insert } = openStore(t);
  const size = () => statSync(join(paths.diffs, '2026-11-21.seg')).size;
  await insert('RFC-1', Buffer.from('diff'));
  const before = size();
  await insert('RFC-1', Buffer.from('diff'));
  t.is(size(), before);
  t.is(statSync(join(paths.diffs, '2026-11-21.seg')).mode & 0o777, 0o600);
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
      diff: sealDiff(Buffer.from(rfc_id), KEY, rfc_id, 1_000_000),
    });
  const read = async (opened: ReturnType<typeof open>, rfc_id: string) => {
    const sealed = await opened.store.getDiff({ tenant_id: 'default', rfc_id });
    return Buffer.from(openDiff(sealed, KEY, rfc_id, 100)).toString();
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
