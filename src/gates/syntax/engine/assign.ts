import type { Expression, Span, Statement, Type, Variable } from '../il/il.ts';
import { lookedAt } from './call.ts';
import { checkInput, checkNamed, checkAssignedLines as checkSet } from './check-lines.ts';
import { checkAssignment } from './check-sinks.ts';
import { POINTED } from './member.ts';
import { dottedName } from './names.ts';
import { combined } from './operators.ts';
import { pathOfType } from './parameter-values.ts';
import { withoutDefault } from './pollution.ts';
import { holdMember, memberToBe, replacePrototype } from './prototype.ts';
import { asNamed, served, typedAs, typeValue } from './roles.ts';
import { PLAIN, type Run } from './run.ts';
import { storeMember } from './shared-state.ts';
import { withCell } from './state.ts';
import {
  asUnchecked,
  at,
  changed,
  isRandom,
  join,
  mapOrigins,
  named,
  onlyConstant,
  type Shape,
  UNKNOWN,
} from './value.ts';

type Of<F extends Expression['form']> = Expression & { readonly form: F };

/** A name gets its first value; a type says what that is where nothing else does. */
export function declare(run: Run, statement: Statement & { readonly form: 'declare' }): void {
  const { variable, type, value, annotations, start, end } = statement;
  const name = run.module.variables[variable] ?? '';
  const known = declaredType(run, value === null || type?.own == null ? type : null);
  if (known?.isTrusted === true) run.types.set(variable, known);
  const given = value === null ? null : typedAs(run, known, run.evaluate(value));
  if (given !== null && isRandom(given) && run.knowledge.sinks !== null) {
    const nothing = {
      object: UNKNOWN,
      objectPath: null,
      keys: [null, null],
      isMadeOnDemand: false,
    } as const;
    checkAssignment(run, { name, ...nothing, value: given, at: { start, end } });
  }
  // In a hunk a field may stand outside of its class.
  const first =
    given === null
      ? (served(run, { start, end, name, type, annotations }) ?? known ?? UNKNOWN)
      : asNamed(run, type, given);
  if (run.knowledge.sinks === null) checkNamed(run, name, first, { start, end });
  const fresh = asUnchecked(run.firstValue(variable, first), name, start);
  run.state.set(variable, named(fresh, name, run.placeOf(start)));
  if (value !== null) noteElement(run, variable, value);
  if (value?.form !== 'object') return;
  for (const [id, object] of run.objectsOf(fresh)) {
    for (const [key, cell] of object.cells) {
      const held = run.firstValue(variable, cell, key);
      if (held !== cell)
        run.state.setObject(id, withCell(run.state.object(id) ?? object, key, held));
    }
  }
}

/** What a type says of a name; where members are keys nothing holds a value to it. */
function declaredType(run: Run, type: Type | null): Shape | null {
  if (!run.knowledge.traits.has('keys')) return typeValue(run, type);
  const path = pathOfType(run, type);
  return path === null ? null : at(path);
}

/** `a = b`, `a += b`, `a++`. */
export function assignedValue(run: Run, expression: Of<'assign'>): Shape {
  const { place, sign, isAfter, start, end } = expression;
  const before = sign === null ? null : run.evaluate(place);
  const given = valueFor(run, place, expression.value);
  if (place.form === 'load') noteElement(run, place.variable, expression.value);
  if (place.form === 'index' && givesEmptyObject(expression.value)) {
    run.madeOnDemand.add(run.textOf(place));
  }
  const value =
    before === null || sign === null ? given : combined(run, sign, before, given, [start, end]);
  bind(run, place, value, expression);
  return isAfter && before !== null ? before : value;
}

/** Notes by which computed key an object holds the value that a variable gets from it. */
function noteElement(run: Run, variable: Variable, value: Expression): void {
  if (run.knowledge.sinks === null) return;
  const element = withoutDefault(value);
  if (element.form !== 'index' || element.key.form === 'constant') run.elements.delete(variable);
  else run.elements.set(variable, { key: run.evaluate(element.key), text: run.textOf(element) });
}

/** `{}`, `table[key] || {}` */
function givesEmptyObject(value: Expression): boolean {
  if (value.form === 'logic') return givesEmptyObject(value.right);
  return value.form === 'object' && value.entries.length === 0;
}

/** The handler of messages of other windows gets one. */
function valueFor(run: Run, place: Expression, value: Expression): Shape {
  const written = value.form === 'closure' ? dottedName(run, place) : null;
  const isMessage = run.knowledge.is('message-handler', written ?? '');
  if (!isMessage || value.form !== 'closure') {
    return place.form === 'member' ? memberToBe(run, value) : run.evaluate(value);
  }
  return lookedAt(run, value.id, [changed(UNKNOWN, { role: 'event' })]);
}

/** What is assigned to: a member of an object, or what stands under a key of it. */
interface Held {
  readonly base: Shape;
  /** Null: a member by its name. */
  readonly keyed: Shape | null;
}

