import { makeTemporary } from '../../bench/disk.ts';
import { percentile } from '../../bench/harness.ts';
import type { RunOptions } from '../../bench/options.ts';
import type { Report } from '../../bench/report.ts';
import { makeBodies } from './bodies.ts';
import { killRepeatedly } from './kill-rounds.ts';

const KILLS = 200;
const FAULTS_SHOWN = 20;

/** Kills the daemon at moments drawn from the seed while it is under load. */
export async function run(options: RunOptions): Promise<Report> {
  const kills = options.count ?? KILLS;
  const temporary = makeTemporary();
  try {
    const bodies = await makeBodies(options);
    const report = await killRepeatedly({
      dataDir: temporary.path,
      bodies,
      kills,
      seed: options.seed,
      onKill: ({ kills: done, answered }) =>
        options.progress(`kill9: ${done} kills, ${answered} answers`),
    });
    const { startMs } = report;
    return {
      title: 'kill -9 during load',
      facts: [
        `seed ${options.seed}; 8 requests at a time: 60 % 10 KB plain, 25 % JS/TS with a sink, ` +
          '10 % 300 KB, 5 % with a credential',
        'every other daemon answers DRAFT after 1 ms, so that unfinished work is killed too; ' +
          'half of the kills hit the daemon alone, half its whole process group',
      ],
      tables: [
        {
          columns: ['what', 'number'],
          rows: [
            ['kills', report.kills],
            ['answers (200) before the kills', report.answered],
            ['of them DRAFT', report.drafts],
            ['killed in the middle of their request', report.cutOff],
            ['children at the kills', report.children],
            ['start after a kill until it listens, ms (median, max)', startText(startMs)],
            ['**faults**', report.faults.length],
          ],
        },
      ],
      notes: [
        'after each start every answer of the round before is read again, at the end all; ' +
          'a fault is an answer that is not there or differs, a DRAFT that is not final after ' +
          'two minutes, a child that outlives its daemon by 10 s, an unexpected failure',
        ...report.faults.slice(0, FAULTS_SHOWN).map((fault) => `FAULT: ${fault}`),
      ],
      holds: report.faults.length === 0,
    };
  } finally {
    temporary.remove();
  }
}

function startText(startMs: readonly number[]): string {
  return `${percentile(startMs, 0.5).toFixed(0)}, ${Math.max(...startMs).toFixed(0)}`;
}
