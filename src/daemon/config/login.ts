import { isSafeUrl, type PasswordHash, readPasswordHash } from '../../core/credentials.ts';
import { isStrong, type Reader, STRONG } from './reader.ts';

/** How people log in with a browser. */
export interface LoginConfig {
  /** The origin that browsers reach the service by. */
  readonly baseUrl: string;
  /** What the issuer knows the service by; null: nobody logs in with the issuer. */
  readonly client: { readonly clientId: string; readonly clientSecret: string } | null;
  readonly passwordHash: PasswordHash | null;
  /** Seals what browsers carry during a login; null: made for this start. */
  readonly sessionSecret: string | null;
}

/** Where the service listens, and where people reach it. */
export interface Place {
  readonly host: string;
  readonly port: number;
  readonly baseUrl: string | null;
}

/**
 * There is a login when browsers know where to come back to and there is a way to log in: the
 * issuer, a password or, where something needs a person (`isNeeded`), the one-time link.
 */
export function readLogin(
  reader: Reader,
  place: Place,
  { isNeeded, hasIssuer }: { isNeeded: boolean; hasIssuer: boolean },
): LoginConfig | null {
  const client = readClient(reader, hasIssuer);
  const passwordHash = readHash(reader);
  const sessionSecret = readSessionSecret(reader, client !== null);
  const hasWay = client !== null || passwordHash !== null;
  if (!hasWay && !isNeeded) return null;
  const baseUrl = originOf(place);
  if (baseUrl === null) {
    const message = 'must be https://HOST without a path (http on loopback only)';
    if (hasWay) reader.problem('SERVICE_BASE_URL', `${message} for logins with a browser`);
    else reader.warning('SERVICE_BASE_URL', `${message}, else no browser can log in`);
    return null;
  }
  if (baseUrl.startsWith('http:')) {
    const why = `makes the address of the service ${baseUrl}, plain http`;
    reader.warning('SERVICE_BASE_URL', `${why}: cookies of sessions are not Secure`);
  }
  return Object.freeze({ baseUrl, client, passwordHash, sessionSecret });
}

function readClient(reader: Reader, hasIssuer: boolean): LoginConfig['client'] {
  const clientId = reader.text('SERVICE_OIDC_CLIENT_ID', '');
  const clientSecret = reader.secret('SERVICE_OIDC_CLIENT_SECRET');
  if ((clientId === '') !== (clientSecret === '')) {
    reader.problem('SERVICE_OIDC_CLIENT_ID', 'and SERVICE_OIDC_CLIENT_SECRET go together');
  }
  if (clientId !== '' && !hasIssuer) {
    reader.problem('SERVICE_OIDC_CLIENT_ID', 'needs SERVICE_OIDC_ISSUER');
  }
  return clientId === '' ? null : Object.freeze({ clientId, clientSecret });
}

function readHash(reader: Reader): PasswordHash | null {
  const text = reader.secret('SERVICE_ADMIN_PASSWORD_HASH');
  const hash = text === '' ? null : readPasswordHash(text);
  if (text !== '' && hash === null) {
    const form = 'must be what `cra hash-password` prints: $scrypt$ln=17,r=8,p=1$SALT$HASH';
    reader.problem('SERVICE_ADMIN_PASSWORD_HASH', form);
  }
  return hash;
}

/** It matters to logins with the issuer alone: sessions themselves are in the store. */
function readSessionSecret(reader: Reader, isUsed: boolean): string | null {
  const secret = reader.secret('SERVICE_SESSION_SECRET');
  if (secret !== '' && !isStrong(secret)) {
    reader.problem('SERVICE_SESSION_SECRET', `must have ${STRONG}`);
  }
  if (secret === '' && isUsed) {
    const message =
      'is not set: one is made for this start, so a login that is under way when the service ' +
      'restarts, or comes back to another daemon, must begin again';
    reader.warning('SERVICE_SESSION_SECRET', message);
  }
  return secret || null;
}

/** An origin: whatever follows it in the address would be lost in redirects and cookies. */
function originOf({ host, port, baseUrl }: Place): string | null {
  const own = `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
  const address = baseUrl ?? (port === 0 ? '' : own);
  const url = URL.canParse(address) ? new URL(address) : null;
  return url !== null && isSafeUrl(url) && url.href === `${url.origin}/` ? url.origin : null;
}
