import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { forgetSecrets, readConfig } from '../src/daemon/config/config.ts';
import { mirrorPathWarnings } from '../src/git/alternate.ts';
import { fake } from '../src/rules/fake.ts';
import { temporaryDir } from './daemon.ts';
import { PRIVATE_KEY } from './hosts/app-host.ts';

const TOKEN = fake('tok-', 40);
const SECRET = fake('hook-', 24);
const FORGE = { id: 'forge', provider: 'gitea', url: 'https://git.example' };

/** Reads a configuration whose file holds that; `env` and `files` come beside it. */
function read(
  t: ExecutionContext,
  content: unknown,
  { env = {}, files = {} }: { env?: Record<string, string>; files?: Record<string, string> } = {},
) {
  const folder = temporaryDir(t);
  const path = join(folder, 'vcs.json');
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  chmodSync(path, 0o600);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return readConfig({ SERVICE_VCS_CONFIG: path, ...env });
}

const STRONG = { SERVICE_AUTH_ENABLED: 'true', CRA_API_TOKEN: fake('', 40) };

test('readConfig without a file knows GitHub and GitLab, without credentials', (t) => {
  const { vcs, webhook } = readConfig({});
  t.deepEqual(
    vcs.hosts.map(({ id, url, apiUrl, token }) => [id, url, apiUrl, token]),
    [
      ['github', 'https://github.com', 'https://api.github.com', null],
      ['gitlab', 'https://gitlab.com', 'https://gitlab.com/api/v4', null],
    ],
  );
  t.like(vcs, {
    defaultHost: null,
    adopt: 'baseline',
    judgesTags: true,
    sweepIntervalMs: 300_000,
  });
  t.deepEqual(webhook, { hubSecrets: [], providerSecrets: [] });
});

test('readConfig reads every field of the file', (t) => {
  const { vcs, warnings } = read(
    t,
    {
      hosts: [
        {
          ...FORGE,
          api_url: 'https://api.git.example/v1/',
          token: TOKEN,
          username: 'robot',
          webhook_secrets: [SECRET],
          webhook_secret_files: ['old-secret'],
          tenant: 'acme',
          mirror_path: '/usr',
        },
        { id: 'lab', provider: 'gitlab', url: 'https://lab.example/gitlab/' },
      ],
      default_host: 'lab',
      adopt: 'scan',
      judge_tags: false,
      sweep_interval_s: 60,
      mirror_gib: 3,
    },
    { env: STRONG, files: { 'old-secret': `${SECRET}-old\n` } },
  );
  t.deepEqual(vcs.hosts[0], {
    ...FORGE,
    provider: 'gitea',
    apiUrl: 'https://api.git.example/v1',
    token: TOKEN,
    username: 'robot',
    webhookSecrets: [SECRET, `${SECRET}-old`],
    tenantId: 'acme',
    mirrorPath: '/usr',
  });
  t.like(vcs.hosts[1], { url: 'https://lab.example/gitlab', tenantId: 'default' });
  t.like(vcs, { defaultHost: 'lab', adopt: 'scan', judgesTags: false, sweepIntervalMs: 60_000 });
  t.is(vcs.mirrorBytesMax, 3 * 2 ** 30);
  t.deepEqual(
    warnings.filter((warning) => warning.includes('VCS')),
    [],
  );
});

const API_URLS: [string, string, string][] = [
  ['github', 'https://github.com', 'https://api.github.com'],
  ['github', 'https://ghe.example/', 'https://ghe.example/api/v3'],
  ['gitea', 'https://git.example', 'https://git.example/api/v1'],
  ['forgejo', 'https://git.example/forge', 'https://git.example/forge/api/v1'],
  ['gitlab', 'https://gitlab.com', 'https://gitlab.com/api/v4'],
];

for (const [provider, url, apiUrl] of API_URLS) {
  test(`readConfig: the API of ${provider} at ${url}`, (t) => {
    const { vcs } = read(t, { hosts: [{ id: 'one', provider, url }] });
    t.is(vcs.hosts[0]?.apiUrl, apiUrl);
    t.is(vcs.defaultHost, 'one', 'of one host it goes without saying');
  });
}

