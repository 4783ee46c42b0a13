import { createCancelFlag } from '../../../src/core/deadline.ts';
import { parseDiff } from '../../../src/diff/parse.ts';
import { compileRules } from '../../../src/gates/patterns/compile.ts';
import type { CompiledRules } from '../../../src/gates/patterns/compiled-rules.ts';
import { runScan, scanRisk } from '../../../src/gates/patterns/scan.ts';
import type { GateFinding } from '../../../src/model/finding.ts';
import type { Allowlist, Pattern, RuleSet } from '../../../src/model/rules.ts';

export const KEY = Buffer.from('key of the fingerprints in tests');

/** A pattern of which only the given fields matter. */
export function pattern(fields: Partial<Pattern> & Pick<Pattern, 'id'>): Pattern {
  return {
    description: 'made for a test',
    severity: fields.id.startsWith('vuln-') ? 'critical' : 'medium',
    message: 'found',
    source: 'https://example.com/',
    examples: { match: [], noMatch: [] },
    ...fields,
  };
}

/** A rule set; the prefix of an id decides where its pattern goes. */
export function ruleSet(
  patterns: readonly Pattern[],
  allowlists: readonly Allowlist[] = [],
): RuleSet {
  const of = (prefix: string) => patterns.filter(({ id }) => id.startsWith(prefix));
  return {
    version: 1,
    secret_patterns: of('secret-'),
    risk_patterns: of('risk-'),
    vulnerability_patterns: of('vuln-'),
    allowlists,
    pipeline: { block_severities: ['critical', 'high'], block_score: null },
  };
}

export function compile(...patterns: Pattern[]): CompiledRules {
  return compileRules(ruleSet(patterns));
}

/** A diff that adds a file with these lines. */
export function newFile(text: string | Buffer, path = 'src/a.txt'): Buffer {
  const bytes = Buffer.from(text);
  const lines: Buffer[] = [];
  let at = 0;
  for (let end = bytes.indexOf('\n'); end !== -1; end = bytes.indexOf('\n', at)) {
    lines.push(bytes.subarray(at, end));
    at = end + 1;
  }
  if (at < bytes.length || lines.length === 0) lines.push(bytes.subarray(at));
  const names = `--- /dev/null\n+++ b/${path}\n`;
  const head = `diff --git a/${path} b/${path}\nnew file mode 100644\n${names}`;
  const body = lines.flatMap((line) => [Buffer.from('+'), line, Buffer.from('\n')]);
  return Buffer.concat([Buffer.from(`${head}@@ -0,0 +1,${lines.length} @@\n`), ...body]);
}

export function scanDiff(rules: CompiledRules, diff: string | Buffer): GateFinding[] {
  const bytes = Buffer.from(diff);
  const { files } = parseDiff(bytes);
  const cancel = createCancelFlag();
  return scanRisk({ bytes, files, rules, fingerprintKey: KEY, cancel }).findings;
}

/** Findings in a new file. */
export function scanText(
  rules: CompiledRules,
  text: string | Buffer,
  path?: string,
): GateFinding[] {
  return scanDiff(rules, newFile(text, path));
}

/** Runs of expressions, bytes given to them, and bytes of decoded and joined texts. */
export function workOf(
  rules: CompiledRules,
  diff: Buffer,
): { regexRuns: number; regexBytes: number; derivedBytes: number; findings: GateFinding[] } {
  const { files } = parseDiff(diff);
  const cancel = createCancelFlag();
  const { work, report } = runScan({ bytes: diff, files, rules, fingerprintKey: KEY, cancel });
  const { regexRuns, regexBytes, derivedBytes } = work;
  return { regexRuns, regexBytes, derivedBytes, findings: report.findings() };
}

/** Where findings are: `id line:column`, `id line:column-end` or `id file`. */
export function placesOf(findings: readonly GateFinding[]): string[] {
  return findings.map(({ id, file, line, column, end_line }) => {
    if (line === null) return `${id} ${file}`;
    return `${id} ${line}:${column}${end_line === line ? '' : `-${end_line}`}`;
  });
}
