import { dirname, resolve } from 'node:path';
import { AUTH } from '../../auth/limits.ts';
import { isLoopback, isSafeUrl } from '../../core/credentials.ts';
import { webhookKey } from '../../core/standard-webhooks.ts';
import { EVENTS } from '../../events/limits.ts';
import type { Subscription } from '../../events/subscription.ts';
import { EVENT_TYPES, type EventType } from '../../model/event.ts';
import { DEFAULT_TENANT } from '../../model/principal.ts';
import {
  createJsonFields,
  type JsonFields,
  type Reader,
  readJsonFile,
  secretFrom,
} from './reader.ts';

const FILE = 'SERVICE_EVENTS_CONFIG';

/**
 * Reads the subscriptions of the file that SERVICE_EVENTS_CONFIG names, if any. Every problem is
 * reported with its place in the file, and never with a value.
 */
export function readSubscriptions(reader: Reader): readonly Subscription[] {
  const path = reader.text(FILE, '');
  if (path === '') return Object.freeze([]);
  const problem = (at: string, message: string) => reader.problem(FILE, `${at} ${message}`);
  const fields = createJsonFields(readJsonFile(reader, FILE, path), '', problem);
  const place = { reader, folder: dirname(resolve(path)) };
  const entries = fields.objects('subscriptions', EVENTS.SUBSCRIPTIONS_MAX);
  const found = entries.map((entry) => readSubscription(entry, place));
  for (const [index, { id }] of found.entries()) {
    const isTaken = found.slice(0, index).some((other) => other.id === id);
    if (isTaken) entries[index]?.problem('id', 'is that of another subscription, too');
  }
  fields.finish();
  return Object.freeze(found);
}

interface Place {
  reader: Reader;
  /** Paths in the file are relative to it. */
  folder: string;
}

function readSubscription(entry: JsonFields, place: Place): Subscription {
  for (const key of ['id', 'types']) if (!entry.has(key)) entry.problem(key, 'is required');
  const id = entry.text('id') ?? '';
  if (id !== '' && !/^[a-z0-9][a-z0-9-]{0,62}$/.test(id)) {
    entry.problem('id', 'must be lower-case letters, digits and -, at most 63');
  }
  const format = entry.oneOf('format', ['cloudevents', 'slack']) ?? 'cloudevents';
  const allowPrivate = entry.boolean('allow_private') ?? false;
  const tenantId = entry.text('tenant') ?? DEFAULT_TENANT;
  if (tenantId.length > AUTH.TENANT_CHARS_MAX) {
    entry.problem('tenant', `must have at most ${AUTH.TENANT_CHARS_MAX} characters`);
  }
  const repos = entry.has('repos') ? entry.texts('repos').map((repo) => repo.toLowerCase()) : null;
  const subscription: Subscription = Object.freeze({
    id,
    tenantId,
    url: readUrl(entry, place, { isSlack: format === 'slack', allowPrivate }),
    secrets: readSecrets(entry, place, format === 'slack'),
    types: readTypes(entry),
    repos,
    format,
    allowPrivate,
  });
  entry.finish();
  return subscription;
}

/** Of Slack and others the path is a secret: it may stand in a file of its own. */
function readUrl(
  entry: JsonFields,
  place: Place,
  { isSlack, allowPrivate }: { isSlack: boolean; allowPrivate: boolean },
): string {
  const key = entry.has('url_file') ? 'url_file' : 'url';
  if (entry.has('url') && entry.has('url_file')) entry.problem('url', 'is given twice: url_file');
  const value = entry.text(key);
  if (value === null) {
    if (!entry.has(key)) entry.problem('url', 'is required');
    return '';
  }
  const text = secretFrom(entry, key, value, place) ?? '';
  if (text === '') return '';
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !isSafeUrl(url) || url.hash !== '') {
    entry.problem(key, 'must be an https address without user, password and # (http on loopback)');
    return '';
  }
  if (!allowPrivate && isLoopback(url.hostname)) {
    entry.problem(key, 'is this machine: such a receiver needs allow_private');
    return '';
  }
  if (isSlack || key === 'url_file') place.reader.noteSecret(url.pathname.slice(1));
  return url.href;
}

function readSecrets(entry: JsonFields, place: Place, isOptional: boolean): readonly string[] {
  const found = (['secrets', 'secret_files'] as const).flatMap((key) =>
    entry.texts(key).map((value) => ({ key, secret: secretFrom(entry, key, value, place) })),
  );
  const secrets = found.flatMap(({ key, secret }) => {
    if (secret === null) return [];
    // Receivers decode it, and would check with another key.
    if (!WHSEC.test(secret)) entry.problem(key, 'must be whsec_ and base64');
    else if (webhookKey(secret).length < EVENTS.SECRET_BYTES_MIN) {
      entry.problem(key, `must have at least ${EVENTS.SECRET_BYTES_MIN} bytes each`);
    }
    return [secret];
  });
  const isNamed = entry.has('secrets') || entry.has('secret_files');
  if (!isNamed && !isOptional) entry.problem('secrets', 'or secret_files is required');
  return Object.freeze(secrets);
}

const WHSEC = /^whsec_[A-Za-z0-9+/]+={0,2}$/;

/** Types as they are, or all of a kind: `deploy.*`. */
function readTypes(entry: JsonFields): readonly EventType[] {
  const names = entry.texts('types');
  const types = new Set<EventType>();
  if (entry.has('types') && names.length === 0) entry.problem('types', 'must not be empty');
  for (const name of names) {
    const kind = name.endsWith('.*') ? name.slice(0, -1) : null;
    const fitting = EVENT_TYPES.filter((type) => type === name || (kind && type.startsWith(kind)));
    if (fitting.length === 0) entry.problem('types', `must be of ${EVENT_TYPES.join(', ')}`);
    for (const type of fitting) types.add(type);
  }
  return Object.freeze([...types]);
}
