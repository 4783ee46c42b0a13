import { words } from '../../../rules/catalogue/line.ts';
import { Lexer, type Open } from '../parse/lexer.ts';

/**
 * What a hunk needs around it: the closers whose openers lie before it, the brackets that are
 * still open at its end, and hints about the code between, taken from tokens alone.
 */
export interface Outline {
  /** The text cut at its stray closers; always at least one segment. */
  segments: Segment[];
  /** Brackets that are open at the end, innermost last. */
  open: Open[];
  /** What each level waits for at the end: the level outside all brackets first, then `open`. */
  pending: readonly Pending[];
  endsInComment: boolean;
  /** Last token of the text. */
  lastToken: string;
  /** Index of the last token. */
  lastTokenAt: number;
}

/** Code between two stray closers. Counts are of its own level, not of brackets within. */
export interface Segment {
  start: number;
  end: number;
  /** The stray closer after it; null at the end of the text. */
  closer: Closer | null;
  semicolons: number;
  commas: number;
  /** `case x:`. */
  cases: number;
  /** `name:` where an entry may start: object, interface, typed parameters, labels. */
  entries: number;
  /** `name,` where an entry may start: lists, shorthand properties, imports. */
  names: number;
  /** Statement keywords where a statement may start. */
  statements: number;
  /** `import` and `export` where a statement may start. */
  modules: number;
  /** `name() {`, modifiers, `constructor`, `#name`, decorators. */
  members: number;
  /** Whether a member of those can only stand in a class. */
  isClass: boolean;
  /** Whether the first token begins an entry, name, member or statement that was recognised. */
  startsWhole: boolean;
  /** First token, '' when it is absent. */
  first: string;
  /** Second token, '' when it is absent. */
  second: string;
}

export interface Closer {
  kind: Open['kind'];
  at: number;
  /** Index after it. */
  end: number;
  /** Name of the JSX element it closes. */
  name: string;
}

const STATEMENT_WORDS = words(`
  const let var return if for while do switch throw try break continue debugger function class
  await yield else catch finally using delete void new typeof
`);
const CLASS_AHEAD = /^\s+(?:default\s+)?(?:abstract\s+)?class\b/;
const CLASS_WORDS = words(`
  public private protected static readonly abstract declare override constructor
`);

/** `a: T`, `a?: T`, `private a: T`: parameters of TypeScript. */
const TYPED_PARAMETER =
  /^\s*(?:@[\w$]+(?:\(\))?\s+)*(?:(?:public|private|protected|readonly|override)\s+)*[\w$]+\??:/;

/** Reads the outline of a text in one pass. */
export function outline(text: string, jsx: boolean): Outline {
  const lexer = new Lexer(text, jsx);
  const reader = new SegmentReader(lexer);
  const pending = new PendingReader(lexer);
  let lastToken = '';
  let lastTokenAt = -1;
  let lastTokenEnd = -1;
  while (lexer.next()) {
    reader.take();
    pending.take();
    lastTokenAt = lexer.start;
    lastTokenEnd = lexer.end;
  }
  if (lastTokenAt >= 0) lastToken = text.slice(lastTokenAt, lastTokenEnd);
  return {
    segments: reader.finish(),
    open: [...lexer.stack],
    pending: pending.levels,
    endsInComment: lexer.endsInComment,
    lastToken,
    lastTokenAt,
  };
}

class SegmentReader {
  readonly #lexer: Lexer;
  readonly #segments: Segment[] = [];
  #segment: Segment = newSegment(0);
  /** An entry or statement may start with the next token of the base level. */
  #mayStart = true;
  /** A name with its parameters open was read: `{` after them makes it a method. */
  #maybeMethod = false;
  #lastWasOperand = false;
  /** `<` without `>`. */
  #less = 0;

  constructor(lexer: Lexer) {
    this.#lexer = lexer;
  }

  take(): void {
    const lexer = this.#lexer;
    if (lexer.kind === 'stray') this.#cut(lexer.closed.kind, lexer.closed.name);
    else if (this.#isBase()) this.#base();
    else if (lexer.kind === 'open' && lexer.stack.length === 1) this.#opened();
    this.#lastWasOperand = lexer.operandEnd;
  }

  finish(): Segment[] {
    this.#segment.end = this.#lexer.text.length;
    this.#segments.push(this.#segment);
    return this.#segments;
  }

  #isBase(): boolean {
    return this.#lexer.stack.length === 0;
  }

