import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';
import { Provider } from 'oidc-provider';
import { fake } from '../../src/rules/fake.ts';
import type { Teardown } from '../daemon.ts';

/** A real OpenID Connect issuer (npm oidc-provider) on a port of its own. */
export interface Issuer {
  url: string;
  audience: string;
  /** An access token by client credentials; the client's name is the role that it has. */
  accessToken(client: string): Promise<string>;
  /** A token signed with its key, with claims that it would not give by itself. */
  sign(claims: Readonly<Record<string, unknown>>): Promise<string>;
  /** The client that people log in with. */
  dashboard: { clientId: string; clientSecret: string };
}

/** Clients, and the claims of their tokens. */
const CLIENTS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  nobody: {},
  viewer: { meridian_roles: ['viewer', 'unknown'] },
  submitter: { realm_access: { roles: ['submitter', 'offline_access'] } },
  reviewer: { meridian_roles: ['reviewer'] },
  'cab-member': { meridian_roles: ['viewer'], realm_access: { roles: ['cab-member'] } },
  'change-manager': { meridian_roles: ['change-manager'] },
  admin: { meridian_roles: ['admin', 'viewer'] },
  'acme-admin': { meridian_roles: ['admin'], meridian_tenant: 'acme' },
};

const AUDIENCE = 'cra-api';
const CLIENT_SECRET = fake('', 40);

/**
 * Starts the issuer; it ends with the test. People log in by the name of their role, with any
 * password, and come back to `redirectUri`.
 */
export async function startIssuer(
  t: Teardown,
  redirectUri = 'http://127.0.0.1:3011/',
): Promise<Issuer> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const rsa = await privateKey('RS256');
  const elliptic = await privateKey('ES256');
  const keys = [rsa.jwk, elliptic.jwk];
  server.on('request', new Provider(url, configuration(keys, redirectUri)).callback());
  return {
    url,
    audience: AUDIENCE,
    accessToken: (client) => requestToken(url, client),
    sign: (claims) =>
      new SignJWT({ iss: url, aud: AUDIENCE, sub: 'ann', exp: seconds() + 300, ...claims })
        .setProtectedHeader({ alg: 'ES256', kid: 'key-ES256', typ: 'at+jwt' })
        .sign(elliptic.key),
    dashboard: { clientId: 'dashboard', clientSecret: CLIENT_SECRET },
  };
}

/** Seconds since the epoch, as claims have them. */
const seconds = () => Math.floor(Date.now() / 1_000);

async function privateKey(alg: string): Promise<{ key: CryptoKey; jwk: JWK }> {
  const { privateKey: key } = await generateKeyPair(alg, { extractable: true });
  return { key, jwk: { ...(await exportJWK(key)), kid: `key-${alg}`, use: 'sig', alg } };
}

function configuration(keys: JWK[], redirectUri: string) {
  return {
    jwks: { keys },
    cookies: { keys: [fake('', 32)] },
    clients: [
      ...Object.keys(CLIENTS).map((client_id) => ({
        client_id,
        client_secret: CLIENT_SECRET,
        grant_types: ['client_credentials'],
        redirect_uris: [],
        response_types: [],
      })),
      {
        client_id: 'dashboard',
        client_secret: CLIENT_SECRET,
        grant_types: ['authorization_code'],
        redirect_uris: [redirectUri],
        response_types: ['code'],
      },
    ],
    scopes: ['openid', 'profile', 'email', 'cra'],
    pkce: { required: () => true },
    claims: { openid: ['sub'], profile: ['name'], email: ['email'] },
    conformIdTokenClaims: false,
    findAccount: (_context: unknown, id: string) => ({
      accountId: id,
      claims: () => ({ sub: id, name: `Person ${id}`, email: `${id}@example.test` }),
    }),
    extraTokenClaims: (_context: unknown, token: { clientId: string; accountId?: string }) => ({
      // Client credentials have no person; Keycloak's service accounts have a `sub`, too.
      sub: token.accountId ?? token.clientId,
      ...CLIENTS[token.accountId ?? token.clientId],
    }),
    features: {
      devInteractions: { enabled: true },
      rpInitiatedLogout: { enabled: true },
      clientCredentials: { enabled: true },
      // Without a resource the access token is opaque.
      resourceIndicators: {
        enabled: true,
        defaultResource: () => 'urn:cra-api',
        useGrantedResource: () => true,
        getResourceServerInfo: (_context: unknown, _resource: string, client: Client) => ({
          scope: 'cra',
          audience: AUDIENCE,
          accessTokenFormat: 'jwt',
          accessTokenTTL: 300,
          jwt: { sign: { alg: client.clientId === 'admin' ? 'ES256' : 'RS256' } },
        }),
      },
    },
  };
}

interface Client {
  clientId: string;
}

async function requestToken(url: string, client: string): Promise<string> {
  const response = await fetch(`${url}/token`, {
    method: 'POST',
    headers: { Authorization: `Basic ${btoa(`${client}:${CLIENT_SECRET}`)}` },
    body: new URLSearchParams({ grant_type: 'client_credentials', scope: 'cra' }),
  });
  const { access_token } = (await response.json()) as { access_token?: string };
  if (access_token === undefined) throw new Error(`no token for ${client}: ${response.status}`);
  return access_token;
}
