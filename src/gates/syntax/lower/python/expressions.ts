import type { Argument, Entry, Expression, Span, Statement, Type } from '../../il/il.ts';
import { part, parts, type TreeNode } from '../../parse/tree.ts';
import type { Context } from './context.ts';
import { lowerLambda, lowerTest } from './functions.ts';
import { bindTarget, eachOf } from './targets.ts';
import { literalOf, stringOf } from './texts.ts';
import { typeOf, unboundPath } from './types.ts';

/** Lowers an expression. */
export function lowerExpression(context: Context, node: TreeNode): Expression {
  const { start, end } = node;
  const span = { start, end };
  const inner = (name: string) => context.expressionOr(part(node, name), span);
  switch (node.type) {
    case 'identifier':
      return nameOf(context, context.textOf(node), span);
    case 'dotted_name':
      return pathOf(context, node);
    case 'string':
      return stringOf(context, node);
    case 'concatenated_string':
      return { ...span, form: 'text', parts: all(context, node) };
    case 'integer':
    case 'float':
    case 'true':
    case 'false':
    case 'none':
    case 'ellipsis':
      return { ...span, form: 'constant', value: literalOf(node.type, context.textOf(node)) };
    case 'attribute': {
      const name = part(node, 'attribute');
      const object = inner('object');
      return { ...span, form: 'member', object, name: name === null ? '' : context.textOf(name) };
    }
    case 'subscript':
      return elementOf(context, node);
    case 'call':
      return callOf(context, node);
    case 'list':
    case 'tuple':
    case 'set':
    case 'expression_list':
    case 'pattern_list':
    case 'tuple_pattern':
    case 'list_pattern':
      return { ...span, form: 'list', items: all(context, node) };
    case 'dictionary':
      return { ...span, form: 'object', entries: node.children.map((one) => entry(context, one)) };
    case 'list_splat':
    case 'dictionary_splat':
    case 'parenthesized_list_splat':
    case 'list_splat_pattern':
    case 'dictionary_splat_pattern':
      return { ...span, form: 'spread', value: first(context, node) };
    case 'binary_operator': {
      const left = inner('left');
      const right = inner('right');
      return { ...span, form: 'binary', sign: signOf(context, node), left, right };
    }
    case 'boolean_operator': {
      const sign = signOf(context, node) === 'and' ? 'and' : 'or';
      const left = inner('left');
      return { ...span, form: 'logic', sign, left, right: inner('right') };
    }
    case 'not_operator':
      return { ...span, form: 'unary', sign: '!', operand: inner('argument') };
    case 'unary_operator':
      return { ...span, form: 'unary', sign: signOf(context, node), operand: inner('argument') };
    case 'comparison_operator':
      return comparisonOf(context, node);
    case 'conditional_expression': {
      const [yes = null, test = null, no = null] = node.children;
      const condition = context.expressionOr(test, span);
      const given = context.expressionOr(yes, span);
      return {
        ...span,
        form: 'choose',
        test: condition,
        yes: given,
        no: context.expressionOr(no, span),
      };
    }
    case 'named_expression': {
      const place = inner('name');
      return { ...span, form: 'assign', place, sign: null, value: inner('value'), isAfter: false };
    }
    case 'list_comprehension':
    case 'set_comprehension':
    case 'generator_expression':
    case 'dictionary_comprehension':
      return comprehensionOf(context, node);
    case 'lambda':
      return { ...span, form: 'closure', id: lowerLambda(context, node) };
    case 'await':
      return { ...span, form: 'await', value: first(context, node) };
    case 'yield': {
      const isAll = /^yield\s+from\b/.test(context.textOf(node));
      return { ...span, form: 'yield', value: first(context, node), isAll };
    }
    case 'parenthesized_expression':
    case 'interpolation':
    case 'format_expression':
    case 'as_pattern':
    case 'as_pattern_target':
    case 'type':
      return first(context, node);
    case 'keyword_argument':
      return inner('value');
    // One of several keys: `a[1:2, 3]`.
    case 'slice':
    case 'chevron':
      return { ...span, form: 'list', items: all(context, node) };
    default:
      context.lose(node.type);
      return { ...span, form: 'unknown', what: node.type, children: all(context, node) };
  }
}

