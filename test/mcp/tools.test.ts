import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, mkdirSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import test, { type ExecutionContext } from 'ava';
import { newFile, PROGRAM, until } from '../daemon.ts';
import { AWS_KEY } from '../decision-calls.ts';
import {
  API_TOKEN,
  auditLines,
  OVERRIDE_TOKEN,
  startService,
  startToolServer,
  stateHome,
} from './tool-server.ts';

const REASON = 'The key is revoked, see ticket OPS-1';
const TOOLS = [
  'cra.analyze',
  'cra.get_rfc',
  'cra.list_blockers',
  'cra.prod_check',
  'cra.ops_log',
  'cra.start_override_session',
  'cra.list_sessions',
  'cra.end_session',
];
const SECRET = (n: number) => newFile(`deploy/env-${n}.sh`, `export AWS_KEY=${AWS_KEY}\n`);
const VULNERABLE = newFile('src/a.js', "exec('tar ' + req.query.name)\n");

for (const era of ['legacy', '2026-07-28'] as const) {
  test(`an agent analyzes, is blocked, and overrides within a session (${era})`, async (t) => {
    const { env, home } = await startService(t);
    const server = await startToolServer(t, env, era);
    const { tools } = await server.client.listTools();
    t.deepEqual(
      tools.map(({ name }) => name),
      [...TOOLS, 'cra.override', 'cra.review_emergency'],
    );

    const analyzed = await server.call('cra.analyze', { repo_name: 'acme/shop', diff: SECRET(1) });
    t.like(analyzed.data, { overall_status: 'BLOCKED' });
    const fields = ['rfc_id', 'overall_status', 'risk_score', 'gates', 'next_steps'];
    t.deepEqual(Object.keys(analyzed.data), fields);
    const { rfc_id } = analyzed.data;

    const blockers = await server.call('cra.list_blockers', { repo: 'acme/shop' });
    t.like(blockers.data, { total: 1, rfcs: [{ rfc_id }] });
    t.like((await server.call('cra.prod_check', { repo: 'acme/shop' })).data, {
      allowed: false,
      rfcId: rfc_id,
    });

    t.like(await server.call('cra.override', { rfc_id, reason: REASON }), {
      isError: true,
      text: 'ERROR: no override session is active: start one with cra.start_override_session',
    });
    const session = await server.call('cra.start_override_session', {
      reason: REASON,
      max_score: 100,
    });
    t.like(session.data, { max_overrides: 5, used: 0, reason: REASON });
    t.like((await server.call('cra.override', { rfc_id, reason: REASON })).data, {
      allowed: true,
      overall_status: 'OVERRIDDEN',
      rfc_id,
    });
    const read = await server.call('cra.get_rfc', { rfc_id });
    t.deepEqual(Object.keys(read.data), [
      ...['rfc_id', 'repo_name', 'branch', 'overall_status', 'created_at', 'gates', 'override'],
    ]);
    t.like(read.data, { overall_status: 'OVERRIDDEN', branch: 'main' });
    t.true(read.data.override.reason.startsWith(REASON));
    t.like((await server.call('cra.list_sessions')).data, { count: 1, sessions: [{ used: 1 }] });
    const again = await server.call('cra.override', { rfc_id, reason: REASON });
    t.regex(again.text, /^ERROR: only a BLOCKED RFC can be overridden; this one is OVERRIDDEN/);

    const { id } = session.data;
    t.like((await server.call('cra.end_session', { session_id: id })).data, { ended: true });
    t.regex((await server.call('cra.end_session', { session_id: id })).text, /^ERROR: /);
    t.like((await server.call('cra.list_sessions')).data, { count: 0, sessions: [] });
    t.like((await server.call('cra.prod_check', { repo: 'acme/shop' })).data, { allowed: true });
    t.false((await server.call('cra.ops_log', { action: 'a', description: 'b' })).isError);

    const lines = auditLines(home);
    t.is(lines.length, 14);
    t.true(lines.every(({ ts }) => new Date(String(ts)).toISOString() === ts));
    const overrides = lines.filter(({ tool }) => tool === 'cra.override');
    t.deepEqual(
      overrides.map(({ sessionId }) => sessionId),
      [null, id, id],
    );
    t.false(JSON.stringify(lines).includes(API_TOKEN.slice(0, 30)));
  });
}

