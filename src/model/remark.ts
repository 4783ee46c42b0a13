import { CraError } from './errors.ts';
import type { Discussion, FindingComment, PersonFinding } from './finding.ts';
import { REMARKS } from './limits.ts';
import type { RfcRecord } from './records.ts';
import { isTerminal } from './rfc.ts';

/** Something new in a discussion. */
export type Remark =
  | { kind: 'finding'; finding: PersonFinding }
  | { kind: 'comment'; comment: FindingComment };

/**
 * The record with a remark, its rev one higher; the verdict stays. The same object when the remark
 * is in it already. ABORTED (`details.status`) for a DRAFT, whose outcome is on the way and would
 * miss the rev that it was begun on, and for an RFC that has enough of them; NOT_FOUND for a
 * comment about a finding that is not there.
 */
export function withRemark(record: RfcRecord, remark: Remark, at: string): RfcRecord {
  const known = record.discussion ?? { findings: [], comments: [] };
  const { findings, comments } = known;
  if (isKnown(known, remark)) return record;
  const { overall_status: status, rev } = record;
  if (!isTerminal(status)) {
    throw conflict('the RFC is a DRAFT: wait until its gates have run', { status, rev });
  }
  const count = remark.kind === 'finding' ? findings.length : comments.length;
  const most = remark.kind === 'finding' ? REMARKS.FINDINGS_MAX : REMARKS.COMMENTS_MAX;
  if (count >= most)
    throw conflict(`the RFC has ${most} of these: no more are kept`, { status, rev });
  if (remark.kind === 'comment') requireFinding(record, findings, remark.comment);
  const discussion =
    remark.kind === 'finding'
      ? { findings: [...findings, remark.finding], comments }
      : { findings, comments: [...comments, remark.comment] };
  return { ...record, discussion, updated_at: at, rev: rev + 1 };
}

function isKnown({ findings, comments }: Discussion, remark: Remark): boolean {
  return remark.kind === 'finding'
    ? findings.some(({ finding_id }) => finding_id === remark.finding.finding_id)
    : comments.some(({ comment_id }) => comment_id === remark.comment.comment_id);
}

function requireFinding(
  { gates }: RfcRecord,
  findings: readonly PersonFinding[],
  { finding_id }: FindingComment,
): void {
  const all = [...gates.risk.findings, ...gates.ast.findings, ...gates.llm.findings, ...findings];
  if (all.some((finding) => finding.finding_id === finding_id)) return;
  throw new CraError('NOT_FOUND', 'finding not found');
}

function conflict(message: string, details: { status: string; rev: number }): CraError {
  return new CraError('ABORTED', message, { details });
}
