import type { Constant, Entry, Expression, Span, Statement } from '../../il/il.ts';
import { bare, child, field, fixedName, list, type SyntaxNode, text } from '../../taint/node.ts';
import { callOf, makeOf } from './calls.ts';
import { classOf } from './classes.ts';
import type { Context } from './context.ts';
import { elementOf } from './elements.ts';
import { lowerFunction } from './functions.ts';
import { exportsOf, memberName, nameOf, selfOf } from './names.ts';
import { bind, globalPlace } from './patterns.ts';
import { typeOf } from './types.ts';

/** Lowers an expression. */
export function lowerExpression(context: Context, node: SyntaxNode): Expression {
  const span = context.spanOf(node);
  const inner = (key: string) => context.expression(child(node, key), node);
  switch (node.type) {
    case 'Identifier':
      return nameOf(context, text(node, 'value'), span);
    case 'StringLiteral':
    case 'JSXText':
      return constantOf(span, text(node, 'value'));
    case 'NumericLiteral':
      return numberOf(context, node, span);
    case 'BooleanLiteral':
      return constantOf(span, field(node, 'value') === true);
    case 'NullLiteral':
      return constantOf(span, null);
    case 'BigIntLiteral': {
      const value = Number(text(node, 'raw').replace(/n$|_/g, ''));
      return constantOf(span, Number.isSafeInteger(value) ? value : text(node, 'raw'));
    }
    case 'RegExpLiteral':
      return { ...span, form: 'pattern', text: text(node, 'pattern'), flags: text(node, 'flags') };
    case 'TemplateLiteral':
      return { ...span, form: 'text', parts: partsOf(context, node) };
    case 'TaggedTemplateExpression':
      return {
        ...span,
        form: 'tag',
        tag: inner('tag'),
        parts: partsOf(context, child(node, 'template')),
      };
    case 'ThisExpression':
      return selfOf(context, span);
    case 'MetaProperty':
      return { ...span, form: 'name', name: text(node, 'kind'), path: null };
    case 'ArrayExpression':
      return { ...span, form: 'list', items: itemsOf(context, node) };
    case 'ObjectExpression':
      return { ...span, form: 'object', entries: entriesOf(context, node) };
    case 'FunctionExpression':
    case 'ArrowFunctionExpression': {
      const name = text(child(node, 'identifier'), 'value');
      return { ...span, form: 'closure', id: lowerFunction(context, node, { name }) };
    }
    case 'ClassExpression':
      return classOf(context, node, text(child(node, 'identifier'), 'value'));
    case 'MemberExpression':
    case 'SuperPropExpression':
      return memberOf(context, node);
    case 'CallExpression':
      return callOf(context, node);
    case 'NewExpression':
      return makeOf(context, node);
    case 'UnaryExpression':
      return { ...span, form: 'unary', sign: text(node, 'operator'), operand: inner('argument') };
    case 'UpdateExpression': {
      const one: Expression = { ...span, form: 'constant', value: 1 };
      const place = placeOf(context, child(node, 'argument'), node);
      const sign = text(node, 'operator').charAt(0);
      const isAfter = field(node, 'prefix') !== true;
      return { ...span, form: 'assign', place, sign, value: one, isAfter };
    }
    case 'BinaryExpression':
      return binaryOf(context, node);
    case 'AssignmentExpression':
      return assignmentOf(context, node);
    case 'ConditionalExpression': {
      const test = testOf(context, child(node, 'test'), node);
      return { ...span, form: 'choose', test, yes: inner('consequent'), no: inner('alternate') };
    }
    case 'SequenceExpression':
      return sequenceOf(context, node);
    case 'AwaitExpression':
      return { ...span, form: 'await', value: inner('argument') };
    case 'YieldExpression': {
      const argument = child(node, 'argument');
      const value = argument === null ? constantOf(span, null) : context.expression(argument, node);
      return { ...span, form: 'yield', value, isAll: field(node, 'delegate') === true };
    }
    case 'TsAsExpression':
    case 'TsSatisfiesExpression':
    case 'TsTypeAssertion': {
      const type = typeOf(context, child(node, 'typeAnnotation'));
      const value = inner('expression');
      return type === null ? value : { ...span, form: 'cast', type, value };
    }
    case 'ParenthesisExpression':
    case 'TsNonNullExpression':
    case 'TsConstAssertion':
    case 'TsInstantiation':
    case 'JSXExpressionContainer':
      return inner('expression');
    case 'OptionalChainingExpression':
      return inner('base');
    case 'JSXElement':
    case 'JSXFragment':
      return elementOf(context, node);
    case 'JSXEmptyExpression':
      return constantOf(span, null);
    case 'JSXSpreadChild':
      return { ...span, form: 'spread', value: inner('expression') };
    default:
      context.lose(node.type ?? 'a node without a type');
      return { ...span, form: 'unknown', what: node.type ?? '', children: [] };
  }
}

