import { type ChildProcess, fork } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { ExecutionContext } from 'ava';
import test from 'ava';
import Database from 'better-sqlite3';
import { sealDiff } from '../../../src/core/seal.ts';
import { CraError } from '../../../src/model/errors.ts';
import {
  lockDataDir,
  openForReading,
  openForWriting,
  storePaths,
} from '../../../src/store/sqlite/database.ts';
import { fromOpening } from '../../../src/store/sqlite/errors.ts';
import {
  MIGRATIONS,
  migrate,
  REJECTED_COMPONENTS_STEP,
  USAGE_SOURCE_STEP,
} from '../../../src/store/sqlite/schema.ts';
import { createSqliteReader } from '../../../src/store/sqlite/store.ts';
import { runCommand } from '../../cli/fixtures/command.ts';
import { KEY, readDiffText } from '../conformance/steps.ts';
import { blockedRecord, decisionOn } from '../fixtures/decisions.ts';
import { fill, insertOld } from '../fixtures/filled.ts';
import { recordText, sampleDraft, sampleRecord } from '../fixtures/records.ts';
import { inMemory, openSqlite, openTemporary, openWriter, temporaryFor } from './harness.ts';

/** Another process that holds the lock. */
async function startHolder(t: ExecutionContext, dataDir: string): Promise<ChildProcess> {
  const child = fork(new URL('lock-child.js', import.meta.url), [dataDir]);
  t.teardown(() => void child.kill('SIGKILL'));
  t.deepEqual(await once(child, 'message'), ['locked', undefined]);
  return child;
}

function refusal(t: ExecutionContext, dataDir: string): string {
  const open = () => openWriter({ dataDir });
  const error = t.throws(open, { instanceOf: CraError });
  t.is(error?.code, 'FAILED_PRECONDITION');
  return error?.message ?? '';
}

test('lockDataDir: a second process is refused with the pid, until kill -9', async (t) => {
  const dataDir = temporaryFor(t);
  const child = await startHolder(t, dataDir);
  const expected = `data directory ${dataDir} is in use by another cra (pid ${child.pid})`;
  t.is(refusal(t, dataDir), expected);
  t.is(refusal(t, dataDir), expected, 'a refused daemon does not break the lock');
  t.false(existsSync(join(dataDir, 'cra.db')), 'a refused daemon touches nothing');
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
  const writer = openWriter({ dataDir });
  await writer.close();
});

test('lockDataDir: a second writer of the same process is refused as well', async (t) => {
  const dataDir = temporaryFor(t);
  const writer = openWriter({ dataDir });
  t.regex(refusal(t, dataDir), new RegExp(`pid ${process.pid}`));
  await writer.close();
  const next = openWriter({ dataDir });
  await next.close();
});

test('lockDataDir: what is held here is refused to another process', async (t) => {
  const dataDir = temporaryFor(t);
  const lock = lockDataDir(dataDir);
  const child = fork(new URL('lock-child.js', import.meta.url), [dataDir], { silent: true });
  const [code] = await once(child, 'exit');
  t.not(code, 0);
  lock.release();
  await startHolder(t, dataDir);
});

test('createSqliteWriter gives the lock back when it can not open', async (t) => {
  const dataDir = temporaryFor(t);
  const { close } = openWriter({ dataDir });
  await close();
  rmSync(join(dataDir, 'diffs'), { recursive: true });
  const broken = () => openWriter({ dataDir, now: () => Number.NaN });
  t.throws(broken, { instanceOf: CraError });
  const lock = lockDataDir(dataDir);
  lock.release();
});

test('createSqliteWriter and createSqliteReader name the directory that cannot be used', (t) => {
  for (const open of [openWriter, createSqliteReader]) {
    const error = t.throws(() => open({ dataDir: '/dev/null/x', now: Date.now }), {
      instanceOf: CraError,
      message: /^data directory \/dev\/null\/x \(SERVICE_DATA_DIR\) cannot be used: ./,
    });
    t.true(['UNAVAILABLE', 'INTERNAL'].includes(error?.code ?? ''), error?.code);
  }
});

