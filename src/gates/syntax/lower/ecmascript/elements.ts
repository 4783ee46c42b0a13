import type { Entry, Expression } from '../../il/il.ts';
import { child, list, type SyntaxNode, text } from '../../parse/swc-node.ts';
import { constant, member } from '../forms.ts';
import type { Context } from './context.ts';
import { nameOf } from './names.ts';

/** An element of JSX. */
export function elementOf(context: Context, node: SyntaxNode): Expression {
  const opening = child(node, 'opening');
  const name = nameOfElement(child(opening, 'name'));
  const attributes = list(opening, 'attributes').flatMap((one) =>
    one === null ? [] : [attributeOf(context, one)],
  );
  const children = list(node, 'children').flatMap((one) =>
    one === null || isBlank(one) ? [] : [context.expression(one, node)],
  );
  const component = componentOf(context, child(opening, 'name'));
  const { start, end } = context.spanOf(node);
  return { start, end, form: 'element', name, component, attributes, children };
}

/** What a name that begins with a capital, or a member, stands for; null: an element of markup. */
function componentOf(context: Context, node: SyntaxNode | null): Expression | null {
  const span = context.spanOf(node);
  if (node?.type === 'JSXMemberExpression') {
    const object = child(node, 'object');
    const base =
      object?.type === 'Identifier'
        ? nameOf(context, text(object, 'value'), context.spanOf(object))
        : componentOf(context, object);
    const name = text(child(node, 'property'), 'value');
    return base === null ? null : member(span, base, name);
  }
  const name = text(node, 'value');
  return /^[A-Z_$]/.test(name) ? nameOf(context, name, span) : null;
}

/** `a`, `ui.Link`, `svg:path`; '' of a fragment. */
function nameOfElement(node: SyntaxNode | null): string {
  switch (node?.type) {
    case 'Identifier':
      return text(node, 'value');
    case 'JSXMemberExpression':
      return `${nameOfElement(child(node, 'object'))}.${text(child(node, 'property'), 'value')}`;
    case 'JSXNamespacedName':
      return `${text(child(node, 'namespace'), 'value')}:${text(child(node, 'name'), 'value')}`;
    default:
      return '';
  }
}

function attributeOf(context: Context, node: SyntaxNode): Entry {
  const span = context.spanOf(node);
  const { start, end } = span;
  if (node.type === 'SpreadElement') {
    const value = context.expression(child(node, 'arguments'), node);
    return { start, end, key: null, value, accessor: null };
  }
  const written = child(node, 'name');
  const key = constant(context.spanOf(written), nameOfElement(written));
  const given = child(node, 'value');
  const value = given === null ? constant(span, true) : context.expression(given, node);
  return { start, end, key, value, accessor: null };
}

function isBlank(node: SyntaxNode): boolean {
  return node.type === 'JSXText' && text(node, 'value').trim() === '';
}
