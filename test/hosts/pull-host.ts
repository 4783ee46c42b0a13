import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Teardown } from '../daemon.ts';
import { describeProblem } from './operations.ts';

/** A comment as the host keeps it: a review of Gitea, or the first note of GitLab's discussion. */
export interface KeptComment {
  id: number;
  /** Number of its pull request. */
  pull: number;
  author: number;
  body: string;
  /** GitLab: whether it is a discussion at a line; Gitea: comments of the review. */
  lines: KeptLine[];
  /** Gitea alone: answers of people on its lines. */
  answers: number;
  /** Gitea alone. */
  isPending: boolean;
  /** GitLab alone: the account that resolved it. */
  resolvedBy: number | null;
}

export interface KeptLine {
  path: string;
  line: number;
  body: string;
}

/** The answer that a host gives in place of the right one. */
interface Fault {
  /** Of the path of requests that it is given to. */
  path: RegExp;
  method?: string;
  status: number;
  message?: string;
  headers?: Record<string, string>;
  /** The request is done all the same: only its answer is lost. */
  isDone?: boolean;
  /** So many times. */
  times: number;
}

/** A host with pull requests, as it behaves to the account of our token. */
export interface PullHost {
  apiUrl: string;
  token: string;
  /** Heads of open pull requests by their number. */
  pulls: Map<number, string>;
  comments: KeptComment[];
  /** Method and path of each request. */
  requests: string[];
  /** State of each status that it took, oldest first. */
  statuses: string[];
  /** GitLab alone: lines outside of the diff. */
  outside: Set<number>;
  faults: Fault[];
}

/** The account of our token. */
const OWN_ACCOUNT = 7;

export type PullHostKind = 'gitea' | 'gitlab';

