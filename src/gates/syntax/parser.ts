import { type Module, type ParseOptions, parseSync } from '@swc/core';
import { AST_GATE } from '../../limits.ts';
import { type Dialect, hasJsx } from './dialect.ts';
import { findNamespacedMember } from './hazard.ts';

/**
 * The only file that loads @swc/core, and only the child process loads this file: the parser ends
 * its whole process on some inputs.
 */

const OPTIONS: Readonly<Record<Dialect, ParseOptions>> = {
  js: { syntax: 'ecmascript', jsx: true, decorators: true, target: 'esnext' },
  ts: { syntax: 'typescript', tsx: false, decorators: true, target: 'esnext' },
  tsx: { syntax: 'typescript', tsx: true, decorators: true, target: 'esnext' },
};

/** For text that would end the process if `<` began an element: `a<b:c.d` is a comparison here. */
const WITHOUT_JSX: Readonly<Record<Dialect, ParseOptions>> = {
  js: { syntax: 'ecmascript', decorators: true, target: 'esnext' },
  ts: OPTIONS.ts,
  tsx: OPTIONS.ts,
};

/** The line of the source that an error message marks: `4 | foo(]` above `: ^`. */
const MARKED_LINE = /\b(\d+) \|(?: ,->|[^\n]*\n\s+:[^\n]*[\^|])/;

type ParseResult =
  | { ok: true; module: Module }
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
      try {
        const options = isRisky ? WITHOUT_JSX : OPTIONS;
        return { ok: true, module: parseSync(source, options[dialect]) };
      } catch (thrown) {
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

function errorLine(thrown: unknown): number {
  const message = thrown instanceof Error ? thrown.message : '';
  const match = MARKED_LINE.exec(message);
  if (match !== null) return Number(match[1]) - 1;
  return message.includes('<eof>') ? Number.MAX_SAFE_INTEGER : -1;
}
