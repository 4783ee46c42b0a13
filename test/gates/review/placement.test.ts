import test from 'ava';
import { createPlacer } from '../../../src/gates/review/placement.ts';
import { planReview } from '../../../src/gates/review/prompt.ts';
import { reviewChange } from '../../../src/gates/review/review.ts';
import { createTier } from '../../../src/gates/review/tier.ts';
import type { ReviewHunk } from '../../../src/model/review.ts';
import { defaultRules } from '../../../src/rules/default.ts';
import { nameFindings, verdictOfReview } from '../../../src/verdict/verdict.ts';
import { startFakeVendor } from './fake-vendor.ts';

const A = 'src/backup.js';
const B = 'src/restore.js';
const GUARD = 'if (!isAdmin(req)) return deny(res);';
const EXEC = "  exec('tar cf /tmp/x ' + req.query.name);";
const HUNKS: ReviewHunk[] = [
  {
    path: A,
    priority: 2,
    lines: [
      { number: 3, side: 'context', text: 'const name = req.query.name' },
      { number: 4, side: 'added', text: EXEC },
      { number: 5, side: 'added', text: '\tlog( "done",  name )' },
      { number: 8, side: 'added', text: GUARD },
      { number: 9, side: 'removed', text: 'requireAdmin(req)' },
      { number: 20, side: 'added', text: GUARD },
      { number: 21, side: 'removed', text: GUARD },
      { number: 30, side: 'added', text: 'const pаth = "/srv/" + req.params.file' },
      { number: 31, side: 'added', text: 'read\u200bFile(root + req.params.file)' },
    ],
  },
  {
    path: B,
    priority: 1,
    lines: [
      { number: 1, side: 'added', text: 'eval(req.body.code)' },
      { number: 2, side: 'added', text: '}' },
    ],
  },
];

interface Case {
  about: string;
  file?: unknown;
  side?: string;
  line?: unknown;
  quote: unknown;
  /** Path, line, side. Null as line: about its file; null as path, too: about the change. */
  at: readonly [string | null, number | null, ('added' | 'removed' | 'context')?];
}

