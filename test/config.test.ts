import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { secretDigest } from '../src/core/credentials.ts';
import { readAuditSettings, readConfig } from '../src/daemon/config/config.ts';
import { createReader } from '../src/daemon/config/reader.ts';
import { checkStatusWays } from '../src/daemon/config/vcs.ts';
import { checkBounds } from '../src/daemon/lifecycle.ts';
import { PUSHES } from '../src/pushes/limits.ts';
import { fake } from '../src/rules/fake.ts';
import { temporaryDir } from './daemon.ts';
import { makeAuthority } from './hosts/authority.ts';

const TOKEN = 't'.repeat(32);

test('readConfig has the defaults of docs/reference/settings.md', (t) => {
  const config = readConfig({});
  t.is(config.host, '127.0.0.1');
  t.is(config.port, 3011);
  t.true(config.dataDir.endsWith('/data'));
  t.true(config.threads >= 2);
  t.false(config.auth.isEnabled);
});

test('readConfig names every bad variable at once and never a value', (t) => {
  const error = t.throws(() =>
    readConfig({
      SERVICE_PORT: 'hunter2',
      SERVICE_SOCKET: './hunter2.sock',
      SERVICE_THREADS: '0',
      SERVICE_LOG_LEVEL: 'loud',
      SERVICE_AUTH_ENABLED: 'maybe',
      SERVICE_STORE_URL: 'postgres://u:hunter2@h',
    }),
  );
  for (const name of ['PORT', 'SOCKET', 'THREADS', 'LOG_LEVEL', 'AUTH_ENABLED', 'STORE_URL']) {
    t.true(error?.message.includes(`SERVICE_${name}`), name);
  }
  t.false(error?.message.includes('hunter2'));
});

test('readConfig refuses authentication without or with weak tokens', (t) => {
  t.throws(() => readConfig({ SERVICE_AUTH_ENABLED: 'true' }), { message: /CRA_API_TOKEN/ });
  const weak = { SERVICE_AUTH_ENABLED: 'true', CRA_API_TOKEN: 'short' };
  t.throws(() => readConfig(weak), { message: /at least 32/ });
});

test('readConfig joins single token, list and file', (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'cra-test-'));
  t.teardown(() => rmSync(dir, { recursive: true }));
  const path = join(dir, 'token');
  writeFileSync(path, `${TOKEN}1\n`);
  const config = readConfig({
    SERVICE_AUTH_ENABLED: 'true',
    CRA_API_TOKEN_FILE: path,
    SERVICE_API_TOKENS: `${TOKEN}2, ${TOKEN}3,`,
  });
  t.deepEqual(
    config.auth.apiTokens,
    [1, 2, 3].map((end) => secretDigest(`${TOKEN}${end}`)),
  );
  const both = { CRA_API_TOKEN_FILE: path, CRA_API_TOKEN: TOKEN };
  t.throws(() => readConfig(both), { message: /CRA_API_TOKEN is given twice/ });
  t.throws(() => readConfig({ CRA_API_TOKEN_FILE: join(dir, 'no') }), {
    message: /cannot be read/,
  });
});

const STRONG = { SERVICE_AUTH_ENABLED: 'true', CRA_API_TOKEN: `${TOKEN}1` };

const WEAK: [string, Record<string, string>, RegExp][] = [
  ['a short override token', { CRA_OVERRIDE_TOKEN: 'short' }, /CRA_OVERRIDE_TOKEN must have/],
  [
    'an override token that is an API token',
    { CRA_OVERRIDE_TOKEN: `${TOKEN}2`, SERVICE_API_TOKENS: `x${TOKEN},${TOKEN}2` },
    /CRA_OVERRIDE_TOKEN must not be one of the API tokens/,
  ],
  ['one short token of several', { SERVICE_API_TOKENS: `${TOKEN},short` }, /SERVICE_API_TOKENS/],
  ['a token that no header can carry', { SERVICE_API_TOKENS: 'é'.repeat(40) }, /printable/],
  [
    'an issuer without audience',
    { SERVICE_OIDC_ISSUER: 'https://id.example' },
    /SERVICE_OIDC_AUDIENCE is required/,
  ],
  [
    'bounds of a token that does not exist',
    { SERVICE_API_TOKEN_BOUNDS: '{"00000000":{"repos":[]}}' },
    /SERVICE_API_TOKEN_BOUNDS names "00000000"/,
  ],
  [
    'bounds that are no lists',
    { SERVICE_API_TOKEN_BOUNDS: '{"00000000":{"repo":["a"]}}' },
    /must have lists of names/,
  ],
  ['bounds that are no JSON', { SERVICE_API_TOKEN_BOUNDS: '{' }, /must be a JSON object/],
  ['an audience without issuer', { SERVICE_OIDC_AUDIENCE: 'cra' }, /SERVICE_OIDC_ISSUER is miss/],
];

