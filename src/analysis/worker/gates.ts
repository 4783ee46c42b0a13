import type { CancelFlag } from '../../core/deadline.ts';
import { asBuffer } from '../../diff/bytes.ts';
import { countChanges, type DiffFile, LINE, LineCursor, type ParsedDiff } from '../../diff/diff.ts';
import { parseDiff } from '../../diff/parse.ts';
import { DocumentRules } from '../../gates/configuration/document-rules.ts';
import { inspectConfiguration } from '../../gates/configuration/inspect.ts';
import {
  type DocumentsRead,
  joinFindings,
  NOTHING_READ,
} from '../../gates/configuration/join-findings.ts';
import {
  wantedForConfiguration,
  wantedForResources,
} from '../../gates/configuration/wanted-files.ts';
import { coverageOf } from '../../gates/coverage/coverage.ts';
import { wantedForCode, wholeFile } from '../../gates/coverage/hidden-code.ts';
import { type BasePaths, basePathsOf, wantedForPaths } from '../../gates/coverage/paths.ts';
import { reachedTests, wantedForTests } from '../../gates/coverage/reached-tests.ts';
import {
  inspectDependencies,
  wantedForDependencies,
  wantedForManifests,
} from '../../gates/dependencies/inspect.ts';
import type { Registry } from '../../gates/dependencies/registry.ts';
import type { CompiledRules } from '../../gates/patterns/compiled-rules.ts';
import { runScan } from '../../gates/patterns/scan.ts';
import { collectFragments } from '../../gates/syntax/collect.ts';
import { inspectFragments } from '../../gates/syntax/inspect.ts';
import { sinkFilterWith } from '../../gates/syntax/languages.ts';
import { openTree } from '../../gates/syntax/program/tree.ts';
import { asInTest } from '../../gates/syntax/report/findings.ts';
import {
  inspectWholeFiles,
  type WholeFiles,
  wantedForSyntax,
} from '../../gates/syntax/whole-files.ts';
import type { DecidedFiles, TreeFiles, WantedFile } from '../../model/change.ts';
import type { Dependencies } from '../../model/dependencies.ts';
import { CraError } from '../../model/errors.ts';
import { type GateFinding, lesserId, severityRank } from '../../model/finding.ts';
import { FINDINGS_PER_RFC_MAX, SOURCE } from '../../model/limits.ts';
import type { DiffStats } from '../../model/rfc.ts';
import { redactFindings, redactTexts } from '../../redaction/redact.ts';
import { WITHHELD } from '../../redaction/secret-search.ts';
import type { SettledCall, Syntax } from '../../rpc/contract.ts';
import type { Client } from '../../rpc/service.ts';
import type { TreePlace, TreeRange, Trees } from '../../rpc/source-contract.ts';
import type { ChangeShape } from '../../verdict/score-model.ts';
import { foldRepeats, worstFirst } from '../../verdict/verdict.ts';
import { addedMarks } from './added-marks.ts';
import { countWithoutSpace, measureChange } from './change-shape.ts';
import { wantedForMarkers } from './marker-lines.ts';
import type { ActiveRules } from './rules-cache.ts';
import {
  createReasonReader,
  type FindAccepted,
  suppressAccepted,
  suppressFindings,
} from './suppress.ts';

export interface GateTools {
  rules: ActiveRules;
  /** Repository that the change is for: some findings may be accepted there. */
  tenantId: string;
  repoName: string;
  fingerprintKey: Uint8Array;
  /** When acceptances in the rules and in comments must not have ended, ms since the epoch. */
  nowMs: number;
  syntax: Client<typeof Syntax>;
  /** Asked about new packages; absent or null: no registry is set. */
  registry?: Registry | null;
  /** Null: without a store, decisions have accepted nothing. */
  findAccepted: FindAccepted | null;
  /** As `wantedFiles` asked; null: there is no repository at hand. */
  files: TreeFiles;
  /** Both states of the repository; null: other files are not at hand. */
  program?: ReturnType<typeof openProgram> | null;
  /** Of a commit among others: as the search for markers has it. */
  brought?: ReadonlySet<string>;
  /** As the search for markers has it. */
  decided?: readonly DecidedFiles[] | null | undefined;
}

