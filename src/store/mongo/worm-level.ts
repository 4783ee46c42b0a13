import type { Db, Document } from 'mongodb';
import type { WormLevel } from '../../model/audit.ts';
import { MONGO_TRAIL } from '../limits.ts';
import { AUDIT_COLLECTION, type AuditCollection, auditCollection } from './audit-collection.ts';
import { isUnauthorized } from './operations.ts';

/** The privileges of a user, from `connectionStatus {showPrivileges: true}`. */
export interface Privilege {
  resource: { db?: string; collection?: string; cluster?: boolean; anyResource?: boolean };
  actions: readonly string[];
}

/** Who is connected: null when the connection has no user. */
interface Holder {
  name: string;
  privileges: readonly Privilege[];
}

interface LevelFacts {
  database: string;
  auditUser: Holder | null;
  storeUser: Holder | null;
  isCapped: boolean;
  /** Whether the server did what the audit user should have no privilege for (`UNASKED`). */
  allowsUngranted: boolean;
}

export interface Level {
  worm: Exclude<WormLevel, 'tamper-evident'>;
  /** Sentences: all that keeps the trail from being enforced. */
  problems: string[];
}

/** All that the audit user may do, and no more: what makes the collection write-once. */
export const AUDIT_ACTIONS = ['collStats', 'find', 'insert'] as const;

/** Actions by which nothing is written: the store user may hold them. */
const READING =
  /^(?:find|changeStream|collStats|dbHash|dbStats|indexStats|killCursors|listCollections|listDatabases|listIndexes|planCacheRead|serverStatus|replSetGet\w+|getParameter|getLog|hostInfo|inprog|top|connPoolStats|netstat|viewRole|viewUser|checkMetadataConsistency)$/;

/** Databases whose content is the server's own: users and roles, oplog, sharding. */
const SYSTEM_DATABASES: ReadonlySet<string | undefined> = new Set(['admin', 'config', 'local']);

/** Judges how well the trail is kept from its writer and from the service. Pure. */
function levelOf(facts: LevelFacts): Level {
  const { database, auditUser, storeUser } = facts;
  const problems = [
    ...(facts.isCapped ? [] : ['the collection of the trail is not capped']),
    ...(auditUser === null || storeUser === null
      ? ['a connection has no user: the server does not ask for one']
      : []),
    ...(auditUser !== null && facts.allowsUngranted && !holds(auditUser, UNGRANTED)
      ? ['the server does not enforce its roles (security.authorization)']
      : []),
    ...(auditUser === null ? [] : auditUserProblems(auditUser, database)),
    ...(storeUser === null || storeUser.name === auditUser?.name
      ? []
      : storeUserProblems(storeUser, database)),
  ];
  if (auditUser !== null && auditUser.name === storeUser?.name) {
    problems.push(`records and trail are written by one user, ${auditUser.name}`);
  }
  return { worm: problems.length === 0 ? 'enforced' : 'advisory', problems };
}

function auditUserProblems({ name, privileges }: Holder, database: string): string[] {
  const reaching = privileges.filter(({ resource }) => reaches(resource, database));
  const held = new Set(
    reaching
      .filter(({ resource }) => isExactly(resource, database))
      .flatMap((each) => each.actions),
  );
  const missing = AUDIT_ACTIONS.filter((action) => !held.has(action));
  const more = reaching.flatMap(({ resource, actions }) => {
    const isOwn = isExactly(resource, database);
    const extra = actions.filter((action) => !isOwn || !isAuditAction(action));
    return extra.length === 0 ? [] : [mayNot(name, extra, resource)];
  });
  if (missing.length === 0) return more;
  return [`${name} lacks ${missing.join(', ')} on ${database}.${AUDIT_COLLECTION}`, ...more];
}

function storeUserProblems({ name, privileges }: Holder, database: string): string[] {
  return privileges.flatMap(({ resource, actions }) => {
    const writing = actions.filter((action) => !READING.test(action));
    if (writing.length === 0 || !reaches(resource, database)) return [];
    return [mayNot(name, writing, resource)];
  });
}

function isAuditAction(action: string): boolean {
  return AUDIT_ACTIONS.some((known) => known === action);
}

/**
 * Whether a privilege is about the trail, or about something by which it can be reached: the
 * whole cluster, and the databases that hold users and roles or the oplog. The database of the
 * trail counts as a whole, as its roles are administrated there.
 */
function reaches(resource: Privilege['resource'], database: string): boolean {
  const { db, collection, cluster, anyResource } = resource;
  if (anyResource === true || cluster === true) return true;
  if (SYSTEM_DATABASES.has(db)) return true;
  if (db !== '' && db !== database) return false;
  return collection === '' || collection === AUDIT_COLLECTION || isSystem(collection);
}

/** `system.buckets.audit` and the like; of any database: system.users. */
function isSystem(collection: string | undefined): boolean {
  return collection?.startsWith('system.') ?? true;
}

function isExactly({ db, collection }: Privilege['resource'], database: string): boolean {
  return db === database && collection === AUDIT_COLLECTION;
}

/** Names of actions that are shown of one privilege. */
const ACTIONS_SHOWN = 5;

function mayNot(name: string, actions: readonly string[], resource: Privilege['resource']): string {
  const shown = actions.slice(0, ACTIONS_SHOWN).join(', ');
  const more = actions.length > ACTIONS_SHOWN ? ` and ${actions.length - ACTIONS_SHOWN} more` : '';
  return `${name} should not hold ${shown}${more} on ${placeOf(resource)}`;
}

