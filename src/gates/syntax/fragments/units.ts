import { words } from '../../../rules/catalogue/line.ts';
import { hasJsx, isTreeLanguage, type Language } from '../languages.ts';
import { Lexer } from '../parse/lexer.ts';

/**
 * Functions, members and other declarations of a file that is too large to be parsed whole, found
 * by a lexer alone: lines from one to another that hold together.
 */
export interface Unit {
  /** Lines from 0: the first, and the one behind the last. */
  readonly first: number;
  readonly after: number;
  readonly bytes: number;
  /** Names that it may declare. */
  readonly names: readonly string[];
  /** Parts of it that can be left out by themselves, where it is a large one. */
  readonly inner: readonly Unit[];
}

/** A larger unit is split. */
const UNIT_BYTES_MAX = 32 * 1024;
/** Units within units. */
const DEPTH_MAX = 8;

/** The state of the lexer at a line. */
interface Line {
  /** Brackets that are open at its start, or its indent in Python. */
  readonly depth: number;
  /** The least of that within it. */
  readonly least: number;
  /** Something may begin here that was not begun before. */
  readonly isStart: boolean;
}

/** The units of a file in their order. */
export function unitsOf(text: string, language: Language): Unit[] {
  const lines = text.split('\n');
  const known = language === 'py' ? indented(lines) : bracketed(text, lines.length, language);
  return split({ lines, known }, 0, lines.length, -1, 0);
}

interface Source {
  readonly lines: readonly string[];
  readonly known: readonly Line[];
}

/** Units between two lines, at the first level above `below` on which there are some. */
function split(source: Source, from: number, to: number, below: number, nesting: number): Unit[] {
  const { lines, known } = source;
  const level = levelOf(known, from, to, below);
  if (level === null || nesting > DEPTH_MAX) return [];
  const units: Unit[] = [];
  let first = -1;
  const end = (after: number) => {
    if (first < 0) return;
    const own = lines.slice(first, after).join('\n');
    const bytes = Buffer.byteLength(own);
    const isLarge = bytes > UNIT_BYTES_MAX;
    const inner = isLarge ? split(source, first + 1, after, level, nesting + 1) : [];
    units.push({ first, after, bytes, names: namesIn(own), inner });
    first = -1;
  };
  for (let at = from; at < to; at += 1) {
    const line = known[at];
    if (line === undefined) continue;
    const isOutside = line.least < level;
    if (isOutside) end(at);
    else if (line.isStart && line.depth === level) {
      end(at);
      first = at;
    }
  }
  end(to);
  return units;
}

/** The least depth above another one at which more than one unit begins; null when absent. */
function levelOf(known: readonly Line[], from: number, to: number, below: number): number | null {
  const counts = new Map<number, number>();
  for (let at = from; at < to; at += 1) {
    const line = known[at];
    if (line?.isStart !== true || line.depth <= below) continue;
    counts.set(line.depth, (counts.get(line.depth) ?? 0) + 1);
  }
  const levels = [...counts].filter(([, count]) => count > 1).map(([depth]) => depth);
  return levels.length === 0 ? null : Math.min(...levels);
}

const KEYWORDS = words(`
  abstract async await class const declare def default enum export extends final for from func
  function if import interface let module namespace new package private protected public record
  require return static switch throws try type var void while with
`);
/** Characters of a unit in which the names stand that it declares. */
const HEAD_CHARS_MAX = 400;
const NAMES_MAX = 20;

