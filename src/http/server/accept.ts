/** A representation that a resource has. */
export interface Offer {
  /** `type/subtype` in lower case. */
  type: string;
  /**
   * The values that each parameter of it may be asked for, in lower case; a range that asks for
   * another parameter or value does not fit.
   */
  parameters: Readonly<Record<string, readonly string[]>>;
}

interface Range {
  type: string;
  parameters: readonly (readonly [name: string, value: string])[];
  /** 0 to 1; 0: refused. */
  quality: number;
}

/** Ranges of one header that are read: the rest counts as absent. */
const RANGES_MAX = 64;

/**
 * The offer that an `Accept` header prefers (RFC 9110, 12.5.1): of each offer the most specific
 * range that fits says its quality; the highest wins, then the more specific range, then the
 * earlier offer. Without a header, and when none fits, the first one: better another
 * representation than no answer. Ranges that are malformed are left out.
 */
export function preferredOffer<First extends Offer, Other extends Offer>(
  accept: string,
  [first, ...others]: readonly [First, ...Other[]],
): First | Other {
  const ranges = accept.split(',', RANGES_MAX).flatMap(readRange);
  let best: First | Other = first;
  let bestRank: Rank = { quality: 0, specificity: 0 };
  for (const offer of [first, ...others]) {
    const rank = rankOf(offer, ranges);
    if (isHigher(rank, bestRank)) [best, bestRank] = [offer, rank];
  }
  return best;
}

interface Rank {
  quality: number;
  specificity: number;
}

function isHigher(one: Rank, other: Rank): boolean {
  if (one.quality !== other.quality) return one.quality > other.quality;
  return one.quality > 0 && one.specificity > other.specificity;
}

function rankOf(offer: Offer, ranges: readonly Range[]): Rank {
  let rank: Rank = { quality: 0, specificity: -1 };
  for (const range of ranges) {
    const specificity = specificityOf(range, offer);
    if (specificity === -1) continue;
    const { quality } = range;
    // The same range twice: the better word counts.
    const isBetter = specificity === rank.specificity && quality > rank.quality;
    if (specificity > rank.specificity || isBetter) rank = { quality, specificity };
  }
  return rank;
}

/** How closely a range names the offer; -1: it does not fit. */
function specificityOf({ type, parameters }: Range, offer: Offer): number {
  const fits = parameters.every(([name, value]) => offer.parameters[name]?.includes(value));
  if (!fits) return -1;
  if (type === '*/*') return 0;
  if (type.endsWith('/*')) return offer.type.startsWith(type.slice(0, -1)) ? 1 : -1;
  return type === offer.type ? 2 + parameters.length : -1;
}

const MEDIA_RANGE = /^(?:\*\/\*|[\w!#$%&'*+.^`|~-]+\/(?:\*|[\w!#$%&'*+.^`|~-]+))$/;
const PARAMETER = /^([\w!#$%&'*+.^`|~-]+)=(?:"([^"\\]*)"|([\w!#$%&'*+.^`|~-]*))$/;
const QUALITY = /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/;

function readRange(text: string): Range[] {
  const [type = '', ...rest] = text.split(';').map((part) => part.trim().toLowerCase());
  if (!MEDIA_RANGE.test(type)) return [];
  const parameters: [string, string][] = [];
  for (const part of rest) {
    const [, name, quoted, plain] = PARAMETER.exec(part) ?? [];
    if (name === undefined) return [];
    const value = quoted ?? plain ?? '';
    if (name !== 'q') parameters.push([name, value]);
    // What follows the quality are extensions, which no longer exist (RFC 9110, 12.5.1).
    else return QUALITY.test(value) ? [{ type, parameters, quality: Number(value) }] : [];
  }
  return [{ type, parameters, quality: 1 }];
}
