import { createHmac, hash as hashOnce, randomBytes } from 'node:crypto';

/**
 * Finds known secrets in texts by their digests: the side that searches does not hold the secrets.
 *
 * A secret and a text are compared by their letters and digits alone, in one case (see `fold`), so
 * nothing that is put between them matters: line breaks, blanks, invisible characters, quotes,
 * joints of literals, signs of comments and quotations. Nor do escapes (see `decode`) and other
 * forms of the same letters (full width, accents). Also found are a secret's hex and base64, the
 * latter also as a part of a longer run of base64. A secret of COMPARED_CHARS letters and digits or
 * more is found by any COMPARED_CHARS of them in a row; a shorter one as a whole.
 */

/** Letters and digits that are compared at once: any run of so many of a secret is found. */
const COMPARED_CHARS = 24;
/** Secrets with fewer letters and digits are compared with their signs, as a whole. */
const LETTERS_MIN = 16;
/**
 * Shorter secrets are not compared: they are part of too many words. Those below LETTERS_MIN that
 * look like a word with a number are found only where they stand alone, and words of letters only
 * are not compared: a password `staging` would hide this word wherever people write it.
 */
const SECRET_CHARS_MIN = 8;
/** Of a longer secret (a key in a file) the beginning is compared. */
const SECRET_BYTES_MAX = 16 * 1024;
/** Of a secret that is encoded, a run of so many characters more is found: a start takes less. */
const ENCODED_STEP = 8;
/** Of a digest in base64: 132 bits, so that no other text has it by chance. */
const DIGEST_CHARS = 22;
const KEY_BYTES = 32;

/** Digests of secrets; valid for one process, as the key is random. */
export interface SecretDigests {
  /** Of the digests and of the rolling hash, 32 bytes. */
  key: Uint8Array;
  /** By the length of the compared text. */
  groups: readonly SecretGroup[];
}

/** Where no secrets are known. */
export const NO_SECRETS: SecretDigests = { key: new Uint8Array(KEY_BYTES), groups: [] };

interface SecretGroup {
  /** Folded bytes that are compared at once. */
  chars: number;
  /** Whether signs are compared, too. */
  signs: boolean;
  /** Found only where no letter or digit stands beside it. */
  isWord: boolean;
  /** Rolling hash of each: a cheap first look. */
  hashes: readonly number[];
  /** SHA-256 over key and text, base64, cut. */
  digests: readonly string[];
}

/** A part of a text, as offsets of bytes. */
export interface SecretPlace {
  start: number;
  end: number;
}

/** Digests of secrets, and of `others` besides. Keys of bytes are compared as hex and base64. */
export function digestSecrets(
  secrets: readonly (string | Uint8Array)[],
  others: SecretDigests | null = null,
): SecretDigests {
  const key = others?.key ?? randomBytes(KEY_BYTES);
  const table = hashTable(key);
  const groups = new Map<string, { kind: GroupKind; hashes: Set<number>; digests: Set<string> }>();
  for (const secret of new Set(secrets)) {
    for (const { text, isWord, signs, step, most } of formsOf(secret)) {
      const chars = Math.min(text.length, most);
      if (chars < SECRET_CHARS_MIN) continue;
      const kind = { chars, isWord, signs };
      const name = JSON.stringify(kind);
      const group = groups.get(name) ?? { kind, hashes: new Set(), digests: new Set() };
      groups.set(name, group);
      for (let at = 0; at + chars <= text.length; at += step) {
        const part = text.subarray(at, at + chars);
        group.hashes.add(hashOf(part, table));
        group.digests.add(digestOf(part, key));
      }
    }
  }
  const own = [...groups.values()].map(({ kind, hashes, digests }) => {
    return { ...kind, hashes: [...hashes], digests: [...digests] };
  });
  return { key, groups: [...(others?.groups ?? []), ...own] };
}

type GroupKind = Pick<SecretGroup, 'chars' | 'isWord' | 'signs'>;

