import { Departure } from '../../src/core/deadline.ts';
import type { Dispatch } from '../../src/http/server/dispatch.ts';
import type { Request } from '../../src/http/server/exchange.ts';
import { errorReply, type Reply } from '../../src/http/server/reply.ts';
import type { RequestHeaders } from '../../src/http/server/request-headers.ts';
import { CraError } from '../../src/model/errors.ts';

const NO_HEADERS: RequestHeaders = {
  authorization: '',
  apiKey: '',
  host: 'localhost',
  overrideToken: '',
  isCredentialRepeated: false,
  cookies: '',
  contentType: '',
  origin: '',
  fetchSite: '',
  idempotencyKey: '',
  ifMatch: '',
  tenant: '',
  accept: '',
  acceptEncoding: '',
  background: '',
  ifNoneMatch: '',
  contentLength: '',
  transferEncoding: '',
  traceparent: '',
};

/** What differs from a plain POST. */
export interface Sent {
  method?: string;
  query?: string;
  headers?: Partial<RequestHeaders>;
  remoteAddress?: string;
}

/** A request as the exchange hands it over; the reply that the client would get. */
export async function sendTo(
  door: Dispatch,
  path: string,
  body: unknown,
  sent: Sent = {},
): Promise<Reply> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const request: Request = {
    id: 'test',
    method: sent.method ?? 'POST',
    path: `/api/cra/${path}`,
    query: sent.query ?? '',
    headers: { ...NO_HEADERS, ...sent.headers },
    remoteAddress: sent.remoteAddress ?? '127.0.0.1',
    gone: new Departure(),
    signal: new AbortController().signal,
    body: () => Promise.resolve(Buffer.from(text)),
    delivery: null,
  };
  return door.handle(request).catch((thrown) => errorReply(CraError.fromUnknown(thrown), 'test'));
}
