import type { Argument, Entry, Expression, Span, Statement, Type } from '../../il/il.ts';
import { part, type TreeNode, typed } from '../../parse/tree.ts';
import { holderOf } from '../classes.ts';
import {
  apply,
  argument,
  assign,
  binary,
  call,
  cast,
  constant,
  declaration,
  element,
  freeName,
  listOf,
  load,
  logic,
  make,
  member,
  plainType,
  put,
  spanOf,
  unary,
  unknown,
} from '../forms.ts';
import { numberIn, unescaped } from '../lowering.ts';
import { argumentOf, argumentsIn } from './arguments.ts';
import { type Context, plainName } from './context.ts';
import { lowerFunction } from './declarations.ts';
import { testOf } from './patterns.ts';
import { queryOf } from './queries.ts';
import { chosenOf } from './switches.ts';
import { classNamed, namedType, pathNamed, typeOf } from './types.ts';

/** Lowers an expression. */
export function lowerExpression(context: Context, node: TreeNode): Expression {
  const span = spanOf(node);
  const { children } = node;
  const inner = (name: string) => context.expressionAt(node, name);
  switch (node.type) {
    case 'identifier':
    case 'generic_name':
      return nameOf(context, node);
    case 'this':
    case 'base':
      return context.self(node);
    case 'predefined_type':
    case 'qualified_name':
    case 'alias_qualified_name': {
      const name = context.nameOf(node).replace(/^global::/, '');
      return freeName(node, name, pathNamed(context, name));
    }
    case 'string_literal':
    case 'verbatim_string_literal':
    case 'raw_string_literal':
      return constant(node, textIn(context.textOf(node)));
    case 'interpolated_string_expression':
      return { ...span, form: 'text', parts: partsOfText(context, node) };
    case 'character_literal':
      return constant(node, unescaped(context.textOf(node).slice(1, -1)));
    case 'integer_literal':
    case 'real_literal':
      return numberIn(context.textOf(node).replace(/(?<!0x[\da-f_]*)[fdm]$|[ul]+$/i, ''), node);
    case 'boolean_literal':
      return constant(node, context.textOf(node) === 'true');
    case 'null_literal':
    case 'default_expression':
    case 'discard':
      return constant(node, null);
    case 'typeof_expression':
    case 'sizeof_expression':
      return constant(node, context.textAt(node, 'type'));
    case 'member_access_expression':
      return memberOf(context, node);
    case 'conditional_access_expression': {
      const binding = children.find(({ type }) => type.endsWith('_binding_expression'));
      const object = inner('condition');
      if (binding?.type === 'member_binding_expression') {
        return member(node, object, plainName(context, part(binding, 'name') ?? binding));
      }
      return elementOf(context, node, object, binding?.children ?? []);
    }
    case 'element_access_expression':
      return elementOf(context, node, inner('expression'), part(node, 'subscript')?.children ?? []);
    case 'invocation_expression':
      return callOf(context, node);
    case 'object_creation_expression': {
      const type = typeOf(context, part(node, 'type')) ?? plainType('');
      return newOf(context, node, type, part(node, 'type') ?? node);
    }
    case 'implicit_object_creation_expression':
      return newOf(context, node, plainType(''), node);
    case 'anonymous_object_creation_expression':
      return { ...span, form: 'object', entries: entriesOf(context, children) };
    case 'with_expression': {
      const [object, changes] = children;
      const all = context.expressionOr(object, node);
      const kept: Entry = { ...spanOf(object ?? node), key: null, value: all, accessor: null };
      const entries = [kept, ...entriesOf(context, changes?.children ?? [])];
      return { ...span, form: 'object', entries };
    }
    case 'array_creation_expression':
    case 'implicit_array_creation_expression':
    case 'stackalloc_expression':
    case 'implicit_stackalloc_expression': {
      const items = typed(node, 'initializer_expression');
      const ranks = part(part(node, 'type'), 'rank')?.children ?? [];
      // The sizes are evaluated as well: they may hold calls.
      const test = unknown(node, 'size', context.expressionsOf(ranks));
      const made = items === null ? listOf(node, []) : context.expression(items);
      return ranks.length === 0 ? made : { ...span, form: 'choose', test, yes: made, no: made };
    }
    case 'initializer_expression':
      return listOf(node, context.expressionsOf(children));
    case 'collection_expression':
      return listOf(
        node,
        children.flatMap(({ children: items }) => context.expressionsOf(items)),
      );
    case 'spread_element':
      return { ...span, form: 'spread', value: context.firstOf(node) };
    case 'lambda_expression':
    case 'anonymous_method_expression': {
      const head = { kind: 'closure', owner: null, name: '' } as const;
      return { ...span, form: 'closure', id: lowerFunction(context, node, head) };
    }
    case 'binary_expression':
      return context.chain(node, (link, left) => {
        const sign = context.textAt(link, 'operator');
        const right = context.expressionAt(link, 'right');
        if (sign === '??') return logic(link, 'coalesce', left, right);
        if (sign !== '&&' && sign !== '||') return binary(link, sign, left, right);
        return logic(link, sign === '&&' ? 'and' : 'or', left, right);
      });
    case 'prefix_unary_expression': {
      const sign = /^\s*(\+\+|--|.)/.exec(context.textOf(node))?.[1] ?? '!';
      const operand = context.firstOf(node);
      if (sign === '++' || sign === '--') {
        return assign(node, operand, constant(node, 1), sign.charAt(0), false);
      }
      // From the end of a list.
      return unary(node, sign === '^' ? '-' : sign, operand);
    }
    case 'postfix_unary_expression': {
      const sign = context.textOf(node).slice(-1);
      const operand = context.firstOf(node);
      return sign === '!' ? operand : assign(node, operand, constant(node, 1), sign, true);
    }
    case 'assignment_expression':
      return assignedOf(context, node);
    case 'conditional_expression': {
      const yes = inner('consequence');
      return { ...span, form: 'choose', test: inner('condition'), yes, no: inner('alternative') };
    }
    case 'cast_expression':
      return cast(node, typeOf(context, part(node, 'type')), inner('value'));
    case 'as_expression':
      return cast(node, typeOf(context, part(node, 'right')), inner('left'));
    case 'is_expression':
      return context.is(node, typeOf(context, part(node, 'right')), inner('left'), null);
    case 'is_pattern_expression': {
      const pattern = part(node, 'pattern');
      const value = inner('expression');
      if (pattern === null || isPlace(value)) return testOf(context, pattern ?? node, value);
      const kept = context.keep(value);
      const result = context.keep(testOf(context, pattern, kept.value));
      if (result.value.form !== 'load') return result.value;
      return context.run(node, [kept.statement, result.statement], result.value.variable);
    }
    case 'switch_expression':
      return chosenOf(context, node);
    case 'await_expression':
      return { ...span, form: 'await', value: context.firstOf(node) };
    case 'throw_expression': {
      const value = context.firstOf(node);
      return context.run(node, [{ ...span, form: 'throw', value }], context.temporary());
    }
    case 'query_expression':
      return queryOf(context, node);
    case 'tuple_expression':
      return tupleOf(context, node);
    case 'declaration_expression':
      return load(node, context.declare(context.textAt(node, 'name')));
    case 'ref_expression':
      return unary(node, '&', context.firstOf(node));
    case 'argument':
      return argumentOf(context, node).value;
    case 'expression_element':
    case 'parenthesized_expression':
    case 'checked_expression':
    case 'makeref_expression':
    case 'refvalue_expression':
    case 'reftype_expression':
    case 'bracketed_argument_list':
    case 'interpolation':
      return context.firstOf(node);
    case 'range_expression':
      return unknown(node, 'range', context.expressionsOf(children));
    default:
      context.lose(node.type);
      return unknown(node, node.type, context.expressionsOf(children));
  }
}

