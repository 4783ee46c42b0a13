import type { CompiledRule, CompiledRules } from '../gates/patterns/compile.ts';
import { forEachRuleHit } from '../gates/patterns/keyword-index.ts';
import type { LineRange, Piece } from '../gates/patterns/match.ts';
import { asUtf8, Scratch } from '../gates/patterns/utf8.ts';

/** Shown instead of a text in which not all secrets could be hidden. */
export const WITHHELD = '(not shown: the change holds too many secrets)';

/** A text, and the rules for secrets that may match in it: for `matchPiece`. */
export interface SecretSearch {
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