/** Creates what makes the tools for one change out of what a thread has for all. */
export function createGateTools(options: {
  fingerprintKey: Uint8Array;
  syntax: GateTools['syntax'];
  accepted: FindAccepted | null;
  trees: Client<typeof Trees> | null;
  registry: Registry | null;
  now(): Date;
}) {
  const { fingerprintKey, syntax, accepted: findAccepted, trees, registry } = options;
  return (
    { tenant_id, repo_name }: { tenant_id: string; repo_name: string },
    rules: ActiveRules,
    files: TreeFiles,
    decided: readonly DecidedFiles[] | null = null,
    range: TreeRange | null = null,
  ): GateTools => {
    const place = { tenantId: tenant_id, repoName: repo_name };
    const nowMs = options.now().getTime();
    const program = trees === null || range === null ? null : openProgram(trees, range);
    const shared = { fingerprintKey, nowMs, syntax, findAccepted, program, registry };
    return { rules, files, decided, ...place, ...shared };
  };
}

/** Files of both states of a repository, as gate 2 asks for them. */
function openProgram(trees: Client<typeof Trees>, { base, head }: TreeRange) {
  const open = (place: TreePlace | null) =>
    openTree({
      async texts(paths) {
        if (place === null) return { texts: paths.map(() => null), isCut: false };
        return trees.texts({ ...place, paths: [...paths] });
      },
      async names(folders) {
        if (place === null) return folders.map(() => []);
        return (await trees.names({ ...place, folders: [...folders] })).names;
      },
      async mentions(paths, words) {
        if (place === null) return { paths: [], isCut: false };
        return trees.mentions({ ...place, paths: [...paths], words: [...words] });
      },
    });
  return { base: open(base), head: open(head) };
}

/** A diff as everything after its parser needs it. */
export interface Change {
  bytes: Uint8Array;
  diff: ParsedDiff;
  stats: DiffStats;
  shape: ChangeShape;
  /** Wall time of reading it, ms. */
  parseMs: number;
}

/** Parses a diff and measures it. Throws INVALID_ARGUMENT for a text that is not a diff. */
export function readChange(bytes: Uint8Array): Change {
  const start = performance.now();
  const diff = parseDiff(bytes);
  if (diff.files.length === 0) throw noDiff();
  const stats = { ...countChanges(diff.files), bytes: bytes.length };
  const shape = measureChange(bytes, diff, countWithoutSpace(bytes));
  return { bytes, diff, stats, shape, parseMs: performance.now() - start };
}

/** What gates 1 and 2 found in a diff, and how long each step took (wall time, ms). */
export interface Scan {
  findings: GateFinding[];
  timings: { parseMs: number; riskMs: number; astMs: number };
  /** Packages of its lockfiles, without secrets; null: it alters none. */
  dependencies?: Dependencies | null;
}

