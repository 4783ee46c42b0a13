import { readFileSync } from 'node:fs';
import test from 'ava';
import { ROUTES } from '../../src/http/api/all-routes.ts';
import {
  answerSchema,
  describeApi,
  examplesOf,
  pathOf,
  readCalls,
} from '../../src/http/openapi/document.ts';
import type { Route } from '../../src/http/server/dispatch.ts';
import { createProblemFinder } from '../../src/model/validate.ts';
import { request, startDaemonProcess, temporaryDir } from '../daemon.ts';
import { startGuardedDaemon } from './credentials.ts';
import { rawRequest } from './raw.ts';

const VERSION = JSON.parse(readFileSync('package.json', 'utf8')).version as string;
const CALLS = readCalls((path) => readFileSync(path, 'utf8'));
const EXAMPLES = examplesOf(CALLS, ROUTES);
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

test('docs/reference/openapi.json is the description of the routes; npm run openapi writes it', (t) => {
  const golden: unknown = JSON.parse(readFileSync('docs/reference/openapi.json', 'utf8'));
  const made: unknown = JSON.parse(JSON.stringify(describeApi(ROUTES, VERSION, EXAMPLES)));
  t.deepEqual(golden, made);
});

test('each route is described once, with its parameters, body, answers and credentials', (t) => {
  const { paths } = describeApi(ROUTES, VERSION, EXAMPLES) as {
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

for (const [name, example] of EXAMPLES) {
  test(`the example of ${name} fits its schemas`, (t) => {
    const route = routeOf(name);
    t.deepEqual(problemsOf(route, example.answer), []);
    t.not(problemsOf(route, { ok: true }).length, 0);
    if (route.body !== null) {
      t.deepEqual(createProblemFinder(route.body, 'body')(example.body ?? {}), []);
    }
    if (route.query !== null) {
      t.deepEqual(createProblemFinder(route.query, 'query')(example.query), []);
    }
  });
}

test('each route for JSON has an example, except those for browsers', (t) => {
  const others = routes.filter(({ name }) => !EXAMPLES.has(name)).map(({ name }) => name);
  const isBrowser = (name: string) => /^\/(api\/cra\/auth|cra)\b/.test(routeOf(name).path);
  t.deepEqual(
    others.filter((name) => !isBrowser(name)),
    // Of five of them the pages show a refusal, and of evidence a part of the answer.
    [
      ...['openapi', 'add-plan', 'add-report', 'review', 'end-acceptance', 'pass-freeze'],
      ...['score-curves', 'rfc-evidence', 'evidence', 'rules', 'rules-list'],
    ],
  );
});

test('only callers that may read get the description', async (t) => {
  const daemon = await startGuardedDaemon(t);
  const url = `${daemon.url}/openapi.json`;
  t.is((await request(url)).status, 401);
  const headers = { Authorization: `Bearer ${await daemon.person('viewer')}` };
  const answer = await fetch(url, { headers });
  t.is(answer.headers.get('content-type'), 'application/json');
  t.deepEqual(await answer.json(), JSON.parse(readFileSync('docs/reference/openapi.json', 'utf8')));
});

test('the pattern of Idempotency-Key accepts the keys that the service accepts', async (t) => {
  const { paths } = describeApi(ROUTES, VERSION, EXAMPLES) as {
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
    // Keys that are equal for the service name one request: all send the same body.
    t.is(status, taken.includes(key) ? 200 : 400, JSON.stringify(key));
    t.is(problems(key).length === 0, status === 200, JSON.stringify(key));
  }
});
