import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';
import { createMatcher, createSlowMatch } from './doomed-rules.ts';
import type { DoomedInput, DoomedReport } from './kinds.ts';

/** A thread that compiles and uses rules, reports, and ends in the way it was told to. */
const input = workerData as DoomedInput;
const port = parentPort;
if (port === null) throw new Error('doomed-thread runs as a worker thread only');
const match = createMatcher();
const matchSlowly = createSlowMatch();
const report: DoomedReport = { matches: match(), childPid: await startChild(input) };
port.on('message', () => {
  if (input.kind === 'witness') return port.postMessage({ ...report, matches: match() });
  match();
  // Handed over at once, though this turn of the loop may never end.
  port.postMessage('dying');
  end(input.kind);
});
port.postMessage(report);

function end(kind: DoomedInput['kind']): void {
  if (kind === 'throw') throw new Error('thrown on purpose');
  if (kind === 'exit') process.exit(1);
  if (kind === 'out-of-memory') fillHeap();
  if (kind === 'terminate-loop') for (;;) match();
  if (kind === 'terminate-match') for (;;) matchSlowly();
}

/** By pieces of 8 KB: one big allocation near the limit would end the whole process. */
function fillHeap(): void {
  const kept: number[][] = [];
  for (;;) kept.push(new Array<number>(1_000).fill(0.5));
}

async function startChild({ kind, socketPath, childSpins }: DoomedInput): Promise<number | null> {
  if (kind === 'terminate-own-child') {
    const child = fork(siblingPath('doomed-child'), [childSpins ? 'spin' : 'wait']);
    await once(child, 'message');
    return child.pid ?? null;
  }
  if (socketPath === null) return null;
  const server = createServer();
  server.listen(socketPath);
  await once(server, 'listening');
  port?.postMessage('listening');
  const [socket] = await once(server, 'connection');
  await once(socket, 'data');
  return null;
}

function siblingPath(name: string): URL {
  return new URL(`./${name}${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url);
}
