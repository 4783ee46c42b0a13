import { errors, type JWTPayload, jwtVerify } from 'jose';
import { AUTH } from '../limits.ts';
import type { Principal } from '../model/principal.ts';
import type { JwtCheck } from './authenticate.ts';
import { otherKindOf, principalOf } from './claims.ts';
import { createIssuerKeys, type IssuerKeysOptions, KeysUnknown } from './oidc-keys.ts';
import { invalid, unverifiable } from './refusal.ts';
import { createVerifiedTokens } from './verified-tokens.ts';

export interface JwtCheckOptions extends IssuerKeysOptions {
  /** What the token's `aud` must be or hold. */
  audience: string;
}

/** Asymmetric ones only: with HS256 anybody with the public key could sign. */
const ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
];

/** Checks access tokens of one OpenID Connect issuer. */
export function createJwtCheck(options: JwtCheckOptions): JwtCheck {
  const { issuer, audience, now } = options;
  const keys = createIssuerKeys(options);
  const verified = createVerifiedTokens(now);

  async function check(token: string, digest: Buffer): Promise<Principal> {
    const { payload } = await jwtVerify(token, keys, {
      issuer,
      audience,
      algorithms: ALGORITHMS,
      requiredClaims: ['exp', 'sub'],
      clockTolerance: AUTH.CLOCK_TOLERANCE_SECONDS,
      currentDate: new Date(now()),
    }).catch((thrown) => {
      const reason = `JWT: ${reasonOf(thrown)}`;
      throw thrown instanceof KeysUnknown ? unverifiable(reason) : invalid(reason);
    });
    const principal = personOf(payload);
    verified.add(digest, principal, (payload.exp ?? 0) * SECOND_MS);
    return principal;
  }

  return (token, digest) => verified.find(digest) ?? check(token, digest);
}

const SECOND_MS = 1_000;

function personOf(payload: JWTPayload): Principal {
  const otherKind = otherKindOf(payload);
  if (otherKind !== null) throw invalid(`JWT: ${otherKind}`);
  const principal = principalOf(payload);
  if (principal === null) throw invalid('JWT: sub is not a usable text');
  return principal;
}

/** jose's code and the name of the claim it is about; its messages may show content. */
function reasonOf(thrown: unknown): string {
  if (thrown instanceof errors.JWTClaimValidationFailed || thrown instanceof errors.JWTExpired) {
    return `${thrown.code} ${thrown.claim}`;
  }
  if (thrown instanceof errors.JOSEError) return thrown.code;
  const isOurs = thrown instanceof KeysUnknown || (thrown as Error).constructor === Error;
  return isOurs ? (thrown as Error).message : 'not usable';
}
