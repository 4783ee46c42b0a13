import { methodNotAllowed, noSuchRoute } from './refusal.ts';
import type { Route } from './route.ts';

/** A route that was found, with the raw (still percent-encoded) values of its parameters. */
export interface Match<R extends Route> {
  route: R;
  params: readonly string[];
}

/** Finds the route of a request. Throws 404 or 405. HEAD is answered by the route of GET. */
export type Router<R extends Route> = (method: string, path: string) => Match<R>;

interface Entry<R extends Route> {
  route: R;
  segments: readonly string[];
}

/** Compiles a route table: fixed paths by one look-up, those with parameters one by one. */
export function createRouter<R extends Route>(routes: readonly R[]): Router<R> {
  const fixed = new Map<string, R[]>();
  const variable: Entry<R>[] = [];
  for (const route of routes) {
    const segments = route.path.split('/');
    if (segments.some(isVariable)) variable.push({ route, segments });
    else fixed.set(route.path, [...(fixed.get(route.path) ?? []), route]);
  }

  return (method, path) => {
    const wanted = method === 'HEAD' ? 'GET' : method;
    const matches: Match<R>[] =
      fixed.get(path)?.map((route) => ({ route, params: [] })) ?? matchVariable(variable, path);
    const found = matches.find((match) => match.route.method === wanted);
    if (found !== undefined) return found;
    if (matches.length === 0) throw noSuchRoute();
    throw methodNotAllowed([...new Set(matches.map((match) => match.route.method))]);
  };
}

function isVariable(segment: string): boolean {
  return segment.startsWith(':') || segment === '*';
}

function matchVariable<R extends Route>(entries: readonly Entry<R>[], path: string): Match<R>[] {
  const parts = path.split('/');
  return entries.flatMap(({ route, segments }) => {
    const params = matchSegments(segments, parts);
    return params === null ? [] : [{ route, params }];
  });
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
