import { createPublicKey, generateKeyPairSync, verify } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import type { Teardown } from '../daemon.ts';
import { describeProblem } from './operations.ts';

export const APP_ID = '4711';

const KEY = generateKeyPairSync('rsa', { modulusLength: 2048 });
/** As GitHub gives it to download: PKCS#1. */
export const PRIVATE_KEY = KEY.privateKey.export({ type: 'pkcs1', format: 'pem' }).toString();
/** What GitHub keeps of it. */
export const PUBLIC_KEY = KEY.publicKey.export({ type: 'spki', format: 'pem' }).toString();

/** The token that an owner gets first. */
export const FIRST_TOKEN = tokenOf(0);

function tokenOf(index: number): string {
  return `ghs_${String(index).padStart(36, 'x')}`;
}

export interface KeptAnnotation {
  path: string;
  start_line: number;
  end_line: number;
  annotation_level: string;
  title: string;
  message: string;
}

/** A check run as the host keeps it. */
export interface KeptRun {
  id: number;
  repo: string;
  head_sha: string;
  name: string;
  status: string;
  conclusion: string | null;
  external_id: string;
  details_url: string;
  title: string;
  summary: string;
  annotations: KeptAnnotation[];
  /** Identifiers of its buttons. */
  buttons: string[];
  appId: number;
}

/** The answer that a host gives in place of the right one. */
interface Fault {
  /** Of the path of requests that it is given to. */
  path: RegExp;
  method?: string;
  status: number;
  message: string;
  headers?: Record<string, string>;
  /** The request is done all the same: only its answer is lost. */
  isDone?: boolean;
  /** So many times. */
  times: number;
}

/** A run whose job waits for the rules of an environment. */
export interface WaitingJob {
  repo: string;
  id: number;
  attempt?: number;
  sha: string;
  /** What started the run; default: a push. */
  event?: string;
  environment: string;
  /** Another rule holds it, too: it goes on waiting after our answer. */
  isHeldByOthers?: boolean;
}

/** The answer of the App to one of them. */
export interface KeptReview {
  run: number;
  environment_name: string;
  state: string;
  comment: string;
}

/** GitHub as an App sees it: https://docs.github.com/en/rest/checks/runs */
export interface AppHost {
  apiUrl: string;
  runs: KeptRun[];
  jobs: WaitingJob[];
  reviews: KeptReview[];
  /** Tokens that it gave, oldest first. */
  tokens: string[];
  /** JSON web tokens that the App sent, oldest first. */
  signatures: string[];
  /** Method and path of each request. */
  requests: string[];
  /** When each of them came, ms since the epoch. */
  requestedAt: number[];
  /** How long it takes to answer. */
  latencyMs: number;
  /** Owners that have installed the App. */
  owners: Set<string>;
  faults: Fault[];
  /** Its clock, ms since the epoch. */
  now: number;
}

