import { createHash, createHmac, type Hmac, hash, timingSafeEqual } from 'node:crypto';
import { webhookMac } from '../core/standard-webhooks.ts';
import { HOSTS } from './settings.ts';

/** The headers of a webhook, by lower-case name, and which of them came more than once. */
export interface DeliveryHeaders {
  readonly values: ReadonlyMap<string, string>;
  readonly repeated: ReadonlySet<string>;
}

/** Form of a signature: `token` and `signed` are the two that GitLab sends. */
export type SignatureKind = 'hub' | 'token' | 'signed';

/** Hosts that sign alike: `hub` signs the body (GitHub, Gitea, Forgejo); `provider` is GitLab. */
export type SignatureFamily = 'hub' | 'provider';

/** A secret of webhooks, and the hosts whose deliveries it proves. */
export interface WebhookSecret {
  family: SignatureFamily;
  secret: string;
  /** Id of its host; null: every host of the family. */
  host: string | null;
}

/** The check of one delivery, fed with its body as it arrives. */
interface SignatureCheck {
  readonly kind: SignatureKind;
  /** The headers alone have proved the sender: a token that is sent as it is. */
  readonly isProven: boolean;
  update(chunk: Uint8Array): void;
  /** The secrets that hold, after the whole body; empty: the delivery is refused. */
  finish(): WebhookSecret[];
  /** Tells bodies apart, once a secret holds: a hash of the body, keyed where that is at hand. */
  bodyDigest(): Buffer;
}

const HUB = 'x-hub-signature-256';
const SIGNED = 'webhook-signature';
/** The spec's neutral name, and GitLab's. */
const TOKENS = ['x-provider-token', 'x-gitlab-token'];
const HUB_DIGEST = /^sha256=([0-9a-f]{64})$/;
const SIGNED_DIGEST = /^v1,([A-Za-z0-9+/]{43}=)$/;

/**
 * Starts to check a delivery; null when its headers alone refuse it: no signature or token, one
 * that is repeated or malformed, a token that fits no secret, no secret of that family at all.
 * With several kinds the signature over the body has to hold. Every comparison takes constant
 * time and is made for every secret.
 */
export function startSignatureCheck(
  headers: DeliveryHeaders,
  secrets: readonly WebhookSecret[],
  nowMs: number,
): SignatureCheck | null {
  const { values, repeated } = headers;
  if ([HUB, SIGNED, ...TOKENS].some((name) => repeated.has(name))) return null;
  const hub = values.get(HUB);
  if (hub !== undefined) return hubCheck(hub, familyOf(secrets, 'hub'));
  const own = familyOf(secrets, 'provider');
  if (values.has(SIGNED)) return signedCheck(values, own, nowMs);
  const given = TOKENS.flatMap((name) => values.get(name) ?? []);
  const [token] = given;
  if (token === undefined || token === '' || given.some((other) => other !== token)) return null;
  return tokenCheck(token, own);
}

/** An empty secret never verifies a delivery. */
function familyOf(secrets: readonly WebhookSecret[], family: SignatureFamily) {
  return secrets.filter((each) => each.family === family && each.secret !== '');
}

/** GitHub's form: the HMAC-SHA-256 of the raw body in lower-case hex. */
function hubCheck(header: string, secrets: readonly WebhookSecret[]): SignatureCheck | null {
  const hex = HUB_DIGEST.exec(header)?.[1];
  if (hex === undefined || secrets.length === 0) return null;
  const keyed = secrets.map((secret) => ({ secret, mac: createHmac('sha256', secret.secret) }));
  const given = Buffer.from(hex, 'hex');
  // The signature covers the body alone, so it is as good as a hash of its own.
  return { ...macCheck('hub', keyed, [given]), bodyDigest: () => given };
}

/** Standard Webhooks, as GitLab signs: over id, time and body; several signatures are allowed. */
function signedCheck(
  values: ReadonlyMap<string, string>,
  secrets: readonly WebhookSecret[],
  nowMs: number,
): SignatureCheck | null {
  const id = values.get('webhook-id') ?? '';
  const time = values.get('webhook-timestamp') ?? '';
  const digests = (values.get(SIGNED) ?? '').split(' ').flatMap((part) => {
    const base64 = SIGNED_DIGEST.exec(part)?.[1];
    return base64 === undefined ? [] : [Buffer.from(base64, 'base64')];
  });
  const isTimely =
    /^\d{1,12}$/.test(time) && Math.abs(Number(time) * 1000 - nowMs) <= HOSTS.SIGNED_AGE_MS;
  if (id === '' || !isTimely || digests.length === 0 || secrets.length === 0) return null;
  const keyed = secrets.map((secret) => ({
    secret,
    mac: webhookMac(secret.secret, id, time),
  }));
  return withDigest(macCheck('signed', keyed, digests));
}

function macCheck(
  kind: SignatureKind,
  keyed: readonly { secret: WebhookSecret; mac: Hmac }[],
  given: readonly Buffer[],
): Omit<SignatureCheck, 'bodyDigest'> {
  return {
    kind,
    isProven: false,
    update(chunk) {
      for (const { mac } of keyed) mac.update(chunk);
    },
    finish() {
      return keyed.flatMap(({ secret, mac }) => {
        const digest = mac.digest();
        const holds = given.filter((each) => timingSafeEqual(each, digest));
        return holds.length > 0 ? [secret] : [];
      });
    },
  };
}

/** A secret that is sent as it is; hashes are compared, as they have one length. */
function tokenCheck(token: string, secrets: readonly WebhookSecret[]): SignatureCheck | null {
  const shown = hash('sha256', token, 'buffer');
  const holding = secrets.filter(({ secret }) =>
    timingSafeEqual(hash('sha256', secret, 'buffer'), shown),
  );
  if (holding.length === 0) return null;
  const check = { kind: 'token', isProven: true, update: () => undefined, finish: () => holding };
  return withDigest({ ...check, kind: 'token' });
}

/** A check whose secret does not cover the body, or not alone, with a hash made as it comes. */
function withDigest(check: Omit<SignatureCheck, 'bodyDigest'>): SignatureCheck {
  const sha256 = createHash('sha256');
  return {
    ...check,
    update(chunk) {
      check.update(chunk);
      sha256.update(chunk);
    },
    bodyDigest: () => sha256.digest(),
  };
}
