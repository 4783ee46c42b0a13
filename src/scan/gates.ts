import type { CancelFlag } from '../core/cancel-flag.ts';
import type { DiffFile, ParsedDiff } from '../diff/diff.ts';
import { parseDiff } from '../diff/parse.ts';
import { CraError } from '../domain/errors.ts';
import type { GateFinding } from '../domain/finding.ts';
import type { DiffStats } from '../domain/rfc.ts';
import { collectFragments } from '../gates/ast/collect.ts';
import { inspectFragments } from '../gates/ast/inspect.ts';
import type { CompiledRules } from '../gates/risk/compile.ts';
import { scanRisk } from '../gates/risk/scan.ts';
import { unseenFindings } from '../gates/unseen.ts';
import type { Syntax } from '../rpc/contract.ts';
import type { Client } from '../rpc/service.ts';
import { type ChangeMeasure, measureChange } from './change-shape.ts';
import { countWithoutSpace } from './changed-lines.ts';

export interface GateTools {
  rules: CompiledRules;
  fingerprintKey: Uint8Array;
  syntax: Client<typeof Syntax>;
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
  const { additions, deletions } = diff;
  const stats = { files: countFiles(diff.files), additions, deletions, bytes: bytes.length };
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
 * looked at is among the findings.
 */
export async function runGates(
  { bytes, diff, parseMs }: Change,
  tools: GateTools,
  cancel: CancelFlag,
): Promise<Scan> {
  const start = performance.now();
  const { rules, fingerprintKey, syntax } = tools;
  const { files } = diff;
  const risk = scanRisk({ bytes, files, rules, fingerprintKey, cancel });
  const unseen = unseenFindings(bytes, diff, fingerprintKey);
  const scanned = performance.now();
  const fragments = collectFragments({ bytes, files, fingerprintKey, cancel });
  const ast = await inspectFragments({ ...fragments, client: syntax, fingerprintKey, cancel });
  const end = performance.now();
  return {
    findings: [...unseen, ...risk, ...ast],
    timings: { parseMs, riskMs: scanned - start, astMs: end - scanned },
  };
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