/** Creates a search; its time is linear in the text, for each length that is compared. */
export function createKnownSecretFinder({
  key,
  groups,
}: SecretDigests): (text: Uint8Array) => SecretPlace[] {
  const table = hashTable(key);
  const sought = groups.map(({ hashes, digests, ...kind }) => {
    return { ...kind, hashes: new Set(hashes), digests: new Set(digests) };
  });
  const withSigns = groups.some(({ signs }) => signs);
  return (text) => {
    if (sought.length === 0) return [];
    const decoded = decode(text);
    const sources = decoded === null ? [plain(text)] : [plain(text), decoded];
    const found: SecretPlace[] = [];
    for (const source of sources) {
      for (const signs of withSigns ? [false, true] : [false]) {
        const folded = fold(source, signs);
        for (const group of sought.filter((one) => one.signs === signs)) {
          forEachHash(folded.bytes, group.chars, table, (hash, at) => {
            if (!group.hashes.has(hash)) return;
            const place = placeOf(folded, at, group.chars);
            if (group.isWord && !standsAlone(text, place)) return;
            const part = folded.bytes.subarray(at, at + group.chars);
            if (group.digests.has(digestOf(part, key))) found.push(place);
          });
        }
      }
    }
    return found;
  };
}

/** A folded text that is sought. */
interface Form {
  text: Uint8Array;
  isWord: boolean;
  signs: boolean;
  step: number;
  /** So many bytes are compared at once, at most. */
  most: number;
}

/** What may be written of a secret: as it is, and encoded. A key of bytes is written encoded. */
function formsOf(secret: string | Uint8Array): Form[] {
  const bytes = Buffer.from(secret as Uint8Array).subarray(0, SECRET_BYTES_MAX);
  const isText = typeof secret === 'string';
  const codes = [Buffer.from(bytes.toString('hex')), ...[0, 1, 2].map((at) => base64At(bytes, at))];
  const step = isText ? ENCODED_STEP : 1;
  const encoded = codes.map((code): Form => {
    const text = fold(plain(code), false).bytes;
    return { text, isWord: false, signs: false, step, most: COMPARED_CHARS };
  });
  if (!isText || bytes.length < SECRET_CHARS_MIN) return isText ? [] : encoded;
  const letters = fold(plain(bytes), false).bytes;
  if (letters.length >= LETTERS_MIN) {
    const most = OF_WORDS.test(secret) ? OF_WORDS_CHARS : COMPARED_CHARS;
    return [{ text: letters, isWord: false, signs: false, step: 1, most }, ...encoded];
  }
  if (/^[A-Za-z]*$/.test(secret)) return [];
  const text = fold(plain(bytes), true).bytes;
  return [{ text, isWord: isLikeWord(secret), ...SHORT }, ...encoded];
}

/** Words with joints, and a number at the end: people also write the first of them. */
const OF_WORDS = /^[A-Za-z]+(?:[^A-Za-z0-9][A-Za-z]+)*[^A-Za-z0-9]?\d{0,4}$/;
const OF_WORDS_CHARS = 64;
const SHORT = { signs: true, step: 1, most: COMPARED_CHARS } as const;

/** Letters of one case, digits and `_`: such a text may be a part of a longer name. */
function isLikeWord(secret: string): boolean {
  return /^\w*$/.test(secret) && !(/[a-z]/.test(secret) && /[A-Z]/.test(secret.slice(1)));
}

/** The base64 of bytes that stand at an offset (modulo 3), without what depends on others. */
function base64At(bytes: Buffer, offset: number): Buffer {
  const shifted = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
  const before = offset === 0 ? 0 : offset + 1;
  const bare = shifted.replace(/=+$/, '');
  const isWhole = (offset + bytes.length) % 3 === 0;
  return Buffer.from(bare.slice(before, isWhole ? bare.length : bare.length - 1));
}

/** Bytes, and where in a text each of them stands. */
interface Folded {
  bytes: Uint8Array;
  starts: Int32Array;
  ends: Int32Array;
}

/** Grows as bytes come. */
class Folding {
  #length = 0;
  #bytes: Uint8Array;
  #starts: Int32Array;
  #ends: Int32Array;

  constructor(bytes: number) {
    this.#bytes = new Uint8Array(bytes);
    this.#starts = new Int32Array(bytes);
    this.#ends = new Int32Array(bytes);
  }

  put(byte: number, start: number, end: number): void {
    if (this.#length === this.#bytes.length) this.#grow();
    this.#bytes[this.#length] = byte;
    this.#starts[this.#length] = start;
    this.#ends[this.#length] = end;
    this.#length += 1;
  }

  /** Some characters are longer when folded. */
  #grow(): void {
    const length = 2 * this.#length + 64;
    const grown = <T extends Uint8Array | Int32Array>(to: T, from: T): T => {
      to.set(from);
      return to;
    };
    this.#bytes = grown(new Uint8Array(length), this.#bytes);
    this.#starts = grown(new Int32Array(length), this.#starts);
    this.#ends = grown(new Int32Array(length), this.#ends);
  }