test('hard limits and the score cap are escalated to the dashboard, whatever the session', async (t) => {
  const { env } = await startService(t);
  const server = await startToolServer(t, { ...env, CRA_MCP_PUBLIC_URL: 'https://cra.example/' });
  const vulnerable = await server.call('cra.analyze', { repo_name: 'acme/a', diff: VULNERABLE });
  const secret = await server.call('cra.analyze', { repo_name: 'acme/b', diff: SECRET(2) });
  await server.call('cra.start_override_session', { reason: REASON, max_score: 1 });
  const { rfc_id } = secret.data;
  t.like((await server.call('cra.override', { rfc_id, reason: REASON })).data, {
    allowed: false,
    requiresDashboardApproval: true,
    approveUrl: `https://cra.example/cra#approve-${rfc_id}`,
  });
  await server.call('cra.start_override_session', { reason: REASON, max_score: 100 });
  const escalated = await server.call('cra.override', {
    rfc_id: vulnerable.data.rfc_id,
    reason: REASON,
  });
  t.like(escalated, { isError: false, data: { allowed: false, requiresDashboardApproval: true } });
  t.regex(escalated.data.reason, /^vuln-01 .*Do not retry/);
  t.like((await server.call('cra.list_sessions')).data, { count: 2, sessions: [{ used: 0 }] });
});

const CEILINGS = { CRA_MCP_MAX_SCORE: '40', CRA_MCP_MAX_OVERRIDES: '2' };

test('no agent gets more than the ceilings of the settings', async (t) => {
  const { env } = await startService(t);
  const server = await startToolServer(t, { ...env, ...CEILINGS });
  const start = (over: object) =>
    server.call('cra.start_override_session', { reason: REASON, ...over });
  const refused = [
    ...[41, 70, 100, 101, 1e9, -1, 40.5, '100', null, true].map((max_score) => ({ max_score })),
    ...[3, 5, 100, 101, 0, 1.5, '2', null].map((max_overrides) => ({ max_overrides })),
  ];
  for (const over of refused) t.true((await start(over)).isError, JSON.stringify(over));
  t.like((await start({})).data, { max_score: 40, max_overrides: 2 });
  t.like((await start({ max_score: 40, max_overrides: 1 })).data, { max_overrides: 1 });
});

test('a session that was started under higher settings gets no more than they allow now', async (t) => {
  const { env } = await startService(t);
  const first = await startToolServer(t, { ...env, CRA_MCP_MAX_OVERRIDES: '100' });
  await first.call('cra.start_override_session', { reason: REASON, max_overrides: 100 });
  const { data } = await first.call('cra.analyze', { repo_name: 'acme/c', diff: SECRET(1) });
  await first.close();
  const second = await startToolServer(t, { ...env, CRA_MCP_MAX_SCORE: '0' });
  const call = { rfc_id: data.rfc_id, reason: REASON };
  t.like((await second.call('cra.override', call)).data, { allowed: false });
  await second.close();
  const third = await startToolServer(t, { ...env, CRA_MCP_MAX_OVERRIDES: '1' });
  t.true((await third.call('cra.override', call)).data.allowed);
  const { data: next } = await third.call('cra.analyze', { repo_name: 'acme/d', diff: SECRET(2) });
  const used = await third.call('cra.override', { rfc_id: next.rfc_id, reason: REASON });
  t.true(used.isError);
  t.regex(used.text, /CRA_MCP_MAX_OVERRIDES/);
});

test('the budget ends a session, and outlives the process', async (t) => {
  const { env } = await startService(t);
  const first = await startToolServer(t, { ...env, CRA_MCP_MAX_OVERRIDES: '1' });
  await first.call('cra.start_override_session', { reason: REASON, max_score: 100 });
  const ids: string[] = [];
  for (const n of [1, 2]) {
    const { data } = await first.call('cra.analyze', { repo_name: 'acme/c', diff: SECRET(n) });
    ids.push(data.rfc_id);
  }
  t.true((await first.call('cra.override', { rfc_id: ids[0], reason: REASON })).data.allowed);
  await first.close();
  const second = await startToolServer(t, env);
  const refused = await second.call('cra.override', { rfc_id: ids[1], reason: REASON });
  t.regex(refused.text, /^ERROR: session s_[0-9a-f-]+ has used its 1 overrides/);
});

