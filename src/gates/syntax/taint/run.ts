import { USES, type Use } from '../../../rules/catalogue/line.ts';
import { TAINT } from '../../limits.ts';
import type { AssignSite, CallSite, PropertySite } from '../sinks/sink.ts';
import { bare, child, list, memberPath, rootOf, type SyntaxNode, text } from './node.ts';
import { isCatalogued, madeBy, type Named, pathOfType } from './packages.ts';
import { type Callable, claimedSafe, madeSafe, type Source, TRUSTED, type Value } from './value.ts';

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

/** Names of a block or function, and what has been checked in it. */
export interface Scope {
  readonly parent: Scope | null;
  readonly values: Map<string, Value>;
  /** Member paths (`req.query.id`) that a check has narrowed in this scope. */
  readonly narrowed: Map<string, Value>;
  /** Whether code in it runs only sometimes: assignments to outer names add, not replace. */
  readonly isConditional: boolean;
  /** The body of a class: what is assigned to `this` is remembered here. */
  readonly isClass: boolean;
  /** Whether a check has ever made data safe in this scope: most scopes have none to look for. */
  isGuarded: boolean;
}

/** `claimed`: all that is known of the check is a name that promises it. */
export type Safety = 'safe' | 'claimed' | null;

/** An empty scope within `parent`. */
export function newScope(parent: Scope | null, isConditional: boolean, isClass = false): Scope {
  return {
    parent,
    values: new Map(),
    narrowed: new Map(),
    isConditional,
    isClass,
    isGuarded: false,
  };
}

/** What a name is bound to; undefined when the fragment does not show it. */
export function lookUp(scope: Scope, name: string): Value | undefined {
  for (let at: Scope | null = scope; at !== null; at = at.parent) {
    const value = at.values.get(name);
    if (value !== undefined) return value;
  }
  return undefined;
}

/** Remembers what a check or an assignment tells of a path; what is past the limit is lost. */
export function narrow(scope: Scope, path: string, value: Value): void {
  if (scope.narrowed.size < TAINT.FACTS_MAX || scope.narrowed.has(path)) {
    scope.narrowed.set(path, value);
    scope.isGuarded ||= path.startsWith(GUARD);
  }
}

/** No name of the program begins like this. */
const GUARD = '\0';

/**
 * The path under which it is remembered that a check made all data of a source safe for a use,
 * whatever names it goes by.
 */
export function guardPath(use: Use, source: Pick<Source, 'text'>): string {
  return `${GUARD}${use} ${source.text}`;
}

/** The same for a check of which nothing is known but its name. */
export function claimPath(use: Use, source: Pick<Source, 'text'>): string {
  return `${GUARD}?${use} ${source.text}`;
}

function isGuarded(scope: Scope): boolean {
  for (let at: Scope | null = scope; at !== null; at = at.parent) if (at.isGuarded) return true;
  return false;
}

/** Whether a check that still holds made data of this source safe for the use, or says so. */
export function safetyOf(scope: Scope, use: Use, source: Pick<Source, 'text'>): Safety {
  if (!isGuarded(scope)) return null;
  let isClaimed = false;
  // What was checked as a whole is checked in its parts: `url`, then `url.href`.
  for (let { text } = source; ; text = text.slice(0, text.lastIndexOf('.'))) {
    if (lookUpNarrowed(scope, guardPath(use, { text })) === TRUSTED) return 'safe';
    isClaimed ||= lookUpNarrowed(scope, claimPath(use, { text })) === TRUSTED;
    if (!text.includes('.')) return isClaimed ? 'claimed' : null;
  }
}

/** The value with what checks in the scope made it safe for: it may leave the scope. */
export function withGuards(scope: Scope, value: Value): Value {
  const { source } = value;
  if (source === null || !isGuarded(scope)) return value;
  const safe: Use[] = [];
  const claimed: Use[] = [];
  for (const use of USES) {
    const safety = safetyOf(scope, use, source);
    if (safety !== null) (safety === 'safe' ? safe : claimed).push(use);
  }
  return claimedSafe(madeSafe(value, safe), claimed);
}

/** What a check made of a member path, if no later assignment undid it. */
export function lookUpNarrowed(scope: Scope, path: string): Value | undefined {
  const name = rootOf(path);
  for (let at: Scope | null = scope; at !== null; at = at.parent) {
    const value = at.narrowed.size === 0 ? undefined : at.narrowed.get(path);
    if (value !== undefined) return value;
    // A name that is bound here hides what was checked outside.
    if (at.values.has(name)) return undefined;
  }
  return undefined;
}

/**
 * Assigns to a name where it is bound, or outermost when the fragment does not show where. `join`
 * gives the value when the assignment may not happen.
 */
export function assign(
  scope: Scope,
  name: string,
  value: Value,
  join: (before: Value, after: Value) => Value,
): void {
  let isCertain = true;
  let at = scope;
  forget(at, name);
  while (!at.values.has(name) && at.parent !== null) {
    if (at.isConditional) isCertain = false;
    at = at.parent;
    forget(at, name);
  }
  const before = at.values.get(name);
  at.values.set(name, before === undefined || isCertain ? value : join(before, value));
}

/** Drops what was checked of a name and its members. */
function forget(scope: Scope, name: string): void {
  if (scope.narrowed.size === 0) return;
  for (const path of scope.narrowed.keys()) {
    if (path === name || path.startsWith(`${name}.`)) scope.narrowed.delete(path);
  }
}

/** Name of a parameter's type: `string`, `Request` of `express.Request`; '' for all else. */
export function typeNameOf(pattern: SyntaxNode | null): string {
  const type = child(child(pattern, 'typeAnnotation'), 'typeAnnotation');
  if (type?.type === 'TsKeywordType') return text(type, 'kind');
  const name = child(type, 'typeName');
  return text(name?.type === 'TsQualifiedName' ? child(name, 'right') : name, 'value');
}

/** The value with what its declared type tells, where a package of the catalogue has the type. */
export function typedValue(run: Run, pattern: SyntaxNode | null, value: Value): Value {
  const type = child(child(pattern, 'typeAnnotation'), 'typeAnnotation');
  const name = child(type, 'typeName');
  if (name === null) return value;
  const isQualified = name.type === 'TsQualifiedName';
  const first = text(isQualified ? child(name, 'left') : name, 'value');
  const declared = lookUp(run.scope, first);
  const origin = declared === undefined ? pathOfType(first) : declared.origin;
  if (origin === null || !isCatalogued(origin)) return value;
  const path = isQualified ? `${origin}.${text(child(name, 'right'), 'value')}` : origin;
  return madeBy(value, path);
}

/** Numbers, booleans and literals hold no text of an outsider's. */
export function isHarmlessType(type: SyntaxNode | null): boolean {
  switch (type?.type) {
    case 'TsKeywordType':
      return /^(?:number|boolean|bigint|null|undefined|never)$/.test(text(type, 'kind'));
    case 'TsLiteralType':
      return child(type, 'literal')?.type !== 'TemplateLiteral';
    case 'TsUnionType':
      return list(type, 'types').every(isHarmlessType);
    case 'TsArrayType':
      return isHarmlessType(child(type, 'elemType'));
    case 'TsParenthesizedType':
      return isHarmlessType(child(type, 'typeAnnotation'));
    default:
      return false;
  }
}
