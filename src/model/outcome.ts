import type { RfcRecord } from './records.ts';

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
