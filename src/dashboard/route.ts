import { signal } from '@preact/signals';

/** The pages that a hash `#/PAGE` names. */
export const PAGES = [
  ...(['overview', 'queue', 'bulk', 'status', 'audit', 'suppressions'] as const),
  ...(['rules', 'coverage', 'tasks', 'usage', 'help', 'styles'] as const),
] as const;
export type PageName = (typeof PAGES)[number];

/** The view that the hash names. Every view is a link. */
export interface Route {
  page: PageName | 'rfc' | 'unknown';
  /** Of an RFC: its id. Of another page: what follows its name, without the slash. */
  rest: string;
  query: URLSearchParams;
}

export const route = signal(readRoute(location.hash));

/** The queue with the filters that it had last. */
let queue = '#/queue';

addEventListener('hashchange', () => {
  if (route.value.page === 'queue')
    queue = pageLink('queue', Object.fromEntries(route.value.query));
  route.value = readRoute(location.hash);
});

/** Leads to the queue as it was left. */
export function queueLink(): string {
  return queue;
}

/** Reads `#approve-ID`, `#/rfc/ID` and `#/PAGE/REST?QUERY`; the empty hash is the overview. */
function readRoute(hash: string): Route {
  const [path = '', search = ''] = hash.replace(/^#/, '').split('?', 2);
  const query = new URLSearchParams(search);
  const id = /^(?:approve-|\/rfc\/)(.+)$/s.exec(path)?.[1];
  if (id !== undefined) return { page: 'rfc', rest: decoded(id), query };
  const [name = '', ...rest] = path.replace(/^\//, '').split('/');
  const page = PAGES.find((each) => each === (name || 'overview')) ?? 'unknown';
  return { page, rest: decoded(rest.join('/')), query };
}

/** The link to an RFC. */
export function rfcLink(id: string): string {
  return `#/rfc/${encodeURIComponent(id)}`;
}

/** The link to a finding of an RFC. */
export function findingLink(rfcId: string, findingId: string): string {
  return `${rfcLink(rfcId)}?finding=${encodeURIComponent(findingId)}`;
}

/** The link to what a rule does. */
export function ruleLink(id: string): string {
  return `#/rules/rule/${encodeURIComponent(id)}`;
}

/** The link to the open RFC with one parameter of its address set; '' takes it out. */
export function viewLink(name: string, value: string): string {
  const { rest, query } = route.value;
  const next = new URLSearchParams(query);
  if (value === '') next.delete(name);
  else next.set(name, value);
  return `${rfcLink(rest)}?${next}`;
}

/** The link to a page with these filters; empty ones are left out. */
export function pageLink(page: PageName, filters: Readonly<Record<string, string>> = {}): string {
  const search = searchOf(filters);
  return search === '' ? `#/${page}` : `#/${page}?${search}`;
}

/** Filters as a query string; empty ones are left out. */
export function searchOf(filters: Readonly<Record<string, string>>): string {
  return new URLSearchParams(
    Object.entries(filters).filter(([, value]) => value !== ''),
  ).toString();
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
