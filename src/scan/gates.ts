import type { CancelFlag } from '../core/cancel-flag.ts';
import type { DiffFile, ParsedDiff } from '../diff/diff.ts';
import { parseDiff } from '../diff/parse.ts';
import { CraError } from '../domain/errors.ts';
import type { GateFinding } from '../domain/finding.ts';
import type { DiffStats } from '../domain/rfc.ts';
import { collectFragments } from '../gates/ast/collect.ts';
import { inspectFragments } from '../gates/ast/inspect.ts';
import type { CompiledRules } from '../gates/risk/compile.ts';
import { type RiskResult, scanRisk } from '../gates/risk/scan.ts';
import { unseenFindings } from '../gates/unseen.ts';
import type { Syntax } from '../rpc/contract.ts';
import type { Client } from '../rpc/service.ts';

export interface GateTools {
  rules: CompiledRules;
  fingerprintKey: Uint8Array;
  syntax: Client<typeof Syntax>;
}

/** What gates 1 and 2 found in a diff, and how long each step took (wall time, ms). */
export interface Scan {
  stats: DiffStats;
  findings: GateFinding[];
  timings: { parseMs: number; riskMs: number; astMs: number };
}

/**
 * Runs the diff parser and gates 1 and 2 over a diff. Throws INVALID_ARGUMENT for a text that is
 * no diff, CANCELLED when the flag is raised. Whatever was not looked at is among the findings.
 */
export async function runGates(
  bytes: Uint8Array,
  tools: GateTools,
  cancel: CancelFlag,
): Promise<Scan> {
  const start = performance.now();
  const diff = parseDiff(bytes);
  if (diff.files.length === 0) throw noDiff();
  const parsed = performance.now();
  const { rules, fingerprintKey, syntax } = tools;
  const { files } = diff;
  const risk = scanRisk({ bytes, files, rules, fingerprintKey, cancel });
  const unseen = unseenFindings(bytes, diff, fingerprintKey);
  const scanned = performance.now();
  const fragments = collectFragments({ bytes, files, fingerprintKey, cancel });
  const ast = await inspectFragments({ ...fragments, client: syntax, fingerprintKey, cancel });
  const end = performance.now();
  return {
    stats: statsOf(diff, bytes.length),
    findings: [...unseen, ...risk.findings, ...ast.map((finding) => redacted(finding, risk))],
    timings: { parseMs: parsed - start, riskMs: scanned - parsed, astMs: end - scanned },
  };
}

/** Gate 2 shows lines as they are; a secret that gate 1 found in them is shown by neither. */
function redacted(finding: GateFinding, { redact }: RiskResult): GateFinding {
  const { excerpt } = finding;
  return excerpt === null ? finding : { ...finding, excerpt: redact(excerpt) };
}

/** Size of a diff that no gate runs on; a text that is no diff has no files. */
export function measure(bytes: Uint8Array): DiffStats {
  return statsOf(parseDiff(bytes), bytes.length);
}

function statsOf(diff: ParsedDiff, bytes: number): DiffStats {
  const { additions, deletions } = diff;
  return { files: countFiles(diff.files), additions, deletions, bytes };
}

/**
 * Files as git counts them: a file that turns into a symlink (or back) is deleted and added in
 * two sections of the diff, but it is one file.
 */
function countFiles(files: readonly DiffFile[]): number {
  const retyped = files.filter((file, index) => {
    const before = files[index - 1];
    const isPair = before?.change === 'deleted' && file.change === 'added';
    return isPair && before.path === file.path;
  });
  return files.length - retyped.length;
}

function noDiff(): CraError {
  const message = 'diff: holds no file of a unified diff (no "diff --git", "---/+++" or "@@" line)';
  return new CraError('INVALID_ARGUMENT', message, { details: { field: 'diff' } });
}
