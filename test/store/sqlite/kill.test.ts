import { spawnSync } from 'node:child_process';
import { readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import test from 'ava';
import { createCheckpointSigner } from '../../../src/audit/checkpoint.ts';
import { acceptsHead, type RfcRecord } from '../../../src/model/records.ts';
import { verifyArchive } from '../../../src/store/archive-files.ts';
import { openForReading, storePaths } from '../../../src/store/sqlite/database.ts';
import { keysOf, samplePush } from '../fixtures/pushes.ts';
import { recordText, sampleRecord } from '../fixtures/records.ts';
import { openSqlite, SEED, temporaryFor } from './harness.ts';
import { killRepeatedly, runUntilKilled } from './kill.ts';
import { faultsOf, readTrail } from './trail-check.ts';

/** Processes that are killed in each test; `npm run proof -- tests` kills more. */
const SEEDS = Number(process.env['KILL_SEEDS'] ?? 1);

test('kill -9 while writing loses nothing that was acknowledged, seed by seed', async (t) => {
  const report = await killRepeatedly({ dataDir: temporaryFor(t), kills: SEEDS, seed: 1 });
  t.deepEqual(report.faults, []);
  t.is(report.kills, SEEDS);
  t.true(report.acknowledged > 0);
});

/** A push as it stands in its row. */
interface PushRow {
  rfc_id: string;
  rev: number;
  status: string;
  json: string;
  push_accepts: number | null;
  vcs_due: number | null;
}

test('kill -9 between pushes: what was acknowledged is there, seed by seed', async (t) => {
  const dataDir = temporaryFor(t);
  const revs = new Map<string, number>();
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    await runUntilKilled('push-kill-child.js', dataDir, { seed, linesMax: 1_000 }, (line) => {
      const [rfcId = '', rev] = line.split(' ');
      revs.set(rfcId, Math.max(revs.get(rfcId) ?? 0, Number(rev)));
    });
  }
  t.true(revs.size > 0);
  t.deepEqual(pushFaults(dataDir, revs), []);
  const { pushes, close } = openSqlite(dataDir, Date.now);
  t.teardown(close);
  // A host that did not hear the answer delivers it again.
  for (const rfc_id of revs.keys()) {
    const again = samplePush({ rfc_id });
    const answer = await pushes.acceptPush({ record: recordText(again), push: keysOf(again) });
    if (answer.outcome !== 'same-delivery') t.fail(`${rfc_id} was taken twice`);
  }
});

/** Where rows are not what was acknowledged, or say other things than their records. */
function pushFaults(dataDir: string, revs: ReadonlyMap<string, number>): string[] {
  const database = openForReading(storePaths(dataDir).database);
  const columns = 'rfc_id, rev, status, json, push_accepts, vcs_due';
  const rows = database.prepare<[], PushRow>(`SELECT ${columns} FROM rfc`).all();
  const counts = database.prepare('SELECT open, due FROM push_count').all();
  const check = database.pragma('integrity_check', { simple: true });
  database.close();
  const faults = check === 'ok' ? [] : [`integrity_check: ${check}`];
  const open = rows.filter(({ status }) => status === 'DRAFT').length;
  const counted = JSON.stringify(counts);
  if (counted !== JSON.stringify([{ open, due: rows.length }])) faults.push(`counts: ${counted}`);
  const byId = new Map(rows.map((row) => [row.rfc_id, row]));
  for (const [rfcId, rev] of revs) {
    if ((byId.get(rfcId)?.rev ?? 0) < rev) faults.push(`${rfcId}: rev ${rev} was acknowledged`);
  }
  for (const row of rows) {
    const record = JSON.parse(row.json) as RfcRecord;
    const isSame = record.rev === row.rev && record.overall_status === row.status;
    if (!isSame) faults.push(`${row.rfc_id}: json of another state`);
    const accepts = row.push_accepts === 1;
    if (accepts !== acceptsHead(record)) faults.push(`${row.rfc_id}: accepts ${accepts}`);
    if (row.vcs_due === null) faults.push(`${row.rfc_id}: no status is due`);
  }
  return faults;
}

const ARCHIVED = 450;

