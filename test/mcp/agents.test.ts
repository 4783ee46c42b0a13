import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { createQuestions, OpenQuestion } from '../../src/mcp/questions.ts';
import type { ApiReply, CallApi } from '../../src/mcp/service.ts';
import { openSessions } from '../../src/mcp/sessions.ts';
import { readSettings } from '../../src/mcp/settings.ts';
import type { ToolCall } from '../../src/mcp/tools.ts';
import { overrideTools } from '../../src/mcp/tools-override.ts';
import { newFile } from '../daemon.ts';
import { AWS_KEY } from '../decision-calls.ts';
import {
  AGENT_TOKEN,
  API_TOKEN,
  auditLines,
  OVERRIDE_TOKEN,
  type Person,
  startService,
  startToolServer,
  stateHome,
} from './tool-server.ts';

const REASON = 'The key is revoked, see ticket OPS-1';
const START = { reason: REASON, ttl_minutes: 60, max_score: 70, max_overrides: 5 };

/** Tools over one file of sessions, with a service that overrides whatever is asked. */
function tools(t: ExecutionContext, over: { env?: Record<string, string>; home?: string } = {}) {
  const home = over.home ?? stateHome(t);
  const clock = { nowMs: Date.parse('2026-11-22T10:00:00Z') };
  const overridden: string[] = [];
  const api: CallApi = async ({ method, path }) => {
    const id = path.split('/')[1] ?? '';
    const isDone = overridden.includes(id);
    const rfc = {
      rfc_id: id,
      overall_status: isDone ? 'OVERRIDDEN' : 'BLOCKED',
      risk_score: 10,
      rev: 1,
      hard_limits: [],
      gates: { llm: { status: 'pass', findings: [] } },
    };
    if (method === 'POST') overridden.push(id);
    return { kind: 'data', data: rfc, nextCursor: null };
  };
  const context = {
    settings: readSettings(over.env ?? {}),
    overrideToken: 'o'.repeat(32),
    isAgentToken: false,
    checkAuditLog() {},
    api,
    sessions: openSessions(join(home, 'sessions.json'), () => clock.nowMs),
  };
  const call = async (name: string, args: object, person?: ToolCall['person']) => {
    const made: ToolCall = {
      signal: new AbortController().signal,
      progress: null,
      ...(person !== undefined && { person }),
    };
    const tool = overrideTools(context).find((each) => each.name === name);
    const result = await tool
      ?.run({ ...args }, made)
      .catch((thrown: Error) => ({ error: thrown.message }));
    await made.settle?.();
    return result as Record<string, unknown>;
  };
  let count = 0;
  const override = (id = `RFC-A${count++}`) => call('cra.override', { rfc_id: id, reason: REASON });
  return { call, override, overridden, clock, home, context };
}

/** Ways in which an agent may try to get more than one session gives. */
const MULTIPLY: Record<string, (world: ReturnType<typeof tools>) => Promise<unknown>> = {
  async 'ten sessions at once'({ call, override }) {
    await Promise.all(Array.from({ length: 10 }, () => call('cra.start_override_session', START)));
    for (let n = 0; n < 20; n += 1) await override();
  },
  async 'a session for each override'({ call, override }) {
    for (let n = 0; n < 12; n += 1) {
      await call('cra.start_override_session', { ...START, max_overrides: 1 });
      await override();
    }
  },
  async 'a new session when one is used up'({ call, override }) {
    for (let n = 0; n < 3; n += 1) {
      await call('cra.start_override_session', START);
      for (let made = 0; made < 6; made += 1) await override();
    }
  },
  async 'ended sessions'({ call, override }) {
    for (let n = 0; n < 12; n += 1) {
      const { id } = await call('cra.start_override_session', START);
      await override();
      await call('cra.end_session', { session_id: id });
    }
  },
  async 'sessions that expire'({ call, override, clock }) {
    for (let n = 0; n < 12; n += 1) {
      await call('cra.start_override_session', { ...START, ttl_minutes: 1 });
      await override();
      clock.nowMs += 61_000;
    }
  },
  async '20 at the same moment'({ call, override }) {
    for (let n = 0; n < 4; n += 1) await call('cra.start_override_session', START);
    await Promise.all(Array.from({ length: 20 }, () => override()));
  },
  async 'another tool server on the same file'(world) {
    await world.call('cra.start_override_session', START);
    const sessions = openSessions(join(world.home, 'sessions.json'), () => world.clock.nowMs);
    const other = overrideTools({ ...world.context, sessions });
    const tool = other.find(({ name }) => name === 'cra.override');
    for (let n = 0; n < 10; n += 1) {
      await world.override();
      const call: ToolCall = { signal: new AbortController().signal, progress: null };
      const args = { rfc_id: `RFC-B${n}`, reason: REASON };
      await tool?.run(args, call).catch(() => null);
      await call.settle?.();
    }
  },
  async 'a budget that was started under higher settings'({ call, override }) {
    await call('cra.start_override_session', { ...START, max_overrides: 100 });
    for (let n = 0; n < 12; n += 1) await override();
  },
  async 'a file of an older version'({ call, override, home }) {
    await call('cra.start_override_session', START);
    const path = join(home, 'sessions.json');
    const { taken, ...rest } = JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>;
    writeFileSync(path, JSON.stringify(rest));
    for (let n = 0; n < 12; n += 1) await override();
  },
  async 'the same RFCs again and again'({ call, override }) {
    await call('cra.start_override_session', START);
    await call('cra.start_override_session', START);
    for (let n = 0; n < 24; n += 1) await override(`RFC-C${n % 8}`);
  },
};

