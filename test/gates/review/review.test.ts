import Anthropic from '@anthropic-ai/sdk';
import type { ExecutionContext } from 'ava';
import test from 'ava';
import OpenAI from 'openai';
import { createRereviews } from '../../../src/analysis/rereview.ts';
import { CALL_LOST_AFTER_MS } from '../../../src/analysis/review.ts';
import { planReview } from '../../../src/gates/review/prompt.ts';
import { reviewChange } from '../../../src/gates/review/review.ts';
import {
  type CallCost,
  costOf,
  createTier,
  type Tier,
  type TierSettings,
} from '../../../src/gates/review/tier.ts';
import { ANTHROPIC, callModel } from '../../../src/gates/review/vendors.ts';
import type { ReviewHunk } from '../../../src/model/review.ts';
import { collectGarbage } from '../../core/garbage.ts';
import { until } from '../../daemon.ts';
import { NO_REVIEWER } from '../../pushes/fake-analysis.ts';
import { call } from '../../store/conformance/reviews.ts';
import { NOW } from '../../store/conformance/steps.ts';
import { openHarness } from '../../store/sqlite/harness.ts';
import { type FakeVendor, type Script, startFakeVendor } from './fake-vendor.ts';
import { hostileAnswer } from './hostile-model.ts';

const PRICES = { input: 100, output: 500, cacheWrite: 125, cacheRead: 10 };
const QUOTE = "exec('tar ' + name)";
const HUNKS: ReviewHunk[] = [
  {
    path: 'src/backup.js',
    priority: 1,
    lines: [
      { number: 3, side: 'context', text: 'const name = req.query.name' },
      { number: 4, side: 'added', text: QUOTE },
      { number: 9, side: 'removed', text: 'requireAdmin(req)' },
    ],
  },
];
const FINDING = {
  file: 1,
  side: 'added',
  line: 4,
  quote: QUOTE,
  why: 'a name can hold a shell command',
  class: 'command-injection',
  attacker_input: 'yes',
  guard: '',
};
const HIGH = { ...FINDING, class: 'path-traversal' };

function settings(vendor: FakeVendor, over: Partial<TierSettings> = {}): TierSettings {
  return {
    name: 'first',
    role: 'review',
    family: 'a',
    protocol: 'anthropic',
    auth: 'x-api-key',
    baseUrl: vendor.url,
    key: 'k',
    model: 'm',
    effort: null,
    maxOutputTokens: 2_000,
    timeoutMs: 60_000,
    schema: 'strict',
    concurrency: 4,
    locality: 'any',
    prices: PRICES,
    ...over,
  };
}

interface Run {
  tiers: Tier[];
  confirm?: Tier | null;
  hunks?: ReviewHunk[];
  costs?: CallCost[];
  budget?: boolean;
  isRisky?: boolean;
  signal?: AbortSignal;
}

function run({
  tiers,
  confirm = null,
  hunks = HUNKS,
  costs = [],
  budget = true,
  isRisky = false,
  signal,
}: Run) {
  return reviewChange({
    plan: planReview(hunks),
    tiers,
    confirm,
    blockSeverities: ['critical', 'high'],
    safetyId: 'hash',
    isRisky,
    ledger: {
      find: async () => null,
      reserve: async () =>
        budget ? { settle: async (cost: CallCost) => void costs.push(cost) } : null,
    },
    fingerprint: (id, text) => `${id} ${text}`,
    place: async () => () => undefined,
    signal: signal ?? new AbortController().signal,
  });
}

async function start(t: ExecutionContext, script: Script, over: Partial<TierSettings> = {}) {
  const vendor = await startFakeVendor(t);
  vendor.script = () => script;
  const clock = { now: () => performance.now(), pause: async () => undefined };
  const tier = createTier(settings(vendor, over), clock);
  return { vendor, tier };
}

for (const protocol of ['anthropic', 'openai'] as const) {
  test(`${protocol}: a finding is located, graded by our table, and billed to the nano-dollar`, async (t) => {
    const { vendor, tier } = await start(t, { kind: 'answer', findings: [FINDING] }, { protocol });
    const costs: CallCost[] = [];
    const { findings, skipReason } = await run({ tiers: [tier], costs });
    t.is(skipReason, null);
    t.like(findings, { length: 1 });
    t.like(findings[0], {
      id: 'llm-command-injection',
      severity: 'critical',
      gate: 'llm',
      line: 4,
      file: 'src/backup.js',
      excerpt: QUOTE,
      cwe: 'CWE-78',
    });
    const [billed] = vendor.bill;
    if (billed === undefined) return t.fail('nothing was billed');
    t.is(costs[0]?.costNanoUsd, costOf(PRICES, billed));
    t.like(costs[0], { model: 'fake-model-1', isEstimated: false, requestId: 'req-0' });
  });
}