function version(database: ReturnType<typeof openForWriting>): unknown {
  return database.pragma('user_version', { simple: true });
}

test('openForWriting sets WAL, FULL, foreign keys and the newest version', (t) => {
  const file = join(temporaryFor(t), 'cra.db');
  const database = openForWriting(file);
  t.teardown(() => void database.close());
  const pragma = (name: string) => database.pragma(name, { simple: true });
  t.is(pragma('journal_mode'), 'wal');
  t.is(pragma('synchronous'), 2);
  t.is(pragma('foreign_keys'), 1);
  t.is(version(database), MIGRATIONS.length);
  t.is(statSync(file).mode & 0o777, 0o600);
  t.is(statSync(`${file}-wal`).mode & 0o777, 0o600);
});

test('openForWriting lets go of a log that grew while somebody read', (t) => {
  const directory = mkdtempSync(join(inMemory, 'cra-store-'));
  t.teardown(() => rmSync(directory, { recursive: true, force: true }));
  const file = join(directory, 'cra.db');
  const writer = openForWriting(file);
  const reader = openForReading(file);
  writer.exec('CREATE TABLE large (bytes BLOB) STRICT');
  const add = writer.prepare('INSERT INTO large VALUES (zeroblob(?))');
  const logBytes = () => statSync(`${file}-wal`).size;
  const keptMax = 64 * 1024 * 1024;
  reader.exec('BEGIN; SELECT * FROM large');
  add.run(keptMax);
  add.run(keptMax);
  t.true(logBytes() > 2 * keptMax);
  reader.close();
  // The first writes the log back, a later one begins it again and cuts it.
  for (let write = 0; write < 3; write += 1) add.run(1);
  t.true(logBytes() <= keptMax, `${logBytes()} bytes`);
  writer.close();
});

test('migrate takes only the steps that are missing', (t) => {
  const database = openTemporary(t);
  const steps = [...MIGRATIONS, 'CREATE TABLE second (a INTEGER) STRICT', 'DROP TABLE second'];
  migrate(database, steps.slice(0, -1));
  t.is(version(database), steps.length - 1);
  migrate(database, steps);
  t.is(version(database), steps.length);
  migrate(database, steps);
  t.is(version(database), steps.length);
});

test('migrate leaves nothing of a step that fails', (t) => {
  const database = openTemporary(t);
  const steps = [...MIGRATIONS, 'CREATE TABLE half (a INTEGER) STRICT; CREATE TABLE rfc (a)'];
  t.throws(() => migrate(database, steps), { any: true, message: /rfc already exists/ });
  t.is(version(database), MIGRATIONS.length);
  t.throws(() => database.prepare('SELECT a FROM half'), {
    any: true,
    message: /no such table/,
  });
});

test('a database package of another Node is named, and not the data directory', (t) => {
  const thrown = new Error('better_sqlite3.node was compiled against NODE_MODULE_VERSION 137');
  const { code, message } = fromOpening('/data', thrown);
  t.is(code, 'FAILED_PRECONDITION');
  t.regex(message, /use Node 20\.19\+ or 22\.12\+ .* better_sqlite3\.node was compiled/);
  t.false(message.includes('/data'));
});

test('createSqliteWriter and createSqliteReader refuse the database of a newer cra', async (t) => {
  const dataDir = temporaryFor(t);
  await openWriter({ dataDir }).close();
  const database = openForWriting(storePaths(dataDir).database);
  database.pragma(`user_version = ${MIGRATIONS.length + 1}`);
  database.close();
  for (const open of [
    () => openWriter({ dataDir }),
    () => createSqliteReader({ dataDir, now: Date.now }),
  ]) {
    const error = t.throws(open, { instanceOf: CraError, message: /newer cra/ });
    t.is(error?.code, 'FAILED_PRECONDITION');
  }
});

