import type { Use } from '../../../rules/catalogue/line.ts';
import { TRUSTED, type Value, worse } from '../taint/value.ts';
import type { Run } from './run.ts';
import { type Fact, type Facts, factsOf, factsOn } from './scope.ts';
import { part, type TreeNode } from './tree.ts';

/** A condition that tells nothing. */
export function nothing(value: Value = TRUSTED): Facts {
  return { value, whenTrue: [], whenFalse: [] };
}

/** Facts that only a true condition tells. */
export function ifTrue(...whenTrue: readonly (readonly Fact[])[]): Facts {
  return { value: TRUSTED, whenTrue: whenTrue.flat(), whenFalse: [] };
}

/** Facts that only a false condition tells. */
export function ifFalse(...whenFalse: readonly (readonly Fact[])[]): Facts {
  return { value: TRUSTED, whenTrue: [], whenFalse: whenFalse.flat() };
}

/** What a condition tells behind a "not". */
export function opposite({ whenTrue, whenFalse }: Facts): Facts {
  return { value: TRUSTED, whenTrue: whenFalse, whenFalse: whenTrue };
}

/** `a and b`: true means both; false tells only what each of them does. The reverse for "or". */
export function readBoth(run: Run, node: TreeNode, isAnd: boolean): Facts {
  const left = run.readCondition(part(node, 'left'));
  let right = nothing();
  const scope = run.branch(run.scope, () => {
    // What stands on the right is evaluated only where the left side let it.
    run.scope.guard(isAnd ? left.whenTrue : left.whenFalse);
    right = run.readCondition(part(node, 'right'));
  });
  for (const [name, value] of scope.own) if (!name.startsWith('\0')) run.scope.set(name, value);
  const value = worse(left.value, right.value);
  const both = (one: readonly Fact[], other: readonly Fact[]) =>
    one.filter((fact) => other.includes(fact));
  const all = (one: readonly Fact[], other: readonly Fact[]) => [...one, ...other];
  const [inTrue, inFalse] = isAnd ? [all, both] : [both, all];
  const whenTrue = inTrue(left.whenTrue, right.whenTrue);
  return { value, whenTrue, whenFalse: inFalse(left.whenFalse, right.whenFalse) };
}

/** Uses of an address. */
export const PLACES: readonly Use[] = ['url', 'redirect'];

/** Scheme, host and the slash that ends it. */
export const ORIGIN = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]+[/?#]/i;

/** What is known of a value that turned out to be one of the program's. */
export function told(value: Value): Fact[] {
  const { source } = value;
  return source?.hostOf == null ? factsOn(value) : factsOf(source.hostOf, PLACES);
}

/** Longer names and calls are evaluated once alone. */
export const SMALL_CHARS_MAX = 120;
