import { CraError } from './errors.ts';
import type { Severity } from './finding.ts';
import { REMARKS } from './limits.ts';
import type { RfcRecord } from './records.ts';
import { isTerminal } from './rfc.ts';

/** Who says something about an RFC, as readers see it. */
export interface Author {
  id: string;
  name: string | null;
}

export const PERSON_SEVERITIES = ['medium', 'low', 'info'] as const satisfies readonly Severity[];

/** A finding that a person adds: shown beside those of the gates, of no weight in the verdict. */
export interface PersonFinding {
  finding_id: string;
  severity: (typeof PERSON_SEVERITIES)[number];
  /** Secrets are redacted. */
  message: string;
  file: string | null;
  line: number | null;
  by: Author;
  /** ISO 8601, UTC. */
  at: string;
}

/** What a person says about one finding, of a gate or a person: plain text. */
export interface FindingComment {
  comment_id: string;
  finding_id: string;
  text: string;
  by: Author;
  at: string;
}

/** What people say about an RFC, in the order in which they did. */
export interface Discussion {
  findings: PersonFinding[];
  comments: FindingComment[];
}

/** Something new in it. */
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
