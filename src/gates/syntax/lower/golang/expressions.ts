import { words } from '../../../../rules/catalogue/line.ts';
import type { Argument, Entry, Expression, Span, Type } from '../../il/il.ts';
import { part, type TreeNode } from '../../parse/tree.ts';
import {
  apply,
  argument,
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
  plainType,
  spanOf,
  unary,
  unknown,
} from '../forms.ts';
import { numberIn, unescaped } from '../lowering.ts';
import { type Context, PACKAGE } from './context.ts';
import { lowerFunction } from './declarations.ts';
import { fieldNames, namedType, packageNamed, typeOf } from './types.ts';

/** Functions and types that every file sees. */
const BUILTINS = words(`
  append cap clear close complex copy delete imag len make max min new panic print println real
  recover
`);
const TYPES = words(`
  string byte rune int int8 int16 int32 int64 uint uint8 uint16 uint32 uint64 uintptr float32
  float64 complex64 complex128 bool error any
`);
const TYPE_NODE = /_type$|^type_identifier$/;

/** Lowers an expression, or a type that stands as one. */
export function lowerExpression(context: Context, node: TreeNode): Expression {
  const span = spanOf(node);
  const inner = (name: string) => context.expressionAt(node, name);
  switch (node.type) {
    case 'identifier':
    case 'type_identifier':
    case 'field_identifier':
    case 'package_identifier':
    case 'blank_identifier':
      return nameOf(context, node);
    case 'raw_string_literal':
      return constant(node, context.textOf(node).slice(1, -1));
    case 'interpreted_string_literal':
    case 'rune_literal':
      return constant(node, unescaped(context.textOf(node).slice(1, -1)));
    case 'int_literal':
    case 'float_literal':
    case 'imaginary_literal':
      return numberIn(context.textOf(node), node);
    case 'true':
    case 'false':
      return constant(node, node.type === 'true');
    case 'nil':
      return constant(node, null);
    case 'iota':
      return constant(node, context.iota);
    case 'selector_expression':
      return member(node, pointed(inner('operand')), context.textAt(node, 'field'));
    case 'qualified_type': {
      const [object, name] = node.children;
      if (object === undefined || name === undefined) return unknown(node, node.type, []);
      return member(node, context.expression(object), context.textOf(name));
    }
    case 'index_expression':
      if (isInstance(context, part(node, 'operand'))) return inner('operand');
      return element(node, inner('operand'), inner('index'));
    case 'slice_expression': {
      const object = inner('operand');
      const from = context.optionalAt(node, 'start');
      return { ...span, form: 'slice', object, from, to: context.optionalAt(node, 'end') };
    }
    case 'call_expression':
      return callOf(context, node);
    case 'composite_literal':
      return literalValue(context, part(node, 'type'), part(node, 'body'), span);
    case 'literal_value':
      return literalValue(context, null, node, span);
    case 'func_literal':
      return { ...span, form: 'closure', id: lowerFunction(context, node, null) };
    case 'binary_expression':
      return context.chain(node, (link, left) => binaryOf(context, link, left));
    case 'unary_expression':
      return unaryOf(context, node);
    case 'type_conversion_expression':
      if (isFreeCall(context, part(node, 'type'))) return callOf(context, node);
      return cast(node, typeOf(context, part(node, 'type')), inner('operand'));
    case 'type_assertion_expression':
      return cast(node, typeOf(context, part(node, 'type')), inner('operand'));
    case 'parenthesized_expression':
    case 'expression_list':
    case 'literal_element':
    case 'variadic_argument':
    case 'type_instantiation_expression':
    case 'generic_type':
    case 'pointer_type':
    case 'parenthesized_type':
      return context.firstOf(node);
    case 'array_type':
    case 'channel_type':
    case 'function_type':
    case 'implicit_length_array_type':
    case 'interface_type':
    case 'map_type':
    case 'negated_type':
    case 'slice_type':
    case 'struct_type':
      return freeName(node, 'type');
    default:
      context.lose(node.type);
      return unknown(node, node.type, context.expressionsOf(node.children));
  }
}

