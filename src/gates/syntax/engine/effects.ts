import type { Expression } from '../il/il.ts';
import { withoutCalls } from './catalogue-lines.ts';
import { checkInput, checkLines } from './check-lines.ts';
import { siteOf } from './check-sinks.ts';
import { containerResult, readText } from './container.ts';
import { handedOver } from './functions.ts';
import { isClass } from './guard.ts';
import { catalogued, noteRegistered } from './handlers.ts';
import { dottedName, lastOf } from './names.ts';
import { propagated, textOfCall } from './result.ts';
import { filled } from './roles.ts';
import { type Call, PLAIN, type Run } from './run.ts';
import { withCell } from './state.ts';
import { methodOf } from './summary.ts';
import {
  type Closure,
  changed,
  derive,
  isOutside,
  isTainted,
  join,
  outside,
  type Shape,
  TRUSTED,
  textOf,
  UNKNOWN,
} from './value.ts';

type CallExpression = Expression & { readonly form: 'call' };

/** What a call does beside giving something back: to what it is called on, and what it is given. */
export function takeEffect(run: Run, call: Call): void {
  const { receiver, name } = call;
  if (receiver !== null) {
    grow(run, call, receiver);
    const { role } = receiver;
    if (role === null || run.knowledge.has('emitter', role)) listen(run, call);
    if (receiver.pattern !== null && run.knowledge.is('writes', name)) {
      for (const one of call.args) checkInput(run, call, receiver, one);
    }
  }
  registered(run, call);
  if (run.knowledge.traits.has('callbacks')) handOver(run, call);
  if (!run.knowledge.fills || call.expression.form !== 'call') return;
  fillTarget(run, call);
  writeBack(run, call);
}

/** `list.push(x)` of what is not known: it holds x from now on. */
function grow(run: Run, { name, args, expression }: Call, receiver: Shape): void {
  const { knowledge } = run;
  const isMap = receiver.isTrusted && knowledge.has('grows-by-key', name);
  if (!knowledge.has('grows', name) && !isMap) return;
  if (receiver.objects.length > 0 || expression.form !== 'call') return;
  const place = expression.receiver;
  if (place === null || place.form !== 'load') return;
  const added = derive((isMap ? args.slice(1) : args).map((one) => run.flat(one)));
  if (added.origins.length === 0) return;
  run.assign(
    place,
    join(receiver, changed(receiver, { origins: added.origins, isTrusted: false })),
  );
}

/**
 * Functions that wait for an event of an emitter, and what it is emitted with. What comes first is
 * kept for the other one.
 */
function listen(run: Run, call: Call): void {
  const { name, receiverPath, args } = call;
  const listens = run.knowledge.has('listens', name);
  if (!listens && !run.knowledge.has('emits', name)) return;
  const [event, ...data] = args;
  const text = event === undefined ? null : textOf(event);
  if (receiverPath === null || text === null) return;
  // Listeners know the object of a class that emits under another name.
  const own = receiverPath === run.knowledge.word('self') ? '' : receiverPath;
  const isSame = (other: string) => other === '' || own === '' || other === own;
  const known = run.events.get(text) ?? { handlers: new Map(), data: new Map() };
  const { start } = call.expression;
  if (listens) {
    const [handler] = data;
    if (handler === undefined || handler.closures.length === 0) return;
    run.events.set(text, known);
    known.handlers.set(start, { on: own, handler });
    for (const one of known.data.values()) {
      if (isSame(one.on)) give(run, handler, one.data, call);
    }
    return;
  }
  const flat = data.map((one) => run.flat(one));
  if (flat.every(({ origins }) => origins.length === 0)) return;
  run.events.set(text, known);
  const kept = flat.map(({ origins }) => changed(UNKNOWN, { origins }));
  known.data.set(start, { on: own, data: kept });
  for (const one of known.handlers.values()) {
    if (isSame(one.on)) give(run, one.handler, data, call);
  }
}

function give(run: Run, { closures }: Shape, data: readonly Shape[], call: Call): void {
  for (const one of closures) run.parts.invoke(run, one, data, call);
}

