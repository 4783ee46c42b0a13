import type { Db, Document, MongoClient } from 'mongodb';
import {
  AUDIT_COLLECTION,
  AUDIT_INDEXES,
  auditCollectionOptions,
  FORMER_INDEX_NAMES,
} from './audit-collection.ts';
import { AUDIT_ACTIONS, type Privilege } from './worm-level.ts';

/** What is wanted. */
interface SetupWishes {
  database: string;
  auditDatabase: string;
  /** Null: the size is not given; what is there stays, else the default. */
  cappedBytes: number | null;
  cappedBytesDefault: number;
  /** Set passwords also of users that are there. */
  renewsPasswords: boolean;
}

/** One command for the server; a password in it stands as PASSWORD. */
export interface SetupStep {
  title: string;
  db: string;
  command: Document;
  /** The user whose password is to be filled in; null: no user. */
  passwordOf: string | null;
}

export interface SetupPlan {
  steps: SetupStep[];
  /** What is there already and as it should be. */
  present: string[];
  /** What is there and differs, and how to mend it: nothing may be done before. */
  conflicts: string[];
  /** What keeps the trail from being enforced, or the service from running. */
  warnings: string[];
}

/** Stands in commands for a password. */
export const PASSWORD = '<password>';

const VERSION_MIN = 6;

/** Compares what a server has with what it should have. Pure. */
export function planSetup(state: SetupState, wishes: SetupWishes): SetupPlan {
  const parts = [
    planCollection(state, wishes),
    ...AUDIT_INDEXES.map((index) => planIndex(state, wishes, index)),
    planRole(state, wishes),
    planUser(state, serviceUser(wishes.database), wishes.renewsPasswords),
    planUser(state, auditUser(wishes.auditDatabase), wishes.renewsPasswords),
  ];
  return {
    steps: parts.flatMap(({ steps = [] }) => steps),
    present: parts.flatMap(({ present = [] }) => present),
    conflicts: parts.flatMap(({ conflicts = [] }) => conflicts),
    warnings: warningsOf(state),
  };
}

type Part = Partial<Pick<SetupPlan, 'steps' | 'present' | 'conflicts'>>;

function warningsOf({ version, isReplicaSet, isAuthorizing }: SetupState): string[] {
  const major = Number.parseInt(version, 10);
  return [
    ...(major >= VERSION_MIN ? [] : [`the server is version ${version}; 6.0 or later is needed`]),
    ...(isReplicaSet ? [] : ['the server is not a replica set: start mongod with --replSet']),
    ...(isAuthorizing === false
      ? ['the server does not enforce roles: the trail is "advisory" until it runs with --auth']
      : []),
  ];
}

function planCollection(state: SetupState, wishes: SetupWishes): Part {
  const { auditDatabase, cappedBytes, cappedBytesDefault } = wishes;
  const wanted = auditCollectionOptions(cappedBytes ?? cappedBytesDefault);
  const name = `${auditDatabase}.${AUDIT_COLLECTION}`;
  if (state.collection === null) {
    const command = { create: AUDIT_COLLECTION, ...wanted };
    const title = `collection ${name}, capped at ${gib(wanted.size)} GiB`;
    return { steps: [{ title, db: auditDatabase, command, passwordOf: null }] };
  }
  const { options } = state.collection;
  if (options['capped'] !== true) {
    const mend = 'no collection becomes write-once later: rename it, and run this again';
    return { conflicts: [`collection ${name} is not capped; ${mend}`] };
  }
  const conflicts: string[] = [];
  const size = Number(options['size']);
  if (cappedBytes !== null && size !== cappedBytes) {
    const mend = run(auditDatabase, { collMod: AUDIT_COLLECTION, cappedSize: cappedBytes });
    const is = `has ${gib(size)} GiB, not ${gib(cappedBytes)}`;
    conflicts.push(`collection ${name} ${is}; to change that: ${mend}`);
  }
  if (options['max'] !== undefined) {
    const mend = run(auditDatabase, { collMod: AUDIT_COLLECTION, cappedMax: 0 });
    conflicts.push(`collection ${name} holds at most ${options['max']} entries; mend: ${mend}`);
  }
  const { validator } = wanted;
  if (canonical(options['validator']) !== canonical(validator) || !isStrict(options)) {
    const strict = { validator, validationLevel: 'strict', validationAction: 'error' };
    const mend = run(auditDatabase, { collMod: AUDIT_COLLECTION, ...strict });
    conflicts.push(`collection ${name} has another validator; mend: ${mend}`);
  }
  if (conflicts.length > 0) return { conflicts };
  return { present: [`collection ${name}, capped at ${gib(size)} GiB`] };
}

