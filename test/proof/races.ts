import { join } from 'node:path';
import { startServedDaemon } from '../../bench/daemon/served-daemon.ts';
import { makeTemporary } from '../../bench/disk.ts';
import { percentile } from '../../bench/harness.ts';
import type { RunOptions } from '../../bench/options.ts';
import type { Report, Table } from '../../bench/report.ts';
import { withPlace } from './decisions.ts';
import { type RaceReport, raceOverrides } from './operations/override-races.ts';
import type { StorePlace } from './operations/place.ts';

const RACES = 100;
const CALLERS = 50;
const FAULTS_SHOWN = 20;
const STORES = [
  { name: 'SQLite', daemons: 1 },
  { name: 'MongoDB', daemons: 2 },
] as const;

/** 50 overrides of one RFC at once: one daemon on SQLite, two on one MongoDB. */
export async function run(options: RunOptions): Promise<Report> {
  const tables: Table[] = [];
  const faults: string[] = [];
  const temporary = makeTemporary();
  try {
    for (const { name, daemons } of STORES) {
      if (options.only.length > 0 && !options.only.includes(name)) continue;
      const report = await withPlace(name, join(temporary.path, name), (place) =>
        withDaemons(place, daemons, (ports) =>
          raceOverrides({
            place,
            ports,
            races: options.count ?? RACES,
            callers: CALLERS,
            onRace: ({ races }) => options.progress(`races: ${name} ${races}`),
          }),
        ),
      );
      tables.push(tableOf(`${name}, ${daemons} daemon${daemons === 1 ? '' : 's'}`, report));
      faults.push(...report.faults.map((fault) => `${name}: ${fault}`));
    }
  } finally {
    temporary.remove();
  }
  return {
    title: `${CALLERS} overrides of one RFC at once`,
    facts: ['each by a connection of its own, with a key and a reason of its own'],
    tables,
    notes: [
      'in each race one answer must be 200 and all others 409, every daemon must show the ' +
        'decision that was answered, and the trail must tell of that one alone',
      ...faults.slice(0, FAULTS_SHOWN).map((fault) => `FAULT: ${fault}`),
    ],
    holds: faults.length === 0,
  };
}

/** Daemons at a place for the time of `use`. */
export async function withDaemons<Result>(
  place: StorePlace,
  count: number,
  use: (ports: number[]) => Promise<Result>,
): Promise<Result> {
  const folders = Array.from({ length: count }, (_, n) =>
    n === 0 ? place.dataDir : `${place.dataDir}-${n + 1}`,
  );
  const daemons = [];
  for (const folder of folders) daemons.push(await startServedDaemon(folder, place.settings));
  try {
    return await use(daemons.map(({ port }) => port));
  } finally {
    for (const daemon of daemons) await daemon.stop();
  }
}

function tableOf(name: string, report: RaceReport): Table {
  const { lastMs, statuses } = report;
  const last = `${percentile(lastMs, 0.5).toFixed(0)}, ${Math.max(...lastMs).toFixed(0)}`;
  return {
    columns: [name, 'number'],
    rows: [
      ['races', report.races],
      ...Object.entries(statuses).map(([status, count]): [string, number] => [
        `answers of ${status}`,
        count,
      ]),
      ['last answer of a race, ms (median, max)', last],
      ['**faults**', report.faults.length],
    ],
  };
}