test('readConfig takes a token from a file, a variable or a credential', (t) => {
  const tokenOf = (entry: object, rest: Parameters<typeof read>[2]) =>
    read(t, { hosts: [{ ...FORGE, ...entry }] }, rest).vcs.hosts[0]?.token;
  t.is(tokenOf({ token_file: 'token' }, { files: { token: `${TOKEN}\n` } }), TOKEN);
  t.is(tokenOf({ token_env: 'FORGE_TOKEN' }, { env: { FORGE_TOKEN: TOKEN } }), TOKEN);
  const folder = temporaryDir(t);
  writeFileSync(join(folder, 'forge_token'), TOKEN);
  const env = { CREDENTIALS_DIRECTORY: folder };
  t.is(tokenOf({ token_env: 'FORGE_TOKEN' }, { env }), TOKEN);
});

test('forgetSecrets takes the variables of tokens and webhooks out of the environment', (t) => {
  process.env['FORGE_TOKEN'] = TOKEN;
  process.env['CRA_WEBHOOK_SECRET'] = SECRET;
  const env = { FORGE_TOKEN: TOKEN };
  forgetSecrets(read(t, { hosts: [{ ...FORGE, token_env: 'FORGE_TOKEN' }] }, { env }));
  t.false('FORGE_TOKEN' in process.env);
  t.false('CRA_WEBHOOK_SECRET' in process.env);
});

test('readConfig has several secrets of webhooks while they are rotated', (t) => {
  const env = {
    ...STRONG,
    CRA_WEBHOOK_SECRET: `${SECRET}1, ${SECRET}2`,
    SERVICE_PROVIDER_SECRET: SECRET,
  };
  t.deepEqual(readConfig(env).webhook, {
    hubSecrets: [`${SECRET}1`, `${SECRET}2`],
    providerSecrets: [SECRET],
  });
});

test('readConfig refuses weak secrets of webhooks with authentication, else it warns', (t) => {
  for (const name of ['CRA_WEBHOOK_SECRET', 'SERVICE_PROVIDER_SECRET']) {
    const weak = { [name]: `${SECRET},short` };
    const error = t.throws(() => readConfig({ ...STRONG, ...weak }), { message: /at least 16/ });
    t.true(error?.message.includes(name));
    t.false(error?.message.includes('short'));
    t.true(readConfig(weak).warnings.some((warning) => warning.startsWith(name)));
  }
  const file = { hosts: [{ ...FORGE, webhook_secrets: ['short'] }] };
  t.throws(() => read(t, file, { env: STRONG }), { message: /hosts\[0\]\.webhook_secrets must/ });
  t.notThrows(() => read(t, file));
});

test('readConfig tells every problem of the file at once, by its place and without a value', (t) => {
  const hidden = 'hunter2-hunter2';
  const error = t.throws(() =>
    read(t, {
      hosts: [
        { id: hidden.toUpperCase(), provider: hidden, url: `https://u:${hidden}@git.example` },
        { ...FORGE, token: `${hidden} ${hidden}`, username: `a:${hidden}`, tokens: hidden },
        { ...FORGE, token_file: hidden, webhook_secrets: hidden, [hidden]: 1 },
        { ...FORGE, id: 'four', token: hidden, token_env: 'FORGE_TOKEN', insecure: hidden },
        { ...FORGE, id: 'five', token_env: hidden, url: `ftp://${hidden}` },
        { ...FORGE, id: 'six', token_env: 'NOT_SET', api_url: `http://${hidden}.example` },
        hidden,
        {},
      ],
      default_host: hidden,
      adopt: hidden,
      judge_tags: hidden,
      sweep_interval_s: 1,
      mirror_gib: 0.5,
      version: hidden,
    }),
  );
  const places = [
    ...['hosts[0].id', 'hosts[0].provider', 'hosts[0].url', 'hosts[1].token', 'hosts[1].username'],
    ...['hosts[1].tokens', 'hosts[2].id', 'hosts[2].token_file', 'hosts[2].webhook_secrets'],
    ...['hosts[2].(a key)', 'hosts[3].token', 'hosts[3].insecure', 'hosts[4].token_env'],
    ...['hosts[4].url', 'hosts[5].token_env', 'hosts[5].api_url', 'hosts[6]', 'hosts[7].id'],
    ...['hosts[7].provider', 'hosts[7].url', 'default_host', 'adopt', 'judge_tags'],
    ...['sweep_interval_s', 'mirror_gib', 'version'],
  ];
  const told = error?.message.replace(/^settings: /, '').split('; ') ?? [];
  for (const place of places) {
    t.is(told.filter((one) => one.startsWith(`SERVICE_VCS_CONFIG ${place} `)).length, 1, place);
  }
  t.is(told.length, places.length, told.join('\n'));
  t.false(error?.message.toLowerCase().includes('hunter2'));
});

