import test from 'ava';
import { fake } from '../../src/rules/fake.ts';
import { temporaryDir } from '../daemon.ts';
import { makeAuthority } from '../hosts/authority.ts';
import { startConnectProxy } from '../hosts/connect-proxy.ts';
import { APP, openWithHost } from './opened.ts';

const MAIN = 'refs/heads/main';
const PASSWORD = fake('pass-', 24);

test('a host whose certificate a private authority signed is refused without ca_file', async (t) => {
  const { server } = makeAuthority(temporaryDir(t));
  const { host, source } = await openWithHost(t, { tls: server });
  host.repository('team/app').commit([{ name: 'a', data: 'a\n' }]);
  const error = await t.throwsAsync(source.listRefs(APP));
  t.like(error, {
    code: 'UNAVAILABLE',
    details: {
      reason: 'the certificate of the host does not hold: a private authority goes into ca_file',
    },
  });
  t.deepEqual(host.requests, []);
});

test('with the ca_file of its authority a host is fetched from', async (t) => {
  const { server, caFile } = makeAuthority(temporaryDir(t));
  const { host, source } = await openWithHost(t, { tls: server, settings: { caFile } });
  const head = host.repository('team/app').commit([{ name: 'a', data: 'a\n' }]);
  const synced = await source.sync({ ...APP, wants: [head], refs: [MAIN] });
  t.deepEqual(synced, { refs: { [MAIN]: head }, missing: [], problem: null });
});

test('the ca_file of another authority, and one that is gone, do not do', async (t) => {
  const { server } = makeAuthority(temporaryDir(t));
  const { caFile } = makeAuthority(temporaryDir(t), 'Another Authority');
  const cases: [string, RegExp][] = [
    [caFile, /certificate of the host does not hold/],
    [`${caFile}.gone`, /^the certificates that git trusts cannot be read/],
  ];
  for (const [path, reason] of cases) {
    const { source } = await openWithHost(t, { tls: server, settings: { caFile: path } });
    const error = await t.throwsAsync(source.listRefs(APP));
    t.regex(String((error as { details?: { reason?: string } }).details?.reason), reason);
  }
});

test('git goes through the proxy, with its password, and not where no_proxy says so', async (t) => {
  const { server, caFile } = makeAuthority(temporaryDir(t));
  const proxy = await startConnectProxy(t, { username: 'cra', password: PASSWORD });
  const https_proxy = `http://cra:${PASSWORD}@${proxy.address}`;
  const open = (settings: object) =>
    openWithHost(t, { tls: server, settings: { caFile, ...settings } });
  const { host, source } = await open({ proxy: { https_proxy } });
  const head = host.repository('team/app').commit([{ name: 'a', data: 'a\n' }]);
  const synced = await source.sync({ ...APP, wants: [head], refs: [MAIN] });
  t.is(synced.problem, null);
  t.is(synced.refs?.[MAIN], head);
  t.true(proxy.asked.length > 0);
  t.deepEqual([...new Set(proxy.asked)], [new URL(host.url).host]);

  proxy.asked.length = 0;
  const direct = await open({ proxy: { https_proxy, no_proxy: 'example.com,127.0.0.1' } });
  direct.host.repository('team/app').commit([{ name: 'a', data: 'a\n' }]);
  t.is(Object.keys((await direct.source.listRefs(APP)).refs).length, 1);
  t.deepEqual(proxy.asked, []);
});

test('a proxy that refuses is told of without its address and password', async (t) => {
  const { server, caFile } = makeAuthority(temporaryDir(t));
  const proxy = await startConnectProxy(t, { username: 'cra', password: PASSWORD });
  const wrong = `${PASSWORD}-wrong`;
  const gone = `http://cra:${wrong}@127.0.0.1:1`;
  for (const https_proxy of [
    `http://cra:${wrong}@${proxy.address}`,
    gone,
    `http://cra:${wrong}@proxy.invalid:3128`,
    `socks5h://cra:${wrong}@127.0.0.1:1`,
  ]) {
    const settings = { caFile, proxy: { https_proxy } };
    const { source } = await openWithHost(t, { tls: server, settings });
    const error = await t.throwsAsync(source.listRefs(APP));
    const { message, details } = error as Error & { details: { reason: string } };
    t.log(details.reason);
    t.false(`${message} ${JSON.stringify(details)}`.includes(PASSWORD));
    t.regex(details.reason, /proxy|cannot be connected to/);
  }
});
