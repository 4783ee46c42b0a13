import type { Case, Expression, Statement, Variable } from '../../il/il.ts';
import { parts, type TreeNode, typed } from '../../parse/tree.ts';
import { anyOf, binary, declaration, leave, logic, spanOf, unary, when } from '../forms.ts';
import type { Context } from './context.ts';
import { typeOf } from './types.ts';

/** `when`, whose value goes into `result`; null: nothing takes it. */
export function whenOf(context: Context, node: TreeNode, result: Variable | null): Statement[] {
  return context.within(null, () => {
    const written = typed(node, 'when_subject');
    const entries = node.children.filter(({ type }) => type === 'when_entry');
    if (written === null) return testsOf(context, entries, null, result);
    const value = context.expressionOr(written.children.at(-1), written);
    const name = typed(typed(written, 'variable_declaration'), 'identifier');
    const isPlace = name === null && (value.form === 'load' || value.form === 'member');
    const kept = name === null ? context.keep(value) : named(context, name, value);
    const subject = isPlace ? value : kept.value;
    const before = isPlace ? [] : [kept.statement];
    const isPlain = entries.every((entry) =>
      parts(entry, 'condition').every(({ type }) => !/_test$/.test(type)),
    );
    if (!isPlain) return [...before, ...testsOf(context, entries, subject, result)];
    const label = `when ${node.start}`;
    const cases = entries.map((entry): Case => {
      const conditions = parts(entry, 'condition');
      const values = conditions.length === 0 ? null : context.expressionsOf(conditions);
      return { values, body: [...bodyOf(context, entry, result), leave(entry, label)] };
    });
    return [...before, { ...spanOf(node), form: 'switch', subject, cases, label }];
  });
}

function named(context: Context, name: TreeNode, value: Expression) {
  const variable = context.declare(context.nameOf(name));
  const load: Expression = { ...spanOf(name), form: 'load', variable };
  return { statement: declaration(name, variable, value), value: load };
}

/** Entries as conditions one after the other. */
function testsOf(
  context: Context,
  entries: readonly TreeNode[],
  subject: Expression | null,
  result: Variable | null,
): Statement[] {
  const links = entries.map((entry) => {
    const tests = parts(entry, 'condition').map((one) => testOf(context, one, subject));
    return { entry, test: anyOf(entry, tests), body: bodyOf(context, entry, result) };
  });
  return links.reduceRight<Statement[]>(
    (no, { entry, test, body }) => (test === null ? body : [when(entry, test, body, no)]),
    [],
  );
}

function testOf(context: Context, node: TreeNode, subject: Expression | null): Expression {
  if (subject === null) return context.expression(node);
  const [inner] = node.children;
  const isNot = context.textOf(node).startsWith('!');
  const not = (test: Expression) => (isNot ? unary(node, '!', test) : test);
  if (node.type === 'type_test') {
    const type = typeOf(context, inner ?? null);
    return not({ ...spanOf(node), form: 'is', type, value: subject, bind: null });
  }
  if (node.type === 'range_test') return not(within(context, node, subject, inner));
  return binary(node, '==', subject, context.expression(node));
}

/** Whether a value is in a list or between the ends of a range. */
export function within(
  context: Context,
  node: TreeNode,
  value: Expression,
  list: TreeNode | undefined,
): Expression {
  const [from, to] = list?.type === 'range_expression' ? list.children : [];
  if (from === undefined || to === undefined) {
    return binary(node, 'in', value, context.expressionOr(list, node));
  }
  const above = binary(node, '>=', value, context.expression(from));
  return logic(node, 'and', above, binary(node, '<=', value, context.expression(to)));
}

function bodyOf(context: Context, entry: TreeNode, result: Variable | null): Statement[] {
  const code = entry.children.findLast(({ field }) => field !== 'condition');
  return code === undefined ? [] : context.within(null, () => context.into(code, result));
}
