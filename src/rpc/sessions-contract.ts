import type { StoredSession } from '../domain/session.ts';
import { STORE } from '../limits.ts';
import { method } from './service.ts';

/** Browser sessions: served by the store threads. */
export const Sessions = {
  name: 'Sessions',
  methods: {
    createSession: method<{ session: StoredSession }, Done>(STORE.CALL_DEADLINE_MS),
    findSession: method<{ session_id: string }, { session: StoredSession | null }>(
      STORE.CALL_DEADLINE_MS,
    ),
    touchSession: method<{ session_id: string; last_seen_at: string }, Done>(
      STORE.CALL_DEADLINE_MS,
    ),
    deleteSession: method<{ session_id: string }, Done>(STORE.CALL_DEADLINE_MS),
    deleteSessionsOf: method<{ tenant_id: string; principal_id: string }, { deleted: number }>(
      STORE.CALL_DEADLINE_MS,
    ),
  },
} as const;

interface Done {
  ok: true;
}
