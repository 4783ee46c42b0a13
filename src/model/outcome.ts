import type { Finding } from './finding.ts';
import type { RfcRecord } from './records.ts';
import { type GateResult, isTerminal } from './rfc.ts';

/**
 * What an export tells of an analysis: the fields of the analyze answer and, where they are known,
 * what was analysed.
 */
export type Outcome = Pick<
  RfcRecord,
  'rfc_id' | 'diff_hash' | 'overall_status' | 'risk_score' | 'gates' | 'stats'
> &
  Partial<Pick<RfcRecord, 'repo_name' | 'branch' | 'commit_sha' | 'rules_revision'>>;

/** The findings of all gates, in their order. */
export function findingsOf({ gates }: Pick<Outcome, 'gates'>) {
  return [gates.risk, gates.ast, gates.llm].flatMap((gate) => gate.findings);
}

/**
 * The findings that somebody means by a name: the one whose finding_id it is, else the open ones
 * (neither suppressed nor resolved) of this rule. Two at most, which tell that it is ambiguous.
 */
export function findingsNamed(record: RfcRecord, name: string): Finding[] {
  const findings = findingsOf(record);
  const own = findings.find(({ finding_id }) => finding_id === name);
  if (own !== undefined) return [own];
  const isOpen = ({ suppressed, resolved }: Finding) => suppressed === null && resolved === null;
  return findings.filter((one) => one.id === name && isOpen(one)).slice(0, 2);
}

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
