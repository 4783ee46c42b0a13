import { connect } from 'node:net';

/** What came back for the bytes that were sent. */
export interface SocketAnswer {
  /** Of the first reply; 0: none came. */
  status: number;
  /** Body of the first reply. */
  body: string;
  contentType: string;
  /** The port could not be reached. */
  isRefused: boolean;
}

/**
 * Sends the pieces on a connection of their own and closes it once a whole reply has come, the
 * service has closed it, or `waitMs` are over.
 */
export function sendBytes(
  port: number,
  pieces: readonly Buffer[],
  waitMs: number,
): Promise<SocketAnswer> {
  const isHead = pieces[0]?.toString('latin1', 0, 5) === 'HEAD ';
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const chunks: Buffer[] = [];
    let isRefused = false;
    const timer = setTimeout(() => socket.destroy(), waitMs);
    socket.on('data', (chunk) => {
      chunks.push(chunk);
      if (isWhole(Buffer.concat(chunks), isHead)) socket.destroy();
    });
    socket.on('error', (error: NodeJS.ErrnoException) => {
      isRefused ||= error.code === 'ECONNREFUSED';
    });
    socket.on('close', () => {
      clearTimeout(timer);
      resolve({ ...parse(Buffer.concat(chunks)), isRefused });
    });
    socket.on('connect', () => {
      for (const piece of pieces) socket.write(piece);
    });
  });
}

const END_OF_HEAD = '\r\n\r\n';

function isWhole(received: Buffer, isHead: boolean): boolean {
  const end = received.indexOf(END_OF_HEAD);
  if (end < 0 || isHead) return end >= 0;
  const length = /\r\ncontent-length: (\d+)/i.exec(received.toString('latin1', 0, end))?.[1];
  return length !== undefined && received.length >= end + END_OF_HEAD.length + Number(length);
}

function parse(received: Buffer): Omit<SocketAnswer, 'isRefused'> {
  const end = received.indexOf(END_OF_HEAD);
  const head = received.toString('latin1', 0, Math.max(end, 0));
  return {
    status: Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1] ?? 0),
    contentType: /\r\ncontent-type: ([^\r]*)/i.exec(head)?.[1] ?? '',
    body: end < 0 ? '' : received.toString('utf8', end + END_OF_HEAD.length),
  };
}
