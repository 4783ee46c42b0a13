import type { StoredSession } from '../../model/principal.ts';
import { type Client, read, write } from '../../rpc/service.ts';
import { STORE } from './limits.ts';

/**
 * Browser sessions, shared by all daemons. Whether a session has ended is decided by its reader;
 * a store only has to forget some time those that are past `expires_at`.
 */
export const Sessions = {
  name: 'Sessions',
  methods: {
    /** ALREADY_EXISTS for a known id. */
    createSession: write<{ session: StoredSession }, Done>(STORE.CALL_DEADLINE_MS),
    /** Null for an unknown id. Sees every change that resolved before. */
    findSession: read<{ session_id: string }, { session: StoredSession | null }>(
      STORE.CALL_DEADLINE_MS,
    ),
    /** Moves `last_seen_at` forward, never back; an unknown session changes nothing. */
    touchSession: write<{ session_id: string; last_seen_at: string }, Done>(STORE.CALL_DEADLINE_MS),
    /** An unknown session changes nothing. */
    deleteSession: write<{ session_id: string }, Done>(STORE.CALL_DEADLINE_MS),
    /** Ends all sessions of a person (logout everywhere); answers how many there were. */
    deleteSessionsOf: write<{ tenant_id: string; principal_id: string }, { deleted: number }>(
      STORE.CALL_DEADLINE_MS,
    ),
  },
} as const;

export type SessionStore = Client<typeof Sessions>;

interface Done {
  ok: true;
}
