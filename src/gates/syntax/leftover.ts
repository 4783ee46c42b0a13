import { words } from '../../rules/catalogue/line.ts';
import { Lexer } from './lexer.ts';

/** A line of a block comment with its star, or an empty line. */
const STARRED_LINE = /^[ \t]*\*(?!\/)[^\n]*(?:\n|$)|^[ \t\r]*\n/;

/** Index after what a file may begin with and a parser need not see: `#!/usr/bin/env node`. */
export function preamble(text: string): number {
  const match = /^\ufeff?(?:#![^\n\r\u2028\u2029]*)?/.exec(text);
  return match?.[0].length ?? 0;
}

/**
 * Index after the rest of a block comment that began before the text; 0 when none did. Only
 * comments with a star on each line are distinguished from code.
 */
export function commentRest(text: string): number {
  let at = 0;
  let rest = text;
  for (let line = STARRED_LINE.exec(rest); line !== null; line = STARRED_LINE.exec(rest)) {
    const end = line[0].indexOf('*/');
    if (end >= 0) return at + end + 2;
    at += line[0].length;
    rest = text.slice(at);
    // Nothing but a comment, or nothing at all.
    if (rest === '') return text.trim() === '' ? 0 : at;
  }
  const close = /^[ \t]*\*\//.exec(rest);
  return close === null ? 0 : at + close[0].length;
}

/** Words that may stand beside a name in TypeScript. */
const BESIDE_NAMES = words(`
  abstract accessor any as assert asserts async await break case catch class const continue debugger
  declare default defer delete do else enum export extends finally for from function get global if
  implements import in infer instanceof interface is keyof let module namespace never new of out
  override package private protected public readonly require return satisfies set source static
  super switch symbol this throw try type typeof undefined unique using var void while with yield
`);
/** So many other words in a row are a syntax error. */
const PROSE_WORDS = 3;

/**
 * The same where the rest cannot be code: words stand in it side by side as in prose. Nothing in it
 * may be a template or go on in the next line. Not for text with elements, which hold prose, too.
 */
export function proseRest(text: string): number {
  const end = commentRest(text);
  const rest = text.slice(0, end);
  if (end === 0 || /[`\\]/.test(rest)) return 0;
  // The first line may be the end of a string.
  const secondLine = rest.indexOf('\n') + 1;
  const lexer = new Lexer(rest, false);
  let count = 0;
  while (lexer.next()) {
    const word = lexer.kind === 'word' ? rest.slice(lexer.start, lexer.end) : '';
    const isPlain = word !== '' && lexer.start >= secondLine && !BESIDE_NAMES.has(word);
    if (isPlain) count = lexer.newlineBefore ? 1 : count + 1;
    else count = 0;
    if (count === PROSE_WORDS) return end;
  }
  return 0;
}

/** What may follow the end of a template, and hardly ever the start of one. */
const AFTER_TEMPLATE = /^(?:[,;)\]}]|\.[a-zA-Z])/;
/** What stands before the start of a template that fills the next lines. */
const BEFORE_TEMPLATE = /(?:[(,=:[?+|&{>]|\*\/|[\w$])$/;
/** The same, where the template starts on a line of its own. */
const BEFORE_TEMPLATE_LINE = /(?:^|[(,=:[?+|&{>]|\*\/|\breturn)$/;

const LOOK_BACK_CHARS = 200;

/** The text up to its first backtick, if that is escaped. */
const ESCAPED_BACKTICK = /^[^`]*\\`/;

/** Index after the rest of a template literal that began before the text; 0 when none did. */
export function templateRest(text: string): number {
  const escaped = ESCAPED_BACKTICK.exec(text);
  // Only within a template is a backtick escaped.
  if (escaped !== null) return unescapedBacktickEnd(text, escaped[0].length);
  const at = firstBacktickEnd(text);
  if (at < 0) return 0;
  const after = text.slice(at, at + 1);
  const before = text.slice(text.lastIndexOf('\n', at - 2) + 1, at - 1).trim();
  const mayStartOnLine = before !== '' && BEFORE_TEMPLATE.test(before);
  if (AFTER_TEMPLATE.test(text.slice(at, at + 2))) {
    return mayStartOnLine && isClosedOnLine(text, at) ? 0 : at;
  }
  const endsLine = after === '\n' || after === '\r' || after === '';
  if (!endsLine) return 0;
  if (before !== '') return mayStartOnLine ? 0 : at;
  const above = text.slice(Math.max(0, at - 1 - LOOK_BACK_CHARS), at - 1).trim();
  return BEFORE_TEMPLATE_LINE.test(above) ? 0 : at;
}

/** Whether a template that starts before `at` ends on its line, and no other goes on. */
function isClosedOnLine(text: string, at: number): boolean {
  const lineEnd = text.indexOf('\n', at);
  const others = text.slice(at, lineEnd < 0 ? text.length : lineEnd).split('`').length - 1;
  return others % 2 === 1;
}

/** Index after the first backtick that is in no string or comment; -1 when it is absent. */
function firstBacktickEnd(text: string): number {
  if (!text.includes('`')) return -1;
  const lexer = new Lexer(text, false);
  while (lexer.next()) {
    if (lexer.kind === 'open' && lexer.stack.at(-1)?.kind === '`') return lexer.end;
  }
  return -1;
}

function unescapedBacktickEnd(text: string, from: number): number {
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === '`') return at + 1;
  }
  return 0;
}
