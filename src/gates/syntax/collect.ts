import { type CancelFlag, isRaised } from '../../core/deadline.ts';
import { asBuffer } from '../../diff/bytes.ts';
import { type DiffFile, type Hunk, LINE, LineCursor } from '../../diff/diff.ts';
import { CraError } from '../../model/errors.ts';
import type { GateFinding } from '../../model/finding.ts';
import type { Fragment } from '../../rpc/contract.ts';
import { AST_GATE } from '../limits.ts';
import { proseRest } from './fragments/candidates.ts';
import { embeddedCode } from './fragments/embedded-code.ts';
import {
  CATALOGUE_FILTER,
  embedsScript,
  hasJsx,
  isScriptByShebang,
  isTreeLanguage,
  type Language,
  languageOf,
  mayHoldSink,
  type SinkFilter,
  withoutTail,
} from './languages.ts';
import { findHazard } from './parse/hazard.ts';
import { asCompiled, HIDDEN_BREAK, hiddenBreaks } from './parse/readings.ts';
import { unparsedFinding } from './report/findings.ts';

/** Of a hunk's text, to find its first line. */
const SHEBANG_BYTES_MAX = 4_096;

/** Lines kept on each side of a sink word in a text that is too large to be one fragment. */
const REGION_LINES = 100;

interface CollectInput {
  bytes: Uint8Array;
  files: readonly DiffFile[];
  fingerprintKey: Uint8Array;
  cancel: CancelFlag;
  /** Whether the base or the rules say that a generator writes the file; absent: of no file. */
  isGenerated?: (path: string) => boolean;
  /** Absent: that of the catalogue alone. */
  filter?: SinkFilter;
}

/** What goes to the parser, and what must not. */
export interface Collected {
  fragments: Fragment[];
  /** `ast-unparsed` for code that would end, hang or slow the parser. */
  unparsed: GateFinding[];
  /** For fragments that are not read as they stand there: their lines, and number of the first. */
  originals?: Map<Fragment, { lines: readonly string[]; startLine: number }>;
}

/**
 * Cuts the added code of a diff that gate 2 reads, scripts in markup too, into
 * fragments: hunks that add lines and hold a word of some sink. Runs in the scan thread and loads
 * no parser. Throws CANCELLED.
 */
export function collectFragments(input: CollectInput): Collected {
  const collected: Required<Collected> = { fragments: [], unparsed: [], originals: new Map() };
  const whole = wholeNewFiles(input.files);
  for (const file of input.files) {
    const dialect = languageOf(file.path) ?? shebangDialect(input.bytes, file);
    // A target of a symlink is not code, but nothing proves that the mode is true.
    const isText = file.content === 'text' || file.content === 'symlink';
    if (dialect === null || !isText || file.additions === 0) continue;
    if (isRaised(input.cancel)) throw new CraError('CANCELLED', 'the analysis was cancelled');
    for (const hunk of file.hunks) {
      const place = { path: file.path, isWhole: whole.has(file) };
      if (hunk.additions > 0) collectHunk(input, collected, place, dialect, hunk);
    }
  }
  return collected;
}

/**
 * New files whose only hunk is all of them. A text may hold diffs of several states: a path that
 * stands in it twice has other lines in the end.
 */
export function wholeNewFiles(files: readonly DiffFile[]): ReadonlySet<DiffFile> {
  const times = new Map<string, number>();
  for (const { path } of files) times.set(path, (times.get(path) ?? 0) + 1);
  const isWhole = ({ path, change, content, hunks }: DiffFile) => {
    const isNew = change === 'added' && content === 'text' && times.get(path) === 1;
    return isNew && hunks.length === 1 && hunks[0]?.newStart === 1;
  };
  return new Set(files.filter(isWhole));
}

