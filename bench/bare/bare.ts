import { fork } from 'node:child_process';
import { once } from 'node:events';
import { treeCpuSeconds } from '../../src/cli/replay-summary.ts';

/** The bare server in a process of its own. */
export interface BareServer {
  port: number;
  /** CPU seconds until now. */
  cpuSeconds(): number;
  stop(): Promise<void>;
}

/** Starts it with its database in `dataDir`. */
export async function startBareServer(dataDir: string): Promise<BareServer> {
  const child = fork(new URL('./bare-process.js', import.meta.url), [dataDir], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const [port] = (await once(child, 'message')) as [number];
  return {
    port,
    cpuSeconds: () => treeCpuSeconds(child.pid ?? 0) ?? 0,
    async stop() {
      child.disconnect();
      await once(child, 'exit');
    },
  };
}
