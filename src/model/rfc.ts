import { randomUUID } from 'node:crypto';
import type { Static } from 'typebox';
import { FINDING, type GateName } from './finding.ts';
import { SKIP_REASONS } from './review.ts';
import { COUNT, exactly, SCORE, TEXT, TEXT_OR_NULL } from './schema.ts';

/**
 * RFC statuses, in the order in which lists show them: what needs a person comes first.
 */
export const STATUSES = [
  'BLOCKED',
  'DRAFT',
  'REJECTED',
  'OVERRIDDEN',
  'APPROVED',
  'PASSED',
  'SUPERSEDED',
] as const;
export type RfcStatus = (typeof STATUSES)[number];
export const STATUS = { type: 'string', enum: [...STATUSES] } as const;

/**
 * What can happen to an RFC. `pass`, `block`, `supersede`, `release` (a held review passed at last)
 * and `recall` (a review found more) are the service's own moves.
 */
export type Transition =
  | 'pass'
  | 'block'
  | 'supersede'
  | 'release'
  | 'recall'
  | 'override'
  | 'approve'
  | 'reject'
  | 'confirm'
  | 'object';

/**
 * The transition table (spec, "States and transitions"). A pair that is not
 * here is a conflict: the caller gets 409 with the current status.
 */
const NEXT: Readonly<Record<RfcStatus, Readonly<Partial<Record<Transition, RfcStatus>>>>> = {
  DRAFT: { pass: 'PASSED', block: 'BLOCKED', supersede: 'SUPERSEDED', reject: 'REJECTED' },
  BLOCKED: {
    override: 'OVERRIDDEN',
    approve: 'OVERRIDDEN',
    reject: 'REJECTED',
    release: 'PASSED',
  },
  PASSED: { approve: 'APPROVED', reject: 'REJECTED', recall: 'BLOCKED' },
  // Reviews of an emergency: see `decided`.
  OVERRIDDEN: { reject: 'REJECTED', confirm: 'OVERRIDDEN', object: 'REJECTED' },
  APPROVED: { reject: 'REJECTED' },
  REJECTED: { reject: 'REJECTED' },
  SUPERSEDED: { reject: 'REJECTED' },
};

/** The status after `transition`, or null when the move is not allowed. */
export function nextStatus(from: RfcStatus, transition: Transition): RfcStatus | null {
  return NEXT[from][transition] ?? null;
}

/** Actions that let a change pass, and actions that revoke such a decision. */
const PASSING: ReadonlySet<string> = new Set(['override', 'approve']);
const REFUSING: ReadonlySet<string> = new Set(['reject', 'object']);

/** Whether a decision lets a change pass; a confirmed emergency was let pass before. */
export function isPassing({ action }: { action: string }): boolean {
  return PASSING.has(action);
}

/** Whether it refuses a change. */
export function isRefusing({ action }: { action: string }): boolean {
  return REFUSING.has(action);
}

/** Any status but DRAFT ends polling. */
export function isTerminal(status: RfcStatus): boolean {
  return status !== 'DRAFT';
}

/** Position of a status in lists: 0 comes first. */
export function statusRank(status: RfcStatus): number {
  return STATUSES.indexOf(status);
}

export const GATE = exactly({
  status: { type: 'string', enum: ['pass', 'fail', 'skipped'] },
  // The worst findings, as many as are listed.
  findings: { type: 'array', items: FINDING },
  suppressed_count: { ...COUNT, description: 'Of all that was found, listed or not' },
  // Why the gate gives no verdict (`skipped`), else null; of gate 3 a word of `SkipReason`.
  skip_reason: TEXT_OR_NULL,
  // Wall time of the gate; null when it did not run.
  duration_ms: { type: ['number', 'null'], minimum: 0 },
});

const LLM_GATE = {
  ...GATE,
  properties: {
    ...GATE.properties,
    skip_reason: { type: ['string', 'null'], enum: [null, ...SKIP_REASONS] },
    // A retry that passes lifts it.
    held: {
      type: 'boolean',
      enum: [true],
      description: 'BLOCKED because the review failed, not for what it found',
    },
  },
} as const;

export const GATES = exactly({ risk: GATE, ast: GATE, llm: LLM_GATE });
export type GateResult = Static<typeof GATE> & { held?: true };
export type Gates = Record<GateName, GateResult>;

/** Size of a change as git counts it. `bytes` is the size of the diff itself. */
export const STATS = exactly({ files: COUNT, additions: COUNT, deletions: COUNT, bytes: COUNT });
export type DiffStats = Static<typeof STATS>;

const PLAIN_SCORE = exactly({
  // Probability that such a change needs a fix, from the shape of the change alone.
  change_risk: SCORE,
  // What the findings add: risk_score minus change_risk.
  findings_risk: SCORE,
  // The strongest contributions in words, strongest first.
  factors: { type: 'array', items: TEXT },
  // Version of the formula.
  model: TEXT,
});

/** By which curve a `change_risk` was made; absent in a score that the shipped curve made. */
const SCORE_CALIBRATION = exactly({
  group: TEXT,
  version: COUNT,
  model_risk: { ...SCORE, description: 'What change_risk would be by the shipped curve' },
});

/** How `risk_score` came about. All parts 0..100. */
export const SCORE_PARTS = {
  ...PLAIN_SCORE,
  properties: { ...PLAIN_SCORE.properties, calibration: SCORE_CALIBRATION },
} as const;
export type ScoreParts = Static<typeof SCORE_PARTS>;

export const DIFF_SOURCES = ['local', 'pre-commit', 'vcs-pr', 'vcs-compare'] as const;

const TIME_HEX_DIGITS = 12;
const RANDOM_HEX_DIGITS = 15;

/**
 * A new RFC id: `RFC-` + 12 hex digits of time (ms) + 15 of randomness, upper case. Ids sort by
 * time for people who read logs; nothing relies on it.
 */
export function newRfcId(nowMs: number): string {
  const time = nowMs.toString(16).padStart(TIME_HEX_DIGITS, '0');
  // randomUUID draws its randomness in blocks; the last digits of a v4 UUID are all random.
  const random = randomUUID().replaceAll('-', '').slice(-RANDOM_HEX_DIGITS);
  return `RFC-${time}${random}`.toUpperCase();
}

/**
 * The ids of an RFC's findings, and no other ids, stand between these two in the order of code
 * units: `.` follows `-`.
 */
export function findingIdRange(rfcId: string): { from: string; below: string } {
  const prefix = rfcId.replace(/^RFC-/, 'F-');
  return { from: `${prefix}-`, below: `${prefix}.` };
}

/** The id of the n-th finding (from 1) of an RFC. */
export function findingId(rfcId: string, index: number): string {
  return `${rfcId.replace(/^RFC-/, 'F-')}-${index}`;
}

/** The same of a finding of a plan: another plan has it under the same id. `digits` names it. */
export function planFindingId(rfcId: string, digits: string): string {
  return `${findingId(rfcId, 0).slice(0, -1)}T${digits}`;
}

/**
 * The form in which commits are compared: git writes its ids in lower case and reads them in any.
 * An id of another system stays as it is.
 */
export function commitId(text: string): string {
  return /^[0-9a-f]+$/i.test(text) ? text.toLowerCase() : text;
}
