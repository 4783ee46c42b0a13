import { TAINT } from '../../../limits.ts';
import type { Locator } from '../locator.ts';
import { EXPRESSIONS, functionValue } from './expressions.ts';
import { isFunction } from './functions.ts';
import { bare, childNodes, type SyntaxNode } from './node.ts';
import type { Observer, Run } from './run.ts';
import { newScope, type Scope } from './scope.ts';
import { STATEMENTS } from './statements.ts';
import { UNKNOWN, type Value } from './value.ts';

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
 * Follows values through code: an abstract interpretation of the syntax tree, in the order of the
 * text. Every function is evaluated where it stands, and again for calls in sight that give it
 * data from outside. Trees of one fragment share their outermost scope.
 */
export class Interpreter implements Run {
  scope: Scope = newScope(null, false);
  returns: Value[] = [];
  isExporting = false;
  isServerModule = false;
  isInLoop = false;
  readonly exportedNames = new Set<string>();
  readonly calls = {
    active: new Set<SyntaxNode>(),
    returned: new Map<SyntaxNode, Value>(),
    flaws: new Map<SyntaxNode, SyntaxNode | null>(),
    reaching: new Map<SyntaxNode, boolean>(),
    count: 0,
    lostAt: null as number | null,
  };
  readonly observer: Observer;
  #locator: Locator;
  #spent = 0;
  #walked = 0;

  constructor(observer: Observer, locator: Locator) {
    this.observer = observer;
    this.#locator = locator;
  }

  /** Evaluates a whole tree, whose nodes the locator places. */
  run(tree: SyntaxNode, locator: Locator): void {
    this.#locator = locator;
    this.evaluate(tree);
  }

  evaluate(node: SyntaxNode | null): Value {
    // The first time is due to all code; only what is done again is counted.
    if (this.calls.active.size > 0) {
      this.#spent += 1;
      if (this.stepsLeft() <= 0) {
        this.calls.lostAt ??= this.lineOf(node);
        return UNKNOWN;
      }
    }
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

  get home(): unknown {
    return this.#locator;
  }

  stepsLeft(): number {
    return TAINT.STEPS_MAX - this.#spent;
  }

  textOf(node: SyntaxNode): string {
    return this.#locator.textOf(node.span?.start ?? 0, node.span?.end ?? 0);
  }

  mayWalk(): boolean {
    this.#walked += 1;
    return this.#walked <= TAINT.STEPS_MAX;
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
}
