import { join } from 'node:path';
import { startServedDaemon } from '../../bench/daemon/served-daemon.ts';
import { makeTemporary } from '../../bench/disk.ts';
import { percentile } from '../../bench/harness.ts';
import type { RunOptions } from '../../bench/options.ts';
import type { Report, Table } from '../../bench/report.ts';
import { startMongod } from '../mongod/mongod.ts';
import { mountSmallDisk, type SmallDisk } from './operations/full-disk.ts';
import { type FullDiskReport, fillRepeatedly } from './operations/full-rounds.ts';
import { openMongoPlace } from './operations/mongo-place.ts';
import { openSqlitePlace } from './operations/sqlite-place.ts';

const ROUNDS = 5;
const FAULTS_SHOWN = 20;
const SQLITE_MB = 48;
const MONGOD_MB = 700;

/** Fills the disk under each store (`--only SQLite`, `--only MongoDB`), which needs root. */
export async function run(options: RunOptions): Promise<Report> {
  const tables: Table[] = [];
  const faults: string[] = [];
  const temporary = makeTemporary();
  try {
    for (const [name, megabytes, fill] of [
      ['SQLite', SQLITE_MB, fillSqlite],
      ['MongoDB', MONGOD_MB, fillMongod],
    ] as const) {
      if (options.only.length > 0 && !options.only.includes(name)) continue;
      const disk = mountSmallDisk(join(temporary.path, `disk-${name}`), megabytes);
      try {
        const report = await fill(disk, join(temporary.path, name), options);
        tables.push(tableOf(`${name}, tmpfs of ${megabytes} MB`, report));
        faults.push(...report.faults.map((fault) => `${name}: ${fault}`));
      } finally {
        disk.free();
        disk.unmount();
      }
    }
  } finally {
    temporary.remove();
  }
  return {
    title: 'A full disk',
    facts: [
      `seed ${options.seed}; one daemon under load by 4 callers; another process takes all the ` +
        'room that is left, and what others give back',
      'SQLite: the data directory is on that disk. MongoDB: dbpath is; mongod ends itself when ' +
        'it cannot write, and is started again when there is room',
    ],
    tables,
    notes: [
      'after each round records and trail are compared both ways, every answer of 200 is looked ' +
        'up and every operation sent again; at the end the trail is verified',
      ...faults.slice(0, FAULTS_SHOWN).map((fault) => `FAULT: ${fault}`),
    ],
    holds: faults.length === 0,
  };
}

async function fillSqlite(disk: SmallDisk, _folder: string, options: RunOptions) {
  const place = openSqlitePlace(disk.path);
  const daemon = await startServedDaemon(place.dataDir, place.settings);
  const report = await fillRepeatedly({
    place,
    disk,
    port: daemon.port,
    member: null,
    rounds: options.count ?? ROUNDS,
    seed: options.seed,
    onRound: ({ rounds }) => options.progress(`disk-full: SQLite ${rounds}`),
  });
  const code = await daemon.stop();
  if (code !== 0) report.faults.push(`the daemon ended with ${code}`);
  return report;
}

async function fillMongod(disk: SmallDisk, folder: string, options: RunOptions) {
  const mongod = await startMongod({ folder: disk.path });
  const place = await openMongoPlace(mongod, folder);
  const daemon = await startServedDaemon(place.dataDir, place.settings);
  const report = await fillRepeatedly({
    place,
    disk,
    port: daemon.port,
    member: await mongod.primary(),
    rounds: options.count ?? ROUNDS,
    seed: options.seed,
    onRound: ({ rounds }) => options.progress(`disk-full: MongoDB ${rounds}`),
  });
  const code = await daemon.stop();
  if (code !== 0) report.faults.push(`the daemon ended with ${code}`);
  await place.close();
  await mongod.stop();
  return report;
}

function tableOf(name: string, report: FullDiskReport): Table {
  const { recoveryMs } = report;
  const spread = `${percentile(recoveryMs, 0.5).toFixed(0)}, ${Math.max(...recoveryMs).toFixed(0)}`;
  return {
    columns: [name, 'number'],
    rows: [
      ['rounds', report.rounds],
      ['operations answered with 200', report.done],
      ...[...report.probes].map(([probe, count]): [string, number] => [`full: ${probe}`, count]),
      ['from the room (mongod answers) to the next decision, ms (median, max)', spread],
      ['**faults**', report.faults.length],
    ],
  };
}