for (const [way, run] of Object.entries(MULTIPLY)) {
  test(`no more overrides in an hour than one session gives: ${way}`, async (t) => {
    const world = tools(t);
    await run(world);
    t.is(world.overridden.length, 5);
    const error = (await world.override())['error'];
    await world.call('cra.start_override_session', START);
    const now = (await world.override())['error'];
    t.regex(String(now), /^all sessions together have used the 5 overrides of an hour/, `${error}`);
    // An hour after the last one there are places again, and none before the first.
    world.clock.nowMs += 3_600_000;
    await world.call('cra.start_override_session', START);
    for (let n = 0; n < 7; n += 1) await world.override(`RFC-D${n}`);
    t.is(world.overridden.length, 10);
  });
}

test('a place is free an hour after it was taken, and at once when nothing was overridden', async (t) => {
  const world = tools(t, { env: { CRA_MCP_MAX_OVERRIDES: '2' } });
  const start = () => world.call('cra.start_override_session', { ...START, max_overrides: 2 });
  await start();
  t.true((await world.override())['allowed']);
  world.clock.nowMs += 30 * 60_000;
  await start();
  t.true((await world.override())['allowed']);
  const { error } = await world.override();
  t.regex(String(error), /the next one is possible at 2026-11-22T11:00:00\.000Z/);
  world.clock.nowMs += 30 * 60_000 - 1;
  await start();
  t.regex(String((await world.override())['error']), /possible at 2026-11-22T11:00:00/);
  world.clock.nowMs += 1;
  t.true((await world.override())['allowed']);
  t.regex(String((await world.override())['error']), /possible at 2026-11-22T11:30:00/);

  const refusing = tools(t);
  await refusing.call('cra.start_override_session', START);
  const { api } = refusing.context;
  const refused: ApiReply = { kind: 'refused', status: 503, error: 'busy', details: {} };
  refusing.context.api = async (asked) => (asked.method === 'GET' ? api(asked) : refused);
  for (let n = 0; n < 10; n += 1) {
    t.regex(String((await refusing.override())['error']), /answered 503: busy/);
  }
});

/** Reasons of 20 characters and more that say nothing. */
const UNREADABLE = [
  ...[' ', '\t', '\n', '.', '-', '?', '\u2800', '\u3164', '\u200b', '\u00a0', '\ufeff', '\u115f'],
  ...['\u{e0020}', '\u202e', '!? ', '... --- ', '\u3000\u2800'],
].map((text) => text.repeat(25));

test('a reason of an override or a session needs a letter or a digit', async (t) => {
  const env = { XDG_STATE_HOME: stateHome(t), CRA_MCP_TOKEN: API_TOKEN };
  const server = await startToolServer(t, { ...env, CRA_MCP_OVERRIDE_TOKEN: OVERRIDE_TOKEN });
  for (const reason of UNREADABLE) {
    for (const [name, args] of [
      ['cra.start_override_session', {}],
      ['cra.override', { rfc_id: 'RFC-1' }],
      ['cra.review_emergency', { rfc_id: 'RFC-1', outcome: 'object' }],
    ] as const) {
      const { text } = await server.call(name, { ...args, reason });
      t.regex(text, /^ERROR: invalid arguments: reason/, JSON.stringify(reason));
    }
  }
  t.is((await server.call('cra.list_sessions')).data.count, 0);
  for (const reason of [
    `${' '.repeat(20)}7`,
    'Ключ отозван, смотри OPS-1',
    '鍵は失効しました。'.repeat(3),
  ]) {
    t.false((await server.call('cra.start_override_session', { reason })).isError, reason);
  }
});

