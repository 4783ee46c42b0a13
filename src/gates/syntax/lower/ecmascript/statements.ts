import type { Case, Expression, Handler, Span, Statement, Variable } from '../../il/il.ts';
import { bare, child, field, list, type SyntaxNode, text } from '../../parse/swc-node.ts';
import { block, declaration, evaluate, load, when } from '../forms.ts';
import { lowerClass } from './classes.ts';
import type { Context } from './context.ts';
import { valueNamed } from './expressions.ts';
import { lowerExport, lowerNamespace } from './modules.ts';
import { bind } from './patterns.ts';
import { boundNames, declareAll, functionsOf, unwrapped } from './scopes.ts';
import { annotatedType } from './types.ts';

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

/** `label`: the label before it. */
function statementOf(context: Context, node: SyntaxNode, label: string | null): Statement[] {
  const { start, end } = context.spanOf(node);
  const body = (key: string) => blockOf(context, child(node, key));
  const test = () => context.expression(child(node, 'test'), node);
  switch (node.type) {
    case 'ExpressionStatement':
      return [evaluated(context, child(node, 'expression'), node)];
    case 'VariableDeclaration': {
      const declarators = list(node, 'declarations');
      // A declaration without a first value keeps the value: `var` may stand anywhere.
      const isVar = text(node, 'kind') === 'var';
      const given = declarators.filter((one) => !isVar || child(one, 'init') !== null);
      return given.flatMap((one) => declaratorOf(context, one));
    }
    case 'UsingDeclaration':
      return list(node, 'decls').flatMap((one) => declaratorOf(context, one));
    case 'FunctionDeclaration':
    case 'EmptyStatement':
    case 'DebuggerStatement':
    case 'ImportDeclaration':
    case 'TsNamespaceExportDeclaration':
      return [];
    case 'TsImportEqualsDeclaration':
      return aliasOf(context, node);
    case 'ClassDeclaration':
    case 'TsTypeAliasDeclaration':
    case 'TsInterfaceDeclaration':
    case 'TsEnumDeclaration':
      return lowerClass(context, node);
    case 'TsModuleDeclaration':
    case 'TsNamespaceDeclaration':
      return lowerNamespace(context, node);
    case 'BlockStatement':
      return [{ start, end, form: 'block', label, body: blockOf(context, node) }];
    case 'LabeledStatement': {
      const inner = child(node, 'body');
      const own = text(child(node, 'label'), 'value');
      const lowered = inner === null ? [] : statementOf(context, inner, own);
      return [{ start, end, form: 'block', label: own, body: lowered }];
    }
    case 'IfStatement':
      return ifOf(context, node);
    case 'WhileStatement': {
      const loop = { start, end, form: 'loop', isTestedLast: false, step: [], label } as const;
      return [{ ...loop, test: test(), body: body('body') }];
    }
    case 'DoWhileStatement': {
      const loop = { start, end, form: 'loop', isTestedLast: true, step: [], label } as const;
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
      return [object, { start, end, form: 'block', label, body: body('body') }];
    }
    case 'ReturnStatement':
    case 'ThrowStatement': {
      const argument = child(node, 'argument');
      const form = node.type === 'ReturnStatement' ? 'return' : 'throw';
      const value = argument === null ? null : context.expression(argument, node);
      return [{ start, end, form, value }];
    }
    case 'BreakStatement':
    case 'ContinueStatement': {
      const form = node.type === 'BreakStatement' ? 'break' : 'continue';
      return [{ start, end, form, label: text(child(node, 'label'), 'value') || null }];
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
  return evaluate(context.spanOf(owner), context.expression(node, owner));
}

/** A block, or the only statement of a branch or loop, with names of its own. */
/** `if` with each `else if` behind it: without recursion, as their depth is their length. */
function ifOf(context: Context, node: SyntaxNode): Statement[] {
  const links: { span: Span; test: Expression; yes: Statement[] }[] = [];
  let no: SyntaxNode | null = node;
  for (; no?.type === 'IfStatement'; no = child(no, 'alternate')) {
    if (no !== node) context.size += 1;
    const test = context.expression(child(no, 'test'), no);
    const yes = blockOf(context, child(no, 'consequent'));
    links.push({ span: context.spanOf(no), test, yes });
  }
  return links.reduceRight(
    (rest, { span, test, yes }) => [when(span, test, yes, rest)],
    blockOf(context, no),
  );
}

function blockOf(context: Context, node: SyntaxNode | null): Statement[] {
  if (node === null) return [];
  const isBlock = node.type === 'BlockStatement' || node.type === 'FunctionBody';
  const statements = isBlock ? list(node, 'stmts') : [node];
  return context.within(false, () => lowerBody(context, statements, false));
}

/** `import B = A.B`: a name for what stands in a namespace, or for a module. */
function aliasOf(context: Context, node: SyntaxNode): Statement[] {
  const reference = child(node, 'moduleRef');
  if (reference?.type === 'TsExternalModuleReference') return [];
  const { variable } = context.declare(text(child(node, 'id'), 'value'));
  return [declaration(context.spanOf(node), variable, context.expression(reference, node))];
}

function declaratorOf(context: Context, node: SyntaxNode | null): Statement[] {
  const pattern = bare(child(node, 'id'));
  const init = child(node, 'init');
  const isName = pattern?.type === 'Identifier';
  const name = isName ? text(pattern, 'value') : '';
  if (init !== null) {
    return bind(context, pattern, valueNamed(context, init, node, name), 'declare');
  }
  if (!isName) return [];
  const { variable } = context.find(name) ?? context.declare(name);
  return [declaration(context.spanOf(node), variable, null, annotatedType(context, pattern))];
}

function loopOf(context: Context, node: SyntaxNode, label: string | null): Statement[] {
  const { start, end } = context.spanOf(node);
  const init = child(node, 'init');
  const isDeclaration = /^(?:Variable|Using)Declaration$/.test(init?.type ?? '');
  const first = init === null || isDeclaration ? [] : [evaluated(context, init, init)];
  const before = isDeclaration ? lowerBody(context, [init], false) : first;
  const written = child(node, 'test');
  const update = child(node, 'update');
  const test = written === null ? null : context.expression(written, node);
  const step = update === null ? [] : [context.expression(update, node)];
  const body = blockOf(context, child(node, 'body'));
  return [...before, { start, end, form: 'loop', test, isTestedLast: false, body, step, label }];
}

/** What holds a value that a statement gives, and the statements that take it apart. */
function holderOf(
  context: Context,
  pattern: SyntaxNode | null,
  how: 'declare' | 'assign',
): { readonly variable: Variable; readonly head: readonly Statement[] } {
  const isName = how === 'declare' && pattern?.type === 'Identifier';
  const known = isName ? context.find(text(pattern, 'value')) : null;
  if (known !== null) return { variable: known.variable, head: [] };
  const variable = context.temporary();
  const place = load(context.spanOf(pattern), variable);
  return { variable, head: bind(context, pattern, place, how) };
}

/** `for (const x of list)`, `for (key in object)`. */
function eachOf(context: Context, node: SyntaxNode, label: string | null): Statement {
  const { start, end } = context.spanOf(node);
  const left = child(node, 'left');
  const right = context.expression(child(node, 'right'), node);
  const [declarator = null] = [...list(left, 'declarations'), ...list(left, 'decls')];
  const pattern = declarator === null ? left : child(declarator, 'id');
  if (declarator !== null && text(left, 'kind') !== 'var') {
    for (const { name } of boundNames(pattern)) context.declare(name);
  }
  const { variable, head } = holderOf(context, pattern, declarator === null ? 'assign' : 'declare');
  const body = [...head, ...blockOf(context, child(node, 'body'))];
  const isAwaited = field(node, 'isAwait') === true || child(node, 'await') !== null;
  let of = right;
  if (node.type === 'ForInStatement')
    of = { start, end, form: 'unary', sign: 'keys', operand: right };
  else if (isAwaited) of = { start, end, form: 'await', value: right };
  return { start, end, form: 'each', variable, type: null, of, body, label };
}

function switchOf(context: Context, node: SyntaxNode, label: string | null): Statement {
  const span = context.spanOf(node);
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
    const { start, end } = span;
    const lowered: Statement = { start, end, form: 'switch', subject, cases, label };
    return functions.length === 0 ? lowered : block(span, [...functions, lowered]);
  });
}

function tryOf(context: Context, node: SyntaxNode): Statement {
  const { start, end } = context.spanOf(node);
  const handler = child(node, 'handler');
  const body = blockOf(context, child(node, 'block'));
  const handlers = handler === null ? [] : [handlerOf(context, handler)];
  const last = blockOf(context, child(node, 'finalizer'));
  return { start, end, form: 'try', body, handlers, last };
}

function handlerOf(context: Context, node: SyntaxNode): Handler {
  return context.within(false, () => {
    const pattern = child(node, 'param');
    if (pattern === null) return { variable: null, body: blockOf(context, child(node, 'body')) };
    for (const { name } of boundNames(pattern)) context.declare(name);
    const { variable, head } = holderOf(context, pattern, 'declare');
    return { variable, body: [...head, ...blockOf(context, child(node, 'body'))] };
  });
}
