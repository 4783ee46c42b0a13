import type { AuthRefusal } from '../../src/auth/access.ts';
import { type AuthOptions, createAuthentication } from '../../src/auth/authenticate.ts';
import { AUTH } from '../../src/auth/limits.ts';
import { createFailedAttempts } from '../../src/auth/login.ts';
import { type Admit, createAdmit } from '../../src/http/server/admit.ts';

/** The check before the handlers; with authentication off by default. */
export function openAccess(
  options: Partial<AuthOptions> = {},
  onRefused: (refusal: AuthRefusal) => void = () => undefined,
  ownOrigin: string | null = null,
  ownHosts: ReadonlySet<string> | null = null,
): Admit {
  const off = {
    isEnabled: false,
    apiTokens: [],
    overrideToken: null,
    agentToken: null,
    checkJwt: null,
    findSession: null,
    sessionDecisions: 'admin' as const,
  };
  return createAdmit({
    authentication: createAuthentication({ ...off, ...options }),
    failedAttempts: createFailedAttempts({
      // Time stands still: what was counted stays counted.
      now: () => 0,
      attemptsMax: AUTH.FAILURES_MAX,
      windowMs: AUTH.FAILURES_WINDOW_MS,
    }),
    ownOrigin,
    ownHosts,
    baseUrl: () => 'https://cra.example',
    onRefused,
    onIgnored: onRefused,
  });
}