  #cut(kind: Open['kind'], name: string): void {
    const { start, end } = this.#lexer;
    this.#segment.end = start;
    this.#segment.closer = { kind, at: start, end, name };
    this.#segments.push(this.#segment);
    this.#segment = newSegment(end);
    this.#mayStart = kind === '{';
    this.#maybeMethod = false;
    this.#less = 0;
  }

  /** `>` without `<` that ends type arguments or a tag: at the start of a line. */
  #isAngle(token: string): boolean {
    if (token === '<') this.#less += 1;
    if (token !== '>') return false;
    if (this.#less > 0) {
      this.#less -= 1;
      return false;
    }
    return this.#lexer.newlineBefore;
  }

  #base(): void {
    const lexer = this.#lexer;
    if (lexer.kind === 'close') {
      this.#mayStart = lexer.closed.kind === '{';
      return;
    }
    const token = lexer.text.slice(lexer.start, Math.min(lexer.end, lexer.start + 40));
    if (lexer.kind === 'operator' && this.#isAngle(token)) {
      this.#cut('<', '');
      return;
    }
    const segment = this.#noteFirst(token);
    const isFirst = segment.second === '' && segment.first === token;
    if (this.#starts()) {
      const before = recognised(segment);
      this.#entry(segment, token);
      segment.startsWhole ||= isFirst && (this.#maybeMethod || recognised(segment) > before);
    } else {
      this.#mayStart = false;
      // `@Injectable() export class A {` on one line.
      if (token === 'export' && CLASS_AHEAD.test(lexer.text.slice(lexer.end, lexer.end + 40)))
        segment.modules += 1;
    }
    if (lexer.kind !== 'operator') return;
    if (token === ';') segment.semicolons += 1;
    else if (token === ',') segment.commas += 1;
    this.#mayStart = token === ';' || token === ',';
  }

  #noteFirst(token: string): Segment {
    const segment = this.#segment;
    if (segment.first === '') segment.first = token;
    else if (segment.second === '') segment.second = token;
    return segment;
  }

  #starts(): boolean {
    return this.#mayStart || (this.#lexer.newlineBefore && this.#lastWasOperand);
  }

  /** The first token of a statement, member or list entry. */
  #entry(segment: Segment, token: string): void {
    this.#mayStart = false;
    this.#maybeMethod = false;
    const { kind, text, end } = this.#lexer;
    if (kind === 'operator') {
      if (token === '@') segment.members += 1;
      return;
    }
    const rest = nextChars(text, end);
    if (rest.startsWith(':') || rest.startsWith('?:')) {
      segment.entries += 1;
    } else if (rest.startsWith(',')) segment.names += 1;
    else if (kind === 'word') this.#word(segment, token, rest);
  }

  #word(segment: Segment, token: string, rest: string): void {
    if (token === 'case') segment.cases += 1;
    else if (token === 'import' || token === 'export') segment.modules += 1;
    else if (STATEMENT_WORDS.has(token)) segment.statements += 1;
    else if (CLASS_WORDS.has(token)) {
      segment.members += 1;
      segment.isClass = true;
    } else if (rest.startsWith('(')) this.#maybeMethod = true;
    else if (token === 'async') {
      this.#maybeMethod = !isDeclaration(this.#lexer.text, this.#lexer.end);
    }
  }

  /** A bracket opened on the base level. */
  #opened(): void {
    const { text, end, stack } = this.#lexer;
    const kind = stack[0]?.kind ?? '{';
    const segment = this.#noteFirst(kind);
    if (kind === '{' && this.#maybeMethod) segment.members += 1;
    if (kind === '(' && this.#maybeMethod) {
      if (TYPED_PARAMETER.test(text.slice(end, end + 80))) segment.members += 1;
    } else this.#maybeMethod = false;
    this.#mayStart = false;
  }
}

function newSegment(start: number): Segment {
  return {
    start,
    end: start,
    closer: null,
    semicolons: 0,
    commas: 0,
    cases: 0,
    entries: 0,
    names: 0,
    statements: 0,
    modules: 0,
    members: 0,
    isClass: false,
    startsWhole: false,
    first: '',
    second: '',
  };
}

function recognised(segment: Segment): number {
  const { entries, names, members, statements, modules, cases } = segment;
  return entries + names + members + statements + modules + cases;
}

const DECLARATION = /^\s+function\b/;
const LOOK_AHEAD_CHARS = 40;

/** `async function`: not a member of a class. */
function isDeclaration(text: string, after: number): boolean {
  return DECLARATION.test(text.slice(after, after + LOOK_AHEAD_CHARS));
}

/** The next two characters that are not spaces. */
function nextChars(text: string, from: number): string {
  let at = from;
  while (at < text.length && text.charCodeAt(at) <= 32) at += 1;
  return text.slice(at, at + 2);
}

/** What one bracket level still waits for. */
export interface Pending {
  /** `a ? b` whose `:` has not come. */
  questions: number;
  /** Indexes of `<` that look like type arguments and have no `>`; outermost first. */
  angles: number[];
}

/** Where type arguments or type parameters begin: `Map<`, `= <T>() =>`. */
const BEFORE_ANGLE = /[\w$]$|[=(,:?]\s*$/;
const LOOK_BACK_CHARS = 20;

/** Keeps account of ternaries and angle brackets, which the lexer takes for plain operators. */
class PendingReader {
  /** By depth: the level outside all brackets first. */
  readonly levels: Pending[] = [{ questions: 0, angles: [] }];
  readonly #lexer: Lexer;

  constructor(lexer: Lexer) {
    this.#lexer = lexer;
  }

  /** Counts the lexer's token. */
  take(): void {
    const { kind, stack } = this.#lexer;
    if (kind === 'operator') this.#operator();
    else if (kind === 'open') this.levels[stack.length] = { questions: 0, angles: [] };
    else if (kind === 'close') this.levels.length = stack.length + 1;
  }

  #operator(): void {
    const { text, start, end, stack } = this.#lexer;
    const level = this.levels[stack.length];
    if (level === undefined || end - start > 1) return;
    switch (text.charAt(start)) {
      case '?':
        // Not `a?.b`, `a?: T` or `(a?) => b`.
        if (!/[.:),]/.test(text.charAt(end))) level.questions += 1;
        break;
      case ':':
        if (level.questions > 0) level.questions -= 1;
        break;
      case ',':
        level.questions = 0;
        break;
      case ';':
        level.questions = 0;
        level.angles.length = 0;
        break;
      case '<':
        if (BEFORE_ANGLE.test(text.slice(Math.max(0, start - LOOK_BACK_CHARS), start)))
          level.angles.push(start);
        break;
      case '>':
        level.angles.pop();
        break;
    }
  }
}
