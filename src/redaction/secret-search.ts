import { isUtf8 } from 'node:buffer';
import type { CompiledRule, CompiledRules } from '../gates/patterns/compiled-rules.ts';
import { joinMasks, type Mask, maskOf } from '../gates/patterns/excerpt.ts';
import { forEachRuleHit } from '../gates/patterns/keyword-search.ts';
import {
  type LineRange,
  type Located,
  type MatchSink,
  matchPiece,
  type Piece,
  type Work,
} from '../gates/patterns/match.ts';
import { randomness, shannonEntropy } from '../gates/patterns/randomness.ts';
import { asUtf8, Scratch } from '../gates/patterns/unicode.ts';

/** Shown instead of a text in which not all secrets could be hidden. */
export const WITHHELD = '(not shown: the change holds too many secrets)';

/** A text, and the rules for secrets that may match in it: for `matchPiece`. */
interface SecretSearch {
  piece: Piece;
  rules: ReadonlySet<CompiledRule>;
}

/** A piece is good until the next search. */
interface SearchSecrets {
  (bytes: Buffer, range: LineRange): SecretSearch;
  /** For ranges of one text, which may overlap. Null: no rule may match in the range. */
  within(bytes: Buffer): (range: LineRange) => SecretSearch | null;
}

/**
 * Prepares searches for secrets in texts that are shown but that gate 1 does not search, such as
 * lines around the added ones.
 */
export function createSecretSearch(rules: CompiledRules): SearchSecrets {
  const scratch = new Scratch();
  const always = rules.alwaysRules.filter((rule) => rule.kind === 'secret');

  function pieceOf(bytes: Buffer, { start, end }: LineRange): Piece {
    const text = asUtf8(bytes.subarray(start, end), scratch);
    return { text, base: start, from: 0, own: Number.POSITIVE_INFINITY };
  }

  function forEachHit(
    bytes: Buffer,
    range: LineRange,
    take: (rule: CompiledRule, end: number) => void,
  ): void {
    forEachRuleHit(rules.textKeywords, bytes, range, (id, end) => {
      const rule = rules.rules[id];
      if (rule?.kind === 'secret') take(rule, end);
    });
  }

  const search = (bytes: Buffer, range: LineRange) => {
    const woken = new Set<CompiledRule>(always);
    forEachHit(bytes, range, (rule) => woken.add(rule));
    return { piece: pieceOf(bytes, range), rules: woken };
  };

  const within = (bytes: Buffer) => {
    // In the order of their ends.
    const hits: { rule: CompiledRule; end: number }[] = [];
    forEachHit(bytes, { start: 0, end: bytes.length }, (rule, end) => hits.push({ rule, end }));
    const isText = isUtf8(bytes);
    // One look at all of the text instead of one at each range: they seldom match anywhere.
    const everywhere = always.filter(
      ({ anywhere }) => anywhere === null || !isText || anywhere.test(bytes),
    );
    return (range: LineRange) => {
      // A keyword that begins before the range wakes its rule, too: that finds nothing more.
      let at = firstAfter(hits, range.start);
      if (everywhere.length === 0 && (hits[at]?.end ?? Infinity) > range.end) return null;
      const woken = new Set<CompiledRule>(everywhere);
      for (; at < hits.length; at += 1) {
        const hit = hits[at];
        if (hit === undefined || hit.end > range.end) break;
        woken.add(hit.rule);
      }
      return { piece: pieceOf(bytes, range), rules: woken };
    };
  };
  return Object.assign(search, { within });
}

/** Index of the first hit that ends behind the offset. */
function firstAfter(hits: readonly { end: number }[], offset: number): number {
  let low = 0;
  let high = hits.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((hits[middle]?.end ?? 0) > offset) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Whether a match in the text counts. */
type Counts = (found: Located) => boolean;

/** Masks over what may be a secret in a text; `counts` may leave matches out. */
export interface FindMasks {
  (bytes: Buffer, counts?: Counts): Mask[];
  /** The same for ranges of one text, which may overlap: its keywords are sought once. */
  within(bytes: Buffer): (range: LineRange, counts?: Counts) => Mask[];
}

/**
 * Creates a search for secrets in texts that are shown or stored but that gate 1 does not judge.
 * It is less strict than gate 1, which has allowlists on top: this only hides, and hides too much
 * rather than too little. A text with more matches than are looked at is masked as a whole.
 */
export function createMaskFinder(rules: CompiledRules, work: Work): FindMasks {
  const search = createSecretSearch(rules);

  function masksOf(bytes: Buffer, found: SecretSearch, range: LineRange, counts?: Counts): Mask[] {
    const masks: Mask[] = [];
    const sink: MatchSink = {
      take(rule, located) {
        if (counts?.(located) === false) return;
        const { secretStart, secretEnd } = located;
        const secret = bytes.subarray(secretStart, secretEnd);
        if (mayBeSecret(rule, secret)) masks.push(maskOf(secretStart, secretEnd));
      },
      giveUp: () => masks.push({ ...range, visible: 0 }),
    };
    for (const rule of found.rules) matchPiece(rule, found.piece, work, sink);
    return masks;
  }

  const find = (bytes: Buffer, counts?: Counts) => {
    const range = { start: 0, end: bytes.length };
    return masksOf(bytes, search(bytes, range), range, counts);
  };
  const within = (bytes: Buffer) => {
    work.check();
    const searchIn = search.within(bytes);
    return (range: LineRange, counts?: Counts) => {
      const found = searchIn(range);
      return found === null ? [] : masksOf(bytes, found, range, counts);
    };
  };
  return Object.assign(find, { within });
}

/** The text with `…` for masked characters; the first characters of a secret stay. */
export function applyMasks(bytes: Buffer, masks: readonly Mask[]): string {
  let shown = '';
  let at = 0;
  for (const { start, end, visible } of joinMasks(masks)) {
    const from = Math.max(at, start);
    shown += `${bytes.toString('utf8', at, Math.min(from + visible, end))}…`;
    at = Math.max(at, end);
  }
  return shown + bytes.toString('utf8', at);
}

function mayBeSecret({ pattern }: CompiledRule, secret: Buffer): boolean {
  const { entropy, randomness: least } = pattern;
  if (entropy !== undefined && shannonEntropy(secret) < entropy) return false;
  return least === undefined || randomness(secret) >= least;
}
