import type { GateFinding } from './finding.ts';

/** A line of a change as a model reads it: redacted, and without characters that cannot be seen. */
export interface ReviewLine {
  /** Line number in the new file; in the old file for removed lines. 1-based. */
  number: number;
  side: 'added' | 'removed' | 'context';
  text: string;
}

/** A hunk of one file; hunks are read whole. */
export interface ReviewHunk {
  /** Redacted like the lines. */
  path: string;
  lines: ReviewLine[];
  /** Higher is read first: the budget must not leave out risky hunks. */
  priority: number;
  /** What other gates found here that does not block: rule and line of the new file. */
  facts?: { line: number; id: string }[];
}

/** Hunks of this priority or above stand where a small change has grave effects. */
export const SENSITIVE_PRIORITY = 100;

/** What one call reads. */
export interface ReviewChunk {
  hunks: ReviewHunk[];
  /** UTF-8 bytes of all texts. */
  bytes: number;
}

/** What all calls about one change read, and what no call reads. */
export interface ReviewPlan {
  chunks: ReviewChunk[];
  /** Paths of all changed files: each chunk names them. */
  paths: string[];
  /** Files with hunks that no call reads, because the change is larger than all calls together. */
  left: string[];
}

/** A finding of gate 3 with the model's explanation: untrusted, at most 400 plain characters. */
export type ReviewedFinding = GateFinding & { why: string; carried?: true };

/** Why gate 3 gives no verdict of its own; `gates.llm.skip_reason`. */
export const SKIP_REASONS = [
  'pending',
  'no_tier',
  'blocked',
  'shadow',
  'cancelled',
  'review_forks',
  'residency',
  'redaction',
  'budget',
  'breaker_open',
  'rate_limited',
  'unavailable',
  'timeout',
  'spent',
  'misconfigured',
  'refused',
  'too_large',
  'truncated',
  'invalid_output',
  'unreviewed',
] as const;
export type SkipReason = (typeof SKIP_REASONS)[number];

/** Reasons that are not failures of a review: `on_skipped` does not apply to them. */
const NEVER_HELD: ReadonlySet<SkipReason> = new Set([
  'pending',
  'no_tier',
  'blocked',
  'shadow',
  'cancelled',
]);

/** Whether `on_skipped: hold` blocks a change for this reason. */
export function isHeldFor(reason: SkipReason): boolean {
  return !NEVER_HELD.has(reason);
}

/** Reasons that pass by themselves: the same review may succeed later. */
const TRANSIENT: ReadonlySet<string> = new Set<SkipReason>([
  'budget',
  'breaker_open',
  'rate_limited',
  'unavailable',
  'timeout',
  'spent',
  'misconfigured',
]);

/** Whether a review that failed for this reason is tried again without being asked for. */
export function isTransient(reason: string | null): boolean {
  return reason !== null && TRANSIENT.has(reason);
}

/** What a model did with the text itself: the next answer to the same text is luck. */
const REMEMBERED: ReadonlySet<string> = new Set<SkipReason>([
  'refused',
  'too_large',
  'truncated',
  'invalid_output',
]);

/** Whether a text that was not read for this reason stays unread until a person asks again. */
export function isRemembered(reason: string | null): boolean {
  return reason !== null && REMEMBERED.has(reason);
}

/** Findings that say how complete a review is: they never make gate 3 fail. */
const NOTES: ReadonlySet<string> = new Set(['llm-unreviewed', 'llm-unlocated', 'llm-held']);

/** Whether a finding of gate 3 only says how complete the review is. */
export function isReviewNote({ id }: Pick<GateFinding, 'id'>): boolean {
  return NOTES.has(id);
}