test('openForReading refuses a database that no writer has brought to the newest version', (t) => {
  const file = join(temporaryFor(t), 'cra.db');
  const writer = openForWriting(file);
  writer.pragma('user_version = 0');
  writer.close();
  const error = t.throws(() => openForReading(file), { instanceOf: CraError });
  t.is(error?.code, 'FAILED_PRECONDITION');
});

test('a later step can search by anything in the record, also in old rows', async (t) => {
  const dataDir = temporaryFor(t);
  const opened = openSqlite(dataDir, Date.now);
  const draft = sampleDraft({ rfc_id: 'RFC-1' });
  await opened.store.insertRfc({ record: recordText(draft), diff: null });
  await opened.store.startAttempt({ tenant_id: 'default', rfc_id: 'RFC-1', expectedRev: 1 });
  await opened.close();
  const database = openForWriting(storePaths(dataDir).database);
  t.teardown(() => void database.close());
  const step = `
    ALTER TABLE rfc ADD COLUMN attempts INTEGER AS (json ->> '$.queue.attempts') VIRTUAL;
    ALTER TABLE rfc ADD COLUMN decision_count INTEGER
      AS (json_array_length(json, '$.override_history')) VIRTUAL;
    CREATE INDEX rfc_attempts ON rfc (attempts, decision_count)`;
  migrate(database, [...MIGRATIONS, step]);
  const sql = 'SELECT rfc_id FROM rfc INDEXED BY rfc_attempts WHERE attempts = 1';
  t.deepEqual(database.prepare(`${sql} AND decision_count = 0`).all(), [{ rfc_id: 'RFC-1' }]);
});

const LATER_TABLES = [
  'repository',
  'audit',
  'decision_op',
  'accepted',
  'task',
  'usage',
  'usage_hour',
  'rules_revision',
  'session',
  'deleted_refusal',
  'deploy_report',
  'score_curves',
];

test('rejected records of an older version are found by all components that they list', (t) => {
  const database = new Database(join(temporaryFor(t), 'cra.db'));
  t.teardown(() => void database.close());
  migrate(database, MIGRATIONS.slice(0, MIGRATIONS.indexOf(REJECTED_COMPONENTS_STEP)));
  const components = [
    { id: 'pay', same_as: 'RFC-0' },
    { id: 'web', same_as: null },
  ];
  const whole = JSON.stringify({ component_map: 'map', components });
  const insert = database.prepare(`INSERT INTO rfc
    (rfc_id, tenant_id, repo_key, status, rev, created_at, summary, json)
    VALUES (?, 'default', 'org/repo', 'REJECTED', 1, '', '{}', ?)`);
  // A damaged record does not stop the upgrade.
  for (const [index, json] of [whole, whole.slice(0, -1)].entries()) {
    insert.run(`RFC-${index + 1}`, json);
  }
  const listed = database.prepare('SELECT component FROM rfc_component ORDER BY 1').pluck();
  t.deepEqual(listed.all(), ['web']);
  migrate(database);
  t.deepEqual(listed.all(), ['pay', 'web']);
});

test('a database of the first version takes up all that came later, and keeps its records', (t) => {
  const database = new Database(join(temporaryFor(t), 'cra.db'));
  t.teardown(() => void database.close());
  migrate(database, MIGRATIONS.slice(0, 1));
  const json = JSON.stringify({ branch: 'main', commit_sha: 'a1' });
  database
    .prepare(`INSERT INTO rfc (rfc_id, tenant_id, repo_key, status, rev, created_at, summary, json)
      VALUES ('RFC-1', 'default', 'org/repo', 'PASSED', 1, '', '{}', ?)`)
    .run(json);
  migrate(database);
  t.is(version(database), MIGRATIONS.length);
  const rows = database.prepare('SELECT rfc_id, branch, commit_sha FROM rfc').all();
  t.deepEqual(rows, [{ rfc_id: 'RFC-1', branch: 'main', commit_sha: 'a1' }]);
  for (const table of LATER_TABLES) {
    t.deepEqual(database.prepare(`SELECT * FROM ${table}`).all(), []);
  }
});

