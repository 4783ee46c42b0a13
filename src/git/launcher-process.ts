import { spawn } from 'node:child_process';
import type { LaunchReport, LaunchRequest } from './launcher.ts';
import { killGroup } from './process-groups.ts';

/**
 * A few kilobytes of a repository may unfold to any size, and nothing else bounds that: a tree that
 * names another one ten times, ten levels deep, or a file of line breaks. RLIMIT_DATA leaves out
 * the packs that git maps. A lower limit that is set already stays.
 */
const LIMITED = 'ulimit -d "$0" 2>/dev/null; exec git "$@"';

/** The end of the launcher's process: starts commands; `close` ends all of them. */
export function serveLaunches(channel: { send(report: LaunchReport): void }): {
  start(request: LaunchRequest): void;
  close(): void;
} {
  const groups = new Set<number>();
  return {
    start({ id, args, cwd, env, input, memoryMax }) {
      // A group of its own: git starts others, and all of them end together.
      const child = spawn('/bin/sh', ['-c', LIMITED, String(memoryMax / 1024), ...args], {
        ...{ cwd, env, detached: true },
        stdio: ['pipe', 'pipe', 'pipe'],
      });
      const { pid } = child;
      if (pid !== undefined) {
        groups.add(pid);
        channel.send({ id, kind: 'started', pid });
      }
      child.stdout.on('data', (bytes: Buffer) => channel.send({ id, kind: 'stdout', bytes }));
      child.stderr.on('data', (bytes: Buffer) => channel.send({ id, kind: 'stderr', bytes }));
      // Git may end before it has read all of it.
      child.stdin.on('error', () => undefined);
      child.stdin.end(input);
      child.on('error', (error: NodeJS.ErrnoException) => {
        channel.send({ id, kind: 'failed', code: error.code ?? null });
      });
      child.on('close', (code, signal) => {
        if (pid !== undefined) groups.delete(pid);
        channel.send({ id, kind: 'closed', code, signal });
      });
    },
    close() {
      for (const pid of groups) killGroup(pid);
    },
  };
}
