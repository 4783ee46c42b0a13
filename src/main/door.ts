import { randomBytes } from 'node:crypto';
import { createPasswordCheck } from '../auth/admin-password.ts';
import { createAuthenticate, type JwtCheck } from '../auth/authenticate.ts';
import { createFailedAttempts } from '../auth/failed-attempts.ts';
import { createJwtCheck } from '../auth/oidc.ts';
import { createOidcLogin } from '../auth/oidc-login.ts';
import { createTransactionSeal } from '../auth/oidc-transaction.ts';
import { createOneTimeLink } from '../auth/one-time-link.ts';
import { createSessions } from '../auth/sessions.ts';
import { type Admit, createAdmit } from '../http/admit.ts';
import type { LoginOptions } from '../http/handlers-login.ts';
import { AUTH } from '../limits.ts';
import type { DaemonOptions } from '../main.ts';
import { createLoginTrail } from '../services/login-trail.ts';
import type { SessionStore } from '../store/desk.ts';
import type { TrailStore } from '../store/store.ts';

/** Who gets in and how, and the log of who did not. */
export function openDoor(
  options: DaemonOptions,
  store: SessionStore,
  trail: TrailStore,
): { admit: Admit; login: LoginOptions | null } {
  const { auth } = options.config;
  const { log } = options;
  const now = Date.now;
  const checkJwt =
    auth.oidc === null
      ? null
      : createJwtCheck({
          ...auth.oidc,
          now,
          onProblem: (reason) => log.warn({ reason }, 'the keys of the OIDC issuer were not had'),
        });
  const failures = createFailedAttempts({
    now,
    attemptsMax: AUTH.FAILURES_MAX,
    windowMs: AUTH.FAILURES_WINDOW_MS,
  });
  const isSecure = auth.login?.baseUrl.startsWith('https:') ?? true;
  const sessions = auth.login === null ? null : createSessions({ store, now, isSecure });
  const admit = createAdmit({
    authenticate: createAuthenticate({ ...auth, checkJwt, findSession: sessions?.find ?? null }),
    ownOrigin: auth.login?.baseUrl ?? null,
    failedAttempts: failures,
    onRefused({ code, reason, principalId }, { id, method, path, remoteAddress }) {
      log.info({ code, reason, principalId, id, method, path, remoteAddress }, 'refused');
    },
  });
  const tell = createLoginTrail(trail, (error) => log.error({ err: error }, 'login not in trail'));
  const onEvent: LoginOptions['onEvent'] = (event) => {
    const { principal, ...rest } = event;
    log.info({ ...rest, principalId: principal?.id ?? null }, event.event);
    tell(event);
  };
  const ways = sessions === null ? null : openWays(options, checkJwt);
  return { admit, login: sessions && ways && { ...ways, sessions, failures, onEvent } };
}

/** The ways to log in that are configured; else the link. */
function openWays(
  { config, onLoginLink }: DaemonOptions,
  checkJwt: JwtCheck | null,
): Omit<LoginOptions, 'sessions' | 'failures' | 'onEvent'> | null {
  const { login, oidc } = config.auth;
  if (login === null) return null;
  const { baseUrl, client, passwordHash, sessionSecret } = login;
  const now = Date.now;
  const hasIssuer = client !== null && oidc !== null && checkJwt !== null;
  const link = hasIssuer || passwordHash !== null ? null : createOneTimeLink(now);
  if (link !== null) onLoginLink?.(`${baseUrl}/api/cra/auth/login?link=${link.token}`);
  return {
    oidc: hasIssuer
      ? createOidcLogin({
          ...client,
          issuer: oidc.issuer,
          baseUrl,
          checkJwt,
          seal: createTransactionSeal(sessionSecret ?? randomBytes(32).toString('hex'), now),
          now,
        })
      : null,
    password: passwordHash === null ? null : createPasswordCheck(passwordHash),
    link,
    attempts: createFailedAttempts({
      now,
      attemptsMax: AUTH.PASSWORD_FAILURES,
      windowMs: AUTH.PASSWORD_WINDOW_MS,
    }),
    ownOrigin: baseUrl,
  };
}
