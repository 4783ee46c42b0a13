import { RISK_GATE } from '../limits.ts';
import type { DerivedScan, SourceLine } from './derived.ts';
import type { Report } from './report.ts';
import type { Scratch } from './unicode.ts';

const ZERO = 0x30;
const LOWER_X = 0x78;
const TO_LOWER = 0x20;

/** A decoded run, and the runs that were decoded before to get to its text. */
interface Step {
  encoding: Encoding;
  /** For people: "base64 in hex". */
  via: string;
  depth: number;
  /** Where the outermost run stands in the diff. */
  source: Run;
}

/**
 * Decodes what is encoded in added lines (base64, hex, percent-encoding, to ENCODED_DEPTH_MAX) and
 * has the secret rules run over it. The bytes decoded per line, hunk and diff are bounded; text
 * that is left out is reported, as it could hide something.
 *
 * What is decoded: runs of ENCODED_RUN_BYTES_MIN or more characters whose beginning decodes to
 * text. A run that starts with something else (a path, an identifier) is not tried at other
 * offsets. Base64 that is broken into several lines is decoded line by line, and where two lines
 * meet once more.
 */
export class Decoder {
  private readonly bytes: Buffer;
  private readonly scan: DerivedScan;
  private readonly report: Report;
  /** One buffer for each depth. */
  private readonly buffers: readonly Scratch[];
  private readonly first: RunSearch = { from: 0, limit: 0, start: 0, end: 0 };
  private lineLeft = 0;
  private hunkLeft = 0;
  private diffLeft: number = RISK_GATE.DECODED_BYTES_PER_DIFF_MAX;
  private source: SourceLine = { number: 0, start: 0, end: 0 };
  /** The end of the line before, if it is base64 that goes on, and the number of that line. */
  private readonly broken = Buffer.alloc(2 * RISK_GATE.BROKEN_BYTES_MAX);
  private brokenLength = 0;
  private brokenAt = 0;

  constructor(bytes: Buffer, scan: DerivedScan, buffers: readonly Scratch[], report: Report) {
    this.buffers = buffers;
    this.bytes = bytes;
    this.scan = scan;
    this.report = report;
  }

  openHunk(): void {
    this.hunkLeft = RISK_GATE.DECODED_BYTES_PER_HUNK_MAX;
    this.brokenAt = 0;
  }

  /** `line` is the 1-based number in the new file, `[start, end)` its content in the diff. */
  line(line: number, start: number, end: number): void {
    const { first } = this;
    if (this.brokenAt + 1 === line) this.across(line, start, end);
    first.from = start;
    first.limit = end;
    // Most lines hold no run, and cost nothing but this look.
    if (!nextRun(this.bytes, first)) return;
    this.lineLeft = RISK_GATE.DECODED_BYTES_PER_LINE_MAX;
    this.source = { number: line, start, end };
    this.runs(this.bytes, first.start, { start, end }, null);
    this.keepEnd(line, start, end);
  }

  /** Keeps the end of a line that is all base64 and may go on in the next. */
  private keepEnd(line: number, start: number, end: number): void {
    const run = wholeRun(this.bytes, start, end);
    if (run === null || (run.end - run.start) % 4 !== 0) return;
    const length = Math.min(run.end - run.start, RISK_GATE.BROKEN_BYTES_MAX);
    this.broken.set(this.bytes.subarray(run.end - length, run.end));
    this.brokenLength = length;
    this.brokenAt = line;
  }

  /** The end of the line before with the beginning of this one. */
  private across(line: number, start: number, end: number): void {
    const run = wholeRun(this.bytes, start, end);
    if (run === null) return;
    const shown = Math.min(run.end - run.start, RISK_GATE.BROKEN_BYTES_MAX);
    this.broken.set(this.bytes.subarray(run.start, run.start + shown), this.brokenLength);
    const text = this.broken.subarray(0, this.brokenLength + shown);
    this.lineLeft = RISK_GATE.DECODED_BYTES_PER_LINE_MAX;
    this.source = { number: line, start, end };
    const source = { start: run.start, end: run.start + shown };
    this.runs(text, 0, { start: 0, end: text.length }, null, source);
    this.keepEnd(line, start, end);
  }

