import { App, us_socket_local_port } from 'uWebSockets.js';
import { createHmac, timingSafeEqual } from 'node:crypto';
import { Worker } from 'node:worker_threads';
import type { BareRecord } from '../bare/scan-thread.ts';

/**
 * The least that a durable intake can cost with the same packages: HMAC as the body arrives,
 * JSON.parse of all of it, one insert of as many bytes by a writer that commits what has gathered.
 * No limits, no errors, no indexes, no duplicates, nothing else that runs.
 */
const dataDir = process.argv[2] ?? '';
const secret = process.argv[3] ?? '';
const recordBytes = Number(process.argv[4] ?? 0);
const entry = new URL('../bare/writer-thread.js', import.meta.url);
const writer = new Worker(entry, { workerData: dataDir });
const waiting = new Map<number, () => void>();
const packed = new Uint8Array(0);
let records = 0;

writer.on('message', (ids: number[]) => {
  for (const id of ids) {
    waiting.get(id)?.();
    waiting.delete(id);
  }
});

const app = App();
app.post('/*', (res, req) => {
  let isAborted = false;
  const given = req.getHeader('x-hub-signature-256');
  const delivery = req.getHeader('x-github-delivery');
  const mac = createHmac('sha256', secret);
  const chunks: Buffer[] = [];
  res.onAborted(() => {
    isAborted = true;
  });
  res.onData((chunk, isLast) => {
    mac.update(new Uint8Array(chunk));
    chunks.push(Buffer.from(chunk.slice(0)));
    if (!isLast) return;
    const expected = Buffer.from(`sha256=${mac.digest('hex')}`);
    const isSigned =
      given.length === expected.length && timingSafeEqual(Buffer.from(given), expected);
    const { ref } = JSON.parse(Buffer.concat(chunks).toString()) as { ref: string };
    records += 1;
    waiting.set(records, () => {
      if (isAborted) return;
      const data = { rfc_id: delivery, outcome: isSigned ? 'new' : 'bad' };
      res.cork(() => res.end(JSON.stringify({ ok: true, data })));
    });
    const json = JSON.stringify({ ref, delivery }).padEnd(recordBytes, 'x');
    writer.postMessage({ id: records, json, packed } satisfies BareRecord);
  });
});
app.listen('127.0.0.1', 0, (socket) => {
  if (socket === false) throw new Error('no free port');
  process.send?.(us_socket_local_port(socket));
});
// Without its parent nobody would ever end it.
process.on('disconnect', () => process.exit(0));
