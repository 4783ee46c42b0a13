import { fork } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import test from 'ava';
import fc from 'fast-check';
import { type ApiReply, type CallApi, createServiceApi } from '../../src/mcp/service.ts';
import { openSessions } from '../../src/mcp/sessions.ts';
import { readSettings } from '../../src/mcp/settings.ts';
import type { ToolCall } from '../../src/mcp/tools.ts';
import { overrideTools } from '../../src/mcp/tools-override.ts';
import { collectGarbage } from '../core/garbage.ts';
import { newFile, temporaryDir } from '../daemon.ts';
import { AWS_KEY } from '../decision-calls.ts';
import { API_TOKEN, auditLines, startService, startToolServer, stateHome } from './tool-server.ts';

const REASON = 'The key is revoked, see ticket OPS-1';
const RFCS = 60;

type Fault = 'none' | 'lost-reply' | 'lost-request' | 'refused' | 'unavailable' | 'broken';
type Step =
  | { do: 'start'; ttl: number; maxScore: number; maxOverrides: number }
  | { do: 'end'; which: number }
  | { do: 'wait'; minutes: number }
  | { do: 'override'; rfc: number; faults: Fault[] };

const FAULTS: Fault[] = ['none', 'lost-reply', 'lost-request', 'refused', 'unavailable', 'broken'];
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('start' as const),
      ttl: fc.integer({ min: 1, max: 60 }),
      maxScore: fc.constantFrom(40, 70, 100),
      maxOverrides: fc.integer({ min: 1, max: 4 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('end' as const), which: fc.nat(5) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('wait' as const), minutes: fc.nat(25) }) },
  {
    weight: 14,
    arbitrary: fc.record({
      do: fc.constant('override' as const),
      rfc: fc.nat(RFCS - 1),
      faults: fc.array(fc.constantFrom(...FAULTS), { minLength: 3, maxLength: 3 }),
    }),
  },
);

/** A service with a few blocked RFCs, whose connection loses what the test says. */
class FakeService {
  readonly overridden = new Map<string, { key: string; session: string; atMs: number }>();
  faults: Fault[] = [];
  nowMs = Date.parse('2026-11-22T10:00:00Z');

  readonly api: CallApi = async ({ method, path, body, headers }) => {
    const id = path.split('/')[1] ?? '';
    if (method === 'GET') return this.read(id);
    const fault = this.faults.shift() ?? 'none';
    const { reason } = body as { reason: string };
    const session = /\(override session (s_\S+)\)$/.exec(reason)?.[1] ?? '';
    if (fault === 'lost-request') return { kind: 'unknown', error: 'the connection broke' };
    if (fault === 'refused') return { kind: 'not-sent', error: 'could not connect' };
    if (fault === 'unavailable') return refusal(503);
    const answer = this.override(id, headers?.['Idempotency-Key'] ?? '', session);
    if (fault === 'lost-reply') return { kind: 'unknown', error: 'the connection broke' };
    return fault === 'broken' ? refusal(500) : answer;
  };

  private read(id: string): ApiReply {
    const number = Number(id.slice(4));
    const isHard = number % 4 === 3;
    const data = {
      rfc_id: id,
      overall_status: this.overridden.has(id) ? 'OVERRIDDEN' : 'BLOCKED',
      risk_score: scoreOf(number),
      rev: 1,
      gates: {
        risk: { status: 'fail', findings: [{ id: isHard ? 'vuln-03' : 'secret-aws' }] },
        llm: { status: 'skipped', findings: [] },
      },
      ...(number % 2 === 1 && { hard_limits: isHard ? ['vuln-03'] : [] }),
    };
    return { kind: 'data', data, nextCursor: null };
  }

  private override(id: string, key: string, session: string): ApiReply {
    const known = this.overridden.get(id);
    if (known !== undefined && known.key !== key) return refusal(409);
    if (known === undefined) this.overridden.set(id, { key, session, atMs: this.nowMs });
    return { kind: 'data', data: { overall_status: 'OVERRIDDEN' }, nextCursor: null };
  }
}

