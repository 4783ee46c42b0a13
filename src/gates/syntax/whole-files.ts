import type { CancelFlag } from '../../core/deadline.ts';
import { asBuffer } from '../../diff/bytes.ts';
import { type DiffFile, LINE, LineCursor } from '../../diff/diff.ts';
import type { TreeFiles, WantedFile } from '../../model/change.ts';
import { type GateFinding, severityRank } from '../../model/finding.ts';
import type { OwnTable } from '../../model/rules.ts';
import type { SettledCall, Syntax } from '../../rpc/contract.ts';
import type { Client } from '../../rpc/service.ts';
import { isLesserPath } from '../coverage/paths.ts';
import { AST_GATE } from '../limits.ts';
import { newSideOf, replacedPaths, wholeNewFiles } from './collect.ts';
import { findCompletedFlows, type Helper } from './completed-flows.ts';
import { reduceBoth } from './fragments/large-files.ts';
import {
  embedsScript,
  familyOf,
  isScriptByShebang,
  type Language,
  languageOf,
  withoutTail,
} from './languages.ts';
import { asCompiled, hiddenBreaks } from './parse/readings.ts';
import type { ProgramTree } from './program/tree.ts';
import {
  hunksOnlyFinding,
  MINIFIED_LINE_CHARS_MIN,
  newAloneFinding,
  partOnlyFinding,
  programPartialFinding,
} from './report/findings.ts';
import { type Flow, LOST, USED_UP, type Version, WholeReader } from './whole-reader.ts';

/**
 * Gate 2 over changed files of which both versions are at hand: what the new one has and the base
 * has not. So a source far from its sink, a step between them and the end of a check are seen
 * wherever the diff shows nothing of the rest.
 */
interface WholeFilesInput {
  /** The diff, and its files. */
  bytes: Uint8Array;
  files: readonly DiffFile[];
  /** As `wantedForSyntax` asked; null: there is no repository at hand. */
  trees: TreeFiles;
  client: Client<typeof Syntax>;
  fingerprintKey: Uint8Array;
  cancel: CancelFlag;
  /** Rows of the rules for the catalogue; absent: they have none. */
  catalogue?: readonly OwnTable[];
  /** As of WholeReader. */
  program?: Readonly<Record<'base' | 'head', ProgramTree>> | null;
}

export interface WholeFiles {
  /** What is new in the files of `judged`, and one finding for each reason to leave files out. */
  findings: GateFinding[];
  /** Files that need not be judged by their hunks any more. */
  judged: ReadonlySet<DiffFile>;
  /** Of these by path: calls that get only what the program itself says. */
  settled: ReadonlyMap<string, readonly SettledCall[]>;
}

/** The versions of changed files that `inspectWholeFiles` compares. */
export function wantedForSyntax(files: readonly DiffFile[]): WantedFile[] {
  const replaced = replacedPaths(files);
  const compared = comparedFiles(files, replaced).filter(({ path }) => languageOf(path) !== null);
  return compared.slice(0, AST_GATE.WHOLE_FILES_MAX).flatMap((file) => [
    { side: 'head', path: file.path },
    { side: 'base', path: file.oldPath ?? replaced.get(file) ?? file.path },
  ]);
}

/**
 * Files of which there are two versions. Those changed in place come first: a build may bring
 * hundreds of files under another digest, which must not use up the bounds of an RFC before.
 */
function comparedFiles(
  files: readonly DiffFile[],
  replaced: ReadonlyMap<DiffFile, string>,
): DiffFile[] {
  return [...files.filter(isChanged), ...files.filter((file) => replaced.has(file))];
}

/** Whether a file has two versions, with lines that differ. */
function isChanged({ change, content, hunks }: DiffFile): boolean {
  const hasBoth = change === 'modified' || change === 'renamed';
  return hasBoth && content === 'text' && hunks.length > 0;
}

/**
 * Judges the files whose versions could be read, parsed and followed as a whole; the others are
 * left to their hunks, and a finding says so. Bases are parsed only where the new version has
 * findings, and no text without a word of some sink is. Throws CANCELLED.
 */
