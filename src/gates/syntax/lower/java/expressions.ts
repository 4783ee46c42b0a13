import type { Argument, Constant, Expression, Span } from '../../il/il.ts';
import { part, parts, type TreeNode, typed } from '../../parse/tree.ts';
import type { Context } from './context.ts';
import { declareClass, lowerFunction } from './declarations.ts';
import { switchOf } from './switches.ts';
import { classNamed, namedType, pathNamed, typeOf } from './types.ts';

/** Lowers an expression, type or annotation. */
export function lowerExpression(context: Context, node: TreeNode): Expression {
  const { start, end } = node;
  const span = { start, end };
  const inner = (name: string) => lowered(context, part(node, name), span);
  switch (node.type) {
    case 'identifier':
    case 'type_identifier':
      return nameOf(context, node);
    case 'this':
      return selfOf(context, null, span);
    case 'super':
      return selfOf(context, null, span);
    case 'string_literal':
      return textOf(context, node);
    case 'character_literal':
    case 'decimal_integer_literal':
    case 'hex_integer_literal':
    case 'octal_integer_literal':
    case 'binary_integer_literal':
    case 'decimal_floating_point_literal':
    case 'hex_floating_point_literal':
    case 'true':
    case 'false':
    case 'null_literal':
      return { ...span, form: 'constant', value: literalOf(node.type, context.textOf(node)) };
    case 'class_literal':
      return { ...span, form: 'constant', value: context.nameOf(node) };
    case 'field_access':
    case 'scoped_identifier':
    case 'scoped_type_identifier':
      return memberOf(context, node);
    case 'array_access':
      return { ...span, form: 'index', object: inner('array'), key: inner('index') };
    case 'method_invocation':
      return callOf(context, node);
    case 'explicit_constructor_invocation':
      return constructorCall(context, node);
    case 'object_creation_expression':
      return newOf(context, node);
    case 'array_creation_expression': {
      const value = part(node, 'value');
      if (value !== null) return context.expression(value);
      const sizes = parts(node, 'dimensions').flatMap((one) => all(context, one));
      const empty: Expression = { ...span, form: 'list', items: [] };
      // The sizes are evaluated as well: they may hold calls.
      return sizes.every(({ form }) => form === 'constant' || form === 'load')
        ? empty
        : { ...span, form: 'choose', test: unknown(span, 'size', sizes), yes: empty, no: empty };
    }
    case 'array_initializer':
    case 'element_value_array_initializer':
      return { ...span, form: 'list', items: all(context, node) };
    case 'lambda_expression':
      return { ...span, form: 'closure', id: lowerFunction(context, node, 'closure', null) };
    case 'method_reference':
      return referenceOf(context, node);
    case 'binary_expression': {
      const sign = context.textOf(part(node, 'operator') ?? span);
      const left = inner('left');
      const right = inner('right');
      if (sign === '&&' || sign === '||') {
        return { ...span, form: 'logic', sign: sign === '&&' ? 'and' : 'or', left, right };
      }
      return { ...span, form: 'binary', sign, left, right };
    }
    case 'unary_expression': {
      const sign = context.textOf(part(node, 'operator') ?? span);
      return { ...span, form: 'unary', sign, operand: inner('operand') };
    }
    case 'update_expression': {
      const [operand] = node.children;
      const text = context.textOf(node);
      const sign = text.includes('++') ? '+' : '-';
      const one: Expression = { ...span, form: 'constant', value: 1 };
      const isAfter = /(?:\+\+|--)\s*$/.test(text);
      return {
        ...span,
        form: 'assign',
        sign,
        value: one,
        isAfter,
        place: lowered(context, operand ?? null, span),
      };
    }
    case 'assignment_expression': {
      const written = context.textOf(part(node, 'operator') ?? span);
      const sign = written === '=' ? null : written.slice(0, -1);
      const place = inner('left');
      return { ...span, form: 'assign', place, sign, value: inner('right'), isAfter: false };
    }
    case 'ternary_expression': {
      const yes = inner('consequence');
      return { ...span, form: 'choose', test: inner('condition'), yes, no: inner('alternative') };
    }
    case 'cast_expression': {
      const type = typeOf(context, parts(node, 'type')[0] ?? null);
      const value = inner('value');
      return type === null ? value : { ...span, form: 'cast', type, value };
    }
    case 'instanceof_expression':
      return testOf(context, node);
    case 'switch_expression': {
      const result = context.declare('');
      return { ...span, form: 'run', body: [switchOf(context, node, result)], result };
    }
    case 'parenthesized_expression':
    case 'annotated_type':
    case 'generic_type':
      return lowered(context, node.children[0] ?? null, span);
    case 'template_expression':
      return { ...span, form: 'text', parts: all(context, node) };
    case 'string_interpolation':
      return lowered(context, node.children[0] ?? null, span);
    default:
      context.lose(node.type);
      return unknown(span, node.type, all(context, node));
  }
}

