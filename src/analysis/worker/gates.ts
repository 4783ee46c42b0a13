import type { CancelFlag } from '../../core/cancel-flag.ts';
import { asBuffer } from '../../diff/bytes.ts';
import type { ParsedDiff } from '../../diff/diff.ts';
import { parseDiff } from '../../diff/parse.ts';
import { countChanges } from '../../diff/stats.ts';
import { unseenFindings } from '../../gates/coverage/coverage.ts';
import { runScan } from '../../gates/patterns/scan.ts';
import { collectFragments } from '../../gates/syntax/collect.ts';
import { inspectFragments } from '../../gates/syntax/inspect.ts';
import { FINDINGS_PER_RFC_MAX } from '../../limits.ts';
import { CraError } from '../../model/errors.ts';
import type { GateFinding } from '../../model/finding.ts';
import type { DiffStats } from '../../model/rfc.ts';
import { WITHHELD } from '../../redaction/secret-search.ts';
import { redactFindings } from '../../redaction/text-redactor.ts';
import type { Syntax } from '../../rpc/contract.ts';
import type { Client } from '../../rpc/service.ts';
import { foldRepeats, worstFirst } from '../../verdict/findings.ts';
import { type ChangeMeasure, measureChange } from './change-shape.ts';
import { countWithoutSpace } from './changed-lines.ts';
import { createReasonReader } from './reason.ts';
import type { ActiveRules } from './rules-cache.ts';
import { type FindAccepted, suppressAccepted, suppressFindings } from './suppress.ts';

export interface GateTools {
  rules: ActiveRules;
  /** Repository that the change is for: some findings may be accepted there. */
  tenantId: string;
  repoName: string;
  fingerprintKey: Uint8Array;
  syntax: Client<typeof Syntax>;
  /** Null: there is no store, and nothing was accepted by decisions. */
  findAccepted: FindAccepted | null;
}

/** A diff as everything after its parser needs it. */
export interface Change {
  bytes: Uint8Array;
  diff: ParsedDiff;
  stats: DiffStats;
  measure: ChangeMeasure;
  /** Wall time of reading it, ms. */
  parseMs: number;
}

/** Parses a diff and measures it. Throws INVALID_ARGUMENT for a text that is no diff. */
export function readChange(bytes: Uint8Array): Change {
  const start = performance.now();
  const diff = parseDiff(bytes);
  if (diff.files.length === 0) throw noDiff();
  const stats = { ...countChanges(diff.files), bytes: bytes.length };
  const measure = measureChange(diff, countWithoutSpace(bytes));
  return { bytes, diff, stats, measure, parseMs: performance.now() - start };
}

/** What gates 1 and 2 found in a diff, and how long each step took (wall time, ms). */
export interface Scan {
  findings: GateFinding[];
  timings: { parseMs: number; riskMs: number; astMs: number };
}

/**
 * Runs gates 1 and 2 over a change. Throws CANCELLED when the flag is raised. Whatever was not
 * looked at is among the findings; what markers or accepted fingerprints suppress says so.
 */
export async function runGates(
  { bytes, diff, parseMs }: Change,
  tools: GateTools,
  cancel: CancelFlag,
): Promise<Scan> {
  const start = performance.now();
  const { rules, repoName, fingerprintKey, syntax, findAccepted } = tools;
  const { files } = diff;
  const { compiled } = rules;
  const { report, work } = runScan({ bytes, files, rules: compiled, fingerprintKey, cancel });
  const risk = report.findings();
  const unseen = unseenFindings(bytes, diff, fingerprintKey);
  const scanned = performance.now();
  const fragments = collectFragments({ bytes, files, fingerprintKey, cancel });
  const ast = await inspectFragments({ ...fragments, client: syntax, fingerprintKey, cancel });
  const text = asBuffer(bytes);
  const reasons = createReasonReader(text, compiled, work, () => report.rangeRedactor());
  const all = [...unseen, ...risk, ...ast];
  const found = { findings: all, bytes: text, files, reasons };
  const judged = suppressFindings({ ...found, rules, repoName, fingerprintKey });
  const repo = { tenant_id: tools.tenantId, repo_name: repoName };
  const open = await suppressAccepted(judged, repo, findAccepted);
  const folded = foldRepeats(report.hidePaths(open));
  const findings = redactListed(folded, (some) => {
    return redactFindings(some, compiled, work, report.redactor());
  });
  const end = performance.now();
  return {
    findings,
    timings: { parseMs, riskMs: scanned - start, astMs: end - scanned },
  };
}

/**
 * The findings without secrets in the texts of gate 2. Only what is listed shows its text: to
 * redact costs more than to find, and there may be a hundred thousand.
 */
function redactListed(
  findings: readonly GateFinding[],
  redact: (some: readonly GateFinding[]) => GateFinding[],
): GateFinding[] {
  const listed = new Set(worstFirst(findings).slice(0, FINDINGS_PER_RFC_MAX));
  const own = findings.filter((finding) => {
    return isOfSyntax(finding) && finding.id !== 'findings-overflow' && listed.has(finding);
  });
  const redacted = redact(own).values();
  return findings.map((finding) => {
    // What tells of more findings quotes nothing of the change.
    if (!isOfSyntax(finding) || finding.id === 'findings-overflow') return finding;
    const shown = listed.has(finding) ? redacted.next().value : undefined;
    return shown ?? { ...finding, message: WITHHELD, excerpt: null };
  });
}

function isOfSyntax({ gate }: GateFinding): boolean {
  return gate === 'ast';
}

function noDiff(): CraError {
  const message = 'diff: holds no file of a unified diff (no "diff --git", "---/+++" or "@@" line)';
  return new CraError('INVALID_ARGUMENT', message, { details: { field: 'diff' } });
}
