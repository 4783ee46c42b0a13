import { randomBytes } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createPasswordCheck } from '../auth/admin-password.ts';
import type { JwtCheck } from '../auth/authenticate.ts';
import { createFailedAttempts } from '../auth/failed-attempts.ts';
import { createLoginTrail } from '../auth/login-trail.ts';
import { createOidcLogin, type OidcLogin } from '../auth/oidc-login.ts';
import { createTransactionSeal } from '../auth/oidc-transaction.ts';
import { createOneTimeLink, type OneTimeLink } from '../auth/one-time-link.ts';
import type { LoginOptions } from '../http/api/login.ts';
import { AUTH } from '../limits.ts';
import type { TrailStore } from '../store/contract/trail.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Config } from './config/config.ts';
import type { LoginConfig } from './config/login.ts';

type Ways = Omit<LoginOptions, 'sessions' | 'failures' | 'onEvent'>;

const now = Date.now;

/**
 * The ways to log in that are configured; without one, a link that is valid once, in a file of
 * the data directory that `onLinkUsed` removes.
 */
export function openWays(
  { baseUrl, client, passwordHash, sessionSecret }: LoginConfig,
  issuer: Config['auth']['oidc'],
  checkJwt: JwtCheck | null,
  onLinkUsed: () => void,
): Ways {
  const secret = sessionSecret ?? randomBytes(32).toString('hex');
  const oidc: OidcLogin | null =
    client === null || issuer === null || checkJwt === null
      ? null
      : createOidcLogin({
          ...client,
          issuer: issuer.issuer,
          baseUrl,
          checkJwt,
          seal: createTransactionSeal(secret, now),
          now,
        });
  return {
    oidc,
    password: passwordHash === null ? null : createPasswordCheck(passwordHash),
    link: oidc === null && passwordHash === null ? createOneTimeLink(now, onLinkUsed) : null,
    attempts: createFailedAttempts({
      now,
      attemptsMax: AUTH.PASSWORD_FAILURES,
      windowMs: AUTH.PASSWORD_WINDOW_MS,
    }),
    ownOrigin: baseUrl,
  };
}

/** Writes logins to the log and to the audit trail. */
export function createLoginEvents(
  trail: Pick<TrailStore, 'appendEvent'>,
  log: Logger,
): LoginOptions['onEvent'] {
  const record = createLoginTrail({
    trail,
    now,
    onError: (error) => log.error({ err: error }, 'a login is not in the audit trail'),
  });
  return (event) => {
    const { principal, ...rest } = event;
    log.info({ ...rest, principalId: principal?.id ?? null }, event.event);
    record(event);
  };
}

/** The file with the one-time link of a data directory. */
export function linkFile(dataDir: string): string {
  return join(dataDir, 'login-link');
}

/** Writes the link to a file (0600), and only the path to the log, which more people read. */
export function offerLink(link: OneTimeLink, baseUrl: string, path: string, log: Logger): void {
  rmSync(path, { force: true });
  const address = `${baseUrl}/api/cra/auth/login?link=${link.token}`;
  writeFileSync(path, `${address}\n`, { flag: 'wx', mode: 0o600 });
  const minutes = AUTH.ONE_TIME_LINK_MS / 60_000;
  log.warn({ path }, `open the link in this file within ${minutes} minutes to log in as the admin`);
}
