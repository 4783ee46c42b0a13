import { createAuthenticate } from '../auth/authenticate.ts';
import { createFailedAttempts } from '../auth/failed-attempts.ts';
import { createJwtCheck } from '../auth/oidc.ts';
import type { Config } from '../config.ts';
import { type Admit, createAdmit } from '../http/admit.ts';
import { AUTH } from '../limits.ts';
import type { Logger } from '../observability/logger.ts';

/** Who gets in, and the log of who did not. */
export function createDoor(auth: Config['auth'], log: Logger): Admit {
  const now = Date.now;
  const checkJwt =
    auth.oidc === null
      ? null
      : createJwtCheck({
          ...auth.oidc,
          now,
          onProblem: (reason) => log.warn({ reason }, 'the keys of the OIDC issuer were not had'),
        });
  return createAdmit({
    authenticate: createAuthenticate({ ...auth, checkJwt, findSession: null }),
    ownOrigin: null,
    failedAttempts: createFailedAttempts({
      now,
      attemptsMax: AUTH.FAILURES_MAX,
      windowMs: AUTH.FAILURES_WINDOW_MS,
    }),
    onRefused({ code, reason, principalId }, { id, method, path, remoteAddress }) {
      log.info({ code, reason, principalId, id, method, path, remoteAddress }, 'refused');
    },
  });
}
