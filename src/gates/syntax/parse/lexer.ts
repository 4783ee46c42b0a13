import { words } from '../../../rules/catalogue/line.ts';

/**
 * A forgiving lexer for JavaScript and TypeScript with JSX. It never fails: it is run on hunks
 * that begin and end anywhere, to learn what has to be opened and closed around them, and on
 * hostile text, to learn whether a parser can be trusted with it. Linear in the text.
 */

/**
 * What is open: `${` a template's hole, `tag` between `<name` and `>`, `jsx` an element's body.
 * `<` is never opened by the lexer: only the outline knows type arguments.
 */
type OpenKind = '(' | '[' | '{' | '${' | '`' | 'tag' | 'jsx' | '<';

export interface Open {
  kind: OpenKind;
  /** Index of its first character. */
  at: number;
  /** Name of a JSX element. */
  name: string;
  /** Its text holds `=>`, which no element's text does: it may be code after all. */
  holdsArrow?: boolean;
}

export type TokenKind =
  | 'word'
  | 'number'
  | 'string'
  | 'regex'
  | 'operator'
  | 'open'
  /** A closer that has its opener in the text. */
  | 'close'
  /** A closer whose opener lies before the text. */
  | 'stray'
  | 'end';

const CLOSES: Readonly<Record<string, OpenKind>> = { ')': '(', ']': '[', '}': '{' };

/** Words after which an expression follows, so that `/` starts a regex and `<` an element. */
const PREFIX_WORDS = words(`
  return typeof case in of delete void throw new else do await yield instanceof extends default
  keyof as satisfies
`);

/** Operators that are one token although they repeat a character; the longest match wins. */
const DOUBLED = new Set([...'=&|*+-?<'].map((char) => char.charCodeAt(0)));

const TAB = 9;
const NEWLINE = 10;
const RETURN = 13;
const SPACE = 32;
const BANG = 33;
const DOUBLE_QUOTE = 34;
const DOLLAR = 36;
const SINGLE_QUOTE = 39;
const STAR = 42;
const SLASH = 47;
const LESS = 60;
const EQUALS = 61;
const GREATER = 62;
const OPEN_BRACKET = 91;
const BACKSLASH = 92;
const CLOSE_BRACKET = 93;
const BACKTICK = 96;
const OPEN_BRACE = 123;

/** LF, CR, LS and PS end a line, and with it a comment (ECMA-262, 12.3). */
function isLineEnd(code: number): boolean {
  return code === NEWLINE || code === RETURN || code === 0x2028 || code === 0x2029;
}

/** Generic arrow functions of TSX look like elements: `<T,>(x) =>`, `<T extends U>(x) =>`. */
const GENERIC_ARROW = /<\s*(?:const\s+)?[\w$]+\s*(?:,|extends\s)/y;
const TYPE_ARGUMENTS_CHARS_MAX = 500;
const ELEMENT_NAME = /[\w$.:-]*/y;
/** A name, or `>` right away. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the range is ASCII itself.
const OPENING_TAG = /<\s*(?:([\w$][\w$.:-]*|[^\x00-\x7f][^\s<>{}()/=]*)|(?=>))/y;
const CLOSING_TAG = /<\/\s*([\w$.:-]*)\s*>?/y;

/** Reads tokens one by one; the fields describe the last one read. */
export class Lexer {
  readonly text: string;
  readonly jsx: boolean;
  readonly stack: Open[] = [];
  kind: TokenKind = 'end';
  start = 0;
  end = 0;
  /** A line ended between the token before and this one. */
  newlineBefore = false;
  /** For `close` and `stray`: the bracket that was or would have been opened. */
  closed: Open = { kind: '(', at: 0, name: '' };
  /** Whether this token may end an operand. */
  operandEnd = false;
  /** Whether the text ends within a block comment. */
  endsInComment = false;
  /** Up to these indexes no regex and no string of that quote ends; keeps odd lines linear. */
  #noRegexBefore = 0;
  readonly #noQuoteBefore = { [SINGLE_QUOTE]: 0, [DOUBLE_QUOTE]: 0 };

  constructor(text: string, jsx: boolean) {
    this.text = text;
    this.jsx = jsx;
  }

  /** Reads the next token; false at the end of the text. */
  next(): boolean {
    this.newlineBefore = false;
    const top = this.stack.at(-1)?.kind;
    if (top === '`') return this.#template();
    if (top === 'jsx') return this.#elementBody();
    this.#skipSpace();
    this.start = this.end;
    const code = this.text.charCodeAt(this.end);
    if (Number.isNaN(code)) return this.#set('end', false);
    if (isWordCode(code)) return top === 'tag' ? this.#attributeName() : this.#word();
    if (code === SINGLE_QUOTE || code === DOUBLE_QUOTE) return this.#string(code, top === 'tag');
    if (code === BACKTICK) return this.#backtick();
    if (code === SLASH) return this.#slash(top);
    if (code === LESS) return this.#less();
    if (code === GREATER && top === 'tag') return this.#tagEnd();
    return this.#punctuation(code);
  }

