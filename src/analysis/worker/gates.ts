import type { CancelFlag } from '../../core/deadline.ts';
import { asBuffer } from '../../diff/bytes.ts';
import { countChanges, type DiffFile, type ParsedDiff } from '../../diff/diff.ts';
import { parseDiff } from '../../diff/parse.ts';
import { type BasePaths, basePathsOf, wantedForPaths } from '../../gates/coverage/base-paths.ts';
import { coverageOf } from '../../gates/coverage/coverage.ts';
import { wantedForCode } from '../../gates/coverage/hidden-code.ts';
import { runScan } from '../../gates/patterns/scan.ts';
import { collectFragments } from '../../gates/syntax/collect.ts';
import { asInTest } from '../../gates/syntax/findings.ts';
import { inspectFragments } from '../../gates/syntax/inspect.ts';
import { GIT } from '../../git/limits.ts';
import type { TreeFiles, WantedFile } from '../../model/change.ts';
import { CraError } from '../../model/errors.ts';
import type { GateFinding } from '../../model/finding.ts';
import { FINDINGS_PER_RFC_MAX } from '../../model/limits.ts';
import type { DiffStats } from '../../model/rfc.ts';
import { redactFindings } from '../../redaction/redact.ts';
import { WITHHELD } from '../../redaction/secret-search.ts';
import type { Syntax } from '../../rpc/contract.ts';
import type { Client } from '../../rpc/service.ts';
import { foldRepeats, worstFirst } from '../../verdict/verdict.ts';
import { type ChangeMeasure, countWithoutSpace, measureChange } from './change-shape.ts';
import { wantedForMarkers } from './marker-lines.ts';
import { createReasonReader } from './markers.ts';
import type { ActiveRules } from './rules-cache.ts';
import { type FindAccepted, suppressAccepted, suppressFindings } from './suppress.ts';

export interface GateTools {
  rules: ActiveRules;
  /** Repository that the change is for: some findings may be accepted there. */
  tenantId: string;
  repoName: string;
  fingerprintKey: Uint8Array;
  syntax: Client<typeof Syntax>;
  /** Null: without a store, decisions have accepted nothing. */
  findAccepted: FindAccepted | null;
  /** As `wantedFiles` asked; null: there is no repository at hand. */
  files: TreeFiles;
}

/** Creates what makes the tools for one change out of what a thread has for all. */
export function createGateTools(options: {
  fingerprintKey: Uint8Array;
  syntax: GateTools['syntax'];
  accepted: FindAccepted | null;
}) {
  const { fingerprintKey, syntax, accepted: findAccepted } = options;
  return (
    { tenant_id, repo_name }: { tenant_id: string; repo_name: string },
    rules: ActiveRules,
    files: TreeFiles,
  ): GateTools => {
    const place = { tenantId: tenant_id, repoName: repo_name };
    return { rules, files, ...place, fingerprintKey, syntax, findAccepted };
  };
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

/** Parses a diff and measures it. Throws INVALID_ARGUMENT for a text that is not a diff. */
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

/** The whole files that judging a diff needs beside it, at most GIT.BLOBS_MAX. */
export function wantedFiles(bytes: Uint8Array, rules: ActiveRules): WantedFile[] {
  const diff = parseDiff(bytes);
  const forCode = wantedForCode(bytes, diff);
  const whole = new Set(forCode.map(({ path }) => path));
  const forPaths = wantedForPaths(bytes, diff.files);
  const markers = wantedForMarkers(bytes, diff.files, whole, rules.pipeline);
  const all = [...forCode, ...forPaths, ...markers];
  const distinct = new Map(all.map((want) => [`${want.side}:${want.path}`, want]));
  return [...distinct.values()].slice(0, GIT.BLOBS_MAX);
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
  const { findings: uncovered, readings } = coverageOf(
    ...([bytes, diff, tools.fingerprintKey, tools.files] as const),
  );
  const paths = basePathsOf(diff.files, tools.files, tools.rules.compiled.generatedPaths);
  const shown = await judgeFiles({ bytes, files: diff.files, uncovered, paths }, tools, cancel);
  const known = new Set(shown.findings.map(placeKey));
  const scan = { findings: shown.findings, timings: { parseMs, ...shown.timings } };
  for (const { bytes: text, file, path } of readings) {
    const part = { bytes: text, files: [file], uncovered: [], paths };
    const { findings, timings } = await judgeFiles(part, tools, cancel);
    const named = findings.map((one) => (one.file === file.path ? { ...one, file: path } : one));
    scan.findings.push(...named.filter((one) => !known.has(placeKey(one))));
    scan.timings.riskMs += timings.riskMs;
    scan.timings.astMs += timings.astMs;
  }
  scan.findings.push(...tools.rules.notes);
  return scan;
}

function placeKey({ id, file, line }: GateFinding): string {
  return `${id} ${line} ${file}`;
}

/** Files, and the text in which their hunks are. */
interface Part {
  bytes: Uint8Array;
  files: readonly DiffFile[];
  /** Findings of it that no rule made. */
  uncovered: readonly GateFinding[];
  /** What the base says of paths of the whole change. */
  paths: BasePaths;
}

async function judgeFiles(
  { bytes, files, uncovered, paths }: Part,
  tools: GateTools,
  cancel: CancelFlag,
): Promise<{ findings: GateFinding[]; timings: { riskMs: number; astMs: number } }> {
  const start = performance.now();
  const { rules, repoName, fingerprintKey, syntax, findAccepted } = tools;
  const { compiled } = rules;
  const { report, work } = runScan({ bytes, files, rules: compiled, fingerprintKey, cancel });
  const risk = report.findings();
  const scanned = performance.now();
  const { isGenerated } = paths;
  const fragments = collectFragments({ bytes, files, fingerprintKey, cancel, isGenerated });
  const batch = { ...fragments, client: syntax, fingerprintKey, cancel };
  const inspected = await inspectFragments(batch);
  const ast = inspected.map((one) => (paths.isTest(one.file ?? '') ? asInTest(one) : one));
  const text = asBuffer(bytes);
  const reasons = createReasonReader(text, compiled, work, () => report.rangeRedactor());
  const all = [...uncovered, ...risk, ...ast];
  const found = { findings: all, bytes: text, files, reasons, trees: tools.files };
  const judged = suppressFindings({ ...found, rules, repoName, fingerprintKey });
  const repo = { tenant_id: tools.tenantId, repo_name: repoName };
  const open = await suppressAccepted(judged, repo, findAccepted);
  const folded = foldRepeats(report.hidePaths(open));
  const findings = redactListed(folded, (some) => {
    return redactFindings(some, compiled, work, report.redactor());
  });
  const end = performance.now();
  return { findings, timings: { riskMs: scanned - start, astMs: end - scanned } };
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
    // The finding that counts the unlisted ones quotes nothing of the change.
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
