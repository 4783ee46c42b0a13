import { createClient } from '../src/rpc/client.ts';
import { Records } from '../src/rpc/contract.ts';
import { startServiceThread } from '../src/rpc/thread.ts';
import { workerEntry } from '../src/rpc/thread-entry.ts';
import { Trail } from '../src/rpc/trail-contract.ts';
import type { Store, TrailStore } from '../src/store/store.ts';
import { createStore, createTrailStore } from '../src/store/store-client.ts';
import { describeCorpus, openCorpus, sized } from './corpus/corpus.ts';
import { describeDisk, makeTemporary } from './disk.ts';
import { measure } from './harness.ts';
import type { RunOptions } from './options.ts';
import type { Cell, Report } from './report.ts';
import { openRawStore } from './store/raw.ts';
import { createInserts, type Insert } from './store/sample.ts';
import { rate, timed } from './store/timed.ts';
import { measureTrail, TRAIL_COLUMNS } from './store/trail.ts';

const DIFF_BYTES = 10_000;
const IN_FLIGHT = [1, 8, 64, 256];
/** Most inserts of one case; fewer when the time is over. */
const INSERTS_MAX = 20_000;
const LIST_LIMIT = 50;

/** Durable inserts beside raw SQLite in the same run, and reads. */
export async function run(options: RunOptions): Promise<Report> {
  const corpus = sized(await openCorpus(options, 'plain'), DIFF_BYTES);
  const nextInsert = createInserts(corpus.diffs);
  const temporary = makeTemporary();
  const disk = describeDisk(temporary.path);
  const opened = await openStore(temporary.path);
  const caseMs = (options.seconds * 1000) / 2;
  try {
    const rows: Cell[][] = [];
    const stored: Insert[] = [];
    const raw = openRawStore(temporary.path);
    for (const depth of IN_FLIGHT) {
      const inserts = Array.from({ length: depth * 300 }, nextInsert).slice(0, INSERTS_MAX);
      const ours = await insertAll(opened.store, inserts, depth, caseMs);
      const done = inserts.slice(0, ours.count);
      stored.push(...done);
      const beside = await measure(() => raw.insertAll(done, depth));
      const [perSecond, rawPerSecond] = [rate(ours), rate({ ...beside, count: done.length })];
      const cpuUs = (ours.cpuMs * 1000) / ours.count;
      rows.push([
        depth,
        perSecond,
        ours.p50,
        ours.p99,
        cpuUs,
        rawPerSecond,
        perSecond / rawPerSecond,
      ]);
      options.progress(`store: inserts with ${depth} in flight done`);
    }
    raw.close();
    const ids = stored.map(({ record }) => record.rfc_id);
    const reads = await measureReads(opened.store, ids, caseMs);
    const deeds = await measureTrail({
      trail: opened.trail,
      inserts: stored,
      directory: temporary.path,
      ms: caseMs,
    });
    options.progress('store: decisions and events done');
    return {
      title: 'Store: SQLite driver on its threads',
      facts: [describeCorpus(corpus), disk],
      tables: [
        { columns: INSERT_COLUMNS, rows },
        {
          columns: ['read', 'in flight', '1/s', 'p50, ms', 'p99, ms', 'CPU, us each'],
          rows: reads,
        },
        { columns: TRAIL_COLUMNS, rows: deeds },
      ],
      notes: [
        'an insert is one record with its sealed diff, answered when it is durable (record in ' +
          'SQLite with WAL and synchronous=FULL, diff in a segment file)',
        'raw SQLite: the same bytes into one table with no other index, by transactions of as ' +
          'many inserts as the store has in flight, called directly',
        'a decision replaces a record, writes its entry and keeps its answer for a repeat; raw ' +
          'SQLite: rows of the same columns, keys and sizes, nothing computed, in equal batches',
      ],
      holds: true,
    };
  } finally {
    await opened.close();
    temporary.remove();
  }
}

const INSERT_COLUMNS = [
  'inserts in flight',
  '1/s',
  'p50, ms',
  'p99, ms',
  'CPU, us each',
  'raw SQLite, 1/s',
  'ratio',
];

function insertAll(store: Store, inserts: readonly Insert[], depth: number, ms: number) {
  return timed(depth, { countMax: inserts.length, ms }, async (index) => {
    const insert = inserts[index];
    if (insert !== undefined) await store.insertRfc(insert);
  });
}

async function measureReads(store: Store, ids: readonly string[], ms: number): Promise<Cell[][]> {
  const rows: Cell[][] = [];
  const tenant_id = 'default';
  const limits = { countMax: Number.POSITIVE_INFINITY, ms: ms / 4 };
  const filter = { tenant_id, status: null, repo: null, limit: LIST_LIMIT, cursor: null };
  // A stride that meets all of them out of order.
  const read = (index: number) =>
    store.getRfc({ tenant_id, rfc_id: ids[(index * 7919) % ids.length] ?? '' });
  const list = () => store.listRfcs(filter);
  for (const [name, work] of [
    ['getRfc', read],
    [`listRfcs, ${LIST_LIMIT} newest`, list],
  ] as const) {
    for (const depth of [1, 64]) {
      const { cpuMs, ...run } = await timed(depth, limits, work);
      rows.push([name, depth, rate(run), run.p50, run.p99, (cpuMs * 1000) / run.count]);
    }
  }
  return rows;
}

interface OpenStore {
  store: Store;
  trail: TrailStore;
  close(): Promise<void>;
}

/** The threads of a daemon's store, without the daemon. */
async function openStore(dataDir: string): Promise<OpenStore> {
  const open = async (role: 'writer' | 'reader') => {
    const thread = startServiceThread({
      entry: workerEntry('store'),
      workerData: { role, dataDir, checkpointSeed: new Uint8Array(32), version: 'bench' },
      onLost: () => undefined,
    });
    await thread.ready;
    return thread;
  };
  const writer = await open('writer');
  const reader = await open('reader');
  const records = { writer: createClient(Records, writer), reader: createClient(Records, reader) };
  const deeds = { writer: createClient(Trail, writer), reader: createClient(Trail, reader) };
  return {
    store: createStore(records),
    trail: createTrailStore(deeds),
    async close() {
      await reader.close();
      await writer.close();
    },
  };
}
