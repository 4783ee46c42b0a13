import { once } from 'node:events';
import { linkSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { dirname, join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { applyLibrarySettings } from '../../src/daemon/config/config.ts';
import { createDispatch, type Handlers } from '../../src/http/api/all-routes.ts';
import { createLoginHandlers } from '../../src/http/api/login.ts';
import { healthReply } from '../../src/http/api/status.ts';
import { type HttpServer, startHttpServer } from '../../src/http/server/app.ts';
import { HTTP } from '../../src/http/server/limits.ts';
import { dataReply, documentReply } from '../../src/http/server/reply.ts';
import { CraError } from '../../src/model/errors.ts';
import { BODY } from '../../src/model/limits.ts';
import { temporaryDir } from '../daemon.ts';
import { auditedHandlers, echoServices } from './decision-services.ts';
import { openAccess } from './open-access.ts';
import { rawRequest } from './raw.ts';
import { unusedHandlers } from './unused-handlers.ts';

applyLibrarySettings();

interface TestServer {
  http: HttpServer;
  errors: CraError[];
  /** Lets the `rfc` handler answer. */
  open(): void;
}

/** The real server, with handlers that only show what reached them. */
async function startServer(t: ExecutionContext): Promise<TestServer> {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  const errors: CraError[] = [];
  const handlers: Handlers = {
    ...unusedHandlers(),
    health: async () => healthReply(http.isStopping),
    async analyze({ request }) {
      const body = await request.body();
      return dataReply(JSON.stringify({ bytes: body.length }));
    },
    async rfc({ params: [id = ''], query }) {
      if (id === 'slow') await opened;
      if (id === 'missing') throw new CraError('NOT_FOUND', 'there is no such RFC');
      if (id === 'broken') throw new Error('internal detail');
      if (id === 'large') return dataReply(JSON.stringify('x'.repeat(5_000_000)));
      if (id === 'header') {
        return { ...dataReply('1'), headers: [['X-Test', 'a\r\nSet-Cookie: b=c']] };
      }
      return dataReply(JSON.stringify({ id, query }));
    },
    sarif: async ({ params: [id = ''], query }) =>
      documentReply('application/sarif+json', JSON.stringify({ id, query })),
    rfcs: async ({ query }) => dataReply(JSON.stringify(query)),
    status: async () => dataReply('{}'),
    ...auditedHandlers(echoServices()),
    ...createLoginHandlers(null, null),
  };
  const http = await startHttpServer({
    host: '127.0.0.1',
    port: 0,
    dispatch: createDispatch(handlers, openAccess()),
    spoolDirectory: temporaryDir(t),
    onError: (error) => errors.push(error),
  });
  t.teardown(() => {
    open();
    http.close();
  });
  return { http, errors, open };
}

const get = (path: string, headers = '') =>
  `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${headers}\r\n`;
const post = (path: string, length: number) =>
  `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${length}\r\n\r\n`;

interface Case {
  title: string;
  request: (string | Buffer)[];
  status: number;
  says: RegExp;
}

const ANALYZE = '/api/cra/analyze';
const LARGE = BODY.LARGE_BYTES_MAX;

const CASES: Case[] = [
  { title: 'health', request: [get('/api/cra/health')], status: 200, says: /"status":"ok"}/ },
  { title: 'an unknown path', request: [get('/api/cra/nope')], status: 404, says: /no such end/ },
  { title: 'a path outside', request: [get('/')], status: 404, says: /NOT_FOUND/ },
  { title: 'a trailing slash', request: [get('/api/cra/health/')], status: 404, says: /NOT_/ },
  { title: 'an empty id', request: [get('/api/cra/rfc/')], status: 404, says: /NOT_FOUND/ },
  {
    title: 'a wrong method',
    request: ['DELETE /api/cra/rfcs HTTP/1.1\r\nHost: localhost\r\n\r\n'],
    status: 405,
    says: /this endpoint has GET/,
  },
  {
    title: 'an id that is not a text',
    request: [get('/api/cra/rfc/%ff')],
    status: 404,
    says: /not f/,
  },
  { title: 'a decoded id', request: [get('/api/cra/rfc/a%2Fb')], status: 200, says: /"id":"a\/b"/ },
  { title: 'a missing RFC', request: [get('/api/cra/rfc/missing')], status: 404, says: /such RFC/ },
  { title: 'a bad wait', request: [get('/api/cra/rfc/a?wait=x')], status: 400, says: /wait: must/ },
  { title: 'a wait too long', request: [get('/api/cra/rfc/a?wait=61')], status: 400, says: /wait/ },
  { title: 'a limit of 0', request: [get('/api/cra/rfcs?limit=0')], status: 400, says: /limit/ },
  {
    title: 'a parameter given twice',
    request: [get('/api/cra/rfcs?limit=1&limit=2')],
    status: 400,
    says: /limit: is given twice/,
  },
  {
    title: 'a status that does not exist',
    request: [get('/api/cra/rfcs?status=NOPE')],
    status: 400,
    says: /status: must be one of BLOCKED/,
  },
  {
    title: 'a query named like a prototype',
    request: [get('/api/cra/rfcs?__proto__=1&constructor=2')],
    status: 200,
    says: /"data":\{\}/,
  },
  {
    title: 'headers above the limit',
    request: [get('/api/cra/health', `A: ${'a'.repeat(HTTP.HEADER_BYTES_MAX)}\r\n`)],
    status: 431,
    says: /larger than 32768 bytes/,
  },
  {
    title: 'a body announced as too large',
    request: [post(ANALYZE, LARGE + 1)],
    status: 413,
    says: /larger than 33554432 bytes/,
  },
  {
    title: 'a chunked body that grows too large',
    request: [
      `POST ${ANALYZE} HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n`,
      `${(LARGE + 1).toString(16)}\r\n`,
      Buffer.alloc(LARGE + 1, 'x'),
    ],
    status: 413,
    says: /larger than/,
  },
  {
    title: 'a body of several pieces',
    request: [post(ANALYZE, 9), 'abc', 'def', 'ghi'],
    status: 200,
    says: /"bytes":9/,
  },
  {
    title: 'two lengths of one body',
    request: [
      `POST ${ANALYZE} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\nContent-Length: 20\r\n\r\nab`,
    ],
    status: 400,
    says: /Content-Length is given twice/,
  },
  {
    title: 'two names of the host',
    request: ['GET /api/cra/rfcs HTTP/1.1\r\nHost: localhost\r\nHost: other.example\r\n\r\n'],
    status: 400,
    says: /Host is given twice/,
  },
  { title: 'no body at all', request: [post(ANALYZE, 0)], status: 200, says: /"bytes":0/ },
];

for (const { title, request, status, says } of CASES) {
  test(`the server answers ${status} for ${title}`, async (t) => {
    const { http } = await startServer(t);
    const reply = await rawRequest(http.port, request);
    t.is(reply.status, status, reply.raw.slice(0, 300));
    t.regex(reply.body, says);
    const envelope = JSON.parse(reply.body) as { ok: boolean; code?: string; request_id?: string };
    t.is(envelope.ok, status === 200);
    if (status !== 200) t.truthy(envelope.code && envelope.request_id);
    await idle(http);
    t.is((await rawRequest(http.port, [get('/api/cra/health')])).status, 200);
  });
}

test('an internal error is a 500 without details, and is reported', async (t) => {
  const { http, errors } = await startServer(t);
  const reply = await rawRequest(http.port, [get('/api/cra/rfc/broken')]);
  t.is(reply.status, 500);
  t.regex(reply.body, /internal error/);
  t.false(reply.raw.includes('internal detail'));
  t.is((errors[0]?.cause as Error | undefined)?.message, 'internal detail');
});

test('a header value with a line break is not written', async (t) => {
  const { http } = await startServer(t);
  const reply = await rawRequest(http.port, [get('/api/cra/rfc/header')]);
  t.is(reply.status, 200);
  t.false('set-cookie' in reply.headers);
});

test('HEAD has the headers of GET and no body', async (t) => {
  const { http } = await startServer(t);
  const request = 'HEAD /api/cra/health HTTP/1.1\r\nHost: localhost\r\n\r\n';
  const reply = await rawRequest(http.port, [request], (raw) => raw.includes('\r\n\r\n'));
  t.is(reply.status, 200);
  t.true(Number(reply.headers['content-length']) > 0);
  t.is(reply.body, '');
});

test('a reply of megabytes arrives whole', async (t) => {
  const { http } = await startServer(t);
  const reply = await rawRequest(http.port, [get('/api/cra/rfc/large')]);
  t.is((JSON.parse(reply.body) as { data: string }).data.length, 5_000_000);
  await idle(http);
  t.is(http.inFlight, 0);
});

test('a client that goes away in the middle of its body or its reply leaves nothing behind', async (t) => {
  const { http } = await startServer(t);
  const gone = () => true;
  await rawRequest(http.port, [get('/api/cra/rfc/large')], gone);
  const health = get('/api/cra/health');
  const half = `${health}${post(ANALYZE, 1000)}half`;
  await rawRequest(http.port, [half], gone);
  await idle(http);
  t.is(http.inFlight, 0);
});

test('two lengths of one body end the connection: nothing behind it is a request', async (t) => {
  const { http } = await startServer(t);
  const lengths = 'Content-Length: 2\r\nContent-Length: 40\r\n';
  const smuggled = `POST ${ANALYZE} HTTP/1.1\r\nHost: localhost\r\n${lengths}\r\nab${get('/api/cra/rfcs')}`;
  // Resolves when the server closes.
  const untilClosed = () => false;
  t.is((await rawRequest(http.port, [smuggled], untilClosed)).raw, '');
  const alone = smuggled.slice(0, smuggled.indexOf('GET'));
  const reply = await rawRequest(http.port, [alone], untilClosed);
  t.is(reply.status, 400);
  t.is(reply.headers['connection'], 'close');
});

const FRAMINGS = [
  'Transfer-Encoding: xchunked',
  'Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked',
  'Transfer-Encoding: identity\r\nTransfer-Encoding: chunked',
  'Content-Length:',
];
for (const framing of FRAMINGS) {
  test(`the end of a body is not guessed from "${framing.replace('\r\n', ', ')}"`, async (t) => {
    const { http } = await startServer(t);
    const request = `POST ${ANALYZE} HTTP/1.1\r\nHost: localhost\r\n${framing}\r\n\r\n0\r\n\r\n`;
    const reply = await rawRequest(http.port, [request], () => false);
    t.is(reply.status, 400);
    t.is(reply.headers['connection'], 'close');
  });
}

test('4,200 requests that wait leave places for health, status and decisions', async (t) => {
  const { http } = await startServer(t);
  const sockets = Array.from({ length: 4_200 }, () => {
    const socket = connect(http.port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write(get('/api/cra/rfc/slow'));
    return socket;
  });
  t.teardown(() => {
    for (const socket of sockets) socket.destroy();
  });
  await until(() => http.inFlight >= HTTP.IN_FLIGHT_MAX);
  const status = async (request: string) => (await rawRequest(http.port, [request])).status;
  t.is(await status(get('/api/cra/rfcs')), 503);
  t.is(await status(get('/api/cra/health')), 200);
  t.is(await status(get('/api/cra/dispatcher/status')), 200);
  const body = '{"actor":"ann","reason":"seen"}';
  t.is(await status(`${post('/api/cra/rfc/RFC-1/override', body.length)}${body}`), 200);
});

test('4,100 decisions whose bodies do not arrive keep no place from others', async (t) => {
  const { http } = await startServer(t);
  const path = '/api/cra/rfc/RFC-1/override';
  const sockets = new Set<Socket>();
  // On a busy machine the server gives up the first bodies before the last connection is made, so
  // that some are always on their way back.
  const open = (target: string) => {
    const socket = connect(http.port, '127.0.0.1');
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket) && open(target));
    socket.write(post(target, 1_000));
  };
  for (let index = 0; index < 4_600; index += 1) open(index % 2 === 0 ? path : ANALYZE);
  t.teardown(() => {
    const all = [...sockets];
    sockets.clear();
    for (const socket of all) socket.destroy();
  });
  await until(() => http.inFlight >= HTTP.IN_FLIGHT_MAX + 4);
  const status = async (request: string) => (await rawRequest(http.port, [request])).status;
  t.is(await status(get('/api/cra/health')), 200);
  t.is(await status(get('/api/cra/dispatcher/status')), 200);
  t.is(await status(get('/api/cra/rfcs')), 200);
  const body = '{"actor":"ann","reason":"seen"}';
  t.is(await status(`${post(path, body.length)}${body}`), 200);
});

