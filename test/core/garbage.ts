import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { ExecutionContext } from 'ava';

/** Collects garbage every 50 ms until the test has ended: what nobody holds is gone. */
export function collectGarbage(t: ExecutionContext): void {
  setFlagsFromString('--expose-gc');
  const timer = setInterval(runInNewContext('gc') as () => void, 50);
  t.teardown(() => clearInterval(timer));
}
