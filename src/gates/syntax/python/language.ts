import { pythonPackages, pythonSanitizers } from '../../../rules/catalogue/python.ts';
import type { Table } from '../../../rules/catalogue/table.ts';
import { createCatalogue } from '../tree/lines.ts';
import type { Language } from '../tree/run.ts';
import { part } from '../tree/tree.ts';
import { evaluateCall } from './calls.ts';
import { readCondition } from './conditions.ts';
import { evaluate, memberOf } from './expressions.ts';
import { bindArguments, bindParameters, pathOf } from './parameters.ts';
import { execute } from './statements.ts';

/** Python 3, and 2 as far as the grammar knows it. */
export const python: Language = {
  grammar: 'python',
  catalogue: createCatalogue(pythonPackages, pythonSanitizers),
  // Heads of the blocks that a hunk stands in, or the beginning of a text that it begins within.
  framesFor: (text) =>
    [headsFor(text), ...quotesFor(text).map((quotes) => `${quotes}\n`)].map((before) => {
      return { before, after: '' };
    }),
  executeModule: (run, root) => void run.executeBlock(root),
  evaluate,
  evaluateCall,
  readCondition,
  execute,
  pathOf,
  memberOf,
  bindParameters,
  bindArguments,
  isFalse: (constant) => /^(?:False|None|0|)$/.test(constant),
  isTyped: false,
  isStream: ({ origin, source }) =>
    origin?.startsWith('io.') === true || STREAM.test(source?.text ?? ''),
  calleeOf(call) {
    const target = part(call, 'function');
    return part(target, 'attribute') ?? target;
  },
};

/** The same with rows of the rules before those of the catalogue. */
export function pythonWithRows(own: Table): Language {
  const packages = [...own.packages, ...pythonPackages];
  return {
    ...python,
    catalogue: createCatalogue(packages, [...own.sanitizers, ...pythonSanitizers]),
  };
}

const STREAM = /\.(?:files|FILES)(?:\.[\w-]+)?$|\.(?:stream|rfile)$|^\w+\.file$/;

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

/** The quotes that a hunk may begin within: those that stand in it an odd number of times. */
function quotesFor(text: string): string[] {
  return ['"""', "'''"].filter((quotes) => text.split(quotes).length % 2 === 0);
}