test('without an override token cra.override is hidden and session tools are refused', async (t) => {
  const env = { XDG_STATE_HOME: stateHome(t), CRA_MCP_TOKEN: API_TOKEN };
  const server = await startToolServer(t, env);
  t.deepEqual(
    (await server.client.listTools()).tools.map(({ name }) => name),
    TOOLS,
  );
  for (const name of ['cra.start_override_session', 'cra.list_sessions']) {
    const { text } = await server.call(name, name.includes('start') ? { reason: REASON } : {});
    t.regex(text, /^ERROR: override sessions need the override token/);
  }
  const { text } = await server.call('cra.override', { rfc_id: 'RFC-1', reason: REASON });
  t.regex(text, /^ERROR: there is no tool "cra.override"/);
});

test('names with underscores for hosts that refuse dots; calls accept both', async (t) => {
  const env = { XDG_STATE_HOME: stateHome(t), CRA_MCP_TOOL_NAMES: 'underscore' };
  const server = await startToolServer(t, env);
  const [first] = (await server.client.listTools()).tools;
  t.is(first?.name, 'cra_analyze');
  for (const name of ['cra_get_rfc', 'cra.get_rfc']) {
    t.regex((await server.call(name, { rfc_id: 'RFC-1' })).text, /^ERROR: no API token was found/);
  }
  const lines = auditLines(env.XDG_STATE_HOME);
  t.deepEqual(
    lines.map(({ tool }) => tool),
    ['cra.get_rfc', 'cra.get_rfc'],
  );
});

const INVALID: readonly [string, Record<string, unknown>][] = [
  ['cra.analyze', { diff: 'x' }],
  ['cra.analyze', { repo_name: 'a', diff: 1 }],
  ['cra.analyze', { repo_name: 'a', diff: 'x', diff_source: 'mail' }],
  ['cra.get_rfc', { rfc_id: 'rfc_1' }],
  ['cra.get_rfc', { rfc_id: '../rules' }],
  ['cra.list_blockers', { limit: 0 }],
  ['cra.list_blockers', { limit: 101 }],
  ['cra.ops_log', { action: 'a', description: 'b', environment: 'moon' }],
  ['cra.start_override_session', { reason: 'too short' }],
  ['cra.start_override_session', { reason: REASON, ttl_minutes: 61 }],
  ['cra.override', { rfc_id: 'RFC-1', reason: 'too short' }],
  ['cra.override', { rfc_id: 'RFC-1', reason: REASON, emergency: 'yes' }],
  ['cra.override', { rfc_id: 'RFC-1', reason: REASON, expires_at: 'soon' }],
  ['cra.review_emergency', { rfc_id: 'RFC-1', outcome: 'reject', reason: REASON }],
  ['cra.review_emergency', { rfc_id: 'RFC-1', outcome: 'object' }],
  ['cra.end_session', { session_id: 'S_1' }],
  ['cra.prod_check', {}],
  ['cra.prod_check', { repo: 'a', extra: true }],
];

test('invalid arguments are errors that name the argument, and stand in the audit log', async (t) => {
  const env = {
    XDG_STATE_HOME: stateHome(t),
    CRA_MCP_TOKEN: API_TOKEN,
    CRA_MCP_OVERRIDE_TOKEN: OVERRIDE_TOKEN,
  };
  const server = await startToolServer(t, env);
  for (const [name, args] of INVALID) {
    const { isError, text } = await server.call(name, args);
    t.true(isError, name);
    t.regex(text, /^ERROR: invalid arguments: /);
  }
  t.is(auditLines(env.XDG_STATE_HOME).length, INVALID.length);
});

/** What a broken or hostile upstream answers, and what the tool says. */
const HOSTILE: readonly [string, (token: string) => [number, string, string], RegExp][] = [
  ['HTML', () => [200, 'text/html', '<html>'], /not JSON/],
  ['a number', () => [200, 'application/json', '7'], /not JSON/],
  ['an array', () => [200, 'application/json', '[]'], /not one of this service/],
  ['500', () => [500, 'application/json', '{"ok":false,"error":"broken"}'], /answered 500: broken/],
  [
    '401',
    () => [401, 'application/json', '{"ok":false,"error":"no"}'],
    /401: no. Check the API token/,
  ],
  ['403', () => [403, 'text/plain', 'forbidden'], /403: no reason given/],
  ['a redirect', () => [302, 'text/plain', ''], /broke|redirect/],
  ['10 MB', () => [200, 'application/json', `"${'x'.repeat(10_000_000)}"`], /larger than/],
  [
    'the token',
    (token) => [400, 'application/json', JSON.stringify({ ok: false, error: token })],
    /400: \[token\]/,
  ],
];

