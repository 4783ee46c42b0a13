import { TAINT } from '../../limits.ts';
import type { ClassId, Entry, Expression, Type } from '../il/il.ts';
import {
  assignTo,
  evaluateApply,
  evaluateCall,
  evaluateNew,
  evaluateTag,
  judgeInput,
  POINTED,
  specialResult,
  writtenAs,
} from './call.ts';
import { itemsOf, readText } from './container.ts';
import { isOwn } from './execute.ts';
import { compared, equality, membership, opposite, telling, verdictOf } from './guard.ts';
import { judgeAssignment, judgeNamed, siteOf } from './judge.ts';
import { evaluateKeyed } from './keyed.ts';
import { concatenated, overloaded } from './operators.ts';
import { asNamed, ownValue, typedAs, typeValue } from './roles.ts';
import type { Run } from './run.ts';
import { factsOn, withCell } from './state.ts';
import { methodOf, methodsOf } from './summary.ts';
import { folded } from './text.ts';
import {
  at,
  build,
  clip,
  constantOf,
  derive,
  type Fact,
  isOutside,
  join,
  joinAll,
  madeSafe,
  named,
  onlyConstant,
  outside,
  partOf,
  RESULT,
  type Shape,
  TRUSTED,
  together,
  truthOf,
  UNKNOWN,
} from './value.ts';

/** What is known of an expression. Looks at all calls within. */
export function evaluate(run: Run, expression: Expression): Shape {
  if (run.depth > 0) run.steps += 1;
  run.nodes += 1;
  const keyed = run.knowledge.isKeyed ? evaluateKeyed(run, expression) : null;
  if (keyed !== null) return keyed;
  switch (expression.form) {
    case 'constant':
      return run.constantOf(expression.value);
    case 'load':
      return run.state.get(expression.variable) ?? UNKNOWN;
    case 'name':
      return nameValue(run, expression.name, expression.path);
    case 'class':
      return { ...UNKNOWN, ownClass: expression.id };
    case 'member':
      return memberValue(run, expression);
    case 'index':
      return elementValue(run, expression);
    case 'call':
      return evaluateCall(run, expression);
    case 'new':
      return evaluateNew(run, expression);
    case 'apply':
      return evaluateApply(run, expression);
    case 'text':
      return build(
        expression.parts.map((part) => textPart(run, part)),
        [expression.start, expression.end],
      );
    case 'tag':
      return evaluateTag(run, expression);
    case 'list':
      return listValue(run, expression.items);
    case 'spread':
      return run.elementOf(run.evaluate(expression.value));
    case 'object':
      return objectValue(run, expression.entries);
    case 'rest':
      return restValue(run, expression);
    case 'pattern':
      return { ...TRUSTED, pattern: expression.text, flags: expression.flags };
    case 'element':
      return elementOfMarkup(run, expression);
    case 'await':
      return run.evaluate(expression.value);
    case 'yield': {
      const value = run.evaluate(expression.value);
      run.frame.yields.push(run.state.settled(expression.isAll ? run.elementOf(value) : value));
      return UNKNOWN;
    }
    case 'results':
      return together(expression.items.map((item) => run.state.settled(run.evaluate(item))));
    case 'result':
      return resultValue(run, expression);
    case 'slice':
      return sliceValue(run, expression);
    case 'unary':
      return unaryValue(run, expression);
    case 'binary':
      return binaryValue(run, expression);
    case 'logic':
      return logicValue(run, expression);
    case 'choose':
      return chosenValue(run, expression);
    case 'assign':
      return assignedValue(run, expression);
    case 'closure':
      return closureValue(run, expression);
    case 'reference': {
      const object = run.evaluate(expression.object);
      return { ...UNKNOWN, closures: [{ kind: 'method', object, name: expression.name }] };
    }
    case 'cast':
      return castValue(run, expression);
    case 'is': {
      const value = run.evaluate(expression.value);
      if (expression.bind !== null) run.state.set(expression.bind, value);
      const known = typeValue(run, expression.type);
      return known?.isTrusted === true || expression.type?.own != null
        ? telling({ whenTrue: factsOn(value), whenFalse: [] })
        : TRUSTED;
    }
    case 'run': {
      run.execute(expression.body);
      return run.state.get(expression.result) ?? UNKNOWN;
    }
    case 'unknown':
      run.unknown += 1;
      return derive(expression.children.map((child) => run.flat(run.evaluate(child))));
  }
}