/** Starts the host on a port of its own, on loopback; it ends with the test. */
export async function startPullHost(
  t: Teardown,
  { kind, token }: { kind: PullHostKind; token: string },
): Promise<PullHost> {
  const host: PullHost = {
    apiUrl: '',
    token,
    pulls: new Map(),
    comments: [],
    requests: [],
    statuses: [],
    outside: new Set(),
    faults: [],
  };
  const answer = kind === 'gitea' ? answerOfGitea : answerOfGitlab;
  const server = createServer((request, response) => {
    void readBody(request).then((body) => {
      const { method = '', url = '' } = request;
      host.requests.push(`${method} ${url}`);
      const fault = host.faults.find(
        (one) => one.times > 0 && one.path.test(url) && (one.method ?? method) === method,
      );
      if (fault !== undefined) fault.times -= 1;
      const problem = describeProblem(kind, { method, url, body });
      if (problem !== null) return send(response, { status: 418, body: { message: problem } });
      const reply = () =>
        isOurs(request, token)
          ? answer(host, { method, url: new URL(url, 'http://host'), body: parse(body) })
          : { status: 401, body: { message: '401 Unauthorized' } };
      if (fault === undefined) return send(response, reply());
      if (fault.isDone) reply();
      const { status, headers = {}, message = 'no' } = fault;
      send(response, { status, body: { message }, headers });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  host.apiUrl = `http://127.0.0.1:${port}`;
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return host;
}

interface Call {
  method: string;
  url: URL;
  body: Record<string, unknown>;
}

interface Reply {
  status: number;
  body?: unknown;
  headers?: Record<string, string>;
}

const NOT_FOUND: Reply = { status: 404, body: { message: '404 Not Found' } };

/** https://gitea.com/api/swagger, as Gitea 1.24 answers. */
function answerOfGitea(host: PullHost, { method, url, body }: Call): Reply {
  const path = `${method} ${url.pathname}`;
  if (path === 'GET /user') return { status: 200, body: { id: OWN_ACCOUNT } };
  if (/^POST \/repos\/acme\/shop\/statuses\/\w+$/.test(path)) {
    host.statuses.push(String(body['state']));
    return { status: 201, body: { status: body['state'] } };
  }
  if (path === 'GET /repos/acme/shop/pulls') {
    const all = [...host.pulls].map(([number, sha]) => pullOf(number, sha));
    return page(url, all.reverse(), 'limit', 50);
  }
  const [, known] = /^GET \/repos\/acme\/shop\/pulls\/(\d+)$/.exec(path) ?? [];
  const sha = host.pulls.get(Number(known));
  if (sha !== undefined) return { status: 200, body: pullOf(Number(known), sha) };
  const [, number, rest = ''] =
    /^\w+ \/repos\/acme\/shop\/pulls\/(\d+)\/reviews(.*)$/.exec(path) ?? [];
  if (number === undefined || !host.pulls.has(Number(number))) return NOT_FOUND;
  if (rest === '' && method === 'GET') {
    return page(url, commentsOf(host, number).map(reviewOf), 'limit', 50);
  }
  if (rest === '' && method === 'POST') {
    const { event, body: text = '', comments = [] } = body as unknown as ReviewBody;
    if (event !== 'COMMENT') return { status: 422, body: { message: 'no such event' } };
    const pending = commentsOf(host, number).find(({ isPending }) => isPending);
    const review = pending ?? addComment(host, '', { pull: Number(number) });
    review.isPending = false;
    review.body = text;
    const lines = comments.map((one) => ({
      path: one.path,
      line: one.new_position,
      body: one.body,
    }));
    review.lines.push(...lines);
    return { status: 200, body: reviewOf(review) };
  }
  const index = host.comments.findIndex(({ id }) => `/${id}` === rest);
  if (method !== 'DELETE' || index === -1) return NOT_FOUND;
  if (host.comments[index]?.author !== OWN_ACCOUNT) return { status: 403, body: {} };
  host.comments.splice(index, 1);
  return { status: 204 };
}

function pullOf(number: number, sha: string) {
  return { number, state: 'open', head: { sha } };
}

interface ReviewBody {
  event: string;
  body?: string;
  comments?: { path: string; new_position: number; body: string }[];
}

function reviewOf({ id, author, body, lines, answers, isPending }: KeptComment) {
  const state = isPending ? 'PENDING' : 'COMMENT';
  return { id, user: { id: author }, body, state, comments_count: lines.length + answers };
}

/** https://docs.gitlab.com/api/discussions/#merge-requests */
function answerOfGitlab(host: PullHost, { method, url, body }: Call): Reply {
  const path = `${method} ${url.pathname}`;
  if (path === 'GET /user') return { status: 200, body: { id: OWN_ACCOUNT } };
  const [, project, rest = ''] = /^\w+ \/projects\/([^/]+)\/(.+)$/.exec(path) ?? [];
  if (project !== 'acme%2Fshop') return NOT_FOUND;
  if (method === 'POST' && rest.startsWith('statuses/')) {
    host.statuses.push(String(body['state']));
    return { status: 201, body: { status: body['state'] } };
  }
  const [, sha] = /^repository\/commits\/(\w+)\/merge_requests$/.exec(rest) ?? [];
  if (sha !== undefined) {
    // It lists every merge request that has the commit, also closed ones.
    const list = [...host.pulls].map(([iid, head]) => ({ iid, sha: head, state: 'opened' }));
    return page(url, [{ iid: 99, sha, state: 'closed' }, ...list], 'per_page', 100);
  }
  const [, iid, below = ''] = /^merge_requests\/(\d+)(.*)$/.exec(rest) ?? [];
  const head = host.pulls.get(Number(iid));
  if (head === undefined) return NOT_FOUND;
  if (below === '' && method === 'GET') {
    const diff_refs = { base_sha: 'b', start_sha: 'c', head_sha: head };
    return { status: 200, body: { iid: Number(iid), sha: head, state: 'opened', diff_refs } };
  }
  if (below === '/discussions' && method === 'GET') {
    return page(url, commentsOf(host, iid).map(discussionOf), 'per_page', 100);
  }
  if (typeof body['body'] === 'string' && method === 'POST') {
    const { position } = body as { position?: { new_path: string; new_line: number } };
    if (position !== undefined && host.outside.has(position.new_line)) {
      return {
        status: 400,
        body: { message: `400 Bad request - Note {:line_code=>["can't be blank"]}` },
      };
    }
    const made = addComment(host, body['body'], { pull: Number(iid) });
    if (position === undefined) return { status: 201, body: { id: made.id } };
    made.lines = [{ path: position.new_path, line: position.new_line, body: made.body }];
    return { status: 201, body: discussionOf(made) };
  }
  const [, kind, id] = /^\/(notes|discussions)\/(\w+)$/.exec(below) ?? [];
  const known = host.comments.find((one) => `${kind === 'notes' ? '' : 'd'}${one.id}` === id);
  if (known === undefined) return NOT_FOUND;
  if (kind === 'discussions') {
    known.resolvedBy = body['resolved'] === true ? OWN_ACCOUNT : null;
    return { status: 200, body: discussionOf(known) };
  }
  if (known.author !== OWN_ACCOUNT) return { status: 403, body: { message: '403 Forbidden' } };
  if (method === 'DELETE') {
    host.comments.splice(host.comments.indexOf(known), 1);
    return { status: 204 };
  }
  known.body = String(body['body']);
  return { status: 200, body: { id: known.id } };
}

function discussionOf({ id, author, body, resolvedBy }: KeptComment) {
  const resolved_by = resolvedBy === null ? null : { id: resolvedBy };
  const note = { id, author: { id: author }, body, resolved: resolvedBy !== null, resolved_by };
  return { id: `d${id}`, notes: [note] };
}

function commentsOf({ comments }: PullHost, pull: string | undefined): KeptComment[] {
  return comments.filter((one) => one.pull === Number(pull));
}

/** A comment of an account; absent: of ours, in the pull request 3. */
export function addComment(
  { comments }: PullHost,
  body = '',
  { author = OWN_ACCOUNT, pull = 3 } = {},
): KeptComment {
  const id = 1 + Math.max(0, ...comments.map((one) => one.id));
  const made = {
    id,
    pull,
    author,
    body,
    lines: [],
    answers: 0,
    isPending: false,
    resolvedBy: null,
  };
  comments.push(made);
  return made;
}

function page(url: URL, all: readonly unknown[], size: string, max: number): Reply {
  const count = Math.min(max, Number(url.searchParams.get(size) ?? 20));
  const number = Number(url.searchParams.get('page') ?? 1);
  const body = all.slice((number - 1) * count, number * count);
  const next = number * count < all.length ? String(number + 1) : '';
  const headers: Record<string, string> =
    size === 'limit' ? { 'x-total-count': String(all.length) } : { 'x-next-page': next };
  return { status: 200, body, headers };
}

function isOurs({ headers }: IncomingMessage, token: string): boolean {
  return headers.authorization === `token ${token}` || headers['private-token'] === token;
}

function parse(body: string): Record<string, unknown> {
  return body === '' ? {} : (JSON.parse(body) as Record<string, unknown>);
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

function send(response: ServerResponse, { status, body, headers = {} }: Reply): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(body === undefined ? undefined : JSON.stringify(body));
}