  #set(kind: TokenKind, operandEnd: boolean): boolean {
    this.kind = kind;
    this.operandEnd = operandEnd;
    return kind !== 'end';
  }

  #skipSpace(): void {
    const { text } = this;
    for (;;) {
      const code = text.charCodeAt(this.end);
      if (isLineEnd(code)) this.newlineBefore = true;
      else if (code === SLASH && text.charCodeAt(this.end + 1) === SLASH) {
        this.#lineComment();
        continue;
      } else if (code === SLASH && text.charCodeAt(this.end + 1) === STAR) {
        this.#blockComment();
        continue;
      } else if (!(code === SPACE || (code >= TAB && code <= 13) || isUnicodeSpace(code))) return;
      this.end += 1;
    }
  }

  #lineComment(): void {
    const { text } = this;
    while (this.end < text.length && !isLineEnd(text.charCodeAt(this.end))) this.end += 1;
  }

  #blockComment(): void {
    const stop = this.text.indexOf('*/', this.end + 2);
    const after = stop < 0 ? this.text.length : stop + 2;
    this.endsInComment = stop < 0;
    const line = this.text.indexOf('\n', this.end);
    if (line >= 0 && line < after) this.newlineBefore = true;
    this.end = after;
  }

  #word(): boolean {
    const first = this.text.charCodeAt(this.end);
    do this.end += 1;
    while (isWordCode(this.text.charCodeAt(this.end)));
    if (first >= 48 && first <= 57) return this.#set('number', true);
    const length = this.end - this.start;
    // The longest prefix word has ten letters.
    const isPrefix = length <= 10 && PREFIX_WORDS.has(this.text.slice(this.start, this.end));
    return this.#set('word', !isPrefix || this.text.charCodeAt(this.start - 1) === 46);
  }

  #attributeName(): boolean {
    ELEMENT_NAME.lastIndex = this.end;
    ELEMENT_NAME.test(this.text);
    this.end = Math.max(ELEMENT_NAME.lastIndex, this.end + 1);
    return this.#set('word', true);
  }

  #string(quote: 34 | 39, inTag: boolean): boolean {
    const stop = this.end < this.#noQuoteBefore[quote] ? -1 : this.#stringEnd(quote, inTag);
    // Without an end it is an apostrophe in text.
    this.end = stop < 0 ? this.end + 1 : stop;
    return this.#set('string', true);
  }

  /** Attribute strings may hold newlines and no escapes; others end with their line. */
  #stringEnd(quote: 34 | 39, inTag: boolean): number {
    const { text } = this;
    let at = this.end + 1;
    for (; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      if (code === quote) return at + 1;
      if (code === BACKSLASH && !inTag) at += 1;
      else if (code === NEWLINE && !inTag) break;
    }
    this.#noQuoteBefore[quote] = at;
    return -1;
  }

  #backtick(): boolean {
    this.#push('`', '');
    this.end += 1;
    return this.#set('open', false);
  }

  #template(): boolean {
    const { text } = this;
    this.start = this.end;
    for (; this.end < text.length; this.end += 1) {
      const code = text.charCodeAt(this.end);
      if (code === BACKSLASH) this.end += 1;
      else if (code === BACKTICK) {
        this.start = this.end;
        this.end += 1;
        this.closed = this.stack.pop() ?? this.closed;
        return this.#set('close', true);
      } else if (code === DOLLAR && text.charCodeAt(this.end + 1) === OPEN_BRACE) {
        this.start = this.end;
        this.#push('${', '');
        this.end += 2;
        return this.#set('open', false);
      }
    }
    this.end = text.length;
    return this.#set('end', false);
  }

  #slash(top: OpenKind | undefined): boolean {
    const { text } = this;
    if (text.charCodeAt(this.end + 1) === GREATER && (top === 'tag' || this.#mayCloseTag())) {
      this.end += 2;
      return this.#close('tag', '');
    }
    // After `}` a regex is likelier than a division.
    const isOperand = this.operandEnd && !(this.kind === 'close' && this.closed.kind === '{');
    const stop = isOperand ? -1 : this.#regexEnd();
    if (stop < 0) {
      this.end += text.charCodeAt(this.end + 1) === EQUALS ? 2 : 1;
      return this.#set('operator', false);
    }
    this.end = stop;
    return this.#set('regex', true);
  }

  /** Index after a regex literal that starts here, or -1 when none ends on this line. */
  #regexEnd(): number {
    if (this.end < this.#noRegexBefore) return -1;
    const { text } = this;
    let inClass = false;
    let at = this.end + 1;
    for (; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      if (code === NEWLINE) break;
      if (code === BACKSLASH) at += 1;
      else if (code === OPEN_BRACKET) inClass = true;
      else if (code === CLOSE_BRACKET) inClass = false;
      else if (code === SLASH && !inClass) {
        do at += 1;
        while (isWordCode(text.charCodeAt(at)));
        return at;
      }
    }
    this.#noRegexBefore = at;
    return -1;
  }

  /** `/>` whose `<name` lies before the text. */
  #mayCloseTag(): boolean {
    return this.jsx && (this.operandEnd || this.kind === 'end');
  }

  #less(): boolean {
    const { text } = this;
    const after = text.charCodeAt(this.end + 1);
    if (this.jsx && after === SLASH) {
      CLOSING_TAG.lastIndex = this.end;
      const match = CLOSING_TAG.exec(text);
      this.end = match === null ? this.end + 2 : CLOSING_TAG.lastIndex;
      return this.#close('jsx', match?.[1] ?? '');
    }
    if (!this.jsx || (this.operandEnd && !this.#isAfterElement())) return this.#punctuation(LESS);
    GENERIC_ARROW.lastIndex = this.end;
    OPENING_TAG.lastIndex = this.end;
    const tag = GENERIC_ARROW.test(text) ? null : OPENING_TAG.exec(text);
    if (tag === null) return this.#punctuation(LESS);
    this.#push('tag', tag[1] ?? '');
    this.end = typeArgumentsEnd(text, OPENING_TAG.lastIndex);
    return this.#set('open', false);
  }

  /** Nobody compares an element: the next one is its sibling. */
  #isAfterElement(): boolean {
    if (this.kind !== 'close' && this.kind !== 'stray') return false;
    return this.closed.kind === 'tag' || this.closed.kind === 'jsx';
  }

  #tagEnd(): boolean {
    const tag = this.stack.pop();
    this.#push('jsx', tag?.name ?? '');
    this.end += 1;
    return this.#set('open', false);
  }

  #elementBody(): boolean {
    const { text } = this;
    for (; this.end < text.length; this.end += 1) {
      const code = text.charCodeAt(this.end);
      if (code === NEWLINE) this.newlineBefore = true;
      if (code === EQUALS && text.charCodeAt(this.end + 1) === GREATER) this.#noteArrow();
      if (code === OPEN_BRACE) {
        this.start = this.end;
        return this.#punctuation(code);
      }
      if (code === LESS) {
        this.start = this.end;
        this.operandEnd = false;
        return this.#less();
      }
    }
    this.start = this.end;
    return this.#set('end', false);
  }

  #noteArrow(): void {
    const top = this.stack.at(-1);
    if (top !== undefined) top.holdsArrow = true;
  }

  #punctuation(code: number): boolean {
    const { text } = this;
    const char = text.charAt(this.end);
    const isOpener = char === '(' || char === '[' || char === '{';
    if (isOpener) this.#push(char, '');
    this.end += 1;
    if (isOpener) return this.#set('open', false);
    const opener = CLOSES[char];
    if (opener !== undefined) return this.#close(opener, '');
    const wasOperand = this.operandEnd;
    if (char === '.' && text.startsWith('..', this.end)) this.end += 2;
    if (DOUBLED.has(code) && text.charCodeAt(this.end) === code) this.end += 1;
    const isCompound = code !== SPACE && text.charCodeAt(this.end) === EQUALS;
    if (isCompound && (DOUBLED.has(code) || code === BANG || code === GREATER)) this.end += 1;
    else if (code === EQUALS && text.charCodeAt(this.end) === GREATER) this.end += 1;
    const token = this.end - this.start;
    const isStep = token === 2 && (char === '+' || char === '-') && text[this.start + 1] === char;
    return this.#set('operator', isStep && wasOperand);
  }

  #push(kind: OpenKind, name: string): void {
    this.stack.push({ kind, at: this.end, name });
  }

  /** Closes the innermost bracket of the kind that no template separates; else it is stray. */
  #close(kind: OpenKind, name: string): boolean {
    const { stack } = this;
    for (let index = stack.length - 1; index >= 0; index -= 1) {
      const open = stack[index];
      if (open === undefined || open.kind === '`') break;
      if (open.kind === kind || (open.kind === '${' && kind === '{')) {
        this.closed = open;
        stack.length = index;
        return this.#set('close', true);
      }
      if (open.kind === '${') break;
    }
    this.closed = { kind, at: this.start, name };
    return this.#set('stray', true);
  }
}