function nameValue(run: Run, name: string, path: string | null): Shape {
  if (path !== null) return run.at(path);
  if (run.knowledge.is('failure', name)) return { ...TRUSTED, isPresent: true };
  // Constants that stand elsewhere.
  return run.knowledge.is('constant', name) ? TRUSTED : UNKNOWN;
}

function textPart(run: Run, expression: Expression): Shape {
  return readText(run, run.evaluate(expression));
}

type Of<F extends Expression['form']> = Expression & { readonly form: F };

/** A field, by what is known of the object, by a line of the catalogue, or as a part of data. */
function memberValue(run: Run, expression: Of<'member'>): Shape {
  const { name, object } = expression;
  const base = run.evaluate(object);
  const objects = run.objectsOf(base);
  const cells = objects.flatMap(([id, one]) => run.cellOf(id, one, name) ?? []);
  if (cells.length > 0) return cells.reduce(join);
  const inherited = inheritedValue(run, base, name);
  if (inherited !== null) return inherited;
  const method = methodValue(run, base, name);
  if (method !== null) return method;
  const missing = specialResult(run, 'read-as', base, [constantOf(name)]);
  if (missing !== null) return missing;
  const [first] = objects;
  const isClosed = first !== undefined && first[1].type !== null && !first[1].isOpen;
  if (isClosed && base.path === null && base.origins.length === 0) return constantOf(null);
  if (name === 'length') return TRUSTED;
  const path = base.path === null ? null : `${base.path}.${name}`;
  const receiverPath = writtenAs(run, object);
  const given = run.knowledge.given({ name, path: path ?? '', receiverPath });
  if (given !== null) return at(given);
  const site = siteOf(run, { name, path, receiver: base, receiverPath });
  const line = run.knowledge.catalogue.readAt(site);
  const isChecked = run.knowledge.is('checked-name', name);
  if (line !== null && line.decorator !== true && (isChecked || !isOutside(base))) {
    const shape = { isWhole: line.whole === true, safeFor: line.safeFor ?? [] };
    const text = clip(run.textOf(expression));
    // What forms and the like looked at.
    const strength = isChecked ? 'checked' : 'strong';
    return { ...outside(strength, text, run.placeOf(expression.start), shape), path };
  }
  if (base.origins.length > 0) {
    // A part of a path is as much of it as was checked.
    const isFile = run.knowledge.is('file', path ?? '');
    const data = { ...(isFile ? derive([base]) : partOf(base, name)), path };
    const isLast =
      run.knowledge.is('base-name', name) || (isFile && run.knowledge.is('last-name', name));
    return isLast ? madeSafe(data, ['path']) : data;
  }
  if (run.knowledge.is('failure', name)) return { ...TRUSTED, isPresent: true };
  if (run.knowledge.is('constant', name)) return { ...TRUSTED, path };
  // A part of what was made with a text is known by that as well: a pipe of a program.
  const [, value] = run.knowledge.rows('value').find(([own]) => own === path) ?? [];
  if (value !== undefined) return { ...constantOf(value), path };
  return path === null ? UNKNOWN : { ...at(path), pattern: base.pattern };
}

