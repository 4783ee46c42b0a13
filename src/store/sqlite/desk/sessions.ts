import type { SessionRecord } from '../../../domain/session.ts';
import type { Connection } from '../database.ts';
import { DESK_QUERIES } from './queries.ts';

interface SessionRow {
  expires_ms: number;
  json: string;
}

/** The writing steps on sessions, as they run within a transaction. */
export function createSessionSteps(database: Connection) {
  const add = database.prepare(DESK_QUERIES.addSession);
  const find = database.prepare<unknown[], SessionRow>(DESK_QUERIES.session);
  const touch = database.prepare(DESK_QUERIES.touchSession);
  const remove = database.prepare(DESK_QUERIES.deleteSession);
  const removeOf = database.prepare(DESK_QUERIES.deleteSessionsOf);
  const removeEnded = database.prepare(DESK_QUERIES.deleteEndedSessions);

  return {
    create(session: SessionRecord): null {
      const { session_hash, principal, created_ms, expires_ms } = session;
      // Logins are rare: a good moment to forget those that are over.
      removeEnded.run(created_ms);
      const { tenant_id, id } = principal;
      add.run(session_hash, tenant_id, id, expires_ms, JSON.stringify(session));
      return null;
    },
    touch(hash: string, seen_ms: number, expires_ms: number): { found: boolean } {
      const row = find.get(hash);
      if (row === undefined) return { found: false };
      const session = { ...(JSON.parse(row.json) as SessionRecord), seen_ms, expires_ms };
      touch.run(expires_ms, JSON.stringify(session), hash);
      return { found: true };
    },
    remove: (hash: string) => ({ found: remove.run(hash).changes === 1 }),
    removeOf: (tenantId: string, principalId: string) => ({
      deleted: removeOf.run(tenantId, principalId).changes,
    }),
  };
}

/** Finds a session that has not expired at `nowMs`. */
export function createSessionFinder(database: Connection) {
  const find = database.prepare<unknown[], SessionRow>(DESK_QUERIES.session);
  return (hash: string, nowMs: number): { session: SessionRecord | null } => {
    const row = find.get(hash);
    const isOver = row === undefined || row.expires_ms <= nowMs;
    return { session: isOver ? null : (JSON.parse(row.json) as SessionRecord) };
  };
}
