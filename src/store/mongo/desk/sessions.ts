import type { Collection } from 'mongodb';
import type { SessionRecord } from '../../../domain/session.ts';
import type { SessionDocument } from './documents.ts';

/** The steps on sessions; the server removes those that are over by the index "ended". */
export function createSessionSteps(sessions: Collection<SessionDocument>) {
  return {
    async create(session: SessionRecord): Promise<null> {
      const { session_hash: _id, principal, seen_ms, expires_ms } = session;
      const { tenant_id, id: principal_id } = principal;
      const json = JSON.stringify(session);
      const times = { seen_ms, ...endsAt(expires_ms) };
      await sessions.insertOne({ _id, tenant_id, principal_id, ...times, json });
      return null;
    },
    async find(hash: string, nowMs: number): Promise<{ session: SessionRecord | null }> {
      const found = await sessions.findOne({ _id: hash });
      if (found === null || found.expires_ms <= nowMs) return { session: null };
      const { json, seen_ms, expires_ms } = found;
      return { session: { ...(JSON.parse(json) as SessionRecord), seen_ms, expires_ms } };
    },
    async touch(hash: string, seen_ms: number, expires_ms: number): Promise<{ found: boolean }> {
      const change = { $set: { seen_ms, ...endsAt(expires_ms) } };
      const { matchedCount } = await sessions.updateOne({ _id: hash }, change);
      return { found: matchedCount === 1 };
    },
    async remove(hash: string): Promise<{ found: boolean }> {
      const { deletedCount } = await sessions.deleteOne({ _id: hash });
      return { found: deletedCount === 1 };
    },
    async removeOf(tenant_id: string, principal_id: string): Promise<{ deleted: number }> {
      const { deletedCount } = await sessions.deleteMany({ tenant_id, principal_id });
      return { deleted: deletedCount };
    },
  };
}

function endsAt(expires_ms: number) {
  return { expires_ms, expires_at: new Date(expires_ms) };
}
