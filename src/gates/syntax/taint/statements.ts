import { bind, directiveOf } from './bindings.ts';
import { isKnownName } from './callee.ts';
import { readCondition, readValidator } from './checks.ts';
import { callableOf, functionValue, noteResult } from './functions.ts';
import { child, field, fixedName, list, memberPath, type SyntaxNode, text } from './node.ts';
import { narrow, newScope, type Run, type Scope, typedValue, withGuards, within } from './run.ts';
import { collectExports, exported, importDeclaration, importEquals } from './sources.ts';
import { constant, outside, UNKNOWN, type Value } from './value.ts';

type Handler = (run: Run, node: SyntaxNode) => Value;

/** Statements and declarations by node type. They have no value of their own. */
export const STATEMENTS: ReadonlyMap<string, Handler> = new Map(
  Object.entries<Handler>({
    Module: (run, node) => block(run, list(node, 'body'), true),
    Script: (run, node) => block(run, list(node, 'body'), true),
    BlockStatement: (run, node) => body(run, node),
    FunctionBody: (run, node) => body(run, node),
    TsModuleBlock: (run, node) => block(run, list(node, 'body'), false),
    ExpressionStatement: (run, node) => {
      const expression = child(node, 'expression');
      run.evaluate(expression);
      keep(run.scope, readValidator(run, expression));
      return UNKNOWN;
    },
    ReturnStatement: (run, node) => {
      // What was checked here stays so for the caller.
      const argument = child(node, 'argument');
      const value = run.evaluate(argument);
      noteResult(run, argument, value);
      run.returns.push(withGuards(run.scope, value));
      return UNKNOWN;
    },
    VariableDeclaration: (run, node) => variables(run, list(node, 'declarations')),
    UsingDeclaration: (run, node) => variables(run, list(node, 'decls')),
    FunctionDeclaration: declaredFunction,
    ClassDeclaration: classBody,
    ClassExpression: classBody,
    IfStatement: ifStatement,
    SwitchStatement: switchStatement,
    ForStatement: forStatement,
    ForInStatement: forEach,
    ForOfStatement: forEach,
    WhileStatement: whileStatement,
    DoWhileStatement: whileStatement,
    TryStatement: tryStatement,
    ImportDeclaration: importDeclaration,
    TsImportEqualsDeclaration: importEquals,
    ExportDeclaration: (run, node) => exported(run, child(node, 'declaration')),
    ExportDefaultDeclaration: (run, node) => exported(run, child(node, 'decl')),
    ExportDefaultExpression: (run, node) => exported(run, child(node, 'expression')),
    TsExportAssignment: (run, node) => exported(run, child(node, 'expression')),
  }),
);

function body(run: Run, node: SyntaxNode): Value {
  const statements = list(node, 'stmts');
  if (run.isSynthetic(node)) return block(run, statements, true);
  return within(run, false, () => {
    block(run, statements, false);
    // A function that comes to its end returns nothing.
    if (run.proofs?.body === node && !exits(node)) noteResult(run, null, UNKNOWN);
    return UNKNOWN;
  });
}

/** Statements of one scope: names first, then the code, then the functions declared in it. */
function block(run: Run, statements: readonly (SyntaxNode | null)[], isOutermost: boolean): Value {
  if (isOutermost) {
    run.isServerModule ||= directiveOf(statements[0] ?? null) === 'use server';
    collectExports(run, statements);
  }
  for (const statement of statements) declare(run, statement);
  for (const statement of statements) if (!isDeferred(run, statement)) run.evaluate(statement);
  for (const statement of statements) if (isDeferred(run, statement)) run.evaluate(statement);
  return UNKNOWN;
}

/** Functions see what the scope holds in the end, constants declared after them too. */
function isDeferred(run: Run, statement: SyntaxNode | null): boolean {
  const inner = statement?.type?.startsWith('Export') ? exportedNode(statement) : statement;
  const type = inner?.type;
  return (type === 'FunctionDeclaration' || type === 'ClassDeclaration') && statement !== null
    ? !run.isSynthetic(statement)
    : false;
}

function exportedNode(statement: SyntaxNode): SyntaxNode | null {
  return child(statement, 'declaration') ?? child(statement, 'decl');
}

/** Makes names known before code that uses them: functions, and constants with literal values. */
function declare(run: Run, statement: SyntaxNode | null): void {
  const inner = statement?.type?.startsWith('Export') ? exportedNode(statement) : statement;
  if (inner === null || run.isSynthetic(inner)) return;
  const name = text(child(inner, 'identifier'), 'value');
  if (inner.type === 'FunctionDeclaration') {
    run.scope.values.set(name, { ...UNKNOWN, callable: callableOf(run, inner, name) });
  } else if (inner.type === 'ClassDeclaration') run.scope.values.set(name, UNKNOWN);
  else if (inner.type === 'ImportDeclaration') importDeclaration(run, inner);
  else if (inner.type === 'VariableDeclaration') {
    const isConst = text(inner, 'kind') === 'const';
    for (const declarator of list(inner, 'declarations')) {
      hideKnownName(run, text(child(declarator, 'id'), 'value'));
      if (isConst) declareConstant(run, declarator);
    }
  }
}

