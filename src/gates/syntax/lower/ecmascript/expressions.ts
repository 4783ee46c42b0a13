import type { Entry, Expression, Span, Statement } from '../../il/il.ts';
import {
  bare,
  child,
  field,
  fixedName,
  list,
  type SyntaxNode,
  text,
} from '../../parse/swc-node.ts';
import { assign, constant, declaration, evaluate, load, member } from '../forms.ts';
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
  const { start, end } = span;
  const inner = (key: string) => context.expression(child(node, key), node);
  switch (node.type) {
    case 'Identifier':
      return nameOf(context, text(node, 'value'), span);
    case 'StringLiteral':
    case 'JSXText':
      return constant(span, text(node, 'value'));
    case 'NumericLiteral':
      return numberOf(context, node, span);
    case 'BooleanLiteral':
      return constant(span, field(node, 'value') === true);
    case 'NullLiteral':
      return constant(span, null);
    case 'BigIntLiteral': {
      const value = Number(text(node, 'raw').replace(/n$|_/g, ''));
      return constant(span, Number.isSafeInteger(value) ? value : text(node, 'raw'));
    }
    case 'RegExpLiteral':
      return {
        start,
        end,
        form: 'pattern',
        text: text(node, 'pattern'),
        flags: text(node, 'flags'),
      };
    case 'TemplateLiteral':
      return { start, end, form: 'text', parts: partsOf(context, node) };
    case 'TaggedTemplateExpression': {
      const tag = inner('tag');
      return { start, end, form: 'tag', tag, parts: partsOf(context, child(node, 'template')) };
    }
    case 'ThisExpression':
      return selfOf(context, span);
    case 'MetaProperty':
      return { start, end, form: 'name', name: text(node, 'kind'), path: null };
    case 'ArrayExpression':
      return { start, end, form: 'list', items: itemsOf(context, node) };
    case 'ObjectExpression':
      return { start, end, form: 'object', entries: entriesOf(context, node) };
    case 'FunctionExpression':
    case 'ArrowFunctionExpression': {
      const name = text(child(node, 'identifier'), 'value');
      return { start, end, form: 'closure', id: lowerFunction(context, node, { name }) };
    }
    case 'ClassExpression':
      return classOf(context, node, text(child(node, 'identifier'), 'value'));
    case 'MemberExpression':
    case 'SuperPropExpression':
      return memberOf(context, node);
    case 'TsQualifiedName':
      return member(span, inner('left'), text(child(node, 'right'), 'value'));
    case 'CallExpression':
      return callOf(context, node);
    case 'NewExpression':
      return makeOf(context, node);
    case 'UnaryExpression':
      return {
        start,
        end,
        form: 'unary',
        sign: text(node, 'operator'),
        operand: inner('argument'),
      };
    case 'UpdateExpression': {
      const one = constant(span, 1);
      const place = placeOf(context, child(node, 'argument'), node);
      const sign = text(node, 'operator').charAt(0);
      const isAfter = field(node, 'prefix') !== true;
      return { start, end, form: 'assign', place, sign, value: one, isAfter };
    }
    case 'BinaryExpression':
      return binaryOf(context, node);
    case 'AssignmentExpression':
      return assignmentOf(context, node);
    case 'ConditionalExpression': {
      const test = inner('test');
      return { start, end, form: 'choose', test, yes: inner('consequent'), no: inner('alternate') };
    }
    case 'SequenceExpression':
      return sequenceOf(context, node);
    case 'AwaitExpression':
      return { start, end, form: 'await', value: inner('argument') };
    case 'YieldExpression': {
      const argument = child(node, 'argument');
      const value = argument === null ? constant(span, null) : context.expression(argument, node);
      return { start, end, form: 'yield', value, isAll: field(node, 'delegate') === true };
    }
    case 'TsAsExpression':
    case 'TsSatisfiesExpression':
    case 'TsTypeAssertion': {
      const type = typeOf(context, child(node, 'typeAnnotation'));
      const value = inner('expression');
      return type === null ? value : { start, end, form: 'cast', type, value };
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
      return constant(span, null);
    case 'JSXSpreadChild':
      return { start, end, form: 'spread', value: inner('expression') };
    default:
      context.lose(node.type ?? 'a node without a type');
      return { start, end, form: 'unknown', what: node.type ?? '', children: [] };
  }
}

/** Numbers that were put around a hunk say nothing: `if(0)`. */
function numberOf(context: Context, node: SyntaxNode, span: Span): Expression {
  const { start, end } = span;
  if (context.isSynthetic(node)) return { start, end, form: 'name', name: '', path: null };
  const value = field(node, 'value');
  return constant(span, typeof value === 'number' ? value : null);
}

/** Texts and values of a template, in turns. */
function partsOf(context: Context, node: SyntaxNode | null): Expression[] {
  const values = list(node, 'expressions');
  return list(node, 'quasis').flatMap((quasi, index): Expression[] => {
    const cooked = field(quasi, 'cooked');
    const written = typeof cooked === 'string' ? cooked : text(quasi, 'raw');
    const before = constant(context.spanOf(quasi), written);
    const value = values[index] ?? null;
    return value === null ? [before] : [before, context.expression(value, node)];
  });
}

