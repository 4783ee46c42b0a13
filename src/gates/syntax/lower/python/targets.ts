import type { Expression, Span, Statement } from '../../il/il.ts';
import type { TreeNode } from '../../parse/tree.ts';
import type { Context } from './context.ts';

/** Assigns a value to a place. */
export function bindTarget(context: Context, place: Expression, value: Expression): Statement[] {
  const { start, end } = place;
  switch (place.form) {
    case 'list':
      return takeApart(context, place.items, value);
    case 'spread':
      return bindTarget(context, place.value, value);
    default: {
      const given = { form: 'assign', place, sign: null, value, isAfter: false } as const;
      return [{ start, end, form: 'evaluate', value: { ...given, start, end } }];
    }
  }
}

/** `a, *b = value`: its elements go to the targets. */
function takeApart(
  context: Context,
  targets: readonly Expression[],
  value: Expression,
): Statement[] {
  const { start, end } = value;
  const star = targets.findIndex(({ form }) => form === 'spread');
  const isWritten = value.form === 'list' && star < 0 && value.items.length === targets.length;
  if (isWritten && value.items.every(({ form }) => form !== 'spread')) {
    // All values are read before any of them is assigned.
    const kept = value.items.map((item) => keep(context, item));
    const assigned = targets.flatMap((target, index) => {
      const one = kept[index];
      return one === undefined ? [] : bindTarget(context, target, one.value);
    });
    return [...kept.map(({ statement }) => statement), ...assigned];
  }
  const { statement, value: whole } = keep(context, value);
  const bound = targets.flatMap((target, index) => {
    const isRest = target.form === 'spread';
    const fromEnd = star >= 0 && index > star;
    const key: Expression = {
      start,
      end,
      form: 'constant',
      value: fromEnd ? index - targets.length : index,
    };
    const item: Expression = isRest
      ? { start, end, form: 'rest', value: whole, from: index, without: [] }
      : { start, end, form: 'index', object: whole, key };
    return bindTarget(context, target, item);
  });
  return [statement, ...bound];
}

/** Puts a value into a variable without a name. */
export function keep(
  context: Context,
  value: Expression,
): { readonly statement: Statement; readonly value: Expression } {
  const { start, end } = value;
  const variable = context.variables.push('') - 1;
  const declare = { form: 'declare', variable, type: null, value, annotations: [] } as const;
  return {
    statement: { ...declare, start, end },
    value: { start, end, form: 'load', variable },
  };
}

/** `isNew`: the names of the target are those of a comprehension. */
export function eachOf(
  context: Context,
  target: TreeNode | null,
  of: Expression,
  { start, end }: Span,
  isNew: boolean,
  inner: () => Statement[],
): Statement[] {
  if (isNew) declareNames(context, target);
  const place = context.expressionOr(target, { start, end });
  const each = { form: 'each', type: null, of, label: null } as const;
  if (place.form === 'load') {
    const at = { start: place.start, end: place.end };
    return [{ ...each, ...at, variable: place.variable, body: inner() }];
  }
  const variable = context.variables.push('') - 1;
  const element: Expression = { start, end, form: 'load', variable };
  const bound = bindTarget(context, place, element);
  return [{ ...each, start, end, variable, body: [...bound, ...inner()] }];
}

/** Declares the names of a target where it stands. */
export function declareNames(context: Context, target: TreeNode | null): void {
  if (target === null) return;
  if (target.type === 'identifier') context.declare(context.textOf(target));
  else if (!/^(?:attribute|subscript)$/.test(target.type)) {
    for (const child of target.children) declareNames(context, child);
  }
}