export async function inspectWholeFiles(input: WholeFilesInput): Promise<WholeFiles> {
  const { bytes, trees, fingerprintKey } = input;
  const judged = new Set<DiffFile>();
  const settled = new Map<string, readonly SettledCall[]>();
  if (trees === null) return { findings: [], judged, settled };
  const replaced = replacedPaths(input.files);
  const compared = comparedFiles(input.files, replaced);
  const added = input.program == null ? [] : addedFiles(bytes, input.files, replaced);
  if (compared.length + added.length === 0) return { findings: [], judged, settled };
  const left = new Map<string, DiffFile[]>();
  const alone: DiffFile[] = [];
  const partly: Partly[] = [];
  const leave = (file: DiffFile, reason: string) => {
    // The hunks of a new file are the whole of it.
    if (!replaced.has(file)) left.set(reason, [...(left.get(reason) ?? []), file]);
  };
  const same = new Set<string>();
  const pairs = pairsOf(compared, replaced, trees, leave).flatMap((pair) => {
    if (differsAtTop(pair)) {
      judged.add(pair.file);
      same.add(pair.file.path);
      return [];
    }
    const reduced = reducedPair(bytes, pair);
    if (reduced !== null) partly.push(reduced);
    if (reduced !== null || input.program == null || !mayBeUsed(bytes, pair)) {
      return reduced?.pair ?? pair;
    }
    const { head, base } = pair;
    return {
      ...pair,
      head: { ...head, wantsOffered: true },
      base: { ...base, wantsOffered: true },
    };
  });
  const child = new WholeReader(input);
  const findings: GateFinding[] = [];
  const compare = async (some: readonly Pair[]) => {
    const heads = await child.inspect(some.map(({ head }) => head));
    const found: [Pair, Flow[]][] = [];
    for (const [index, pair] of some.entries()) {
      const head = heads[index] ?? LOST;
      if (typeof head === 'string') leave(pair.file, head);
      else if (head.length === 0) judged.add(pair.file);
      else found.push([pair, head]);
    }
    const bases = await child.inspect(found.map(([{ base }]) => base));
    for (const [index, [{ file }, head]] of found.entries()) {
      const base = bases[index] ?? LOST;
      if (typeof base === 'string') {
        leave(file, `of the version before the change: ${base}`);
        continue;
      }
      judged.add(file);
      findings.push(...newOf(head, base, addedLines(bytes, file)));
    }
  };
  await compare(pairs.filter(({ file }) => !replaced.has(file)));
  const fresh = await child.inspect(added.map(({ head }) => head));
  for (const [index, { file }] of added.entries()) {
    const found = fresh[index] ?? LOST;
    // The hunks of a new file are the whole of it, but nothing of other files.
    if (found === USED_UP) alone.push(file);
    if (typeof found === 'string') continue;
    judged.add(file);
    findings.push(...found.map(({ finding }) => finding));
  }
  await compare(pairs.filter(({ file }) => replaced.has(file)));
  if (input.program != null) {
    const helpers = await helpersOf(bytes, pairs, child);
    // Files of the same program as before count as unchanged ones, which use what others offer.
    const changed = input.files.filter(({ path }) => !same.has(path));
    const touched = new Set(changed.map(({ path }) => path));
    const about = { helpers, touched, tree: input.program.head, reader: child };
    const completed = await findCompletedFlows(about);
    // A flow from its source to its sink says more than the sink by itself.
    const known = new Map(completed.map((one) => [placeOf(one), severityRank(one.severity)]));
    const others = findings.splice(0).filter((one) => {
      return (known.get(placeOf(one)) ?? Infinity) > severityRank(one.severity);
    });
    findings.push(...others, ...completed);
  }
  for (const { pair, kept, all } of partly) {
    const { file } = pair;
    if (judged.has(file)) findings.push(partOnlyFinding(fingerprintKey, { file, kept, all }));
  }
  if (child.cut.length > 0) findings.push(programPartialFinding(fingerprintKey, child.cut));
  if (alone.length > 0) {
    findings.push(newAloneFinding(fingerprintKey, { reason: USED_UP, files: alone }));
  }
  for (const [reason, files] of left) {
    findings.push(hunksOnlyFinding(fingerprintKey, { reason, files }));
  }
  for (const { file, head } of [...pairs, ...added]) {
    const calls = judged.has(file) ? child.settledIn(head) : [];
    if (calls.length > 0) settled.set(file.path, calls);
  }
  return { findings, judged, settled };
}

function placeOf({ id, cwe, file, line }: GateFinding): string {
  return `${id} ${cwe} ${line} ${file}`;
}

