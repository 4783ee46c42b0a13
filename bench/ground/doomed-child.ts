import { connect } from 'node:net';

/**
 * A child like the one that parses for a scan thread. `wait`, `spin`: forked by the thread;
 * `wait PATH`, `spin PATH`: forked by the keeper, connected to the thread by a socket.
 */
const [mode, socketPath] = process.argv.slice(2);
process.on('disconnect', () => process.exit(0));
if (socketPath === undefined) process.send?.('ready', undefined, undefined, start);
else {
  const socket = connect(socketPath, () => socket.write('ready', start));
  socket.on('close', () => process.exit(0));
}

function start(): void {
  if (mode === 'spin') for (;;);
}
