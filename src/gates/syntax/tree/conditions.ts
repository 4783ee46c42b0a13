import type { Use } from '../../../rules/catalogue/line.ts';
import { TRUSTED, UNKNOWN, type Value, worse } from '../taint/value.ts';
import type { Run } from './run.ts';
import { type Fact, type Facts, factsOf, factsOn, Scope } from './scope.ts';
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

/** Ways meet again; true when no way goes on. */
export function meet(outer: Scope, before: Scope, ways: readonly Scope[]): boolean {
  const [first, ...others] = ways;
  if (first === undefined) {
    outer.adopt(before);
    return true;
  }
  let all = first;
  for (const other of others) {
    const joined = new Scope(before);
    joined.join(all, other);
    all = joined;
  }
  outer.adopt(before);
  outer.adopt(all);
  return false;
}

/** A loop may run not at all; what a round assigns is seen by the next one. Always false. */
export function repeat(run: Run, round: () => void): false {
  const outer = run.scope;
  const isOutermost = !run.isInLoop;
  run.isInLoop = true;
  for (let rounds = isOutermost ? 2 : 1; rounds > 0; rounds -= 1) {
    const way = run.branch(outer, round);
    outer.join(
      way,
      run.branch(outer, () => undefined),
    );
  }
  run.isInLoop = !isOutermost;
  return false;
}

/**
 * After what is tried comes its own end, or that of a handler that goes on. Each gives true when
 * nothing after it is reached.
 */
export function attempt(
  run: Run,
  body: () => boolean,
  handlers: readonly (() => boolean)[],
): boolean {
  const outer = run.scope;
  const ways: Scope[] = [];
  let isOver = false;
  const tried = run.branch(outer, () => {
    isOver = body();
  });
  if (!isOver) ways.push(tried);
  for (const handle of handlers) {
    let ends = false;
    const way = run.branch(outer, () => {
      // Of what was tried, names may hold the new values; checks may have failed.
      for (const [name, value] of tried.own) if (!name.startsWith('\0')) run.scope.set(name, value);
      ends = handle();
    });
    if (!ends) ways.push(way);
  }
  return meet(
    outer,
    run.branch(outer, () => undefined),
    ways,
  );
}

/** Either of two expressions: each is evaluated under what the condition tells. */
export function choose(
  run: Run,
  condition: TreeNode | null,
  yes: TreeNode | null,
  no: TreeNode | null,
): Value {
  const facts = run.readCondition(condition);
  const under = (known: readonly Fact[], node: TreeNode | null) => {
    let value = UNKNOWN;
    run.branch(run.scope, () => {
      run.scope.guard(known);
      value = run.scope.settled(run.evaluate(node));
    });
    return value;
  };
  return worse(under(facts.whenTrue, yes), under(facts.whenFalse, no));
}