  /** Decodes the runs from `from` on in `range` of a text; `outer` says how it was got. */
  private runs(
    text: Buffer,
    from: number,
    range: Run,
    outer: Step | null,
    source = outer?.source ?? null,
  ): void {
    const search = { from, limit: range.end, start: from, end: from };
    while (nextRun(text, search)) {
      const run = afterHexMark(text, search);
      const encoding = encodingOf(text, run);
      if (encoding === null) continue;
      const isUri = encoding === 'percent-encoding';
      const chosen = isUri ? uriAround(text, run, range.start, range.end) : run;
      search.from = Math.max(search.from, chosen.end);
      const via = outer === null ? encoding : `${encoding} in ${outer.via}`;
      const depth = outer === null ? 0 : outer.depth + 1;
      this.decode(text, chosen, { encoding, via, depth, source: source ?? chosen });
    }
  }

  private decode(text: Buffer, run: Run, step: Step): void {
    const { encoding, via, depth, source } = step;
    const decoded = this.decoded(text, run, encoding, depth);
    if (decoded.length === 0) return;
    const shown = this.source;
    this.scan.scan(decoded, {
      lineAt: () => shown,
      sourceOf: () => [[source.start, source.end]],
      via: `It stands here encoded (${via}).`,
    });
    if (depth + 1 === RISK_GATE.ENCODED_DEPTH_MAX) return;
    this.runs(decoded, 0, { start: 0, end: decoded.length }, step);
  }

  /** The decoded text, as much as the budgets have left. */
  private decoded(text: Buffer, run: Run, encoding: Encoding, depth: number): Buffer {
    const room = Math.min(this.lineLeft, this.hunkLeft, this.diffLeft);
    // Decoded text is never longer than its encoding.
    const wanted = run.end - run.start;
    const taken = Math.min(wanted, room);
    if (taken < wanted) this.report.leaveEncoded(this.source.number);
    this.lineLeft -= taken;
    this.hunkLeft -= taken;
    this.diffLeft -= taken;
    const target = this.buffers[depth]?.take(taken) ?? Buffer.alloc(taken);
    const cut = { start: run.start, end: run.start + taken };
    return target.subarray(0, decodeRun(text, cut, encoding, target));
  }
}

/** Base64 that is all of a line, but for blanks and quotes around it; null: the line has more. */
function wholeRun(text: Uint8Array, start: number, end: number): Run | null {
  let from = start;
  let to = end;
  while (from < to && IN_MARGIN[text[from] ?? 0] === 1) from += 1;
  while (to > from && IN_MARGIN[text[to - 1] ?? 0] === 1) to -= 1;
  for (let at = from; at < to; at += 1) if (IN_RUN[text[at] ?? 0] === 0) return null;
  return to > from ? { start: from, end: to } : null;
}

/** `0x` belongs to the notation, not to the digits. */
function afterHexMark(text: Uint8Array, run: Run): Run {
  const hasMark = text[run.start] === ZERO && ((text[run.start + 1] ?? 0) | TO_LOWER) === LOWER_X;
  return hasMark ? { start: run.start + 2, end: run.end } : run;
}

/** How a run of characters may hide another text. */
type Encoding = 'base64' | 'hex' | 'percent-encoding';

/** Value of each digit of base64, of both alphabets (RFC 4648, 4 and 5); 255 for other bytes. */
const BASE64 = new Uint8Array(256).fill(255);
/** Value of each hexadecimal digit; 255 for other bytes. */
const HEX = new Uint8Array(256).fill(255);
/** 1 for what a run is made of: base64 digits of both alphabets (hex is among them), and `%`. */
const IN_RUN = new Uint8Array(256);
/** 1 for the letters and digits among these, and `%`. */
const IN_CORE = new Uint8Array(256);
/** 1 for the characters of a URI (RFC 3986, section 2): percent-encoded text lies among these. */
const IN_URI = new Uint8Array(256);

/** 1 for what may stand around a line of base64: blanks, quotes, padding, what joins literals. */
const IN_MARGIN = new Uint8Array(256);