/** A method as a value, or what a method gives that stands for a field; null: no such method. */
function methodValue(run: Run, base: Shape, name: string): Shape | null {
  if (base.ownClass !== null) {
    const method = methodOf(run, base.ownClass, name, -1);
    if (method?.body == null || name === '<init>') return null;
    return { ...UNKNOWN, closures: [{ kind: 'function', id: method.id, self: base }] };
  }
  const found = run.objectsOf(base).flatMap(([id, { type, isOpen }]) => {
    if (type === null) return [];
    const self = { ...base, objects: [id] };
    return methodsOf(run, type, name, -1, isOpen).map((method): Shape => {
      if (method.kind === 'getter') return run.parts.follow(run, method.id, [], self);
      return { ...UNKNOWN, closures: [{ kind: 'function', id: method.id, self }] };
    });
  });
  return found.length === 0 ? null : joinAll(found);
}

/** What an object embeds under the name of its type; null: nothing of that name. */
function inheritedValue(run: Run, base: Shape, name: string): Shape | null {
  for (const [, { type }] of run.objectsOf(base)) {
    if (type === null || base.ownClass === type) continue;
    const embedded = baseNamed(run, type, name, 0);
    if (embedded !== null) return embedded.own === null ? typeValue(run, embedded) : base;
  }
  return null;
}

/** A base of a type, or of its bases, by its last name; null when absent. */
function baseNamed(run: Run, id: ClassId, name: string, depth: number): Type | null {
  const bases = run.classOf(id)?.bases ?? [];
  const own = bases.find((one) => nameOf(one) === name);
  if (own !== undefined || depth > BASES_DEEP_MAX) return own ?? null;
  for (const base of bases) {
    const inner = base.own === null ? null : baseNamed(run, base.own, name, depth + 1);
    if (inner !== null) return inner;
  }
  return null;
}

/** Bases of bases; real types have one or two. */
const BASES_DEEP_MAX = 4;

/** The last name of a type. */
function nameOf({ name }: Type): string {
  return name.slice(name.lastIndexOf('.') + 1);
}

function elementValue(run: Run, { object, key }: Of<'index'>): Shape {
  const base = run.evaluate(object);
  const keyed = run.evaluate(key);
  const special = specialResult(run, 'element-as', base, [keyed]);
  if (special !== null) return special;
  const index = onlyConstant(keyed);
  if (index === undefined) {
    // What is under a key tells that the key is one of the program's.
    const { verdict } = membership(run, keyed, base);
    const element = run.elementOf(base);
    const isTable = run.objectsOf(base).some(([, { kind }]) => kind === 'table');
    const value = isTable ? { ...element, constants: null } : element;
    return verdict === null ? value : { ...value, verdict };
  }
  const character = folded([base, keyed], ([text, place]) =>
    typeof text === 'string' && typeof place === 'number' ? text.at(place) : undefined,
  );
  if (character !== null) return character;
  const cells = run.objectsOf(base).flatMap(([, one]) => {
    const isFromEnd = typeof index === 'number' && index < 0 && one.length !== null;
    const place = isFromEnd ? (one.length ?? 0) + index : index;
    const cell = one.cells.get(String(place)) ?? one.rest;
    return cell ?? (one.isOpen ? [] : [constantOf(null)]);
  });
  if (cells.length > 0) return cells.reduce(join);
  // A key of data names a part of it, and tells nothing of the others.
  if (typeof index === 'string' && base.origins.length > 0) return partOf(base, index);
  const element = run.elementOf(base);
  const isMade = base.path?.endsWith(')') === true && element.path === null;
  return isMade && typeof index === 'number' ? { ...element, path: base.path } : element;
}

/**
 * One of several results. Of a function that is not in view the data is the same in all of them,
 * and what its call tells is what the last one says.
 */
