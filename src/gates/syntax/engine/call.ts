import { type PropagatorLine, USES, type Use } from '../../../rules/catalogue/line.ts';
import type { Argument, ClassId, Expression } from '../il/il.ts';
import { containerResult, makeContainer, readText } from './container.ts';
import { handedOver, operationResult } from './functions.ts';
import { checkedBy, converted, equality, isClass, telling, verdictOf } from './guard.ts';
import { noteRegistered } from './handlers.ts';
import { judge, siteOf } from './judge.ts';
import { ANY_NAME } from './lines.ts';
import { inherited } from './prototype.ts';
import { filled } from './roles.ts';
import type { Call, Run } from './run.ts';
import { withCell } from './state.ts';
import { instantiate, methodOf, methodsOf } from './summary.ts';
import { folded, formatted, joined, textOperation, textResult } from './text.ts';
import {
  at,
  build,
  type Closure,
  claimedSafe,
  clip,
  constantOf,
  derive,
  holdsOutside,
  isOutside,
  join,
  joinAll,
  madeSafe,
  mapOrigins,
  named,
  onlyConstant,
  outside,
  partOf,
  RESULT,
  type Shape,
  TRUSTED,
  textOf,
  UNKNOWN,
} from './value.ts';

type CallExpression = Expression & { readonly form: 'call' };
type NewExpression = Expression & { readonly form: 'new' };

/** Paths of what calls of calls give; a longer one is not known. */
const PATH_CHARS_MAX = 4_000;
/** Members of a chain of names; a longer one has no name. */
const NAMES_MAX = 64;

/** How something is written by names alone: `this.a.b`; null: otherwise. */
export function writtenAs(run: Run, expression: Expression, depth = 0): string | null {
  if (depth > NAMES_MAX) return null;
  switch (expression.form) {
    case 'load':
      return run.module.variables[expression.variable] ?? null;
    case 'name':
      return expression.name;
    case 'cast':
      return writtenAs(run, expression.value, depth + 1);
    case 'unary':
      return expression.sign === '*' ? writtenAs(run, expression.operand, depth + 1) : null;
    case 'member': {
      // A static field, or a variable of the package, goes by its own name.
      if (expression.object.form === 'class') return expression.name;
      const object = writtenAs(run, expression.object, depth + 1);
      return object === null ? null : `${object}.${expression.name}`;
    }
    default:
      return null;
  }
}

/** How a receiver is named: `getJdbcTemplate()` gives what `jdbcTemplate` is. */
function usualName(run: Run, expression: Expression): string | null {
  if (expression.form !== 'call') return writtenAs(run, expression);
  const got = /^(?:get)?(\w+)$/.exec(expression.name)?.[1];
  if (got === undefined || expression.arguments.length > 0) return null;
  return got.charAt(0).toLowerCase() + got.slice(1);
}

const NO_OPTIONS: ReadonlyMap<string, Shape> = new Map();

/** Arguments by their places, and those with a name. */
type Given = Pick<Call, 'args' | 'options'>;