function constantOf({ start, end }: Span, value: Constant): Expression {
  return { start, end, form: 'constant', value };
}

/** Numbers that were put around a hunk say nothing: `if(0)`. */
function numberOf(context: Context, node: SyntaxNode, span: Span): Expression {
  if (context.isSynthetic(node)) return { ...span, form: 'name', name: '', path: null };
  const value = field(node, 'value');
  return constantOf(span, typeof value === 'number' ? value : null);
}

/** A condition; one that was put around a hunk is not known. */
export function testOf(
  context: Context,
  node: SyntaxNode | null,
  owner: SyntaxNode | null,
): Expression {
  return context.expression(node, owner);
}

/** Texts and values of a template, in turns. */
function partsOf(context: Context, node: SyntaxNode | null): Expression[] {
  const values = list(node, 'expressions');
  return list(node, 'quasis').flatMap((quasi, index): Expression[] => {
    const cooked = field(quasi, 'cooked');
    const written = typeof cooked === 'string' ? cooked : text(quasi, 'raw');
    const before = constantOf(context.spanOf(quasi), written);
    const value = values[index] ?? null;
    return value === null ? [before] : [before, context.expression(value, node)];
  });
}

function itemsOf(context: Context, node: SyntaxNode): Expression[] {
  return list(node, 'elements').map((element) => {
    const span = context.spanOf(element);
    if (element === null) return constantOf(span, null);
    const value = context.expression(child(element, 'expression'), element);
    return field(element, 'spread') == null ? value : { ...span, form: 'spread', value };
  });
}

function entriesOf(context: Context, node: SyntaxNode): Entry[] {
  return list(node, 'properties').flatMap((property): Entry[] => {
    if (property === null) return [];
    const span = context.spanOf(property);
    if (property.type === 'SpreadElement') {
      const value = context.expression(child(property, 'arguments'), property);
      return [{ ...span, key: null, value, accessor: null }];
    }
    if (property.type === 'Identifier') {
      const name = text(property, 'value');
      const value = context.expression(property, node);
      return [{ ...span, key: constantOf(span, name), value, accessor: null }];
    }
    const key = keyOf(context, child(property, 'key'));
    const name = fixedName(child(property, 'key')) ?? '';
    const { value, accessor } = propertyValue(context, property, name);
    return [{ ...span, key, value, accessor }];
  });
}

function propertyValue(
  context: Context,
  property: SyntaxNode,
  name: string,
): Pick<Entry, 'value' | 'accessor'> {
  const span = context.spanOf(property);
  const closure = (node: SyntaxNode): Expression => ({
    ...{ ...span, form: 'closure', id: lowerFunction(context, node, { name }) },
  });
  switch (property.type) {
    case 'MethodProperty':
      return { value: closure(property), accessor: null };
    case 'GetterProperty':
      return { value: closure(child(property, 'function') ?? property), accessor: 'get' };
    case 'SetterProperty':
      return { value: closure(child(property, 'function') ?? property), accessor: 'set' };
    default:
      return {
        value: valueNamed(context, child(property, 'value'), property, name),
        accessor: null,
      };
  }
}

/** A value that gets a name where it is made: functions and classes go by it. */
export function valueNamed(
  context: Context,
  node: SyntaxNode | null,
  owner: SyntaxNode | null,
  name: string,
): Expression {
  const inner = bare(node);
  const own = text(child(inner, 'identifier'), 'value') || name;
  if (inner?.type === 'ArrowFunctionExpression' || inner?.type === 'FunctionExpression') {
    context.size += 1;
    const id = lowerFunction(context, inner, { name: own });
    return { ...context.spanOf(inner), form: 'closure', id };
  }
  return inner?.type === 'ClassExpression'
    ? classOf(context, inner, own)
    : context.expression(node, owner);
}

/** The key of a property: a name, or what is computed. */
export function keyOf(context: Context, node: SyntaxNode | null): Expression {
  const name = fixedName(node);
  if (name !== null) return constantOf(context.spanOf(node), name);
  return context.expression(child(node, 'expression'), node);
}

/** `a.b`, `a['b']`, `a[b]`, `super.b`, `module.exports`. */
function memberOf(context: Context, node: SyntaxNode): Expression {
  const span = context.spanOf(node);
  const property = child(node, 'property');
  const name = memberName(property);
  const object =
    node.type === 'SuperPropExpression'
      ? selfOf(context, context.spanOf(child(node, 'obj')))
      : context.expression(child(node, 'object'), node);
  if (name === 'exports' && object.form === 'name' && object.name === 'module') {
    return { ...span, form: 'load', variable: exportsOf(context) };
  }
  if (name !== null) return { ...span, form: 'member', object, name };
  return {
    ...span,
    form: 'index',
    object,
    key: context.expression(child(property, 'expression'), property),
  };
}