/** A value that costs nothing to look at twice. */
function isPlace(value: Expression): boolean {
  return value.form === 'load' || value.form === 'name' || value.form === 'member';
}

/** A variable, a field, a class, a method as a value, or a name of something else. */
function nameOf(context: Context, node: TreeNode): Expression {
  const name = plainName(context, node);
  const found = context.find(name);
  if (found?.kind === 'variable') return context.held(node, found.variable);
  if (found !== null) return member(node, holderOf(node, found), name);
  const own = context.outlineNamed(name);
  if (own !== null) return { ...spanOf(node), form: 'class', id: own.id };
  const method = context.ownerOfMethod(name);
  if (method !== null) {
    return { ...spanOf(node), form: 'reference', object: holderOf(node, method), name };
  }
  return freeName(node, name, classNamed(context, name));
}

/** A call that waits for a value when this member of it is read. */
const WAITS = 'Result';

function memberOf(context: Context, node: TreeNode): Expression {
  const name = plainName(context, part(node, 'name') ?? node);
  const whole = context.nameOf(node).replace(/^global::/, '');
  const [root = ''] = whole.split('.', 1);
  // A class with its namespace.
  if (/^[A-Z]\w*(?:\.[A-Z]\w*)+$/.test(whole) && context.find(root) === null) {
    const isClass = context.usualPaths(name).includes(whole);
    if (isClass) return freeName(node, whole, whole);
  }
  const object = part(node, 'expression');
  if (name === WAITS && object?.type === 'invocation_expression') {
    return { ...spanOf(node), form: 'await', value: context.expression(object) };
  }
  return member(node, context.expressionOr(object, node), name);
}

