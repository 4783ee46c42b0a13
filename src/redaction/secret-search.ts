import type { CompiledRule, CompiledRules } from '../gates/patterns/compile.ts';
import { joinMasks, type Mask, maskOf } from '../gates/patterns/excerpt.ts';
import { forEachRuleHit } from '../gates/patterns/keyword-index.ts';
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

/**
 * Prepares searches for secrets in texts that are shown but that gate 1 does not search, such as
 * lines around the added ones. A piece is good until the next search.
 */
export function createSecretSearch(
  rules: CompiledRules,
): (bytes: Buffer, range: LineRange) => SecretSearch {
  const scratch = new Scratch();
  const always = rules.alwaysRules.filter((rule) => rule.kind === 'secret');
  return (bytes, range) => {
    const text = asUtf8(bytes.subarray(range.start, range.end), scratch);
    const woken = new Set<CompiledRule>(always);
    forEachRuleHit(rules.textKeywords, bytes, range, (id) => {
      const rule = rules.rules[id];
      if (rule?.kind === 'secret') woken.add(rule);
    });
    return {
      piece: { text, base: range.start, from: 0, own: Number.POSITIVE_INFINITY },
      rules: woken,
    };
  };
}

/** Masks over what may be a secret in a text; `counts` may leave matches out. */
export type FindMasks = (bytes: Buffer, counts?: (found: Located) => boolean) => Mask[];

/**
 * Creates a search for secrets in texts that are shown or stored but that gate 1 does not judge.
 * It is less strict than gate 1, which has allowlists on top: this only hides, and hides too much
 * rather than too little. A text with more matches than are looked at is masked as a whole.
 */
export function createMaskFinder(rules: CompiledRules, work: Work): FindMasks {
  const search = createSecretSearch(rules);
  return (bytes, counts) => {
    const masks: Mask[] = [];
    const sink: MatchSink = {
      take(rule, found) {
        if (counts?.(found) === false) return;
        const { secretStart, secretEnd } = found;
        const secret = bytes.subarray(secretStart, secretEnd);
        if (mayBeSecret(rule, secret)) masks.push(maskOf(secretStart, secretEnd));
      },
      giveUp: () => masks.push({ start: 0, end: bytes.length, visible: 0 }),
    };
    const { piece, rules: woken } = search(bytes, { start: 0, end: bytes.length });
    for (const rule of woken) matchPiece(rule, piece, work, sink);
    return masks;
  };
}

/** The text with `…` for what is masked, but for the first signs of a secret. */
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
