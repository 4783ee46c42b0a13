import { createHash } from 'node:crypto';

/** SHA-256 of a secret, lower-case hex: what is kept of a token once the settings are read. */
export function secretDigest(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}
