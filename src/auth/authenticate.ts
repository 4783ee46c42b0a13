import { hash, timingSafeEqual } from 'node:crypto';
import {
  DEFAULT_TENANT,
  type Principal,
  roleIncludes,
  type SessionDecisions,
} from '../model/principal.ts';
import {
  AuthRefusal,
  type AuthRow,
  denied,
  deniedToAgent,
  invalid,
  missing,
  NO_CREDENTIAL,
} from './access.ts';
import { AUTH } from './limits.ts';
import type { Sessions } from './sessions.ts';

/** The credentials of a request; absent ones are empty. */
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
  /** A page sent it by itself (`X-CRA-Background`): it does not prolong a session. */
  isBackground: boolean;
}

/** The settings. Of tokens only the SHA-256 digests, in hex. */
export interface AuthOptions {
  isEnabled: boolean;
  apiTokens: readonly string[];
  overrideToken: string | null;
  agentToken: string | null;
  sessionDecisions: SessionDecisions;
  /** Checks a JWT; null: there is no issuer. */
  checkJwt: JwtCheck | null;
  /** Finds the person of a browser session; null: there is no login. */
  findSession: Sessions['find'] | null;
}

/**
 * The person that a JWT names, at once when the token is known already. Throws or rejects with
 * UNAUTHENTICATED. `digest` is the token's SHA-256.
 */
export type JwtCheck = (token: string, digest: Buffer) => Principal | Promise<Principal>;

/** Decides who the caller is and whether it may use an endpoint. */
export interface Authentication {
  /**
   * Throws or rejects with an AuthRefusal: UNAUTHENTICATED for a missing or wrong credential,
   * PERMISSION_DENIED for a credential that is not allowed there.
   */
  check(credentials: Credentials, row: AuthRow): Principal | Promise<Principal>;
  /** Whether the endpoint asks for no credential now, because authentication is switched off. */
  isOpen(row: AuthRow): boolean;
  /** Whether a caller that was admitted elsewhere would be admitted here, too. */
  may(principal: Principal, row: AuthRow): boolean;
  /**
   * The caller of an open endpoint: the principal of a valid credential, else OPEN_PRINCIPAL.
   * Never refuses; `onIgnored` gets the refusal of a credential that is not valid.
   */
  identify(
    credentials: Credentials,
    onIgnored: (refusal: AuthRefusal) => void,
  ): Principal | Promise<Principal>;
}

/** RFC 9110 has the scheme in any case; RFC 6750, 2.1 has the token. */
const BEARER = /^Bearer +(\S+) *$/i;

/** Three parts of base64url; the last is empty in a token that is not signed. */
const JWT = /^[\w-]+\.[\w-]+\.[\w-]*$/;

/** The unauthenticated caller when authentication is switched off (spec, Authentication 1). */
export const OPEN_PRINCIPAL: Principal = {
  id: 'dev-mode',
  name: null,
  credential: 'open',
  role: 'admin',
  tenant_id: DEFAULT_TENANT,
};

/** The caller of an endpoint that never asks for a credential. */
const ANONYMOUS: Principal = { ...OPEN_PRINCIPAL, id: 'anonymous', role: 'viewer' };

/** Any valid credential passes this row. */
const ANY_CREDENTIAL: AuthRow = {
  apiToken: true,
  overrideToken: false,
  agentToken: true,
  session: 'any',
  unauthenticated: 'no',
  role: 'viewer',
};

const OVERRIDE_TOKEN_USES =
  'the override token is for override, approve, bulk-override and review-emergency';

/** Creates the check from the settings. */
export function createAuthentication(options: AuthOptions): Authentication {
  const { overrideToken, agentToken, checkJwt, findSession } = options;
  const apiToken = createTokenCheck(options.apiTokens);
  const override = createTokenCheck(overrideToken === null ? [] : [overrideToken]);
  const agent = createTokenCheck(agentToken === null ? [] : [agentToken]);

  /** An API token counts everywhere by itself; with the override token beside it, for both. */
  function withApiToken(label: string, beside: string, row: AuthRow): Principal {
    if (beside === '') return apiPrincipal(label, row);
    const digest = digestOf(beside);
    const besideLabel = override(digest);
    const agentLabel = agent(digest);
    if (besideLabel === null && agentLabel === null) {
      throw invalid('wrong token in X-CRA-Override-Token');
    }
    if (row.overrideToken && besideLabel !== null) return overridePrincipal(besideLabel);
    return agentLabel === null || row.apiToken
      ? apiPrincipal(label, row)
      : agentPrincipal(agentLabel, row);
  }

  function withBearer(token: string, beside: string, row: AuthRow) {
    const digest = digestOf(token);
    // All lists are always compared: which of them holds a token must not show in the time.
    const overrideLabel = override(digest);
    const agentLabel = agent(digest);
    const apiLabel = apiToken(digest);
    if (apiLabel !== null) return withApiToken(apiLabel, beside, row);
    if (overrideLabel !== null) {
      const principal = overridePrincipal(overrideLabel);
      if (row.overrideToken || row === ANY_CREDENTIAL) return principal;
      throw denied(principal.id, OVERRIDE_TOKEN_USES);
    }
    if (agentLabel !== null) return agentPrincipal(agentLabel, row);
    if (checkJwt === null || !JWT.test(token)) throw invalid('unknown token');
    const person = checkJwt(token, digest);
    return person instanceof Promise
      ? person.then((known) => admitPerson(known, row))
      : admitPerson(person, row);
  }

  const { admitSession, isPersonAdmitted } = sessionRules(options);

  function withSession(
    { cookies, isBackground }: Pick<Credentials, 'cookies' | 'isBackground'>,
    row: AuthRow,
  ): Promise<Principal> {
    const session = findSession?.(cookies, !isBackground) ?? null;
    if (session === null) throw missing();
    return session.then((person) => admitSession(person, row));
  }

  function check(credentials: Credentials, row: AuthRow): Principal | Promise<Principal> {
    if (row.unauthenticated === 'yes') return ANONYMOUS;
    const { authorization, apiKey, overrideToken: beside } = credentials;
    // Another program on the way might go by the other one.
    if (credentials.isRepeated) throw invalid('a header with a credential came twice');
    if (credentials.isInQuery) throw invalid('a token in the query');
    if (authorization !== '') {
      const token = BEARER.exec(authorization)?.[1];
      if (token === undefined) throw invalid('Authorization does not hold a bearer token');
      return withBearer(token, beside, row);
    }
    if (apiKey === '') return withSession(credentials, row);
    const label = apiToken(digestOf(apiKey));
    if (label === null) throw invalid('wrong token in X-API-Key');
    return withApiToken(label, beside, row);
  }

  const isOpen = openRows(options);
  return {
    check,
    isOpen,
    identify: createIdentify(check),
    may: (principal, row) => isOpen(row) || isPersonAdmitted(principal, row),
  };
}

