import { join } from 'node:path';
import { makeTemporary } from '../../bench/disk.ts';
import { percentile } from '../../bench/harness.ts';
import type { RunOptions } from '../../bench/options.ts';
import type { Report, Table } from '../../bench/report.ts';
import { withPlace } from './decisions.ts';
import { killAtSteps, type StepKillReport } from './steps/step-kills.ts';

const KILLS = 200;
const FAULTS_SHOWN = 20;

/** Kills a store at each step of a decision (`--only SQLite`, `--only MongoDB`). */
export async function run(options: RunOptions): Promise<Report> {
  const tables: Table[] = [];
  const faults: string[] = [];
  const temporary = makeTemporary();
  try {
    for (const name of ['SQLite', 'MongoDB'] as const) {
      if (options.only.length > 0 && !options.only.includes(name)) continue;
      const report = await withPlace(name, join(temporary.path, name), (place) =>
        killAtSteps({
          place,
          kills: options.count ?? KILLS,
          seed: options.seed,
          onKill: (now) =>
            options.progress(
              `decision-steps: ${name} ${now.kills} kills, ${now.faults.length} faults`,
            ),
        }),
      );
      tables.push(tableOf(name, report));
      faults.push(...report.faults.map((fault) => `${name}: ${fault}`));
    }
  } finally {
    temporary.remove();
  }
  return {
    title: 'kill -9 at each step of a decision',
    facts: [
      `seed ${options.seed}; the store in a process of its own with 8 decisions at a time ` +
        '(override with accepted findings, reject, delete), stopped at a step, then killed',
    ],
    tables,
    notes: [
      'after each kill the next store opens on what is left: records and trail are compared both ' +
        'ways, and every decision is asked for twice more; what the trail tells is answered as a ' +
        'repeat, what it does not is done then',
      ...faults.slice(0, FAULTS_SHOWN).map((fault) => `FAULT: ${fault}`),
    ],
    holds: faults.length === 0,
  };
}

function tableOf(name: string, report: StepKillReport): Table {
  const { settledMs } = report;
  const spread = `${percentile(settledMs, 0.5).toFixed(0)}, ${Math.max(...settledMs).toFixed(0)}`;
  return {
    columns: [name, 'number'],
    rows: [
      ...[...report.byStep].map(([step, kills]): [string, number] => [`kills: ${step}`, kills]),
      ['kills', report.kills],
      ['decisions answered before a kill', report.answered],
      ['repeats of them after it', report.replayed],
      ['decisions asked for without an answer, asked again', report.asked],
      ['entries of the trail at the end', report.entries],
      ['after the start until no intent is open, ms (median, max)', spread],
      ['**faults**', report.faults.length],
    ],
  };
}
