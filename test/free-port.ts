import { createServer } from 'node:net';

/**
 * From where to where. The system gives connections and `listen(0)` ports from 32768 on, so a port
 * below that stays free until it is listened on, and between a stop and the next start.
 */
const PORT_FIRST = 12_000;
const PORTS = 20_000;
/** Test files run in processes of their own: each begins in a slice that is usually its own. */
const PORTS_PER_PROCESS = 50;

let given = 0;

/**
 * A port of the loopback that nothing listens on, for addresses that must be known before the
 * start. No process gets the same twice.
 */
export async function freePort(): Promise<number> {
  const first = process.pid * PORTS_PER_PROCESS;
  while (given < PORTS) {
    const port = PORT_FIRST + ((first + given) % PORTS);
    given += 1;
    if (await isFree(port)) return port;
  }
  throw new Error(`no port from ${PORT_FIRST} to ${PORT_FIRST + PORTS - 1} is free`);
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