/** An element, or a part where a range is given. */
function elementOf(
  context: Context,
  node: TreeNode,
  object: Expression,
  [only]: readonly TreeNode[],
): Expression {
  const range = only?.children[0];
  if (range?.type !== 'range_expression') {
    return element(node, object, context.expressionOr(only, node));
  }
  const written = context.textOf(range);
  const [first, second] = range.children;
  const isFromStart = written.startsWith('..');
  const from = isFromStart || first === undefined ? null : context.expression(first);
  const end = isFromStart ? first : second;
  const to = end === undefined ? null : context.expression(end);
  return { ...spanOf(node), form: 'slice', object, from, to };
}

function callOf(context: Context, node: TreeNode): Expression {
  const target = part(node, 'function');
  const nodes = part(node, 'arguments');
  if (target === null) {
    return apply(node, context.expressionOr(target, node), '', argumentsIn(context, nodes), node);
  }
  switch (target.type) {
    case 'identifier':
    case 'generic_name':
      return namedCall(context, node, target, nodes);
    case 'member_access_expression':
    case 'conditional_access_expression': {
      const binding = typed(target, 'member_binding_expression');
      const at = part(target, 'name') ?? part(binding, 'name');
      if (at === null) break;
      const object = part(target, 'expression') ?? part(target, 'condition');
      return methodCall(context, node, at, object, nodes);
    }
    default:
  }
  const list = argumentsIn(context, nodes);
  return apply(node, context.expression(target), '', list, target);
}

/** A function, method or delegate by its name alone. */
function namedCall(
  context: Context,
  node: TreeNode,
  at: TreeNode,
  nodes: TreeNode | null,
): Expression {
  const name = plainName(context, at);
  const found = context.find(name);
  if (found === null && name === 'nameof') return constant(node, nameIn(context, nodes));
  const own = context.ownerOfMethod(name);
  if (found !== null && own === null) {
    return apply(node, context.expression(at), name, argumentsIn(context, nodes), at);
  }
  let receiver: Expression | null = null;
  if (own !== null) receiver = holderOf(node, own);
  else if (context.hasForeignBase()) receiver = context.self(node);
  const path = receiver === null ? staticNamed(context, name) : null;
  return call(node, receiver, name, argumentsIn(context, nodes), { path, at });
}

function nameIn(context: Context, list: TreeNode | null): string {
  const text = list === null ? '' : context.nameOf(list).slice(1, -1);
  return text.slice(text.lastIndexOf('.') + 1);
}

/** The path of a method of a class whose static members were imported; null: it is another one. */
function staticNamed(context: Context, name: string): string | null {
  const known = (path: string) =>
    context.usualPaths(path.slice(path.lastIndexOf('.') + 1)).includes(path);
  const star = context.stars.find(known);
  return star === undefined ? null : `${star}.${name}`;
}

