import type { Request } from './exchange.ts';

/**
 * Whether a request that a cookie authenticates was made by a page of ours, or changes nothing.
 * Browsers say where a request comes from (Fetch Metadata), and have said its origin before;
 * without either it is refused. A body must be JSON, which no form of another site can send.
 */
export function isOwnRequest({ method, headers }: Request, ownOrigin: string | null): boolean {
  if (method === 'GET' || method === 'HEAD') return true;
  const hasBody = Number(headers.contentLength) > 0 || headers.transferEncoding !== '';
  if (hasBody && !JSON_TYPE.test(headers.contentType)) return false;
  return isOwnPage(headers, ownOrigin);
}

/**
 * Whether a request that needed no credential was made by a program or by a page of ours, or
 * changes nothing. Programs send neither header; a page of another site cannot leave them out.
 */
export function isOpenRequest({ method, headers }: Request, ownOrigin: string | null): boolean {
  if (method === 'GET' || method === 'HEAD') return true;
  const { fetchSite, origin } = headers;
  if (fetchSite !== '') return fetchSite === 'same-origin' || fetchSite === 'none';
  return origin === '' || origin === ownOrigin;
}

/** Whether a page of ours sent it; `none`, which is the address line, does not POST. */
export function isOwnPage(
  { fetchSite, origin }: Request['headers'],
  ownOrigin: string | null,
): boolean {
  if (fetchSite !== '') return fetchSite === 'same-origin';
  return origin !== '' && origin === ownOrigin;
}

const JSON_TYPE = /^application\/json(?: *;|$)/i;
