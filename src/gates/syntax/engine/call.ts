import type { Argument, Constant, Expression } from '../il/il.ts';
import { ANY_NAME } from './catalogue-lines.ts';
import { checkLines } from './check-lines.ts';
import { checkCall, checkTag } from './check-sinks.ts';
import { noteSettings, takeEffect } from './effects.ts';
import { isClass } from './guard.ts';
import { registeredBy } from './handlers.ts';
import { freeName, memberOf, POINTED } from './member.ts';
import { dottedName, fieldNamed, lastOf, memberPath, receiverName } from './names.ts';
import {
  callbackParameters,
  optionParameters,
  RESOLVING,
  registersHandler,
} from './parameter-values.ts';
import { inherited, inheritedBy } from './prototype.ts';
import { askAbout, askBeside, partOfReceiver, resultOf } from './result.ts';
import { type Call, PLAIN, type Run } from './run.ts';
import { callObject, instantiate, methodOf, methodsOf, specialResult } from './summary.ts';
import {
  at,
  build,
  type Closure,
  changed,
  constantOf,
  derive,
  isBlank,
  joinAll,
  outside,
  type Shape,
  TRUSTED,
  textOf,
  UNKNOWN,
} from './value.ts';

type AnyCall = Call['expression'];
type CallExpression = Expression & { readonly form: 'call' };

const NO_OPTIONS: Call['options'] = new Map();
/** Paths of what calls of calls give; a longer one is not known. */
const PATH_CHARS_MAX = 4_000;

/** Methods of one call that are each looked at, when a key chooses among them. */
const CALLED_NAMES_MAX = 4;

/** A call before its arguments are known. */
type Callee = Pick<Call, 'name' | 'path' | 'receiver' | 'receiverPath' | 'called' | 'isDeclared'>;

/** Evaluates a call: its arguments, whether it is a sink, and what it gives back. */
export function callValue(run: Run, expression: AnyCall): Shape {
  const [callee, ...others] = calleesOf(run, expression).map((found) =>
    resolved(run, found, writtenOf(run, expression, found)),
  ) as [Callee, ...Callee[]];
  const isNew = expression.form === 'new' || (expression.form === 'apply' && expression.isNew);
  if (isNew && !callee.isDeclared && run.knowledge.has('promise', callee.name)) {
    return promised(run, callee, expression);
  }
  const call = callOf(run, callee, expression, isNew, false);
  if (callee.path === RESOLVING) {
    run.resolvedWith.push(run.state.settled(call.args[0] ?? UNKNOWN));
    return UNKNOWN;
  }
  const results = [call, ...others.map((other) => ({ ...call, ...other }))].map((one) =>
    perform(run, withoutContext(run, one)),
  );
  return joinAll(results);
}

/** What the function that makes a promise gives to its callback. */
function promised(run: Run, callee: Callee, expression: AnyCall): Shape {
  const { resolvedWith } = run;
  run.resolvedWith = [];
  callOf(run, callee, expression, true, true);
  const given = run.resolvedWith;
  run.resolvedWith = resolvedWith;
  return given.length === 0 ? UNKNOWN : joinAll(given);
}

/** Shows a call to the sinks, and gives what it gives back. */
function perform(run: Run, given: Call): Shape {
  const call = run.knowledge.has('stream-call', given.name) ? streamed(run, given) : given;
  noteSettings(run, call);
  if (call.isNew) askAbout(run, call);
  checkCall(run, call);
  runLater(run, call);
  const behind = indirect(run, call);
  if (behind !== null) return behind;
  const own = ownResult(run, given.whole ?? call);
  if (own !== null) askBeside(run, call);
  if (own !== null && !isBlank(own)) return own;
  // What a method of an object does that the program makes, its name does not say.
  const isMade = call.receiver?.path?.endsWith(')') === true;
  if (own === null && (isMade || run.knowledge.traits.has('keys'))) askAbout(run, call);
  const result = resultOf(run, call, own);
  takeEffect(run, call);
  return result;
}

/** `setTimeout(eval, 0, x)` */
function runLater(run: Run, call: Call): void {
  const [first, , ...later] = call.args;
  if (first === undefined || later.length === 0 || !run.knowledge.has('timer', call.name)) return;
  const [written] = call.expression.arguments;
  if (written === undefined || written.value.form === 'closure') return;
  callBack(run, first, later, written.value, call);
}

