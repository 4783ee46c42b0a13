import { connect } from 'node:net';
import { Worker } from 'node:worker_threads';
import { serveChannel } from './channel.ts';
import type { ChildHello } from './child-request.ts';
import { createFrameDecoder, encodeFrame } from './frame.ts';
import type { RpcServer } from './server.ts';

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
