import type { Constant, Expression, Span, Statement, Type, Variable } from '../../il/il.ts';

/** A value that is known. */
export function constant({ start, end }: Span, value: Constant): Expression {
  return { start, end, form: 'constant', value };
}

/** What a variable holds. */
export function load({ start, end }: Span, variable: Variable): Expression {
  return { start, end, form: 'load', variable };
}

/** A member by its name. */
export function member({ start, end }: Span, object: Expression, name: string): Expression {
  return { start, end, form: 'member', object, name };
}

/** Puts a value into a place. */
export function assign(
  { start, end }: Span,
  place: Expression,
  value: Expression,
  sign: string | null = null,
): Expression {
  return { start, end, form: 'assign', place, sign, value, isAfter: false };
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
export function block({ start, end }: Span, body: readonly Statement[]): Statement {
  return { start, end, form: 'block', body, label: null };
}
