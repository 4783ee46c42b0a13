import { hkdfSync } from 'node:crypto';
import { EncryptJWT, jwtDecrypt } from 'jose';
import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  buildEndSessionUrl,
  type ClientAuth,
  ClientSecretBasic,
  ClientSecretPost,
  type Configuration,
  calculatePKCECodeChallenge,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
} from 'openid-client';
import { CraError } from '../model/errors.ts';
import type { Principal } from '../model/principal.ts';
import { AuthRefusal, failedLogin } from './access.ts';
import { digestOf, type JwtCheck } from './authenticate.ts';
import { AUTH } from './limits.ts';
import { fetchBounded, ODD_TENANT, principalOf } from './oidc.ts';

interface OidcLoginOptions {
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** Where browsers reach the service, without a path. */
  baseUrl: string;
  /** Reads the roles of an access token, where it is a JWT for this service. */
  checkJwt: JwtCheck;
  seal: TransactionSeal;
  now(): number;
}

/** Login by the issuer: code flow with PKCE, state and nonce (OAuth 2.1, OpenID Connect Core). */
export interface OidcLogin {
  /** Where to send the browser, and what to give it along. UNAVAILABLE without the issuer. */
  begin(returnTo: string): Promise<{ location: string; transaction: string }>;
  /**
   * Who came back, and where to go on. `query` is that of the callback. UNAUTHENTICATED when
   * anything does not fit what `begin` sent.
   */
  finish(query: string, transaction: string): Promise<{ principal: Principal; returnTo: string }>;
  /** Where the browser ends its session with the issuer; null when the issuer has no such place. */
  logoutUrl(): Promise<string | null>;
}

/** The path that the issuer sends browsers back to; it has to know it. */
export const CALLBACK_PATH = '/api/cra/auth/callback';

const SECOND_MS = 1_000;

/** Creates the login. The issuer is asked when it is first needed. */
export function createOidcLogin(options: OidcLoginOptions): OidcLogin {
  const { baseUrl, seal, now } = options;
  const redirect_uri = `${baseUrl}${CALLBACK_PATH}`;
  let known: { configuration: Promise<Configuration>; atMs: number } | null = null;

  async function configuration(): Promise<Configuration> {
    if (known === null || now() - known.atMs >= AUTH.KEYS_MAX_AGE_MS) {
      known = { configuration: discover(options), atMs: now() };
    }
    const mine = known;
    try {
      return await mine.configuration;
    } catch (thrown) {
      if (known === mine) known = null;
      const message = 'the identity provider cannot be reached; try again later';
      throw new CraError('UNAVAILABLE', message, { cause: thrown });
    }
  }

  return {
    async begin(wanted) {
      const config = await configuration();
      const state = randomState();
      const nonce = randomNonce();
      const verifier = randomPKCECodeVerifier();
      const location = buildAuthorizationUrl(config, {
        redirect_uri,
        scope: 'openid profile email',
        state,
        nonce,
        code_challenge: await calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      });
      const returnTo = returnPath(wanted);
      const transaction = await seal.seal({ state, nonce, verifier, returnTo });
      return { location: location.href, transaction };
    },

    async finish(query, transaction) {
      const { state, nonce, verifier, returnTo } = await seal.open(transaction).catch(() => {
        throw failedLogin('no login was begun in this browser, or too long ago');
      });
      const config = await configuration();
      // Built from the setting: Host and X-Forwarded-Host are the client's word.
      const url = new URL(`${redirect_uri}?${query}`);
      const tokens = await authorizationCodeGrant(config, url, {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: verifier,
        idTokenExpected: true,
      }).catch((thrown) => {
        throw failedLogin(codeOf(thrown));
      });
      const claims = tokens.claims() ?? {};
      const principal = principalOf(claims);
      if (typeof principal === 'string') throw failedLogin(principal);
      const fromAccess = await personOf(tokens.access_token, options.checkJwt);
      // Keycloak shows realm roles in access tokens only.
      const isSame = fromAccess?.id === principal.id;
      return {
        principal: isSame ? { ...fromAccess, ...personal(principal) } : principal,
        returnTo,
      };
    },

    async logoutUrl() {
      const config = await configuration();
      if (config.serverMetadata().end_session_endpoint === undefined) return null;
      return buildEndSessionUrl(config, { post_logout_redirect_uri: `${baseUrl}/` }).href;
    },
  };
}

