import { createAuthenticate } from '../auth/authenticate.ts';
import { createFailedAttempts } from '../auth/failed-attempts.ts';
import { createJwtCheck } from '../auth/oidc.ts';
import { createSessions } from '../auth/sessions.ts';
import type { LoginOptions } from '../http/api/handlers-login.ts';
import { type Admit, createAdmit } from '../http/server/admit.ts';
import { AUTH } from '../limits.ts';
import type { SessionStore } from '../store/contract/sessions.ts';
import type { TrailStore } from '../store/contract/trail.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Config } from './config/config.ts';
import { createLoginEvents, openWays } from './login.ts';

/** Who gets in, and how people log in; null: they can't. */
export interface Door {
  admit: Admit;
  login: LoginOptions | null;
}

export interface DoorOptions {
  auth: Config['auth'];
  sessionStore: SessionStore;
  trail: Pick<TrailStore, 'appendEvent'>;
  log: Logger;
}

/** Who gets in, and the log of who did not. */
export function createDoor({ auth, sessionStore, trail, log }: DoorOptions): Door {
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
  const { login } = auth;
  const isSecure = login?.baseUrl.startsWith('https:') ?? true;
  const sessions = login === null ? null : createSessions({ store: sessionStore, now, isSecure });
  const admit = createAdmit({
    authenticate: createAuthenticate({ ...auth, checkJwt, findSession: sessions?.find ?? null }),
    ownOrigin: login?.baseUrl ?? null,
    failedAttempts: failures,
    onRefused({ code, reason, principalId, isFailedAttempt }, request) {
      const { id, method, path, remoteAddress } = request;
      // Who shows nothing can do so without end; the log must not grow by it.
      const level = isFailedAttempt || principalId !== null ? 'info' : 'debug';
      log[level]({ code, reason, principalId, id, method, path, remoteAddress }, 'refused');
    },
  });
  if (login === null || sessions === null) return { admit, login: null };
  const onEvent = createLoginEvents(trail, log);
  return { admit, login: { ...openWays(login, auth.oidc, checkJwt), sessions, failures, onEvent } };
}
