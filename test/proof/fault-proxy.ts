import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * What happens to a request. `pass`: it is forwarded. `fail`: answered 500 (S3: InternalError).
 * `hang`: never answered. `stall`: forwarded, and half of the answer comes. `cut-before`: its
 * connection is closed; `cut-after`: only when the server behind has done what it asks.
 */
export type Fault = 'pass' | 'fail' | 'hang' | 'stall' | 'cut-before' | 'cut-after';

export interface FaultProxy {
  readonly url: string;
  /** What happens from now on; a function decides for each request. */
  set(fault: Fault | ((method: string, path: string) => Fault)): void;
  /** Requests that came since the start. */
  readonly requests: number;
  close(): Promise<void>;
}

const INTERNAL_ERROR =
  '<?xml version="1.0" encoding="UTF-8"?><Error><Code>InternalError</Code><Message>no</Message></Error>';

/** A proxy in front of an HTTP server, which forwards what it gets as it is. */
export async function startFaultProxy(target: string): Promise<FaultProxy> {
  let decide: (method: string, path: string) => Fault = () => 'pass';
  let requests = 0;

  function forward(incoming: IncomingMessage, response: ServerResponse, fault: Fault): void {
    const { method, url: path, rawHeaders: headers } = incoming;
    const { hostname, port } = new URL(target);
    const outgoing = request({ hostname, port, method, path, headers }, (answer) => {
      if (fault === 'cut-after') {
        answer.resume().on('end', () => incoming.socket.destroy());
        return;
      }
      response.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
      if (fault === 'pass') return void answer.pipe(response);
      answer.on('data', (part: Buffer) => response.write(part.subarray(0, part.length >> 1)));
    });
    outgoing.on('error', () => incoming.socket.destroy());
    incoming.pipe(outgoing);
  }

  const server = createServer((incoming, response) => {
    requests += 1;
    const fault = decide(incoming.method ?? '', incoming.url ?? '');
    if (fault === 'hang') return;
    if (fault === 'cut-before') return void incoming.socket.destroy();
    if (fault === 'fail') {
      incoming.resume().on('end', () => {
        response.writeHead(500, { 'content-type': 'application/xml' }).end(INTERNAL_ERROR);
      });
      return;
    }
    forward(incoming, response, fault);
  });
  // The AWS client waits for this before it sends a body.
  server.on('checkContinue', (incoming, response) => {
    response.writeContinue();
    server.emit('request', incoming, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    set(fault) {
      decide = typeof fault === 'function' ? fault : () => fault;
    },
    get requests() {
      return requests;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
