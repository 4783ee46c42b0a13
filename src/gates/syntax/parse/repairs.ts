import { words } from '../../../rules/catalogue/line.ts';
import { Lexer, type TokenKind } from './lexer.ts';

/**
 * What engines run and SWC refuses, rewritten so that it parses; all offsets stay. Each form is an
 * error in the standard that engines report when it is reached, if at all, or one of its annex B.
 */

interface Token {
  readonly kind: TokenKind;
  readonly start: number;
  readonly end: number;
  readonly text: string;
  /** An operand may end here. */
  readonly isOperand: boolean;
  /** Of a closer: index of the token that it closes; -1 when that is not in the text. */
  readonly opener: number;
}

/** Operators that write what stands before them. */
const ASSIGNS = words('= += -= *= /= %= **= <<= >>= >>>= &= |= ^= &&= ||= ??=');

/** The text with such forms as others of the same length; the same text where it has none. */
export function repaired(source: string, jsx: boolean): string {
  const tokens = tokensOf(source, jsx);
  const written = source.split('');
  const write = ({ start, end }: Token, text: string) => {
    for (let at = start; at < end; at += 1) written[at] = text[at - start] ?? ' ';
  };
  const closers = closersOf(tokens);
  for (const [index, token] of tokens.entries()) {
    const { kind, text } = token;
    if (kind === 'operator' && ASSIGNS.has(text) && isCallEnd(tokens, index - 1)) {
      // `f() = a` evaluates both.
      write(token, ',');
    } else if (kind === 'operator' && (text === '++' || text === '--')) {
      // `f()++`; a number that is not counted is as harmless.
      write(token, '');
    } else if (kind === 'word' && text === 'if') {
      const after = functionAfter(tokens, closers, index + 1);
      const open = tokens[index + 1];
      const close = tokens[after - 1];
      if (after < 0 || open === undefined || close === undefined) continue;
      // `if (a) function f() {}` declares `f`.
      write(token, '');
      write(open, '');
      write(close, ';');
      const next = tokens[functionEnd(tokens, closers, after) + 1];
      if (next?.text === 'else') write(next, ';');
    } else if (kind === 'word' && text === 'else' && tokens[index + 1]?.text === 'function') {
      write(token, ';');
    } else if (kind === 'word' && text === 'for') {
      const word = wordAfterCall(tokens, closers, index + 1);
      // `for (f() of a)` evaluates both.
      if (word !== null) write(word, ';;');
    }
  }
  return written.join('');
}

function tokensOf(source: string, jsx: boolean): Token[] {
  const lexer = new Lexer(source, jsx);
  const tokens: Token[] = [];
  const open: number[] = [];
  while (lexer.next()) {
    const { kind, start, end, operandEnd: isOperand } = lexer;
    let opener = -1;
    if (kind === 'close') opener = open.pop() ?? -1;
    tokens.push({ kind, start, end, text: source.slice(start, end), isOperand, opener });
    while (open.length < lexer.stack.length) open.push(tokens.length - 1);
    open.length = lexer.stack.length;
  }
  return tokens;
}

/** Of each opening token the index of its closing token. */
function closersOf(tokens: readonly Token[]): ReadonlyMap<number, number> {
  const closers = new Map<number, number>();
  for (const [index, { opener }] of tokens.entries()) if (opener >= 0) closers.set(opener, index);
  return closers;
}

/** Whether a call ends at a token, parentheses around it left out. */
function isCallEnd(tokens: readonly Token[], index: number): boolean {
  for (let at = index; ; at -= 1) {
    const token = tokens[at];
    if (token?.text !== ')' || token.opener < 0) return false;
    const before = tokens[token.opener - 1];
    if (before?.isOperand === true && before.text !== 'if' && before.text !== 'while') return true;
  }
}

/** Index of `function` behind the parentheses that open at a token; -1 when absent. */
function functionAfter(
  tokens: readonly Token[],
  closers: ReadonlyMap<number, number>,
  open: number,
): number {
  if (tokens[open]?.text !== '(') return -1;
  const after = (closers.get(open) ?? -2) + 1;
  return after > 0 && tokens[after]?.text === 'function' ? after : -1;
}

/** Index of the brace that ends a function. */
function functionEnd(
  tokens: readonly Token[],
  closers: ReadonlyMap<number, number>,
  start: number,
): number {
  for (let at = start; at < tokens.length; at += 1) {
    const text = tokens[at]?.text;
    const close = closers.get(at);
    if (close === undefined) continue;
    if (text === '{') return close;
    at = close;
  }
  return tokens.length;
}

/** `in` or `of` behind a call in the head of a loop that opens at a token; null when absent. */
function wordAfterCall(
  tokens: readonly Token[],
  closers: ReadonlyMap<number, number>,
  start: number,
): Token | null {
  const open = tokens[start]?.text === 'await' ? start + 1 : start;
  const end = closers.get(open) ?? -1;
  for (let at = open + 1; at < end; at += 1) {
    const token = tokens[at];
    if (token === undefined) return null;
    const isWord = token.kind === 'word' && (token.text === 'in' || token.text === 'of');
    if (isWord && isCallEnd(tokens, at - 1)) return token;
    at = closers.get(at) ?? at;
  }
  return null;
}