const NO_FILES: [string, unknown, RegExp][] = [
  ['no JSON', `{"token": "${TOKEN}"`, /not a JSON object/],
  ['a list', [], /not a JSON object/],
  ['null', null, /not a JSON object/],
  ['too much', `{"a": "${'x'.repeat(2 ** 20)}"}`, /must not be larger/],
];

for (const [title, content, message] of NO_FILES) {
  test(`readConfig refuses a file with ${title}`, (t) => {
    const error = t.throws(() => read(t, content), { message });
    t.false(error?.message.includes(TOKEN));
  });
}

test('readConfig refuses a file that is not there', (t) => {
  const env = { SERVICE_VCS_CONFIG: join(temporaryDir(t), 'no.json') };
  t.throws(() => readConfig(env), {
    message: /SERVICE_VCS_CONFIG names a file that cannot be read: ENOENT/,
  });
});

test('readConfig takes plain http on loopback, and elsewhere only on purpose', (t) => {
  const http = (url: string, more: object = {}) => read(t, { hosts: [{ ...FORGE, url, ...more }] });
  t.is(http('http://127.0.0.1:3000').vcs.hosts[0]?.apiUrl, 'http://127.0.0.1:3000/api/v1');
  t.throws(() => http('http://git.example'), { message: /hosts\[0\]\.url must be https/ });
  const { vcs, warnings } = http('http://git.example', { insecure: true });
  t.is(vcs.hosts[0]?.url, 'http://git.example');
  t.true(warnings.some((warning) => /hosts\[0\]\.url is plain http/.test(warning)));
});

test('readConfig takes a folder of repositories, with a warning and without an API', (t) => {
  const { vcs, warnings } = read(t, { hosts: [{ ...FORGE, url: 'file:///srv/git' }] });
  t.like(vcs.hosts[0], { url: 'file:///srv/git', apiUrl: null });
  t.true(warnings.some((warning) => /hosts\[0\]\.url is a folder/.test(warning)));
  t.throws(() => read(t, { hosts: [{ ...FORGE, api_url: 'file:///srv/git' }] }));
  t.throws(() => read(t, { hosts: [{ ...FORGE, url: 'file://elsewhere/srv' }] }));
});

test('readConfig warns of credentials that everybody on the machine can read', (t) => {
  const path = join(temporaryDir(t), 'vcs.json');
  writeFileSync(path, JSON.stringify({ hosts: [{ ...FORGE, token: TOKEN }] }));
  chmodSync(path, 0o644);
  const { warnings } = readConfig({ SERVICE_VCS_CONFIG: path });
  t.true(warnings.some((warning) => /can be read by everybody/.test(warning)));
  t.false(warnings.join().includes(TOKEN));
});

test('readConfig does not wait for mirror_path; its problems are found beside the start', async (t) => {
  const folder = temporaryDir(t);
  const open = join(folder, 'open');
  mkdirSync(open);
  chmodSync(open, 0o777);
  const file = join(folder, 'file');
  writeFileSync(file, '');
  const hosts = ['/usr', join(folder, 'none'), file, open].map((mirror_path, index) => {
    return { ...FORGE, id: `h${index}`, mirror_path };
  });
  const { vcs, warnings } = read(t, { hosts });
  t.false(warnings.join().includes('mirror_path'));
  t.deepEqual(await mirrorPathWarnings(vcs.hosts), [
    'SERVICE_VCS_CONFIG hosts[1].mirror_path cannot be read: new mirrors fetch everything from the host',
    'SERVICE_VCS_CONFIG hosts[2].mirror_path is not a folder',
    'SERVICE_VCS_CONFIG hosts[3].mirror_path can be written by everybody: the gates trust it',
  ]);
});