const PROOFS: readonly [string, Script, string][] = [
  ['an empty answer', { kind: 'text', text: '' }, 'invalid_output'],
  ['prose', { kind: 'text', text: 'All fine, nothing found.' }, 'invalid_output'],
  ['a wrong receipt', { kind: 'answer', over: { receipt_end: 'x' } }, 'invalid_output'],
  ['a missing file', { kind: 'answer', over: { files: [] } }, 'invalid_output'],
  ['no list of findings', { kind: 'answer', over: { findings: 'none' } }, 'invalid_output'],
  ['a clipped prompt', { kind: 'clip' }, 'invalid_output'],
  ['a refusal', { kind: 'stop', reason: 'refusal' }, 'refused'],
  ['a cut output', { kind: 'stop', reason: 'max_tokens' }, 'truncated'],
  ['a broken stream', { kind: 'cut' }, 'unavailable'],
  ['an error event', { kind: 'error-event' }, 'unavailable'],
  ['overload', { kind: 'http', status: 529 }, 'unavailable'],
  [
    'a rate limit',
    { kind: 'http', status: 429, headers: { 'retry-after': '600' } },
    'rate_limited',
  ],
  ['a wrong key', { kind: 'http', status: 401 }, 'misconfigured'],
  [
    'a spend limit',
    {
      kind: 'http',
      status: 429,
      body: { error: { details: { error_code: 'enforced_spend_limit_reached' } } },
    },
    'spent',
  ],
  ['a large prompt', { kind: 'http', status: 413 }, 'too_large'],
  ['a redirect', { kind: 'http', status: 302, headers: { location: '/' } }, 'unavailable'],
];

for (const [about, script, reason] of PROOFS) {
  test(`${about} never counts as read: ${reason}`, async (t) => {
    const { vendor, tier } = await start(t, script);
    const { findings, skipReason } = await run({ tiers: [tier] });
    t.is(skipReason, reason as typeof skipReason);
    t.deepEqual(findings, []);
    const repeats = { invalid_output: 2, unavailable: 3 }[reason] ?? 1;
    t.is(vendor.requests.length, repeats);
  });
}

for (const protocol of ['anthropic', 'openai'] as const) {
  test(`${protocol}: a refusal that was billed names the model that refused`, async (t) => {
    const reason = protocol === 'anthropic' ? 'refusal' : 'content_filter';
    const { tier } = await start(t, { kind: 'stop', reason }, { protocol });
    const costs: CallCost[] = [];
    t.is((await run({ tiers: [tier], costs })).skipReason, 'refused');
    t.like(costs, { length: 1 });
    t.like(costs[0], { model: 'fake-model-1', isEstimated: false });
  });
}

/** Ends of an answer that are none: what a text makes a model do must not be asked again. */
const STOPS: Record<'anthropic' | 'openai', [reason: string, skipped: string][]> = {
  anthropic: [
    ['tool_use', 'invalid_output'],
    ['pause_turn', 'invalid_output'],
    ['stop_sequence', 'invalid_output'],
    ['model_context_window_exceeded', 'truncated'],
    ['a new one', 'invalid_output'],
    ['refusal', 'refused'],
    ['max_tokens', 'truncated'],
  ],
  openai: [
    ['tool_calls', 'invalid_output'],
    ['function_call', 'invalid_output'],
    ['a new one', 'invalid_output'],
    ['content_filter', 'refused'],
    ['length', 'truncated'],
    // Servers that gave the call up: it says nothing of the text.
    ['abort', 'unavailable'],
    ['error', 'unavailable'],
  ],
};

