import type { GateFinding, Severity } from '../../model/finding.ts';
import { type ReviewFinding, toGateFinding } from './answer.ts';
import type { ReviewChunk, ReviewPlan } from './chunks.ts';
import { reviewClass } from './classes.ts';
import type { Budget, Tier, TierAnswer } from './tier.ts';

/** Why a change was not proven read, as `gates.llm.skip_reason` says it. */
export type SkipReason =
  | 'pending'
  | 'no_tier'
  | 'blocked'
  | 'shadow'
  | 'cancelled'
  | 'residency'
  | 'redaction'
  | 'budget'
  | 'breaker_open'
  | 'rate_limited'
  | 'unavailable'
  | 'timeout'
  | 'spent'
  | 'misconfigured'
  | 'refused'
  | 'too_large'
  | 'truncated'
  | 'invalid_output'
  | 'unreviewed';

/** What a review found, and whether all of the change is proven read. */
export interface ReviewOutcome {
  findings: (GateFinding & { why: string; tiers: string[] })[];
  /** Null: every chunk has a valid answer. */
  skipReason: SkipReason | null;
}

export interface ReviewOptions {
  plan: ReviewPlan;
  /** In the order in which they are asked: review tiers, then fallbacks. */
  tiers: readonly Tier[];
  /** Of another family than the review tier; null: one vote blocks. */
  confirm: Tier | null;
  blockSeverities: readonly Severity[];
  budget: Budget;
  safetyId: string;
  /** Hash of class and line under the key of the service. */
  fingerprint(ruleId: string, text: string): string;
  place(tier: Tier): Promise<() => void>;
  signal: AbortSignal;
}

/** Two reports of one class this many lines apart are about the same defect. */
const CONFIRM_LINES = 3;
const PARALLEL = 4;

/**
 * Reviews a change: each chunk by the first tier that gives a valid answer. A finding that would
 * block with severity `high` needs the same class from the confirm tier, which reads the chunk
 * without knowing of it; unconfirmed it is shown as medium. `critical` blocks on one vote.
 */
export async function reviewChange(options: ReviewOptions): Promise<ReviewOutcome> {
  const { plan } = options;
  const readings: ChunkReading[] = [];
  const waiting = [...plan.chunks];
  const worker = async () => {
    for (let chunk = waiting.shift(); chunk !== undefined; chunk = waiting.shift()) {
      readings.push(await readChunk(chunk, options));
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, worker));
  const failed = readings.find(({ reason }) => reason !== null)?.reason ?? null;
  const left = plan.left.length > 0 ? 'unreviewed' : null;
  return {
    findings: merged(
      readings.flatMap(({ findings }) => findings),
      options,
    ),
    skipReason: options.signal.aborted ? 'cancelled' : (failed ?? left),
  };
}

interface ChunkReading {
  findings: Voted[];
  reason: SkipReason | null;
}

interface Voted extends ReviewFinding {
  tiers: string[];
}

async function readChunk(chunk: ReviewChunk, options: ReviewOptions): Promise<ChunkReading> {
  const { tiers, confirm, blockSeverities } = options;
  const ask = (tier: Tier) =>
    tier.read({
      ...{ chunk, paths: options.plan.paths, safetyId: options.safetyId, budget: options.budget },
      place: () => options.place(tier),
      signal: options.signal,
    });
  let last: Extract<TierAnswer, { kind: 'failed' }> | null = null;
  for (const tier of tiers) {
    const answer = await ask(tier);
    if (answer.kind === 'failed') {
      last = answer;
      if (answer.reason === 'cancelled') break;
      continue;
    }
    const found = answer.findings.map((each) => ({ ...each, tiers: [tier.settings.name] }));
    const needsVote = found.some(
      ({ severity }) => severity === 'high' && blockSeverities.includes('high'),
    );
    if (confirm === null || !needsVote || confirm.settings.family === tier.settings.family) {
      return { findings: found, reason: null };
    }
    const second = await ask(confirm);
    return { findings: confirmed(found, second, confirm), reason: null };
  }
  return { findings: [], reason: last?.reason ?? 'no_tier' };
}

/** The union of both readings; `high` of one reading alone is shown as medium. */
function confirmed(found: Voted[], second: TierAnswer, confirm: Tier): Voted[] {
  const others = second.kind === 'read' ? second.findings : [];
  const isSame = (one: ReviewFinding, other: ReviewFinding) =>
    one.class === other.class &&
    one.path === other.path &&
    one.side === other.side &&
    Math.abs(one.line - other.line) <= CONFIRM_LINES;
  const { name } = confirm.settings;
  const weakened = (each: Voted): Voted =>
    each.severity === 'high' ? { ...each, severity: 'medium' } : each;
  // Without a second reading one vote blocks: an outage must not weaken the gate.
  if (second.kind !== 'read') return found;
  const first = found.map((each) =>
    others.some((other) => isSame(each, other))
      ? { ...each, tiers: [...each.tiers, name] }
      : weakened(each),
  );
  const added = others
    .filter((other) => !found.some((each) => isSame(each, other)))
    .map((other) => weakened({ ...other, tiers: [name] }));
  return [...first, ...added];
}

/** One finding a class and line, as gate findings. */
function merged(
  found: readonly Voted[],
  { fingerprint }: ReviewOptions,
): ReviewOutcome['findings'] {
  const byFingerprint = new Map<string, ReviewOutcome['findings'][number]>();
  for (const each of found) {
    const id = `llm-${reviewClass(each.class)?.id ?? 'other'}`;
    const key = fingerprint(id, each.text.replaceAll(/\s+/g, ' ').trim());
    if (byFingerprint.has(key)) continue;
    byFingerprint.set(key, { ...toGateFinding(each, key), why: each.why, tiers: each.tiers });
  }
  return [...byFingerprint.values()];
}
