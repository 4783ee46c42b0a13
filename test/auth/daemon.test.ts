import { readFileSync } from 'node:fs';
import test from 'ava';
import { fake } from '../../src/rules/fake.ts';
import { analyze, change, newFile, request, startDaemonProcess, temporaryDir } from '../daemon.ts';
import { startIssuer } from './issuer.ts';
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

test('people of a real issuer get in by role and tenant, and no token is told to anybody', async (t) => {
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

test('child processes do not inherit the secrets', async (t) => {
  const daemon = await startDaemonProcess(t, temporaryDir(t), ON);
  t.is((await analyze(daemon.url, {})).status, 401);
  const { pid } = daemon.process;
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
  t.true(children.length >= 2);
  for (const child of children) {
    t.false(readFileSync(`/proc/${child}/environ`, 'utf8').includes(API_TOKEN));
  }
});