/** Shows an assignment to the sinks. */
function show(
  run: Run,
  place: Of<'member'> | Of<'index'>,
  { base, keyed }: Held,
  value: Shape,
  at: Span,
): void {
  if (run.knowledge.sinks === null) return;
  const { object } = place;
  const name = keyed === null ? (place.form === 'member' ? place.name : '') : onlyConstant(keyed);
  const element = elementOf(run, object);
  const outer = element?.key ?? null;
  checkAssignment(run, {
    name: name === undefined || name === null ? '' : String(name),
    object: base,
    objectPath: dottedName(run, object),
    keys: [outer === null || onlyConstant(outer) !== undefined ? null : outer, keyed],
    isMadeOnDemand: run.madeOnDemand.has(element?.text ?? ''),
    value,
    at,
  });
}

/** The element of another object that an expression is; null when it is something else. */
function elementOf(run: Run, object: Expression): { key: Shape; text: string } | null {
  if (object.form === 'load') return run.elements.get(object.variable) ?? null;
  if (object.form !== 'index') return null;
  return { key: run.evaluate(object.key), text: run.textOf(object) };
}

/** Assigns to a variable, a field, or an element; `at`: what is shown to the sinks, if anything. */
function bind(run: Run, place: Expression, value: Shape, at: Span | null = null): void {
  const where = run.placeOf(place.start);
  switch (place.form) {
    case 'load': {
      const name = run.module.variables[place.variable] ?? '';
      const known = run.types.get(place.variable);
      const typed = known === undefined ? value : typedAs(run, known, value);
      if (run.knowledge.sinks === null) checkNamed(run, name, typed, place);
      const fresh = asUnchecked(typed, name, place.start);
      run.state.set(place.variable, named(fresh, name, where));
      run.share(place.variable, run.state.settled(typed));
      return;
    }
    case 'member': {
      const base = run.evaluate(place.object);
      if (at !== null) show(run, place, { base, keyed: null }, value, at);
      checkAssigned(run, place, base, value);
      storeMember(run, place.object, base, place.name, value);
      const written = run.textOf(place).replace(/\s+/g, '');
      const isKnown = base.objects.length > 0 || base.ownClass !== null;
      // Where members are fields, an object with one of them would count as written with all.
      if (!isKnown && !run.knowledge.traits.has('keys')) return;
      write(run, place.object, base, place.name, named(value, written, where));
      noteCalledEarly(run, place, value);
      return;
    }
    case 'index': {
      const base = run.evaluate(place.object);
      const keyed = run.evaluate(place.key);
      if (at !== null) show(run, place, { base, keyed }, value, at);
      checkKeyed(run, place, { base, keyed }, value);
      const key = onlyConstant(keyed) ?? null;
      storeMember(run, place.object, base, key === null ? null : String(key), value);
      write(run, place.object, base, key, value);
      showToMethods(run, place.object, value);
      return;
    }
    case 'cast':
      bind(run, place.value, value);
      return;
    case 'unary':
      if (place.sign === '*') bindPointed(run, place.operand, value);
      return;
    default:
      run.evaluate(place);
  }
}

/** `exports.name = function`: functions that called it before have to be looked at again. */
function noteCalledEarly(run: Run, { object, name }: Of<'member'>, { closures }: Shape): void {
  if (closures.length === 0 || object.form !== 'load') return;
  const early = `${object.variable}.${name}`;
  if (run.calledEarly.get(early) !== false) return;
  run.calledEarly.set(early, true);
  run.calledEarlyNew += 1;
}

/** `*p = value`: into the box that holds it, or into the object that the pointer stands for. */
function bindPointed(run: Run, place: Expression, value: Shape): void {
  const pointer = run.evaluate(place);
  const objects = run.objectsOf(pointer);
  const [given] = run.objectsOf(value);
  if (objects.some(([, { cells }]) => cells.has(POINTED))) {
    run.write(pointer, POINTED, named(value, run.textOf(place), run.placeOf(place.start)));
  } else if (objects.length === 0 || given === undefined) bind(run, place, value);
  else {
    const { cells, rest, length } = given[1];
    for (const [id, object] of objects) run.state.setObject(id, { ...object, cells, rest, length });
  }
}

/** What an assignment of a member does, or what an interpreter is given to read by it. */
function checkAssigned(run: Run, place: Of<'member'>, base: Shape, value: Shape): void {
  const { name } = place;
  if (run.knowledge.sinks === null) checkNamed(run, name, value, place);
  if (base.path === null) return;
  const path = `${base.path}.${name}`;
  const expression = asCall(place, name);
  if (run.knowledge.sinks === null) {
    checkSet(run, { ...PLAIN, expression, name, path, receiver: base, args: [value] });
  }
  if (base.pattern !== null) checkInput(run, { expression }, changed(base, { path }), value);
}

/** What an assignment under a key does. */
function checkKeyed(run: Run, place: Of<'index'>, { base, keyed }: Held, value: Shape): void {
  const { path } = base;
  if (path === null || keyed === null || run.knowledge.sinks !== null) return;
  const name = path.replace(/^.*\./, '').replaceAll('()', '');
  const known = onlyConstant(keyed);
  const options = new Map(typeof known === 'string' ? [[known, value]] : []);
  checkSet(run, {
    ...PLAIN,
    expression: asCall(place, name),
    name,
    path,
    args: [keyed, value],
    options,
  });
}