function resultValue(run: Run, { of, index, count, tells }: Of<'result'>): Shape {
  const whole = run.evaluate(of);
  const own = whole.results?.[index];
  if (own !== undefined) return own;
  const isShown = of.form === 'call' && isOwn(run, of);
  // A check of one of them tells nothing of the others.
  if (tells === null && count > 1) {
    // From round to round of a loop it stays the same part.
    const isPart = whole.origins.every(({ text }) => text.endsWith(`.${index}`));
    return isPart ? whole : partOf(whole, `${index}`);
  }
  if (tells === null || isShown) return whole;
  if (whole.isPresent || whole.constants !== null) return whole;
  const verdict = verdictOf(whole);
  return { ...RESULT, verdict: tells === 'failure' ? opposite(verdict) : verdict };
}

/** A part of a text or list that is known, else the same data. */
function sliceValue(run: Run, { object, from, to }: Of<'slice'>): Shape {
  const base = run.evaluate(object);
  const start = from === null ? constantOf(0) : run.evaluate(from);
  const end = to === null ? constantOf(Number.MAX_SAFE_INTEGER) : run.evaluate(to);
  const known = folded([base, start, end], ([text, first, last]) =>
    typeof text === 'string' && typeof first === 'number' && typeof last === 'number'
      ? text.slice(first, last)
      : undefined,
  );
  if (known !== null) return known;
  const plain = { ...base, constants: null };
  const first = onlyConstant(start);
  const last = onlyConstant(end);
  if (typeof first !== 'number' || typeof last !== 'number') return plain;
  const [only, ...others] = run.objectsOf(base);
  const items = only === undefined || others.length > 0 ? null : itemsOf(only[1]);
  return items === null ? plain : run.list(items.slice(first, last));
}

/** A list as it is written; what is spread into it stands there with its elements. */
function listValue(run: Run, items: readonly Expression[]): Shape {
  const values: Shape[] = [];
  let rest: Shape | null = null;
  for (const item of items) {
    if (item.form !== 'spread') {
      const value = run.evaluate(item);
      if (rest === null) values.push(value);
      else rest = join(rest, value);
      continue;
    }
    const spread = run.evaluate(item.value);
    const elements = rest === null ? run.elementsOf(spread) : null;
    if (elements !== null) values.push(...elements);
    else rest = rest === null ? run.elementOf(spread) : join(rest, run.elementOf(spread));
  }
  return rest === null ? run.list(values) : run.openList(values, rest);
}

/** An object as it is written; what is spread into it is as much the sender's as it was. */
function objectValue(run: Run, entries: readonly Entry[]): Shape {
  const cells = new Map<string, Shape>();
  let rest: Shape | null = null;
  for (const { key, value, accessor } of entries) {
    const given = run.evaluate(value);
    if (key === null) {
      for (const [, object] of run.objectsOf(given)) {
        for (const [name, cell] of object.cells) cells.set(name, cell);
        if (object.rest !== null) rest = rest === null ? object.rest : join(rest, object.rest);
      }
      if (given.origins.length > 0) {
        const whole = { ...UNKNOWN, origins: given.origins };
        rest = rest === null ? whole : join(rest, whole);
      }
      continue;
    }
    const name = onlyConstant(run.evaluate(key));
    const held = accessor === 'get' ? run.gotFrom(given) : accessor === 'set' ? UNKNOWN : given;
    if (name !== undefined && cells.size < TAINT.MEMBERS_MAX) cells.set(String(name), held);
    else rest = rest === null ? held : join(rest, held);
  }
  return run.table(cells, rest);
}

/** What destructuring leaves over. */
function restValue(run: Run, { value, from, without }: Of<'rest'>): Shape {
  const whole = run.evaluate(value);
  const elements = run.elementsOf(whole);
  if (elements !== null) return run.list(elements.slice(from));
  const [first] = run.objectsOf(whole);
  if (first === undefined || first[1].kind === 'list') return whole;
  const cells = new Map(first[1].cells);
  for (const name of without) cells.delete(name);
  return run.table(cells, first[1].rest);
}

