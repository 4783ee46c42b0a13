import { RISK_GATE } from '../gates/limits.ts';
import type { CompiledRules } from '../gates/patterns/compile.ts';
import type { Work } from '../gates/patterns/match.ts';
import type { GateFinding } from '../model/finding.ts';
import { applyMasks, createMaskFinder, WITHHELD } from './secret-search.ts';

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
  const masksIn = createMaskFinder(rules, work);
  // Findings of one line quote the same text.
  let last: { text: string; redacted: string | null } = { text: '', redacted: '' };

  function redact(text: string): string | null {
    const bytes = Buffer.from(text);
    return known(applyMasks(bytes, masksIn(bytes)).replace(CUT_RUN, '…'));
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