test('a connection is good for more after a body that was refused', async (t) => {
  const { http } = await startServer(t);
  const body = Buffer.alloc(LARGE + 1, 'x');
  const isSecond = (raw: string) => raw.includes('"status":"ok"}');
  const request = [post(ANALYZE, LARGE + 1), body, get('/api/cra/health')];
  const reply = await rawRequest(http.port, request, isSecond);
  t.is(reply.status, 413);
  t.regex(reply.raw, /HTTP\/1\.1 200 OK/);
});

test('drain lets the request in flight finish, refuses new connections and closes', async (t) => {
  const { http, open } = await startServer(t);
  const slow = rawRequest(http.port, [get('/api/cra/rfc/slow')]);
  await until(() => http.inFlight === 1);
  const drained = http.drain();
  // Those that come as it stops are answered, with 503.
  const askHealth = () => rawRequest(http.port, [get('/api/cra/health')]);
  let answered: unknown = null;
  do answered = await askHealth().catch(({ code }) => code);
  while (typeof answered !== 'string');
  t.is(answered, 'ECONNREFUSED');
  open();
  const reply = await slow;
  t.is(reply.status, 200);
  t.is(reply.headers['connection'], 'close');
  await drained;
});

test('drain answers requests that have come but were not read yet', async (t) => {
  const { http } = await startServer(t);
  const socket = connect(http.port, '127.0.0.1');
  t.teardown(() => socket.destroy());
  socket.write(get('/api/cra/rfc/first'));
  const [first] = (await once(socket, 'data')) as [Buffer];
  t.regex(first.toString(), /^HTTP\/1\.1 200 OK/);
  const second = Promise.race([once(socket, 'data'), once(socket, 'close')]);
  socket.write(get('/api/cra/rfc/second'));
  await http.drain();
  http.close();
  const [answer] = (await second) as [Buffer | boolean];
  t.regex(answer.toString(), /^HTTP\/1\.1 200 OK/);
});

