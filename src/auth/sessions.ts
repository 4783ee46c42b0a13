import { randomBytes } from 'node:crypto';
import { secretDigest } from '../core/secret-digest.ts';
import type { Principal } from '../domain/principal.ts';
import type { SessionRecord } from '../domain/session.ts';
import { AUTH } from '../limits.ts';
import type { SessionStore } from '../store/desk.ts';
import { type CookieManner, cookieName, readCookie, writeCookie } from './cookies.ts';
import { ended } from './refusal.ts';

export interface SessionsOptions extends CookieManner {
  store: SessionStore;
  now(): number;
}

/** Browser sessions: the cookie holds a random number, the store all that it stands for. */
export interface Sessions {
  /**
   * The person of the session that a `Cookie` header names; null when it names none. Rejects
   * with UNAUTHENTICATED when the session has ended or never was.
   */
  find(cookies: string): Promise<Principal> | null;
  /**
   * Starts a session for somebody who has just proved who it is; resolves with the `Set-Cookie`.
   * The number is always a new one, and a session that the browser had before ends: one that
   * was planted there gets nowhere.
   */
  start(principal: Principal, cookies: string): Promise<string>;
  /** Ends the session; resolves with the `Set-Cookie` that takes the cookie away. */
  end(cookies: string): Promise<string>;
  /** Ends all sessions of a person, on every browser; resolves with how many there were. */
  endAll(person: Principal): Promise<number>;
}

const ID_BYTES = 32;
const ID = /^[\w-]{43}$/;
const SECOND_MS = 1_000;

/** Creates the sessions over a store. */
export function createSessions({ store, now, isSecure }: SessionsOptions): Sessions {
  const name = cookieName('cra_session', { isSecure });

  function hashOf(cookies: string): string | null {
    const value = cookies === '' ? null : readCookie(cookies, name);
    return value !== null && ID.test(value) ? secretDigest(value) : null;
  }

  async function findByHash(session_hash: string): Promise<Principal> {
    const now_ms = now();
    const { session } = await store.findSession({ session_hash, now_ms });
    if (session === null) throw ended();
    const { principal, created_ms, seen_ms } = session;
    if (now_ms - seen_ms >= AUTH.SESSION_TOUCH_MS) {
      const expires_ms = endOf(created_ms, now_ms);
      // A session that is not prolonged ends sooner: no reason to refuse this request.
      await store
        .touchSession({ session_hash, seen_ms: now_ms, expires_ms })
        .catch(() => undefined);
    }
    return principal;
  }

  async function endOne(cookies: string): Promise<void> {
    const session_hash = hashOf(cookies);
    if (session_hash !== null) await store.deleteSession({ session_hash });
  }

  return {
    find(cookies) {
      const session_hash = hashOf(cookies);
      return session_hash === null ? null : findByHash(session_hash);
    },
    async start(principal, cookies) {
      await endOne(cookies);
      const value = randomBytes(ID_BYTES).toString('base64url');
      const created_ms = now();
      const session: SessionRecord = {
        session_hash: secretDigest(value),
        principal: { ...principal, credential: 'session' },
        created_ms,
        seen_ms: created_ms,
        expires_ms: endOf(created_ms, created_ms),
      };
      await store.createSession({ session });
      return writeCookie(name, value, AUTH.SESSION_MAX_MS / SECOND_MS, { isSecure });
    },
    async end(cookies) {
      await endOne(cookies);
      return writeCookie(name, '', 0, { isSecure });
    },
    async endAll({ tenant_id, id }) {
      const { deleted } = await store.deleteSessionsOf({ tenant_id, principal_id: id });
      return deleted;
    },
  };
}

/** Unused for long, or just old; ms since the epoch. */
function endOf(createdMs: number, seenMs: number): number {
  return Math.min(seenMs + AUTH.SESSION_IDLE_MS, createdMs + AUTH.SESSION_MAX_MS);
}