test('kill -9 while archiving: every RFC is in one place, and once in the files', async (t) => {
  const dataDir = temporaryFor(t);
  const opened = openSqlite(dataDir, Date.now);
  const at = '2026-01-05T00:00:00.000Z';
  const ids = Array.from({ length: ARCHIVED + 1 }, (_, n) => `RFC-${n}`);
  const records = ids.map((rfc_id) => sampleRecord({ rfc_id, created_at: at, updated_at: at }));
  await Promise.all(
    records.map((record) => opened.store.insertRfc({ record: recordText(record), diff: null })),
  );
  await opened.close();
  const { archive: root } = storePaths(dataDir);
  const path = join(root, 'one/2026-01.jsonl.gz');
  const run = (moment: string) => {
    const entry = fileURLToPath(new URL('archive-kill-child.js', import.meta.url));
    return spawnSync(process.execPath, [entry, dataDir, moment], { encoding: 'utf8' });
  };
  const key = createCheckpointSigner(SEED).verifierKey;
  const everywhere = () => {
    const database = openForReading(storePaths(dataDir).database);
    const idsOf = (table: string) =>
      database
        .prepare<[], { rfc_id: string }>(`SELECT rfc_id FROM ${table}`)
        .all()
        .map(({ rfc_id }) => rfc_id);
    const found = { stored: idsOf('rfc'), archived: idsOf('archived') };
    database.close();
    return found;
  };

  t.is(run('signed').signal, 'SIGKILL');
  t.is(everywhere().archived.length, 100);
  // As a loss of power may leave it: a part of the member, and no signature.
  truncateSync(path, statSync(path).size - 7);
  const signatures = join(root, 'one/2026-01.signatures');
  writeFileSync(signatures, `${readFileSync(signatures, 'utf8').split('\n')[0]}\n`);
  t.is(run('moved').signal, 'SIGKILL');
  const between = everywhere();
  t.is(between.archived.length, 300);
  t.deepEqual([...between.stored, ...between.archived].sort(), [...ids].sort());
  const last = run('none');
  t.is(last.stdout, '150\n', last.stderr);
  t.deepEqual(everywhere().stored, [`RFC-${ARCHIVED}`], 'the newest of its branch');
  const lines = gunzipSync(readFileSync(path)).toString().trim().split('\n');
  t.deepEqual(
    lines,
    records.slice(0, -1).map((record) => JSON.stringify(record)),
  );
  t.like([...verifyArchive(root, key)], [{ records: ARCHIVED, flaw: null }]);
  const again = openSqlite(dataDir, Date.now);
  t.teardown(again.close);
  for (const { rfc_id, tenant_id } of [records[0], records[299], records[449]] as RfcRecord[]) {
    const { json } = await again.store.getRfc({ rfc_id, tenant_id });
    t.is((JSON.parse(Buffer.from(json).toString()) as RfcRecord).rfc_id, rfc_id);
  }
});

/** What a decision of the child leaves behind, read straight from the tables. */
interface Row {
  rfc_id: string;
  json: string;
  accepted: number;
}

test('kill -9 between decisions: none without its entry, none lost, seed by seed', async (t) => {
  const dataDir = temporaryFor(t);
  const answered: string[] = [];
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    const options = { seed, linesMax: 600 };
    await runUntilKilled('trail-kill-child.js', dataDir, options, (line) => answered.push(line));
  }
  const chains = await readTrail(dataDir);
  t.is(chains.length, SEEDS);
  t.deepEqual(faultsOf(chains), []);
  const told = new Set(chains.flatMap(({ entries }) => entries.map(({ op_id }) => op_id)));
  t.true(answered.length > 0);
  t.deepEqual(
    answered.filter((opId) => !told.has(opId)),
    [],
    'answered, but not in the trail',
  );
  t.deepEqual(differences(dataDir, told), []);
  // The next boot goes on from what is there.
  await openSqlite(dataDir, Date.now).close();
  const again = await readTrail(dataDir);
  t.deepEqual(faultsOf(again), []);
  const heads = again.at(-1)?.entries[0]?.details['heads'];
  t.like(heads, [{ chain: chains.at(-1)?.chain, hash: chains.at(-1)?.end.head }]);
});

/** Where records and entries tell different stories. */
function differences(dataDir: string, told: ReadonlySet<string>): string[] {
  const database = openForReading(storePaths(dataDir).database);
  const rows = database
    .prepare<[], Row>(
      `SELECT rfc_id, json, (SELECT count(*) FROM accepted WHERE accepted.rfc_id = rfc.rfc_id)
      AS accepted FROM rfc`,
    )
    .all();
  const orphans = database
    .prepare('SELECT rfc_id FROM accepted WHERE rfc_id NOT IN (SELECT rfc_id FROM rfc)')
    .all();
  database.close();
  const left = new Set(rows.map(({ rfc_id }) => rfc_id));
  const found = orphans.map((row) => `${JSON.stringify(row)}: accepted, but there is no record`);
  for (const { rfc_id, json, accepted } of rows) {
    const { override_history, overall_status } = JSON.parse(json) as RfcRecord;
    const decided = override_history.map(({ decision_id }) => decision_id);
    const expected = ['override', 'reject'].map((action) => `${rfc_id}:${action}`);
    const entered = expected.filter((opId) => told.has(opId));
    if (decided.join() !== entered.join()) found.push(`${rfc_id}: ${decided} but ${entered}`);
    if (told.has(`${rfc_id}:delete`)) found.push(`${rfc_id}: deleted, but there`);
    if (accepted !== (overall_status === 'OVERRIDDEN' ? 1 : 0)) found.push(`${rfc_id}: accepted`);
  }
  for (const opId of told) {
    const [rfcId = '', action] = opId.split(':');
    if (action === 'override' && !left.has(rfcId) && !told.has(`${rfcId}:delete`)) {
      found.push(`${rfcId}: overridden, but not there`);
    }
  }
  return found;
}
