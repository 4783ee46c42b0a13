import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { childStates } from './child-states.ts';
import { MATCHES_EXPECTED } from './doomed-rules.ts';
import type { KeeperEvent, KeeperRequest } from './keeper.ts';
import type { DoomedInput, DoomedReport, Kind, KindResult } from './kinds.ts';

/** The process in which threads of one kind are lost, one after the other: `KIND COUNT`. */
const OLD_SPACE_MIB = 64;
/** Between a thread's last message and its termination, so that it is in the midst of its work. */
const MIDST_MS = 20;
/** A child that ends by itself gets this long before it counts as running. */
const CHILD_END_MS = 5_000;
const EXTENSION = import.meta.url.endsWith('.ts') ? '.ts' : '.js';

const [kind, count] = process.argv.slice(2);
process.send?.(await loseThreads(kind as Kind, Number(count)));
process.disconnect();
process.exit(0);

async function loseThreads(kind: Kind, count: number): Promise<KindResult> {
  const witness = await startWitness();
  const keeper = kind === 'terminate-kept-child' ? createKeeper() : null;
  const times = { ready: [] as number[], death: [] as number[] };
  const rss: number[] = [];
  let witnessErrors = 0;
  for (let index = 0; index < count; index++) {
    const one = await loseThread(kind, index, keeper);
    times.ready.push(one.readyMs);
    times.death.push(one.deathMs);
    if ((await witness.match()) !== MATCHES_EXPECTED) witnessErrors++;
    if (isSample(index + 1, count)) rss.push(await residentMiB());
  }
  const children = await settledChildren(kind, count, keeper);
  await witness.stop();
  await keeper?.stop();
  return {
    kind,
    count,
    readyMs: summary(times.ready),
    deathMs: summary(times.death),
    rssMiB: [rss[0] ?? 0, rss[1] ?? 0, rss[2] ?? 0],
    witnessErrors,
    children,
  };
}

/** Starts a thread, lets it use RE2, makes it end, and waits until it is gone. */
async function loseThread(kind: Kind, index: number, keeper: Keeper | null) {
  const socketPath = keeper?.socketPath(index) ?? null;
  const childSpins = index % 2 === 1;
  const startedAt = performance.now();
  const thread = startThread({ kind, socketPath, childSpins });
  if (socketPath !== null) {
    await once(thread, 'message');
    await keeper?.fork(index, childSpins, socketPath);
  }
  const [report] = (await once(thread, 'message')) as [DoomedReport];
  if (report.matches !== MATCHES_EXPECTED) throw new Error(`${report.matches} matches in a thread`);
  const readyMs = performance.now() - startedAt;
  const diesAt = performance.now();
  const gone = new Promise((resolve) => thread.once('exit', resolve));
  thread.postMessage('die');
  if (kind.startsWith('terminate')) {
    await once(thread, 'message');
    await new Promise((resolve) => setTimeout(resolve, MIDST_MS));
    await thread.terminate();
  }
  await gone;
  const deathMs = performance.now() - diesAt;
  if (childSpins) {
    if (report.childPid !== null) process.kill(report.childPid, 'SIGKILL');
    keeper?.kill(index);
  }
  return { readyMs, deathMs };
}

function startThread(input: DoomedInput): Worker {
  const thread = new Worker(new URL(`./doomed-thread${EXTENSION}`, import.meta.url), {
    workerData: input,
    resourceLimits: { maxOldGenerationSizeMb: OLD_SPACE_MIB },
  });
  // Some die by an error on purpose; `once` still rejects if that is not what was awaited.
  thread.on('error', () => {});
  return thread;
}

/** The thread that lives through it all, as the other threads of a pool do. */
async function startWitness() {
  const thread = startThread({ kind: 'witness', socketPath: null, childSpins: false });
  await once(thread, 'message');
  return {
    async match(): Promise<number> {
      thread.postMessage('match');
      const [report] = (await once(thread, 'message')) as [DoomedReport];
      return report.matches;
    },
    stop: () => thread.terminate(),
  };
}

type Keeper = ReturnType<typeof createKeeper>;

function createKeeper() {
  const directory = mkdtempSync(join(tmpdir(), 'cra-ground-'));
  const child: ChildProcess = fork(new URL(`./keeper${EXTENSION}`, import.meta.url));
  const send = (request: KeeperRequest) => child.send(request);
  return {
    pid: child.pid ?? 0,
    socketPath: (id: number) => join(directory, `${id}.sock`),
    async fork(id: number, spins: boolean, socketPath: string): Promise<void> {
      send({ kind: 'fork', id, mode: spins ? 'spin' : 'wait', socketPath });
      const isForked = (event: KeeperEvent) => event.kind === 'forked' && event.id === id;
      for (;;) if (isForked((await once(child, 'message'))[0] as KeeperEvent)) return;
    },
    kill: (id: number) => send({ kind: 'kill', id }),
    async stop(): Promise<void> {
      child.disconnect();
      await once(child, 'exit');
      rmSync(directory, { recursive: true });
    },
  };
}

/** Waits until the children that can end have ended, then counts what is left. */
async function settledChildren(kind: Kind, count: number, keeper: Keeper | null) {
  const own = kind === 'terminate-own-child';
  if (!own && keeper === null) return { forked: 0, running: 0, defunct: 0 };
  const parentPid = keeper?.pid ?? process.pid;
  const deadline = performance.now() + CHILD_END_MS;
  let states = childStates(parentPid);
  while (states.running > 0 && performance.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    states = childStates(parentPid);
  }
  return { forked: count, ...states };
}

function isSample(done: number, count: number): boolean {
  return [0.1, 0.5, 1].some((share) => done === Math.max(1, Math.round(count * share)));
}

/** Resident set after a moment in which the allocator can give back what the thread held. */
async function residentMiB(): Promise<number> {
  await new Promise((resolve) => setTimeout(resolve, 100));
  return Math.round(process.memoryUsage.rss() / (1024 * 1024));
}

function summary(values: number[]): { median: number; max: number } {
  const sorted = values.toSorted((a, b) => a - b);
  return { median: sorted[sorted.length >> 1] ?? 0, max: sorted.at(-1) ?? 0 };
}
