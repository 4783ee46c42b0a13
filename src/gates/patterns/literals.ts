import { BYTE } from '../../diff/bytes.ts';
import { RISK_GATE } from '../limits.ts';
import type { DerivedScan, SourceLine } from './derived.ts';
import type { Scratch } from './unicode.ts';

const SPACE = 0x20;
const TAB = 0x09;
const CR = 0x0d;
const BACKSLASH = 0x5c;
const AMPERSAND = 0x26;
const HASH = 0x23;
const SLASH = 0x2f;

/**
 * What wakes the search for more: literals joined on one line, the way formatters write them, and
 * characters of ASCII that are written as escapes (`\/` is how PHP writes a slash in JSON).
 */
export const JOINTS = [
  ...['" + "', "' + '", '` + `', '" . "', "' . '", '"+"', "'+'"],
  // Two literals with nothing or a blank between them, other operators, and calls that join.
  ...['" "', "' '", '""', "''", '"\'', '\'"', '" \'', '\' "', '" & "', '".."', "'..'"],
  ...['" .. "', "' .. '", '" <> "', "' || '", "' << '", '" << "', '.concat(', '.append('],
  ...['"@"', '+ @"', '+ $"', '+ "', "+ '", '+"', "+'", '. "', ". '"],
  ...['\\/', '\\x', '\\u00', '\\u{', '\\1', '\\06', '\\07', '&#'],
] as const;

/** What of a line is looked at; all of it, unless it is a long one. */
interface Part extends SourceLine {
  from: number;
  to: number;
}

/** A run of bytes that is copied, or an escape that becomes one byte. */
interface Copied {
  /** Offset in the text. */
  at: number;
  /** Range in the diff. */
  from: number;
  to: number;
  line: number;
}

/**
 * Puts string literals together that are joined by an operator, or by nothing but a line break,
 * and reads escapes, so that the secret rules see a token that is cut in two or written otherwise:
 *
 *     const token = "\x67hp_abc" +       const token = "ghp_abcdef";
 *       "def";                     ->
 *
 * Offer every added line of a hunk in order, then call `flush`. A statement of more than
 * LITERAL_BYTES_MAX is looked at in parts.
 */
export class Literals {
  private readonly bytes: Buffer;
  private readonly scan: DerivedScan;
  private readonly scratch: Scratch;
  private lines: Part[] = [];
  private size = 0;
  private isOpen = false;
  private hasJoint = false;

  constructor(bytes: Buffer, scan: DerivedScan, scratch: Scratch) {
    this.scratch = scratch;
    this.bytes = bytes;
    this.scan = scan;
  }

  /** `hasJoint` says that one of JOINTS stands on the line. */
  offer(number: number, start: number, end: number, hasJoint: boolean): void {
    if (end - start > RISK_GATE.LITERAL_BYTES_MAX) {
      this.flush();
      if (hasJoint) this.longLine(number, start, end);
      return;
    }
    const last = this.lines.at(-1);
    if (last !== undefined) {
      const continues = this.isOpen && last.number + 1 === number && this.beginsQuoted(start, end);
      if (!continues || this.size + end - start > RISK_GATE.LITERAL_BYTES_MAX) this.flush();
    }
    this.isOpen = this.endsOpen(start, end);
    if (this.lines.length === 0 && !this.isOpen && !hasJoint) return;
    this.lines.push({ number, start, end, from: start, to: end });
    this.size += end - start;
    this.hasJoint ||= hasJoint;
  }

  /** Looks at the lines collected; to be called when no more lines follow. */
  flush(): void {
    if (this.lines.length === 0) return;
    // One line alone is worth a look only for a joint on it.
    if (this.lines.length > 1 || this.hasJoint) this.fold();
    this.lines = [];
    this.size = 0;
    this.hasJoint = false;
  }

  /** Folds a line in pieces, which overlap by the longest token that is certain to be found. */
  private longLine(number: number, start: number, end: number): void {
    const most = RISK_GATE.LITERAL_BYTES_MAX;
    for (let from = start; from < end; from += most - RISK_GATE.LITERAL_OVERLAP_BYTES) {
      const to = Math.min(from + most, end);
      this.lines = [{ number, start, end, from, to }];
      this.size = to - from;
      this.hasJoint = true;
      this.flush();
    }
  }

