import { crc32 } from 'node:zlib';

/**
 * Tokens whose last characters are a checksum of the rest, by the ids of their rules. The finding
 * says whether it fits, which nobody can see; its severity is the same either way, as a changed
 * token may be a slip in a real one.
 */
const CHECKSUMS: Readonly<Record<string, (token: string) => boolean | null>> = {
  'secret-github-token': ofGithub,
  'secret-github-oauth-token': ofGithub,
  'secret-github-app-token': ofGithub,
  'secret-github-refresh-token': ofGithub,
  'secret-npm-token': ofGithub,
  'secret-grafana-service-account-token': ofGrafana,
};

/** A sentence on the checksum of a token; null: its vendor documents none for this form. */
export function checksumNote(ruleId: string, secret: Buffer): string | null {
  const check = ruleId.startsWith('secret-gitlab-') ? ofGitlab : CHECKSUMS[ruleId];
  const fits = check?.(secret.toString('latin1')) ?? null;
  if (fits === null) return null;
  return fits
    ? 'Its checksum fits: the vendor made it.'
    : 'Its checksum does not fit: it was made up, cut or changed.';
}

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/**
 * Six digits of base 62 behind thirty characters, without the prefix
 * (github.blog/engineering/platform-security/behind-githubs-new-authentication-token-formats); npm
 * has the same.
 */
function ofGithub(token: string): boolean | null {
  const [, body = '', checksum] = /^[a-z]{3}_(\w{30})(\w{6})$/.exec(token) ?? [];
  if (checksum === undefined) return null;
  let rest = crc32(body);
  let digits = '';
  for (let place = 0; place < checksum.length; place += 1) {
    digits = `${BASE62[rest % BASE62.length]}${digits}`;
    rest = Math.floor(rest / BASE62.length);
  }
  return digits === checksum;
}

/** Four bytes in hexadecimal digits, the lowest first (grafana/grafana, satokengen). */
function ofGrafana(token: string): boolean | null {
  const [, body = '', checksum] = /^(\w+)_([\da-fA-F]{8})$/.exec(token) ?? [];
  if (checksum === undefined) return null;
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(crc32(body));
  return bytes.toString('hex') === checksum.toLowerCase();
}

/** Seven digits of base 36 (docs.gitlab.com, routable tokens); older tokens have none. */
function ofGitlab(token: string): boolean | null {
  const [, body = '', checksum] = /^(.+\.[a-z\d]{2})([a-z\d]{7})$/.exec(token) ?? [];
  return checksum === undefined ? null : crc32(body).toString(36).padStart(7, '0') === checksum;
}
