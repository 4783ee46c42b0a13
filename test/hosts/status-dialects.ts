import type { IncomingMessage } from 'node:http';
import type { KeptStatus, StatusHost } from './status-host.ts';

export interface StatusReply {
  status: number;
  body: unknown;
  headers?: Readonly<Record<string, string>>;
}

/** How one kind of host takes a status. */
interface Dialect {
  apiPath: string;
  take(host: StatusHost, request: IncomingMessage, body: string): StatusReply;
  /** How it lists a status. */
  show(status: KeptStatus): Readonly<Record<string, unknown>>;
}

const STATES = ['error', 'failure', 'pending', 'success'];
const GITLAB_STATES = ['pending', 'running', 'success', 'failed', 'canceled', 'skipped'];

const github: Dialect = {
  apiPath: '/api/v3',
  take(host, request, body) {
    const { authorization, 'user-agent': agent } = request.headers;
    const [, repo, sha] =
      /^\/api\/v3\/repos\/([^/]+\/[^/]+)\/statuses\/(\w+)$/.exec(path(request)) ?? [];
    if (agent === undefined) return problem(403, 'Request forbidden by administrative rules');
    if (authorization !== `Bearer ${host.token}`) return problem(401, 'Bad credentials');
    if (repo === undefined || sha === undefined) return problem(404, 'Not Found');
    const { state = '', context = 'default', description = '', target_url = '' } = read(body);
    if (host.unknown.has(sha)) return problem(422, `No commit found for SHA: ${sha}`);
    if (!STATES.includes(state)) return problem(422, 'Validation Failed');
    if ([...description].length > 140) {
      return problem(422, 'Validation Failed: description is too long (maximum is 140 characters)');
    }
    const before = host.taken.filter((kept) => kept.sha === sha && kept.context === context);
    if (before.length >= 1_000) {
      const message = 'This SHA and context has reached the maximum number of statuses.';
      return problem(422, `Validation Failed: ${message}`);
    }
    host.taken.push({ repo, sha, context, state, description, targetUrl: target_url, ref: null });
    return { status: 201, body: { state, context, description } };
  },
  show: ({ context, state, description }) => ({ context, state, description }),
};

const gitea: Dialect = {
  apiPath: '/api/v1',
  take(host, request, body) {
    const [, repo, sha] =
      /^\/api\/v1\/repos\/([^/]+\/[^/]+)\/statuses\/(\w+)$/.exec(path(request)) ?? [];
    if (request.headers.authorization !== `token ${host.token}`) {
      return problem(401, 'invalid username, password or token');
    }
    if (repo === undefined || sha === undefined) return problem(404, 'Not Found');
    // Any state is taken, also one that there is not.
    const { state = '', context = 'default', description = '', target_url = '' } = read(body);
    if (host.unknown.has(sha)) return problem(500, 'object does not exist');
    host.taken.push({ repo, sha, context, state, description, targetUrl: target_url, ref: null });
    return { status: 201, body: { status: state, context, description } };
  },
  show: ({ context, state: status, description }) => ({ context, status, description }),
};

const gitlab: Dialect = {
  apiPath: '/api/v4',
  take(host, request, body) {
    const [, project, sha] =
      /^\/api\/v4\/projects\/([^/]+)\/statuses\/(\w+)$/.exec(path(request)) ?? [];
    if (request.headers['private-token'] !== host.token) return problem(401, '401 Unauthorized');
    if (project === undefined || sha === undefined) return problem(404, '404 Not Found');
    const repo = decodeURIComponent(project);
    const { state = '', name = 'default', description = '', target_url = '', ref } = read(body);
    if (host.unknown.has(sha)) return problem(404, '404 Commit Not Found');
    if (!GITLAB_STATES.includes(state)) return problem(400, 'state does not have a valid value');
    if ([...description].length > 255) return problem(400, 'description is too long');
    // Only a status that has not ended is changed; otherwise a new one is made.
    const now = host.taken.findLast((kept) => kept.repo === repo && kept.sha === sha);
    if (state === 'pending' && now?.state === 'pending') {
      const message = 'Cannot transition status via :enqueue from :pending';
      return problem(400, `${message} (Reason(s): Status cannot transition via "enqueue")`);
    }
    host.taken.push({
      repo,
      sha,
      context: name,
      state,
      description,
      targetUrl: target_url,
      ref: ref ?? null,
    });
    return { status: 201, body: { status: state, name, description } };
  },
  show: ({ context: name, state: status, description }) => ({ name, status, description }),
};

export const KINDS = { github, gitea, gitlab } as const;

/** Answers with the statuses of a commit, the newest first. */
export function listStatuses(
  { show }: Dialect,
  { taken, token }: StatusHost,
  { url = '', headers }: IncomingMessage,
): StatusReply {
  const given = headers['private-token'] ?? headers.authorization?.split(' ')[1];
  if (given !== token) return problem(401, 'Bad credentials');
  const [, name = '', sha] =
    /\/(?:repos|projects)\/(.+)\/commits\/(\w+)\/statuses(?:\?|$)/.exec(url) ?? [];
  const repo = decodeURIComponent(name.replace(/\/repository$/, ''));
  const own = taken.map((status, at) => ({ status, id: at + 1 })).reverse();
  const found = own.filter(({ status }) => status.repo === repo && status.sha === sha);
  return { status: 200, body: found.map(({ status, id }) => ({ id, ...show(status) })) };
}

function problem(status: number, message: string): StatusReply {
  return { status, body: { message } };
}

function path(request: IncomingMessage): string {
  return request.method === 'POST' ? (request.url ?? '') : '';
}

function read(body: string): Record<string, string | undefined> {
  return JSON.parse(body) as Record<string, string | undefined>;
}