/** The package as a class: its functions are static methods. */
function packageOf(span: Span): Expression {
  return { ...spanOf(span), form: 'class', id: PACKAGE };
}

/** A variable, a name of the package, a type of the file, or a name of something else. */
function nameOf(context: Context, node: TreeNode): Expression {
  const name = context.textOf(node);
  const variable = context.find(name);
  if (variable !== null) return load(node, variable);
  if (context.globals.has(name)) return member(node, packageOf(node), name);
  if (context.free.has(name)) {
    return { ...spanOf(node), form: 'reference', object: packageOf(node), name };
  }
  const own = context.outlineNamed(name);
  if (own !== null) return { ...spanOf(node), form: 'class', id: own.id };
  const isBuiltin = BUILTINS.has(name) && !context.imports.has(name);
  const path = isBuiltin ? `builtin.${name}` : packageNamed(context, name);
  const [star] = context.stars;
  const starred = star !== undefined && context.stars.length === 1 ? `${star}.${name}` : null;
  return freeName(node, name, path ?? starred);
}

/** Whether brackets behind it hold types, not a key: `f[int]`, `slices.Max[T]`. */
function isInstance(context: Context, node: TreeNode | null): boolean {
  if (node?.type === 'identifier') {
    const name = context.textOf(node);
    if (context.find(name) !== null || context.globals.has(name)) return false;
    return context.free.has(name) || context.outlineNamed(name) !== null;
  }
  const root = node?.type === 'selector_expression' ? part(node, 'operand') : null;
  if (root?.type !== 'identifier' || node === null) return false;
  const name = context.textOf(root);
  const isPackage = context.find(name) === null && context.imports.has(name);
  // Tables that packages keep ready have plural names; functions are verbs.
  return isPackage && /^[A-Z][a-z]\w*[^s]$/.test(context.textAt(node, 'field'));
}

/** Whether what looks like a type with types is a function of the file: `length[string](x)`. */
function isFreeCall(context: Context, type: TreeNode | null): boolean {
  const name = type?.type === 'generic_type' ? part(type, 'type') : null;
  return name !== null && context.free.has(context.textOf(name));
}

/** What is called, without parentheses and types: `f` of `(f[T])(x)`. */
function calledOf(context: Context, node: TreeNode): TreeNode | null {
  let target = part(node, 'function') ?? part(node, 'type');
  for (;;) {
    const isWrapped =
      target?.type === 'parenthesized_expression' ||
      target?.type === 'type_instantiation_expression';
    if (isWrapped) target = target?.children[0] ?? null;
    else if (isFreeCall(context, target)) target = part(target, 'type');
    else if (target?.type === 'index_expression' && isInstance(context, part(target, 'operand'))) {
      target = part(target, 'operand');
    } else return target;
  }
}

function argumentsOf(context: Context, nodes: readonly TreeNode[]): Argument[] {
  return nodes.map((one) => argument(context.expression(one), one.type === 'variadic_argument'));
}

function callOf(context: Context, node: TreeNode): Expression {
  const target = calledOf(context, node);
  const operand = part(node, 'operand');
  const nodes = part(node, 'arguments')?.children ?? (operand === null ? [] : [operand]);
  if (target === null) return unknown(node, 'call', context.expressionsOf(node.children));
  const field = target.type === 'selector_expression' ? part(target, 'field') : null;
  const [only] = nodes;
  const own = conversionOf(context, target);
  if (own !== null && only !== undefined && nodes.length === 1) {
    return cast(node, own, context.expression(only));
  }
  const isName = target.type === 'identifier' || target.type === 'type_identifier';
  const called = isName ? context.textOf(target) : '';
  const isPlain = called !== '' && context.find(called) === null && !context.globals.has(called);
  if (isPlain && (called === 'make' || called === 'new') && only !== undefined) {
    return madeOf(context, called, nodes, node);
  }
  const at = field ?? target;
  const list = argumentsOf(context, nodes);
  if (field !== null) {
    const receiver = pointed(context.expressionAt(target, 'operand'));
    return call(node, receiver, context.textOf(field), list, { at });
  }
  if (isPlain && !context.stars.some(() => !context.free.has(called) && !BUILTINS.has(called))) {
    const receiver = context.free.has(called) ? packageOf(target) : null;
    const path = BUILTINS.has(called) ? `builtin.${called}` : null;
    return call(node, receiver, called, list, { path, at });
  }
  return apply(node, context.expression(target), called, list, at);
}

