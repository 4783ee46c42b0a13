import type { Use } from '../../../rules/catalogue/line.ts';
import { TAINT } from '../../limits.ts';
import { mayHoldSink } from '../languages.ts';
import { bind, nameOf, parameterValue, patternOf } from './bindings.ts';
import { pollution } from './merges.ts';
import { child, childNodes, list, memberPath, rootOf, type SyntaxNode } from './node.ts';
import { isCatalogued, madeBy } from './packages.ts';
import {
  type Facts,
  type Findings,
  lookUp,
  lookUpNarrowed,
  type Proofs,
  type Run,
  type Scope,
  safetyOf,
  within,
} from './run.ts';
import { type Callable, type Source, through, UNKNOWN, type Value, worse } from './value.ts';

/** A function: what it returns is what callers get from it, so far as they are known. */
export function functionValue(
  run: Run,
  node: SyntaxNode,
  name: string,
  known: readonly Value[] = [],
  caller: string | null = null,
): Value {
  const returned = evaluateFunction(run, node, known, name, caller);
  const { source, isTrusted, isJson } = returned;
  return { ...UNKNOWN, source, isTrusted, isJson, callable: callableOf(run, node, name) };
}

/** A function as something to call, before or after it has been evaluated where it stands. */
export function callableOf(run: Run, node: SyntaxNode, name: string): Callable {
  const { scope, home } = run;
  const known = run.calls.flaws.get(node);
  const flaw = known === undefined ? pollution(run, node, name) : known;
  run.calls.flaws.set(node, flaw);
  const callable = { node, scope, name, home, pollutes: flaw !== null };
  if (flaw !== null && known === undefined) run.observer.onPollution(flaw, name);
  return callable;
}

/**
 * Evaluates a function's body with its parameters bound; gives the worst value that it returns.
 * `known` holds what the call that takes the function says of its parameters, `caller` is that
 * call's path from a package.
 */
function evaluateFunction(
  run: Run,
  node: SyntaxNode,
  known: readonly Value[],
  name: string,
  caller: string | null = null,
): Value {
  const isExported = run.isExporting;
  const isMade = caller !== null && isCatalogued(caller);
  const returned = inBody(run, node, (param, index) => {
    const told = known[index] ?? parameterValue(run, node, index, isExported, name);
    // `knex.transaction((trx) => ...)`: of the package as well.
    const value = told === UNKNOWN && isMade ? madeBy(UNKNOWN, caller) : told;
    return value.source === null || value.source.strength === 'weak'
      ? value
      : through(value, nameOf(param), run.lineOf(param));
  });
  run.calls.returned.set(node, returned);
  if (returned.role === 'random' && name !== '') {
    const { scope } = run;
    const safety = (use: Use, source: Source) => safetyOf(scope, use, source);
    const site = { name, value: returned, isLiteral: false, element: null, safetyOf: safety };
    run.observer.onProperty(site, node);
  }
  return returned;
}

/** What a function gave back when it was evaluated where it stands; undefined before that. */
export function returnedBy(run: Run, callable: Callable): Value | undefined {
  return run.calls.returned.get(callable.node as SyntaxNode);
}

/** What a call of a function that the fragment shows gives back; null when it is not followed. */
export function invoke(
  run: Run,
  callable: Callable,
  args: readonly Value[],
  proofs: Proofs | null = null,
): Value | null {
  const { CALL_DEPTH_MAX, CALLS_MAX } = TAINT;
  const node = callable.node as SyntaxNode;
  const { calls } = run;
  if (callable.home !== run.home || calls.active.has(node)) return null;
  if (proofs !== null && !mayProve(run)) return null;
  const isTooDeep = calls.active.size >= CALL_DEPTH_MAX;
  if (isTooDeep || calls.count >= CALLS_MAX || run.stepsLeft() <= 0) {
    if (args.some(isFromOutside) && reachesSink(run, callable)) calls.lostAt ??= run.lineOf(node);
    return null;
  }
  if (proofs === null) calls.count += 1;
  else calls.proofs += 1;
  calls.active.add(node);
  const outer = { scope: run.scope, isExporting: run.isExporting };
  run.scope = callable.scope as Scope;
  run.isExporting = false;
  try {
    return inBody(
      run,
      node,
      (param, index) => {
        if (param?.type === 'RestElement') return args.slice(index).reduce(worse, UNKNOWN);
        const value = args[index] ?? UNKNOWN;
        return through(value, nameOf(param), run.lineOf(param));
      },
      proofs,
    );
  } finally {
    calls.active.delete(node);
    run.scope = outer.scope;
    run.isExporting = outer.isExporting;
  }
}