for (const protocol of ['anthropic', 'openai'] as const) {
  for (const [reason, skipped] of STOPS[protocol]) {
    test(`${protocol}: an answer that ends by ${reason} is ${skipped}`, async (t) => {
      const { tier } = await start(t, { kind: 'stop', reason }, { protocol });
      const { skipReason, findings } = await run({ tiers: [tier] });
      t.is(skipReason, skipped as typeof skipReason);
      t.deepEqual(findings, []);
      t.is(tier.state.breaker, 'closed');
    });
  }
}

/** Errors of HTTP 400 that are about the text, not about the settings. */
const ABOUT_TEXT: ['anthropic' | 'openai', error: object, skipped: string][] = [
  ['anthropic', { message: 'Output blocked by content filtering policy' }, 'refused'],
  ['anthropic', { message: 'prompt is too long: 210000 tokens > 200000 maximum' }, 'too_large'],
  ['anthropic', { message: 'max_tokens: must be an integer' }, 'misconfigured'],
  ['anthropic', { message: ['content filtering policy'] }, 'misconfigured'],
  ['openai', { code: 'invalid_prompt', message: 'x' }, 'refused'],
  ['openai', { code: 'content_policy_violation' }, 'refused'],
  ['openai', { code: 'content_filter' }, 'refused'],
  ['openai', { code: 'cyber_policy' }, 'refused'],
  ['openai', { code: 'ResponsibleAIPolicyViolation' }, 'refused'],
  ['openai', { code: 'context_length_exceeded' }, 'too_large'],
  ['openai', { code: 'string_above_max_length' }, 'too_large'],
  ['openai', { code: 'unsupported_parameter' }, 'misconfigured'],
  ['openai', { code: null, message: 'content_filter' }, 'misconfigured'],
];

for (const [protocol, error, skipped] of ABOUT_TEXT) {
  test(`${protocol}: HTTP 400 with ${JSON.stringify(error)} is ${skipped}`, async (t) => {
    const script: Script = { kind: 'http', status: 400, body: { error } };
    const { tier } = await start(t, script, { protocol });
    t.is((await run({ tiers: [tier] })).skipReason, skipped as 'refused');
  });
}

test('a tier that is off comes back by one call after five minutes', async (t) => {
  let now = 0;
  const vendor = await startFakeVendor(t);
  const tier = createTier(settings(vendor), { now: () => now, pause: async () => undefined });
  const at = async (ms: number, script: Script) => {
    now = ms;
    vendor.script = () => script;
    const { skipReason } = await run({ tiers: [tier] });
    return [skipReason, tier.state.state, vendor.requests.length];
  };
  t.deepEqual(await at(0, { kind: 'http', status: 401 }), ['misconfigured', 'off', 1]);
  t.false(tier.isReady);
  t.deepEqual(await at(299_999, { kind: 'answer' }), ['misconfigured', 'off', 1]);
  t.deepEqual(await at(300_000, { kind: 'http', status: 402 }), ['spent', 'off', 2]);
  t.deepEqual(await at(599_999, { kind: 'answer' }), ['spent', 'off', 2]);
  t.deepEqual(await at(600_000, { kind: 'answer' }), [null, 'up', 3]);
});

test('the next tier reads what the first one refuses', async (t) => {
  const first = await start(t, { kind: 'stop', reason: 'refusal' });
  const second = await start(t, { kind: 'answer', findings: [FINDING] }, { name: 'second' });
  const { findings, skipReason } = await run({ tiers: [first.tier, second.tier] });
  t.is(skipReason, null);
  t.is(findings[0]?.id, 'llm-command-injection');
  t.is(second.vendor.requests.length, 1);
});

test('high needs the confirm tier, which does not know of it; critical does not', async (t) => {
  const first = await start(t, { kind: 'answer', findings: [HIGH] });
  const family = { name: 'second', family: 'b', protocol: 'openai' } as const;
  const silent = await start(t, { kind: 'answer' }, family);
  const agrees = await start(t, { kind: 'answer', findings: [{ ...HIGH, line: 4 }] }, family);
  const broken = await start(t, { kind: 'http', status: 401 }, family);
  const severity = async (confirm: Tier | null) =>
    (await run({ tiers: [first.tier], confirm })).findings[0]?.severity;
  t.is(await severity(null), 'high');
  t.is(await severity(silent.tier), 'medium');
  t.is(await severity(agrees.tier), 'high');
  t.is(await severity(broken.tier), 'high');
  t.false(silent.vendor.requests[0]?.user.includes('path-traversal'));
  first.vendor.script = () => ({ kind: 'answer', findings: [FINDING] });
  t.is(await severity(silent.tier), 'critical');
});

