import type { Frame } from '../parse/reading.ts';

/** How a language with brackets is read from within blocks. */
interface Brackets {
  /** Brackets, heads of cases, and what hides them: comments, texts, characters. */
  readonly token: RegExp;
  /** The heads that a case needs before it, the inner one first. */
  readonly cases: readonly [string, ...string[]];
  /** The head of the block that a `}` ends, by the text behind it and whether it begins a line. */
  readonly headOf: (rest: string, isFirst: boolean) => string;
}

/** Blocks that a hunk is taken to begin in; real code has less than ten. */
const HEADS_MAX = 40;
/** Characters behind a bracket that say what it ends. */
const LOOK_CHARS = 200;
const ENDS = new Map([
  ['{', '}'],
  ['(', ')'],
  ['[', ']'],
]);

/**
 * Heads for a hunk that begins within blocks, one for each bracket that it closes and does not
 * open, by what stands behind that; and ends for those that it leaves open.
 */
export function bracketFrame(text: string, { token: pattern, cases, headOf }: Brackets): Frame {
  const heads: string[] = [];
  const open: string[] = [];
  const [innermost, ...outer] = cases;
  const closeCases = () => {
    if (heads[0] === innermost) heads.unshift(...outer);
  };
  for (const match of `\n${text}`.matchAll(pattern)) {
    const [token] = match;
    if (heads.length >= HEADS_MAX) break;
    const end = ENDS.get(token);
    if (end !== undefined) open.push(end);
    else if (/^[})\]]$/.test(token)) {
      if (open.length > 0) open.pop();
      else if (token === ')') heads.unshift('_(');
      else if (token === ']') heads.unshift('_ = _[');
      else if (outer.length > 0 && heads[0] === innermost) closeCases();
      else {
        const { index } = match;
        // Formatted code has the ends of functions and classes at the beginning of a line.
        const isFirst = index === 1 || text[index - 2] === '\n';
        heads.unshift(headOf(text.slice(index, index + LOOK_CHARS), isFirst));
      }
    } else if (open.length === 0 && /^\n\s*(?:case|default)/.test(token)) {
      if (heads[0] !== innermost) heads.unshift(innermost);
    }
  }
  closeCases();
  const ends = open.slice(-HEADS_MAX).reverse();
  return {
    before: heads.map((head) => `${head}\n`).join(''),
    after: ends.length === 0 ? '' : `\n${ends.join('')}\n`,
  };
}
