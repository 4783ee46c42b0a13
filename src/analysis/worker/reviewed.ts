import type { Finding } from '../../model/finding.ts';
import { findingId } from '../../model/ids.ts';
import { findingsOf, type ReviewEntry, type RfcRecord } from '../../model/records.ts';
import { isReviewNote, type ReviewedFinding, type SkipReason } from '../../model/review.ts';
import { type GateResult, nextStatus, type RfcStatus } from '../../model/rfc.ts';
import type { PipelineSettings } from '../../model/rules.ts';
import type { ReviewAgain } from '../../rpc/contract.ts';
import { FACTORS_MAX, scoreChange } from '../../verdict/score.ts';
import { judgeReview, overallStatus, worstFirst } from '../../verdict/verdict.ts';
import { settledRecord } from './record.ts';

/** What a review of gate 3 found. */
interface Review {
  findings: readonly ReviewedFinding[];
  /** Null: all of the change is proven read. */
  skip_reason: SkipReason | null;
  duration_ms: number;
}

/** A DRAFT whose gates 1 and 2 have run, with what its review found; only the score may rise. */
export function reviewedRecord(
  draft: RfcRecord,
  review: Review,
  settings: PipelineSettings,
  now: string,
): RfcRecord {
  const found = named(draft, review.findings);
  const llm = judgeReview(found, review.skip_reason, settings, review.duration_ms);
  return settledRecord(withReview(draft, llm, now), settings);
}

/**
 * A record that has a verdict, with what another review found. It only adds: findings stay, `fail`
 * stays, and what was read stays read. A held record passes when all of the change is proven read
 * and nothing else blocks; a passed one is blocked by what was found now; any other keeps its
 * status. The same record (and rev) where a retry of the service has changed nothing.
 */
export function reviewedAgain(
  before: RfcRecord,
  review: Review,
  again: ReviewAgain,
  settings: PipelineSettings,
  now: string,
): RfcRecord {
  const known = new Set(before.gates.llm.findings.map(keyOf));
  const added = named(
    before,
    review.findings.filter((one) => !known.has(keyOf(one))),
  );
  const llm = strongerOf(before.gates.llm, added, review, settings);
  const next = withReview(before, llm, now);
  const overall_status = statusAfter(before, next, settings);
  const { asked, review_id } = again;
  const { status, skip_reason } = before.gates.llm;
  const isSame = llm.status === status && llm.skip_reason === skip_reason && added.length === 0;
  const history = before.review_history ?? [];
  const isKnown = asked === null || history.some((one) => one.review_id === review_id);
  if (isSame && isKnown) return before;
  const entry: ReviewEntry = {
    ...{ review_id, principal: asked?.principal ?? null, reason: asked?.reason ?? null, at: now },
    ...{ result: llm.status, skip_reason: review.skip_reason, findings_added: added.length },
    ...{ status_before: before.overall_status, status_after: overall_status },
  };
  // One that was put off has one entry, whatever became of it in between.
  const others = history.filter((one) => one.review_id !== review_id);
  return { ...next, overall_status, review_history: [...others, entry] };
}

/** Notes have no fingerprint: one of each kind is enough. */
function keyOf({ id, fingerprint }: { id: string; fingerprint: string }): string {
  return `${id} ${fingerprint}`;
}

/** The findings with ids that follow those of the record. */
function named(record: RfcRecord, found: readonly ReviewedFinding[]): Finding[] {
  const taken = findingsOf(record).length;
  return worstFirst(found).map((finding, index) => ({
    ...finding,
    finding_id: findingId(record.rfc_id, taken + index + 1),
    resolved: null,
  }));
}

/** Gate 3 with the findings of both reviews; never a weaker result than before. */
function strongerOf(
  before: GateResult,
  added: readonly Finding[],
  { skip_reason, duration_ms }: Review,
  settings: PipelineSettings,
): GateResult {
  const findings = [...before.findings, ...added];
  const judged = judgeReview(findings, skip_reason, settings, duration_ms);
  if (judged.status === 'fail') return judged;
  const { suppressed_count } = judged;
  const isRead = judged.status === 'pass' && before.status === 'skipped';
  if (isRead) return judged;
  if (before.status !== 'skipped') return { ...before, findings, suppressed_count };
  // What was held stays held, whatever the rules say of failures by now.
  return before.held === true ? { ...judged, held: true } : judged;
}

/** The record with another result of gate 3, one rev higher; its status is not touched. */
function withReview(record: RfcRecord, llm: GateResult, now: string): RfcRecord {
  const { gates, hard_limits, score } = record;
  const others = [...gates.risk.findings, ...gates.ast.findings];
  const counted = llm.status === 'fail' ? llm.findings.filter((one) => !isReviewNote(one)) : [];
  const known = { chance: score.change_risk / 100, factors: [] };
  const { parts, risk_score } = scoreChange(known, [...others, ...counted]);
  const isHigher = risk_score > record.risk_score;
  const factors = [...parts.factors, ...score.factors].slice(0, FACTORS_MAX);
  const isLimited = llm.status === 'fail' && !hard_limits.includes('llm');
  return {
    ...record,
    ...(isHigher ? { risk_score, score: { ...parts, factors } } : {}),
    gates: { ...gates, llm },
    hard_limits: isLimited ? [...hard_limits, 'llm'] : hard_limits,
    updated_at: now,
    rev: record.rev + 1,
  };
}

/** The two moves of gate 3 (docs/llm.md, "After the verdict"). */
function statusAfter(before: RfcRecord, next: RfcRecord, settings: PipelineSettings): RfcStatus {
  const { overall_status: from } = before;
  const to = overallStatus(next.gates, next.risk_score, settings);
  const isLifted = before.gates.llm.held === true && next.gates.llm.status === 'pass';
  if (from === 'BLOCKED' && isLifted && to === 'PASSED') return nextStatus(from, 'release') ?? from;
  const isWorse = next.gates.llm.status === 'fail' || next.risk_score > before.risk_score;
  if (from === 'PASSED' && isWorse && to === 'BLOCKED') return nextStatus(from, 'recall') ?? from;
  return from;
}
