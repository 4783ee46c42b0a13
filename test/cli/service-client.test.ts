import test, { type ExecutionContext } from 'ava';
import { createServiceClient, type ServiceClient } from '../../src/cli/service-client.ts';
import { CLI } from '../../src/limits.ts';
import { CraError } from '../../src/model/errors.ts';
import { data, type FakeReply, failure, startFakeService } from './fixtures/fake-service.ts';

const BODY = Buffer.from('{"diff":"x"}');
const { signal } = new AbortController();

function connect(t: ExecutionContext, baseUrl: string, token = ''): ServiceClient {
  const client = createServiceClient({ baseUrl, token, connections: 1 });
  t.teardown(client.close);
  return client;
}

test('a service client keeps its connection and sends its token', async (t) => {
  const service = await startFakeService(t, () => data({ answer: 1 }));
  const client = connect(t, service.url, 'secret');
  for (let i = 0; i < 3; i += 1) {
    const reply = await client.analyze(BODY, signal);
    t.deepEqual([reply.status, reply.data, reply.error], [200, { answer: 1 }, null]);
  }
  t.is(service.connections(), 1);
  t.is(service.requests[0]?.headers.authorization, 'Bearer secret');
  t.is(service.requests[0]?.path, '/api/cra/analyze');
});

test('a service client keeps the path of the address', async (t) => {
  const service = await startFakeService(t, () => data(1));
  await connect(t, `${service.url}/tools`).rfc('RFC-1/..', 30, signal);
  t.is(service.requests[0]?.path, '/tools/api/cra/rfc/RFC-1%2F..?wait=30');
});

test('a service client tries again after 503, as often as allowed', async (t) => {
  let busy = 3;
  const full = failure(503, 'busy', { 'retry-after': '0' });
  const service = await startFakeService(t, () => (busy-- > 0 ? full : data('done')));
  const client = connect(t, service.url);
  const reply = await client.analyze(BODY, signal);
  t.deepEqual([reply.data, reply.retries, service.requests.length], ['done', 3, 4]);
  busy = CLI.RETRIES_MAX + 100;
  const refused = await client.analyze(BODY, signal);
  t.deepEqual([refused.status, refused.error], [503, 'HTTP 503: busy']);
  t.is(refused.retries, CLI.RETRIES_MAX);
});

test('a service client sends again on a kept connection that the server closed', async (t) => {
  let drops = 0;
  const service = await startFakeService(t, ({ path }) => {
    if (path.endsWith('/first') || drops > 0) return data('ok');
    drops += 1;
    return 'drop';
  });
  const client = connect(t, service.url);
  await client.rfc('first', 0, signal);
  const reply = await client.analyze(BODY, signal);
  t.deepEqual([reply.data, service.requests.length], ['ok', 3]);
});

const REPLIES: [title: string, reply: FakeReply, error: string][] = [
  ['a refusal', failure(400, 'diff: is missing'), 'HTTP 400: diff: is missing'],
  ['a refusal with escape sequences', failure(400, '\x1b[2J'), 'HTTP 400: \\x1b[2J'],
  ['a page of a proxy', { status: 502, text: '<html>' }, 'HTTP 502'],
  ['text that is no JSON', { status: 200, text: 'ok' }, 'HTTP 200'],
  ['a redirect', { status: 302, text: '', headers: { location: 'http://x/' } }, 'HTTP 302'],
];

for (const [title, reply, error] of REPLIES) {
  test(`a service client gives the error of ${title}`, async (t) => {
    const service = await startFakeService(t, () => reply);
    const got = await connect(t, service.url).analyze(BODY, signal);
    t.deepEqual([got.data, got.error], [null, error]);
  });
}

test('a service that hangs up, or is not there, is UNAVAILABLE', async (t) => {
  const service = await startFakeService(t, () => 'drop');
  const dropped = await t.throwsAsync(connect(t, service.url).analyze(BODY, signal), {
    instanceOf: CraError,
  });
  t.deepEqual([dropped.code, dropped.details['why']], ['UNAVAILABLE', 'ECONNRESET']);
  const absent = await t.throwsAsync(connect(t, 'http://127.0.0.1:1').health(signal));
  t.regex(absent.message, /http:\/\/127\.0\.0\.1:1 does not answer: ECONNREFUSED/);
});

test('an interrupt ends a request and the wait after a 503', async (t) => {
  const interrupt = new AbortController();
  const service = await startFakeService(t, () => {
    setImmediate(() => interrupt.abort());
    return failure(503, 'busy', { 'retry-after': '3600' });
  });
  const client = connect(t, service.url);
  const error = await t.throwsAsync(client.analyze(BODY, interrupt.signal), {
    instanceOf: CraError,
  });
  t.is(error.code, 'CANCELLED');
});

for (const url of ['', 'localhost:3011', 'file:///etc/passwd', 'ftp://x/']) {
  test(`createServiceClient refuses the address "${url}"`, (t) => {
    const options = { baseUrl: url, token: '', connections: 1 };
    t.throws(() => createServiceClient(options), { message: /must be like http/ });
  });
}
