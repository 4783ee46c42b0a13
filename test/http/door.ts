import { type AuthOptions, createAuthenticate } from '../../src/auth/authenticate.ts';
import { createFailedAttempts } from '../../src/auth/failed-attempts.ts';
import type { AuthRefusal } from '../../src/auth/refusal.ts';
import { type Admit, createAdmit } from '../../src/http/admit.ts';

/** What stands before the handlers; with authentication off unless told otherwise. */
export function openDoor(
  options: Partial<AuthOptions> = {},
  onRefused: (refusal: AuthRefusal) => void = () => undefined,
): Admit {
  const off = { isEnabled: false, apiTokens: [], overrideToken: null, checkJwt: null };
  return createAdmit({
    authenticate: createAuthenticate({ ...off, ...options }),
    failedAttempts: createFailedAttempts(Date.now),
    onRefused,
  });
}
