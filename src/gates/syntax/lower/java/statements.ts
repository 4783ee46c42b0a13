import type { Handler, Statement } from '../../il/il.ts';
import { part, parts, type TreeNode, typed } from '../../parse/tree.ts';
import { block, declaration, loop, spanOf } from '../forms.ts';
import type { Context } from './context.ts';
import { annotationsOf, CLASS, declareClass, lowerClass } from './declarations.ts';
import { give, switchOf } from './switches.ts';
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
    case 'expression_statement':
      return children.map((child) => evaluated(context, child));
    case 'local_variable_declaration':
      return declarationsOf(context, node);
    case 'block':
    case 'constructor_body':
    case 'ERROR':
      return [block(node, context.body(node), label)];
    case 'synchronized_statement': {
      const lock = children.filter(({ field }) => field !== 'body');
      const held = lock.map((child) => evaluated(context, child));
      return [...held, block(node, context.body(part(node, 'body')), label)];
    }
    case 'for_statement':
      return context.within(null, () => loopOf(context, node, label));
    case 'enhanced_for_statement':
      return context.within(null, () => eachOf(context, node, label));
    case 'switch_expression': {
      const inner = switchOf(context, node, null);
      return label === null ? inner : [block(node, inner, label)];
    }
    case 'try_statement':
    case 'try_with_resources_statement':
      return [context.within(null, () => tryOf(context, node))];
    case 'yield_statement': {
      const value = context.firstOf(node);
      const { yields } = context;
      return yields === null
        ? [{ ...span, form: 'return', value }]
        : give(yields.result, value, yields.label);
    }
    case 'break_statement':
    case 'continue_statement': {
      const [name] = children;
      const form = node.type === 'break_statement' ? 'break' : 'continue';
      return [{ ...span, form, label: name === undefined ? null : context.textOf(name) }];
    }
    case 'assert_statement': {
      const said = children.slice(1).map((child) => evaluated(context, child));
      return [...said, { ...span, form: 'assert', test: context.firstOf(node) }];
    }
    case 'import_declaration':
    case 'package_declaration':
    case 'module_declaration':
      return [];
    default: {
      const plain = context.plainStatement(node, label);
      if (plain !== null) return plain;
      if (!CLASS.test(node.type)) return [evaluated(context, node)];
      lowerClass(context, outlineOf(context, node));
      return [];
    }
  }
}

/** A class within a method; classes within classes are declared before. */
function outlineOf(context: Context, node: TreeNode) {
  const known = context.outlines.find((outline) => outline.node === node);
  return known ?? declareClass(context, node, context.textAt(node, 'name'));
}

/** A call that ends the program is the end of what stands before it. */
const ENDS = /^System\s*\.\s*exit\b/;

function evaluated(context: Context, node: TreeNode): Statement {
  const value = context.expression(node);
  const isEnd = ENDS.test(context.textOf(node));
  return { ...spanOf(node), form: isEnd ? 'throw' : 'evaluate', value };
}

function declarationsOf(context: Context, node: TreeNode): Statement[] {
  const type = typeOf(context, part(node, 'type'));
  const annotations = annotationsOf(context, node);
  return parts(node, 'declarator').flatMap((one): Statement[] => {
    const name = part(one, 'name');
    if (name === null) return [];
    const value = context.optionalAt(one, 'value');
    const variable = context.declare(context.textOf(name));
    return [{ ...spanOf(name), form: 'declare', variable, type, value, annotations }];
  });
}

function loopOf(context: Context, node: TreeNode, label: string | null): Statement[] {
  const before = parts(node, 'init').flatMap((one) =>
    one.type === 'local_variable_declaration'
      ? declarationsOf(context, one)
      : [evaluated(context, one)],
  );
  const test = context.optionalAt(node, 'condition');
  const body = context.body(part(node, 'body'));
  const step = context.expressionsOf(parts(node, 'update'));
  return [...before, loop(node, test, body, { step, label })];
}

function eachOf(context: Context, node: TreeNode, label: string | null): Statement[] {
  const of = context.expressionAt(node, 'value');
  const type = typeOf(context, part(node, 'type'));
  const variable = context.declare(context.textAt(node, 'name'));
  const span = spanOf(part(node, 'name') ?? node);
  const body = context.body(part(node, 'body'));
  return [{ ...span, form: 'each', variable, type, of, body, label }];
}

function tryOf(context: Context, node: TreeNode): Statement {
  const opened = (part(node, 'resources')?.children ?? []).flatMap((resource): Statement[] => {
    const name = part(resource, 'name');
    if (name === null) return resource.children.map((child) => evaluated(context, child));
    const value = context.expressionAt(resource, 'value');
    const type = typeOf(context, part(resource, 'type'));
    return [declaration(name, context.declare(context.textOf(name)), value, type)];
  });
  const body = [...opened, ...context.body(part(node, 'body'))];
  const clauses = node.children.filter(({ type }) => type === 'catch_clause');
  const handlers = clauses.map(
    (clause): Handler =>
      context.within(null, () => {
        const name = part(typed(clause, 'catch_formal_parameter'), 'name');
        const variable = name === null ? null : context.declare(context.textOf(name));
        return { variable, body: context.body(part(clause, 'body')) };
      }),
  );
  const last = context.body(typed(typed(node, 'finally_clause'), 'block'));
  return { ...spanOf(node), form: 'try', body, handlers, last };
}
