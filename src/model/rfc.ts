import type { Finding } from './finding.ts';

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
  | 'reject';

/**
 * The transition table (spec, "States and transitions"). A pair that is not
 * here is a conflict: the caller gets 409 with the current status.
 */
const NEXT: Readonly<Record<RfcStatus, Readonly<Partial<Record<Transition, RfcStatus>>>>> = {
  DRAFT: { pass: 'PASSED', block: 'BLOCKED', supersede: 'SUPERSEDED', reject: 'REJECTED' },
  BLOCKED: {
    ...{ override: 'OVERRIDDEN', approve: 'OVERRIDDEN', reject: 'REJECTED' },
    release: 'PASSED',
  },
  PASSED: { approve: 'APPROVED', reject: 'REJECTED', recall: 'BLOCKED' },
  OVERRIDDEN: { reject: 'REJECTED' },
  APPROVED: { reject: 'REJECTED' },
  REJECTED: { reject: 'REJECTED' },
  SUPERSEDED: { reject: 'REJECTED' },
};

/** The status after `transition`, or null when the move is not allowed. */
export function nextStatus(from: RfcStatus, transition: Transition): RfcStatus | null {
  return NEXT[from][transition] ?? null;
}

/** Any status but DRAFT ends polling. */
export function isTerminal(status: RfcStatus): boolean {
  return status !== 'DRAFT';
}

/** Position of a status in lists: 0 comes first. */
export function statusRank(status: RfcStatus): number {
  return STATUSES.indexOf(status);
}

export interface GateResult {
  status: 'pass' | 'fail' | 'skipped';
  /** Those that are listed: the worst of what was found. */
  findings: Finding[];
  /** How many of all that was found markers and accepted fingerprints suppress. */
  suppressed_count: number;
  /** Why the gate gives no verdict (`skipped`), else null; of gate 3 a word of `SkipReason`. */
  skip_reason: string | null;
  /** Gate 3 only: its review failed and blocks, not what it found; a retry that passes lifts it. */
  held?: true;
  /** Wall time of the gate; null when it did not run. */
  duration_ms: number | null;
}

export interface Gates {
  risk: GateResult;
  ast: GateResult;
  llm: GateResult;
}

/** Size of a change as git counts it. `bytes` is the size of the diff itself. */
export interface DiffStats {
  files: number;
  additions: number;
  deletions: number;
  bytes: number;
}

/** How `risk_score` came about. All parts 0..100. */
export interface ScoreParts {
  /** Probability that such a change needs a fix, from the shape of the change alone. */
  change_risk: number;
  /** What the findings add: risk_score minus change_risk. */
  findings_risk: number;
  /** The strongest contributions in words, strongest first. */
  factors: string[];
  /** Version of the formula. */
  model: string;
}

export const DIFF_SOURCES = ['local', 'pre-commit', 'vcs-pr', 'vcs-compare'] as const;
export type DiffSource = (typeof DIFF_SOURCES)[number];