/** What a function proves lowers findings: where there is no time to look, it proves nothing. */
function mayProve(run: Run): boolean {
  const { calls } = run;
  const { CALL_DEPTH_MAX, CALLS_MAX, STEPS_MAX } = TAINT;
  const isInBounds = calls.active.size < CALL_DEPTH_MAX && calls.proofs < CALLS_MAX;
  return isInBounds && run.stepsLeft() > STEPS_MAX / 2;
}

/** Arguments of exported functions are reported where they reach a sink, not on their way. */
function isFromOutside({ source }: Value): boolean {
  return source?.strength === 'strong' || source?.strength === 'checked';
}

/** Whether a function, or one of the fragment that it calls, may hold a sink. */
function reachesSink(run: Run, callable: Callable): boolean {
  const { reaching } = run.calls;
  const todo = [callable];
  const seen = new Set<SyntaxNode>();
  const decide = (answer: boolean) => {
    if (answer) reaching.set(callable.node as SyntaxNode, true);
    else for (const node of seen) reaching.set(node, false);
    return answer;
  };
  for (let next = todo.pop(); next !== undefined; next = todo.pop()) {
    const node = next.node as SyntaxNode;
    const known = reaching.get(node);
    if (seen.has(node) || known === false) continue;
    seen.add(node);
    // Where there is no time to look, there may be one.
    if (known === true || mayHoldSink(Buffer.from(run.textOf(node)))) return decide(true);
    const called = calledIn(run, node, next.scope as Scope);
    if (called === null) return decide(true);
    todo.push(...called);
  }
  return decide(false);
}

/** What a function calls by name, or as a method of `this`; null when it is too long to walk. */
function calledIn(run: Run, node: SyntaxNode, scope: Scope): Callable[] | null {
  const found: Callable[] = [];
  const todo = [node];
  for (let next = todo.pop(); next !== undefined; next = todo.pop()) {
    if (!run.mayWalk()) return null;
    const path = next.type === 'CallExpression' ? memberPath(child(next, 'callee')) : null;
    const value = path === null ? undefined : (lookUpNarrowed(scope, path) ?? lookUp(scope, path));
    if (value?.callable != null) found.push(value.callable);
    todo.push(...childNodes(next));
  }
  return found;
}

function inBody(
  run: Run,
  node: SyntaxNode,
  given: (param: SyntaxNode | null, index: number) => Value,
  proofs: Proofs | null = null,
): Value {
  const { isExporting, returns, proofs: outerProofs } = run;
  run.isExporting = false;
  run.returns = [];
  run.proofs = proofs;
  try {
    return within(run, true, (scope) => {
      if (proofs !== null) proofs.scope = scope;
      for (const [index, raw] of list(node, 'params').entries()) {
        const param = patternOf(raw);
        bind(run, param, given(param, index), 'parameter');
      }
      const body = child(node, 'body');
      const result = run.evaluate(body);
      const isExpression =
        body !== null && !/^(?:FunctionBody|BlockStatement)$/.test(body.type ?? '');
      if (isExpression) noteResult(run, body, result);
      return isExpression ? result : run.returns.reduce(worse, run.returns[0] ?? UNKNOWN);
    });
  } finally {
    run.isExporting = isExporting;
    run.returns = returns;
    run.proofs = outerProofs;
  }
}

