import type { Frame } from '../../parse/reading.ts';

/**
 * Ways to make a hunk parse by itself; the first of those with the fewest errors is taken: heads of
 * blocks that a hunk ends, and ends of those that it begins; or the beginning of a raw string that
 * it begins within.
 */
export function framesFor(text: string): readonly Frame[] {
  const isInString = text.split('`').length % 2 === 0;
  const strings = isInString ? [{ before: 'func _() {\n_ = `\n', after: '' }] : [];
  const frame = frameOf(text);
  const plain = frame.before === '' && frame.after === '' ? [] : [{ before: '', after: '' }];
  return [frame, ...plain, ...strings];
}

/** Blocks that a hunk is taken to begin in; real code has less than ten. */
const HEADS_MAX = 40;
/** Brackets, and what hides them: comments, strings, runes. */
const TOKEN =
  /\/\/[^\n]*|\/\*[\s\S]*?\*\/|"(?:[^"\\\n]|\\.)*"|`[^`]*`|'(?:[^'\\\n]|\\.){1,12}'|[{}()[\]]|\n[ \t]*(?:case\b[^\n]*:|default:)/g;

/**
 * Heads for a hunk that begins within blocks, one for each bracket that it closes and does not
 * open, by what stands behind that; and ends for those that it leaves open.
 */
function frameOf(text: string): Frame {
  const heads: string[] = [];
  const open: string[] = [];
  for (const match of `\n${text}`.matchAll(TOKEN)) {
    const [token] = match;
    if (heads.length >= HEADS_MAX) break;
    const end = ENDS.get(token);
    if (end !== undefined) open.push(end);
    else if (/^[})\]]$/.test(token)) {
      if (open.length > 0) open.pop();
      else if (token === '}' && heads[0] === CASES) heads.unshift(SWITCH);
      else heads.unshift(headOf(token, text, match.index));
    } else if (open.length === 0 && /^\n\s*(?:case|default)/.test(token) && heads[0] !== CASES) {
      heads.unshift(CASES);
    }
  }
  if (heads[0] === CASES) heads.unshift(SWITCH);
  const ends = open.slice(-HEADS_MAX).reverse();
  return {
    before: heads.map((head) => `${head}\n`).join(''),
    after: ends.length === 0 ? '' : `\n${ends.join('')}\n`,
  };
}

const ENDS = new Map([
  ['{', '}'],
  ['(', ')'],
  ['[', ']'],
]);
const LOOK_CHARS = 40;
const SWITCH = 'switch 0 {';
const CASES = 'case 0:';

/** The beginning of what a closing bracket ends that stands before the offset. */
function headOf(bracket: string, text: string, end: number): string {
  if (bracket === ')') return '_(';
  if (bracket === ']') return '_ = _[';
  const rest = text.slice(end, end + LOOK_CHARS);
  if (/^[ \t]*\)/.test(rest)) return 'func() {';
  if (/^[ \t]*,/.test(rest)) return '_{';
  // Formatted code has the ends of functions at the beginning of a line, and no others.
  return end === 1 || text[end - 2] === '\n' ? 'func _() {' : 'if true {';
}