test('a hostile upstream gives errors in time, and tokens never come back', async (t) => {
  let reply: [number, string, string] = [200, 'text/plain', ''];
  const upstream = createServer((request, response) => {
    request.resume();
    const [status, type, body] = reply;
    response.writeHead(status, { 'content-type': type, location: 'http://127.0.0.1:1/' }).end(body);
  });
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
  t.teardown(() => upstream.close());
  const { port } = upstream.address() as AddressInfo;
  const env = {
    XDG_STATE_HOME: stateHome(t),
    CRA_MCP_TOKEN: API_TOKEN,
    CRA_BASE_URL: `http://127.0.0.1:${port}`,
  };
  const server = await startToolServer(t, env);
  for (const [about, answer, says] of HOSTILE) {
    reply = answer(API_TOKEN);
    const { isError, text } = await server.call('cra.get_rfc', { rfc_id: 'RFC-1' });
    t.true(isError, about);
    t.regex(text, /^ERROR: /, about);
    t.regex(text, says, about);
    t.false(text.includes(API_TOKEN), about);
  }
  const hidden = await server.call('cra.ops_log', { action: API_TOKEN, description: 'x' });
  t.false(hidden.text.includes(API_TOKEN));
  t.false(JSON.stringify(auditLines(env.XDG_STATE_HOME)).includes(API_TOKEN));
  t.false(server.stderr().includes(API_TOKEN));
});

test('calls before the end of the input are answered', async (t) => {
  const upstream = createServer((request, response) => {
    request.resume();
    response.end(JSON.stringify({ ok: true, data: { allowed: true } }));
  });
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
  t.teardown(() => upstream.close());
  const { port } = upstream.address() as AddressInfo;
  const env = {
    ...process.env,
    XDG_STATE_HOME: stateHome(t),
    CRA_MCP_TOKEN: API_TOKEN,
    CRA_BASE_URL: `http://127.0.0.1:${port}`,
  };
  const messages = [
    {
      id: 1,
      method: 'initialize',
      params: {
        protocolVersion: '2025-06-18',
        capabilities: {},
        clientInfo: { name: 'printf', version: '1' },
      },
    },
    { method: 'notifications/initialized' },
    {
      id: 2,
      method: 'tools/call',
      params: { name: 'cra.prod_check', arguments: { repo: 'acme/shop' } },
    },
  ];
  const child = spawn(process.execPath, [PROGRAM, 'mcp'], { env });
  child.stdin.end(
    messages.map((one) => `${JSON.stringify({ jsonrpc: '2.0', ...one })}\n`).join(''),
  );
  const lines = (await text(child.stdout)).trim().split('\n');
  const last = JSON.parse(lines.at(-1) ?? '');
  t.is(last.id, 2);
  t.like(last.result.structuredContent, { allowed: true });
});

test('a token goes over https only, except on loopback', async (t) => {
  const env = {
    XDG_STATE_HOME: stateHome(t),
    CRA_MCP_TOKEN: API_TOKEN,
    CRA_BASE_URL: 'http://cra.example.com',
  };
  const server = await startToolServer(t, env);
  const { text } = await server.call('cra.prod_check', { repo: 'acme/shop' });
  t.regex(text, /^ERROR: CRA_BASE_URL must use https/);
});

test('cra.override refuses when its audit log cannot be written', async (t) => {
  const { env, home } = await startService(t);
  const server = await startToolServer(t, { ...env, SERVICE_MCP_AUDIT_PATH: join(home, 'log') });
  const { data } = await server.call('cra.analyze', { repo_name: 'acme/d', diff: SECRET(3) });
  await server.call('cra.start_override_session', { reason: REASON, max_score: 100 });
  execFileSync('rm', [join(home, 'log')]);
  mkdirSync(join(home, 'log'));
  chmodSync(join(home, 'log'), 0o500);
  const { text } = await server.call('cra.override', { rfc_id: data.rfc_id, reason: REASON });
  t.regex(text, /^ERROR: the audit log cannot be written, so nothing is overridden/);
});