function collectHunk(
  input: CollectInput,
  collected: Required<Collected>,
  { path, isWhole }: { path: string; isWhole: boolean },
  dialect: Language,
  hunk: Hunk,
): void {
  const { bytes, fingerprintKey, filter = CATALOGUE_FILTER } = input;
  const { mayHold } = filter;
  const body = Buffer.from(bytes.buffer, bytes.byteOffset + hunk.start, hunk.end - hunk.start);
  // Before anything is copied or decoded.
  if (!filter.mayAdd(asCompiled(body, dialect), dialect)) return;
  const { text: shown, added } = newSideOf(bytes, hunk);
  const text = asCompiled(shown, dialect);
  if (!mayHold(text, dialect)) return;
  const name = withoutTail(path);
  const { code, doubts } = embedsScript(name)
    ? embeddedCode(name, text.toString(), hunk.newStart <= 1)
    : { code: text.toString(), doubts: [] };
  const report = (
    fragment: Fragment,
    reason: string,
    line: number,
    severity: 'high' | 'medium' = 'high',
  ) => {
    const where = { line: fragment.startLine + line, excerptLine: line };
    const unparsed = { path, reason, text: fragment.text, severity, ...where } as const;
    collected.unparsed.push(unparsedFinding(fingerprintKey, unparsed));
  };
  const whole: Fragment = {
    path,
    text: code,
    startLine: hunk.newStart,
    added,
    ...(isWhole ? { isWhole } : {}),
  };
  const doubt = doubts.find((line) => isAdded(whole, line, line + 1));
  if (doubt !== undefined) {
    report(
      { ...whole, text: text.toString() },
      'it may be markup, or code of a script whose beginning is not shown',
      doubt,
    );
  }
  const early = hiddenBreaks(shown, dialect).find((line) => isAdded(whole, line, line + 1));
  if (early !== undefined) report(whole, HIDDEN_BREAK, early);
  if (embedsScript(name) && !mayHoldSink(Buffer.from(code))) return;
  const original =
    embedsScript(name) || text !== shown
      ? { lines: shown.toString().split('\n'), startLine: hunk.newStart }
      : null;
  const fragment = withoutLongLines(whole, dialect, mayHold, (line) => {
    const reason = `a line is longer than ${AST_GATE.LINE_BYTES_MAX} bytes`;
    const isGenerated = input.isGenerated?.(path) === true;
    if (isGenerated) report(whole, `a generator wrote it, and ${reason}`, line, 'medium');
    else report(whole, reason, line);
  });
  for (const part of regionsOf(fragment, dialect, mayHold)) {
    const { region, hazard } = guarded(part, dialect);
    if (hazard === null) {
      collected.fragments.push(region);
      if (original !== null) collected.originals.set(region, original);
    } else report(region, hazard.reason, newlines(region.text, hazard.at));
  }
}

/** A region and what keeps it from the parser; less the prose at its start if that is why. */
function guarded(region: Fragment, dialect: Language) {
  // Parsers of the others survive any text, and say themselves what nests too deeply.
  if (isTreeLanguage(dialect)) return { region, hazard: null };
  const { text } = region;
  const jsx = hasJsx(dialect);
  const hazard = findHazard(text, jsx);
  const end = hazard === null || jsx ? 0 : proseRest(text);
  if (end === 0) return { region, hazard };
  const blank = text.slice(0, end).replace(/[^\n]/g, ' ');
  const rest = { ...region, text: blank + text.slice(end) };
  return { region: rest, hazard: findHazard(rest.text, jsx) };
}

/** The dialect of a file that its first line makes a script; null where that is not shown. */
function shebangDialect(bytes: Uint8Array, { hunks, content }: DiffFile): Language | null {
  const [first] = hunks;
  if (first === undefined || first.newStart > 1 || content === 'binary') return null;
  const end = Math.min(first.end, first.start + SHEBANG_BYTES_MAX);
  const start = asBuffer(bytes).subarray(first.start, end);
  if (!start.includes('#!')) return null;
  const cut = { ...first, end };
  return isScriptByShebang(newSideOf(bytes, cut).text.toString('latin1')) ? 'js' : null;
}

/** The fragment without its overlong lines; reports added ones with a sink. */
export function withoutLongLines(
  fragment: Fragment,
  language: Language,
  mayHold: SinkFilter['mayHold'],
  onLoss: (line: number) => void,
): Fragment {
  if (!mayHaveLongLine(fragment.text)) return fragment;
  const lines = fragment.text.split('\n');
  const isLong = (line: string) => {
    const { LINE_BYTES_MAX } = AST_GATE;
    return line.length * 3 > LINE_BYTES_MAX && Buffer.byteLength(line) > LINE_BYTES_MAX;
  };
  for (const [index, line] of lines.entries()) {
    if (!isLong(line)) continue;
    if (isAdded(fragment, index, index + 1) && mayHold(Buffer.from(line), language)) {
      onLoss(index);
    }
    lines[index] = '';
  }
  const { isWhole: _, ...part } = fragment;
  return { ...part, text: lines.join('\n') };
}

/** Whether a line may be too long, without a copy of any; a character is three bytes at most. */
function mayHaveLongLine(text: string): boolean {
  let start = 0;
  while (start < text.length) {
    const end = text.indexOf('\n', start);
    const after = end < 0 ? text.length : end;
    if ((after - start) * 3 > AST_GATE.LINE_BYTES_MAX) return true;
    start = after + 1;
  }
  return false;
}

function isAdded(fragment: Fragment, first: number, after: number): boolean {
  return fragment.added.some(([start, end]) => start < after && first < end);
}

/** The fragment itself, or parts around its sink words when it is too large for the parser. */
function regionsOf(
  fragment: Fragment,
  language: Language,
  mayHold: SinkFilter['mayHold'],
): Fragment[] {
  const { FRAGMENT_BYTES_MAX } = AST_GATE;
  const { text } = fragment;
  if (text.length <= FRAGMENT_BYTES_MAX && Buffer.byteLength(text) <= FRAGMENT_BYTES_MAX) {
    return [fragment];
  }
  const lines = text.split('\n');
  const regions: Fragment[] = [];
  for (const [first, after] of around(lines, language, mayHold)) {
    let start = first;
    while (start < after) {
      const end = fitting(lines, start, after);
      if (isAdded(fragment, start, end)) regions.push(slice(fragment, lines, start, end));
      start = end;
    }
  }
  return regions;
}