/** The whole files that judging a diff needs beside it, at most SOURCE.BLOBS_MAX. */
export function wantedFiles(bytes: Uint8Array, rules: ActiveRules): WantedFile[] {
  const diff = parseDiff(bytes);
  const forCode = wantedForCode(bytes, diff);
  const whole = new Set(forCode.flatMap(({ side, path }) => (side === 'head' ? [path] : [])));
  const forPaths = wantedForPaths(bytes, diff.files);
  const markers = wantedForMarkers(bytes, diff.files, whole, rules.pipeline);
  const tests = wantedForTests(diff.files);
  const documents = wantedForConfiguration(diff.files);
  const resources = wantedForResources(diff.files);
  const locks = wantedForDependencies(diff.files);
  const forGates = [...documents, ...locks, ...wantedForSyntax(diff.files), ...resources];
  // Few, and a manifest that is left out would make nobody stricter.
  const known = [...tests, ...forCode, ...forPaths, ...markers, ...forGates];
  // Last: only their names count, and they may use up the room of files that are judged.
  const all = [...known, ...wantedForManifests(bytes, diff.files)];
  const distinct = new Map(all.map((want) => [`${want.side}:${want.path}`, want]));
  return [...distinct.values()].slice(0, SOURCE.BLOBS_MAX);
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
    tools.rules.compiled.allowsProgram,
  );
  const reached = reachedTests(bytes, diff.files, tools.files);
  const base = basePathsOf(
    diff.files,
    tools.files,
    tools.rules.compiled.generatedPaths,
    tools.decided,
  );
  const paths = { ...base, isTest: (path: string) => !reached.has(path) && base.isTest(path) };
  const start = performance.now();
  const { syntax: client, fingerprintKey } = tools;
  const { catalogue } = tools.rules.compiled;
  const run = diff.files.map((file) => reached.asRun(file));
  const read = {
    bytes,
    files: run,
    trees: reached.trees,
    client,
    fingerprintKey,
    cancel,
    catalogue,
    program: tools.program ?? null,
  };
  const whole = await inspectWholeFiles(read);
  const wholeMs = performance.now() - start;
  const forDocuments = { rules: tools.rules.compiled, fingerprintKey };
  const ofDiff = { bytes, files: diff.files, trees: tools.files, program: tools.program ?? null };
  const documents = await inspectConfiguration({ ...ofDiff, ...forDocuments });
  const { registry = null, nowMs } = tools;
  const ofLocks = { bytes, files: diff.files, trees: tools.files, fingerprintKey };
  const locks = await inspectDependencies({ ...ofLocks, registry, nowMs });
  const found = [...whole.findings.map(reached.atPath), ...documents.findings, ...locks.findings];
  const { inDiff, beyond } = placesOf(found, bytes, diff.files);
  const isLeft = (file: DiffFile) => !whole.judged.has(file);
  const files = diff.files.filter(({ path }) => !reached.has(path));
  const left = files.filter(isLeft);
  const { settled } = whole;
  const part = { bytes, files, left, found: inDiff, settled, uncovered, paths, documents };
  const shown = await inspectFiles(part, tools, cancel);
  for (const [index, file] of run.entries()) {
    const path = diff.files[index]?.path ?? file.path;
    if (reached.has(path)) readings.push({ file, bytes, path, base: null, warning: null });
  }
  const scan = {
    findings: shown.findings,
    timings: { parseMs, ...shown.timings },
    dependencies: locks.summary && redactedSummary(locks.summary, tools.rules, cancel),
  };
  scan.timings.astMs += wholeMs;
  for (const [file, some] of beyond) {
    const findings = await inspectBeyond(file, some, paths, tools, cancel);
    scan.findings.push(...findings);
  }
  const known = new Map(scan.findings.map((one) => [placeKey(one), one]));
  const inspect = async (
    { bytes: text, file }: { bytes: Uint8Array; file: DiffFile },
    path: string,
  ) => {
    // All of a text that was found in a file is there, as that of a new file is.
    const isOfDiff = text === bytes;
    const asNew = { ...file, change: 'added' } as const;
    const all = isOfDiff
      ? { bytes, files: [file], trees: reached.trees }
      : { bytes: text, files: [asNew], trees: null };
    const seen = documents.read.has(file.path)
      ? { ...documents, findings: [] }
      : await inspectConfiguration({ ...all, ...forDocuments });
    const own = { bytes: text, files: [file], left: [file].filter(isLeft), settled, path };
    const about = { found: seen.findings, documents: seen, uncovered: [], paths };
    const { findings, timings } = await inspectFiles({ ...own, ...about }, tools, cancel);
    scan.timings.riskMs += timings.riskMs;
    scan.timings.astMs += timings.astMs;
    return findings;
  };
  for (const reading of readings) {
    const { file, path, base: before } = reading;
    const changed = diff.files.find((one) => one.path === path);
    const all = await inspect(reading, path);
    const isOld = before !== null && changed !== undefined;
    const findings = isOld
      ? newIn(all, await inspect(before, path), addedLines(bytes, changed))
      : all;
    const named = findings.map((one) => (one.file === file.path ? { ...one, file: path } : one));
    const fresh = named.filter((one) => isGraver(one, known.get(placeKey(one))));
    // What another name of the file makes graver takes the place of what is known.
    const replaced = new Set(fresh.map((one) => known.get(placeKey(one))));
    scan.findings = [...scan.findings.filter((one) => !replaced.has(one)), ...fresh];
    for (const one of fresh) known.set(placeKey(one), one);
  }
  scan.findings.push(...tools.rules.notes, ...addedMarks({ bytes, files: diff.files }, tools));
  return scan;
}

/** Lockfiles hold texts of anybody: a secret may stand where a version should. */
function redactedSummary(
  summary: Dependencies,
  { compiled }: ActiveRules,
  cancel: CancelFlag,
): Dependencies {
  const texts = summary.packages.map((one) => JSON.stringify(one));
  const shown = redactTexts(texts, compiled, cancel, () => []);
  const packages = summary.packages.map((one, index) =>
    shown[index] === texts[index] ? one : { ...HIDDEN, direct: one.direct },
  );
  return { ...summary, packages };
}

/** A package of which a text holds a secret. */
const HIDDEN = { file: '', name: '[redacted]', from: null, to: null, required_by: null };

