import { lineEnd } from '../pieces.ts';

/** How a word, a name or a text stands in SQL. Offsets count in the whole text. */
export interface Token {
  readonly kind: 'word' | 'name' | 'text' | 'symbol';
  /** Words in lower case; names and texts without their quotes. */
  readonly value: string;
  readonly start: number;
  readonly end: number;
}

/** The tokens of a statement, without its comments and the `;` at its end. */
export type Statement = readonly Token[];

interface ReadStatement {
  readonly tokens: Statement;
  /** The part of the file that it stands in, as `partOf` named it; '' before the first. */
  readonly part: string;
}

export type Dialect = 'postgresql' | 'mysql' | 'sqlite' | 'mssql' | 'oracle';

interface Reading {
  readonly dialect: Dialect;
  /** Whether `$$` quotes; absent: as in the dialect. */
  readonly hasDollarQuotes?: boolean;
  /** The part of the file that a comment begins; null: it is a comment only. */
  partOf?(comment: string): string | null;
  /** Offset of the text in the text that positions count in. */
  readonly offset?: number;
}

/**
 * Reads SQL into statements in one pass: comments, quotes, dollar quotes, bodies of routines,
 * `DELIMITER` of MySQL, `GO` of SQL Server and commands of psql. It refuses nothing: other text
 * becomes statements whose first word is not known.
 */
