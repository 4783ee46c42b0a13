import { unknownRfc } from '../../stored-record.ts';
import type { Connection } from '../database.ts';
import type { StateRow } from '../stored-record.ts';
import { PUSH_QUERIES } from './queries.ts';

/** What writing steps look at before they change a push. */
export interface PushRow extends StateRow {
  rfc_id: string;
  push_ref: string;
  push_owner: string | null;
  /** Ms since the epoch; null: nobody has claimed it. */
  push_held_until: number | null;
  vcs_posted: string | null;
}

type PushId = Pick<PushRow, 'tenant_id' | 'rfc_id'>;

/** Finds a push by its id; null also for that of another tenant, and for an RFC that is none. */
export function createPushFinder(database: Connection): (id: PushId) => PushRow | null {
  const find = database.prepare<[string, string], PushRow>(PUSH_QUERIES.push);
  return ({ rfc_id, tenant_id }) => find.get(rfc_id, tenant_id) ?? null;
}

/** NOT_FOUND for none. */
export function requirePush(push: PushRow | null): PushRow {
  if (push === null) throw unknownRfc();
  return push;
}
