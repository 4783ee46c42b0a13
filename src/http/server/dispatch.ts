import type { AuthRow } from '../../auth/access.ts';
import { CraError } from '../../model/errors.ts';
import type { Principal } from '../../model/principal.ts';
import { createValidator, type JsonSchema } from '../../model/validate.ts';
import type { Intake } from '../../pushes/intake.ts';
import type { Admit } from './admit.ts';
import type { ExchangeOptions, Request } from './exchange.ts';
import { methodNotAllowed, noSuchRoute, type Reply } from './reply.ts';

/** One endpoint: everything that auth, validation and the API description need to know of it. */
export interface Route {
  name: string;
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /**
   * Segments that start with `:` are parameters, `:name.end` a parameter without the `.end`; a
   * last `*` takes the rest of the path. Of several that fit, the first one counts.
   */
  path: string;
  summary: string;
  auth: AuthRow;
  query: JsonSchema | null;
  body: JsonSchema | null;
  /** Most bytes of body; 0 when it takes none. */
  bodyBytesMax: number;
  /** What `data` holds on success; with a `contentType`, the whole body. */
  data: JsonSchema;
  /** Type of a reply without the envelope; absent: JSON in the envelope. */
  contentType?: string;
  /** Other types of the reply, by the request's Accept; the first may be any. */
  otherTypes?: readonly string[];
  /** Type of the body; absent: JSON. */
  bodyType?: string;
  /** What the envelope has besides `data`. */
  beside?: Readonly<Record<string, JsonSchema>>;
  /** A webhook: its signature stands for a credential. */
  isDelivery?: boolean;
  /**
   * The places that it takes; absent: ordinary. Health and status, and decisions, are answered
   * however many others are under way.
   */
  places?: 'ordinary' | 'status' | 'decisions';
  /** Whether the body may be left out. */
  isBodyOptional?: boolean;
  /** Headers that the handler reads, besides credentials. */
  headers?: readonly ('Idempotency-Key' | 'If-Match' | 'If-None-Match')[];
  /** Whether the answer names the revision of what it shows in an ETag. */
  hasEtag?: boolean;
  /** Refusals that not every such endpoint has: 404, 409, 412, 429. */
  refusals?: readonly number[];
}

/** A route that was found, with the raw (still percent-encoded) values of its parameters. */
interface Match<R extends Route> {
  route: R;
  params: readonly string[];
}

/** Finds the route of a request. Throws 404 or 405. HEAD is answered by the route of GET. */
type Router<R extends Route> = (method: string, path: string) => Match<R>;

interface Entry<R extends Route> {
  route: R;
  /** What a path must begin with: all before the first parameter. */
  start: string;
  segments: readonly string[];
}

/**
 * Compiles a route table: fixed paths by one look-up, paths with parameters by how they begin. The
 * last match is kept, because an exchange asks for its route several times.
 */
export function createRouter<R extends Route>(routes: readonly R[]): Router<R> {
  const fixed = new Map<string, Match<R>[]>();
  const variable: Entry<R>[] = [];
  for (const route of routes) {
    const segments = route.path.split('/');
    const first = segments.findIndex(isVariable);
    if (first === -1) {
      fixed.set(route.path, [...(fixed.get(route.path) ?? []), { route, params: [] }]);
    } else variable.push({ route, segments, start: [...segments.slice(0, first), ''].join('/') });
  }
  let last: { method: string; path: string; found: Match<R> } | null = null;

  function find(method: string, path: string): Match<R> {
    const wanted = method === 'HEAD' ? 'GET' : method;
    const fitting = fixed.get(path) ?? matchVariable(variable, path);
    // An id may end like another path: the first path that fits wins.
    const matches = fitting.filter(({ route }) => route.path === fitting[0]?.route.path);
    const found = matches.find((match) => match.route.method === wanted);
    if (found !== undefined) return found;
    if (matches.length === 0) throw noSuchRoute();
    throw methodNotAllowed([...new Set(matches.map((match) => match.route.method))]);
  }

  return (method, path) => {
    if (last?.path === path && last.method === method) return last.found;
    const found = find(method, path);
    last = { method, path, found };
    return found;
  };
}

function isVariable(segment: string): boolean {
  return segment.startsWith(':') || segment === '*';
}

