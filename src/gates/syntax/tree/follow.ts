import { derive, RESULT, TRUSTED, type Value, worse } from '../taint/value.ts';
import type { Call, OwnFunction, Run } from './run.ts';
import { type Fact, type Facts, holdsOutside, Scope } from './scope.ts';
import { part, type TreeNode } from './tree.ts';

/** Binds the parameters of a function in its scope. */
type Binder = () => void;

/** Looks at a function by itself, with what is known of its parameters; gives its result. */
export function evaluateAlone(run: Run, { node, scope }: OwnFunction): Value {
  const known = run.results.get(node);
  if (known !== undefined) return known;
  run.results.set(node, RESULT);
  if (run.active.size > ACTIVE_MAX) return RESULT;
  const result = runBody(run, node, scope, null, () => run.language.bindParameters(run, node));
  run.results.set(node, result);
  return result;
}

/** Functions that wait for the result of another one. */
const ACTIVE_MAX = 50;

/** Follows a call into a function of the text where it is given data from outside. */
export function follow(run: Run, callable: OwnFunction, call: Call): Value {
  const { node } = callable;
  const { args, keywords, site } = call;
  // An object whose fields are known is given as well.
  const receiver = site.receiver?.properties == null ? [] : [site.receiver];
  const given = [...args, ...keywords.values(), ...receiver];
  const isOutside = given.some((value) => holdsOutside(value) || holdsSource(value));
  if (run.active.has(node)) return derive(given);
  if (!isOutside) return evaluateAlone(run, callable);
  if (!run.mayFollow()) {
    run.lostAt ??= node.start;
    return derive(given);
  }
  run.calls += 1;
  run.following += 1;
  const result = runBody(run, node, callable.scope, call.node, () =>
    run.language.bindArguments(run, node, call),
  );
  run.following -= 1;
  return result;
}

function holdsSource({ properties }: Value): boolean {
  return properties !== null && [...properties.values()].some(holdsOutside);
}

/** Runs a function's body in a scope of its own. `asked`: the call that asks for its proofs. */
function runBody(
  run: Run,
  node: TreeNode,
  scope: Scope,
  asked: TreeNode | null,
  bindAll: Binder,
): Value {
  const { returns, exits, isInLoop, body: outerBody, scope: outer } = run;
  run.returns = [];
  run.exits = asked === null ? null : [];
  run.isInLoop = false;
  run.active.add(node);
  run.scope = new Scope(scope);
  run.body = run.scope;
  try {
    bindAll();
    const code = part(node, 'body');
    if (/^lambda/.test(node.type) && code?.type !== 'block')
      noteReturn(run, run.readCondition(code));
    else if (!run.executeBlock(code)) {
      run.exits?.push({ held: run.scope.heldUpTo(run.body), result: null });
    }
    const result = run.returns.reduce<Value | null>(
      (found, value) => (found === null ? value : worse(found, value)),
      null,
    );
    run.left = run.scope;
    if (asked !== null) prove(run, asked, outer);
    return result ?? TRUSTED;
  } finally {
    Object.assign(run, { returns, exits, isInLoop, body: outerBody, scope: outer });
    run.active.delete(node);
  }
}

/** What a call tells: facts that hold at each end of the function it called. */
function prove(run: Run, call: TreeNode, caller: Scope): void {
  const exits = run.exits ?? [];
  caller.guard(common(exits.map(({ held }) => held)));
  const isEnd = (truth: boolean) =>
    exits
      .filter(({ result }) => mayBe(run, result, truth))
      .map(({ held, result }) => {
        return new Set([...held, ...((truth ? result?.whenTrue : result?.whenFalse) ?? [])]);
      });
  run.proven.set(call, {
    value: RESULT,
    whenTrue: common(isEnd(true)),
    whenFalse: common(isEnd(false)),
  });
}

/** Whether a result may count as true or false. */
function mayBe(run: Run, result: Facts | null, truth: boolean): boolean {
  if (result === null) return !truth;
  const { constant } = result.value;
  if (constant === null) return true;
  return truth !== run.language.isFalse(constant);
}

function common(sets: readonly ReadonlySet<Fact>[]): Fact[] {
  const [first, ...rest] = sets;
  return first === undefined ? [] : [...first].filter((fact) => rest.every((set) => set.has(fact)));
}

/** Notes what a `return` gives back, and what it tells as a condition. */
export function noteReturn(run: Run, facts: Facts): void {
  run.returns.push(run.scope.settled(facts.value));
  run.exits?.push({ held: run.scope.heldUpTo(run.body), result: facts });
}
