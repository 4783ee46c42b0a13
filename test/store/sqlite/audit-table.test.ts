import test, { type ExecutionContext } from 'ava';
import Database from 'better-sqlite3';
import { QUERIES } from '../../../src/store/sqlite/queries.ts';
import { sampleEvent } from '../fixtures/decisions.ts';
import { openParts } from './parts.ts';

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

/** Ways to change or remove what stands in the trail. */
const CHANGES = [
  `UPDATE audit SET entry = '{}' WHERE n = 2`,
  'UPDATE audit SET n = 9 WHERE n = 3',
  `UPDATE OR REPLACE audit SET seq = 2 WHERE n = 3`,
  'DELETE FROM audit WHERE n = 3',
  'DELETE FROM audit',
  `INSERT INTO audit SELECT * FROM audit WHERE n = 3 ON CONFLICT DO UPDATE SET entry = '{}'`,
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
  const stranger = new Database(opened.file);
  t.teardown(() => void stranger.close());
  t.is(stranger.pragma('recursive_triggers', { simple: true }), 0);
  for (const sql of CHANGES) t.throws(() => stranger.exec(sql), { any: true }, sql);
  for (const [name, row] of misplaced(opened)) {
    t.throws(() => stranger.prepare(REPLACE).run(columns(row)), { any: true }, name);
  }
  t.deepEqual(opened.all(), before);
});

test('the writing connection fires triggers for rows that are replaced', (t) => {
  const { database } = openParts(t);
  t.is(database.pragma('recursive_triggers', { simple: true }), 1);
});
