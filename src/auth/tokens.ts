import { hash, timingSafeEqual } from 'node:crypto';

/** The label of the configured token with this SHA-256 digest, or null. */
export type TokenCheck = (digest: Buffer) => string | null;

const LABEL_DIGITS = 8;

/** SHA-256 of what was presented. */
export function digestOf(presented: string): Buffer {
  // Twice as fast as asking for the buffer, which is given memory of its own.
  return Buffer.from(hash('sha256', presented, 'hex'), 'hex');
}

/**
 * Compiles the digests (SHA-256, hex) of tokens into a check that takes the same time for every
 * token presented: digests are compared, all of them, and no comparison ends early. A token is
 * named by the first 8 digits of its digest, which says nothing of the token.
 */
export function createTokenCheck(digests: readonly string[]): TokenCheck {
  const known = digests.map((hex) => ({
    digest: Buffer.from(hex, 'hex'),
    label: hex.slice(0, LABEL_DIGITS),
  }));
  return (presented) => {
    let found: string | null = null;
    for (const { digest, label } of known) {
      found = timingSafeEqual(digest, presented) ? label : found;
    }
    return found;
  };
}
