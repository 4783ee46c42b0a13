import type { Annotation } from '../../il/il.ts';
import { bare, child, fixedName, list, type SyntaxNode, text } from '../../parse/swc-node.ts';
import type { Context } from './context.ts';
import { pathOf } from './names.ts';

/** The decorators of a class, member or parameter. */
export function annotationsOf(context: Context, node: SyntaxNode | null): Annotation[] {
  return list(node, 'decorators').map((decorator) => {
    const expression = bare(child(decorator, 'expression'));
    const isCall = expression?.type === 'CallExpression';
    const called = isCall ? bare(child(expression, 'callee')) : expression;
    const property = child(called, 'property');
    const { start, end } = context.spanOf(decorator);
    return {
      start,
      end,
      name: fixedName(property) ?? text(called, 'value'),
      path: pathOf(context, called),
      text: context.textOf(decorator),
      arguments: isCall
        ? list(expression, 'arguments').map((one) =>
            context.expression(child(one, 'expression'), decorator),
          )
        : [],
    };
  });
}
