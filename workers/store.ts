import { workerData } from 'node:worker_threads';
import { createServer } from '../src/rpc/server.ts';
import { serveThread } from '../src/rpc/thread.ts';
import { STORE } from '../src/store/contract/limits.ts';
import { implementStore, type StoreThreadData } from '../src/store/contract/store.ts';
import { createSqliteReader, createSqliteWriter } from '../src/store/sqlite/store.ts';

type DataOf<Role extends StoreThreadData['role']> = Extract<StoreThreadData, { role: Role }>;

const data = workerData as StoreThreadData;

serveThread(() => {
  if (data.role === 'mongo') return serveMongo(data);
  return data.role === 'reader' ? serveReader(data) : serveWriter(data);
});

function serveReader(options: DataOf<'reader'>) {
  const reader = createSqliteReader({ ...options, now: Date.now });
  return {
    server: createServer(implementStore(reader)),
    together: reader.together,
    close: reader.close,
  };
}

function serveWriter(options: DataOf<'writer'>) {
  const writer = createSqliteWriter({ ...options, now: Date.now });
  const prune = () => {
    try {
      writer.pruneDiffs(Date.now());
    } catch (thrown) {
      // Old diffs stay for another hour; that is not a reason to stop serving.
      process.stderr.write(`cra: old diffs could not be deleted: ${String(thrown)}\n`);
    }
  };
  const pruning = setInterval(prune, STORE.PRUNE_INTERVAL_MS);
  return {
    server: createServer(implementStore(writer)),
    close() {
      clearInterval(pruning);
      return writer.close();
    },
  };
}

/** The driver is loaded where it is used: it costs 100 ms and 20 MB. */
async function serveMongo(options: DataOf<'mongo'>) {
  const { openMongoDriver } = await import('../src/store/mongo/store.ts');
  const { lockDataDir } = await import('../src/store/sqlite/database.ts');
  // Two daemons may share the store, but not the directory: keys, sockets and their own name.
  const lock = lockDataDir(options.dataDir);
  try {
    const driver = await openMongoDriver({ ...options, now: Date.now });
    return {
      server: createServer(implementStore(driver)),
      close: () => driver.close().finally(lock.release),
    };
  } catch (thrown) {
    lock.release();
    throw thrown;
  }
}
