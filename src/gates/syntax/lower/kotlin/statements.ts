import type { Expression, Handler, Statement, Variable } from '../../il/il.ts';
import { part, type TreeNode, typed } from '../../parse/tree.ts';
import {
  argument,
  block,
  call,
  evaluate,
  leave,
  load,
  loop,
  member,
  put,
  spanOf,
  unknown,
  when,
} from '../forms.ts';
import { callParts } from './arguments.ts';
import type { Context } from './context.ts';
import {
  accessorName,
  annotationsOf,
  CLASS,
  declareAll,
  declareClass,
  lowerClass,
  lowerFunction,
  valueIn,
} from './declarations.ts';
import { takenApart } from './lambdas.ts';
import { TYPE, typeOf } from './types.ts';
import { whenOf } from './whens.ts';

/** Lowers a statement; `label`: the label before it. */
export function lowerStatement(
  context: Context,
  node: TreeNode,
  label: string | null,
): Statement[] {
  const span = spanOf(node);
  const { children } = node;
  switch (node.type) {
    case 'property_declaration':
      return variablesOf(context, node);
    case 'function_declaration': {
      const name = context.nameOf(part(node, 'name') ?? node);
      const known = context.scope.names.get(name);
      const variable = known ?? context.declare(name);
      const id = lowerFunction(context, node, { kind: 'closure', owner: null, name });
      return [{ ...span, form: 'function', variable, id }];
    }
    case 'assignment':
      return assignedOf(context, node);
    case 'block':
      return [block(node, context.body(node), label)];
    case 'ERROR':
      return [
        block(
          node,
          context.within(null, () => context.statements(children)),
          label,
        ),
      ];
    case 'for_statement':
      return context.within(null, () => eachOf(context, node));
    case 'while_statement':
    case 'do_while_statement': {
      const isTestedLast = node.type === 'do_while_statement';
      const own = labelOf(context, node) ?? label;
      const code = children.find(({ type, field }) => type !== 'label' && field === null) ?? null;
      const test = context.expressionAt(node, 'condition');
      return [loop(node, test, context.body(code), { label: own, isTestedLast })];
    }
    case 'return_expression':
      return returned(context, node);
    case 'throw_expression':
      return [{ ...span, form: 'throw', value: context.firstOf(node) }];
    case 'labeled_expression': {
      const [first, second] = children;
      if (first === undefined || second === undefined) return [];
      const own = context.textOf(first).slice(0, -1);
      if (own === 'break' || own === 'continue') {
        return [{ ...span, form: own, label: context.nameOf(second) }];
      }
      return [block(node, context.statement(second, own), own)];
    }
    case 'identifier': {
      const name = context.textOf(node);
      if (name === 'break' || name === 'continue') return [{ ...span, form: name, label: null }];
      return [evaluate(node, context.expression(node))];
    }
    case 'if_expression':
    case 'when_expression':
    case 'try_expression':
      return context.into(node, null);
    case 'call_expression':
      return called(context, node);
    case 'package_header':
    case 'import':
    case 'file_annotation':
    case 'shebang':
    case 'type_alias':
      return [];
    default: {
      if (!CLASS.test(node.type)) return [evaluate(node, context.expression(node))];
      const known = context.outlines.find((outline) => outline.node === node);
      const name = part(node, 'name');
      if (known === undefined) {
        const own = declareClass(context, node, name === null ? '' : context.nameOf(name));
        declareAll(context, typed(node, 'class_body')?.children ?? []);
        lowerClass(context, own);
      } else lowerClass(context, known);
      return [];
    }
  }
}

/** Functions that end what they stand in. */
const ENDS = /^(?:error|exitProcess|TODO)$/;
/** Functions behind which their condition holds. */
const CHECKS = /^(?:require|check|assert)$/;

/** The name of the function that a call calls by its name alone; '' of one of the file. */
function calledName(context: Context, node: TreeNode): string {
  const { target } = callParts(node);
  const name = target.type === 'identifier' ? context.nameOf(target) : '';
  const isOwn = context.find(name) !== null || context.ownerOfMethod(name) !== null;
  return isOwn ? '' : name;
}

/** Whether nothing runs behind a call. */
function isEnd(context: Context, node: TreeNode): boolean {
  if (node.type !== 'call_expression') return false;
  return ENDS.test(calledName(context, node)) || /^System\s*\.\s*exit\b/.test(context.textOf(node));
}

