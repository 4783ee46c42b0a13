import { type Dialect, hasJsx } from './dialect.ts';
import type { Segment } from './outline.ts';

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
const TYPE_FIRST: readonly Context[] = ['type', 'class'];
const OBJECT_FIRST: readonly Context[] = ['object', 'class'];
const CLASS_FIRST: readonly Context[] = ['class', 'object'];

/** The contexts that a segment's tokens speak for, likeliest first. */
export function guessContexts(segment: Segment, dialect: Dialect): Context[] {
  const guesses = new Set([...evidence(segment), ...ANY]);
  return [...guesses].filter((context) => isPossible(context, dialect));
}

/** Whether the context exists in the dialect. */
function isPossible(context: Context, dialect: Dialect): boolean {
  if (context === 'type' || context === 'types' || context === 'enum') return dialect !== 'js';
  if (context === 'elements' || context === 'attributes') return hasJsx(dialect);
  return true;
}

function* evidence(segment: Segment): Generator<Context> {
  const { semicolons, commas, entries, names, statements, members } = segment;
  if (segment.first === '') yield 'empty';
  const isImport = segment.first === 'from' && /^['"]/.test(segment.second);
  if (segment.modules > 0 || isImport) yield 'module';
  if (segment.cases > 0) yield 'cases';
  if (segment.isClass) yield 'class';
  const isLoop = semicolons > 0 || segment.first === 'of' || segment.first === 'in';
  if (segment.closer?.kind === '(' && isLoop) yield 'head';
  if (statements > 0) yield 'statements';
  if (segment.startsObject && semicolons === 0) yield 'list';
  if (segment.first === 'tag' && semicolons + statements === 0) yield 'elements';
  if (semicolons === 0) {
    if (entries > 0 && (segment.optional > 0 || entries > commas + 1)) yield* TYPE_FIRST;
    if (entries > 0) yield* ['object', 'parameters', 'type'] as const;
    else if (members > 0) yield* commas > 0 ? OBJECT_FIRST : CLASS_FIRST;
    else if (commas > 0 && names > 0) yield* ['list', 'object', 'import', 'parameters'] as const;
    else if (commas > 0) yield* ['list', 'object'] as const;
  }
  if (entries > 0) yield* ['type', 'class', 'object'] as const;
  if (members > 0) yield* ['class', 'type', 'object'] as const;
}
