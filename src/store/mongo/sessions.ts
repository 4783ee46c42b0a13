import type { Collection } from 'mongodb';
import type { Principal, StoredSession } from '../../model/principal.ts';
import type { StoreDriver } from '../contract/store.ts';
import { takenSession } from '../errors.ts';
import type { SessionDocument } from './documents.ts';
import { isDuplicate } from './errors.ts';

const OK = { ok: true } as const;

/** The methods of Sessions; the server removes those that are over by the index "ended". */
export function createSessionService(
  sessions: Collection<SessionDocument>,
): StoreDriver['sessions'] {
  return {
    async createSession({ session }) {
      try {
        await sessions.insertOne(documentOf(session));
        return OK;
      } catch (thrown) {
        if (!isDuplicate(thrown)) throw thrown;
        throw takenSession();
      }
    },
    async findSession({ session_id }) {
      const found = await sessions.findOne({ _id: session_id });
      return { session: found === null ? null : sessionOf(found) };
    },
    async touchSession({ session_id, last_seen_at }) {
      // Times in ISO 8601 sort as texts.
      const earlier = { _id: session_id, last_seen_at: { $lt: last_seen_at } };
      await sessions.updateOne(earlier, { $set: { last_seen_at } });
      return OK;
    },
    async deleteSession({ session_id }) {
      await sessions.deleteOne({ _id: session_id });
      return OK;
    },
    async deleteSessionsOf({ tenant_id, principal_id }) {
      const { deletedCount } = await sessions.deleteMany({ tenant_id, principal_id });
      return { deleted: deletedCount };
    },
  };
}

function documentOf(session: StoredSession): SessionDocument {
  const { session_id: _id, principal, created_at, last_seen_at, expires_at } = session;
  const { tenant_id, id: principal_id } = principal;
  return {
    _id,
    tenant_id,
    principal_id,
    principal: JSON.stringify(principal),
    created_at,
    last_seen_at,
    expires_at,
    ends: new Date(expires_at),
  };
}

function sessionOf(found: SessionDocument): StoredSession {
  const { _id: session_id, principal, created_at, last_seen_at, expires_at } = found;
  const times = { created_at, last_seen_at, expires_at };
  return { session_id, principal: JSON.parse(principal) as Principal, ...times };
}
