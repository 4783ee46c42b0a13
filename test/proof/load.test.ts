import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { newFileDiff } from '../../bench/corpus/package-corpus.ts';
import { startHostedDaemon } from '../../bench/daemon/hosted-daemon.ts';
import { analyzeBody } from '../../bench/request-body.ts';
import { attack } from './attack.ts';
import type { Bodies } from './bodies.ts';
import { CRASH_FORMS } from './crash-form.ts';
import { killRepeatedly } from './kill-rounds.ts';

/** The long proofs, `npm run proof`, with little to do. */

const KEY = ['AKIA', 'Z7QXN4M2LPKD3WVT'].join('');
const LINES = Array.from({ length: 200 }, (_, index) => `const value${index} = ${index};`);
const BODIES: Bodies = {
  plain: [analyzeBody(newFileDiff('notes.txt', LINES))],
  script: [analyzeBody(newFileDiff('run.js', [...LINES, 'child_process.exec(req.query.x);']))],
  large: [analyzeBody(newFileDiff('long.py', new Array(10_000).fill('value = compute(value)')))],
  secret: [analyzeBody(newFileDiff('env.sh', [`export AWS_ACCESS_KEY_ID=${KEY}`]))],
};

function temporaryDir(t: ExecutionContext): string {
  const path = mkdtempSync(join(tmpdir(), 'cra-test-'));
  t.teardown(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

test.serial('kill -9 during load loses nothing that was answered, 3 seeds', async (t) => {
  const dataDir = temporaryDir(t);
  const report = await killRepeatedly({ dataDir, bodies: BODIES, kills: 3, seed: 7 });
  t.deepEqual(report.faults, []);
  t.is(report.kills, 3);
  t.true(report.answered > 0);
});

test.serial('text that kills the parser costs nobody else a request, 3 forms', async (t) => {
  const daemon = await startHostedDaemon({ dataDir: temporaryDir(t) });
  try {
    const names = ['namespaced member', 'less', 'open types'];
    const forms = CRASH_FORMS.filter(({ name }) => names.includes(name));
    const report = await attack({ daemon, forms, count: 5, bodies: BODIES, seed: 7, quietMs: 100 });
    t.deepEqual(report.failures, []);
    for (const { name, faults, unparsed } of report.outcomes) {
      t.deepEqual(faults, [], name);
      t.true(unparsed > 0, name);
    }
    t.is(report.outcomes.length, 3);
  } finally {
    t.is(await daemon.stop(), 0);
  }
});
