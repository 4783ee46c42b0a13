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
 * open, by what stands behind that; and ends for brackets that it leaves open.
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

/** What tells apart languages whose code stands in classes. */
interface ClassSyntax {
  readonly token: RegExp;
  /** What begins a member of a class. */
  readonly member: RegExp;
  /** Between the parameters of a lambda and its body. */
  readonly arrow: string;
  /** The head of a text of several lines. */
  readonly textHead: string;
}

/**
 * Ways to make a hunk parse by itself; the first with the fewest errors is taken: heads of
 * blocks that a hunk ends, and ends of blocks that it begins; in a class where it shows what
 * stands in one alone; or the beginning of a comment or text block that it begins within.
 */
export function classFrames(syntax: ClassSyntax): (text: string) => readonly Frame[] {
  const { token, member, arrow, textHead } = syntax;
  const headOf = (rest: string, isFirst: boolean): string => {
    if (/^\s*(?:catch|finally)\b/.test(rest)) return 'try {';
    if (/^\s*while\s*\(/.test(rest)) return 'do {';
    if (/^[ \t]*[),]/.test(rest)) return `() ${arrow} {`;
    if (/^[ \t]*;/.test(rest)) return `_ = () ${arrow} {`;
    if (isFirst) return 'class _ {';
    return member.test(rest) || /^\s*\}\s*(?:$|\n\S)/.test(rest) ? 'void _() {' : 'if (_) {';
  };
  return (text) => {
    const start = /^(?:[ \t]*\*(?!\/)[^\n]*\n)*[ \t]*\*+\//.test(text) ? '/*\n' : '';
    const isInText = text.split('"""').length % 2 === 0;
    const brackets = { token, cases: ['switch (_) {'], headOf } as const;
    const { before, after } = bracketFrame(start + text, brackets);
    const own = { before: before + start, after };
    const inClass = { before: `class _ {\n${own.before}`, after: `${after}\n}\n` };
    const inMethod = { before: `class _ {\nvoid _() {\n${own.before}`, after: `${after}\n}}\n` };
    const inText = isInText ? [{ before: textHead, after: '' }] : [];
    return [own, inClass, inMethod, ...inText];
  };
}
