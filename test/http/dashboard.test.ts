import { get as httpGet, type IncomingHttpHeaders } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import test from 'ava';
import { startDaemonProcess, temporaryDir } from '../daemon.ts';

interface Got {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** A GET whose body stays as it was sent. */
function get(url: string, headers: Record<string, string> = {}): Promise<Got> {
  return new Promise((resolve, reject) => {
    httpGet(url, { headers }, (response) => {
      const { statusCode: status = 0, headers: received } = response;
      response.toArray().then((chunks) => {
        resolve({ status, headers: received, body: Buffer.concat(chunks) });
      }, reject);
    }).on('error', reject);
  });
}

test('the dashboard is public, sandboxed by its headers, and its files are compressed', async (t) => {
  const daemon = await startDaemonProcess(t, temporaryDir(t), {
    SERVICE_AUTH_ENABLED: 'true',
    CRA_API_TOKEN: 'a'.repeat(32),
  });
  const origin = new URL(daemon.url).origin;
  const page = await get(`${origin}/cra`);
  t.is(page.status, 200);
  t.like(page.headers, { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' });
  const policy = String(page.headers['content-security-policy']);
  t.regex(policy, /default-src 'none'; script-src 'self';.*require-trusted-types-for 'script'/);
  t.notRegex(policy, /unsafe|\*/);
  const paths = [...page.body.toString().matchAll(/"(\/cra\/assets\/[^"]+)"/g)].map(([, at]) => at);
  t.is(paths.length, 3);
  for (const path of paths) {
    const plain = await get(`${origin}${path}`);
    t.like(plain.headers, {
      'cache-control': 'public, max-age=31536000, immutable',
      vary: 'Accept-Encoding',
    });
    t.is(plain.headers['content-encoding'], undefined);
    const brotli = await get(`${origin}${path}`, { 'accept-encoding': 'gzip, deflate, br' });
    t.is(brotli.headers['content-encoding'], 'br');
    t.deepEqual(brotliDecompressSync(brotli.body), plain.body);
    const gzip = await get(`${origin}${path}`, { 'accept-encoding': 'br;q=0, gzip' });
    t.deepEqual(gunzipSync(gzip.body), plain.body);
  }
  for (const path of ['/cra/assets/none.js', '/cra/assets/..%2Findex.html', '/cra/', '/cra/x']) {
    t.is((await get(`${origin}${path}`)).status, 404, path);
  }
});

test('auth/session says what the caller may do', async (t) => {
  const daemon = await startDaemonProcess(t, temporaryDir(t));
  const { body } = await get(`${daemon.url}/auth/session`);
  t.like(JSON.parse(body.toString()).data, {
    auth: 'off',
    role: 'admin',
    can: ['override', 'approve', 'reject', 'bulk-override', 'delete', 'rules'],
  });
});