for (const [title, over, message] of WEAK) {
  test(`readConfig refuses ${title}`, (t) => {
    const error = t.throws(() => readConfig({ ...STRONG, ...over }), { message });
    t.false(error?.message.includes(TOKEN));
  });
}

const LOGIN = {
  ...STRONG,
  SERVICE_BASE_URL: 'https://cra.example',
  SERVICE_OIDC_ISSUER: 'https://id.example',
  SERVICE_OIDC_AUDIENCE: 'cra',
  SERVICE_OIDC_CLIENT_ID: 'dashboard',
  SERVICE_OIDC_CLIENT_SECRET: fake('', 40),
};
const HASH = `$scrypt$ln=17,r=8,p=1$${fake('', 22)}$${fake('', 43)}`;

test('readConfig has a login where browsers can come back to and there is a way in', (t) => {
  t.is(readConfig(STRONG).auth.login?.baseUrl, 'http://127.0.0.1:3011');
  const open = readConfig({ ...STRONG, SERVICE_HOST: '0.0.0.0' });
  t.is(open.auth.login, null);
  t.true(open.warnings.some((warning) => /^SERVICE_BASE_URL .*no browser/.test(warning)));
  t.true(readConfig(LOGIN).warnings.some((warning) => /^SERVICE_SESSION_SECRET/.test(warning)));
  const others = { SERVER_PORT: '1', SERVICE_MCP_AUDIT_PATH: '/var/log/cra-mcp.jsonl' };
  const misspelt = readConfig({ SERVICE_PROT: '3012', SERVICE_PORT: '3012', ...others });
  t.deepEqual(
    misspelt.warnings.filter((warning) => warning.includes('has no effect')),
    [
      'SERVICE_PROT has no effect: no setting has this name, or it needs another setting that is missing',
    ],
  );
  t.like(readConfig(LOGIN).auth.login, {
    baseUrl: 'https://cra.example',
    client: { clientId: 'dashboard' },
    passwordHash: null,
  });
  const base = { SERVICE_BASE_URL: 'https://cra.example/' };
  t.like(readConfig({ ...STRONG, ...base }).auth.login, { client: null, passwordHash: null });
  t.is(readConfig(base).auth.login, null, 'dev mode needs no link');
  const withPassword = readConfig({ ...base, SERVICE_ADMIN_PASSWORD_HASH: HASH });
  t.is(withPassword.auth.login?.passwordHash?.logCost, 17);
});

const BAD_LOGINS: [string, Record<string, string>, RegExp][] = [
  [
    'no address',
    { SERVICE_BASE_URL: '', SERVICE_HOST: '0.0.0.0' },
    /SERVICE_BASE_URL must be https.* for logins/,
  ],
  ['plain http', { SERVICE_BASE_URL: 'http://cra.example' }, /SERVICE_BASE_URL must be https/],
  ['a path', { SERVICE_BASE_URL: 'https://cra.example/cra' }, /SERVICE_BASE_URL must be https/],
  ['no client secret', { SERVICE_OIDC_CLIENT_SECRET: '' }, /go together/],
  ['no client', { SERVICE_OIDC_CLIENT_ID: '' }, /go together/],
  [
    'no issuer',
    { SERVICE_OIDC_ISSUER: '', SERVICE_OIDC_AUDIENCE: '' },
    /CLIENT_ID needs SERVICE_OIDC_ISSUER/,
  ],
  ['a short secret', { SERVICE_SESSION_SECRET: 'short' }, /SERVICE_SESSION_SECRET must have/],
  [
    'a plain password',
    { SERVICE_ADMIN_PASSWORD_HASH: 'hunter2' },
    /_HASH must be what `cra hash-password` prints/,
  ],
  [
    'a cheap hash',
    { SERVICE_ADMIN_PASSWORD_HASH: HASH.replace('17', '14') },
    /_HASH must be what `cra hash-password` prints/,
  ],
];