function called(context: Context, node: TreeNode): Statement[] {
  const [first] = callParts(node).list?.children ?? [];
  if (CHECKS.test(calledName(context, node)) && first !== undefined) {
    const test = context.expressionOr(first.children.at(-1), node);
    return [{ ...spanOf(node), form: 'assert', test }];
  }
  const value = context.expression(node);
  if (isEnd(context, node)) return [{ ...spanOf(node), form: 'throw', value }];
  return value.form === 'run' ? [...value.body] : [evaluate(node, value)];
}

function labelOf(context: Context, node: TreeNode): string | null {
  const label = typed(node, 'label');
  return label === null ? null : context.textOf(label).slice(0, -1);
}

/** `return`, which leaves the function around or the lambda that it names. */
function returned(context: Context, node: TreeNode): Statement[] {
  const named = part(node, 'label');
  const written = node.children.find(({ field }) => field !== 'label');
  const value = written === undefined ? null : context.expression(written);
  const name = named === null ? null : context.nameOf(named);
  const frame = name === null ? null : context.frames.findLast((one) => one.name === name);
  const inlined = frame?.inlined ?? null;
  if (inlined === null) return [{ ...spanOf(node), form: 'return', value }];
  const { result, label } = inlined;
  const given = value === null ? [] : [put(load(value, result), value)];
  return [...given, leave(node, label)];
}

function variablesOf(context: Context, node: TreeNode): Statement[] {
  const written = valueIn(node);
  const value = written === null ? null : context.expression(written);
  const several = typed(node, 'multi_variable_declaration');
  if (several !== null) {
    return value === null ? [] : takenApart(context, several, value);
  }
  const one = typed(node, 'variable_declaration');
  const name = typed(one, 'identifier');
  if (one === null || name === null) return [];
  const type = typeOf(context, one.children.find((inner) => TYPE.test(inner.type)) ?? null);
  const variable = context.declare(context.nameOf(name));
  const annotations = annotationsOf(context, typed(node, 'modifiers'));
  return [{ ...spanOf(name), form: 'declare', variable, type, value, annotations }];
}

function assignedOf(context: Context, node: TreeNode): Statement[] {
  const left = part(node, 'left');
  const sign = context.textAt(node, 'operator').slice(0, -1);
  const name = left?.type === 'navigation_expression' ? left.children[1] : undefined;
  const setter = name === undefined ? '' : accessorName('set', context.nameOf(name));
  const object = left?.children[0];
  if (context.accessors.has(setter) && sign === '' && left !== null && object !== undefined) {
    const kept = context.keep(context.expressionAt(node, 'right'));
    const holder = context.expression(object);
    const place = member(left, holder, context.nameOf(name ?? left));
    const set = call(node, holder, setter, [argument(kept.value)], { at: name ?? node });
    return [kept.statement, put(place, kept.value), evaluate(node, set)];
  }
  const place = left === null ? unknown(node, 'place', []) : placeOf(context, left);
  const receiver = context.implicit(node);
  const own = left?.type === 'identifier' ? accessorName('set', context.nameOf(left)) : '';
  const value = context.expressionAt(node, 'right');
  const isOfReceiver = receiver !== null && place.form === 'member' && context.accessors.has(own);
  if (isOfReceiver && sign === '') {
    const kept = context.keep(value);
    const set = call(node, receiver, own, [argument(kept.value)], { at: left ?? node });
    return [kept.statement, put(place, kept.value), evaluate(node, set)];
  }
  return [
    evaluate(node, {
      ...spanOf(node),
      form: 'assign',
      place,
      sign: sign || null,
      value,
      isAfter: false,
    }),
  ];
}

/** What is assigned to: a member stays one. */
function placeOf(context: Context, node: TreeNode): Expression {
  const [object, name] = node.children;
  if (node.type !== 'navigation_expression' || object === undefined || name === undefined) {
    return context.expression(node);
  }
  return member(node, context.expression(object), context.nameOf(name));
}

function eachOf(context: Context, node: TreeNode): Statement[] {
  const label = labelOf(context, node);
  const rest = node.children.filter(({ type }) => type !== 'label' && type !== 'annotation');
  const [left, source, code = null] = rest;
  if (left === undefined || source === undefined) return [];
  return eachIn(context, left, source, label, () => context.body(code));
}

