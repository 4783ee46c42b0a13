import type { Collection } from 'mongodb';
import type { StoredSession } from '../../../domain/session.ts';
import type { SessionDocument } from './documents.ts';

const OK = { ok: true } as const;

/** The steps on sessions; the server removes those that are over by the index "ended". */
export function createSessionSteps(sessions: Collection<SessionDocument>) {
  return {
    async create(session: StoredSession): Promise<typeof OK> {
      const { session_id: _id, principal, created_at, last_seen_at, expires_at } = session;
      const { tenant_id, id: principal_id } = principal;
      const times = { created_at, last_seen_at, expires_at: new Date(expires_at) };
      const owner = { tenant_id, principal_id, principal: JSON.stringify(principal) };
      await sessions.insertOne({ _id, ...owner, ...times });
      return OK;
    },
    async find(session_id: string): Promise<{ session: StoredSession | null }> {
      const found = await sessions.findOne({ _id: session_id });
      if (found === null) return { session: null };
      const { principal, created_at, last_seen_at, expires_at } = found;
      const times = { created_at, last_seen_at, expires_at: expires_at.toISOString() };
      return { session: { session_id, principal: JSON.parse(principal), ...times } };
    },
    async touch(_id: string, last_seen_at: string): Promise<typeof OK> {
      const isOlder = { _id, last_seen_at: { $lt: last_seen_at } };
      await sessions.updateOne(isOlder, { $set: { last_seen_at } });
      return OK;
    },
    async remove(_id: string): Promise<typeof OK> {
      await sessions.deleteOne({ _id });
      return OK;
    },
    async removeOf(tenant_id: string, principal_id: string): Promise<{ deleted: number }> {
      const { deletedCount } = await sessions.deleteMany({ tenant_id, principal_id });
      return { deleted: deletedCount };
    },
  };
}
