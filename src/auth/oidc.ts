import {
  createLocalJWKSet,
  errors,
  type JSONWebKeySet,
  type JWTPayload,
  type JWTVerifyGetKey,
  jwtVerify,
} from 'jose';
import { isSafeUrl } from '../core/credentials.ts';
import { reachProblem, readBody, startDeadline } from '../core/deadline.ts';
import { FIELDS } from '../model/limits.ts';
import { DEFAULT_TENANT, type Principal, ROLES, type Role } from '../model/principal.ts';
import { NAME } from '../model/schema.ts';
import { invalid, unverifiable } from './access.ts';
import type { JwtCheck } from './authenticate.ts';
import { AUTH } from './limits.ts';

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
  if (typeof principal === 'string') throw invalid(`JWT: ${principal}`);
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
      // Put last, so that the least recently used one is first.
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
 * The person that an access token names (spec, "OIDC / JWT"), or why the token is refused: its
 * `sub` is unusable or looks like a name of the service's own, or its `meridian_tenant` is present
 * but unusable, as a damaged claim must not admit its bearer to the default tenant. Any
 * other claim of an odd shape counts as absent: no role known is `viewer`. Roles are taken from
 * `meridian_roles` and `realm_access.roles`, nowhere else.
 */
export function principalOf(claims: Claims): Principal | string {
  const id = textOf(claims['sub'], AUTH.SUBJECT_CHARS_MAX);
  if (id === null || !isReadable(id) || isOwnName(id)) return 'sub is not a usable text';
  const tenant = claims['meridian_tenant'];
  const known = textOf(tenant, AUTH.TENANT_CHARS_MAX);
  if (tenant !== undefined && (known === null || !isReadable(known))) return ODD_TENANT;
  const email = textOf(claims['email'], FIELDS.EMAIL_CHARS_MAX);
  const name = textOf(claims['name'], AUTH.NAME_CHARS_MAX);
  return {
    id,
    // It is shown as the actor, where a name of the service's own would mislead as well.
    name: name !== null && isReadable(name) && !isOwnName(name) ? name : email,
    ...(email === null ? {} : { email }),
    credential: 'oidc',
    role: roleOf(claims),
    tenant_id: known ?? DEFAULT_TENANT,
  };
}

/** The problem of a tenant that cannot be used. */
export const ODD_TENANT = 'meridian_tenant is not a usable text';

const READABLE = new RegExp(NAME, 'u');

/** Whether a name shows all of itself: no invisible characters, no blanks at its ends. */
function isReadable(text: string): boolean {
  return READABLE.test(text) && text.trim() === text;
}

const SMALL_CAPITALS = 'ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢ';
const SMALL_LETTERS = 'abcdefghijklmnoprstuvwyz';

/** Small letters that look like Latin ones (Unicode, UTS 39), for the letters of those names. */
const LOOKALIKES: ReadonlyMap<string, string> = new Map(
  (
    [
      ['\u0430\u03b1\u0251', 'a'],
      ['\u0441\u03f2\u1d04', 'c'],
      ['\u0501', 'd'],
      ['\u0435\u0454\u03b5', 'e'],
      ['\u0261', 'g'],
      ['\u04bb\u043d', 'h'],
      ['\u0456\u03b9\u0131', 'i'],
      ['\u043a\u03ba', 'k'],
      ['\u04cf', 'l'],
      ['\u043c', 'm'],
      ['\u0578\u03b7', 'n'],
      ['\u043e\u03bf\u0585', 'o'],
      ['\u0440\u03c1', 'p'],
      ['\u0433', 'r'],
      ['\u0455', 's'],
      ['\u0442\u03c4', 't'],
      ['\u03bd\u0475', 'v'],
      ['\u051d\u0461', 'w'],
      ['\u0443\u03b3', 'y'],
      ...Array.from(SMALL_CAPITALS, (capital, at) => [capital, SMALL_LETTERS[at] ?? ''] as const),
    ] as const
  ).flatMap(([letters, latin]) => [...letters].map((letter) => [letter, latin])),
);