/** Findings of whole files: on lines that the diff shows, and by file on other lines. */
function placesOf(findings: readonly GateFinding[], bytes: Uint8Array, files: readonly DiffFile[]) {
  const inDiff: GateFinding[] = [];
  const beyond = new Map<DiffFile, GateFinding[]>();
  const shown = new Map<DiffFile, ReadonlySet<number>>();
  const there = files.filter(({ change }) => change !== 'deleted');
  const byPath = new Map(there.map((file) => [file.path, file]));
  for (const finding of findings) {
    const file = byPath.get(finding.file ?? '');
    if (file === undefined || finding.line === null) {
      inDiff.push(finding);
      continue;
    }
    const lines = shown.get(file) ?? linesOf(bytes, file, isShown);
    shown.set(file, lines);
    if (lines.has(finding.line)) inDiff.push(finding);
    else beyond.set(file, [...(beyond.get(file) ?? []), finding]);
  }
  return { inDiff, beyond };
}

const isShown = (kind: number) => kind !== LINE.REMOVED;
const isAdded = (kind: number) => kind === LINE.ADDED;

/** Numbers of the lines that the change adds; of a file shown as binary, any may be new. */
function addedLines(bytes: Uint8Array, file: DiffFile): Pick<ReadonlySet<number>, 'has'> {
  return file.content === 'binary' ? { has: () => true } : linesOf(bytes, file, isAdded);
}

/** Numbers of the lines of the new file that its hunks have, of some kinds. */
function linesOf(
  bytes: Uint8Array,
  { hunks }: DiffFile,
  isWanted: (kind: number) => boolean,
): ReadonlySet<number> {
  const lines = new Set<number>();
  const cursor = new LineCursor(bytes);
  for (const hunk of hunks) {
    cursor.open(hunk);
    while (cursor.next()) if (isWanted(cursor.kind)) lines.add(cursor.newLine);
  }
  return lines;
}

/**
 * The findings of a file read whole that it did not have before: neither the same, nor one of the
 * same rule between lines of which the change adds neither. What a rule over several lines matches
 * is longer by whatever is added in its middle.
 */
function newIn(
  findings: readonly GateFinding[],
  before: readonly GateFinding[],
  added: Pick<ReadonlySet<number>, 'has'>,
): GateFinding[] {
  const old = [...before];
  const take = (isSame: (one: GateFinding) => boolean) => {
    const at = old.findIndex(isSame);
    if (at !== -1) old.splice(at, 1);
    return at !== -1;
  };
  const changed = findings.filter(
    ({ id, fingerprint }) => !take((one) => one.id === id && one.fingerprint === fingerprint),
  );
  return changed.filter(({ id, line, end_line }) => {
    const isAtAdded = line === null || added.has(line) || added.has(end_line ?? line);
    return isAtAdded || !take((one) => one.id === id);
  });
}

/**
 * Findings on lines that the diff does not show: markers are read, and secrets hidden, in the whole
 * file. What gate 1 finds there is not of this change.
 */
async function inspectBeyond(
  file: DiffFile,
  found: readonly GateFinding[],
  paths: BasePaths,
  tools: GateTools,
  cancel: CancelFlag,
): Promise<GateFinding[]> {
  const head = tools.files?.find(({ side, path }) => side === 'head' && path === file.path);
  const whole = wholeFile(file, head?.bytes ?? new Uint8Array(), file.path);
  const own = { bytes: whole.bytes, files: [whole.file], left: [], found, isBeyond: true };
  const about = { settled: new Map(), documents: NOTHING_READ, uncovered: [], paths };
  const { findings } = await inspectFiles({ ...own, ...about }, tools, cancel);
  return findings;
}

function isGraver(one: GateFinding, known: GateFinding | undefined): boolean {
  return known === undefined || severityRank(one.severity) < severityRank(known.severity);
}

function placeKey({ id, file, line }: GateFinding): string {
  return `${id} ${line} ${file}`;
}

/** Files, and the text in which their hunks are. */
interface Part {
  bytes: Uint8Array;
  files: readonly DiffFile[];
  /** Files whose hunks gate 2 inspects; `found`: its findings in the others. */
  left: readonly DiffFile[];
  found: readonly GateFinding[];
  /** By path of a file that gate 2 read whole: calls that get only what the program says. */
  settled: WholeFiles['settled'];
  documents: DocumentsRead;
  /** The text is not of the change: gate 1 only hides the secrets in it. */
  isBeyond?: boolean;
  /** Findings of it that no rule made. */
  uncovered: readonly GateFinding[];
  /** What the base says of paths of the whole change. */
  paths: BasePaths;
  /** Path of its one file, which stands in it under another name; absent: as it stands there. */
  path?: string;
}

