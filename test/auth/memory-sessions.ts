import type { SessionStore, StoredSession } from '../../src/auth/session-store.ts';

/** Sessions in memory: what a store has to do, without one. */
export interface MemorySessions extends SessionStore {
  sessions: Map<string, StoredSession>;
}

/** Creates an empty store. */
export function createMemorySessions(): MemorySessions {
  const sessions = new Map<string, StoredSession>();
  return {
    sessions,
    async createSession(session) {
      if (sessions.has(session.session_id)) throw new Error('known id');
      sessions.set(session.session_id, structuredClone(session));
    },
    findSession: async (id) => structuredClone(sessions.get(id) ?? null),
    async touchSession(id, last_seen_at) {
      const session = sessions.get(id);
      if (session !== undefined && session.last_seen_at < last_seen_at) {
        session.last_seen_at = last_seen_at;
      }
    },
    async deleteSession(id) {
      sessions.delete(id);
    },
    async deleteSessionsOf({ tenant_id, id }) {
      const own = [...sessions.values()].filter(
        ({ principal }) => principal.tenant_id === tenant_id && principal.id === id,
      );
      for (const { session_id } of own) sessions.delete(session_id);
      return own.length;
    },
  };
}