const CASES: readonly Case[] = [
  { about: 'an exact quote', quote: EXEC, at: [A, 4, 'added'] },
  { about: 'no indentation', quote: EXEC.trim(), at: [A, 4, 'added'] },
  {
    about: 'blanks for a tab, one for two',
    line: 5,
    quote: '    log( "done", name )',
    at: [A, 5, 'added'] as const,
  },
  {
    about: 'no white space at all',
    quote: EXEC.replaceAll(' ', ''),
    at: [A, 4, 'added'],
  },
  {
    about: 'one character wrong',
    quote: EXEC.replace('query', 'querv'),
    at: [A, 4, 'added'],
  },
  { about: 'a word left out', quote: "exec('tar cf ' + req.query.name);", at: [A, 4, 'added'] },
  { about: 'other quotation marks', quote: EXEC.replaceAll("'", '"'), at: [A, 4, 'added'] },
  {
    about: 'typographic quotation marks',
    quote: EXEC.replace("'", '\u2018').replace("'", '\u2019'),
    at: [A, 4, 'added'],
  },
  { about: 'escaped once more', quote: EXEC.replaceAll("'", "\\'"), at: [A, 4, 'added'] },
  { about: 'HTML entities', quote: EXEC.replaceAll("'", '&#39;'), at: [A, 4, 'added'] },
  { about: 'cut with dots', quote: "exec('tar cf /tmp/x ...", at: [A, 4, 'added'] },
  { about: 'cut with an ellipsis', quote: "exec('tar cf /tmp/x \u2026", at: [A, 4, 'added'] },
  { about: 'a part of the line', quote: "('tar cf /tmp/x ' + req", at: [A, 4, 'added'] },
  {
    about: 'two lines joined by a line break',
    quote: `const name = req.query.name\n${EXEC}`,
    at: [A, 4, 'added'],
  },
  {
    about: 'two lines joined by a blank',
    quote: `const name = req.query.name ${EXEC.trim()}`,
    at: [A, 4, 'added'],
  },
  { about: 'number and mark of the prompt', quote: `4 +ab12 ${EXEC}`, at: [A, 4, 'added'] },
  { about: 'the mark of a diff', quote: `+${EXEC}`, at: [A, 4, 'added'] },
  {
    about: 'other letters that look alike',
    line: 30,
    quote: 'const path = "/srv/" + req.params.file',
    at: [A, 30, 'added'],
  },
  {
    about: 'look-alikes that only the model has',
    quote: EXEC.replace('exec', 'ехес'),
    at: [A, 4, 'added'],
  },
  {
    about: 'an invisible character left out',
    quote: 'readFile(root + req.params.file)',
    at: [A, 31, 'added'],
  },
  { about: 'a wrong side', side: 'removed', quote: EXEC, at: [A, 4, 'added'] },
  { about: 'a wrong line', line: 99, quote: EXEC, at: [A, 4, 'added'] },
  { about: 'a line that is text', line: 'four', quote: EXEC, at: [A, 4, 'added'] },
  { about: 'ambiguous, nearest to the end', line: 19, quote: GUARD, at: [A, 20, 'added'] },
  { about: 'ambiguous, nearest to the start', line: 6, quote: GUARD, at: [A, 8, 'added'] },
  {
    about: 'ambiguous, on the other side',
    side: 'removed',
    line: 8,
    quote: GUARD,
    at: [A, 21, 'removed'],
  },
  { about: 'ambiguous without a line', line: null, side: 'any', quote: GUARD, at: [A, 8, 'added'] },
  {
    about: 'ambiguous and slightly wrong',
    line: 22,
    quote: GUARD.replace('deny', 'denies'),
    at: [A, 20, 'added'],
  },
  {
    about: 'a context line',
    side: 'added',
    line: 3,
    quote: 'const name = req.query.name',
    at: [A, 3, 'context'],
  },
  {
    about: 'a removed line',
    side: 'removed',
    line: 9,
    quote: 'requireAdmin(req)',
    at: [A, 9, 'removed'],
  },
  {
    about: 'a removed line called added',
    side: 'added',
    line: 9,
    quote: 'requireAdmin(req)',
    at: [A, 9, 'removed'],
  },
  { about: 'a wrong file', file: 2, quote: EXEC, at: [A, 4, 'added'] },
  {
    about: 'a wrong file and slightly wrong',
    file: 2,
    quote: EXEC.replace('tar', 'zip'),
    at: [A, 4, 'added'],
  },
  { about: 'a file that is not in the change', file: 7, quote: EXEC, at: [A, 4, 'added'] },
  { about: 'a file by its path', file: A, quote: EXEC, at: [A, 4, 'added'] },
  { about: 'an invented line', quote: 'rm -rf /', at: [A, null] },
  {
    about: 'an invented line of the other file',
    file: 2,
    quote: 'drop table users',
    at: [B, null],
  },
  { about: 'an invented line of no file', file: 7, quote: 'drop table users', at: [null, null] },
  { about: 'file 0', file: 0, quote: 'drop table users', at: [null, null] },
  { about: 'an empty quote', quote: '', at: [A, null] },
  { about: 'a quote of blanks', quote: ' \t ', at: [A, null] },
  { about: 'no quote', quote: undefined, at: [A, null] },
  { about: 'a list as quote', quote: [EXEC], at: [A, null] },
  { about: 'a receipt of the prompt', quote: 'receipt_start 0f0f0f0f0f0f', at: [A, null] },
  { about: 'the line of a file in the prompt', quote: `file 1: ${A}`, at: [A, null] },
  { about: 'the task of the prompt', quote: 'You review one part of a code change', at: [A, null] },
  { about: 'a bracket alone', quote: '{', at: [A, null] },
];

