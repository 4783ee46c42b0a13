import { connect } from 'node:net';

/** What came back on a socket: the raw text, and its parts if it is a reply. */
export interface RawReply {
  raw: string;
  status: number;
  headers: Record<string, string>;
  body: string;
}

/**
 * Writes the given pieces on a fresh connection to a port of loopback or a Unix socket, one after
 * the other, and resolves when the server
 * closes it or when `isDone` says that enough has come.
 */
export function rawRequest(
  port: number | string,
  pieces: readonly (string | Buffer)[],
  isDone: (received: string) => boolean = hasWholeReply,
): Promise<RawReply> {
  return new Promise((resolve, reject) => {
    const socket = typeof port === 'string' ? connect(port) : connect(port, '127.0.0.1');
    let received = '';
    const finish = () => {
      socket.destroy();
      resolve(parseReply(received));
    };
    socket.on('data', (chunk: Buffer) => {
      received += chunk.toString('latin1');
      if (isDone(received)) finish();
    });
    socket.on('close', finish);
    // The server may close while we still write: what it said counts.
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNREFUSED') reject(error);
    });
    socket.on('connect', () => {
      for (const piece of pieces) socket.write(piece);
    });
  });
}

/** Whether a whole reply with Content-Length has come. */
function hasWholeReply(received: string): boolean {
  const end = received.indexOf('\r\n\r\n');
  if (end < 0) return false;
  const length = /\r\ncontent-length: (\d+)/i.exec(received.slice(0, end))?.[1];
  return length !== undefined && received.length >= end + 4 + Number(length);
}

function parseReply(raw: string): RawReply {
  const end = raw.indexOf('\r\n\r\n');
  const [statusLine = '', ...lines] = raw.slice(0, Math.max(0, end)).split('\r\n');
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const colon = line.indexOf(':');
    headers[line.slice(0, colon).toLowerCase()] = line.slice(colon + 1).trim();
  }
  return { raw, status: Number(statusLine.split(' ')[1] ?? 0), headers, body: raw.slice(end + 4) };
}
