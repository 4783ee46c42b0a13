import test from 'ava';
import { acceptsHead, type RfcRecord } from '../../../src/model/records.ts';
import { openForReading, storePaths } from '../../../src/store/sqlite/database.ts';
import { keysOf, samplePush } from '../fixtures/pushes.ts';
import { recordText } from '../fixtures/records.ts';
import { openSqlite, temporaryFor } from './harness.ts';
import { runUntilKilled } from './kill.ts';

/** A push as it stands in its row. */
interface Row {
  rfc_id: string;
  rev: number;
  status: string;
  json: string;
  push_accepts: number | null;
  vcs_due: number | null;
}

test('kill -9 between pushes: what was acknowledged is there, 5 seeds', async (t) => {
  const dataDir = temporaryFor(t);
  const revs = new Map<string, number>();
  for (let seed = 1; seed <= 5; seed += 1) {
    await runUntilKilled('push-kill-child.js', dataDir, { seed, linesMax: 1_000 }, (line) => {
      const [rfcId = '', rev] = line.split(' ');
      revs.set(rfcId, Math.max(revs.get(rfcId) ?? 0, Number(rev)));
    });
  }
  t.true(revs.size > 100);
  t.deepEqual(faultsOf(dataDir, revs), []);
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
function faultsOf(dataDir: string, revs: ReadonlyMap<string, number>): string[] {
  const database = openForReading(storePaths(dataDir).database);
  const columns = 'rfc_id, rev, status, json, push_accepts, vcs_due';
  const rows = database.prepare<[], Row>(`SELECT ${columns} FROM rfc`).all();
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