for (const protocol of ['anthropic', 'openai'] as const) {
  for (const { about, file = 1, side = 'added', line = 4, quote, at } of CASES) {
    test(`${protocol}: a finding that blocks is placed or holds the change: ${about}`, async (t) => {
      const vendor = await startFakeVendor(t);
      const finding = {
        file,
        side,
        line,
        quote,
        why: 'a name can hold a shell command',
        class: 'command-injection',
        attacker_input: 'yes',
        guard: '',
      };
      vendor.script = () => ({ kind: 'answer', findings: [finding] });
      const settings = {
        ...({ name: 'first', role: 'review', family: 'a', protocol, auth: 'bearer' } as const),
        baseUrl: vendor.url,
        key: 'k',
        model: 'm',
        effort: null,
        maxOutputTokens: 2_000,
        ...({ timeoutMs: 60_000, schema: 'strict', concurrency: 4, locality: 'any' } as const),
        prices: { input: 100, output: 500, cacheWrite: 125, cacheRead: 10 },
      };
      const clock = { now: () => performance.now(), pause: async () => undefined };
      const { findings, skipReason } = await reviewChange({
        plan: planReview(HUNKS),
        tiers: [createTier(settings, clock)],
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
      t.is(skipReason, null);
      const [path, number, itsSide] = at;
      t.like(findings, { length: 1 });
      t.like(findings[0], {
        id: 'llm-command-injection',
        severity: 'critical',
        file: path,
        line: itsSide === 'removed' ? null : number,
      });
      const lines = HUNKS.find((hunk) => hunk.path === path)?.lines ?? [];
      const meant = lines.find((one) => one.number === number && one.side === itsSide);
      t.is(findings[0]?.excerpt, meant?.text ?? null);
      const named = nameFindings('RFC-1', findings);
      t.is(verdictOfReview(named, null, defaultRules.pipeline, 1).status, 'fail');
    });
  }
}

test('findings without a place differ by class and text, and by nothing that the model says', async (t) => {
  const vendor = await startFakeVendor(t);
  const invented = { file: 1, side: 'added', line: 1, attacker_input: 'yes', guard: '', why: '' };
  vendor.script = () => ({
    kind: 'answer',
    findings: [
      { ...invented, class: 'backdoor', quote: 'not there' },
      { ...invented, class: 'backdoor', quote: 'not there either' },
      { ...invented, class: 'backdoor', quote: 'not there', file: 2 },
      { ...invented, class: 'exfiltration', quote: 'not there' },
    ],
  });
  const clock = { now: () => performance.now(), pause: async () => undefined };
  const tier = createTier(
    {
      name: 'first',
      role: 'review',
      family: 'a',
      protocol: 'anthropic',
      auth: 'bearer',
      baseUrl: vendor.url,
      key: 'k',
      model: 'm',
      effort: null,
      maxOutputTokens: 2_000,
      timeoutMs: 60_000,
      schema: 'strict',
      concurrency: 4,
      locality: 'any',
      prices: { input: 100, output: 500, cacheWrite: 125, cacheRead: 10 },
    },
    clock,
  );
  const read = async (hunks: ReviewHunk[]) => {
    const { findings } = await reviewChange({
      plan: planReview(hunks),
      tiers: [tier],
      confirm: null,
      blockSeverities: ['critical', 'high'],
      safetyId: 'hash',
      ledger: { find: async () => null, reserve: async () => ({ settle: async () => undefined }) },
      fingerprint: (id, text) => `${id} ${text}`,
      place: async () => () => undefined,
      signal: new AbortController().signal,
    });
    return findings;
  };
  const findings = await read(HUNKS);
  t.deepEqual(
    findings.map(({ id, file }) => [id, file]),
    [
      ['llm-backdoor', A],
      ['llm-backdoor', B],
      ['llm-exfiltration', A],
    ],
  );
  // What was accepted of one text says nothing of another one.
  const other = HUNKS.map((hunk) => ({
    ...hunk,
    lines: [...hunk.lines, { number: 50, side: 'added' as const, text: 'another()' }],
  }));
  const known = new Set(findings.map(({ fingerprint }) => fingerprint));
  t.false((await read(other)).some(({ fingerprint }) => known.has(fingerprint)));
});

test('quotes that are nowhere cost bounded time, however many and long', (t) => {
  const lines = Array.from({ length: 4_000 }, (_, index) => ({
    number: index + 1,
    side: 'added' as const,
    text: `${'ab'.repeat(9)}${index}`,
  }));
  const place = createPlacer({ hunks: [{ path: A, priority: 1, lines }], bytes: 80_000 });
  const start = process.cpuUsage();
  for (let index = 0; index < 200; index += 1) {
    const quote = `${'xyz ba'.repeat(3_000)}${index}`;
    t.is(place({ path: A, side: 'added', line: 1, quote }), null);
  }
  const ms = process.cpuUsage(start).user / 1_000;
  // Without the bound it takes seconds.
  t.true(ms < 1_000, `${Math.round(ms)} ms`);
});