test('readConfig takes the file that docs/how-to/webhooks.md shows', (t) => {
  const [, shown] =
    /```json\n([\s\S]*?)```/.exec(readFileSync('docs/how-to/webhooks.md', 'utf8')) ?? [];
  const files = { 'github-token': TOKEN, 'forge-token': TOKEN };
  const { vcs } = read(t, shown, { env: { ...STRONG, GITLAB_TOKEN: TOKEN }, files });
  t.deepEqual(
    vcs.hosts.map(({ provider, token }) => [provider, token]),
    ['github', 'gitea', 'gitlab'].map((provider) => [provider, TOKEN]),
  );
});

const HUB = { id: 'hub', provider: 'github', url: 'https://github.com' };

test('a GitHub App stands in place of a token, and shows findings at their lines', (t) => {
  const app = { app_id: '4711', private_key_file: 'key.pem' };
  const files = { 'key.pem': PRIVATE_KEY };
  const { vcs } = read(t, { hosts: [{ ...HUB, ...app }] }, { files });
  t.like(vcs.hosts[0], {
    token: null,
    app: { appId: '4711', privateKey: PRIVATE_KEY.trim() },
    findings: { show: 'lines', leastSeverity: 'low' },
  });
  const quiet = { findings: 'summary', findings_severity: 'high' };
  const other = read(t, { hosts: [{ ...HUB, ...app, ...quiet }] }, { files }).vcs;
  t.deepEqual(other.hosts[0]?.findings, { show: 'summary', leastSeverity: 'high' });
  const off = read(t, { hosts: [{ ...HUB, ...app, findings: 'off' }] }, { files }).vcs;
  t.is(off.hosts[0]?.findings, undefined);
});

test('owners are names of organizations, groups and users', (t) => {
  const owners = ['acme', 'Acme-2', 'acme/web/shop'];
  const host = (given: unknown) => ({ hosts: [{ ...HUB, owners: given }] });
  t.deepEqual(read(t, host(owners)).vcs.hosts[0]?.owners, owners);
  for (const wrong of ['a b', '/acme', 'acme/', 'a?b', '']) {
    t.throws(() => read(t, host([wrong])), { message: /owners must be/ }, wrong);
  }
});

test('protected_branches are names of branches, which may end with *', (t) => {
  const names = ['release/*', 'stable', '*'];
  const host = (protected_branches: unknown) => ({ hosts: [{ ...HUB, protected_branches }] });
  t.deepEqual(read(t, host(names)).vcs.hosts[0]?.protectedBranches, names);
  t.is(read(t, host([])).vcs.hosts[0]?.protectedBranches, undefined);
  for (const wrong of ['a b', 'release/*/x', '', '**', 'a..b']) {
    t.throws(() => read(t, host([wrong])), { message: /protected_branches must be/ }, wrong);
  }
  t.throws(() => read(t, host(Array(21).fill('a'))), { message: /at most 20 texts/ });
});

test('hosts that show findings in comments do so where they are asked to', (t) => {
  for (const provider of ['gitea', 'forgejo', 'gitlab']) {
    const host = { id: 'tea', provider, url: 'https://git.example.com', token: TOKEN };
    t.is(read(t, { hosts: [host] }).vcs.hosts[0]?.findings, undefined);
    const { vcs } = read(t, { hosts: [{ ...host, findings: 'lines', findings_always: true }] });
    const findings = { show: 'lines', leastSeverity: 'low', always: true };
    t.deepEqual(vcs.hosts[0]?.findings, findings as never);
  }
});

test('the settings of a GitHub App say what is wrong with them', (t) => {
  const app = { app_id: '4711', private_key_file: 'key.pem' };
  const small = generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey;
  const curve = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
  const pem = (key: KeyObject) => key.export({ type: 'pkcs8', format: 'pem' }).toString();
  const refused = (host: object, key: string, message: RegExp) => {
    const files = { 'key.pem': key };
    t.throws(() => read(t, { hosts: [{ ...HUB, ...host }] }, { files }), { message });
  };
  refused({ app_id: '4711' }, PRIVATE_KEY, /private_key_file is required/);
  refused({ private_key_file: 'key.pem' }, PRIVATE_KEY, /app_id is required/);
  refused({ ...app, token: TOKEN }, PRIVATE_KEY, /stands in place of a token/);
  refused({ ...app, provider: 'gitea' }, PRIVATE_KEY, /for provider github alone/);
  refused({ ...app, app_id: 'a b' }, PRIVATE_KEY, /app_id must be/);
  refused(app, pem(small), /fewer than 2048 bits/);
  refused(app, pem(curve), /another kind than RSA/);
  refused(app, 'no key', /no private key in PEM/);
  refused({ ...app, private_key_file: 'none.pem' }, PRIVATE_KEY, /private_key_file/);
  refused({ findings: 'lines' }, PRIVATE_KEY, /findings needs a GitHub App/);
  refused({ ...app, findings: 'all' }, PRIVATE_KEY, /findings must be/);
});

