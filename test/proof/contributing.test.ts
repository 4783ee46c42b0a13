import { execFileSync } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import test from 'ava';
import { temporaryDir } from '../daemon.ts';
import { contributingDiffs } from '../docs/contributing.ts';

test('HEAD compiles with all examples of CONTRIBUTING', (t) => {
  const clone = join(temporaryDir(t), 'clone');
  execFileSync('git', ['clone', '-q', '--shared', '.', clone]);
  symlinkSync(resolve('node_modules'), join(clone, 'node_modules'));
  for (const input of contributingDiffs()) execFileSync('git', ['apply'], { cwd: clone, input });
  const compile = () => execFileSync('npx', ['tsc', '--noEmit'], { cwd: clone, encoding: 'utf8' });
  t.notThrows(compile);
});
