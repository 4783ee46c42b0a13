import type { Principal, StoredSession } from '../../model/principal.ts';
import type { StoreReader, StoreWriter } from '../contract/store.ts';
import { takenSession } from '../errors.ts';
import type { Connection } from './database.ts';
import { guarded } from './errors.ts';
import { type GroupCommit, ROW_BYTES } from './group-commit.ts';

/** Statements on sessions. */
export const SESSION_QUERIES = {
  addSession: `
    INSERT INTO session (session_id, tenant_id, principal_id, created_at, last_seen_at,
      expires_at, principal)
    VALUES (?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (session_id) DO NOTHING`,
  session: `
    SELECT session_id, principal, created_at, last_seen_at, expires_at FROM session
    WHERE session_id = ?`,
  touchSession: 'UPDATE session SET last_seen_at = ? WHERE session_id = ? AND last_seen_at < ?',
  deleteSession: 'DELETE FROM session WHERE session_id = ?',
  deleteSessionsOf: 'DELETE FROM session WHERE tenant_id = ? AND principal_id = ?',
  deleteEndedSessions: 'DELETE FROM session WHERE expires_at <= ?',
} as const;

/** The writing methods of Sessions on an open database; `now` is ms since the epoch. */
export function createSessionWriter(
  database: Connection,
  write: GroupCommit['write'],
  now: () => number,
): StoreWriter['sessions'] {
  const steps = createSessionSteps(database, now);
  return {
    createSession: ({ session }, call) => write(ROW_BYTES, () => steps.create(session), call),
    touchSession: ({ session_id, last_seen_at }, call) =>
      write(ROW_BYTES, () => steps.touch(session_id, last_seen_at), call),
    deleteSession: ({ session_id }, call) => write(ROW_BYTES, () => steps.remove(session_id), call),
    deleteSessionsOf: ({ tenant_id, principal_id }, call) =>
      write(ROW_BYTES, () => steps.removeOf(tenant_id, principal_id), call),
  };
}

/** The reading methods of Sessions. */
export function createSessionReader(database: Connection): StoreReader['sessions'] {
  const find = createSessionFinder(database);
  return { findSession: ({ session_id }) => guarded(() => find(session_id)) };
}

const OK = { ok: true } as const;

/** The writing steps on sessions, as they run within a transaction; `now` is ms since the epoch. */
function createSessionSteps(database: Connection, now: () => number) {
  const add = database.prepare(SESSION_QUERIES.addSession);
  const touch = database.prepare(SESSION_QUERIES.touchSession);
  const remove = database.prepare(SESSION_QUERIES.deleteSession);
  const removeOf = database.prepare(SESSION_QUERIES.deleteSessionsOf);
  const removeEnded = database.prepare(SESSION_QUERIES.deleteEndedSessions);

  return {
    create(session: StoredSession): typeof OK {
      const { session_id, principal, created_at, last_seen_at, expires_at } = session;
      const { tenant_id, id } = principal;
      const times = [created_at, last_seen_at, expires_at];
      const added = add.run(session_id, tenant_id, id, ...times, JSON.stringify(principal));
      if (added.changes === 0) throw takenSession();
      // Every login deletes the expired ones: no more rows than logins within one session lifetime.
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

function createSessionFinder(database: Connection) {
  const find = database.prepare<[string], SessionRow>(SESSION_QUERIES.session);
  return (sessionId: string): { session: StoredSession | null } => {
    const row = find.get(sessionId);
    if (row === undefined) return { session: null };
    return { session: { ...row, principal: JSON.parse(row.principal) as Principal } };
  };
}
