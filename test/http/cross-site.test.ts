import test from 'ava';
import { isOpenRequest } from '../../src/http/server/cross-site.ts';
import type { Request } from '../../src/http/server/exchange.ts';

function sent(method: string, headers: Partial<Request['headers']>): Request {
  const none = { fetchSite: '', origin: '', contentType: '', contentLength: '' };
  return { method, headers: { ...none, ...headers } } as Request;
}

const OWN = 'http://127.0.0.1:3011';

test('without authentication programs, own pages and reads get in', (t) => {
  t.true(isOpenRequest(sent('POST', {}), null));
  t.true(isOpenRequest(sent('POST', { fetchSite: 'same-origin' }), null));
  t.true(isOpenRequest(sent('POST', { fetchSite: 'none' }), null));
  t.true(isOpenRequest(sent('POST', { origin: OWN }), OWN));
  t.true(isOpenRequest(sent('GET', { fetchSite: 'cross-site' }), null));
});

test('without authentication pages of other sites change nothing', (t) => {
  t.false(isOpenRequest(sent('POST', { fetchSite: 'cross-site' }), null));
  t.false(isOpenRequest(sent('DELETE', { fetchSite: 'same-site' }), OWN));
  t.false(isOpenRequest(sent('POST', { origin: 'https://evil.example' }), OWN));
  t.false(isOpenRequest(sent('PUT', { origin: 'null' }), null));
});