test('the confirm tier reads what is sensitive or risky, whatever the first one found', async (t) => {
  const first = await start(t, { kind: 'answer' });
  const findings = [FINDING, { ...FINDING, class: 'path-traversal' }];
  const family = { name: 'second', family: 'b', protocol: 'openai' } as const;
  const second = await start(t, { kind: 'answer', findings }, family);
  const tiers = { tiers: [first.tier], confirm: second.tier };
  t.deepEqual((await run(tiers)).findings, []);
  t.is(second.vendor.requests.length, 0);
  const found = async (more: Partial<Run>) =>
    (await run({ ...tiers, ...more })).findings.map(({ id, severity }) => [id, severity]);
  const both = [
    ['llm-command-injection', 'critical'],
    ['llm-path-traversal', 'medium'],
  ];
  t.deepEqual(await found({ isRisky: true }), both);
  t.deepEqual(await found({ hunks: HUNKS.map((one) => ({ ...one, priority: 100 })) }), both);
});

test('a prompt names what other gates noted, and never that they found nothing', async (t) => {
  const { vendor, tier } = await start(t, { kind: 'answer' });
  const facts = [
    { line: 4, id: 'risk-eval' },
    { line: 99, id: 'risk-elsewhere' },
  ];
  await run({ tiers: [tier], hunks: HUNKS.map((hunk) => ({ ...hunk, facts })) });
  await run({ tiers: [tier] });
  const [noted, plain] = vendor.requests.map(({ user }) => user);
  t.regex(noted ?? '', /^Other tools noted, as weak signs: file 1 line 4: risk-eval\.$/m);
  t.notRegex(plain ?? '', /Other tools/);
});

test('a finding of an unknown class or without an attacker does not block as it claims', async (t) => {
  const findings = [{ ...FINDING, class: 'made-up' }, { ...FINDING, attacker_input: 'unclear' }, 7];
  const { tier } = await start(t, { kind: 'answer', findings });
  const outcome = await run({ tiers: [tier] });
  t.deepEqual(
    outcome.findings.map(({ id, severity }) => [id, severity]),
    [
      ['llm-command-injection', 'high'],
      ['llm-other', 'medium'],
      ['llm-unlocated', 'info'],
    ],
  );
});

test('a used-up budget makes no call', async (t) => {
  const { vendor, tier } = await start(t, { kind: 'answer' });
  const { skipReason } = await run({ tiers: [tier], budget: false });
  t.is(skipReason, 'budget');
  t.is(vendor.requests.length, 0);
});

test('a cancelled review closes its socket', async (t) => {
  const { vendor, tier } = await start(t, { kind: 'hang' });
  const abort = new AbortController();
  const outcome = run({ tiers: [tier], signal: abort.signal });
  while (vendor.requests.length === 0) await new Promise((resolve) => setImmediate(resolve));
  abort.abort();
  t.is((await outcome).skipReason, 'cancelled');
  while (vendor.openRequests() > 0) await new Promise((resolve) => setImmediate(resolve));
});

test('a stream that stops is left at its deadline, though garbage is collected meanwhile', async (t) => {
  collectGarbage(t);
  let isFirst = true;
  const pause = async () => {
    if (!isFirst) await new Promise(() => undefined);
    isFirst = false;
  };
  const vendor = await startFakeVendor(t);
  vendor.script = () => ({ kind: 'answer', pause });
  const prompt = { system: 's', user: 'u', receiptStart: 'a', receiptEnd: 'b', files: [] };
  const endpoint = { ...settings(vendor, { timeoutMs: 1_000 }), safetyId: 'hash' };
  const outcome = await callModel(ANTHROPIC, endpoint, prompt, new AbortController().signal);
  t.like(outcome, { kind: 'error', error: 'timeout' });
  while (vendor.openRequests() > 0) await new Promise((resolve) => setImmediate(resolve));
});

test('a change larger than all calls is not read completely, and says so', async (t) => {
  const { vendor, tier } = await start(t, { kind: 'answer' });
  const hunks = Array.from({ length: 12 }, (_, index) => ({
    path: `src/${index}.js`,
    priority: -index,
    lines: [{ number: 1, side: 'added' as const, text: 'x'.repeat(27_000) }],
  }));
  const { skipReason } = await run({ tiers: [tier], hunks });
  t.is(skipReason, 'unreviewed');
  t.is(vendor.requests.length, 8);
  t.true(vendor.requests.every(({ user }) => /src\/0\.js/.test(user)));
});

