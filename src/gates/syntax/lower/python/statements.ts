import type { Expression, Handler, Statement } from '../../il/il.ts';
import { part, parts, type TreeNode, typed } from '../../parse/tree.ts';
import {
  apply,
  argument,
  assign,
  call,
  constant,
  evaluate,
  freeName,
  leave,
  load,
  loop,
  make,
  member,
  plainType,
  put,
  spanOf,
  unknown,
  when,
} from '../forms.ts';
import { lowerClass } from './classes.ts';
import type { Context } from './context.ts';
import { decoratorsOf, definitionOf, lowerFunction } from './functions.ts';
import { matchOf } from './matches.ts';
import { importedPaths, outlineClass } from './names.ts';
import { bindTarget, eachOf } from './targets.ts';

/** Lowers a statement; some become several. */
export function lowerStatement(context: Context, node: TreeNode): Statement[] {
  const span = spanOf(node);
  switch (node.type) {
    case 'expression_statement':
      return node.children.flatMap((child) => standing(context, child));
    case 'assignment':
    case 'augmented_assignment':
      return standing(context, node);
    case 'return_statement': {
      const [value] = node.children;
      return [{ ...span, form: 'return', value: value ? context.expression(value) : null }];
    }
    case 'raise_statement': {
      const [value, ...others] = node.children;
      const said = others.map((child) => evaluated(context, child));
      return [...said, { ...span, form: 'throw', value: value ? context.expression(value) : null }];
    }
    case 'continue_statement':
      return [{ ...span, form: 'continue', label: null }];
    case 'break_statement':
      return [leave(node, null)];
    case 'if_statement':
      return [ifOf(context, node)];
    case 'while_statement': {
      const test = context.expressionAt(node, 'condition');
      const body = context.body(part(node, 'body'));
      return [loop(node, test, body), ...afterLoop(context, node)];
    }
    case 'for_statement': {
      const of = context.expressionAt(node, 'right');
      const each = eachOf(context, part(node, 'left'), of, node, false, () =>
        context.body(part(node, 'body')),
      );
      return [...each, ...afterLoop(context, node)];
    }
    case 'try_statement':
      return [tryOf(context, node)];
    case 'with_statement': {
      const items = typed(node, 'with_clause')?.children ?? [];
      return withOf(context, node, items);
    }
    case 'match_statement':
      return matchOf(context, node);
    case 'assert_statement':
      return [{ ...span, form: 'assert', test: context.firstOf(node) }];
    case 'import_statement':
    case 'import_from_statement':
    case 'future_import_statement':
      return importOf(context, node);
    case 'function_definition':
    case 'class_definition':
    case 'decorated_definition':
      return define(context, node);
    case 'block':
    case 'module':
      return context.body(node);
    case 'else_clause':
    case 'elif_clause':
    case 'finally_clause':
    case 'except_clause':
    case 'ERROR':
      // What a part of a file has lost the head of is read by its parts.
      return node.children.flatMap((child) => context.statement(child));
    case 'delete_statement':
      return node.children.flatMap((child) => deleted(context, child));
    case 'exec_statement': {
      const given = [argument(context.expressionAt(node, 'code'))];
      return [evaluate(node, call(node, null, 'exec', given, { path: 'builtins.exec' }))];
    }
    case 'print_statement':
      return node.children.map((child) => evaluated(context, child));
    case 'parameters':
      return node.children.flatMap((child) => context.statement(child));
    case 'pass_statement':
    case 'global_statement':
    case 'nonlocal_statement':
    case 'type_alias_statement':
      return [];
    default:
      return [evaluated(context, node)];
  }
}

function evaluated(context: Context, node: TreeNode): Statement {
  return evaluate(node, context.expression(node));
}

/** An expression that stands alone, or an assignment. */
function standing(context: Context, node: TreeNode): Statement[] {
  if (node.type === 'assignment') return assignment(context, node);
  if (node.type !== 'augmented_assignment') return [evaluated(context, node)];
  const sign = context.textAt(node, 'operator').slice(0, -1);
  const place = context.expressionAt(node, 'left');
  const value = context.expressionAt(node, 'right');
  return [evaluate(node, assign(node, place, value, sign))];
}

