import { isUtf8 } from 'node:buffer';
import { createHash, createHmac, type Hmac, hash, timingSafeEqual } from 'node:crypto';
import { AUTH } from '../auth/limits.ts';
import { CraError } from '../model/errors.ts';
import { BODY, FIELDS } from '../model/limits.ts';
import { plainAddress } from '../model/principal.ts';
import type { Provider, PushEvent } from '../model/push.ts';
import { checkJsonValues, parseJsonBody } from '../model/validate.ts';
import { FULL_SHA, HOSTS, REPO_FULL_NAME } from './settings.ts';

/** The headers of a webhook, by lower-case name, and which of them came more than once. */
export interface DeliveryHeaders {
  readonly values: ReadonlyMap<string, string>;
  readonly repeated: ReadonlySet<string>;
}

/** How a delivery proves its sender. */
type SignatureKind = 'hub' | 'token' | 'signed';

/** A secret of webhooks, and the hosts whose deliveries it proves. */
export interface WebhookSecret {
  /** `hub` signs the body (GitHub, Gitea, Forgejo); `provider` is GitLab's. */
  family: 'hub' | 'provider';
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
/** Standard Webhooks: the key behind the prefix is base64. */
const SIGNING_KEY = 'whsec_';

/**
 * Starts to check a delivery; null when its headers alone refuse it: no signature or token, one
 * that is repeated or malformed, a token that fits no secret, no secret of that family at all.
 * With several kinds the one that covers the body has to hold. Every comparison takes constant
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

/** Empty secrets vouch for nothing. */
function familyOf(secrets: readonly WebhookSecret[], family: WebhookSecret['family']) {
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
    mac: createHmac('sha256', signingKey(secret.secret)).update(`${id}.${time}.`),
  }));
  return withDigest(macCheck('signed', keyed, digests));
}