function refusal(status: number): ApiReply {
  return { kind: 'refused', status, error: 'refused', details: {} };
}

function scoreOf(number: number): number {
  return (number * 23) % 100;
}

test('no sequence of calls overrides past budget, cap, expiry, end or a hard limit', async (t) => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 40, maxLength: 150 }), async (steps) => {
      const service = new FakeService();
      const path = join(stateHome(t), 'sessions.json');
      // Two servers on one file, as two hosts on one machine have them.
      const servers = [0, 1].map(() => {
        const sessions = openSessions(path, () => service.nowMs);
        const settings = readSettings({});
        const common = {
          settings,
          overrideToken: 'o'.repeat(32),
          isAgentToken: false,
          checkAuditLog() {},
        };
        const tools = overrideTools({ ...common, api: service.api, sessions });
        return new Map(tools.map((tool) => [tool.name, tool]));
      });
      const started: { id: string; endMs: number; cap: number; budget: number }[] = [];
      let calls = 0;
      const call = async (name: string, args: Record<string, unknown>) => {
        calls += 1;
        const tool = servers[calls % 2]?.get(name);
        const { signal } = new AbortController();
        const made: ToolCall = { signal, progress: null };
        const result = await tool?.run(args, made).catch(() => undefined);
        await made.settle?.();
        return result;
      };
      for (const one of steps) {
        if (one.do === 'wait') service.nowMs += one.minutes * 60_000;
        if (one.do === 'start') {
          const ask = { ttl_minutes: one.ttl, max_score: one.maxScore, reason: REASON };
          const session = await call('cra.start_override_session', {
            ...ask,
            max_overrides: one.maxOverrides,
          });
          const endMs = service.nowMs + one.ttl * 60_000;
          const id = String(session?.['id']);
          started.push({ id, endMs, cap: one.maxScore, budget: one.maxOverrides });
        }
        const session = one.do === 'end' ? started[one.which] : undefined;
        if (session !== undefined) {
          const ended = await call('cra.end_session', { session_id: session.id });
          if (ended !== undefined) session.endMs = Math.min(session.endMs, service.nowMs);
        }
        if (one.do === 'override') {
          service.faults = [...one.faults];
          const rfc_id = `RFC-${one.rfc}`;
          await call('cra.override', { rfc_id, reason: REASON });
        }
      }
      // Not above the ceiling of all sessions in any hour, either; one that is made late counts
      // from when it was made.
      const times = [...service.overridden.values()].map(({ atMs }) => atMs);
      for (const from of times) {
        const inHour = times.filter((atMs) => atMs >= from && atMs < from + 3_600_000);
        if (inHour.length > 5) throw new Error('more overrides in an hour than the ceiling');
      }
      for (const session of started) {
        const used = [...service.overridden].filter(([, each]) => each.session === session.id);
        if (used.length > session.budget) throw new Error('more overrides than the budget');
        for (const [id, { atMs }] of used) {
          const number = Number(id.slice(4));
          if (atMs > session.endMs) throw new Error('an override after expiry or end');
          if (scoreOf(number) > session.cap) throw new Error('an override above the cap');
          if (number % 4 === 3) throw new Error('an override of a hard limit');
        }
      }
    }),
    { numRuns: Number(process.env['CRA_PROOF_RUNS'] ?? 12) },
  );
  t.pass();
});

