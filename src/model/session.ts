import type { Principal } from './principal.ts';

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

/** A login event for the log and the audit trail. */
export interface LoginEvent {
  event: 'login' | 'login failed' | 'logout';
  how: 'oidc' | 'password' | 'link' | 'session';
  /** Null: nobody that is known. */
  principal: Principal | null;
  /** Why it failed, for the log; never a part of a credential. */
  reason: string | null;
  remoteAddress: string;
}
