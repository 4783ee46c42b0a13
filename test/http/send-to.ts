import { CraError } from '../../src/domain/errors.ts';
import type { Dispatch } from '../../src/http/dispatch.ts';
import type { Request } from '../../src/http/exchange.ts';
import { errorReply, type Reply } from '../../src/http/reply.ts';
import type { RequestHeaders } from '../../src/http/request-headers.ts';

const NO_HEADERS: RequestHeaders = {
  authorization: '',
  apiKey: '',
  overrideToken: '',
  isCredentialRepeated: false,
  cookies: '',
  contentType: '',
  origin: '',
  fetchSite: '',
  idempotencyKey: '',
  ifMatch: '',
  tenant: '',
  contentLength: '',
  transferEncoding: '',
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
    signal: new AbortController().signal,
    body: () => Promise.resolve(Buffer.from(text)),
    delivery: null,
  };
  return door.handle(request).catch((thrown) => errorReply(CraError.fromUnknown(thrown), 'test'));
}
