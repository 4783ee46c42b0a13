import { connect } from 'node:net';
import { deserialize, serialize } from 'node:v8';
import { Worker } from 'node:worker_threads';
import { serveChannel } from './channel.ts';
import type { RpcServer } from './server.ts';
import { RPC } from './service.ts';

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
export function encodeFrame(message: unknown): Buffer {
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
export function createFrameDecoder(onMessage: (message: unknown) => void): (chunk: Buffer) => void {
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
export function isChildHello(value: unknown): value is ChildHello {
  return typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'hello';
}

/** Guard for messages from threads. */
export function isChildRequest(value: unknown): value is ChildRequest {
  return typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'child';
}
