import { randomBytes } from 'node:crypto';
import { createWriteStream, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { SingleBar } from 'cli-progress';
import { planChange } from '../analysis/worker/review.ts';
import { createRulesCache } from '../analysis/worker/rules-cache.ts';
import { createCancelFlag } from '../core/deadline.ts';
import { readLlmSettings } from '../daemon/config/config.ts';
import { planReview } from '../gates/review/prompt.ts';
import { type CallCost, createTier, type Tier, type TierSettings } from '../gates/review/tier.ts';
import { CraError } from '../model/errors.ts';
import { DEFAULT_TENANT } from '../model/principal.ts';
import type { ReviewHunk, ReviewPlan } from '../model/review.ts';
import { loadActiveRules } from '../rulebook/active-rules.ts';
import { skippedGate } from '../verdict/verdict.ts';
import {
  CASE_KINDS,
  type CaseKind,
  type EvalCase,
  type EvalRead,
  type EvalRecording,
  formatReport,
  listCases,
  measure,
} from './llm-eval.ts';
import { onInterrupt, wholeNumber } from './terminal.ts';

const HELP = `usage: cra llm check
       cra llm eval --live | --replay FILE

Calls each model of SERVICE_LLM_CONFIG once with a small made-up change and says what works. A call
costs about a cent at most; it is not counted against a budget and not in the usage ledger.
Exit code: 0 all models work, 1 some do not, 2 wrong usage or settings.

"cra llm eval" measures models over changes whose truth is known: see cra llm eval --help.
`;

/** `cra llm`: `check` resolves with 0 when every tier gives a valid answer, else 1; `eval`. */
export async function run(args: string[]): Promise<number> {
  if (args[0] === 'eval') return runEval(args.slice(1));
  if (args.some((argument) => argument === '--help' || argument === '-h')) {
    process.stdout.write(HELP);
    return 0;
  }
  if (args.length !== 1 || args[0] !== 'check') {
    throw new CraError('INVALID_ARGUMENT', `the commands are "check" and "eval"\n\n${HELP}`);
  }
  const { tiers } = readLlmSettings();
  if (tiers.length === 0) {
    throw new CraError('FAILED_PRECONDITION', 'set SERVICE_LLM_CONFIG: it names no model');
  }
  let failures = 0;
  for (const tier of tiers) {
    const { works, text } = await checkTier(tier);
    if (!works) failures += 1;
    process.stdout.write(`${tier.name} (${tier.role}, ${tier.model}): ${text}\n`);
  }
  return failures === 0 ? 0 : 1;
}

/** A defect that any model should report. */
const PLANTED: ReviewHunk = {
  path: 'src/backup.js',
  priority: 0,
  lines: [
    { number: 1, side: 'context', text: "import { exec } from 'node:child_process';" },
    { number: 2, side: 'added', text: "app.get('/backup', (request) => {" },
    { number: 3, side: 'added', text: "  exec('tar cf /tmp/x ' + request.query.name);" },
    { number: 4, side: 'added', text: '});' },
  ],
};

const NANO_PER_USD = 1e9;

async function checkTier(settings: TierSettings): Promise<{ works: boolean; text: string }> {
  const { chunks, paths } = planReview([PLANTED]);
  const [chunk] = chunks;
  if (chunk === undefined) throw new TypeError('the planted change has no lines');
  const costs: CallCost[] = [];
  const tier = createTier(settings, {
    now: () => performance.now(),
    pause: (ms) => delay(ms),
  });
  const start = performance.now();
  const answer = await tier.read({
    chunk,
    paths,
    safetyId: 'cra-llm-check',
    signal: new AbortController().signal,
    ledger: { reserve: async () => ({ settle: async (cost) => void costs.push(cost) }) },
    place: async () => () => undefined,
  });
  const seconds = ((performance.now() - start) / 1_000).toFixed(1);
  const usd = costs.reduce((sum, { costNanoUsd }) => sum + costNanoUsd, 0) / NANO_PER_USD;
  const facts = `${seconds} s, ${usd.toFixed(6)} USD`;
  if (answer.kind === 'failed') {
    return { works: false, text: `fails: ${answer.reason} (${answer.detail}); ${facts}` };
  }
  const found = answer.findings.some(({ line }) => line === PLANTED.lines[2]?.number);
  const planted = found ? 'reports the planted defect' : 'does not report the planted defect';
  return { works: true, text: `works, answers as ${costs.at(-1)?.model}, ${planted}; ${facts}` };
}

const EVAL_HELP = `usage: cra llm eval --live [options]
       cra llm eval --replay FILE

Lets each model of SERVICE_LLM_CONFIG review 411 changes whose truth is known: fixes of
published npm advisories and the same backwards, ordinary releases, small defects beside words that
are to steer a model, and a defect in a huge change. Packages come from the npm registry.

  --live          call the models; it costs money (see --budget)
  --budget USD    end when the calls have cost this much (default 5)
  --runs N        readings of each change, for how often an answer flips (default 1, at most 5)
  --only KIND     one of ${CASE_KINDS.join(', ')}; may be repeated
  --limit N       at most so many changes of each kind
  --packages DIR  keep packages here (default .cache/cra-llm-eval)
  --out FILE      record the answers as JSON lines, for --replay
  --replay FILE   measure a recording; calls no model and needs no settings

Exit code: 0 measured, 2 wrong usage or settings.
`;

const OPTIONS = {
  live: { type: 'boolean', default: false },
  replay: { type: 'string' },
  budget: { type: 'string', default: '5' },
  runs: { type: 'string' },
  only: { type: 'string', multiple: true },
  limit: { type: 'string' },
  packages: { type: 'string', default: join('.cache', 'cra-llm-eval') },
  out: { type: 'string' },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

/** `cra llm eval`. Resolves with the exit code. */
async function runEval(args: string[]): Promise<number> {
  const { values } = parseArgs({ args, options: OPTIONS });
  if (values.help) {
    process.stdout.write(EVAL_HELP);
    return 0;
  }
  if (values.live === (values.replay !== undefined)) {
    throw new CraError('INVALID_ARGUMENT', `give --live or --replay FILE\n\n${EVAL_HELP}`);
  }
  const recording =
    values.replay === undefined ? await record(readPlan(values)) : readRecording(values.replay);
  process.stdout.write(formatReport(measure(recording)));
  return 0;
}

interface Plan {
  cases: EvalCase[];
  runs: number;
  budgetUsd: number;
  out: string | null;
}

const RUNS_MAX = 5;

function readPlan(
  values: ReturnType<typeof parseArgs<{ options: typeof OPTIONS }>>['values'],
): Plan {
  const kinds = values.only ?? [];
  for (const kind of kinds) {
    if (CASE_KINDS.includes(kind as CaseKind)) continue;
    throw new CraError('INVALID_ARGUMENT', `--only must be one of ${CASE_KINDS.join(', ')}`);
  }
  const budgetUsd = Number(values.budget);
  if (!(budgetUsd > 0)) throw new CraError('INVALID_ARGUMENT', '--budget must be above 0');
  const limit = wholeNumber('limit', values.limit, Number.MAX_SAFE_INTEGER, 100_000);
  const cases = CASE_KINDS.filter((kind) => kinds.length === 0 || kinds.includes(kind)).flatMap(
    (kind) => ofKind(listCases(values.packages ?? ''), kind).slice(0, limit),
  );
  const runs = wholeNumber('runs', values.runs, 1, RUNS_MAX);
  return { cases, runs, budgetUsd, out: values.out ?? null };
}

function ofKind(cases: readonly EvalCase[], kind: CaseKind): EvalCase[] {
  return cases.filter((each) => each.kind === kind);
}

/** Families of test servers: what they answer says nothing about a model. */
const SYNTHETIC_FAMILY = 'fake';

/** Calls all tiers with all cases, a case after the other, until the money is spent. */
async function record({ cases, runs, budgetUsd, out }: Plan): Promise<EvalRecording> {
  const { tiers } = readLlmSettings();
  if (tiers.length === 0) {
    throw new CraError('FAILED_PRECONDITION', 'set SERVICE_LLM_CONFIG: it names no model');
  }
  const recording: EvalRecording = {
    version: 1,
    isSynthetic: tiers.some(({ family }) => family === SYNTHETIC_FAMILY),
    tiers: tiers.map(({ name, family, model }) => ({ name, family, model })),
    reads: [],
  };
  const sink = out === null ? null : createWriteStream(out);
  const { reads, ...head } = recording;
  sink?.write(`${JSON.stringify(head)}\n`);
  const planOf = await openPlanner();
  const interrupt = onInterrupt();
  const bar = new SingleBar({
    format: '{bar} {value}/{total} {name}, {usd} USD',
    stream: process.stderr,
  });
  const readers = tiers.map((tier) => openReader(tier, interrupt.signal));
  bar.start(cases.length * runs, 0, { name: '', usd: '0' });
  try {
    for (const each of cases) {
      const plan = planOf(await each.diff());
      for (let round = 1; round <= runs; round += 1) {
        const answers = await Promise.all(readers.map((reader) => reader(each, plan, round)));
        for (const read of answers) sink?.write(`${JSON.stringify(read)}\n`);
        reads.push(...answers);
        const usd = reads.reduce((sum, { costNanoUsd }) => sum + costNanoUsd, 0) / NANO_PER_USD;
        bar.increment(1, { name: each.id, usd: usd.toFixed(2) });
        if (usd >= budgetUsd || interrupt.signal.aborted) return recording;
      }
    }
  } finally {
    bar.stop();
    interrupt.release();
    sink?.end();
    if (sink !== null) await finished(sink);
  }
  return recording;
}

const NO_GATE = skippedGate('no_tier');
const NO_FINDINGS = {
  tenant_id: DEFAULT_TENANT,
  gates: { risk: NO_GATE, ast: NO_GATE, llm: NO_GATE },
};

/** What the service would send of a diff: the same bounds, order and redaction. */
async function openPlanner(): Promise<(diff: string) => ReviewPlan> {
  const source = await loadActiveRules(null);
  const rules = createRulesCache().get(source.revision, source.rules);
  const key = randomBytes(32);
  return (diff) => {
    const { plan } = planChange(
      Buffer.from(diff),
      NO_FINDINGS,
      { rules, key, own: () => [] },
      createCancelFlag(),
    );
    if (plan === null) throw new CraError('DATA_LOSS', 'a secret in the change cannot be hidden');
    return plan;
  };
}

type Reader = (of: EvalCase, plan: ReviewPlan, round: number) => Promise<EvalRead>;

/** Reads whole changes by one tier, call after call. */
function openReader(settings: TierSettings, signal: AbortSignal): Reader {
  const clock = { now: () => performance.now(), pause: (ms: number) => delay(ms) };
  const tier: Tier = createTier(settings, clock);
  return async ({ id, kind, class: truth, paths, pair }, plan, round) => {
    const read: EvalRead = {
      tier: settings.name,
      case: id,
      kind,
      class: truth,
      paths: [...paths],
      pair,
      round,
      failure: null,
      findings: [],
      costNanoUsd: 0,
      ms: [],
    };
    for (const chunk of plan.chunks) {
      const start = performance.now();
      const answer = await tier.read({
        chunk,
        paths: plan.paths,
        safetyId: 'cra-llm-eval',
        signal,
        ledger: {
          reserve: async () => ({
            settle: async (cost) => {
              read.costNanoUsd += cost.costNanoUsd;
            },
          }),
        },
        place: async () => () => undefined,
      });
      read.ms.push(Math.round(performance.now() - start));
      if (answer.kind === 'failed') read.failure ??= answer.reason;
      else {
        const found = answer.findings.map(({ class: name, severity, path, line }) => ({
          class: name,
          severity,
          path,
          line,
        }));
        read.findings.push(...found);
      }
    }
    if (plan.left.length > 0) read.failure ??= 'unreviewed';
    return read;
  };
}

/** Reads a recording of `--out`. Throws INVALID_ARGUMENT for anything else. */
function readRecording(path: string): EvalRecording {
  try {
    const [head = '', ...lines] = readFileSync(path, 'utf8').trim().split('\n');
    const { version, isSynthetic, tiers } = JSON.parse(head) as EvalRecording;
    if (version !== 1 || !Array.isArray(tiers)) throw new Error('it has another first line');
    const reads = lines.map((line) => JSON.parse(line) as EvalRead);
    return { version, isSynthetic, tiers, reads };
  } catch (cause) {
    const message = `${path} is not a recording of cra llm eval: ${(cause as Error).message}`;
    throw new CraError('INVALID_ARGUMENT', message, { cause });
  }
}
