import test from 'ava';
import type { RfcRecord } from '../../../src/model/records.ts';
import { openForReading, storePaths } from '../../../src/store/sqlite/database.ts';
import { openSqlite, temporaryFor } from './harness.ts';
import { runUntilKilled } from './kill.ts';
import { faultsOf, readTrail } from './trail-check.ts';

/** What a decision of the child leaves behind, read straight from the tables. */
interface Row {
  rfc_id: string;
  json: string;
  accepted: number;
}

test('kill -9 between decisions: none without its entry, none lost, 5 seeds', async (t) => {
  const dataDir = temporaryFor(t);
  const answered: string[] = [];
  for (let seed = 1; seed <= 5; seed += 1) {
    const options = { seed, linesMax: 600 };
    await runUntilKilled('trail-kill-child.js', dataDir, options, (line) => answered.push(line));
  }
  const chains = await readTrail(dataDir);
  t.is(chains.length, 5);
  t.deepEqual(faultsOf(chains), []);
  const told = new Set(chains.flatMap(({ entries }) => entries.map(({ op_id }) => op_id)));
  t.true(answered.length > 100);
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
  t.like(heads, [{ chain: chains[4]?.chain, hash: chains[4]?.end.head }]);
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
