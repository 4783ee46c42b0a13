import { execFileSync } from 'node:child_process';
import test from 'ava';
import { treeCpuSeconds } from '../../src/cli/process-cpu.ts';

const BURN = 'while (process.cpuUsage().user < 300_000) {}';

test('treeCpuSeconds counts a process and the children it has had', (t) => {
  const before = treeCpuSeconds(process.pid);
  execFileSync(process.execPath, ['-e', BURN]);
  const after = treeCpuSeconds(process.pid);
  t.not(before, null);
  t.true((after ?? 0) - (before ?? 0) >= 0.25, `${before} ${after}`);
});

test('treeCpuSeconds of a process that is not there is null', (t) => {
  t.is(treeCpuSeconds(2 ** 30), null);
});
