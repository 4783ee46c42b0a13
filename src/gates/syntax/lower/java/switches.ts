import type { Case, Expression, Statement, Variable } from '../../il/il.ts';
import { part, type TreeNode } from '../../parse/tree.ts';
import { leave, load, put, spanOf, unknown } from '../forms.ts';
import type { Context } from './context.ts';

/**
 * A switch, as a statement or as an expression whose value goes into `result`. A `yield` within is
 * lowered where it stands.
 */
export function switchOf(context: Context, node: TreeNode, result: Variable | null): Statement {
  const subject = context.expressionAt(node, 'condition');
  const label = `switch ${node.start}`;
  const outer = context.yields;
  if (result !== null) context.yields = { result, label };
  const clauses = (part(node, 'body')?.children ?? []).filter(({ type }) =>
    /^switch_(?:rule|block_statement_group)$/.test(type),
  );
  const cases = context.within(null, () =>
    clauses.map((clause) => caseOf(context, clause, result, label)),
  );
  context.yields = outer;
  return { ...spanOf(node), form: 'switch', subject, cases, label };
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
    .map((one) =>
      /^(?:type_|record_)?pattern$/.test(one.type)
        ? unknown(one, 'pattern', [])
        : context.expression(one),
    );
  const bodies = clause.children.filter(({ type }) => type !== 'switch_label');
  const isRule = clause.type === 'switch_rule';
  const body = bodies.flatMap((one) => {
    const value = one.type === 'expression_statement' ? one.children[0] : undefined;
    if (!isRule || result === null || value === undefined) return context.statement(one);
    return give(result, context.expression(value), label);
  });
  // Behind an arrow nothing goes on in the next case.
  const last = isRule ? [leave(clause, label)] : [];
  return { values: isDefault ? null : values, body: [...body, ...last] };
}

/** Puts a value into the result of a switch, and leaves it. */
export function give(variable: Variable, value: Expression, label: string): Statement[] {
  return [put(load(value, variable), value), leave(value, label)];
}
