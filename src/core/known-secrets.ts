import { createHmac, hash as hashOnce, randomBytes } from 'node:crypto';

/**
 * Finds known secrets in texts by their digests: the side that searches does not hold the secrets.
 *
 * A secret and a text are compared in a folded form (see `fold`), so that neither the case of its
 * letters (hex), line breaks, blanks, invisible characters, quotes, joints of literals nor the
 * alphabet of its base64 matter. Also found are its percent-encoding, hex and base64, the latter
 * also as a part of a longer run of base64. A secret of COMPARED_CHARS or more is found by any
 * COMPARED_CHARS of it in a row; a shorter one as a whole.
 */

/** Characters that are compared at once: any run of so many of a secret is found. */
const COMPARED_CHARS = 32;
/**
 * Shorter secrets are not compared: they are part of too many words. Those of up to WORD_CHARS_MAX
 * are found only where they stand alone, and only if they hold more than letters: a password
 * `staging` would hide this word wherever people write it.
 */
const SECRET_CHARS_MIN = 8;
const WORD_CHARS_MAX = 15;
/** Of a longer secret (a key in a file) the beginning is compared. */
const SECRET_BYTES_MAX = 16 * 1024;
/** Of a secret that is encoded, a run of so many characters more is found: a start takes less. */
const ENCODED_STEP = 8;
/** Of a digest in base64: 132 bits, so that no other text has it by chance. */
const DIGEST_CHARS = 22;

/** What is known of secrets; good for one process, as the key is random. */
export interface SecretDigests {
  /** Of the digests and of the rolling hash, 32 bytes. */
  key: Uint8Array;
  /** By the length of what is compared. */
  groups: readonly SecretGroup[];
}

/** Where no secrets are known. */
export const NO_SECRETS: SecretDigests = { key: new Uint8Array(COMPARED_CHARS), groups: [] };

interface SecretGroup {
  /** Folded characters that are compared at once. */
  chars: number;
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
  const key = others?.key ?? randomBytes(COMPARED_CHARS);
  const table = hashTable(key);
  const groups = new Map<string, { hashes: Set<number>; digests: Set<string> }>();
  for (const secret of new Set(secrets)) {
    for (const { form, step } of formsOf(secret)) {
      const text = fold(form).bytes;
      const chars = Math.min(text.length, COMPARED_CHARS);
      const isWord = chars <= WORD_CHARS_MAX;
      if (chars < SECRET_CHARS_MIN || (isWord && isLetters(text))) continue;
      const name = `${chars} ${isWord}`;
      const group = groups.get(name) ?? { hashes: new Set(), digests: new Set() };
      groups.set(name, group);
      for (let at = 0; at + chars <= text.length; at += step) {
        const part = text.subarray(at, at + chars);
        group.hashes.add(hashOf(part, table));
        group.digests.add(digestOf(part, key));
      }
    }
  }
  const own = [...groups].map(([name, { hashes, digests }]) => {
    const [chars, isWord] = name.split(' ');
    const lists = { hashes: [...hashes], digests: [...digests] };
    return { chars: Number(chars), isWord: isWord === 'true', ...lists };
  });
  return { key, groups: [...(others?.groups ?? []), ...own] };
}

/** Creates a search; its time is linear in the text, for each length that is compared. */
export function createKnownSecretFinder({
  key,
  groups,
}: SecretDigests): (text: Uint8Array) => SecretPlace[] {
  const table = hashTable(key);
  const sought = groups.map(({ chars, isWord, hashes, digests }) => {
    return { chars, isWord, hashes: new Set(hashes), digests: new Set(digests) };
  });
  return (text) => {
    const forms = text.includes(PERCENT) ? [fold(text), fold(text, true)] : [fold(text)];
    const found: SecretPlace[] = [];
    for (const folded of forms) {
      for (const group of sought) {
        forEachHash(folded.bytes, group.chars, table, (hash, at) => {
          if (!group.hashes.has(hash)) return;
          const place = placeOf(folded, at, group.chars);
          if (group.isWord && !standsAlone(text, place, group.chars)) return;
          const part = folded.bytes.subarray(at, at + group.chars);
          if (group.digests.has(digestOf(part, key))) found.push(place);
        });
      }
    }
    return found;
  };
}

/** What may be written of a secret: as it is, and encoded. A key of bytes is written encoded. */
function formsOf(secret: string | Uint8Array): { form: Uint8Array; step: number }[] {
  const bytes = Buffer.from(secret as Uint8Array).subarray(0, SECRET_BYTES_MAX);
  const hex = Buffer.from(bytes.toString('hex'));
  const base64 = [0, 1, 2].map((at) => base64At(bytes, at));
  if (typeof secret !== 'string') return [hex, ...base64].map((form) => ({ form, step: 1 }));
  const encoded = [hex, ...base64].map((form) => ({ form, step: ENCODED_STEP }));
  return [{ form: bytes, step: 1 }, ...encoded];
}

/** The base64 of bytes that stand at an offset (modulo 3), without what depends on others. */
function base64At(bytes: Buffer, offset: number): Buffer {
  const shifted = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
  const before = offset === 0 ? 0 : offset + 1;
  const bare = shifted.replace(/=+$/, '');
  const isWhole = (offset + bytes.length) % 3 === 0;
  return Buffer.from(bare.slice(before, isWhole ? bare.length : bare.length - 1));
}