test('a killed override keeps its place, gets its line, and is asked again with the same key', async (t) => {
  const keys: (string | undefined)[] = [];
  let isHanging = true;
  const rfc = {
    rfc_id: 'RFC-A1',
    overall_status: 'BLOCKED',
    risk_score: 10,
    rev: 4,
    hard_limits: [],
    gates: { llm: { status: 'skipped', findings: [] } },
  };
  const upstream = createServer(async (request, response) => {
    await request.toArray();
    const reply = (data: unknown) => response.end(JSON.stringify({ ok: true, data }));
    if (request.method === 'GET') {
      reply(rfc);
      return;
    }
    keys.push(request.headers['idempotency-key'] as string | undefined);
    t.is(request.headers['if-match'], '"4"');
    if (!isHanging) reply({ overall_status: 'OVERRIDDEN' });
  });
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    upstream.closeAllConnections();
    upstream.close();
  });
  const home = stateHome(t);
  const env = {
    XDG_STATE_HOME: home,
    CRA_MCP_TOKEN: API_TOKEN,
    CRA_MCP_OVERRIDE_TOKEN: OVERRIDE_TOKEN,
    CRA_BASE_URL: `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`,
  };
  const first = await startToolServer(t, env);
  const { data: session } = await first.call('cra.start_override_session', { reason: REASON });
  const cut = first.call('cra.override', { rfc_id: 'RFC-A1', reason: REASON }).catch(() => null);
  await until(() => keys.length === 1);
  process.kill(first.pid, 'SIGKILL');
  t.is(await cut, null);
  isHanging = false;
  const second = await startToolServer(t, env);
  await until(() => auditLines(home).some(({ result }) => result === 'unknown'));
  t.like(auditLines(home).at(-1), { tool: 'cra.override', sessionId: session.id });
  t.like((await second.call('cra.list_sessions')).data, { sessions: [{ used: 1 }] });
  const again = await second.call('cra.override', { rfc_id: 'RFC-A1', reason: REASON });
  t.like(again.data, { allowed: true, overall_status: 'OVERRIDDEN' });
  t.is(keys.length, 2);
  t.is(keys[0], keys[1]);
  t.like((await second.call('cra.list_sessions')).data, { sessions: [{ used: 1 }] });
});

/** An upstream of one handler, and the environment of a tool server that uses it. */
async function upstreamOf(t: ExecutionContext, answer: (path: string, reply: Answer) => void) {
  let open = 0;
  const upstream = createServer(async (request, response) => {
    open += 1;
    response.on('close', () => {
      open -= 1;
    });
    await request.toArray();
    answer(request.url ?? '', (data) => response.end(JSON.stringify({ ok: true, data })));
  });
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    upstream.closeAllConnections();
    upstream.close();
  });
  const { port } = upstream.address() as AddressInfo;
  return {
    openRequests: () => open,
    env: {
      XDG_STATE_HOME: stateHome(t),
      CRA_MCP_TOKEN: API_TOKEN,
      CRA_BASE_URL: `http://127.0.0.1:${port}`,
    },
  };
}

type Answer = (data: unknown) => void;

test('cra.analyze answers a DRAFT at once, or waits and reports progress where it is asked to', async (t) => {
  const rfc = { rfc_id: 'RFC-A1', overall_status: 'DRAFT', risk_score: 1, gates: {} };
  let reads = 0;
  const { env } = await upstreamOf(t, (path, reply) => {
    if (path.includes('/rfc/')) reads += 1;
    reply({ ...rfc, overall_status: reads < 2 ? 'DRAFT' : 'PASSED' });
  });
  const server = await startToolServer(t, env);
  const args = { repo_name: 'acme/shop', diff: 'x' };
  t.like((await server.call('cra.analyze', args)).data, {
    overall_status: 'DRAFT',
    poll_after_seconds: 5,
  });
  t.is(reads, 0);
  const steps: number[] = [];
  const result = await server.client.callTool(
    { name: 'cra.analyze', arguments: args },
    { onprogress: ({ progress }) => void steps.push(progress) },
  );
  t.like(result.structuredContent, { overall_status: 'PASSED' });
  t.deepEqual(steps, [0, 5]);
});

test('a call that the client cancels ends its request upstream', async (t) => {
  const { env, openRequests } = await upstreamOf(t, () => undefined);
  const server = await startToolServer(t, env);
  const abort = new AbortController();
  const call = server.client.callTool(
    { name: 'cra.prod_check', arguments: { repo: 'acme/shop' } },
    { signal: abort.signal },
  );
  await until(() => openRequests() === 1);
  abort.abort();
  await t.throwsAsync(call);
  await until(() => openRequests() === 0);
  t.pass();
});
