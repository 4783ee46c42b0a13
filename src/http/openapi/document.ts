import { DECISIONS } from '../../model/limits.ts';
import type { JsonSchema } from '../../model/validate.ts';
import type { RouteName } from '../api/all-routes.ts';
import { createRouter, type Route } from '../server/dispatch.ts';
import { NAMED_SCHEMAS, RESPONSES, refusalsOf, withReferences } from './schemas.ts';

type Json = Readonly<Record<string, unknown>>;

const JSON_TYPE = 'application/json';

/** The parameter for the rest of the path of a route with `*`. */
const REST = 'repo';

/** Characters that uWebSockets.js removes from both ends of a header's value. */
const DROPPED = '[\\t \\u0080-\\u00ff]*';
const KEY_ON_THE_WIRE = `^${DROPPED}([!-~]([ -~]{0,${DECISIONS.IDEMPOTENCY_KEY_CHARS_MAX - 2}}[!-~])?)?${DROPPED}$`;

const REQUEST_HEADERS: Record<NonNullable<Route['headers']>[number], Json> = {
  'Idempotency-Key': {
    description:
      'A repeat of the same key gets the answer to the first request. At most 255 printable ASCII ' +
      'characters; spaces and non-ASCII characters at both ends are removed, and an empty key is ' +
      'ignored',
    schema: { type: 'string', pattern: KEY_ON_THE_WIRE },
  },
  'If-Match': {
    description:
      'The revision that the caller has read: the ETag of the rules, or the rev of the RFC, such ' +
      'as "7". 412 if it is not the current one',
    schema: { type: 'string' },
  },
  'If-None-Match': {
    description: 'The ETag of the answer that the caller has: 304 if it is still the same',
    schema: { type: 'string' },
  },
};

/** The OpenAPI 3.1 document of a route table; `examples` are by the route's name. */
export function describeApi(
  routes: readonly Route[],
  version: string,
  examples: ReadonlyMap<string, Example>,
): Json {
  const paths: Record<string, Record<string, Json>> = {};
  for (const route of routes) {
    const path = pathOf(route);
    paths[path] = {
      ...paths[path],
      [route.method.toLowerCase()]: operationOf(route, examples.get(route.name)),
    };
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Change-Risk Analysis', version, description: INTRODUCTION },
    servers: [{ url: '/' }],
    paths,
    components: {
      schemas: Object.fromEntries(
        [...NAMED_SCHEMAS].map(([schema, name]) => [name, withReferences(schema, true)]),
      ),
      responses: RESPONSES,
      securitySchemes: SECURITY_SCHEMES,
    },
  };
}

const INTRODUCTION = `Gates code changes. A success is \`{ok: true, data}\`, a failure \
\`{ok: false, error, code, request_id}\`: \`error\` is a sentence, \`code\` one of the gRPC status \
codes, or \`trail-check\` while decisions are refused until the audit trail is checked, or \`agent-limit\` \
where an agent may not do what a person may (\`details.approveUrl\`). Unknown fields of a body and unknown \
parameters of a query are ignored, except for prod-check. A body is read as JSON whatever \
its Content-Type. HEAD is answered like GET. While authentication is off \
(SERVICE_AUTH_ENABLED=false) most endpoints need no credential; docs/how-to/authentication.md \
names the others. A malformed HTTP request gets 400 or 431 without an envelope.`;

function operationOf(route: Route, example: Example | undefined): Json {
  const security = securityOf(route);
  return {
    operationId: route.name,
    summary: route.summary,
    security,
    ...parametersOf(route, example),
    ...bodyOf(route, example),
    responses: { 200: successOf(route, example), ...refusalsOf(route) },
  };
}

/** The path in the form of OpenAPI: `:name` is `{name}`, the rest of a path one parameter. */
export function pathOf({ path }: Pick<Route, 'path'>): string {
  return path.replace(/:(\w+)/g, '{$1}').replace(/\*$/, `{${REST}}`);
}

/** The names of the parameters in its path. */
function parameterNames(route: Pick<Route, 'path'>): string[] {
  return [...pathOf(route).matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '');
}

function parametersOf(route: Route, example: Example | undefined): Json {
  const inPath = parameterNames(route).map((name) => ({
    name,
    in: 'path',
    required: true,
    description: route.path.endsWith('*') ? REST_TEXT : 'An unknown id is answered 404',
    schema: { type: 'string', minLength: 1 },
    ...(example?.path?.[name] === undefined ? {} : { example: example.path[name] }),
  }));
  const query = (route.query ?? {}) as { properties?: Record<string, Json>; required?: string[] };
  const inQuery = Object.entries(query.properties ?? {}).map(([name, schema]) => ({
    name,
    in: 'query',
    required: query.required?.includes(name) ?? false,
    schema: withReferences(schema),
    ...(example?.query?.[name] === undefined ? {} : { example: example.query[name] }),
  }));
  const inHeader = (route.headers ?? []).map((name) => ({
    name,
    in: 'header',
    ...REQUEST_HEADERS[name],
  }));
  const parameters = [...inPath, ...inQuery, ...inHeader];
  return parameters.length === 0 ? {} : { parameters };
}