/**
 * Ids of callers that are not people of the issuer, and words for the service itself, reduced as
 * `skeletonOf` does: no `sub` may pass for them in the trail.
 */
const OWN_NAMES: ReadonlySet<string> = new Set(
  ['local', 'local-admin', 'dev-mode', 'anonymous', 'cra', 'system', 'webhook'].map(skeletonOf),
);
/** Beginnings of such ids; a label follows, such as the first digits of a token's SHA-256. */
const OWN_STARTS = ['api-token', 'override-token', 'agent-token', 'webhook:'];
const OWN_PREFIXES = OWN_STARTS.map(skeletonOf);

/** Whether a text reads like an id of the service's own, however it is spelled. */
function isOwnName(text: string): boolean {
  const skeleton = skeletonOf(text);
  if (OWN_NAMES.has(skeleton)) return true;
  return OWN_PREFIXES.some((start) => skeleton.startsWith(start) && isLabel(skeleton, start));
}

/** Nothing, or what a label has: `webhooks-team` and `api-tokens` name people. */
function isLabel(skeleton: string, start: string): boolean {
  const rest = skeleton.slice(start.length);
  return rest === '' || rest.startsWith(':') || start.endsWith(':');
}

/**
 * A text as its reader takes it: compatibility forms (NFKC) and case are one, what is not shown,
 * spaces and combining marks are left out, every dash, dot or underline is left out, every colon
 * is `:`, and letters of Cyrillic and Greek that look like Latin ones are those.
 */
function skeletonOf(text: string): string {
  const folded = text.normalize('NFKC').toLowerCase().normalize('NFKD');
  const shown = folded.replaceAll(/[\p{DI}\p{Cf}\p{Cc}\p{M}\p{Z}\u2800]/gu, '');
  const joined = shown.replaceAll(/[\p{Pd}\p{Pc}\u2212.\u00b7\u30fb]/gu, '');
  const plain = joined.replaceAll(/[\u02d0\u0589\u05c3\u2236\ua789\ufe55\uff1a]/gu, ':');
  return [...plain].map((letter) => LOOKALIKES.get(letter) ?? letter).join('');
}

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

/**
 * Fetches one JSON document of an issuer. Rejects with an Error whose message is a reason for the
 * log: nothing of what was received is in it.
 */
async function fetchDocument(url: URL): Promise<Readonly<Record<string, unknown>>> {
  const response = await fetchBounded(url, { headers: { Accept: 'application/json' } });
  if (response.status !== 200) throw new Error(`status ${response.status}`);
  const document = parse(await response.text());
  if (typeof document !== 'object' || document === null || Array.isArray(document)) {
    throw new Error('the document is not a JSON object');
  }
  return document as Readonly<Record<string, unknown>>;
}

/**
 * `fetch` whose answer is there as a whole. Redirects are not followed, as they could lead to
 * plain http; what is large or slow is cut off, with an Error as above.
 */
export async function fetchBounded(url: URL, init: RequestInit): Promise<Response> {
  const { signal, clear } = startDeadline(AUTH.ISSUER_TIMEOUT_MS, []);
  try {
    const response = await fetch(url, { ...init, signal, redirect: 'error' }).catch((thrown) => {
      throw new Error(signal.aborted ? 'no answer in time' : reachProblem(thrown));
    });
    const bytes = await readBody(response, signal, AUTH.ISSUER_DOCUMENT_BYTES_MAX).catch(() => {
      throw new Error(signal.aborted ? 'no complete answer in time' : 'the answer broke off');
    });
    if (bytes === null) throw new Error('the document is too large');
    const { status, headers } = response;
    return new Response(response.body === null ? null : bytes, { status, headers });
  } finally {
    clear();
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error('the document is not JSON');
  }
}

interface IssuerKeysOptions {
  /** As configured; the discovery document must say exactly the same. */
  issuer: string;
  now(): number;
  /** Called once for each attempt to get the keys that failed, with a reason for the log. */
  onProblem(reason: string): void;
}

