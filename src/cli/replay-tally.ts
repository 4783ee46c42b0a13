import type { AnalyzeAnswer } from './answer.ts';
import type { Commit } from './commits.ts';

/** What a replay has seen so far. */
export interface Tally {
  /** Commits that got a final verdict, and the bytes of their diffs. */
  judged: number;
  bytes: number;
  verdicts: Map<string, number>;
  /** Findings by rule. */
  rules: Map<string, number>;
  /** Milliseconds until analyze answered, one for each commit that was answered. */
  latenciesMs: number[];
  /** Answers that came as DRAFT first. */
  drafts: number;
  /** Requests sent again because of 503. */
  retries: number;
  /** Commits without a verdict, by HTTP status or by why there was no answer. */
  errors: Map<string, number>;
  failed: { sha: string; error: string }[];
  /** Commits that stayed DRAFT. */
  stuck: string[];
  /** Taken from git but not finished when the replay was interrupted. */
  interrupted: number;
  skippedEmpty: number;
  skippedLarge: { sha: string; bytes: number }[];
  mismatches: { sha: string; field: string; service: number; git: number }[];
  /** Milliseconds that senders waited: for git, and in all. */
  waitedForGitMs: number;
  sendersMs: number;
}

/** Creates an empty tally. */
export function createTally(): Tally {
  return {
    judged: 0,
    bytes: 0,
    verdicts: new Map(),
    rules: new Map(),
    latenciesMs: [],
    drafts: 0,
    retries: 0,
    errors: new Map(),
    failed: [],
    stuck: [],
    interrupted: 0,
    skippedEmpty: 0,
    skippedLarge: [],
    mismatches: [],
    waitedForGitMs: 0,
    sendersMs: 0,
  };
}

/** Adds one to the count of a key. */
export function count(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

/** Takes a final answer. */
export function addAnswer(tally: Tally, commit: Commit, answer: AnalyzeAnswer): void {
  tally.judged += 1;
  tally.bytes += commit.bytes;
  count(tally.verdicts, answer.overall_status);
  const { risk, ast, llm } = answer.gates;
  for (const gate of [risk, ast, llm]) {
    for (const finding of gate.findings) count(tally.rules, finding.id);
  }
  if (commit.numstat === null) return;
  for (const field of ['files', 'additions', 'deletions'] as const) {
    const [service, git] = [answer.stats[field], commit.numstat[field]];
    if (service !== git) tally.mismatches.push({ sha: commit.sha, field, service, git });
  }
}

/** Whether every commit got its verdict and, where it was compared, the right numbers. */
export function isClean(tally: Tally): boolean {
  const { errors, stuck, mismatches, interrupted } = tally;
  return errors.size === 0 && stuck.length === 0 && mismatches.length === 0 && interrupted === 0;
}
