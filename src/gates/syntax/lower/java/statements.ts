import type { Expression, Handler, Statement } from '../../il/il.ts';
import { part, parts, type TreeNode, typed } from '../../parse/tree.ts';
import type { Context } from './context.ts';
import { annotationsOf, CLASS, declareClass } from './declarations.ts';
import { give, switchOf, yielded } from './switches.ts';
import { typeOf } from './types.ts';

/** Lowers a statement; a declaration of several variables becomes several. */
export function lowerStatement(context: Context, node: TreeNode): Statement[] {
  return statementOf(context, node, null);
}

/** `label`: the one that stands before it. */
function statementOf(context: Context, node: TreeNode, label: string | null): Statement[] {
  const { start, end } = node;
  const span = { start, end };
  const body = (name: string) => context.body(part(node, name));
  const test = () => loweredOr(context, part(node, 'condition'), node);
  switch (node.type) {
    case 'expression_statement':
      return node.children.map((child) => evaluated(context, child));
    case 'local_variable_declaration':
      return declarationsOf(context, node);
    case 'block':
    case 'constructor_body':
    case 'ERROR':
      return [{ ...span, form: 'block', body: context.body(node), label }];
    case 'synchronized_statement': {
      const lock = node.children.filter(({ field }) => field !== 'body');
      const held = lock.map((child) => evaluated(context, child));
      return [...held, { ...span, form: 'block', body: body('body'), label }];
    }
    case 'labeled_statement': {
      const [name, inner] = node.children;
      if (name === undefined || inner === undefined) return [];
      const own = context.textOf(name);
      return [{ ...span, form: 'block', label: own, body: statementOf(context, inner, own) }];
    }
    case 'if_statement': {
      // What a pattern in the condition names is seen behind the statement as well.
      const condition = test();
      const yes = body('consequence');
      return [{ ...span, form: 'if', test: condition, yes, no: body('alternative') }];
    }
    case 'while_statement': {
      const condition = test();
      const loop = { ...span, form: 'loop', isTestedLast: false, step: [], label } as const;
      return [{ ...loop, test: condition, body: body('body') }];
    }
    case 'do_statement': {
      const inner = body('body');
      const loop = { ...span, form: 'loop', isTestedLast: true, step: [], label } as const;
      return [{ ...loop, test: test(), body: inner }];
    }
    case 'for_statement':
      return context.within(null, () => loopOf(context, node, label));
    case 'enhanced_for_statement':
      return context.within(null, () => eachOf(context, node, label));
    case 'switch_expression':
      return [labelled(switchOf(context, node, null), label)];
    case 'try_statement':
    case 'try_with_resources_statement':
      return [context.within(null, () => tryOf(context, node))];
    case 'return_statement':
    case 'throw_statement': {
      const [value] = node.children;
      const form = node.type === 'return_statement' ? 'return' : 'throw';
      return [{ ...span, form, value: value === undefined ? null : context.expression(value) }];
    }
    case 'yield_statement': {
      const value = loweredOr(context, yielded(node), node);
      const { yields } = context;
      return yields === null
        ? [{ ...span, form: 'return', value }]
        : give(yields.result, value, yields.label);
    }
    case 'break_statement':
    case 'continue_statement': {
      const [name] = node.children;
      const form = node.type === 'break_statement' ? 'break' : 'continue';
      return [{ ...span, form, label: name === undefined ? null : context.textOf(name) }];
    }
    case 'assert_statement': {
      const [first, ...rest] = node.children;
      const said = rest.map((child) => evaluated(context, child));
      return [...said, { ...span, form: 'assert', test: loweredOr(context, first ?? null, node) }];
    }
    case 'import_declaration':
    case 'package_declaration':
    case 'module_declaration':
      return [];
    default:
      if (!CLASS.test(node.type)) return [evaluated(context, node)];
      context.parts.innerClass(context, outlineOf(context, node));
      return [];
  }
}

/** A class within a method; those of other classes are declared before. */
function outlineOf(context: Context, node: TreeNode) {
  const known = context.outlines.find((outline) => outline.node === node);
  const name = part(node, 'name');
  return known ?? declareClass(context, node, name === null ? '' : context.textOf(name));
}

function labelled(statement: Statement, label: string | null): Statement {
  const { start, end } = statement;
  return label === null ? statement : { start, end, form: 'block', body: [statement], label };
}

function loweredOr(context: Context, node: TreeNode | null, owner: TreeNode): Expression {
  const { start, end } = owner;
  return node === null
    ? { start, end, form: 'unknown', what: 'missing', children: [] }
    : context.expression(node);
}

/** A call that ends the program is the end of what stands before it. */
const ENDS = /^System\s*\.\s*exit\b/;

function evaluated(context: Context, node: TreeNode): Statement {
  const { start, end } = node;
  const value = context.expression(node);
  const isEnd = ENDS.test(context.textOf(node));
  return { start, end, form: isEnd ? 'throw' : 'evaluate', value };
}

function declarationsOf(context: Context, node: TreeNode): Statement[] {
  const type = typeOf(context, part(node, 'type'));
  const annotations = annotationsOf(context, node);
  return parts(node, 'declarator').flatMap((one): Statement[] => {
    const name = part(one, 'name');
    if (name === null) return [];
    const given = part(one, 'value');
    const value = given === null ? null : context.expression(given);
    const variable = context.declare(context.textOf(name));
    const { start, end } = name;
    return [{ start, end, form: 'declare', variable, type, value, annotations }];
  });
}

function loopOf(context: Context, node: TreeNode, label: string | null): Statement[] {
  const { start, end } = node;
  const before = parts(node, 'init').flatMap((one) =>
    one.type === 'local_variable_declaration'
      ? declarationsOf(context, one)
      : [evaluated(context, one)],
  );
  const condition = part(node, 'condition');
  const test = condition === null ? null : context.expression(condition);
  const body = context.body(part(node, 'body'));
  const step = parts(node, 'update').map((one) => context.expression(one));
  return [...before, { start, end, form: 'loop', test, isTestedLast: false, body, step, label }];
}

function eachOf(context: Context, node: TreeNode, label: string | null): Statement[] {
  const name = part(node, 'name');
  const of = loweredOr(context, part(node, 'value'), node);
  const type = typeOf(context, part(node, 'type'));
  const variable = context.declare(name === null ? '' : context.textOf(name));
  const { start, end } = name ?? node;
  const body = context.body(part(node, 'body'));
  return [{ start, end, form: 'each', variable, type, of, body, label }];
}

function tryOf(context: Context, node: TreeNode): Statement {
  const { start, end } = node;
  const opened = (part(node, 'resources')?.children ?? []).flatMap((resource): Statement[] => {
    const name = part(resource, 'name');
    if (name === null) return resource.children.map((child) => evaluated(context, child));
    const value = loweredOr(context, part(resource, 'value'), resource);
    const type = typeOf(context, part(resource, 'type'));
    const variable = context.declare(context.textOf(name));
    const at = { start: name.start, end: name.end };
    return [{ ...at, form: 'declare', variable, type, value, annotations: [] }];
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
  const last = typed(node, 'finally_clause');
  const block = last === null ? null : typed(last, 'block');
  return { start, end, form: 'try', body, handlers, last: context.body(block) };
}