/** No token can be checked now; says nothing about the one at hand. */
class KeysUnknown extends Error {}

type KeySet = JWTVerifyGetKey;

/** The keys of an issuer. */
interface IssuerKeys {
  /** For `jwtVerify`. */
  find: JWTVerifyGetKey;
  /**
   * Whether the issuer gave its keys when it was last asked; an answer that is older than
   * AUTH.ISSUER_CHECK_MS is asked for again, so that an outage shows before anybody needs it.
   */
  isReachable(): Promise<boolean>;
}

/**
 * Creates them. They are fetched when they are first needed, so that
 * the service starts without its issuer; kept for AUTH.KEYS_MAX_AGE_MS; and fetched again, at
 * most every AUTH.KEYS_COOLDOWN_MS, for a key that is not among them. While the issuer cannot be
 * reached the old ones go on to count for AUTH.KEYS_GRACE_MS; then, or without any, none do.
 */
export function createIssuerKeys(options: IssuerKeysOptions): IssuerKeys {
  const { now } = options;
  let keys: KeySet | null = null;
  let fetchedAtMs = 0;
  let triedAtMs = Number.NEGATIVE_INFINITY;
  let refreshing: Promise<void> | null = null;
  let waiting = 0;
  let isUp = false;

  async function refresh(): Promise<void> {
    try {
      keys = await fetchKeys(options.issuer);
      fetchedAtMs = now();
      isUp = true;
    } catch (thrown) {
      isUp = false;
      options.onProblem(thrown instanceof Error ? thrown.message : 'unknown');
    } finally {
      triedAtMs = now();
      refreshing = null;
    }
  }

  /** Tries again, if the last time is long enough ago; one attempt serves all who wait. */
  async function refreshIfDue(): Promise<void> {
    if (refreshing === null && now() - triedAtMs < AUTH.KEYS_COOLDOWN_MS) return;
    if (waiting >= AUTH.KEYS_WAITING_MAX) throw new KeysUnknown('too many wait for the keys');
    refreshing ??= refresh();
    waiting += 1;
    await refreshing;
    waiting -= 1;
  }

  const age = () => now() - fetchedAtMs;

  const find: JWTVerifyGetKey = async (header, token) => {
    // jose treats a `kid` that is not a text as absent.
    if (header.kid !== undefined && typeof header.kid !== 'string') throw new Error('odd kid');
    if (keys === null || age() >= AUTH.KEYS_MAX_AGE_MS) await refreshIfDue();
    if (keys === null || age() >= AUTH.KEYS_MAX_AGE_MS + AUTH.KEYS_GRACE_MS) {
      throw new KeysUnknown('the keys of the issuer are not known');
    }
    try {
      return await keys(header, token);
    } catch (thrown) {
      if (!(thrown instanceof errors.JWKSNoMatchingKey)) throw thrown;
      const before = keys;
      await refreshIfDue();
      if (keys === before) throw thrown;
      return await keys(header, token);
    }
  };
  return {
    find,
    async isReachable() {
      if (refreshing === null && now() - triedAtMs >= AUTH.ISSUER_CHECK_MS) refreshing = refresh();
      await refreshing;
      return isUp;
    },
  };
}

async function fetchKeys(issuer: string): Promise<KeySet> {
  const discovery = new URL(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`);
  const document = await named('discovery', fetchDocument(discovery));
  if (document['issuer'] !== issuer) throw new Error('discovery: names another issuer');
  const uri = document['jwks_uri'];
  if (typeof uri !== 'string' || !URL.canParse(uri) || !isSafeUrl(new URL(uri))) {
    throw new Error('discovery: jwks_uri is not an https address');
  }
  const set = await named('keys', fetchDocument(new URL(uri)));
  try {
    return createLocalJWKSet(set as unknown as JSONWebKeySet);
  } catch {
    throw new Error('keys: the document is not a key set');
  }
}

async function named<T>(what: string, document: Promise<T>): Promise<T> {
  try {
    return await document;
  } catch (thrown) {
    throw new Error(`${what}: ${(thrown as Error).message}`);
  }
}
