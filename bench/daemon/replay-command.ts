import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { ReplaySummary } from '../../src/cli/replay-summary.ts';
import type { RunningDaemon } from './environment.ts';

/** Runs `cra replay --json` against a daemon, as a user would, and reads its summary. */
export async function runReplay(
  daemon: RunningDaemon,
  repo: string,
  args: readonly string[],
): Promise<{ summary: ReplaySummary; exitCode: number | null }> {
  const cli = fileURLToPath(new URL('../../bundle/cra.js', import.meta.url));
  const server = ['--server', new URL(daemon.url).origin, '--pid', String(daemon.pid)];
  const child = spawn(
    process.execPath,
    [cli, 'replay', '--repo', repo, '--json', ...server, ...args],
    {
      env: { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '' },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const closed = once(child, 'close') as Promise<[number | null]>;
  const chunks: Buffer[] = [];
  for await (const chunk of child.stdout) chunks.push(chunk as Buffer);
  const [exitCode] = await closed;
  const text = Buffer.concat(chunks).toString();
  if (text === '') throw new Error(`cra replay ended with ${exitCode} and printed no summary`);
  return { summary: JSON.parse(text) as ReplaySummary, exitCode };
}
