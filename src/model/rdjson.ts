import { type Finding, headlineOf, lineInResult, type Severity } from './finding.ts';
import { findingsOf, type Outcome } from './records.ts';

const SEVERITY = {
  critical: 'ERROR',
  high: 'ERROR',
  medium: 'WARNING',
  low: 'INFO',
  info: 'INFO',
} as const satisfies Record<Severity, string>;

/**
 * The findings of an analysis in reviewdog's `rdjson` (a DiagnosticResult of
 * github.com/reviewdog/reviewdog, proto/rdf/reviewdog.proto), for comments on a review. Left out
 * is what has no place to comment on, and what is suppressed: somebody has read and settled that.
 */
export function toRdjson(outcome: Outcome) {
  const diagnostics = findingsOf(outcome).flatMap((finding) => {
    const { file, suppressed } = finding;
    return file === null || suppressed !== null ? [] : [diagnosticOf(file, finding)];
  });
  return {
    source: { name: 'cra' },
    severity: outcome.overall_status === 'BLOCKED' ? 'ERROR' : 'INFO',
    diagnostics,
  };
}

function diagnosticOf(file: string, finding: Finding) {
  const { id, severity, message, fix } = finding;
  const line = lineInResult(finding);
  const headline = headlineOf(finding);
  const texts = [
    headline,
    ...(message === headline ? [] : [message]),
    ...(fix === null ? [] : [fix]),
  ];
  return {
    message: texts.join('\n\n'),
    location: { path: file, ...(line === null ? {} : { range: rangeOf(line, finding) }) },
    // A newer server may know more severities.
    severity: SEVERITY[severity] ?? 'WARNING',
    code: { value: id },
  };
}

/** Columns count bytes, as ours do. Without one the range is whole lines, its end included. */
function rangeOf(line: number, { end_line: endLine, column }: Finding) {
  if (endLine !== null && endLine > line) return { start: { line }, end: { line: endLine } };
  return { start: column === null ? { line } : { line, column } };
}
