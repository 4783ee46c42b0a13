import type { Case, Expression, Handler, Statement } from '../../il/il.ts';
import { bare, child, field, list, type SyntaxNode, text } from '../../taint/node.ts';
import { lowerClass } from './classes.ts';
import type { Context } from './context.ts';
import { testOf, valueNamed } from './expressions.ts';
import { lowerExport, lowerNamespace } from './modules.ts';
import { bind } from './patterns.ts';
import { boundNames, declareAll, functionsOf, unwrapped } from './scopes.ts';

/** Lowers statements of one scope, its functions first. */
export function lowerBody(
  context: Context,
  statements: readonly (SyntaxNode | null)[],
  isFunctionBody: boolean,
): Statement[] {
  const own = unwrapped(context, statements);
  declareAll(context, own, isFunctionBody);
  const functions = functionsOf(context, own);
  return [...functions, ...own.flatMap((node) => context.statement(node))];
}

/** Lowers a statement; a declaration of several variables becomes several. */
export function lowerStatement(context: Context, node: SyntaxNode): Statement[] {
  return statementOf(context, node, null);
}

/** `label`: the one that stands before it. */
function statementOf(context: Context, node: SyntaxNode, label: string | null): Statement[] {
  const span = context.spanOf(node);
  const body = (key: string) => blockOf(context, child(node, key));
  const test = () => testOf(context, child(node, 'test'), node);
  switch (node.type) {
    case 'ExpressionStatement':
      return [evaluated(context, child(node, 'expression'), node)];
    case 'VariableDeclaration':
      return list(node, 'declarations').flatMap((one) => declaratorOf(context, one));
    case 'UsingDeclaration':
      return list(node, 'decls').flatMap((one) => declaratorOf(context, one));
    case 'FunctionDeclaration':
    case 'EmptyStatement':
    case 'DebuggerStatement':
    case 'ImportDeclaration':
    case 'TsImportEqualsDeclaration':
    case 'TsTypeAliasDeclaration':
    case 'TsNamespaceExportDeclaration':
      if (node.type === 'TsTypeAliasDeclaration') lowerClass(context, node);
      return [];
    case 'ClassDeclaration':
    case 'TsInterfaceDeclaration':
    case 'TsEnumDeclaration':
      return lowerClass(context, node);
    case 'TsModuleDeclaration':
    case 'TsNamespaceDeclaration':
      return lowerNamespace(context, node);
    case 'BlockStatement':
      return [{ ...span, form: 'block', label, body: blockOf(context, node) }];
    case 'LabeledStatement': {
      const inner = child(node, 'body');
      const own = text(child(node, 'label'), 'value');
      const lowered = inner === null ? [] : statementOf(context, inner, own);
      return [{ ...span, form: 'block', label: own, body: lowered }];
    }
    case 'IfStatement': {
      const condition = test();
      const yes = body('consequent');
      return [{ ...span, form: 'if', test: condition, yes, no: body('alternate') }];
    }
    case 'WhileStatement': {
      const loop = { ...span, form: 'loop', isTestedLast: false, step: [], label } as const;
      return [{ ...loop, test: test(), body: body('body') }];
    }
    case 'DoWhileStatement': {
      const loop = { ...span, form: 'loop', isTestedLast: true, step: [], label } as const;
      return [{ ...loop, body: body('body'), test: test() }];
    }
    case 'ForStatement':
      return context.within(false, () => loopOf(context, node, label));
    case 'ForInStatement':
    case 'ForOfStatement':
      return [context.within(false, () => eachOf(context, node, label))];
    case 'SwitchStatement':
      return [switchOf(context, node, label)];
    case 'TryStatement':
      return [tryOf(context, node)];
    case 'WithStatement': {
      const object = evaluated(context, child(node, 'object'), node);
      return [object, { ...span, form: 'block', label, body: body('body') }];
    }
    case 'ReturnStatement':
    case 'ThrowStatement': {
      const argument = child(node, 'argument');
      const form = node.type === 'ReturnStatement' ? 'return' : 'throw';
      const value = argument === null ? null : context.expression(argument, node);
      return [{ ...span, form, value }];
    }
    case 'BreakStatement':
    case 'ContinueStatement': {
      const form = node.type === 'BreakStatement' ? 'break' : 'continue';
      return [{ ...span, form, label: text(child(node, 'label'), 'value') || null }];
    }
    case 'ExportDeclaration':
    case 'ExportDefaultDeclaration':
    case 'ExportDefaultExpression':
    case 'ExportNamedDeclaration':
    case 'ExportAllDeclaration':
    case 'TsExportAssignment':
      return lowerExport(context, node);
    default:
      return [evaluated(context, node, node)];
  }
}

function evaluated(context: Context, node: SyntaxNode | null, owner: SyntaxNode): Statement {
  const value = context.expression(node, owner);
  return { ...context.spanOf(owner), form: 'evaluate', value };
}

