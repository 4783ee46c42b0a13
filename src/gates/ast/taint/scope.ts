import type { Value } from './value.ts';

/** Names of a block or function, and what has been checked in it. */
export interface Scope {
  readonly parent: Scope | null;
  readonly values: Map<string, Value>;
  /** Member paths (`req.query.id`) that a check has narrowed in this scope. */
  readonly narrowed: Map<string, Value>;
  /** Whether code in it runs only sometimes: assignments to outer names add, not replace. */
  readonly isConditional: boolean;
}

/** An empty scope within `parent`. */
export function newScope(parent: Scope | null, isConditional: boolean): Scope {
  return { parent, values: new Map(), narrowed: new Map(), isConditional };
}

/** What a name is bound to; undefined when the fragment does not show it. */
export function lookUp(scope: Scope, name: string): Value | undefined {
  for (let at: Scope | null = scope; at !== null; at = at.parent) {
    const value = at.values.get(name);
    if (value !== undefined) return value;
  }
  return undefined;
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