/** Evaluates arguments; a list that is spread gives its elements, a call with results all. */
function givenTo(run: Run, list: readonly Argument[]): Given {
  const args: Shape[] = [];
  let options: Map<string, Shape> | null = null;
  for (const { name, value, isSpread } of list) {
    const given = run.evaluate(value);
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
  return { args, options: options ?? NO_OPTIONS };
}

/** Arguments by the keys of a table that is spread. */
function spreadNames(run: Run, table: Shape, options: Map<string, Shape>): void {
  const all: Shape[] = table.origins.length > 0 ? [run.elementOf(table)] : [];
  for (const [, { cells, rest }] of run.objectsOf(table)) {
    for (const [key, value] of cells) options.set(key, value);
    if (rest !== null) all.push(rest);
  }
  if (all.length > 0) options.set(ANY_NAME, joinAll(all));
}

/**
 * The call without a context that comes first: the catalogue counts arguments without it, as
 * `Query(text)` and `QueryContext(ctx, text)` are the same to it.
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
  return { ...call, args: args.slice(1), expression: rest };
}

/** The only cell of a box: what a pointer leads to where that has no object of its own. */
export const POINTED = '*';

/** Runs a call with boxes for addresses of variables and fields: a function may fill them. */
function withBoxes<R extends Shape | null>(
  run: Run,
  list: readonly Argument[],
  given: Given,
  inner: (given: Given) => R,
): R {
  const boxes: (readonly [place: Expression, box: Shape])[] = [];
  const args = given.args.map((value, index) => {
    const place = list[index]?.value;
    const isAddress = place?.form === 'unary' && place.sign === '&';
    const isPlain = value.objects.length === 0 && value.path === null;
    if (!isAddress || !isPlain || list.length !== given.args.length) return value;
    const base = { kind: 'instance', type: null, rest: null, length: null, isOpen: false } as const;
    const { shape } = run.make({ ...base, cells: new Map([[POINTED, run.state.settled(value)]]) });
    boxes.push([place.operand, shape]);
    return shape;
  });
  if (boxes.length === 0) return inner(given);
  const result = inner({ ...given, args });
  for (const [place, box] of result === null ? [] : boxes) {
    const [object] = run.objectsOf(box);
    const value = object?.[1].cells.get(POINTED);
    if (value !== undefined) assignTo(run, place, value);
  }
  return result;
}

/** Evaluates a call: its arguments, whether it is a sink, and what it gives back. */
export function evaluateCall(run: Run, expression: CallExpression): Shape {
  const { name, isBase } = expression;
  const receiver = expression.receiver === null ? null : run.evaluate(expression.receiver);
  const { args, options } = givenTo(run, expression.arguments);
  if (receiver !== null) {
    const own = withBoxes(run, expression.arguments, { args, options }, (given) =>
      isBase
        ? callBase(run, expression, receiver, given)
        : callOwn(run, expression, receiver, given),
    );
    if (own !== null) return own;
  }
  const path = receiver === null ? expression.path : pathOf(receiver, name);
  const receiverPath = expression.receiver === null ? null : usualName(run, expression.receiver);
  const whole: Call = { expression, name, path, receiver, receiverPath, args, options };
  const call = withoutContext(run, whole);
  noteSettings(run, call);
  judge(run, call);
  if (receiver !== null && receiver.pattern !== null && run.knowledge.is('writes', name)) {
    for (const one of args) judgeInput(run, call, receiver, one);
  }
  registered(run, call);
  const result = resultOf(run, call);
  if (run.knowledge.has('trait', 'callbacks')) handOver(run, call);
  fillTarget(run, call);
  writeBack(run, call);
  return result;
}

/** Functions that are given to a server are called with data. */
function registered(run: Run, { path, args, name }: Call): void {
  if (run.knowledge.is('serves-methods', name)) {
    const classes = args.flatMap((one) => run.objectsOf(one).flatMap(([, { type }]) => type ?? []));
    for (const id of classes.flatMap((one) => run.classOf(one)?.functions ?? [])) {
      const isCalled = run.knowledge.is('served-method', run.functionOf(id)?.name ?? '');
      if (!isCalled || run.servedMethods.has(id)) continue;
      run.servedMethods.add(id);
      run.hasNewAssigned = true;
    }
  }
  if (args.every(({ closures }) => closures.length === 0)) return;
  if (!run.knowledge.has('calls-back', path?.replaceAll('()', '') ?? '')) return;
  for (const closure of args.flatMap(({ closures }) => closures)) {
    const id = closure.kind === 'function' ? closure.id : methodIdOf(run, closure);
    if (id === null || run.served.has(id)) continue;
    run.served.add(id);
    run.hasNewAssigned = true;
  }
}

function methodIdOf(run: Run, { object, name }: Closure & { readonly kind: 'method' }) {
  const [first] = run.objectsOf(object);
  const type = object.ownClass ?? first?.[1].type ?? null;
  return type === null ? null : (methodOf(run, type, name, -1)?.id ?? null);
}

function pathOf({ path }: Shape, name: string): string | null {
  return path === null || path.length > PATH_CHARS_MAX ? null : `${path}.${name}`;
}

/** A call of what the file declares; null: it declares nothing of that name. */
export function callOwn(
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
    const isFree = !method.isStatic && self !== undefined && run.knowledge.has('trait', 'self');
    return isFree
      ? run.parts.follow(run, method.id, rest, self, options)
      : run.parts.follow(run, method.id, args, receiver, options);
  }
  const results: Shape[] = [];
  for (const [id, object] of run.objectsOf(receiver)) {
    const { type, isOpen, cells } = object;
    const held = cells.get(name);
    const self = { ...receiver, objects: [id] };
    if (held !== undefined && held.closures.length > 0) {
      const own = run.knowledge.isKeyed ? held.closures.map((one) => boundTo(one, self)) : null;
      results.push(...(own ?? held.closures).map((one) => callClosure(run, one, given, null)));
      continue;
    }
    const methods = type === null ? [] : methodsOf(run, type, name, list.length, isOpen);
    for (const method of methods) {
      results.push(run.parts.follow(run, method.id, args, self, options));
    }
    if (methods.length > 0 || !run.knowledge.isKeyed) continue;
    const above = inherited(run, object, name)?.closures ?? [];
    results.push(...above.map((one) => callClosure(run, boundTo(one, self), given, null)));
  }
  if (results.length > 0) return joinResults(results);
  if (receiver.namedType !== null) {
    const method = methodOf(run, receiver.namedType, name, list.length);
    if (method?.body != null) return run.parts.follow(run, method.id, args, receiver);
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
  return closure.kind === 'function'
    ? run.parts.follow(run, closure.id, args, closure.self, options)
    : run.parts.invoke(run, closure, args, call);
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

/** `getFileName` gives the field `fileName`. */
function fieldNamed(run: Run, name: string): string {
  if (!run.knowledge.is('getter', name)) return name;
  const bare = name.replace(/^(?:get|is)/, '');
  return bare.charAt(0).toLowerCase() + bare.slice(1);
}

/** `super.m()` and `super()`: a method of a base of the file. */
export function callBase(
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

/** Makes an object: of a class of the file, a list or table, or what a package makes. */
export function evaluateNew(run: Run, expression: NewExpression): Shape {
  const { type } = expression;
  const { args, options } = givenTo(run, expression.arguments);
  if (type.own !== null) return instantiate(run, type.own, args, options);
  const name = type.name.slice(type.name.lastIndexOf('.') + 1);
  const { path } = type;
  const call: Call = { expression, name, path, receiver: null, receiverPath: null, args, options };
  askAbout(run, call);
  judge(run, call);
  const kind = path === null ? undefined : run.knowledge.kinds.get(path);
  if (kind !== undefined) return makeContainer(run, kind, call);
  if (options.size > 0 && args.length < expression.arguments.length) return literalOf(run, call);
  if (path === null) return { ...derive(args.map((one) => run.flat(one))), isPlain: true };
  return resultOf(run, call);
}

/** An object of a type of a package, written with its fields. */
function literalOf(run: Run, { path, options }: Call): Shape {
  const counted = run.knowledge.counted.get(path ?? '');
  if (counted !== undefined) {
    // All other fields say nothing of what it is used for.
    const value = options.get(counted);
    const data = value === undefined ? TRUSTED : derive([run.state.settled(value)]);
    return { ...data, path: `${path}()` };
  }
  const cells = new Map<string, Shape>();
  for (const [key, value] of options) cells.set(key, run.state.settled(value));
  const base = { kind: 'instance', type: null, rest: null, length: null, isOpen: true } as const;
  const { shape } = run.make({ ...base, cells });
  return path === null ? { ...shape, isPlain: true } : { ...shape, path: `${path}()` };
}

type ApplyExpression = Expression & { readonly form: 'apply' };

/** A call of what an expression gives. */
export function evaluateApply(run: Run, expression: ApplyExpression): Shape {
  const { callee, name, isNew } = expression;
  const object =
    callee.form === 'member' || callee.form === 'index' ? run.evaluate(callee.object) : null;
  const called = run.evaluate(callee);
  const { args, options } = givenTo(run, expression.arguments);
  if (called.ownClass !== null && (isNew || run.knowledge.has('trait', 'self'))) {
    return instantiate(run, called.ownClass, args, options);
  }
  const special = called.closures.length > 0 ? null : specialResult(run, 'called-as', called, args);
  if (special !== null) return special;
  const path = called.path?.endsWith(')') === true ? `${called.path}()` : called.path;
  const receiverPath = callee.form === 'member' ? writtenAs(run, callee.object) : null;
  const own = path === null || path.endsWith(')') ? name : lastOf(path);
  const whole: Call = {
    expression,
    name: own,
    path,
    receiver: object,
    receiverPath,
    args,
    options,
  };
  const call = withoutContext(run, whole);
  if (called.closures.length > 0) {
    run.loseFunctions(called, args);
    return withBoxes(run, call.expression.arguments, call, (given) =>
      joinAll(called.closures.map((one) => callClosure(run, one, given, call))),
    );
  }
  judge(run, call);
  const result = resultOf(run, call);
  if (run.knowledge.has('trait', 'callbacks')) handOver(run, call);
  return result;
}

/** Calls functions that a call is given, with the data that it is given for them. */
function handOver(run: Run, call: Call): void {
  if (call.options.size === 0 && !call.args.some(mayBeCalled)) return;
  noteRegistered(run, call);
  const { path, expression } = call;
  const operation = run.knowledge.functions.get(path ?? '');
  const isEach = operation === 'map' || /^(?:starmap|imap|map)$/.test(call.name);
  if (operation === 'map' && call.args[0]?.closures.length !== 0) return;
  for (const [target, behind, isList] of handedOver(call)) {
    if (!mayBeCalled(target)) continue;
    const spread = isList || isEach;
    const args = spread
      ? behind.flatMap((one) => run.elementsOf(one) ?? [run.elementOf(one)])
      : behind;
    if (!args.some((one) => holdsOutside(run.flat(one)))) continue;
    for (const one of target.closures) run.parts.invoke(run, one, args, call);
    if (target.path === null || target.closures.length > 0) continue;
    const { path: called } = target;
    const inner = { expression, name: lastOf(called), path: called, receiver: null, args };
    judge(run, { ...inner, receiverPath: null, options: NO_OPTIONS });
  }
}

/** Whether a value may be a function: of the file, or by its path. */
function mayBeCalled({ closures, path }: Shape): boolean {
  return closures.length > 0 || (path !== null && !path.endsWith(')'));
}

/** A function before a text gets its parts; the rest is as with any call. */
export function evaluateTag(run: Run, expression: Expression & { readonly form: 'tag' }): Shape {
  const { tag, parts, start, end } = expression;
  const called = run.evaluate(tag);
  const values = parts.map((part) => run.evaluate(part));
  const text = build(
    values.map((one) => run.flat(readText(run, one))),
    [start, end],
  );
  const given = values.filter(({ constants }) => constants === null);
  if (called.closures.length > 0) {
    const call = { name: '' } as Call;
    const args = [TRUSTED, ...given];
    return joinAll(called.closures.map((one) => run.parts.invoke(run, one, args, call)));
  }
  return derive([text]);
}

/** Remembers what is set on what a package made, and forgets what others may set on it. */
function noteSettings(run: Run, call: Call): void {
  const { receiver, name, args } = call;
  if (run.knowledge.products.size === 0) return;
  const setting = args.at(-1) ?? TRUSTED;
  for (const [id, object] of productsOf(run, receiver)) {
    run.state.setObject(id, withCell(object, name, run.state.settled(setting)));
  }
  for (const argument of args) {
    for (const [id, object] of productsOf(run, argument)) {
      if (run.knowledge.catalogue.sinksAt(siteOf(run, call)).length > 0) continue;
      run.state.setObject(id, { ...object, isOpen: true });
    }
  }
}

function productsOf(run: Run, shape: Shape | null) {
  return shape === null ? [] : run.objectsOf(shape).filter(([, { kind }]) => kind === 'product');
}

/** What a call of another file's function gives back. */
function resultOf(run: Run, call: Call): Shape {
  const result = unmarkedResult(run, call);
  const { path, args, receiver } = call;
  if (path !== null && run.knowledge.products.has(path.replaceAll('()', ''))) {
    const base = { kind: 'product', type: null, rest: null, length: null, isOpen: false } as const;
    const { shape } = run.make({ ...base, cells: new Map() });
    return { ...result, objects: shape.objects };
  }
  // What can be guessed can still be guessed in another form.
  const isRandom = [...args, receiver].some((one) => one?.role === 'random');
  return isRandom && result.role === null ? { ...result, role: 'random' } : result;
}

function unmarkedResult(run: Run, call: Call): Shape {
  const { receiver, path, name } = call;
  const known = knownResult(run, call);
  if (known !== null) return checked(run, call, known);
  if (receiver !== null && run.knowledge.methods.get(`any ${name}`) === 'same') return receiver;
  const kind = path === null ? undefined : run.knowledge.kinds.get(path);
  if (kind !== undefined) return makeContainer(run, kind, call);
  const site = siteOf(run, call);
  const { catalogue } = run.knowledge;
  const sanitizer = catalogue.sanitizerAt(site);
  if (sanitizer !== null) {
    const value = sanitized(run, call, sanitizer.safeFor);
    const isConverter = run.knowledge.has('converts', path ?? '');
    return isConverter ? telling(converted(call.args), value) : value;
  }
  const given = run.knowledge.given(call);
  if (given !== null) return at(given);
  if (run.knowledge.is('closed', name)) return { ...RESULT, isPlain: true };
  const source = catalogue.callAt(site);
  const isResult = source !== null && source.into === undefined;
  if (isResult && (receiver === null || !isOutside(receiver))) {
    const { expression } = call;
    const isWhole = source.whole === true;
    const isStep =
      run.knowledge.is('one-step-call', name) || run.knowledge.is('one-step-path', path ?? '');
    const claimedFor: readonly Use[] = isStep ? ['path'] : [];
    const shape = { isWhole, claimedFor, safeFor: source.safeFor ?? [] };
    const value = outside(
      'strong',
      textOfCall(run, expression),
      run.placeOf(expression.start),
      shape,
    );
    // A stream has yet to be read, whatever it is read from.
    const isStream = run.knowledge.is('stream', `${name}()`);
    const own = path === null && isStream ? `.${name}` : path;
    return { ...value, path: own === null ? null : `${own}()` };
  }
  const propagator = catalogue.propagatorAt(site);
  if (propagator !== null && (propagator.into ?? -1) < 0) {
    return checked(run, call, propagated(run, call, propagator));
  }
  const gathered = gatheredResult(run, call);
  if (gathered !== null) return gathered;
  const container = containerResult(run, call);
  if (container !== null) return checked(run, call, container);
  const through = throughClosure(run, call);
  if (through !== null) return checked(run, call, through);
  const text = textResult(run, call);
  if (text !== null) return checked(run, call, text);
  return checked(run, call, partResult(run, call) ?? handedOn(run, call));
}

/** The result with what it tells as a condition. */
function checked(run: Run, call: Call, result: Shape): Shape {
  const { receiver, args, name } = call;
  const guard = run.knowledge.guards.get(name);
  if (guard === undefined && !run.knowledge.is('claims', name)) return result;
  const isStatic = receiver === null || isClass(receiver);
  const given = isStatic ? args : [receiver, ...args];
  const [first, second] = given;
  const isPair = first !== undefined && second !== undefined && given.length === 2;
  const known = isPair ? compared(run, guard, first, [second]) : null;
  if (known !== null) return known;
  return telling(checkedBy(run, call), result);
}

/** Comparisons of texts that are known. */
function compared(
  run: Run,
  guard: string | undefined,
  receiver: Shape,
  args: readonly Shape[],
): Shape | null {
  const [first = UNKNOWN] = args.map((one) => readText(run, one));
  const own = readText(run, receiver);
  const isText = own.constants?.every((one) => typeof one === 'string') === true;
  if (!isText) return null;
  switch (guard) {
    case 'equal':
      return first.constants === null ? null : equality(run, own, first);
    case 'starts':
      return folded([own, first], ([one, other]) => String(one).startsWith(String(other)));
    case 'ends':
      return folded([own, first], ([one, other]) => String(one).endsWith(String(other)));
    default:
      return null;
  }
}

const WRITTEN_CHARS_MAX = 60;

function textOfCall(run: Run, expression: Expression): string {
  return clip(run.textOf(expression).replace(/["']/g, ''), WRITTEN_CHARS_MAX);
}

function sanitized(run: Run, { args, receiver }: Call, safeFor: readonly Use[]): Shape {
  if (safeFor.length === USES.length) return TRUSTED;
  const inputs = args.length > 0 ? args : [receiver ?? UNKNOWN];
  const input = derive(inputs.map((one) => run.flat(readText(run, one))));
  return input.origins.length === 0 ? { ...UNKNOWN, safeFor } : madeSafe(input, safeFor);
}

/** What inputs become in a function that hands them on. */
function propagated(run: Run, call: Call, line: PropagatorLine): Shape {
  const { args, options, receiver, name } = call;
  const named = [...options.values()];
  const picked =
    line.from === undefined
      ? [...args, ...named, ...(receiver === null ? [] : [receiver])]
      : line.from.flatMap((index) => (index < 0 ? (receiver ?? []) : (args[index] ?? [])));
  // What is asked for by its place may be given by its name.
  const inputs = picked.length === 0 ? named : picked;
  const flat = inputs.map((one) => run.flat(readText(run, one)));
  const path = call.path === null ? null : `${call.path}()`;
  // What is matched keeps the pattern.
  const pattern = receiver?.pattern ?? null;
  const [only] = flat;
  const resolves = run.knowledge.is('resolves', name);
  // A reader of a text that is known is as good as the text.
  if (
    flat.length === 1 &&
    !resolves &&
    only !== undefined &&
    (only.pieces ?? only.constants) !== null
  ) {
    return { ...only, constants: null, path, pattern };
  }
  const value = derive(flat.map((one) => (one.pieces === null ? one : run.state.settled(one))));
  const { knowledge } = run;
  const isUrl = knowledge.is('address', name) && knowledge.is('address-path', call.path ?? '');
  const isWhole = line.whole === true;
  const changed = mapOrigins(value, (origin) => ({
    ...origin,
    isUrl,
    isResolved: resolves || (origin.isResolved && knowledge.is('file', path ?? '')),
    isWhole,
    mayBeObject: isWhole,
    // What was checked before it was decoded may hold anything now.
    ...(line.decodes === true ? { text: clip(`${name}(${origin.text})`), safeFor: [] } : {}),
  }));
  // Of a path that begins at the root no step up leads anywhere.
  const start = only?.pieces?.[0];
  const isRooted = typeof start === 'string' && start.startsWith('/');
  const safe = isRooted && knowledge.is('rooted', name) ? madeSafe(changed, ['path']) : changed;
  return { ...safe, path, pattern };
}

/** Functions that need more than a line of the catalogue; null: another one. */
function knownResult(run: Run, call: Call): Shape | null {
  const { path, args, expression } = call;
  const [first = UNKNOWN, second = UNKNOWN] = args;
  const span = [expression.start, expression.end] as const;
  const { functions } = run.knowledge;
  const operation = functions.get(path ?? '') ?? functions.get(path?.replaceAll('()', '') ?? '');
  switch (operation) {
    case 'format':
      return formatted(run, args, call);
    case 'build':
      return build(
        args.map((one) => run.flat(readText(run, one))),
        span,
      );
    case 'first':
      return { ...run.flat(readText(run, first)), path: null, objects: [] };
    case 'either':
      return join(first, second);
    case 'join':
      return joined(run, first, args.length === 2 ? second : run.list(args.slice(1)), call);
    case 'list':
      return args.length === 1 && first.objects.length > 0 ? first : run.list(args);
    case 'table':
      return tableOf(run, args);
    case 'pattern':
      return {
        ...RESULT,
        path: `${path}()`,
        pattern: textOf(first),
        flags: run.knowledge.is('by-line', second.path ?? '') ? 'm' : '',
      };
    case 'join-list':
      return joined(run, second, first, call);
    case 'append':
      return appended(run, first, args.slice(1));
    case 'builder':
      return makeContainer(run, 'builder', call);
    case 'print':
      return printed(run, call, args.slice(1));
    case 'print-format':
      return printed(run, call, [formatted(run, args.slice(1), call)]);
    case 'program':
      return { ...RESULT, path: `${path}()`, pattern: interpreterOf(args) };
    case 'input':
      return { ...RESULT, path: `${path}()`, pattern: call.receiver?.pattern ?? null };
    case 'error':
      return { ...TRUSTED, isPresent: true };
    case 'random':
      return { ...TRUSTED, role: 'random', path: `${path}()` };
    case 'default':
      return { ...RESULT, fallback: textOf(second) };
    case 'number': {
      const number = folded([first], ([text]) => {
        const value = Number(text);
        return typeof text === 'string' && Number.isInteger(value) ? value : undefined;
      });
      return number;
    }
    default:
      return (
        operationResult(run, operation, call) ?? textFunction(run, call) ?? staticResult(run, call)
      );
  }
}

/** What methods of a text are elsewhere, as a function whose first argument is the text. */
function textFunction(run: Run, call: Call): Shape | null {
  const [first, ...args] = call.args;
  const operation = run.knowledge.statics.get(call.path ?? '');
  if (operation === undefined || first === undefined) return null;
  return textOperation(run, operation, { ...call, receiver: first, args });
}

/** A list with more elements; the first one may be data itself. */
function appended(run: Run, first: Shape, added: readonly Shape[]): Shape {
  const own = first.objects.length > 0 ? run.elementsOf(first) : null;
  const isEmpty = onlyConstant(first) === null;
  if (own !== null || isEmpty) return run.list([...(own ?? []), ...added]);
  const isData = first.origins.length > 0 || first.objects.length > 0;
  const before = isData ? run.elementOf(first) : first;
  const list = run.openList([], joinAll([before, ...added.map((one) => run.state.settled(one))]));
  return { ...list, path: first.path };
}

/** Texts that are written into a builder, or into what an interpreter reads. */
function printed(run: Run, call: Call, texts: readonly Shape[]): Shape {
  const [target = UNKNOWN] = call.args;
  const added = texts.map((one) => run.state.settled(run.flat(readText(run, one))));
  for (const one of added) {
    judgeInput(run, call, target, one);
    containerResult(run, { ...call, name: 'Write', receiver: target, args: [one] });
  }
  return TRUSTED;
}

/** The program that reads a script where it is given no other one; null: another program. */
function interpreterOf(args: readonly Shape[]): string | null {
  const [program, ...rest] = args.map(textOf);
  const isPlain = rest.every((one) => one !== null && /^-(?:s|i|l|)$/.test(one));
  return program === undefined || !isPlain ? null : program;
}

/** Judges what an interpreter is given to read as a script that it runs. */
export function judgeInput(
  run: Run,
  { expression }: Pick<Call, 'expression'>,
  { path, pattern }: Shape,
  text: Shape,
): void {
  const plain = path?.replaceAll('()', '') ?? '';
  if (pattern === null || !run.knowledge.has('script', plain)) return;
  const root = path?.slice(0, path.indexOf('()')) ?? '';
  const args = [constantOf(pattern), constantOf('-c'), run.flat(readText(run, text))];
  const options = new Map<string, Shape>();
  const name = root.slice(root.lastIndexOf('.') + 1);
  judge(run, { expression, name, path: root, receiver: null, receiverPath: null, args, options });
}

/** Functions of types: `Color.valueOf(text)` is one of the program's, or throws. */
function staticResult(run: Run, { receiver, name, args, expression, path }: Call): Shape | null {
  const object = expression.form === 'call' ? expression.receiver : null;
  const type = object === null ? null : writtenAs(run, object);
  const isType = type !== null && /^(?:\w+\.)*[A-Z]\w*$/.test(type);
  if (name === 'valueOf' && receiver !== null && args.length === 1) {
    return isClass(receiver) || path !== null || isType ? TRUSTED : null;
  }
  if (type !== null && run.knowledge.has('harmless', type) && isType) return TRUSTED;
  const isSafe = args.some((one) => run.knowledge.is('safe-argument', one.path ?? ''));
  return isSafe && expression.form === 'new' ? { ...UNKNOWN, isPlain: true } : null;
}

function tableOf(run: Run, args: readonly Shape[]): Shape {
  const cells = new Map<string, Shape>();
  let rest: Shape | null = null;
  for (let index = 0; index + 1 < args.length; index += 2) {
    const key = textOf(args[index] ?? UNKNOWN);
    const value = args[index + 1] ?? UNKNOWN;
    if (key !== null) cells.set(key, value);
    else rest = rest === null ? value : join(rest, value);
  }
  return run.table(cells, rest);
}

/** What a method of data from outside gives back; null: nothing that is known of it. */
function partResult(run: Run, call: Call): Shape | null {
  const { name, receiver, args, path } = call;
  const { knowledge } = run;
  const [first = UNKNOWN] = args;
  if (receiver === null || isClass(receiver)) return null;
  const isData = receiver.origins.length > 0;
  if (knowledge.is('numeric', name)) return TRUSTED;
  const own = path === null || path.length > PATH_CHARS_MAX ? null : `${path}()`;
  if (knowledge.is('resolves', name) && isData) {
    const resolved = mapOrigins(receiver, (origin) => ({ ...origin, isResolved: true }));
    return { ...derive([resolved, ...args]), path: own };
  }
  if (!isData) {
    if (receiver.isPlain && args.length === 0) return { ...RESULT, isPlain: true };
    return null;
  }
  const isFile = knowledge.is('file', receiver.path ?? '');
  // The last part of a path.
  if (isFile && knowledge.is('last-name', name)) return madeSafe(derive([receiver]), ['path']);
  if (knowledge.is('host', name) && receiver.origins.some(({ isUrl }) => isUrl)) {
    return partOf(receiver, 'host');
  }
  const isGetter = args.length === 0 && knowledge.is('getter', name) && !isFile;
  if (isGetter && !knowledge.is('whole-getter', name)) {
    const field = fieldNamed(run, name);
    const isWhole = receiver.origins.some((origin) => origin.isWhole);
    const value =
      knowledge.is('number-name', field) && !isWhole ? TRUSTED : partOf(receiver, field);
    return { ...value, path: own };
  }
  const key = textOf(first);
  for (const [option, type] of call.options) {
    const converter = (type.path ?? '').replace(/^.*\./, '');
    if (knowledge.is('typed-by', option) && knowledge.has('harmless', converter)) return TRUSTED;
  }
  if (key !== null && knowledge.is('keyed', name)) return partOf(receiver, key);
  const isKept = knowledge.is('keeps', name);
  const kept = mapOrigins({ ...UNKNOWN, origins: receiver.origins }, (origin) => ({
    ...origin,
    isResolved: origin.isResolved && isFile,
    isUrl: origin.isUrl && isKept,
  }));
  const given = [...args, ...call.options.values()].map((one) => run.flat(readText(run, one)));
  const all = joinAll([kept, ...given].filter(holdsData));
  const isText = name === 'toString' || /^java\.lang\./.test(own ?? '');
  return { ...all, path: isText ? null : own };
}

function holdsData({ origins }: Shape): boolean {
  return origins.length > 0;
}

/** What an unknown function gives back: data of all that it is given. */
function handedOn(run: Run, call: Call): Shape {
  const { name, path, args, receiver } = call;
  askAbout(run, call);
  const own = path === null || path.length > PATH_CHARS_MAX ? null : `${path}()`;
  if (run.knowledge.is('numeric', name)) return { ...TRUSTED, path: null };
  // The caller does not choose the text of what is encrypted or hashed.
  if (run.knowledge.is('opaque', name)) return own === null ? RESULT : { ...RESULT, path: own };
  // What a table of the program has under a key is the program's.
  const isLookup = run.knowledge.methods.get(`table ${name}`) === 'get';
  const given = isLookup && receiver !== null ? args.slice(1) : args;
  const all = isLookup ? given : [...given, ...call.options.values()];
  const inputs = receiver === null ? all : [...all, receiver];
  const flat = inputs.map((one) => run.flat(readText(run, one)));
  const data = derive(flat.map((one) => run.state.settled(one)));
  // What a sink gives back is something else than what it was given.
  const endsThere = run.knowledge.has('trait', 'sinks-end');
  const isSink = endsThere && run.knowledge.catalogue.sinksAt(siteOf(run, call)).length > 0;
  if (data.origins.length === 0 || isSink) {
    const isOwn =
      !isSink && receiver?.isTrusted === true && flat.every(({ isTrusted }) => isTrusted);
    if (isOwn && (receiver?.constants !== null || receiver.path === null)) return TRUSTED;
    return own === null ? RESULT : { ...RESULT, path: own };
  }
  const place = run.placeOf(call.expression.at.start);
  // What a function of elsewhere makes of a parameter says less than what it makes of data.
  const isResult = holdsOutside(data) || !run.knowledge.has('trait', 'hints');
  const result = { ...named(data, name, place, 'result'), path: own, isResult };
  return run.knowledge.is('cleans', name) ? claimedSafe(result) : result;
}

/**
 * Asks for the function of another file that gets data or a request, where nothing in view says
 * what it does.
 */
export function askAbout(run: Run, call: Call): void {
  const { path, name, receiver, args, options, expression } = call;
  const given = [...args, ...options.values(), ...(receiver === null ? [] : [receiver])];
  if (path !== null && run.knowledge.isKnown(path.replace(/\(\).*$/, ''))) return;
  if (!given.some((one) => isOfRequest(run, one))) return;
  if (receiver !== null) askForBases(run, receiver, name);
  // A base of the package has no path but its name.
  const isOfPackage = path === null || /^[A-Z]\w*\(\)\./.test(path);
  if (isOfPackage && run.knowledge.has('trait', 'package')) {
    run.ask(`./${name}`, expression.start, true);
  } else if (path !== null) run.ask(path, expression.start, true);
}

/** Asks for bases in other files that may have a method which the classes in view do not. */
function askForBases(run: Run, receiver: Shape, name: string): void {
  const seen = new Set<ClassId>();
  const waiting = run.objectsOf(receiver).flatMap(([, { type }]) => type ?? []);
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    const declared = run.classOf(id);
    if (declared === null || seen.has(id)) continue;
    seen.add(id);
    for (const { own, path } of declared.bases) {
      if (own !== null) waiting.push(own);
      else if (path !== null && !run.knowledge.isKnown(path)) {
        run.ask(`${path}.${name}`, declared.start, true);
      }
    }
  }
}

function isOfRequest(run: Run, shape: Shape): boolean {
  const type = shape.path?.replace(/\(\)$/, '') ?? '';
  const isRequest = shape.role === 'request' || run.knowledge.has('request', type);
  return isRequest || holdsOutside(run.flat(shape));
}

/** A stream that is collected: into one text if the collector says what stands between. */
function gatheredResult(run: Run, call: Call): Shape | null {
  const { receiver, name, args } = call;
  if (receiver === null || !run.knowledge.is('gathers', name)) return null;
  const [first = UNKNOWN] = args;
  if (receiver.objects.length === 0) {
    return receiver.isTrusted ? TRUSTED : { ...receiver, constants: null };
  }
  if (!run.knowledge.is('joins', first.path ?? '')) return receiver;
  return joined(run, first.pattern === null ? UNKNOWN : constantOf(first.pattern), receiver, call);
}

/** A closure that is given to a method of data or of a list: it gets the data. */
function throughClosure(run: Run, call: Call): Shape | null {
  const { receiver, args, name } = call;
  if (receiver === null) return null;
  const closure = args.find(({ closures }) => closures.length > 0)?.closures[0];
  if (closure === undefined) return null;
  const lists = run.objectsOf(receiver).filter(([, { kind }]) => kind === 'list');
  const isData = receiver.origins.length > 0 || lists.length > 0 || receiver.pieces !== null;
  const isKnown = receiver.constants !== null || receiver.isTrusted;
  if (!isData && !isKnown) return null;
  const element = lists.length > 0 ? run.elementOf(receiver) : receiver;
  if (run.knowledge.is('filters', name)) {
    const { result } = run.branch(run.state, () => {
      const test = run.parts.invoke(run, closure, [element], call);
      run.state.guard(verdictOf(test).whenTrue);
      return run.state.settled(element);
    });
    return lists.length > 0 ? run.list([result]) : result;
  }
  const result = run.parts.invoke(run, closure, [element], call);
  if (!run.knowledge.is('maps', name)) return receiver;
  return lists.length > 0 ? run.list([result]) : result;
}

/** Calls a function that is a value. */
export function invoke(
  run: Run,
  closure: Closure,
  args: readonly Shape[],
  call: Call | null,
): Shape {
  if (closure.kind === 'function') {
    return run.parts.follow(run, closure.id, args, closure.self);
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
  const expression = call?.expression;
  if (expression === undefined) return derive([...args, object]);
  const [first, ...rest] = args;
  // `String::trim` is a method of what it is called with, `Files::readString` a static one.
  const path =
    object.path === null ? null : name === '<init>' ? object.path : `${object.path}.${name}`;
  const isStatic = isClass(object) || first === undefined;
  const made = { expression, name: name === '<init>' ? lastOf(path) : name, options: new Map() };
  const own = callObject(
    run,
    made.name,
    isStatic && first !== undefined ? first : object,
    isStatic ? rest : args,
  );
  if (own !== null) return own;
  const plain: Call = {
    ...made,
    path,
    receiver: isStatic ? null : object,
    receiverPath: null,
    args,
  };
  judge(run, plain);
  const result = resultOf(run, plain);
  const isUnknown = result.isResult && isStatic && first !== undefined && name !== '<init>';
  if (!isUnknown) return result;
  const other: Call = { ...plain, path: null, receiver: first, args: rest };
  return textResult(run, other) ?? partResult(run, other) ?? result;
}

function lastOf(path: string | null): string {
  return path === null ? '' : path.slice(path.lastIndexOf('.') + 1);
}

/** What a method of an object gives that stands for an operator; null: it has no such method. */
export function specialResult(
  run: Run,
  word: string,
  object: Shape,
  args: readonly Shape[],
): Shape | null {
  const name = run.knowledge.word(word);
  return name === '' || object.objects.length === 0 ? null : callObject(run, name, object, args);
}

/** A method of an object of the file. */
function callObject(run: Run, name: string, object: Shape, args: readonly Shape[]): Shape | null {
  const results = run.objectsOf(object).flatMap(([id, { type, isOpen }]) => {
    if (type === null || object.ownClass !== null) return [];
    const self = { ...object, objects: [id] };
    return methodsOf(run, type, name, args.length, isOpen).map((method) =>
      run.parts.follow(run, method.id, args, self),
    );
  });
  return results.length === 0 ? null : joinAll(results);
}

/** Data that a call puts into what it is given: a decoder into its target. */
function fillTarget(run: Run, call: Call): void {
  const { expression, receiver, name } = call;
  const { catalogue } = run.knowledge;
  const site = siteOf(run, call);
  const targetAt = (index: number) => targetOf(expression.arguments[index]?.value ?? null);
  if (run.knowledge.is('reads-into', name) && receiver !== null && holdsData(receiver)) {
    fill(run, targetAt(0), { ...UNKNOWN, origins: receiver.origins });
    return;
  }
  const source = catalogue.callAt(site);
  if (source?.into !== undefined && !(receiver !== null && isOutside(receiver))) {
    const target = targetAt(source.into);
    const written = target === null ? null : writtenAs(run, target);
    const text = written ?? textOfCall(run, expression);
    const isWhole = source.whole === true;
    fill(run, target, outside('strong', text, run.placeOf(expression.start), { isWhole }));
    return;
  }
  const line = catalogue.propagatorAt(site);
  if (line === null) handOnToTargets(run, call);
  if (line?.into === undefined || line.into < 0) return;
  const data = propagated(run, call, line);
  if (data.origins.length > 0) fill(run, targetAt(line.into), { ...data, path: null });
}

/** What an unknown function does with addresses: data of its other arguments may be there now. */
function handOnToTargets(run: Run, { expression, args, receiver }: Call): void {
  for (const [index, { value }] of expression.arguments.entries()) {
    if (value.form !== 'unary' || value.sign !== '&') continue;
    const target = targetOf(value);
    const given = args.filter((_, other) => other !== index);
    const others = receiver === null ? given : [...given, receiver];
    const data = derive(others.map((one) => run.state.settled(run.flat(readText(run, one)))));
    if (data.origins.length > 0) fill(run, target, data);
    else if (target?.form === 'load' && run.evaluate(target).constants !== null) {
      assignTo(run, target, UNKNOWN);
    }
  }
}

/** The place that an argument names, also by its address: `&v`. */
function targetOf(expression: Expression | null): Expression | null {
  let at = expression;
  while (at !== null) {
    if (at.form === 'unary') at = at.operand;
    else if (at.form === 'cast' || at.form === 'slice')
      at = at.form === 'cast' ? at.value : at.object;
    else break;
  }
  return at?.form === 'load' || at?.form === 'member' ? at : null;
}

/** Puts data into a place; of an object of the file into those of its fields that hold text. */
function fill(run: Run, place: Expression | null, value: Shape): void {
  if (place === null) return;
  const before = run.evaluate(place);
  const own = run.objectsOf(before).filter(([, { type }]) => type !== null);
  for (const [id, { type }] of own) {
    const made = type === null ? null : filled(run, type, value, []);
    const [object] = made === null ? [] : run.objectsOf(made);
    if (object !== undefined) run.state.setObject(id, object[1]);
  }
  const { origins } = value;
  assignTo(run, place, own.length > 0 ? { ...before, origins } : { ...value, path: before.path });
}

/** What a call writes into what it is called on. */
function writeBack(run: Run, call: Call): void {
  const { receiver, name, args, expression } = call;
  if (receiver === null || expression.form !== 'call') return;
  const place = rootOf(expression);
  if (place === null) return;
  const line = run.knowledge.catalogue.propagatorAt(siteOf(run, call));
  if (line?.into === -1 && line.from?.includes(-1) !== true) {
    const data = propagated(run, call, line);
    if (data.origins.length > 0) assignTo(run, place, { ...data, path: receiver.path });
    return;
  }
  if (line?.into === -1) {
    // The object is what the call makes of it: a reader with a filter.
    const path = call.path === null ? null : `${call.path}()`;
    assignTo(run, place, { ...receiver, path });
    return;
  }
  const isHeld = receiver.objects.length > productsOf(run, receiver).length;
  if (isHeld || isClass(receiver) || args.length === 0) return;
  const operation = run.knowledge.methods.get(`table ${name}`);
  if (operation === 'put' && args.length === 2) {
    const table = run.table(new Map(), null);
    const [id] = table.objects;
    const object = id === undefined ? undefined : run.state.object(id);
    if (id === undefined || object === undefined) return;
    run.state.setObject(id, { ...object, isOpen: true });
    const kept = { ...receiver, objects: [id] };
    assignTo(run, place, kept);
    containerResult(run, { ...call, receiver: kept });
    return;
  }
  if (!run.knowledge.is('writes', name)) return;
  const data = derive(args.map((one) => run.state.settled(run.flat(readText(run, one)))));
  const isKnown =
    receiver.path !== null && run.knowledge.isKnown(receiver.path.replace(/\(\).*$/, ''));
  if (data.origins.length === 0 || !holdsOutside(data) || isKnown) return;
  assignTo(run, place, { ...join(receiver, data), path: receiver.path, isPlain: false });
}

/** What a chain of calls begins with: `sql` of `sql.append(a).append(b)`. */
function rootOf(expression: CallExpression): Expression | null {
  let at = expression.receiver;
  while (at?.form === 'call' && /^(?:append|insert|allow\w*|set\w*)$/.test(at.name))
    at = at.receiver;
  while (at?.form === 'cast') at = at.value;
  return at?.form === 'load' || at?.form === 'member' ? at : null;
}

/** Puts a value into a variable or field. */
export function assignTo(run: Run, place: Expression, value: Shape): void {
  if (place.form === 'load') run.state.set(place.variable, value);
  else if (place.form === 'member') run.write(run.evaluate(place.object), place.name, value);
}
