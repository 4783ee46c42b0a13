import { setTimeout as delay } from 'node:timers/promises';
import { readLlmSettings } from '../daemon/config/config.ts';
import { planReview } from '../gates/review/prompt.ts';
import { type CallCost, createTier, type TierSettings } from '../gates/review/tier.ts';
import { CraError } from '../model/errors.ts';
import type { ReviewHunk } from '../model/review.ts';

const HELP = `usage: cra llm check
       cra llm eval --live | --replay FILE

Calls each model of SERVICE_LLM_CONFIG once with a small made-up change and says what works. A call
costs about a cent at most; it is not counted against a budget and not in the usage ledger.
Exit code: 0 all models work, 1 some do not, 2 wrong usage or settings.

"cra llm eval" measures models over changes whose truth is known: see cra llm eval --help.
`;

/** `cra llm`: `check` resolves with 0 when every tier gives a valid answer, else 1; `eval`. */
export async function run(args: string[]): Promise<number> {
  if (args[0] === 'eval') {
    const { runEval } = await import('./llm-eval.ts');
    return runEval(args.slice(1));
  }
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
    ...{ chunk, paths, safetyId: 'cra-llm-check', signal: new AbortController().signal },
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
