import { randomBytes, scryptSync } from 'node:crypto';

/** The hash of a password as operators configure it, at the least cost that is taken. */
export function hashOf(password: string): string {
  const salt = randomBytes(16);
  const options = { N: 2 ** 15, r: 8, p: 1, maxmem: 2 ** 26 };
  const hash = scryptSync(password.normalize('NFKC'), salt, 32, options);
  const bare = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '');
  return `$scrypt$ln=15,r=8,p=1$${bare(salt)}$${bare(hash)}`;
}
