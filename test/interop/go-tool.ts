import { spawnSync } from 'node:child_process';
import type { ExecutionContext } from 'ava';

/** Whether Go is there to build a tool with; a test that needs one says so and ends else. */
export function hasGo(t: ExecutionContext): boolean {
  if (spawnSync('go', ['version']).status === 0) return true;
  t.pass('there is no Go here to build the tool with');
  t.log('not run: there is no Go here');
  return false;
}
