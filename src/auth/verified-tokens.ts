import { AUTH } from '../limits.ts';
import type { Principal } from '../model/principal.ts';

/** Who the tokens name that were checked not long ago; a bounded memory of digests. */
export interface VerifiedTokens {
  find(digest: Buffer): Principal | null;
  /** `expiresAtMs` is the token's own end. */
  add(digest: Buffer, principal: Principal, expiresAtMs: number): void;
}

/**
 * A signature is checked once, not with each request. What it costs: a token whose key is
 * withdrawn or whose owner loses a role is accepted for AUTH.VERIFIED_MS more.
 */
export function createVerifiedTokens(now: () => number): VerifiedTokens {
  const known = new Map<string, { principal: Principal; untilMs: number }>();
  return {
    find(digest) {
      const key = digest.toString('latin1');
      const entry = known.get(key);
      if (entry === undefined) return null;
      known.delete(key);
      if (now() >= entry.untilMs) return null;
      // Put last: the first ones are those that were not used for longest.
      known.set(key, entry);
      return entry.principal;
    },
    add(digest, principal, expiresAtMs) {
      const untilMs = Math.min(expiresAtMs, now() + AUTH.VERIFIED_MS);
      known.set(digest.toString('latin1'), { principal, untilMs });
      for (const oldest of known.keys()) {
        if (known.size <= AUTH.VERIFIED_MAX) return;
        known.delete(oldest);
      }
    },
  };
}
