import type { ReviewChunk, ReviewLine } from '../../model/review.ts';
import { visible } from './prompt.ts';

/** A line of the data, with the file in which it stands. */
export interface PlacedLine extends ReviewLine {
  path: string;
}

/** What a model says about the place of a finding; nothing of it is checked. */
export interface NamedPlace {
  /** Undefined: no file of the chunk has this number. */
  path: string | undefined;
  side: unknown;
  line: unknown;
  quote: unknown;
}

/** Longer quotes are cut: a line of a prompt has 2,000 characters, few of them shown as more. */
const QUOTE_CHARS_MAX = 4_000;
/**
 * Characters that the placement of one answer may read: about 20 ms. It is enough to compare 15
 * quotes with each line of a chunk of the usual size. What comes later in the same answer has a
 * place only if its quote is exact.
 */
const READ_CHARS_MAX = 500_000;
/** What one more line costs, in characters. */
const LINE_OVERHEAD_CHARS = 8;
/** How often a quote is read until it is compared with lines, about. */
const QUOTE_READS = 20;
/** Share of pairs of characters that a quote and its line both have, at least (Dice). */
const LIKENESS_MIN = 0.6;
/** A part of a line, or a line of a longer quote: share of the pairs of the shorter text. */
const CONTAINED_MIN = 0.9;
/** Shorter texts are parts of too many others to tell a place. */
const CONTAINED_PAIRS_MIN = 8;

/**
 * Finds the lines that the findings of one answer quote: the line that is equal, else the line that
 * is equal but for white space, else but for look-alikes (quotation marks, dashes, letters of other
 * alphabets, invisible characters, escapes), else the most similar one. At each of these steps the
 * file that the model names comes first. Of several lines that one counts which is nearest to the
 * line number that the model names, on its side of the change if there is one, else the first.
 * Null: no line is similar enough. The time is linear in the chunk for each finding, and bounded
 * for all of them by READ_CHARS_MAX.
 */
export function createPlacer(chunk: ReviewChunk): (named: NamedPlace) => PlacedLine | null {
  const lines = chunk.hunks.flatMap(({ path, lines: own }) =>
    own.map((line): PlacedLine => ({ ...line, path })),
  );
  const indexes = [visible, spaced, folded].map((form) => ({ form, find: indexOf(lines, form) }));
  const byFolded = indexes[indexes.length - 1]?.find ?? indexOf(lines, folded);
  let readChars = 0;

  function mostSimilar(quote: string, isMeant: (line: PlacedLine) => boolean): PlacedLine[] {
    const likeness = createLikeness(folded(quote));
    let best = 0;
    let found: PlacedLine[] = [];
    for (const [text, same] of byFolded()) {
      const meant = same.filter(isMeant);
      if (meant.length === 0) continue;
      readChars += text.length + LINE_OVERHEAD_CHARS;
      if (readChars > READ_CHARS_MAX) break;
      const score = likeness(text);
      if (score > best) [best, found] = [score, []];
      if (score > 0 && score === best) found.push(...meant);
    }
    return found;
  }

  return (named) => {
    const { path, quote: given } = named;
    if (typeof given !== 'string') return null;
    const quote = given.slice(0, QUOTE_CHARS_MAX);
    if (quote.trim() === '') return null;
    const isInFile = (line: PlacedLine) => line.path === path;
    const choose = (found: readonly PlacedLine[] = []) => {
      const inFile = found.filter(isInFile);
      return nearest(inFile.length > 0 ? inFile : found, named);
    };
    const bare = quote.replace(FRAME, '');
    for (const { form, find } of indexes) {
      const placed = choose(find().get(form(quote))) ?? choose(find().get(form(bare)));
      if (placed !== null) return placed;
      if (form === visible) readChars += QUOTE_READS * quote.length;
      if (readChars > READ_CHARS_MAX) return null;
    }
    const inFile = nearest(mostSimilar(bare, isInFile), named);
    return (
      inFile ??
      nearest(
        mostSimilar(bare, (line) => !isInFile(line)),
        named,
      )
    );
  };
}

