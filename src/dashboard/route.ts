import { signal } from '@preact/signals';

/** The view that the hash names. Every view is a link. */
export interface Route {
  page: 'rfc' | 'queue' | 'status' | 'help' | 'unknown';
  /** Of an RFC: its id. */
  id: string;
  query: URLSearchParams;
}

export const route = signal(readRoute(location.hash));

addEventListener('hashchange', () => {
  route.value = readRoute(location.hash);
});

/** Reads `#approve-ID`, `#/rfc/ID` and `#/PAGE?QUERY`; the empty hash is the queue. */
function readRoute(hash: string): Route {
  const [path = '', search = ''] = hash.replace(/^#/, '').split('?', 2);
  const query = new URLSearchParams(search);
  const id = /^(?:approve-|\/rfc\/)(.+)$/s.exec(path)?.[1];
  if (id !== undefined) return { page: 'rfc', id: decoded(id), query };
  const page = path.replace(/^\//, '') || 'queue';
  const isKnown = page === 'queue' || page === 'status' || page === 'help';
  return { page: isKnown ? page : 'unknown', id: '', query };
}

/** The link to an RFC. */
export function rfcLink(id: string): string {
  return `#/rfc/${encodeURIComponent(id)}`;
}

/** The link to the queue with these filters; empty ones are left out. */
export function queueLink(filters: Readonly<Record<string, string>>): string {
  const kept = Object.entries(filters).filter(([, value]) => value !== '');
  const query = new URLSearchParams(kept).toString();
  return query === '' ? '#/queue' : `#/queue?${query}`;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
