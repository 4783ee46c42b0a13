import type { Random } from '../random.ts';

const LONG = 'x'.repeat(40_000);

/** Beginnings of HTTP that are none, or hardly. `PATH` and `TOKEN` are filled in. */
const FORMS: readonly string[] = [
  'GET PATH\r\n\r\n',
  'GET PATH HTTP/0.9\r\nHost: a\r\n\r\n',
  'GET PATH HTTP/1.0\r\n\r\n',
  'GET PATH HTTP/1.0\r\nHost: a\r\nConnection: keep-alive\r\n\r\n',
  'GET PATH HTTP/2.0\r\nHost: a\r\n\r\n',
  'GET PATH HTTP/1.1\r\n\r\n',
  'GET PATH HTTP/1.1\nHost: a\n\n',
  'GET  PATH  HTTP/1.1\r\nHost: a\r\n\r\n',
  'GET\tPATH\tHTTP/1.1\r\nHost: a\r\n\r\n',
  'get PATH HTTP/1.1\r\nHost: a\r\n\r\n',
  'GET http://other.example/PATH HTTP/1.1\r\nHost: a\r\n\r\n',
  'GET * HTTP/1.1\r\nHost: a\r\n\r\n',
  'OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n',
  'CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n',
  'TRACE PATH HTTP/1.1\r\nHost: a\r\n\r\n',
  'PATCH PATH HTTP/1.1\r\nHost: a\r\n\r\n',
  'HEAD PATH HTTP/1.1\r\nHost: a\r\n\r\n',
  'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  `${'G'.repeat(2_000)} PATH HTTP/1.1\r\nHost: a\r\n\r\n`,
  `GET PATH?${LONG} HTTP/1.1\r\nHost: a\r\n\r\n`,
  `GET PATH HTTP/1.1\r\nHost: a\r\nX-Long: ${LONG}\r\n\r\n`,
  `GET PATH HTTP/1.1\r\nHost: a\r\n${'X-Many: 1\r\n'.repeat(500)}\r\n`,
  'GET PATH HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n',
  'GET PATH HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer TOKEN\r\nAuthorization: Bearer x\r\n\r\n',
  'GET PATH HTTP/1.1\r\nHost: a\r\nAuthorization : Bearer TOKEN\r\n\r\n',
  'GET PATH HTTP/1.1\r\nHost: a\r\nAuthorization:\r\n Bearer TOKEN\r\n\r\n',
  'GET PATH HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \u00e9\u0000\r\n\r\n',
  'GET PATH HTTP/1.1\r\nHost: a\r\nX-\u0000: 1\r\n\r\n',
  'GET PATH HTTP/1.1\r\nHost: a\r\n: nameless\r\n\r\n',
  'GET PATH HTTP/1.1\r\nHost: a\r\nNoColon\r\n\r\n',
  'GET PATH HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n',
  'GET PATH HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n',
  'GET PATH HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nabcde',
  'GET PATH HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: ,,,\u0000\r\n\r\n',
  'POST PATH HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n{}',
  'POST PATH HTTP/1.1\r\nHost: a\r\nContent-Length: 1e3\r\n\r\n{}',
  'POST PATH HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999999\r\n\r\n{}',
  'POST PATH HTTP/1.1\r\nHost: a\r\nContent-Length: 4294967298\r\n\r\n{}',
  'POST PATH HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}x',
  'POST PATH HTTP/1.1\r\nHost: a\r\nContent-Length: 2, 2\r\n\r\n{}',
  'POST PATH HTTP/1.1\r\nHost: a\r\nContent-Length: +2\r\n\r\n{}',
  'POST PATH HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n{}',
  'POST PATH HTTP/1.1\r\nHost: a\r\n\r\n{}',
  'POST PATH HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
  'POST PATH HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n',
  'POST PATH HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n',
  'POST PATH HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n{}\r\n0\r\n\r\n',
  'POST PATH HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n{}\r\n',
  'POST PATH HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2;ext=1\r\n{}\r\n0\r\nX: y\r\n\r\n',
  'POST PATH HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}0\r\n\r\n',
  'POST PATH HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n',
  'POST PATH HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n\r\n0\r\n\r\n',
  'POST PATH HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: identity\r\nContent-Length: 2\r\n\r\n{}',
  'POST PATH HTTP/1.1\r\nHost: a\r\nTransfer-Encoding : chunked\r\n\r\n0\r\n\r\n',
  'POST PATH HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\nX-HTTP-Method-Override: DELETE\r\n\r\n',
  'GET PATH HTTP/1.1\r\nHost: a\r\n\r\nGET PATH HTTP/1.1\r\nHost: a\r\n\r\nGARBAGE',
  '\r\n\r\n\r\nGET PATH HTTP/1.1\r\nHost: a\r\n\r\n',
  '\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003',
  '\u0000\u0000\u0000\u0000',
  'SSH-2.0-OpenSSH_9.6\r\n',
];

/** Bytes that are nearly HTTP: a form, sometimes damaged, in one piece or several. */
export function oddWire(path: string, token: string, random: Random): Buffer[] {
  const form = random.pick(FORMS).replaceAll('PATH', path).replaceAll('TOKEN', token);
  const bytes = Buffer.from(form, 'latin1');
  const damages = random.next() < 0.5 ? 0 : random.between(1, 6);
  for (let count = 0; count < damages; count += 1) {
    bytes[random.between(0, bytes.length)] = random.between(0, 256);
  }
  if (random.next() < 0.6) return [bytes];
  const cut = random.between(0, bytes.length + 1);
  // The rest may never come.
  return random.next() < 0.3
    ? [bytes.subarray(0, cut)]
    : [bytes.subarray(0, cut), bytes.subarray(cut)];
}
