import { buildAhoCorasick, forEachOutput } from '../../core/aho-corasick.ts';
import type { KeywordIndex } from '../../model/rules.ts';

/** A rule, or another user of keywords. */
interface KeywordUser {
  readonly index: number;
  readonly keywords: readonly string[];
}

/** Builds the index; upper and lower case of ASCII letters are the same. */
export function buildKeywordIndex(users: readonly KeywordUser[]): KeywordIndex {
  const usersOf = new Map<string, number[]>();
  for (const { index, keywords } of users) {
    for (const keyword of new Set(keywords.map(foldAscii))) {
      usersOf.set(keyword, [...(usersOf.get(keyword) ?? []), index]);
    }
  }
  const lists = [...usersOf.values()];
  const keywords = [...usersOf.keys()].map((keyword) => Buffer.from(keyword));
  const automaton = buildAhoCorasick(keywords, { caseSensitive: false });
  const { outputStart, outputIds } = automaton;
  const ruleStart = new Int32Array(outputStart.length);
  const ruleIds: number[] = [];
  for (let output = 0; output + 1 < outputStart.length; output += 1) {
    const ids = outputIds.subarray(outputStart[output], outputStart[output + 1]);
    const rules = new Set([...ids].flatMap((id) => lists[id] ?? []));
    for (const rule of rules) ruleIds.push(rule);
    ruleStart[output + 1] = ruleIds.length;
  }
  return { automaton, ruleStart, ruleIds: Int32Array.from(ruleIds) };
}

/** As the automaton folds: other letters have other bytes in upper case, so they stay. */
function foldAscii(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/** Calls `woken` with rule and end offset of each keyword in the range. */
export function forEachRuleHit(
  index: KeywordIndex,
  bytes: Uint8Array,
  range: { start: number; end: number },
  woken: (rule: number, end: number) => void,
): void {
  forEachOutput(index.automaton, bytes, range, (output, end) => {
    const last = index.ruleStart[output + 1] ?? 0;
    for (let at = index.ruleStart[output] ?? 0; at < last; at += 1) {
      woken(index.ruleIds[at] ?? 0, end);
    }
  });
}

const PAIR_BYTES = 2;
/** Five bits of a byte fold the case of ASCII letters, and keep the table in the fastest cache. */
const FOLD_BITS = 5;
const FOLD_MASK = 2 ** FOLD_BITS - 1;
const SHIFT_MAX = 255;
/** Slots for how keywords begin; most stay empty, so that few texts are compared in vain. */
const SLOTS = 4096;

interface Keyword {
  bytes: Uint8Array;
  user: number;
}

/**
 * Finds the users whose keywords a text holds, in any case of ASCII letters, without reading every
 * byte: it looks at pairs of bytes and skips ahead by what the shortest keyword allows (S. Wu and
 * U. Manber, "A fast algorithm for multi-pattern searching", TR-94-17, 1994). It suits few
 * keywords and texts that rarely hold one; `buildKeywordIndex` suits the rest.
 */
export class SkipSearch {
  /** Users with a keyword too short to skip by: every text wakes them. */
  readonly always: readonly number[];
  /** How far to go on behind a pair of folded bytes. */
  private readonly shifts = new Uint8Array(2 ** (2 * FOLD_BITS));
  /** Keywords by the first and the last pair of their first `reach` bytes. */
  private readonly slots: (Keyword[] | null)[] = new Array<Keyword[] | null>(SLOTS).fill(null);
  /** Length of the shortest keyword, bytes; 0 if it is absent. */
  private readonly reach: number;

  constructor(users: readonly KeywordUser[]) {
    const isLong = ({ keywords }: KeywordUser) =>
      keywords.every((keyword) => Buffer.byteLength(keyword) >= PAIR_BYTES);
    this.always = users.filter((user) => !isLong(user)).map(({ index }) => index);
    const keywords = users.filter(isLong).flatMap(({ index, keywords }) => {
      return keywords.map((keyword) => ({ bytes: Buffer.from(keyword).map(lower), user: index }));
    });
    const lengths = keywords.map(({ bytes }) => bytes.length);
    this.reach = keywords.length === 0 ? 0 : Math.min(SHIFT_MAX, ...lengths);
    this.shifts.fill(Math.max(1, this.reach - PAIR_BYTES + 1));
    for (const keyword of keywords) this.add(keyword);
  }

  /** Calls `found` with the user of each keyword in `[start, end)`; a user may come repeatedly. */
  search(bytes: Uint8Array, start: number, end: number, found: (user: number) => void): void {
    const { shifts, slots, reach } = this;
    if (reach === 0) return;
    let at = start + reach - 1;
    while (at < end) {
      const last = pairAt(bytes, at);
      const shift = shifts[last] ?? 1;
      at += shift;
      if (shift !== 0) continue;
      const from = at - reach + 1;
      const keywords = slots[slotOf(pairAt(bytes, from + 1), last)] ?? null;
      if (keywords !== null) {
        for (const keyword of keywords) {
          if (isAt(keyword.bytes, bytes, from, end)) found(keyword.user);
        }
      }
      at += 1;
    }
  }

  private add(keyword: Keyword): void {
    const { shifts, reach, slots } = this;
    const { bytes } = keyword;
    for (let last = PAIR_BYTES - 1; last < reach; last += 1) {
      const pair = pairAt(bytes, last);
      shifts[pair] = Math.min(shifts[pair] ?? 0, reach - 1 - last);
    }
    const slot = slotOf(pairAt(bytes, 1), pairAt(bytes, reach - 1));
    slots[slot] = [...(slots[slot] ?? []), keyword];
  }
}

/** Whether the keyword stands at `from` and ends before `end`. */
function isAt(keyword: Uint8Array, bytes: Uint8Array, from: number, end: number): boolean {
  if (from + keyword.length > end) return false;
  for (let index = 0; index < keyword.length; index += 1) {
    if (lower(bytes[from + index] ?? 0) !== keyword[index]) return false;
  }
  return true;
}

/** The folded byte at `at` and the one before it. */
function pairAt(bytes: Uint8Array, at: number): number {
  return (((bytes[at - 1] ?? 0) & FOLD_MASK) << FOLD_BITS) | ((bytes[at] ?? 0) & FOLD_MASK);
}

function slotOf(first: number, last: number): number {
  return ((first << 2) ^ last) & (SLOTS - 1);
}

const UPPER_A = 0x41;
const UPPER_Z = 0x5a;
const TO_LOWER = 0x20;

function lower(byte: number): number {
  return byte >= UPPER_A && byte <= UPPER_Z ? byte | TO_LOWER : byte;
}
