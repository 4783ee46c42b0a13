import { fork } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { treeCpuSeconds } from '../../src/cli/replay-summary.ts';
import { daemonEnvironment, type RunningDaemon } from './environment.ts';
import type { HostAnswer, HostQuestion, Sample } from './host-message.ts';

/** A daemon in a process that can be asked. */
export interface HostedDaemon extends RunningDaemon {
  sample(): Promise<Sample>;
  resetLag(): void;
  /** CPU seconds of the daemon and its children until now. */
  cpuSeconds(): number;
  /** In order; resolves with the exit code. */
  stop(): Promise<number | null>;
}

export interface HostOptions {
  dataDir: string;
  /** Ms after which analyze answers with a DRAFT; null: the daemon's own. */
  answerWithinMs?: number;
  /** Where the threads leave their CPU profiles. */
  profileDir?: string;
  /** Settings beside the usual ones. */
  settings?: Readonly<Record<string, string>>;
  /** Options of node. */
  execArgv?: readonly string[];
  /** The `dist` of another tree, whose daemon it is; absent: of this one. */
  dist?: string;
}

/** Starts the host; rejects with what it printed when it does not come up. */
export async function startHostedDaemon(options: HostOptions): Promise<HostedDaemon> {
  const { dataDir, profileDir, answerWithinMs = 0, execArgv = [] } = options;
  const profiling = profileDir === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profileDir}`];
  const child = fork(hostEntry(options.dist), [String(answerWithinMs)], {
    env: { ...daemonEnvironment(dataDir), ...options.settings },
    execArgv: [...execArgv, ...profiling],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    // A group of its own, so that it can be killed together with its children.
    detached: true,
  });
  const exited = once(child, 'exit') as Promise<[number | null]>;
  const waiting = new Map<number, (sample: Sample) => void>();
  let nextId = 1;
  const port = await new Promise<number>((resolve, reject) => {
    child.on('message', (answer: HostAnswer) => {
      if (answer.kind === 'ready') return resolve(answer.port);
      waiting.get(answer.id)?.(answer);
      waiting.delete(answer.id);
    });
    void exited.then(([code]) => reject(new Error(`the daemon ended with ${code}`)));
  });
  const pid = child.pid ?? 0;
  for (const group of ['self', pid]) passOnNiceness(group);
  const ask = (question: HostQuestion) => void child.send(question);

  return {
    port,
    pid,
    url: `http://127.0.0.1:${port}/api/cra`,
    exited,
    sample: () =>
      new Promise((resolve) => {
        const id = nextId++;
        waiting.set(id, resolve);
        ask({ kind: 'sample', id });
      }),
    resetLag: () => ask({ kind: 'reset-lag' }),
    cpuSeconds: () => treeCpuSeconds(pid) ?? 0,
    async stop() {
      ask({ kind: 'stop' });
      const [code] = await exited;
      return code;
    },
  };
}

/**
 * Niceness counts among the processes of a session only, and the daemon has one of its own: on a
 * busy machine it would get less than the bare server that it is measured beside. Without effect
 * where the kernel has no such groups, or forbids it.
 */
function passOnNiceness(process: number | string): void {
  try {
    writeFileSync(`/proc/${process}/autogroup`, String(getPriority()));
  } catch {}
}

function hostEntry(dist?: string): URL {
  if (dist !== undefined) return pathToFileURL(join(dist, 'bench/daemon/daemon-host.js'));
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  return new URL(`./daemon-host.${extension}`, import.meta.url);
}
