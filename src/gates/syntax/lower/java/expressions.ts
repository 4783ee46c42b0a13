import type { Argument, Expression, Span } from '../../il/il.ts';
import { part, parts, type TreeNode, typed } from '../../parse/tree.ts';
import { holderOf } from '../classes.ts';
import {
  argument,
  assign,
  binary,
  call,
  cast,
  constant,
  element,
  freeName,
  listOf,
  load,
  logic,
  make,
  member,
  spanOf,
  unary,
  unknown,
} from '../forms.ts';
import { numberIn, unescaped } from '../lowering.ts';
import type { Context } from './context.ts';
import { CONSTRUCTOR, declareClass, lowerClass, lowerFunction } from './declarations.ts';
import { testOf } from './patterns.ts';
import { switchOf } from './switches.ts';
import { classNamed, namedType, pathNamed, typeOf } from './types.ts';

/** Lowers an expression, type or annotation. */
export function lowerExpression(context: Context, node: TreeNode): Expression {
  const span = spanOf(node);
  const inner = (name: string) => context.expressionAt(node, name);
  switch (node.type) {
    case 'identifier':
    case 'type_identifier':
      return nameOf(context, node);
    case 'this':
    case 'super':
      return context.self(node);
    case 'string_literal':
      return textOf(context, node);
    case 'character_literal':
      return constant(node, unescaped(context.textOf(node).slice(1, -1)));
    case 'decimal_integer_literal':
    case 'hex_integer_literal':
    case 'octal_integer_literal':
    case 'binary_integer_literal':
    case 'decimal_floating_point_literal':
    case 'hex_floating_point_literal':
      return numberOf(context.textOf(node), node);
    case 'true':
    case 'false':
      return constant(node, node.type === 'true');
    case 'null_literal':
      return constant(node, null);
    case 'class_literal':
      return constant(node, context.nameOf(node));
    case 'field_access':
    case 'scoped_identifier':
    case 'scoped_type_identifier':
      return memberOf(context, node);
    case 'array_access':
      return element(node, inner('array'), inner('index'));
    case 'method_invocation':
      return callOf(context, node);
    case 'explicit_constructor_invocation':
      return constructorCall(context, node);
    case 'object_creation_expression':
      return newOf(context, node);
    case 'array_creation_expression':
      return arrayOf(context, node);
    case 'array_initializer':
    case 'element_value_array_initializer':
      return listOf(node, all(context, node));
    case 'lambda_expression':
      return { ...span, form: 'closure', id: lowerFunction(context, node, 'closure', null) };
    case 'method_reference':
      return referenceOf(context, node);
    case 'binary_expression':
      return context.chain(node, (link, left) => {
        const sign = context.textAt(link, 'operator');
        const right = context.expressionAt(link, 'right');
        if (sign !== '&&' && sign !== '||') return binary(link, sign, left, right);
        return logic(link, sign === '&&' ? 'and' : 'or', left, right);
      });
    case 'unary_expression':
      return unary(node, context.textAt(node, 'operator'), inner('operand'));
    case 'update_expression': {
      const text = context.textOf(node);
      const isAfter = /(?:\+\+|--)\s*$/.test(text);
      const sign = text.includes('++') ? '+' : '-';
      return assign(node, context.firstOf(node), constant(node, 1), sign, isAfter);
    }
    case 'assignment_expression': {
      const place = inner('left');
      const sign = context.textAt(node, 'operator').slice(0, -1);
      return assign(node, place, inner('right'), sign || null);
    }
    case 'ternary_expression': {
      const yes = inner('consequence');
      return { ...span, form: 'choose', test: inner('condition'), yes, no: inner('alternative') };
    }
    case 'cast_expression': {
      const type = typeOf(context, parts(node, 'type')[0] ?? null);
      return cast(node, type, inner('value'));
    }
    case 'instanceof_expression':
      return testOf(context, node);
    case 'switch_expression': {
      const result = context.declare('');
      return { ...span, form: 'run', body: switchOf(context, node, result), result };
    }
    case 'parenthesized_expression':
    case 'annotated_type':
    case 'generic_type':
    case 'string_interpolation':
      return context.firstOf(node);
    case 'template_expression':
      return { ...span, form: 'text', parts: all(context, node) };
    default:
      context.lose(node.type);
      return unknown(node, node.type, all(context, node));
  }
}

function all(context: Context, node: TreeNode): Expression[] {
  return context.expressionsOf(node.children.filter(({ type }) => !/annotation$/.test(type)));
}

/** A variable, a field, a class, or a name of something else. */
function nameOf(context: Context, node: TreeNode): Expression {
  const name = context.textOf(node);
  const found = context.find(name);
  if (found?.kind === 'variable') return load(node, found.variable);
  if (found !== null) return member(node, holderOf(node, found), name);
  const own = context.outlineNamed(name);
  if (own !== null) return { ...spanOf(node), form: 'class', id: own.id };
  const imported = context.imports.get(name) ?? null;
  const path = /^[A-Z]/.test(name) ? classNamed(context, name) : imported;
  // `com.acme.Thing` begins with the name of a package.
  const root = /^(?:java|javax|jakarta|org|com|io|net)$/.test(name) ? name : null;
  return freeName(node, name, path ?? root);
}

