import { type AuthOptions, createAuthenticate } from '../../src/auth/authenticate.ts';
import { createFailedAttempts } from '../../src/auth/failed-attempts.ts';
import type { AuthRefusal } from '../../src/auth/refusal.ts';
import { type Admit, createAdmit } from '../../src/http/server/admit.ts';
import { AUTH } from '../../src/limits.ts';

/** What stands before the handlers; with authentication off unless told otherwise. */
export function openDoor(
  options: Partial<AuthOptions> = {},
  onRefused: (refusal: AuthRefusal) => void = () => undefined,
  ownOrigin: string | null = null,
): Admit {
  const off = {
    isEnabled: false,
    apiTokens: [],
    overrideToken: null,
    checkJwt: null,
    findSession: null,
  };
  return createAdmit({
    authenticate: createAuthenticate({ ...off, ...options }),
    failedAttempts: createFailedAttempts({
      // Time stands still: what was counted stays counted.
      now: () => 0,
      attemptsMax: AUTH.FAILURES_MAX,
      windowMs: AUTH.FAILURES_WINDOW_MS,
    }),
    ownOrigin,
    onRefused,
  });
}