const RECEIVER = {
  id: 'ops',
  url: 'https://events.example/cra',
  secrets: [`whsec_${Buffer.from(fake('event-', 32)).toString('base64')}`],
  types: ['rfc.blocked', 'deploy.*'],
};

/** Reads subscriptions to events. */
function readEvents(
  t: ExecutionContext,
  subscriptions: unknown[],
  files: Record<string, string> = {},
) {
  const folder = temporaryDir(t);
  const path = join(folder, 'events.json');
  writeFileSync(path, JSON.stringify({ subscriptions }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return readConfig({ SERVICE_EVENTS_CONFIG: path });
}

test('readConfig reads subscriptions to events; types of a kind are all of it', (t) => {
  const url = `https://hooks.example/services/${fake('slack-', 24)}`;
  const slack = { id: 'chat', url_file: 'slack', format: 'slack', types: ['landed.blocked'] };
  const { subscriptions, ownSecrets } = readEvents(
    t,
    [RECEIVER, { ...slack, repos: ['Acme/Shop'], tenant: 'acme', allow_private: true }],
    { slack: `${url}\n` },
  );
  t.like(subscriptions[0], {
    id: 'ops',
    format: 'cloudevents',
    tenantId: 'default',
    repos: null,
    allowPrivate: false,
    types: [
      ...['rfc.blocked', 'deploy.started', 'deploy.succeeded', 'deploy.failed'],
      'deploy.rolled_back',
    ],
  });
  t.like(subscriptions[1], { url, secrets: [], tenantId: 'acme', repos: ['acme/shop'] });
  t.true(JSON.stringify(ownSecrets).length > 0);
  t.deepEqual(readConfig({}).subscriptions, []);
});

const WRONG_EVENTS: [over: object, problem: RegExp][] = [
  [{ id: 'A b' }, /subscriptions\[0\]\.id must be lower-case/],
  [{ url: 'http://events.example/' }, /\.url must be an https address/],
  [{ url: 'https://user:pass@events.example/' }, /\.url must be an https address/],
  [{ url_file: 'other' }, /\.url is given twice/],
  [{ types: ['rfc.*', 'rfc.gone'] }, /\.types must be of rfc\.blocked/],
  [{ types: [] }, /\.types must not be empty/],
  [{ types: undefined }, /\.types is required/],
  [{ secrets: ['whsec_c2hvcnQ='] }, /\.secrets must have at least 24 bytes/],
  [{ secrets: undefined }, /\.secrets or secret_files is required/],
  // Libraries of Standard Webhooks would take other bytes as the key.
  [{ secrets: [fake('plain-', 40)] }, /\.secrets must be whsec_ and base64/],
  [{ secrets: [`whsec_${fake('a-b_', 40)}`] }, /\.secrets must be whsec_ and base64/],
  [{ url: 'http://localhost:9/' }, /\.url is this machine: .* needs allow_private/],
  [{ retries: 9 }, /\.retries is not known/],
];

for (const [over, problem] of WRONG_EVENTS) {
  test(`readConfig refuses a subscription with ${JSON.stringify(over)}: ${problem.source}`, (t) => {
    const error = t.throws(() => readEvents(t, [{ ...RECEIVER, ...over }]));
    t.regex(error?.message ?? '', problem);
    for (const secret of RECEIVER.secrets) t.false(error?.message.includes(secret));
  });
}

test('readConfig refuses two subscriptions of one id', (t) => {
  const error = t.throws(() => readEvents(t, [RECEIVER, RECEIVER]));
  t.regex(error?.message ?? '', /subscriptions\[1\]\.id is that of another subscription/);
});
