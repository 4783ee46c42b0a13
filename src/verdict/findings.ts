import { type Finding, type GateFinding, plainFinding, severityRank } from '../domain/finding.ts';
import { findingId } from '../domain/ids.ts';
import { FINDINGS_PER_RFC_MAX } from '../limits.ts';

const OVERFLOW_ID = 'findings-overflow';
const NOTES_MAX = 3;

/**
 * Gives findings their ids and keeps the worst FINDINGS_PER_RFC_MAX of them, suppressed ones last.
 * When some are left out, one finding more says how many; it is high, because what nobody can read
 * cannot pass, unless they were suppressed by those who can.
 */
export function nameFindings(rfcId: string, findings: readonly GateFinding[]): Finding[] {
  const sorted = worstFirst(findings);
  const left = sorted.length - FINDINGS_PER_RFC_MAX;
  const kept = left > 0 ? sorted.slice(0, FINDINGS_PER_RFC_MAX) : sorted;
  if (left > 0) kept.push(overflow(sorted.slice(FINDINGS_PER_RFC_MAX)));
  return kept.map((finding, index) => ({
    ...finding,
    finding_id: findingId(rfcId, index + 1),
    resolved: null,
  }));
}

/** Findings in the order of lists: suppressed ones last, then by severity and place. */
export function worstFirst(findings: readonly GateFinding[]): GateFinding[] {
  return [...findings].sort(bySeverityThenPlace);
}

function bySeverityThenPlace(a: GateFinding, b: GateFinding): number {
  return (
    Number(a.suppressed !== null) - Number(b.suppressed !== null) ||
    severityRank(a.severity) - severityRank(b.severity) ||
    compareText(a.file ?? '', b.file ?? '') ||
    (a.line ?? 0) - (b.line ?? 0) ||
    compareText(a.id, b.id)
  );
}

/** Code unit order: the same on every machine, whatever its locale. */
function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

function overflow(left: readonly GateFinding[]): GateFinding {
  const isSuppressed = left.every(({ suppressed }) => suppressed !== null);
  const which = isSuppressed ? 'suppressed findings' : 'findings';
  // What the gates left out themselves is counted by none of these.
  const own = left.filter(({ id }) => id === OVERFLOW_ID);
  const notes = own.slice(0, NOTES_MAX).map(({ message }) => message);
  return plainFinding({
    id: OVERFLOW_ID,
    gate: 'risk',
    severity: isSuppressed ? 'info' : 'high',
    message: [
      `${left.length} more ${which} are not listed; the ${FINDINGS_PER_RFC_MAX} worst are`,
      ...new Set(notes),
    ].join('; '),
    fix: 'Fix the listed findings, or split the change, and submit it again.',
  });
}
