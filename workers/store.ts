import { workerData } from 'node:worker_threads';
import { STORE } from '../src/limits.ts';
import { Records } from '../src/rpc/contract.ts';
import { createServer, implement } from '../src/rpc/server.ts';
import { serveThread } from '../src/rpc/thread.ts';
import { Trail } from '../src/rpc/trail-contract.ts';
import { createSqliteReader } from '../src/store/sqlite/reader.ts';
import { createSqliteWriter } from '../src/store/sqlite/writer.ts';
import type { StoreThreadData } from '../src/store/thread-data.ts';

const data = workerData as StoreThreadData;

serveThread(() => {
  if (data.role === 'mongo') return serveMongo(data);
  return data.role === 'reader' ? serveReader(data.dataDir) : serveWriter(data);
});

function serveReader(dataDir: string) {
  const { records, trail, close } = createSqliteReader({ dataDir });
  return { server: createServer([implement(Records, records), implement(Trail, trail)]), close };
}

function serveWriter(options: StoreThreadData) {
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
    server: createServer([implement(Records, writer.records), implement(Trail, writer.trail)]),
    close() {
      clearInterval(pruning);
      return writer.close();
    },
  };
}

/** The driver is loaded where it is used: it costs 100 ms and 20 MB. */
async function serveMongo(options: Extract<StoreThreadData, { role: 'mongo' }>) {
  const { openMongoDriver } = await import('../src/store/mongo/driver.ts');
  const { lockDataDir } = await import('../src/store/sqlite/data-lock.ts');
  // Two daemons may share the store, but not the directory: keys, sockets and their own name.
  const lock = lockDataDir(options.dataDir);
  try {
    const { records, trail, close } = await openMongoDriver({ ...options, now: Date.now });
    return {
      server: createServer([implement(Records, records), implement(Trail, trail)]),
      close: () => close().finally(lock.release),
    };
  } catch (thrown) {
    lock.release();
    throw thrown;
  }
}
