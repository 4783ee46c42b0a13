import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { ExecutionContext } from 'ava';

/** A delivery as a receiver got it. */
export interface Received {
  id: string;
  headers: IncomingMessage['headers'];
  body: string;
}

export interface Receiver {
  url: string;
  /** All deliveries, whatever was answered. */
  received: Received[];
  /** What the next deliveries are answered: a status, or what is done with the request. */
  answer: number | ((request: Received, response: ServerResponse, socket: Socket) => void);
  /** Connections that were made to it. */
  connections: number;
  /** Ends it with all its connections; the same port is free. */
  close(): Promise<void>;
  /** Listens again on its port. */
  reopen(): Promise<void>;
}

/** A receiver of events on a port of its own, without TLS. */
export async function startReceiver(t: Pick<ExecutionContext, 'teardown'>): Promise<Receiver> {
  let server = createServer();
  let port = 0;
  const receiver: Receiver = {
    url: '',
    received: [],
    answer: 204,
    connections: 0,
    async close() {
      server.closeAllConnections();
      if (!server.listening) return;
      await new Promise((resolve) => server.close(resolve));
    },
    reopen: () => listen(createServer()),
  };

  async function listen(next: Server): Promise<void> {
    server = next;
    server.on('connection', () => {
      receiver.connections += 1;
    });
    server.on('request', async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const { headers } = request;
      const body = Buffer.concat(chunks).toString();
      const received = { id: String(headers['webhook-id']), headers, body };
      receiver.received.push(received);
      const { answer } = receiver;
      if (typeof answer === 'number') response.writeHead(answer).end();
      else answer(received, response, request.socket);
    });
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    port = (server.address() as AddressInfo).port;
    receiver.url = `http://127.0.0.1:${port}/hook`;
  }

  await listen(server);
  t.teardown(() => receiver.close());
  return receiver;
}