function all(context: Context, node: TreeNode): Expression[] {
  return node.children.map((child) => context.expression(child));
}

function first(context: Context, node: TreeNode): Expression {
  return context.expressionOr(node.children[0] ?? null, node);
}

function signOf(context: Context, node: TreeNode): string {
  const operator = part(node, 'operator');
  return operator === null ? '' : context.textOf(operator);
}

/** What a name stands for. */
export function nameOf(context: Context, name: string, { start, end }: Span): Expression {
  const found = context.find(name);
  switch (found?.kind) {
    case 'variable':
      return { start, end, form: 'load', variable: found.variable };
    case 'import':
      return { start, end, form: 'name', name, path: found.path };
    case 'class':
      return { start, end, form: 'class', id: found.outline.id };
    case 'field': {
      const object: Expression = { start, end, form: 'class', id: found.owner.id };
      return { start, end, form: 'member', object, name };
    }
    default:
      return { start, end, form: 'name', name, path: unboundPath(context, name) };
  }
}

/** `a.b.c` of a decorator or pattern. */
function pathOf(context: Context, node: TreeNode): Expression {
  const [root = '', ...rest] = context.nameOf(node).split('.');
  const { start, end } = node;
  return rest.reduce<Expression>(
    (object, name) => ({ start, end, form: 'member', object, name }),
    nameOf(context, root, node),
  );
}

function entry(context: Context, node: TreeNode): Entry {
  const { start, end } = node;
  if (node.type !== 'pair') {
    const value = context.expressionOr(node.children[0] ?? null, node);
    return { start, end, key: null, value, accessor: null };
  }
  const key = context.expressionOr(part(node, 'key'), node);
  return {
    start,
    end,
    key,
    value: context.expressionOr(part(node, 'value'), node),
    accessor: null,
  };
}

/** `a[key]`; `a[from:to]` is a call of a function that every text and list has. */
function elementOf(context: Context, node: TreeNode): Expression {
  const { start, end } = node;
  const object = context.expressionOr(part(node, 'value'), node);
  const keys = parts(node, 'subscript');
  const [key, ...others] = keys;
  if (key?.type === 'slice' && others.length === 0) {
    const [from = null, to = null, step = null] = boundsOf(context, key);
    if (step === null) return { start, end, form: 'slice', object, from, to };
    const children = [object, from, to, step].filter((one) => one !== null);
    return { start, end, form: 'unknown', what: 'step', children };
  }
  const all = keys.map((one) => context.expression(one));
  const [only] = all;
  if (only !== undefined && all.length === 1) {
    return { start, end, form: 'index', object, key: only };
  }
  return { start, end, form: 'index', object, key: { start, end, form: 'list', items: all } };
}

/** The bounds of a slice in their places; null: it is left out. */
function boundsOf(context: Context, node: TreeNode): (Expression | null)[] {
  const bounds: (Expression | null)[] = [null];
  let before = node.start;
  const count = (end: number) => {
    for (const _ of context.text.slice(before, end).matchAll(/:/g)) bounds.push(null);
  };
  for (const child of node.children) {
    count(child.start);
    bounds[bounds.length - 1] = context.expression(child);
    before = child.end;
  }
  count(node.end);
  return bounds;
}

/** `a < b <= c` is both. */
function comparisonOf(context: Context, node: TreeNode): Expression {
  const { start, end } = node;
  const signs = node.children
    .filter(({ field }) => field === 'operators')
    .map((one) => context.textOf(one).replace(/\s+/g, ' '));
  const operands = node.children
    .filter(({ field }) => field !== 'operators')
    .map((one) => context.expression(one));
  let result: Expression | null = null;
  for (const [index, sign] of signs.entries()) {
    const left = operands[index];
    const right = operands[index + 1];
    if (left === undefined || right === undefined) continue;
    const test = compared(sign, left, right, { start, end });
    result =
      result === null
        ? test
        : { start, end, form: 'logic', sign: 'and', left: result, right: test };
  }
  return result ?? { start, end, form: 'unknown', what: 'missing', children: operands };
}

