import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { deserialize, serialize, setFlagsFromString } from 'node:v8';
import { Worker } from 'node:worker_threads';
import { CraError } from '../model/errors.ts';
import {
  type ChannelTransport,
  createChannelTransport,
  type OverdueCall,
  serveChannel,
} from './channel.ts';
import type { RpcServer, Transport } from './service.ts';
import { RPC } from './service.ts';

interface ChildClientOptions {
  threadId: number;
  /** Directory for the socket; only this user may enter it. */
  socketDir: string;
  /** Posts a request to the main thread, which forks and kills. */
  ask(request: ChildRequest): void;
}

/**
 * A thread's end of its child process. The child is started before the first call and again
 * whenever it is gone. A call's deadline counts CPU time of the child (see `createPatience`): past
 * it the child is killed and the call answers DEADLINE_EXCEEDED; a child that dies answers
 * UNAVAILABLE, with `details.not_started` if it never said hello (the host ends a hung child).
 */
export function createChildClient(options: ChildClientOptions): Transport {
  const name = `${options.threadId}-${randomBytes(8).toString('hex')}.sock`;
  const socketPath = join(options.socketDir, name);
  const ask = (action: ChildRequest['action']) =>
    options.ask({ kind: 'child', action, threadId: options.threadId, socketPath });
  let current: Promise<ChannelTransport> | null = null;
  let arrived: ((socket: Socket) => void) | null = null;

  const server = createServer((socket) => {
    if (arrived === null) socket.destroy();
    else arrived(socket);
  });
  const listening = new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(socketPath, resolve);
  });
  // A failure shows with the first call; it must not end the thread before.
  listening.catch(() => undefined);
  server.unref();

  async function start(): Promise<ChannelTransport> {
    await listening;
    // The host answers for it: when the child ends or hangs, it connects in its stead.
    const socket = await new Promise<Socket>((resolve) => {
      arrived = resolve;
      ask('start');
    }).finally(() => {
      arrived = null;
    });
    return channelTo(socket, () => ask('kill'));
  }

  /** The child that runs, or a new one where it is gone. */
  async function connected(): Promise<ChannelTransport> {
    current ??= start();
    const mine = current;
    try {
      const transport = await mine;
      if (!transport.isClosed) return transport;
    } catch (thrown) {
      if (current === mine) current = null;
      throw CraError.fromUnknown(thrown);
    }
    if (current === mine) current = null;
    return connected();
  }

  return {
    async call(request, signal, transfer) {
      const transport = await connected();
      return transport.call(request, signal, transfer);
    },
  };
}

function channelTo(socket: Socket, kill: () => void): ChannelTransport {
  const patience = createPatience();
  const gone = () => {
    const details = { not_started: patience.pid === 0 };
    transport.close(new CraError('UNAVAILABLE', 'the child process ended', { details }));
  };
  // Stuck in native code, or not speaking our language: no message reaches it any more.
  const giveUp = () => {
    kill();
    socket.destroy();
    gone();
  };
  const transport = createChannelTransport(
    { post: (message) => socket.write(encodeFrame(message)) },
    {
      graceMs: 0,
      usedMs: () => patience.usedMs(),
      moreTimeMs: (call) => patience.moreTimeMs(call),
      onOverdue: giveUp,
    },
  );
  const decode = createFrameDecoder((message) => {
    if (isChildHello(message)) patience.pid = message.pid;
    else transport.receive(message);
  });
  socket.on('data', (chunk: Buffer) => {
    try {
      decode(chunk);
    } catch {
      giveUp();
    }
  });
  socket.on('error', gone);
  socket.on('close', gone);
  return transport;
}

/** How long something is waited for that answers to no clock. */
export interface Patience {
  /** The child's; 0 while it is unknown. */
  pid: number;
  /** CPU time of the child so far, in ms; a call starts with it. Null: unknown. */
  usedMs(): number | null;
  /** How long, in ms, to wait until the next look; 0: it is given up. */
  moreTimeMs(call: OverdueCall): number;
}

/**
 * How long a child is waited for. What a text costs must not depend on what else the machine does,
 * so a deadline counts the child's CPU time, not the time on the clock. It is given up once a call
 * has taken that much, or when the child hangs: when RPC.CHILD_HUNG_MS pass on the clock while it
 * uses next to no CPU time. Without /proc only that second bound holds. `now` is a monotonic clock,
 * ms.
 */
