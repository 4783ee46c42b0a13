import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { readConfig } from '../src/daemon/config/config.ts';
import { checkStatusWays } from '../src/daemon/config/network.ts';
import { createReader } from '../src/daemon/config/reader.ts';
import { fake } from '../src/rules/fake.ts';
import { temporaryDir } from './daemon.ts';
import { makeAuthority } from './hosts/authority.ts';

const PASSWORD = fake('pass-', 24);
const FORGE = { id: 'forge', provider: 'gitea', url: 'https://git.example' };

/** Reads a configuration with one host of that entry, in a folder that has a `ca.pem`. */
function read(t: ExecutionContext, entry: object, env: Record<string, string> = {}) {
  const folder = temporaryDir(t);
  makeAuthority(folder);
  writeFileSync(join(folder, 'other.pem'), 'no certificate\n');
  const path = join(folder, 'vcs.json');
  writeFileSync(path, JSON.stringify({ hosts: [{ ...FORGE, ...entry }] }), { mode: 0o600 });
  return { folder, config: () => readConfig({ SERVICE_VCS_CONFIG: path, ...env }) };
}

test('ca_file is a path beside the file, and must hold certificates', (t) => {
  const { folder, config } = read(t, { ca_file: 'ca.pem' });
  t.is(config().vcs.hosts[0]?.caFile, join(folder, 'ca.pem'));
  rmSync(join(folder, 'ca.pem'));
  t.throws(config, { message: /hosts\[0\]\.ca_file names a file that cannot be read/ });
  t.throws(read(t, { ca_file: 'other.pem' }).config, { message: /holds no certificate in PEM/ });
  t.throws(read(t, { ca_file: 'ca.pem', url: 'http://127.0.0.1:1' }).config, {
    message: /ca_file is for https alone/,
  });
  t.false('caFile' in (read(t, {}).config().vcs.hosts[0] ?? {}));
});

test('statuses to a host with a ca_file want NODE_EXTRA_CA_CERTS', (t) => {
  const entry = { ca_file: 'ca.pem', token: fake('tok-', 40) };
  const warned = (env: Record<string, string>, over: object = {}) =>
    read(t, { ...entry, ...over }, env)
      .config()
      .warnings.filter((warning) => warning.includes('NODE_EXTRA_CA_CERTS'));
  t.regex(warned({})[0] ?? '', /host forge: its statuses need the authority/);
  const { caFile } = makeAuthority(temporaryDir(t));
  t.deepEqual(warned({ NODE_EXTRA_CA_CERTS: caFile }), []);
  t.regex(warned({ NODE_EXTRA_CA_CERTS: '/none' })[0] ?? '', /names a file that cannot be read/);
  t.deepEqual(warned({}, { token: undefined }), [], 'it is told no status');
});

test('the proxies of the environment are for every host, lower case first', (t) => {
  const proxyOf = (env: Record<string, string>) => readConfig(env).vcs.hosts[0]?.proxy;
  const address = `http://cra:${PASSWORD}@proxy.example:3128`;
  t.is(proxyOf({}), undefined);
  t.is(proxyOf({ NO_PROXY: 'example.com' }), undefined);
  t.deepEqual(proxyOf({ HTTPS_PROXY: address, NO_PROXY: 'a.example,.b.example' }), {
    https_proxy: address,
    no_proxy: 'a.example,.b.example',
  });
  t.deepEqual(proxyOf({ HTTP_PROXY: 'http://upper:1', http_proxy: 'lower.example:3128' }), {
    http_proxy: 'http://lower.example:3128',
  });
  t.is(read(t, {}, { HTTPS_PROXY: address }).config().vcs.hosts[0]?.proxy?.https_proxy, address);
});

test('a proxy that cannot be one ends the start, and is not shown', (t) => {
  for (const value of [`ftp://u:${PASSWORD}@proxy:1`, `http://u:${PASSWORD}@proxy:99999`, 'a b']) {
    const error = t.throws(() => readConfig({ HTTPS_PROXY: value }));
    t.regex(error?.message ?? '', /HTTPS_PROXY must be the address of a proxy/);
    t.false(error?.message.includes(PASSWORD));
  }
});

test('that statuses take no proxy is told as this Node has it', (t) => {
  const proxy = { https_proxy: 'http://proxy.example:3128' };
  const [host] = read(t, { token: fake('tok-', 40) }).config().vcs.hosts;
  if (host === undefined) throw new Error('there is one');
  const warned = (version: string, env: Record<string, string> = {}) => {
    const reader = createReader(env);
    checkStatusWays(reader, [{ ...host, proxy }], version);
    return reader.warnings.join();
  };
  t.regex(warned('20.19.0', { NODE_USE_ENV_PROXY: '1' }), /by git alone.*before 22\.21/);
  t.regex(warned('22.12.0', { NODE_USE_ENV_PROXY: '1' }), /by git alone/);
  t.regex(warned('22.21.0'), /with NODE_USE_ENV_PROXY=1 alone/);
  t.is(warned('22.21.0', { NODE_USE_ENV_PROXY: '1' }), '');
  t.is(warned('24.0.0', { NODE_USE_ENV_PROXY: '1' }), '');
});
