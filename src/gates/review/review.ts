import { plainFinding, type Severity, severityRank } from '../../model/finding.ts';
import {
  isRemembered,
  type ReviewChunk,
  type ReviewedFinding,
  type ReviewPlan,
  SENSITIVE_PRIORITY,
  type SkipReason,
} from '../../model/review.ts';
import { type Reading, type ReviewFinding, toGateFinding } from './answer.ts';
import { wordsOf } from './memory.ts';
import type { Ledger, Tier, TierAnswer } from './tier.ts';

/** What a review found, and whether all of the change is proven read. */
export interface ReviewOutcome {
  findings: ReviewedFinding[];
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
  /** The confirm tier reads all chunks, too, not only chunks of sensitive files. */
  isRisky?: boolean;
  /** Absent: nothing is remembered, so nothing is held. */
  memory?: ReviewMemory;
  ledger: Ledger;
  safetyId: string;
  /** Hash of class and line under the key of the service. */
  fingerprint(ruleId: string, text: string): string;
  place(tier: Tier): Promise<() => void>;
  /** A finding that needs a second vote has it, or does not; absent: nobody counts. */
  onVote?(vote: Vote): void;
  signal: AbortSignal;
}

/** What the reviews of a repository leave to each other. Both kinds are kept before a verdict. */
export interface ReviewMemory {
  recall(): Promise<Recalled>;
  rememberFindings(blocking: readonly ReviewFinding[]): Promise<void>;
  /** No model gave a valid answer to a chunk, for a reason that is remembered. */
  rememberUnread(chunk: ReviewChunk, reason: SkipReason): Promise<void>;
}

/** Earlier findings and reviews of the text of a change. */
export interface Recalled {
  /** Findings that blocked the same lines. */
  carried: readonly ReviewFinding[];
  /** Why the text of a chunk stays unread until a person asks; null: it may be read. */
  heldFor(chunk: ReviewChunk): SkipReason | null;
}

const NOTHING: Recalled = { carried: [], heldFor: () => null };

/** What the confirm tier says of a finding; `unanswered`: it gave no valid answer. */
export type Vote = 'confirmed' | 'refused' | 'unanswered';

/** Two reports of one class this many lines apart are about the same defect. */
const CONFIRM_LINES = 3;
const PARALLEL = 4;

/**
 * Reviews a change: each chunk by the first tier that gives a valid answer. A finding that would
 * block with severity `high` needs the same class from the confirm tier, which reads the chunk
 * without knowing of it; unconfirmed it is shown as medium. `critical` blocks on one vote. The
 * confirm tier also reads the chunks of risky changes and of sensitive files.
 */
export async function reviewChange(options: ReviewOptions): Promise<ReviewOutcome> {
  const { plan, memory } = options;
  const readings: ChunkReading[] = [];
  const waiting = [...plan.chunks];
  const { heldFor } = (await memory?.recall()) ?? NOTHING;
  const worker = async () => {
    for (let chunk = waiting.shift(); chunk !== undefined; chunk = waiting.shift()) {
      const held = heldFor(chunk);
      readings.push(held === null ? await readChunk(chunk, options) : heldReading(chunk, held));
    }
  };
  const ended = await Promise.allSettled(Array.from({ length: PARALLEL }, worker));
  const broken = ended.find((each) => each.status === 'rejected');
  if (broken !== undefined) throw broken.reason;
  // Of reviews of one text at once, the first answer that counts against it counts for all.
  const after = (await memory?.recall()) ?? NOTHING;
  const ends = readings.map((reading) => {
    const held = reading.reason === null ? after.heldFor(reading.chunk) : null;
    return held === null ? reading : { ...reading, reason: held, isHeld: true };
  });
  // A text that stays unread is not tried again for the sake of another part.
  const failed = ends.map(({ reason }) => reason).filter((reason) => reason !== null);
  const reason = failed.find(isRemembered) ?? failed[0] ?? null;
  const left = plan.left.length > 0 ? 'unreviewed' : null;
  const found = ends.flatMap(({ findings }) => findings);
  const held = ends.flatMap((each) => (each.isHeld && each.reason !== null ? [each.reason] : []));
  const malformed = ends.reduce((sum, reading) => sum + reading.malformed, 0);
  return {
    findings: [
      ...merged([...found, ...after.carried], options),
      ...notes(plan.left, malformed, held),
    ],
    skipReason: options.signal.aborted ? 'cancelled' : (reason ?? left),
  };
}