/** What the scope declares is not what everybody knows by the name, before its line either. */
function hideKnownName(run: Run, name: string): void {
  const { values } = run.scope;
  if (isKnownName(name) && !values.has(name)) values.set(name, UNKNOWN);
}

function declareConstant(run: Run, declarator: SyntaxNode | null): void {
  const id = child(declarator, 'id');
  const init = child(declarator, 'init');
  if (id?.type !== 'Identifier') return;
  if (init?.type === 'StringLiteral')
    run.scope.values.set(text(id, 'value'), constant(text(init, 'value')));
  else if (init?.type === 'NumericLiteral') {
    run.scope.values.set(text(id, 'value'), constant(String(field(init, 'value'))));
  }
}

function variables(run: Run, declarators: readonly (SyntaxNode | null)[]): Value {
  for (const declarator of declarators) {
    const id = child(declarator, 'id');
    const init = child(declarator, 'init');
    const name = id?.type === 'Identifier' ? text(id, 'value') : '';
    const outer = run.isExporting;
    run.isExporting = outer || run.exportedNames.has(name);
    const value =
      init !== null && isPlainFunction(init) ? namedFunction(run, init, name) : run.evaluate(init);
    run.isExporting = outer;
    if (value.role === 'random' && declarator !== null)
      showDeclaration(run, declarator, name, value);
    bind(run, id, value, 'declare');
  }
  return UNKNOWN;
}

/** What is declared counts as assigned where only the name tells what it is for. */
function showDeclaration(run: Run, node: SyntaxNode, name: string, value: Value): void {
  const nothing = { object: UNKNOWN, objectPath: null, keys: [null, null] } as const;
  run.observer.onAssign({ name, ...nothing, value, safetyOf: () => null }, node);
}

function isPlainFunction(node: SyntaxNode): boolean {
  return node.type === 'ArrowFunctionExpression' || node.type === 'FunctionExpression';
}

/** Functions are evaluated where they stand; the name holds nothing but what can be called. */
function namedFunction(run: Run, node: SyntaxNode, name: string): Value {
  const { callable } = functionValue(run, node, name);
  return { ...UNKNOWN, callable };
}

function declaredFunction(run: Run, node: SyntaxNode): Value {
  if (run.isSynthetic(node)) return run.evaluate(child(node, 'body'));
  const name = text(child(node, 'identifier'), 'value');
  const outer = run.isExporting;
  run.isExporting = outer || run.exportedNames.has(name);
  functionValue(run, node, name);
  run.isExporting = outer;
  return UNKNOWN;
}

function classBody(run: Run, node: SyntaxNode): Value {
  const name = text(child(node, 'identifier'), 'value');
  const isExported = run.isExporting || run.exportedNames.has(name);
  run.evaluate(child(node, 'superClass'));
  decorators(run, node);
  const outer = run.scope;
  run.scope = newScope(outer, false, true);
  try {
    const members = list(node, 'body');
    for (const member of members) declareMethod(run, member);
    for (const member of members) if (member !== null) classMember(run, member, isExported);
  } finally {
    run.scope = outer;
  }
  run.isExporting = false;
  return UNKNOWN;
}

/** Methods call each other whatever their order. */
function declareMethod(run: Run, member: SyntaxNode | null): void {
  if (member?.type === 'Constructor') declareFields(run, member);
  const method = child(member, 'function');
  const name = fixedName(child(member, 'key'));
  if (method === null || name === null || member === null || run.isSynthetic(member)) return;
  const callable = callableOf(run, method, name);
  narrow(run.scope, `this.${name}`, { ...UNKNOWN, callable });
}

/** `constructor(private readonly pool: Pool)` */
function declareFields(run: Run, node: SyntaxNode): void {
  for (const raw of list(node, 'params')) {
    const param = child(raw, 'param');
    const typed = raw?.type === 'TsParameterProperty' ? typedValue(run, param, UNKNOWN) : UNKNOWN;
    if (typed !== UNKNOWN) narrow(run.scope, `this.${text(param, 'value')}`, typed);
  }
}

function classMember(run: Run, member: SyntaxNode, isExported: boolean): void {
  const key = child(member, 'key');
  const isPrivate = key?.type === 'PrivateName' || text(member, 'accessibility') === 'private';
  if (key?.type === 'Computed') run.evaluate(child(key, 'expression'));
  decorators(run, member);
  const method = child(member, 'function') ?? (member.type === 'Constructor' ? member : null);
  if (method !== member) decorators(run, method);
  for (const param of list(method, 'params')) decorators(run, param);
  if (method === null) {
    run.isExporting = isExported && !isPrivate;
    const value = run.evaluate(child(member, 'value') ?? child(member, 'body'));
    const name = fixedName(key);
    const known = value === UNKNOWN ? typedValue(run, member, value) : value;
    if (name !== null) narrow(run.scope, `this.${name}`, known);
    return;
  }
  if (run.isSynthetic(member)) {
    run.evaluate(child(method, 'body'));
    return;
  }
  run.isExporting = isExported && !isPrivate;
  functionValue(run, method, fixedName(key) ?? '');
  run.isExporting = false;
}

