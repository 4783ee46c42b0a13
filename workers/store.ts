import { workerData } from 'node:worker_threads';
import { STORE } from '../src/limits.ts';
import { Records } from '../src/rpc/contract.ts';
import { createServer, implement } from '../src/rpc/server.ts';
import { Sessions } from '../src/rpc/sessions-contract.ts';
import { serveThread } from '../src/rpc/thread.ts';
import { Trail } from '../src/rpc/trail-contract.ts';
import { createSqliteReader } from '../src/store/sqlite/reader.ts';
import { createSqliteWriter } from '../src/store/sqlite/writer.ts';

const { role, ...options } = workerData as {
  role: 'writer' | 'reader';
  dataDir: string;
  checkpointSeed: Uint8Array;
  version: string;
};

serveThread(() => {
  if (role === 'reader') {
    const { records, trail, sessions, close } = createSqliteReader(options);
    const server = createServer([
      implement(Records, records),
      implement(Trail, trail),
      implement(Sessions, sessions),
    ]);
    return { server, close };
  }
  const writer = createSqliteWriter({ ...options, now: Date.now });
  const prune = () => {
    try {
      writer.pruneDiffs(Date.now());
    } catch (thrown) {
      // Old diffs stay for another hour; that is no reason to stop serving.
      process.stderr.write(`cra: old diffs could not be deleted: ${String(thrown)}\n`);
    }
  };
  const pruning = setInterval(prune, STORE.PRUNE_INTERVAL_MS);
  return {
    server: createServer([
      implement(Records, writer.records),
      implement(Trail, writer.trail),
      implement(Sessions, writer.sessions),
    ]),
    close() {
      clearInterval(pruning);
      return writer.close();
    },
  };
});