/** What is called; of `element[isMarkup ? 'html' : 'text'](value)` each method may be. */
function calleesOf(run: Run, expression: AnyCall): readonly [Callee, ...Callee[]] {
  const callee = expression.form === 'apply' ? expression.callee : null;
  if (callee?.form !== 'index' || !run.knowledge.traits.has('keys')) {
    return [calleeOf(run, expression)];
  }
  const receiver = run.evaluate(callee.object);
  const [first = null, ...others] = run.evaluate(callee.key).constants ?? [];
  const called = (key: Constant) =>
    calledMember(run, receiver, key === null ? '' : String(key), callee.object, callee);
  return [called(first), ...others.slice(0, CALLED_NAMES_MAX - 1).map(called)];
}

function calleeOf(run: Run, expression: AnyCall): Callee {
  const isKey = run.knowledge.traits.has('keys');
  if (expression.form === 'new') {
    const { own, path, name } = expression.type;
    const last = lastOf(name);
    if (own !== null) return named(last, path, changed(UNKNOWN, { ownClass: own }));
    if (!isKey) return named(last, path, path === null ? UNKNOWN : at(path));
    const called = path === null ? chainOf(run, name, expression.start) : at(path);
    const before = name.lastIndexOf('.') < 0 ? null : name.slice(0, name.lastIndexOf('.'));
    const receiver = before === null ? null : path === null ? UNKNOWN : at(path);
    return { ...named(last, path, called), receiver, receiverPath: before };
  }
  if (expression.form === 'call' && expression.receiver === null) {
    const { name, path, start } = expression;
    const called = path === null ? freeName(run, name, start) : at(path);
    return named(name, path, called);
  }
  if (expression.form === 'call') {
    const { name, receiver: object, start, end } = expression;
    const receiver = object === null ? UNKNOWN : run.evaluate(object);
    return calledMember(run, receiver, name, object, { start, end });
  }
  const { callee, name } = expression;
  if (callee.form === 'member' || callee.form === 'index') {
    const receiver = run.evaluate(callee.object);
    if (isKey && callee.form === 'member') {
      return calledMember(run, receiver, callee.name, callee.object, callee);
    }
    return {
      ...calledValue(run.evaluate(callee), name),
      receiver,
      receiverPath: dottedName(run, callee.object),
    };
  }
  const called = run.evaluate(callee);
  if (!isKey) return calledValue(called, name);
  const isDeclared = callee.form === 'load' && called.path === null;
  return named(name, called.path, called, isDeclared);
}

/** What is called by its name alone. */
function named(name: string, path: string | null, called: Shape, isDeclared = false): Callee {
  return { name, path, receiver: null, receiverPath: null, called, isDeclared };
}

