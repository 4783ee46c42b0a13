import { TAINT } from '../../../limits.ts';
import { child, list, type SyntaxNode } from './node.ts';
import { nameOf, parameterValue, patternOf } from './parameters.ts';
import { bind } from './patterns.ts';
import { type Run, within } from './run.ts';
import type { Scope } from './scope.ts';
import { type Callable, through, UNKNOWN, type Value, worse } from './value.ts';

const FUNCTIONS = new Set([
  'FunctionExpression',
  'FunctionDeclaration',
  'ArrowFunctionExpression',
  'MethodProperty',
  'Constructor',
]);

/** Whether a node is a function of any kind. */
export function isFunction(node: SyntaxNode): boolean {
  return FUNCTIONS.has(node.type ?? '');
}

/**
 * Evaluates a function's body with its parameters bound; gives the worst value that it returns.
 * `known` holds what the call that takes the function says of its parameters.
 */
export function evaluateFunction(
  run: Run,
  node: SyntaxNode,
  known: readonly Value[],
  name: string,
): Value {
  const isExported = run.isExporting;
  const returned = inBody(run, node, (param, index) => {
    const value = known[index] ?? parameterValue(run, node, index, isExported, name);
    return value.source === null || value.source.strength === 'weak'
      ? value
      : through(value, nameOf(param), run.lineOf(param));
  });
  run.calls.returned.set(node, returned);
  return returned;
}

/** What a function gave back when it was evaluated where it stands; undefined before that. */
export function returnedBy(run: Run, callable: Callable): Value | undefined {
  return run.calls.returned.get(callable.node as SyntaxNode);
}

/** What a call of a function that the fragment shows gives back; null when it is not followed. */
export function invoke(run: Run, callable: Callable, args: readonly Value[]): Value | null {
  const { CALL_DEPTH_MAX, CALLS_MAX } = TAINT;
  const node = callable.node as SyntaxNode;
  const { calls } = run;
  if (callable.home !== run.home || calls.active.has(node)) return null;
  if (calls.active.size >= CALL_DEPTH_MAX) return null;
  if (calls.count >= CALLS_MAX || run.stepsLeft() <= 0) {
    if (args.some(({ source }) => source !== null)) calls.lostAt ??= run.lineOf(node);
    return null;
  }
  calls.count += 1;
  calls.active.add(node);
  const outer = { scope: run.scope, isExporting: run.isExporting };
  run.scope = callable.scope as Scope;
  run.isExporting = false;
  try {
    return inBody(run, node, (param, index) => {
      if (param?.type === 'RestElement') return args.slice(index).reduce(worse, UNKNOWN);
      const value = args[index] ?? UNKNOWN;
      return through(value, nameOf(param), run.lineOf(param));
    });
  } finally {
    calls.active.delete(node);
    run.scope = outer.scope;
    run.isExporting = outer.isExporting;
  }
}

function inBody(
  run: Run,
  node: SyntaxNode,
  given: (param: SyntaxNode | null, index: number) => Value,
): Value {
  const outer = { isExporting: run.isExporting, returns: run.returns };
  run.isExporting = false;
  run.returns = [];
  try {
    return within(run, true, () => {
      for (const [index, raw] of list(node, 'params').entries()) {
        const param = patternOf(raw);
        bind(run, param, given(param, index), 'parameter');
      }
      const body = child(node, 'body');
      const result = run.evaluate(body);
      const isExpression =
        body !== null && !/^(?:FunctionBody|BlockStatement)$/.test(body.type ?? '');
      return isExpression ? result : run.returns.reduce(worse, run.returns[0] ?? UNKNOWN);
    });
  } finally {
    run.isExporting = outer.isExporting;
    run.returns = outer.returns;
  }
}
