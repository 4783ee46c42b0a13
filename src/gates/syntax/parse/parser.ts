import { type Module, type ParseOptions, parseSync, type Script } from '@swc/core';
import { lineIndex } from '../../../core/line-offsets.ts';
import { AST_GATE } from '../../limits.ts';
import { type Dialect, hasJsx } from '../languages.ts';
import { findNamespacedMember } from './hazard.ts';
import { repaired } from './repairs.ts';

/**
 * The only file that loads @swc/core, and only the child process loads this file: the parser ends
 * its whole process on some inputs.
 */

const ECMASCRIPT = {
  syntax: 'ecmascript',
  decorators: true,
  explicitResourceManagement: true,
  target: 'esnext',
} as const;

const OPTIONS: Readonly<Record<Dialect, ParseOptions>> = {
  js: { ...ECMASCRIPT, jsx: true },
  ts: { syntax: 'typescript', tsx: false, decorators: true, target: 'esnext' },
  tsx: { syntax: 'typescript', tsx: true, decorators: true, target: 'esnext' },
};

/** For text that would end the process if `<` began an element: `a<b:c.d` is a comparison here. */
const WITHOUT_JSX: Readonly<Record<Dialect, ParseOptions>> = {
  js: ECMASCRIPT,
  ts: OPTIONS.ts,
  tsx: OPTIONS.ts,
};

/** Statements outside a module, as Node wraps them: `return` may stand among them. */
const SCRIPT = { isModule: 'commonjs' } as const;

/** The line of the source that an error message marks: `4 | foo(]` above `: ^`. */
const MARKED_LINE = /\b(\d+) \|(?: ,->|[^\n]*\n\s+:[^\n]*[\^|])/;

/** What only code outside modules may hold: octal numbers, `with`, `await` as a name. */
const SLOPPY = new RegExp(
  [
    'Legacy (?:octal|comments|decimal)',
    'With statement',
    'cannot be used as an identifier',
    "'eval' and 'arguments' cannot be used",
    'The left-hand side of an assignment',
    "'delete' cannot",
    'Function cannot be labelled',
    'Return statement is not allowed',
    "'new\\.target' is only allowed",
    'Expression expected',
    'Unexpected initializer in for',
    'Cannot use a reserved word as a shorthand',
    "Expected '\\(', got",
    'Declaration is not allowed',
    'Cannot assign to this',
  ].join('|'),
);
/** What engines report when they reach it, or what annex B of the standard allows. */
const LATE = /left-hand side of an assignment|Cannot assign to this|Declaration is not allowed/;
/** `await` where the parser allows none; the value it waits for is its operand's. */
const STRAY_AWAIT = /`?await`? (?:isn't allowed|expressions? cannot be used)/;
const AWAIT = /\bawait\b/g;

/** A syntax tree: statements of a module, or of a script where the text is not a module. */
export type SyntaxTree = Module | Script;

/** A syntax tree of a part of a fragment. */
export interface Tree {
  module: SyntaxTree;
  /** Text put before the part; ASCII, without a newline. */
  prefix: string;
  /** The part: UTF-16 indexes into the fragment's text. */
  start: number;
  end: number;
}

type ParseResult =
  | { ok: true; module: SyntaxTree }
  /** `line` is 0-based, within the source; beyond it when the source ends too early. */
  | { ok: false; line: number };

/** Parses within a budget of calls and of text, so that no fragment costs more than that. */
export interface Parser {
  parse(source: string): ParseResult;
  /** Whether the budget allows another text of this length. */
  mayParse(length: number): boolean;
  readonly calls: number;
  /** Calls that gave no tree. */
  readonly failures: number;
  /** Text that it was given, in UTF-16 units: what a fragment costs grows with it. */
  readonly length: number;
  /** A text was parsed only without JSX, and in vain: with it the process would have ended. */
  readonly refused: boolean;
}

/** A parser for one fragment in one dialect. */
export function createParser(dialect: Dialect): Parser {
  let calls = 0;
  let failures = 0;
  let length = 0;
  let refused = false;
  return {
    parse(source) {
      calls += 1;
      length += source.length;
      const isRisky = hasJsx(dialect) && findNamespacedMember(source, false) !== null;
      const options = (isRisky ? WITHOUT_JSX : OPTIONS)[dialect];
      try {
        return { ok: true, module: parseSync(source, options) };
      } catch (thrown) {
        const module = parseLoosely(source, options, thrown, hasJsx(dialect));
        if (module !== null) return { ok: true, module };
        failures += 1;
        refused ||= isRisky;
        return { ok: false, line: errorLine(thrown) };
      }
    },
    mayParse: (more) =>
      calls < AST_GATE.PARSE_CALLS_MAX &&
      (calls === 0 || length + more <= AST_GATE.PARSE_LENGTH_MAX),
    get calls() {
      return calls;
    },
    get failures() {
      return failures;
    },
    get length() {
      return length;
    },
    get refused() {
      return refused;
    },
  };
}

/**
 * The tree of a text that is not a module: as a script where the error says that only a module
 * forbids it, without `await` where it stands in a function that is not async, and with forms that
 * engines run written as others. All offsets stay. Null when the text has other errors.
 */
function parseLoosely(
  source: string,
  options: ParseOptions,
  thrown: unknown,
  jsx: boolean,
): SyntaxTree | null {
  const message = messageOf(thrown);
  // Without what stood between, `<` and a name may end the process.
  const isRisky = (text: string) => jsx && findNamespacedMember(text, false) !== null;
  if (STRAY_AWAIT.test(message)) {
    const text = source.replace(AWAIT, '     ');
    if (isRisky(text)) return null;
    return parsed(text, options) ?? parsed(text, { ...options, ...SCRIPT });
  }
  if (!SLOPPY.test(message)) return null;
  const scriptOptions = { ...options, ...SCRIPT };
  try {
    return parseSync(source, scriptOptions);
  } catch (other) {
    if (!LATE.test(messageOf(other))) return null;
    const text = repaired(source, jsx);
    if (isRisky(text)) return null;
    return parsed(text, options) ?? parsed(text, scriptOptions);
  }
}

function parsed(text: string, options: ParseOptions): SyntaxTree | null {
  try {
    return parseSync(text, options);
  } catch {
    return null;
  }
}

function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : '';
}