function lowered(context: Context, node: TreeNode | null, span: Span): Expression {
  return node === null ? unknown(span, 'missing', []) : context.expression(node);
}

function unknown({ start, end }: Span, what: string, children: readonly Expression[]): Expression {
  return { start, end, form: 'unknown', what, children };
}

function all(context: Context, node: TreeNode | null): Expression[] {
  return (node?.children ?? [])
    .filter(({ type }) => !/annotation$/.test(type))
    .map((child) => context.expression(child));
}

/** The object of the innermost class, or of the one that a name says: `Outer.this`. */
function selfOf(context: Context, name: string | null, { start, end }: Span): Expression {
  for (const owner of context.owners()) {
    if (name === null || owner.name === name) {
      return { start, end, form: 'load', variable: owner.self };
    }
  }
  return { start, end, form: 'name', name: 'this', path: null };
}

/** A variable, a field, a class, or a name of something else. */
function nameOf(context: Context, node: TreeNode): Expression {
  const { start, end } = node;
  const name = context.textOf(node);
  const found = context.find(name);
  if (found?.kind === 'variable') {
    return { start, end, form: 'load', variable: found.variable };
  }
  if (found !== null) {
    const { owner, isStatic } = found;
    const object: Expression = isStatic
      ? { start, end, form: 'class', id: owner.id }
      : { start, end, form: 'load', variable: owner.self };
    return { start, end, form: 'member', object, name };
  }
  const own = context.outlineNamed(name);
  if (own !== null) return { start, end, form: 'class', id: own.id };
  const imported = context.imports.get(name) ?? null;
  const path = /^[A-Z]/.test(name) ? classNamed(context, name) : imported;
  // `com.acme.Thing` begins with the name of a package.
  const root = /^(?:java|javax|jakarta|org|com|io|net)$/.test(name) ? name : null;
  return { start, end, form: 'name', name, path: path ?? root };
}

function memberOf(context: Context, node: TreeNode): Expression {
  const { start, end } = node;
  const span = { start, end };
  const object = part(node, 'object') ?? part(node, 'scope') ?? node.children[0] ?? null;
  const name = part(node, 'field') ?? part(node, 'name') ?? node.children.at(-1) ?? null;
  if (name?.type === 'this') return selfOf(context, object && context.nameOf(object), span);
  if (name === null || object === null) return unknown(span, 'member', all(context, node));
  const path = context.nameOf(node);
  // A class by its whole name.
  if (/^[a-z]\w*(?:\.[a-z]\w*)+\.[A-Z]\w*$/.test(path) && !isDeclared(context, path)) {
    return { ...span, form: 'name', name: path, path: pathNamed(context, path) };
  }
  return {
    ...span,
    form: 'member',
    object: context.expression(object),
    name: context.nameOf(name),
  };
}

function isDeclared(context: Context, path: string): boolean {
  return context.find(path.split('.', 1)[0] ?? '') !== null;
}

function argumentsOf(context: Context, node: TreeNode | null): Argument[] {
  return (part(node, 'arguments')?.children ?? []).map((child) => ({
    value: context.expression(child),
    name: null,
    isSpread: false,
  }));
}

function callOf(context: Context, node: TreeNode): Expression {
  const { start, end } = node;
  const object = part(node, 'object');
  const at = part(node, 'name') ?? node;
  const name = context.nameOf(at);
  const isBase = object?.type === 'super' || typed(node, 'super') !== null;
  const own = object === null ? context.ownerOfMethod(name) : null;
  const path = object === null && own === null ? (context.imports.get(name) ?? null) : null;
  let receiver: Expression | null = null;
  if (object !== null) receiver = context.expression(object);
  else if (own !== null) {
    const { owner, isStatic } = own;
    receiver = isStatic
      ? { start, end, form: 'class', id: owner.id }
      : { start, end, form: 'load', variable: owner.self };
  } else if (path === null && hasForeignBase(context)) receiver = selfOf(context, null, node);
  const free = receiver === null ? (path ?? `${starredClass(context)}.${name}`) : null;
  return {
    start,
    end,
    form: 'call',
    receiver,
    name,
    path: free,
    isBase,
    arguments: argumentsOf(context, node),
    at: { start: at.start, end: at.end },
  };
}

