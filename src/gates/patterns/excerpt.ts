import { type AhoCorasick, buildAhoCorasick, forEachMatch } from '../../core/aho-corasick.ts';
import type { GateFinding } from '../../model/finding.ts';
import { RISK_GATE } from '../limits.ts';

/** The part of the diff that an excerpt shows: a line, and where in it the match is. */
export interface Shown {
  lineStart: number;
  lineEnd: number;
  matchStart: number;
  matchEnd: number;
}

/** Text before the match that helps to recognise the line. */
const LEAD_BYTES = 60;
const ELLIPSIS = '…';
const SPACE = 0x20;
const TAB = 0x09;

/** The bytes that an excerpt of `shown` is made from; at most EXCERPT_CHARS_MAX with ellipses. */
export function clip(bytes: Buffer, shown: Shown): { start: number; end: number } {
  const { lineEnd, matchStart } = shown;
  let start = shown.lineStart;
  while (start < matchStart && isBlank(bytes[start])) start += 1;
  const room = RISK_GATE.EXCERPT_CHARS_MAX - 2 * ELLIPSIS.length;
  if (lineEnd - start > room) {
    start = Math.max(start, Math.min(matchStart - LEAD_BYTES, lineEnd - room));
  }
  let end = Math.min(lineEnd, start + room);
  while (start < end && isContinuation(bytes[start])) start += 1;
  while (end > start && end < lineEnd && isContinuation(bytes[end])) end -= 1;
  return { start, end };
}

/**
 * One line of text for people: what `clip` chose, less what is masked, without control
 * characters. A mask may reach beyond the clip; masks may overlap.
 */
export function renderExcerpt(bytes: Buffer, shown: Shown, masks: readonly Mask[]): string {
  const { start, end } = clip(bytes, shown);
  let text = bytes.subarray(shown.lineStart, start).every(isBlank) ? '' : ELLIPSIS;
  let at = start;
  for (const mask of joinMasks(masks)) {
    if (mask.end <= at || mask.start >= end) continue;
    const from = Math.max(at, mask.start);
    text += decode(bytes, at, from);
    // Only the beginning of a secret is ever shown, so not when the clip cut it off.
    if (mask.start >= start) text += decode(bytes, from, Math.min(from + mask.visible, end));
    text += ELLIPSIS;
    at = Math.min(mask.end, end);
  }
  text += decode(bytes, at, end);
  return end < shown.lineEnd && at < end ? text + ELLIPSIS : text;
}

/**
 * Text without control and direction characters: these would rewrite a terminal, a log, or the
 * reader's idea of the code. A character that the cut divides is left out.
 */
function decode(bytes: Buffer, start: number, end: number): string {
  let last = end;
  while (last > start && isContinuation(bytes[last]) && last < bytes.length) last -= 1;
  return bytes
    .toString('utf8', start, last)
    .replace(/[\t\u00a0]/g, ' ')
    .replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cs}\u2028\u2029]/gu, '\ufffd');
}