test('a port that is taken is refused, not shared', async (t) => {
  const { http } = await startServer(t);
  const dispatch = createDispatch({} as Handlers, openAccess());
  const second = startHttpServer({
    host: '127.0.0.1',
    port: http.port,
    dispatch,
    spoolDirectory: temporaryDir(t),
    onError: () => undefined,
  });
  const error = await t.throwsAsync(second, { instanceOf: CraError });
  t.is(error.code, 'FAILED_PRECONDITION');
  t.regex(error.message, /another program listens there, another daemon perhaps: end it/);
});

const TAKEN: [taken: string, asked: string][] = [
  ['127.0.0.1', '127.0.0.1'],
  ['127.0.0.1', 'localhost'],
  ['0.0.0.0', '0.0.0.0'],
  ['0.0.0.0', '127.0.0.1'],
  ['127.0.0.1', '0.0.0.0'],
  ['::', '::'],
  ['::1', '::1'],
];

for (const [taken, asked] of TAKEN) {
  test(`a port that is taken at ${taken} is refused at ${asked}, with the settings`, async (t) => {
    const other = createServer().listen({ host: taken, port: 0 });
    t.teardown(() => other.close());
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const error = await t.throwsAsync(listenAt(t, asked, port), { instanceOf: CraError });
    t.is(
      error.message,
      `cannot listen on ${asked}:${port}: another program listens there, another daemon perhaps: end it (ss -ltnp shows it), or set SERVICE_PORT to another port`,
    );
  });
}

