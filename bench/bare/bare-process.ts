import { App } from 'uWebSockets.js';
import { Worker } from 'node:worker_threads';
import { Piscina } from 'piscina';
import type { BareRecord, BareScan } from './scan-thread.ts';

/**
 * What the same packages cost with as good as nothing of the product around them: a body goes to
 * one of two pool threads (JSON, hash, compression) and a record to a SQLite writer, which
 * commits what has gathered; then comes the answer. No routing, limits, errors, gates, sealing.
 */
const dataDir = process.argv[2] ?? '';
const pool = new Piscina<Uint8Array, BareScan>({
  filename: new URL('./scan-thread.js', import.meta.url).href,
  name: 'scan',
  minThreads: 2,
  maxThreads: 2,
  concurrentTasksPerWorker: 1,
  atomics: 'disabled',
});
const writer = new Worker(new URL('./writer-thread.js', import.meta.url), { workerData: dataDir });
const waiting = new Map<number, () => void>();
let records = 0;

writer.on('message', (ids: number[]) => {
  for (const id of ids) {
    waiting.get(id)?.();
    waiting.delete(id);
  }
});

const app = App();
app.post('/*', (res) => {
  let isAborted = false;
  const chunks: Uint8Array[] = [];
  res.onAborted(() => {
    isAborted = true;
  });
  res.onData((chunk, isLast) => {
    chunks.push(new Uint8Array(chunk.slice(0)));
    if (!isLast) return;
    void pool.run(new Uint8Array(Buffer.concat(chunks))).then(({ answer, packed }) => {
      records += 1;
      waiting.set(records, () => {
        if (!isAborted) res.cork(() => res.end(answer));
      });
      const record: BareRecord = { id: records, json: answer, packed };
      writer.postMessage(record);
    });
  });
});
/** A read without a question: `/bytes/N` answers N bytes that are there already. */
const texts = new Map<string, string>();
app.get('/bytes/:bytes', (res, req) => {
  const bytes = req.getParameter(0) ?? '';
  const text = texts.get(bytes) ?? JSON.stringify('x'.repeat(Number(bytes) - 2));
  texts.set(bytes, text);
  res.writeHeader('Content-Type', 'application/json').end(text);
});
app.listen('127.0.0.1', 0, (socket) => {
  if (socket === false) throw new Error('no free port');
  void import('uWebSockets.js').then(({ us_socket_local_port }) =>
    process.send?.(us_socket_local_port(socket)),
  );
});
// Without its parent nobody would ever end it.
process.on('disconnect', () => process.exit(0));
