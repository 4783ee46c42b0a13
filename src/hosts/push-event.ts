import { isUtf8 } from 'node:buffer';
import { AUTH } from '../auth/limits.ts';
import { CraError } from '../model/errors.ts';
import { BODY, FIELDS } from '../model/limits.ts';
import type { Provider, PushEvent } from '../model/push.ts';
import { checkJsonValues, parseJsonBody } from '../model/validate.ts';
import { FULL_SHA, HOSTS, REPO_FULL_NAME } from './settings.ts';
import type { DeliveryHeaders, SignatureKind } from './signature.ts';

/** What a delivery's headers say of its body. */
export interface BodyKind {
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
  if (hasPushFields(start, known)) return readPushEvent(start, known);
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

/**
 * The part of a payload before its commits, which are most of it and of no use here: to parse them
 * is half of what a webhook costs. Null where that is not known: other hosts, other orders, a
 * list of that name deeper inside (the text before it is then not a whole object), no JSON.
 */
function beforeCommits(json: Buffer): unknown {
  const end = json.indexOf(COMMITS);
  if (end === -1 || json.at(-1) !== CLOSING_BRACE || !isUtf8(json)) return null;
  try {
    return JSON.parse(`${json.toString('utf8', 0, end)}}`);
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
    return { provider: 'gitlab', event: clip(event), isPush, deliveryId: idOf(id) };
  }
  const found = FAMILIES.find(([, name]) => values.get(`x-${name}-event`));
  const [provider, name] = found ?? (['github', 'github'] as const);
  const event = values.get(`x-${name}-event`) || null;
  const id = values.get(`x-${name}-delivery`);
  const isPush = event === null || event === 'push';
  return { provider, event: clip(event), isPush, deliveryId: idOf(id) };
}

function idOf(given: string | undefined): string | null {
  return given && given.length <= HOSTS.DELIVERY_ID_CHARS_MAX ? given : null;
}

function clip(text: string | null): string | null {
  if (text === null) return null;
  return text.replace(/[^\x20-\x7e]/g, '?').slice(0, EVENT_CHARS_MAX);
}

const EVENT_CHARS_MAX = 64;

/** Whether all that `readPushEvent` looks at is there: nothing that follows could change it. */
function hasPushFields(payload: unknown, provider: Provider): boolean {
  const body = objectOf(payload);
  const own = provider === 'gitlab' ? GITLAB_FIELDS : HUB_FIELDS;
  return own.every((field) => Object.hasOwn(body, field));
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

function emailOf(value: unknown): string | null {
  const text = textOf(value) ?? '';
  return text.length <= AUTH.EMAIL_CHARS_MAX && EMAIL.test(text) ? text : null;
}

const EMAIL = /^[^\s@]+@[^\s@]+$/;

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
