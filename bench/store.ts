import type { StoredTrail } from '../src/audit/continuity.ts';
import type { DeployStore } from '../src/store/contract/deploys.ts';
import type { PushStore } from '../src/store/contract/pushes.ts';
import type { RecordStore } from '../src/store/contract/records.ts';
import type { TrailStore } from '../src/store/contract/trail.ts';
import { describeCorpus, openCorpus, sized } from './corpus/corpus.ts';
import { describeDisk, makeTemporary } from './disk.ts';
import { measure } from './harness.ts';
import type { RunOptions } from './options.ts';
import type { Cell, Report, Table } from './report.ts';
import { MONGO } from './store/mongo.ts';
import { createInserts, type Insert } from './store/sample.ts';
import { SQLITE } from './store/sqlite.ts';
import { insertAll, measureReads, READ_COLUMNS, type Run, rate } from './store/timed.ts';

const DIFF_BYTES = 10_000;
const IN_FLIGHT = [1, 8, 64, 256];
/** Most inserts of one case; fewer when the time is over. */
const INSERTS_MAX = 20_000;

/** Each case is measured so often, in turn with what is beside it; the fastest counts. */
const ROUNDS = 3;
const WARM_UP_DEPTH = 64;

/** A driver of the store on its threads, and beside it the same bytes without it. */
export interface BenchedDriver {
  name: string;
  /** Starts both on new data below a folder. */
  open(folder: string): Promise<OpenedDriver>;
  notes: readonly string[];
}

export interface OpenedDriver {
  store: RecordStore;
  pushes: PushStore;
  trail: TrailStore;
  deploys: DeployStore;
  /** The audit trail as `cra audit verify` reads it. */
  openTrail(): Promise<StoredTrail>;
  /** Bytes that each table, collection and index takes on the disk. */
  bytesOf(): Promise<ReadonlyMap<string, number>>;
  /** Writes the inserts by batches of so many, one after the other. */
  insertRaw(inserts: readonly Insert[], batch: number): Promise<void> | void;
  /** Decides about records that the store holds, each case for `ms`. */
  measureTrail(inserts: readonly Insert[], ms: number): Promise<Table[]>;
  close(): Promise<void>;
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
  const opened = await driver.open(folder);
  const caseMs = (options.seconds * 1000) / 2;
  const stored: Insert[] = [];
  const makeInserts = (depth: number) =>
    Array.from({ length: Math.min(depth * 300, INSERTS_MAX) }, nextInsert);
  try {
    const rows: Cell[][] = [];
    await measureCase(opened, makeInserts(WARM_UP_DEPTH), WARM_UP_DEPTH, caseMs);
    for (const depth of IN_FLIGHT) {
      const rounds: { ours: Run; raw: Run }[] = [];
      for (let round = 0; round < ROUNDS; round += 1) {
        const inserts = makeInserts(depth);
        const measured = await measureCase(opened, inserts, depth, caseMs / ROUNDS);
        stored.push(...inserts.slice(0, measured.ours.count));
        rounds.push(measured);
      }
      const ours = fastest(rounds.map((round) => round.ours));
      const raw = fastest(rounds.map((round) => round.raw));
      rows.push([depth, rate(ours), ours.p50, ours.p99, cpuUs(ours), rate(raw), cpuUs(raw)]);
      rows.at(-1)?.push(rate(ours) / rate(raw));
      options.progress(`store: ${driver.name}, inserts with ${depth} in flight done`);
    }
    const ids = stored.map(({ record }) => record.rfc_id);
    const reads = await measureReads(opened.store, ids, caseMs);
    const deeds = await opened.measureTrail(stored, caseMs);
    options.progress(`store: ${driver.name}, reads and decisions done`);
    return [
      { columns: insertColumns(driver.name), rows },
      { columns: READ_COLUMNS, rows: reads },
      ...deeds,
    ];
  } finally {
    await opened.close();
  }
}

/** The store first, then as many without it. */
async function measureCase(
  { store, insertRaw }: OpenedDriver,
  inserts: readonly Insert[],
  depth: number,
  ms: number,
): Promise<{ ours: Run; raw: Run }> {
  const ours = await insertAll(store, inserts, depth, ms);
  const timing = await measure(() => insertRaw(inserts.slice(0, ours.count), depth));
  return { ours, raw: { ...timing, count: ours.count, p50: 0, p99: 0 } };
}

/** Others on the machine can only slow a run down. */
function fastest(runs: readonly Run[]): Run {
  return runs.reduce((best, run) => (rate(run) > rate(best) ? run : best));
}

function cpuUs({ cpuMs, count }: Run): number {
  return (cpuMs * 1000) / count;
}

function insertColumns(name: string): string[] {
  const ours = [`${name}: inserts in flight`, '1/s', 'p50, ms', 'p99, ms', 'CPU, us each'];
  return [...ours, `raw ${name}, 1/s`, 'CPU, us each', 'ratio'];
}
