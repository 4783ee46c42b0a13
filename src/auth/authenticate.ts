import { DEFAULT_TENANT, type Principal, roleIncludes } from '../model/principal.ts';
import type { AuthRow } from './access.ts';
import { denied, invalid, missing } from './refusal.ts';
import type { Sessions } from './sessions.ts';
import { createTokenCheck, digestOf } from './tokens.ts';

/** What a request brings to prove who it is. What is absent is empty. */
export interface Credentials {
  authorization: string;
  /** `X-API-Key`, the legacy form of an API token. */
  apiKey: string;
  /** `X-CRA-Override-Token`, next to an API token. */
  overrideToken: string;
  /** One of these headers came more than once. */
  isRepeated: boolean;
  /** There is a token in the query. */
  isInQuery: boolean;
  /** `Cookie`, which may name a browser session. */
  cookies: string;
}

/** What is configured. Of tokens only the SHA-256 digests, in hex. */
export interface AuthOptions {
  isEnabled: boolean;
  apiTokens: readonly string[];
  overrideToken: string | null;
  /** Checks a JWT; null: there is no issuer. */
  checkJwt: JwtCheck | null;
  /** Finds the person of a browser session; null: nobody can log in. */
  findSession: Sessions['find'] | null;
}

/**
 * The person that a JWT names, at once when the token is known already. Throws or rejects with
 * UNAUTHENTICATED. `digest` is the token's SHA-256.
 */
export type JwtCheck = (token: string, digest: Buffer) => Principal | Promise<Principal>;

/**
 * Decides who calls and whether it may. Throws or rejects with an AuthRefusal: UNAUTHENTICATED
 * for a missing or wrong credential, PERMISSION_DENIED for one that does not reach.
 */
export type Authenticate = (
  credentials: Credentials,
  row: AuthRow,
) => Principal | Promise<Principal>;

/** RFC 9110 has the scheme in any case; RFC 6750, 2.1 has the token. */
const BEARER = /^Bearer +(\S+) *$/i;

/** Three parts of base64url; the last is empty in a token that is not signed. */
const JWT = /^[\w-]+\.[\w-]+\.[\w-]*$/;

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
  const { overrideToken, checkJwt, findSession } = options;
  const apiToken = createTokenCheck(options.apiTokens);
  const override = createTokenCheck(overrideToken === null ? [] : [overrideToken]);
  const hasPrivilege = overrideToken !== null || checkJwt !== null || findSession !== null;

  function isOpen({ unauthenticated, guarded }: AuthRow): boolean {
    if (options.isEnabled) return false;
    return unauthenticated === 'dev mode only' || (guarded && !hasPrivilege);
  }

  /** An API token counts everywhere by itself; with the override token beside it, for both. */
  function withApiToken(label: string, beside: string, row: AuthRow): Principal {
    const besideLabel = beside === '' ? null : override(digestOf(beside));
    if (beside !== '' && besideLabel === null) throw invalid('wrong token in X-CRA-Override-Token');
    if (row.overrideToken && besideLabel !== null) return overridePrincipal(besideLabel);
    return apiPrincipal(label, row);
  }

  function withBearer(token: string, beside: string, row: AuthRow) {
    const digest = digestOf(token);
    // Both lists are always compared: which of them holds a token must not show in the time.
    const overrideLabel = override(digest);
    const apiLabel = apiToken(digest);
    if (apiLabel !== null) return withApiToken(apiLabel, beside, row);
    if (overrideLabel !== null) {
      const principal = overridePrincipal(overrideLabel);
      if (row.overrideToken) return principal;
      throw denied(principal.id, 'the override token is for override, approve and bulk-override');
    }
    if (checkJwt === null || !JWT.test(token)) throw invalid('unknown token');
    const person = checkJwt(token, digest);
    return person instanceof Promise
      ? person.then((known) => admitPerson(known, row))
      : admitPerson(person, row);
  }

  function withSession(cookies: string, row: AuthRow): Promise<Principal> {
    const session = findSession?.(cookies) ?? null;
    if (session === null) throw missing();
    return session.then((person) => admitSession(person, row));
  }

  return (credentials, row) => {
    if (row.unauthenticated === 'yes') return ANYBODY;
    if (isOpen(row)) return DEV_MODE;
    const { authorization, apiKey, overrideToken: beside } = credentials;
    // Which of the two another program in the way goes by would be a guess.
    if (credentials.isRepeated) throw invalid('a header with a credential came twice');
    if (credentials.isInQuery) throw invalid('a token in the query');
    if (authorization !== '') {
      const token = BEARER.exec(authorization)?.[1];
      if (token === undefined) throw invalid('Authorization is no bearer token');
      return withBearer(token, beside, row);
    }
    if (apiKey === '') return withSession(credentials.cookies, row);
    const label = apiToken(digestOf(apiKey));
    if (label === null) throw invalid('wrong token in X-API-Key');
    return withApiToken(label, beside, row);
  };
}

/** Machines with an API token: they submit and read. */
function apiPrincipal(label: string, row: AuthRow): Principal {
  const principal = tokenPrincipal('api-token', label, 'submitter');
  if (row.apiToken) return principal;
  const needed = row.overrideToken ? 'the override token' : 'a person';
  throw denied(principal.id, `API tokens may not use this endpoint; it needs ${needed}`);
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

function admitPerson(person: Principal, { role }: AuthRow): Principal {
  if (role === null) throw denied(person.id, 'this endpoint is for API tokens only');
  if (roleIncludes(person.role, role)) return person;
  throw denied(person.id, `this endpoint needs the role ${role}; yours is ${person.role}`);
}

/** What changes verdicts or rules takes an admin at a browser, whatever a JWT may do. */
function admitSession(person: Principal, row: AuthRow): Principal {
  if (row.session === 'no') throw denied(person.id, 'this endpoint is for API tokens only');
  if (row.session === 'admin' && person.role !== 'admin') {
    throw denied(person.id, `this endpoint needs the role admin; yours is ${person.role}`);
  }
  return admitPerson(person, row);
}
