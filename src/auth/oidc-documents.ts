import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';
import { isSafeUrl } from '../core/credentials.ts';
import { AUTH } from './limits.ts';

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
  const signal = AbortSignal.timeout(AUTH.ISSUER_TIMEOUT_MS);
  const response = await fetch(url, { ...init, signal, redirect: 'error' }).catch((thrown) => {
    throw new Error(signal.aborted ? 'no answer in time' : reachProblem(thrown));
  });
  const { status, headers, body } = response;
  // Node's types have two kinds of streams for one.
  const stream = body as AsyncIterable<Uint8Array> | null;
  return new Response(stream === null ? null : await readBytes(stream, signal), {
    status,
    headers,
  });
}

/** System error codes such as ECONNREFUSED; never a message, which may show content. */
function reachProblem(thrown: unknown): string {
  const code = (thrown as { cause?: { code?: unknown } } | null)?.cause?.code;
  return `not reached (${typeof code === 'string' ? code : 'no connection'})`;
}

async function readBytes(
  body: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): Promise<Buffer<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of body) {
      bytes += chunk.length;
      if (bytes > AUTH.ISSUER_DOCUMENT_BYTES_MAX) break;
      chunks.push(chunk);
    }
  } catch {
    throw new Error(signal.aborted ? 'no complete answer in time' : 'the answer broke off');
  }
  if (bytes > AUTH.ISSUER_DOCUMENT_BYTES_MAX) throw new Error('the document is too large');
  return Buffer.concat(chunks);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error('the document is not JSON');
  }
}

export interface IssuerKeysOptions {
  /** As configured; the discovery document must say exactly the same. */
  issuer: string;
  now(): number;
  /** Called once for each attempt to get the keys that failed, with a reason for the log. */
  onProblem(reason: string): void;
}

/** No token can be checked now; says nothing about the one at hand. */
export class KeysUnknown extends Error {}

type KeySet = JWTVerifyGetKey;

/** The keys of an issuer. */
export interface IssuerKeys {
  /** For `jwtVerify`. */
  find: JWTVerifyGetKey;
  /**
   * Whether the issuer gave its keys when it was last asked; an answer that is older than
   * AUTH.ISSUER_CHECK_MS is asked for anew, so that an outage shows before anybody needs it.
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