test('the lock of a killed process is free again, and two processes never hold it at once', async (t) => {
  const path = join(stateHome(t), 'sessions.json');
  const child = new URL('./lock-child.js', import.meta.url).pathname;
  const children = [1, 2, 3].map(() => fork(child, [path, '20']));
  const doomed = fork(child, [path, '1000000']);
  await once(doomed, 'message');
  doomed.kill('SIGKILL');
  const exits = await Promise.all(children.map((each) => once(each, 'exit')));
  t.deepEqual(
    exits.map(([code]) => code),
    [0, 0, 0],
  );
  const byProcess = openSessions(path)
    .listActive()
    .map(({ reason }) => reason.split(' ').at(-1));
  for (const { pid } of children) {
    t.is(byProcess.filter((each) => each === String(pid)).length, 20);
  }
});

test('an answer that drips is given up in time, though garbage is collected meanwhile', async (t) => {
  const upstream = createServer((_request, response) => {
    const drip = setInterval(() => response.write(' '), 10);
    response.on('close', () => clearInterval(drip));
  });
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
  t.teardown(() => upstream.close());
  const baseUrl = new URL(`http://127.0.0.1:${(upstream.address() as AddressInfo).port}`);
  const call = createServiceApi({ baseUrl, baseUrlProblem: '', apiToken: API_TOKEN });
  collectGarbage(t);
  const reply = await call({ method: 'GET', path: 'rfcs', timeoutMs: 500 });
  t.deepEqual(reply, {
    kind: 'unknown',
    error: `the service at ${baseUrl.origin} did not answer in time`,
  });
});

test('an emergency override makes a review due, which another token may only object to', async (t) => {
  const dataDir = temporaryDir(t);
  const rulesPath = join(dataDir, 'rules.json');
  const components = [{ id: 'deploy', paths: ['deploy/**'] }];
  const pipeline = { max_acceptance_days: { critical: 30, high: 30 } };
  writeFileSync(
    rulesPath,
    JSON.stringify({ version: 1, extends: 'default', components, pipeline }),
  );
  const first = await startService(t, { dataDir, rulesPath });
  const server = await startToolServer(t, first.env);
  const submitted = async (name: string) => {
    const diff = newFile(`deploy/${name}.sh`, `export AWS_KEY=${AWS_KEY}\n`);
    return (await server.call('cra.analyze', { repo_name: 'acme/shop', diff })).data;
  };
  const analyzed = await submitted('emergency');
  t.like(analyzed.components, { 0: { id: 'deploy', status: 'BLOCKED' } });
  const { rfc_id } = analyzed;
  const asked = { rfc_id, reason: REASON };
  const review = { ...asked, outcome: 'object' };
  await server.call('cra.start_override_session', { reason: REASON, max_score: 100 });

  const plain = (await submitted('plain')).rfc_id;
  const alone = { rfc_id: plain, reason: REASON, expires_at: '2999-01-01' };
  for (const [more, says] of [
    [
      {},
      /^ERROR: the service answered 400: expires_at: is for a decision with accept_findings alone/,
    ],
    [{ accept_findings: true }, /^ERROR: the service answered 400: .*30 days/],
  ] as const) {
    t.regex((await server.call('cra.override', { ...alone, ...more })).text, says);
  }
  t.like((await server.call('cra.list_sessions')).data, { sessions: [{ used: 0 }] });
  const soon = new Date(Date.now() + 86_400_000).toISOString();
  const accepting = { rfc_id: plain, reason: REASON, accept_findings: true, expires_at: soon };
  const accepted = (await server.call('cra.override', accepting)).data;
  t.deepEqual([accepted.allowed, 'emergency' in accepted], [true, false]);
  const early = await server.call('cra.review_emergency', { ...review, rfc_id: plain });
  t.regex(early.text, /^ERROR: the service answered 409: this override is not an emergency/);

  const made = await server.call('cra.override', { ...asked, emergency: true });
  t.like(made.data, { allowed: true, overall_status: 'OVERRIDDEN', emergency: true });
  const read = (await server.call('cra.get_rfc', { rfc_id })).data;
  t.like(read, { emergency: { review: 'due' }, components: { 0: { status: 'OVERRIDDEN' } } });
  const own = await server.call('cra.review_emergency', review);
  t.regex(own.text, /^ERROR: the service answered 403: this emergency override is your own/);
  t.is(await first.daemon.stop(), 0);

  const second = await startService(t, { dataDir, rulesPath, overrideToken: 'x'.repeat(40) });
  const other = await startToolServer(t, second.env);
  const confirmed = await other.call('cra.review_emergency', { ...review, outcome: 'confirm' });
  t.regex(confirmed.text, /^ERROR: the service answered 403: only a person may confirm/);
  t.like((await other.call('cra.review_emergency', review)).data, {
    rfc_id,
    overall_status: 'REJECTED',
    outcome: 'object',
  });
  t.regex(
    (await other.call('cra.review_emergency', review)).text,
    /answered 409: the RFC is REJECTED/,
  );
  t.deepEqual(
    auditLines(second.home).map(({ tool }) => tool),
    Array.from({ length: 3 }, () => 'cra.review_emergency'),
  );
});