export function createPatience(
  readCpuMs: (pid: number) => number | null = cpuTimeMs,
  now: () => number = () => performance.now(),
): Patience {
  let movedAt = now();
  let movedCpuMs = 0;
  return {
    pid: 0,
    usedMs() {
      const cpu = this.pid === 0 ? null : readCpuMs(this.pid);
      movedAt = now();
      movedCpuMs = cpu ?? 0;
      return cpu;
    },
    moreTimeMs({ timeoutMs, usedBeforeMs, isFirst }) {
      // The answer may have come while this thread was held up: one more turn to read it.
      if (isFirst) return LOOK_MS;
      const cpu = this.pid === 0 ? null : readCpuMs(this.pid);
      if (cpu !== null && cpu - movedCpuMs >= RPC.CHILD_HUNG_CPU_MS) {
        movedAt = now();
        movedCpuMs = cpu;
      }
      // A child that had not said hello when the call started took that time to come up, too.
      const leftMs = cpu === null ? timeoutMs : (usedBeforeMs ?? 0) + timeoutMs - cpu;
      const hungInMs = movedAt + RPC.CHILD_HUNG_MS - now();
      return leftMs <= 0 || hungInMs <= 0 ? 0 : Math.max(LOOK_MS, Math.min(leftMs, hungInMs));
    },
  };
}

/** An overdue child is not looked at more often. */
const LOOK_MS = 20;

/** Clock ticks a second in /proc, which Linux fixes at 100 for user space (man 5 proc). */
const TICK_MS = 10;

/**
 * CPU time that a process, or one thread of it, has used so far, in ms; null where the system has
 * no /proc or it is gone.
 */
export function cpuTimeMs(pid: number, thread?: number): number | null {
  try {
    const place = thread === undefined ? `${pid}` : `${pid}/task/${thread}`;
    const stat = readFileSync(`/proc/${place}/stat`, 'latin1');
    // The name before may hold anything; fields 14 and 15 are user and system time.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
  } catch {
    return null;
  }
}

/**
 * The main thread's part in a thread's child: it forks it, knows its pid and ends it.
 *
 * A thread could fork by itself, but the process handle dies with the thread, and nobody reaps
 * the child then: every terminated thread would leave a zombie. The main thread outlives them.
 */
interface ChildHost {
  /** Hands a thread's message over; messages that are not child requests are ignored. */
  receive(message: unknown): void;
  /** Kills the children of threads that are gone. */
  keepOnly(alive: readonly number[]): void;
  /** Pids of the children that run now. */
  pids(): number[];
  readonly started: number;
  close(): void;
}

interface ChildHostOptions {
  entry: URL;
  oldSpaceMiB: number;
  /** Reports the end of a child, for log and metrics. */
  onExit(event: { pid: number; code: number | null; signal: string | null }): void;
  /** Test only: how long a child that starts is waited for. */
  patience?: () => Patience;
}

/**
 * Creates the host. Children connect to the Unix socket that their thread listens on. A child that
 * has not done so is ended once it took RPC.CHILD_START_CPU_MS of CPU time, or hangs: on a busy
 * machine the clock says nothing of it (at load 36 a start took over 10 s).
 */