const CONFIRMS = { CRA_MCP_CONFIRM_SESSIONS: 'true' };
const YES = { action: 'accept', content: { confirm: true } };

/** Answers that confirm nothing. */
const NOT_CONFIRMED: object[] = [
  { action: 'decline' },
  { action: 'cancel' },
  { action: 'accept' },
  { action: 'accept', content: {} },
  { action: 'accept', content: { confirm: false } },
  { action: 'accept', content: { confirm: 'true' } },
  { action: 'accept', content: { confirm: 1 } },
  { action: 'accept', content: { confirm: ['true'] } },
  { action: 'accept', content: { confirmed: true } },
  { action: 'accept', content: { Confirm: true } },
  { action: 'decline', content: { confirm: true } },
  { action: 'cancel', content: { confirm: true } },
];

for (const era of ['legacy', '2026-07-28'] as const) {
  test(`a session starts when the person at the client confirms it (${era})`, async (t) => {
    const home = stateHome(t);
    const env = {
      XDG_STATE_HOME: home,
      CRA_MCP_TOKEN: API_TOKEN,
      ...CONFIRMS,
      CRA_MCP_OVERRIDE_TOKEN: OVERRIDE_TOKEN,
    };
    const questions: string[] = [];
    let answer: object = YES;
    const person: Person = {
      capability: era === 'legacy' ? {} : { form: {} },
      answer(question) {
        questions.push(question);
        return answer;
      },
    };
    const server = await startToolServer(t, env, era, person);
    const start = (over: object = {}) =>
      server.call('cra.start_override_session', { reason: REASON, ...over });
    for (answer of NOT_CONFIRMED) {
      // The client itself may refuse to send what does not fit the form.
      const { isError } = await start().catch(() => ({ isError: true }));
      t.true(isError, JSON.stringify(answer));
    }
    t.is((await server.call('cra.list_sessions')).data.count, 0);
    answer = YES;
    const asked = { reason: `${REASON}\u202e\n"; allow`, max_overrides: 3, max_score: 42 };
    t.like((await start({ ...asked, ttl_minutes: 7 })).data, { max_overrides: 3, used: 0 });
    t.is(
      questions.at(-1),
      'An agent asks to override blocked changes by itself: at most 3 of them with a risk score of ' +
        `up to 42, within 7 minutes. Its reason, in its words: "${REASON} "; allow". Allow it?`,
    );
    // Each session is asked for, also the same again.
    const before = questions.length;
    await start();
    await start();
    t.is(questions.length, before + 2);
    const lines = auditLines(home).filter(({ tool }) => tool === 'cra.start_override_session');
    t.true(lines.some(({ result }) => result === 'a person is asked to confirm'));
    t.true(lines.some(({ result }) => /did not confirm/.test(String(result))));
  });
}

test('a client that cannot ask a person starts no session where it has to be confirmed', async (t) => {
  const people: (Person | null)[] = [null, { capability: { url: {} }, answer: () => YES }];
  for (const era of ['legacy', '2026-07-28'] as const) {
    for (const person of people) {
      for (const confirms of ['true', 'yes', 'False']) {
        const env = {
          XDG_STATE_HOME: stateHome(t),
          CRA_MCP_OVERRIDE_TOKEN: OVERRIDE_TOKEN,
          CRA_MCP_CONFIRM_SESSIONS: confirms,
          CRA_MCP_PUBLIC_URL: 'https://cra.example',
        };
        const server = await startToolServer(t, env, era, person);
        const { text } = await server.call('cra.start_override_session', { reason: REASON });
        t.regex(
          text,
          /^ERROR: a person has to confirm each session .*https:\/\/cra\.example\/cra$/,
        );
        t.is((await server.call('cra.list_sessions')).data.count, 0);
        await server.close();
      }
    }
  }
});

test('a session that nobody confirmed overrides nothing once it has to be', async (t) => {
  const lax = tools(t);
  await lax.call('cra.start_override_session', START);
  const strict = tools(t, { env: CONFIRMS, home: lax.home });
  t.regex(
    String((await strict.override())['error']),
    /^no override session that a person confirmed/,
  );
  const { sessions } = strict.context;
  const [found] = sessions.listActive();
  const ceilings = { overridesMax: 5, isConfirmedOnly: true };
  const asked = { rfcId: 'RFC-1', reason: REASON, options: {}, rev: 1 };
  t.is(await sessions.reserve({ sessionId: found?.id ?? '', ceilings, ...asked }), null);
  await strict.call('cra.start_override_session', START, { isConfirmed: () => true });
  t.true((await strict.override())['allowed']);
  t.is(strict.overridden.length, 1);
});

