import { words } from '../../../rules/catalogue/line.ts';
import { AST_GATE } from '../../limits.ts';
import { Lexer, type Open, type TokenKind } from './lexer.ts';

/** A reason not to show a text to the parser. */
interface Hazard {
  /** What was found, as part of a sentence. */
  reason: string;
  /** Index in the text, in UTF-16 code units. */
  at: number;
}

/**
 * Namespaced member names of JSX: `x=<a:b.c/>` makes @swc/core 1.16 abort its process, and so does
 * `</a:b.c>`. Comments may stand between the tokens (longer ones than these cost a child).
 */
const GAP = String.raw`(?:\s|/\*(?:[^*]|\*(?!/)){0,200}\*/|//[^\n]{0,200}\n)*`;
const NAME = '[^\\s<>:./(){}\\[\\]"\'`]+';
const NAMESPACED_MEMBER = new RegExp(`<(/?)${GAP}${NAME}${GAP}:${GAP}${NAME}${GAP}\\.`, 'g');

/** Words that nest what follows in what they stand before, or what they stand after. */
const CHAIN_WORDS = words(`
  new await typeof void delete yield keyof unique readonly infer extends in of instanceof as
  satisfies is asserts async class throw return
`);
/** Statements that hold another statement without a brace. */
const HEAD_WORDS = words('if else for while do with');
/** Words that continue an expression on the next line. */
const INFIX_WORDS = words('in of instanceof as satisfies extends is');

/** Classes within `extends` of classes: the parser's time doubles with each. */
const HERITAGE_MAX = 8;
/** Places, one within the other, that the parser reads first one way and then another. */
const GUESSES_MAX = 8;

/** Nesting on one bracket level. */
interface Level {
  /** Operators, calls, members and the like since the last `;`, `,` or end of a statement. */
  chain: number;
  /** `if`, `else`, `for`, labels... since the last statement that ended. */
  heads: number;
  /** `<` without `>`: type arguments, which `,` does not end. */
  less: number;
  /** `class` without its body. */
  heritage: number;
  /** Sum of the levels around. */
  below: number;
  /** Places that are read twice: this level itself, and the levels around. */
  guesses: number;
  guessesBelow: number;
  /** `=` in something that may be a list of parameters: `(a = ...`, `({ a = ...`. */
  hasDefault: boolean;
  /** May hold parameters: no block of statements. */
  mayBind: boolean;
  /** `a ? (`, and arrows after it: `a ? (b) : c => d` has two readings. */
  questions: number;
  arrows: number;
  /** `<` where an operand begins: a cast, or type parameters of an arrow function. */
  casts: number;
  /** `function` without its body. */
  functions: number;
}

/**
 * Looks for code that ends, hangs or slows the parser (docs/why/architecture.md, "What can die").
 * An estimate of how deep the syntax tree becomes, from tokens alone. Linear.
 */
export function findHazard(text: string, jsx: boolean): Hazard | null {
  const lexer = new Lexer(text, jsx);
  const meter = new DepthMeter(lexer);
  let members = jsx ? namespacedMembers(text, true) : [];
  while (lexer.next()) {
    const reason = meter.take();
    if (reason !== null) return { reason, at: lexer.start };
    // Within what reads as a string it is text; else the parser still reads no elements.
    if (lexer.kind !== 'string' || members.length === 0) continue;
    members = members.filter((at) => at < lexer.start || lexer.end <= at);
  }
  const [at] = members;
  return at === undefined ? null : { reason: NAMESPACED, at };
}

const NAMESPACED = 'a namespaced member name in JSX';

/**
 * The JSX form that aborts the parser. `inExpression` asks only for forms that stand where an
 * expression begins, so that `a < b ? c : d.e` and `case a<b: c.d()` do not count.
 */
export function findNamespacedMember(text: string, inExpression: boolean): Hazard | null {
  const [at] = namespacedMembers(text, inExpression);
  return at === undefined ? null : { reason: NAMESPACED, at };
}

