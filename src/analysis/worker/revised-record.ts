import { findingsOf, type RfcRecord } from '../../model/records.ts';
import { isReviewNote } from '../../model/review.ts';
import { type Gates, nextStatus, type RfcStatus } from '../../model/rfc.ts';
import type { PipelineSettings } from '../../model/rules.ts';
import { FACTORS_MAX, knownRisk, scoreChange } from '../../verdict/score.ts';
import { overallStatus } from '../../verdict/verdict.ts';

/** What becomes of a record whose gates have run when a review or a plan finds more. */

/** The record with other results of gates, one rev higher; its status stays, its score may rise. */
export function withGates(record: RfcRecord, gates: Gates, now: string): RfcRecord {
  const { score } = record;
  const { risk, ast, llm } = gates;
  const others = [...risk.findings, ...ast.findings];
  const counted = llm.status === 'fail' ? llm.findings.filter((one) => !isReviewNote(one)) : [];
  const { parts, risk_score } = scoreChange(knownRisk(score), [...others, ...counted]);
  const isHigher = risk_score > record.risk_score;
  const factors = [...parts.factors, ...score.factors].slice(0, FACTORS_MAX);
  return {
    ...record,
    ...(isHigher ? { risk_score, score: { ...parts, factors } } : {}),
    gates,
    updated_at: now,
    rev: record.rev + 1,
  };
}

/**
 * The status of a record that `next` follows: a held one passes when its review has passed and
 * nothing else blocks; a passed one is blocked when a gate fails that did not fail, or by its
 * score (docs/how-to/llm.md, "After the verdict"). Any other stays as it is.
 */
export function revisedStatus(
  before: RfcRecord,
  next: RfcRecord,
  settings: PipelineSettings,
): RfcStatus {
  const { overall_status: from } = before;
  const to = overallStatus(next.gates, next.risk_score, settings);
  const isLifted = before.gates.llm.held === true && next.gates.llm.status === 'pass';
  if (from === 'BLOCKED' && isLifted && to === 'PASSED') return nextStatus(from, 'release') ?? from;
  const fails = (['risk', 'ast', 'llm'] as const).some((gate) => {
    return next.gates[gate].status === 'fail' && before.gates[gate].status !== 'fail';
  });
  const isWorse = fails || next.risk_score > before.risk_score;
  if (from === 'PASSED' && isWorse && to === 'BLOCKED') return nextStatus(from, 'recall') ?? from;
  return from;
}

/** The highest number that a finding of the record has in its id (model/rfc, `findingId`). */
export function lastFindingNumber(record: Pick<RfcRecord, 'gates'>): number {
  const numbers = findingsOf(record).map(({ finding_id }) => {
    return Number(/-(\d+)$/.exec(finding_id)?.[1] ?? 0);
  });
  return Math.max(0, ...numbers);
}