export function* readStatements(text: string, reading: Reading): Generator<ReadStatement> {
  const { dialect, partOf, offset = 0, hasDollarQuotes = dialect !== 'mysql' } = reading;
  let tokens: Token[] = [];
  let delimiter = ';';
  let blocks = 0;
  let isRoutine = false;
  let part = '';
  let at = 0;
  const end = () => {
    const statement = { tokens, part };
    tokens = [];
    blocks = 0;
    isRoutine = false;
    return statement;
  };
  const add = (kind: Token['kind'], value: string, to: number) => {
    tokens.push({ kind, value, start: at + offset, end: to + offset });
    at = to;
  };
  while (at < text.length) {
    const char = text[at] as string;
    if (isSpace(char)) {
      at += 1;
      continue;
    }
    const isLineStart = tokens.length === 0 || startsLine(text, at);
    if (isComment(text, at, dialect)) {
      const to = lineEnd(text, at);
      const next = partOf?.(text.slice(at, to)) ?? null;
      at = to;
      if (next === null) continue;
      if (tokens.length > 0) yield end();
      part = next;
    } else if (text.startsWith('/*', at)) {
      // MySQL runs what stands in a comment of this kind.
      const [version] = match(/\/\*M?!\d*/y, text, at);
      at = version === undefined ? commentEnd(text, at, dialect) : at + version.length;
    } else if (text.startsWith('*/', at)) {
      at += 2;
    } else if (char === '{' && match(ACTION, text, at).length > 0) {
      at += match(ACTION, text, at)[0]?.length ?? 1;
    } else if (char === '{' && match(TEMPLATE, text, at).length > 0) {
      const [name = ''] = match(TEMPLATE, text, at);
      add('word', name.toLowerCase(), at + name.length);
    } else if (isLineStart && char === '\\') {
      // A command of psql takes the rest of its line.
      at = lineEnd(text, at);
    } else if (isLineStart && match(/(?:delimiter[ \t]+\S|go[ \t]*\r?$)/imy, text, at).length > 0) {
      const to = lineEnd(text, at);
      const [, next] = /^delimiter[ \t]+(\S+)/i.exec(text.slice(at, to)) ?? [];
      delimiter = next ?? delimiter;
      at = to;
      if (tokens.length > 0) yield end();
    } else if (text.startsWith(delimiter, at) && (delimiter !== ';' || blocks <= 0)) {
      at += delimiter.length;
      if (tokens.length > 0) yield end();
    } else if (match(/u&(?=["'])/iy, text, at).length > 0) {
      // Names and texts of PostgreSQL with escapes.
      at += 2;
    } else if (isName(char, dialect) || (char === '"' && dialect !== 'mysql')) {
      const close = char === '[' ? ']' : char;
      const to = quoteEnd(text, at, close, false);
      const doubled = `${close}${close}`;
      add('name', text.slice(at + 1, to - 1).replaceAll(doubled, close), to);
    } else if (char === "'" || char === '"') {
      const before = tokens.at(-1);
      const isEscaped =
        dialect === 'mysql' || (before?.end === at + offset && before.value === 'e');
      const to = quoteEnd(text, at, char, isEscaped);
      add('text', text.slice(at + 1, to - 1), to);
    } else if (char === '$' && hasDollarQuotes && match(DOLLAR, text, at).length > 0) {
      const [tag = ''] = match(DOLLAR, text, at);
      const close = text.indexOf(tag, at + tag.length);
      const to = close === -1 ? text.length : close + tag.length;
      add('text', text.slice(at + tag.length, close === -1 ? to : close), to);
    } else {
      const [word] = match(WORD, text, at);
      if (word === undefined) {
        add('symbol', char, at + 1);
        continue;
      }
      const value = word.toLowerCase();
      add('word', value, at + word.length);
      isRoutine ||= ROUTINES.has(value) && tokens[0]?.value === 'create' && tokens.length < 12;
      if (isRoutine) blocks += blockStep(value, tokens);
    }
  }
  if (tokens.length > 0) yield end();
}

/** What PostgreSQL and MySQL read in another way: escapes, comments. */
const AMBIGUOUS = /[\\#]|--\S|\/\*/;

/**
 * Further ways to read a text whose database is a guess: a statement that one of them takes for
 * a part of a comment or text may run in another.
 */
export function otherReadings(text: string, { dialect }: Pick<Reading, 'dialect'>): Reading[] {
  if (!AMBIGUOUS.test(text)) return [];
  const others = (['postgresql', 'mysql'] as const).filter((other) => other !== dialect);
  return others.map((other) => ({ dialect: other, hasDollarQuotes: true }));
}

const WORD = /[\p{L}\p{N}_@#$.%:~{}]+/uy;
/** Conditions and loops of templates of Go and Jinja; both branches count. */
const ACTION =
  /\{%[^{}\n]{0,200}%\}|\{\{-?\s*(?:if|else|end|range|with|define|template|block)\b[^{}\n]{0,200}\}\}/y;
/** A name of which a template puts in the beginning: `{{.prefix}}users`. */
const TEMPLATE = /\{\{[^{}\n]{1,200}\}\}[\p{L}\p{N}_.]*/uy;
const DOLLAR = /\$(?:[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*)?\$/y;
const ROUTINES: ReadonlySet<string> = new Set(['function', 'procedure', 'trigger', 'event']);

function match(pattern: RegExp, text: string, at: number): string[] {
  pattern.lastIndex = at;
  const found = pattern.exec(text);
  return found === null ? [] : [...found];
}

function isSpace(char: string): boolean {
  return char <= ' ' || char === '\u00a0' || char === '\ufeff';
}

function startsLine(text: string, at: number): boolean {
  let before = at - 1;
  while (before >= 0 && (text[before] === ' ' || text[before] === '\t')) before -= 1;
  return before < 0 || text[before] === '\n';
}

function isComment(text: string, at: number, dialect: Dialect): boolean {
  // MySQL takes `1--1` for a difference.
  if (text.startsWith('--', at)) return dialect !== 'mysql' || !/\S/.test(text[at + 2] ?? '');
  return text[at] === '#' && (dialect === 'mysql' || startsLine(text, at));
}

function isName(char: string, dialect: Dialect): boolean {
  return char === '`' || (char === '[' && (dialect === 'mssql' || dialect === 'sqlite'));
}

/** Behind a comment; PostgreSQL has comments within comments. */
function commentEnd(text: string, start: number, dialect: Dialect): number {
  if (dialect !== 'postgresql') {
    const close = text.indexOf('*/', start + 2);
    return close === -1 ? text.length : close + 2;
  }
  const edge = /\/\*|\*\//g;
  edge.lastIndex = start;
  let depth = 0;
  for (let found = edge.exec(text); found !== null; found = edge.exec(text)) {
    depth += found[0] === '/*' ? 1 : -1;
    if (depth === 0) return edge.lastIndex;
  }
  return text.length;
}

function quoteEnd(text: string, start: number, close: string, isEscaped: boolean): number {
  let at = start + 1;
  while (at < text.length) {
    if (isEscaped && text[at] === '\\') at += 2;
    else if (text[at] !== close) at += 1;
    else if (text[at + 1] === close) at += 2;
    else return at + 1;
  }
  return text.length;
}

/** How a word changes the number of blocks that are open in the body of a routine. */
function blockStep(word: string, tokens: readonly Token[]): number {
  const before = tokens.at(-2)?.value;
  if (word === 'begin' || (word === 'case' && before !== 'end')) return 1;
  // `END IF` and `END LOOP` end what counts as no block.
  if (word === 'end') return -1;
  return before === 'end' && /^(?:if|loop|while|repeat)$/.test(word) ? 1 : 0;
}
