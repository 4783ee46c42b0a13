import { CraError } from '../../../model/errors.ts';
import type { Principal } from '../../../model/principal.ts';
import type { StoredSession } from '../../../model/session.ts';
import type { Connection } from '../database.ts';
import { DESK_QUERIES } from './queries.ts';

const OK = { ok: true } as const;

/** The writing steps on sessions, as they run within a transaction; `now` is ms since the epoch. */
export function createSessionSteps(database: Connection, now: () => number) {
  const add = database.prepare(DESK_QUERIES.addSession);
  const touch = database.prepare(DESK_QUERIES.touchSession);
  const remove = database.prepare(DESK_QUERIES.deleteSession);
  const removeOf = database.prepare(DESK_QUERIES.deleteSessionsOf);
  const removeEnded = database.prepare(DESK_QUERIES.deleteEndedSessions);

  return {
    create(session: StoredSession): typeof OK {
      const { session_id, principal, created_at, last_seen_at, expires_at } = session;
      const { tenant_id, id } = principal;
      const times = [created_at, last_seen_at, expires_at];
      const added = add.run(session_id, tenant_id, id, ...times, JSON.stringify(principal));
      if (added.changes === 0) throw new CraError('ALREADY_EXISTS', 'there is such a session');
      // Whoever logs in sweeps: so there are never more than were begun within one life span.
      removeEnded.run(new Date(now()).toISOString());
      return OK;
    },
    touch(sessionId: string, lastSeenAt: string): typeof OK {
      touch.run(lastSeenAt, sessionId, lastSeenAt);
      return OK;
    },
    remove(sessionId: string): typeof OK {
      remove.run(sessionId);
      return OK;
    },
    removeOf: (tenantId: string, principalId: string) => ({
      deleted: removeOf.run(tenantId, principalId).changes,
    }),
  };
}

interface SessionRow extends Omit<StoredSession, 'principal'> {
  principal: string;
}

/** Finds a session by its id. */
export function createSessionFinder(database: Connection) {
  const find = database.prepare<[string], SessionRow>(DESK_QUERIES.session);
  return (sessionId: string): { session: StoredSession | null } => {
    const row = find.get(sessionId);
    if (row === undefined) return { session: null };
    return { session: { ...row, principal: JSON.parse(row.principal) as Principal } };
  };
}
