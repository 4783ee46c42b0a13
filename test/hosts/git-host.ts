import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createGitLauncher } from '../../src/git/launcher.ts';
import { type HostedRepository, openRepository } from './git-repository.ts';

/** How a host behaves: as it should, or as one of those that do not. */
export type Behaviour =
  | { kind: 'serve' }
  /** Takes requests and never answers. */
  | { kind: 'hang' }
  | { kind: 'status'; status: number }
  /** A login page with status 200, as proxies give. */
  | { kind: 'html' }
  | { kind: 'redirect'; to: string }
  /** The beginning of a pack comes, then nothing more. */
  | { kind: 'stall' }
  /** Refs can be read, nothing can be fetched. */
  | { kind: 'refs-only' }
  /** Packs lack the content of files. */
  | { kind: 'without-blobs' };

/** What a server shows of itself, as PEM. */
export interface TlsIdentity {
  key: string;
  cert: string;
}

/** A Git host on loopback: real `git http-backend` behind HTTP. */
export interface GitHost {
  /** Without `/` at the end, as `VcsHost.url`. */
  readonly url: string;
  /** Where its bare repositories are: `<root>/<full name>.git`. */
  readonly root: string;
  readonly username: string;
  /** What it asks for; null: everybody may read. */
  readonly token: string | null;
  /** Requests that it got, oldest first. */
  readonly requests: { method: string; url: string; authorization: string | null }[];
  behave(behaviour: Behaviour): void;
  /** Makes or opens a repository. */
  repository(fullName: string, format?: 'sha1' | 'sha256'): HostedRepository;
  /** Resolves when the next request has come. */
  nextRequest(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Starts git for all hosts of a process: as a process of Node it takes longer to start than what
 * most tests have it do. It ends with this process.
 */
const launcher = createGitLauncher();

/** Starts a host with no repositories; pushes over HTTP are taken where a token is asked for. */
export async function startGitHost(
  options: { token?: string | null; username?: string; tls?: TlsIdentity } = {},
): Promise<GitHost> {
  const { token = null, username = 'cra' } = options;
  const root = mkdtempSync(join(tmpdir(), 'cra-git-host-'));
  const requests: GitHost['requests'] = [];
  let behaviour: Behaviour = { kind: 'serve' };
  let arrived: (() => void)[] = [];
  const expected =
    token === null ? null : `Basic ${Buffer.from(`${username}:${token}`).toString('base64')}`;

  const serveOne = (request: IncomingMessage, response: ServerResponse) => {
    const authorization = request.headers.authorization ?? null;
    requests.push({ method: request.method ?? '', url: request.url ?? '', authorization });
    for (const told of arrived) told();
    arrived = [];
    if (expected !== null && authorization !== expected) {
      response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end();
    } else {
      answer(behaviour, root, request, response);
    }
  };
  const { tls } = options;
  const server = tls === undefined ? createServer(serveOne) : createTlsServer(tls, serveOne);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;

  return {
    url: `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}`,
    root,
    username,
    token,
    requests,
    behave(next) {
      behaviour = next;
    },
    repository: (fullName, format) => openRepository(join(root, `${fullName}.git`), format),
    nextRequest: () => new Promise((resolve) => arrived.push(resolve)),
    async close() {
      await stop(server);
      rmSync(root, { recursive: true, force: true });
    },
  };
}

function answer(
  behaviour: Behaviour,
  root: string,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const isFetch = request.method === 'POST' && !request.url?.includes('receive-pack');
  switch (behaviour.kind) {
    case 'serve':
      return void serve(root, request, response);
    case 'hang':
      return;
    case 'status':
      return void response.writeHead(behaviour.status).end('no\n');
    case 'html':
      return void response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Login</h1>');
    case 'redirect':
      return void response.writeHead(302, { location: behaviour.to + request.url }).end();
    case 'stall':
      return void serve(root, request, response, isFetch ? { bytesMax: 2_000 } : {});
    case 'refs-only':
      return void readBody(request).then((given) => {
        if (given.includes('command=fetch')) response.writeHead(500).end();
        else void serve(root, request, response, { given });
      });
    case 'without-blobs':
      return void serve(root, request, response, { env: WITHOUT_BLOBS });
  }
}

/** https://git-scm.com/docs/git-config#Documentation/git-config.txt-uploadpackpackObjectsHook */
const WITHOUT_BLOBS = {
  GIT_CONFIG_COUNT: '1',
  GIT_CONFIG_KEY_0: 'uploadpack.packObjectsHook',
  GIT_CONFIG_VALUE_0: 'f() { "$@" --filter=blob:none; }; f',
};

interface ServeOptions {
  /** What is sent of the answer. */
  bytesMax?: number;
  /** The body, where it was read already. */
  given?: Buffer;
  env?: Record<string, string>;
}

/** Runs the CGI program: https://git-scm.com/docs/git-http-backend, RFC 3875. */
async function serve(
  root: string,
  request: IncomingMessage,
  response: ServerResponse,
  { bytesMax = Number.POSITIVE_INFINITY, given, env: more = {} }: ServeOptions = {},
): Promise<void> {
  const url = new URL(request.url ?? '', 'http://host');
  const body = given ?? (await readBody(request));
  const env = {
    PATH: process.env['PATH'] ?? '',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_PROJECT_ROOT: root,
    GIT_HTTP_EXPORT_ALL: '1',
    REQUEST_METHOD: request.method ?? '',
    PATH_INFO: decodeURIComponent(url.pathname),
    QUERY_STRING: url.search.slice(1),
    CONTENT_TYPE: request.headers['content-type'] ?? '',
    CONTENT_LENGTH: String(body.length),
    HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
    GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
    REMOTE_USER: 'pusher',
    ...more,
  };
  let head = Buffer.alloc(0);
  let sent = 0;
  const send = (bytes: Buffer) => {
    const part = bytes.subarray(0, Math.max(0, bytesMax - sent));
    sent += part.length;
    if (part.length > 0 && !response.destroyed) response.write(part);
  };
  const take = (chunk: Uint8Array) => {
    if (response.headersSent) return send(Buffer.from(chunk));
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf('\r\n\r\n');
    if (end < 0) return;
    writeHead(response, head.toString('latin1', 0, end));
    send(head.subarray(end + 4));
  };
  const command = { args: ['http-backend'], cwd: root, env, input: body };
  launcher.start({ ...command, memoryMax: MEMORY_BYTES_MAX }, (report) => {
    if (report.kind === 'stdout') take(report.bytes);
    if (report.kind === 'closed' && sent < bytesMax) response.end();
  });
}

/** Of a process of git: more than any needs. */
const MEMORY_BYTES_MAX = 2 ** 40;

function writeHead(response: ServerResponse, head: string): void {
  let status = 200;
  for (const line of head.split('\r\n')) {
    const [name = '', value = ''] = line.split(/: (.*)/s);
    if (name.toLowerCase() === 'status') status = Number.parseInt(value, 10);
    else response.setHeader(name, value);
  }
  response.writeHead(status);
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function stop(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}
