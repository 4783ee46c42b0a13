import { join } from 'node:path';
import { makeTemporary } from '../../bench/disk.ts';
import { percentile } from '../../bench/harness.ts';
import type { RunOptions } from '../../bench/options.ts';
import type { Report, Table } from '../../bench/report.ts';
import { startMongod } from '../mongod/mongod.ts';
import { openMongoPlace } from './operations/mongo-place.ts';
import { killServers, type ServerKillReport } from './operations/server-kills.ts';

const SETS = [
  { name: 'alone', members: 1, kills: 50 },
  { name: 'three', members: 3, kills: 10 },
] as const;
const FAULTS_SHOWN = 20;

/** Kills mongod, and the primary of three (`--only alone`, `--only three`), under load. */
export async function run(options: RunOptions): Promise<Report> {
  const tables: Table[] = [];
  const faults: string[] = [];
  let lost = 0;
  const temporary = makeTemporary();
  try {
    for (const { name, members, kills } of SETS) {
      if (options.only.length > 0 && !options.only.includes(name)) continue;
      const folder = join(temporary.path, name);
      const mongod = await startMongod({ members, folder });
      const place = await openMongoPlace(mongod, folder);
      let report: ServerKillReport;
      try {
        report = await killServers({
          mongod,
          place,
          seed: options.seed,
          kills: options.count ?? kills,
          onKill: ({ kills: done, faults: { length } }) =>
            options.progress(`mongod-kills: ${name} ${done} kills, ${length} faults`),
        });
      } finally {
        await place.close();
        await mongod.stop();
      }
      tables.push(tableOf(`${members} ${members === 1 ? 'member' : 'members'}`, report));
      faults.push(...report.faults.map((fault) => `${name}: ${fault}`));
      if (report.strong.lost > 0) faults.push(`${name}: majority and journal lost documents`);
      lost += report.weak.lost;
    }
  } finally {
    temporary.remove();
  }
  if (lost === 0) faults.push('w:1, j:false lost nothing: the kills prove nothing');
  return {
    title: 'kill -9 of mongod among decisions',
    facts: [
      `seed ${options.seed}; one daemon with 6 callers (changes, decisions, ops-log), and beside ` +
        'them 8 writers each with majority and journal, and with w:1, j:false, on the raw driver',
      'the set elects after 2 s without a primary',
    ],
    tables,
    notes: [
      'at the end every record is compared with the trail both ways, every answer of 200 is ' +
        'looked up, every operation is sent again under its key, and the trail is verified',
      ...faults.slice(0, FAULTS_SHOWN).map((fault) => `FAULT: ${fault}`),
    ],
    holds: faults.length === 0,
  };
}

function tableOf(name: string, report: ServerKillReport): Table {
  const { gapMs, strong, weak } = report;
  const gap = `${percentile(gapMs, 0.5).toFixed(0)}, ${Math.max(...gapMs).toFixed(0)}`;
  return {
    columns: [name, 'number'],
    rows: [
      ['kills of the primary', report.kills],
      ['changes answered with 200', report.changes],
      ['operations answered with 200', report.done],
      ['operations without an answer, or 5xx', report.open],
      ['operations sent again at the end', report.repeats],
      ['entries of the trail', report.entries],
      ['from a kill to the next decision, ms (median, max)', gap],
      ['from the end until no intent is open, ms', Math.round(report.settledMs)],
      ['raw, majority and journal: acknowledged', strong.acknowledged],
      ['raw, majority and journal: **lost**', strong.lost],
      ['raw, w:1, j:false: acknowledged', weak.acknowledged],
      ['raw, w:1, j:false: lost (must not be 0)', weak.lost],
      ['**faults**', report.faults.length],
    ],
  };
}