function placeOf({ db, collection, cluster, anyResource }: Privilege['resource']): string {
  if (anyResource === true) return 'any resource';
  if (cluster === true) return 'the cluster';
  const where = db === '' ? 'every database' : `database ${db}`;
  return collection === '' ? where : `${collection} of ${where}`;
}

/** Who is connected to this database, and what the user may do. */
async function readHolder(database: Db): Promise<Holder | null> {
  const answer = await database.command({ connectionStatus: 1, showPrivileges: true });
  const info = answer['authInfo'] as {
    authenticatedUsers: { user: string; db: string }[];
    authenticatedUserPrivileges: Privilege[];
  };
  const names = info.authenticatedUsers.map(({ user, db }) => `${user}@${db}`);
  if (names.length === 0) return null;
  return { name: names.join(' and '), privileges: info.authenticatedUserPrivileges };
}

/** Harmless, and not among AUDIT_ACTIONS. */
const UNGRANTED = 'listIndexes';

function holds({ privileges }: Holder, action: string): boolean {
  return privileges.some(({ actions }) => actions.includes(action));
}

/** Whether the server lists the indexes of the trail to this connection. */
async function allowsUngranted(database: Db): Promise<boolean> {
  try {
    await database.command({ [UNGRANTED]: AUDIT_COLLECTION });
    return true;
  } catch (thrown) {
    if (isUnauthorized(thrown)) return false;
    throw thrown;
  }
}

/** Asks the server how well the trail is protected: both users and their privileges. */
export async function readLevel(audit: Db, records: Db): Promise<Level> {
  const [auditUser, storeUser, room, isAnswered] = await Promise.all([
    readHolder(audit),
    readHolder(records),
    measureRoom(auditCollection(audit)),
    allowsUngranted(audit),
  ]);
  return levelOf({
    database: audit.databaseName,
    auditUser,
    storeUser,
    isCapped: room.bytesMax !== null,
    allowsUngranted: isAnswered,
  });
}

/** How full the capped collection is. */
interface Room {
  bytes: number;
  /** Null: it is not capped. */
  bytesMax: number | null;
}

/** Measures the collection, by `collStats`. */
export async function measureRoom(audit: AuditCollection): Promise<Room> {
  const stages = [{ $collStats: { storageStats: {} } }];
  const options = { readConcern: { level: 'local' }, maxTimeMS: MONGO_TRAIL.ATTEMPT_MS } as const;
  const [answer] = await audit.aggregate<{ storageStats: Document }>(stages, options).toArray();
  const stats = answer?.storageStats ?? {};
  const isCapped = stats['capped'] === true;
  return { bytes: Number(stats['size']), bytesMax: isCapped ? Number(stats['maxSize']) : null };
}

/** The room between two measurements: what was measured, and what was written since. */
export interface FillGauge {
  readonly room: Room;
  /** Whether decisions must wait until there is more room. */
  readonly isFull: boolean;
  /** Sentences about too little room. */
  problems(): string[];
  /** Measures again. */
  refresh(): Promise<void>;
}

/**
 * Watches the room that is left. `bytesWritten` counts what this daemon writes, so that a storm
 * between two measurements is noticed.
 */
export async function createFillGauge(
  audit: AuditCollection,
  bytesWritten: () => number,
): Promise<FillGauge> {
  let measured = await measureRoom(audit);
  let measuredAt = bytesWritten();

  const room = (): Room => ({
    ...measured,
    bytes: measured.bytes + bytesWritten() - measuredAt,
  });
  const fill = () => {
    const { bytes, bytesMax } = room();
    return bytesMax === null ? 0 : bytes / bytesMax;
  };
  return {
    get room() {
      return room();
    },
    get isFull() {
      return fill() >= MONGO_TRAIL.REFUSE_FILL;
    },
    problems() {
      const share = fill();
      if (share < MONGO_TRAIL.ALARM_FILL) return [];
      const state = `the audit trail is ${Math.floor(share * 100)} % full`;
      const mend = 'an administrator makes it larger (collMod cappedSize)';
      if (share < MONGO_TRAIL.REFUSE_FILL) return [`${state}: ${mend}`];
      return [`${state}: decisions are refused until ${mend}`];
    },
    async refresh() {
      const before = bytesWritten();
      measured = await measureRoom(audit);
      // What is written meanwhile may count twice, never not at all.
      measuredAt = before;
    },
  };
}

/** The entry that was written before all others, as `findOldest` reads it. */
export interface OldestEntry {
  id: string;
  chain: string;
  seq: number;
}

/** The oldest entry that is still there; null: it is absent. */
export async function findOldest(audit: AuditCollection): Promise<OldestEntry | null> {
  // A capped collection keeps the order of its inserts, and drops its oldest documents.
  const oldest = await audit.findOne(
    {},
    {
      sort: { $natural: 1 },
      projection: { chain: 1, seq: 1 },
      maxTimeMS: MONGO_TRAIL.ATTEMPT_MS,
    },
  );
  return oldest === null ? null : { id: oldest._id, chain: oldest.chain, seq: oldest.seq };
}

/**
 * A capped collection that overflows drops its oldest entries without a word: then the oldest is
 * another than it was at the start (`before`), or not the first of its chain. Null: all is there.
 */
export function evictionIn(now: OldestEntry | null, before: OldestEntry | null): string | null {
  const isSame = before === null || now?.id === before.id;
  if (isSame && (now === null || now.seq === 1)) return null;
  const oldest = now === null ? 'it is empty' : `the oldest is ${now.seq} of chain ${now.chain}`;
  return `the trail has lost entries: ${oldest}`;
}