function compared(
  sign: string,
  left: Expression,
  right: Expression,
  { start, end }: Span,
): Expression {
  switch (sign) {
    case 'is':
      return { start, end, form: 'binary', sign: '==', left, right };
    case 'is not':
    case '<>':
      return { start, end, form: 'binary', sign: '!=', left, right };
    case 'not in': {
      const operand: Expression = { start, end, form: 'binary', sign: 'in', left, right };
      return { start, end, form: 'unary', sign: '!', operand };
    }
    default:
      return { start, end, form: 'binary', sign, left, right };
  }
}

function argumentsOf(context: Context, list: TreeNode | null): Argument[] {
  const nodes = list?.type === 'generator_expression' ? [list] : (list?.children ?? []);
  return nodes.map((child): Argument => {
    if (child.type === 'keyword_argument') {
      const name = part(child, 'name');
      const value = context.expressionOr(part(child, 'value'), child);
      return { value, name: name === null ? '' : context.textOf(name), isSpread: false };
    }
    if (child.type === 'list_splat' || child.type === 'dictionary_splat') {
      const name = child.type === 'list_splat' ? null : '';
      return { value: first(context, child), name, isSpread: true };
    }
    return { value: context.expression(child), name: null, isSpread: false };
  });
}

function callOf(context: Context, node: TreeNode): Expression {
  const { start, end } = node;
  const target = part(node, 'function');
  const list = part(node, 'arguments');
  if (target?.type === 'identifier') {
    const known = builtinCall(context, node, context.textOf(target), list);
    if (known !== null) return known;
  }
  if (target?.type === 'attribute') return methodCall(context, node, target, list);
  const at = { start: (target ?? node).start, end: (target ?? node).end };
  const callee = context.expressionOr(target, node);
  const given = argumentsOf(context, list);
  switch (callee.form) {
    case 'name': {
      const { path } = callee;
      const name = path === null ? callee.name : path.slice(path.lastIndexOf('.') + 1);
      const call = { form: 'call', receiver: null, name, path, isBase: false } as const;
      return { ...call, start, end, arguments: given, at };
    }
    case 'class': {
      const { name = '' } = context.outlines[callee.id] ?? {};
      const type: Type = { name, own: callee.id, path: null, arguments: [], isList: false };
      return { start, end, form: 'new', type, arguments: given, at };
    }
    default: {
      const isNamed = target?.type === 'identifier';
      const written = target !== null && isNamed ? context.textOf(target) : '';
      const name = callee.form === 'member' ? callee.name : written;
      return { start, end, form: 'apply', callee, name, arguments: given, at, isNew: false };
    }
  }
}

