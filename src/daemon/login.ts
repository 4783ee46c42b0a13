import { randomBytes } from 'node:crypto';
import { createPasswordCheck } from '../auth/admin-password.ts';
import type { JwtCheck } from '../auth/authenticate.ts';
import { createFailedAttempts } from '../auth/failed-attempts.ts';
import { createLoginTrail } from '../auth/login-trail.ts';
import { createOidcLogin, type OidcLogin } from '../auth/oidc-login.ts';
import { createTransactionSeal } from '../auth/oidc-transaction.ts';
import { createOneTimeLink, type OneTimeLink } from '../auth/one-time-link.ts';
import type { LoginOptions } from '../http/api/handlers-login.ts';
import { AUTH } from '../limits.ts';
import type { TrailStore } from '../store/contract/trail.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Config } from './config/config.ts';
import type { LoginConfig } from './config/login.ts';

type Ways = Omit<LoginOptions, 'sessions' | 'failures' | 'onEvent'>;

const now = Date.now;

/** The ways to log in that are configured; without one, a link that is good for once. */
export function openWays(
  { baseUrl, client, passwordHash, sessionSecret }: LoginConfig,
  issuer: Config['auth']['oidc'],
  checkJwt: JwtCheck | null,
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
    link: oidc === null && passwordHash === null ? createOneTimeLink(now) : null,
    attempts: createFailedAttempts({
      now,
      attemptsMax: AUTH.PASSWORD_FAILURES,
      windowMs: AUTH.PASSWORD_WINDOW_MS,
    }),
    ownOrigin: baseUrl,
  };
}

/** Tells the log and the audit trail of logins. */
export function createLoginEvents(
  trail: Pick<TrailStore, 'appendEvent'>,
  log: Logger,
): LoginOptions['onEvent'] {
  const tell = createLoginTrail({
    trail,
    now,
    onError: (error) => log.error({ err: error }, 'a login is not in the audit trail'),
  });
  return (event) => {
    const { principal, ...rest } = event;
    log.info({ ...rest, principalId: principal?.id ?? null }, event.event);
    tell(event);
  };
}

/** The address that the link's token is shown in, once. */
export function linkAddress(link: OneTimeLink, baseUrl: string): string {
  return `${baseUrl}/api/cra/auth/login?link=${link.token}`;
}
