import type { CallSite } from '../sinks/sink.ts';
import type { SyntaxNode } from './node.ts';
import { newScope, type Scope } from './scope.ts';
import type { Value } from './value.ts';

/** One pass over a fragment's trees: where it stands, and how its parts reach each other. */
export interface Run {
  scope: Scope;
  /** Evaluates any node: expression, statement, pattern of types. Visits all that is in it. */
  evaluate(node: SyntaxNode | null): Value;
  /** The same for an argument: a function's parameters are what the call says of them. */
  evaluateWith(node: SyntaxNode | null, known: readonly Value[]): Value;
  /** 1-based line of the new file on which a node starts. */
  lineOf(node: SyntaxNode | null): number;
  /** First and last line of a node. */
  linesOf(node: SyntaxNode): [number, number];
  /** Whether a node stands in the text put before the hunk. */
  isSynthetic(node: SyntaxNode): boolean;
  /** Shows a call to the sinks. */
  onCall(site: CallSite, node: SyntaxNode, argumentNodes: readonly (SyntaxNode | null)[]): void;
  /** Shows a property of an object literal to the sinks. */
  onProperty(name: string, value: Value, node: SyntaxNode): void;
  /** Values returned by the function that is being evaluated. */
  returns: Value[];
  /** The node that is evaluated next is exported: its parameters come from callers elsewhere. */
  isExporting: boolean;
  /** Names that the module exports apart from their declaration. */
  readonly exportedNames: Set<string>;
  /** Within a loop, which is evaluated twice. */
  isInLoop: boolean;
}

/** Runs `inner` in a new scope within the current one. */
export function within<T>(run: Run, isConditional: boolean, inner: (scope: Scope) => T): T {
  const outer = run.scope;
  run.scope = newScope(outer, isConditional);
  try {
    return inner(run.scope);
  } finally {
    run.scope = outer;
  }
}