function isStrict({ validationLevel, validationAction }: Document): boolean {
  return validationLevel === 'strict' && validationAction === 'error';
}

function planIndex(
  { indexes }: SetupState,
  { auditDatabase }: SetupWishes,
  index: (typeof AUDIT_INDEXES)[number],
): Part {
  const names = [index.name, FORMER_INDEX_NAMES[index.name]];
  const found = indexes.find(({ name }) => names.includes(name as string));
  const { v, name = index.name, ...rest } = found ?? {};
  const title = `index ${name} of ${auditDatabase}.${AUDIT_COLLECTION}`;
  if (found === undefined) {
    const command = { createIndexes: AUDIT_COLLECTION, indexes: [index] };
    return { steps: [{ title, db: auditDatabase, command, passwordOf: null }] };
  }
  if (canonical({ ...rest, name: index.name }) === canonical(index)) return { present: [title] };
  const drop = run(auditDatabase, { dropIndexes: AUDIT_COLLECTION, index: name });
  return { conflicts: [`${title} is another one; run this again after: ${drop}`] };
}

function planRole({ role }: SetupState, { auditDatabase }: SetupWishes): Part {
  const privileges = auditPrivileges(auditDatabase);
  const title = `role ${AUDIT_ROLE} of ${auditDatabase}: insert, find, collStats and no more`;
  const definition = { privileges, roles: [] };
  if (role === null) {
    const command = { createRole: AUDIT_ROLE, ...definition };
    return { steps: [{ title, db: auditDatabase, command, passwordOf: null }] };
  }
  if (samePrivileges(role.privileges, privileges) && role.roles.length === 0) {
    return { present: [title] };
  }
  const mend = run(auditDatabase, { updateRole: AUDIT_ROLE, ...definition });
  return {
    conflicts: [`role ${AUDIT_ROLE} of ${auditDatabase} has other privileges; mend: ${mend}`],
  };
}

function planUser({ users }: SetupState, plan: UserPlan, renewsPassword: boolean): Part {
  const { user, db, roles } = plan;
  const names = roles.map(({ role, db: of }) => `${role} of ${of}`).join(', ');
  const title = `user ${user} of ${db} with ${names}`;
  const held = users.get(user);
  if (held === undefined) {
    const command = { createUser: user, pwd: PASSWORD, roles };
    return { steps: [{ title, db, command, passwordOf: user }] };
  }
  if (sortedRoles(held) !== sortedRoles(roles)) {
    const mend = run(db, { updateUser: user, roles });
    return { conflicts: [`user ${user} of ${db} has other roles; mend: ${mend}`] };
  }
  if (!renewsPassword) return { present: [title] };
  const command = { updateUser: user, pwd: PASSWORD };
  return { steps: [{ title: `new password of ${user}`, db, command, passwordOf: user }] };
}

/** A command as mongosh takes it. */
export function run(db: string, command: Document): string {
  return `db.getSiblingDB(${JSON.stringify(db)}).runCommand(${JSON.stringify(command)})`;
}

function gib(bytes: number): string {
  return String(Number((bytes / 1024 ** 3).toFixed(3)));
}

function samePrivileges(a: readonly Privilege[], b: readonly Privilege[]): boolean {
  const text = (privileges: readonly Privilege[]) =>
    canonical(
      privileges.map(({ resource, actions }) => ({ resource, actions: [...actions].sort() })),
    );
  return text(a) === text(b);
}