function elementOfMarkup(run: Run, { attributes, children }: Of<'element'>): Shape {
  for (const { value } of attributes) run.evaluate(value);
  for (const child of children) run.evaluate(child);
  return UNKNOWN;
}

function unaryValue(run: Run, { sign, operand }: Of<'unary'>): Shape {
  const value = run.evaluate(operand);
  // An address stands for what is there.
  if (sign === '&') return value;
  if (sign === '*') return pointedAt(run, value);
  if (sign === '!') {
    const truth = truthOf(value);
    if (truth !== null) return constantOf(!truth);
    return value.verdict === null ? TRUSTED : telling(opposite(value.verdict));
  }
  const number = folded([value], ([one]) => {
    if (typeof one !== 'number') return undefined;
    return sign === '-' ? -one : sign === '+' ? one : sign === '~' ? ~one : undefined;
  });
  return number ?? TRUSTED;
}

/** What a pointer leads to: what a box holds, or the object that the pointer stands for. */
function pointedAt(run: Run, pointer: Shape): Shape {
  const cells = run.objectsOf(pointer).flatMap(([, { cells: all }]) => all.get(POINTED) ?? []);
  return cells.length === 0 ? pointer : joinAll(cells);
}

function binaryValue(run: Run, expression: Of<'binary'>): Shape {
  const { sign, start, end } = expression;
  const left = run.evaluate(expression.left);
  const right = run.evaluate(expression.right);
  const value = combined(run, sign, left, right, [start, end]);
  // A number that can be guessed stays so in arithmetic.
  const isRandom = left.role === 'random' || right.role === 'random';
  return isRandom && value.constants === null && value.role === null && value.verdict === null
    ? { ...value, role: 'random' }
    : value;
}

function combined(
  run: Run,
  sign: string,
  left: Shape,
  right: Shape,
  span: readonly [number, number],
): Shape {
  switch (sign) {
    case '==':
    case '===':
      return equality(run, left, right);
    case '!=':
    case '!==': {
      const same = equality(run, left, right);
      const truth = truthOf(same);
      return truth === null ? telling(opposite(verdictOf(same))) : constantOf(!truth);
    }
    case 'in':
      return membership(run, left, right);
    case '<':
    case '>':
    case '<=':
    case '>=':
      return compared(left, right, sign);
    case '+': {
      const sum = folded([left, right], ([one, other]) =>
        typeof one === 'number' && typeof other === 'number' ? one + other : undefined,
      );
      if (sum !== null) return sum;
      const list = concatenated(run, left, right);
      if (list !== null) return list;
      return build(
        [readText(run, left), readText(run, right)].map((one) => run.flat(one)),
        span,
      );
    }
    default:
      return (
        folded([left, right], ([one, other]) => arithmetic(sign, one, other)) ??
        overloaded(run, sign, left, right, span)
      );
  }
}

function arithmetic(sign: string, left: unknown, right: unknown): number | boolean | undefined {
  if (typeof left === 'boolean' && typeof right === 'boolean') {
    if (sign === '&') return left && right;
    return sign === '|' ? left || right : sign === '^' ? left !== right : undefined;
  }
  if (typeof left !== 'number' || typeof right !== 'number') return undefined;
  const isWhole = Number.isInteger(left) && Number.isInteger(right);
  switch (sign) {
    case '-':
      return left - right;
    case '*':
      return left * right;
    case '/':
      return right === 0 ? undefined : isWhole ? Math.trunc(left / right) : left / right;
    case '%':
      return right === 0 ? undefined : left % right;
    case '&':
      return left & right;
    case '|':
      return left | right;
    case '^':
      return left ^ right;
    case '//':
      return right === 0 ? undefined : Math.floor(left / right);
    case '**':
      return left ** right;
    case '<<':
      return left << right;
    case '>>':
      return left >> right;
    default:
      return undefined;
  }
}

