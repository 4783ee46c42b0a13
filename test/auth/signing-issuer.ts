import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ExecutionContext } from 'ava';
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';

/** Answers one request for a document in place of the issuer. */
export type Misbehave = (request: IncomingMessage, response: ServerResponse) => void;

export interface SigningKey {
  privateKey: CryptoKey;
  publicKey: CryptoKey;
  jwk: JWK;
}

/** An issuer that signs whatever the test wants and can be made to misbehave. */
export interface SigningIssuer {
  url: string;
  audience: string;
  /** Paths that were asked for. */
  requests: string[];
  /** The keys it shows; tests may replace them. */
  shown: JWK[];
  key: SigningKey;
  /** How it answers instead of as it should; null: it behaves. */
  misbehave: Misbehave | null;
  /** A token as the service wants it, with other claims and header fields where told. */
  sign(claims?: object, header?: object, key?: SigningKey): Promise<string>;
}

/** Time of the tests: the clock of the service stands here unless a test moves it. */
export const NOW_MS = Date.parse('2026-01-01T00:00:00Z');

/** Starts the issuer; it ends with the test. */
export async function startSigningIssuer(
  t: Pick<ExecutionContext, 'teardown'>,
  alg = 'ES256',
): Promise<SigningIssuer> {
  const server = createServer((request, response) => {
    issuer.requests.push(request.url ?? '');
    if (issuer.misbehave !== null) return issuer.misbehave(request, response);
    sendJson(response, request.url === '/keys' ? { keys: issuer.shown } : discovery(issuer.url));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const key = await makeKey(alg, 'first');
  const issuer: SigningIssuer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    audience: 'cra-api',
    requests: [],
    shown: [key.jwk],
    key,
    misbehave: null,
    sign(claims = {}, header = {}, signer = key) {
      const { alg: algorithm = '', kid } = signer.jwk;
      return new SignJWT({ ...standardClaims(issuer), ...claims })
        .setProtectedHeader({ alg: algorithm, kid, typ: 'JWT', ...header } as { alg: string })
        .sign(signer.privateKey);
    },
  };
  return issuer;
}

/** The claims of a good token. */
export function standardClaims(issuer: Pick<SigningIssuer, 'url' | 'audience'>) {
  const seconds = NOW_MS / 1000;
  return { iss: issuer.url, aud: issuer.audience, sub: 'ann', iat: seconds, exp: seconds + 3600 };
}

/** A key pair with its public JWK. */
export async function makeKey(alg: string, kid: string): Promise<SigningKey> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  const jwk = { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' };
  return { privateKey, publicKey, jwk };
}

/** The discovery document of an issuer. */
export function discovery(url: string) {
  return { issuer: url, jwks_uri: `${url}/keys` };
}

/** Answers 200 with JSON. */
export function sendJson(response: ServerResponse, document: unknown): void {
  response.setHeader('Content-Type', 'application/json');
  response.end(JSON.stringify(document));
}
