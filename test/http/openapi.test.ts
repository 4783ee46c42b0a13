import { readFileSync } from 'node:fs';
import test from 'ava';
import { ROUTES } from '../../src/http/api/routes.ts';
import { answerSchema, describeApi, pathOf } from '../../src/http/openapi/document.ts';
import type { Example } from '../../src/http/openapi/example.ts';
import { FINDING_ID, RFC_ID, TASK_ID } from '../../src/http/openapi/example-values.ts';
import { EXAMPLES } from '../../src/http/openapi/examples.ts';
import type { Route } from '../../src/http/server/route.ts';
import { createProblemFinder } from '../../src/model/validate.ts';
import { type Answer, request, startDaemonProcess, temporaryDir } from '../daemon.ts';
import { makeCheckout, signedHeaders } from './checkout-repository.ts';
import { type GuardedDaemon, startGuardedDaemon } from './credentials.ts';
import { rawRequest } from './raw.ts';
import { settled } from './volatile.ts';

const VERSION = JSON.parse(readFileSync('package.json', 'utf8')).version as string;
const routes: readonly (Route & { name: string })[] = ROUTES;

function routeOf(name: string): Route {
  const route = routes.find((one) => one.name === name);
  if (route === undefined) throw new Error(`there is no route ${name}`);
  return route;
}

function problemsOf(route: Route, answer: unknown): object[] {
  const schema = route.contentType === undefined ? answerSchema(route) : route.data;
  return createProblemFinder(schema, 'answer')(answer);
}

test('docs/openapi.json is the description of the routes; npm run openapi writes it', (t) => {
  const golden: unknown = JSON.parse(readFileSync('docs/openapi.json', 'utf8'));
  const made: unknown = JSON.parse(JSON.stringify(describeApi(ROUTES, VERSION)));
  t.deepEqual(golden, made);
});