function errorLine(thrown: unknown): number {
  const message = messageOf(thrown);
  const match = MARKED_LINE.exec(message);
  if (match !== null) return Number(match[1]) - 1;
  return message.includes('<eof>') ? Number.MAX_SAFE_INTEGER : -1;
}

/** Where a node of a tree stands in the file. Offsets count as in the parser's spans. */
export interface Locator {
  /** 1-based line of the new file. */
  lineAt(offset: number): number;
  /** 1-based column in bytes. */
  columnAt(offset: number): number;
  /** Whether the offset lies in text that was put before the part. */
  isSynthetic(offset: number): boolean;
  /** The text between two offsets. */
  textOf(start: number, end: number): string;
}

const NEWLINE = 10;

/**
 * Spans are offsets in UTF-8 bytes. They count from the module's own start: its first token is the
 * first of the prefix, whatever the parser takes for the beginning.
 */
export function createLocator(
  text: string,
  lines: LineMap,
  startLine: number,
  tree: Tree,
): Locator {
  const part = Buffer.from(text.slice(tree.start, tree.end));
  const firstLine = lines.lineAt(tree.start);
  const before = Buffer.byteLength(text.slice(lines.startOf(firstLine), tree.start));
  const shift = tree.module.span.start + tree.prefix.length;
  const starts = [0];
  for (let at = part.indexOf(NEWLINE); at >= 0; at = part.indexOf(NEWLINE, at + 1))
    starts.push(at + 1);

  function lineOf(offset: number): number {
    return lineIndex(starts, Math.max(0, Math.min(offset - shift, part.length)));
  }

  return {
    lineAt: (offset) => startLine + firstLine + lineOf(offset),
    columnAt(offset) {
      const index = lineOf(offset);
      return offset - shift - (starts[index] ?? 0) + (index === 0 ? before : 0) + 1;
    },
    isSynthetic: (offset) => offset < shift,
    textOf: (start, end) =>
      part.toString('utf8', Math.max(0, start - shift), Math.max(0, end - shift)),
  };
}

/** Lines of a text by index; both count from 0, indexes are UTF-16 code units. */
export interface LineMap {
  readonly count: number;
  /** The line that holds an index. */
  lineAt(index: number): number;
  /** Index of a line's first character; the text's length for lines beyond it. */
  startOf(line: number): number;
}

/** Finds the lines of a text once; each look-up is a binary search. */
export function mapLines(text: string): LineMap {
  const starts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return {
    count: starts.length,
    lineAt(index) {
      let low = 0;
      let high = starts.length - 1;
      while (low < high) {
        const middle = (low + high + 1) >> 1;
        if ((starts[middle] ?? 0) <= index) low = middle;
        else high = middle - 1;
      }
      return low;
    },
    startOf: (line) => starts[line] ?? text.length,
  };
}
