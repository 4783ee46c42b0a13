import { words } from '../../../rules/catalogue/line.ts';
import type { Dialect } from '../languages.ts';
import { Lexer, type Open } from '../parse/lexer.ts';
import type { Outline, Pending, Segment } from './outline.ts';
import { type Context, continuation, nestedWrap, type Wrap, wrapOf } from './wrapping.ts';

/** Guesses tried for the outermost context; the first is right nine times out of ten. */
const OUTER_GUESSES_MAX = 8;
/** Guesses tried for the code before the first stray closer. */
const INNER_GUESSES_MAX = 4;

/** Texts to put around a part of a hunk so that it may parse, likeliest first, no two alike. */
export function* candidates(text: string, shape: Outline, dialect: Dialect): Generator<Wrap> {
  const [first] = shape.segments;
  if (first === undefined) return;
  const head = continuation(first);
  // Any prose is fine as an element's text: without a tag there is no element.
  const mayBeElements = /<\/|\/>/.test(text);
  const guesses = shape.segments.map((segment) =>
    guessContexts(segment).filter((context) => mayBeElements || context !== 'elements'),
  );
  const seen = new Set<string>();
  for (const closing of closings(text, shape)) {
    for (const contexts of choices(guesses)) {
      const wrap = wrapOf(contexts.at(-1) ?? 'statements', dialect);
      const nested = nestedWrap(text, shape, contexts, dialect);
      const prefix = wrap.prefix + nested.prefix + head;
      const suffix = `\n${closing}${nested.suffix}${wrap.suffix}`;
      if (seen.has(prefix + suffix)) continue;
      seen.add(prefix + suffix);
      yield { prefix, suffix };
    }
  }
}

/** A context for each segment: the best guesses, then others for the outermost and the first. */
function* choices(guesses: readonly Context[][]): Generator<Context[]> {
  const best = guesses.map((list) => list[0] ?? 'statements');
  yield best;
  const last = best.length - 1;
  for (let rank = 1; rank < OUTER_GUESSES_MAX; rank += 1) {
    const outer = guesses[last]?.[rank];
    if (outer !== undefined) yield best.with(last, outer);
    const inner = guesses[0]?.[rank];
    if (last > 0 && inner !== undefined && rank < INNER_GUESSES_MAX) yield best.with(0, inner);
  }
}

/** Tokens that want an operand after them. */
const WANTS_OPERAND = words(`
  = += -= *= /= %= **= &&= ||= ??= |= &= ^= && || ?? + - * / % ** == === != !== < <= > >= & | ^
  << >> : . ! ~ => new await void delete typeof throw in of instanceof as satisfies keyof
  extends implements default
`);

const COMPLETIONS: ReadonlyMap<string, string> = new Map([
  ['?', '_:_'],
  ['?.', '_'],
  ['...', '_'],
  ['@', '_'],
  ['case', ' _:'],
  ['const', ' _=0'],
  ['let', ' _=0'],
  ['var', ' _=0'],
  ['function', ' _(){}'],
  ['class', ' _{}'],
  ['interface', ' _{}'],
  ['import', '"_"'],
  ['from', '"_"'],
  ['export', '{}'],
  ['else', ';'],
  ['try', '{}finally{}'],
  ['do', ';while(0)'],
  ['finally', '{}'],
  ['catch', '{}'],
  ['async', ' ()=>{}'],
]);

/** Characters before an opener that are looked at to learn what it opens. */
const LOOK_BACK_CHARS = 120;

/**
 * Texts that may complete a hunk's end: the last expression or statement, then every bracket
 * that is open, innermost first. Likelier first; without a newline before them.
 */
function closings(text: string, outline: Outline): string[] {
  const comment = outline.endsInComment ? '*/' : '';
  const completion = complete(outline);
  const all = [`${comment}${completion}${closeAll(text, outline, [])}`];
  const { pending } = outline;
  if (!pending.some(({ questions, angles }) => questions > 0 || angles.length > 0)) return all;
  // Of `a ?` only the operand is missing here: the rest of the ternary follows.
  const operand = outline.lastToken === '?' ? '_' : completion;
  return [`${comment}${operand}${closeAll(text, outline, pending)}`, ...all];
}

function complete(outline: Outline): string {
  const top = outline.open.at(-1)?.kind;
  const { lastToken } = outline;
  const known = COMPLETIONS.get(lastToken);
  if (known !== undefined) return known;
  if (WANTS_OPERAND.has(lastToken)) return ' _';
  // A list within brackets may end with a comma, a declaration may not.
  return lastToken === ',' && top === undefined ? '_' : '';
}

function closeAll(text: string, { open }: Outline, pending: readonly Pending[]): string {
  let closing = '';
  for (let index = open.length - 1; index >= 0; index -= 1) {
    const bracket = open[index];
    if (bracket === undefined) continue;
    closing += settle(text, pending[index + 1]) + close(text, bracket);
  }
  return closing + settle(text, pending[0]);
}

