import type { Store } from '../src/store/store.ts';
import { describeCorpus, openCorpus, sized } from './corpus/corpus.ts';
import { describeDisk, makeTemporary } from './disk.ts';
import { measure } from './harness.ts';
import type { RunOptions } from './options.ts';
import type { Cell, Report, Table } from './report.ts';
import { MONGO } from './store/mongo.ts';
import { createInserts, type Insert } from './store/sample.ts';
import { SQLITE } from './store/sqlite.ts';
import { insertAll, measureReads, READ_COLUMNS, rate } from './store/timed.ts';

const DIFF_BYTES = 10_000;
const IN_FLIGHT = [1, 8, 64, 256];
/** Most inserts of one case; fewer when the time is over. */
const INSERTS_MAX = 20_000;

/** A driver of the store on its threads, and beside it the same bytes without it. */
export interface BenchedDriver {
  name: string;
  /** Starts both on new data below a folder. */
  open(folder: string): Promise<{
    store: Store;
    /** Writes the inserts by batches of so many, one after the other. */
    insertRaw(inserts: readonly Insert[], batch: number): Promise<void> | void;
    /** Decides about records that the store holds, each case for `ms`. */
    measureTrail(inserts: readonly Insert[], ms: number): Promise<Table[]>;
    close(): Promise<void>;
  }>;
  notes: readonly string[];
}

const DRIVERS: readonly BenchedDriver[] = [SQLITE, MONGO];

/** Durable inserts beside what is under each driver in the same run, and reads. */
export async function run(options: RunOptions): Promise<Report> {
  const corpus = sized(await openCorpus(options, 'plain'), DIFF_BYTES);
  const nextInsert = createInserts(corpus.diffs);
  const temporary = makeTemporary();
  const disk = describeDisk(temporary.path);
  const { only } = options;
  const drivers = DRIVERS.filter(({ name }) => only.length === 0 || only.includes(name));
  const tables: Table[] = [];
  try {
    for (const driver of drivers) {
      tables.push(...(await measureDriver(driver, temporary.path, nextInsert, options)));
    }
    return {
      title: 'Store: its drivers on their threads',
      facts: [describeCorpus(corpus), disk],
      tables,
      notes: [
        'an insert is one record with its sealed diff, answered when it is durable',
        ...drivers.flatMap(({ notes }) => notes),
      ],
      holds: true,
    };
  } finally {
    temporary.remove();
  }
}

async function measureDriver(
  driver: BenchedDriver,
  folder: string,
  nextInsert: () => Insert,
  options: RunOptions,
): Promise<Table[]> {
  const { store, insertRaw, measureTrail, close } = await driver.open(folder);
  const caseMs = (options.seconds * 1000) / 2;
  try {
    const rows: Cell[][] = [];
    const stored: Insert[] = [];
    for (const depth of IN_FLIGHT) {
      const inserts = Array.from({ length: depth * 300 }, nextInsert).slice(0, INSERTS_MAX);
      const ours = await insertAll(store, inserts, depth, caseMs);
      const done = inserts.slice(0, ours.count);
      stored.push(...done);
      const beside = await measure(() => insertRaw(done, depth));
      const [perSecond, raw] = [rate(ours), rate({ ...beside, count: done.length })];
      const cpuUs = (ours.cpuMs * 1000) / ours.count;
      rows.push([depth, perSecond, ours.p50, ours.p99, cpuUs, raw, perSecond / raw]);
      options.progress(`store: ${driver.name}, inserts with ${depth} in flight done`);
    }
    const ids = stored.map(({ record }) => record.rfc_id);
    const reads = await measureReads(store, ids, caseMs);
    const deeds = await measureTrail(stored, caseMs);
    options.progress(`store: ${driver.name}, reads and decisions done`);
    return [
      { columns: insertColumns(driver.name), rows },
      { columns: READ_COLUMNS, rows: reads },
      ...deeds,
    ];
  } finally {
    await close();
  }
}

function insertColumns(name: string): string[] {
  const [inserts, raw] = [`${name}: inserts in flight`, `raw ${name}, 1/s`];
  return [inserts, '1/s', 'p50, ms', 'p99, ms', 'CPU, us each', raw, 'ratio'];
}
