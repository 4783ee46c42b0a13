import test from 'ava';
import { fake } from '../../src/rules/fake.ts';
import { change, newFile, request } from '../daemon.ts';
import { cookieOf, securedForAll } from './secured.ts';

const secured = securedForAll(test);

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
    ...{ Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    'X-CRA-Tenant': tenant,
  });
  const person = await issuer.accessToken('acme-admin');
  const made = await request(`${daemon.url}/analyze`, {
    ...{ method: 'POST', headers: bearer(person, 'acme') },
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
