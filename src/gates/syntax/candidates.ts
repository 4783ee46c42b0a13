import { words } from '../../rules/catalogue/line.ts';
import type { Dialect } from './languages.ts';
import type { Open } from './lexer.ts';
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
