import type { Expression } from '../../il/il.ts';
import { part, type TreeNode, typed } from '../../parse/tree.ts';
import { binary, constant, element, logic, member, unary } from '../forms.ts';
import type { Context } from './context.ts';
import { typeOf } from './types.ts';

/** Whether a value is as a pattern says; variables of the pattern get its parts. */
export function testOf(context: Context, node: TreeNode, value: Expression): Expression {
  const { children } = node;
  switch (node.type) {
    case 'constant_pattern': {
      const [inner = node] = children;
      // A type stands there like a constant.
      const constantOf = context.expression(inner);
      const isType = constantOf.form === 'class' || isTypeName(constantOf);
      if (isType) return context.is(node, typeOf(context, inner), value, null);
      return binary(node, '==', value, constantOf);
    }
    case 'relational_pattern': {
      const sign = /^[<>]=?/.exec(context.textOf(node))?.[0] ?? '<';
      return binary(node, sign, value, context.firstOf(node));
    }
    case 'negated_pattern':
      return unary(node, '!', innerTest(context, node, value));
    case 'parenthesized_pattern':
      return innerTest(context, node, value);
    case 'and_pattern':
    case 'or_pattern': {
      const left = testAt(context, node, 'left', value);
      const right = testAt(context, node, 'right', value);
      return logic(node, node.type === 'and_pattern' ? 'and' : 'or', left, right);
    }
    case 'type_pattern':
    case 'declaration_pattern':
    case 'var_pattern': {
      const name = part(node, 'name');
      const bind = name === null ? null : context.declare(context.textOf(name));
      return context.is(node, typeOf(context, part(node, 'type')), value, bind);
    }
    case 'recursive_pattern': {
      const name = part(node, 'name');
      const bind = name === null ? null : context.declare(context.textOf(name));
      const own = context.is(node, typeOf(context, part(node, 'type')), value, bind);
      const properties = typed(node, 'property_pattern_clause')?.children ?? [];
      const positions = typed(node, 'positional_pattern_clause')?.children ?? [];
      const tests = [
        ...properties.map((one) => propertyTest(context, one, value)),
        ...positions.map((one, index) => {
          const item = member(one, value, `Item${index + 1}`);
          return testOf(context, one.children.at(-1) ?? one, item);
        }),
      ];
      return tests.reduce((all, test) => logic(node, 'and', all, test), own);
    }
    case 'list_pattern': {
      const tests = children
        .filter(({ field, type }) => field !== 'name' && type !== 'discard')
        .map((one, index) => testOf(context, one, element(one, value, constant(one, index))));
      return tests.reduce((all, test) => logic(node, 'and', all, test), context.maybe(node));
    }
    case 'discard':
      return constant(node, true);
    default:
      // What the grammar lets stand for a pattern is a constant.
      return /expression$|literal$|identifier|_name$/.test(node.type)
        ? binary(node, '==', value, context.expression(node))
        : context.maybe(node);
  }
}

function isTypeName(value: Expression): boolean {
  return value.form === 'name' && value.path !== null;
}

function innerTest(context: Context, node: TreeNode, value: Expression): Expression {
  const [inner] = node.children;
  return inner === undefined ? context.maybe(node) : testOf(context, inner, value);
}

function testAt(context: Context, node: TreeNode, side: string, value: Expression): Expression {
  const inner = part(node, side);
  return inner === null ? context.maybe(node) : testOf(context, inner, value);
}

/** `Name: pattern`, `Name.Inner: pattern`. */
function propertyTest(context: Context, node: TreeNode, value: Expression): Expression {
  const [path, pattern] = node.children;
  if (path === undefined || pattern === undefined) return context.maybe(node);
  const names = context.nameOf(path).split('.');
  const inner = names.reduce((object, name) => member(path, object, name), value);
  return testOf(context, pattern, inner);
}
