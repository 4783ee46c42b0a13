import type { CompiledRule, CompiledRules } from '../gates/patterns/compile.ts';
import { shannonEntropy } from '../gates/patterns/entropy.ts';
import { joinMasks, type Mask, maskOf } from '../gates/patterns/mask.ts';
import { type Located, type MatchSink, matchPiece } from '../gates/patterns/match.ts';
import { randomness } from '../gates/patterns/randomness.ts';
import type { Work } from '../gates/patterns/work.ts';
import { createSecretSearch } from './secret-search.ts';

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
