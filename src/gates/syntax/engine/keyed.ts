import { USES } from '../../../rules/catalogue/line.ts';
import { TAINT } from '../../limits.ts';
import type { Entry, Expression, Statement } from '../il/il.ts';
import { assignTo, writtenAs } from './call.ts';
import { readText } from './container.ts';
import { callDynamic, lookedAt, optionOf, tagDynamic } from './dynamic.ts';
import { equalityDynamic, membership, truthDynamic, typeTest } from './facts.ts';
import { pathOfType } from './given.ts';
import { compared, opposite, telling, verdictOf } from './guard.ts';
import { leaveMember, leftMember } from './left.ts';
import { freeName, memberOf } from './member.ts';
import { replacePrototype } from './prototype.ts';
import { typedAs } from './roles.ts';
import type { Run } from './run.ts';
import { judgeAssignment, judgeProperty } from './sites.ts';
import { folded } from './text.ts';
import {
  asUnchecked,
  at,
  build,
  constantOf,
  type Fact,
  isBlank,
  join,
  mapOrigins,
  named,
  onlyConstant,
  type Shape,
  TRUSTED,
  UNKNOWN,
  union,
  type Verdict,
} from './value.ts';

type Of<F extends Expression['form']> = Expression & { readonly form: F };

const RANDOM: Shape = { ...TRUSTED, role: 'random' };

/** What is known of an expression in a language whose members are keys; null: as in any other. */
export function evaluateKeyed(run: Run, expression: Expression): Shape | null {
  switch (expression.form) {
    case 'load': {
      const value = run.state.get(expression.variable) ?? UNKNOWN;
      return value.checkedAs === null ? value : checkable(run, value, value.checkedAs);
    }
    case 'name': {
      const { name, path, start } = expression;
      if (path !== null) return importedValue(run, path);
      return checkable(run, freeName(run, name, start), `? ${name}`);
    }
    case 'member':
      return memberValue(run, expression);
    case 'index':
      return elementValue(run, expression);
    case 'call':
    case 'apply':
    case 'new':
      return callDynamic(run, expression);
    case 'tag':
      return tagDynamic(run, expression);
    case 'text':
      return textValue(run, expression);
    case 'object':
      return objectValue(run, expression.entries);
    case 'element':
      return elementOfMarkup(run, expression);
    case 'unary':
      return unaryValue(run, expression);
    case 'binary':
      return binaryValue(run, expression);
    case 'logic':
      return logicValue(run, expression);
    case 'assign':
      return assignedValue(run, expression);
    case 'closure':
      return closureValue(run, expression.id);
    case 'await':
      return awaited(run, run.evaluate(expression.value));
    default:
      return null;
  }
}

/** A value of which nothing is known, with what checks under that name have proved of it. */
function checkable(run: Run, value: Shape, name: string): Shape {
  if (!isBlank(value)) return value;
  const safe = run.state.safeUses(name);
  if (safe.length === USES.length) return TRUSTED;
  return { ...value, checkedAs: name, safeFor: union(value.safeFor, safe) };
}

/** What is imported; data in a file of the program's own is its own. */
function importedValue(run: Run, path: string): Shape {
  return run.knowledge.is('own-data', path) ? { ...TRUSTED, path } : at(path);
}

function closureValue(run: Run, id: number): Shape {
  if (run.depth === 0) return lookedAt(run, id, []);
  return { ...UNKNOWN, closures: [{ kind: 'function', id, self: null }] };
}

/** A value that has come: what its function proved holds from now on. */
function awaited(run: Run, value: Shape): Shape {
  if (value.awaited === null) return value;
  run.state.guard(value.awaited.facts);
  return { ...value, verdict: value.awaited.verdict, awaited: null };
}

/** A text put together; what can be guessed stays so within others. */
function textValue(run: Run, { parts, start, end }: Of<'text'>): Shape {
  const values = parts.map((part) => run.evaluate(part));
  const text = build(
    values.map((one) => run.flat(readText(run, one))),
    [start, end],
  );
  return values.some(isRandom) ? { ...text, role: 'random' } : text;
}

