import { CraError } from '../domain/errors.ts';
import { DEFAULT_TENANT, type Principal } from '../domain/principal.ts';
import type { AuthRow } from './access.ts';
import { createTokenCheck } from './tokens.ts';

/** What a request brings to prove who it is. Absent headers are empty. */
export interface Credentials {
  authorization: string;
  /** `X-API-Key`, the legacy form of an API token. */
  apiKey: string;
  /** `X-CRA-Override-Token`, next to an API token. */
  overrideToken: string;
}

/** What is configured. Of tokens only the SHA-256 digests, in hex. */
export interface AuthOptions {
  isEnabled: boolean;
  apiTokens: readonly string[];
  overrideToken: string | null;
}

/**
 * Decides who calls and whether it may. Throws UNAUTHENTICATED for a missing or wrong credential
 * and PERMISSION_DENIED for one that does not reach.
 */
export type Authenticate = (credentials: Credentials, row: AuthRow) => Principal;

const BEARER = /^Bearer +(\S+) *$/i;

/** Everybody, when authentication is switched off (spec, Authentication 1). */
const DEV_MODE: Principal = {
  id: 'dev-mode',
  name: null,
  credential: 'open',
  role: 'admin',
  tenant_id: DEFAULT_TENANT,
};

/** Nobody in particular: endpoints that need no credential. */
const ANYBODY: Principal = { ...DEV_MODE, id: 'anonymous', role: 'viewer' };

/** Creates the check from the settings. */
export function createAuthenticate(options: AuthOptions): Authenticate {
  const { overrideToken } = options;
  const apiToken = createTokenCheck(options.apiTokens);
  const override = createTokenCheck(overrideToken === null ? [] : [overrideToken]);
  const hasPrivilege = overrideToken !== null;

  function isOpen({ unauthenticated, guarded }: AuthRow): boolean {
    if (options.isEnabled) return false;
    return unauthenticated === 'dev mode only' || (guarded && !hasPrivilege);
  }

  return (credentials, row) => {
    if (row.unauthenticated === 'yes') return ANYBODY;
    if (isOpen(row)) return DEV_MODE;
    const token = presentedToken(credentials);
    // Both are always compared: which list holds a token must not show in the time.
    const overrideLabel = override(token);
    const apiLabel = apiToken(token);
    if (apiLabel !== null) {
      const beside = credentials.overrideToken;
      const besideLabel = beside === '' ? null : override(beside);
      if (beside !== '' && besideLabel === null) throw invalid();
      if (row.overrideToken && besideLabel !== null) return overridePrincipal(besideLabel);
      return apiPrincipal(apiLabel, row);
    }
    // The legacy header is a form of the API token only.
    if (overrideLabel !== null && credentials.authorization !== '') {
      if (row.overrideToken) return overridePrincipal(overrideLabel);
      throw denied('the override token is accepted by override, approve and bulk-override only');
    }
    throw invalid();
  };
}

function presentedToken({ authorization, apiKey }: Credentials): string {
  if (authorization === '') {
    if (apiKey === '') throw new CraError('UNAUTHENTICATED', 'a bearer token is required');
    return apiKey;
  }
  const token = BEARER.exec(authorization)?.[1];
  if (token === undefined) throw invalid();
  return token;
}

/** Machines with an API token: they submit and read. */
function apiPrincipal(label: string, row: AuthRow): Principal {
  if (!row.apiToken) {
    const other = row.overrideToken ? 'it needs the override token' : 'it needs a person';
    throw denied(`API tokens may not use this endpoint; ${other}`);
  }
  return tokenPrincipal('api-token', label, 'submitter');
}

function overridePrincipal(label: string): Principal {
  return tokenPrincipal('override-token', label, 'cab-member');
}

function tokenPrincipal(
  credential: 'api-token' | 'override-token',
  label: string,
  role: Principal['role'],
): Principal {
  return { id: `${credential}:${label}`, name: null, credential, role, tenant_id: DEFAULT_TENANT };
}

function invalid(): CraError {
  return new CraError('UNAUTHENTICATED', 'the credential is not valid');
}

function denied(message: string): CraError {
  return new CraError('PERMISSION_DENIED', message);
}
