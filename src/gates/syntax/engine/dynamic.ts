import type { Argument, Expression } from '../il/il.ts';
import { askAbout, assignTo, callBase, callOwn, writtenAs } from './call.ts';
import { givenTo, givenUnder, RESOLVING } from './given.ts';
import { libraryResult } from './library.ts';
import { freeName, memberOf, pathOf } from './member.ts';
import { inheritedBy } from './prototype.ts';
import type { Call, Run, ValueCall } from './run.ts';
import { judgeCall, judgeTag } from './sites.ts';
import { instantiate } from './summary.ts';
import {
  at,
  build,
  type Closure,
  isBlank,
  joinAll,
  onlyConstant,
  outside,
  type Shape,
  textOf,
  UNKNOWN,
} from './value.ts';

/** Calls in a language where a function is a value, and an object a table of them. */
type AnyCall = Expression & { readonly form: 'call' | 'apply' | 'new' };

const NO_OPTIONS: Call['options'] = new Map();

/** A call before its arguments are known. */
type Callee = Pick<
  ValueCall,
  'name' | 'path' | 'receiver' | 'receiverPath' | 'called' | 'isDeclared'
>;

/** Evaluates a call: its arguments, whether it is a sink, and what it gives back. */
export function callDynamic(run: Run, expression: AnyCall): Shape {
  const callee = resolved(run, calleeOf(run, expression), writtenOf(run, expression));
  const isNew = expression.form === 'new' || (expression.form === 'apply' && expression.isNew);
  const base = { ...callee, expression, isNew, options: NO_OPTIONS };
  const isPromise = callee.name === 'Promise' && isNew && !callee.isDeclared;
  const { resolvedWith } = run;
  if (isPromise) run.resolvedWith = [];
  const args = argumentsOf(run, base, expression.arguments, isPromise);
  if (isPromise) {
    const given = run.resolvedWith;
    run.resolvedWith = resolvedWith;
    return given.length === 0 ? UNKNOWN : joinAll(given);
  }
  const call: ValueCall = { ...base, args };
  if (callee.path === RESOLVING) {
    run.resolvedWith.push(run.state.settled(args[0] ?? UNKNOWN));
    return UNKNOWN;
  }
  return perform(run, call);
}

/** Shows a call to the sinks, and gives what it gives back. */
function perform(run: Run, given: ValueCall): Shape {
  const call = run.knowledge.has('stream-call', given.name) ? streamed(run, given) : given;
  judgeCall(run, call);
  const [first, , ...later] = call.args;
  // `setTimeout(eval, 0, x)`
  if (first !== undefined && later.length > 0 && run.knowledge.has('timer', call.name)) {
    const [written] = call.expression.arguments;
    if (written !== undefined && written.value.form !== 'closure') {
      callBack(run, first, later, written.value, call);
    }
  }
  const behind = indirect(run, call);
  if (behind !== null) return behind;
  const own = ownResult(run, call);
  if (own !== null && !isBlank(own)) return own;
  if (own === null) askAbout(run, call);
  return libraryResult(run, call, own !== null);
}

function calleeOf(run: Run, expression: AnyCall): Callee {
  const none = { receiver: null, receiverPath: null, isDeclared: false };
  if (expression.form === 'new') {
    const { own, path, name } = expression.type;
    const last = name.slice(name.lastIndexOf('.') + 1);
    const called =
      own !== null
        ? { ...UNKNOWN, ownClass: own }
        : path !== null
          ? at(path)
          : chainOf(run, name, expression.start);
    const before = name.lastIndexOf('.') < 0 ? null : name.slice(0, name.lastIndexOf('.'));
    const receiver = before === null || own !== null ? null : path === null ? UNKNOWN : at(path);
    return { ...none, name: last, path, called, receiver, receiverPath: before };
  }
  if (expression.form === 'call' && expression.receiver === null) {
    const { name, path, start } = expression;
    const called = path === null ? freeName(run, name, start) : at(path);
    return { ...none, name, path, called };
  }
  if (expression.form === 'call') {
    const { name, receiver: object, start, end } = expression;
    const receiver = object === null ? UNKNOWN : run.evaluate(object);
    return methodOf(run, receiver, name, object, { start, end });
  }
  const { callee, name } = expression;
  if (callee.form === 'member' || callee.form === 'index') {
    const receiver = run.evaluate(callee.object);
    const key = callee.form === 'member' ? callee.name : onlyConstant(run.evaluate(callee.key));
    const known = key === undefined || key === null ? '' : String(key);
    return methodOf(run, receiver, known, callee.object, callee);
  }
  const called = run.evaluate(callee);
  const isDeclared = callee.form === 'load' && called.path === null;
  return { ...none, name, path: called.path, called, isDeclared };
}