function memberValue(run: Run, expression: Of<'member'>): Shape {
  const { object, name, start } = expression;
  const base = run.evaluate(object);
  const path = writtenAs(run, expression);
  const written = { text: path ?? '', offset: start };
  const known = memberOf(run, base, name, written);
  const part = base.passed === null ? known : { ...known, passed: base.passed };
  const own = isBlank(known) ? (leftMember(run, object, base, name) ?? part) : known;
  const before = base.checkedAs ?? (base.role === null ? null : `? ${path ?? ''}`);
  const value = before === null ? own : checkable(run, own, `${before}.${name}`);
  const isMarkup = name === 'innerHTML' || name === 'outerHTML';
  // What the browser writes for elements that are in a page already.
  const isEmpty = value.origins.length === 0 && value.path === null && value.objects.length === 0;
  return isMarkup && isEmpty ? { ...value, safeFor: [...value.safeFor, 'html'] } : value;
}

function elementValue(run: Run, expression: Of<'index'>): Shape {
  const { object, key, start } = expression;
  const base = run.evaluate(object);
  const keyed = run.evaluate(key);
  const index = onlyConstant(keyed);
  if (index !== undefined && index !== null) {
    const before = writtenAs(run, object);
    const text = before === null ? '' : `${before}.${index}`;
    return memberOf(run, base, String(index), { text, offset: start });
  }
  // `letters[Math.floor(Math.random() * letters.length)]` can be guessed as the number can.
  if (keyed.role === 'random') return RANDOM;
  const value = memberOf(run, base, null, { text: '', offset: start });
  // What is there under a key tells that the key is one of the program's.
  return telling(membership(run, base, keyed, object), value);
}

/** An object as it is written; what is spread into it is as much the sender's as it was. */
function objectValue(run: Run, entries: readonly Entry[]): Shape {
  const cells = new Map<string, Shape>();
  let rest: Shape | null = null;
  let origins: Shape['origins'] = [];
  const getters = new Map<string, Shape>();
  for (const { key, value, accessor, start, end } of entries) {
    if (key === null) {
      const given = run.evaluate(value);
      for (const [, object] of run.objectsOf(given)) {
        for (const [name, cell] of object.cells) cells.set(name, cell);
        if (object.rest !== null) rest = rest === null ? object.rest : join(rest, object.rest);
      }
      // `{...req.body}` is as much the sender's as the body.
      if (given.origins.length > 0) origins = origins.length === 0 ? given.origins : origins;
      continue;
    }
    const name = onlyConstant(run.evaluate(key));
    const text = name === undefined ? '' : String(name);
    const given = optionOf(run, text, value) ?? run.evaluate(value);
    if (accessor === 'get' && name !== undefined) getters.set(text, given);
    const held = accessor === 'get' ? run.gotFrom(given) : accessor === 'set' ? UNKNOWN : given;
    if (name !== undefined) {
      const isLiteral = value.form === 'constant';
      const at = { start, end };
      judgeProperty(run, {
        name: text,
        value: held,
        isLiteral,
        element: null,
        key,
        at: value.end > 0 ? value : at,
      });
    }
    if (name !== undefined && cells.size < TAINT.MEMBERS_MAX) cells.set(text, held);
    else rest = rest === null ? held : join(rest, held);
  }
  const made = run.table(cells, rest);
  for (const [name, getter] of getters) run.write(made, name, run.gotFrom(getter, made));
  return origins.length === 0 ? made : { ...made, origins };
}

/** The attributes of an element, one by one: `<a href={x}>`. */
function elementOfMarkup(run: Run, { name, attributes, children }: Of<'element'>): Shape {
  for (const { key, value, start, end } of attributes) {
    const given = run.evaluate(value);
    const attribute = key === null ? undefined : onlyConstant(run.evaluate(key));
    if (attribute === undefined) continue;
    const at = { start, end };
    const isLiteral = value.form === 'constant';
    judgeProperty(run, {
      name: String(attribute),
      value: given,
      isLiteral,
      element: name,
      key: at,
      at,
    });
  }
  for (const child of children) run.evaluate(child);
  return UNKNOWN;
}

