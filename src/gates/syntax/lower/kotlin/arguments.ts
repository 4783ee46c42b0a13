import type { Argument } from '../../il/il.ts';
import { type TreeNode, typed } from '../../parse/tree.ts';
import { argument } from '../forms.ts';
import type { Context } from './context.ts';

/** The arguments between the brackets of a call. */
export function argumentsOf(context: Context, list: TreeNode | null): Argument[] {
  return (list?.children ?? []).map((node): Argument => {
    const value = node.children.at(-1);
    const [first] = node.children;
    const isNamed = node.children.length > 1 && first?.type === 'identifier';
    const name = isNamed ? context.nameOf(first) : null;
    const isSpread = value?.type === 'spread_expression';
    const inner = isSpread ? value.children[0] : value;
    return { ...argument(context.expressionOr(inner, node), isSpread), name };
  });
}

/** What a call is made of. */
export interface CallParts {
  readonly target: TreeNode;
  readonly list: TreeNode | null;
  /** The lambda behind the brackets; null when absent. */
  readonly lambda: TreeNode | null;
  /** The label of the lambda; null when absent. */
  readonly label: TreeNode | null;
  /** What stands between angle brackets; null when absent. */
  readonly types: TreeNode | null;
}

/** The parts of a call: `f(x) { }` is a call of a call in the tree. */
export function callParts(node: TreeNode): CallParts {
  const behind = typed(node, 'annotated_lambda');
  const [first = node] = node.children;
  const isOuter =
    behind !== null && typed(node, 'value_arguments') === null && first.type === 'call_expression';
  const isWhole = isOuter && typed(first, 'annotated_lambda') === null;
  const inner = isWhole ? first : node;
  const [target = node] = inner.children;
  return {
    target,
    list: typed(inner, 'value_arguments'),
    lambda: typed(behind, 'lambda_literal'),
    label: typed(behind, 'label'),
    types: typed(inner, 'type_arguments'),
  };
}
