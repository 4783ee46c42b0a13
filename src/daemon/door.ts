import { rmSync } from 'node:fs';
import { type Authentication, createAuthentication } from '../auth/authenticate.ts';
import { createFailedAttempts } from '../auth/failed-attempts.ts';
import { createJwtCheck } from '../auth/oidc.ts';
import { createSessions } from '../auth/sessions.ts';
import { isLoopback } from '../core/safe-url.ts';
import type { LoginOptions } from '../http/api/handlers-login.ts';
import { type Admit, createAdmit } from '../http/server/admit.ts';
import { AUTH } from '../limits.ts';
import type { SessionStore } from '../store/contract/sessions.ts';
import type { TrailStore } from '../store/contract/trail.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Config } from './config/config.ts';
import { createLoginEvents, linkFile, openWays } from './login.ts';

/** Who gets in, and how people log in; null: they can't. */
export interface Door {
  admit: Admit;
  may: Authentication['may'];
  login: LoginOptions | null;
}

export interface DoorOptions {
  config: Pick<Config, 'auth' | 'host' | 'baseUrl' | 'dataDir'>;
  sessionStore: SessionStore;
  trail: Pick<TrailStore, 'appendEvent'>;
  log: Logger;
}

/** Who gets in, and the log of who did not. */
export function createDoor({ config, sessionStore, trail, log }: DoorOptions): Door {
  const { auth } = config;
  const now = Date.now;
  const checkJwt =
    auth.oidc === null
      ? null
      : createJwtCheck({
          ...auth.oidc,
          now,
          onProblem: (reason) => log.warn({ reason }, 'could not fetch the OIDC signing keys'),
        });
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
      const { id, method, path, remoteAddress } = request;
      // Requests without a credential have no bound; the log must not grow by them.
      const level = isFailedAttempt || principalId !== null ? 'info' : 'debug';
      log[level]({ code, reason, principalId, id, method, path, remoteAddress }, 'refused');
    },
    onIgnored({ reason, principalId }, { id, method, path, remoteAddress }) {
      const known = { reason, principalId, id, method, path, remoteAddress };
      log.info(known, 'credential ignored: authentication is switched off');
    },
  });
  if (login === null || sessions === null) return { admit, may, login: null };
  const onEvent = createLoginEvents(trail, log);
  const ways = openWays(login, auth.oidc, checkJwt, () =>
    rmSync(linkFile(config.dataDir), { force: true }),
  );
  return { admit, may, login: { ...ways, sessions, failures, onEvent } };
}

/**
 * The names that a service without authentication on loopback is reached by. A page of another
 * site can point its own name to 127.0.0.1 (DNS rebinding) and would be of the same origin then.
 * Null: all names are served.
 */
function ownHosts({ auth, host, baseUrl }: DoorOptions['config']): ReadonlySet<string> | null {
  const bound = host.includes(':') ? `[${host}]` : host;
  if (auth.isEnabled || !isLoopback(bound)) return null;
  const named = baseUrl === null ? [] : [new URL(baseUrl).hostname];
  return new Set(['localhost', '127.0.0.1', '[::1]', bound, ...named]);
}
