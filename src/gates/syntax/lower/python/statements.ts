import type { Expression, Handler, Span, Statement } from '../../il/il.ts';
import { part, parts, type TreeNode, typed } from '../../parse/tree.ts';
import { lowerClass } from './classes.ts';
import type { Context } from './context.ts';
import { decoratorsOf, definitionOf, lowerFunction } from './functions.ts';
import { matchOf } from './matches.ts';
import { importedPaths, outlineClass } from './names.ts';
import { bindTarget, eachOf, keep } from './targets.ts';

/** Lowers a statement; some become several. */
export function lowerStatement(context: Context, node: TreeNode): Statement[] {
  const { start, end } = node;
  const span = { start, end };
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
      const said = others.map((child) => evaluated(context.expression(child)));
      return [...said, { ...span, form: 'throw', value: value ? context.expression(value) : null }];
    }
    case 'continue_statement':
      return [{ ...span, form: 'continue', label: null }];
    case 'break_statement':
      return [{ ...span, form: 'break', label: null }];
    case 'if_statement': {
      const alternatives = parts(node, 'alternative');
      return alternatives.length > NESTED_MAX
        ? [longIf(context, node, alternatives)]
        : [ifOf(context, node, alternatives)];
    }
    case 'while_statement': {
      const test = context.expressionOr(part(node, 'condition'), node);
      const body = context.body(part(node, 'body'));
      const loop = {
        form: 'loop',
        test,
        isTestedLast: false,
        body,
        step: [],
        label: null,
      } as const;
      return [{ ...span, ...loop }, ...elseOf(context, part(node, 'alternative'))];
    }
    case 'for_statement': {
      const of = context.expressionOr(part(node, 'right'), node);
      const each = eachOf(context, part(node, 'left'), of, node, false, () =>
        context.body(part(node, 'body')),
      );
      return [...each, ...elseOf(context, part(node, 'alternative'))];
    }
    case 'try_statement':
      return [tryOf(context, node)];
    case 'with_statement': {
      const items = typed(node, 'with_clause')?.children ?? [];
      const opened = items.flatMap((item) => enter(context, item));
      return [...opened, ...context.body(part(node, 'body'))];
    }
    case 'match_statement':
      return matchOf(context, node);
    case 'assert_statement':
      return [
        { ...span, form: 'assert', test: context.expressionOr(node.children[0] ?? null, node) },
      ];
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
      const code = part(node, 'code');
      const value = context.expressionOr(code, node);
      const call = { form: 'call', receiver: null, name: 'exec', path: 'builtins.exec' } as const;
      const given = [{ value, name: null, isSpread: false }];
      return [evaluated({ ...span, ...call, arguments: given, at: span, isBase: false })];
    }
    case 'print_statement':
      return node.children.map((child) => evaluated(context.expression(child)));
    case 'parameters':
      return node.children.flatMap((child) => context.statement(child));
    case 'pass_statement':
    case 'global_statement':
    case 'nonlocal_statement':
    case 'type_alias_statement':
      return [];
    default:
      return [evaluated(context.expression(node))];
  }
}

function evaluated(value: Expression): Statement {
  const { start, end } = value;
  return { start, end, form: 'evaluate', value };
}

/** An expression that stands alone, or an assignment. */
function standing(context: Context, node: TreeNode): Statement[] {
  if (node.type === 'assignment') return assignment(context, node);
  if (node.type !== 'augmented_assignment') return [evaluated(context.expression(node))];
  const { start, end } = node;
  const operator = part(node, 'operator');
  const sign = operator === null ? '+' : context.textOf(operator).slice(0, -1);
  const place = context.expressionOr(part(node, 'left'), node);
  const value = context.expressionOr(part(node, 'right'), node);
  return [evaluated({ start, end, form: 'assign', place, sign, value, isAfter: false })];
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
  const kept = keep(context, context.expressionOr(value, node));
  const bound = targets
    .reverse()
    .flatMap((target) => bindTarget(context, context.expression(target), kept.value));
  return [kept.statement, ...bound];
}

function ifOf(context: Context, node: TreeNode, alternatives: readonly TreeNode[]): Statement {
  const { start, end } = node;
  const test = context.expressionOr(part(node, 'condition'), node);
  const yes = context.body(part(node, 'consequence'));
  const no: Statement[] = [];
  let at = no;
  for (const one of alternatives) {
    if (one.type !== 'elif_clause') {
      at.push(...elseOf(context, one));
      continue;
    }
    const inner: Statement[] = [];
    const other = context.expressionOr(part(one, 'condition'), one);
    const body = context.body(part(one, 'consequence'));
    at.push({ start: one.start, end: one.end, form: 'if', test: other, yes: body, no: inner });
    at = inner;
  }
  return { start, end, form: 'if', test, yes, no };
}

/** Alternatives that are nested; a longer chain would nest deeper than is followed. */
const NESTED_MAX = 50;

