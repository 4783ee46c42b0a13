import type { ClassId, Statement } from '../../il/il.ts';
import {
  bare,
  child,
  childNodes,
  field,
  fixedName,
  isFunction,
  list,
  type SyntaxNode,
  text,
} from '../../parse/swc-node.ts';
import { classWith } from '../forms.ts';
import type { Context, Source } from './context.ts';
import { moduleNamed } from './names.ts';

/** Notes which names are assigned and which are declared anywhere in a tree; without recursion. */
export function noteNames(context: Context, root: SyntaxNode): void {
  const { assigned, declared } = context;
  const waiting: SyntaxNode[] = [root];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    switch (node.type) {
      case 'AssignmentExpression':
        for (const { name } of boundNames(child(node, 'left'))) assigned.add(name);
        break;
      case 'UpdateExpression':
        for (const { name } of boundNames(child(node, 'argument'))) assigned.add(name);
        break;
      case 'ForInStatement':
      case 'ForOfStatement':
        for (const { name } of boundNames(child(node, 'left'))) assigned.add(name);
        break;
      case 'VariableDeclarator':
        for (const { name } of boundNames(child(node, 'id'))) declared.add(name);
        break;
      case 'Parameter':
        for (const { name } of boundNames(child(node, 'pat'))) declared.add(name);
        break;
      case 'CatchClause':
        for (const { name } of boundNames(child(node, 'param'))) declared.add(name);
        break;
      case 'ArrowFunctionExpression':
        for (const param of list(node, 'params'))
          for (const { name } of boundNames(param)) declared.add(name);
        break;
      default: {
        const name = text(child(node, 'identifier') ?? child(node, 'local'), 'value');
        if (name !== '') declared.add(name);
      }
    }
    addChildren(node, waiting);
  }
}

/** As `childNodes`, without a generator: it is done for all nodes of a file. */
function addChildren(node: SyntaxNode, waiting: SyntaxNode[]): void {
  for (const key in node) {
    const value = field(node, key);
    if (typeof value !== 'object' || value === null || key === 'span') continue;
    for (const item of Array.isArray(value) ? value : [value]) {
      if (typeof item === 'object' && item !== null) waiting.push(item as SyntaxNode);
    }
  }
}

/** A name in a pattern, and the members that lead to it; null: they are not all known. */
interface BoundName {
  readonly name: string;
  readonly keys: readonly string[] | null;
}

/** The names that a pattern gives to parts of a value. */
export function* boundNames(
  pattern: SyntaxNode | null,
  keys: readonly string[] | null = [],
): Generator<BoundName> {
  const inner = bare(pattern);
  switch (inner?.type) {
    case 'Identifier':
      yield { name: text(inner, 'value'), keys };
      return;
    case 'TsParameterProperty':
      yield* boundNames(child(inner, 'param'), null);
      return;
    case 'AssignmentPattern':
      yield* boundNames(child(inner, 'left'), null);
      return;
    case 'RestElement':
      yield* boundNames(child(inner, 'argument'), null);
      return;
    case 'ArrayPattern':
      for (const element of list(inner, 'elements')) yield* boundNames(element, null);
      return;
    case 'ObjectPattern':
      for (const property of list(inner, 'properties')) {
        if (property?.type === 'RestElement') yield* boundNames(property, null);
        else {
          const key = child(property, 'key');
          const name = fixedName(key);
          const isPlain = keys !== null && name !== null;
          const value = child(property, 'value');
          const isShort = property?.type === 'AssignmentPatternProperty';
          const own = isPlain && !(isShort && value !== null) ? [...keys, name] : null;
          yield* boundNames(isShort ? key : value, own);
        }
      }
  }
}

/** The declaration of an `export` statement; another statement itself. */
function declarationOf(node: SyntaxNode | null): SyntaxNode | null {
  if (node?.type === 'ExportDeclaration') return child(node, 'declaration');
  return node?.type === 'ExportDefaultDeclaration' ? child(node, 'decl') : node;
}

/**
 * Statements without what was put around them: a hunk from the middle of a function is parsed
 * within a function and a loop of the parser's own, but says nothing of either.
 */
export function unwrapped(
  context: Context,
  statements: readonly (SyntaxNode | null)[],
): SyntaxNode[] {
  return statements.flatMap((node) => {
    if (node === null) return [];
    const body = context.isSynthetic(node) ? child(node, 'body') : null;
    const isWrap = /^(?:FunctionDeclaration|ForStatement)$/.test(node.type ?? '');
    if (!isWrap || body === null || !context.isSynthetic(body)) return [node];
    return unwrapped(context, list(body, 'stmts'));
  });
}

/** Declares the names of a block before its statements are lowered. */
export function declareAll(
  context: Context,
  statements: readonly SyntaxNode[],
  isFunctionBody: boolean,
): void {
  if (isFunctionBody) for (const statement of statements) hoistVariables(context, statement);
  for (const statement of statements) declareNames(context, declarationOf(statement));
}

/** The functions of a block, which all of it sees; its names are declared by now. */
export function functionsOf(context: Context, statements: readonly SyntaxNode[]): Statement[] {
  return statements.flatMap((statement) => hoistFunction(context, declarationOf(statement)));
}

