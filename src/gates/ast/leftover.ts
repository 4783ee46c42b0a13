import type { Outline } from './outline.ts';

/** A line of a block comment with its star, or an empty line. */
const STARRED_LINE = /^[ \t]*\*(?!\/)[^\n]*(?:\n|$)|^[ \t\r]*\n/;

/** Index after what a file may begin with and a parser need not see: `#!/usr/bin/env node`. */
export function preamble(text: string): number {
  const match = /^\ufeff?(?:#![^\n]*)?/.exec(text);
  return match?.[0].length ?? 0;
}

/**
 * Index after the rest of a block comment that began before the text; 0 when none did. Only
 * comments with a star on each line are told from code.
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

/** What may follow the end of a template, and hardly ever the start of one. */
const AFTER_TEMPLATE = /^[,;)\]}.]/;
/** What stands before the start of a template that fills the next lines. */
const BEFORE_TEMPLATE = /(?:[(,=:[?+|&{>]|\*\/|[\w$])$/;

/** Index after the rest of a template literal that began before the text; 0 when none did. */
export function templateRest(text: string, shape: Outline): number {
  const at = shape.firstBacktickEnd;
  if (at < 0) return 0;
  const after = text.slice(at, at + 1);
  if (AFTER_TEMPLATE.test(after)) return at;
  const before = text.slice(text.lastIndexOf('\n', at - 2) + 1, at - 1).trim();
  const endsLine = after === '\n' || after === '\r' || after === '';
  return endsLine && before !== '' && !BEFORE_TEMPLATE.test(before) ? at : 0;
}