  result(): Folded {
    return {
      bytes: this.#bytes.subarray(0, this.#length),
      starts: this.#starts.subarray(0, this.#length),
      ends: this.#ends.subarray(0, this.#length),
    };
  }
}

function plain(text: Uint8Array): Folded {
  const starts = new Int32Array(text.length);
  const ends = new Int32Array(text.length);
  for (let at = 0; at < text.length; at += 1) {
    starts[at] = at;
    ends[at] = at + 1;
  }
  return { bytes: text, starts, ends };
}

/**
 * How a character may be written in URLs, JSON, source code, HTML, mails and dumps of bytes: by
 * its code in hex, octal or decimal. Tags and names of HTML, and what stands for nothing, vanish.
 */
const ESCAPES = new RegExp(
  [
    '%(?:25){0,4}(?:u[0-9A-Fa-f]{4}|[0-9A-Fa-f]{2})',
    '\\\\{1,8}u[0-9A-Fa-f]{4}',
    '\\\\{1,8}U[0-9A-Fa-f]{8}',
    '\\\\{1,8}[ux]\\{[0-9A-Fa-f]{1,6}\\}',
    '\\\\{1,8}x[0-9A-Fa-f]{2}',
    '\\\\{1,8}[0-3][0-7]{2}',
    '&(?:amp;){0,4}#[xX][0-9A-Fa-f]{1,6};?',
    '&(?:amp;){0,4}#[0-9]{1,7};?',
    '&(?:amp;){0,4}[A-Za-z]{2,8};',
    '=[0-9A-F]{2}',
    '\\b0[xX][0-9A-Fa-f]{2}\\b',
    '</?[A-Za-z][^<>]{0,40}>',
    // The tag characters U+E0000 to U+E007F, in UTF-8: ASCII that nobody sees.
    '\\xf3\\xa0[\\x80\\x81][\\x80-\\xbf]',
  ].join('|'),
  'g',
);

/** The text with its escapes read; null: it has none. */
function decode(text: Uint8Array): Folded | null {
  const latin1 = Buffer.from(text.buffer, text.byteOffset, text.length).toString('latin1');
  const folding = new Folding(text.length);
  let read = 0;
  const copyTo = (end: number) => {
    for (; read < end; read += 1) folding.put(text[read] ?? 0, read, read + 1);
  };
  for (const found of latin1.matchAll(ESCAPES)) {
    copyTo(found.index);
    read += found[0].length;
    for (const byte of meantBy(found[0])) folding.put(byte, found.index, read);
  }
  if (read === 0) return null;
  copyTo(text.length);
  return folding.result();
}