/** What is called as a value: by the last name of its path, unless a call gave it. */
function calledValue(called: Shape, name: string): Callee {
  const isGiven = called.path?.endsWith(')') === true;
  const path = isGiven ? `${called.path}()` : called.path;
  const own = path === null || isGiven ? name : lastOf(path);
  return named(own, path, called);
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

/** A method, which may be a function that the receiver holds. */
function calledMember(
  run: Run,
  receiver: Shape,
  name: string,
  object: Expression | null,
  { start, end }: { readonly start: number; readonly end: number },
): Callee {
  if (!run.knowledge.traits.has('keys')) {
    const { path } = receiver;
    const own = path === null || path.length > PATH_CHARS_MAX ? null : `${path}.${name}`;
    const usual = object === null ? null : receiverName(run, object);
    const called = UNKNOWN;
    return { name, path: own, receiver, receiverPath: usual, called, isDeclared: false };
  }
  const receiverPath = object === null ? null : dottedName(run, object);
  const written = receiverPath === null ? run.textOf({ start, end }) : `${receiverPath}.${name}`;
  const called = memberOf(run, receiver, name === '' ? null : name, {
    text: written,
    offset: start,
    isCalled: true,
  });
  if (object?.form === 'load' && isBlank(called)) {
    const early = `${object.variable}.${name}`;
    if (!run.calledEarly.has(early)) run.calledEarly.set(early, false);
  }
  const isDeclared = receiver.path === null && object !== null && rootOf(object) === 'load';
  // A method of a literal is what it is called as, whatever it inherits from.
  const isInherited = called.path === run.knowledge.word('prototype');
  const known = isInherited ? null : called.path;
  const path = known ?? (name === '' ? null : memberPath(run, receiver.path, name));
  return { name, path, receiver, receiverPath, called, isDeclared };
}

/** What a chain of members begins with. */
function rootOf(expression: Expression): Expression['form'] {
  let at = expression;
  while (at.form === 'member') at = at.object;
  return at.form;
}

function writtenOf(run: Run, expression: AnyCall, { receiverPath }: Callee): string {
  if (expression.form === 'new') return expression.type.name;
  if (expression.form === 'apply') return dottedName(run, expression.callee) ?? '';
  if (expression.receiver === null) return expression.name;
  return receiverPath === null ? '' : `${receiverPath}.${expression.name}`;
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
  return named(name, null, at(full));
}

/** Arguments by their places, and arguments with a name. */
type Given = Pick<Call, 'args' | 'options'>;

/**
 * The call with its arguments evaluated; a list that is spread gives its elements, a call with
 * results all, and a function gets what the call says of its parameters.
 */
function callOf(
  run: Run,
  callee: Callee,
  expression: AnyCall,
  isNew: boolean,
  isPromise: boolean,
): Call {
  const args: Shape[] = [];
  let options: Map<string, Shape> | null = null;
  const call = callWith(callee, expression, args, NO_OPTIONS, isNew);
  const { arguments: list } = expression;
  for (const { name, value, isSpread } of list) {
    const given = argumentOf(run, call, value, args.length, isPromise);
    if (name !== null) {
      options ??= new Map();
      if (isSpread) spreadNames(run, given, options);
      else options.set(name, given);
      continue;
    }
    if (isSpread) args.push(...(run.elementsOf(given) ?? [run.elementOf(given)]));
    else if (given.results !== null && list.length === 1) args.push(...given.results);
    else args.push(given);
    // Features are switched on by constants: `Feature.SupportAutoType`.
    if (value.form === 'member' && run.knowledge.is('feature', value.name)) {
      options ??= new Map();
      options.set(value.name, constantOf('on'));
    }
  }
  return options === null ? call : callWith(callee, expression, args, options, isNew);
}

/** A call, field by field: there are many, and V8 spreads slowly. */
function callWith(
  callee: Callee,
  expression: AnyCall,
  args: readonly Shape[],
  options: Call['options'],
  isNew: boolean,
): Call {
  return {
    expression,
    name: callee.name,
    path: callee.path,
    receiver: callee.receiver,
    receiverPath: callee.receiverPath,
    args,
    options,
    called: callee.called,
    isDeclared: callee.isDeclared,
    isNew,
  };
}

/** Arguments by the keys of a table that is spread. */
function spreadNames(run: Run, table: Shape, options: Map<string, Shape>): void {
  const all: Shape[] = table.origins.length > 0 ? [run.elementOf(table)] : [];
  for (const [, { cells, rest }] of run.objectsOf(table)) {
    for (const [key, value] of cells) options.set(key, value);
    if (rest !== null) all.push(rest);
  }
  // A table of another file: what is under its keys may be asked for.
  if (table.path !== null && table.objects.length === 0) all.push(table);
  if (all.length > 0) options.set(ANY_NAME, joinAll(all));
}

/**
 * The call without a context that comes first: the catalogue counts arguments without it, as
 * `Query(text)` and `QueryContext(ctx, text)` are the same to it. A function of the program has a
 * parameter for it, and gets the whole call.
 */
function withoutContext(run: Run, call: Call): Call {
  const { args, expression } = call;
  const [first] = args;
  const [written] = expression.arguments;
  if (first === undefined || written === undefined || args.length < 2) return call;
  const { knowledge } = run;
  const isContext =
    knowledge.is('context-path', first.path ?? '') ||
    knowledge.is('context-name', run.textOf(written.value));
  if (!isContext || first.origins.some(({ strength }) => strength === 'strong')) return call;
  const rest = { ...expression, arguments: expression.arguments.slice(1) };
  return { ...call, args: args.slice(1), expression: rest, whole: call };
}

const RESOLVER: readonly Shape[] = [at(RESOLVING)];

function argumentOf(
  run: Run,
  call: Call,
  value: Expression,
  index: number,
  isPromise: boolean,
): Shape {
  // Without rows of what functions are given no call says what their parameters are.
  if (!run.knowledge.traits.has('keys')) return run.evaluate(withClass(run, call, value));
  const inner = value.form === 'cast' || value.form === 'await' ? value.value : value;
  if (inner.form === 'closure') {
    const declared = run.functionOf(inner.id);
    const known = isPromise ? RESOLVER : callbackParameters(run, call, index, declared);
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
  const known = isPromise ? RESOLVER : callbackParameters(run, call, index, declaredOf(run, given));
  if (known.length > 0) handed(run, given, known, value, call);
  else if (given.closures.length === 0 && given.path !== null && registersHandler(run, call)) {
    if (!run.knowledge.isKnown(given.path)) run.ask(given.path, value.start, true);
  }
  return given;
}

/** `new()` and `options => ...` with the class that the function takes which they are given to. */
function withClass(run: Run, call: Call, value: Expression): Expression {
  const isUnnamed = value.form === 'new' && value.type.name === '' && value.type.own === null;
  if (!isUnnamed && value.form !== 'closure') return value;
  const path = registeredBy(run, call);
  if (path === null) return value;
  if (value.form === 'new') return { ...value, type: { ...value.type, path } };
  run.registered.set(value.id, path);
  return value;
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
  return changed(UNKNOWN, { closures: [{ kind: 'function', id, self: null }] });
}

/** As `callBack`, of a function that may be of another file and is known here to be called. */
function handed(
  run: Run,
  given: Shape,
  known: readonly Shape[],
  expression: Expression,
  call: Call,
): void {
  const { isHanding } = run;
  run.isHanding ||= run.isOwnPlace(call.expression.start) && registersHandler(run, call);
  callBack(run, given, known, expression, call);
  run.isHanding = isHanding;
}

/** A call that somebody else makes of a function that is given by its name. */
function callBack(
  run: Run,
  given: Shape,
  known: readonly Shape[],
  expression: Expression,
  call: Call,
): void {
  for (const closure of given.closures) run.parts.invoke(run, closure, known, call);
  if (given.closures.length > 0) return;
  perform(run, targetOf(run, given, dottedName(run, expression), known, call, false));
}

/** The call of a function that is a value: `exec` of `exec.call(null, x)`. */
function targetOf(
  run: Run,
  called: Shape,
  written: string | null,
  args: readonly Shape[],
  { expression }: Call,
  isNew: boolean,
): Call {
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
  return callWith(callee, expression, args, NO_OPTIONS, isNew);
}

/** The call behind `f.call(that, x)`, `f.apply(that, [x])`, `f.bind(that, x)`; null: another. */
function indirect(run: Run, call: Call): Shape | null {
  const { name, receiver, receiverPath, args, expression, path } = call;
  const written = receiverPath ?? '';
  const { knowledge } = run;
  const isReflected =
    knowledge.has('reflection', path ?? '') || knowledge.has('reflection', `${written}.${name}`);
  const reflected = isReflected ? name : null;
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
  if (receiver === null || !run.knowledge.has('calls-through', name)) return null;
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
      (one): Closure =>
        one.kind === 'function'
          ? { ...one, self: first, first: [...(one.first ?? []), ...list] }
          : one,
    );
    if (bound.length > 0) {
      // Each call of it begins with these arguments.
      if (list.length > 0) for (const one of bound) run.parts.invoke(run, one, list, call);
      return changed(receiver, { closures: bound });
    }
    if (receiver.path !== null)
      checkCall(run, targetOf(run, receiver, receiverPath, list, call, false));
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
  return value === undefined ? null : dottedName(run, value);
}

/** What a list holds; one element of it when it came as a whole. */
function elements(run: Run, shape: Shape | undefined): readonly Shape[] {
  if (shape === undefined) return [];
  return run.elementsOf(shape) ?? [run.elementOf(shape)];
}

/** What a function of the file gives back; null: it is not in view. */
function ownResult(run: Run, call: Call): Shape | null {
  const { called, args, options, isNew, receiver, name, expression } = call;
  const makes = isNew || run.knowledge.traits.has('self');
  if (makes && called.ownClass !== null) return instantiate(run, called.ownClass, args, options);
  return withBoxes(run, expression.arguments, { args, options }, (given) => {
    if (receiver !== null && expression.form === 'call' && name !== '') {
      const own = expression.isBase
        ? callBase(run, { name, arguments: expression.arguments }, receiver, given)
        : callOwn(run, { name, arguments: expression.arguments }, receiver, given);
      if (own !== null) return own;
    }
    if (called.closures.length > 0) return calledFunctions(run, call, given);
    return expression.form === 'apply' ? specialResult(run, 'called-as', called, args) : null;
  });
}

/** What functions give back that are values. */
function calledFunctions(run: Run, call: Call, given: Given): Shape {
  const { called, args, isNew, receiver } = call;
  run.loseFunctions(called, args);
  const results = called.closures.map((one) => {
    const self = isNew ? madeBy(run, one, call.expression.start) : receiver;
    const bound = one.kind === 'function' && (one.self === null || isNew) ? { ...one, self } : one;
    const result = callClosure(run, bound, given, call);
    // A function that is called with `new` gives the object that it filled.
    return isNew && result.objects.length === 0 && self !== null ? self : result;
  });
  return joinAll(results);
}

/** Runs a call with boxes for addresses of variables and fields: a function may fill them. */
function withBoxes(
  run: Run,
  list: readonly Argument[],
  given: Given,
  inner: (given: Given) => Shape | null,
): Shape | null {
  const boxes: (readonly [place: Expression, box: Shape])[] = [];
  const args = given.args.map((value, index) => {
    const place = list[index]?.value;
    const isAddress = place?.form === 'unary' && place.sign === '&';
    const isPlain = value.objects.length === 0 && value.path === null;
    if (!isAddress || !isPlain || list.length !== given.args.length) return value;
    const cells = new Map([[POINTED, run.state.settled(value)]]);
    const { shape } = run.make('instance', { cells });
    boxes.push([place.operand, shape]);
    return shape;
  });
  if (boxes.length === 0) return inner(given);
  const result = inner({ ...given, args });
  for (const [place, box] of result === null ? [] : boxes) {
    const [object] = run.objectsOf(box);
    const value = object?.[1].cells.get(POINTED);
    if (value !== undefined) run.assign(place, value);
  }
  return result;
}

function madeBy(run: Run, maker: Closure, offset: number): Shape {
  const cells = inheritedBy(run, changed(UNKNOWN, { closures: [maker] }));
  return run.makeAt(offset, 'instance', { cells });
}

/** A call of what the file declares; null: it declares nothing of that name. */
function callOwn(
  run: Run,
  expression: Pick<CallExpression, 'name' | 'arguments'>,
  receiver: Shape,
  given: Given,
): Shape | null {
  const { name, arguments: list } = expression;
  const { args, options } = given;
  if (receiver.closures.length > 0 && run.knowledge.is('invokes', name)) {
    const call = { name } as Call;
    return joinAll(receiver.closures.map((one) => run.parts.invoke(run, one, args, call)));
  }
  if (receiver.ownClass !== null) {
    const method = methodOf(run, receiver.ownClass, name, list.length);
    if (method?.body == null) return null;
    const [self, ...rest] = args;
    // `Class.method(object, value)`: the object is written as an argument.
    const isFree = !method.isStatic && self !== undefined && run.knowledge.traits.has('self');
    return isFree
      ? run.parts.follow(run, method.id, rest, self, options)
      : run.parts.follow(run, method.id, args, receiver, options);
  }
  const results: Shape[] = [];
  const isKey = run.knowledge.traits.has('keys');
  for (const [id, object] of run.objectsOf(receiver)) {
    const { type, isOpen, cells } = object;
    const held = cells.get(name);
    const self = changed(receiver, { objects: [id] });
    if (held !== undefined && held.closures.length > 0) {
      const own = isKey ? held.closures.map((one) => boundTo(one, self)) : held.closures;
      results.push(...own.map((one) => callClosure(run, one, given, null)));
      continue;
    }
    const methods = type === null ? [] : methodsOf(run, type, name, list.length, isOpen);
    for (const method of methods) {
      results.push(run.parts.follow(run, method.id, args, self, options));
    }
    if (methods.length > 0 || !isKey) continue;
    const above = inherited(run, object, name)?.closures ?? [];
    results.push(...above.map((one) => callClosure(run, boundTo(one, self), given, null)));
  }
  if (results.length > 0) return joinResults(results);
  if (receiver.namedType !== null) {
    const method = methodOf(run, receiver.namedType, name, list.length);
    if (method?.body != null) return run.parts.follow(run, method.id, args, receiver);
    // `Member.value(...)`: the function or class that a member of an enumeration has.
    const { closures } = receiver;
    if (closures.length > 0 && name === run.knowledge.word('enum-value')) {
      return joinResults(closures.map((one) => callClosure(run, one, given, null)));
    }
  }
  const held = heldFunction(run, receiver, name, args);
  if (held !== null) return held;
  return accessed(run, receiver, name, args);
}

/** A function as the method of an object, unless it has an object of its own. */
function boundTo(closure: Closure, self: Shape): Closure {
  return closure.kind === 'function' && closure.self === null ? { ...closure, self } : closure;
}

/** Calls a function that is a value, with arguments by name as well. */
function callClosure(
  run: Run,
  closure: Closure,
  { args, options }: Given,
  call: Call | null,
): Shape {
  if (closure.kind !== 'function') return run.parts.invoke(run, closure, args, call);
  const { id, first = [], self } = closure;
  return afterwards(run, closure, run.parts.follow(run, id, [...first, ...args], self, options));
}

function joinResults(results: readonly Shape[]): Shape {
  const [first, ...rest] = results;
  return first !== undefined && rest.length === 0 ? first : joinAll(results);
}

/** A function in a field, or a method of what an object embeds under the name of its type. */
function heldFunction(
  run: Run,
  receiver: Shape,
  name: string,
  args: readonly Shape[],
): Shape | null {
  for (const [id, object] of run.objectsOf(receiver)) {
    const closures = run.cellOf(id, object, name)?.closures ?? [];
    if (closures.length > 0) {
      return joinAll(closures.map((one) => run.parts.invoke(run, one, args, null)));
    }
    const bases = object.type === null ? [] : (run.classOf(object.type)?.bases ?? []);
    for (const { name: base } of bases) {
      const inner = object.cells.get(base);
      const result = inner === undefined ? null : callObject(run, name, inner, args);
      if (result !== null) return result;
    }
  }
  return null;
}

/** A getter or setter that the file does not show, of an object whose field is known. */
function accessed(run: Run, receiver: Shape, name: string, args: readonly Shape[]): Shape | null {
  const objects = run.objectsOf(receiver).filter(([, { kind }]) => kind === 'instance');
  if (objects.length === 0 || args.length > 0) return null;
  const field = fieldNamed(run, name);
  const found = objects.flatMap(
    ([, object]) => object.cells.get(field) ?? object.cells.get(name) ?? [],
  );
  return found.length === 0 ? null : joinAll(found);
}

/** `super.m()` and `super()`: a method of a base of the file. */
function callBase(
  run: Run,
  { name, arguments: list }: Pick<CallExpression, 'name' | 'arguments'>,
  receiver: Shape,
  { args, options }: Given,
): Shape | null {
  const results = run.module.classes.flatMap((one) => {
    const isHere = run.state.get(one.self) === receiver;
    if (!isHere) return [];
    return one.bases.flatMap(({ own }) => {
      const method = own === null ? null : methodOf(run, own, name, list.length);
      return method?.body == null
        ? []
        : [run.parts.follow(run, method.id, args, receiver, options)];
    });
  });
  return results.length === 0 ? null : joinAll(results);
}

/** What the functions make of a result that take it in turn. */
function afterwards(run: Run, { after = [] }: Closure, result: Shape): Shape {
  return after.reduce(
    (value, { closures }) =>
      joinAll(closures.map((one) => run.parts.invoke(run, one, [value], null))),
    result,
  );
}

/** Calls a function that is a value, and what takes its result. */
export function invoke(
  run: Run,
  closure: Closure,
  args: readonly Shape[],
  call: Call | null,
): Shape {
  return afterwards(run, closure, invokeAlone(run, closure, args, call));
}

function invokeAlone(run: Run, closure: Closure, args: readonly Shape[], call: Call | null): Shape {
  if (closure.kind === 'function') {
    return run.parts.follow(run, closure.id, [...(closure.first ?? []), ...args], closure.self);
  }
  const { object, name } = closure;
  if (object.ownClass !== null) {
    if (name === '<init>') return instantiate(run, object.ownClass, args);
    const method = methodOf(run, object.ownClass, name, args.length);
    if (method?.body != null && method.isStatic) {
      return run.parts.follow(run, method.id, args, object);
    }
  }
  if (name === 'append' && object.objects.length > 0) {
    for (const one of args) run.addTo(object, one);
    return TRUSTED;
  }
  const [first, ...rest] = args;
  // `String::trim` is a method of what it is called with, `Files::readString` a static one.
  const path =
    object.path === null ? null : name === '<init>' ? object.path : `${object.path}.${name}`;
  const isStatic = isClass(object) || first === undefined;
  const own = callObject(
    run,
    name === '<init>' ? lastOf(path) : name,
    isStatic && first !== undefined ? first : object,
    isStatic ? rest : args,
  );
  if (own !== null) return own;
  const expression = call?.expression;
  if (expression === undefined) return derive([...args, object]);
  const made = { expression, name: name === '<init>' ? lastOf(path) : name };
  const receiver = isStatic ? null : object;
  const plain: Call = { ...PLAIN, ...made, path, receiver, args };
  checkLines(run, plain);
  const result = resultOf(run, plain, null);
  const isUnknown = result.isResult && isStatic && first !== undefined && name !== '<init>';
  if (!isUnknown) return result;
  return partOfReceiver(run, { ...plain, path: null, receiver: first, args: rest }) ?? result;
}

/** A function before a template gets its texts and values. */
export function tagValue(run: Run, expression: Expression & { readonly form: 'tag' }): Shape {
  const { tag, parts, start, end } = expression;
  const called = run.evaluate(tag);
  const values = parts.map((part) => run.evaluate(part));
  const text = build(
    values.map((one) => run.flat(one)),
    [start, end],
  );
  const written = dottedName(run, tag);
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
  const site = targetOf(run, called, written, given, { expression: call } as Call, false);
  checkTag(run, site, text);
  if (run.knowledge.functions.get(written ?? '') === 'raw-text') return text;
  if (called.closures.length > 0) {
    const texts = run.list(
      parts.flatMap((part, index) => (isTextOf(part) ? (values[index] ?? []) : [])),
    );
    const args = [texts, ...given];
    const result = joinAll(called.closures.map((one) => run.parts.invoke(run, one, args, site)));
    if (!isBlank(result)) return result;
  }
  return resultOf(run, { ...site, args: [text, ...given] }, null);
}

function isTextOf({ form }: Expression): boolean {
  return form === 'constant';
}

/**
 * What stands under a key of an object that is given to a call: a function gets its data; null:
 * it is a member as any other.
 */
export function optionOf(run: Run, name: string, value: Expression): Shape | null {
  if (value.form !== 'closure') {
    if (value.form !== 'load' && value.form !== 'member' && value.form !== 'name') return null;
    const given = run.evaluate(value);
    if (given.closures.length === 0) return given;
    const known = optionParameters(run, name, run.taker);
    if (known.length > 0) {
      for (const one of given.closures) run.parts.invoke(run, one, known, { name } as Call);
    }
    return given;
  }
  const known = optionParameters(run, name, run.taker);
  return known.length === 0 ? null : lookedAt(run, value.id, known);
}

/** `req.pipe(file)`, `pipeline(req, file)`: what flows is the body of the request. */
function streamed(run: Run, call: Call): Call {
  const flowing = (one: Shape) => bodyOf(run, one, call.expression.start) ?? one;
  const receiver = call.receiver === null ? null : flowing(call.receiver);
  const args = call.args.map(flowing);
  const isMethod = call.name.startsWith('pipe') && receiver !== null && receiver.origins.length > 0;
  const [data, ...targets] = isMethod ? [receiver, ...args] : args;
  if (data === undefined || data.origins.length === 0) return { ...call, receiver, args };
  for (const target of targets)
    flowInto(run, target, changed(UNKNOWN, { origins: data.origins }), call);
  const [first] = call.expression.arguments;
  const [target] = targets;
  // What is read from the target later is what flowed into it.
  if (isMethod && target !== undefined && first?.value.form === 'load') {
    const isLocal = target.ownClass === null && target.closures.length === 0;
    if (isLocal) run.assign(first.value, changed(target, { origins: data.origins }));
  }
  return { ...call, receiver, args };
}

/** Gives data to what a stream does with it: its options, methods, or a generator. */
function flowInto(run: Run, target: Shape, data: Shape, call: Call): void {
  for (const one of target.closures) run.parts.invoke(run, one, [data], call);
  for (const [id, { type, cells }] of run.objectsOf(target)) {
    const self = changed(UNKNOWN, { objects: [id] });
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