function signingKey(secret: string): Buffer {
  return secret.startsWith(SIGNING_KEY)
    ? Buffer.from(secret.slice(SIGNING_KEY.length), 'base64')
    : Buffer.from(secret);
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

/** What a delivery's headers say of its body. */
interface BodyKind {
  /** Whose dialect it is; null: no header names the event, so the payload decides. */
  provider: Provider | null;
  /** Whether it is a form with the JSON in its field `payload`, the default of GitHub's API. */
  isForm: boolean;
}

/**
 * Reads a push from the body of its webhook. Null for another event than the push of a ref. Throws
 * INVALID_ARGUMENT.
 */
export function readPushBody(body: Uint8Array, { provider, isForm }: BodyKind): PushEvent | null {
  const json = jsonOf(Buffer.from(body.buffer, body.byteOffset, body.byteLength), isForm);
  const start = beforeCommits(json);
  const known = provider ?? dialectOf(start);
  if (hasPushFields(start, known) && !comesAgain(json, known)) return readPushEvent(start, known);
  if (json.length > BODY.UNCOUNTED_BYTES_MAX) checkJsonValues(json, HOSTS.DELIVERY_VALUES_MAX);
  const payload = parseJsonBody(json);
  if (provider !== null) return readPushEvent(payload, provider);
  return isPushPayload(payload) ? readPushEvent(payload, dialectOf(payload)) : null;
}

function jsonOf(bytes: Buffer, isForm: boolean): Buffer {
  if (!isForm) return bytes;
  const payload = new URLSearchParams(bytes.toString()).get('payload');
  if (payload !== null) return Buffer.from(payload);
  throw new CraError('INVALID_ARGUMENT', 'payload: is missing in the form', {
    details: { field: 'payload' },
  });
}

/** As hosts write it; within a JSON text its quotation marks would have backslashes. */
const COMMITS = Buffer.from(',"commits":[');
const CLOSING_BRACE = 0x7d;
const END_OF_OBJECT = Buffer.from([CLOSING_BRACE]);

/**
 * The part of a payload before its commits, which are most of it and of no use here: to parse them
 * is half of what a webhook costs. Null where that is not known: other hosts, other orders, a
 * list of that name deeper inside (the text before it is then not a whole object), no JSON, a
 * field that is given twice.
 */
function beforeCommits(json: Buffer): unknown {
  const end = json.indexOf(COMMITS);
  if (end === -1 || json.at(-1) !== CLOSING_BRACE || !isUtf8(json)) return null;
  try {
    return parseJsonBody(Buffer.concat([json.subarray(0, end), END_OF_OBJECT]));
  } catch {
    return null;
  }
}

/** What the headers of a delivery say of it. */
export interface DeliveryKind {
  provider: Provider;
  /** As the host names it: `push`, `ping`, `Push Hook`; null: no header names one. */
  event: string | null;
  /** Whether it can be a push: it says so, or leaves it to the payload. */
  isPush: boolean;
  /** Unique for the host; null: it gives none. */
  deliveryId: string | null;
}

/** Forgejo and Gitea also send the headers of their predecessors: the newest name counts. */
const FAMILIES: readonly [provider: Provider, header: string][] = [
  ['forgejo', 'forgejo'],
  ['gitea', 'gitea'],
  ['gitea', 'gogs'],
  ['github', 'github'],
];
const GITLAB_PUSHES: ReadonlySet<string> = new Set(['Push Hook', 'Tag Push Hook', 'System Hook']);
const GITLAB_IDS = ['idempotency-key', 'x-gitlab-event-uuid', 'webhook-id'];

/** Reads the kind of a delivery; the kind of its signature tells the family of its host. */
export function deliveryKind({ values }: DeliveryHeaders, kind: SignatureKind): DeliveryKind {
  if (kind !== 'hub') {
    const event = values.get('x-gitlab-event') || null;
    const id = GITLAB_IDS.map((name) => values.get(name)).find(Boolean);
    const isPush = event === null || GITLAB_PUSHES.has(event);
    return { provider: 'gitlab', event: nameOfEvent(event), isPush, deliveryId: idOf(id) };
  }
  const found = FAMILIES.find(([, name]) => values.get(`x-${name}-event`));
  const [provider, name] = found ?? (['github', 'github'] as const);
  const event = values.get(`x-${name}-event`) || null;
  const id = values.get(`x-${name}-delivery`);
  const isPush = event === null || event === 'push';
  return { provider, event: nameOfEvent(event), isPush, deliveryId: idOf(id) };
}

function idOf(given: string | undefined): string | null {
  return given && given.length <= HOSTS.DELIVERY_ID_CHARS_MAX ? given : null;
}

/** The name of an event as answers and the log show it: another text may be anything. */
function nameOfEvent(text: string | null): string | null {
  return text === null || EVENT_NAME.test(text) ? text : '(no name of an event)';
}

const EVENT_NAME = /^[A-Za-z][A-Za-z _.-]{0,63}$/;

/** Whether all that `readPushEvent` looks at is there: nothing that follows could change it. */
function hasPushFields(payload: unknown, provider: Provider): boolean {
  const body = objectOf(payload);
  const own = provider === 'gitlab' ? GITLAB_FIELDS : HUB_FIELDS;
  return own.every((field) => Object.hasOwn(body, field));
}

/**
 * Whether a field that is read may stand behind the commits once more, in whatever spelling: the
 * whole payload is parsed then, which refuses it. Escapes of letters are seldom anything else.
 */
function comesAgain(json: Buffer, provider: Provider): boolean {
  const rest = json.subarray(json.indexOf(COMMITS) + COMMITS.length);
  if (['\\u005', '\\u006', '\\u007'].some((start) => rest.includes(start))) return true;
  const own = provider === 'gitlab' ? GITLAB_FIELDS : HUB_FIELDS;
  return own.some((field) => rest.includes(`"${field}"`));
}

const HUB_FIELDS = ['ref', 'before', 'after', 'repository', 'pusher'];
const GITLAB_FIELDS = ['object_kind', 'ref', 'before', 'after', 'project', 'user_username'];

/**
 * Whether a payload without an event header is a push of a ref: it names a ref and what that was
 * and is. GitLab's also name their kind.
 */
function isPushPayload(payload: unknown): boolean {
  const { object_kind, ref, before, after } = objectOf(payload);
  const isOther = object_kind !== undefined && !GITLAB_KINDS.includes(textOf(object_kind) ?? '');
  return !isOther && [ref, before, after].some((field) => field !== undefined);
}

/** The dialect that a payload without an event header is written in. */
function dialectOf(payload: unknown): Provider {
  return objectOf(payload)['object_kind'] === undefined ? 'github' : 'gitlab';
}

const GITLAB_KINDS = ['push', 'tag_push'];

/**
 * Reads a push from its payload; null for another event (a system event, say). Throws
 * INVALID_ARGUMENT naming a malformed field: such a push is refused, not passed over.
 */
export function readPushEvent(payload: unknown, provider: Provider): PushEvent | null {
  const body = objectOf(payload);
  const isGitLab = provider === 'gitlab';
  if (isGitLab && !GITLAB_KINDS.includes(textOf(body['object_kind']) ?? '')) return null;
  const repository = objectOf(isGitLab ? body['project'] : body['repository']);
  const ref = required('ref', textOf(body['ref']), isRef);
  const nameField = isGitLab ? 'path_with_namespace' : 'full_name';
  const pusher = objectOf(body['pusher']);
  return {
    ref,
    repoFullName: required(nameField, textOf(repository[nameField]), isFullName),
    repositoryId: idOfRepository(repository['id'] ?? (isGitLab ? body['project_id'] : null)),
    before: commitOf('before', body['before']),
    after: commitOf('after', body['after']),
    defaultBranch: branchName(textOf(repository['default_branch'])),
    pusher: nameOf(isGitLab ? body['user_username'] : (pusher['login'] ?? pusher['name'])),
    pusherEmail: emailOf(isGitLab ? body['user_email'] : pusher['email']),
    origin: originOf(textOf(isGitLab ? repository['web_url'] : repository['html_url'])),
  };
}

/** Null also for an address that hides that of a person: it can be compared with no other. */
function emailOf(value: unknown): string | null {
  const text = textOf(value) ?? '';
  if (text.length > AUTH.EMAIL_CHARS_MAX || !EMAIL.test(text)) return null;
  return HIDDEN_EMAIL.test(plainAddress(text)) ? null : text;
}

const EMAIL = /^[^\s@]+@[^\s@]+$/;
/** Private addresses of GitHub, GitLab, Gitea and Forgejo. */
const HIDDEN_EMAIL = /(?:^|[@.])(?:users\.)?no-?reply[.@]/;

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function required(field: string, text: string | null, isGood: (text: string) => boolean): string {
  if (text !== null && isGood(text)) return text;
  const message = `${field}: ${text === null ? 'is missing' : 'is not what a host would send'}`;
  throw new CraError('INVALID_ARGUMENT', message, { details: { field } });
}

function isFullName(name: string): boolean {
  return name.length <= FIELDS.REPO_NAME_CHARS_MAX && REPO_FULL_NAME.test(name);
}

/** The rules of `git check-ref-format`, for names below `refs/`. */
export function isRef(ref: string): boolean {
  if (ref.length > FIELDS.BRANCH_CHARS_MAX || !ref.isWellFormed()) return false;
  if (!/^refs\/[^/]+\/./.test(ref)) return false;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: git refuses them
  if (/[\x00-\x20\x7f~^:?*[\\]|\.\.|@\{|\/\/|\.$|\/$/.test(ref)) return false;
  return ref.split('/').every((part) => !part.startsWith('.') && !part.endsWith('.lock'));
}

/** A number on GitHub, Gitea, Forgejo and GitLab. */
function idOfRepository(value: unknown): string | null {
  return Number.isSafeInteger(value) && Number(value) > 0 ? String(value) : null;
}

function branchName(name: string | null): string | null {
  return name !== null && isRef(`refs/heads/${name}`) ? name : null;
}

/** Hosts write forty (or 64) zeros for "no commit". */
function commitOf(field: string, value: unknown): string | null {
  const text = required(field, textOf(value), (sha) => FULL_SHA.test(sha));
  return /^0+$/.test(text) ? null : text;
}

function nameOf(value: unknown): string | null {
  const name = textOf(value);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it is shown in lists
  return name === null || /[\x00-\x1f\x7f]/.test(name) ? null : name.slice(0, NAME_CHARS_MAX);
}

const NAME_CHARS_MAX = 100;

function originOf(url: string | null): string | null {
  return url !== null && URL.canParse(url) ? new URL(url).origin : null;
}

/** Providers that may sign in the same way: one may be configured, the other name itself. */
export function isSameFamily(one: Provider, other: Provider): boolean {
  return one === other || (GITEA.has(one) && GITEA.has(other));
}

const GITEA: ReadonlySet<Provider> = new Set<Provider>(['gitea', 'forgejo']);
