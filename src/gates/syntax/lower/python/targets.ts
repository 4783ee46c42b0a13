import type { Expression, Span, Statement } from '../../il/il.ts';
import type { TreeNode } from '../../parse/tree.ts';
import { constant, element, load, put, spanOf } from '../forms.ts';
import type { Context } from './context.ts';

/** Assigns a value to a place. */
export function bindTarget(context: Context, place: Expression, value: Expression): Statement[] {
  switch (place.form) {
    case 'list':
      return takeApart(context, place.items, value);
    case 'spread':
      return bindTarget(context, place.value, value);
    default:
      return [put(place, value)];
  }
}

/** `a, *b = value`: its elements go to the targets. */
function takeApart(
  context: Context,
  targets: readonly Expression[],
  value: Expression,
): Statement[] {
  const star = targets.findIndex(({ form }) => form === 'spread');
  const isWritten = value.form === 'list' && star < 0 && value.items.length === targets.length;
  if (isWritten && value.items.every(({ form }) => form !== 'spread')) {
    // All values are read before any of them is assigned.
    const kept = value.items.map((item) => context.keep(item));
    const assigned = targets.flatMap((target, index) => {
      const one = kept[index];
      return one === undefined ? [] : bindTarget(context, target, one.value);
    });
    return [...kept.map(({ statement }) => statement), ...assigned];
  }
  const { statement, value: whole } = context.keep(value);
  const bound = targets.flatMap((target, index) => {
    const isFromEnd = star >= 0 && index > star;
    const key = constant(value, isFromEnd ? index - targets.length : index);
    const item: Expression =
      target.form === 'spread'
        ? { ...spanOf(value), form: 'rest', value: whole, from: index, without: [] }
        : element(value, whole, key);
    return bindTarget(context, target, item);
  });
  return [statement, ...bound];
}

/** `isNew`: a comprehension has the names of the target. */
export function eachOf(
  context: Context,
  target: TreeNode | null,
  of: Expression,
  owner: Span,
  isNew: boolean,
  inner: () => Statement[],
): Statement[] {
  if (isNew) declareNames(context, target);
  const place = context.expressionOr(target, owner);
  const each = { form: 'each', type: null, of, label: null } as const;
  if (place.form === 'load') {
    return [{ ...each, ...spanOf(place), variable: place.variable, body: inner() }];
  }
  const variable = context.temporary();
  const bound = bindTarget(context, place, load(owner, variable));
  return [{ ...each, ...spanOf(owner), variable, body: [...bound, ...inner()] }];
}

/** Declares the names of a target where it stands. */
export function declareNames(context: Context, target: TreeNode | null): void {
  if (target === null) return;
  if (target.type === 'identifier') context.declare(context.textOf(target));
  else if (!/^(?:attribute|subscript)$/.test(target.type)) {
    for (const child of target.children) declareNames(context, child);
  }
}
