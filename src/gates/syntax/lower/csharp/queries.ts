import type { Expression, Statement, Variable } from '../../il/il.ts';
import { part, type TreeNode, typed } from '../../parse/tree.ts';
import { argument, call, declaration, evaluate, listOf, load, spanOf, when } from '../forms.ts';
import { type Context, writtenIn } from './context.ts';

/** `from x in list where test select value`, as loops that put what is chosen into a list. */
export function queryOf(context: Context, node: TreeNode): Expression {
  return context.within(null, () => partOfQuery(context, node, node.children, null));
}

/** A query up to an `into`; what follows that goes on with its results, one of them `given`. */
function partOfQuery(
  context: Context,
  node: TreeNode,
  clauses: readonly TreeNode[],
  given: { readonly name: TreeNode; readonly of: Expression } | null,
): Expression {
  const result = context.temporary();
  const into = clauses.findIndex(({ type }) => type === 'identifier');
  const own = into < 0 ? clauses : clauses.slice(0, into);
  const first = declaration(node, result, listOf(node, []));
  const loops =
    given === null
      ? clausesOf(context, own, result)
      : [each(context, given.name, given.of, () => clausesOf(context, own, result))];
  const list = context.run(node, [first, ...loops], result);
  const name = clauses[into];
  if (name === undefined) return list;
  return partOfQuery(context, node, clauses.slice(into + 1), { name, of: list });
}

function clausesOf(
  context: Context,
  [clause, ...rest]: readonly TreeNode[],
  result: Variable,
): Statement[] {
  if (clause === undefined) return [];
  const { children } = clause;
  const others = () => clausesOf(context, rest, result);
  const add = (value: Expression) =>
    evaluate(clause, call(clause, load(clause, result), 'Add', [argument(value)]));
  switch (clause.type) {
    case 'from_clause': {
      const name = part(clause, 'name') ?? clause;
      const of = children.at(-1);
      return [each(context, name, context.expressionOr(of, clause), others)];
    }
    case 'let_clause': {
      const [name = clause] = children;
      const value = context.expressionOr(writtenIn(clause), clause);
      return [declaration(clause, context.declare(context.textOf(name)), value), ...others()];
    }
    case 'where_clause':
      return [when(clause, context.firstOf(clause), others())];
    case 'join_clause': {
      const [name = clause, of, ...keys] = children.filter(({ field }) => field !== 'type');
      const into = typed(clause, 'join_into_clause');
      const list = context.expressionOr(of, clause);
      const body = () => [
        ...keys.filter((key) => key !== into).map((key) => evaluate(key, context.expression(key))),
        ...(into === null ? others() : []),
      ];
      const joined = each(context, name, list, body);
      if (into === null) return [joined];
      const group = context.declare(context.textOf(into.children[0] ?? into));
      return [joined, declaration(into, group, list), ...others()];
    }
    case 'select_clause':
      return [add(context.firstOf(clause))];
    case 'group_clause': {
      const [value, key] = children;
      const by = key === undefined ? [] : [evaluate(key, context.expression(key))];
      return [...by, add(listOf(clause, [context.expressionOr(value, clause)]))];
    }
    default:
      // `order_by_clause` changes the order alone.
      return [...children.map((one) => evaluate(one, context.expression(one))), ...others()];
  }
}

function each(
  context: Context,
  name: TreeNode,
  of: Expression,
  inner: () => Statement[],
): Statement {
  const variable = context.declare(context.textOf(name));
  return { ...spanOf(name), form: 'each', variable, type: null, of, body: inner(), label: null };
}
