import { errors, type JWTPayload, jwtVerify } from 'jose';
import { DEFAULT_TENANT, type Principal, ROLES, type Role } from '../model/principal.ts';
import type { JwtCheck } from './authenticate.ts';
import { AUTH } from './limits.ts';
import {
  createIssuerKeys,
  type IssuerKeys,
  type IssuerKeysOptions,
  KeysUnknown,
} from './oidc-documents.ts';
import { invalid, unverifiable } from './refusal.ts';

interface JwtCheckOptions extends IssuerKeysOptions {
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
export function createJwtCheck(
  options: JwtCheckOptions,
  { find }: IssuerKeys = createIssuerKeys(options),
): JwtCheck {
  const { issuer, audience, now } = options;
  const verified = createVerifiedTokens(now);

  async function check(token: string, digest: Buffer): Promise<Principal> {
    const { payload } = await jwtVerify(token, find, {
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

/** Who the tokens name that were checked not long ago; a bounded memory of digests. */
interface VerifiedTokens {
  find(digest: Buffer): Principal | null;
  /** `expiresAtMs` is the token's own end. */
  add(digest: Buffer, principal: Principal, expiresAtMs: number): void;
}

/**
 * A signature is checked once, not with each request. What it costs: a token whose key is
 * withdrawn or whose owner loses a role is accepted for AUTH.VERIFIED_MS more.
 */
function createVerifiedTokens(now: () => number): VerifiedTokens {
  const known = new Map<string, { principal: Principal; untilMs: number }>();
  return {
    find(digest) {
      const key = digest.toString('latin1');
      const entry = known.get(key);
      if (entry === undefined) return null;
      known.delete(key);
      if (now() >= entry.untilMs) return null;
      // Put last: the first ones are those that were not used for longest.
      known.set(key, entry);
      return entry.principal;
    },
    add(digest, principal, expiresAtMs) {
      const untilMs = Math.min(expiresAtMs, now() + AUTH.VERIFIED_MS);
      known.set(digest.toString('latin1'), { principal, untilMs });
      for (const oldest of known.keys()) {
        if (known.size <= AUTH.VERIFIED_MAX) return;
        known.delete(oldest);
      }
    },
  };
}

/** The claims of a token whose signature was checked; their shapes were not. */
type Claims = Readonly<Record<string, unknown>>;

/**
 * The person that an access token names (spec, "OIDC / JWT"), or null without a usable `sub`.
 * Any other claim of an odd shape counts as absent: no role known is `viewer`, no tenant the
 * default one. Roles are taken from `meridian_roles` and `realm_access.roles`, nowhere else.
 */
export function principalOf(claims: Claims): Principal | null {
  const id = textOf(claims['sub'], AUTH.SUBJECT_CHARS_MAX);
  if (id === null || RESERVED.test(id)) return null;
  const email = textOf(claims['email'], AUTH.EMAIL_CHARS_MAX);
  return {
    id,
    name: textOf(claims['name'], AUTH.NAME_CHARS_MAX) ?? email,
    ...(email === null ? {} : { email }),
    credential: 'oidc',
    role: roleOf(claims),
    tenant_id: textOf(claims['meridian_tenant'], AUTH.TENANT_CHARS_MAX) ?? DEFAULT_TENANT,
  };
}

/** Ids of callers that are not people of the issuer: no `sub` may pass for them in the trail. */
const RESERVED = /^(?:local-admin|dev-mode|anonymous|cra|(?:api|override)-token(?::.*)?)$/;

/**
 * Why a token, however well signed, is not an access token; null: it may be one. Keycloak marks its
 * kinds with a claim `typ`; others' ID tokens are known by what only those carry (OpenID Connect
 * Core, 2 and 3.1.3.6), logout tokens by their event (Back-Channel Logout, 2.4).
 */
export function otherKindOf(claims: Claims): string | null {
  const { typ, nonce, at_hash, c_hash, events } = claims;
  const isOther = typeof typ === 'string' && OTHER_KINDS.has(typ.toLowerCase());
  if (isOther) return 'typ says that it is not an access token';
  if (nonce !== undefined || at_hash !== undefined || c_hash !== undefined) return 'an ID token';
  return events === undefined ? null : 'an event, such as a logout';
}

const OTHER_KINDS: ReadonlySet<string> = new Set(['id', 'refresh', 'offline', 'logout']);

function roleOf(claims: Claims): Role {
  const realm = claims['realm_access'];
  const nested = isObject(realm) ? realm['roles'] : null;
  const named = new Set([...listOf(claims['meridian_roles']), ...listOf(nested)]);
  return ROLES.findLast((role) => named.has(role)) ?? 'viewer';
}

function listOf(claim: unknown): readonly unknown[] {
  return Array.isArray(claim) ? claim : [];
}

function isObject(claim: unknown): claim is Claims {
  return typeof claim === 'object' && claim !== null;
}

/** Text that can be kept, shown and hashed: no control characters, no halves of characters. */
function textOf(claim: unknown, charsMax: number): string | null {
  if (typeof claim !== 'string' || claim === '' || claim.length > charsMax) return null;
  return claim.isWellFormed() && !CONTROL.test(claim) ? claim : null;
}

const CONTROL = /\p{Cc}/u;