/** Starts the host on a port of its own, on loopback; it ends with the test. */
export async function startAppHost(t: Teardown): Promise<AppHost> {
  const validUntil = new Map<string, number>();
  const host: AppHost = {
    apiUrl: '',
    runs: [],
    jobs: [],
    reviews: [],
    tokens: [],
    signatures: [],
    requests: [],
    requestedAt: [],
    latencyMs: 0,
    owners: new Set(['acme']),
    faults: [],
    now: Date.parse('2026-11-21T10:00:00.000Z'),
  };
  const server = createServer((request, response) => {
    void readBody(request).then(async (body) => {
      const { method = '', url = '' } = request;
      host.requests.push(`${method} ${url}`);
      host.requestedAt.push(Date.now());
      if (host.latencyMs > 0) await delay(host.latencyMs);
      const fault = host.faults.find(
        (one) => one.times > 0 && one.path.test(url) && (one.method ?? method) === method,
      );
      if (fault !== undefined) fault.times -= 1;
      const problem = describeProblem('github', { method, url, body });
      if (problem !== null) return send(response, 418, { message: problem });
      if (fault === undefined || fault.isDone) {
        const reply = answer(method, url, request.headers.authorization ?? '', body);
        if (fault === undefined) return send(response, reply.status, reply.body);
      }
      send(response, fault.status, { message: fault.message }, fault.headers);
    });
  });

  function answer(method: string, url: string, authorization: string, body: string): Reply {
    const [path = '', query = ''] = url.split('?');
    const token = authorization.replace(/^Bearer /, '');
    const repoOfInstallation = /^\/(?:repos\/([^/]+)\/[^/]+|users\/([^/]+))\/installation$/.exec(
      path,
    );
    if (path.startsWith('/app/') || repoOfInstallation !== null) host.signatures.push(token);
    if (repoOfInstallation !== null) {
      if (!isSigned(token, host.now)) return refuse(401, 'A JSON web token could not be decoded');
      const [, ofRepo, owner = ofRepo ?? ''] = repoOfInstallation;
      return host.owners.has(owner) ? { status: 200, body: { id: 99 } } : refuse(404, 'Not Found');
    }
    if (path === '/app/installations/99/access_tokens' && method === 'POST') {
      if (!isSigned(token, host.now)) return refuse(401, 'A JSON web token could not be decoded');
      const made = tokenOf(host.tokens.length);
      host.tokens.push(made);
      validUntil.set(made, host.now + 3_600_000);
      const expires_at = new Date(host.now + 3_600_000).toISOString();
      return { status: 201, body: { token: made, expires_at } };
    }
    if ((validUntil.get(token) ?? 0) < host.now) return refuse(401, 'Bad credentials');
    const [, repoOfRuns = '', run, what = ''] =
      /^\/repos\/([^/]+\/[^/]+)\/actions\/runs(?:\/(\d+)\/(\w+))?$/.exec(path) ?? [];
    if (repoOfRuns !== '')
      return answerRuns(repoOfRuns, Number(run ?? 0), `${method} ${what}`, body);
    const [, repo = '', sha] =
      /^\/repos\/([^/]+\/[^/]+)\/(?:commits\/(\w+)\/)?check-runs(?:\/\d+)?$/.exec(path) ?? [];
    if (method === 'GET' && sha !== undefined) {
      const name = new URLSearchParams(query).get('check_name');
      const check_runs = host.runs
        .filter((run) => run.repo === repo && run.head_sha === sha && run.name === name)
        .map(listed);
      return { status: 200, body: { total_count: check_runs.length, check_runs } };
    }
    if (repo !== '' && (method === 'POST' || method === 'PATCH')) {
      const [, id] = /check-runs\/(\d+)$/.exec(path) ?? [];
      return write(repo, id === undefined ? null : Number(id), JSON.parse(body) as RunBody);
    }
    return refuse(404, 'Not Found');
  }

  function answerRuns(repo: string, id: number, asked: string, body: string): Reply {
    const own = host.jobs.filter((job) => job.repo === repo && (id === 0 || job.id === id));
    if (asked === 'GET ') {
      const workflow_runs = own.map(({ attempt = 1, event = 'push', ...job }) => {
        return { id: job.id, run_attempt: attempt, head_sha: job.sha, event, status: 'waiting' };
      });
      return { status: 200, body: { total_count: own.length, workflow_runs } };
    }
    if (own.length === 0) return refuse(404, 'Not Found');
    if (asked === 'GET pending_deployments') {
      return { status: 200, body: own.map(({ environment: name }) => ({ environment: { name } })) };
    }
    const review = JSON.parse(body) as Omit<KeptReview, 'run'>;
    const isAnswered = host.reviews.some(
      (one) => one.run === id && one.environment_name === review.environment_name,
    );
    const job = own.find(({ environment }) => environment === review.environment_name);
    if (isAnswered || job === undefined) return refuse(422, 'Nothing waits for this rule');
    host.reviews.push({ run: id, ...review });
    if (job.isHeldByOthers !== true) host.jobs.splice(host.jobs.indexOf(job), 1);
    return { status: 204, body: null };
  }

  function write(repo: string, id: number | null, body: RunBody): Reply {
    const { annotations = [], title = '', summary = '' } = body.output ?? {};
    if (annotations.length > 50) return refuse(422, 'Invalid request. annotations: at most 50');
    if (summary.length > 65_535) return refuse(422, 'Invalid request. summary is too long');
    if (body.status === 'completed' && body.conclusion === undefined) {
      return refuse(422, 'Invalid request. conclusion is missing');
    }
    const known = host.runs.find((run) => run.id === id);
    if (id !== null && known === undefined) return refuse(404, 'Not Found');
    const run: KeptRun = known ?? {
      id: host.runs.length + 1,
      repo,
      head_sha: body.head_sha,
      name: body.name,
      annotations: [],
      buttons: [],
      appId: Number(APP_ID),
      status: '',
      conclusion: null,
      external_id: '',
      details_url: '',
      title: '',
      summary: '',
    };
    const { status, conclusion = null, external_id, details_url } = body;
    run.buttons = (body.actions ?? []).map(({ identifier }) => identifier);
    Object.assign(run, { status, conclusion, external_id, details_url, title, summary });
    // They are added to those that are there.
    run.annotations.push(...annotations);
    if (known === undefined) host.runs.push(run);
    return { status: known === undefined ? 201 : 200, body: listed(run) };
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  host.apiUrl = `http://127.0.0.1:${port}`;
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return host;
}

interface Reply {
  status: number;
  body: unknown;
}

interface RunBody {
  name: string;
  head_sha: string;
  status: string;
  conclusion?: string;
  external_id: string;
  details_url: string;
  actions?: { identifier: string }[];
  output?: { title?: string; summary?: string; annotations?: KeptAnnotation[] };
}

function refuse(status: number, message: string): Reply {
  return { status, body: { message } };
}

function listed({ annotations, appId, title, summary, ...run }: KeptRun) {
  const output = { title, summary, annotations_count: annotations.length };
  return { ...run, output, app: { id: appId } };
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

function send(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(body === null ? '' : JSON.stringify(body));
}

/** Whether GitHub takes a JSON web token of the App at that time: RFC 7515, RFC 7519. */
function isSigned(token: string, now: number): boolean {
  const [head = '', claims = '', signature = ''] = token.split('.');
  const data = Buffer.from(`${head}.${claims}`);
  const key = createPublicKey(PUBLIC_KEY);
  if (!verify('RSA-SHA256', data, key, Buffer.from(signature, 'base64url'))) return false;
  const { alg } = JSON.parse(Buffer.from(head, 'base64url').toString()) as { alg: string };
  const { iss, iat, exp } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as Claims;
  const seconds = now / 1_000;
  return (
    alg === 'RS256' && iss === APP_ID && iat <= seconds && exp > seconds && exp - seconds <= 600
  );
}

interface Claims {
  iss: string;
  iat: number;
  exp: number;
}

/**
 * Writes the settings of a daemon with the App of this host, whose repositories are below `root`,
 * into a folder; answers the path for SERVICE_VCS_CONFIG.
 */
export function writeAppSettings(
  folder: string,
  { root, host, secret }: { root: string; host: AppHost; secret: string },
): string {
  writeFileSync(join(folder, 'key.pem'), PRIVATE_KEY, { mode: 0o600 });
  const hub = {
    id: 'hub',
    provider: 'github',
    url: pathToFileURL(root).href,
    api_url: host.apiUrl,
    app_id: APP_ID,
    private_key_file: 'key.pem',
    webhook_secrets: [secret],
  };
  const path = join(folder, 'vcs.json');
  writeFileSync(path, JSON.stringify({ hosts: [hub] }), { mode: 0o600 });
  return path;
}