/** What a chain of names stands for that nothing declares. */
function chainOf(run: Run, written: string, offset: number): Shape {
  const [first = '', ...members] = written.split('.');
  let value = freeName(run, first, offset);
  let text = first;
  for (const name of members) {
    text += `.${name}`;
    value = memberOf(run, value, name, { text, offset });
  }
  return value;
}

function methodOf(
  run: Run,
  receiver: Shape,
  name: string,
  object: Expression | null,
  { start, end }: { readonly start: number; readonly end: number },
): Callee {
  const receiverPath = object === null ? null : writtenAs(run, object);
  const written = receiverPath === null ? run.textOf({ start, end }) : `${receiverPath}.${name}`;
  const called = memberOf(run, receiver, name === '' ? null : name, {
    text: written,
    offset: start,
  });
  const isDeclared = receiver.path === null && object !== null && rootOf(object) === 'load';
  // A method of a literal is what it is called as, whatever it inherits from.
  const isInherited = called.path === run.knowledge.word('prototype');
  const known = isInherited ? null : called.path;
  const path = known ?? (name === '' ? null : pathOf(run, receiver.path, name));
  return { name, path, receiver, receiverPath, called, isDeclared };
}

/** What a chain of members begins with. */
function rootOf(expression: Expression): Expression['form'] {
  let at = expression;
  while (at.form === 'member') at = at.object;
  return at.form;
}

function writtenOf(run: Run, expression: AnyCall): string {
  if (expression.form === 'new') return expression.type.name;
  if (expression.form === 'apply') return writtenAs(run, expression.callee) ?? '';
  const { receiver, name } = expression;
  if (receiver === null) return name;
  const before = writtenAs(run, receiver);
  return before === null ? '' : `${before}.${name}`;
}

/** A function that every program has is called by its own name, whatever name it goes by. */
function resolved(run: Run, callee: Callee, written: string): Callee {
  const { knowledge } = run;
  const { path, isDeclared, called } = callee;
  const isLoader =
    !isDeclared && (knowledge.is('loader', path ?? '') || knowledge.is('loader', written));
  const isFunction = knowledge.has('functions', called.path ?? '');
  if (!isLoader && !isFunction) return callee;
  const full = isLoader ? knowledge.word('loader') : (called.path ?? '');
  const name = full.slice(full.lastIndexOf('.') + 1);
  return {
    name,
    path: null,
    receiver: null,
    receiverPath: null,
    called: at(full),
    isDeclared: false,
  };
}

/** The arguments in order; a function gets what the call says of its parameters. */
function argumentsOf(
  run: Run,
  base: Omit<ValueCall, 'args'>,
  list: readonly Argument[],
  isPromise: boolean,
): readonly Shape[] {
  const values: Shape[] = [];
  for (const { value, isSpread } of list) {
    const call: ValueCall = { ...base, args: values };
    const given = argumentOf(run, call, value, values.length, isPromise);
    if (!isSpread) values.push(given);
    else values.push(...(run.elementsOf(given) ?? [run.elementOf(given)]));
  }
  return values;
}

const RESOLVER: readonly Shape[] = [at(RESOLVING)];

