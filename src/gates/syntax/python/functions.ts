import { derive, RESULT, TRUSTED, UNKNOWN, type Value, worse } from '../taint/value.ts';
import { bind } from './bindings.ts';
import { evaluate } from './expressions.ts';
import { parametersOf, parameterValue } from './parameters.ts';
import type { Call, PyClass, PyFunction, Run } from './run.ts';
import { type Fact, type Facts, holdsOutside, Scope } from './scope.ts';
import { type PyNode, part, typed } from './tree.ts';

/** Binds the parameters of a function in its scope. */
type Binder = () => void;

/** What a class makes: its methods see it as `self`. */
function instanceOf(owner: PyClass): Value {
  const origin = owner.base === null ? null : `${owner.base}()`;
  return { ...UNKNOWN, made: owner.name, origin };
}

/** Looks at a function by itself, with what is known of its parameters; gives its result. */
export function evaluateAlone(run: Run, { node, scope }: PyFunction): Value {
  const known = run.results.get(node);
  if (known !== undefined) return known;
  run.results.set(node, RESULT);
  if (run.active.size > ACTIVE_MAX) return RESULT;
  const handler = run.handlers.get(node) ?? null;
  const result = runBody(run, node, scope, null, () => {
    const parameters = parametersOf(node);
    const first = bindSelf(run, node, parameters);
    for (const parameter of parameters.slice(first)) {
      const { name, value } = parameterValue(run, parameter, handler);
      if (name === null) continue;
      evaluate(run, part(parameter, 'value'));
      run.scope.set(run.textOf(name), value);
    }
    bindPairs(run, parameters);
  });
  run.results.set(node, result);
  return result;
}

/** Functions that wait for the result of another one. */
const ACTIVE_MAX = 50;

/** Names of parameters that servers and hosts of functions give data from outside. */
const PAIRS = new Map([
  ['event context', 'event'],
  ['environ start_response', 'environ'],
]);

/** `def handler(event, context)`, `def app(environ, start_response)`. */
function bindPairs(run: Run, parameters: readonly PyNode[]): void {
  const names = parameters.map((parameter) => parameterValue(run, parameter, null).name);
  const [first, second] = names.slice(-2);
  if (names.length > 3 || first == null || second == null) return;
  const name = PAIRS.get(
    `${run.textOf(first).replace(/^_/, '')} ${run.textOf(second).replace(/^_/, '')}`,
  );
  if (name === undefined) return;
  const base = {
    claimedFor: [],
    safeFor: [],
    hostOf: null,
    isUrl: false,
    isResolved: false,
    steps: [],
  };
  const shape = { isWhole: name === 'event', mayBeObject: name === 'event' };
  const source = {
    strength: 'strong',
    text: name,
    line: run.lineOf(first),
    ...base,
    ...shape,
  } as const;
  run.scope.set(run.textOf(first), { ...UNKNOWN, source });
}

/** Binds `self`; gives the number of parameters that are bound by it. */
function bindSelf(run: Run, node: PyNode, parameters: readonly PyNode[]): number {
  const owner = run.owners.get(node);
  const [self] = parameters;
  if (owner === undefined || self === undefined || run.statics.has(node)) return 0;
  run.scope.set(run.textOf(self), instanceOf(owner));
  return 1;
}

/** Follows a call into a function of the text where it is given data from outside. */
export function follow(run: Run, callable: PyFunction, call: Call): Value {
  const { node } = callable;
  const { args, keywords } = call;
  const given = [...args, ...keywords.values()];
  const isOutside = given.some((value) => holdsOutside(value) || holdsSource(value));
  if (run.active.has(node)) return derive(given);
  if (!isOutside) return evaluateAlone(run, callable);
  if (!run.mayFollow()) {
    run.lostAt ??= node.start;
    return derive(given);
  }
  run.calls += 1;
  run.following += 1;
  const result = runBody(run, node, callable.scope, call.node, () => {
    const parameters = parametersOf(node);
    const first = bindSelf(run, node, parameters);
    for (const [index, parameter] of parameters.slice(first).entries()) {
      bindArgument(run, parameter, index, call);
    }
  });
  run.following -= 1;
  return result;
}

