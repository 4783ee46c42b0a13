import type { Frame } from '../../parse/reading.ts';
import { bracketFrame } from '../brackets.ts';

/**
 * Ways to make a hunk parse by itself; the first with the fewest errors is taken: heads of
 * blocks that a hunk ends, and ends of blocks that it begins; or the beginning of a raw string that
 * it begins within.
 */
export function framesFor(text: string): readonly Frame[] {
  const isInString = text.split('`').length % 2 === 0;
  const strings = isInString ? [{ before: 'func _() {\n_ = `\n', after: '' }] : [];
  const frame = bracketFrame(text, { token, cases, headOf });
  const plain = frame.before === '' && frame.after === '' ? [] : [{ before: '', after: '' }];
  return [frame, ...plain, ...strings];
}

const token =
  /\/\/[^\n]*|\/\*[\s\S]*?\*\/|"(?:[^"\\\n]|\\.)*"|`[^`]*`|'(?:[^'\\\n]|\\.){1,12}'|[{}()[\]]|\n[ \t]*(?:case\b[^\n]*:|default:)/g;
const cases = ['case 0:', 'switch 0 {'] as const;

function headOf(rest: string, isFirst: boolean): string {
  if (/^[ \t]*\)/.test(rest)) return 'func() {';
  if (/^[ \t]*,/.test(rest)) return '_{';
  return isFirst ? 'func _() {' : 'if true {';
}
