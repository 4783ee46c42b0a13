import { CraError } from '../../model/errors.ts';
import type { Principal } from '../../model/principal.ts';
import { createValidator, type JsonSchema } from '../../model/validate.ts';
import type { Intake } from '../../pushes/intake.ts';
import { ROUTES, type RouteName } from '../api/all-routes.ts';
import type { Admit } from './admit.ts';
import type { ExchangeOptions, Request } from './exchange.ts';
import type { Reply } from './reply.ts';
import { createRouter, type Route } from './route.ts';

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

/** One handler per route; the compiler misses none. */
export type Handlers = Readonly<Record<RouteName, Handler>>;

/** From a request to its reply, and all that the exchange must know before. */
export interface Dispatch {
  handle(request: Request): Promise<Reply>;
  bodyBytesMax(method: string, path: string): number | null;
  /** The route of a request; null: there is none. */
  routeOf(method: string, path: string): Route | null;
  openDelivery: ExchangeOptions['openDelivery'];
}

const NO_QUERY: Query = {};

/**
 * Binds the route table to authentication and handlers: authn, authz, parse, then the handler.
 * `intake` checks the webhooks; null: there are no webhooks.
 */
export function createDispatch(
  handlers: Handlers,
  admit: Admit,
  intake: Intake | null = null,
): Dispatch {
  return dispatchTo(ROUTES, handlers, admit, intake);
}

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
      const principal = await admit(request, found.auth);
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