/** A block, or the only statement of a branch or loop, with names of its own. */
function blockOf(context: Context, node: SyntaxNode | null): Statement[] {
  if (node === null) return [];
  const isBlock = node.type === 'BlockStatement' || node.type === 'FunctionBody';
  return context.within(false, () =>
    lowerBody(context, isBlock ? list(node, 'stmts') : [node], false),
  );
}

function declaratorOf(context: Context, node: SyntaxNode | null): Statement[] {
  const pattern = bare(child(node, 'id'));
  const init = child(node, 'init');
  if (pattern?.type !== 'Identifier') {
    return init === null ? [] : bind(context, pattern, context.expression(init, node), 'declare');
  }
  const name = text(pattern, 'value');
  if (init !== null) {
    return bind(context, pattern, valueNamed(context, init, node, name), 'declare');
  }
  const binding = context.find(name) ?? context.declare(name);
  const { variable } = binding;
  const span = context.spanOf(node);
  return [{ ...span, form: 'declare', variable, type: null, value: null, annotations: [] }];
}

function loopOf(context: Context, node: SyntaxNode, label: string | null): Statement[] {
  const span = context.spanOf(node);
  const init = child(node, 'init');
  const isDeclaration = init?.type === 'VariableDeclaration';
  const before =
    init === null
      ? []
      : isDeclaration
        ? lowerBody(context, [init], false)
        : [evaluated(context, init, init)];
  const test = child(node, 'test');
  const update = child(node, 'update');
  const condition = test === null ? null : testOf(context, test, node);
  const step = update === null ? [] : [context.expression(update, node)];
  const body = blockOf(context, child(node, 'body'));
  const loop = { ...span, form: 'loop', test: condition, isTestedLast: false, body, step } as const;
  return [...before, { ...loop, label }];
}

/** `for (const x of list)`, `for (key in object)`. */
function eachOf(context: Context, node: SyntaxNode, label: string | null): Statement {
  const span = context.spanOf(node);
  const left = child(node, 'left');
  const right = context.expression(child(node, 'right'), node);
  const [declarator] = list(left, 'declarations').concat(list(left, 'decls'));
  const pattern = declarator === undefined ? left : child(declarator, 'id');
  const isDeclared = declarator !== undefined;
  if (isDeclared && text(left, 'kind') !== 'var') {
    for (const { name } of boundNames(pattern)) context.declare(name);
  }
  const isName = isDeclared && pattern?.type === 'Identifier';
  const own = isName ? context.find(text(pattern, 'value')) : null;
  const variable = own?.variable ?? context.temporary();
  const place: Expression = { ...context.spanOf(pattern), form: 'load', variable };
  const head = isName ? [] : bind(context, pattern, place, isDeclared ? 'declare' : 'assign');
  const body = [...head, ...blockOf(context, child(node, 'body'))];
  const of: Expression =
    node.type === 'ForInStatement'
      ? { ...span, form: 'unary', sign: 'keys', operand: right }
      : field(node, 'isAwait') === true || child(node, 'await') !== null
        ? { ...span, form: 'await', value: right }
        : right;
  return { ...span, form: 'each', variable, type: null, of, body, label };
}

function switchOf(context: Context, node: SyntaxNode, label: string | null): Statement {
  const subject = context.expression(child(node, 'discriminant'), node);
  const parts = list(node, 'cases').flatMap((part) => part ?? []);
  return context.within(false, () => {
    const all = parts.flatMap((part) => unwrapped(context, list(part, 'consequent')));
    declareAll(context, all, false);
    const functions = functionsOf(context, all);
    const cases = parts.map((part): Case => {
      const test = child(part, 'test');
      const values = test === null ? null : [context.expression(test, part)];
      const body = list(part, 'consequent').flatMap((one) => context.statement(one));
      return { values, body };
    });
    const span = context.spanOf(node);
    const lowered: Statement = { ...span, form: 'switch', subject, cases, label };
    if (functions.length === 0) return lowered;
    return { ...span, form: 'block', body: [...functions, lowered], label: null };
  });
}

function tryOf(context: Context, node: SyntaxNode): Statement {
  const handler = child(node, 'handler');
  const body = blockOf(context, child(node, 'block'));
  const handlers = handler === null ? [] : [handlerOf(context, handler)];
  const last = blockOf(context, child(node, 'finalizer'));
  return { ...context.spanOf(node), form: 'try', body, handlers, last };
}

function handlerOf(context: Context, node: SyntaxNode): Handler {
  return context.within(false, () => {
    const pattern = child(node, 'param');
    if (pattern === null) return { variable: null, body: blockOf(context, child(node, 'body')) };
    for (const { name } of boundNames(pattern)) context.declare(name);
    const isName = pattern.type === 'Identifier';
    const own = isName ? context.find(text(pattern, 'value')) : null;
    const variable = own?.variable ?? context.temporary();
    const place: Expression = { ...context.spanOf(pattern), form: 'load', variable };
    const head = isName ? [] : bind(context, pattern, place, 'declare');
    return { variable, body: [...head, ...blockOf(context, child(node, 'body'))] };
  });
}
