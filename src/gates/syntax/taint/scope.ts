import { TAINT } from '../../../limits.ts';
import { madeSafe, type Source, TRUSTED, type Use, type Value } from './value.ts';

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
}

/** An empty scope within `parent`. */
export function newScope(parent: Scope | null, isConditional: boolean, isClass = false): Scope {
  return { parent, values: new Map(), narrowed: new Map(), isConditional, isClass };
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
  }
}

/**
 * The path under which it is remembered that a check made all data of a source safe for a use,
 * whatever names it goes by: no name of the program begins like this.
 */
export function guardPath(use: Use, source: Source): string {
  return `\0${use} ${source.text}`;
}

/** Whether a check that still holds made data of this source safe for the use. */
export function isGuarded(scope: Scope, use: Use, source: Source): boolean {
  // What was checked as a whole is checked in its parts: `url`, then `url.href`.
  const parts = source.text.split('.');
  for (let length = parts.length; length > 0; length -= 1) {
    const text = parts.slice(0, length).join('.');
    if (lookUpNarrowed(scope, guardPath(use, { ...source, text })) === TRUSTED) return true;
  }
  return false;
}

const GUARDED_USES: readonly Use[] = ['path', 'url', 'redirect', 'key', 'html'];

/** The value with what checks in the scope made it safe for: it may leave the scope. */
export function withGuards(scope: Scope, value: Value): Value {
  const { source } = value;
  if (source === null) return value;
  const uses = GUARDED_USES.filter((use) => isGuarded(scope, use, source));
  return uses.length === 0 ? value : madeSafe(value, uses);
}

/** What a check made of a member path, if no later assignment undid it. */
export function lookUpNarrowed(scope: Scope, path: string): Value | undefined {
  const [name = ''] = path.split('.', 1);
  for (let at: Scope | null = scope; at !== null; at = at.parent) {
    const value = at.narrowed.get(path);
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
  for (const path of scope.narrowed.keys()) {
    if (path === name || path.startsWith(`${name}.`)) scope.narrowed.delete(path);
  }
}