export function createChildHost(options: ChildHostOptions): ChildHost {
  const children = new Map<ChildProcess, number>();
  let started = 0;
  let closed = false;

  function start(threadId: number, socketPath: string): void {
    const child = fork(options.entry, [socketPath], {
      execArgv: heapFlags(options.oldSpaceMiB),
      // It reads hostile text: no secret of the environment is within its reach.
      env: {},
      // The parser prints its panics; they are counted by the exit signal instead.
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    started += 1;
    children.set(child, threadId);
    const pid = child.pid ?? 0;
    let isConnected = false;
    const patience = (options.patience ?? createPatience)();
    const stopWatching = watchProcess(pid, RPC.CHILD_START_CPU_MS, patience, () =>
      child.kill('SIGKILL'),
    );
    child.once('message', () => {
      isConnected = true;
      stopWatching();
    });
    const end = () => {
      stopWatching();
      children.delete(child);
      // Its thread would wait for it: a connection that ends at once tells it not to.
      if (!isConnected && !closed) tellThread(socketPath);
    };
    child.on('error', end);
    child.on('exit', (code, signal) => {
      end();
      if (!closed) options.onExit({ pid, code, signal });
    });
  }

  function kill(owned: (threadId: number) => boolean): void {
    for (const [child, threadId] of children) {
      if (owned(threadId)) child.kill('SIGKILL');
    }
  }

  return {
    receive(message) {
      if (closed || !isChildRequest(message)) return;
      if (message.action === 'kill') kill((threadId) => threadId === message.threadId);
      else start(message.threadId, message.socketPath);
    },
    keepOnly: (alive) => kill((threadId) => !alive.includes(threadId)),
    pids: () => [...children.keys()].flatMap((child) => child.pid ?? []),
    get started() {
      return started;
    },
    close() {
      closed = true;
      kill(() => true);
    },
  };
}

/**
 * Watches over a process: `giveUp` is called once it took `cpuMs` of CPU time, or hangs. Call the
 * result when it is done.
 */
export function watchProcess(
  pid: number,
  cpuMs: number,
  patience: Patience,
  giveUp: () => void,
): () => void {
  patience.pid = pid;
  const start = { timeoutMs: cpuMs, usedBeforeMs: patience.usedMs(), isFirst: false };
  let timer: NodeJS.Timeout;
  const look = () => {
    const waitMs = patience.moreTimeMs(start);
    if (waitMs === 0) giveUp();
    else timer = setTimeout(look, waitMs);
  };
  timer = setTimeout(look, 0);
  return () => clearTimeout(timer);
}

function tellThread(socketPath: string): void {
  const socket = connect(socketPath);
  socket.on('error', () => undefined);
  socket.on('connect', () => socket.destroy());
}

/**
 * The child's end: serves its thread over the socket, and ends with it. `process.disconnect`
 * tells that the daemon is gone, the socket's end that the thread is.
 */
export function serveAsChild(server: RpcServer, socketPath: string): void {
  const socket = connect(socketPath);
  const receive = serveChannel(server, {
    post: (message) => socket.write(encodeFrame(message)),
  });
  socket.on('connect', () => process.send?.('connected'));
  watchParent();
  const hello: ChildHello = { kind: 'hello', pid: process.pid };
  socket.write(encodeFrame(hello));
  const end = () => process.exit(0);
  socket.on('data', createFrameDecoder(receive));
  socket.on('error', end);
  socket.on('close', end);
  process.on('disconnect', end);
}

/** Half of what a child keeps for new objects, MiB; the 16 of V8 cost 15 to 30 MiB of RSS more. */
const SEMI_SPACE_MIB = 4;

/** The flags by which V8 bounds the heap of a child. */
export function heapFlags(oldSpaceMiB: number): string[] {
  return [`--max-old-space-size=${oldSpaceMiB}`, `--max-semi-space-size=${SEMI_SPACE_MIB}`];
}

/** The flag by which V8 optimises late; V8 12, which Node 22 has, does not know it. */
export const LATE_OPTIMISATION = '--interrupt-budget=500000';

/**
 * Lets V8 optimise a function only after it ran about four times as long as is usual: the first
 * hundred files take 40 % less CPU then, as most of what they run is not run again, and what is
 * optimised early has seen too few of the forms of code and is compiled again.
 */
export function optimiseLate(): void {
  if (Number.parseInt(process.versions.v8, 10) < 12) setFlagsFromString(LATE_OPTIMISATION);
}

/**
 * Ends this process when the daemon is gone. A thread of its own looks: the main thread may be
 * stuck in native code, and then sees neither `disconnect` nor the socket's end.
 */
function watchParent(): void {
  const watch = new Worker(WATCH, { eval: true, workerData: process.ppid });
  watch.unref();
}

const WATCH = `
const { workerData } = require('node:worker_threads');
setInterval(() => {
  if (process.ppid !== workerData) process.kill(process.pid, 'SIGKILL');
}, 1000);
`;

/** Messages on a byte stream: [4 bytes length, little endian][V8 structured clone]. */
const LENGTH_BYTES = 4;

/** One message as a frame. */
function encodeFrame(message: unknown): Buffer {
  const body = serialize(message);
  const frame = Buffer.allocUnsafe(LENGTH_BYTES + body.length);
  frame.writeUInt32LE(body.length, 0);
  body.copy(frame, LENGTH_BYTES);
  return frame;
}

/**
 * Returns a function that takes the bytes of a stream as they come and calls `onMessage` for
 * each whole frame. Throws a RangeError on a frame above RPC.FRAME_BYTES_MAX.
 */
function createFrameDecoder(onMessage: (message: unknown) => void): (chunk: Buffer) => void {
  let parts: Buffer[] = [];
  let held = 0;
  let needed = LENGTH_BYTES;
  return (chunk) => {
    parts.push(chunk);
    held += chunk.length;
    if (held < needed) return;
    let bytes = parts.length === 1 ? chunk : Buffer.concat(parts);
    for (;;) {
      needed = LENGTH_BYTES;
      if (bytes.length < LENGTH_BYTES) break;
      const length = bytes.readUInt32LE(0);
      if (length > RPC.FRAME_BYTES_MAX) throw new RangeError('frame too large');
      needed = LENGTH_BYTES + length;
      if (bytes.length < needed) break;
      onMessage(deserialize(bytes.subarray(LENGTH_BYTES, needed)));
      bytes = bytes.subarray(needed);
    }
    parts = bytes.length === 0 ? [] : [bytes];
    held = bytes.length;
  };
}

/** What a pool thread asks of the main thread about its child process. */
export interface ChildRequest {
  kind: 'child';
  action: 'start' | 'kill';
  threadId: number;
  /** Where the child finds its thread. */
  socketPath: string;
}

/** The first message of a child to its thread. */
interface ChildHello {
  kind: 'hello';
  pid: number;
}

/** Guard for the first message of a child. */
function isChildHello(value: unknown): value is ChildHello {
  return typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'hello';
}

/** Guard for messages from threads. */
function isChildRequest(value: unknown): value is ChildRequest {
  return typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'child';
}