async function inspectFiles(
  part: Part,
  tools: GateTools,
  cancel: CancelFlag,
): Promise<{ findings: GateFinding[]; timings: { riskMs: number; astMs: number } }> {
  const start = performance.now();
  const { bytes, files, left, found, isBeyond = false, uncovered, paths, path, documents } = part;
  const { rules, repoName, fingerprintKey, syntax, findAccepted } = tools;
  const { compiled } = rules;
  const { report, work } = runScan({ bytes, files, rules: compiled, fingerprintKey, cancel });
  const quoting = found.filter(({ gate }) => gate === 'risk');
  const ofDocuments =
    quoting.length === 0 ? [] : redactFindings(quoting, compiled, work, report.redactor());
  const ofLines = isBeyond ? [] : report.findings();
  const ofRules = ofDocuments.length === 0 ? null : DocumentRules.of(compiled);
  const joined = joinFindings(ofLines, ofDocuments, documents, compiled).map((one) => {
    const isLesser = ofRules?.replacedBy(one.id) !== undefined && paths.isTest(one.file ?? '');
    return isLesser && severityRank(one.severity) < severityRank('medium')
      ? { ...one, severity: 'medium' as const }
      : one;
  });
  const scanned = performance.now();
  const { isGenerated } = paths;
  const { catalogue } = compiled;
  const filter = sinkFilterWith(catalogue);
  const from = { bytes, files: left, fingerprintKey, cancel, isGenerated, filter };
  const batch = { ...collectFragments(from), client: syntax, fingerprintKey, cancel, catalogue };
  const ofSyntax = found.filter(({ gate }) => gate === 'ast');
  const ofHunks = await inspectFragments(batch);
  const settled = new Map([...part.settled, ...ofHunks.settled]);
  const risk = lowerSettled(joined, settled, compiled);
  const ast = [...ofSyntax, ...ofHunks.findings].map((one) =>
    paths.isTest(one.file ?? '') ? asInTest(one) : one,
  );
  const text = asBuffer(bytes);
  const reasons = createReasonReader(text, compiled, work, () => report.rangeRedactor());
  // Before suppression, which depends on the severity.
  const all = [...uncovered, ...risk, ...ast].map((one) => {
    return compiled.grade(one, one.file === null ? null : (path ?? one.file));
  });
  const about = { findings: all, bytes: text, files, reasons, trees: tools.files };
  const { nowMs, brought, decided } = tools;
  const marks = { brought, decided };
  const place = { rules, repoName, fingerprintKey, nowMs };
  const checked = suppressFindings({ ...about, ...place, ...marks });
  const repo = { tenant_id: tools.tenantId, repo_name: repoName };
  const open = await suppressAccepted(checked, repo, findAccepted);
  const folded = foldRepeats(report.hidePaths(open));
  const findings = redactListed(folded, (some) => {
    return redactFindings(some, compiled, work, report.redactor());
  });
  const end = performance.now();
  return { findings, timings: { riskMs: scanned - start, astMs: end - scanned } };
}

/**
 * Findings of gate 1, of which those are low that are about a call that gets only what its function
 * writes down, as gate 2 knows. `settled`: these calls by the path of their file.
 */
function lowerSettled(
  findings: readonly GateFinding[],
  settled: ReadonlyMap<string, readonly SettledCall[]>,
  { callRules }: CompiledRules,
): readonly GateFinding[] {
  if (settled.size === 0) return findings;
  const isSettled = ({ id, cwe, file, line, column }: GateFinding) => {
    const calls = settled.get(file ?? '');
    if (calls === undefined || line === null || column === null) return false;
    if (!callRules.has(`${id} ${cwe}`)) return false;
    // Expressions of rules take the character before a name as well.
    const isFrom = ([first, from]: SettledCall['start']) =>
      line > first || (line === first && column + 1 >= from);
    const isTo = ([last, to]: SettledCall['end']) => line < last || (line === last && column < to);
    return calls.some((one) => one.cwe === cwe && isFrom(one.start) && isTo(one.end));
  };
  return findings.map((one): GateFinding => {
    if (!isSettled(one) || severityRank(one.severity) > severityRank('low')) return one;
    const id = lesserId({ id: one.id, cwe: one.cwe ?? '' });
    return { ...one, id, severity: 'low' };
  });
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
    if (shown !== undefined) return shown;
    const { title: _title, flow: _flow, ...rest } = finding;
    return { ...rest, message: WITHHELD, excerpt: null };
  });
}

function isOfSyntax({ gate }: GateFinding): boolean {
  return gate === 'ast';
}

function noDiff(): CraError {
  const message = 'diff: holds no file of a unified diff (no "diff --git", "---/+++" or "@@" line)';
  return new CraError('INVALID_ARGUMENT', message, { details: { field: 'diff' } });
}