function argumentOf(
  run: Run,
  call: ValueCall,
  value: Expression,
  index: number,
  isPromise: boolean,
): Shape {
  const inner = value.form === 'cast' || value.form === 'await' ? value.value : value;
  if (inner.form === 'closure') {
    const declared = run.functionOf(inner.id);
    const known = isPromise ? RESOLVER : givenTo(run, call, index, declared);
    const made = call.called.path ?? null;
    const from = made !== null && run.knowledge.isKnown(made) ? at(`${made}()`) : null;
    return lookedAt(run, inner.id, known, from);
  }
  const { taker } = run;
  run.taker = inner.form === 'object' ? call : null;
  const given = run.evaluate(value);
  run.taker = taker;
  const isFunction = given.closures.length > 0 || isNamedFunction(given);
  if (!isFunction || value.form === 'object') return given;
  const known = isPromise ? RESOLVER : givenTo(run, call, index, declaredOf(run, given));
  if (known.length > 0) callBack(run, given, known, value, call);
  return given;
}

function declaredOf(run: Run, { closures }: Shape) {
  const [first] = closures;
  const isHandler = first?.kind === 'function';
  return isHandler ? run.functionOf(first.id) : null;
}

function isNamedFunction({ path }: Shape): boolean {
  return (
    path !== null && path !== RESOLVING && !path.endsWith('()') && !path.startsWith('constant.')
  );
}

/** A function that is written where it is given; it is looked at with what is known there. */
export function lookedAt(
  run: Run,
  id: number,
  known: readonly Shape[],
  from: Shape | null = null,
): Shape {
  const declared = run.functionOf(id);
  const all = [...known];
  if (from !== null) {
    // Of a package as well: `knex.transaction((trx) => ...)`.
    for (const at of declared?.parameters.keys() ?? []) {
      if (all[at] === undefined || all[at] === UNKNOWN) all[at] = from;
    }
  }
  if (all.length > 0) run.given.set(id, all);
  run.lookAgain(id);
  return { ...UNKNOWN, closures: [{ kind: 'function', id, self: null }] };
}

/** A call that somebody else makes of a function that is given by its name. */
function callBack(
  run: Run,
  given: Shape,
  known: readonly Shape[],
  expression: Expression,
  call: ValueCall,
): void {
  for (const closure of given.closures) run.parts.invoke(run, closure, known, call);
  if (given.closures.length > 0) return;
  perform(run, targetOf(run, given, writtenAs(run, expression), known, call, false));
}

/** The call of a function that is a value: `exec` of `exec.call(null, x)`. */
function targetOf(
  run: Run,
  called: Shape,
  written: string | null,
  args: readonly Shape[],
  { expression }: ValueCall,
  isNew: boolean,
): ValueCall {
  const names = (written ?? called.path ?? '').split('.');
  const name = names.at(-1) ?? '';
  const receiverPath = names.length > 1 ? names.slice(0, -1).join('.') : null;
  const callee = resolved(
    run,
    {
      name,
      path: called.path,
      called,
      receiverPath,
      receiver: receiverPath === null ? null : UNKNOWN,
      isDeclared: false,
    },
    written ?? '',
  );
  return { ...callee, expression, args, isNew, options: NO_OPTIONS };
}

const METHODS = /^(?:call|apply|bind)$/;

