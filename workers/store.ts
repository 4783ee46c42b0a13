import { workerData } from 'node:worker_threads';
import { createPatrol, type StoredTrail } from '../src/audit/continuity.ts';
import type { AuditEvent } from '../src/model/audit.ts';
import { createServer } from '../src/rpc/service.ts';
import { serveThread } from '../src/rpc/thread.ts';
import type { ArchiveSide } from '../src/store/archive.ts';
import { createArchiveFiles } from '../src/store/archive-files.ts';
import type { StoreThreadData, StoreWriter, TrailThreadData } from '../src/store/contract/store.ts';
import { createDailyArchive } from '../src/store/daily-archive.ts';
import { ARCHIVE, STORE, TRAIL } from '../src/store/limits.ts';
import { implementStore } from '../src/store/serve.ts';
import { storePaths } from '../src/store/sqlite/database.ts';
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
  const { trail, close } = await attended(writer, options);
  const archiving = startArchiving(writer.archive, options);
  const prune = () => {
    writer.pruneDiffs(Date.now(), options.retention.diffDays).catch((thrown: unknown) => {
      // Old diffs stay for another hour; that is not a reason to stop serving.
      process.stderr.write(`cra: old diffs could not be deleted: ${String(thrown)}\n`);
    });
  };
  prune();
  const pruning = setInterval(prune, STORE.PRUNE_INTERVAL_MS);
  return {
    server: createServer(implementStore({ ...writer, trail })),
    async close() {
      clearInterval(pruning);
      await archiving.close();
      await close();
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
    const driver = await openMongoDriver({
      ...options,
      diffDays: options.retention.diffDays,
      now: Date.now,
    });
    const { trail, close } = await attended(driver, options);
    const archiving = startArchiving(driver.archive, options);
    return {
      server: createServer(implementStore({ ...driver, trail })),
      close: () => archiving.close().then(close).finally(lock.release),
    };
  } catch (thrown) {
    lock.release();
    throw thrown;
  }
}

/** The archive of a daemon, which looks from time to time whether it is due. */
function startArchiving(
  side: ArchiveSide,
  { dataDir, instance, checkpointSeed, retention }: TrailThreadData & { dataDir: string },
) {
  const root = storePaths(dataDir).archive;
  const archive = createDailyArchive({
    side,
    files: createArchiveFiles({ root, owner: instance, seed: checkpointSeed }),
    retention,
    instance,
    now: () => new Date(),
    say: (text) => void process.stderr.write(`cra: ${text}\n`),
  });
  const { rules, holds } = retention;
  const isNeeded = rules.length + holds.length > 0;
  const timer = isNeeded ? setInterval(archive.look, ARCHIVE.LOOK_INTERVAL_MS) : undefined;
  return {
    close() {
      clearInterval(timer);
      return archive.close();
    },
  };
}

interface DriverParts<Methods> {
  trail: Methods;
  source: StoredTrail;
  chain: string;
  close(): Promise<void>;
}

type TrailMethods = StoreWriter['trail'];

/**
 * The trail of a driver with what goes on beside its calls: it is read through for entries that
 * are missing, and its segments are sealed in object storage where that is configured. The client
 * of the storage is loaded only then.
 */
async function attended<Methods extends TrailMethods>(
  driver: DriverParts<Methods>,
  { segments }: Pick<TrailThreadData, 'segments'>,
): Promise<Pick<DriverParts<Methods>, 'trail' | 'close'>> {
  const { trail, source, chain } = driver;
  const append = (event: AuditEvent) => trail.appendEvent({ event }, { stopReason: () => null });
  const sealing =
    segments === null
      ? null
      : (await import('../src/store/objects/s3.ts')).startSealing(segments, {
          trail: source,
          chain,
          append,
        });
  const patrol = startPatrol(source);
  return {
    trail: {
      ...trail,
      async auditStatus(input, call) {
        const status = await trail.auditStatus(input, call);
        const { missing, problem } = patrol;
        return {
          ...status,
          problems: problem === null ? status.problems : [...status.problems, problem],
          missing_entries: missing,
          segments: sealing?.state ?? null,
        };
      },
    },
    async close() {
      await Promise.all([patrol.close(), sealing?.close()]);
      await driver.close();
    },
  };
}

/** Reads on round after round; a trail that can not be read has other problems, and alarms. */
function startPatrol(source: StoredTrail) {
  const patrol = createPatrol(source, TRAIL.READ_PAGE);
  let timer: NodeJS.Timeout | null = null;
  let running = Promise.resolve();
  const later = () => {
    timer = setTimeout(() => {
      running = patrol.step().catch(() => undefined);
      void running.then(() => timer !== null && later());
    }, TRAIL.PATROL_INTERVAL_MS).unref();
  };
  later();
  return {
    get missing() {
      return patrol.missing;
    },
    get problem() {
      return patrol.problem;
    },
    close() {
      if (timer !== null) clearTimeout(timer);
      timer = null;
      return running;
    },
  };
}
