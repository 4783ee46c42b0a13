import { randomBytes } from 'node:crypto';
import { secretDigest } from '../core/credentials.ts';
import type { Principal, StoredSession } from '../model/principal.ts';
import type { SessionStore } from '../store/contract/store.ts';
import { ended } from './access.ts';
import { AUTH } from './limits.ts';

interface SessionsOptions extends CookieManner {
  store: SessionStore;
  now(): number;
}

/** Browser sessions: the cookie holds a random number, the store all that it stands for. */
export interface Sessions {
  /**
   * The person of the session that a `Cookie` header names; null when it names none. Rejects
   * with UNAUTHENTICATED when the session has ended or never was. `prolongs`: it counts as use.
   */
  find(cookies: string, prolongs?: boolean): Promise<Principal> | null;
  /** When the session ends, unused or anyway (ISO 8601); null where `find` finds none. */
  ends(cookies: string): Promise<{ idle_ends_at: string; ends_at: string } | null>;
  /**
   * Starts a session for somebody who has just proved who it is; resolves with the `Set-Cookie`.
   * The number is always a new one, and a session that the browser had before ends: a session that
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

  function idOf(cookies: string): string | null {
    const value = cookies === '' ? null : readCookie(cookies, name);
    return value !== null && ID.test(value) ? secretDigest(value) : null;
  }

  async function findById(id: string, prolongs: boolean): Promise<Principal> {
    const { session } = await store.findSession({ session_id: id });
    if (session === null) throw ended();
    const nowMs = now();
    if (hasEnded(session, nowMs)) {
      await store.deleteSession({ session_id: id });
      throw ended();
    }
    if (prolongs && nowMs - Date.parse(session.last_seen_at) >= AUTH.SESSION_TOUCH_MS) {
      const last_seen_at = new Date(nowMs).toISOString();
      // A session that is not prolonged ends sooner: no reason to refuse this request.
      await store.touchSession({ session_id: id, last_seen_at }).catch(() => undefined);
    }
    return session.principal;
  }

  async function endOne(cookies: string): Promise<void> {
    const id = idOf(cookies);
    if (id !== null) await store.deleteSession({ session_id: id });
  }

  return {
    find(cookies, prolongs = true) {
      const id = idOf(cookies);
      return id === null ? null : findById(id, prolongs);
    },
    async ends(cookies) {
      const id = idOf(cookies);
      const found = id === null ? null : await store.findSession({ session_id: id });
      if (!found?.session) return null;
      const { last_seen_at, expires_at: ends_at } = found.session;
      const idleMs = Date.parse(last_seen_at) + AUTH.SESSION_IDLE_MS;
      return { idle_ends_at: new Date(idleMs).toISOString(), ends_at };
    },
    async start(principal, cookies) {
      await endOne(cookies);
      const value = randomBytes(ID_BYTES).toString('base64url');
      const nowMs = now();
      const created_at = new Date(nowMs).toISOString();
      const session: StoredSession = {
        session_id: secretDigest(value),
        principal: { ...principal, credential: 'session' },
        created_at,
        last_seen_at: created_at,
        expires_at: new Date(nowMs + AUTH.SESSION_MAX_MS).toISOString(),
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

function hasEnded({ last_seen_at, expires_at }: StoredSession, nowMs: number): boolean {
  const idleSinceMs = Date.parse(last_seen_at);
  return nowMs >= Date.parse(expires_at) || nowMs - idleSinceMs >= AUTH.SESSION_IDLE_MS;
}

/** How cookies are sent: over https with a name that no other host can set. */
interface CookieManner {
  /** The service is reached by https; else (plain http on loopback) nothing can be secure. */
  isSecure: boolean;
}

/** The name of a cookie: RFC 6265bis, 4.1.3.2 ties `__Host-` to Secure, Path=/ and this host. */
export function cookieName(base: string, { isSecure }: CookieManner): string {
  return isSecure ? `__Host-${base}` : base;
}

/** The value of a cookie in a `Cookie` header; null when it is absent or comes twice. */
export function readCookie(header: string, name: string): string | null {
  let found: string | null = null;
  for (const pair of header.split(';')) {
    const equals = pair.indexOf('=');
    if (equals < 0 || pair.slice(0, equals).trim() !== name) continue;
    // One of the two was put there by somebody else.
    if (found !== null) return null;
    found = pair.slice(equals + 1).trim();
  }
  return found;
}

/** A `Set-Cookie` value; an age of 0 takes the cookie away. */
export function writeCookie(
  name: string,
  value: string,
  maxAgeSeconds: number,
  { isSecure }: CookieManner,
): string {
  const secure = isSecure ? '; Secure' : '';
  return `${name}=${value}; Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Lax${secure}`;
}