/** The type that a value is converted to by a call of it; null: it is a function. */
function conversionOf(context: Context, target: TreeNode): Type | null {
  if (TYPE_NODE.test(target.type) && target.type !== 'type_identifier') {
    return typeOf(context, target);
  }
  if (target.type === 'unary_expression') {
    const operand = part(target, 'operand');
    return operand === null ? null : conversionOf(context, operand);
  }
  if (target.type !== 'identifier') return null;
  const name = context.textOf(target);
  if (context.find(name) !== null || context.globals.has(name) || context.free.has(name)) {
    return null;
  }
  const isType =
    TYPES.has(name) ||
    context.generics.has(name) ||
    context.aliases.has(name) ||
    context.outlineNamed(name) !== null;
  return isType ? namedType(context, name) : null;
}

/**
 * The value that `new(value)` of Go 1.26 points to a copy of; null: a type stands there. The
 * grammar knows types alone there, so that a variable and its field come as types.
 */
function copiedOf(context: Context, node: TreeNode): Expression | null {
  if (!TYPE_NODE.test(node.type)) return context.expression(node);
  const root = node.type === 'qualified_type' ? part(node, 'package') : node;
  if (root === null || context.find(context.textOf(root)) === null) return null;
  const variable = { ...root, type: 'identifier' };
  if (root === node) return context.expression(variable);
  const field = part(node, 'name');
  const children = [
    { ...variable, field: 'operand' },
    ...(field === null ? [] : [{ ...field, type: 'field_identifier', field: 'field' }]),
  ];
  return context.expression({ ...node, type: 'selector_expression', children });
}

/** `make(T, size)`, `new(T)` and `new(value)`. */
function madeOf(
  context: Context,
  called: string,
  [node, ...sizes]: readonly TreeNode[],
  span: Span,
): Expression {
  if (node === undefined) return unknown(span, called, []);
  if (called === 'new') return copiedOf(context, node) ?? empty(context, node, span);
  const { type } = node;
  const shape =
    type === 'type_identifier' || type === 'identifier' ? underlying(context, node) : node;
  const made: Expression =
    shape.type === 'map_type' ? { ...spanOf(span), form: 'object', entries: [] } : listOf(span, []);
  const typed = shape.type === 'channel_type' || shape !== node ? typeOf(context, node) : null;
  // The sizes are evaluated as well: they may hold calls.
  const plain = sizes.filter(({ type: kind }) => kind === 'call_expression');
  const value = cast(span, typed, made);
  if (plain.length === 0) return value;
  const test = unknown(span, 'size', context.expressionsOf(plain));
  return { ...spanOf(span), form: 'choose', test, yes: value, no: value };
}

/** The type that a named type of the file is made of. */
function underlying(context: Context, node: TreeNode): TreeNode {
  const name = context.textOf(node);
  return context.aliases.get(name) ?? context.outlineNamed(name)?.node ?? node;
}

/** A value of a type that holds nothing yet. */
function empty(context: Context, node: TreeNode, span: Span): Expression {
  const type = typeOf(context, node) ?? plainType('');
  const isObject =
    type.own !== null || node.type === 'qualified_type' || node.type === 'generic_type';
  return isObject ? make(span, type, [], node) : constant(span, null);
}

