import { randomBytes } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createAuthentication, type JwtCheck } from '../auth/authenticate.ts';
import { AUTH } from '../auth/limits.ts';
import {
  createFailedAttempts,
  createLoginTrail,
  createOneTimeLink,
  createPasswordCheck,
} from '../auth/login.ts';
import { createIssuerKeys, createJwtCheck } from '../auth/oidc.ts';
import { createOidcLogin, createTransactionSeal, type OidcLogin } from '../auth/oidc-login.ts';
import { createSessions } from '../auth/sessions.ts';
import { isLoopback } from '../core/credentials.ts';
import type { LoginOptions } from '../http/api/login.ts';
import { createAdmit } from '../http/server/admit.ts';
import { idsOf } from '../http/server/request-headers.ts';
import type { TrailStore } from '../store/contract/trail.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Config } from './config/config.ts';
import type { LoginConfig } from './config/login.ts';
import type { Access, Base, Parts } from './parts.ts';

/** Creates the authentication of requests, which logs refusals, and the login of browsers. */
export function createAccess(parts: Base & Pick<Parts, 'stores'>): Access {
  const { config, log, baseUrl, stores } = parts;
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
  const sessions =
    login === null ? null : createSessions({ store: stores.sessions, now, isSecure });
  const findSession = sessions?.find ?? null;
  const authentication = createAuthentication({ ...auth, checkJwt, findSession });
  const { may } = authentication;
  const admit = createAdmit({
    authentication,
    ownOrigin: login?.baseUrl ?? null,
    baseUrl,
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
  const onEvent = createLoginEvents(stores.trail, log);
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
function ownHosts({ auth, host, baseUrl }: Config): ReadonlySet<string> | null {
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
function linkFile(dataDir: string): string {
  return join(dataDir, 'login-link');
}

/**
 * Where no way to log in is configured: writes the one-time link to a file (0600), and only the
 * path to the log, which more people read.
 */
export function offerLogin(parts: Pick<Parts, 'access' | 'config' | 'log' | 'lifecycle'>): void {
  const { access, config, log, lifecycle } = parts;
  const { login } = access;
  if (!login?.link) return;
  const path = linkFile(config.dataDir);
  rmSync(path, { force: true });
  const address = `${login.ownOrigin}/api/cra/auth/login?link=${login.link.token}`;
  writeFileSync(path, `${address}\n`, { flag: 'wx', mode: 0o600 });
  lifecycle.onStop('login link', () => rmSync(path, { force: true }));
  const minutes = AUTH.ONE_TIME_LINK_MS / 60_000;
  log.warn({ path }, `open the link in this file within ${minutes} minutes to log in as the admin`);
}
