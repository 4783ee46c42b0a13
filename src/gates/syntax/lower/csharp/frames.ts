import type { Frame } from '../../parse/reading.ts';
import { bracketFrame } from '../brackets.ts';

/**
 * Ways to make a hunk parse by itself; the first of those with the fewest errors is taken: heads of
 * blocks that a hunk ends, and ends of those that it begins; in a class where it shows what stands
 * in one alone; or the beginning of a comment or text that it begins within.
 */
export function framesFor(text: string): readonly Frame[] {
  const start = /^(?:[ \t]*\*(?!\/)[^\n]*\n)*[ \t]*\*+\//.test(text) ? '/*\n' : '';
  const isInText = text.split('"""').length % 2 === 0;
  const { before, after } = bracketFrame(start + text, { token, cases, headOf });
  const own = { before: before + start, after };
  const inClass = { before: `class _ {\n${own.before}`, after: `${after}\n}\n` };
  const inMethod = { before: `class _ {\nvoid _() {\n${own.before}`, after: `${after}\n}}\n` };
  const inText = isInText ? [{ before: 'var _ = """\n', after: '' }] : [];
  return [own, inClass, inMethod, ...inText];
}

const token =
  /\/\/[^\n]*|\/\*[\s\S]*?\*\/|"""[\s\S]*?"""|\$?@\$?"(?:[^"]|"")*"|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.){1,9}'|[{}()[\]]|\n[ \t]*(?:case\b[^\n]*:|default\s*:)/g;
const cases = ['switch (_) {'] as const;
/** What begins a member of a class. */
const MEMBER =
  /^\s*(?:(?:\/\*[\s\S]*?\*\/|\/\/[^\n]*)\s*)*(?:\[\w|(?:public|private|protected|internal|static|sealed|abstract|override|virtual|class|enum|record|interface|struct)\b|\/\*)/;

function headOf(rest: string, isFirst: boolean): string {
  if (/^\s*(?:catch|finally)\b/.test(rest)) return 'try {';
  if (/^\s*while\s*\(/.test(rest)) return 'do {';
  if (/^[ \t]*[),]/.test(rest)) return '() => {';
  if (/^[ \t]*;/.test(rest)) return '_ = () => {';
  if (isFirst) return 'class _ {';
  return MEMBER.test(rest) || /^\s*\}\s*(?:$|\n\S)/.test(rest) ? 'void _() {' : 'if (_) {';
}
