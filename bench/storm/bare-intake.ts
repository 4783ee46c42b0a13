import { fork } from 'node:child_process';
import { once } from 'node:events';

/** The bare intake in a process of its own, on a data directory of its own. */
export interface BareIntake {
  port: number;
  pid: number;
  stop(): Promise<void>;
}

/** Starts it; its records have `recordBytes`, `execArgv` are options of node. */
export async function startBareIntake(
  dataDir: string,
  secret: string,
  recordBytes: number,
  execArgv: readonly string[] = [],
): Promise<BareIntake> {
  const entry = new URL('./bare-intake-process.js', import.meta.url);
  const child = fork(entry, [dataDir, secret, String(recordBytes)], {
    execArgv: [...execArgv],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const [port] = (await once(child, 'message')) as [number];
  return {
    port,
    pid: child.pid ?? 0,
    async stop() {
      child.disconnect();
      await once(child, 'exit');
    },
  };
}
