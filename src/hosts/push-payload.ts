import { CraError } from '../model/errors.ts';
import { FIELDS } from '../model/limits.ts';
import { plainAddress } from '../model/principal.ts';
import { BRANCH_PREFIX, type PushEvent, type StatusEvent } from '../model/push.ts';
import { componentOf } from './host.ts';
import {
  type CheckRequest,
  type DeployRequest,
  FULL_SHA,
  HOSTS,
  REPO_FULL_NAME,
} from './settings.ts';

/** Fields of a push as a host sent them, from wherever its payload has them. */
export interface PushFields {
  readonly ref: unknown;
  readonly before: unknown;
  readonly after: unknown;
  /** The field of the full name, for errors. */
  readonly nameField: string;
  readonly name: unknown;
  readonly repositoryId: unknown;
  readonly defaultBranch: unknown;
  readonly pusher: unknown;
  readonly pusherEmail: unknown;
  /** Page of the repository. */
  readonly webUrl: unknown;
}

/**
 * Checks the fields of a push. Throws INVALID_ARGUMENT naming a malformed field: such a push is
 * refused, not passed over.
 */
export function checkPushFields(fields: PushFields): PushEvent {
  return {
    ref: required('ref', textOf(fields.ref), isRef),
    repoFullName: required(fields.nameField, textOf(fields.name), isFullName),
    repositoryId: idOfRepository(fields.repositoryId),
    before: commitOf('before', fields.before),
    after: commitOf('after', fields.after),
    defaultBranch: branchName(textOf(fields.defaultBranch)),
    pusher: nameOf(fields.pusher),
    pusherEmail: emailOf(fields.pusherEmail),
    origin: originOf(textOf(fields.webUrl)),
    says: 'moved',
    pullRequest: null,
  };
}

/** Fields of a pull request as a host sent them, from wherever its payload has them. */
export interface PullRequestFields
  extends Pick<PushFields, 'nameField' | 'name' | 'repositoryId' | 'defaultBranch' | 'webUrl'> {
  readonly number: unknown;
  readonly title: unknown;
  readonly author: unknown;
  /** Who sent the commits. */
  readonly pusher: unknown;
  readonly url: unknown;
  readonly headSha: unknown;
  /** Its branch, in whatever repository that is. */
  readonly headBranch: unknown;
  readonly headRepositoryId: unknown;
  readonly baseBranch: unknown;
  readonly isFirstTime: boolean;
  /** It is to be merged elsewhere than before: what is judged is another range. */
  readonly isRebased: boolean;
}

/**
 * Checks the fields of a pull request, as `checkPushFields` does. Its commits are fetched by the
 * branch that has them, and pushes of a fork by the ref that the host keeps: `refs/<kind>/7/head`.
 */
export function checkPullRequestFields(
  fields: PullRequestFields,
  kind: 'pull' | 'merge-requests',
): PushEvent {
  const { nameField, name, repositoryId, defaultBranch, webUrl, pusher } = fields;
  const number = numberOf(fields.number);
  const refOf = (field: string, branch: unknown) =>
    required(field, BRANCH_PREFIX + (textOf(branch) ?? ''), isRef);
  const base = refOf('base', fields.baseBranch);
  const own = idOfRepository(repositoryId);
  // A host that does not say whose branch it is, or whose fork is gone.
  const isFork = own === null || idOfRepository(fields.headRepositoryId) !== own;
  const ref = isFork ? `refs/${kind}/${number}/head` : refOf('head', fields.headBranch);
  const sha = fields.headSha;
  const event = checkPushFields({
    ref,
    before: sha,
    after: sha,
    nameField,
    name,
    repositoryId,
    defaultBranch,
    pusher,
    pusherEmail: null,
    webUrl,
  });
  const url = textOf(fields.url);
  return {
    ...event,
    before: null,
    says: isFork && fields.isRebased ? 'moved' : 'stands',
    pullRequest: {
      number,
      title: oneLine(textOf(fields.title) ?? ''),
      author: nameOf(fields.author),
      from_fork: isFork,
      first_time: fields.isFirstTime,
      base_branch: base.slice(BRANCH_PREFIX.length),
      url: event.origin !== null && originOf(url) === event.origin && isShort(url) ? url : null,
    },
  };
}

/** Fields of a check that somebody asks for again, from wherever its payload has them. */
export interface CheckFields
  extends Pick<PushFields, 'nameField' | 'name' | 'repositoryId' | 'webUrl'> {
  readonly check: Readonly<Record<string, unknown>>;
}

/** Checks them, as `checkPushFields` does. */
export function checkCheckFields(fields: CheckFields): CheckRequest {
  const { check, nameField, name, repositoryId, webUrl } = fields;
  return {
    repoFullName: required(nameField, textOf(name), isFullName),
    repositoryId: idOfRepository(repositoryId),
    sha: required('head_sha', textOf(check['head_sha']), (sha) => FULL_SHA.test(sha)),
    appIds: appIdsOf(check),
    origin: originOf(textOf(webUrl)),
  };
}

