import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { RunOptions } from '../../bench/options.ts';
import type { Report } from '../../bench/report.ts';

const AVA = ['node_modules/ava/entrypoints/cli.mjs', '--config', 'ava.proof.config.js', '--tap'];

/** Runs the test files of this folder: kills, outages in real seconds, several daemons. */
export async function run(options: RunOptions): Promise<Report> {
  const ava = spawn(process.execPath, AVA, { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = new Promise<number | null>((resolve) => ava.once('close', resolve));
  const failed: string[] = [];
  let passed = 0;
  for await (const line of createInterface({ input: ava.stdout })) {
    const point = /^(not )?ok \d+ - (.*)$/.exec(line);
    if (point === null) continue;
    const [, isFailed, title = ''] = point;
    if (isFailed === undefined) passed += 1;
    else failed.push(title);
    options.progress(line);
  }
  const code = await exited;
  return {
    title: 'Tests of kills, outages and several daemons',
    facts: ['the test files that `ava.proof.config.js` names, one after the other'],
    tables: [
      {
        columns: ['tests', 'number'],
        rows: [
          ['passed', passed],
          ['**failed**', failed.length],
        ],
      },
    ],
    notes: failed.map((title) => `FAILED: ${title}`),
    holds: code === 0 && failed.length === 0 && passed > 0,
  };
}