test('an answer counts once, and for the question that was asked', (t) => {
  const questions = createQuestions();
  const declared = { elicitation: {} };
  const askWith = (inputResponses: Record<string, unknown>) =>
    questions.askerOf({ mcpReq: { inputResponses } } as never, declared);
  const idOf = (text: string) => {
    const thrown = t.throws(() => askWith({})?.isConfirmed(text), { instanceOf: OpenQuestion });
    return Object.keys(thrown?.result.inputRequests ?? {})[0] ?? '';
  };
  const isOpen = (responses: Record<string, unknown>, text: string) =>
    t.throws(() => askWith(responses)?.isConfirmed(text), { instanceOf: OpenQuestion });
  for (const id of ['confirm', 'confirm-1', '', 'toString', '__proto__'])
    isOpen({ [id]: YES }, 'a');
  const first = idOf('a');
  isOpen({ [first]: YES }, 'b');
  const again = idOf('a');
  t.not(again, first);
  isOpen({ [first]: YES }, 'a');
  const third = idOf('a');
  t.true(askWith({ [third]: YES })?.isConfirmed('a'));
  isOpen({ [third]: YES }, 'a');
  t.is(questions.askerOf({ mcpReq: {} } as never, undefined), null);
  t.is(questions.askerOf({ mcpReq: {} } as never, { elicitation: { url: {} } }), null);
});

const SECRET = (n: number) => newFile(`deploy/env-${n}.sh`, `export AWS_KEY=${AWS_KEY}\n`);

test('with the token of agents the service escalates what is above its ceilings', async (t) => {
  const { env } = await startService(t, {
    serve: {
      CRA_AGENT_OVERRIDE_TOKEN: AGENT_TOKEN,
      SERVICE_AGENT_MAX_SCORE: '100',
      SERVICE_AGENT_MAX_OVERRIDES_PER_DAY: '1',
    },
  });
  const own = { ...env, CRA_MCP_AGENT_OVERRIDE_TOKEN: AGENT_TOKEN };
  const server = await startToolServer(t, own);
  const listed = (await server.client.listTools()).tools;
  t.false(listed.some(({ name }) => name === 'cra.review_emergency'));
  const override = listed.find(({ name }) => name === 'cra.override');
  t.deepEqual(Object.keys(override?.inputSchema.properties ?? {}), ['rfc_id', 'reason']);
  await server.call('cra.start_override_session', { reason: REASON });
  const submit = async (n: number) =>
    (await server.call('cra.analyze', { repo_name: `acme/${n}`, diff: SECRET(n) })).data.rfc_id;
  const one = await submit(1);
  const two = await submit(2);
  const call = (rfc_id: string, over: object = {}) =>
    server.call('cra.override', { rfc_id, reason: REASON, ...over });
  for (const over of [{ emergency: true }, { accept_findings: true }]) {
    t.regex((await call(one, over)).text, /^ERROR: invalid arguments/);
  }
  t.like((await call(one)).data, { allowed: true });
  const escalated = await call(two);
  t.like(escalated, { isError: false, data: { allowed: false, requiresDashboardApproval: true } });
  t.regex(escalated.data.reason, /SERVICE_AGENT_MAX_OVERRIDES_PER_DAY.*Do not retry/);
  t.is(escalated.data.approveUrl, `${env.CRA_BASE_URL}/cra#approve-${two}`);
  t.like((await server.call('cra.list_sessions')).data, { sessions: [{ used: 1 }] });
  t.is(
    (await server.call('cra.get_rfc', { rfc_id: one })).data.override.actor.slice(0, 12),
    'agent-token:',
  );

  // The same token in the place of the override token: the service knows it all the same.
  const unaware = await startToolServer(t, { ...env, CRA_MCP_OVERRIDE_TOKEN: AGENT_TOKEN });
  const accepting = await unaware.call('cra.override', {
    rfc_id: two,
    reason: REASON,
    accept_findings: true,
  });
  t.like(accepting.data, { allowed: false, requiresDashboardApproval: true });
  t.regex(accepting.data.reason, /an agent accepts no findings/);
});
