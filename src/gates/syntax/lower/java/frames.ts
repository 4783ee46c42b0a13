import type { Frame } from '../../parse/reading.ts';

/**
 * Ways to make a hunk parse by itself; the first of those with the fewest errors is taken: heads of
 * blocks that a hunk ends, and ends of those that it begins; in a class where it shows what stands
 * in one alone; or the beginning of a comment or text block that it begins within.
 */
export function framesFor(text: string): readonly Frame[] {
  const start = /^(?:[ \t]*\*(?!\/)[^\n]*\n)*[ \t]*\*+\//.test(text) ? '/*\n' : '';
  const isInText = text.split('"""').length % 2 === 0;
  const { before, after } = frameOf(start + text);
  const own = { before: before + start, after };
  const inClass = { before: `class _ {\n${own.before}`, after: `${after}\n}\n` };
  const inMethod = { before: `class _ {\nvoid _() {\n${own.before}`, after: `${after}\n}}\n` };
  const inText = isInText ? [{ before: 'String _ = """\n', after: '' }] : [];
  return [own, inClass, inMethod, ...inText];
}

/** Blocks that a hunk is taken to begin in; real code has less than ten. */
const HEADS_MAX = 40;
/** Brackets, and what hides them: comments, text blocks, strings, characters. */
const TOKEN =
  /\/\/[^\n]*|\/\*[\s\S]*?\*\/|"""[\s\S]*?"""|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.){1,9}'|[{}()[\]]|\n[ \t]*(?:case\b[^\n]*(?:->|:)|default\s*(?:->|:))/g;

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
      else heads.unshift(headOf(token, text, match.index));
    } else if (open.length === 0 && /^\n\s*(?:case|default)/.test(token) && heads[0] !== SWITCH) {
      heads.unshift(SWITCH);
    }
  }
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
const LOOK_CHARS = 200;
const SWITCH = 'switch (_) {';
/** What begins a member of a class. */
const MEMBER =
  /^\s*(?:(?:\/\*[\s\S]*?\*\/|\/\/[^\n]*)\s*)*(?:@\w|(?:public|private|protected|static|final|abstract|default|class|enum|record|interface)\b|\/\*)/;

/** The beginning of what a closing bracket ends that stands before the offset. */
function headOf(bracket: string, text: string, end: number): string {
  if (bracket === ')') return '_(';
  if (bracket === ']') return '_ = _[';
  const rest = text.slice(end, end + LOOK_CHARS);
  if (/^\s*(?:catch|finally)\b/.test(rest)) return 'try {';
  if (/^\s*while\s*\(/.test(rest)) return 'do {';
  if (/^[ \t]*[),]/.test(rest)) return '() -> {';
  if (/^[ \t]*;/.test(rest)) return '_ = () -> {';
  // Formatted code has the ends of classes at the beginning of a line.
  if (end === 1 || text[end - 2] === '\n') return 'class _ {';
  return MEMBER.test(rest) || (/^\s*\}/.test(rest) && /^\s*\}\s*(?:$|\n\S)/.test(rest))
    ? 'void _() {'
    : 'if (_) {';
}
