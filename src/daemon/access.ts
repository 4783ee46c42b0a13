import { randomBytes } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Authentication, createAuthentication, type JwtCheck } from '../auth/authenticate.ts';
import { AUTH } from '../auth/limits.ts';
import { createOneTimeLink, createPasswordCheck, type OneTimeLink } from '../auth/local-admin.ts';
import { createFailedAttempts, createLoginTrail } from '../auth/login-attempts.ts';
import { createIssuerKeys, createJwtCheck } from '../auth/oidc.ts';
import { createOidcLogin, createTransactionSeal, type OidcLogin } from '../auth/oidc-login.ts';
import { createSessions } from '../auth/sessions.ts';
import { isLoopback } from '../core/credentials.ts';
import type { LoginOptions } from '../http/api/login.ts';
import { type Admit, createAdmit } from '../http/server/admit.ts';
import { idsOf } from '../http/server/request-headers.ts';
import type { SessionStore } from '../store/contract/store.ts';
import type { TrailStore } from '../store/contract/trail.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Config } from './config/config.ts';
import type { LoginConfig } from './config/login.ts';

/** The authentication of requests, and the login of browsers. */
export interface Access {
  admit: Admit;
  may: Authentication['may'];
  /** Whether the keys of the issuer can be fetched; null: there is no issuer. */
  issuer: (() => Promise<boolean>) | null;
  /** Null: logging in is not configured. */
  login: LoginOptions | null;
}

interface AccessOptions {
  config: Pick<Config, 'auth' | 'host' | 'baseUrl' | 'dataDir'>;
  sessionStore: SessionStore;
  trail: Pick<TrailStore, 'appendEvent'>;
  log: Logger;
}

/** Creates the authentication of requests, which logs refusals, and the login of browsers. */
export function createAccess({ config, sessionStore, trail, log }: AccessOptions): Access {
  const { auth } = config;
  const now = Date.now;
  const oidc = auth.oidc === null ? null : openIssuer(auth.oidc, log);
  const checkJwt = oidc?.checkJwt ?? null;
  const issuer = oidc?.isReachable ?? null;
  const failures = createFailedAttempts({
    now,
    attemptsMax: AUTH.FAILURES_MAX,
    windowMs: AUTH.FAILURES_WINDOW_MS,
  });
  const { login } = auth;
  const isSecure = login?.baseUrl.startsWith('https:') ?? true;
  const sessions = login === null ? null : createSessions({ store: sessionStore, now, isSecure });
  const findSession = sessions?.find ?? null;
  const authentication = createAuthentication({ ...auth, checkJwt, findSession });
  const { may } = authentication;
  const admit = createAdmit({
    authentication,
    ownOrigin: login?.baseUrl ?? null,
    ownHosts: ownHosts(config),
    failedAttempts: failures,
    onRefused({ code, reason, principalId, isFailedAttempt }, request) {
      const { method, path, remoteAddress, headers } = request;
      const ids = idsOf(request.id, headers);
      // Requests without a credential are unlimited and must not fill the log.
      const level = isFailedAttempt || principalId !== null ? 'info' : 'debug';
      log[level]({ code, reason, principalId, ...ids, method, path, remoteAddress }, 'refused');
    },
    onIgnored({ reason, principalId }, { id, method, path, remoteAddress, headers }) {
      const known = { reason, principalId, ...idsOf(id, headers), method, path, remoteAddress };
      log.info(known, 'credential ignored: authentication is switched off');
    },
  });
  if (login === null || sessions === null) return { admit, may, issuer, login: null };
  const onEvent = createLoginEvents(trail, log);
  const ways = openWays(login, auth.oidc, checkJwt, () =>
    rmSync(linkFile(config.dataDir), { force: true }),
  );
  return { admit, may, issuer, login: { ...ways, sessions, failures, onEvent } };
}

/** The check of access tokens, and the keys of the issuer that it needs. */
function openIssuer(oidc: NonNullable<Config['auth']['oidc']>, log: Logger) {
  const options = {
    ...oidc,
    now: Date.now,
    onProblem: (reason: string) => log.warn({ reason }, 'could not fetch the OIDC signing keys'),
  };
  const keys = createIssuerKeys(options);
  return { checkJwt: createJwtCheck(options, keys), isReachable: keys.isReachable };
}

/**
 * The Host values that a service without authentication on loopback accepts. Another site can
 * point its own name to 127.0.0.1 (DNS rebinding) and would then have the same origin as the
 * service. Null: all names are accepted.
 */
function ownHosts({ auth, host, baseUrl }: AccessOptions['config']): ReadonlySet<string> | null {
  const bound = host.includes(':') ? `[${host}]` : host;
  if (auth.isEnabled || !isLoopback(bound)) return null;
  const named = baseUrl === null ? [] : [new URL(baseUrl).hostname];
  return new Set(['localhost', '127.0.0.1', '[::1]', bound, ...named]);
}

type Ways = Omit<LoginOptions, 'sessions' | 'failures' | 'onEvent'>;

const now = Date.now;

/**
 * The ways to log in that are configured; without one, a link that is valid once, in a file of
 * the data directory that `onLinkUsed` removes.
 */
function openWays(
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
function createLoginEvents(
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
