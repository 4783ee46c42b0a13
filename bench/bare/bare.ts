import { fork } from 'node:child_process';
import { once } from 'node:events';
import { treeCpuSeconds } from '../../src/cli/replay-summary.ts';

/** The bare server in a process of its own. */
export interface BareServer {
  port: number;
  pid: number;
  /** CPU seconds until now. */
  cpuSeconds(): number;
  stop(): Promise<void>;
}

/** Starts it with its database in `dataDir`; `execArgv` are options of node. */
export async function startBareServer(
  dataDir: string,
  execArgv: readonly string[] = [],
): Promise<BareServer> {
  const child = fork(new URL('./bare-process.js', import.meta.url), [dataDir], {
    execArgv: [...execArgv],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const [port] = (await once(child, 'message')) as [number];
  return {
    port,
    pid: child.pid ?? 0,
    cpuSeconds: () => treeCpuSeconds(child.pid ?? 0) ?? 0,
    async stop() {
      child.disconnect();
      await once(child, 'exit');
    },
  };
}
