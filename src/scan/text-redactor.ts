import type { GateFinding } from '../domain/finding.ts';
import type { CompiledRule, CompiledRules } from '../gates/risk/compile.ts';
import { shannonEntropy } from '../gates/risk/entropy.ts';
import { joinMasks, type Mask, maskOf } from '../gates/risk/mask.ts';
import { type MatchSink, matchPiece } from '../gates/risk/match.ts';
import { randomness } from '../gates/risk/randomness.ts';
import type { Work } from '../gates/risk/work.ts';
import { RISK_GATE } from '../limits.ts';
import { createSecretSearch, WITHHELD } from './secret-search.ts';

/** Hides secrets in a text; null: it must not be shown. */
type Redact = (text: string) => string | null;

/**
 * A run without a break at the cut end of a text: it may be a secret that no rule can know any
 * more, as its end is missing.
 */
const CUT_RUN = /[\w+/=.~%-]{40,}…$/;

/**
 * The findings of gate 2 without secrets. They quote lines and names as they are: also those of
 * lines around the added ones, which gate 1 does not search. So the rules for secrets are run on
 * what is quoted; `known` hides what gate 1 has found in the diff.
 */
export function redactFindings(
  findings: readonly GateFinding[],
  rules: CompiledRules,
  work: Work,
  known: Redact,
): GateFinding[] {
  const search = createSecretSearch(rules);
  // Findings of one line quote the same text.
  let last: { text: string; redacted: string | null } = { text: '', redacted: '' };

  function masksIn(bytes: Buffer): Mask[] {
    const masks: Mask[] = [];
    const sink: MatchSink = {
      take(rule, { secretStart, secretEnd }) {
        const secret = bytes.subarray(secretStart, secretEnd);
        if (mayBeSecret(rule, secret)) masks.push(maskOf(secretStart, secretEnd));
      },
      giveUp: () => masks.push({ start: 0, end: bytes.length, visible: 0 }),
    };
    const { piece, rules: woken } = search(bytes, { start: 0, end: bytes.length });
    for (const rule of woken) matchPiece(rule, piece, work, sink);
    return masks;
  }

  function redact(text: string): string | null {
    const bytes = Buffer.from(text);
    let shown = '';
    let at = 0;
    for (const { start, end, visible } of joinMasks(masksIn(bytes))) {
      const from = Math.max(at, start);
      shown += `${bytes.toString('utf8', at, Math.min(from + visible, end))}…`;
      at = Math.max(at, end);
    }
    return known((shown + bytes.toString('utf8', at)).replace(CUT_RUN, '…'));
  }

  function excerptOf(text: string): string | null {
    if (text !== last.text) last = { text, redacted: redact(text) };
    const { redacted } = last;
    const { EXCERPT_CHARS_MAX } = RISK_GATE;
    if (redacted === null || redacted.length <= EXCERPT_CHARS_MAX) return redacted;
    return `${redacted.slice(0, EXCERPT_CHARS_MAX - 1).toWellFormed()}…`;
  }

  return findings.map((finding) => ({
    ...finding,
    message: redact(finding.message) ?? WITHHELD,
    excerpt: finding.excerpt === null ? null : excerptOf(finding.excerpt),
  }));
}

/** Less strict than gate 1, which has allowlists on top: this only hides, and hides too much. */
function mayBeSecret({ pattern }: CompiledRule, secret: Buffer): boolean {
  const { entropy, randomness: least } = pattern;
  if (entropy !== undefined && shannonEntropy(secret) < entropy) return false;
  return least === undefined || randomness(secret) >= least;
}
