import { AUDIT } from '../../limits.ts';
import type { JsonSchema } from '../../model/validate.ts';
import type { Route } from '../server/route.ts';
import type { Example } from './example.ts';
import { EXAMPLES } from './examples.ts';
import { linksOf } from './links.ts';
import { NAMED_SCHEMAS, withReferences } from './references.ts';
import { RESPONSES, refusalsOf } from './refusals.ts';
import { SECURITY_SCHEMES, securityOf } from './security.ts';

type Json = Readonly<Record<string, unknown>>;

const JSON_TYPE = 'application/json';

/** How a route with `*` calls the rest of its path. */
const REST = 'repo';

/** What uWebSockets.js drops from both ends of a header's value: nobody behind it sees it. */
const DROPPED = '[\\t \\u0080-\\u00ff]*';
const KEY_ON_THE_WIRE = `^${DROPPED}([!-~]([ -~]{0,${AUDIT.IDEMPOTENCY_KEY_CHARS_MAX - 2}}[!-~])?)?${DROPPED}$`;

const REQUEST_HEADERS: Record<NonNullable<Route['headers']>[number], Json> = {
  'Idempotency-Key': {
    description:
      'The same key again asks what became of the first request. At most 255 printable characters ' +
      'of ASCII; blanks and characters beyond ASCII at its ends are dropped, so that a key of ' +
      'nothing else counts as none',
    schema: { type: 'string', pattern: KEY_ON_THE_WIRE },
  },
  'If-Match': {
    description:
      'What the caller has read: the ETag of the rules, or the rev of the RFC, such as "7". 412 ' +
      'when it has changed since',
    schema: { type: 'string' },
  },
};

/** The OpenAPI 3.1 document of a route table. */
export function describeApi(routes: readonly (Route & { name: string })[], version: string): Json {
  const paths: Record<string, Record<string, Json>> = {};
  for (const route of routes) {
    const path = pathOf(route);
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(route) };
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
codes, or \`trail-check\` where decisions are refused until the audit trail was checked. Fields of a body and parameters of a query that are not described are ignored. A body is \
read as JSON whatever its Content-Type says. GET also answers HEAD. While authentication is off \
(SERVICE_AUTH_ENABLED=false) no credential is needed, but for what is guarded by one that is \
configured. What is no HTTP at all is answered 400 or 431 without an envelope.`;

function operationOf(route: Route & { name: string }): Json {
  const example = (EXAMPLES as Readonly<Record<string, Example>>)[route.name];
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

function parametersOf(route: Route, example: Example | undefined): Json {
  const names = [...pathOf(route).matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '');
  const inPath = names.map((name) => ({
    name,
    in: 'path',
    required: true,
    description: route.path.endsWith('*') ? REST_TEXT : 'An id that is not known is 404',
    schema: { type: 'string', minLength: 1 },
    ...(example?.path?.[name] === undefined ? {} : { example: example.path[name] }),
  }));
  const query = (route.query ?? {}) as { properties?: Record<string, Json>; required?: string[] };
  const inQuery = Object.entries(query.properties ?? {}).map(([name, schema]) => ({
    name,
    in: 'query',
    required: query.required?.includes(name) ?? false,
    schema,
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

const REST_TEXT = 'Rest of the path: slashes may be written as they are or as %2F; in any case';

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

function successOf(route: Route & { name: string }, example: Example | undefined): Json {
  const isBare = route.contentType !== undefined;
  const schema = isBare ? withReferences(route.data) : envelopeOf(route);
  const answer = example?.answer;
  const shown = answer === undefined ? {} : { example: answer };
  const links = linksOf(route.name);
  return {
    description: route.summary,
    ...(route.hasEtag ? { headers: { ETag: ETAG } } : {}),
    ...(Object.keys(links).length > 0 ? { links } : {}),
    content: { [(route.contentType ?? JSON_TYPE).split(';')[0] ?? '']: { schema, ...shown } },
  };
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