/** What `var` declares in blocks within a function, other functions left out. */
function hoistVariables(context: Context, root: SyntaxNode): void {
  const waiting: SyntaxNode[] = [root];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    const isVariables = node.type === 'VariableDeclaration' && text(node, 'kind') === 'var';
    if (isVariables) declareVariables(context, list(node, 'declarations'));
    if (isFunction(node) || !HOLDS_STATEMENTS.test(node.type ?? '')) continue;
    waiting.push(...childNodes(node));
  }
}

const HOLDS_STATEMENTS = /(?:Statement|SwitchCase|CatchClause|ExportDeclaration)$/;

function declareVariables(context: Context, declarators: readonly (SyntaxNode | null)[]): void {
  for (const declarator of declarators) {
    const from = child(declarator, 'init');
    for (const { name, keys } of boundNames(child(declarator, 'id'))) {
      const source: Source | null = from === null || keys === null ? null : { from, keys };
      const isClass =
        source !== null && keys?.length === 0 && bare(from)?.type === 'ClassExpression';
      const ownClass =
        isClass && bare(from) !== null ? declareClass(context, bare(from), name) : null;
      context.declare(name, { source, ownClass });
    }
  }
}

function declareNames(context: Context, node: SyntaxNode | null): void {
  if (node === null) return;
  const name = text(child(node, 'identifier') ?? child(node, 'id'), 'value');
  switch (node.type) {
    case 'VariableDeclaration':
      if (text(node, 'kind') !== 'var') declareVariables(context, list(node, 'declarations'));
      return;
    case 'UsingDeclaration':
      declareVariables(context, list(node, 'decls'));
      return;
    case 'FunctionDeclaration':
    case 'FunctionExpression':
      if (name !== '') declareFunction(context, name);
      return;
    case 'ClassExpression':
      if (name !== '') context.declare(name, { ownClass: declareClass(context, node, name) });
      return;
    case 'ClassDeclaration':
    case 'TsEnumDeclaration':
      context.declare(name, { ownClass: declareClass(context, node, name) });
      return;
    case 'TsInterfaceDeclaration': {
      const known = context.scope.types.get(name)?.ownClass ?? null;
      const ownClass = known ?? declareClass(context, node, name);
      context.scope.types.set(name, { ownClass, alias: null });
      return;
    }
    case 'TsTypeAliasDeclaration': {
      const alias = child(node, 'typeAnnotation');
      const isObject = alias?.type === 'TsTypeLiteral';
      const ownClass = isObject ? declareClass(context, node, name) : null;
      context.scope.types.set(name, { ownClass, alias: isObject ? null : alias });
      return;
    }
    case 'TsModuleDeclaration':
    case 'TsNamespaceDeclaration':
      if (child(node, 'id')?.type === 'Identifier') context.declare(name);
      return;
    case 'ImportDeclaration':
      declareImports(context, node);
      return;
    case 'TsImportEqualsDeclaration': {
      const reference = child(node, 'moduleRef');
      const module = text(child(reference, 'expression'), 'value');
      const from = module === '' ? reference : moduleNamed(module);
      if (from !== null) context.declare(name, { source: { from, keys: [] } });
    }
  }
}

/** A function in a block is seen in the whole function around it. */
function declareFunction(context: Context, name: string): void {
  const outer = context.functionScope();
  const isTaken = outer.names.has(name) && outer !== context.scope;
  context.declare(name, {}, isTaken ? context.scope : outer);
}

/** `import { a as b } from 'c'`: `b` is `c.a`. */
function declareImports(context: Context, node: SyntaxNode): void {
  const source = child(node, 'source');
  const module = context.isSynthetic(source) ? null : moduleNamed(text(source, 'value'));
  for (const specifier of list(node, 'specifiers')) {
    const local = text(child(specifier, 'local'), 'value');
    const imported = text(child(specifier, 'imported'), 'value') || local;
    const isNamed = specifier?.type === 'ImportSpecifier';
    const keys = isNamed ? [imported] : [];
    context.declare(local, { source: module === null ? null : { from: module, keys } });
  }
}

/** Classes by their nodes, before anything of them is lowered. */
const OUTLINES = new WeakMap<SyntaxNode, ClassId>();

/** The number of a class; its body is lowered where it stands. */
export function declareClass(context: Context, node: SyntaxNode | null, name: string): ClassId {
  const known = node === null ? undefined : OUTLINES.get(node);
  if (known !== undefined) return known;
  const id = context.classes.length;
  const self = context.temporary('this');
  context.classes.push(classWith(context.spanOf(node), { id, name, self }));
  if (node !== null) OUTLINES.set(node, id);
  return id;
}

function hoistFunction(context: Context, node: SyntaxNode | null): Statement[] {
  const isFunction = /^Function(?:Declaration|Expression)$/.test(node?.type ?? '');
  const name = text(child(node, 'identifier'), 'value');
  if (node === null || !isFunction || name === '' || child(node, 'body') === null) return [];
  const id = context.parts.closure(context, node, name);
  const { variable } = context.find(name) ?? context.declare(name);
  const { start, end } = context.spanOf(node);
  return [{ start, end, form: 'function', variable, id }];
}