/** Type arguments of a JSX element: `<Select<Option | null> value={x}>`; the index after them. */
function typeArgumentsEnd(text: string, at: number): number {
  if (text.charCodeAt(at) !== LESS) return at;
  let depth = 0;
  const limit = Math.min(text.length, at + TYPE_ARGUMENTS_CHARS_MAX);
  for (let index = at; index < limit; index += 1) {
    const code = text.charCodeAt(index);
    if (code === LESS) depth += 1;
    else if (code === GREATER && text.charCodeAt(index - 1) !== EQUALS) depth -= 1;
    if (depth === 0) return index + 1;
  }
  return at;
}

/** Of ASCII: letters, digits, `_`, `$`, `#` and the start of an escape. */
const WORD_CODES = Uint8Array.from({ length: 128 }, (_, code) =>
  Number(/[\w$#\\]/.test(String.fromCharCode(code))),
);

/** Whether a character belongs to a word: one of the above, or beyond ASCII and not a space. */
function isWordCode(code: number): boolean {
  return code < 128 ? WORD_CODES[code] === 1 : code >= 128 && !isUnicodeSpace(code);
}

function isUnicodeSpace(code: number): boolean {
  return code === 0xa0 || code === 0xfeff || (code >= 0x2000 && code <= 0x200a) || code === 0x3000;
}
