import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { daemonEnvironment, type RunningDaemon } from './environment.ts';

/** `cra serve`, as it is run. */
export interface ServedDaemon extends RunningDaemon {
  /** SIGTERM; resolves with the exit code. */
  stop(): Promise<number | null>;
  /** The newest of its lines with an error, and what it wrote to stderr. */
  errors(): string;
}

/**
 * Starts `cra serve` in a process group of its own, with these settings beside the usual ones;
 * rejects with what it wrote when it ends. `dist` is that of another tree, whose daemon it is.
 */
export async function startServedDaemon(
  dataDir: string,
  settings: Readonly<Record<string, string>> = {},
  dist: string | null = null,
): Promise<ServedDaemon> {
  const own = fileURLToPath(new URL('../../', import.meta.url));
  const cli = join(dist ?? own, 'bundle', 'cra.js');
  const child = spawn(process.execPath, [cli, 'serve'], {
    env: { ...daemonEnvironment(dataDir), SERVICE_LOG_LEVEL: 'info', ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const exited = once(child, 'exit') as Promise<[number | null]>;
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => {
    errors = (errors + chunk.toString()).slice(-ERROR_CHARS_MAX);
  });
  const port = await new Promise<number>((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      const entry = JSON.parse(line) as { msg?: string; port?: number; level?: number };
      // Why it does not start, or ends, stands in its log.
      if ((entry.level ?? 0) >= ERROR_LEVEL) errors = `${errors}${line}\n`.slice(-ERROR_CHARS_MAX);
      if (entry.msg === 'listening') resolve(Number(entry.port));
    });
    void exited.then(([code]) => reject(new Error(`the daemon ended with ${code}: ${errors}`)));
  });
  const pid = child.pid ?? 0;
  return {
    port,
    pid,
    url: `http://127.0.0.1:${port}/api/cra`,
    exited,
    errors: () => errors,
    async stop() {
      child.kill('SIGTERM');
      const [code] = await exited;
      return code;
    },
  };
}

const ERROR_CHARS_MAX = 10_000;
/** Of pino. */
const ERROR_LEVEL = 50;
