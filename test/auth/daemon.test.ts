import { readFileSync } from 'node:fs';
import test from 'ava';
import { ROUTES } from '../../src/http/api/all-routes.ts';
import { fake } from '../../src/rules/fake.ts';
import { change, newFile, request, startDaemonProcess, temporaryDir, until } from '../daemon.ts';
import { startIssuer } from './issuer.ts';
import { BODIES, CREDENTIALS, type CredentialName, MATRIX, type Row } from './matrix.ts';
import { cookieOf, type Secured, securedForAll } from './secured.ts';
import { startSigningIssuer } from './signing-issuer.ts';

const API_TOKEN = fake('api-', 40);
const OVERRIDE_TOKEN = fake('override-', 40);
const as = (token: string) => ({ headers: { Authorization: `Bearer ${token}` } });
const CHANGE = JSON.stringify(change(newFile('a.txt', 'text')));

const ON = {
  SERVICE_AUTH_ENABLED: 'true',
  CRA_API_TOKEN: API_TOKEN,
  CRA_OVERRIDE_TOKEN: OVERRIDE_TOKEN,
};

test('people of a real issuer get in by role and tenant, and no token is shown to anybody', async (t) => {
  const issuer = await startIssuer(t);
  const daemon = await startDaemonProcess(t, temporaryDir(t), {
    ...ON,
    SERVICE_LOG_LEVEL: 'trace',
    SERVICE_OIDC_ISSUER: issuer.url,
    SERVICE_OIDC_AUDIENCE: issuer.audience,
  });
  const post = (token: string) =>
    request(`${daemon.url}/analyze`, { method: 'POST', body: CHANGE, ...as(token) });
  const told: string[] = [];
  const tokens: string[] = [];
  const submits: Record<string, number> = {};
  for (const client of ['nobody', 'viewer', 'submitter', 'reviewer', 'cab-member', 'admin']) {
    const token = await issuer.accessToken(client);
    tokens.push(token);
    t.is((await request(`${daemon.url}/rfcs`, as(token))).status, 200, client);
    const answer = await post(token);
    submits[client] = answer.status;
    told.push(JSON.stringify(answer.body));
  }
  t.deepEqual(submits, {
    nobody: 403,
    viewer: 403,
    submitter: 200,
    reviewer: 200,
    'cab-member': 200,
    admin: 200,
  });

  const foreign = await issuer.accessToken('acme-admin');
  const { body } = await post(API_TOKEN);
  t.is((await request(`${daemon.url}/rfc/${body.data.rfc_id}`, as(foreign))).status, 404);
  t.deepEqual((await request(`${daemon.url}/rfcs`, as(foreign))).body.data, []);
  const own = (await post(foreign)).body.data.rfc_id;
  const seen = (await request(`${daemon.url}/rfc/${own}`, as(foreign))).body.data;
  t.like(seen.submitted_by, { id: 'acme-admin', role: 'admin', tenant_id: 'acme' });

  for (const bad of [`${foreign}x`, `${API_TOKEN}x`, OVERRIDE_TOKEN]) {
    const answer = await post(bad);
    t.is(answer.status, bad === OVERRIDE_TOKEN ? 403 : 401);
    told.push(JSON.stringify(answer.body));
  }
  t.is(await daemon.stop(), 0);
  const all = `${JSON.stringify(daemon.log)}${told.join()}`;
  t.true(all.includes('refused'));
  for (const secret of [API_TOKEN, OVERRIDE_TOKEN, foreign, ...tokens]) {
    t.false(all.includes(secret));
    for (const part of secret.split('.').slice(1)) t.false(all.includes(part));
  }
});

test('the service starts without its issuer, and API tokens never notice', async (t) => {
  const issuer = await startSigningIssuer(t);
  issuer.misbehave = (asked) => asked.socket.destroy();
  const daemon = await startDaemonProcess(t, temporaryDir(t), {
    ...ON,
    SERVICE_OIDC_ISSUER: issuer.url,
    SERVICE_OIDC_AUDIENCE: issuer.audience,
  });
  t.is((await request(`${daemon.url}/rfcs`, as(await issuer.sign()))).status, 401);
  t.is((await request(`${daemon.url}/rfcs`, as(API_TOKEN))).status, 200);
  t.true(daemon.log.some(({ reason }) => /^discovery: not reached/.test(String(reason))));
});

type Headers = Readonly<Record<string, string>>;

const ROLES = ['viewer', 'submitter', 'reviewer', 'cab-member', 'change-manager', 'admin'];

