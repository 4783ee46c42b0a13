import type { Argument } from '../../il/il.ts';
import { part, type TreeNode } from '../../parse/tree.ts';
import { argument, unary } from '../forms.ts';
import type { Context } from './context.ts';

/** The arguments of a call. */
export function argumentsIn(context: Context, list: TreeNode | null): Argument[] {
  return (list?.children ?? []).map((one) => argumentOf(context, one));
}

const BY_PLACE = /^(?:\w+\s*:\s*)?(?:out|ref)\s/;

/** One of them; `out x` and `ref x` give the place of a variable. */
export function argumentOf(context: Context, node: TreeNode): Argument {
  const name = part(node, 'name');
  const inner = node.type === 'argument' ? node.children.find((one) => one !== name) : node;
  const value = context.expressionOr(inner, node);
  const isByPlace = BY_PLACE.test(context.textOf(node)) && value.form !== 'constant';
  const given = isByPlace ? unary(node, '&', value) : value;
  return { ...argument(given), name: name === null ? null : context.textOf(name) };
}