/** Whether other files may use what a change does to a file: it changes code of a program. */
function mayBeUsed(bytes: Uint8Array, { file, base, head }: Pair): boolean {
  const { path } = file;
  // A build is used by other builds, which nobody reads.
  if (isMinified(base.bytes) || isMinified(head.bytes)) return false;
  if (languageOf(path) === null || embedsScript(withoutTail(path)) || isLesserPath(path)) {
    return false;
  }
  const comment = familyOf(languageOf(path) ?? 'js') === 'py' ? /^\s*(?:#|$)/ : /^\s*(?:\/\/|$)/;
  const cursor = new LineCursor(bytes);
  for (const hunk of file.hunks) {
    cursor.open(hunk);
    while (cursor.next()) {
      const line = asBuffer(bytes).toString('latin1', cursor.start, cursor.end);
      if (cursor.kind !== LINE.CONTEXT && !comment.test(line)) return true;
    }
  }
  return false;
}

/** Changed files with what they offer before and after. */
async function helpersOf(
  bytes: Uint8Array,
  pairs: readonly Pair[],
  child: WholeReader,
): Promise<Helper[]> {
  const some = pairs.filter(({ head }) => (child.offeredBy(head)?.length ?? 0) > 0);
  const unknown = some.filter(({ base }) => child.offeredBy(base) === null);
  await child.inspect(unknown.map(({ base }) => base));
  return some.flatMap(({ file, base, head }): Helper[] => {
    const before = child.offeredBy(base);
    const after = child.offeredBy(head);
    if (before === null || after === null) return [];
    const { added } = changedLines(bytes, file);
    const changed = new Set([...added].map((line) => line + 1));
    return [{ path: head.path, bytes: head.bytes, changed, base: before, head: after }];
  });
}

/** New files, whose text is in the diff, to be followed into the rest of the repository. */
function addedFiles(
  bytes: Uint8Array,
  files: readonly DiffFile[],
  replaced: ReadonlyMap<DiffFile, string>,
): { file: DiffFile; head: Version }[] {
  return [...wholeNewFiles(files)].flatMap((file) => {
    const { path, hunks } = file;
    const [only] = hunks;
    const isPlain = languageOf(path) !== null && !embedsScript(withoutTail(path));
    if (!isPlain || replaced.has(file) || only === undefined) return [];
    const { text } = newSideOf(bytes, only);
    return [{ file, head: { path, bytes: text, mayBeMinified: false, side: 'head' as const } }];
  });
}

/**
 * Whether two versions differ in nothing but the comments that they begin with, as where the year
 * of a licence changes in each file: they are the same program.
 */
function differsAtTop({ file, head, base }: Pair): boolean {
  const language = languageOf(file.path);
  const isPlain = language !== null && !embedsScript(withoutTail(file.path));
  if (!isPlain || file.change !== 'modified' || file.hunks.length > 1) return false;
  const texts = [head, base].map(({ bytes }) => asCompiled(asBuffer(bytes), language));
  if (texts.some((text) => hiddenBreaks(text, language).length > 0)) return false;
  const [now, before] = texts.map((text) => withoutTop(text.toString(), language));
  return now === before;
}

/** What ends a line in one of the languages. */
const LINE_END = /[\r\u0085\u2028\u2029]/;
/** A comment that says in which encoding the rest is (PEP 263). */
const CODING = /coding[:=]/;

function withoutTop(text: string, language: Language): string {
  const [shebang = ''] = /^#![^\n]*\n/.exec(text) ?? [];
  const code = text.slice(shebang.length);
  const end = topEnd(code, language);
  return CODING.test(shebang + code.slice(0, end)) ? text : shebang + code.slice(end);
}

/** Where the comments and empty lines end that a text begins with. */
function topEnd(text: string, language: Language): number {
  const isPython = language === 'py';
  let top = 0;
  for (let at = 0; at < text.length; ) {
    if (text.startsWith(isPython ? '#' : '//', at)) {
      const end = text.indexOf('\n', at);
      if (end < 0 || LINE_END.test(text.slice(at, end).replace(/\r$/, ''))) return top;
      at = end + 1;
      top = at;
    } else if (!isPython && text.startsWith('/*', at)) {
      const end = text.indexOf('*/', at + 2);
      if (end < 0) return top;
      at = end + 2;
      top = at;
    } else if (/[ \t\n]/.test(text.charAt(at)) || text.startsWith('\r\n', at)) {
      at += 1;
      if (text.charAt(at - 1) === '\n') top = at;
    } else return top;
  }
  return top;
}

const UNREAD = 'the whole of it could not be read, or the change has too many';

interface Pair {
  file: DiffFile;
  base: Version;
  head: Version;
}

function pairsOf(
  compared: readonly DiffFile[],
  replaced: ReadonlyMap<DiffFile, string>,
  trees: NonNullable<TreeFiles>,
  leave: (file: DiffFile, reason: string) => void,
): Pair[] {
  const key = (side: string, path: string) => `${side}:${path}`;
  const read = new Map(trees.map(({ side, path, bytes }) => [key(side, path), bytes]));
  const times = new Map<string, number>();
  for (const { path } of compared) times.set(path, (times.get(path) ?? 0) + 1);
  const pairs: Pair[] = [];
  for (const file of compared) {
    const { path } = file;
    const oldPath = file.oldPath ?? replaced.get(file) ?? path;
    const head = read.get(key('head', path)) ?? null;
    const base = read.get(key('base', oldPath)) ?? null;
    const isScript = languageOf(path) !== null;
    if (head === null || base === null) {
      if (isScript) leave(file, UNREAD);
      continue;
    }
    if (!isScript && !isScriptByShebang(asBuffer(head).toString('latin1', 0, SHEBANG_BYTES_MAX))) {
      continue;
    }
    // Names alone do not make one file of two: only what nobody reads is a build.
    if (replaced.has(file) && !(isMinified(base) && isMinified(head))) continue;
    // Diffs of several states in one text: nobody knows to which of them the files belong.
    if ((times.get(path) ?? 0) > 1) continue;
    // Where the new path is judged more mildly, what was there before is not new.
    const seenAs = isLesserPath(oldPath) ? oldPath : path;
    pairs.push({
      file,
      head: { path, bytes: head, mayBeMinified: isMinified(base), side: 'head' },
      base: { path: seenAs, bytes: base, mayBeMinified: true, side: 'base' },
    });
  }
  return pairs;
}

/** A pair of which only a part is looked at: so many of its declarations. */
interface Partly {
  readonly pair: Pair;
  readonly kept: number;
  readonly all: number;
}

/** A pair too large to be parsed whole, by what the change touches; null: it need or can not. */
function reducedPair(bytes: Uint8Array, { file, head, base }: Pair): Partly | null {
  const isLarge = (version: Version) => version.bytes.length > AST_GATE.FRAGMENT_BYTES_MAX;
  const language = languageOf(file.path);
  const isPlain = language !== null && !embedsScript(withoutTail(file.path));
  if (!isPlain || !(isLarge(head) || isLarge(base))) return null;
  const texts = { head: asBuffer(head.bytes).toString(), base: asBuffer(base.bytes).toString() };
  const reduced = reduceBoth({ ...texts, ...changedLines(bytes, file) }, language);
  if (reduced === null) return null;
  const { kept, all } = reduced.head;
  const pair: Pair = {
    file,
    head: { ...head, bytes: Buffer.from(reduced.head.text) },
    base: { ...base, bytes: Buffer.from(reduced.base.text) },
  };
  return { pair, kept, all };
}

/** Numbers (from 0) of lines that a diff adds and removes; beside what it removes others stand. */
function changedLines(bytes: Uint8Array, { hunks }: DiffFile) {
  const added = new Set<number>();
  const removed = new Set<number>();
  const cursor = new LineCursor(bytes);
  for (const hunk of hunks) {
    cursor.open(hunk);
    let oldLine = hunk.oldStart - 1;
    while (cursor.next()) {
      const newLine = cursor.newLine - 1;
      if (cursor.kind !== LINE.CONTEXT) added.add(newLine);
      if (cursor.kind === LINE.REMOVED) removed.add(oldLine);
      if (cursor.kind === LINE.ADDED) removed.add(oldLine).add(oldLine - 1);
      else oldLine += 1;
    }
  }
  return { added, removed };
}

const SHEBANG_BYTES_MAX = 1_024;

/** Whether more than half of a text stands in lines as long as only programs write them. */
function isMinified(bytes: Uint8Array): boolean {
  let inLong = 0;
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf(NEWLINE, start);
    const after = end < 0 ? bytes.length : end + 1;
    if (after - start > MINIFIED_LINE_CHARS_MIN) inLong += after - start;
    start = after;
  }
  return inLong * 2 > bytes.length;
}

