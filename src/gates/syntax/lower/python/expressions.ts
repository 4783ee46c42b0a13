import type { Argument, Entry, Expression, Span, Statement } from '../../il/il.ts';
import { part, parts, type TreeNode } from '../../parse/tree.ts';
import {
  anyOf,
  apply,
  argument,
  assign,
  binary,
  call,
  constant,
  declaration,
  element,
  evaluate,
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
  when,
} from '../forms.ts';
import type { Context } from './context.ts';
import { CONSTRUCTOR, lowerLambda, lowerTest } from './functions.ts';
import { bindTarget, eachOf } from './targets.ts';
import { literalOf, stringOf } from './texts.ts';
import { typeOf, unboundPath } from './types.ts';

/** Lowers an expression. */
export function lowerExpression(context: Context, node: TreeNode): Expression {
  const span = spanOf(node);
  const inner = (name: string) => context.expressionAt(node, name);
  const all = () => context.expressionsOf(node.children);
  const sign = () => context.textAt(node, 'operator');
  switch (node.type) {
    case 'identifier':
      return nameOf(context, context.textOf(node), node);
    case 'dotted_name':
      return pathOf(context, node);
    case 'string':
      return stringOf(context, node);
    case 'concatenated_string':
      return { ...span, form: 'text', parts: all() };
    case 'integer':
    case 'float':
    case 'true':
    case 'false':
    case 'none':
    case 'ellipsis':
      return constant(node, literalOf(node.type, context.textOf(node)));
    case 'attribute':
      return member(node, inner('object'), context.textAt(node, 'attribute'));
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
      return listOf(node, all());
    case 'dictionary':
      return { ...span, form: 'object', entries: node.children.map((one) => entry(context, one)) };
    case 'list_splat':
    case 'dictionary_splat':
    case 'parenthesized_list_splat':
    case 'list_splat_pattern':
    case 'dictionary_splat_pattern':
      return { ...span, form: 'spread', value: context.firstOf(node) };
    case 'binary_operator':
    case 'boolean_operator':
      return context.chain(node, (link, left) => {
        const operator = context.textAt(link, 'operator');
        const right = context.expressionAt(link, 'right');
        if (node.type === 'binary_operator') return binary(link, operator, left, right);
        return logic(link, operator === 'and' ? 'and' : 'or', left, right);
      });
    case 'not_operator':
      return unary(node, '!', inner('argument'));
    case 'unary_operator':
      return unary(node, sign(), inner('argument'));
    case 'comparison_operator':
      return comparisonOf(context, node);
    case 'conditional_expression': {
      const [yes, test, no] = node.children;
      const condition = context.expressionOr(test, node);
      const given = context.expressionOr(yes, node);
      const other = context.expressionOr(no, node);
      return { ...span, form: 'choose', test: condition, yes: given, no: other };
    }
    case 'named_expression':
      return assign(node, inner('name'), inner('value'));
    case 'list_comprehension':
    case 'set_comprehension':
    case 'generator_expression':
    case 'dictionary_comprehension':
      return comprehensionOf(context, node);
    case 'lambda':
      return { ...span, form: 'closure', id: lowerLambda(context, node) };
    case 'await':
      return { ...span, form: 'await', value: context.firstOf(node) };
    case 'yield': {
      const isAll = /^yield\s+from\b/.test(context.textOf(node));
      return { ...span, form: 'yield', value: context.firstOf(node), isAll };
    }
    case 'parenthesized_expression':
    case 'interpolation':
    case 'format_expression':
    case 'as_pattern':
    case 'as_pattern_target':
    case 'type':
      return context.firstOf(node);
    case 'keyword_argument':
      return inner('value');
    // One of several keys: `a[1:2, 3]`.
    case 'slice':
    case 'chevron':
      return listOf(node, all());
    default:
      context.lose(node.type);
      return unknown(node, node.type, all());
  }
}

/** What a name stands for. */
export function nameOf(context: Context, name: string, span: Span): Expression {
  const found = context.find(name);
  switch (found?.kind) {
    case 'variable':
      return load(span, found.variable);
    case 'import':
      return freeName(span, name, found.path);
    case 'class':
      return { ...spanOf(span), form: 'class', id: found.outline.id };
    case 'field':
      return member(span, { ...spanOf(span), form: 'class', id: found.owner.id }, name);
    default:
      return freeName(span, name, unboundPath(context, name));
  }
}