function matchVariable<R extends Route>(entries: readonly Entry<R>[], path: string): Match<R>[] {
  const matches: Match<R>[] = [];
  let parts: readonly string[] | null = null;
  for (const { route, start, segments } of entries) {
    if (!path.startsWith(start)) continue;
    parts ??= path.split('/');
    const params = matchSegments(segments, parts);
    if (params !== null) matches.push({ route, params });
  }
  return matches;
}

function matchSegments(segments: readonly string[], parts: readonly string[]): string[] | null {
  const params: string[] = [];
  for (const [index, segment] of segments.entries()) {
    const part = parts[index];
    if (part === undefined) return null;
    if (segment === '*') {
      const rest = parts.slice(index).join('/');
      return rest === '' ? null : [...params, rest];
    }
    if (segment.startsWith(':')) {
      const dot = segment.indexOf('.');
      const ending = dot === -1 ? '' : segment.slice(dot);
      if (part.length <= ending.length || !part.endsWith(ending)) return null;
      params.push(part.slice(0, part.length - ending.length));
    } else if (segment !== part) return null;
  }
  return parts.length === segments.length ? params : null;
}

type Query = Readonly<Record<string, string | number>>;

/** A request that is routed and authorised and whose query fits the route's schema. */
export interface Call {
  request: Request;
  principal: Principal;
  /** Path parameters, percent-decoded. */
  params: readonly string[];
  query: Query;
}

export type Handler = (call: Call) => Promise<Reply>;

/** From a request to its reply, and all that the exchange must know before. */
export interface Dispatch {
  handle(request: Request): Promise<Reply>;
  bodyBytesMax(method: string, path: string): number | null;
  /** The route of a request; null when absent. */
  routeOf(method: string, path: string): Route | null;
  openDelivery: ExchangeOptions['openDelivery'];
}

const NO_QUERY: Query = {};

/** The same for any route table. */
export function dispatchTo<Name extends string>(
  routes: readonly (Route & { name: Name })[],
  handlers: Readonly<Record<Name, Handler>>,
  admit: Admit,
  intake: Intake | null = null,
): Dispatch {
  const route = createRouter(routes);
  const queries = new Map<Name, (query: unknown) => Query>();
  for (const { name, query } of routes) {
    if (query !== null) queries.set(name, createValidator<Query>(query, 'query'));
  }

  return {
    async handle(request) {
      const { route: found, params } = route(request.method, request.path);
      const isAboutRfc = found.path.includes('/:rfc_id');
      const principal = await admit(request, found.auth, isAboutRfc ? (params[0] ?? null) : null);
      const check = queries.get(found.name);
      const query =
        check === undefined || found.query === null
          ? NO_QUERY
          : check(readQuery(request.query, found.query));
      return handlers[found.name]({ request, principal, params: params.map(decode), query });
    },
    bodyBytesMax(method, path) {
      const { bodyBytesMax } = route(method, path).route;
      return bodyBytesMax === 0 ? null : bodyBytesMax;
    },
    routeOf(method, path) {
      try {
        return route(method, path).route;
      } catch {
        return null;
      }
    },
    openDelivery(method, path, headers) {
      const isDelivery = route(method, path).route.isDelivery === true;
      return isDelivery && intake !== null ? intake.open(headers()) : null;
    },
  };
}

/** Any odd id is unknown, never malformed. */
function decode(param: string): string {
  if (!param.includes('%')) return param;
  try {
    return decodeURIComponent(param);
  } catch {
    throw new CraError('NOT_FOUND', 'not found');
  }
}

/**
 * A query string as an object, with the values of integer properties as numbers; other text stays
 * text and fails the schema. A repeated parameter is INVALID_ARGUMENT: which of the two counts
 * would be a guess. Parameters that the schema does not know are ignored, or left for it to refuse
 * when it allows no additional ones.
 */
function readQuery(query: string, schema: JsonSchema): Record<string, string | number> {
  const properties = schema['properties'] as Readonly<Record<string, { type?: unknown }>>;
  const isStrict = schema['additionalProperties'] === false;
  const values: Record<string, string | number> = Object.create(null);
  if (query === '') return values;
  for (const [name, value] of new URLSearchParams(query)) {
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (property === undefined && !isStrict) continue;
    if (name in values) {
      throw new CraError('INVALID_ARGUMENT', `${name}: is given twice`, {
        details: { field: name },
      });
    }
    values[name] = property?.type === 'integer' && INTEGER.test(value) ? Number(value) : value;
  }
  return values;
}

const INTEGER = /^-?\d{1,15}$/;
