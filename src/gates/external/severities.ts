import type { Severity } from '../../model/finding.ts';
import type { ReportSeverity } from '../../model/rules.ts';

/** What the severity of a result goes by. */
export interface Graded {
  /** As in ids of findings. */
  tool: string;
  level: string;
  /** `security-severity` (0 to 10); null: neither the result nor its rule has one. */
  score: number | null;
  /** In lower case. */
  tags: ReadonlySet<string>;
}

/** The severity of a result: of the first row that fits it, else medium. */
export function severityOf(result: Graded, rows: readonly ReportSeverity[]): Severity {
  const row = rows.find((one) => fits(one, result)) ?? DEFAULTS.find((one) => fits(one, result));
  return row?.severity ?? 'medium';
}

function fits({ tool, level, tag, score }: ReportSeverity, result: Graded): boolean {
  return (
    (tool === undefined || tool === result.tool) &&
    (level === undefined || level === result.level) &&
    (tag === undefined || result.tags.has(tag.toLowerCase())) &&
    (score === undefined || (result.score ?? -1) >= score)
  );
}

/** All levels of a tool. */
function graded(tool: string, [error, warning, note]: readonly Severity[]): ReportSeverity[] {
  const rows = { error, warning, note };
  return Object.entries(rows).flatMap(([level, severity]) => {
    const of = level as keyof typeof rows;
    return severity === undefined ? [] : [{ tool, level: of, severity }];
  });
}

/** Linters: `error` says that a rule is switched on, and nothing about risk. */
const LINTERS = ['biome', 'eslint', 'hadolint', 'oxlint', 'pylint', 'ruff', 'shellcheck', 'tflint'];

/**
 * The rows after the rows of a rules file. Scores count as GitHub reads `security-severity`
 * (docs.github.com, "SARIF support for code scanning"). Rows of tools are about results without
 * one; they say what was seen in reports of the tools.
 */
const DEFAULTS: readonly ReportSeverity[] = [
  { score: 9, severity: 'critical' },
  { score: 7, severity: 'high' },
  { score: 4, severity: 'medium' },
  { score: Number.MIN_VALUE, severity: 'low' },
  // Each result is a secret, and none has a level (gitleaks 8.30).
  { tool: 'gitleaks', severity: 'high' },
  { tool: 'betterleaks', severity: 'high' },
  // Without a key of its platform each failed check is an error (common/output/sarif.py of 3.2).
  { tool: 'checkov', severity: 'medium' },
  ...LINTERS.flatMap((tool) => graded(tool, ['medium', 'low', 'info'])),
  { level: 'error', severity: 'high' },
  { level: 'warning', severity: 'medium' },
  { level: 'note', severity: 'low' },
  { level: 'none', severity: 'info' },
];