function memberOf(context: Context, node: TreeNode): Expression {
  const object = part(node, 'object') ?? part(node, 'scope') ?? node.children[0] ?? null;
  const name = part(node, 'field') ?? part(node, 'name') ?? node.children.at(-1) ?? null;
  if (name?.type === 'this') return context.self(node, object && context.nameOf(object));
  if (name === null || object === null) return unknown(node, 'member', all(context, node));
  const path = context.nameOf(node);
  if (path === 'Boolean.TRUE' || path === 'Boolean.FALSE') {
    return constant(node, path === 'Boolean.TRUE');
  }
  // A class by its whole name.
  if (/^[a-z]\w*(?:\.[a-z]\w*)+\.[A-Z]\w*$/.test(path) && !isDeclared(context, path)) {
    const own = context.packages.has(packageOf(path)) ? context.outlineNamed(path) : null;
    if (own !== null) return { ...spanOf(node), form: 'class', id: own.id };
    return freeName(node, path, pathNamed(context, path));
  }
  return member(node, context.expression(object), context.nameOf(name));
}

/** The package of a class by its whole name. */
function packageOf(path: string): string {
  return path.slice(0, path.lastIndexOf('.'));
}

function isDeclared(context: Context, path: string): boolean {
  return context.find(path.split('.', 1)[0] ?? '') !== null;
}

function argumentsOf(context: Context, node: TreeNode): Argument[] {
  const nodes = part(node, 'arguments')?.children ?? [];
  return nodes.map((child) => argument(context.expression(child)));
}

/** An array of a size or with its elements. */
function arrayOf(context: Context, node: TreeNode): Expression {
  const value = part(node, 'value');
  if (value !== null) return context.expression(value);
  const sizes = parts(node, 'dimensions').flatMap((one) => all(context, one));
  const empty = listOf(node, []);
  // The sizes are evaluated as well: they may hold calls.
  if (sizes.every(({ form }) => form === 'constant' || form === 'load')) return empty;
  const test = unknown(node, 'size', sizes);
  return { ...spanOf(node), form: 'choose', test, yes: empty, no: empty };
}

function callOf(context: Context, node: TreeNode): Expression {
  const object = part(node, 'object');
  const at = part(node, 'name') ?? node;
  const name = context.nameOf(at);
  const isBase = object?.type === 'super' || typed(node, 'super') !== null;
  const own = object === null ? context.ownerOfMethod(name) : null;
  const path = object === null && own === null ? (context.imports.get(name) ?? null) : null;
  let receiver: Expression | null = null;
  if (object !== null) receiver = context.expression(object);
  else if (own !== null) receiver = holderOf(node, own);
  else if (path === null && context.hasForeignBase()) receiver = context.self(node);
  const free = receiver === null ? (path ?? `${starredClass(context)}.${name}`) : null;
  return call(node, receiver, name, argumentsOf(context, node), { path: free, isBase, at });
}

/** The class all of whose static members were imported; '': none. */
function starredClass(context: Context): string {
  return context.stars.find((one) => /\.[A-Z]\w*$/.test(one)) ?? '';
}

/** `this(...)` and `super(...)`. */
function constructorCall(context: Context, node: TreeNode): Expression {
  const at = part(node, 'constructor') ?? node;
  const self = context.self(node);
  const isBase = at.type === 'super';
  return call(node, self, CONSTRUCTOR, argumentsOf(context, node), { isBase, at });
}

function newOf(context: Context, node: TreeNode): Expression {
  const at = part(node, 'type') ?? node;
  const type = typeOf(context, part(node, 'type')) ?? namedType(context, '');
  const list = argumentsOf(context, node);
  if (typed(node, 'class_body') === null) return make(node, type, list, at);
  const outline = declareClass(context, node, '', [context.nameOf(at).replace(/<.*$/s, '')]);
  lowerClass(context, outline);
  return make(node, { ...type, own: outline.id, path: null }, list, at);
}

/** `this::clean`, `Files::readString`, `File::new`. */
function referenceOf(context: Context, node: TreeNode): Expression {
  const object = context.firstOf(node);
  const written = context.nameOf(node);
  const name = written.slice(written.lastIndexOf('::') + 2);
  return { ...spanOf(node), form: 'reference', object, name: name === 'new' ? CONSTRUCTOR : name };
}

/** Text of a literal, with what stands in `\{}` of a template. */
function textOf(context: Context, node: TreeNode): Expression {
  const { start, end } = node;
  const holes = node.children.filter(({ type }) => type === 'string_interpolation');
  const text = context.textOf(node);
  if (holes.length === 0) {
    const quotes = text.startsWith('"""') ? 3 : 1;
    return constant(node, unescaped(text.slice(quotes, -quotes)));
  }
  const list: Expression[] = [];
  let at = start + 1;
  for (const hole of holes) {
    list.push(constant({ start: at, end: hole.start }, context.text.slice(at, hole.start)));
    list.push(context.expression(hole));
    at = hole.end;
  }
  list.push(constant({ start: at, end }, context.text.slice(at, end - 1)));
  return { start, end, form: 'text', parts: list };
}

function numberOf(text: string, span: Span): Expression {
  return numberIn(text.replace(/(?<!0x[\da-f_]*)[lfd]$/i, '').replace(/l$/i, ''), span);
}