  private fold(): void {
    const { bytes, lines } = this;
    const text = this.scratch.take(this.size);
    const parts: Copied[] = [];
    let length = 0;
    const copy = (from: number, to: number, line: number, escaped: number | null) => {
      if (to <= from) return;
      parts.push({ at: length, from, to, line });
      if (escaped === null) length += bytes.copy(text, length, from, to);
      else text[length++] = escaped;
    };
    for (const [index, { number, from, to }] of lines.entries()) {
      const first = index === 0 ? from : this.headEnd(from, to);
      const last = index === lines.length - 1 ? to : this.tailStart(from, to);
      this.copyRead(first, Math.max(first, last), (from, to, escaped) => {
        copy(from, to, number, escaped);
      });
    }
    const [top] = lines;
    if (top === undefined || parts.length < 2) return;
    const partAt = (offset: number) => {
      let low = 0;
      let high = parts.length - 1;
      while (low < high) {
        const middle = (low + high + 1) >> 1;
        if ((parts[middle]?.at ?? 0) <= offset) low = middle;
        else high = middle - 1;
      }
      return low;
    };
    const lineOf = (offset: number) => parts[partAt(offset)]?.line ?? top.number;
    this.scan.scan(text.subarray(0, length), {
      lineAt: (offset) => lines[lineOf(offset) - top.number] ?? top,
      sourceOf: (start, end) => {
        const ranges: [number, number][] = [];
        for (let index = partAt(start); index < parts.length; index += 1) {
          const part = parts[index];
          if (part === undefined || part.at >= end) break;
          const until = Math.min(end, parts[index + 1]?.at ?? length);
          const isWhole = until === (parts[index + 1]?.at ?? length);
          const from = part.from + Math.max(0, start - part.at);
          // An escape is longer than the byte that it stands for.
          ranges.push([from, isWhole ? part.to : part.from + until - part.at]);
        }
        return ranges;
      },
      via: null,
    });
  }

  /**
   * Copies `[from, to)` less what stands between two literals, both quotes included; `escaped` is
   * the byte that a range stands for which is an escape.
   */
  private copyRead(
    from: number,
    to: number,
    copy: (from: number, to: number, escaped: number | null) => void,
  ): void {
    const { bytes } = this;
    let start = from;
    let at = from;
    while (at < to) {
      const quote = bytes[at];
      if (quote === BACKSLASH || (quote === AMPERSAND && bytes[at + 1] === HASH)) {
        const { length, byte } = readEscape(bytes, at, to);
        if (byte !== null) {
          copy(start, at, null);
          copy(at, at + length, byte);
          start = at + length;
        }
        at += length;
        continue;
      }
      if (!isQuote(quote)) {
        at += 1;
        continue;
      }
      const next = this.nextLiteral(at, from, to);
      if (next === -1) {
        at += 1;
        continue;
      }
      copy(start, at, null);
      start = next + 1;
      at = start;
    }
    copy(start, to, null);
  }

  /**
   * Where the quote is that opens the literal which is joined to the literal ending at `at`; -1:
   * the quote there ends none, or none is joined. Without an operator, or in other quotes, both
   * have to begin and end like a part of a token: `split('')` and `' '` join nothing.
   */
  private nextLiteral(at: number, from: number, to: number): number {
    const { bytes } = this;
    const text = bytes.toString('latin1', at, Math.min(to, at + JOIN_CHARS_MAX));
    const match = JOIN.exec(text);
    if (match === null) return -1;
    const next = at + match[0].length - 1;
    const isPlain = match[1] !== undefined && bytes[next] === bytes[at];
    const isToken = at > from && isTokenByte(bytes[at - 1]) && isTokenByte(bytes[next + 1]);
    return isPlain || isToken ? next : -1;
  }

  /** Whether a literal ends the line, perhaps with an operator behind it. */
  private endsOpen(start: number, end: number): boolean {
    const last = this.lastInk(start, end);
    if (last < start) return false;
    return isQuote(this.bytes[this.beforeOperator(start, last)]);
  }

  /** Offset of what stands before an operator of one or two signs that ends at `last`. */
  private beforeOperator(start: number, last: number): number {
    if (!isOperator(this.bytes[last])) return last;
    const before = this.lastInk(start, last);
    return isOperator(this.bytes[before]) ? this.lastInk(start, before) : before;
  }

