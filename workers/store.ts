import { workerData } from 'node:worker_threads';
import type { AuditEvent } from '../src/model/audit.ts';
import { createServer } from '../src/rpc/server.ts';
import { serveThread } from '../src/rpc/thread.ts';
import { STORE } from '../src/store/contract/limits.ts';
import {
  implementStore,
  type StoreThreadData,
  type StoreWriter,
  type TrailThreadData,
} from '../src/store/contract/store.ts';
import type { SealerOptions } from '../src/store/objects/sealer.ts';
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

async function serveWriter(options: DataOf<'writer'>) {
  const writer = createSqliteWriter({ ...options, now: Date.now });
  const { trail, close } = await sealed(writer, options);
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
    server: createServer(implementStore({ ...writer, trail })),
    close() {
      clearInterval(pruning);
      return close();
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
    const { trail, close } = await sealed(driver, options);
    return {
      server: createServer(implementStore({ ...driver, trail })),
      close: () => close().finally(lock.release),
    };
  } catch (thrown) {
    lock.release();
    throw thrown;
  }
}

interface SealedParts<Methods> {
  trail: Methods;
  source: SealerOptions['trail'];
  chain: string;
  close(): Promise<void>;
}

/**
 * The trail of a driver, whose segments are sealed in object storage where that is configured. The
 * client of the storage is loaded only then.
 */
async function sealed<Methods extends StoreWriter['trail']>(
  driver: SealedParts<Methods>,
  { segments }: Pick<TrailThreadData, 'segments'>,
): Promise<Pick<SealedParts<Methods>, 'trail' | 'close'>> {
  if (segments === null) return driver;
  const { startSealing } = await import('../src/store/objects/s3.ts');
  const { trail, source, chain } = driver;
  const append = (event: AuditEvent) => trail.appendEvent({ event }, { stopReason: () => null });
  const sealing = startSealing(segments, { trail: source, chain, append });
  return {
    trail: {
      ...trail,
      auditStatus: async (input, call) => ({
        ...(await trail.auditStatus(input, call)),
        segments: sealing.state,
      }),
    },
    close: () => sealing.close().then(driver.close),
  };
}