/** `a = b = value`; `a: type` alone assigns nothing. */
function assignment(context: Context, node: TreeNode): Statement[] {
  const right = part(node, 'right');
  const left = part(node, 'left');
  if (right === null || left === null) return [];
  if (right.type !== 'assignment' && right.type !== 'augmented_assignment') {
    const value = context.expression(right);
    return bindTarget(context, context.expression(left), value);
  }
  const targets = [left];
  let value: TreeNode | null = right;
  while (value?.type === 'assignment') {
    const target = part(value, 'left');
    if (target !== null) targets.push(target);
    value = part(value, 'right');
  }
  const kept = context.keep(context.expressionOr(value, node));
  const bound = targets
    .reverse()
    .flatMap((target) => bindTarget(context, context.expression(target), kept.value));
  return [kept.statement, ...bound];
}

function ifOf(context: Context, node: TreeNode): Statement {
  const test = context.expressionAt(node, 'condition');
  const yes = context.body(part(node, 'consequence'));
  const no: Statement[] = [];
  let at = no;
  for (const one of parts(node, 'alternative')) {
    if (one.type !== 'elif_clause') {
      at.push(...elseOf(context, one));
      continue;
    }
    const inner: Statement[] = [];
    const other = context.expressionAt(one, 'condition');
    at.push(when(one, other, context.body(part(one, 'consequence')), inner));
    at = inner;
  }
  return when(node, test, yes, no);
}

function elseOf(context: Context, clause: TreeNode | null): Statement[] {
  return clause === null ? [] : context.body(part(clause, 'body') ?? typed(clause, 'block'));
}

/** `for ... else`: what runs unless the loop was left by a `break`. */
function afterLoop(context: Context, node: TreeNode): Statement[] {
  const body = elseOf(context, part(node, 'alternative'));
  const isLeft = /\bbreak\b/.test(context.textAt(node, 'body'));
  return body.length === 0 || !isLeft ? body : [when(node, unknown(node, 'left', []), [], body)];
}

function tryOf(context: Context, node: TreeNode): Statement {
  const body = [
    ...context.body(part(node, 'body')),
    ...elseOf(context, typed(node, 'else_clause')),
  ];
  const handlers = node.children
    .filter(({ type }) => type === 'except_clause')
    .map((clause) => handlerOf(context, clause));
  const last = elseOf(context, typed(node, 'finally_clause'));
  return { ...spanOf(node), form: 'try', body, handlers, last };
}

/** `except A as e`: what was raised goes into the variable. */
function handlerOf(context: Context, clause: TreeNode): Handler {
  const given = clause.children.find(({ type }) => type === 'as_pattern');
  const target = part(clause, 'alias') ?? part(given ?? null, 'alias');
  const name = target?.type === 'as_pattern_target' ? target.children[0] : target;
  const body = context.body(typed(clause, 'block'));
  const found = name?.type === 'identifier' ? context.find(context.textOf(name)) : null;
  return { variable: found?.kind === 'variable' ? found.variable : null, body };
}

/** `with value as target`: entered before the body and left behind it, whatever it throws. */
function withOf(
  context: Context,
  node: TreeNode,
  [item, ...rest]: readonly TreeNode[],
): Statement[] {
  if (item === undefined) return context.body(part(node, 'body'));
  const value = part(item, 'value') ?? item;
  const isNamed = value.type === 'as_pattern';
  const inner = isNamed ? (value.children[0] ?? null) : value;
  // A name keeps what it is for checks within the body.
  const given = context.expressionOr(inner, item);
  const { statement, value: receiver } = context.hasExits
    ? context.keep(given)
    : { statement: null, value: given };
  const entered = call(receiver, receiver, '__enter__', []);
  const target = isNamed ? part(value, 'alias') : null;
  const opened =
    target === null
      ? [evaluate(entered, entered)]
      : bindTarget(context, context.expression(target), entered);
  const body = withOf(context, node, rest);
  if (isSuppression(context, inner)) {
    const handlers = [{ variable: null, body: [] }];
    return [...opened, { ...spanOf(node), form: 'try', body, handlers, last: [] }];
  }
  if (statement === null) return [...opened, ...body];
  const last = [evaluate(receiver, call(receiver, receiver, '__exit__', []))];
  return [statement, ...opened, { ...spanOf(node), form: 'try', body, handlers: [], last }];
}

