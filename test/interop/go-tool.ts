import { spawnSync } from 'node:child_process';
import type { ExecutionContext } from 'ava';

/** Whether Go is there to build a tool with; without it the test fails and says so. */
export function hasGo(t: ExecutionContext): boolean {
  if (spawnSync('go', ['version']).status === 0) return true;
  t.fail('needs Go 1.24 or newer on the PATH: https://go.dev/dl');
  return false;
}