/** `a and b`: true means both; false tells only what each of them does. The reverse for "or". */
function logicValue(run: Run, { sign, left: first, right: second }: Of<'logic'>): Shape {
  if (sign === 'coalesce') return coalesced(run, first, second);
  const isAnd = sign === 'and';
  const left = run.evaluate(first);
  const truth = truthOf(left);
  if (truth !== null && truth !== isAnd) return left;
  const known = verdictOf(left);
  const { result: right, state } = run.branch(run.state, () => {
    // What stands on the right is evaluated only where the left side let it.
    run.state.guard(isAnd ? known.whenTrue : known.whenFalse);
    return run.evaluate(second);
  });
  run.state.merge([state, run.state.fork()]);
  const other = truthOf(right);
  if (other !== null && other !== isAnd) return right;
  if (truth === isAnd && other === isAnd) return left;
  const told = verdictOf(right);
  // Data is never what makes a condition false: of "and" the right side is left.
  const value = isAnd ? withoutTold(right) : join(withoutTold(left), withoutTold(right));
  const both = (one: readonly Fact[], two: readonly Fact[]) =>
    one.filter((fact) => two.includes(fact));
  const all = (one: readonly Fact[], two: readonly Fact[]) => [...one, ...two];
  const [inTrue, inFalse] = isAnd ? [all, both] : [both, all];
  const verdict = {
    whenTrue: inTrue(known.whenTrue, told.whenTrue),
    whenFalse: inFalse(known.whenFalse, told.whenFalse),
  };
  return telling(verdict, value);
}

/** The value apart from what it tells as a condition, and not one that is known. */
function withoutTold(shape: Shape): Shape {
  return { ...shape, constants: null, verdict: null };
}

/** The right value where the left one is missing. */
function coalesced(run: Run, first: Expression, second: Expression): Shape {
  const left = run.evaluate(first);
  if (onlyConstant(left) === null) return run.evaluate(second);
  if (left.constants !== null && !left.constants.includes(null)) return left;
  const { result, state } = run.branch(run.state, () => run.evaluate(second));
  run.state.merge([state, run.state.fork()]);
  return join(left, result);
}

/** Either of two values, each under what the condition tells. */
function chosenValue(run: Run, { test, yes, no }: Of<'choose'>): Shape {
  const condition = run.evaluate(test);
  const truth = truthOf(condition);
  if (truth !== null) return run.evaluate(truth ? yes : no);
  const known = verdictOf(condition);
  const under = (facts: readonly Fact[], expression: Expression) =>
    run.branch(run.state, () => {
      run.state.guard(facts);
      return run.state.settled(run.evaluate(expression));
    });
  const first = under(known.whenTrue, yes);
  const second = under(known.whenFalse, no);
  run.state.merge([first.state, second.state]);
  return join(first.result, second.result);
}

/** `a = b`, `a += b`, `a++`. */
function assignedValue(run: Run, expression: Of<'assign'>): Shape {
  const { place, sign, isAfter, start, end } = expression;
  const before = sign === null ? null : run.evaluate(place);
  const given = run.evaluate(expression.value);
  const value =
    before === null || sign === null ? given : combined(run, sign, before, given, [start, end]);
  bind(run, place, value);
  return isAfter && before !== null ? before : value;
}