function methodCall(
  context: Context,
  node: TreeNode,
  at: TreeNode,
  object: TreeNode | null,
  nodes: TreeNode | null,
): Expression {
  const name = plainName(context, at);
  const isBase = object?.type === 'base';
  const receiver = context.expressionOr(object, node);
  const list = argumentsIn(context, nodes);
  const owner = context.extensions.get(name);
  if (owner !== undefined && receiver.form !== 'class') {
    const holder: Expression = { ...spanOf(node), form: 'class', id: owner.id };
    return call(node, holder, name, [argument(receiver), ...list], { at });
  }
  const value = call(node, receiver, name, list, { isBase, at });
  return filledBy(context, node, value, receiver, name, list) ?? value;
}

/** What a call puts into the variable that it is given; null: nothing that its name tells. */
function filledBy(
  context: Context,
  node: TreeNode,
  value: Expression,
  receiver: Expression,
  name: string,
  list: readonly Argument[],
): Expression | null {
  const [key] = list;
  const last = list.at(-1)?.value;
  const place = last?.form === 'unary' && last.sign === '&' ? last.operand : null;
  if (place?.form !== 'load' || key === undefined) return null;
  const before: Statement[] = [];
  if (name === 'TryParse' && receiver.form === 'name') {
    before.push(declaration(place, place.variable, null, namedType(context, receiver.name)));
  }
  const isElement = name === 'TryGetValue' && list.length === 2;
  if (before.length === 0 && !isElement) return null;
  const result = context.keep(value);
  const after = isElement ? [put(place, element(node, receiver, key.value))] : [];
  if (result.value.form !== 'load') return null;
  return context.run(node, [...before, result.statement, ...after], result.value.variable);
}

/** `new T(...) { Name = value }`, or with elements in the braces. */
export function newOf(context: Context, node: TreeNode, type: Type, at: Span): Expression {
  const list = argumentsIn(context, part(node, 'arguments') ?? typed(node, 'argument_list'));
  const body = part(node, 'initializer') ?? typed(node, 'initializer_expression');
  const items = body?.children ?? [];
  const isFields = items.some(
    (one) => one.type === 'assignment_expression' && part(one, 'left')?.type === 'identifier',
  );
  if (body === null || items.length === 0) return make(node, type, list, at);
  if (!isFields) return collectionOf(context, body, items);
  const entries = fieldsIn(context, items);
  if (type.own === null) {
    const named = entries.map(({ name, value }) => ({ ...argument(value), name }));
    return make(node, type, [...list, ...named], at);
  }
  const made = context.keep(make(node, type, list, at));
  const filled = entries.map(({ name, value }) => put(member(value, made.value, name), value));
  if (made.value.form !== 'load') return made.value;
  return context.run(node, [made.statement, ...filled], made.value.variable);
}

function fieldsIn(context: Context, items: readonly TreeNode[]) {
  return items.flatMap((one) => {
    const place = part(one, 'left');
    if (place === null) return [];
    return [{ name: context.nameOf(place), value: context.expressionAt(one, 'right') }];
  });
}

/** A list, or a table where keys are given: `{ "a", "b" }`, `{ { "a", 1 } }`, `{ ["a"] = 1 }`. */
function collectionOf(context: Context, body: TreeNode, items: readonly TreeNode[]): Expression {
  const pairs = items.map(({ type, children }) => {
    if (type === 'initializer_expression' && children.length === 2) return children;
    return type === 'assignment_expression' ? children.filter(({ field }) => isSide(field)) : [];
  });
  if (pairs.some(({ length }) => length !== 2)) return context.expression(body);
  const entries = pairs.map(([key, value]): Entry => {
    const written = key?.type === 'element_binding_expression' ? key.children[0] : key;
    const lowered = context.expressionOr(written, body);
    const own = { key: lowered, value: context.expressionOr(value, body), accessor: null };
    return { ...spanOf(key ?? body), ...own };
  });
  return { ...spanOf(body), form: 'object', entries };
}

function isSide(field: string | null): boolean {
  return field === 'left' || field === 'right';
}

