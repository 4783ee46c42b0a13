import type { Principal } from './principal.ts';

/** A browser session as stored: its id is the SHA-256 of what the cookie holds, hex. */
export interface SessionRecord {
  session_hash: string;
  principal: Principal;
  /** ms since the epoch. */
  created_ms: number;
  seen_ms: number;
  expires_ms: number;
}