/** What each credential sends. */
async function credentials(from: Secured): Promise<ReadonlyMap<CredentialName, Headers>> {
  const { issuer, apiToken, overrideToken, agentToken, baseUrl } = from;
  const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });
  const expired = await issuer.sign({ meridian_roles: ['admin'], exp: 1_700_000_000 });
  const sent = new Map<CredentialName, Headers>([
    ['none', {}],
    ['garbage', bearer('garbage')],
    ['expired JWT', bearer(expired)],
    ['API token', bearer(apiToken)],
    ['X-API-Key', { 'X-API-Key': apiToken }],
    ['override token', bearer(overrideToken)],
    [
      'API token and X-CRA-Override-Token',
      { ...bearer(apiToken), 'X-CRA-Override-Token': overrideToken },
    ],
    ['agent token', bearer(agentToken)],
    ['API token and agent token', { ...bearer(apiToken), 'X-CRA-Override-Token': agentToken }],
    ['JWT without a role', bearer(await issuer.accessToken('nobody'))],
  ]);
  for (const role of ROLES) {
    sent.set(`JWT ${role}` as CredentialName, bearer(await issuer.accessToken(role)));
    const cookie = cookieOf(await from.login(role), baseUrl);
    sent.set(`cookie ${role}` as CredentialName, { Cookie: cookie });
  }
  return sent;
}

/** Sends requests of the table, each from an address of its own: no guess slows another down. */
function sender({ daemon, baseUrl }: Secured) {
  let count = 0;
  return async (row: Row, headers: Headers, body = BODIES[row.path], query = '') => {
    count += 1;
    const response = await fetch(`${daemon.url}/${row.path}${query}`, {
      method: row.method,
      redirect: 'manual',
      headers: {
        'X-Forwarded-For': `10.0.${count >> 8}.${count & 255}`,
        Origin: baseUrl,
        'Content-Type': 'application/json',
        ...headers,
      },
      ...(row.method === 'GET' || body === undefined ? {} : { body }),
    });
    return { status: response.status, text: await response.text() };
  };
}

const secured = securedForAll(test);

test('child processes do not inherit the secrets', async (t) => {
  const { daemon, apiToken } = secured();
  const { pid } = daemon.process;
  const children = () =>
    readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
  await until(() => children().length >= 2);
  const commandOf = (process: number | string) => readFileSync(`/proc/${process}/cmdline`, 'utf8');
  for (const child of children()) {
    // Before its exec(2) a child is a copy of the daemon, variables and all.
    await until(() => commandOf(child) !== commandOf(pid ?? 0));
    t.false(readFileSync(`/proc/${child}/environ`, 'utf8').includes(apiToken));
  }
});

async function open() {
  return { sent: await credentials(secured()), send: sender(secured()) };
}

test('every credential at every endpoint gets what the specification gives it', async (t) => {
  const { sent, send } = await open();
  const wrong: string[] = [];
  let cells = 0;
  for (const row of MATRIX) {
    const answers = row.cells.map(async ({ credential, status }) => {
      const answer = await send(row, sent.get(credential) ?? {});
      cells += 1;
      if (answer.status === status) return;
      wrong.push(`${row.method} ${row.path}, ${credential}: ${answer.status}, not ${status}`);
    });
    await Promise.all(answers);
  }
  t.deepEqual(wrong, []);
  t.is(cells, MATRIX.length * CREDENTIALS.length);
  t.true(cells >= 600);
});

test('who is refused is refused before the query, the body and the id are looked at', async (t) => {
  const { sent, send } = await open();
  const wrong: string[] = [];
  let cells = 0;
  for (const row of MATRIX) {
    const refused = row.cells.filter(({ isLetIn }) => !isLetIn);
    const answers = refused.map(async ({ credential, status }) => {
      const query = '?limit=x&limit=y&wait=x&hours=x&since=x&dry_run=x&everywhere=x';
      const answer = await send(row, sent.get(credential) ?? {}, '{bad', query);
      cells += 1;
      const { ok, data } = JSON.parse(answer.text);
      if (answer.status === status && ok === false && data === undefined) return;
      wrong.push(`${row.method} ${row.path}, ${credential}: ${answer.status} ${answer.text}`);
    });
    await Promise.all(answers);
  }
  t.deepEqual(wrong, []);
  t.true(cells >= 250, String(cells));
});

test('every route of the route table is in the matrix, and nothing else is', (t) => {
  const plain = (method: string, path: string) => `${method} ${path}`;
  const values: Record<string, string> = {
    ':rfc_id': 'RFC-0',
    ':finding_id': 'F-0',
    ':number': '999',
    '*': 'none',
  };
  const api = ROUTES.filter(({ path }) => path.startsWith('/api/cra/'));
  const routes = api.map(({ method, path }) => {
    const filled = path.replaceAll(/:[a-z_]+|\*/g, (name) => values[name] ?? name);
    return plain(method, filled.slice('/api/cra/'.length));
  });
  const rows = MATRIX.map(({ method, path }) => plain(method, path));
  t.deepEqual(rows.toSorted(), routes.toSorted());
});