/** Names before the first body or value: more of them than it declares. */
function namesIn(text: string): string[] {
  const head = text
    .slice(0, HEAD_CHARS_MAX)
    .replace(/^\s*(?:@[\w.]+(?:\([^)]*\))?\s*|\/\/[^\n]*\n|\/\*[\s\S]*?\*\/)+/, '')
    .replace(/^func\s*\([^)]*\)/, '');
  const value = /[^=!<>]=[^=>]|=>|\{\s*\n|:\s*\n|\b(?:extends|implements)\b/.exec(head);
  const before = head.slice(0, value?.index ?? head.length);
  // Of a function the name before its parameters.
  const called = /([\w$]+)\s*(?:<[^()]*>)?\(/.exec(before)?.[1];
  const isNamed = called !== undefined && !KEYWORDS.has(called);
  const names = isNamed ? [called] : (before.match(/[\w$]+/g) ?? []);
  const own = names.filter((name) => !KEYWORDS.has(name) && !/^\d/.test(name));
  return [...new Set(own)].slice(0, NAMES_MAX);
}

/** Words that go on with what stands before them. */
const GOES_ON = words(`
  else catch finally elif except in of instanceof as satisfies extends implements throws permits
`);
/** Words that begin something wherever a line begins with them, if an operand ends before. */
const BEGINS = words(`
  abstract async class const declare enum export final func function import interface let namespace
  package private protected public static type var
`);

/** Lines of languages with brackets. */
function bracketed(text: string, count: number, language: Language): Line[] {
  const depths = new Int32Array(count).fill(-1);
  const least = new Int32Array(count);
  const starts = new Uint8Array(count);
  const lineStarts = startsOf(text);
  let line = 0;
  let depth = 0;
  let before = '';
  let isOperand = false;
  const enter = (offset: number) => {
    while ((lineStarts[line + 1] ?? Number.POSITIVE_INFINITY) <= offset) {
      line += 1;
      depths[line] = depth;
      least[line] = depth;
    }
  };
  depths[0] = 0;
  let seen = -1;
  for (const token of tokensOf(text, language)) {
    enter(token.start);
    const own = text.slice(token.start, token.end);
    if (line !== seen) {
      seen = line;
      const isWord = /^[\w$@#*'"[]/.test(own) && !GOES_ON.has(own);
      const isEnd = /^[;{}]?$/.test(before) || (before === ',' && token.inBraces);
      if (isWord && (isEnd || (isOperand && BEGINS.has(own)))) starts[line] = 1;
    }
    depth = token.depth;
    least[line] = Math.min(least[line] ?? 0, depth);
    // Lines that a token holds begin nothing.
    while ((lineStarts[line + 1] ?? Number.POSITIVE_INFINITY) < token.end) {
      line += 1;
      depths[line] = depth;
      least[line] = depth;
      seen = line;
    }
    before = own;
    isOperand = token.isOperand;
  }
  enter(text.length);
  return [...depths].map((own, index) => ({
    depth: own,
    least: least[index] ?? 0,
    isStart: starts[index] === 1,
  }));
}

interface Token {
  readonly start: number;
  readonly end: number;
  /** Brackets that are open after it. */
  readonly depth: number;
  readonly isOperand: boolean;
  /** The innermost bracket before it is a brace. */
  readonly inBraces: boolean;
}

function tokensOf(text: string, language: Language): Iterable<Token> {
  return isTreeLanguage(language) ? plainTokens(text) : scriptTokens(text, hasJsx(language));
}

function* scriptTokens(text: string, jsx: boolean): Generator<Token> {
  const lexer = new Lexer(text, jsx);
  while (true) {
    const inBraces = lexer.stack.at(-1)?.kind === '{';
    if (!lexer.next()) return;
    const { start, end, operandEnd: isOperand } = lexer;
    yield { start, end, depth: lexer.stack.length, isOperand, inBraces };
  }
}

const TOKEN =
  /\/\/[^\n]*|\/\*[\s\S]*?\*\/|"""[\s\S]*?"""|`[^`]*`|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.){1,9}'|[\w$]+|[^\s\w$]/g;

function* plainTokens(text: string): Generator<Token> {
  const open: string[] = [];
  for (const { 0: token, index: start } of text.matchAll(TOKEN)) {
    if (token.startsWith('//') || token.startsWith('/*')) continue;
    const inBraces = open.at(-1) === '{';
    if (/^[({[]$/.test(token)) open.push(token);
    else if (/^[)}\]]$/.test(token)) open.pop();
    const isOperand = /^[\w$"'`)}\]]/.test(token);
    yield { start, end: start + token.length, depth: open.length, isOperand, inBraces };
  }
}

function startsOf(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}

const PYTHON_TOKEN =
  /#[^\n]*|"""(?:[^\\]|\\[\s\S])*?"""|'''(?:[^\\]|\\[\s\S])*?'''|"(?:[^"\\\n]|\\[\s\S])*"|'(?:[^'\\\n]|\\[\s\S])*'|[()[\]{}]|\\\n|\n/g;

/** Lines of Python: what stands in brackets, or goes on from a line before, begins nothing. */
function indented(lines: readonly string[]): Line[] {
  const inside = new Uint8Array(lines.length);
  let line = 0;
  let depth = 0;
  for (const { 0: token } of lines.join('\n').matchAll(PYTHON_TOKEN)) {
    if (/^[([{]$/.test(token)) depth += 1;
    else if (/^[)\]}]$/.test(token)) depth = Math.max(0, depth - 1);
    for (let at = token.indexOf('\n'); at >= 0; at = token.indexOf('\n', at + 1)) {
      line += 1;
      inside[line] = depth > 0 || token !== '\n' ? 1 : 0;
    }
  }
  let wasDecorator = false;
  return lines.map((text, index) => {
    const isBlank = /^\s*(?:#|$)/.test(text);
    if (isBlank || inside[index] === 1) {
      return { depth: -1, least: Number.POSITIVE_INFINITY, isStart: false };
    }
    const indent = text.length - text.trimStart().length;
    const [word = ''] = /^[\w@]*/.exec(text.trimStart()) ?? [];
    const isStart = !wasDecorator && !GOES_ON.has(word);
    wasDecorator = word.startsWith('@');
    return { depth: indent, least: indent, isStart };
  });
}
