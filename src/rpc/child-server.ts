import { connect } from 'node:net';
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
  const hello: ChildHello = { kind: 'hello', pid: process.pid };
  socket.write(encodeFrame(hello));
  const end = () => process.exit(0);
  socket.on('data', createFrameDecoder(receive));
  socket.on('error', end);
  socket.on('close', end);
  process.on('disconnect', end);
}