function sortedRoles(roles: UserPlan['roles']): string {
  return roles
    .map(({ role, db }) => `${db}.${role}`)
    .sort()
    .join(' ');
}

/** JSON with sorted names: the server keeps an order of its own. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) => {
    if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) return inner;
    return Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}

/** What a server has of all that `cra setup mongodb` makes. */
interface SetupState {
  version: string;
  /** Whether it is a replica set, or a mongos in front of some. */
  isReplicaSet: boolean;
  /** Null: the administrator may not ask. */
  isAuthorizing: boolean | null;
  /** Null: it does not exist. */
  collection: { options: Document } | null;
  indexes: Document[];
  /** Null: it does not exist. */
  role: { privileges: Privilege[]; roles: RoleName[] } | null;
  /** Roles of the users that are there, by `user`. */
  users: ReadonlyMap<string, RoleName[]>;
}

/** Reads it with the connection of an administrator; changes nothing. */
export async function readSetupState(
  client: MongoClient,
  { database, auditDatabase }: { database: string; auditDatabase: string },
): Promise<SetupState> {
  const admin = client.db('admin');
  const audit = client.db(auditDatabase);
  const hello = await admin.command({ hello: 1 });
  const { version } = await admin.command({ buildInfo: 1 });
  const [collection] = await audit.listCollections({ name: AUDIT_COLLECTION }).toArray();
  const { roles } = await audit.command({ rolesInfo: AUDIT_ROLE, showPrivileges: true });
  const role = roles[0] as { privileges: Privilege[]; roles: RoleName[] } | undefined;
  return {
    version: String(version),
    isReplicaSet: typeof hello['setName'] === 'string' || hello['msg'] === 'isdbgrid',
    isAuthorizing: await readAuthorizing(admin),
    collection: collection === undefined ? null : { options: optionsOf(collection) },
    indexes: collection === undefined ? [] : await audit.collection(AUDIT_COLLECTION).indexes(),
    role: role === undefined ? null : { privileges: role.privileges, roles: role.roles },
    users: new Map([
      ...(await readUser(client.db(database), SERVICE_USER)),
      ...(await readUser(audit, AUDIT_USER)),
    ]),
  };
}

function optionsOf(collection: object): Document {
  return 'options' in collection ? (collection.options as Document) : {};
}

async function readUser(db: Db, user: string): Promise<[string, RoleName[]][]> {
  const { users } = await db.command({ usersInfo: user });
  return (users as { user: string; roles: RoleName[] }[]).map((found) => [found.user, found.roles]);
}

/** A key file or `authorization: enabled` switches access control on. */
async function readAuthorizing(admin: Db): Promise<boolean | null> {
  try {
    const { parsed } = await admin.command({ getCmdLineOpts: 1 });
    const security = (parsed as { security?: Document }).security ?? {};
    return security['authorization'] === 'enabled' || security['keyFile'] !== undefined;
  } catch {
    return null;
  }
}

/** The role that makes the trail write-once; it lives in the database of the trail. */
const AUDIT_ROLE = 'cra_audit_writer';

/** The users of the trail and of the records. Each is defined in its own database. */
export const AUDIT_USER = 'cra_audit';
export const SERVICE_USER = 'cra_service';

interface RoleName {
  role: string;
  db: string;
}

/** A user as `cra setup mongodb` makes it. */
interface UserPlan {
  user: string;
  db: string;
  roles: RoleName[];
}

/** All that the role may do. */
function auditPrivileges(auditDatabase: string): Privilege[] {
  const resource = { db: auditDatabase, collection: AUDIT_COLLECTION };
  return [{ resource, actions: [...AUDIT_ACTIONS] }];
}

/** The user of the trail holds that role alone. */
function auditUser(auditDatabase: string): UserPlan {
  const roles = [{ role: AUDIT_ROLE, db: auditDatabase }];
  return { user: AUDIT_USER, db: auditDatabase, roles };
}

/** The user of the records reads and writes their database, and nothing else. */
function serviceUser(database: string): UserPlan {
  return { user: SERVICE_USER, db: database, roles: [{ role: 'readWrite', db: database }] };
}
