import type { SessionRecord } from '../../src/domain/session.ts';
import type { SessionStore } from '../../src/store/desk.ts';

/** Sessions in memory: what a store has to do, without one. */
export interface MemorySessions extends SessionStore {
  sessions: Map<string, SessionRecord>;
}

/** Creates an empty store. */
export function createMemorySessions(): MemorySessions {
  const sessions = new Map<string, SessionRecord>();
  return {
    sessions,
    async createSession({ session }) {
      if (sessions.has(session.session_hash)) throw new Error('known session');
      sessions.set(session.session_hash, structuredClone(session));
      return null;
    },
    async findSession({ session_hash, now_ms }) {
      const session = sessions.get(session_hash);
      const isOver = session === undefined || session.expires_ms <= now_ms;
      return { session: isOver ? null : structuredClone(session) };
    },
    async touchSession({ session_hash, seen_ms, expires_ms }) {
      const session = sessions.get(session_hash);
      if (session !== undefined) Object.assign(session, { seen_ms, expires_ms });
      return { found: session !== undefined };
    },
    deleteSession: async ({ session_hash }) => ({ found: sessions.delete(session_hash) }),
    async deleteSessionsOf({ tenant_id, principal_id }) {
      const own = [...sessions.values()].filter(
        ({ principal }) => principal.tenant_id === tenant_id && principal.id === principal_id,
      );
      for (const { session_hash } of own) sessions.delete(session_hash);
      return { deleted: own.length };
    },
  };
}