test('each route is described once, with its parameters, body, answers and credentials', (t) => {
  const { paths } = describeApi(ROUTES, VERSION) as {
    paths: Record<string, Record<string, Operation>>;
  };
  const described = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  t.deepEqual(described.sort(), routes.map((route) => `${route.method} ${pathOf(route)}`).sort());
  for (const route of routes) {
    const operation = paths[pathOf(route)]?.[route.method.toLowerCase()];
    if (operation === undefined) return t.fail(route.name);
    t.is(operation.operationId, route.name);
    t.is(operation.requestBody !== undefined, route.body !== null, route.name);
    const isOpen = route.auth.unauthenticated === 'yes';
    t.is(operation.security.length === 0, isOpen && !route.isDelivery, route.name);
    const inPath = operation.parameters?.filter((one) => one.in === 'path') ?? [];
    t.is(inPath.length, [...pathOf(route).matchAll(/\{/g)].length, route.name);
    const statuses = Object.keys(operation.responses);
    for (const status of ['200', '400', '500', '503']) t.true(statuses.includes(status));
    for (const status of [401, 403]) {
      // A form of the login page wants no credential, and may hold a wrong one.
      const isRefusal = !isOpen || (route.refusals?.includes(status) ?? false);
      t.is(statuses.includes(String(status)), isRefusal, route.name);
    }
    t.is(statuses.includes('413'), route.bodyBytesMax > 0, route.name);
  }
});

interface Operation {
  operationId: string;
  security: object[];
  parameters?: { in: string }[];
  requestBody?: object;
  responses: Record<string, object>;
}

for (const [name, example] of Object.entries(EXAMPLES)) {
  test(`the example of ${name} fits its schemas`, (t) => {
    const route = routeOf(name);
    t.deepEqual(problemsOf(route, example.answer), []);
    t.not(problemsOf(route, { ok: true }).length, 0);
    if (route.body !== null) {
      t.deepEqual(createProblemFinder(route.body, 'body')(example.body ?? {}), []);
    }
    if (route.query !== null) {
      t.deepEqual(createProblemFinder(route.query, 'query')(example.query ?? {}), []);
    }
  });
}

test('every example, sent to the service, is answered as it says', async (t) => {
  // Rules are tried in processes of their own, which take seconds on a busy machine.
  t.timeout(240_000);
  const daemon = await startGuardedDaemon(t, makeCheckout(temporaryDir(t)));
  const known = { [RFC_ID]: '', [FINDING_ID]: '', [TASK_ID]: '' };
  for (const [name, example] of Object.entries(EXAMPLES)) {
    const route = routeOf(name);
    if (JSON.stringify(example).includes(RFC_ID) && !DESK.has(name)) {
      const { data } = (await analyze(daemon)).body;
      known[RFC_ID] = data.rfc_id;
      known[FINDING_ID] = data.gates.ast.findings[0].finding_id;
    }
    // The example's rules are few, and each verdict would say so.
    if (name === 'webhook') await send(daemon, routeOf('rules-put'), BUILT_IN_RULES);
    const { status, body } = await send(daemon, route, substitute(example, known));
    if (name === 'claude-task') known[TASK_ID] = body.data.taskId;
    t.is(status, 200, `${name}: ${JSON.stringify(body).slice(0, 300)}`);
    t.deepEqual(problemsOf(route, body), [], name);
    t.deepEqual(settled(body), settled(example.answer), name);
  }
});

/** They speak of what is there; the others each need an RFC that nobody has decided about. */
const DESK = new Set(['pending-tasks', 'pending-tasks-post', 'task-status']);

test('the description is served to whoever may read, and to nobody else', async (t) => {
  const daemon = await startGuardedDaemon(t);
  const url = `${daemon.url}/openapi.json`;
  t.is((await request(url)).status, 401);
  const headers = { Authorization: `Bearer ${await daemon.person('viewer')}` };
  const answer = await fetch(url, { headers });
  t.is(answer.headers.get('content-type'), 'application/json');
  t.deepEqual(await answer.json(), JSON.parse(readFileSync('docs/openapi.json', 'utf8')));
});

test('the pattern of Idempotency-Key is what is taken on the wire', async (t) => {
  const { paths } = describeApi(ROUTES, VERSION) as {
    paths: Record<string, Record<string, { parameters: { name: string; schema: object }[] }>>;
  };
  const described = paths['/api/cra/ops-log']?.['post']?.parameters;
  const schema = described?.find(({ name }) => name === 'Idempotency-Key')?.schema;
  if (schema === undefined) return t.fail();
  const problems = createProblemFinder({ ...schema }, 'key');
  const daemon = await startDaemonProcess(t, temporaryDir(t));
  const body = JSON.stringify({ action: 'deploy', description: 'shop 4.2', repo: 'acme/shop' });
  const rest = `Content-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`;
  const long = 'k'.repeat(255);
  const taken = ['', 'a', 'a b', '~', '\xe9', '\xa0a\xff', '\t', long, `\xe9${long} `];
  const refused = ['a\xe9b', 'a\tb', '\x7f', 'a\x7f', `${long}k`, `k ${long}`];
  for (const key of [...taken, ...refused]) {
    const head = `POST /api/cra/ops-log HTTP/1.1\r\nHost: localhost\r\nIdempotency-Key: ${key}\r\n`;
    const { status } = await rawRequest(daemon.port, [Buffer.from(head + rest, 'latin1')]);
    // Keys that are one to the service may stand for one request: they all bring the same.
    t.is(status, taken.includes(key) ? 200 : 400, JSON.stringify(key));
    t.is(problems(key).length === 0, status === 200, JSON.stringify(key));
  }
});

const BUILT_IN_RULES = { body: { version: 1, extends: 'default' } } as unknown as Example;

async function analyze(daemon: GuardedDaemon): Promise<Answer> {
  const headers = { Authorization: `Bearer ${daemon.apiToken}` };
  const body = JSON.stringify(EXAMPLES.analyze.body);
  return request(`${daemon.url}/analyze`, { method: 'POST', headers, body });
}

function substitute(example: Example, known: Readonly<Record<string, string>>): Example {
  const text = Object.entries(known).reduce(
    (json, [shown, real]) => (real === '' ? json : json.replaceAll(shown, real)),
    JSON.stringify(example),
  );
  return JSON.parse(text) as Example;
}

async function send(daemon: GuardedDaemon, route: Route, example: Example): Promise<Answer> {
  const { path = {}, query = {}, body } = example;
  const filled = pathOf(route).replace(/\{(\w+)\}/g, (_, name) => path[name] ?? '');
  const asked = new URLSearchParams(JSON.parse(JSON.stringify(query)) as Record<string, string>);
  const token = await daemon.tokenFor(route.auth);
  const text = JSON.stringify(body);
  const delivery = route.isDelivery === true ? signedHeaders(text) : {};
  return request(`http://127.0.0.1:${daemon.port}${filled}?${asked}`, {
    method: route.method,
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', ...delivery },
    ...(body === undefined ? {} : { body: text }),
  });
}
