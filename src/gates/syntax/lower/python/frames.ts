import type { Frame } from '../../parse/reading.ts';

/**
 * Ways to make a hunk parse by itself; the first with the fewest errors is taken: heads of
 * the blocks that it stands in, or the beginning of a text that it begins within.
 */
export function framesFor(text: string): readonly Frame[] {
  const starts = [headsFor(text), ...quotesFor(text).map((quotes) => `${quotes}\n`)];
  return starts.map((before) => ({ before, after: '' }));
}

/** Levels of indentation that are looked at; real code has less than ten. */
const LEVELS_MAX = 40;
const LINE_START = /^([ \t]*)(?:(else|elif|except|finally|case)\b|[^\s#])/gm;

/**
 * Heads of blocks for a hunk that begins within some: one for each indentation to which it goes
 * back, so that an `else` or `except` there has what it belongs to. Ends with a line end.
 */
function headsFor(text: string): string {
  const outer: string[] = [];
  let first: { indent: string; word: string | undefined } | null = null;
  let least = 0;
  for (const [, indent = '', word] of text.matchAll(LINE_START)) {
    if (first === null) first = { indent, word };
    else if (indent.length < least) outer.unshift(indent + headOf(word));
    else continue;
    least = indent.length;
    if (least === 0 || outer.length >= LEVELS_MAX) break;
  }
  if (first === null) return '';
  const { indent, word } = first;
  if (indent !== '' && /^\s|^$/.test(outer[0] ?? '')) outer.unshift('if 1:');
  if (word !== undefined) outer.push(indent + headOf(word), `${indent} pass`);
  return outer.map((line) => `${line}\n`).join('');
}

function headOf(word: string | undefined): string {
  if (word === 'except' || word === 'finally') return 'try:';
  return word === 'case' ? 'match _:' : 'if 1:';
}

/** The quotes that a hunk may begin within: they stand in it an odd number of times. */
function quotesFor(text: string): string[] {
  return ['"""', "'''"].filter((quotes) => text.split(quotes).length % 2 === 0);
}
