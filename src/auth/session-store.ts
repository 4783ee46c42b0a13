import type { Principal } from '../domain/principal.ts';

/** A browser session at rest. Times are ISO 8601, UTC. */
export interface StoredSession {
  /** SHA-256 (hex) of the value of the cookie, which is kept nowhere. */
  session_id: string;
  principal: Principal;
  created_at: string;
  last_seen_at: string;
  /** When it ends, used or not; the store may delete it from then on. */
  expires_at: string;
}

/**
 * Sessions as a store keeps them, shared by all daemons. What has ended is decided by whoever
 * reads; a store only has to forget what is past `expires_at` some time.
 */
export interface SessionStore {
  /** Durable when it resolves. ALREADY_EXISTS for a known id. */
  createSession(session: StoredSession): Promise<void>;
  /** Null for one that is not there. Sees every deletion that resolved before. */
  findSession(session_id: string): Promise<StoredSession | null>;
  /** Moves `last_seen_at` forward, never back; nothing happens where there is no session. */
  touchSession(session_id: string, last_seen_at: string): Promise<void>;
  /** Nothing happens where there is no session. */
  deleteSession(session_id: string): Promise<void>;
  /** Ends all sessions of a person; resolves with how many there were. */
  deleteSessionsOf(person: Pick<Principal, 'tenant_id' | 'id'>): Promise<number>;
}
