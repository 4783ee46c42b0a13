import type { CompiledRules } from '../../gates/patterns/compile.ts';
import type { Shown } from '../../gates/patterns/excerpt.ts';
import { type Mask, maskOf } from '../../gates/patterns/mask.ts';
import { type MatchSink, matchPiece } from '../../gates/patterns/match.ts';
import type { Work } from '../../gates/patterns/work.ts';
import { MARKERS } from '../../limits.ts';
import { createSecretSearch, WITHHELD } from '../../redaction/secret-search.ts';

/** Reads the reasons of markers; `range` is part of one line of the diff. */
export interface ReasonReader {
  /** The reason for people: clipped, printable, secrets masked. Null for an empty one. */
  read(range: { start: number; end: number }): string | null;
}

/** As `Report.rangeRedactor` gives it; null: there are too many secrets. */
type Redact = ((shown: Shown, masks: readonly Mask[]) => string) | null;

/**
 * Creates a reader over a diff that gate 1 has seen. `openRedactor`, called when there is a reason,
 * knows the secrets found in the diff; on top of them the rules for secrets are run on each reason,
 * as gate 1 reads added lines only.
 */
export function createReasonReader(
  bytes: Buffer,
  rules: CompiledRules,
  work: Work,
  openRedactor: () => Redact,
): ReasonReader {
  const search = createSecretSearch(rules);
  let redact: Redact | undefined;
  let budget: number = MARKERS.REDACTION_BYTES_MAX;

  function masksIn(range: { start: number; end: number }): Mask[] {
    const masks: Mask[] = [];
    const sink: MatchSink = {
      take: (_rule, { secretStart, secretEnd }) => masks.push(maskOf(secretStart, secretEnd)),
      giveUp: () => masks.push({ ...range, visible: 0 }),
    };
    const { piece, rules: woken } = search(bytes, range);
    for (const rule of woken) {
      budget -= piece.text.length;
      if (budget >= 0) matchPiece(rule, piece, work, sink);
    }
    return masks;
  }

  return {
    read(range) {
      const trimmed = trimRange(bytes, range);
      const { start: lineStart, end: lineEnd } = trimmed;
      if (!/[\p{L}\p{N}]/u.test(bytes.toString('utf8', lineStart, lineEnd))) return null;
      const masks = masksIn(trimmed);
      if (redact === undefined) redact = openRedactor();
      if (redact === null || budget < 0) return WITHHELD;
      return redact({ lineStart, lineEnd, matchStart: lineStart, matchEnd: lineStart }, masks);
    },
  };
}

/** Less the blanks and the CR around it. */
function trimRange(bytes: Buffer, range: { start: number; end: number }) {
  let { start, end } = range;
  while (start < end && (bytes[start] ?? 0) <= SPACE) start += 1;
  while (end > start && (bytes[end - 1] ?? 0) <= SPACE) end -= 1;
  return { start, end };
}

const SPACE = 0x20;
