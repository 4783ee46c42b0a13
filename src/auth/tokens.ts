import { createHash, timingSafeEqual } from 'node:crypto';

/** Tells whether a presented token is one of the configured ones. */
export type TokenCheck = (presented: string) => boolean;

/**
 * Compiles a list of tokens into a check that takes the same time for every token presented:
 * digests are compared, all of them, and no comparison ends early.
 */
export function createTokenCheck(tokens: readonly string[]): TokenCheck {
  const digests = tokens.map(digest);
  return (presented) => {
    const wanted = digest(presented);
    let found = false;
    for (const known of digests) found = timingSafeEqual(known, wanted) || found;
    return found;
  };
}

function digest(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