/** The lines by a form of their texts, in the order of the chunk; made at the first use. */
function indexOf(
  lines: readonly PlacedLine[],
  form: (text: string) => string,
): () => Map<string, PlacedLine[]> {
  let index: Map<string, PlacedLine[]> | null = null;
  return () => {
    if (index !== null) return index;
    index = new Map();
    for (const line of lines) {
      const text = form(line.text);
      const same = index.get(text);
      if (same === undefined) index.set(text, [line]);
      else same.push(line);
    }
    return index;
  };
}

/** How the prompt begins a line (number, mark of the side, mark of the call), or a diff. */
const FRAME = /^\s*(?:\d{1,9}\s+[+-]?\s*[0-9a-f]{4}\s|\d{1,9}\s+|[+-])/;

/** The line nearest to the number that the model names, on its side if there is one there. */
function nearest(found: readonly PlacedLine[], { side, line }: NamedPlace): PlacedLine | null {
  const onSide = found.filter((each) => each.side === side);
  const candidates = onSide.length > 0 ? onSide : found;
  const distance = (each: PlacedLine) => Math.abs(each.number - Number(line));
  let best = candidates[0] ?? null;
  for (const each of candidates) {
    if (best !== null && distance(each) < distance(best)) best = each;
  }
  return best;
}

function spaced(text: string): string {
  return visible(text).replaceAll(/\s+/g, ' ').trim();
}

/** What models write differently when they copy a line. */
const SPELLINGS: readonly [RegExp, string][] = [
  // As `visible` names invisible characters: models leave them out.
  [/<U\+[0-9A-F]{4,6}>/g, ''],
  [/&lt;/g, '<'],
  [/&gt;/g, '>'],
  [/&amp;/g, '&'],
  [/&(?:quot|#39|apos);/g, "'"],
  [/["`´\u2018-\u201f\u2032-\u2036\u00ab\u00bb\u2039\u203a]/g, "'"],
  [/[\u2010-\u2015\u2212]/g, '-'],
  // Line breaks and quotation marks that were escaped once more, and all escapes.
  [/\\[nrt]/g, ''],
  [/\\/g, ''],
  [/\s+/g, ''],
];

/** Cyrillic and Greek letters that look like Latin ones, and the latter at the same places. */
const LOOK_ALIKES = 'авсԁеһіјкӏмнорԛѕтуѵԝхαεικνορτυχ';
const LATIN = 'abcdehijklmhopqstyvwxaeikvoptux';
const LATIN_OF = new Map([...LOOK_ALIKES].map((letter, at) => [letter, LATIN[at] ?? letter]));
const LOOKS_LATIN = new RegExp(`[${LOOK_ALIKES}]`, 'g');

function folded(text: string): string {
  let plain = visible(text).normalize('NFKC').toLowerCase();
  for (const [pattern, by] of SPELLINGS) plain = plain.replace(pattern, by);
  return plain.replace(LOOKS_LATIN, (letter) => LATIN_OF.get(letter) ?? letter);
}

/** Room for counts of character pairs; pairs that share a place only make texts more similar. */
const PAIR_PLACES = 2 ** 14;

/**
 * How similar texts are to a quote, 0 (too little) to 1: by the pairs of neighbouring characters
 * that both have. Linear in the length of the text.
 */
function createLikeness(quote: string): (text: string) => number {
  const counts = new Int32Array(PAIR_PLACES);
  const pairAt = (text: string, at: number) =>
    (text.charCodeAt(at) * 131 + text.charCodeAt(at + 1)) % PAIR_PLACES;
  const add = (text: string, by: 1 | -1) => {
    let left = 0;
    for (let at = 0; at + 1 < text.length; at += 1) {
      const place = pairAt(text, at);
      const count = counts[place] ?? 0;
      if (count > 0) left += 1;
      counts[place] = count + by;
    }
    return left;
  };
  add(quote, 1);
  const own = Math.max(0, quote.length - 1);
  return (text) => {
    const pairs = Math.max(0, text.length - 1);
    if (own === 0 || pairs === 0) return 0;
    const shared = add(text, -1);
    add(text, 1);
    const dice = (2 * shared) / (own + pairs);
    const shorter = Math.min(own, pairs);
    const share = shorter >= CONTAINED_PAIRS_MIN ? shared / shorter : 0;
    // A line that is like all of the quote comes before a line that is only a part of it.
    const contained = share >= CONTAINED_MIN ? share * CONTAINED_MIN : 0;
    return Math.max(dice >= LIKENESS_MIN ? dice : 0, contained);
  };
}
