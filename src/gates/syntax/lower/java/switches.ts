import type { Case, Expression, Statement, Variable } from '../../il/il.ts';
import { part, type TreeNode, typed } from '../../parse/tree.ts';
import type { Context } from './context.ts';

/**
 * A switch, as a statement or as an expression whose value goes into `result`. A `yield` within is
 * lowered where it stands; see `resultOf`.
 */
export function switchOf(context: Context, node: TreeNode, result: Variable | null): Statement {
  const { start, end } = node;
  const condition = part(node, 'condition');
  const subject: Expression =
    condition === null
      ? { start, end, form: 'unknown', what: 'missing', children: [] }
      : context.expression(condition);
  const label = `switch ${start}`;
  const outer = context.yields;
  if (result !== null) context.yields = { result, label };
  const clauses = (part(node, 'body')?.children ?? []).filter(({ type }) =>
    /^switch_(?:rule|block_statement_group)$/.test(type),
  );
  const cases = context.within(null, () =>
    clauses.map((clause) => caseOf(context, clause, result, label)),
  );
  context.yields = outer;
  return { start, end, form: 'switch', subject, cases, label };
}

function caseOf(context: Context, clause: TreeNode, result: Variable | null, label: string): Case {
  const labels = clause.children.filter(({ type }) => type === 'switch_label');
  const isDefault = labels.some((one) => /^\s*default\b|,\s*default\b/.test(context.textOf(one)));
  const patterns = labels.flatMap(({ children }) => children);
  for (const pattern of patterns) {
    if (pattern.type === 'pattern') context.declareNames(pattern);
  }
  const values = patterns
    .filter(({ type }) => type !== 'guard')
    .map(
      (one): Expression =>
        one.type === 'pattern' || one.type === 'type_pattern' || one.type === 'record_pattern'
          ? { start: one.start, end: one.end, form: 'unknown', what: 'pattern', children: [] }
          : context.expression(one),
    );
  const bodies = clause.children.filter(({ type }) => type !== 'switch_label');
  const isRule = clause.type === 'switch_rule';
  const { start, end } = clause;
  const body = bodies.flatMap((one): Statement[] => {
    const value = one.type === 'expression_statement' ? one.children[0] : undefined;
    if (!isRule || result === null || value === undefined) return context.statement(one);
    return give(result, context.expression(value), label);
  });
  // Behind an arrow nothing goes on in the next case.
  const last: Statement[] = isRule ? [{ start, end, form: 'break', label }] : [];
  return { values: isDefault ? null : values, body: [...body, ...last] };
}

/** Puts a value into the result of a switch, and leaves it. */
export function give(variable: Variable, value: Expression, label: string): Statement[] {
  const { start, end } = value;
  const place: Expression = { start, end, form: 'load', variable };
  const assign: Expression = {
    start,
    end,
    form: 'assign',
    place,
    sign: null,
    value,
    isAfter: false,
  };
  return [
    { start, end, form: 'evaluate', value: assign },
    { start, end, form: 'break', label },
  ];
}

/** The value of a `yield`; null when absent. */
export function yielded(node: TreeNode): TreeNode | null {
  return node.children[0] ?? typed(node, 'expression');
}
