import { USES, type Use } from '../../../rules/catalogue/line.ts';
import { TAINT } from '../../limits.ts';
import { child, list, rootOf, type SyntaxNode, text } from './node.ts';
import { isCatalogued, madeBy, pathOfType } from './packages.ts';
import type { Run } from './run.ts';
import { claimedSafe, madeSafe, type Source, TRUSTED, type Value } from './value.ts';

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
