import { createHash, createHmac, randomUUID } from 'node:crypto';

/** Who sends a webhook, and how it proves that. */
export type HookKind = 'github' | 'gitea' | 'forgejo' | 'gitlab' | 'gitlab-signed';

/** What a push changed, as its host tells it. */
export interface Pushed {
  repo: string;
  ref: string;
  /** Null: the push made the ref. */
  before: string | null;
  /** Null: the push removed the ref. */
  after: string | null;
  /** The id that the host has for the repository; default: one that belongs to the name. */
  repoId?: number;
}

export interface HookOptions {
  secret: string;
  /** Default: a new one. */
  id?: string;
  isForm?: boolean;
  /** Default: that of a push; empty: no header names it. */
  event?: string;
  /** More fields of the payload. */
  more?: Readonly<Record<string, unknown>>;
}

/** A webhook as it goes over the wire. */
export interface Hook {
  body: Buffer;
  headers: Record<string, string>;
}

/** A pull request, as its host tells it. */
export interface Pulled {
  repo: string;
  repoId: number;
  /** As the host names it; default: it was opened. */
  action?: string;
  number: number;
  sha: string;
  title?: string;
  /** Default: a fork. */
  branch?: string;
  base?: string;
  /** More fields of the payload. */
  more?: Readonly<Record<string, unknown>>;
}

/** The webhook of a pull request. */
export function pullHook(kind: HookKind, pulled: Pulled, options: HookOptions): Hook {
  const { repo, repoId, action = 'opened', number, sha, title = 'Add it', base = 'main' } = pulled;
  const url = `https://git.example.com/${repo}`;
  const repository = { id: repoId, full_name: repo, default_branch: 'main', html_url: url };
  const isOwn = pulled.branch !== undefined;
  const head = { ref: pulled.branch ?? 'main', sha, repo: isOwn ? repository : { id: repoId + 1 } };
  const pull_request = {
    number,
    title,
    html_url: `${url}/pull/${number}`,
    user: { login: 'eve' },
    head,
    base: { ref: base, repo: repository },
  };
  const common = { action, number, pull_request, repository, sender: { login: 'ann' } };
  return hookOf(kind, { ...common, ...pulled.more }, { event: 'pull_request', ...options });
}

const ZERO = '0'.repeat(40);

/** The webhook of a push, with the fields and headers that its host sends. */
export function pushHook(kind: HookKind, pushed: Pushed, options: HookOptions): Hook {
  const payload = { ...payloadOf(kind, pushed), ...options.more };
  return hookOf(kind, payload, options);
}

/** Any payload, as a host of that kind signs it. */
export function hookOf(kind: HookKind, payload: unknown, options: HookOptions): Hook {
  const { secret, id = randomUUID(), isForm = false } = options;
  const json = JSON.stringify(payload);
  const body = Buffer.from(isForm ? `payload=${encodeURIComponent(json)}` : json);
  const type = isForm ? 'application/x-www-form-urlencoded' : 'application/json';
  const isTag = String((payload as { ref?: unknown } | null)?.ref).startsWith('refs/tags/');
  const event = options.event ?? (isTag && isGitLab(kind) ? 'Tag Push Hook' : EVENTS[kind]);
  const headers = { 'content-type': type, ...(event === '' ? {} : headersOf(kind, event, id)) };
  return { body, headers: { ...headers, ...signatureOf(kind, { body, id, secret }) } };
}

const EVENTS: Readonly<Record<HookKind, string>> = {
  github: 'push',
  gitea: 'push',
  forgejo: 'push',
  gitlab: 'Push Hook',
  'gitlab-signed': 'Push Hook',
};

function isGitLab(kind: HookKind): boolean {
  return kind === 'gitlab' || kind === 'gitlab-signed';
}

/** Commits are cut to few by every host: nothing may be concluded from them. */
function payloadOf(kind: HookKind, pushed: Pushed): object {
  const { repo, ref, before, after, repoId: id = idOf(repo) } = pushed;
  const range = { ref, before: before ?? ZERO, after: after ?? ZERO };
  const url = `https://git.example.com/${repo}`;
  const commit = { id: range.after, message: 'what the payload says', added: [], removed: [] };
  if (isGitLab(kind)) {
    return {
      object_kind: ref.startsWith('refs/tags/') ? 'tag_push' : 'push',
      ...range,
      checkout_sha: after,
      user_username: 'ann',
      project_id: id,
      project: { id, path_with_namespace: repo, default_branch: 'main', web_url: url },
      commits: [commit],
      total_commits_count: 1,
    };
  }
  const repository = { id, full_name: repo, default_branch: 'main', html_url: url };
  const common = { ...range, repository, commits: [commit], head_commit: commit };
  if (kind !== 'github') return { ...common, total_commits: 1, pusher: { login: 'ann' } };
  const flags = { created: before === null, deleted: after === null, forced: false };
  return { ...common, ...flags, pusher: { name: 'ann' } };
}

/** A number that belongs to a name. */
function idOf(repo: string): number {
  return createHash('sha256').update(repo).digest().readUInt32BE(0) + 1;
}

/** Each sends the headers of those that it descends from as well. */
function headersOf(kind: HookKind, event: string, id: string): Record<string, string> {
  if (isGitLab(kind)) return { 'x-gitlab-event': event, 'x-gitlab-event-uuid': id };
  const families = { github: ['github'], gitea: ['gitea', 'gogs', 'github'], forgejo: FORGEJO };
  const names = families[kind as keyof typeof families];
  return Object.fromEntries(
    names.flatMap((name) => [
      [`x-${name}-event`, event],
      [`x-${name}-delivery`, id],
    ]),
  );
}

const FORGEJO = ['forgejo', 'gitea', 'gogs', 'github'];

interface Signed {
  body: Buffer;
  id: string;
  secret: string;
}

function signatureOf(kind: HookKind, { body, id, secret }: Signed): Record<string, string> {
  if (kind === 'gitlab') return { 'x-gitlab-token': secret };
  if (kind === 'gitlab-signed') {
    const time = String(Math.floor(Date.now() / 1000));
    const mac = createHmac('sha256', secret).update(`${id}.${time}.`).update(body);
    return {
      'webhook-id': id,
      'webhook-timestamp': time,
      'webhook-signature': `v1,${mac.digest('base64')}`,
    };
  }
  const hex = createHmac('sha256', secret).update(body).digest('hex');
  const legacy = createHmac('sha1', secret).update(body).digest('hex');
  const both = { 'x-hub-signature-256': `sha256=${hex}`, 'x-hub-signature': `sha1=${legacy}` };
  return kind === 'github' ? both : { ...both, 'x-gitea-signature': hex, 'x-gogs-signature': hex };
}
