import { CraError } from '../../domain/errors.ts';
import type { StoredSession } from '../../domain/session.ts';
import type { SessionsReader, SessionsWriter } from '../store.ts';
import type { Connection } from './database.ts';
import type { GroupCommit } from './group-commit.ts';
import { QUERIES } from './queries.ts';
import { guarded } from './reading.ts';

const OK = { ok: true } as const;

/** About what a session weighs. */
const SESSION_BYTES = 1_024;

/** The writing methods of Sessions on an open database. */
export function createSessionsWriter(
  database: Connection,
  { write }: GroupCommit,
  now: () => number,
): SessionsWriter {
  const add = database.prepare(QUERIES.addSession);
  const touch = database.prepare(QUERIES.touchSession);
  const remove = database.prepare(QUERIES.removeSession);
  const removeOf = database.prepare(QUERIES.removeSessionsOf);
  const removeExpired = database.prepare(QUERIES.removeExpiredSessions);

  function create(session: StoredSession): typeof OK {
    const { session_id, principal, created_at, last_seen_at, expires_at } = session;
    const { tenant_id, id } = principal;
    const added = add.run(
      session_id,
      tenant_id,
      id,
      created_at,
      last_seen_at,
      expires_at,
      JSON.stringify(principal),
    );
    if (added.changes === 0) throw new CraError('ALREADY_EXISTS', 'there is such a session');
    // Whoever logs in sweeps: so there are never more than were begun within one life span.
    removeExpired.run(new Date(now()).toISOString());
    return OK;
  }

  function change(run: () => unknown): typeof OK {
    run();
    return OK;
  }

  return {
    createSession: ({ session }, call) => write(SESSION_BYTES, () => create(session), call),
    touchSession: ({ session_id, last_seen_at }, call) =>
      write(0, () => change(() => touch.run(last_seen_at, session_id, last_seen_at)), call),
    deleteSession: ({ session_id }, call) =>
      write(0, () => change(() => remove.run(session_id)), call),
    deleteSessionsOf: ({ tenant_id, principal_id }, call) =>
      write(0, () => ({ deleted: removeOf.run(tenant_id, principal_id).changes }), call),
  };
}

interface SessionRow extends Omit<StoredSession, 'principal'> {
  principal: string;
}

/** The reading methods of Sessions. */
export function createSessionsReader(database: Connection): SessionsReader {
  const find = database.prepare<[string], SessionRow>(QUERIES.session);
  return {
    findSession: ({ session_id }) =>
      guarded(() => {
        const row = find.get(session_id);
        return { session: row === undefined ? null : toSession(row) };
      }),
  };
}

function toSession(row: SessionRow): StoredSession {
  try {
    return { ...row, principal: JSON.parse(row.principal) };
  } catch (thrown) {
    throw new CraError('DATA_LOSS', 'a stored session cannot be read', { cause: thrown });
  }
}