/** `T{Field: value}`, `[]string{a, b}`, `map[string]bool{"a": true}`. */
function literalValue(
  context: Context,
  node: TreeNode | null,
  body: TreeNode | null,
  span: Span,
): Expression {
  const nodes = body?.children ?? [];
  const isNamed = node?.type === 'type_identifier' || node?.type === 'generic_type';
  const shape = node !== null && isNamed ? underlying(context, part(node, 'type') ?? node) : node;
  const type = typeOf(context, node);
  switch (shape?.type) {
    case 'slice_type':
    case 'array_type':
    case 'implicit_length_array_type': {
      const element = part(shape, 'element');
      const items = nodes.map((one) => elementOf(context, element, part(one, 'value') ?? one));
      return cast(span, isNamed ? type : null, listOf(span, items));
    }
    case 'map_type': {
      const element = part(shape, 'value');
      const entries = nodes.flatMap((one): Entry[] => {
        const key = part(one, 'key');
        const value = part(one, 'value');
        if (key === null || value === null) return [];
        const lowered = elementOf(context, element, value);
        const own = { key: elementOf(context, null, key), value: lowered, accessor: null };
        return [{ ...spanOf(one), ...own }];
      });
      return cast(span, isNamed ? type : null, { ...spanOf(span), form: 'object', entries });
    }
    default:
      return type === null
        ? plainLiteral(context, nodes, span)
        : structOf(context, type, nodes, span, shape ?? null);
  }
}

/** An element; of a type that is not repeated within its braces. */
function elementOf(context: Context, type: TreeNode | null, node: TreeNode): Expression {
  const inner = node.type === 'literal_element' ? node.children[0] : node;
  if (inner?.type !== 'literal_value') return context.expression(inner ?? node);
  const plain = type?.type === 'pointer_type' ? (type.children[0] ?? null) : type;
  return literalValue(context, plain, inner, inner);
}

function structOf(
  context: Context,
  type: Type,
  nodes: readonly TreeNode[],
  span: Span,
  node: TreeNode | null,
): Expression {
  const outline = type.own === null ? null : (context.outlines[type.own] ?? null);
  const names = outline === null ? [] : fieldNames(context, outline);
  const isKeyed = nodes.some((one) => one.type === 'keyed_element');
  // A type of another file: what stands without keys, or with others than names, is a list or map.
  const isList = outline === null && type.path === null && nodes.length > 0 && !isKeyed;
  if (isList) return plainLiteral(context, nodes, span);
  const list = nodes.map((one, index): Argument => {
    const key = part(one, 'key');
    const value = elementOf(context, null, part(one, 'value') ?? one);
    // `bson.M{"$where": text}`: a key of a map of another package.
    const written = key === null ? null : context.textOf(key).replace(/^["`]|["`]$/g, '');
    const name = written ?? names[index] ?? null;
    return { value, name, isSpread: false };
  });
  return make(span, type, list, node ?? span);
}

function plainLiteral(context: Context, nodes: readonly TreeNode[], span: Span): Expression {
  const items = nodes.map((one) => elementOf(context, null, part(one, 'value') ?? one));
  return listOf(span, items);
}

const COMPARED = /^(?:==|!=)$/;

function binaryOf(context: Context, node: TreeNode, left: Expression): Expression {
  const sign = context.textAt(node, 'operator');
  const right = context.expressionAt(node, 'right');
  if (sign === '&&' || sign === '||') return logic(node, sign === '&&' ? 'and' : 'or', left, right);
  // `nil == err` is `err == nil`.
  const isTurned = COMPARED.test(sign) && left.form === 'constant' && right.form !== 'constant';
  return isTurned ? binary(node, sign, right, left) : binary(node, sign, left, right);
}

/** A pointer to an object is the object itself: `(*p).name` is `p.name`. */
function pointed(value: Expression): Expression {
  return value.form === 'unary' && value.sign === '*' ? value.operand : value;
}

/** The next element of a channel. */
export function nextOf(object: Expression): Expression {
  return element(object, object, freeName(object, 'next'));
}

function unaryOf(context: Context, node: TreeNode): Expression {
  const sign = context.textAt(node, 'operator');
  const operand = context.expressionAt(node, 'operand');
  if (sign === '<-') return nextOf(operand);
  return unary(node, sign === '^' ? '~' : sign, operand);
}
