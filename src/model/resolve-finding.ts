import type { RfcRecord } from './records.ts';
import { type GateResult, isTerminal } from './rfc.ts';

/**
 * The record with one finding marked resolved, its rev one higher; the verdict stays. Null when
 * there is no such finding, it was resolved before, or the RFC is a DRAFT: its outcome is on the
 * way, and would miss the rev that it was begun on.
 */
export function resolveFinding(
  record: RfcRecord,
  findingId: string,
  resolved: { by: string; at: string },
): RfcRecord | null {
  if (!isTerminal(record.overall_status)) return null;
  const { risk, ast, llm } = record.gates;
  const open = [risk, ast, llm]
    .flatMap((gate) => gate.findings)
    .find((finding) => finding.finding_id === findingId && finding.resolved === null);
  if (open === undefined) return null;
  const mark = (gate: GateResult): GateResult => ({
    ...gate,
    findings: gate.findings.map((one) => (one === open ? { ...one, resolved } : one)),
  });
  return {
    ...record,
    gates: { risk: mark(risk), ast: mark(ast), llm: mark(llm) },
    updated_at: resolved.at,
    rev: record.rev + 1,
  };
}
