import type { Lexer } from './lexer.ts';

/** What one bracket level still waits for. */
export interface Pending {
  /** `a ? b` whose `:` has not come. */
  questions: number;
  /** Indexes of `<` that look like those of types and have no `>`; outermost first. */
  angles: number[];
}

/** Where type arguments or type parameters begin: `Map<`, `= <T>() =>`. */
const BEFORE_ANGLE = /[\w$]$|[=(,:?]\s*$/;
const LOOK_BACK_CHARS = 20;

/** Keeps account of ternaries and angle brackets, which the lexer takes for plain operators. */
export class PendingReader {
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
