import { isUtf8 } from 'node:buffer';
import { CraError } from '../model/errors.ts';
import { BODY } from '../model/limits.ts';
import type { Provider, PushEvent, StatusEvent } from '../model/push.ts';
import { checkJsonValues, parseJsonBody } from '../model/validate.ts';
import { PUSH_KINDS } from './gitlab.ts';
import type { GitHost } from './host.ts';
import { GIT_HOSTS, gitHost } from './hosts.ts';
import { objectOf, textOf } from './push-payload.ts';
import { type CheckRequest, type DeployRequest, HOSTS } from './settings.ts';
import type { DeliveryHeaders, SignatureFamily, SignatureKind } from './signature.ts';

/** What the headers of a delivery say of it. */
export interface DeliveryKind {
  provider: Provider;
  /** As the host names it: `push`, `ping`, `Push Hook`; null: no header names one. */
  event: string | null;
  /** Whether it can be a push: it says so, or leaves it to the payload. */
  isPush: boolean;
  isPullRequest: boolean;
  isStatus: boolean;
  /** Whether somebody may ask for another check. */
  isCheck: boolean;
  /** Whether the host may ask if a job may deploy. */
  isDeploy: boolean;
  /** Unique for the host; null: it gives none. */
  deliveryId: string | null;
}

/** Reads the kind of a delivery; the kind of its signature tells the family of its host. */
export function deliveryKind({ values }: DeliveryHeaders, kind: SignatureKind): DeliveryKind {
  const { host, names } = senderOf(values, kind === 'hub' ? 'hub' : 'provider');
  const event = values.get(names.event) || null;
  const id = names.ids.map((name) => values.get(name)).find(Boolean);
  return {
    provider: host.provider,
    event: nameOfEvent(event),
    isPush: event === null || host.pushEvents.has(event),
    isCheck: event !== null && host.checkEvents.has(event),
    isDeploy: event !== null && host.deployEvents.has(event),
    isPullRequest: event !== null && host.pullRequestEvents.has(event),
    isStatus: event !== null && host.statusEvents.has(event),
    deliveryId: idOf(id),
  };
}

/** The host whose event header is there, or else the last that signs like this. */
function senderOf(values: DeliveryHeaders['values'], signature: SignatureFamily) {
  const possible = GIT_HOSTS.filter((host) => host.signature === signature).flatMap((host) =>
    host.deliveryHeaders.map((names) => ({ host, names })),
  );
  const found = possible.find(({ names }) => values.get(names.event)) ?? possible.at(-1);
  if (found === undefined) throw new TypeError(`no host signs as ${signature}`);
  return found;
}

function idOf(given: string | undefined): string | null {
  return given && given.length <= HOSTS.DELIVERY_ID_CHARS_MAX ? given : null;
}

/** The name of an event as answers and the log show it: another text may be anything. */
function nameOfEvent(text: string | null): string | null {
  return text === null || EVENT_NAME.test(text) ? text : '(no name of an event)';
}

const EVENT_NAME = /^[A-Za-z][A-Za-z _.-]{0,63}$/;

/** What a delivery's headers say of its body. */
interface BodyKind {
  /** Null: no header names the event, so the payload decides. */
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
  const host = gitHost(provider ?? providerOf(start));
  if (hasPushFields(start, host) && !comesAgain(json, host)) return host.readPush(objectOf(start));
  if (json.length > BODY.UNCOUNTED_BYTES_MAX) checkJsonValues(json, HOSTS.DELIVERY_VALUES_MAX);
  const payload = parseJsonBody(json);
  if (provider !== null) return readPushEvent(payload, provider);
  return isPushPayload(payload) ? readPushEvent(payload, providerOf(payload)) : null;
}

/**
 * Reads a pull request from the body of its webhook, as `GitHost.readPullRequest` says; `redact`
 * hides secrets in its title.
 */
