import type { RfcRecord } from '../model/records.ts';
import { type RfcStatus, STATUSES } from '../model/rfc.ts';

/** `data` of the analyze answer: what `--json` prints. */
export type AnalyzeAnswer = Pick<
  RfcRecord,
  'rfc_id' | 'diff_hash' | 'overall_status' | 'risk_score' | 'gates' | 'stats'
>;

/** The answer's fields of a record, in the answer's order. */
export function answerOf(record: AnalyzeAnswer): AnalyzeAnswer {
  const { rfc_id, diff_hash, overall_status, risk_score, gates, stats } = record;
  return { rfc_id, diff_hash, overall_status, risk_score, gates, stats };
}

/** Whether what a server sent can be read as an answer; it may be any server, of any version. */
export function isAnswer(data: unknown): data is AnalyzeAnswer {
  if (!isObject(data) || !isObject(data['gates']) || !isObject(data['stats'])) return false;
  const { gates, stats } = data;
  return (
    typeof data['rfc_id'] === 'string' &&
    STATUSES.some((status) => status === data['overall_status']) &&
    typeof data['risk_score'] === 'number' &&
    [gates['risk'], gates['ast'], gates['llm']].every(isGate) &&
    [stats['files'], stats['additions'], stats['deletions']].every(Number.isFinite)
  );
}

/** What happened to a change, as an exit code: 0 it may go on, 1 it may not, 2 nobody knows yet. */
export function exitCode(status: RfcStatus): 0 | 1 | 2 {
  if (status === 'PASSED' || status === 'APPROVED' || status === 'OVERRIDDEN') return 0;
  return status === 'DRAFT' ? 2 : 1;
}

function isGate(gate: unknown): boolean {
  if (!isObject(gate) || typeof gate['status'] !== 'string') return false;
  if (!isTextOrNull(gate['skip_reason'])) return false;
  return Array.isArray(gate['findings']) && gate['findings'].every(isFinding);
}

/** What a report shows of a finding; the rest may be anything. */
function isFinding(finding: unknown): boolean {
  if (!isObject(finding)) return false;
  const { line, column, suppressed } = finding;
  return (
    ['id', 'severity', 'message'].every((name) => typeof finding[name] === 'string') &&
    ['file', 'excerpt', 'cwe', 'fix'].every((name) => isTextOrNull(finding[name])) &&
    [line, column].every((place) => place === null || Number.isInteger(place)) &&
    (suppressed === null || isSuppression(suppressed))
  );
}

function isSuppression(value: unknown): boolean {
  return isObject(value) && typeof value['by'] === 'string' && typeof value['reason'] === 'string';
}

function isTextOrNull(value: unknown): boolean {
  return value === null || typeof value === 'string';
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