test('the vendors own SDKs can talk to the fake, so it speaks their protocols', async (t) => {
  const vendor = await startFakeVendor(t);
  vendor.script = () => ({ kind: 'text', text: 'hello there' });
  const anthropic = new Anthropic({ baseURL: vendor.url, apiKey: 'k', maxRetries: 0 });
  const message = await anthropic.messages
    .stream({
      model: 'm',
      max_tokens: 100,
      system: [{ type: 'text', text: 's' }],
      messages: [{ role: 'user', content: 'u' }],
    })
    .finalMessage();
  t.like(message, { stop_reason: 'end_turn', content: [{ type: 'text', text: 'hello there' }] });
  t.like(vendor.bill[0], { input: message.usage.input_tokens });
  const openai = new OpenAI({ baseURL: `${vendor.url}/v1`, apiKey: 'k', maxRetries: 0 });
  const stream = await openai.chat.completions.create({
    model: 'm',
    stream: true,
    stream_options: { include_usage: true },
    messages: [
      { role: 'system', content: 's' },
      { role: 'user', content: 'u' },
    ],
  });
  let text = '';
  let promptTokens = 0;
  for await (const chunk of stream) {
    text += chunk.choices[0]?.delta.content ?? '';
    promptTokens = chunk.usage?.prompt_tokens ?? promptTokens;
  }
  t.is(text, 'hello there');
  t.like(vendor.bill[1], { input: promptTokens });
});

const NO_CALL = { kind: 'no call', isReading: false, isBlocking: false };

test('hostile answers: none counts as read without proof, none costs more than its calls', async (t) => {
  const vendor = await startFakeVendor(t);
  const clock = { now: () => performance.now(), pause: async () => undefined };
  // Each kind of which an answer is small; the large and slow ones are in the proof.
  for (let seed = 1; seed < 50; seed += 1) {
    let given: ReturnType<typeof hostileAnswer> | null = null;
    vendor.script = (user) => {
      given = hostileAnswer(seed, user);
      return given.script;
    };
    const tier = createTier(settings(vendor), clock);
    const costs: CallCost[] = [];
    const asked = vendor.requests.length;
    const { findings, skipReason } = await run({ tiers: [tier], costs });
    const { kind, isReading, isBlocking } = given ?? NO_CALL;
    t.is(skipReason === null, isReading, `${seed}: ${kind}`);
    t.deepEqual(
      findings.filter(({ id }) => id !== 'llm-unlocated').map(({ id, line }) => [id, line]),
      isBlocking ? [['llm-code-injection', null]] : [],
      kind,
    );
    t.is(costs.length, vendor.requests.length - asked, kind);
    t.true(costs.length <= 3, kind);
  }
});

test('a call of a daemon that does not come back costs its reserve an hour later', async (t) => {
  const harness = await openHarness(() => NOW);
  t.teardown(() => harness.close());
  const { reviews, store, trail, usage } = harness;
  await reviews.reserveCall({ call: call('lost', 900, { owner: 'gone' }) });
  let nowMs = NOW + CALL_LOST_AFTER_MS;
  const looks: number[] = [];
  const settleLeft = async (input: Parameters<typeof reviews.settleLeft>[0]) => {
    const output = await reviews.settleLeft(input);
    looks.push(output.calls);
    return output;
  };
  const rereviews = createRereviews({
    reviews: { ...reviews, settleLeft },
    store,
    trail,
    reviewer: NO_REVIEWER,
    source: {} as never,
    owner: 'daemon-2',
    retryMs: 1,
    leftMs: 1,
    isRefused: async () => false,
    fourEyes: false,
    onChanged: () => undefined,
    now: () => new Date(nowMs),
    onError: ({ message }) => t.fail(message),
  });
  t.teardown(rereviews.stop);
  rereviews.start();
  await until(() => looks.length > 2);
  nowMs += 1;
  await until(() => looks.includes(1));
  const total = await usage.usageTotal({ tenant_id: 'default', sinceMs: NOW - 1 });
  t.like(total, { calls: 1, cost_nano_usd: '900' });
});
