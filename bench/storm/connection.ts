import { connect, type Socket } from 'node:net';

/** What a request was answered. */
export interface Answered {
  status: number;
  text: string;
}

/** A connection that is kept, one request at a time; made anew where it was lost. */
export interface Connection {
  /** Rejects when no answer comes. */
  post(path: string, headers: string, body: readonly Buffer[]): Promise<Answered>;
  close(): void;
}

interface Waiting {
  resolve(answer: Answered): void;
  reject(error: Error): void;
}

/** A client of the loopback that costs as little as it can: its CPU is missing elsewhere. */
export function openConnection(port: number): Connection {
  let socket: Socket | null = null;
  let waiting: Waiting | null = null;
  let received = '';

  function settle(end: (waiting: Waiting) => void): void {
    const one = waiting;
    waiting = null;
    if (one !== null) end(one);
  }

  function onData(chunk: Buffer): void {
    received += chunk.toString('latin1');
    const end = received.indexOf('\r\n\r\n');
    if (end < 0) return;
    const length = Number(/content-length: (\d+)/i.exec(received)?.[1] ?? 0);
    if (received.length < end + 4 + length) return;
    const status = Number(received.slice(9, 12));
    const text = received.slice(end + 4, end + 4 + length);
    received = '';
    settle(({ resolve }) => resolve({ status, text }));
  }

  function open(): Socket {
    const fresh = connect({ host: '127.0.0.1', port, noDelay: true });
    fresh.on('data', onData);
    fresh.on('error', () => fresh.destroy());
    fresh.on('close', () => {
      if (socket === fresh) socket = null;
      settle(({ reject }) => reject(new Error('the connection was lost')));
    });
    return fresh;
  }

  return {
    post(path, headers, body) {
      socket ??= open();
      const own = socket;
      const bytes = body.reduce((sum, part) => sum + part.length, 0);
      const head = `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n${headers}Content-Length: ${bytes}\r\n\r\n`;
      return new Promise((resolve, reject) => {
        waiting = { resolve, reject };
        received = '';
        own.cork();
        own.write(head, 'latin1');
        for (const part of body) own.write(part);
        own.uncork();
      });
    },
    close: () => socket?.destroy(),
  };
}