test('calls of gate 3 that were logged before records had a source get theirs', (t) => {
  const database = new Database(join(temporaryFor(t), 'cra.db'));
  t.teardown(() => void database.close());
  migrate(database, MIGRATIONS.slice(0, MIGRATIONS.indexOf(USAGE_SOURCE_STEP)));
  const add = database.prepare(
    `INSERT INTO usage VALUES (?, 'default', 0, 'p', 'm', 0, 0, 0, 0, 0, ?, ?)`,
  );
  add.run('U-1', '{"source":"gate"}', 'gate');
  add.run('U-2', '{"source":"gate"}', 'somebody');
  add.run('U-3', 'not JSON', 'gate');
  database.prepare(`INSERT INTO review_call VALUES ('c', 'o', 0, '{"usage":{"a":1}}')`).run();
  migrate(database);
  const sources = database.prepare('SELECT source FROM usage ORDER BY usage_id').pluck().all();
  t.deepEqual(sources, ['gate', 'api', 'api']);
  const call = database.prepare('SELECT call FROM review_call').pluck().get();
  t.deepEqual(JSON.parse(String(call)), { usage: { a: 1, source: 'gate' } });
});

test('a backup that was made during writes is a store whose trail is in order', async (t) => {
  const dataDir = temporaryFor(t);
  const opened = openSqlite(dataDir, Date.now);
  await opened.checked();
  await fill(opened, { records: 60, decisions: 20 });
  const target = join(temporaryFor(t), 'backup');
  const env = { SERVICE_DATA_DIR: dataDir };
  let isRunning = true;
  const writing = (async () => {
    for (let n = 0; isRunning; n += 1) {
      const record = blockedRecord({ rfc_id: `RFC-W${n}` });
      const diff = sealDiff(Buffer.from('while it runs'), KEY, record.rfc_id, 100);
      await opened.store.insertRfc({ record: recordText(record), diff });
      await opened.trail.decide(decisionOn(record, `op-w${n}`));
    }
  })();
  const { code, stderr } = await runCommand(['backup', target], { env });
  isRunning = false;
  await writing;
  t.is(code, 0, stderr);
  await opened.close();

  const manifest = JSON.parse(readFileSync(join(target, 'backup.json'), 'utf8'));
  for (const { name, sha256 } of manifest.files) {
    const bytes = readFileSync(join(target, name));
    t.is(createHash('sha256').update(bytes).digest('hex'), sha256, name);
    t.is(statSync(join(target, name)).mode & 0o777, 0o600, name);
  }
  t.false(existsSync(join(target, 'keys')));
  const restored = temporaryFor(t);
  cpSync(target, restored, { recursive: true });
  const verified = await runCommand(['audit', 'verify'], {
    env: { SERVICE_DATA_DIR: restored, SERVICE_CHECKPOINT_KEY: '03'.repeat(32) },
  });
  t.is(verified.code, 0, verified.stdout + verified.stderr);
  const again = openSqlite(restored, Date.now);
  await again.checked();
  t.like(await again.trail.decide(decisionOn({ tenant_id: 'default', rfc_id: 'RFC-D3' }, 'op-3')), {
    replayed: true,
  });
  t.is(await readDiffText(again.store, 'RFC-10'), 'diff of RFC-10'.repeat(50));
  const fresh = blockedRecord({ rfc_id: 'RFC-AFTER' });
  await again.store.insertRfc({ record: recordText(fresh), diff: null });
  t.like(await again.trail.decide(decisionOn(fresh, 'op-after')), { replayed: false });
  await again.close();
  const taken = await runCommand(['backup', target], { env });
  t.is(taken.code, 2);
  t.regex(taken.stderr, /exists: name a new directory/);
});