/** `!x`, `-x`, `typeof x`: a number, a boolean or nothing; `keys` are the keys of an object. */
function unaryValue(run: Run, { sign, operand }: Of<'unary'>): Shape {
  const value = run.evaluate(operand);
  switch (sign) {
    case '!': {
      const truth = truthDynamic(value);
      if (truth !== null && value.verdict === null) return constantOf(!truth);
      return value.verdict === null ? TRUSTED : telling(opposite(value.verdict));
    }
    case '-':
      return folded([value], ([one]) => (typeof one === 'number' ? -one : undefined)) ?? TRUSTED;
    case 'keys':
      return keysOf(run, value);
    case 'void':
      return constantOf(null);
    default:
      return TRUSTED;
  }
}

/** What a loop over keys gives. */
function keysOf(run: Run, value: Shape): Shape {
  if (value.origins.length > 0) return { ...UNKNOWN, origins: value.origins };
  const names = run
    .objectsOf(value)
    .flatMap(([, { cells, kind }]) => (kind === 'list' ? [] : [...cells.keys()]));
  return names.length === 0 ? UNKNOWN : run.list(names.map(constantOf));
}

function binaryValue(run: Run, expression: Of<'binary'>): Shape {
  const { sign, start, end } = expression;
  if (/^[=!]==?$/.test(sign)) {
    const isNot = sign.startsWith('!');
    const tested =
      typeTest(run, expression.left, expression.right) ??
      typeTest(run, expression.right, expression.left);
    if (tested !== null) return telling(isNot ? opposite(tested) : tested);
    const same = equalityDynamic(
      run,
      run.evaluate(expression.left),
      run.evaluate(expression.right),
    );
    if (!isNot) return same;
    const only = onlyConstant(same);
    return typeof only === 'boolean' ? constantOf(!only) : telling(opposite(verdictOf(same)));
  }
  const left = run.evaluate(expression.left);
  const right = run.evaluate(expression.right);
  return combined(run, sign, left, right, [start, end]);
}

function combined(
  run: Run,
  sign: string,
  left: Shape,
  right: Shape,
  span: readonly [number, number],
): Shape {
  switch (sign) {
    case 'in':
      return telling(membership(run, right, left));
    case '<':
    case '>':
    case '<=':
    case '>=':
      return compared(left, right, sign);
    case '+': {
      const isNumber = (one: unknown) => typeof one === 'number';
      const sum = folded([left, right], ([one, other]) =>
        isNumber(one) && isNumber(other) ? Number(one) + Number(other) : undefined,
      );
      if (sum !== null) return sum;
      const text = build(
        [readText(run, left), readText(run, right)].map((one) => run.flat(one)),
        span,
      );
      return isRandom(left) || isRandom(right) ? { ...text, role: 'random' } : text;
    }
    default: {
      if (isRandom(left) || isRandom(right)) return RANDOM;
      const value = folded([left, right], ([one, other]) => {
        if (typeof one !== 'number' || typeof other !== 'number') return undefined;
        const result =
          sign === '-'
            ? one - other
            : sign === '*'
              ? one * other
              : sign === '%'
                ? one % other
                : Number.NaN;
        return Number.isFinite(result) ? result : undefined;
      });
      return value ?? TRUSTED;
    }
  }
}

function isRandom({ role }: Shape): boolean {
  return role === 'random';
}

