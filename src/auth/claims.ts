import { AUTH } from '../limits.ts';
import { DEFAULT_TENANT, type Principal, ROLES, type Role } from '../model/principal.ts';

/** The claims of a token whose signature was checked; their shapes were not. */
export type Claims = Readonly<Record<string, unknown>>;

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
  if (isOther) return 'typ says that it is no access token';
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
