import type { Handlers } from '../../src/http/api/all-routes.ts';
import { ROUTES } from '../../src/http/api/all-routes.ts';

/** A handler for every route, none of which is expected to be called. */
export function unusedHandlers(): Handlers {
  const none = () => Promise.reject(new Error('not of this test'));
  return Object.fromEntries(ROUTES.map(({ name }) => [name, none])) as unknown as Handlers;
}