/** The right operand is evaluated knowing how the left one turned out; either may be the value. */
function logicValue(run: Run, { sign, left: first, right: second }: Of<'logic'>): Shape {
  const left = run.evaluate(first);
  const truth = left.verdict === null ? truthDynamic(left) : null;
  const isAnd = sign === 'and';
  if (sign === 'coalesce') {
    if (onlyConstant(left) === null) return run.evaluate(second);
    if (left.constants !== null && !left.constants.includes(null)) return left;
  } else if (truth !== null && first.form !== 'constant') {
    if (truth !== isAnd) return left;
    return run.evaluate(second);
  }
  const known = verdictOf(left);
  const { result: right, state } = run.branch(run.state, () => {
    if (sign !== 'coalesce') run.state.guard(isAnd ? known.whenTrue : known.whenFalse);
    return run.state.settled(run.evaluate(second));
  });
  run.state.merge([state, run.state.fork()]);
  if (sign === 'coalesce') return withFallback(left, right);
  const told = verdictOf(right);
  const verdict: Verdict = isAnd
    ? {
        whenTrue: all(known.whenTrue, told.whenTrue),
        whenFalse: both(known.whenFalse, told.whenFalse),
      }
    : {
        whenTrue: both(known.whenTrue, told.whenTrue),
        whenFalse: all(known.whenFalse, told.whenFalse),
      };
  // Of `a && b` it is the right one that is of use.
  const value = isAnd ? right : withFallback(left, right);
  const plain = value.verdict === null ? value : { ...value, verdict: null };
  return telling(verdict, plain);
}

function all(left: readonly Fact[], right: readonly Fact[]): readonly Fact[] {
  return right.length === 0 ? left : left.length === 0 ? right : [...left, ...right];
}

function both(left: readonly Fact[], right: readonly Fact[]): readonly Fact[] {
  return left.filter((fact) => right.includes(fact));
}

/** The literal on the right is what holds when nothing is configured. */
function withFallback(left: Shape, right: Shape): Shape {
  const value = join(left, right);
  const only = onlyConstant(right);
  const isFallback = typeof only === 'string' && left.constants === null;
  return isFallback ? { ...value, fallback: only } : value;
}

/** `a = b`, `a += b`, `a++`. */
function assignedValue(run: Run, expression: Of<'assign'>): Shape {
  const { place, sign, isAfter, start, end } = expression;
  const before = sign === null ? null : run.evaluate(place);
  const given = valueFor(run, place, expression.value);
  const value =
    before === null || sign === null ? given : combined(run, sign, before, given, [start, end]);
  if (place.form === 'member' || place.form === 'index') show(run, expression, place, value);
  put(run, place, value);
  return isAfter && before !== null ? before : value;
}

/** A name gets its first value; a type says what that is where nothing else does. */
export function declareKeyed(run: Run, statement: Statement & { readonly form: 'declare' }): void {
  const { variable, type, value, start, end } = statement;
  const name = run.module.variables[variable] ?? '';
  const given = value === null ? UNKNOWN : run.evaluate(value);
  if (isRandom(given)) {
    const nothing = { object: UNKNOWN, objectPath: null, keys: [null, null] } as const;
    judgeAssignment(run, { name, ...nothing, value: given, at: { start, end } });
  }
  const isUnmade = given.path === null && given.closures.length === 0 && !given.isTrusted;
  const path = isUnmade && given.objects.length === 0 ? pathOfType(run, type) : null;
  const typed = path === null ? given : { ...given, path };
  const fresh = asUnchecked(typed, name, start);
  run.state.set(variable, named(fresh, name, run.placeOf(start)));
}

/** The handler of messages of other windows gets one. */
function valueFor(run: Run, place: Expression, value: Expression): Shape {
  const written = value.form === 'closure' ? writtenAs(run, place) : null;
  const isMessage = /^(?:(?:window|self|globalThis)\.)?onmessage$/.test(written ?? '');
  if (!isMessage || value.form !== 'closure') return run.evaluate(value);
  return lookedAt(run, value.id, [{ ...UNKNOWN, role: 'event' }]);
}