/** The call behind `f.call(that, x)`, `f.apply(that, [x])`, `f.bind(that, x)`; null: another. */
function indirect(run: Run, call: ValueCall): Shape | null {
  const { name, receiver, receiverPath, args, expression, path } = call;
  const written = receiverPath ?? '';
  const reflected =
    /^global\.Reflect\.(\w+)$/.exec(path ?? '')?.[1] ?? (written === 'Reflect' ? name : null);
  const [first = UNKNOWN, second, third] = args;
  if (reflected !== null) {
    const isNew = reflected === 'construct';
    if (reflected === 'get')
      return memberOf(run, first, second === undefined ? null : textOf(second), {
        text: '',
        offset: expression.start,
      });
    if (!isNew && reflected !== 'apply') return null;
    if (second?.pattern != null) return null;
    const list = elements(run, isNew ? second : third);
    const target = writtenArgument(run, expression, 0);
    return perform(run, targetOf(run, first, target, list, call, isNew));
  }
  if (receiver === null || !METHODS.test(name)) return null;
  const generic = /^(?:[\w.]+\.)?Function\.prototype\.(call|apply|bind)$/.exec(written)?.[1];
  if (generic !== undefined) {
    const given = name === 'apply' ? elements(run, second) : args.slice(1);
    const list = generic === 'apply' ? elements(run, given[1]) : given.slice(1);
    return perform(
      run,
      targetOf(run, first, writtenArgument(run, expression, 0), list, call, false),
    );
  }
  if (first.pattern !== null) return null;
  const list = name === 'apply' ? elements(run, second) : args.slice(1);
  // `Array.prototype.slice.call(arguments, 1)`, `[].join.call(arguments)`
  const method = expression.form === 'call' ? expression.receiver : null;
  const isOfList = written.startsWith('Array.prototype.') || receiverPath === null;
  if (isOfList && method?.form === 'member' && run.objectsOf(first).length > 0) {
    if (receiver.closures.length === 0) {
      const own = { name: method.name, path: null, receiver: first, receiverPath: null };
      return perform(run, { ...call, ...own, called: UNKNOWN, args: list });
    }
  }
  if (name === 'bind') {
    const bound = receiver.closures.map(
      (one): Closure => (one.kind === 'function' ? { ...one, self: first } : one),
    );
    if (bound.length > 0) {
      // Each call of it begins with these arguments.
      if (list.length > 0) for (const one of bound) run.parts.invoke(run, one, list, call);
      return { ...receiver, closures: bound };
    }
    if (receiver.path !== null)
      judgeCall(run, targetOf(run, receiver, receiverPath, list, call, false));
    return receiver.path === null ? null : at(receiver.path);
  }
  if (receiver.closures.length > 0) {
    const self = first.constants === null ? first : null;
    return joinAll(
      receiver.closures.map((one) =>
        run.parts.invoke(run, one.kind === 'function' ? { ...one, self } : one, list, call),
      ),
    );
  }
  const result = perform(run, targetOf(run, receiver, receiverPath, list, call, false));
  return isBlank(result) ? null : result;
}

function writtenArgument(run: Run, { arguments: list }: AnyCall, index: number): string | null {
  const value = list[index]?.value;
  return value === undefined ? null : writtenAs(run, value);
}

/** What a list holds; one element of it when it came as a whole. */
function elements(run: Run, shape: Shape | undefined): readonly Shape[] {
  if (shape === undefined) return [];
  return run.elementsOf(shape) ?? [run.elementOf(shape)];
}

/** What a function of the file gives back; null: it is not in view. */
function ownResult(run: Run, call: ValueCall): Shape | null {
  const { called, args, isNew, receiver, name, expression } = call;
  if (isNew && called.ownClass !== null) return instantiate(run, called.ownClass, args);
  if (receiver !== null && expression.form === 'call' && name !== '') {
    const given = { args, options: NO_OPTIONS };
    const own = expression.isBase
      ? callBase(run, { name, arguments: expression.arguments }, receiver, given)
      : callOwn(run, { name, arguments: expression.arguments }, receiver, given);
    if (own !== null) return own;
  }
  if (called.closures.length === 0) return null;
  run.loseFunctions(called, args);
  const results = called.closures.map((one) => {
    const self = isNew ? madeBy(run, one) : (receiver ?? null);
    const bound = one.kind === 'function' && (one.self === null || isNew) ? { ...one, self } : one;
    const result = run.parts.invoke(run, bound, args, call);
    // A function that is called with `new` gives the object that it filled.
    return isNew && result.objects.length === 0 && self !== null ? self : result;
  });
  return joinAll(results);
}

function madeBy(run: Run, maker: Closure): Shape {
  const base = { kind: 'instance', type: null, rest: null, length: null, isOpen: false } as const;
  const cells = inheritedBy(run, { ...UNKNOWN, closures: [maker] });
  return run.make({ ...base, cells }).shape;
}