for (const [title, over, message] of BAD_LOGINS) {
  test(`readConfig refuses a login with ${title}`, (t) => {
    const error = t.throws(() => readConfig({ ...LOGIN, ...over }), { message });
    t.false(error?.message.includes('hunter2'));
  });
}

const ISSUERS: [string, boolean][] = [
  ['https://id.example', true],
  ['https://id.example/realms/acme/', true],
  ['http://127.0.0.1:8080/realms/acme', true],
  ['http://[::1]:8080', true],
  ['http://localhost', true],
  ['http://id.example', false],
  ['http://127.0.0.1.id.example', false],
  ['http://localhost.id.example', false],
  ['https://user:password@id.example', false],
  ['https://id.example?a=b', false],
  ['https://id.example/#a', false],
  ['ftp://id.example', false],
  ['id.example', false],
];

for (const [issuer, isTaken] of ISSUERS) {
  test(`readConfig ${isTaken ? 'takes' : 'refuses'} the issuer ${issuer}`, (t) => {
    const env = { ...STRONG, SERVICE_OIDC_ISSUER: issuer, SERVICE_OIDC_AUDIENCE: 'cra' };
    if (isTaken) t.deepEqual(readConfig(env).auth.oidc, { issuer, audience: 'cra' });
    else t.throws(() => readConfig(env), { message: /SERVICE_OIDC_ISSUER must be an https/ });
  });
}

test('readConfig with authentication off warns of what it would refuse', (t) => {
  const config = readConfig({ CRA_API_TOKEN: 'short', CRA_OVERRIDE_TOKEN: 'short' });
  t.deepEqual(
    config.warnings.map((warning) => warning.split(' ')[0]),
    [
      'SERVICE_AUTH_ENABLED',
      ...['CRA_API_TOKEN', 'CRA_OVERRIDE_TOKEN', 'CRA_OVERRIDE_TOKEN'],
      'SERVICE_BASE_URL',
    ],
  );
  t.not(config.auth.login, null, 'what the override token guards can be reached by a login');
});

test('readConfig takes secrets from systemd credentials, one to a line, too', (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'cra-test-'));
  t.teardown(() => rmSync(dir, { recursive: true }));
  writeFileSync(join(dir, 'service_api_tokens'), `${TOKEN}1\n${TOKEN}2\n`);
  writeFileSync(join(dir, 'cra_override_token'), `${TOKEN}3\n`);
  const env = { SERVICE_AUTH_ENABLED: 'true', CREDENTIALS_DIRECTORY: dir };
  const { auth } = readConfig(env);
  t.deepEqual(
    auth.apiTokens,
    [1, 2].map((end) => secretDigest(`${TOKEN}${end}`)),
  );
  t.is(auth.overrideToken, secretDigest(`${TOKEN}3`));
  t.false(JSON.stringify(auth).includes(TOKEN));
  t.throws(() => readConfig({ ...env, CRA_OVERRIDE_TOKEN: TOKEN }), { message: /given twice/ });
  writeFileSync(join(dir, 'cra_override_token'), '\n');
  t.throws(() => readConfig(env), { message: /CRA_OVERRIDE_TOKEN is empty in its file/ });
});

test('readConfig chooses the store by its URL, which may stand in a file', (t) => {
  t.deepEqual(readConfig({}).store, { kind: 'sqlite' });
  t.deepEqual(readConfig({ SERVICE_STORE_URL: 'sqlite:' }).store, { kind: 'sqlite' });
  const dir = mkdtempSync(join(tmpdir(), 'cra-test-'));
  t.teardown(() => rmSync(dir, { recursive: true }));
  const path = join(dir, 'url');
  for (const url of ['mongodb://a:27017,b/cra?replicaSet=rs', 'mongodb+srv://c.example/cra']) {
    writeFileSync(path, `${url}\n`);
    t.deepEqual(readConfig({ SERVICE_STORE_URL_FILE: path }).store, {
      kind: 'mongodb',
      url,
      auditUrl: null,
    });
  }
  for (const url of ['mongodb:', 'mongo://a', 'mongodb://a b', 'sqlite:/tmp/x']) {
    t.throws(() => readConfig({ SERVICE_STORE_URL: url }), { message: /SERVICE_STORE_URL must/ });
  }
});

