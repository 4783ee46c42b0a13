import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import test from 'ava';
import { until } from '../daemon.ts';
import {
  API_TOKEN,
  auditLines,
  OVERRIDE_TOKEN,
  startToolServer,
  stateHome,
} from '../mcp/tool-server.ts';

const KILLS = 60;
const BUDGET = 25;
const REASON = 'The key is revoked, see ticket OPS-1';

/** A service whose answers to overrides come late, or are lost after the override was made. */
async function startService() {
  const overridden = new Map<string, string>();
  let doubled = 0;
  const server = createServer(async (request, response) => {
    await request.toArray();
    const id = request.url?.split('/').at(-1) ?? '';
    const reply = (data: unknown) => response.end(JSON.stringify({ ok: true, data }));
    if (request.method === 'GET') {
      const overall_status = overridden.has(id) ? 'OVERRIDDEN' : 'BLOCKED';
      const gates = { llm: { status: 'skipped', findings: [] } };
      reply({ rfc_id: id, overall_status, risk_score: 10, rev: 1, hard_limits: [], gates });
      return;
    }
    await pause(Math.random() * 40);
    const key = String(request.headers['idempotency-key']);
    if ((overridden.get(id) ?? key) !== key) doubled += 1;
    overridden.set(id, key);
    await pause(Math.random() * 40);
    if (Math.random() < 0.2) response.destroy();
    else reply({ overall_status: 'OVERRIDDEN' });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { server, url: `http://127.0.0.1:${port}`, overridden, doubled: () => doubled };
}

test('tool servers killed at random points never pass the budget, and every call has its line', async (t) => {
  t.timeout(600_000);
  const service = await startService();
  t.teardown(() => {
    service.server.closeAllConnections();
    service.server.close();
  });
  const home = stateHome(t);
  const env = {
    XDG_STATE_HOME: home,
    CRA_MCP_TOKEN: API_TOKEN,
    CRA_MCP_OVERRIDE_TOKEN: OVERRIDE_TOKEN,
    CRA_BASE_URL: service.url,
    CRA_MCP_MAX_OVERRIDES: String(BUDGET),
  };
  // Two servers at once, as two hosts of one person have them; one of them is killed each round.
  let steady = await startToolServer(t, env);
  const started = await steady.call('cra.start_override_session', {
    reason: REASON,
    max_overrides: BUDGET,
  });
  let answered = 1;
  let cut = 0;
  for (let round = 0; round < KILLS; round += 1) {
    const doomed = await startToolServer(t, env);
    const calls = [steady, doomed].map(async (server, index) => {
      const rfc_id = `RFC-${(round * 2 + index).toString(16).toUpperCase()}`;
      const answer = await server
        .call('cra.override', { rfc_id, reason: REASON })
        .catch(() => null);
      if (answer === null) cut += 1;
      else answered += 1;
    });
    await pause(Math.random() * 120);
    process.kill(doomed.pid, 'SIGKILL');
    await Promise.all(calls);
    if (round % 10 === 9) {
      await steady.close();
      steady = await startToolServer(t, env);
    }
  }
  const last = await startToolServer(t, env);
  t.true(service.overridden.size <= BUDGET, `${service.overridden.size} overrides`);
  t.is(service.doubled(), 0);
  const { data } = await last.call('cra.list_sessions');
  answered += 1;
  const [session] = data.sessions;
  t.is(session.id, started.data.id);
  t.true(session.used <= BUDGET && session.used >= service.overridden.size);
  // A cut call has a line when its override was sent; before that nothing was changed.
  await until(() => auditLines(home).length >= answered);
  const lines = auditLines(home);
  const unknown = lines.filter(({ result }) => result === 'unknown').length;
  const others = `${lines.length} lines, ${answered} answered, ${cut} cut, ${unknown} unknown`;
  t.true(lines.length >= answered && lines.length <= answered + cut, others);
  const named = new Set(lines.map(({ args }) => (args as { rfc_id?: string }).rfc_id));
  t.deepEqual(
    [...service.overridden.keys()].filter((id) => !named.has(id)),
    [],
  );
  t.log(`${KILLS} kills, ${answered} answered, ${cut} cut, ${unknown} of them sent`);
});

test('an upstream that hangs gives an error after 30 s', async (t) => {
  t.timeout(120_000);
  const upstream = createServer(() => undefined);
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    upstream.closeAllConnections();
    upstream.close();
  });
  const server = await startToolServer(t, {
    XDG_STATE_HOME: stateHome(t),
    CRA_MCP_TOKEN: API_TOKEN,
    CRA_BASE_URL: `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`,
  });
  const { text } = await server.call('cra.prod_check', { repo: 'acme/shop' });
  t.regex(text, /^ERROR: the service at \S+ did not answer in time$/);
});