/** A function before a template gets its texts and values. */
export function tagDynamic(run: Run, expression: Expression & { readonly form: 'tag' }): Shape {
  const { tag, parts, start, end } = expression;
  const called = run.evaluate(tag);
  const values = parts.map((part) => run.evaluate(part));
  const text = build(
    values.map((one) => run.flat(one)),
    [start, end],
  );
  const written = writtenAs(run, tag);
  const given = parts.flatMap((part, index) => (isTextOf(part) ? [] : (values[index] ?? [])));
  const call: Expression & { readonly form: 'apply' } = {
    start,
    end,
    form: 'apply',
    callee: tag,
    name: '',
    at: { start, end },
    isNew: false,
    arguments: [],
  };
  const site = targetOf(run, called, written, given, { expression: call } as ValueCall, false);
  judgeTag(run, site, text);
  if (written === 'String.raw') return text;
  if (called.closures.length > 0) {
    const texts = run.list(
      parts.flatMap((part, index) => (isTextOf(part) ? (values[index] ?? []) : [])),
    );
    const args = [texts, ...given];
    const result = joinAll(called.closures.map((one) => run.parts.invoke(run, one, args, site)));
    if (!isBlank(result)) return result;
  }
  return libraryResult(run, { ...site, args: [text, ...given] }, false);
}

function isTextOf({ form }: Expression): boolean {
  return form === 'constant';
}

/** What stands under a key of an object that is given to a call: a function gets its data. */
export function optionOf(run: Run, name: string, value: Expression): Shape | null {
  if (value.form !== 'closure') {
    if (value.form !== 'load' && value.form !== 'member' && value.form !== 'name') return null;
    const given = run.evaluate(value);
    if (given.closures.length === 0) return given;
    const known = givenUnder(run, name, run.taker);
    if (known.length > 0) {
      for (const one of given.closures) run.parts.invoke(run, one, known, { name } as Call);
    }
    return given;
  }
  return lookedAt(run, value.id, givenUnder(run, name, run.taker));
}

/** `req.pipe(file)`, `pipeline(req, file)`: what flows is the body of the request. */
function streamed(run: Run, call: ValueCall): ValueCall {
  const flowing = (one: Shape) => bodyOf(run, one, call.expression.start) ?? one;
  const receiver = call.receiver === null ? null : flowing(call.receiver);
  const args = call.args.map(flowing);
  const isMethod = call.name.startsWith('pipe') && receiver !== null && receiver.origins.length > 0;
  const [data, ...targets] = isMethod ? [receiver, ...args] : args;
  if (data === undefined || data.origins.length === 0) return { ...call, receiver, args };
  for (const target of targets) flowInto(run, target, { ...UNKNOWN, origins: data.origins }, call);
  const [first] = call.expression.arguments;
  const [target] = targets;
  // What is read from the target later is what flowed into it.
  if (isMethod && target !== undefined && first?.value.form === 'load') {
    const isLocal = target.ownClass === null && target.closures.length === 0;
    if (isLocal) assignTo(run, first.value, { ...target, origins: data.origins });
  }
  return { ...call, receiver, args };
}

/** Gives data to what a stream does with it: its options, methods, or a generator. */
function flowInto(run: Run, target: Shape, data: Shape, call: ValueCall): void {
  for (const one of target.closures) run.parts.invoke(run, one, [data], call);
  for (const [id, { type, cells }] of run.objectsOf(target)) {
    const self = { ...UNKNOWN, objects: [id] };
    for (const name of STREAM_METHODS) {
      for (const one of cells.get(name)?.closures ?? []) run.parts.invoke(run, one, [data], call);
      const method = type === null ? null : run.parts.methodOf(run, type, `_${name}`, 1);
      if (method !== null) run.parts.follow(run, method.id, [data], self);
    }
  }
}

const STREAM_METHODS = ['transform', 'write'];

/** Data that comes in pieces: `for await (const chunk of req)`. */
export function bodyOf(run: Run, { role }: Shape, offset: number): Shape | null {
  if (role !== 'request' && role !== 'socket') return null;
  return outside('strong', 'body of the request', run.placeOf(offset));
}