/** `a.b(c)`, `super().b(c)`. */
function methodCall(
  context: Context,
  node: TreeNode,
  target: TreeNode,
  list: TreeNode | null,
): Expression {
  const { start, end } = node;
  const object = part(target, 'object');
  const nameNode = part(target, 'attribute') ?? target;
  const at = { start: nameNode.start, end: nameNode.end };
  const written = context.textOf(nameNode);
  const name = written === '__init__' ? '<init>' : written;
  const { owner } = context;
  const isSuper = object?.type === 'call' && /^super\s*\(/.test(context.textOf(object));
  const call = { start, end, form: 'call', name, path: null, at } as const;
  if (isSuper && owner !== null) {
    const receiver: Expression = { start, end, form: 'load', variable: owner.self };
    return { ...call, receiver, arguments: argumentsOf(context, list), isBase: true };
  }
  const receiver = context.expressionOr(object, target);
  const given = argumentsOf(context, list);
  const [self, ...rest] = given;
  // `Base.__init__(self, x)`
  if (receiver.form === 'class' && name === '<init>' && self !== undefined) {
    return { ...call, receiver: self.value, arguments: rest, isBase: true };
  }
  return { ...call, receiver, arguments: given, isBase: false };
}

/** Functions of the language that are syntax elsewhere; null: another one. */
function builtinCall(
  context: Context,
  node: TreeNode,
  name: string,
  list: TreeNode | null,
): Expression | null {
  const { start, end } = node;
  const isOwn = context.find(name) !== null;
  const nodes = list?.type === 'generator_expression' ? [list] : (list?.children ?? []);
  const [subject, second, third] = nodes;
  if (isOwn || subject === undefined) return null;
  switch (name) {
    case 'all':
    case 'any':
      return nodes.length === 1 ? testOfAll(context, node, name, subject) : null;
    case 'isinstance': {
      if (second === undefined) return null;
      const types = second.type === 'tuple' ? second.children : [second];
      const tests = types.map((one): Expression => {
        const value = context.expression(subject);
        return { start, end, form: 'is', type: typeOf(context, one), value, bind: null };
      });
      const [one, ...others] = tests;
      return one === undefined
        ? null
        : others.reduce<Expression>(
            (left, right) => ({ start, end, form: 'logic', sign: 'or', left, right }),
            one,
          );
    }
    case 'getattr':
    case 'setattr': {
      const key = second?.type === 'string' ? stringOf(context, second) : null;
      if (key?.form !== 'constant' || typeof key.value !== 'string') return null;
      const object = context.expression(subject);
      const place: Expression = { start, end, form: 'member', object, name: key.value };
      if (name === 'getattr') return place;
      const value = context.expressionOr(third ?? null, node);
      return { start, end, form: 'assign', place, sign: null, value, isAfter: false };
    }
    default:
      return null;
  }
}

/** `all(test for x in list)`: the test is a function that each element is given to. */
function testOfAll(
  context: Context,
  node: TreeNode,
  name: 'all' | 'any',
  argument: TreeNode,
): Expression | null {
  const { start, end } = node;
  const clauses = argument.children.filter(({ type }) => type === 'for_in_clause');
  const [clause] = clauses;
  if (!/^(?:generator_expression|list_comprehension)$/.test(argument.type)) return null;
  const list = part(clause ?? null, 'right');
  if (clause === undefined || clauses.length > 1 || list === null) return null;
  const receiver = context.expression(list);
  const id = lowerTest(context, argument, clause, name === 'all');
  const value: Expression = { start, end, form: 'closure', id };
  const given = [{ value, name: null, isSpread: false }];
  const call = { form: 'call', receiver, name, path: null, arguments: given } as const;
  return { ...call, start, end, at: { start, end }, isBase: false };
}

/** `[body for x in list if test]`: a list that a loop fills. */
function comprehensionOf(context: Context, node: TreeNode): Expression {
  const { start, end } = node;
  return context.within('comprehension', () => {
    const result = context.declare('');
    const isTable = node.type === 'dictionary_comprehension';
    const empty: Expression = isTable
      ? { start, end, form: 'object', entries: [] }
      : { start, end, form: 'list', items: [] };
    const clauses = node.children.filter(({ type }) => /^(?:for_in|if)_clause$/.test(type));
    const declare: Statement = {
      start,
      end,
      form: 'declare',
      variable: result,
      type: null,
      value: empty,
      annotations: [],
    };
    const place: Expression = { start, end, form: 'load', variable: result };
    const body = clausesOf(context, clauses, () => fill(context, part(node, 'body'), place));
    return { start, end, form: 'run', body: [declare, ...body], result };
  });
}

/** Loops and conditions, each within the one before. */
function clausesOf(
  context: Context,
  [clause, ...rest]: readonly TreeNode[],
  inner: () => Statement[],
): Statement[] {
  if (clause === undefined) return inner();
  const { start, end } = clause;
  if (clause.type === 'if_clause') {
    const test = context.expressionOr(clause.children[0] ?? null, clause);
    return [{ start, end, form: 'if', test, yes: clausesOf(context, rest, inner), no: [] }];
  }
  const rights = parts(clause, 'right').map((one) => context.expression(one));
  const [only] = rights;
  const of: Expression =
    rights.length === 1 && only !== undefined ? only : { start, end, form: 'list', items: rights };
  return eachOf(context, part(clause, 'left'), of, clause, true, () =>
    clausesOf(context, rest, inner),
  );
}

/** Puts one element into what a comprehension makes. */
function fill(context: Context, body: TreeNode | null, place: Expression): Statement[] {
  if (body === null) return [];
  const { start, end } = body;
  if (body.type === 'pair') {
    const key = context.expressionOr(part(body, 'key'), body);
    const target: Expression = { start, end, form: 'index', object: place, key };
    return bindTarget(context, target, context.expressionOr(part(body, 'value'), body));
  }
  const given = [{ value: context.expression(body), name: null, isSpread: false }];
  const call = { form: 'call', receiver: place, name: 'append', path: null } as const;
  const at = { start, end };
  const value: Expression = { ...call, start, end, arguments: given, at, isBase: false };
  return [{ start, end, form: 'evaluate', value }];
}