function isBlank(byte: number | undefined): boolean {
  return byte === SPACE || byte === TAB;
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

/**
 * Shorter values are part of too many words, longer ones don't recur in a line that their rule
 * doesn't match. Where they were found they are masked anyway.
 */
const VALUE_BYTES_MIN = 4;
const VALUE_BYTES_MAX = 512;

/** Finds known secrets wherever they stand, also where no rule matched them. */
export class SecretFinder {
  private readonly automaton: AhoCorasick;
  private readonly values: readonly Buffer[];
  private readonly lengths: number[];
  private comparesLeft: number = RISK_GATE.REDACTION_COMPARES_MAX;
  private readonly longest: number;

  private constructor(values: readonly Buffer[]) {
    this.automaton = buildAhoCorasick(values, { caseSensitive: true });
    this.values = values;
    this.lengths = values.map((value) => value.length);
    this.longest = Math.max(0, ...this.lengths);
  }

  /** Null when there are too many values to look for (REDACTION_BYTES_MAX). */
  static of(secrets: Iterable<Buffer>): SecretFinder | null {
    const distinct = new Map<string, Buffer>();
    let bytes = 0;
    for (const secret of secrets) {
      const key = secret.toString('latin1');
      if (distinct.has(key)) continue;
      if (secret.length < VALUE_BYTES_MIN || secret.length > VALUE_BYTES_MAX) continue;
      distinct.set(key, secret);
      bytes += secret.length;
      if (bytes > RISK_GATE.REDACTION_BYTES_MAX) return null;
    }
    return new SecretFinder([...distinct.values()]);
  }

  /**
   * Masks over what the two ends of a text that was cut out leave of a secret. Null when so much
   * was compared already (REDACTION_COMPARES_MAX) that the text must not be shown.
   */
  cutMasks(bytes: Buffer): Mask[] | null {
    const masks: Mask[] = [];
    for (const value of this.values) {
      const longest = Math.min(value.length, bytes.length);
      this.comparesLeft -= 2 * longest;
      if (this.comparesLeft < 0) return null;
      const head = longestCut(longest, (size) => endsWith(value, bytes, size));
      const tail = longestCut(longest, (size) => endsWith(bytes, value, size));
      if (head > 0) masks.push({ start: 0, end: head, visible: 0 });
      if (tail > 0) masks.push({ start: bytes.length - tail, end: bytes.length, visible: 0 });
    }
    return masks;
  }

  /** Masks over every known secret that reaches into what an excerpt of `shown` shows. */
  masks(bytes: Buffer, shown: Shown): Mask[] {
    const { start, end } = clip(bytes, shown);
    const range = {
      start: Math.max(shown.lineStart, start - this.longest),
      end: Math.min(shown.lineEnd, end + this.longest),
    };
    const masks: Mask[] = [];
    forEachMatch(this.automaton, bytes, range, (id, at) => {
      masks.push(maskOf(at - (this.lengths[id] ?? 0), at));
    });
    return masks;
  }
}

function longestCut(longest: number, fits: (size: number) => boolean): number {
  for (let size = longest; size >= VALUE_BYTES_MIN; size -= 1) if (fits(size)) return size;
  return 0;
}

/** Whether the last `size` bytes of `text` are the first ones of `other`. */
function endsWith(text: Buffer, other: Buffer, size: number): boolean {
  const start = text.length - size;
  if (text[start] !== other[0] || text[text.length - 1] !== other[size - 1]) return false;
  return text.compare(other, 0, size, start, text.length) === 0;
}

/** A range of the diff that no excerpt may show, but for its first `visible` bytes. */
export interface Mask {
  start: number;
  end: number;
  visible: number;
}

/** The part of a secret that is shown, so that its owner can tell which one it is. */
const VISIBLE_BYTES_MAX = 4;
const VISIBLE_SHARE = 1 / 4;

/** A mask over a secret. */
export function maskOf(start: number, end: number): Mask {
  const visible = Math.min(VISIBLE_BYTES_MAX, Math.floor((end - start) * VISIBLE_SHARE));
  return { start, end, visible };
}

/** Masks in order, overlapping masks joined: the strictest of them decides what is shown. */
export function joinMasks(masks: readonly Mask[]): Mask[] {
  const joined: Mask[] = [];
  for (const mask of [...masks].sort((a, b) => a.start - b.start)) {
    const last = joined.at(-1);
    if (last === undefined || mask.start >= last.end) {
      joined.push({ ...mask });
      continue;
    }
    last.end = Math.max(last.end, mask.end);
    last.visible = Math.min(last.visible, mask.visible + mask.start - last.start);
  }
  return joined;
}

/** The joined masks that reach into the range. */
export function masksWithin(
  joined: readonly Mask[],
  range: { start: number; end: number },
): Mask[] {
  let low = 0;
  let high = joined.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((joined[middle]?.end ?? 0) <= range.start) low = middle + 1;
    else high = middle;
  }
  const within: Mask[] = [];
  for (let index = low; index < joined.length; index += 1) {
    const mask = joined[index];
    if (mask === undefined || mask.start >= range.end) break;
    within.push(mask);
  }
  return within;
}

type ByteRange = readonly [start: number, end: number];

/** Paths that hold secrets: findings name files, and would show them. */
export class PathSecrets {
  private readonly ranges = new Map<string, ByteRange[]>();

  /** Notes where in the path (byte offsets) secrets are. */
  add(path: string, secretAt: readonly ByteRange[]): void {
    const known = this.ranges.get(path);
    if (known === undefined) this.ranges.set(path, [...secretAt]);
    else known.push(...secretAt);
  }

  /** The findings, of any gate, without the secrets in their `file` and their steps. */
  hide(findings: readonly GateFinding[]): GateFinding[] {
    const shown = new Map([...this.ranges].map(([path, ranges]) => [path, hideIn(path, ranges)]));
    return findings.map((finding) => {
      const path = shown.get(finding.file ?? '');
      const flow = finding.flow?.map((step) => ({
        ...step,
        file: shown.get(step.file) ?? step.file,
      }));
      const hidden = flow === undefined ? finding : { ...finding, flow };
      return path === undefined ? hidden : { ...hidden, file: path };
    });
  }
}

function hideIn(path: string, ranges: readonly ByteRange[]): string {
  const bytes = Buffer.from(path);
  let text = '';
  let at = 0;
  for (const mask of joinMasks(ranges.map(([start, end]) => maskOf(start, end)))) {
    text += `${bytes.toString('utf8', at, mask.start + mask.visible)}…`;
    at = mask.end;
  }
  return text + bytes.toString('utf8', at);
}
