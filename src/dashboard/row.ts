import type { Finding, GateName, Severity } from '../model/finding.ts';

export const SEVERITIES: readonly Severity[] = ['critical', 'high', 'medium', 'low', 'info'];

/** What rows of lists and whole RFCs say of a finding. */
export type AnyFinding = Pick<Finding, 'id' | 'severity'> & {
  suppressed?: Finding['suppressed'] | true;
};

/** What rows and whole RFCs have in common. */
interface WithGates<Found extends AnyFinding> {
  gates: Readonly<Record<GateName, { status: string; findings: readonly Found[] }>>;
}

/** The findings of a row that nothing suppresses, the worst first. */
export function openFindings<Found extends AnyFinding>({ gates }: WithGates<Found>): Found[] {
  const { risk, ast, llm } = gates;
  const all = [...risk.findings, ...ast.findings, ...llm.findings];
  return worstFirst(all.filter(isOpen));
}

function isOpen({ suppressed }: AnyFinding): boolean {
  return suppressed === undefined || suppressed === null;
}

/** The same findings, the gravest first. */
export function worstFirst<Found extends AnyFinding>(findings: readonly Found[]): Found[] {
  return findings.toSorted(
    (one, other) => SEVERITIES.indexOf(one.severity) - SEVERITIES.indexOf(other.severity),
  );
}

/** How many findings there are of each severity that there is, the gravest first. */
export function countedBySeverity(findings: readonly AnyFinding[]): [Severity, number][] {
  const countOf = (each: Severity) => findings.filter(({ severity }) => severity === each).length;
  return SEVERITIES.map((each): [Severity, number] => [each, countOf(each)]).filter(
    ([, count]) => count > 0,
  );
}

/** Findings about what no gate could look at; they stand apart from what was found. */
const COVERAGE =
  /^(?:diff-|binary-file|outside-diff|ast-unparsed|ast-hunks-only|scan-crashed|risk-un|findings-overflow|llm-unreviewed|llm-held|lockfile-unread|config-unread|dependencies-hunks-only|registry-unanswered|history-unscanned)/;

/** Whether a finding says that something was not looked at. */
export function isCoverage({ id }: AnyFinding): boolean {
  return COVERAGE.test(id);
}

/** Whether a finding blocks by the default rules. */
export function isGrave({ severity }: AnyFinding): boolean {
  return severity === 'critical' || severity === 'high';
}

/** `src/a.js:3:5`, as far as it is known. */
export function placeOf(...parts: (string | number | null)[]): string {
  return parts.filter((part) => part !== null && part !== '').join(':');
}

/** A row of a list: of each gate the first findings, the worst first, and how many there are. */
interface Row extends WithGates<AnyFinding> {
  gates: Readonly<
    Record<GateName, { status: string; findings: readonly AnyFinding[]; findings_total: number }>
  >;
}

/**
 * Why a row needs a look of its own before it is overridden with others; null: it does not. A row
 * that does not show all that may block it always does.
 */
export function needsLook(row: Row): string | null {
  const open = openFindings(row);
  const vulnerability = open.find(({ id }) => /^vuln-\d\d$/.test(id));
  if (vulnerability !== undefined) return `holds ${vulnerability.id}`;
  if (open.some((finding) => isCoverage(finding) && isGrave(finding))) {
    return 'something was not looked at';
  }
  if (row.gates.llm.status === 'fail') return 'the LLM review failed it';
  if (Object.values(row.gates).some(hidesGrave)) return 'more findings than this list shows';
  return open.some(isGrave) ? null : 'no critical or high finding explains it';
}

/** Whether what a gate found and the row does not show may be grave. */
function hidesGrave({ findings, findings_total }: Row['gates'][GateName]): boolean {
  const last = findings.at(-1);
  if (findings_total <= findings.length) return false;
  return last === undefined || (isGrave(last) && isOpen(last));
}
