import { BYTE, lineText, startsAt } from './bytes.ts';
import {
  areKin,
  type NamePair,
  NO_FILE,
  readName,
  splitGitNames,
  stripPair,
  stripSingle,
} from './path.ts';

/** The rest of a header line. */
interface Span {
  start: number;
  end: number;
}

/** What git's header says about names. */
export interface GitNameLines {
  bytes: Buffer;
  /** Behind `diff --git `; behind `diff --cc ` it is one name, without prefix. */
  names: Span;
  combined: boolean;
  /** `---` and `+++`. */
  minus: Span | null;
  plus: Span | null;
  /** Of a rename or copy. */
  from: Span | null;
  to: Span | null;
}

export interface ResolvedNames {
  oldName: string;
  newName: string;
  /** Whether the `---` and the `+++` line say that there is no such file. */
  minusIsNone: boolean;
  plusIsNone: boolean;
  problem: string | null;
}

/** Whether the text behind `diff --git ` is two names of one file. */
export function isGitNames(text: string): boolean {
  return splitGitNames(text) !== null;
}

/** Finds the names by the surest lines: renames, then `diff --git`, then `---` and `+++`. */
export function resolveGitNames(lines: GitNameLines): ResolvedNames {
  const minusIsNone = !lines.combined && isNone(lines.bytes, lines.minus);
  const plusIsNone = isNone(lines.bytes, lines.plus);
  const usual = usualName(lines, minusIsNone, plusIsNone);
  if (usual !== null) {
    return { oldName: usual, newName: usual, minusIsNone, plusIsNone, problem: null };
  }
  const texts = new NameTexts(lines.bytes);
  const minus = minusIsNone ? null : texts.read(lines.minus);
  const plus = plusIsNone ? null : texts.read(lines.plus);
  const pair = lines.combined
    ? combinedNames(texts.read(lines.names) ?? '', plus)
    : (movedNames(texts.read(lines.from), texts.read(lines.to), minus, plus) ??
      pairedNames(texts.text(lines.names), minus, plus));
  if (pair === null) {
    const name = texts.text(lines.names);
    const problem = 'the header does not show where one name ends and the other begins';
    return { oldName: name, newName: name, minusIsNone, plusIsNone, problem };
  }
  const { oldName, newName } = pair;
  return { oldName, newName, minusIsNone, plusIsNone, problem: problemOf(pair, texts) };
}

function problemOf(pair: NamePair, texts: NameTexts): string | null {
  if (!pair.oneFile) return 'the lines of the header name different files without a rename';
  return texts.clean ? null : 'a quoted name in the header is not properly quoted';
}

class NameTexts {
  /** False once a quoted name was not properly quoted. */
  clean = true;
  private readonly bytes: Buffer;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  text(span: Span): string {
    return lineText(this.bytes, span.start, span.end);
  }

  read(span: Span | null): string | null {
    if (span === null) return null;
    const token = readName(this.text(span));
    if (!token.clean) this.clean = false;
    return token.name;
  }
}

function isNone(bytes: Buffer, span: Span | null): boolean {
  if (span === null || !startsAt(bytes, span.start, NO_FILE)) return false;
  const rest = span.start + NO_FILE.length;
  return rest === span.end || bytes[rest] === BYTE.TAB;
}

/**
 * The name in the usual header, found without making strings: `a/NAME b/NAME` in ASCII with
 * prefixes of one length, and `---` and `+++` lines that repeat them. Null: look closer.
 */
function usualName(lines: GitNameLines, minusIsNone: boolean, plusIsNone: boolean): string | null {
  const { bytes, names, minus, plus } = lines;
  const { start, end } = names;
  const shift = (end - start + 1) / 2;
  const middle = start + shift - 1;
  if (lines.combined || lines.from !== null || lines.to !== null) return null;
  if (!Number.isInteger(shift) || bytes[middle] !== BYTE.SPACE) return null;
  const slash = prefixEnd(bytes, start, middle, shift);
  if (slash === -1) return null;
  for (let at = slash + 1; at < middle; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte !== bytes[at + shift] || byte < 0x20 || byte > 0x7e || byte === QUOTE) return null;
  }
  if (minus !== null && !minusIsNone && !repeats(bytes, minus, start, middle)) return null;
  if (plus !== null && !plusIsNone && !repeats(bytes, plus, middle + 1, end)) return null;
  return slash + 1 === middle ? null : bytes.toString('latin1', slash + 1, middle);
}

/** Offset of the first slash, where both halves have it and differ before it; else -1. */
function prefixEnd(bytes: Buffer, start: number, middle: number, shift: number): number {
  let differ = false;
  for (let at = start; at < middle; at += 1) {
    const byte = bytes[at];
    const other = bytes[at + shift];
    if (byte === QUOTE || other === QUOTE) return -1;
    if (byte === SLASH || other === SLASH) return byte === other && differ ? at : -1;
    if (byte !== other) differ = true;
  }
  return -1;
}

/** Whether the line holds the same bytes; behind names with blanks git puts a tab. */
function repeats(bytes: Buffer, line: Span, start: number, end: number): boolean {
  const length = end - start;
  const rest = line.end - line.start - length;
  if (rest !== 0 && !(rest === 1 && bytes[line.end - 1] === BYTE.TAB)) return false;
  for (let index = 0; index < length; index += 1) {
    if (bytes[line.start + index] !== bytes[start + index]) return false;
  }
  return true;
}

const QUOTE = 0x22;
const SLASH = 0x2f;

/** The names of a rename or copy, which have no prefix; null for another one. */
function movedNames(
  from: string | null,
  to: string | null,
  minus: string | null,
  plus: string | null,
): NamePair | null {
  if (from === null && to === null) return null;
  const oldName = from ?? to ?? '';
  const newName = to ?? from ?? '';
  const complete = from !== null && to !== null;
  return { oldName, newName, oneFile: complete && names(minus, oldName) && names(plus, newName) };
}

/** There may be a `---` line for each parent, with its own name (--combined-all-paths). */
function combinedNames(only: string, plus: string | null): NamePair {
  return { oldName: only, newName: only, oneFile: names(plus, only) };
}

/** Whether a `---` or `+++` line names this file behind a prefix, or says nothing. */
function names(line: string | null, file: string): boolean {
  if (line === null) return true;
  return line.endsWith(file) && /^[^/]*\/?$/.test(line.slice(0, line.length - file.length));
}

/** Null when no line tells. `oneFile` is false when two lines contradict each other. */
function pairedNames(text: string, minus: string | null, plus: string | null): NamePair | null {
  const split = splitGitNames(text);
  if (split === null) return lineNames(minus, plus);
  const oneFile = (minus === null || minus === split.old) && (plus === null || plus === split.new);
  const pair = oneFile ? null : lineNames(minus, plus);
  return { oldName: split.name, newName: split.name, ...pair, oneFile };
}

/** The names of the `---` and `+++` lines alone. */
function lineNames(minus: string | null, plus: string | null): NamePair | null {
  if (minus !== null && plus !== null) {
    const pair = stripPair(minus, plus);
    return { ...pair, oneFile: pair.oneFile || areKin(pair) };
  }
  const single = minus ?? plus;
  if (single === null) return null;
  return { oldName: stripSingle(single), newName: stripSingle(single), oneFile: true };
}