/** Keycloak's access tokens may lack the claims of the scopes `profile` and `email`. */
function personal({ name, email }: Principal): Partial<Principal> {
  return email === undefined ? { name } : { name, email };
}

function discover({ issuer, clientId, clientSecret }: OidcLoginOptions): Promise<Configuration> {
  const url = new URL(issuer);
  const isPlain = url.protocol === 'http:';
  return discovery(url, clientId, clientSecret, authenticateBy(clientSecret), {
    // Settings allow plain http for loopback alone.
    execute: [enableNonRepudiationChecks, ...(isPlain ? [allowInsecureRequests] : [])],
    timeout: AUTH.ISSUER_TIMEOUT_MS / SECOND_MS,
    [customFetch]: (address, init) => fetchBounded(new URL(address), init as RequestInit),
  });
}

/** OpenID Connect Discovery, 3: an issuer that names no method takes the basic one. */
function authenticateBy(secret: string): ClientAuth {
  const basic = ClientSecretBasic(secret);
  const post = ClientSecretPost(secret);
  return (server, client, body, headers) => {
    const methods = server.token_endpoint_auth_methods_supported;
    const method = methods?.includes('client_secret_basic') === false ? post : basic;
    method(server, client, body, headers);
  };
}

async function personOf(accessToken: string, checkJwt: JwtCheck): Promise<Principal | null> {
  try {
    return await checkJwt(accessToken, digestOf(accessToken));
  } catch (thrown) {
    // It is for this service and says that the tenant went wrong: no reason for the default one.
    if (thrown instanceof AuthRefusal && thrown.reason.endsWith(ODD_TENANT)) {
      throw failedLogin(ODD_TENANT);
    }
    return null;
  }
}

/** An error's code, or the issuer's; messages may quote secrets of the request. */
function codeOf(thrown: unknown): string {
  const { code, error } = thrown as { code?: unknown; error?: unknown };
  const known = [code, error].filter((part) => typeof part === 'string');
  return known.map((part) => part.replaceAll(/[^\w.-]/g, '?').slice(0, 60)).join(' ') || 'unknown';
}

/** What has to be known again when the browser comes back from the issuer. */
interface Transaction {
  state: string;
  nonce: string;
  verifier: string;
  returnTo: string;
}

/** Seals transactions into a cookie, so that logins that are never completed store nothing. */
interface TransactionSeal {
  seal(transaction: Transaction): Promise<string>;
  /** Rejects a text that was not sealed here, or is older than AUTH.LOGIN_MS. */
  open(sealed: string): Promise<Transaction>;
}

const KEY_BYTES = 32;

/** Creates the seal; daemons with the same secret open each other's. */
export function createTransactionSeal(secret: string, now: () => number): TransactionSeal {
  const key = new Uint8Array(hkdfSync('sha256', secret, '', 'cra login transaction', KEY_BYTES));
  return {
    seal: ({ state, nonce, verifier, returnTo }) =>
      new EncryptJWT({ state, nonce, verifier, returnTo })
        .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
        .setExpirationTime(Math.floor((now() + AUTH.LOGIN_MS) / SECOND_MS))
        .encrypt(key),
    async open(sealed) {
      const { payload } = await jwtDecrypt<Record<keyof Transaction, unknown>>(sealed, key, {
        keyManagementAlgorithms: ['dir'],
        contentEncryptionAlgorithms: ['A256GCM'],
        currentDate: new Date(now()),
        requiredClaims: ['exp'],
      });
      const { state, nonce, verifier, returnTo } = payload;
      return {
        state: String(state),
        nonce: String(nonce),
        verifier: String(verifier),
        returnTo: String(returnTo),
      };
    },
  };
}

/** Where a login leads without a return path, or with a path of another site. */
const HOME = '/cra';

/** Visible ASCII without the backslash, which browsers take for a slash. */
const PATH = /^\/(?!\/)[!-[\]-~]*$/;

/** The path to go on to after a login: on this host, whatever the request asked for. */
export function returnPath(wanted: string): string {
  if (wanted.length > AUTH.RETURN_PATH_CHARS_MAX || !PATH.test(wanted)) return HOME;
  return new URL(wanted, 'https://own.invalid').host === 'own.invalid' ? wanted : HOME;
}