/** `a.b.c` of a decorator or pattern. */
function pathOf(context: Context, node: TreeNode): Expression {
  const [root = '', ...rest] = context.nameOf(node).split('.');
  return rest.reduce<Expression>(
    (object, name) => member(node, object, name),
    nameOf(context, root, node),
  );
}

function entry(context: Context, node: TreeNode): Entry {
  const isPair = node.type === 'pair';
  const key = isPair ? context.expressionAt(node, 'key') : null;
  const value = isPair ? context.expressionAt(node, 'value') : context.firstOf(node);
  return { ...spanOf(node), key, value, accessor: null };
}

/** `globals()['name']`: a name of the module; null: another element. */
function nameIn(context: Context, node: TreeNode): Expression | null {
  const table = part(node, 'value');
  const [key, ...others] = parts(node, 'subscript');
  const isNames = table !== null && /^(?:globals|locals|vars)\(\)$/.test(context.nameOf(table));
  if (!isNames || key?.type !== 'string' || others.length > 0) return null;
  const name = stringOf(context, key);
  if (name.form !== 'constant' || typeof name.value !== 'string') return null;
  const isGlobal = context.textOf(table).startsWith('globals');
  if (isGlobal) context.declareInModule(name.value);
  const scope = isGlobal ? context.moduleScope() : context.scope;
  return context.inScope(scope, () => nameOf(context, String(name.value), node));
}

/** `a[key]`, `a[from:to]`. */
function elementOf(context: Context, node: TreeNode): Expression {
  const named = nameIn(context, node);
  if (named !== null) return named;
  const object = context.expressionAt(node, 'value');
  const keys = parts(node, 'subscript');
  const [first, ...others] = keys;
  if (first?.type === 'slice' && others.length === 0) {
    const [from = null, to = null, step = null] = boundsOf(context, first);
    if (step === null) return { ...spanOf(node), form: 'slice', object, from, to };
    const given = [object, from, to, step].filter((one) => one !== null);
    return unknown(node, 'step', given);
  }
  const all = context.expressionsOf(keys);
  const [only] = all;
  return element(node, object, only !== undefined && all.length === 1 ? only : listOf(node, all));
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
  const isSign = ({ field }: TreeNode) => field === 'operators';
  const signs = node.children.filter(isSign);
  const operands = context.expressionsOf(node.children.filter((one) => !isSign(one)));
  const tests = signs.flatMap((one, index) => {
    const sign = context.textOf(one).replace(/\s+/g, ' ');
    const left = operands[index];
    const right = operands[index + 1];
    return left === undefined || right === undefined ? [] : [compared(node, sign, left, right)];
  });
  const [first, ...rest] = tests;
  if (first === undefined) return unknown(node, 'missing', operands);
  return rest.reduce((left, right) => logic(node, 'and', left, right), first);
}

function compared(span: Span, sign: string, left: Expression, right: Expression): Expression {
  switch (sign) {
    case 'is':
      return binary(span, '==', left, right);
    case 'is not':
    case '<>':
      return binary(span, '!=', left, right);
    case 'not in':
      return unary(span, '!', binary(span, 'in', left, right));
    default:
      return binary(span, sign, left, right);
  }
}

function argumentsOf(context: Context, list: TreeNode | null): Argument[] {
  const nodes = list?.type === 'generator_expression' ? [list] : (list?.children ?? []);
  return nodes.map((child): Argument => {
    switch (child.type) {
      case 'keyword_argument': {
        const value = context.expressionAt(child, 'value');
        return { value, name: context.textAt(child, 'name'), isSpread: false };
      }
      case 'list_splat':
        return argument(context.firstOf(child), true);
      case 'dictionary_splat':
        return { value: context.firstOf(child), name: '', isSpread: true };
      default:
        return argument(context.expression(child));
    }
  });
}

function callOf(context: Context, node: TreeNode): Expression {
  const target = part(node, 'function');
  const list = part(node, 'arguments');
  const isNamed = target?.type === 'identifier';
  const written = target !== null && isNamed ? context.textOf(target) : '';
  if (isNamed) {
    const known = builtinCall(context, node, written, list);
    if (known !== null) return known;
  }
  if (target?.type === 'attribute') return methodCall(context, node, target, list);
  const at = target ?? node;
  const callee = context.expressionOr(target, node);
  const given = argumentsOf(context, list);
  switch (callee.form) {
    case 'name': {
      const { path } = callee;
      const name = path === null ? callee.name : path.slice(path.lastIndexOf('.') + 1);
      return call(node, null, name, given, { path, at });
    }
    case 'class': {
      const { name = '' } = context.outlines[callee.id] ?? {};
      return make(node, { ...plainType(name), own: callee.id }, given, at);
    }
    default:
      return apply(node, callee, callee.form === 'member' ? callee.name : written, given, at);
  }
}