/** What a function in view proves of its arguments. */
export interface Proven extends Findings {
  /** What holds once it has returned at all. */
  readonly returned: Facts;
}

/**
 * Follows a call for what its result proves: what is known on every way to a result that may be
 * true, or false. Null when the call can't be followed.
 */
export function proofsOf(
  run: Run,
  callable: Callable,
  args: readonly (readonly [SyntaxNode | null, Value])[],
): Proven | null {
  const node = callable.node as SyntaxNode;
  const proofs: Proofs = { ways: [], body: child(node, 'body'), scope: run.scope };
  const values = args.map(([, value]) => value);
  if (invoke(run, callable, values, proofs) === null) return null;
  const names = new Map<string, string | null>();
  for (const [index, param] of list(node, 'params').map(patternOf).entries()) {
    const name = nameOf(param);
    if (param?.type !== 'Identifier') continue;
    const known = run.calls.assigned.get(param);
    const isGivenAnew = known ?? isAssigned(run.textOf(node), name);
    if (known === undefined) run.calls.assigned.set(param, isGivenAnew);
    if (isGivenAnew) continue;
    names.set(name, memberPath(args[index]?.[0] ?? null));
  }
  const { ways } = proofs;
  const onWays = (gives: boolean | null, key: 'whenTrue' | 'whenFalse' | null): Facts => {
    const possible = ways.filter((way) => gives === null || way.gives !== !gives);
    const [first, ...rest] = possible.map(({ held, found }) => {
      return key === null ? held : new Map([...held, ...found[key]]);
    });
    const common = [...(first ?? [])].filter(([path]) => rest.every((facts) => facts.has(path)));
    return translated(common, names);
  };
  return {
    whenTrue: onWays(true, 'whenTrue'),
    whenFalse: onWays(false, 'whenFalse'),
    returned: onWays(null, null),
  };
}

/** Whether a function's text gives a name another value, or declares it once more. */
function isAssigned(written: string, name: string): boolean {
  const escaped = name.replaceAll('$', String.raw`\$`);
  return new RegExp(
    String.raw`(?<![\w$.])${escaped}\s{0,9}(?:[-+*/%&|^?]{0,3}=(?![=>])|\+\+|--)|` +
      String.raw`[[{,][^\]}=;]{0,200}(?<![\w$.])${escaped}\s{0,9}[\]},][^=;\n]{0,200}[^=!<>]=(?![=>])`,
  ).test(written);
}

/** Facts of a function's parameters as facts of what the caller gave for them. */
function translated(
  facts: readonly (readonly [string, Value])[],
  names: ReadonlyMap<string, string | null>,
): Facts {
  const result = new Map<string, Value>();
  for (const [path, value] of facts) {
    const root = rootOf(path);
    const given = names.get(root) ?? null;
    if (path.startsWith('\0')) result.set(path, value);
    else if (given !== null) result.set(given + path.slice(root.length), value);
  }
  return result;
}

const NOTHING: Facts = new Map();

/** Remembers a way out of the function that is looked at: its result, and what is known there. */
export function noteResult(run: Run, node: SyntaxNode | null, value: Value): void {
  const { proofs } = run;
  if (proofs === null) return;
  const held = new Map<string, Value>();
  for (let at: Scope | null = run.scope; at !== null; at = at.parent) {
    for (const [path, fact] of at.narrowed) if (!held.has(path)) held.set(path, fact);
    if (at === proofs.scope) break;
  }
  const isFalse =
    node === null || value.role === 'nothing' || /^(?:false|0|)$/.test(value.constant ?? 'x');
  const gives = isFalse ? false : value.constant !== null ? true : null;
  const found = node === null ? { whenTrue: NOTHING, whenFalse: NOTHING } : run.readCondition(node);
  proofs.ways.push({ held, found, gives });
}
