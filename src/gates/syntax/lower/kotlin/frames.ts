import type { Frame } from '../../parse/reading.ts';
import { bracketFrame } from '../brackets.ts';

const token =
  /\/\/[^\n]*|\/\*[\s\S]*?\*\/|"""[\s\S]*?"""|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.){1,9}'|[{}()[\]]/g;
/** What begins a member of a class. */
const MEMBER =
  /^\s*(?:(?:\/\*[\s\S]*?\*\/|\/\/[^\n]*)\s*)*(?:@\w|(?:public|private|protected|internal|override|abstract|open|suspend|inline|operator|fun|class|enum|data|sealed|object|companion|interface|init)\b|\/\*)/;

function headOf(rest: string, isFirst: boolean): string {
  if (/^\s*(?:catch|finally)\b/.test(rest)) return 'try {';
  if (/^\s*while\s*\(/.test(rest)) return 'do {';
  if (/^[ \t]*(?:[),.]|\?[.:])/.test(rest)) return '_ {';
  if (isFirst) return 'class _ {';
  return MEMBER.test(rest) || /^\s*\}\s*(?:$|\n\S)/.test(rest) ? 'fun _() {' : 'if (_) {';
}

/**
 * Ways to make a hunk parse by itself; the first with the fewest errors is taken: heads of blocks
 * that a hunk ends, and ends of blocks that it begins; in a class or in a function; or the start
 * of a comment or text that it begins within.
 */
export function framesFor(text: string): readonly Frame[] {
  const start = /^(?:[ \t]*\*(?!\/)[^\n]*\n)*[ \t]*\*+\//.test(text) ? '/*\n' : '';
  const { before, after } = bracketFrame(start + text, { token, cases: ['when {'], headOf });
  const own = { before: before + start, after };
  // What ends at the beginning of a line may be a function of the file as well.
  const ofFile = { ...own, before: own.before.replaceAll('class _ {', 'fun _() {') };
  const others = ofFile.before === own.before ? [] : [ofFile];
  const inClass = { before: `class _ {\n${own.before}`, after: `${after}\n}\n` };
  const inFunction = { before: `fun _() {\n${own.before}`, after: `${after}\n}\n` };
  const inWhen = { before: `fun _() {\nwhen (_) {\n${own.before}`, after: `${after}\n}}\n` };
  const isInText = text.split('"""').length % 2 === 0;
  const inText = isInText ? [{ before: 'val _ = """\n', after: '' }] : [];
  return [own, ...others, inClass, inFunction, inWhen, ...inText];
}