/** `a.b(c)`, `super().b(c)`. */
function methodCall(
  context: Context,
  node: TreeNode,
  target: TreeNode,
  list: TreeNode | null,
): Expression {
  const object = part(target, 'object');
  const at = part(target, 'attribute') ?? target;
  const written = context.textOf(at);
  const name = written === '__init__' ? CONSTRUCTOR : written;
  const { owner } = context;
  const isSuper = object?.type === 'call' && /^super\s*\(/.test(context.textOf(object));
  if (isSuper && owner !== null) {
    const self = load(node, owner.self);
    return call(node, self, name, argumentsOf(context, list), { isBase: true, at });
  }
  const receiver = context.expressionOr(object, target);
  const given = argumentsOf(context, list);
  const [self, ...rest] = given;
  // `Base.__init__(self, x)`
  if (receiver.form === 'class' && name === CONSTRUCTOR && self !== undefined) {
    return call(node, self.value, name, rest, { isBase: true, at });
  }
  return call(node, receiver, name, given, { at });
}

/** Functions of the language that are syntax elsewhere; null: another one. */
function builtinCall(
  context: Context,
  node: TreeNode,
  name: string,
  list: TreeNode | null,
): Expression | null {
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
        return { ...spanOf(node), form: 'is', type: typeOf(context, one), value, bind: null };
      });
      return anyOf(node, tests);
    }
    case 'getattr':
    case 'setattr': {
      const key = second?.type === 'string' ? stringOf(context, second) : null;
      if (key?.form !== 'constant' || typeof key.value !== 'string') return null;
      const object = context.expression(subject);
      const place = member(node, object, key.value);
      return name === 'getattr' ? place : assign(node, place, context.expressionOr(third, node));
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
  given: TreeNode,
): Expression | null {
  const clauses = given.children.filter(({ type }) => type === 'for_in_clause');
  const [clause] = clauses;
  if (!/^(?:generator_expression|list_comprehension)$/.test(given.type)) return null;
  const list = part(clause ?? null, 'right');
  if (clause === undefined || clauses.length > 1 || list === null) return null;
  const receiver = context.expression(list);
  const id = lowerTest(context, given, clause, name === 'all');
  return call(node, receiver, name, [argument({ ...spanOf(node), form: 'closure', id })]);
}

/** `[body for x in list if test]`: a list that a loop fills. */
function comprehensionOf(context: Context, node: TreeNode): Expression {
  const span = spanOf(node);
  return context.within('comprehension', () => {
    const result = context.declare('');
    const isTable = node.type === 'dictionary_comprehension';
    const empty: Expression = isTable ? { ...span, form: 'object', entries: [] } : listOf(node, []);
    const clauses = node.children.filter(({ type }) => /^(?:for_in|if)_clause$/.test(type));
    const place = load(node, result);
    const body = clausesOf(context, clauses, () => fill(context, part(node, 'body'), place));
    return { ...span, form: 'run', body: [declaration(node, result, empty), ...body], result };
  });
}

/** Loops and conditions, each within the one before. */
function clausesOf(
  context: Context,
  [clause, ...rest]: readonly TreeNode[],
  inner: () => Statement[],
): Statement[] {
  if (clause === undefined) return inner();
  if (clause.type === 'if_clause') {
    const test = context.firstOf(clause);
    return [when(clause, test, clausesOf(context, rest, inner))];
  }
  const rights = context.expressionsOf(parts(clause, 'right'));
  const [only] = rights;
  const of = rights.length === 1 && only !== undefined ? only : listOf(clause, rights);
  return eachOf(context, part(clause, 'left'), of, clause, true, () =>
    clausesOf(context, rest, inner),
  );
}

/** Puts one element into what a comprehension makes. */
function fill(context: Context, body: TreeNode | null, place: Expression): Statement[] {
  if (body === null) return [];
  if (body.type === 'pair') {
    const target = element(body, place, context.expressionAt(body, 'key'));
    return bindTarget(context, target, context.expressionAt(body, 'value'));
  }
  const given = [argument(context.expression(body))];
  return [evaluate(body, call(body, place, 'append', given))];
}
