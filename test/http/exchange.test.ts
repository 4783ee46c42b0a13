import { connect } from 'node:net';
import test from 'ava';
import { applyLibrarySettings } from '../../src/daemon/config/config.ts';
import { startHttpServer } from '../../src/http/server/app.ts';
import type { Request } from '../../src/http/server/exchange.ts';
import { dataReply } from '../../src/http/server/reply.ts';

applyLibrarySettings();

test('a request whose client has gone keeps its address and tells that it has gone', async (t) => {
  const met = new Map<string, Request>();
  const http = await startHttpServer({
    host: '127.0.0.1',
    port: 0,
    onError: (error) => t.fail(error.message),
    dispatch: {
      async handle(request) {
        if (request.path === '/asked') t.is(request.remoteAddress, '127.0.0.1');
        met.set(request.path, request);
        await until(() => http.inFlight === 0);
        return dataReply('nobody gets this');
      },
      bodyBytesMax: () => null,
      openDelivery: () => null,
    },
  });
  t.teardown(http.close);
  const sent = [
    ['GET', '/asked', '127.0.0.1'],
    ['POST', '/posted', '127.0.0.1'],
    // Nobody wanted to know while it could be told.
    ['GET', '/unasked', ''],
  ] as const;
  for (const [method, path, address] of sent) {
    const socket = connect(http.port, '127.0.0.1');
    socket.write(`${method} ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n`);
    await until(() => met.has(path));
    socket.destroy();
    await until(() => http.inFlight === 0);
    t.is(met.get(path)?.remoteAddress, address);
    t.true(met.get(path)?.signal.aborted);
  }
});

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 2));
}
