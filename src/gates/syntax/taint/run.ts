import type { AssignSite, CallSite, PropertySite } from '../sinks/sink.ts';
import type { SyntaxNode } from './node.ts';
import { newScope, type Scope } from './scope.ts';
import type { Value } from './value.ts';

/** Gets to see what may be a sink in a fragment, with the values that reach it. */
export interface Observer {
  onCall(site: CallSite, node: SyntaxNode, argumentNodes: readonly (SyntaxNode | null)[]): void;
  /** A property of an object literal, or an attribute of an element. */
  onProperty(site: PropertySite, node: SyntaxNode): void;
  /** `a.b = value`, `a[b] = value`. */
  onAssign(site: AssignSite, node: SyntaxNode): void;
  /** An assignment by which the function `name` lets keys of data reach a prototype. */
  onPollution(node: SyntaxNode, name: string): void;
}

/** One pass over a fragment's trees: where it stands, and how its parts reach each other. */
export interface Run {
  scope: Scope;
  readonly observer: Observer;
  /** The tree that is being evaluated, as an identity. */
  readonly home: unknown;
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
  /** Evaluations that may still be spent on following calls and looking at whole functions. */
  stepsLeft(): number;
  /** Calls of the fragment's own functions that are being followed, and have been. */
  readonly calls: {
    readonly active: Set<SyntaxNode>;
    /** What each function gave back where it stands. */
    readonly returned: Map<SyntaxNode, Value>;
    /** What is wrong with each function as a whole. */
    readonly flaws: Map<SyntaxNode, SyntaxNode | null>;
    /** Whether functions, or what they call, hold the words of a sink, so far as anyone asked. */
    readonly reaching: Map<SyntaxNode, boolean>;
    count: number;
    /** Line of a function that gets data from outside and was not followed: too much was. */
    lostAt: number | null;
  };
  /** The text of a node. */
  textOf(node: SyntaxNode): string;
  /** Counts a node walked apart from its evaluation; false when too many have been. */
  mayWalk(): boolean;
  /** Values returned by the function that is being evaluated. */
  returns: Value[];
  /** The node that is evaluated next is exported: its parameters come from callers elsewhere. */
  isExporting: boolean;
  /** The module's exported functions are called by browsers: `'use server'`. */
  isServerModule: boolean;
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
