import { join } from 'node:path';
import { makeTemporary } from '../../bench/disk.ts';
import { percentile } from '../../bench/harness.ts';
import type { RunOptions } from '../../bench/options.ts';
import type { Report, Table } from '../../bench/report.ts';
import { type Mongod, startMongod } from '../mongod/mongod.ts';
import { type DecisionKillReport, killAmongDecisions } from './operations/kill-rounds.ts';
import { openMongoPlace } from './operations/mongo-place.ts';
import type { StorePlace } from './operations/place.ts';
import { openSqlitePlace } from './operations/sqlite-place.ts';

const KILLS = 200;
const FAULTS_SHOWN = 20;

/** Kills the daemon among decisions, on each store (`--only SQLite`, `--only MongoDB`). */
export async function run(options: RunOptions): Promise<Report> {
  const tables: Table[] = [];
  const faults: string[] = [];
  const temporary = makeTemporary();
  try {
    for (const name of ['SQLite', 'MongoDB'] as const) {
      if (options.only.length > 0 && !options.only.includes(name)) continue;
      const report = await withPlace(name, join(temporary.path, name), (place) =>
        killAmongDecisions({
          place,
          kills: options.count ?? KILLS,
          seed: options.seed,
          onKill: (now) => options.progress(`decisions: ${name} ${describe(now)}`),
        }),
      );
      tables.push(tableOf(name, report));
      faults.push(...report.faults.map((fault) => `${name}: ${fault}`));
    }
  } finally {
    temporary.remove();
  }
  return {
    title: 'kill -9 among decisions',
    facts: [
      `seed ${options.seed}; 6 callers at once: changes, override, approve, reject, delete, ` +
        'bulk-override, ops-log and new rules, some sent twice at the same time',
      'a third of the kills comes at any moment; the others when the database shows a step: ' +
        'SQLite a write to its log, MongoDB an intent, a changed record or an outcome',
    ],
    tables,
    notes: [
      'after each restart every record is compared with the trail both ways, every answer of ' +
        '200 is looked up in it, and every operation is sent again under its Idempotency-Key, twice ' +
        'where it had no answer; at the end the whole trail is verified with its signatures',
      ...faults.slice(0, FAULTS_SHOWN).map((fault) => `FAULT: ${fault}`),
    ],
    holds: faults.length === 0,
  };
}

/** A store of its own for the time of `use`; `env` is for its mongod, null for SQLite. */
export async function withPlace<Result>(
  name: StorePlace['name'],
  folder: string,
  use: (place: StorePlace, mongod: Mongod | null) => Promise<Result>,
  env: Readonly<Record<string, string>> = {},
): Promise<Result> {
  const at = { folder: join(folder, 'mongod'), env };
  const mongod = name === 'SQLite' ? null : await startMongod(at);
  const place = mongod === null ? openSqlitePlace(folder) : await openMongoPlace(mongod, folder);
  try {
    return await use(place, mongod);
  } finally {
    await place.close();
    await mongod?.stop();
  }
}

function describe({ kills, done, faults }: DecisionKillReport): string {
  return `${kills} kills, ${done} decisions, ${faults.length} faults`;
}

function tableOf(name: string, report: DecisionKillReport): Table {
  const moments = Object.entries(report.byMoment).map(([moment, count]) => `${moment} ${count}`);
  const { startMs, settledMs } = report;
  return {
    columns: [name, 'number'],
    rows: [
      [`kills (${moments.join(', ')})`, report.kills],
      ['changes answered with 200', report.changes],
      ['operations answered with 200', report.done],
      ['operations refused (404, 409)', report.refused],
      ['operations without an answer', report.cutOff],
      ['operations sent again after the restart', report.repeats],
      ['entries of the trail at the end', report.entries],
      ['start until it listens, ms (median, max)', spread(startMs)],
      ['then until no intent is open, ms (median, max)', spread(settledMs)],
      ['**faults**', report.faults.length],
    ],
  };
}

function spread(values: readonly number[]): string {
  return `${percentile(values, 0.5).toFixed(0)}, ${Math.max(...values).toFixed(0)}`;
}