const PERCENT = 0x25;

for (const [index, char] of [
  ...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/',
].entries()) {
  BASE64[char.charCodeAt(0)] = index;
}
BASE64['-'.charCodeAt(0)] = 62;
BASE64['_'.charCodeAt(0)] = 63;
for (let digit = 0; digit < 16; digit += 1) {
  HEX[digit.toString(16).charCodeAt(0)] = digit;
  HEX[digit.toString(16).toUpperCase().charCodeAt(0)] = digit;
}
for (let byte = 0; byte < 256; byte += 1) IN_RUN[byte] = BASE64[byte] === 255 ? 0 : 1;
IN_RUN[PERCENT] = 1;
IN_CORE.set(IN_RUN);
for (const char of '+/-_') IN_CORE[char.charCodeAt(0)] = 0;
IN_URI.set(IN_RUN);
for (const char of '.~:?#[]@!$&*,;=()') IN_URI[char.charCodeAt(0)] = 1;
for (const char of ' \t\r"\'`,;=\\#*') IN_MARGIN[char.charCodeAt(0)] = 1;

/** Where the search for runs is in a text; it is moved by `nextRun`. */
export interface RunSearch {
  /** Where to continue; text before it has been searched. */
  from: number;
  /** End of the text to be searched. */
  limit: number;
  /** The run found last. */
  start: number;
  end: number;
}

/** A part of a text, as offsets in it. */
export interface Run {
  start: number;
  end: number;
}

/**
 * Moves on to the next run in which encoded text can stand, padding left out; false when there is
 * none. It holds ENCODED_RUN_BYTES_MIN or more characters of the core in a row: ASCII text in
 * base64 has others only for `>`, `?` and `~`, while paths and hyphenated names have them all the
 * time. Looks at every n-th byte first, for n that minimum: the core has to cover one of these, so
 * ordinary text costs a fraction of a look-up per byte.
 */
export function nextRun(text: Uint8Array, search: RunSearch): boolean {
  const least = RISK_GATE.ENCODED_RUN_BYTES_MIN;
  const { limit } = search;
  let { from } = search;
  let probe = from + least - 1;
  while (probe < limit) {
    let at = probe;
    while (at >= from && IN_CORE[text[at] ?? 0] === 1) at -= 1;
    if (at >= from) {
      from = at + 1;
      probe = at + least;
      continue;
    }
    let end = probe + 1;
    while (end < limit && IN_RUN[text[end] ?? 0] === 1) end += 1;
    while (from > search.from && IN_RUN[text[from - 1] ?? 0] === 1) from -= 1;
    search.start = from;
    search.end = end;
    search.from = end + 1;
    return true;
  }
  return false;
}

/** Characters of a run by which it is judged: 12 bytes in base64, 8 in hex. */
const SAMPLE_CHARS = 16;
/** So many bytes of a sample need not be ASCII text: letters of other alphabets. */
const ODD_BYTES_MAX = 3;

/**
 * How the run is encoded, as far as its first characters tell: they have to decode to text.
 * Identifiers, paths, digests, keys and images, which look like base64 or hex, do not.
 */
export function encodingOf(text: Uint8Array, run: Run): Encoding | null {
  if (beginsHexText(text, run.start)) return 'hex';
  if (beginsBase64Text(text, run.start)) return 'base64';
  return holdsEscape(text, run) ? 'percent-encoding' : null;
}

function beginsHexText(text: Uint8Array, start: number): boolean {
  let odd = 0;
  for (let at = start; at < start + SAMPLE_CHARS; at += 2) {
    const high = HEX[text[at] ?? 0] ?? 255;
    const low = HEX[text[at + 1] ?? 0] ?? 255;
    if (high === 255 || low === 255) return false;
    if (!isPrintable((high << 4) | low)) odd += 1;
    if (odd > ODD_BYTES_MAX) return false;
  }
  return true;
}

