import { existsSync } from 'node:fs';
import type { Config, StoreSetting } from '../../daemon/config/config.ts';
import { missingKeys } from '../../daemon/data-dir.ts';
import { CraError } from '../../model/errors.ts';
import { MONGO_TRAIL } from '../../store/limits.ts';
import { storePaths } from '../../store/sqlite/database.ts';
import { type Check, failure, ok, skipped, warning } from './check.ts';
import { checkClock } from './network.ts';

const DAY_MS = 24 * 3_600_000;
/** Soon: the time that an order of a larger collection may take. */
const FULL_SOON_DAYS = 180;

/** The store that the settings name; it is read, never changed. */
export async function checkStore({
  store,
  dataDir,
  keys,
}: Pick<Config, 'store' | 'dataDir' | 'keys'>): Promise<Check[]> {
  if (store.kind === 'mongodb') return checkMongo(store);
  const missing = missingKeys(dataDir, keys).map(({ problem, advice }) =>
    failure('keys', problem, advice),
  );
  return [await checkSqlite(dataDir), ...missing];
}

async function checkSqlite(dataDir: string): Promise<Check> {
  const { database: path } = storePaths(dataDir);
  if (!existsSync(path)) return ok('store', 'SQLite; the first start makes it');
  const { openForReading } = await import('../../store/sqlite/database.ts');
  try {
    openForReading(path).close();
    return ok('store', `SQLite in ${path}, in the form of this version`);
  } catch (thrown) {
    const { message, details } = CraError.fromUnknown(thrown);
    const { version, newest } = details;
    if (typeof version !== 'number' || typeof newest !== 'number') {
      return failure('store', `${path} cannot be read (${message})`, 'restore a backup');
    }
    const advice = 'run the version that wrote it, or restore a backup from before the upgrade';
    if (version > newest) return failure('store', message, advice);
    const says = `${path} has version ${version}, and this version writes ${newest}`;
    return warning('store', says, UPGRADE);
  }
}

/** `cra backup` of this version does not read a store of an earlier one. */
const UPGRADE =
  'stop the service, copy the data directory (cp -a), then start the service: it upgrades the store';

type MongoSetting = Extract<StoreSetting, { kind: 'mongodb' }>;

async function checkMongo({ url, auditUrl }: MongoSetting): Promise<Check[]> {
  const [{ connectMongo }, { openAuditDatabase }, { measureRoom, readLevel }, { auditCollection }] =
    await Promise.all([
      import('../../store/mongo/database.ts'),
      import('../../store/mongo/audit-connection.ts'),
      import('../../store/mongo/worm-level.ts'),
      import('../../store/mongo/audit-collection.ts'),
    ]);
  let records: Awaited<ReturnType<typeof connectMongo>> | null = null;
  let trail: Awaited<ReturnType<typeof openAuditDatabase>> | null = null;
  const checks: Check[] = [];
  try {
    records = await connectMongo(url);
    const hello = await records.db.admin().command({ hello: 1 });
    const where = hello['setName'] ?? 'mongos';
    checks.push(ok('store', `MongoDB at ${records.place}, ${where}, primary ${hello['me']}`));
    checks.push(checkClock('MongoDB', hello['localTime'], Date.now()));
  } catch (thrown) {
    const { message } = CraError.fromUnknown(thrown);
    return [failure('store', message, 'check SERVICE_STORE_URL and the server')];
  }
  try {
    trail = await openAuditDatabase(auditUrl ?? url);
    const collection = auditCollection(trail.db);
    const level = await readLevel(trail.db, records.db);
    checks.push(
      level.worm === 'enforced'
        ? ok('trail', 'the audit trail is write-once (enforced)')
        : warning('trail', `not write-once: ${level.problems.join('; ')}`, 'run cra setup mongodb'),
    );
    const { bytes, bytesMax } = await measureRoom(collection);
    const [oldest] = await collection.find({}).sort({ $natural: 1 }).limit(1).toArray();
    checks.push(checkRoom(bytes, bytesMax, oldest?.ts ?? null, Date.now()));
  } catch (thrown) {
    checks.push(failure('trail', messageOf(thrown), 'run cra setup mongodb'));
  } finally {
    await records.close();
    await trail?.client.close();
  }
  return checks;
}

function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/**
 * The capped collection against its growth since `oldest`, the time of its first entry: decisions
 * are refused at `MONGO_TRAIL.REFUSE_FILL`. Sizes in bytes; `bytesMax` null: it is not capped.
 */
export function checkRoom(
  bytes: number,
  bytesMax: number | null,
  oldest: Date | null,
  now: number,
): Check {
  const name = 'room of the trail';
  if (bytesMax === null) return skipped(name, 'the collection is not capped');
  const fill = bytes / bytesMax;
  const days = oldest === null ? 0 : (now - oldest.getTime()) / DAY_MS;
  const perDay = days < 1 ? 0 : bytes / days;
  const left = perDay === 0 ? null : (MONGO_TRAIL.REFUSE_FILL * bytesMax - bytes) / perDay;
  const when =
    left === null ? '' : `; at this rate decisions are refused in ${left.toFixed(0)} days`;
  const says = `${(100 * fill).toFixed(1)} % of ${bytesMax} bytes are used${when}`;
  const advice = 'an administrator makes it larger: docs/how-to/mongodb.md has the command';
  if (fill >= MONGO_TRAIL.REFUSE_FILL) return failure(name, says, advice);
  const isSoon = fill >= MONGO_TRAIL.ALARM_FILL || (left !== null && left < FULL_SOON_DAYS);
  return isSoon ? warning(name, says, advice) : ok(name, says);
}