test('a repeat with other options asks for what the first call asked for', async (t) => {
  const service = new FakeService();
  const bodies: unknown[] = [];
  const api: CallApi = (request) => {
    if (request.method === 'POST') bodies.push(request.body);
    return service.api(request);
  };
  const sessions = openSessions(join(stateHome(t), 'sessions.json'), () => service.nowMs);
  const common = {
    settings: readSettings({ CRA_MCP_MAX_SCORE: '100' }),
    overrideToken: 'o'.repeat(32),
    isAgentToken: false,
    checkAuditLog() {},
  };
  const tools = overrideTools({ ...common, api, sessions });
  const call = async (name: string, args: Record<string, unknown>) => {
    const made: ToolCall = { signal: new AbortController().signal, progress: null };
    const tool = tools.find((each) => each.name === name);
    const result = await tool?.run(args, made).catch((thrown: Error) => thrown.message);
    await made.settle?.();
    return result;
  };
  const start = { reason: REASON, ttl_minutes: 60, max_score: 100, max_overrides: 5 };
  await call('cra.start_override_session', start);
  service.faults = ['lost-request', 'lost-request', 'lost-request'];
  const asked = { rfc_id: 'RFC-0', reason: REASON };
  t.regex(String(await call('cra.override', { ...asked, emergency: true })), /is not known/);
  t.like(await call('cra.override', asked), { allowed: true, emergency: true });
  t.is(bodies.length, 4);
  t.is(new Set(bodies.map((body) => JSON.stringify(body))).size, 1);
  t.like(bodies[0], { action: 'override', emergency: true });
});

test('overrides at the same moment do not pass a ceiling that was lowered since', async (t) => {
  const service = new FakeService();
  const sessions = openSessions(join(stateHome(t), 'sessions.json'), () => service.nowMs);
  const toolsUnder = (most: string) =>
    overrideTools({
      settings: readSettings({ CRA_MCP_MAX_SCORE: '100', CRA_MCP_MAX_OVERRIDES: most }),
      overrideToken: 'o'.repeat(32),
      isAgentToken: false,
      checkAuditLog() {},
      api: service.api,
      sessions,
    });
  const call = (most: string, name: string, args: Record<string, unknown>) => {
    const made: ToolCall = { signal: new AbortController().signal, progress: null };
    const tool = toolsUnder(most).find((each) => each.name === name);
    return tool?.run(args, made).catch((thrown: Error) => ({ error: thrown.message }));
  };
  await call('100', 'cra.start_override_session', {
    reason: REASON,
    ttl_minutes: 60,
    max_score: 100,
    max_overrides: 100,
  });
  const all = await Promise.all(
    Array.from({ length: 10 }, (_, at) =>
      call('2', 'cra.override', { rfc_id: `RFC-${at}`, reason: REASON }),
    ),
  );
  t.is(sessions.listActive()[0]?.used, 2, JSON.stringify(all));
});
