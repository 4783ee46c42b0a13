import type { Locator } from '../locator.ts';
import type { CallSite } from '../sinks/sink.ts';
import { EXPRESSIONS, functionValue } from './expressions.ts';
import { isFunction } from './functions.ts';
import { bare, childNodes, type SyntaxNode } from './node.ts';
import type { Run } from './run.ts';
import { newScope, type Scope } from './scope.ts';
import { STATEMENTS } from './statements.ts';
import { UNKNOWN, type Value } from './value.ts';

/** Gets to see the calls and properties of a fragment, with their values. */
export interface Observer {
  onCall(site: CallSite, node: SyntaxNode, argumentNodes: readonly (SyntaxNode | null)[]): void;
  onProperty(name: string, value: Value, node: SyntaxNode): void;
}

/** Nodes of TypeScript that hold code; the others hold types only. */
const CODE_NODES = new Set([
  'TsModuleDeclaration',
  'TsModuleBlock',
  'TsNamespaceDeclaration',
  'TsEnumDeclaration',
  'TsEnumMember',
  'TsExportAssignment',
  'TsImportEqualsDeclaration',
  'TsParameterProperty',
]);

/**
 * Follows values through code, one function at a time: an abstract interpretation of the syntax
 * tree, in the order of the text. Trees of one fragment share their outermost scope.
 */
export class Interpreter implements Run {
  scope: Scope = newScope(null, false);
  returns: Value[] = [];
  isExporting = false;
  isInLoop = false;
  readonly exportedNames = new Set<string>();
  readonly #observer: Observer;
  #locator: Locator;

  constructor(observer: Observer, locator: Locator) {
    this.#observer = observer;
    this.#locator = locator;
  }

  /** Evaluates a whole tree, whose nodes the locator places. */
  run(tree: SyntaxNode, locator: Locator): void {
    this.#locator = locator;
    this.evaluate(tree);
  }

  evaluate(node: SyntaxNode | null): Value {
    const inner = bare(node);
    const type = inner?.type;
    if (inner === null || type === undefined) return UNKNOWN;
    const handler = EXPRESSIONS.get(type) ?? STATEMENTS.get(type);
    if (handler !== undefined) return handler(this, inner);
    if (type.startsWith('Ts') && !CODE_NODES.has(type)) return UNKNOWN;
    for (const part of childNodes(inner)) this.#visit(part);
    return UNKNOWN;
  }

  /** Nodes of no interest, down to those that are; some carry no type at all. */
  #visit(node: SyntaxNode): void {
    if (node.type !== undefined) this.evaluate(node);
    else for (const part of childNodes(node)) this.#visit(part);
  }

  evaluateWith(node: SyntaxNode | null, known: readonly Value[]): Value {
    const inner = bare(node);
    const isCallback = inner !== null && isFunction(inner);
    return isCallback ? functionValue(this, inner, '', known) : this.evaluate(inner);
  }

  lineOf(node: SyntaxNode | null): number {
    return this.#locator.lineAt(node?.span?.start ?? 0);
  }

  linesOf(node: SyntaxNode): [number, number] {
    const { start = 0, end = 0 } = node.span ?? {};
    return [this.#locator.lineAt(start), this.#locator.lineAt(end - 1)];
  }

  isSynthetic(node: SyntaxNode): boolean {
    return node.span !== undefined && this.#locator.isSynthetic(node.span.start);
  }

  onCall(site: CallSite, node: SyntaxNode, argumentNodes: readonly (SyntaxNode | null)[]): void {
    this.#observer.onCall(site, node, argumentNodes);
  }

  onProperty(name: string, value: Value, node: SyntaxNode): void {
    this.#observer.onProperty(name, value, node);
  }
}