/** `{ Name = value, other.Name }`: names with what stands behind `=`, or by the last of a chain. */
function entriesOf(context: Context, nodes: readonly TreeNode[]): Entry[] {
  const entries: Entry[] = [];
  for (let at = 0; at < nodes.length; at += 1) {
    const node = nodes[at];
    const next = nodes[at + 1];
    if (node === undefined) break;
    const between = next === undefined ? '' : context.text.slice(node.end, next.start);
    const isNamed = node.type === 'identifier' && /^\s*=\s*$/.test(between);
    const name = context.nameOf(node);
    const key = constant(node, name.slice(name.lastIndexOf('.') + 1));
    const value = context.expressionOr(isNamed ? next : node, node);
    entries.push({ ...spanOf(node), key, value, accessor: null });
    if (isNamed) at += 1;
  }
  return entries;
}

/** `(a, b)`, whose parts are `Item1` and `Item2`, or have names. */
function tupleOf(context: Context, node: TreeNode): Expression {
  const before: Statement[] = [];
  const entries = node.children.flatMap((one, index): Entry[] => {
    const { name, value } = argumentOf(context, one);
    const item = { ...spanOf(one), key: constant(one, `Item${index + 1}`), accessor: null };
    if (name === null) return [{ ...item, value }];
    const kept = context.keep(value);
    before.push(kept.statement);
    return [
      { ...item, value: kept.value },
      { ...item, key: constant(one, name), value: kept.value },
    ];
  });
  const tuple: Expression = { ...spanOf(node), form: 'object', entries };
  if (before.length === 0) return tuple;
  const whole = context.keep(tuple);
  if (whole.value.form !== 'load') return tuple;
  return context.run(node, [...before, whole.statement], whole.value.variable);
}

/** Statements that put the parts of a value into places: `var (a, b) = pair`. */
export function takenApart(context: Context, places: TreeNode, value: Expression): Statement[] {
  const kept = context.keep(value);
  const parts = places.children.filter(({ type }) => type !== 'implicit_type');
  const all = parts.flatMap((one, index): Statement[] => {
    const inner = one.type === 'argument' ? (one.children.at(-1) ?? one) : one;
    const item = member(one, kept.value, `Item${index + 1}`);
    if (/^(?:tuple_(?:pattern|expression)|parenthesized_variable_designation)$/.test(inner.type)) {
      return takenApart(context, inner, item);
    }
    if (inner.type === 'discard') return [];
    if (places.type !== 'tuple_expression' && inner.type === 'identifier') {
      return [declaration(inner, context.declare(context.textOf(inner)), item)];
    }
    return [put(context.expression(inner), item)];
  });
  return [kept.statement, ...all];
}

const CLOSURE = /^(?:lambda|anonymous_method)_expression$/;

function assignedOf(context: Context, node: TreeNode): Expression {
  const left = part(node, 'left');
  const sign = context.textAt(node, 'operator').slice(0, -1);
  const right = () => context.expressionAt(node, 'right');
  if (left?.type === 'tuple_expression') {
    const value = right();
    return context.run(node, takenApart(context, left, value), context.temporary());
  }
  const place = context.expressionOr(left, node);
  // One more function that is called.
  const isAdded = sign === '+' && CLOSURE.test(part(node, 'right')?.type ?? '');
  if (isAdded) return assign(node, place, right());
  if (sign === '??') return assign(node, place, logic(node, 'coalesce', place, right()));
  return assign(node, place, right(), sign || null);
}

/** Text of a literal that holds no values. */
function textIn(written: string): string {
  const raw = /^"{3,}/.exec(written)?.[0].length ?? 0;
  if (raw > 0) return written.slice(raw, -raw);
  if (written.startsWith('@')) return written.slice(2, -1).replaceAll('""', '"');
  return unescaped(written.replace(/^"|"(?:u8)?$/gi, ''));
}

/** The fixed parts and the values of a text. */
function partsOfText(context: Context, node: TreeNode): Expression[] {
  return node.children.flatMap((one): Expression[] => {
    if (one.type === 'interpolation') {
      const value = one.children.find(({ type }) => !type.startsWith('interpolation_'));
      return [context.expressionOr(value, one)];
    }
    const text = context.textOf(one);
    if (one.type === 'string_content') return [constant(one, text)];
    return one.type === 'escape_sequence' ? [constant(one, unescaped(text))] : [];
  });
}