const NEWLINE = 10;

/**
 * The findings that the base has not, or has less grave. Where a file has one more of the same,
 * those on added lines are the new ones.
 */
function newOf(head: readonly Flow[], base: readonly Flow[], added: ReadonlySet<number>) {
  const known = new Map<string, GateFinding[]>();
  for (const { flow, finding } of gravestFirst(base)) {
    known.set(flow, [...(known.get(flow) ?? []), finding]);
  }
  const isAdded = ({ finding }: Flow) => added.has(finding.line ?? 0);
  const ordered = [...head.filter((one) => !isAdded(one)), ...head.filter(isAdded)];
  const fresh = new Set<Flow>();
  for (const one of gravestFirst(ordered)) {
    const same = known.get(one.flow) ?? [];
    const rank = severityRank(one.finding.severity);
    // The least grave that will do: the others may be needed for graver findings.
    const match = same.findLastIndex(({ severity }) => severityRank(severity) <= rank);
    if (match === -1) fresh.add(one);
    else same.splice(match, 1);
  }
  return head.filter((one) => fresh.has(one)).map(({ finding }) => finding);
}

function gravestFirst(flows: readonly Flow[]): Flow[] {
  const rank = ({ finding }: Flow) => severityRank(finding.severity);
  return [...flows].sort((left, right) => rank(left) - rank(right));
}

/** Numbers of the lines that the diff adds to a file. */
function addedLines(bytes: Uint8Array, { hunks }: DiffFile): ReadonlySet<number> {
  const lines = new Set<number>();
  const cursor = new LineCursor(bytes);
  for (const hunk of hunks) {
    cursor.open(hunk);
    while (cursor.next()) if (cursor.kind === LINE.ADDED) lines.add(cursor.newLine);
  }
  return lines;
}
