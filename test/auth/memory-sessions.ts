import type { StoredSession } from '../../src/model/principal.ts';
import type { SessionStore } from '../../src/store/contract/store.ts';

/** Sessions in memory: what a store has to do, without one. */
export interface MemorySessions extends SessionStore {
  sessions: Map<string, StoredSession>;
}

const OK = { ok: true } as const;

/** Creates an empty store. */
export function createMemorySessions(): MemorySessions {
  const sessions = new Map<string, StoredSession>();
  return {
    sessions,
    async createSession({ session }) {
      if (sessions.has(session.session_id)) throw new Error('known id');
      sessions.set(session.session_id, structuredClone(session));
      return OK;
    },
    findSession: async ({ session_id }) => ({
      session: structuredClone(sessions.get(session_id) ?? null),
    }),
    async touchSession({ session_id, last_seen_at }) {
      const session = sessions.get(session_id);
      if (session !== undefined && session.last_seen_at < last_seen_at) {
        session.last_seen_at = last_seen_at;
      }
      return OK;
    },
    async deleteSession({ session_id }) {
      sessions.delete(session_id);
      return OK;
    },
    async deleteSessionsOf({ tenant_id, principal_id }) {
      const own = [...sessions.values()].filter(
        ({ principal }) => principal.tenant_id === tenant_id && principal.id === principal_id,
      );
      for (const { session_id } of own) sessions.delete(session_id);
      return { deleted: own.length };
    },
  };
}