/** Fields of a question about a deploy, from wherever its payload has them. */
export interface DeployFields extends Pick<PushFields, 'nameField' | 'name' | 'webUrl'> {
  readonly environment: unknown;
  readonly sha: unknown;
  readonly callbackUrl: unknown;
}

/**
 * Checks them, as `checkPushFields` does. Of the URL for the answer only the id of the run is kept:
 * a payload does not say where our token goes.
 */
export function checkDeployFields(fields: DeployFields): DeployRequest {
  const { nameField, name, webUrl, callbackUrl } = fields;
  const repoFullName = required(nameField, textOf(name), isFullName);
  const url = required('deployment_callback_url', textOf(callbackUrl), isCallback);
  const [, repo = '', runId = ''] = CALLBACK.exec(url) ?? [];
  if (repo.toLowerCase() !== repoFullName.toLowerCase()) {
    throw refused('deployment_callback_url', NOT_OF_HOST);
  }
  return {
    repoFullName,
    environment: required('environment', textOf(fields.environment), isEnvironment),
    sha: required('sha', textOf(fields.sha), (sha) => FULL_SHA.test(sha)),
    runId,
    origin: originOf(textOf(webUrl)),
  };
}

function isCallback(url: string): boolean {
  return url.length <= HOSTS.CALLBACK_URL_CHARS_MAX && CALLBACK.test(url);
}

const CALLBACK =
  /\/repos\/([^/?#]+\/[^/?#]+)\/actions\/runs\/([1-9]\d{0,15})\/deployment_protection_rule$/;

function isEnvironment(name: string): boolean {
  return name !== '' && name.length <= HOSTS.ENVIRONMENT_CHARS_MAX;
}

/** By which the App of a check is known. */
export function appIdsOf(check: Readonly<Record<string, unknown>>): string[] {
  const app = objectOf(check['app']);
  return [app['id'], app['client_id']].map(String);
}

function numberOf(value: unknown): number {
  if (Number.isSafeInteger(value) && Number(value) > 0) return Number(value);
  throw refused('number', value === undefined ? 'is missing' : NOT_OF_HOST);
}

function isShort(url: string | null): boolean {
  return url !== null && url.length <= HOSTS.PULL_REQUEST_URL_CHARS_MAX;
}

/** A text without line breaks and other control characters, not yet as short as it is shown. */
function oneLine(text: string): string {
  const start = text.slice(0, HOSTS.TITLE_READ_CHARS_MAX).toWellFormed();
  return start.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim();
}

/** Fields of a status as a host sent them. */
interface StatusFields extends Pick<PushFields, 'name' | 'repositoryId' | 'webUrl'> {
  readonly context: unknown;
  readonly sha: unknown;
  readonly state: unknown;
  /** Undefined: events of the host never say. */
  readonly description: unknown;
  readonly sender: unknown;
  /** Absent: it is a commit status. */
  readonly appIds?: readonly string[];
}

/** Checks the fields of a status, as `checkPushFields` does; null: it is not ours. */
export function checkStatusFields(fields: StatusFields): StatusEvent | null {
  const component = componentOf(textOf(fields.context) ?? '');
  if (component === undefined) return null;
  return {
    component,
    repoFullName: required('repository', textOf(fields.name), isFullName),
    repositoryId: idOfRepository(fields.repositoryId),
    sha: required('sha', textOf(fields.sha), (sha) => FULL_SHA.test(sha)),
    state: textOf(fields.state) ?? '',
    description: fields.description === undefined ? null : (textOf(fields.description) ?? ''),
    sender: nameOf(fields.sender),
    origin: originOf(textOf(fields.webUrl)),
    appIds: fields.appIds ?? null,
  };
}

/** Null also for an address that hides that of a person: it can be compared with no other. */
function emailOf(value: unknown): string | null {
  const text = textOf(value) ?? '';
  if (text.length > FIELDS.EMAIL_CHARS_MAX || !EMAIL.test(text)) return null;
  return HIDDEN_EMAIL.test(plainAddress(text)) ? null : text;
}

const EMAIL = /^[^\s@]+@[^\s@]+$/;
/** Private addresses of GitHub, GitLab, Gitea and Forgejo. */
const HIDDEN_EMAIL = /(?:^|[@.])(?:users\.)?no-?reply[.@]/;

/** A payload as an object; empty for anything else. */
export function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

/** A field as text; null for anything else. */
export function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function required(field: string, text: string | null, isGood: (text: string) => boolean): string {
  if (text !== null && isGood(text)) return text;
  throw refused(field, text === null ? 'is missing' : NOT_OF_HOST);
}

const NOT_OF_HOST = 'is not what a host would send';

function refused(field: string, why: string): CraError {
  return new CraError('INVALID_ARGUMENT', `${field}: ${why}`, { details: { field } });
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
