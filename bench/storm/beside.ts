import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { BesidePlan, BesideResult } from './beside-message.ts';

/** Starts the calls beside a storm; `stop` ends them and tells how they went. */
export function startBeside(plan: BesidePlan): { stop(): Promise<BesideResult> } {
  const entry = new URL('./beside-process.js', import.meta.url);
  const child = fork(entry, [], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  child.send(plan);
  return {
    async stop() {
      child.send('stop');
      const [result] = (await once(child, 'message')) as [BesideResult];
      child.disconnect();
      await once(child, 'exit');
      return result;
    },
  };
}