/** A text in the form in which texts are compared, and where its bytes come from. */
interface Folded {
  bytes: Uint8Array;
  starts: Int32Array;
  ends: Int32Array;
}

const PERCENT = 0x25;
const QUOTE_CODES: ReadonlySet<number> = new Set(Buffer.from('"\'`'));
const BACKSLASH = 0x5c;
const SPACE = 0x20;
const DELETE = 0x7f;

/**
 * The text without blanks, control and invisible characters, quotes, joints of literals (`" + "`)
 * and backslashes, its ASCII letters in lower case, and `-` and `_` as `+` and `/`.
 */
function fold(text: Uint8Array, isDecoded = false): Folded {
  const bytes = new Uint8Array(text.length);
  const starts = new Int32Array(text.length);
  const ends = new Int32Array(text.length);
  let length = 0;
  for (let at = 0; at < text.length; ) {
    const skipped = skippedAt(text, at);
    if (skipped > 0) {
      at += skipped;
      continue;
    }
    const code = isDecoded ? escapeAt(text, at) : null;
    const end = at + (code === null ? 1 : 3);
    bytes[length] = FOLDED[code ?? text[at] ?? 0] ?? 0;
    starts[length] = at;
    ends[length] = end;
    length += 1;
    at = end;
  }
  return {
    bytes: bytes.subarray(0, length),
    starts: starts.subarray(0, length),
    ends: ends.subarray(0, length),
  };
}

const FOLDED = new Uint8Array(256).map((_, code) => code);
for (let code = 0x41; code <= 0x5a; code += 1) FOLDED[code] = code | 0x20;
FOLDED['-'.charCodeAt(0)] = '+'.charCodeAt(0);
FOLDED['_'.charCodeAt(0)] = '/'.charCodeAt(0);

/** How many bytes from here on are left out; 0: this one counts. */
function skippedAt(text: Uint8Array, at: number): number {
  const code = text[at] ?? 0;
  if (code <= SPACE || code === DELETE || code === BACKSLASH) return 1;
  if (QUOTE_CODES.has(code)) return jointAt(text, at);
  if (code < 0xc2) return 0;
  return invisibleAt(text, at);
}

const JOINT_BLANKS_MAX = 99;
const JOINERS: ReadonlySet<number> = new Set(Buffer.from('+.'));

/** The length of a joint of two literals that begins with this quote, or of the quote alone. */
function jointAt(text: Uint8Array, start: number): number {
  let at = start + 1;
  const skipBlanks = () => {
    const most = at + JOINT_BLANKS_MAX;
    while (at < most && (text[at] === SPACE || text[at] === 0x09)) at += 1;
  };
  skipBlanks();
  if (!JOINERS.has(text[at] ?? 0)) return 1;
  at += 1;
  skipBlanks();
  return QUOTE_CODES.has(text[at] ?? 0) ? at + 1 - start : 1;
}

/** Ranges of characters without ink (Unicode categories Cf and Z, variation selectors). */
const INVISIBLE: readonly (readonly [from: number, to: number])[] = [
  [0x80, 0xa0],
  [0xad, 0xad],
  [0x34f, 0x34f],
  [0x61c, 0x61c],
  [0x115f, 0x1160],
  [0x1680, 0x1680],
  [0x17b4, 0x17b5],
  [0x180b, 0x180f],
  [0x2000, 0x200f],
  [0x2028, 0x202f],
  [0x205f, 0x206f],
  [0x3000, 0x3000],
  [0x3164, 0x3164],
  [0xfe00, 0xfe0f],
  [0xfeff, 0xfeff],
  [0xfff9, 0xfffb],
  [0xe0000, 0xe0fff],
];

function invisibleAt(text: Uint8Array, at: number): number {
  const first = text[at] ?? 0;
  const length = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  let code = first & (0xff >> (length + 1));
  for (let next = at + 1; next < at + length; next += 1) {
    const byte = text[next] ?? 0;
    if ((byte & 0xc0) !== 0x80) return 0;
    code = (code << 6) | (byte & 0x3f);
  }
  return INVISIBLE.some(([from, to]) => code >= from && code <= to) ? length : 0;
}

/** The byte of an escape like `%2F`; null: the text has none here. */
function escapeAt(text: Uint8Array, at: number): number | null {
  if (text[at] !== PERCENT) return null;
  const digits = String.fromCharCode(text[at + 1] ?? 0, text[at + 2] ?? 0);
  return /^[0-9a-f]{2}$/i.test(digits) ? Number.parseInt(digits, 16) : null;
}

function placeOf({ starts, ends }: Folded, at: number, chars: number): SecretPlace {
  return { start: starts[at] ?? 0, end: ends[at + chars - 1] ?? 0 };
}

/** In one piece, and no part of a longer word. */
function standsAlone(text: Uint8Array, { start, end }: SecretPlace, chars: number): boolean {
  return end - start === chars && !isWordCode(text[start - 1]) && !isWordCode(text[end]);
}

function isWordCode(code: number | undefined): boolean {
  return code !== undefined && /\w/.test(String.fromCharCode(code));
}

function isLetters(text: Uint8Array): boolean {
  return text.every((code) => code >= 0x61 && code <= 0x7a);
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