const LOGIC: ReadonlyMap<string, 'and' | 'or' | 'coalesce'> = new Map([
  ['&&', 'and'],
  ['||', 'or'],
  ['??', 'coalesce'],
]);

/** Chains of one operator lean to the left: no recursion for each of them. */
function binaryOf(context: Context, node: SyntaxNode): Expression {
  const operator = text(node, 'operator');
  const links: SyntaxNode[] = [];
  let first: SyntaxNode | null = node;
  while (first?.type === 'BinaryExpression' && text(first, 'operator') === operator) {
    links.push(first);
    first = child(first, 'left');
    if (first?.type === 'ParenthesisExpression') first = bare(first);
  }
  if (operator === '+') return sumOf(context, node, first, links);
  let left = context.expression(first, node);
  for (const link of links.reverse()) {
    left = combined(context, operator, link, left);
  }
  return left;
}

function combined(
  context: Context,
  operator: string,
  link: SyntaxNode,
  left: Expression,
): Expression {
  const span = context.spanOf(link);
  const written = child(link, 'right');
  const right = context.expression(written, link);
  const sign = LOGIC.get(operator);
  if (sign !== undefined) return { ...span, form: 'logic', sign, left, right };
  return { ...span, form: 'binary', sign: operator, left, right };
}

/** `a + b + 'c' + d`: what comes behind a text is put together with it. */
function sumOf(
  context: Context,
  node: SyntaxNode,
  first: SyntaxNode | null,
  links: readonly SyntaxNode[],
): Expression {
  const operands = [first, ...[...links].reverse().map((link) => child(link, 'right'))];
  const isText = (one: SyntaxNode | null) =>
    /^(?:StringLiteral|TemplateLiteral)$/.test(bare(one)?.type ?? '');
  const firstText = operands.findIndex(isText);
  const values = operands.map((one) => context.expression(one, node));
  const numbers = firstText < 0 ? values : values.slice(0, firstText);
  const sum = numbers.length === 0 ? [] : [numbers.reduce(added)];
  const [only] = sum;
  if (firstText < 0 && only !== undefined) return { ...only, ...context.spanOf(node) };
  return { ...context.spanOf(node), form: 'text', parts: [...sum, ...values.slice(firstText)] };
}

function added(left: Expression, right: Expression): Expression {
  return { start: left.start, end: right.end, form: 'binary', sign: '+', left, right };
}

/** A place that is assigned to. */
function placeOf(context: Context, node: SyntaxNode | null, owner: SyntaxNode): Expression {
  const place = context.expression(bare(node), owner);
  return place.form === 'name' ? globalPlace(context, place) : place;
}

function assignmentOf(context: Context, node: SyntaxNode): Expression {
  const span = context.spanOf(node);
  const left = bare(child(node, 'left'));
  const right = child(node, 'right');
  const operator = text(node, 'operator');
  if (/Pattern$/.test(left?.type ?? '')) return takenApart(context, node, left, right);
  const place = placeOf(context, left, node);
  const name =
    left?.type === 'Identifier' ? text(left, 'value') : memberName(child(left, 'property'));
  const value = valueNamed(context, right, node, name ?? '');
  const logic = LOGIC.get(operator.slice(0, -1));
  if (logic !== undefined) {
    const either: Expression = { ...span, form: 'logic', sign: logic, left: place, right: value };
    return { ...span, form: 'assign', place, sign: null, value: either, isAfter: false };
  }
  const sign = operator === '=' ? null : operator.slice(0, -1);
  return { ...span, form: 'assign', place, sign, value, isAfter: false };
}

/** `({ a, b } = value)`: the value is that of the assignment as well. */
function takenApart(
  context: Context,
  node: SyntaxNode,
  pattern: SyntaxNode | null,
  right: SyntaxNode | null,
): Expression {
  const span = context.spanOf(node);
  const result = context.temporary();
  const value = context.expression(right, node);
  const place: Expression = { ...span, form: 'load', variable: result };
  const body: Statement[] = [
    { ...span, form: 'declare', variable: result, type: null, value, annotations: [] },
    ...bind(context, pattern, place, 'assign'),
  ];
  return { ...span, form: 'run', body, result };
}

/** `(a, b)`: the last one; constants before it do nothing. */
function sequenceOf(context: Context, node: SyntaxNode): Expression {
  const span = context.spanOf(node);
  const all = list(node, 'expressions');
  const before = all.slice(0, -1).filter((one) => !/Literal$/.test(bare(one)?.type ?? ''));
  const last = all.at(-1) ?? null;
  if (before.length === 0) return context.expression(last, node);
  const body = before.map((one): Statement => {
    const value = context.expression(one, node);
    return { start: value.start, end: value.end, form: 'evaluate', value };
  });
  const result = context.temporary();
  const value = context.expression(last, node);
  body.push({ ...span, form: 'declare', variable: result, type: null, value, annotations: [] });
  return { ...span, form: 'run', body, result };
}