/** Shows an assignment to the sinks. */
function show(
  run: Run,
  expression: Of<'assign'>,
  place: Of<'member'> | Of<'index'>,
  value: Shape,
): void {
  const { object } = place;
  const key = place.form === 'index' ? run.evaluate(place.key) : null;
  const name = key === null ? (place.form === 'member' ? place.name : '') : onlyConstant(key);
  const outer = object.form === 'index' ? run.evaluate(object.key) : null;
  judgeAssignment(run, {
    name: name === undefined || name === null ? '' : String(name),
    object: run.evaluate(object),
    objectPath: writtenAs(run, object),
    keys: [outer === null || onlyConstant(outer) !== undefined ? null : outer, key],
    value,
    at: expression,
  });
}

/** Assigns to a variable or member; after `object[key] = data` any member may be the data. */
function put(run: Run, place: Expression, value: Shape): void {
  const position = run.placeOf(place.start);
  switch (place.form) {
    case 'load': {
      const name = run.module.variables[place.variable] ?? '';
      const known = run.types.get(place.variable);
      const typed = known === undefined ? value : typedAs(known, value);
      const fresh = asUnchecked(typed, name, place.start);
      run.state.set(place.variable, named(fresh, name, position));
      return;
    }
    case 'member':
      leaveMember(run, place.object, place.name, value);
      write(
        run,
        place.object,
        place.name,
        named(value, run.textOf(place).replace(/\s+/g, ''), position),
      );
      return;
    case 'index': {
      const key = onlyConstant(run.evaluate(place.key));
      const name = key === undefined || key === null ? null : String(key);
      leaveMember(run, place.object, name, value);
      write(run, place.object, name, value);
      return;
    }
    case 'cast':
      put(run, place.value, value);
      return;
    default:
      run.evaluate(place);
  }
}

/** What an object is not known for is kept in an object that stands for it from now on. */
function write(run: Run, target: Expression, key: string | null, value: Shape): void {
  const base = run.evaluate(target);
  const kept = run.state.settled(value);
  const isMade = key === run.knowledge.word('made-member');
  if (isMade && replacePrototype(run, base, kept)) return;
  if (base.objects.length === 0 && base.ownClass === null) {
    if (base.path !== null && key !== null && target.form === 'name') {
      run.replaced.set(`${base.path}.${key}`, kept);
    }
    const isPlace = target.form === 'load' || target.form === 'member';
    if (!isPlace || base.origins.length > 0 || base.closures.length > 0) return;
    if (key === null) {
      if (base.role !== null || base.path !== null || !isStrong(value)) return;
      const origins = mapOrigins({ ...UNKNOWN, origins: value.origins }, (origin) => ({
        ...origin,
        isWhole: false,
        mayBeObject: false,
      })).origins;
      assignTo(run, target, { ...base, origins, isTrusted: false });
      return;
    }
    const open = { kind: 'instance', type: null, rest: null, length: null, isOpen: true } as const;
    const { shape } = run.make({ ...open, cells: new Map([[key, kept]]) });
    const held = { ...base, objects: shape.objects };
    if (target.form === 'member') write(run, target.object, target.name, held);
    else assignTo(run, target, held);
    return;
  }
  if (key !== null) {
    if (!setBy(run, base, key, kept)) run.write(base, key, value);
    return;
  }
  for (const [id, object] of run.objectsOf(base)) {
    const rest = object.rest === null ? kept : join(object.rest, kept);
    run.state.setObject(id, { ...object, rest });
  }
}

/** Gives a value to setters of that name; false: the class has no such setter. */
function setBy(run: Run, base: Shape, key: string, value: Shape): boolean {
  let isSet = false;
  for (const [id, { type }] of run.objectsOf(base)) {
    const method = type === null ? null : run.parts.methodOf(run, type, key, 1);
    if (method?.kind !== 'setter') continue;
    isSet = true;
    run.parts.follow(run, method.id, [value], { ...base, objects: [id] });
  }
  return isSet;
}

function isStrong({ origins }: Shape): boolean {
  return origins.some(({ strength }) => strength === 'strong');
}