/** Remembers what is set on what a package made, and forgets what others may set on it. */
export function noteSettings(run: Run, call: Call): void {
  const { receiver, name, args } = call;
  if (run.knowledge.products.size === 0) return;
  const setting = args.at(-1) ?? TRUSTED;
  const [feature = TRUSTED] = args.slice(0, -1);
  const key = lastOf(textOf(feature) ?? feature.path ?? '');
  for (const [id, object] of productsOf(run, receiver)) {
    const value = run.state.settled(setting);
    const noted = withCell(object, name, value);
    // A feature by its name, and whether it is on.
    run.state.setObject(id, key === '' ? noted : withCell(noted, `${name}.${key}`, value));
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

/** Functions that are given to a server are called with data. */
function registered(run: Run, call: Call): void {
  const { path, args, name } = call;
  if (run.knowledge.is('serves-methods', name)) {
    const classes = args.flatMap((one) => run.objectsOf(one).flatMap(([, { type }]) => type ?? []));
    for (const id of classes.flatMap((one) => run.classOf(one)?.functions ?? [])) {
      const isCalled = run.knowledge.is('served-method', run.functionOf(id)?.name ?? '');
      if (!isCalled || run.servedMethods.has(id)) continue;
      run.servedMethods.add(id);
      run.hasNewAssigned = true;
    }
  }
  const functions = [...args, ...call.options.values()].flatMap(({ closures }) => closures);
  if (functions.length === 0) return;
  const { knowledge } = run;
  const isServed =
    knowledge.has('calls-back', name) || knowledge.has('calls-back', withoutCalls(path ?? ''));
  const given = knowledge.traits.has('keys') ? null : catalogued(run, call, '');
  if (!isServed && given === null) return;
  for (const closure of functions) {
    const id = closure.kind === 'function' ? closure.id : methodIdOf(run, closure);
    if (id === null || run.served.has(id) || run.given.has(id)) continue;
    if (given !== null) run.given.set(id, given);
    else run.served.add(id);
    run.hasNewAssigned = true;
    // Statements outside of all functions are not run again.
    if (run.depth === 0) run.lookAgain(id);
  }
}

function methodIdOf(run: Run, { object, name }: Closure & { readonly kind: 'method' }) {
  const [first] = run.objectsOf(object);
  const type = object.ownClass ?? first?.[1].type ?? null;
  return type === null ? null : (methodOf(run, type, name, -1)?.id ?? null);
}

/** Calls functions that a call is given, with the data that it is given for them. */
function handOver(run: Run, call: Call): void {
  noteRegistered(run, call);
  if (call.options.size === 0 && !call.args.some(mayBeCalled)) return;
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
    if (!args.some((one) => isTainted(run.flat(one)))) continue;
    for (const one of target.closures) run.parts.invoke(run, one, args, call);
    if (target.path === null || target.closures.length > 0) continue;
    const { path: called } = target;
    checkLines(run, { ...PLAIN, expression, name: lastOf(called), path: called, args });
  }
}

/** Whether a value may be a function: of the file, or by its path. */
function mayBeCalled({ closures, path }: Shape): boolean {
  return closures.length > 0 || (path !== null && !path.endsWith(')'));
}

/** Data that a call puts into what it is given: a decoder into its target. */
function fillTarget(run: Run, call: Call): void {
  const { expression, receiver, name } = call;
  const { catalogue } = run.knowledge;
  const site = siteOf(run, call);
  const targetAt = (index: number) => targetOf(expression.arguments[index]?.value ?? null);
  if (run.knowledge.is('reads-into', name) && receiver !== null && receiver.origins.length > 0) {
    fill(run, targetAt(0), changed(UNKNOWN, { origins: receiver.origins }));
    return;
  }
  const source = catalogue.callAt(site);
  if (source?.into !== undefined && !(receiver !== null && isOutside(receiver))) {
    const target = targetAt(source.into);
    const written = target === null ? null : dottedName(run, target);
    const text = written ?? textOfCall(run, expression);
    const isWhole = source.whole === true;
    fill(run, target, outside('strong', text, run.placeOf(expression.start), { isWhole }));
    return;
  }
  const line = catalogue.propagatorAt(site);
  if (line === null) handOnToTargets(run, call);
  if (line?.into === undefined || line.into < 0) return;
  const data = propagated(run, call, line);
  if (data.origins.length > 0) fill(run, targetAt(line.into), changed(data, { path: null }));
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
      run.assign(target, UNKNOWN);
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

/** Puts data into a place; of an object of the file into its fields that hold text. */
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
  run.assign(
    place,
    own.length > 0 ? changed(before, { origins }) : changed(value, { path: before.path }),
  );
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
    if (data.origins.length > 0) run.assign(place, changed(data, { path: receiver.path }));
    return;
  }
  if (line?.into === -1) {
    // The object is what the call makes of it: a reader with a filter.
    const path = call.path === null ? null : `${call.path}()`;
    run.assign(place, changed(receiver, { path }));
    return;
  }
  const isHeld = receiver.objects.length > productsOf(run, receiver).length;
  if (isHeld || isClass(receiver) || args.length === 0) return;
  const { methods } = run.knowledge;
  // `text.replace(a, b)` changes no text; of a map `replace` is its own.
  const isPut =
    methods.get(`table ${name}`) === 'put' &&
    (!methods.has(`text ${name}`) || isTableParameter(run, place));
  if (isPut && args.length === 2) {
    const table = run.table(new Map(), null);
    const [id] = table.objects;
    const object = id === undefined ? undefined : run.state.object(id);
    if (id === undefined || object === undefined) return;
    run.state.setObject(id, { ...object, isOpen: true });
    const kept = changed(receiver, { objects: [id] });
    run.assign(place, kept);
    containerResult(run, { ...call, receiver: kept });
    return;
  }
  if (!run.knowledge.is('writes', name)) return;
  const data = derive(args.map((one) => run.state.settled(run.flat(readText(run, one)))));
  const isKnown =
    receiver.path !== null && run.knowledge.isKnown(receiver.path.replace(/\(\).*$/, ''));
  if (data.origins.length === 0 || !isTainted(data) || isKnown) return;
  run.assign(place, changed(join(receiver, data), { path: receiver.path, isPlain: false }));
}

/** Whether a place is a parameter that is declared as a table. */
function isTableParameter(run: Run, place: Expression): boolean {
  if (place.form !== 'load') return false;
  const { type } = run.parameters.get(place.variable) ?? {};
  return run.knowledge.kinds.get(type?.path ?? '') === 'table';
}

/** What a chain of calls begins with: `sql` of `sql.append(a).append(b)`. */
function rootOf(expression: CallExpression): Expression | null {
  let at = expression.receiver;
  while (at?.form === 'call' && /^(?:append|insert|allow\w*|set\w*)$/.test(at.name))
    at = at.receiver;
  while (at?.form === 'cast') at = at.value;
  return at?.form === 'load' || at?.form === 'member' ? at : null;
}