interface ChunkReading extends Reading {
  chunk: ReviewChunk;
  /** Null: it has a valid answer. */
  reason: SkipReason | null;
  /** The reason is that of an earlier answer, or of another review of the same text. */
  isHeld: boolean;
}

function heldReading(chunk: ReviewChunk, reason: SkipReason): ChunkReading {
  return { chunk, findings: [], malformed: 0, reason, isHeld: true };
}

/** Asks about a chunk, and keeps what must not depend on what happens next. */
async function readChunk(chunk: ReviewChunk, options: ReviewOptions): Promise<ChunkReading> {
  const { memory, blockSeverities } = options;
  const reading = await askTiers(chunk, options);
  const { findings, reason } = reading;
  const blocking = findings.filter(({ severity }) => blockSeverities.includes(severity));
  if (blocking.length > 0) await memory?.rememberFindings(blocking);
  if (reason !== null && isRemembered(reason)) await memory?.rememberUnread(chunk, reason);
  return { chunk, ...reading, isHeld: false };
}

async function askTiers(
  chunk: ReviewChunk,
  options: ReviewOptions,
): Promise<Pick<ChunkReading, 'findings' | 'malformed' | 'reason'>> {
  const { tiers, confirm, blockSeverities } = options;
  let reason: SkipReason | null = null;
  for (const tier of tiers) {
    const answer = await askTier(tier, chunk, options);
    if (answer.kind === 'failed') {
      // What one tier makes of the text counts, though the next one is only out of reach.
      if (reason === null || !isRemembered(reason)) reason = answer.reason;
      if (answer.reason === 'cancelled') break;
      continue;
    }
    const { findings, malformed } = answer;
    const isHigh = ({ severity }: ReviewFinding) => severity === 'high';
    const needsVote = blockSeverities.includes('high') && findings.some(isHigh);
    const isFull =
      options.isRisky === true || chunk.hunks.some((one) => one.priority >= SENSITIVE_PRIORITY);
    if (
      confirm === null ||
      !(needsVote || isFull) ||
      confirm.settings.family === tier.settings.family
    ) {
      return { findings, malformed, reason: null };
    }
    const second = await askTier(confirm, chunk, options);
    return { findings: confirmed(findings, second, options), malformed, reason: null };
  }
  return { findings: [], malformed: 0, reason: reason ?? 'no_tier' };
}

/** The answer that is stored, or a new one, which is stored with what it cost. */
async function askTier(
  tier: Tier,
  chunk: ReviewChunk,
  { ledger, plan, safetyId, place, signal }: ReviewOptions,
): Promise<TierAnswer> {
  const known = await ledger.find(chunk, tier.settings);
  if (known !== null) return { kind: 'read', ...known };
  const { paths } = plan;
  return await tier.read({ chunk, paths, safetyId, ledger, place: () => place(tier), signal });
}