/** They are run where they stand, before what they decorate. */
function decorators(run: Run, node: SyntaxNode | null): void {
  for (const decorator of list(node, 'decorators')) run.evaluate(child(decorator, 'expression'));
}

function ifStatement(run: Run, node: SyntaxNode): Value {
  const test = child(node, 'test');
  const consequent = child(node, 'consequent');
  const alternate = child(node, 'alternate');
  run.evaluate(test);
  const found = readCondition(run, test);
  const outer = run.scope;
  branch(run, consequent, found.whenTrue);
  branch(run, alternate, found.whenFalse);
  // What one branch leaves behind holds after the statement.
  if (exits(consequent)) keep(outer, found.whenFalse);
  else if (alternate !== null && exits(alternate)) keep(outer, found.whenTrue);
  return UNKNOWN;
}

function branch(run: Run, node: SyntaxNode | null, known: ReadonlyMap<string, Value>): void {
  within(run, true, (scope) => {
    keep(scope, known);
    run.evaluate(node);
  });
}

function keep(scope: Scope, known: ReadonlyMap<string, Value>): void {
  for (const [path, value] of known) narrow(scope, path, value);
}

/** Whether nothing after the statement runs once it has run. */
function exits(node: SyntaxNode | null): boolean {
  switch (node?.type) {
    case 'ReturnStatement':
    case 'ThrowStatement':
    case 'ContinueStatement':
    case 'BreakStatement':
      return true;
    case 'BlockStatement':
    case 'FunctionBody':
      return list(node, 'stmts').some(exits);
    case 'IfStatement':
      return exits(child(node, 'consequent')) && exits(child(node, 'alternate'));
    case 'ExpressionStatement': {
      const callee = child(child(node, 'expression'), 'callee');
      return memberPath(callee) === 'process.exit';
    }
    default:
      return false;
  }
}

function switchStatement(run: Run, node: SyntaxNode): Value {
  const discriminant = child(node, 'discriminant');
  run.evaluate(discriminant);
  // Whether code may fall into the next case from \`default\`, for which nothing was compared.
  let isOpen = false;
  for (const part of list(node, 'cases')) {
    const test = child(part, 'test');
    run.evaluate(test);
    isOpen ||= test === null;
    within(run, true, (scope) => {
      if (test !== null && discriminant !== null && !isOpen) {
        const equal = {
          type: 'BinaryExpression',
          operator: '===',
          left: discriminant,
          right: test,
        };
        keep(scope, readCondition(run, equal).whenTrue);
      }
      block(run, list(part, 'consequent'), false);
    });
    if (list(part, 'consequent').some(exits)) isOpen = false;
  }
  return UNKNOWN;
}

/** Loops are evaluated twice, for what one round leaves to the next; those within, once a round. */
function loop(run: Run, round: () => void): Value {
  const isInLoop = run.isInLoop;
  run.isInLoop = true;
  within(run, true, round);
  if (!isInLoop) within(run, true, round);
  run.isInLoop = isInLoop;
  return UNKNOWN;
}

function forStatement(run: Run, node: SyntaxNode): Value {
  if (run.isSynthetic(node)) return run.evaluate(child(node, 'body'));
  return loop(run, () => {
    run.evaluate(child(node, 'init'));
    run.evaluate(child(node, 'test'));
    run.evaluate(child(node, 'body'));
    run.evaluate(child(node, 'update'));
  });
}

function whileStatement(run: Run, node: SyntaxNode): Value {
  return loop(run, () => {
    run.evaluate(child(node, 'test'));
    run.evaluate(child(node, 'body'));
  });
}

function forEach(run: Run, node: SyntaxNode): Value {
  const isKeys = node.type === 'ForInStatement';
  return loop(run, () => {
    const given = run.evaluate(child(node, 'right'));
    // `for await (const chunk of req)`
    const isBody = !isKeys && (given.role === 'request' || given.role === 'socket');
    const line = run.lineOf(node);
    const right = isBody ? outside('strong', 'body of the request', line) : given;
    const isTelling = right.source !== null || right.isTrusted || right.role === 'archive';
    const element = isKeys || isTelling ? { ...right, elements: null } : UNKNOWN;
    const left = child(node, 'left');
    const [declarator] = list(left, 'declarations');
    const value = { ...element, properties: null };
    if (declarator === undefined) bind(run, left, value, 'assign');
    else bind(run, child(declarator, 'id'), value, 'declare');
    run.evaluate(child(node, 'body'));
  });
}

function tryStatement(run: Run, node: SyntaxNode): Value {
  run.evaluate(child(node, 'block'));
  const handler = child(node, 'handler');
  within(run, true, () => {
    bind(run, child(handler, 'param'), UNKNOWN, 'declare');
    run.evaluate(child(handler, 'body'));
  });
  run.evaluate(child(node, 'finalizer'));
  return UNKNOWN;
}