function namespacedMembers(text: string, inExpression: boolean): number[] {
  if (!text.includes('<')) return [];
  const found: number[] = [];
  for (const match of text.matchAll(NAMESPACED_MEMBER)) {
    const isOperator = inExpression && match[1] === '' && followsOperand(text, match.index);
    if (!isOperator) found.push(match.index);
  }
  return found;
}

function followsOperand(text: string, at: number): boolean {
  const before = text.slice(Math.max(0, at - 100), at).trimEnd();
  return /[\w$)\]]$/.test(before) && !/\breturn$/.test(before);
}

class DepthMeter {
  readonly #lexer: Lexer;
  readonly #levels: Level[] = [newLevel()];
  #depth = 0;
  /** Closers without an opener: something is put before the text that opens all of them. */
  #strays = 0;
  #last = '';
  #lastKind: TokenKind = 'end';
  #lastWasOperand = false;
  #statementEnded = false;

  constructor(lexer: Lexer) {
    this.#lexer = lexer;
  }

  /** Counts the lexer's token; a sentence part when a bound is passed. */
  take(): string | null {
    const lexer = this.#lexer;
    const { kind } = lexer;
    if (kind === 'open') this.#open();
    else if (kind === 'close') this.#close();
    else {
      if (kind === 'stray') this.#strays += 1;
      const level = this.#level();
      if (kind === 'word') this.#word(level);
      else if (kind === 'operator') this.#operator(level);
      else this.#boundary(level, '');
    }
    this.#lastKind = kind;
    this.#lastWasOperand = lexer.operandEnd;
    return this.#excess();
  }