export function readPullRequestBody(
  body: Uint8Array,
  { provider, isForm, redact }: PullRequestKind,
): PushEvent | null {
  const json = jsonOf(Buffer.from(body.buffer, body.byteOffset, body.byteLength), isForm);
  if (json.length > BODY.UNCOUNTED_BYTES_MAX) checkJsonValues(json, HOSTS.DELIVERY_VALUES_MAX);
  const event = gitHost(provider).readPullRequest(objectOf(parseJsonBody(json)));
  if (event === null || event.pullRequest === null) return event;
  const title = redact(event.pullRequest.title).slice(0, HOSTS.TITLE_CHARS_MAX).toWellFormed();
  return { ...event, pullRequest: { ...event.pullRequest, title } };
}

/** Reads a status under our name from the body of its webhook; null for any other. */
export function readStatusBody(
  body: Uint8Array,
  { provider, isForm }: BodyKind & { provider: Provider },
): StatusEvent | null {
  const json = jsonOf(Buffer.from(body.buffer, body.byteOffset, body.byteLength), isForm);
  return gitHost(provider).readStatus(objectOf(parseJsonBody(json)));
}

interface PullRequestKind extends BodyKind {
  provider: Provider;
  redact(text: string): string;
}

/** Reads from the body of its webhook which check is asked for; null for another event. */
export function readCheckBody(
  body: Uint8Array,
  { provider, isForm }: BodyKind & { provider: Provider },
): CheckRequest | null {
  const json = jsonOf(Buffer.from(body.buffer, body.byteOffset, body.byteLength), isForm);
  return gitHost(provider).readCheckRequest(objectOf(parseJsonBody(json)));
}

/** Reads from the body of its webhook which deploy is asked about; null for another event. */
export function readDeployBody(
  body: Uint8Array,
  { provider, isForm }: BodyKind & { provider: Provider },
): DeployRequest | null {
  const json = jsonOf(Buffer.from(body.buffer, body.byteOffset, body.byteLength), isForm);
  return gitHost(provider).readDeployRequest(objectOf(parseJsonBody(json)));
}

/** Reads a push from its payload; errors as `GitHost.readPush` has them. */
export function readPushEvent(payload: unknown, provider: Provider): PushEvent | null {
  return gitHost(provider).readPush(objectOf(payload));
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

/** Whether all that `readPush` looks at is there: nothing that follows could change it. */
function hasPushFields(payload: unknown, { pushFields }: GitHost): boolean {
  const body = objectOf(payload);
  return pushFields.every((field) => Object.hasOwn(body, field));
}

/**
 * Whether a field that is read may stand behind the commits once more, in whatever spelling: the
 * whole payload is parsed then, which refuses it. Escapes of letters are seldom anything else.
 */
function comesAgain(json: Buffer, host: GitHost): boolean {
  const rest = json.toString('latin1', json.indexOf(COMMITS) + COMMITS.length);
  return PUSH_FIELD.get(host)?.test(rest) !== false;
}

/** One look for all fields of a host: a look for each took 104 us for 32 KB, this one 29. */
const PUSH_FIELD: ReadonlyMap<GitHost, RegExp> = new Map(
  GIT_HOSTS.map((host) => {
    return [host, new RegExp(String.raw`\\u00[567]|"(?:${host.pushFields.join('|')})"`)];
  }),
);

/**
 * Whether a payload without an event header is a push of a ref: it names a ref and what that was
 * and is. GitLab's also name their kind.
 */
function isPushPayload(payload: unknown): boolean {
  const { object_kind, ref, before, after } = objectOf(payload);
  const isOther = object_kind !== undefined && !PUSH_KINDS.has(textOf(object_kind) ?? '');
  return !isOther && [ref, before, after].some((field) => field !== undefined);
}

/** The provider whose payload it is, where no header names the event. */
function providerOf(payload: unknown): Provider {
  return objectOf(payload)['object_kind'] === undefined ? 'github' : 'gitlab';
}
