import { CraError } from '../domain/errors.ts';
import { DEFAULT_TENANT, type Principal, type Role, roleIncludes } from '../domain/principal.ts';
import { createTokenCheck } from './tokens.ts';

/** What a request brings to prove who it is. Absent headers are empty. */
export interface Credentials {
  authorization: string;
  apiKey: string;
}

/** Who may use an endpoint: a row of the auth matrix. */
export interface Requirement {
  apiToken: boolean;
  unauthenticated: 'yes' | 'dev mode only' | 'no';
  role: Role | null;
}

export interface AuthOptions {
  isEnabled: boolean;
  apiTokens: readonly string[];
}

/**
 * Decides who calls and whether it may. Throws UNAUTHENTICATED for a missing or wrong credential
 * and PERMISSION_DENIED for one that does not reach.
 */
export type Authenticate = (credentials: Credentials, requirement: Requirement) => Principal;

const BEARER = /^Bearer +(\S+) *$/i;

/** Everybody, when authentication is switched off (spec, Authentication 1). */
const DEV_MODE: Principal = {
  id: 'dev-mode',
  name: null,
  credential: 'open',
  role: 'admin',
  tenant_id: DEFAULT_TENANT,
};

/** Machines with an API token: they submit and read. */
const API_TOKEN: Principal = {
  id: 'api-token',
  name: null,
  credential: 'api-token',
  role: 'submitter',
  tenant_id: DEFAULT_TENANT,
};

/** Nobody in particular: endpoints that need no credential. */
const ANYBODY: Principal = { ...API_TOKEN, id: 'anonymous', credential: 'open', role: 'viewer' };

/** Creates the check from the settings. */
export function createAuthenticate(options: AuthOptions): Authenticate {
  const isApiToken = createTokenCheck(options.apiTokens);
  return (credentials, requirement) => {
    if (requirement.unauthenticated === 'yes') return ANYBODY;
    if (!options.isEnabled && requirement.unauthenticated === 'dev mode only') return DEV_MODE;
    const token = BEARER.exec(credentials.authorization)?.[1] ?? credentials.apiKey;
    if (token === '') throw unauthenticated('a bearer token is required');
    if (!isApiToken(token)) throw unauthenticated('the bearer token is not valid');
    if (!requirement.apiToken) throw denied('API tokens may not use this endpoint');
    if (requirement.role !== null && !roleIncludes(API_TOKEN.role, requirement.role)) {
      throw denied(`this endpoint needs the role ${requirement.role}`);
    }
    return API_TOKEN;
  };
}

function unauthenticated(message: string): CraError {
  return new CraError('UNAUTHENTICATED', message);
}

function denied(message: string): CraError {
  return new CraError('PERMISSION_DENIED', message);
}