test.serial("another tenant's admin finds nothing of an RFC, and changes nothing", async (t) => {
  const { daemon, issuer, apiToken, baseUrl, login } = secured();
  const call = (method: string, path: string, headers: Record<string, string>, body?: unknown) =>
    request(`${daemon.url}/${path}`, {
      method,
      headers: { Origin: baseUrl, 'Content-Type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  const own = { Authorization: `Bearer ${apiToken}` };
  const diff = newFile('a.ts', `const token = '${fake('ghp_', 36)}';`);
  const made = await call('POST', 'analyze', own, change(diff));
  t.is(made.body.data.overall_status, 'BLOCKED');
  const id = made.body.data.rfc_id;
  const tokens = { input_tokens: 1, output_tokens: 1 };
  await call('POST', 'usage/log', own, { provider: 'p', model: 'm', ...tokens, cost_usd: 1 });
  const read = async () => (await call('GET', `rfc/${id}`, own)).body.data;
  const before = await read();
  const findingId = before.gates.risk.findings[0].finding_id;

  const jwt = { Authorization: `Bearer ${await issuer.accessToken('acme-admin')}` };
  const cookie = { Cookie: cookieOf(await login('acme-admin'), baseUrl) };
  const reason = 'seen and accepted';
  for (const foreign of [jwt, cookie]) {
    for (const path of [`rfc/${id}`, `rfc/${id}.sarif`, `prod-check/${before.repo_name}`]) {
      t.is((await call('GET', path, foreign)).status, 404, path);
    }
    const decisions: [string, string, unknown][] = [
      ['POST', `rfc/${id}/override`, { actor: 'eve', reason }],
      ['POST', `approve/${id}`, { reason }],
      ['POST', `approve/${id}`, { reason, action: 'override' }],
      ['POST', `reject/${id}`, { reason }],
      ['DELETE', `rfc/${id}`, undefined],
      ['POST', `rfc/${id}/delete`, undefined],
      ['POST', 'claude-task', { findingId }],
    ];
    for (const [method, path, body] of decisions) {
      t.is((await call(method, path, foreign, body)).status, 404, `${method} ${path}`);
    }
    for (const filter of [{ rfc_ids: [id] }, { repo: before.repo_name }]) {
      const bulk = await call('POST', 'bulk-override', foreign, { reason, ...filter });
      t.is(bulk.status, 200);
      t.false(JSON.stringify(bulk.body).includes('OVERRIDDEN'), JSON.stringify(bulk.body));
    }
    t.deepEqual((await call('GET', 'rfcs', foreign)).body.data, []);
    t.is((await call('GET', 'usage/total', foreign)).body.data.calls, 0);
    t.is((await call('PUT', 'rules', foreign, { version: 1 })).status, 403, 'rules are of all');
    t.is((await call('POST', 'rules/revisions/1/restore', foreign)).status, 403);
  }
  t.deepEqual(await read(), before);
});

test.serial('tokens read the tenant that they name, and write to their own alone', async (t) => {
  const { daemon, issuer, apiToken } = secured();
  const bearer = (token: string, tenant: string) => ({
    Authorization: `Bearer ${token}`,
    'Content-Type': 'application/json',
    'X-CRA-Tenant': tenant,
  });
  const person = await issuer.accessToken('acme-admin');
  const made = await request(`${daemon.url}/analyze`, {
    method: 'POST',
    headers: bearer(person, 'acme'),
    body: JSON.stringify({ ...change(newFile('a.txt', 'a line')), repo_name: 'acme/other' }),
  });
  const { rfc_id } = made.body.data;
  const read = (token: string, tenant: string, path = `rfc/${rfc_id}`) =>
    request(`${daemon.url}/${path}`, { headers: bearer(token, tenant) });
  t.is((await read(apiToken, 'acme')).body.data.tenant_id, 'acme');
  const listed = (await read(apiToken, 'acme', 'rfcs')).body.data as { rfc_id: string }[];
  t.deepEqual(
    listed.map((rfc) => rfc.rfc_id),
    [rfc_id],
  );
  t.is((await read(apiToken, '')).status, 404);
  t.is((await read(apiToken, 'other')).status, 404);
  t.is((await read(person, 'default')).status, 403);
  t.is((await read(apiToken, 'x'.repeat(200))).status, 400);
  const write = { method: 'POST', headers: bearer(apiToken, 'acme'), body: '{}' };
  t.is((await request(`${daemon.url}/analyze`, write)).status, 400);
});
