import { type Dialect, hasJsx } from '../languages.ts';
import type { Closer, Outline, Segment } from './outline.ts';

/** What kind of code a place holds: what may stand directly within it. */
export type Context =
  | 'module'
  | 'statements'
  | 'cases'
  | 'class'
  | 'object'
  | 'list'
  | 'parameters'
  /** Members of an interface. */
  | 'type'
  /** Type arguments or type parameters. */
  | 'types'
  | 'enum'
  | 'import'
  | 'elements'
  | 'attributes'
  /** Within the parentheses of `if`, `for` and the like. */
  | 'head'
  /** Nothing is known: no token stands there. */
  | 'empty';

/** Text around a hunk; the prefix holds no newline, so that lines keep their numbers. */
export interface Wrap {
  prefix: string;
  suffix: string;
}

/** A body in which `await`, `yield`, `return`, `break`, `continue` and `super` are all right. */
const BODY = 'async function*_(){for(;;){';
const BODY_END = '}}';

const WRAPS: Readonly<Record<Context, Wrap>> = {
  module: { prefix: ';', suffix: '' },
  statements: { prefix: BODY, suffix: BODY_END },
  empty: { prefix: BODY, suffix: BODY_END },
  cases: { prefix: `${BODY}switch(0){case 0:`, suffix: `}${BODY_END}` },
  class: { prefix: 'class _ extends _{', suffix: '}' },
  object: { prefix: `${BODY}_={`, suffix: `}${BODY_END}` },
  list: { prefix: `${BODY}_(`, suffix: `)${BODY_END}` },
  parameters: { prefix: 'async function*_(', suffix: '){}' },
  type: { prefix: 'interface _{', suffix: '}' },
  types: { prefix: 'type _=_<', suffix: '>' },
  enum: { prefix: 'enum _{', suffix: '}' },
  import: { prefix: 'import{', suffix: '}from"_"' },
  elements: { prefix: `${BODY}_=<>`, suffix: `</>${BODY_END}` },
  attributes: { prefix: `${BODY}_=<_ `, suffix: `/>${BODY_END}` },
  head: { prefix: `${BODY}for(`, suffix: `);${BODY_END}` },
};

/** In TypeScript members may be abstract, and parameters may be properties. */
const TYPED_WRAPS: ReadonlyMap<Context, Wrap> = new Map([
  ['class', { prefix: 'abstract class _ extends _{', suffix: '}' }],
  ['parameters', { prefix: 'class _ extends _{constructor(', suffix: '){}}' }],
]);

/** Tokens that continue what stood before the hunk, and what they want there. */
const CONTINUES: ReadonlyMap<string, string> = new Map([
  ['else', 'if(0);'],
  ['catch', 'try{}'],
  ['finally', 'try{}'],
  ['extends', 'class _ '],
  ['implements', 'class _ '],
  ['from', 'import _ '],
  ['=>', '()'],
  [':', '_?_'],
]);
const CONTINUES_OPERAND =
  /^(?:[,.?&|+\-*/%>^]|[&|+\-*/%=<>!^]=+|&&=?|\|\|=?|\?\?=?|\?\.|=|in|instanceof|as|satisfies)$/;

/** The text around code of that context. */
export function wrapOf(context: Context, dialect: Dialect): Wrap {
  return (dialect === 'js' ? null : TYPED_WRAPS.get(context)) ?? WRAPS[context];
}

