import test from 'ava';
import { newFileDiff } from '../bench/corpus/package-corpus.ts';
import { analyzeBody } from '../bench/request-body.ts';
import { temporaryDir } from './daemon.ts';
import { killRepeatedly } from './proof/kill-rounds.ts';

/** One round of what `npm run proof -- kill9` does hundreds of times. */
test('kill -9 during load loses nothing that was answered', async (t) => {
  const lines = Array.from({ length: 200 }, (_, index) => `const value${index} = ${index};`);
  const plain = [analyzeBody(newFileDiff('notes.txt', lines))];
  const script = [analyzeBody(newFileDiff('run.js', [...lines, 'exec(req.query.x);']))];
  const bodies = { plain, script, large: plain, secret: plain };
  const report = await killRepeatedly({ dataDir: temporaryDir(t), bodies, kills: 1, seed: 7 });
  t.deepEqual(report.faults, []);
  t.is(report.kills, 1);
  t.true(report.answered > 0);
});