test('readConfig takes keys of 64 hex digits, and shows none', (t) => {
  const key = 'ab'.repeat(32);
  const { keys } = readConfig({ SERVICE_SEAL_KEY: key.toUpperCase() });
  t.deepEqual(keys.seal, Buffer.from(key, 'hex'));
  t.deepEqual([keys.fingerprint, keys.checkpoint], [null, null]);
  for (const name of ['SEAL', 'FINGERPRINT', 'CHECKPOINT']) {
    for (const bad of [key.slice(2), `${key}00`, 'zz'.repeat(32)]) {
      const error = t.throws(() => readConfig({ [`SERVICE_${name}_KEY`]: bad }));
      t.regex(error?.message ?? '', new RegExp(`SERVICE_${name}_KEY must be 64 hex digits`));
      t.false(error?.message.includes(bad));
    }
  }
});

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
  t.throws(config, {
    message: /hosts\[0\]\.ca_file names a file that cannot be read/,
  });
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

test('statuses without a proxy are reported as this Node has it', (t) => {
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

test('checkBounds holds, and names two bounds that contradict each other', (t) => {
  t.notThrows(checkBounds);
  const bounds: { RENEW_INTERVAL_MS: number } = PUSHES;
  const before = bounds.RENEW_INTERVAL_MS;
  bounds.RENEW_INTERVAL_MS = 45_000;
  try {
    t.throws(checkBounds, {
      message: 'twice PUSHES.RENEW_INTERVAL_MS (90000) must be below PUSHES.LEASE_MS (45000)',
    });
  } finally {
    bounds.RENEW_INTERVAL_MS = before;
  }
});

const AGENT = { CRA_AGENT_OVERRIDE_TOKEN: fake('agent-', 40) };
const SAME = AGENT.CRA_AGENT_OVERRIDE_TOKEN;

/** Settings that hold the token of agents as something else. */
const SAME_SECRET: [title: string, env: Record<string, string>][] = [
  ['the API token', { CRA_API_TOKEN: SAME }],
  ['one of the API tokens', { SERVICE_API_TOKENS: `${TOKEN}2,${SAME}` }],
  ['one of them on a line of its own', { SERVICE_API_TOKENS: `${TOKEN}2\n${SAME}` }],
  ['the override token', { CRA_OVERRIDE_TOKEN: SAME }],
  ['the webhook secret', { CRA_WEBHOOK_SECRET: SAME }],
  ['one of the webhook secrets', { CRA_WEBHOOK_SECRET: `${TOKEN}3,${SAME}` }],
  ['the secret of the second kind', { SERVICE_PROVIDER_SECRET: SAME }],
  ['the session secret', { SERVICE_SESSION_SECRET: SAME }],
  ['the secret of the OIDC client', { SERVICE_OIDC_CLIENT_SECRET: SAME }],
  ['the key of the segments', { SERVICE_SEGMENTS_SECRET_KEY: SAME }],
  ['the password of the store', { SERVICE_STORE_URL: `mongodb://u:${SAME}@127.0.0.1/cra` }],
];

for (const isEnabled of ['true', 'false']) {
  test(`readConfig refuses a token of agents that is something else, too (auth ${isEnabled})`, (t) => {
    const issuer = { SERVICE_OIDC_ISSUER: 'https://id.example', SERVICE_OIDC_AUDIENCE: 'cra' };
    const base = { SERVICE_AUTH_ENABLED: isEnabled, SERVICE_BASE_URL: 'https://cra.example' };
    for (const [title, env] of SAME_SECRET) {
      const error = t.throws(
        () => readConfig({ ...base, ...issuer, ...AGENT, ...env }),
        undefined,
        title,
      );
      const says = /CRA_AGENT_OVERRIDE_TOKEN must not be another token or secret/;
      t.regex(error?.message ?? '', says, title);
      t.false(error?.message.includes(SAME), title);
    }
    const { auth } = readConfig({ ...base, ...issuer, ...AGENT, CRA_OVERRIDE_TOKEN: `${TOKEN}4` });
    t.is(auth.agentToken, secretDigest(SAME));
    t.deepEqual(auth.agentCeilings, { max_score: 70, max_overrides_per_day: 20 });
  });
}

test('readConfig reads the token of agents like the other tokens, and its ceilings', (t) => {
  const on = { SERVICE_AUTH_ENABLED: 'true', CRA_API_TOKEN: TOKEN };
  const weak = { ...on, CRA_AGENT_OVERRIDE_TOKEN: 'short' };
  t.throws(() => readConfig(weak), { message: /CRA_AGENT_OVERRIDE_TOKEN must have/ });
  t.is(readConfig(on).auth.agentToken, null);
  const path = join(temporaryDir(t), 'agent');
  writeFileSync(path, `${SAME}\n`);
  const ceilings = { SERVICE_AGENT_MAX_SCORE: '0', SERVICE_AGENT_MAX_OVERRIDES_PER_DAY: '1000' };
  const config = readConfig({ ...on, CRA_AGENT_OVERRIDE_TOKEN_FILE: path, ...ceilings });
  t.is(config.auth.agentToken, secretDigest(SAME));
  t.deepEqual(config.auth.agentCeilings, { max_score: 0, max_overrides_per_day: 1000 });
  t.true(config.secretVariables.includes('CRA_AGENT_OVERRIDE_TOKEN'));
  for (const bad of ['-1', '101', '70.5', '7O', 'all', '1e1', '0x10']) {
    const env = { ...on, SERVICE_AGENT_MAX_SCORE: bad };
    t.throws(() => readConfig(env), { message: /SERVICE_AGENT_MAX_SCORE must be/ }, bad);
  }
  for (const bad of ['-1', '1001', '2.5', 'many', '1e3']) {
    const env = { ...on, SERVICE_AGENT_MAX_OVERRIDES_PER_DAY: bad };
    t.throws(() => readConfig(env), { message: /_PER_DAY must be/ }, bad);
  }
});

test('readConfig reads when RFCs leave for the archive, and names every wrong entry', (t) => {
  const path = join(temporaryDir(t), 'retention.json');
  const read = (file: object) => {
    writeFileSync(path, JSON.stringify(file));
    return readConfig({ SERVICE_RETENTION_CONFIG: path }).retention;
  };
  t.deepEqual(readConfig({}).retention, { diffDays: 30, rules: [], holds: [] });
  t.is(read({ diffs: { days: 90 } }).diffDays, 90);
  t.notThrows(() => readAuditSettings({ SERVICE_RETENTION_CONFIG: '/none' }));
  const hold = { name: 'case 17', q: 'author:bob', since: '2026-01-01', until: '2026-01-31' };
  const { rules, holds } = read({
    archive: [{ q: 'is:superseded repo:Acme/Pay', days: 91 }, { days: 400 }],
    holds: [hold],
  });
  t.like(rules, [{ days: 91, filter: { status: 'SUPERSEDED', repo: 'Acme/Pay' } }, { days: 400 }]);
  t.like(holds, [{ since: '2026-01-01T00:00:00.000Z', until: '2026-01-31T23:59:59.999Z' }]);
  const wrong: [file: object, says: RegExp][] = [
    [{ archive: [{ q: 'is:passed' }] }, /archive\[0\]\.days is required/],
    [{ archive: [{ days: 90 }] }, /days must be a whole number from 91/],
    [{ archive: [{ q: 'is:blocked', days: 99 }] }, /never leave/],
    [{ archive: [{ q: 'age:>3d', days: 99 }] }, /q must not have age/],
    [{ archive: [{ q: 'colour:red', days: 99 }] }, /no such key/],
    [{ holds: [{ ...hold, until: '2026-02-30' }] }, /holds\[0\]\.until must be a day/],
    [{ holds: [{ ...hold, until: '2026-02-31T12:00:00Z' }] }, /holds\[0\]\.until must be a day/],
    [{ holds: [{ ...hold, since: '2026-02-01' }] }, /holds\[0\]\.since must not be after until/],
    [{ holds: [{ ...hold, q: 'is:blocked' }] }, /holds\[0\]\.q finds RFCs that never leave/],
    [{ holds: [{ ...hold, q: 'author:me' }] }, /holds\[0\]\.q must not have me/],
    [{ archive: [{ q: '-author:ME', days: 99 }] }, /archive\[0\]\.q must not have me/],
    [{ holds: [{ q: 'word' }] }, /name is required/],
    [{ diffs: { days: 91 } }, /diffs\.days must be a whole number from 7 to 90/],
    [{ diffs: { day: 9 } }, /diffs\.day/],
    [{ hold: [] }, /is not known/],
  ];
  for (const [file, message] of wrong) t.throws(() => read(file), { message }, String(message));
});