/** The bytes of UTF-8 that an escape stands for: never more than it is long. */
function meantBy(written: string): Iterable<number> {
  const first = written[0];
  if (first === '<') return NOTHING;
  if (first === TAG) {
    return [(written.charCodeAt(2) & 1) * 64 + (written.charCodeAt(3) & 63)];
  }
  if (first === '&' && !written.includes('#')) return NOTHING;
  const digits = DIGITS.exec(written)?.[0] ?? '';
  if (first === '&') return bytesOf(digits, /#[xX]/.test(written) ? 16 : 10);
  if (first === '\\' && !/[uUx]/.test(written)) return [Number.parseInt(digits, 8)];
  const isCode = /[uU{]/.test(written);
  // `%2541` stands for `%41`.
  return isCode ? bytesOf(digits, 16) : [Number.parseInt(digits.slice(-2), 16)];
}

function bytesOf(digits: string, radix: number): Iterable<number> {
  const code = Number.parseInt(digits, radix);
  if (code < 0x80) return [code];
  return code <= CODE_POINT_MAX ? Buffer.from(String.fromCodePoint(code)) : NOTHING;
}

const NOTHING: readonly number[] = [];
const TAG = '\xf3';
const DIGITS = /[0-9A-Fa-f]+(?=[;}]?$)/;
const CODE_POINT_MAX = 0x10ffff;

/** Of ASCII: what a character becomes; 0: it is left out. */
const LETTERS = tableOf(/[A-Za-z0-9]/);
/** With signs, but for quotes and backslashes. */
const SIGNS = tableOf(/[!#-&(-[\]-_a-~]/);

function tableOf(kept: RegExp): Uint8Array {
  return new Uint8Array(0x80).map((_, code) => {
    const char = String.fromCharCode(code);
    return kept.test(char) ? char.toLowerCase().charCodeAt(0) : 0;
  });
}

/** The letters and digits of a text, in one case and form; with `signs` its signs too. */
function fold({ bytes: text, starts, ends }: Folded, signs: boolean): Folded {
  const table = signs ? SIGNS : LETTERS;
  const left = signs ? /[\p{C}\p{Z}\p{M}\p{DI}]/gu : /[^\p{L}\p{N}]|\p{DI}/gu;
  const folding = new Folding(text.length);
  for (let at = 0; at < text.length; ) {
    const code = text[at] ?? 0;
    const start = starts[at] ?? 0;
    if (code < 0x80) {
      const folded = table[code] ?? 0;
      if (folded !== 0) folding.put(folded, start, ends[at] ?? 0);
      at += 1;
      continue;
    }
    const next = at + charLengthAt(text, at);
    const end = ends[next - 1] ?? 0;
    for (const byte of foldedChar(text.subarray(at, next), left)) folding.put(byte, start, end);
    at = next;
  }
  return folding.result();
}

/** So long is a character beyond ASCII in UTF-8; 1 for any other byte. */
function charLengthAt(text: Uint8Array, at: number): number {
  const first = text[at] ?? 0;
  const length = first < 0xc2 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  for (let next = at + 1; next < at + length; next += 1) {
    if (((text[next] ?? 0) & 0xc0) !== 0x80) return 1;
  }
  return length;
}

/** Without accents and width: `e` of `é` and of `ｅ`. */
function foldedChar(char: Uint8Array, left: RegExp): Uint8Array {
  const form = Buffer.from(char).toString().normalize('NFKD').replace(left, '');
  return form === '' ? char.subarray(0, 0) : Buffer.from(form.toUpperCase().toLowerCase());
}

function placeOf({ starts, ends }: Folded, at: number, chars: number): SecretPlace {
  return { start: starts[at] ?? 0, end: ends[at + chars - 1] ?? 0 };
}

/** In one piece, and no part of a longer word. */
function standsAlone(text: Uint8Array, { start, end }: SecretPlace): boolean {
  if (isWordCode(text[start - 1]) || isWordCode(text[end])) return false;
  return !text.subarray(start, end).some((code) => code <= SPACE || QUOTE_CODES.has(code));
}

const SPACE = 0x20;
const QUOTE_CODES: ReadonlySet<number> = new Set(Buffer.from('"\'`'));

function isWordCode(code: number | undefined): boolean {
  return code !== undefined && /\w/.test(String.fromCharCode(code));
}

function digestOf(part: Uint8Array, key: Uint8Array): string {
  // The key has a fixed length and the end of the digest is cut off, so no HMAC is needed.
  return hashOnce('sha256', Buffer.concat([key, part]), 'base64').slice(0, DIGEST_CHARS);
}

/** Random numbers for bytes (buzhash), which nobody without the key can aim at. */
function hashTable(key: Uint8Array): Uint32Array {
  const table = new Uint32Array(256);
  for (let code = 0; code < table.length; code += 1) {
    const digest = createHmac('sha256', key).update(`byte ${code}`).digest();
    table[code] = digest.readUInt32LE(0);
  }
  return table;
}

function rotated(value: number, by: number): number {
  const bits = by % 32;
  return bits === 0 ? value : (value << bits) | (value >>> (32 - bits));
}

function hashOf(part: Uint8Array, table: Uint32Array): number {
  let hash = 0;
  for (const code of part) hash = rotated(hash, 1) ^ (table[code] ?? 0);
  return hash >>> 0;
}

/** The hash of each part of so many bytes, in one walk. */
function forEachHash(
  bytes: Uint8Array,
  chars: number,
  table: Uint32Array,
  take: (hash: number, at: number) => void,
): void {
  if (bytes.length < chars) return;
  let hash = hashOf(bytes.subarray(0, chars), table);
  take(hash, 0);
  for (let at = 1; at + chars <= bytes.length; at += 1) {
    const gone = rotated(table[bytes[at - 1] ?? 0] ?? 0, chars);
    hash = (rotated(hash, 1) ^ gone ^ (table[bytes[at + chars - 1] ?? 0] ?? 0)) >>> 0;
    take(hash, at);
  }
}