/** A long chain of alternatives: each leaves the block that holds all of them. */
function longIf(context: Context, node: TreeNode, alternatives: readonly TreeNode[]): Statement {
  const { start, end } = node;
  const label = `if ${start}`;
  const body = [node, ...alternatives].flatMap((one): Statement[] => {
    if (one.type === 'else_clause') return elseOf(context, one);
    const at = { start: one.start, end: one.end };
    const test = context.expressionOr(part(one, 'condition'), one);
    const yes = context.body(part(one, 'consequence'));
    yes.push({ ...at, form: 'break', label });
    return [{ ...at, form: 'if', test, yes, no: [] }];
  });
  return { start, end, form: 'block', body, label };
}

function elseOf(context: Context, clause: TreeNode | null): Statement[] {
  return clause === null ? [] : context.body(part(clause, 'body') ?? typed(clause, 'block'));
}

function tryOf(context: Context, node: TreeNode): Statement {
  const { start, end } = node;
  const body = [
    ...context.body(part(node, 'body')),
    ...elseOf(context, typed(node, 'else_clause')),
  ];
  const handlers = node.children
    .filter(({ type }) => type === 'except_clause')
    .map((clause) => handlerOf(context, clause));
  const last = typed(node, 'finally_clause');
  return { start, end, form: 'try', body, handlers, last: elseOf(context, last) };
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

/** `with value as target`: the target gets what entering the value gives. */
function enter(context: Context, item: TreeNode): Statement[] {
  const value = part(item, 'value') ?? item;
  const isNamed = value.type === 'as_pattern';
  const inner = isNamed ? (value.children[0] ?? null) : value;
  const receiver = context.expressionOr(inner, item);
  const { start, end } = receiver;
  const call = { form: 'call', receiver, name: '__enter__', path: null } as const;
  const entered: Expression = {
    ...call,
    start,
    end,
    arguments: [],
    at: { start, end },
    isBase: false,
  };
  const target = isNamed ? part(value, 'alias') : null;
  if (target === null) return [evaluated(entered)];
  return bindTarget(context, context.expression(target), entered);
}

/** `del name`, `del table[key]`, `del a.b`. */
function deleted(context: Context, node: TreeNode): Statement[] {
  if (node.type === 'expression_list' || node.type === 'tuple') {
    return node.children.flatMap((child) => deleted(context, child));
  }
  const place = context.expression(node);
  const { start, end } = place;
  if (place.form === 'index') {
    const call = { form: 'call', receiver: place.object, name: 'pop', path: null } as const;
    const given = [{ value: place.key, name: null, isSpread: false }];
    return [
      evaluated({ ...call, start, end, arguments: given, at: { start, end }, isBase: false }),
    ];
  }
  if (place.form !== 'load' && place.form !== 'member') return [evaluated(place)];
  return bindTarget(context, place, { start, end, form: 'constant', value: null });
}

/** An import of a name that something else binds as well. */
function importOf(context: Context, node: TreeNode): Statement[] {
  const { start, end } = node;
  return importedPaths(context, node).flatMap(({ name, path }): Statement[] => {
    const found = context.find(name);
    if (found?.kind !== 'variable') return [];
    const value: Expression = { start, end, form: 'name', name, path };
    return bindTarget(context, { start, end, form: 'load', variable: found.variable }, value);
  });
}

/** A function or class, with its decorators. */
function define(context: Context, node: TreeNode): Statement[] {
  const definition = definitionOf(node);
  const decorators = decoratorsOf(node);
  const nameNode = part(definition, 'name');
  if (definition === null || nameNode === null) return [];
  const name = context.textOf(nameNode);
  const found = context.find(name);
  const said = decorators.flatMap(({ children }) =>
    children.map((child) => evaluated(context.expression(child))),
  );
  const { start, end } = definition;
  if (definition.type === 'class_definition') {
    const rest = lowerClass(context, definition, decorators);
    const { id } = outlineClass(context, definition, name);
    const value: Expression = { start, end, form: 'class', id };
    return [...said, ...rest, ...given(found, name, value, definition)];
  }
  const id = lowerFunction(context, definition, decorators, null);
  if (found?.kind === 'variable') {
    return [...said, { start, end, form: 'function', variable: found.variable, id }];
  }
  return [...said, ...given(found, name, { start, end, form: 'closure', id }, definition)];
}

/** The assignment of what is defined to its name, where the name may hold something else. */
function given(
  found: ReturnType<Context['find']>,
  name: string,
  value: Expression,
  { start, end }: Span,
): Statement[] {
  if (found?.kind === 'variable') {
    const place: Expression = { start, end, form: 'load', variable: found.variable };
    return [evaluated({ start, end, form: 'assign', place, sign: null, value, isAfter: false })];
  }
  if (found?.kind !== 'field') return value.form === 'closure' ? [evaluated(value)] : [];
  const object: Expression = { start, end, form: 'class', id: found.owner.id };
  const place: Expression = { start, end, form: 'member', object, name };
  return [evaluated({ start, end, form: 'assign', place, sign: null, value, isAfter: false })];
}