/** Every other byte may be NUL: so UTF-16 begins. */
function beginsBase64Text(text: Uint8Array, start: number): boolean {
  let odd = 0;
  let index = 0;
  for (let at = start; at < start + SAMPLE_CHARS; at += 4) {
    const a = BASE64[text[at] ?? 0] ?? 255;
    const b = BASE64[text[at + 1] ?? 0] ?? 255;
    const c = BASE64[text[at + 2] ?? 0] ?? 255;
    const d = BASE64[text[at + 3] ?? 0] ?? 255;
    if ((a | b | c | d) > 63) return false;
    odd += oddness((a << 2) | (b >> 4), index);
    odd += oddness(((b & 15) << 4) | (c >> 2), index + 1);
    odd += oddness(((c & 3) << 6) | d, index + 2);
    if (odd > ODD_BYTES_MAX) return false;
    index += 3;
  }
  return true;
}

function oddness(byte: number, index: number): number {
  return isPrintable(byte) || (byte === 0 && index % 2 === 1) ? 0 : 1;
}

function isPrintable(byte: number): boolean {
  return (byte >= 0x20 && byte < 0x7f) || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

function holdsEscape(text: Uint8Array, run: Run): boolean {
  for (let at = run.start; at + 2 < run.end; at += 1) {
    if (text[at] === PERCENT && isEscape(text, at)) return true;
  }
  return false;
}

function isEscape(text: Uint8Array, at: number): boolean {
  return HEX[text[at + 1] ?? 0] !== 255 && HEX[text[at + 2] ?? 0] !== 255;
}

/** The characters of a URI around a run, not before `low` and not beyond `high`. */
export function uriAround(text: Uint8Array, run: Run, low: number, high: number): Run {
  let { start, end } = run;
  while (start > low && IN_URI[text[start - 1] ?? 0] === 1) start -= 1;
  while (end < high && IN_URI[text[end] ?? 0] === 1) end += 1;
  return { start, end };
}

/** Decodes the run into `target`, which holds as many bytes; returns how many were written. */
export function decodeRun(
  text: Uint8Array,
  run: Run,
  encoding: Encoding,
  target: Uint8Array,
): number {
  if (encoding === 'hex') return decodeHex(text, run, target);
  if (encoding === 'percent-encoding') return decodePercent(text, run, target);
  return withoutNul(target, decodeBase64(text, run, target));
}

/** Stops at the first byte that is not a digit; a last character that makes no byte is left out. */
function decodeBase64(text: Uint8Array, run: Run, target: Uint8Array): number {
  let length = 0;
  let bits = 0;
  let held = 0;
  for (let at = run.start; at < run.end; at += 1) {
    const value = BASE64[text[at] ?? 0] ?? 255;
    if (value === 255) break;
    bits = ((bits << 6) | value) & 0xfff;
    held += 6;
    if (held >= 8) {
      held -= 8;
      target[length++] = (bits >> held) & 0xff;
    }
  }
  return length;
}

function decodeHex(text: Uint8Array, run: Run, target: Uint8Array): number {
  let length = 0;
  for (let at = run.start; at + 1 < run.end; at += 2) {
    const high = HEX[text[at] ?? 0] ?? 255;
    const low = HEX[text[at + 1] ?? 0] ?? 255;
    if (high === 255 || low === 255) break;
    target[length++] = (high << 4) | low;
  }
  return length;
}

function decodePercent(text: Uint8Array, run: Run, target: Uint8Array): number {
  let length = 0;
  let at = run.start;
  while (at < run.end) {
    if (text[at] === PERCENT && at + 2 < run.end && isEscape(text, at)) {
      const high = HEX[text[at + 1] ?? 0] ?? 0;
      target[length++] = (high << 4) | (HEX[text[at + 2] ?? 0] ?? 0);
      at += 3;
    } else {
      target[length++] = text[at++] ?? 0;
    }
  }
  return length;
}

/** UTF-16 of ASCII becomes ASCII: its rules are written for that. */
function withoutNul(target: Uint8Array, length: number): number {
  if (target[1] !== 0 || target[3] !== 0) return length;
  let kept = 0;
  for (let at = 0; at < length; at += 1) {
    if (target[at] !== 0) target[kept++] = target[at] ?? 0;
  }
  return kept;
}
