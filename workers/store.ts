import { workerData } from 'node:worker_threads';
import { STORE } from '../src/limits.ts';
import { Records } from '../src/rpc/contract.ts';
import { createServer, implement } from '../src/rpc/server.ts';
import { serveThread } from '../src/rpc/thread.ts';
import { createSqliteReader } from '../src/store/sqlite/reader.ts';
import { createSqliteWriter } from '../src/store/sqlite/writer.ts';

const { role, dataDir } = workerData as { role: 'writer' | 'reader'; dataDir: string };

serveThread(() => {
  if (role === 'reader') {
    const reader = createSqliteReader({ dataDir });
    return { server: createServer([implement(Records, reader.records)]), close: reader.close };
  }
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
});