/** The class all of whose static members were imported; '': none. */
function starredClass(context: Context): string {
  return context.stars.find((one) => /\.[A-Z]\w*$/.test(one)) ?? '';
}

/** Whether the class here has a base of another file, whose methods are called by their names. */
function hasForeignBase(context: Context): boolean {
  const [owner] = context.owners();
  return owner?.bases.some((name) => context.outlineNamed(name) === null) === true;
}

/** `this(...)` and `super(...)`. */
function constructorCall(context: Context, node: TreeNode): Expression {
  const { start, end } = node;
  const called = part(node, 'constructor') ?? node;
  return {
    start,
    end,
    form: 'call',
    name: '<init>',
    path: null,
    receiver: selfOf(context, null, node),
    isBase: called.type === 'super',
    arguments: argumentsOf(context, node),
    at: { start: called.start, end: called.end },
  };
}

function newOf(context: Context, node: TreeNode): Expression {
  const { start, end } = node;
  const at = part(node, 'type') ?? node;
  const body = typed(node, 'class_body');
  const type = typeOf(context, part(node, 'type')) ?? namedType(context, '');
  const list = argumentsOf(context, node);
  if (body === null) {
    return { start, end, form: 'new', type, arguments: list, at: { start: at.start, end: at.end } };
  }
  const outline = declareClass(context, node, '', [context.nameOf(at).replace(/<.*$/s, '')]);
  context.parts.innerClass(context, outline);
  return {
    start,
    end,
    form: 'new',
    arguments: list,
    at: { start: at.start, end: at.end },
    type: { ...type, own: outline.id, path: null },
  };
}

/** `this::clean`, `Files::readString`, `File::new`. */
function referenceOf(context: Context, node: TreeNode): Expression {
  const { start, end } = node;
  const [object] = node.children;
  const base = lowered(context, object ?? null, node);
  const written = context.nameOf(node);
  const name = written.slice(written.lastIndexOf('::') + 2);
  return { start, end, form: 'reference', object: base, name: name === 'new' ? '<init>' : name };
}

/** `value instanceof Type name`, or with a pattern of a record. */
function testOf(context: Context, node: TreeNode): Expression {
  const { start, end } = node;
  const value = lowered(context, part(node, 'left'), node);
  const name = part(node, 'name');
  const type = typeOf(context, part(node, 'right'));
  const bind = name === null ? null : context.declare(context.nameOf(name));
  const pattern = part(node, 'pattern');
  if (pattern !== null) context.declareNames(pattern);
  return { start, end, form: 'is', type, value, bind };
}

/** Text of a literal, with what stands in `\{}` of a template. */
function textOf(context: Context, node: TreeNode): Expression {
  const { start, end } = node;
  const holes = node.children.filter(({ type }) => type === 'string_interpolation');
  const text = context.textOf(node);
  if (holes.length === 0) {
    const inner = text.startsWith('"""') ? text.slice(3, -3) : text.slice(1, -1);
    return { start, end, form: 'constant', value: unescaped(inner) };
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

function constant({ start, end }: Span, value: Constant): Expression {
  return { start, end, form: 'constant', value };
}

/** Escapes stay as they are written, but for what paths, queries and patterns need. */
function unescaped(text: string): string {
  return text.replace(/\\\\/g, '\\').replace(/\\(?=["'])/g, '');
}

function literalOf(type: string, text: string): Constant {
  switch (type) {
    case 'true':
    case 'false':
      return type === 'true';
    case 'null_literal':
      return null;
    case 'character_literal':
      return unescaped(text.slice(1, -1));
    default: {
      const digits = text.replaceAll('_', '').replace(/(?<!0x[\da-f]*)[lfd]$/i, '');
      const octal = /^0[0-7]+$/.test(digits) ? `0o${digits.slice(1)}` : digits;
      const number = Number(octal.replace(/l$/i, ''));
      return Number.isNaN(number) ? text : number;
    }
  }
}