test('cra store archive takes keys from settings, and --verify asks the store', async (t) => {
  const dataDir = temporaryFor(t);
  const opened = openSqlite(dataDir, Date.now);
  await opened.checked();
  await insertOld(opened.store);
  await opened.close();
  const retention = join(dataDir, 'retention.json');
  writeFileSync(retention, '{"archive": [{"days": 91}]}');
  const env = {
    SERVICE_DATA_DIR: dataDir,
    SERVICE_CHECKPOINT_KEY: '03'.repeat(32),
    SERVICE_RETENTION_CONFIG: retention,
  };
  const unnamed = await runCommand(['store', 'archive'], { env });
  t.is(unnamed.code, 2);
  t.regex(unnamed.stderr, /no service has started/);
  const owner = randomUUID();
  writeFileSync(join(dataDir, 'instance'), `${owner}\n`);
  const { stdout, stderr } = await runCommand(['store', 'archive'], { env });
  t.regex(stdout, /^1 RFCs are archived/, stderr);
  t.false(existsSync(join(dataDir, 'keys')));
  // A month that was archived after the snapshot, and one of another daemon, which was copied.
  const { archive } = storePaths(dataDir);
  const later = join(archive, owner, '2026-03.jsonl.gz');
  cpSync(join(archive, owner, '2026-01.jsonl.gz'), later);
  mkdirSync(join(archive, 'other'));
  cpSync(later, join(archive, 'other/2026-03.jsonl.gz'));
  const target = join(temporaryFor(t), 'backup');
  t.is((await runCommand(['backup', target], { env })).code, 0);
  const copied = readdirSync(storePaths(target).archive, { recursive: true, encoding: 'utf8' });
  t.deepEqual(
    copied.filter((name) => name.endsWith('.gz')).sort(),
    [`${owner}/2026-01.jsonl.gz`, 'other/2026-03.jsonl.gz'].sort(),
  );
  rmSync(archive, { recursive: true });
  const bad = await runCommand(['store', 'archive', '--verify'], {
    env: { ...env, SERVICE_RETENTION_CONFIG: '/none' },
  });
  t.is(bad.code, 1, bad.stderr);
  t.regex(bad.stdout, /^BAD .*2026-01\.jsonl\.gz .*: the file is missing$/m);
});

test('records that were written before trends were kept are counted after the next start', async (t) => {
  const dataDir = temporaryFor(t);
  const days = {
    tenant_id: 'default',
    repo: null,
    since: '2026-11-01',
    until: '2026-11-30',
    by: 'day' as const,
  };
  const opened = openSqlite(dataDir, Date.now);
  const ids = Array.from({ length: 250 }, (_, n) => `RFC-${n}`);
  const insert = (rfc_id: string) =>
    opened.store.insertRfc({ record: recordText(sampleRecord({ rfc_id })), diff: null });
  await Promise.all(ids.map(insert));
  const before = await opened.store.trends(days);
  t.is(before.totals.passed, ids.length);
  await opened.close();
  const database = openForWriting(storePaths(dataDir).database);
  database.exec('UPDATE rfc SET trend = NULL; DELETE FROM trend');
  database.close();
  const again = openSqlite(dataDir, Date.now);
  t.teardown(() => again.close());
  let after = await again.store.trends(days);
  while (!after.complete) {
    await setImmediate();
    after = await again.store.trends(days);
  }
  t.deepEqual(after, before);
});

test('pruneDiffs forgets trends that no answer shows any more', async (t) => {
  const opened = openSqlite(temporaryFor(t), Date.now);
  t.teardown(() => opened.close());
  const days = {
    tenant_id: 'default',
    repo: null,
    since: '2026-01-01',
    until: '2026-12-31',
    by: 'day' as const,
  };
  for (const [rfc_id, day] of [
    ['RFC-1', '2026-01-02'],
    ['RFC-2', '2026-11-02'],
  ] as const) {
    const record = recordText(sampleRecord({ rfc_id, created_at: `${day}T10:00:00.000Z` }));
    await opened.store.insertRfc({ record, diff: null });
  }
  await opened.pruneDiffs(Date.parse('2027-06-01T00:00:00Z'), 30);
  t.deepEqual(
    (await opened.store.trends(days)).days.map(({ date }) => date),
    ['2026-11-02'],
  );
});