/** A loop over what a node gives, with the variables that another one declares. */
function eachIn(
  context: Context,
  left: TreeNode,
  source: TreeNode,
  label: string | null,
  inner: () => Statement[],
): Statement[] {
  const span = spanOf(left);
  const names = left.children.flatMap((one) => typed(one, 'identifier') ?? []);
  const isPair = left.type === 'multi_variable_declaration' && left.children.length === 2;
  const [first, second] = names;
  if (isPair && first !== undefined && second !== undefined) {
    // `for ((index, value) in list.withIndex())`
    const list = /\.withIndex\(\)$/.test(context.nameOf(source));
    const of = context.expression(list ? (source.children[0]?.children[0] ?? source) : source);
    const key = context.declare(context.nameOf(first));
    const variable = context.declare(context.nameOf(second));
    return [{ ...span, form: 'each', variable, key, type: null, of, body: inner(), label }];
  }
  const of = context.expression(source);
  const name = left.type === 'variable_declaration' ? typed(left, 'identifier') : null;
  const variable = name === null ? context.temporary() : context.declare(context.nameOf(name));
  const taken = name === null ? takenApart(context, left, load(left, variable)) : [];
  const type = typeOf(context, left.children.find((one) => TYPE.test(one.type)) ?? null);
  return [{ ...span, form: 'each', variable, type, of, body: [...taken, ...inner()], label }];
}

/** Lowers a node whose value goes into `result`; null: nothing takes it. */
export function intoResult(context: Context, node: TreeNode, result: Variable | null): Statement[] {
  switch (node.type) {
    case 'block':
      return context.within(null, () => context.statements(node.children, result));
    case 'if_expression':
      return ifOf(context, node, result);
    case 'when_expression':
      return whenOf(context, node, result);
    case 'try_expression':
      return [tryOf(context, node, result)];
    case 'parenthesized_expression': {
      const [inner] = node.children;
      return inner === undefined ? [] : context.into(inner, result);
    }
    default: {
      if (result === null || !isValue(context, node)) return context.statement(node);
      const value = context.expression(node);
      return [context.give(value, result)];
    }
  }
}

/** Whether a node gives a value. */
function isValue(context: Context, node: TreeNode): boolean {
  if (
    /_(?:declaration|statement)$|^(?:assignment|return_expression|throw_expression)$/.test(
      node.type,
    )
  ) {
    return false;
  }
  return !isEnd(context, node) && !/^(?:break|continue)\b/.test(context.textOf(node));
}

/** The condition of `if` with its branches; `null` for an absent branch. */
export function branchesOf(
  context: Context,
  node: TreeNode,
): { readonly yes: TreeNode | null; readonly no: TreeNode | null } {
  const [first = null, second = null] = node.children.filter(({ field }) => field !== 'condition');
  const test = part(node, 'condition');
  if (second !== null || first === null || test === null) return { yes: first, no: second };
  // Without its first branch: `if (x) else y`.
  const between = context.text.slice(test.end, first.start);
  return /\belse\b/.test(between) ? { yes: null, no: first } : { yes: first, no: null };
}

function ifOf(context: Context, node: TreeNode, result: Variable | null): Statement[] {
  const links: { node: TreeNode; test: Expression; yes: Statement[] }[] = [];
  let at: TreeNode | null = node;
  while (at?.type === 'if_expression') {
    context.size += 1;
    const { yes, no } = branchesOf(context, at);
    const test = context.expressionAt(at, 'condition');
    links.push({ node: at, test, yes: branch(context, yes, result) });
    at = no;
  }
  const last = branch(context, at, result);
  return links.reduceRight<Statement[]>((no, one) => [when(one.node, one.test, one.yes, no)], last);
}

function branch(context: Context, node: TreeNode | null, result: Variable | null): Statement[] {
  return node === null ? [] : context.within(null, () => context.into(node, result));
}

function tryOf(context: Context, node: TreeNode, result: Variable | null): Statement {
  const code = typed(node, 'block');
  const body = code === null ? [] : context.into(code, result);
  const clauses = node.children.filter(({ type }) => type === 'catch_block');
  const handlers = clauses.map(
    (clause): Handler =>
      context.within(null, () => {
        const name = typed(clause, 'identifier');
        const variable = name === null ? null : context.declare(context.nameOf(name));
        const inner = typed(clause, 'block');
        return { variable, body: inner === null ? [] : context.into(inner, result) };
      }),
  );
  const last = context.body(typed(typed(node, 'finally_block'), 'block'));
  return { ...spanOf(node), form: 'try', body, handlers, last };
}