const REST_TEXT =
  'The rest of the path, in upper or lower case; a slash may also be written as %2F';

function bodyOf(route: Route, example: Example | undefined): Json {
  if (route.body === null) return {};
  const schema = withReferences(route.body);
  const shown = example?.body === undefined ? {} : { example: example.body };
  return {
    requestBody: {
      required: route.isBodyOptional !== true,
      content: { [route.bodyType ?? JSON_TYPE]: { schema, ...shown } },
    },
  };
}

function successOf(route: Route, example: Example | undefined): Json {
  const isBare = route.contentType !== undefined;
  const schema = isBare ? withReferences(route.data) : envelopeOf(route);
  const answer = example?.answer;
  const shown = answer === undefined ? {} : { example: answer };
  const links = linksOf(route.name);
  return {
    description: route.summary,
    ...(route.hasEtag ? { headers: { ETag: ETAG } } : {}),
    ...(Object.keys(links).length > 0 ? { links } : {}),
    content: {
      [mediaType(route.contentType ?? JSON_TYPE)]: { schema, ...shown },
      ...otherContent(route),
    },
  };
}

function mediaType(contentType: string): string {
  return contentType.split(';')[0] ?? '';
}

/** What a client gets that asks for it by Accept. */
function otherContent({ otherTypes = [] }: Route): Json {
  return Object.fromEntries(
    otherTypes.map((type) => [mediaType(type), { schema: { type: 'string' } }]),
  );
}

const ETAG = { description: 'Revision of the rules in force', schema: { type: 'string' } };

function envelopeOf(route: Pick<Route, 'data' | 'beside'>): Json {
  return withReferences(answerSchema(route)) as Json;
}

/** JSON Schema of the whole body of a success. */
export function answerSchema({ data, beside = {} }: Pick<Route, 'data' | 'beside'>): JsonSchema {
  return {
    type: 'object',
    required: ['ok', 'data', ...Object.keys(beside)],
    properties: { ok: { const: true }, data, ...beside },
    additionalProperties: false,
  };
}

/** OpenAPI links: where an answer holds the parameters of other operations. */
type Links = Partial<
  Record<RouteName, Partial<Record<RouteName, Readonly<Record<string, string>>>>>
>;

const RFC_LINK = { rfc_id: '$response.body#/data/rfc_id' };
const REVISION_LINK = { number: '$response.body#/data/number' };

const LINKS: Links = {
  analyze: {
    rfc: RFC_LINK,
    sarif: RFC_LINK,
    override: RFC_LINK,
    'review-emergency': RFC_LINK,
    approve: RFC_LINK,
    reject: RFC_LINK,
    delete: RFC_LINK,
    'delete-post': RFC_LINK,
    'prod-check': { repo: '$request.body#/repo_name' },
  },
  'rules-put': { 'rules-revision': REVISION_LINK, 'rules-restore': REVISION_LINK },
};

/** The links of an operation's answer. */
function linksOf(name: string): Readonly<Record<string, object>> {
  const links = (LINKS as Readonly<Record<string, Links[RouteName]>>)[name] ?? {};
  return Object.fromEntries(
    Object.entries(links).map(([operationId, parameters]) => [
      operationId,
      { operationId, parameters },
    ]),
  );
}

/** All kinds of credentials. */
const SECURITY_SCHEMES = {
  apiToken: {
    type: 'http',
    scheme: 'bearer',
    description: 'One of CRA_API_TOKEN and SERVICE_API_TOKENS: machines',
  },
  apiKey: {
    type: 'apiKey',
    in: 'header',
    name: 'X-API-Key',
    description: 'The legacy form of an API token; ignored beside Authorization',
  },
  overrideToken: {
    type: 'http',
    scheme: 'bearer',
    description:
      'CRA_OVERRIDE_TOKEN on its own: only for override, approve, bulk-override, and to object to emergencies',
  },
  overrideHeader: {
    type: 'apiKey',
    in: 'header',
    name: 'X-CRA-Override-Token',
    description: 'The override token next to an API token',
  },
  agentToken: {
    type: 'http',
    scheme: 'bearer',
    description:
      'CRA_AGENT_OVERRIDE_TOKEN: agents, for single overrides below the ceilings that the service ' +
      'holds; X-CRA-Override-Token takes it as well',
  },
  jwt: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'A token of SERVICE_OIDC_ISSUER for SERVICE_OIDC_AUDIENCE: people, by role',
  },
  webhookSignature: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Hub-Signature-256',
    description: '`sha256=` and the HMAC-SHA-256 of the raw body with CRA_WEBHOOK_SECRET, in hex',
  },
  webhookToken: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Provider-Token',
    description: 'SERVICE_PROVIDER_SECRET itself; GitLab sends it as X-Gitlab-Token',
  },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: '__Host-cra_session',
    description: 'A browser session; without https its name is cra_session',
  },
} as const;