/** A place that is assigned to, as the call of a setter. */
function asCall(place: Of<'member' | 'index'>, name: string): Of<'call'> {
  const { start, end } = place;
  const at = { start, end };
  const given = [{ value: place, name: null, isSpread: false }];
  const call = { form: 'call', receiver: null, name, path: null, isBase: false } as const;
  return { start, end, ...call, arguments: given, at };
}

/** Puts a value under a key; null: an unknown key. */
function write(
  run: Run,
  target: Expression,
  base: Shape,
  key: string | number | boolean | null,
  value: Shape,
): void {
  const kept = run.state.settled(value);
  const isMade = key !== null && key === run.knowledge.word('made-member');
  if (isMade && replacePrototype(run, base, kept)) return;
  if (base.objects.length === 0 && base.ownClass === null) {
    writeToUnknown(run, target, base, key, kept);
    return;
  }
  if (key === null) run.addTo(base, kept);
  else if (!setBy(run, base, String(key), kept)) {
    run.write(base, String(key), value);
    holdMember(run, kept, base);
    for (const [id, object] of run.objectsOf(base)) {
      const isLonger = object.length !== null && (typeof key !== 'number' || key >= object.length);
      if (isLonger) run.state.setObject(id, { ...object, length: null });
    }
  }
}

/** All methods see what is put into a list that a field holds. */
function showToMethods(run: Run, holder: Expression, value: Shape): void {
  if (holder.form !== 'member' || value.origins.length === 0) return;
  const base = run.evaluate(holder);
  if (!run.objectsOf(base).some(([, { kind }]) => kind === 'list')) return;
  const { origins } = join(base, value);
  run.write(run.evaluate(holder.object), holder.name, changed(base, { origins }));
}

/** What an object is not known for is kept in an object that stands for it from now on. */
function writeToUnknown(
  run: Run,
  target: Expression,
  base: Shape,
  key: string | number | boolean | null,
  value: Shape,
): void {
  if (base.path !== null && key !== null && target.form === 'name') {
    run.replaced.set(`${base.path}.${key}`, value);
  }
  const isKey = run.knowledge.traits.has('keys');
  if (target.form === 'index' && !isKey && base.origins.length === 0) {
    writeToRow(run, target, key, value);
    return;
  }
  const isPlace = target.form === 'load' || target.form === 'member';
  // A function may have members of its own: `module.exports = run; module.exports.text = make`.
  const hasMembers = isKey && target.form === 'load' && value.closures.length > 0;
  if (!isPlace || (base.closures.length > 0 && !hasMembers)) return;
  if (base.origins.length > 0) {
    // The elements of data are one: it becomes more.
    const more = changed(UNKNOWN, { origins: value.origins });
    if (!isKey && value.origins.length > 0) run.assign(target, join(base, more));
    return;
  }
  if (key === null || !isKey) {
    const isPackage = base.path !== null && !base.path.endsWith(')');
    if (base.role !== null || isPackage || !isStrong(value)) return;
    const origins = mapOrigins(changed(UNKNOWN, { origins: value.origins }), (origin) => ({
      ...origin,
      isWhole: false,
      mayBeObject: false,
    })).origins;
    run.assign(target, changed(base, { origins, isTrusted: false }));
    return;
  }
  const cells = new Map([[String(key), value]]);
  const { shape } = run.make('instance', { cells, isOpen: true });
  const held = changed(base, { objects: shape.objects });
  if (target.form === 'member') {
    write(run, target.object, run.evaluate(target.object), target.name, held);
  } else run.assign(target, held);
}

/**
 * Data in a row of an array of arrays that was made without its rows: `new String[2][2]`. What
 * stands beside it in the row is not known: another name may hold the row, and a call may fill it.
 */
function writeToRow(
  run: Run,
  target: Of<'index'>,
  key: string | number | boolean | null,
  value: Shape,
): void {
  if (run.flat(value).origins.length === 0) return;
  const holder = run.evaluate(target.object);
  if (!run.objectsOf(holder).some(([, { kind }]) => kind === 'list')) return;
  const { shape: row } = run.make('list', { isOpen: true, rest: UNKNOWN });
  if (key === null) run.addTo(row, value);
  else run.write(row, String(key), value);
  const at = onlyConstant(run.evaluate(target.key)) ?? null;
  write(run, target.object, holder, at, row);
}

/** Gives a value to setters of that name; false: the class has no such setter. */
function setBy(run: Run, base: Shape, key: string, value: Shape): boolean {
  if (!run.namesMethod(key, true)) return false;
  let isSet = false;
  for (const [id, { type }] of run.objectsOf(base)) {
    const method = type === null ? null : run.parts.methodOf(run, type, key, 1);
    if (method?.kind !== 'setter') continue;
    isSet = true;
    run.parts.follow(run, method.id, [value], changed(base, { objects: [id] }));
  }
  return isSet;
}

function isStrong({ origins }: Shape): boolean {
  return origins.some(({ strength }) => strength === 'strong');
}