/** The rows that ask for no credential in dev mode. */
function openRows(options: AuthOptions): Authentication['isOpen'] {
  const { overrideToken, agentToken, checkJwt, findSession, apiTokens } = options;
  const privileges = [overrideToken, agentToken, checkJwt, findSession];
  const hasPrivilege = privileges.some((privilege) => privilege !== null);
  return ({ unauthenticated }) => {
    if (options.isEnabled) return false;
    switch (unauthenticated) {
      case 'dev mode only':
        return true;
      case 'dev mode without privilege':
        return !hasPrivilege;
      case 'dev mode without API token':
        return apiTokens.length === 0;
      default:
        return false;
    }
  };
}

function createIdentify(check: Authentication['check']): Authentication['identify'] {
  return (credentials, onIgnored) => {
    const fallBack = (thrown: unknown): Principal => {
      if (!(thrown instanceof AuthRefusal)) throw thrown;
      if (thrown.reason !== NO_CREDENTIAL) onIgnored(thrown);
      return OPEN_PRINCIPAL;
    };
    try {
      const principal = check(credentials, ANY_CREDENTIAL);
      return principal instanceof Promise ? principal.catch(fallBack) : principal;
    } catch (thrown) {
      return fallBack(thrown);
    }
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

function agentPrincipal(label: string, row: AuthRow): Principal {
  const principal = tokenPrincipal('agent-token', label, 'cab-member');
  if (row.agentToken) return principal;
  throw deniedToAgent(principal.id);
}

function tokenPrincipal(
  credential: 'api-token' | 'override-token' | 'agent-token',
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

/** What sessions may do, and what a person may by whichever of both. */
function sessionRules({ sessionDecisions }: Pick<AuthOptions, 'sessionDecisions'>) {
  /** In a browser, changes of verdicts and rules need an admin, whatever a JWT may do. */
  function admitSession(person: Principal, row: AuthRow): Principal {
    if (row.session === 'no') throw denied(person.id, 'this endpoint is for API tokens only');
    const isByRole = row.session === 'any' || (row.session === 'decides' && decidesByRole);
    if (!isByRole && person.role !== 'admin') {
      throw denied(person.id, `this endpoint needs the role admin; yours is ${person.role}`);
    }
    return admitPerson(person, row);
  }
  const decidesByRole = sessionDecisions === 'cab-member';

  /** Of people only: sessions, and JWTs. */
  function isPersonAdmitted(principal: Principal, row: AuthRow): boolean {
    if (principal.credential !== 'session' && principal.credential !== 'oidc') return false;
    try {
      (principal.credential === 'session' ? admitSession : admitPerson)(principal, row);
      return true;
    } catch (thrown) {
      if (thrown instanceof AuthRefusal) return false;
      throw thrown;
    }
  }

  return { admitSession, isPersonAdmitted };
}

/** The label of the configured token with this SHA-256 digest, or null. */
type TokenCheck = (digest: Buffer) => string | null;

/** SHA-256 of the presented credential. */
export function digestOf(presented: string): Buffer {
  // Twice as fast as asking for the buffer, which is given memory of its own.
  return Buffer.from(hash('sha256', presented, 'hex'), 'hex');
}

/**
 * Compiles the digests (SHA-256, hex) of tokens into a check that takes the same time for every
 * token presented: digests are compared, all of them, and no comparison ends early. A token is
 * named by the first 8 digits of its digest, which says nothing of the token.
 */
function createTokenCheck(digests: readonly string[]): TokenCheck {
  const known = digests.map((hex) => ({
    digest: Buffer.from(hex, 'hex'),
    label: hex.slice(0, AUTH.TOKEN_LABEL_DIGITS),
  }));
  return (presented) => {
    let found: string | null = null;
    for (const { digest, label } of known) {
      found = timingSafeEqual(digest, presented) ? label : found;
    }
    return found;
  };
}