type Requirement = Partial<Record<keyof typeof SECURITY_SCHEMES, []>>;

/** The credentials that a route accepts: any one entry is enough; an empty list asks for none. */
function securityOf({ auth: row, isDelivery }: Pick<Route, 'auth' | 'isDelivery'>) {
  const ways: Requirement[] = [];
  if (isDelivery === true) ways.push({ webhookSignature: [] }, { webhookToken: [] });
  if (row.apiToken) ways.push({ apiToken: [] }, { apiKey: [] });
  if (row.overrideToken) {
    const beside: Requirement[] = [
      { apiToken: [], overrideHeader: [] },
      { apiKey: [], overrideHeader: [] },
    ];
    ways.push({ overrideToken: [] }, ...beside);
  }
  if (row.agentToken) ways.push({ agentToken: [] });
  if (row.role !== null && row.unauthenticated !== 'yes') ways.push({ jwt: [] });
  if (row.session !== 'no') ways.push({ session: [] });
  return ways;
}

/** A request, and the body of its answer. */
export interface Example {
  path: Readonly<Record<string, string>>;
  query: Readonly<Record<string, string | number>>;
  /** Undefined: the request has no body. */
  body?: object;
  answer: object;
}

/** A call of a page and the block below it. */
interface Call {
  /** Shell commands. */
  commands: string;
  /** The answer as the page shows it; null without one. */
  answer: { kind: string; text: string } | null;
}

/** A `sh` block of Markdown, and the `json` or `text` block that follows it at once. */
export const CALL_BLOCKS = /```sh\n([\s\S]*?)```\n(?:\n```(json|text)\n([\s\S]*?)```\n)?/g;

/**
 * The pages with the calls of the API, in the order in which they can be called: `docs/reference/`
 * has `index`, the text of api.md, which lists the others.
 */
export function callPages(index: string): readonly string[] {
  const listed = [...index.matchAll(/^\d+\. \[[^\]]+\]\((api\/[a-z-]+\.md)\)/gm)];
  return ['api.md', ...listed.map(([, path = '']) => path)].map((path) => `docs/reference/${path}`);
}

/** The text of all of them; `read` reads a file below the project. */
export function readCalls(read: (path: string) => string): string {
  return callPages(read('docs/reference/api.md')).map(read).join('');
}

/** The calls of a Markdown page. */
export function callsOf(page: string): Call[] {
  return [...page.matchAll(CALL_BLOCKS)].map(([, commands = '', kind, text]) => ({
    commands,
    answer: kind === undefined ? null : { kind, text: text ?? '' },
  }));
}

const FILE = /^cat > (\S+) <<'EOF'\n([\s\S]*?)^EOF$/gm;
const VARIABLE = /^([A-Z]+)='([^']*)'$/gm;
const URL_OF = /"\$CRA_URL([^"?]+)(?:\?([^"]*))?"/;
const BODY = /-d (?:'([^']*)'|@(\S+)|"\$([A-Z]+)")/;

/**
 * The examples of the API by the name of their route: of `page` (see `readCalls`) the first call
 * with `curl` of each that succeeds with JSON. A body stands in the call, in a file or in a
 * variable that the page makes.
 */
export function examplesOf(page: string, routes: readonly Route[]): ReadonlyMap<string, Example> {
  const find = createRouter(routes);
  const texts = new Map<string, string>();
  const examples = new Map<string, Example>();
  for (const { commands, answer } of callsOf(page)) {
    for (const [, name = '', text = ''] of commands.matchAll(FILE)) texts.set(name, text);
    for (const [, name = '', text = ''] of commands.matchAll(VARIABLE)) texts.set(name, text);
    if (answer?.kind !== 'json') continue;
    const shown = JSON.parse(answer.text) as { ok?: boolean };
    const curl = commands.slice(commands.indexOf('curl '));
    // The page shows what another program makes of the answer.
    if (/"\s*\\?\n\s*\| /.test(curl)) continue;
    const [, path = '', query = ''] = URL_OF.exec(curl) ?? [];
    const given = BODY.exec(curl);
    const text = given && (given[1] ?? texts.get(given[2] ?? given[3] ?? ''));
    const method = /-X (\w+)/.exec(curl)?.[1] ?? (text === null ? 'GET' : 'POST');
    const { route, params } = find(method, path);
    if (shown.ok === false || examples.has(route.name)) continue;
    const names = parameterNames(route);
    examples.set(route.name, {
      path: Object.fromEntries(names.map((name, at) => [name, params[at] ?? ''])),
      query: queryOf(route, new URLSearchParams(query)),
      ...(text == null ? {} : { body: JSON.parse(text) as object }),
      answer: shown,
    });
  }
  return examples;
}

function queryOf({ query }: Route, asked: URLSearchParams): Example['query'] {
  const schemas = (query?.['properties'] ?? {}) as Readonly<Record<string, { type?: string }>>;
  return Object.fromEntries(
    [...asked].map(([name, value]) => [
      name,
      schemas[name]?.type === 'integer' ? Number(value) : value,
    ]),
  );
}
