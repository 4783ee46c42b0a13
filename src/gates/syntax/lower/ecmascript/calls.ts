import type { Argument, Expression, Span } from '../../il/il.ts';
import { bare, child, field, list, type SyntaxNode, text } from '../../parse/swc-node.ts';
import { plainType } from '../forms.ts';
import type { Context } from './context.ts';
import { CONSTRUCTOR, memberName, pathOf, selfOf } from './names.ts';
import { namedType } from './types.ts';

/** What is called, and where findings point: its last name. */
interface Callee {
  readonly name: string;
  readonly at: Span;
}

function argumentsOf(context: Context, node: SyntaxNode): Argument[] {
  return list(node, 'arguments').map((argument) => ({
    value: context.expression(child(argument, 'expression'), node),
    name: null,
    isSpread: field(argument, 'spread') != null,
  }));
}

/** The last name of what is called, or else from where the call begins. */
function placeOf(context: Context, node: SyntaxNode, callee: SyntaxNode | null): Span {
  const property = child(callee, 'property');
  if (property !== null) return context.spanOf(property);
  return { start: context.spanOf(node).start, end: context.spanOf(callee).end };
}

/** A call: of a method, of a name that the file does not declare, or of a value. */
export function callOf(context: Context, node: SyntaxNode): Expression {
  const path = pathOf(context, node);
  if (path !== null) {
    const { start, end } = context.spanOf(node);
    return { start, end, form: 'name', name: path, path };
  }
  const callee = bare(child(node, 'callee'));
  const at = placeOf(context, node, callee);
  switch (callee?.type) {
    case 'Identifier': {
      const name = text(callee, 'value');
      const target = context.expression(callee, node);
      return target.form === 'name'
        ? call(context, node, { name, at }, null, { path: target.path })
        : apply(context, node, { name, at }, target);
    }
    case 'Super':
      return call(context, node, { name: CONSTRUCTOR, at }, selfOf(context, at), { isBase: true });
    case 'Import':
      return call(context, node, { name: 'import', at }, null, {});
    case 'MemberExpression':
    case 'SuperPropExpression': {
      const property = child(callee, 'property');
      const called = { name: memberName(property) ?? '', at };
      const target = context.expression(callee, node);
      const isBase = callee.type === 'SuperPropExpression';
      return target.form === 'member'
        ? call(context, node, called, target.object, { isBase })
        : apply(context, node, called, target);
    }
    default: {
      const target = context.expression(callee, node);
      if (target.form !== 'name') return apply(context, node, { name: '', at }, target);
      const { path } = target;
      return call(context, node, { name: path === null ? target.name : '', at }, null, { path });
    }
  }
}

function call(
  context: Context,
  node: SyntaxNode,
  { name, at }: Callee,
  receiver: Expression | null,
  { path = null, isBase = false }: { readonly path?: string | null; readonly isBase?: boolean },
): Expression {
  const { start, end } = context.spanOf(node);
  const given = argumentsOf(context, node);
  return { start, end, form: 'call', receiver, name, path, arguments: given, at, isBase };
}

function apply(
  context: Context,
  node: SyntaxNode,
  { name, at }: Callee,
  callee: Expression,
): Expression {
  const { start, end } = context.spanOf(node);
  const given = argumentsOf(context, node);
  const isNew = node.type === 'NewExpression';
  return { start, end, form: 'apply', callee, name, arguments: given, at, isNew };
}

/** `new A()`: of a class of the file, of a package or of a name, or of a value. */
export function makeOf(context: Context, node: SyntaxNode): Expression {
  const callee = bare(child(node, 'callee'));
  const property = child(callee, 'property');
  const at = placeOf(context, node, callee);
  const target = context.expression(callee, node);
  if (target.form !== 'class' && !isFreeName(target)) {
    const name = memberName(property) ?? text(callee, 'value');
    return apply(context, node, { name, at }, target);
  }
  const { start, end } = context.spanOf(node);
  const own = target.form === 'class' ? target.id : null;
  const path = own === null ? pathOf(context, callee) : null;
  const named = namedType(context, callee) ?? plainType(context.textOf(callee));
  const type = { ...named, own, path };
  return { start, end, form: 'new', type, arguments: argumentsOf(context, node), at };
}

/** Whether nothing but names that the file does not declare stands there. */
function isFreeName(target: Expression): boolean {
  return target.form === 'member' ? isFreeName(target.object) : target.form === 'name';
}