const ABSENT: [host: string, says: RegExp][] = [
  [
    '192.0.2.1',
    /:0: this machine does not have the address: set SERVICE_HOST to an address of it$/,
  ],
  ['2001:db8::1', /this machine does not have the address: set SERVICE_HOST/],
  ['cra.invalid', /the name (?:has no address|cannot be looked up): set SERVICE_HOST/],
];

for (const [host, says] of ABSENT) {
  test(`the address ${host} is refused, with the setting`, async (t) => {
    await t.throwsAsync(listenAt(t, host, 0), { instanceOf: CraError, message: says });
  });
}

function listenAt(t: ExecutionContext, host: string, port: number): Promise<HttpServer> {
  return startHttpServer({
    host,
    port,
    spoolDirectory: temporaryDir(t),
    onError: () => undefined,
    dispatch: createDispatch({} as Handlers, openAccess()),
  });
}

test('a Unix socket is taken from a dead process, never from a living one', async (t) => {
  const path = join(temporaryDir(t), 'cra.sock');
  const rfc: Handlers['rfc'] = async ({ request }) =>
    dataReply(JSON.stringify(request.remoteAddress));
  const start = () =>
    startHttpServer({
      host: '127.0.0.1',
      port: 0,
      socketPath: path,
      trustsProxy: true,
      dispatch: createDispatch({ ...unusedHandlers(), rfc } as Handlers, openAccess()),
      spoolDirectory: temporaryDir(t),
      onError: () => undefined,
    });
  const asked = get('/api/cra/rfc/a', 'X-Forwarded-For: 203.0.113.7\r\n');
  writeFileSync(path, 'a file');
  await t.throwsAsync(start(), { message: /is not a socket/ });
  t.is(readFileSync(path, 'utf8'), 'a file');
  rmSync(path);
  const dead = createServer().listen(`${path}.dead`);
  await once(dead, 'listening');
  linkSync(`${path}.dead`, path);
  await new Promise((resolve) => dead.close(resolve));

  const http = await start();
  t.teardown(http.close);
  t.is(statSync(path).mode & 0o7777, 0o660);
  t.regex((await rawRequest(path, [asked])).body, /"data":"unix"/);
  t.regex((await rawRequest(http.port, [asked])).body, /"data":"203\.0\.113\.7"/);
  await t.throwsAsync(start(), { message: /another process listens on/ });
  t.is((await rawRequest(path, [asked])).status, 200);
  await http.drain();
  t.deepEqual(readdirSync(dirname(path)), []);
});

async function idle(http: HttpServer): Promise<void> {
  await until(() => http.inFlight === 0);
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 2));
}