/** The union of both readings; `high` of one reading alone is shown as medium. */
function confirmed(
  found: ReviewFinding[],
  second: TierAnswer,
  { onVote = () => undefined }: Pick<ReviewOptions, 'onVote'>,
): ReviewFinding[] {
  const asked = found.filter(({ severity }) => severity === 'high');
  // Without a second reading one vote blocks: an outage must not weaken the gate.
  if (second.kind !== 'read') {
    for (const _ of asked) onVote('unanswered');
    return found;
  }
  const others = second.findings;
  const isSame = (one: ReviewFinding, other: ReviewFinding) =>
    one.class === other.class && isSamePlace(one, other);
  const weakened = (each: ReviewFinding): ReviewFinding =>
    each.severity === 'high' ? { ...each, severity: 'medium' } : each;
  const isConfirmed = (each: ReviewFinding) => others.some((other) => isSame(each, other));
  for (const each of asked) onVote(isConfirmed(each) ? 'confirmed' : 'refused');
  const first = found.map((each) => (isConfirmed(each) ? each : weakened(each)));
  const added = others.filter((other) => !found.some((each) => isSame(each, other)));
  return [...first, ...added.map(weakened)];
}

/** Places that are not known may be the same. */
function isSamePlace(one: ReviewFinding, other: ReviewFinding): boolean {
  if (one.path === null || other.path === null) return true;
  if (one.path !== other.path) return false;
  if (one.line === null || other.line === null) return true;
  return one.side === other.side && Math.abs(one.line - other.line) <= CONFIRM_LINES;
}

/** One finding a class and line, as gate findings; of the same line the gravest counts. */
function merged(
  found: readonly ReviewFinding[],
  { plan, fingerprint }: ReviewOptions,
): ReviewedFinding[] {
  const byFingerprint = new Map<string, ReviewedFinding>();
  const gravestFirst = [...found].sort(
    (a, b) => severityRank(a.severity) - severityRank(b.severity),
  );
  for (const each of gravestFirst) {
    const text = each.line === null ? textOf(plan, each.path) : each.text;
    const key = fingerprint(`llm-${each.class}`, text);
    if (byFingerprint.has(key)) continue;
    const carried = each.isCarried === true ? { carried: true as const } : {};
    byFingerprint.set(key, { ...toGateFinding(each, key), why: each.why, ...carried });
  }
  return [...byFingerprint.values()];
}

/** What a finding without a line is about: all changed lines of its file, or of the change. */
function textOf({ chunks }: ReviewPlan, path: string | null): string {
  const hunks = chunks.flatMap((chunk) => chunk.hunks);
  const lines = hunks
    .filter((hunk) => path === null || hunk.path === path)
    .flatMap((hunk) => hunk.lines)
    .filter(({ side }) => side !== 'context')
    .map(({ side, text }) => `${side} ${wordsOf(text)}`);
  return JSON.stringify([path, ...new Set(lines.sort())]);
}

const FILES_NAMED_MAX = 5;

/** What the review leaves open. These findings never make the gate fail. */
function notes(
  left: readonly string[],
  malformed: number,
  held: readonly SkipReason[],
): ReviewedFinding[] {
  const named = left.slice(0, FILES_NAMED_MAX).join(', ');
  const more = left.length > FILES_NAMED_MAX ? ` and ${left.length - FILES_NAMED_MAX} more` : '';
  const unreviewed = plainFinding({
    id: 'llm-unreviewed',
    gate: 'llm',
    severity: 'high',
    message: `The change is larger than one review; not all of these files was read: ${named}${more}.`,
    fix: 'Split the change, or have the rest reviewed by a person.',
  });
  const odd = plainFinding({
    id: 'llm-unlocated',
    gate: 'llm',
    severity: 'info',
    message: `The answer of the model has ${malformed} entries that are not findings.`,
  });
  const unread = plainFinding({
    id: 'llm-held',
    gate: 'llm',
    severity: 'info',
    message: `A model gave no valid answer to this text within 30 days (${[...new Set(held)].sort().join(', ')}), so it stays unread until a person asks for another review.`,
    fix: 'Ask for a review with POST rfc/<id>/review (role reviewer), or change the text.',
  });
  return [
    ...(left.length > 0 ? [{ ...unreviewed, why: '' }] : []),
    ...(malformed > 0 ? [{ ...odd, why: '' }] : []),
    ...(held.length > 0 ? [{ ...unread, why: '' }] : []),
  ];
}