/** What has to stand before a hunk that goes on with a statement or expression; mostly ''. */
export function continuation(segment: Segment): string {
  const isName = /^\w/.test(segment.first) && /^[:?]/.test(segment.second);
  const isOther = segment.first === 'from' && !/^['"]/.test(segment.second);
  const known = isName || isOther ? undefined : CONTINUES.get(segment.first);
  if (known !== undefined) return known;
  return CONTINUES_OPERAND.test(segment.first) ? '_' : '';
}

/**
 * The text that opens what a hunk's stray closers close, outermost first, for the contexts of
 * its segments (the last one is the outermost), and what has to be closed after the hunk.
 */
export function nestedWrap(
  text: string,
  shape: Outline,
  contexts: readonly Context[],
  dialect: Dialect,
): Wrap {
  let prefix = '';
  let suffix = '';
  let outer = contexts.at(-1) ?? 'statements';
  for (let index = shape.segments.length - 2; index >= 0; index -= 1) {
    const segment = shape.segments[index];
    const closer = segment?.closer;
    if (segment === undefined || closer === null || closer === undefined) continue;
    if (closer.kind === '<' && isTagEnd(text, closer, dialect)) {
      suffix += '</_>';
      prefix += asValue('<_ ', outer);
      outer = 'attributes';
      continue;
    }
    const inner = contexts[index] ?? 'empty';
    const after = following(text, closer);
    const opening = open({ text, closer, after, outer, inner, segment, dialect });
    prefix += opening.text;
    outer = opening.context;
  }
  const first = shape.segments[0];
  if (first !== undefined) prefix += entryStart(first, outer);
  return { prefix, suffix };
}

/** `>` at the end of its line ends a tag where there is JSX; elsewhere it ends type arguments. */
function isTagEnd(text: string, closer: Closer, dialect: Dialect): boolean {
  return hasJsx(dialect) && following(text, closer).startsWith('\n');
}

/** A hunk may begin within the value of an entry, or within a condition. */
function entryStart(first: Segment, context: Context): string {
  if (context === 'head' && first.first === '') return '_';
  const isCut = first.first !== '' && !first.startsWhole && !/^[,;@[*{]/.test(first.first);
  return context === 'object' && isCut ? '_:' : '';
}

interface Opening {
  text: string;
  /** The context it makes. */
  context: Context;
}

/** The characters after a closer that tell what it closed. */
function following(text: string, closer: Closer): string {
  const after = text.slice(closer.end, closer.end + 160);
  return /^[ \t]*\r?\n/.test(after) ? `\n${after.trimStart()}` : after.trimStart();
}

/** A stray closer, for which an opener is wanted. */
interface Place {
  /** The whole part. */
  text: string;
  closer: Closer;
  /** What follows the closer. */
  after: string;
  /** What the opener stands in, and what the code between it and the closer looks like. */
  outer: Context;
  inner: Context;
  segment: Segment;
  dialect: Dialect;
}

function open(place: Place): Opening {
  const { closer, after, outer, inner } = place;
  switch (closer.kind) {
    case '(':
      return openParenthesis(place);
    case '<':
      return openAngle(place);
    case '[':
      return { text: asValue('[', outer), context: 'list' };
    case 'jsx':
      return { text: asValue(`<${closer.name}>`, outer), context: 'elements' };
    case 'tag':
      return { text: asValue('<_ ', outer), context: 'attributes' };
    default:
      return openBrace(after, outer, inner);
  }
}

/** A value where the context wants something else. */
function asValue(value: string, outer: Context): string {
  if (outer === 'object' || outer === 'type') return `_:${value}`;
  return `_=${value}`;
}

/** `=>` or `: T =>`. */
const ARROW = /^(?::[^={;]*(?:\{[^}]*\}[^={;]*)?)?=>/;

/** `=> void |`, `=> Promise<`: a function's type, where code would go on otherwise. */
const ARROW_OF_TYPE = /^=>\s*(?:void\s*(?:[|;,)\n]|$)|[A-Z][\w$.]*(?:<|\[['"]))/;

function openParenthesis({ after, outer, inner, segment, dialect }: Place): Opening {
  if (inner === 'head') return { text: 'for(', context: 'head' };
  const isMember = outer === 'class' || outer === 'object' || outer === 'type';
  if (outer === 'types') return { text: '(', context: 'parameters' };
  if (dialect !== 'js' && ARROW_OF_TYPE.test(after)) return openFunctionType(outer);
  if (ARROW.test(after)) return { text: asValue('async(', outer), context: 'parameters' };
  if (isMember && /^[{:]/.test(after)) return { text: '_(', context: 'parameters' };
  if (after.startsWith('{') || after.startsWith(':')) {
    const mayBeParameters = inner === 'parameters' || inner === 'object' || segment.commas > 0;
    if (after.startsWith('{') && !mayBeParameters) return { text: 'if(', context: 'head' };
    return { text: 'async function*_(', context: 'parameters' };
  }
  const isEntry = outer === 'class' || outer === 'object';
  return { text: isEntry ? asValue('_(', outer) : '_(', context: 'list' };
}

function openFunctionType(outer: Context): Opening {
  const isType = outer === 'type' || outer === 'parameters' || outer === 'class';
  return { text: isType ? '_:(' : 'type _=(', context: 'parameters' };
}

/** Type parameters have `extends` or defaults; all else is taken for type arguments. */
const TYPE_PARAMETERS = /\bextends\b|[^=!<>]=(?![=>])/;
/** Of the body of a class, not of an interface. */
const CLASS_BODY = /\b(?:constructor|private|public|protected|static|override)\b|\)[^;{})]*\{/;

function openAngle({ text, after, outer, segment }: Place): Opening {
  const context = 'types';
  if (outer === 'types') return { text: '_<', context };
  if (outer === 'type' || outer === 'parameters' || outer === 'class') {
    return { text: '_:_<', context };
  }
  if (TYPE_PARAMETERS.test(text.slice(segment.start, segment.end))) {
    return { text: openTypeParameters(after, outer), context };
  }
  if (/^[(,)]/.test(after)) return { text: asValue('_<', outer), context };
  return { text: after.startsWith('{') ? 'async function*():_<' : 'type _=_<', context };
}

function openTypeParameters(after: string, outer: Context): string {
  if (outer === 'object') return '_<';
  if (after.startsWith('(')) return 'async function*_<';
  if (after.startsWith('=')) return 'type _<';
  return CLASS_BODY.test(after) ? 'class _<' : 'interface _<';
}

function openBrace(after: string, outer: Context, inner: Context): Opening {
  const keyword = /^\n?(else|catch|finally|while|from(?=\s*['"]))\b/.exec(after)?.[1];
  if (keyword === 'else') return { text: 'if(0){', context: inner };
  if (keyword === 'catch' || keyword === 'finally') return { text: 'try{', context: 'statements' };
  if (keyword === 'from') return { text: 'import{', context: 'import' };
  if (keyword === 'while' && /^while\s*\([^)]*\)+;?\s*(?:\n|$)/.test(after)) {
    return { text: 'do{', context: 'statements' };
  }
  switch (outer) {
    case 'class':
      return { text: 'async*_(){', context: 'statements' };
    case 'object':
      return braceInObject(inner);
    case 'list':
    case 'parameters':
      return braceInList(outer, inner);
    case 'type':
    case 'types':
      return { text: '{', context: 'type' };
    case 'elements':
      return { text: '{', context: 'list' };
    case 'attributes':
      return { text: '_={', context: 'list' };
    default:
      return braceInStatements(outer, inner);
  }
}

function braceInObject(inner: Context): Opening {
  if (inner === 'object' || inner === 'list' || inner === 'import')
    return { text: '_:{', context: 'object' };
  return { text: 'async*_(){', context: 'statements' };
}

function braceInList(outer: Context, inner: Context): Opening {
  if (inner === 'type' && outer === 'parameters') return { text: '_:{', context: 'type' };
  if (inner === 'object' || inner === 'list' || inner === 'import')
    return { text: '{', context: 'object' };
  return { text: 'async function*(){', context: 'statements' };
}

function braceInStatements(outer: Context, inner: Context): Opening {
  switch (inner) {
    case 'object':
    case 'parameters':
      return { text: '_={', context: 'object' };
    case 'class':
      return { text: 'class _ extends _{', context: 'class' };
    case 'type':
      return { text: 'interface _{', context: 'type' };
    case 'cases':
      return { text: 'switch(0){case 0:', context: 'cases' };
    default:
      return { text: outer === 'module' ? 'async function*_(){' : '{', context: 'statements' };
  }
}