/** Ends what a level waits for. */
function settle(text: string, pending: Pending | undefined): string {
  if (pending === undefined) return '';
  const angles = pending.angles.map((at) =>
    closeAngle(text.slice(Math.max(0, at - LOOK_BACK_CHARS), at)),
  );
  return angles.reverse().join('') + ':_'.repeat(pending.questions);
}

/** Type parameters need what they belong to after them, type arguments of a heritage its body. */
function closeAngle(before: string): string {
  if (/\b(?:class|interface)\b[^;{}()]*$/.test(before)) return '>{}';
  if (/\bfunction\b[\s*\w$]*$/.test(before)) return '>(){}';
  if (/\btype\s+[\w$]+\s*$/.test(before)) return '>=_';
  if (/\bconst\s+[\w$]+\s*:[^=;]*$/.test(before)) return '>=_';
  return /[=(,:?]\s*$/.test(before) ? '>()=>_' : '>';
}

function close(text: string, open: Open): string {
  const before = text.slice(Math.max(0, open.at - LOOK_BACK_CHARS), open.at).trimEnd();
  switch (open.kind) {
    case '(':
      return closeParenthesis(before, text.slice(open.at + 1, open.at + 1 + LOOK_BACK_CHARS));
    case '[':
      return ']';
    case '{':
      return closeBrace(before);
    case '${':
      return '}';
    case '`':
      return '`';
    case 'tag':
      return '/>';
    case 'jsx':
      return `</${open.name}>`;
    case '<':
      return '>';
  }
}

/** Conditions and parameters need a body after them. */
function closeParenthesis(before: string, after: string): string {
  const filler = after.trim() === '' ? '_' : '';
  const decorator = /(\n|^)([ \t]*)@[\w$.]+$/.exec(before);
  // What is decorated: a member, or at the start of a line a class. The member is a method: SWC
  // reads a decorated name among statements too, and drops the decorator.
  if (decorator !== null) return decorator[2] === '' ? ')class _{}' : ') _(){}';
  if (/(?<![.\w$])(?:if|while|for|switch|with|catch|await)$/.test(before)) return `${filler}){}`;
  if (/\b(?:function\b[\s*\w$]*(?:<[^()]*>)?|constructor)$/.test(before)) return `${filler}){}`;
  return `${filler})`;
}

function closeBrace(before: string): string {
  if (/(?<![.\w$])try$/.test(before)) return '}finally{}';
  return /\bimport\s*(?:type\b)?(?:\s*[\w$]+\s*,)?$/.test(before) ? '}from"_"' : '}';
}

/** Tried for any segment, after what its tokens speak for. */
const ANY: readonly Context[] = [
  'statements',
  'object',
  'list',
  'class',
  'type',
  'elements',
  'attributes',
  'cases',
  'parameters',
  'module',
  'import',
  'enum',
  'types',
];
const OBJECT_FIRST: readonly Context[] = ['object', 'class'];
const CLASS_FIRST: readonly Context[] = ['class', 'object'];

/** The contexts that a segment's tokens speak for, likeliest first. */
function guessContexts(segment: Segment): Context[] {
  return [...new Set([...evidence(segment), ...ANY])];
}

function* evidence(segment: Segment): Generator<Context> {
  const { semicolons, commas, entries, members } = segment;
  if (segment.first === '') yield 'empty';
  const isImport = segment.first === 'from' && /^['"]/.test(segment.second);
  if (segment.modules > 0 || isImport) yield 'module';
  if (segment.cases > 0) yield 'cases';
  if (segment.isClass) yield 'class';
  const isLoop = semicolons > 0 || segment.first === 'of' || segment.first === 'in';
  if (segment.closer?.kind === '(' && isLoop) yield 'head';
  if (segment.first === 'tag' && semicolons + segment.statements === 0) yield 'elements';
  if (semicolons === 0) {
    if (entries > 0) yield* ['object', 'parameters', 'type'] as const;
    else if (members > 0) yield* commas > 0 ? OBJECT_FIRST : CLASS_FIRST;
    else if (commas > 0) yield* ['list', 'object'] as const;
  }
  if (entries > 0) yield* ['type', 'class', 'object'] as const;
  if (members > 0) yield* ['class', 'type', 'object'] as const;
}

/* What a text may begin with that is left over from before it. */

/** A line of a block comment with its star, or an empty line. */
const STARRED_LINE = /^[ \t]*\*(?!\/)[^\n]*(?:\n|$)|^[ \t\r]*\n/;

/** Index after what a file may begin with and a parser need not see: `#!/usr/bin/env node`. */
export function preamble(text: string): number {
  const match = /^\ufeff?(?:#![^\n\r\u2028\u2029]*)?/.exec(text);
  return match?.[0].length ?? 0;
}

/**
 * Index after the rest of a block comment that began before the text; 0 when none did. Only
 * comments with a star on each line are distinguished from code.
 */
export function commentRest(text: string): number {
  let at = 0;
  let rest = text;
  for (let line = STARRED_LINE.exec(rest); line !== null; line = STARRED_LINE.exec(rest)) {
    const end = line[0].indexOf('*/');
    if (end >= 0) return at + end + 2;
    at += line[0].length;
    rest = text.slice(at);
    // Nothing but a comment, or nothing at all.
    if (rest === '') return text.trim() === '' ? 0 : at;
  }
  const close = /^[ \t]*\*\//.exec(rest);
  return close === null ? 0 : at + close[0].length;
}

/** Words that may stand beside a name in TypeScript. */
const BESIDE_NAMES = words(`
  abstract accessor any as assert asserts async await break case catch class const continue debugger
  declare default defer delete do else enum export extends finally for from function get global if
  implements import in infer instanceof interface is keyof let module namespace never new of out
  override package private protected public readonly require return satisfies set source static
  super switch symbol this throw try type typeof undefined unique using var void while with yield
`);
/** So many other words in a row are a syntax error. */
const PROSE_WORDS = 3;

/**
 * The same where the rest cannot be code: words stand in it side by side as in prose. Nothing in it
 * may be a template or go on in the next line. Not for text with elements, which hold prose, too.
 */
export function proseRest(text: string): number {
  const end = commentRest(text);
  const rest = text.slice(0, end);
  if (end === 0 || /[`\\]/.test(rest)) return 0;
  // The first line may be the end of a string.
  const secondLine = rest.indexOf('\n') + 1;
  const lexer = new Lexer(rest, false);
  let count = 0;
  while (lexer.next()) {
    const word = lexer.kind === 'word' ? rest.slice(lexer.start, lexer.end) : '';
    const isPlain = word !== '' && lexer.start >= secondLine && !BESIDE_NAMES.has(word);
    if (isPlain) count = lexer.newlineBefore ? 1 : count + 1;
    else count = 0;
    if (count === PROSE_WORDS) return end;
  }
  return 0;
}

/** What may follow the end of a template, and hardly ever the start of one. */
const AFTER_TEMPLATE = /^(?:[,;)\]}]|\.[a-zA-Z])/;
/** What stands before the start of a template that fills the next lines. */
const BEFORE_TEMPLATE = /(?:[(,=:[?+|&{>]|\*\/|[\w$])$/;
/** The same, where the template starts on a line of its own. */
const BEFORE_TEMPLATE_LINE = /(?:^|[(,=:[?+|&{>]|\*\/|\breturn)$/;

const TEMPLATE_LOOK_BACK_CHARS = 200;

/** The text up to its first backtick, if that is escaped. */
const ESCAPED_BACKTICK = /^[^`]*\\`/;

/** Index after the rest of a template literal that began before the text; 0 when none did. */
export function templateRest(text: string): number {
  const escaped = ESCAPED_BACKTICK.exec(text);
  // Only within a template is a backtick escaped.
  if (escaped !== null) return unescapedBacktickEnd(text, escaped[0].length);
  const at = firstBacktickEnd(text);
  if (at < 0) return 0;
  const after = text.slice(at, at + 1);
  const before = text.slice(text.lastIndexOf('\n', at - 2) + 1, at - 1).trim();
  const mayStartOnLine = before !== '' && BEFORE_TEMPLATE.test(before);
  if (AFTER_TEMPLATE.test(text.slice(at, at + 2))) {
    return mayStartOnLine && isClosedOnLine(text, at) ? 0 : at;
  }
  const endsLine = after === '\n' || after === '\r' || after === '';
  if (!endsLine) return 0;
  if (before !== '') return mayStartOnLine ? 0 : at;
  const above = text.slice(Math.max(0, at - 1 - TEMPLATE_LOOK_BACK_CHARS), at - 1).trim();
  return BEFORE_TEMPLATE_LINE.test(above) ? 0 : at;
}

/** Whether a template that starts before `at` ends on its line, and no other goes on. */
function isClosedOnLine(text: string, at: number): boolean {
  const lineEnd = text.indexOf('\n', at);
  const others = text.slice(at, lineEnd < 0 ? text.length : lineEnd).split('`').length - 1;
  return others % 2 === 1;
}

/** Index after the first backtick that is in no string or comment; -1 when it is absent. */
function firstBacktickEnd(text: string): number {
  if (!text.includes('`')) return -1;
  const lexer = new Lexer(text, false);
  while (lexer.next()) {
    if (lexer.kind === 'open' && lexer.stack.at(-1)?.kind === '`') return lexer.end;
  }
  return -1;
}

function unescapedBacktickEnd(text: string, from: number): number {
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === '`') return at + 1;
  }
  return 0;
}
