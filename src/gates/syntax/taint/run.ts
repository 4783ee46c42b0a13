import type { AssignSite, CallSite, PropertySite } from '../sinks/sink.ts';
import { bare, memberPath, type SyntaxNode } from './node.ts';
import type { Named } from './packages.ts';
import { newScope, type Scope } from './scope.ts';
import type { Callable, Value } from './value.ts';

/** The assignment that writes wherever keys lead. */
export interface Flaw {
  readonly node: SyntaxNode;
  /** The keys come out of a text: what is written may be the program's own. */
  readonly isRead: boolean;
}

/** Gets to see what may be a sink in a fragment, with the values that reach it. */
export interface Observer {
  onCall(site: CallSite, node: SyntaxNode, argumentNodes: readonly (SyntaxNode | null)[]): void;
  /** A tagged template, as a call of its tag. */
  onTag(site: CallSite, node: SyntaxNode): void;
  /** A property of an object literal, or an attribute of an element. */
  onProperty(site: PropertySite, node: SyntaxNode): void;
  /** `a.b = value`, `a[b] = value`. */
  onAssign(site: AssignSite, node: SyntaxNode): void;
  /** An assignment by which the function `name` lets keys of data reach a prototype. */
  onPollution(flaw: Flaw, name: string): void;
}

/** What is known of member paths and sources, by their names in a scope. */
export type Facts = ReadonlyMap<string, Value>;

/** What a condition tells, by how it turned out. */
export interface Findings {
  readonly whenTrue: Facts;
  readonly whenFalse: Facts;
}

/** One way through a function that is looked at for what its result proves. */
interface Way {
  /** What checks before its end have proven. */
  readonly held: Facts;
  /** What the returned condition tells. */
  readonly found: Findings;
  /** The result, where it is known to count as true or false. */
  readonly gives: boolean | null;
}

/** A function that is looked at for what its result proves. */
export interface Proofs {
  readonly ways: Way[];
  readonly body: SyntaxNode | null;
  /** The scope of its parameters. */
  scope: Scope;
}

/** One pass over a fragment's trees: where it stands, and how its parts reach each other. */
export interface Run {
  scope: Scope;
  readonly observer: Observer;
  /** The tree that is being evaluated, as an identity. */
  readonly home: unknown;
  /** Evaluates any node: expression, statement, pattern of types. Visits all that is in it. */
  evaluate(node: SyntaxNode | null): Value;
  /**
   * The same for an argument: a function's parameters are what the call says of them, or else come
   * of what is called, by its path from a package.
   */
  evaluateWith(node: SyntaxNode | null, known: readonly Value[], caller?: string | null): Value;
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
    readonly flaws: Map<SyntaxNode, Flaw | null>;
    /** Whether functions, or what they call, hold the words of a sink, so far as anyone asked. */
    readonly reaching: Map<SyntaxNode, boolean>;
    /** Whether a function gives a parameter another value, so far as anyone asked. */
    readonly assigned: Map<SyntaxNode, boolean>;
    count: number;
    /** Of these, calls that were followed for what their result proves. */
    proofs: number;
    /** Line of a function that gets data from outside and was not followed: too much was. */
    lostAt: number | null;
  };
  /** The text of a node. */
  textOf(node: SyntaxNode): string;
  /** Counts a node walked apart from its evaluation; false when too many have been. */
  mayWalk(): boolean;
  /** What a condition that has been evaluated tells. */
  readCondition(node: SyntaxNode | null): Findings;
  /** Whether anything in the text changes the list or object of that name. */
  isChanged(path: string): boolean;
  /** Whether the text assigns a global or a method of a prototype of that name anew. */
  isPatched(name: string): boolean;
  /** The function that is being evaluated, where what it proves is asked for. */
  proofs: Proofs | null;
  /** What the promise that is being made was given as its result. */
  resolved: Value[];
  /** Functions that wait for an event, by the emitter's path and the event. */
  readonly listeners: Map<string, Callable>;
  /** Values returned by the function that is being evaluated. */
  returns: Value[];
  /** The node that is evaluated next is exported: its parameters come from callers elsewhere. */
  isExporting: boolean;
  /** The module's exported functions are called by browsers: `'use server'`. */
  isServerModule: boolean;
  /** Names that the module exports apart from their declaration. */
  readonly exportedNames: Set<string>;
  /** What is called with the object that is being evaluated as its argument. */
  taker: Named | null;
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

/**
 * A name, a chain of members or a literal, evaluated once more; null for anything larger: to
 * evaluate it again at every level of nesting would take exponential time.
 */
export function smallValue(run: Run, node: SyntaxNode | null): Value | null {
  const inner = bare(node);
  const isSmall = memberPath(inner) !== null || inner?.type?.endsWith('Literal') === true;
  return isSmall && inner?.type !== 'TemplateLiteral' ? run.evaluate(inner) : null;
}