  #level(): Level {
    return this.#levels[this.#depth] ?? newLevel();
  }

  #excess(): string | null {
    const level = this.#level();
    const { BRACKET_DEPTH_MAX, RUN_TOKENS_MAX } = AST_GATE;
    if (this.#strays > BRACKET_DEPTH_MAX) {
      return `more than ${BRACKET_DEPTH_MAX} brackets close that do not open`;
    }
    if (this.#depth > BRACKET_DEPTH_MAX) return `brackets nest deeper than ${BRACKET_DEPTH_MAX}`;
    if (level.below + weight(level) > RUN_TOKENS_MAX) {
      return `more than ${RUN_TOKENS_MAX} operators nest in one expression or statement`;
    }
    if (level.less > BRACKET_DEPTH_MAX) return `"<" nests deeper than ${BRACKET_DEPTH_MAX}`;
    if (level.heritage > HERITAGE_MAX) return `classes extend classes deeper than ${HERITAGE_MAX}`;
    if (level.guessesBelow + guesses(level) > GUESSES_MAX) {
      return 'forms that have two readings nest in each other';
    }
    return null;
  }

  /** A token that can start a statement: does one start here? */
  #boundary(level: Level, word: string): void {
    if (this.#statementEnded) {
      if (word !== 'else') level.heads = 0;
      this.#statementEnded = false;
    }
    const isAfterBlock = this.#lastKind === 'close' && this.#lexer.closed.kind === '{';
    const mayStart = this.#lastWasOperand && (this.#lexer.newlineBefore || isAfterBlock);
    if (mayStart && !INFIX_WORDS.has(word)) endExpression(level);
    this.#last = word;
  }

  #word(level: Level): void {
    const { text, start, end } = this.#lexer;
    // The longest of the words has ten letters.
    const word = end - start > 10 ? '' : text.slice(start, end);
    this.#boundary(level, word);
    if (text.charCodeAt(start - 1) === 46 || this.#lexer.stack.at(-1)?.kind === 'tag') return;
    if (CHAIN_WORDS.has(word)) level.chain += 1;
    if (HEAD_WORDS.has(word)) level.heads += 1;
    if (word === 'class') level.heritage += 1;
    if (word === 'function') level.functions += 1;
  }

  #operator(level: Level): void {
    const { text, start, end } = this.#lexer;
    const operator = text.slice(start, end);
    if (operator === ';') {
      endExpression(level);
      this.#statementEnded = true;
    } else if (operator === ',') endElement(level);
    else {
      level.chain += 1;
      this.#ambiguous(level, operator);
    }
    this.#last = operator;
  }

  #ambiguous(level: Level, operator: string): void {
    switch (operator) {
      case '<':
        level.less += 1;
        if (!this.#lastWasOperand) level.casts += 1;
        break;
      case '>':
        level.less = Math.max(0, level.less - 1);
        break;
      case '=':
        level.hasDefault ||= level.mayBind;
        break;
      case '=>':
        if (level.questions > 0) level.arrows += 1;
        break;
    }
  }

  #open(): void {
    const lexer = this.#lexer;
    const top = lexer.stack.at(-1);
    // An element's body replaces its tag: it stands in what the tag stands in.
    const level = (top?.kind === 'jsx' ? this.#levels[this.#depth - 1] : null) ?? this.#level();
    if (top?.kind === '{') {
      this.#boundaryOfBrace(level);
      if (level.functions > 0) level.functions -= 1;
      else if (level.heritage > 0) level.heritage -= 1;
    }
    if (this.#lastWasOperand && top?.kind !== 'tag' && top?.kind !== 'jsx') level.chain += 1;
    if (top?.kind === '(' && this.#last === '?') level.questions += 1;
    const inner = newLevel();
    inner.below = level.below + weight(level);
    inner.heritage = level.heritage;
    inner.guessesBelow = level.guessesBelow + guesses(level) + this.#arrowsAround(top);
    inner.mayBind = this.#mayBind(top);
    if (this.#isGenericHead(top)) inner.guesses = 1;
    this.#depth = lexer.stack.length;
    this.#levels[this.#depth] = inner;
    this.#last = top?.kind ?? '';
  }

  /** A brace may begin a statement; what came before it is still of interest then. */
  #boundaryOfBrace(level: Level): void {
    const last = this.#last;
    this.#boundary(level, '');
    this.#last = last;
  }

  #mayBind(top: Open | undefined): boolean {
    if (top?.kind === '(') return true;
    return (top?.kind === '{' || top?.kind === '[') && /^(?:[(,[:=]|\.\.\.)$/.test(this.#last);
  }

  /** `<T>(` where `<T>` reads as an element: it may be an arrow function's type parameters. */
  #isGenericHead(top: Open | undefined): boolean {
    return top?.kind === 'jsx' && this.#lexer.text.charCodeAt(this.#lexer.end) === 40;
  }

  /** The element around looks like code: it will be read again as such. */
  #arrowsAround(top: Open | undefined): number {
    const around = this.#lexer.stack.at(-2);
    return top?.kind === 'tag' && around?.holdsArrow === true ? 1 : 0;
  }

  #close(): void {
    this.#depth = this.#lexer.stack.length;
    if (this.#lexer.closed.kind === '{') this.#statementEnded = true;
    this.#last = ')';
  }
}

function newLevel(): Level {
  return {
    chain: 0,
    heads: 0,
    less: 0,
    heritage: 0,
    below: 0,
    guesses: 0,
    guessesBelow: 0,
    hasDefault: false,
    mayBind: false,
    questions: 0,
    arrows: 0,
    casts: 0,
    functions: 0,
  };
}

function weight(level: Level): number {
  return 1 + level.chain + level.heads + level.less;
}

function guesses(level: Level): number {
  const { arrows, casts } = level;
  return level.guesses + arrows + casts + (level.hasDefault && level.less > 0 ? 1 : 0);
}

function endExpression(level: Level): void {
  endElement(level);
  level.less = 0;
  level.hasDefault = false;
}

function endElement(level: Level): void {
  level.chain = 0;
  level.heritage = 0;
  level.questions = 0;
  level.arrows = 0;
  level.casts = 0;
  level.functions = 0;
}
