import { words } from '../words.ts';
import { fromSource, partOf, type Role, type Source, type Value, withRole } from './value.ts';

/** Names that everybody gives to the things that carry outside data. */
const ROLE_NAMES: ReadonlyMap<string, Role> = new Map([
  ['req', 'request'],
  ['request', 'request'],
  ['ctx', 'context'],
  ['context', 'context'],
  ['event', 'event'],
  ['evt', 'event'],
  ['location', 'location'],
  ['document', 'document'],
  ['process', 'process'],
]);

const REQUEST_DATA = words(`
  body query params headers cookies signedCookies url originalUrl path hostname file files
  rawBody rawHeaders querystring nextUrl fields payload
`);
/** Of these the sender makes the whole object. */
const WHOLE_DATA = new Set(['body', 'query', 'payload']);
const REQUEST_CALLS = words(`
  get header param query json text formData arrayBuffer valid cookie parseBody queries
`);
const CONTEXT_DATA = words(`
  query params querystring url originalUrl path headers header cookies searchParams
`);
const EVENT_DATA = words(`
  body queryStringParameters pathParameters multiValueQueryStringParameters headers
  multiValueHeaders rawQueryString rawPath data
`);
const LOCATION_DATA = words('hash search href pathname');
const DOCUMENT_DATA = words('cookie referrer URL documentURI');

/** Functions that read a request given to them, or of the framework: h3, Nuxt, Next. */
const SOURCE_CALLS = words(`
  getQuery readBody readRawBody readFormData getRouterParam getRouterParams getCookie getHeader
  getHeaders getRequestHeader useSearchParams useQuery useParams
`);
/** Free names that hold outside data wherever they are not declared. */
const SOURCE_NAMES = new Set(['searchParams', 'formData']);

/** The role of a name that is a parameter or is declared outside the fragment. */
export function roleOf(name: string): Role | null {
  return ROLE_NAMES.get(name) ?? null;
}

/** Properties of a destructured parameter that make it a request: `({ body, query }, res)`. */
export function isRequestData(name: string): boolean {
  return REQUEST_DATA.has(name);
}

/** A free name that is a source by itself. */
export function freeSource(name: string, line: number): Value | null {
  if (!SOURCE_NAMES.has(name)) return null;
  return fromSource({ strength: 'strong', text: name, line, isWhole: false });
}

/**
 * A member of something with a role: a source, another role, or null when it is nothing special.
 * `path` is how it is written, for the message.
 */
export function memberOfRole(role: Role, name: string, path: string, line: number): Value | null {
  const source = (strength: Source['strength'], isWhole = false) =>
    fromSource({ strength, text: path, line, isWhole });
  switch (role) {
    case 'request':
      if (name === 'request' || name === 'req' || name === 'raw') return withRole('request');
      return REQUEST_DATA.has(name) ? source('strong', WHOLE_DATA.has(name)) : null;
    case 'context':
      if (name === 'request' || name === 'req') return withRole('request');
      return CONTEXT_DATA.has(name) ? source('strong', name === 'query') : null;
    case 'event':
      if (name === 'request' || name === 'req') return withRole('request');
      if (name === 'node') return withRole('context');
      return EVENT_DATA.has(name) ? source('strong') : null;
    case 'location':
      return LOCATION_DATA.has(name) ? source('strong') : null;
    case 'document':
      if (name === 'location') return withRole('location');
      return DOCUMENT_DATA.has(name) ? source('strong') : null;
    case 'process':
      return name === 'argv' ? source('operator') : null;
    case 'this':
      if (name === 'req' || name === 'request') return withRole('request');
      return name === 'ctx' ? withRole('context') : null;
    case 'regex':
      return null;
  }
}

/** A call on something with a role: `req.get('x')`, `await request.json()`; or null. */
export function callOnRole(role: Role, name: string, path: string, line: number): Value | null {
  if (role !== 'request' || !REQUEST_CALLS.has(name)) return null;
  const text = `${path}()`;
  return fromSource({ strength: 'strong', text, line, isWhole: name === 'json' });
}

/** A call that gives outside data by its name: `getQuery(event)`; or null. */
export function sourceCall(name: string, line: number): Value | null {
  if (!SOURCE_CALLS.has(name)) return null;
  return fromSource({ strength: 'strong', text: `${name}()`, line, isWhole: false });
}

/** A member of data from outside. */
export function memberOfSource(source: Source, name: string | null): Source {
  const text = name === null ? `${source.text}[...]` : `${source.text}.${name}`;
  return { ...(partOf(source) ?? source), text: text.length > 80 ? source.text : text };
}
