import { workerData } from 'node:worker_threads';
import { STORE } from '../src/limits.ts';
import { Records } from '../src/rpc/contract.ts';
import { createServer, implement } from '../src/rpc/server.ts';
import { serveThread } from '../src/rpc/thread.ts';
import { createSqliteReader } from '../src/store/sqlite/reader.ts';
import { createSqliteWriter } from '../src/store/sqlite/writer.ts';
import type { StoreThreadData } from '../src/store/thread-data.ts';

const data = workerData as StoreThreadData;

serveThread(() => {
  if (data.role === 'mongo') return serveMongo(data);
  return data.role === 'reader' ? serveReader(data.dataDir) : serveWriter(data.dataDir);
});

function serveReader(dataDir: string) {
  const reader = createSqliteReader({ dataDir });
  return { server: createServer([implement(Records, reader.records)]), close: reader.close };
}

function serveWriter(dataDir: string) {
  const writer = createSqliteWriter({ dataDir, now: Date.now });
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
    server: createServer([implement(Records, writer.records)]),
    close() {
      clearInterval(pruning);
      return writer.close();
    },
  };
}

/** The driver is loaded where it is used: it costs 100 ms and 20 MB. */
async function serveMongo(options: Extract<StoreThreadData, { role: 'mongo' }>) {
  const { createMongoStore } = await import('../src/store/mongo/store.ts');
  const { lockDataDir } = await import('../src/store/sqlite/data-lock.ts');
  // Two daemons may share the store, but not the directory: keys, sockets and their own name.
  const lock = lockDataDir(options.dataDir);
  try {
    const store = await createMongoStore({ ...options, now: Date.now });
    return {
      server: createServer([implement(Records, store.records)]),
      close: () => store.close().finally(lock.release),
    };
  } catch (thrown) {
    lock.release();
    throw thrown;
  }
}
