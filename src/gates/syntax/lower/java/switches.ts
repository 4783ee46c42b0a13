import type { Case, Expression, Statement, Variable } from '../../il/il.ts';
import { part, type TreeNode } from '../../parse/tree.ts';
import { leave, load, put, spanOf, unknown } from '../forms.ts';
import type { Context } from './context.ts';
import { matches } from './patterns.ts';

/**
 * A switch, as a statement or as an expression whose value goes into `result`. A `yield` within is
 * lowered where it stands.
 */
export function switchOf(context: Context, node: TreeNode, result: Variable | null): Statement[] {
  const kept = context.keep(context.expressionAt(node, 'condition'));
  const subject = kept.value;
  const label = `switch ${node.start}`;
  const outer = context.yields;
  if (result !== null) context.yields = { result, label };
  const clauses = (part(node, 'body')?.children ?? []).filter(({ type }) =>
    /^switch_(?:rule|block_statement_group)$/.test(type),
  );
  const cases = context.within(null, () =>
    clauses.map((clause) => caseOf(context, clause, { subject, result, label })),
  );
  context.yields = outer;
  return [kept.statement, { ...spanOf(node), form: 'switch', subject, cases, label }];
}

interface Target {
  readonly subject: Expression;
  readonly result: Variable | null;
  readonly label: string;
}

function caseOf(context: Context, clause: TreeNode, { subject, result, label }: Target): Case {
  const labels = clause.children.filter(({ type }) => type === 'switch_label');
  const isDefault = labels.some((one) => /^\s*default\b|,\s*default\b/.test(context.textOf(one)));
  const tests = labels.flatMap(({ children }) => children);
  const values = tests
    .filter(({ type }) => type !== 'guard')
    .map((one) => (isPattern(one) ? unknown(one, 'pattern', []) : context.expression(one)));
  const before = values.length === 1 ? tests.flatMap((one) => knownOf(context, one, subject)) : [];
  const bodies = clause.children.filter(({ type }) => type !== 'switch_label');
  const isRule = clause.type === 'switch_rule';
  const body = bodies.flatMap((one) => {
    const value = one.type === 'expression_statement' ? one.children[0] : undefined;
    if (!isRule || result === null || value === undefined) return context.statement(one);
    return give(result, context.expression(value), label);
  });
  // Behind an arrow nothing goes on in the next case.
  const last = isRule ? [leave(clause, label)] : [];
  return { values: isDefault ? null : values, body: [...before, ...body, ...last] };
}

/** What is known behind the only label of a case; a pattern gives values to its variables. */
function knownOf(context: Context, node: TreeNode, subject: Expression): Statement[] {
  if (node.type !== 'guard' && !isPattern(node)) return [];
  const test = node.type === 'guard' ? context.firstOf(node) : matches(context, node, subject);
  return [{ ...spanOf(node), form: 'assert', test }];
}

function isPattern({ type }: TreeNode): boolean {
  return /^(?:type_|record_)?pattern$/.test(type);
}

/** Puts a value into the result of a switch, and leaves it. */
export function give(variable: Variable, value: Expression, label: string): Statement[] {
  return [put(load(value, variable), value), leave(value, label)];
}