/** `contextlib.suppress(ValueError)`: what follows is reached from anywhere in the body. */
function isSuppression(context: Context, value: TreeNode | null): boolean {
  if (value?.type !== 'call') return false;
  return /(?:^|\.)suppress$/.test(context.textAt(value, 'function'));
}

/** `del name`, `del table[key]`, `del a.b`. */
function deleted(context: Context, node: TreeNode): Statement[] {
  if (node.type === 'expression_list' || node.type === 'tuple') {
    return node.children.flatMap((child) => deleted(context, child));
  }
  const place = context.expression(node);
  if (place.form === 'index') {
    return [evaluate(place, call(place, place.object, 'pop', [argument(place.key)]))];
  }
  if (place.form !== 'load' && place.form !== 'member') return [evaluate(place, place)];
  return [put(place, constant(place, null))];
}

/** An import of a name that something else binds as well. */
function importOf(context: Context, node: TreeNode): Statement[] {
  return importedPaths(context, node).flatMap(({ name, path }) => {
    const found = context.find(name);
    if (found?.kind !== 'variable') return [];
    return [put(load(node, found.variable), freeName(node, name, path))];
  });
}

/** A function or class, with its decorators. */
function define(context: Context, node: TreeNode): Statement[] {
  const definition = definitionOf(node);
  const decorators = decoratorsOf(node);
  const name = context.textAt(definition, 'name');
  if (definition === null || name === '') return [];
  const found = context.find(name);
  const said = decorators.flatMap(({ children }) =>
    children.map((child) => evaluated(context, child)),
  );
  const span = spanOf(definition);
  if (definition.type === 'class_definition') {
    const rest = lowerClass(context, definition, decorators);
    const { id } = outlineClass(context, definition, name);
    return [...said, ...rest, ...given(found, name, { ...span, form: 'class', id })];
  }
  const id = lowerFunction(context, definition, decorators, null);
  if (found?.kind === 'variable') {
    const named = load(span, found.variable);
    const wrapped = ownDecorators(context, decorators).map((decorator) =>
      put(named, decorated(context, decorator, named)),
    );
    // Callers of elsewhere call what the decorators made of it.
    const called = wrapped.length === 0 ? [] : [evaluate(span, apply(span, named, name, [], span))];
    const declared: Statement = { ...span, form: 'function', variable: found.variable, id };
    return [...said, declared, ...wrapped, ...called];
  }
  return [...said, ...given(found, name, { ...span, form: 'closure', id })];
}

/** Decorators that the file declares, the one next to the function first. */
function ownDecorators(context: Context, decorators: readonly TreeNode[]): TreeNode[] {
  return decorators
    .flatMap(({ children }) => children[0] ?? [])
    .filter((one) => {
      const name = one.type === 'call' ? part(one, 'function') : one;
      const found = name?.type === 'identifier' ? context.find(context.textOf(name)) : null;
      return found?.kind === 'variable' || found?.kind === 'class';
    })
    .reverse();
}

/** What a decorator makes of a function. */
function decorated(context: Context, decorator: TreeNode, value: Expression): Expression {
  const callee = context.expression(decorator);
  const given = [argument(value)];
  if (callee.form !== 'class') return apply(decorator, callee, '', given, decorator);
  const { name = '' } = context.outlines[callee.id] ?? {};
  return make(decorator, { ...plainType(name), own: callee.id }, given, decorator);
}

/** The assignment of what is defined to its name, where the name may hold something else. */
function given(found: ReturnType<Context['find']>, name: string, value: Expression): Statement[] {
  if (found?.kind === 'variable') return [put(load(value, found.variable), value)];
  if (found?.kind !== 'field') return value.form === 'closure' ? [evaluate(value, value)] : [];
  const object: Expression = { ...spanOf(value), form: 'class', id: found.owner.id };
  return [put(member(value, object, name), value)];
}
