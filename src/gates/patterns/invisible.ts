import { BYTE } from '../../diff/bytes.ts';

const DELETE = 0x7f;

/** Characters from `first` to `last`. */
function characters(first: number, last: number): string[] {
  return Array.from({ length: last - first + 1 }, (_, index) =>
    String.fromCodePoint(first + index),
  );
}

/**
 * Characters that take no room: NUL, of which UTF-16 puts one beside each ASCII character, soft
 * hyphen, joiners, zero-width spaces, direction marks, variation selectors, byte order mark
 * (Unicode 16, Default_Ignorable_Code_Point, those of the first plane that stand in no word).
 */
export const INVISIBLE: readonly string[] = [
  ...['\0', '\u00ad', '\u034f', '\u180e', '\ufeff'],
  ...characters(0x200b, 0x200f),
  ...characters(0x202a, 0x202e),
  ...characters(0x2060, 0x206f),
  ...characters(0xfe00, 0xfe0f),
];

/** The same in UTF-8, as numbers of one, two or three bytes. */
const CODES: ReadonlySet<number> = new Set(
  INVISIBLE.map((char) => Buffer.from(char).reduce((code, byte) => code * 256 + byte, 0)),
);
const FIRST_BYTES = new Uint8Array(256);
for (const char of INVISIBLE) FIRST_BYTES[Buffer.from(char)[0] ?? 0] = 1;

/** Bytes of the invisible character at `at`; 0 when it is absent. */
export function invisibleLength(bytes: Uint8Array, at: number): number {
  const first = bytes[at] ?? BYTE.LF;
  if (FIRST_BYTES[first] === 0) return 0;
  if (first === 0) return 1;
  const two = first * 256 + (bytes[at + 1] ?? 0);
  if (CODES.has(two)) return 2;
  return CODES.has(two * 256 + (bytes[at + 2] ?? 0)) ? 3 : 0;
}

/**
 * Whether invisible characters stand before ASCII text, and behind such or at the start of the
 * line: there they divide what a reader takes for one word. Between other letters they are part
 * of how a language is written, and of emoji.
 */
export function dividesText(bytes: Uint8Array, start: number, end: number): boolean {
  let isPlain = true;
  for (let at = start; at < end; ) {
    const length = invisibleLength(bytes, at);
    if (length === 0) {
      isPlain = isAscii(bytes[at]);
      at += 1;
      continue;
    }
    at += length;
    if (isPlain && at < end && isAscii(bytes[at])) return true;
  }
  return false;
}

function isAscii(byte: number | undefined): boolean {
  return byte !== undefined && ((byte >= BYTE.SPACE && byte < DELETE) || byte === BYTE.TAB);
}

/**
 * Offset of the `\` by which the line goes on in the next one (shell, make, Dockerfile, C, strings
 * of many languages), with something before it that the next line could complete; -1 if there is
 * none. Blanks may follow it, as Dockerfiles have them.
 */
export function continuation(bytes: Uint8Array, start: number, end: number): number {
  let last = end - 1;
  while (last > start && isBlank(bytes[last])) last -= 1;
  if (last <= start || bytes[last] !== BYTE.BACKSLASH) return -1;
  const before = bytes[last - 1];
  // `\\` is a backslash, and behind a blank a new word begins.
  return before === BYTE.BACKSLASH || isBlank(before) ? -1 : last;
}

/** What may stand behind the last sign of a line. */
export function isBlank(byte: number | undefined): boolean {
  return byte === BYTE.SPACE || byte === BYTE.TAB || byte === BYTE.CR;
}