  private beginsQuoted(start: number, end: number): boolean {
    const { bytes } = this;
    const first = this.skipBlank(start, end);
    if (first >= end) return false;
    return isQuote(bytes[this.behindOperator(first, end)]);
  }

  /** Offset of what stands behind an operator of one or two signs at `first`. */
  private behindOperator(first: number, end: number): number {
    if (!isOperator(this.bytes[first])) return first;
    const next = this.skipBlank(first + 1, end);
    return isOperator(this.bytes[next]) ? this.skipBlank(next + 1, end) : next;
  }

  /** Behind the quote with which a line that continues another begins. */
  private headEnd(start: number, end: number): number {
    const at = this.behindOperator(this.skipBlank(start, end), end);
    return Math.min(at + 1, end);
  }

  /** Where the quote is that ends the literal at the end of a line. */
  private tailStart(start: number, end: number): number {
    return this.beforeOperator(start, this.lastInk(start, end));
  }

  /** Offset of the last byte before `end` that is not a blank; below `start` when it is absent. */
  private lastInk(start: number, end: number): number {
    let at = end - 1;
    while (at >= start && isBlank(this.bytes[at])) at -= 1;
    return at;
  }

  private skipBlank(from: number, to: number): number {
    let at = from;
    while (at < to && isBlank(this.bytes[at])) at += 1;
    return at;
  }
}

/**
 * `\/`, `\x41`, `\u0041`, `\u{41}`, `\U00000041`, `&#x41;`: an escape of a character, if it is of
 * ASCII; and `\101` and `&#65;`, which have other digits.
 */
const ESCAPE =
  /^(?:\\(?:(\/)|x([\da-fA-F]{2})|u([\da-fA-F]{4})|u\{0{0,6}([\da-fA-F]{1,2})\}|U([\da-fA-F]{8})|([01][0-7]{2}))|&#(?:[xX]0{0,4}([\da-fA-F]{1,2})|0{0,4}(\d{1,3}));)/;
const ESCAPE_BYTES_MAX = 12;
const ASCII_MAX = 0x7f;

/** The escape at a backslash; `byte` null: it stands for nothing that secrets are made of. */
function readEscape(
  bytes: Buffer,
  at: number,
  end: number,
): { length: number; byte: number | null } {
  const text = bytes.toString('latin1', at, Math.min(end, at + ESCAPE_BYTES_MAX));
  const [whole, slash, ...digits] = ESCAPE.exec(text) ?? [];
  const octal = digits[4];
  const decimal = digits[6];
  // `\\/` is a backslash and a slash.
  if (whole === undefined) return { length: text.startsWith('\\\\') ? 2 : 1, byte: null };
  const base = octal === undefined ? (decimal === undefined ? 16 : 10) : 8;
  const code = slash === undefined ? Number.parseInt(digits.join(''), base) : SLASH;
  if (code > ASCII_MAX) return { length: whole.length, byte: null };
  // A tab or the start of a colour divides words like a blank, which is what rules look for.
  const isControl = code < SPACE && code !== BYTE.LF;
  return { length: whole.length, byte: isControl ? TAB : code };
}

function isQuote(byte: number | undefined): boolean {
  return byte === 0x22 || byte === 0x27 || byte === 0x60;
}

/**
 * What joins two literals: `+` in most languages, `.` in PHP, `..` in Lua, `&` in VB, `||` in SQL,
 * `<<` in Ruby, `<>` in Elixir, `\` before a newline.
 */
function isOperator(byte: number | undefined): boolean {
  return byte !== undefined && OPERATORS.includes(byte);
}

const OPERATORS = Buffer.from('+.&\\|<>');

/** From the end quote of a literal to the first quote of the next; the group is an operator. */
const JOIN =
  /^["'`](?:[ \t\r]*([+.&\\]|\.\.|\|\||<<|<>)[ \t\r]*|[ \t\r]*\)?[ \t\r]*\.(?:concat|append|push_str)\([ \t]*|[ \t]*)[A-Za-z@$]{0,2}["'`]/;
const JOIN_CHARS_MAX = 64;

function isTokenByte(byte: number | undefined): boolean {
  return byte !== undefined && /[\w+/=.-]/.test(String.fromCharCode(byte));
}

function isBlank(byte: number | undefined): boolean {
  return byte === SPACE || byte === TAB || byte === CR;
}