function itemsOf(context: Context, node: SyntaxNode): Expression[] {
  return list(node, 'elements').map((element) => {
    const { start, end } = context.spanOf(element);
    if (element === null) return constant({ start, end }, null);
    const value = context.expression(child(element, 'expression'), element);
    return field(element, 'spread') == null ? value : { start, end, form: 'spread', value };
  });
}

function entriesOf(context: Context, node: SyntaxNode): Entry[] {
  return list(node, 'properties').flatMap((property): Entry[] => {
    if (property === null) return [];
    const span = context.spanOf(property);
    const { start, end } = span;
    if (property.type === 'SpreadElement') {
      const value = context.expression(child(property, 'arguments'), property);
      return [{ start, end, key: null, value, accessor: null }];
    }
    if (property.type === 'Identifier') {
      const value = context.expression(property, node);
      const key = constant(span, text(property, 'value'));
      return [{ start, end, key, value, accessor: null }];
    }
    const key = keyOf(context, child(property, 'key'));
    const value = propertyValue(context, property);
    return [{ start, end, key, value, accessor: ACCESSORS.get(property.type ?? '') ?? null }];
  });
}

const ACCESSORS: ReadonlyMap<string, 'get' | 'set'> = new Map([
  ['GetterProperty', 'get'],
  ['SetterProperty', 'set'],
]);

function propertyValue(context: Context, property: SyntaxNode): Expression {
  const { start, end } = context.spanOf(property);
  const name = fixedName(child(property, 'key')) ?? '';
  const accessor = child(property, 'function');
  const method = property.type === 'MethodProperty' ? property : accessor;
  if (method === null) return valueNamed(context, child(property, 'value'), property, name);
  return { start, end, form: 'closure', id: lowerFunction(context, method, { name }) };
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
    const { start, end } = context.spanOf(inner);
    return { start, end, form: 'closure', id: lowerFunction(context, inner, { name: own }) };
  }
  if (inner?.type === 'AssignmentExpression' && name !== '') {
    context.size += 1;
    return assignmentOf(context, inner, name);
  }
  return inner?.type === 'ClassExpression'
    ? classOf(context, inner, own)
    : context.expression(node, owner);
}

/** The key of a property: a name, or what is computed. */
function keyOf(context: Context, node: SyntaxNode | null): Expression {
  const name = fixedName(node);
  if (name !== null) return constant(context.spanOf(node), name);
  return context.expression(child(node, 'expression'), node);
}

/** `a.b`, `a['b']`, `a[b]`, `super.b`, `module.exports`. */
function memberOf(context: Context, node: SyntaxNode): Expression {
  const span = context.spanOf(node);
  const { start, end } = span;
  const property = child(node, 'property');
  const name = memberName(property);
  const object =
    node.type === 'SuperPropExpression'
      ? selfOf(context, context.spanOf(child(node, 'obj')))
      : context.expression(child(node, 'object'), node);
  if (name === 'exports' && object.form === 'name' && object.name === 'module') {
    return load(span, exportsOf(context));
  }
  if (name !== null) return member(span, object, name);
  const key = context.expression(child(property, 'expression'), property);
  return { start, end, form: 'index', object, key };
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
  const { start, end } = context.spanOf(link);
  const right = context.expression(child(link, 'right'), link);
  const sign = LOGIC.get(operator);
  if (sign !== undefined) return { start, end, form: 'logic', sign, left, right };
  return { start, end, form: 'binary', sign: operator, left, right };
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

/** `outer`: the name of the variable that gets the value as well: `a = module.exports = value`. */
function assignmentOf(context: Context, node: SyntaxNode, outer = ''): Expression {
  const span = context.spanOf(node);
  const left = bare(child(node, 'left'));
  const right = child(node, 'right');
  const operator = text(node, 'operator');
  if (/Pattern$/.test(left?.type ?? '')) return takenApart(context, node, left, right);
  const place = placeOf(context, left, node);
  const isName = left?.type === 'Identifier';
  const name = isName ? text(left, 'value') : memberName(child(left, 'property'));
  const value = valueNamed(context, right, node, outer || (name ?? ''));
  const sign = operator === '=' ? null : operator.slice(0, -1);
  const logic = LOGIC.get(sign ?? '');
  if (logic === undefined) return assign(span, place, value, sign);
  const { start, end } = span;
  return assign(span, place, { start, end, form: 'logic', sign: logic, left: place, right: value });
}

/** `({ a, b } = value)`: the value is that of the assignment as well. */
function takenApart(
  context: Context,
  node: SyntaxNode,
  pattern: SyntaxNode | null,
  right: SyntaxNode | null,
): Expression {
  const span = context.spanOf(node);
  const { start, end } = span;
  const result = context.temporary();
  const first = declaration(span, result, context.expression(right, node));
  const body = [first, ...bind(context, pattern, load(span, result), 'assign')];
  return { start, end, form: 'run', body, result };
}

/** `(a, b)`: the last one; constants before it do nothing. */
function sequenceOf(context: Context, node: SyntaxNode): Expression {
  const span = context.spanOf(node);
  const { start, end } = span;
  const all = list(node, 'expressions');
  const before = all.slice(0, -1).map((one) => context.expression(one, node));
  const last = context.expression(all.at(-1) ?? null, node);
  const body = before
    .filter(({ form }) => form !== 'constant')
    .map((value): Statement => evaluate(value, value));
  if (body.length === 0) return last;
  const result = context.temporary();
  return { start, end, form: 'run', body: [...body, declaration(span, result, last)], result };
}