/**
 * Ranges of lines around sink words. Blocks are looked at first, as a text that
 * is all sinks has millions of such lines; of a block the first and the last one count.
 */
function around(
  lines: readonly string[],
  language: Language,
  mayHold: SinkFilter['mayHold'],
): [number, number][] {
  const ranges: [number, number][] = [];
  const isSink = (line: string) => mayHold(Buffer.from(line), language);
  for (let start = 0; start < lines.length; start += REGION_LINES) {
    const block = lines.slice(start, start + REGION_LINES);
    if (!isSink(block.join('\n'))) continue;
    // Where only the lines together make a sink, all of them count.
    const head = Math.max(0, block.findIndex(isSink));
    const tail = block.findLastIndex(isSink);
    const first = Math.max(0, start + head - REGION_LINES);
    const end = start + (tail < 0 ? block.length - 1 : tail);
    const after = Math.min(lines.length, end + REGION_LINES + 1);
    const last = ranges.at(-1);
    if (last !== undefined && first <= last[1]) last[1] = after;
    else ranges.push([first, after]);
  }
  return ranges;
}

/** End of the longest run of lines from `start` that one fragment may hold; at least one line. */
function fitting(lines: readonly string[], start: number, after: number): number {
  let bytes = 0;
  for (let line = start; line < after; line += 1) {
    bytes += Buffer.byteLength(lines[line] ?? '') + 1;
    if (bytes > AST_GATE.FRAGMENT_BYTES_MAX && line > start) return line;
  }
  return after;
}

function slice(
  fragment: Fragment,
  lines: readonly string[],
  first: number,
  after: number,
): Fragment {
  const added: [number, number][] = [];
  for (const [start, end] of fragment.added) {
    const from = Math.max(start, first);
    const to = Math.min(end, after);
    if (from < to) added.push([from - first, to - first]);
  }
  const text = lines.slice(first, after).join('\n');
  return { path: fragment.path, text, startLine: fragment.startLine + first, added };
}

function newlines(text: string, end: number): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0 && at < end; at = text.indexOf('\n', at + 1))
    count += 1;
  return count;
}

/**
 * A digest of the content, as bundlers write it into names: `main.4f3a9c1b.js`, `main-Bq3xK9_z.js`.
 * One token of 8 to 64 characters: hexadecimal with a digit and a letter, or base64url but for its
 * hyphen with a digit and letters of both cases. Dates and words with a number do not count.
 */
const DIGEST =
  /[.-](?=\w{0,63}\d)(?:(?=\d{0,63}[a-f])[\da-f]{8,64}|(?=\w{0,63}[a-z])(?=\w{0,63}[A-Z])\w{8,64})(?=\.\w{2,4}$)/;

/**
 * Of new files that may be builds of a file that the diff deletes, under another digest, the path
 * of it. Left out where two could be meant. By their names alone: whether both are builds, so that
 * they are a change of one file, their contents say.
 */
export function replacedPaths(files: readonly DiffFile[]): ReadonlyMap<DiffFile, string> {
  const byName = new Map<string, Record<'added' | 'deleted', DiffFile[]>>();
  for (const file of files) {
    const { change, content, path } = file;
    if ((change !== 'added' && change !== 'deleted') || content !== 'text') continue;
    const name = path.replace(DIGEST, '');
    if (name === path) continue;
    const same = byName.get(name) ?? { added: [], deleted: [] };
    same[change].push(file);
    byName.set(name, same);
  }
  const replaced = new Map<DiffFile, string>();
  for (const { added, deleted } of byName.values()) {
    const [fresh, ...others] = added;
    const [old] = deleted;
    if (fresh === undefined || old === undefined || others.length + deleted.length > 1) continue;
    replaced.set(fresh, old.path);
  }
  return replaced;
}

/** The text of a hunk in the new file. */
interface NewSide {
  /** Context and added lines, each with a newline; UTF-8 if the file is. */
  text: Buffer;
  /** Lines of it that the diff adds, as pairs [first, afterLast], from 0. */
  added: [number, number][];
}

const NEWLINE = 10;

/** Context and added lines of a hunk. */
export function newSideOf(diff: Uint8Array, hunk: Hunk): NewSide {
  const bytes = asBuffer(diff);
  // A line may lack its newline at the end of the diff, and loses a marker.
  const text = Buffer.allocUnsafe(hunk.end - hunk.start + 1);
  const added: [number, number][] = [];
  const cursor = new LineCursor(diff);
  cursor.open(hunk);
  let length = 0;
  while (cursor.next()) {
    if (cursor.kind === LINE.REMOVED) continue;
    if (cursor.kind === LINE.ADDED) extend(added, cursor.newLine - hunk.newStart);
    length += bytes.copy(text, length, cursor.start, cursor.end);
    text[length] = NEWLINE;
    length += 1;
  }
  return { text: text.subarray(0, length), added };
}

function extend(ranges: [number, number][], line: number): void {
  const last = ranges.at(-1);
  if (last !== undefined && last[1] === line) last[1] = line + 1;
  else ranges.push([line, line + 1]);
}
