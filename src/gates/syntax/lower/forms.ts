import type {
  Argument,
  ClassDeclaration,
  Constant,
  Expression,
  Field,
  Parameter,
  Span,
  Statement,
  Type,
  Variable,
} from '../il/il.ts';

/** Where something stands, without what else it holds. */
export function spanOf({ start, end }: Span): Span {
  return { start, end };
}

/** A value that is known. */
export function constant({ start, end }: Span, value: Constant): Expression {
  return { start, end, form: 'constant', value };
}

/** What a variable holds. */
export function load({ start, end }: Span, variable: Variable): Expression {
  return { start, end, form: 'load', variable };
}

/** A name that the file does not declare, with the path of a package if it has one. */
export function freeName(
  { start, end }: Span,
  name: string,
  path: string | null = null,
): Expression {
  return { start, end, form: 'name', name, path };
}

/** A member by its name. */
export function member({ start, end }: Span, object: Expression, name: string): Expression {
  return { start, end, form: 'member', object, name };
}

/** An element by its key. */
export function element({ start, end }: Span, object: Expression, key: Expression): Expression {
  return { start, end, form: 'index', object, key };
}

/** Elements in their order. */
export function listOf({ start, end }: Span, items: readonly Expression[]): Expression {
  return { start, end, form: 'list', items };
}

/** What is not understood, with what stands in it. */
export function unknown(
  { start, end }: Span,
  what: string,
  children: readonly Expression[],
): Expression {
  return { start, end, form: 'unknown', what, children };
}

/** A value of a type; null: of no type that is known. */
export function cast({ start, end }: Span, type: Type | null, value: Expression): Expression {
  return type === null ? value : { start, end, form: 'cast', type, value };
}

/** `and`, `or`, or the right one where the left one is missing. */
export function logic(
  { start, end }: Span,
  sign: 'and' | 'or' | 'coalesce',
  left: Expression,
  right: Expression,
): Expression {
  return { start, end, form: 'logic', sign, left, right };
}

/** Whether any of these holds; null: no test is given. */
export function anyOf(span: Span, tests: readonly Expression[]): Expression | null {
  const [first, ...rest] = tests;
  if (first === undefined) return null;
  return rest.reduce((left, right) => logic(span, 'or', left, right), first);
}

/** Arithmetic or a comparison. */
export function binary(
  { start, end }: Span,
  sign: string,
  left: Expression,
  right: Expression,
): Expression {
  return { start, end, form: 'binary', sign, left, right };
}

/** A sign before a value. */
export function unary({ start, end }: Span, sign: string, operand: Expression): Expression {
  return { start, end, form: 'unary', sign, operand };
}

/** An argument at its place. */
export function argument(value: Expression, isSpread = false): Argument {
  return { value, name: null, isSpread };
}

/** A call of a method, or of a function by its name alone (`receiver` null). */
export function call(
  { start, end }: Span,
  receiver: Expression | null,
  name: string,
  list: readonly Argument[],
  { path = null, isBase = false, at = { start, end } }: CallOptions = {},
): Expression {
  const place = spanOf(at);
  return { start, end, form: 'call', receiver, name, path, arguments: list, at: place, isBase };
}

interface CallOptions {
  readonly path?: string | null;
  readonly isBase?: boolean;
  /** The last name of what is called. */
  readonly at?: Span;
}

/** A call of what an expression gives. */
export function apply(
  { start, end }: Span,
  callee: Expression,
  name: string,
  list: readonly Argument[],
  at: Span,
  isNew = false,
): Expression {
  return { start, end, form: 'apply', callee, name, arguments: list, at: spanOf(at), isNew };
}

/** An object that is made. */
export function make(
  { start, end }: Span,
  type: Type,
  list: readonly Argument[],
  at: Span,
): Expression {
  return { start, end, form: 'new', type, arguments: list, at: spanOf(at) };
}

/** Puts a value into a place. */
export function assign(
  { start, end }: Span,
  place: Expression,
  value: Expression,
  sign: string | null = null,
  isAfter = false,
): Expression {
  return { start, end, form: 'assign', place, sign, value, isAfter };
}

/** `place = value` as a statement. */
export function put(place: Expression, value: Expression, sign: string | null = null): Statement {
  return evaluate(place, assign(place, place, value, sign));
}

/** An expression as a statement. */
export function evaluate({ start, end }: Span, value: Expression): Statement {
  return { start, end, form: 'evaluate', value };
}

/** The first value of a variable; null: it holds nothing yet. */
export function declaration(
  { start, end }: Span,
  variable: Variable,
  value: Expression | null,
  type: Type | null = null,
): Statement {
  return { start, end, form: 'declare', variable, type, value, annotations: [] };
}

/** Statements with names of their own. */
export function block(
  { start, end }: Span,
  body: readonly Statement[],
  label: string | null = null,
): Statement {
  return { start, end, form: 'block', body, label };
}

/** A condition; without it nothing happens. */
export function when(
  { start, end }: Span,
  test: Expression,
  yes: readonly Statement[],
  no: readonly Statement[] = [],
): Statement {
  return { start, end, form: 'if', test, yes, no };
}

/** Leaves what has that label; null: the loop or switch around. */
export function leave({ start, end }: Span, label: string | null): Statement {
  return { start, end, form: 'break', label };
}

/** A loop that tests before each round; `test` null: it goes on for ever. */
export function loop(
  { start, end }: Span,
  test: Expression | null,
  body: readonly Statement[],
  { step = [], label = null, isTestedLast = false }: LoopOptions = {},
): Statement {
  return { start, end, form: 'loop', test, isTestedLast, body, step, label };
}

interface LoopOptions {
  readonly step?: readonly Expression[];
  readonly label?: string | null;
  readonly isTestedLast?: boolean;
}

/** A type that is known by its name alone. */
export function plainType(name: string, path: string | null = null): Type {
  return { name, own: null, path, arguments: [], isList: false };
}

/** A field of which nothing is written but what is given here. */
export function fieldWith(
  { start, end }: Span,
  name: string,
  written: Partial<Omit<Field, keyof Span | 'name'>>,
): Field {
  const flags = { isStatic: false, isFixed: false, isMember: false };
  return { start, end, name, type: null, initial: null, annotations: [], ...flags, ...written };
}

/** A parameter of which nothing is written but what is given here. */
export function parameterWith(
  { start, end }: Span,
  name: string,
  variable: Variable,
  written: Partial<Omit<Parameter, keyof Span | 'name' | 'variable'>> = {},
): Parameter {
  return { start, end, name, variable, type: null, annotations: [], isRest: false, ...written };
}

/** A class of which nothing is written but what is given here. */
export function classWith(
  { start, end }: Span,
  written: Pick<ClassDeclaration, 'id' | 'name' | 'self'> &
    Partial<Omit<ClassDeclaration, keyof Span>>,
): ClassDeclaration {
  const inside = { bases: [], fields: [], functions: [], initializers: [], annotations: [] };
  return { start, end, kind: 'class', ...inside, ...written };
}
