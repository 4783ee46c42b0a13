import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { getPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { ExecutionContext, TestFn } from 'ava';
import type { Daemon } from '../src/daemon/main.ts';
import type { DaemonOptions } from '../src/daemon/parts.ts';

/** `cra` as it is installed. */
export const PROGRAM = new URL('../bundle/cra.js', import.meta.url).pathname;
/** Its daemon by itself. */
const DAEMON = new URL('../bundle/daemon.js', import.meta.url).href;

/** What may be cleaned up: at the end of a test, or of all tests of a file. */
export type Teardown = Pick<ExecutionContext, 'teardown'>;

/** A real daemon in a process of its own, as `npm start` runs it. */
export interface DaemonProcess {
  url: string;
  port: number;
  process: ChildProcess;
  /** Log lines so far. */
  log: Record<string, unknown>[];
  /** What it wrote to standard error so far. */
  errors(): string;
  /** Ends it by SIGTERM; resolves with the exit code. */
  stop(): Promise<number | null>;
  /** Ends it by SIGKILL. */
  kill(): Promise<void>;
}

/** A data directory of its own, removed at the end of the test. */
export function temporaryDir(t: Teardown): string {
  const path = mkdtempSync(join(tmpdir(), 'cra-test-'));
  t.teardown(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/**
 * Starts the daemon on a free port and waits until it listens; rejects when it ends before. It has
 * one scan thread, as each more, with its child, adds half to the CPU of a start; two in the tests
 * of interop and in proofs, as their configurations say.
 */
export async function startDaemonProcess(
  t: Teardown,
  dataDir: string,
  env: Record<string, string> = {},
): Promise<DaemonProcess> {
  const child = spawn(process.execPath, [PROGRAM, 'serve'], {
    env: {
      PATH: process.env['PATH'],
      SERVICE_PORT: '0',
      SERVICE_DATA_DIR: dataDir,
      SERVICE_THREADS: process.env['SERVICE_THREADS'] ?? '1',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = once(child, 'exit');
  const log: Record<string, unknown>[] = [];
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => {
    errors += chunk.toString();
  });
  t.teardown(() => child.kill('SIGKILL'));

  const port = await new Promise<number>((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      const entry = JSON.parse(line) as Record<string, unknown>;
      log.push(entry);
      if (entry['msg'] === 'listening') resolve(Number(entry['port']));
    });
    void exited.then(([code]) => reject(new Error(`exit code ${code}: ${errors}${fatalIn(log)}`)));
  });

  return {
    url: `http://127.0.0.1:${port}/api/cra`,
    port,
    process: child,
    log,
    errors: () => errors,
    async stop() {
      child.kill('SIGTERM');
      const [code] = (await exited) as [number | null];
      return code;
    },
    async kill() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

/**
 * The same daemon within this process, so that its times and limits can be set: from the bundle,
 * as a start from the compiled modules takes twice the CPU.
 */
export async function startDaemonWithin(options: DaemonOptions): Promise<Daemon> {
  const { startDaemon } = (await import(DAEMON)) as typeof import('../src/daemon/main.ts');
  return startDaemon(options);
}

/** Why it could not be started, where that may pass: it is in the log then. */
function fatalIn(log: readonly Record<string, unknown>[]): string {
  return log.map(({ err }) => (err as { message?: string } | undefined)?.message ?? '').join('');
}

/** One daemon for the tests of a file that are about neither starts nor rules. */
export function daemonForAll(test: TestFn, env: Record<string, string> = {}): () => DaemonProcess {
  const undo: (() => unknown)[] = [];
  let daemon: DaemonProcess | null = null;
  test.before(async () => {
    const t: Teardown = { teardown: (step) => undo.push(step) };
    // Many tests call it at once, and a job that waits 2 s for a thread is refused.
    daemon = await startDaemonProcess(t, temporaryDir(t), { SERVICE_THREADS: '2', ...env });
  });
  test.after('the daemon of all tests ends in order', async (t) => {
    t.is(await daemon?.stop(), 0);
  });
  test.after.always(() => {
    for (const step of undo.reverse()) step();
  });
  return () => {
    if (daemon === null) throw new Error('the daemon of all tests has not started yet');
    return daemon;
  };
}

export interface Answer {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests read any field of any answer.
  body: any;
}

/** POST analyze with a JSON body. */
export async function analyze(url: string, body: unknown): Promise<Answer> {
  return request(`${url}/analyze`, { method: 'POST', body: JSON.stringify(body) });
}

/** A request whose answer is JSON. */
export async function request(url: string, init: RequestInit = {}): Promise<Answer> {
  const response = await fetch(url, init);
  return { status: response.status, body: await response.json() };
}

/** A request body with this diff. */
export function change(diff: string, over: Record<string, unknown> = {}) {
  return { repo_name: 'acme/shop', branch: 'main', commit_message: 'Change', diff, ...over };
}

/** The diff of one new file. */
export function newFile(path: string, text: string): string {
  const lines = text.endsWith('\n') ? text.slice(0, -1).split('\n') : text.split('\n');
  return [
    `diff --git a/${path} b/${path}`,
    'new file mode 100644',
    '--- /dev/null',
    `+++ b/${path}`,
    `@@ -0,0 +1,${lines.length} @@`,
    ...lines.map((line) => `+${line}`),
    '',
  ].join('\n');
}

/** Resolves once `condition` holds. The longer it does not, the less often it is asked for. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  for (let waitMs = 10; !(await condition()); waitMs = Math.min(waitMs * 1.2, 100)) {
    await new Promise((resolve) => setTimeout(resolve, waitMs));
  }
}

/** How many threads of a process are nicer than its first one. */
export function nicerThreads(pid: number): number {
  const own = getPriority(pid);
  const isNicer = (thread: string) => {
    try {
      const stat = readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8');
      // Field 19 of proc(5); the second one, in brackets, may hold anything.
      return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16]) > own;
    } catch {
      // It has ended since.
      return false;
    }
  };
  return readdirSync(`/proc/${pid}/task`).filter(isNicer).length;
}
