import type { Expression } from '../../il/il.ts';
import { part, type TreeNode, typed } from '../../parse/tree.ts';
import { logic, member, spanOf, unknown } from '../forms.ts';
import type { Context } from './context.ts';
import { typeOf } from './types.ts';

/** Whether a value is as a pattern says; variables of the pattern get its parts. */
export function matches(context: Context, node: TreeNode, value: Expression): Expression {
  switch (node.type) {
    case 'type_pattern':
    case 'record_pattern_component': {
      const [type = null, name] = node.children;
      const isNamed = name?.type === 'identifier';
      const bind = isNamed ? context.declare(context.nameOf(name)) : null;
      return { ...spanOf(node), form: 'is', type: typeOf(context, type), value, bind };
    }
    case 'record_pattern': {
      const type = node.children.find((one) => one.type !== 'record_pattern_body') ?? null;
      const own: Expression = {
        ...spanOf(node),
        form: 'is',
        type: typeOf(context, type),
        value,
        bind: null,
      };
      const outline = type === null ? null : context.outlineNamed(context.nameOf(type));
      const names = [...(outline?.fields ?? [])].flatMap(([name, isStatic]) =>
        isStatic ? [] : [name],
      );
      const parts = typed(node, 'record_pattern_body')?.children ?? [];
      return parts.reduce<Expression>((all, one, index) => {
        const name = names[index];
        // Of a record of another file any part may stand there.
        const given =
          name === undefined ? unknown(one, 'component', [value]) : member(one, value, name);
        return logic(node, 'and', all, matches(context, one, given));
      }, own);
    }
    default: {
      const [inner] = node.children;
      return inner === undefined
        ? unknown(node, 'pattern', [value])
        : matches(context, inner, value);
    }
  }
}

/** `value instanceof Type name`, or with a pattern of a record. */
export function testOf(context: Context, node: TreeNode): Expression {
  const value = context.expressionAt(node, 'left');
  const pattern = part(node, 'pattern');
  if (pattern !== null) return matches(context, pattern, value);
  const name = part(node, 'name');
  const type = typeOf(context, part(node, 'right'));
  const bind = name === null ? null : context.declare(context.nameOf(name));
  return { ...spanOf(node), form: 'is', type, value, bind };
}