/** Assigns to a variable, a field, or an element. */
function bind(run: Run, place: Expression, value: Shape): void {
  const where = run.placeOf(place.start);
  switch (place.form) {
    case 'load': {
      const name = run.module.variables[place.variable] ?? '';
      const known = run.types.get(place.variable);
      const typed = known === undefined ? value : typedAs(known, value);
      judgeNamed(run, name, typed, place);
      run.state.set(place.variable, named(typed, name, where));
      if (!run.knowledge.isKeyed) run.share(place.variable, run.state.settled(typed));
      return;
    }
    case 'member':
      judgeAssigned(run, place, value);
      assignTo(run, place, named(value, run.textOf(place).replace(/\s+/g, ''), where));
      return;
    case 'index': {
      const base = run.evaluate(place.object);
      const keyed = run.evaluate(place.key);
      judgeKeyed(run, place, base, keyed, value);
      const key = onlyConstant(keyed);
      for (const [id, object] of run.objectsOf(base)) {
        const kept = run.state.settled(value);
        const rest = object.rest === null ? kept : join(object.rest, kept);
        const written =
          key === undefined ? { ...object, rest } : withCell(object, String(key), kept);
        const isLonger =
          object.length !== null && (typeof key !== 'number' || key >= object.length);
        const length = isLonger ? null : object.length;
        run.state.setObject(id, { ...written, length });
      }
      const { object: holder } = place;
      if (base.objects.length > 0 && holder.form === 'member' && value.origins.length > 0) {
        // All methods see what is put into a field.
        const { origins } = join(base, value);
        run.write(run.evaluate(holder.object), holder.name, { ...base, origins });
      }
      if (base.objects.length === 0 && value.origins.length > 0) {
        bind(run, place.object, join(base, { ...UNKNOWN, origins: value.origins }));
      }
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
function judgeAssigned(run: Run, place: Of<'member'>, value: Shape): void {
  const { name } = place;
  judgeNamed(run, name, value, place);
  const base = run.evaluate(place.object);
  if (base.path === null) return;
  const path = `${base.path}.${name}`;
  const expression = asCall(place, name);
  const names = { name, path, receiver: base, receiverPath: null };
  judgeAssignment(run, { expression, ...names, args: [value], options: new Map() });
  if (base.pattern !== null) judgeInput(run, { expression }, { ...base, path }, value);
}

/** What an assignment under a key does. */
function judgeKeyed(run: Run, place: Of<'index'>, base: Shape, key: Shape, value: Shape): void {
  const { path } = base;
  if (path === null) return;
  const name = path.replace(/^.*\./, '').replaceAll('()', '');
  const known = onlyConstant(key);
  const options = new Map(typeof known === 'string' ? [[known, value]] : []);
  const expression = asCall(place, name);
  const names = { name, path, receiver: null, receiverPath: null };
  judgeAssignment(run, { expression, ...names, args: [key, value], options });
}

/** A place that is assigned to, as the call of a setter. */
function asCall(place: Of<'member' | 'index'>, name: string): Of<'call'> {
  const { start, end } = place;
  const at = { start, end };
  const given = [{ value: place, name: null, isSpread: false }];
  const call = { form: 'call', receiver: null, name, path: null, isBase: false } as const;
  return { start, end, ...call, arguments: given, at };
}

/** A function as a value; its body is looked at by itself, with what is known here. */
function closureValue(run: Run, { id }: Of<'closure'>): Shape {
  if (run.depth === 0) run.lookAt(id);
  return { ...UNKNOWN, closures: [{ kind: 'function', id, self: null }] };
}

/** `(String) data`: the same data, but for numbers. */
function castValue(run: Run, { type, value }: Of<'cast'>): Shape {
  const given = run.evaluate(value);
  if (type.own !== null) return castToOwn(run, type, given);
  const known = typeValue(run, type);
  if (known?.isTrusted === true) {
    return given.constants === null && given.role === null ? TRUSTED : given;
  }
  if (known?.path == null) return given;
  if (given.objects.length > 0) return given.path === null ? { ...given, path: known.path } : given;
  return given.origins.length === 0 && given.path === null ? known : { ...given, path: known.path };
}

/** A value as one of a type of the file: an object of it where nothing is known of the value. */
function castToOwn(run: Run, type: Type, given: Shape): Shape {
  const isOpen = given.objects.length === 0 && given.origins.length === 0;
  const isBare = isOpen && given.constants === null && given.pieces === null;
  if (type.own === null || run.classOf(type.own)?.kind === 'named' || !isBare) {
    return asNamed(run, type, given);
  }
  return ownValue(run, type.own);
}
