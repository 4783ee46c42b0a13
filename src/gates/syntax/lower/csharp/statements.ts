import type { Handler, Statement } from '../../il/il.ts';
import { part, parts, type TreeNode, typed } from '../../parse/tree.ts';
import { block, declaration, evaluate, leave, loop, spanOf } from '../forms.ts';
import { type Context, writtenIn } from './context.ts';
import { CLASS, declareClass, lowerClass, lowerFunction } from './declarations.ts';
import { takenApart } from './expressions.ts';
import { switchOf } from './switches.ts';
import { typeOf } from './types.ts';

/** Lowers a statement; `label`: the label before it. */
export function lowerStatement(
  context: Context,
  node: TreeNode,
  label: string | null,
): Statement[] {
  const span = spanOf(node);
  const { children } = node;
  switch (node.type) {
    case 'global_statement':
      return children.flatMap((child) => lowerStatement(context, child, label));
    case 'expression_statement':
      return context.expressionsOf(children).map((value) => evaluate(value, value));
    case 'local_declaration_statement':
      return declarationsOf(context, typed(node, 'variable_declaration'));
    case 'local_function_statement': {
      const name = context.textAt(node, 'name');
      const found = context.find(name);
      const variable = found?.kind === 'variable' ? found.variable : context.declare(name);
      const id = lowerFunction(context, node, { kind: 'closure', owner: null, name });
      return [{ ...span, form: 'function', variable, id }];
    }
    case 'block':
    case 'ERROR':
      return [
        block(
          node,
          context.within(null, () => context.statements(children)),
          label,
        ),
      ];
    case 'using_statement':
    case 'fixed_statement':
    case 'lock_statement': {
      const code = part(node, 'body') ?? children.at(-1) ?? null;
      const inner = context.within(null, () => [
        ...children.filter((one) => one !== code).flatMap((one) => openedBy(context, one)),
        ...context.body(code),
      ]);
      return [block(node, inner, label)];
    }
    case 'checked_statement':
    case 'unsafe_statement':
      return children.flatMap((child) => lowerStatement(context, child, label));
    case 'for_statement':
      return context.within(null, () => loopOf(context, node, label));
    case 'foreach_statement':
      return context.within(null, () => eachOf(context, node, label));
    case 'switch_statement':
      return [switchOf(context, node, label)];
    case 'try_statement':
      return [tryOf(context, node)];
    case 'yield_statement': {
      context.isGenerator = true;
      const [given] = children;
      if (given === undefined) return [{ ...span, form: 'return', value: null }];
      const value = context.expression(given);
      return [evaluate(node, { ...span, form: 'yield', value, isAll: false })];
    }
    case 'break_statement':
    case 'goto_statement':
      return [leave(node, null)];
    case 'continue_statement':
      return [{ ...span, form: 'continue', label: null }];
    case 'empty_statement':
    case 'using_directive':
    case 'extern_alias_directive':
    case 'global_attribute':
    case 'delegate_declaration':
      return [];
    default: {
      if (node.type.startsWith('preproc_')) return [];
      const plain = context.plainStatement(node, label);
      if (plain !== null) return plain;
      if (!CLASS.test(node.type)) return [evaluate(node, context.expression(node))];
      const known = context.outlines.find((outline) => outline.node === node);
      lowerClass(context, known ?? declareClass(context, node, context.textAt(node, 'name')));
      return [];
    }
  }
}

/** What a statement opens or holds for its block. */
function openedBy(context: Context, node: TreeNode): Statement[] {
  if (node.type === 'variable_declaration') return declarationsOf(context, node);
  return [evaluate(node, context.expression(node))];
}

function declarationsOf(context: Context, node: TreeNode | null): Statement[] {
  const type = typeOf(context, part(node, 'type'));
  const all = node?.children.filter((one) => one.type === 'variable_declarator') ?? [];
  return all.flatMap((one): Statement[] => {
    const written = writtenIn(one);
    const value = written === null ? null : context.valueAs(written, type);
    const places = typed(one, 'tuple_pattern');
    if (places !== null && value !== null) return takenApart(context, places, value);
    const name = part(one, 'name');
    if (name === null) return [];
    return [declaration(name, context.declare(context.textOf(name)), value, type)];
  });
}

function loopOf(context: Context, node: TreeNode, label: string | null): Statement[] {
  const before = parts(node, 'initializer').flatMap((one) => openedBy(context, one));
  const test = context.optionalAt(node, 'condition');
  const body = context.body(part(node, 'body'));
  const step = context.expressionsOf(parts(node, 'update'));
  return [...before, loop(node, test, body, { step, label })];
}

function eachOf(context: Context, node: TreeNode, label: string | null): Statement[] {
  const of = context.expressionAt(node, 'right');
  const type = typeOf(context, part(node, 'type'));
  const left = part(node, 'left') ?? node;
  const span = spanOf(left);
  const names = left.children.filter((one) => one.type === 'identifier');
  const [first, second] = names;
  const rest = { type, of, label };
  // `foreach (var (key, value) in table)`
  if (left.type === 'tuple_pattern' && names.length === 2 && left.children.length === 2) {
    const key = context.declare(context.textOf(first ?? left));
    const variable = context.declare(context.textOf(second ?? left));
    const body = context.body(part(node, 'body'));
    return [{ ...span, ...rest, form: 'each', variable, key, type: null, body }];
  }
  const isName = left.type === 'identifier';
  const variable = isName ? context.declare(context.textOf(left)) : context.temporary();
  const item = { ...span, form: 'load', variable } as const;
  const taken = isName ? [] : takenApart(context, left, item);
  const body = [...taken, ...context.body(part(node, 'body'))];
  return [{ ...span, ...rest, form: 'each', variable, body }];
}

function tryOf(context: Context, node: TreeNode): Statement {
  const body = context.body(part(node, 'body'));
  const clauses = node.children.filter(({ type }) => type === 'catch_clause');
  const handlers = clauses.map(
    (clause): Handler =>
      context.within(null, () => {
        const name = part(typed(clause, 'catch_declaration'), 'name');
        const variable = name === null ? null : context.declare(context.textOf(name));
        const filter = typed(clause, 'catch_filter_clause');
        const tested = filter === null ? null : context.firstOf(filter);
        const before = tested === null ? [] : [evaluate(tested, tested)];
        return { variable, body: [...before, ...context.body(part(clause, 'body'))] };
      }),
  );
  const last = context.body(typed(typed(node, 'finally_clause'), 'block'));
  return { ...spanOf(node), form: 'try', body, handlers, last };
}
