import type { Db, Document, MongoClient } from 'mongodb';
import { AUDIT_COLLECTION } from './audit-collection.ts';
import { AUDIT_ACTIONS, type Privilege } from './audit-level.ts';

/** What a server has of all that `cra setup mongodb` makes. */
export interface SetupState {
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
export const AUDIT_ROLE = 'cra_audit_writer';

/** The users of the trail and of the records. Each is defined in its own database. */
export const AUDIT_USER = 'cra_audit';
export const SERVICE_USER = 'cra_service';

export interface RoleName {
  role: string;
  db: string;
}

/** A user as `cra setup mongodb` makes it. */
export interface UserPlan {
  user: string;
  db: string;
  roles: RoleName[];
}

/** All that the role may do. */
export function auditPrivileges(auditDatabase: string): Privilege[] {
  const resource = { db: auditDatabase, collection: AUDIT_COLLECTION };
  return [{ resource, actions: [...AUDIT_ACTIONS] }];
}

/** The user of the trail holds that role alone. */
export function auditUser(auditDatabase: string): UserPlan {
  const roles = [{ role: AUDIT_ROLE, db: auditDatabase }];
  return { user: AUDIT_USER, db: auditDatabase, roles };
}

/** The user of the records reads and writes their database, and nothing else. */
export function serviceUser(database: string): UserPlan {
  return { user: SERVICE_USER, db: database, roles: [{ role: 'readWrite', db: database }] };
}
