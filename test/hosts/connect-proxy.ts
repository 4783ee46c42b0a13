import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import type { Teardown } from '../daemon.ts';

/** An HTTP proxy on loopback. */
export interface ConnectProxy {
  /** `host:port` of itself. */
  address: string;
  /** What it was asked to reach: `host:port` of tunnels, URLs of plain requests. */
  asked: string[];
}

/** Starts a proxy that makes tunnels (CONNECT) for clients that name user and password. */
export async function startConnectProxy(
  t: Teardown,
  { username, password }: { username: string; password: string },
): Promise<ConnectProxy> {
  const asked: string[] = [];
  const sockets = new Set<Socket>();
  const expected = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.writeHead(502).end();
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  server.on('connect', (request: IncomingMessage, client: Socket) => {
    const target = request.url ?? '';
    asked.push(target);
    client.on('error', () => undefined);
    if (request.headers['proxy-authorization'] !== expected) {
      const asks = 'Proxy-Authenticate: Basic realm="proxy"\r\nContent-Length: 0';
      client.end(`HTTP/1.1 407 no\r\n${asks}\r\nConnection: close\r\n\r\n`);
      return;
    }
    const [host = '', port = ''] = target.split(':');
    const upstream = connect(Number(port), host, () => {
      client.write('HTTP/1.1 200 yes\r\n\r\n');
      upstream.pipe(client).pipe(upstream);
    });
    upstream.on('error', () => client.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { address: `127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}