function holdsSource({ properties }: Value): boolean {
  return properties !== null && [...properties.values()].some(holdsOutside);
}

function bindArgument(run: Run, parameter: PyNode, index: number, call: Call): void {
  const { name, value: known } = parameterValue(run, parameter, null);
  if (name === null) return;
  const text = run.textOf(name);
  const shape =
    parameter.type === 'typed_parameter' ? (parameter.children[0]?.type ?? '') : parameter.type;
  if (shape === 'list_splat_pattern') {
    const elements = call.args.slice(index);
    const source = derive(elements).source;
    run.scope.set(text, { ...UNKNOWN, elements, source });
    return;
  }
  if (shape === 'dictionary_splat_pattern') {
    run.scope.set(text, { ...UNKNOWN, properties: new Map(call.keywords) });
    return;
  }
  const value = call.args[index] ?? call.keywords.get(text);
  if (value !== undefined)
    bind(run, name, value.source === null && value === UNKNOWN ? known : value);
  else
    run.scope.set(
      text,
      part(parameter, 'value') === null ? known : evaluate(run, part(parameter, 'value')),
    );
}

/** Runs a function's body in a scope of its own. `asked`: the call that asks for its proofs. */
function runBody(
  run: Run,
  node: PyNode,
  scope: Scope,
  asked: PyNode | null,
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
    if (node.type === 'lambda') run.returns.push(evaluate(run, code));
    else if (!run.executeBlock(code)) {
      run.exits?.push({ held: run.scope.heldUpTo(run.body), result: null });
    }
    const result = run.returns.reduce<Value | null>(
      (found, value) => (found === null ? value : worse(found, value)),
      null,
    );
    if (asked !== null) prove(run, asked, outer);
    return result ?? TRUSTED;
  } finally {
    Object.assign(run, { returns, exits, isInLoop, body: outerBody, scope: outer });
    run.active.delete(node);
  }
}

/** What a call tells: facts that hold at each end of the function it called. */
function prove(run: Run, call: PyNode, caller: Scope): void {
  const exits = run.exits ?? [];
  caller.guard(common(exits.map(({ held }) => held)));
  const isEnd = (truth: boolean) =>
    exits
      .filter(({ result }) => mayBe(result, truth))
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
function mayBe(result: Facts | null, truth: boolean): boolean {
  if (result === null) return !truth;
  const { constant } = result.value;
  if (constant === null) return true;
  return truth !== /^(?:False|None|0|)$/.test(constant);
}

function common(sets: readonly ReadonlySet<Fact>[]): Fact[] {
  const [first, ...rest] = sets;
  return first === undefined ? [] : [...first].filter((fact) => rest.every((set) => set.has(fact)));
}

/** Makes an object of a class of the text. */
export function instantiate(run: Run, name: string, call: Call): Value {
  const owner = run.classes.get(name);
  const init = owner?.methods.get('__init__');
  if (owner === undefined) return RESULT;
  const { args, keywords } = call;
  if (init !== undefined) {
    follow(
      run,
      { node: init, scope: owner.scope, name: '__init__', home: run, pollutes: false },
      call,
    );
    return instanceOf(owner);
  }
  if (owner.fields.size === 0) return instanceOf(owner);
  const properties = new Map<string, Value>();
  for (const [index, field] of [...owner.fields.keys()].entries()) {
    properties.set(field, args[index] ?? keywords.get(field) ?? UNKNOWN);
  }
  return { ...instanceOf(owner), properties };
}

/** Notes what a `return` gives back, and what it tells as a condition. */
export function noteReturn(run: Run, facts: Facts): void {
  run.returns.push(run.scope.settled(facts.value));
  run.exits?.push({ held: run.scope.heldUpTo(run.body), result: facts });
}

/** The decorators of a definition. */
export function decoratorsOf(node: PyNode): PyNode[] {
  return node.children.filter(({ type }) => type === 'decorator');
}

/** The name of a plain decorator: `staticmethod`; '' for others. */
export function decoratorName(run: Run, decorator: PyNode): string {
  const name = typed(decorator, 'identifier');
  return name === null ? '' : run.textOf(name);
}
