import { AUDIT_COLLECTION } from './audit-collection.ts';
import { AUDIT_ACTIONS, type Privilege } from './audit-level.ts';

/** The role that makes the trail write-once; it lives in the database of the trail. */
export const AUDIT_ROLE = 'cra_audit_writer';

/** Who reads and writes the trail, and who the records. Each lives in its own database. */
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
