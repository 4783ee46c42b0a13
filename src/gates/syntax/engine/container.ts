import { TAINT } from '../../limits.ts';
import { DATA_FILE, settingsIn } from '../program/data-files.ts';
import { ANY_NAME } from './catalogue-lines.ts';
import { dottedName } from './names.ts';
import type { Call, Run } from './run.ts';
import { type ContainerKind, type HeapObject, heapObject, joinObjects, withCell } from './state.ts';
import {
  build,
  changed,
  constantOf,
  derive,
  isTainted,
  join,
  joinAll,
  type ObjectId,
  onlyConstant,
  RESULT,
  type Shape,
  TRUSTED,
  textOf,
  UNKNOWN,
} from './value.ts';

/** What an operation of the catalogue does to one object; null: nothing that is known of it. */
type Step = (run: Run, id: ObjectId, object: HeapObject, call: Call) => Shape | null;

/** What a method of a list, table or builder gives back, after what it does to it. */
export function containerResult(run: Run, call: Call): Shape | null {
  const { receiver, name } = call;
  if (receiver === null) return null;
  const results: Shape[] = [];
  const objects = run.objectsOf(receiver);
  for (const [id, object] of objects) {
    const operation = run.knowledge.methods.get(`${object.kind} ${name}`);
    const step = operation === undefined ? undefined : STEPS[object.kind]?.[operation];
    const result = step?.(run, id, object, call) ?? null;
    if (result === null) return null;
    const after = run.state.object(id) ?? object;
    // Of several objects that it may be, the call changes only one.
    if (objects.length > 1 && after !== object) {
      run.state.setObject(id, joinObjects(object, after));
    }
    results.push(result === SELF ? receiver : result);
  }
  if (results.length === 0) return null;
  const result = joinAll(results);
  // Of a list that is data itself, whatever was put into it.
  const isSame = result === receiver || receiver.origins.length === 0;
  return isSame ? result : join(result, changed(UNKNOWN, { origins: receiver.origins }));
}

const SELF: Shape = changed(UNKNOWN, {});
const FIRST = 0;
const SECOND = 1;

function argument({ args }: Call, index: number): Shape {
  return args[index] ?? UNKNOWN;
}

function indexOf(shape: Shape): number | null {
  const only = onlyConstant(shape);
  return typeof only === 'number' && Number.isInteger(only) && only >= 0 ? only : null;
}

/** A list whose order is not known any more, with more in it. */
function mixed(run: Run, object: HeapObject, added: readonly Shape[]): HeapObject {
  const all = [...run.contentsOf(object), ...added];
  return {
    ...object,
    cells: new Map(),
    rest: all.length === 0 ? null : joinAll(all),
    length: null,
  };
}

/** The elements of a list in order; null: their order or number is not known. */
export function itemsOf({ cells, length }: HeapObject): Shape[] | null {
  if (length === null) return null;
  return [...Array(length).keys()].map((index) => cells.get(String(index)) ?? TRUSTED);
}

function withItems(object: HeapObject, items: readonly Shape[]): HeapObject {
  const cells = new Map(items.map((item, index) => [String(index), item]));
  return { ...object, cells, length: items.length };
}

/** Puts an element at a place; null: at its end. */
function insert(run: Run, id: ObjectId, object: HeapObject, at: number | null, value: Shape): void {
  const items = itemsOf(object);
  const kept = run.state.settled(value);
  if (items === null || items.length >= TAINT.MEMBERS_MAX) {
    run.state.setObject(id, mixed(run, object, [kept]));
    return;
  }
  items.splice(at ?? items.length, 0, kept);
  run.state.setObject(id, withItems(object, items));
}

/** Takes the element of an index out; any of them where it is not known. */
function take(run: Run, id: ObjectId, object: HeapObject, at: number | null): Shape {
  const items = itemsOf(object);
  if (items === null || at === null) {
    const all = run.contentsOf(object);
    run.state.setObject(id, mixed(run, object, []));
    return all.length === 0 ? missing(object) : joinAll(all);
  }
  const [taken] = items.splice(at, 1);
  run.state.setObject(id, withItems(object, items));
  return taken ?? missing(object);
}

/** What is not in an object: nothing, unless more may be in it than is known. */
function missing({ isOpen }: HeapObject): Shape {
  return isOpen ? RESULT : constantOf(null);
}

/** `Arrays.fill(list, value)`: each element of a list is that value from now on. */
export function fillList(run: Run, list: Shape, value: Shape): Shape {
  const kept = run.state.settled(value);
  for (const [id, object] of run.objectsOf(list)) {
    // The length of `new String[n]` is not known.
    const items = itemsOf(object)?.map(() => kept) ?? [];
    const filled = { ...object, cells: new Map(), rest: kept, length: null };
    run.state.setObject(id, items.length === 0 ? filled : withItems(object, items));
  }
  return TRUSTED;
}

/** `System.arraycopy(from, at, to, place, count)`: elements of a list that are put into another. */
export function copyElements(run: Run, args: readonly Shape[]): Shape {
  const [from = UNKNOWN, at = UNKNOWN, to = UNKNOWN, place = UNKNOWN, count = UNKNOWN] = args;
  const [first, target, length] = [at, place, count].map(indexOf);
  const added = run.elementsOf(from);
  for (const [id, object] of run.objectsOf(to)) {
    const items = itemsOf(object);
    if (items === null || added === null || first == null || target == null || length == null) {
      run.state.setObject(id, mixed(run, object, [run.state.settled(run.elementOf(from))]));
      continue;
    }
    const copied = added.slice(first, first + length).map((one) => run.state.settled(one));
    const isWithin = target + copied.length <= items.length;
    if (isWithin) items.splice(target, copied.length, ...copied);
    run.state.setObject(id, isWithin ? withItems(object, items) : mixed(run, object, copied));
  }
  return TRUSTED;
}

function any(run: Run, object: HeapObject): Shape {
  const all = run.contentsOf(object);
  return all.length === 0 ? missing(object) : joinAll(all);
}

const LIST: Readonly<Record<string, Step>> = {
  append(run, id, object, call) {
    const { args } = call;
    const at = args.length > 1 ? indexOf(argument(call, FIRST)) : null;
    insert(run, id, object, at, args.at(-1) ?? UNKNOWN);
    return TRUSTED;
  },
  prepend(run, id, object, call) {
    insert(run, id, object, 0, argument(call, FIRST));
    return TRUSTED;
  },
  extend(run, id, object, call) {
    const given = argument(call, FIRST);
    const lists = run.objectsOf(given);
    const [only] = lists;
    const items = lists.length === 1 && only !== undefined ? itemsOf(only[1]) : null;
    const own = itemsOf(object);
    const isSmall = (items?.length ?? 0) + (own?.length ?? 0) <= TAINT.MEMBERS_MAX;
    run.state.setObject(
      id,
      items !== null && own !== null && isSmall
        ? withItems(object, [...own, ...items])
        : mixed(run, object, [run.elementOf(given)]),
    );
    return TRUSTED;
  },
  splice(run, id, object, { args: [start, count, ...added] }) {
    const items = itemsOf(object);
    const at = indexOf(start ?? UNKNOWN);
    const length = count === undefined ? (items?.length ?? 0) : indexOf(count);
    const kept = added.map((one) => run.state.settled(one));
    if (items === null || at === null || length === null) {
      run.state.setObject(id, mixed(run, object, kept));
      return run.openList([], any(run, object));
    }
    const removed = items.splice(at, length, ...kept);
    const isSmall = items.length <= TAINT.MEMBERS_MAX;
    run.state.setObject(id, isSmall ? withItems(object, items) : mixed(run, object, kept));
    return run.list(removed);
  },
  set(run, id, object, call) {
    const at = indexOf(argument(call, FIRST));
    const value = argument(call, SECOND);
    const items = itemsOf(object);
    if (items === null || at === null || at >= items.length) {
      run.state.setObject(id, mixed(run, object, [run.state.settled(value)]));
      return any(run, object);
    }
    const before = items[at] ?? TRUSTED;
    items[at] = run.state.settled(value);
    run.state.setObject(id, withItems(object, items));
    return before;
  },
  get(run, _, object, call) {
    const at = indexOf(argument(call, FIRST));
    const items = itemsOf(object);
    return (at === null ? undefined : items?.[at]) ?? any(run, object);
  },
  remove(run, id, object, call) {
    return take(run, id, object, call.args.length === 0 ? 0 : indexOf(argument(call, FIRST)));
  },
  pop(run, id, object, call) {
    const { length } = object;
    const only = call.args.length === 0 ? -1 : onlyConstant(argument(call, FIRST));
    const isKnown = typeof only === 'number' && length !== null;
    const at = isKnown ? (only < 0 ? Math.max(0, length + only) : only) : null;
    return take(run, id, object, at);
  },
  take: (run, id, object) => take(run, id, object, 0),
  'take-last': (run, id, object) =>
    take(run, id, object, object.length === null ? null : Math.max(0, object.length - 1)),
  first: (run, _, object) => itemsOf(object)?.[0] ?? any(run, object),
  last: (run, _, object) => itemsOf(object)?.at(-1) ?? any(run, object),
  clear(run, id, object) {
    run.state.setObject(id, { ...object, cells: new Map(), rest: null, length: 0 });
    return TRUSTED;
  },
  any(run, _, object, { args }) {
    return joinAll([any(run, object), ...args.filter(({ closures }) => closures.length === 0)]);
  },
  turn(run, id, object) {
    const items = itemsOf(object);
    if (items !== null) run.state.setObject(id, withItems(object, items.reverse()));
    return TRUSTED;
  },
  sort(run, id, object) {
    run.state.setObject(id, mixed(run, object, []));
    return TRUSTED;
  },
  reverse(run, _, object) {
    const items = itemsOf(object);
    return items === null ? SELF : run.list(items.reverse());
  },
  concat(run, _, object, { args, receiver }) {
    const own = itemsOf(object);
    const others = args.map((one) => (one.objects.length === 0 ? [one] : run.elementsOf(one)));
    if (own !== null && others.every((one) => one !== null)) {
      return run.list([...own, ...others.flat()]);
    }
    const lists = [receiver ?? UNKNOWN, ...args];
    return run.openList([], joinAll(lists.map((one) => run.elementOf(one))));
  },
  slice(run, _, object, { args }) {
    const items = itemsOf(object);
    const [from, to] = args.map(onlyConstant);
    if (items === null || (args.length > 0 && typeof from !== 'number')) return SELF;
    return run.list(items.slice(Number(from ?? 0), typeof to === 'number' ? to : undefined));
  },
  flat(run, _, object) {
    const inner = run
      .contentsOf(object)
      .map((one) => (one.objects.length > 0 ? run.elementOf(one) : one));
    return run.openList([], joinAll(inner));
  },
  next: (run, _, __, { receiver }) =>
    run.table(new Map([['value', run.elementOf(receiver ?? UNKNOWN)]]), null),
  fill: (run, _, __, call) => run.openList([], argument(call, FIRST)),
  same: () => SELF,
  number: () => TRUSTED,
};

/** A key as it names a cell; null: it is not known. */
function keyOf(shape: Shape): string | null {
  const only = onlyConstant(shape);
  return only === undefined ? null : String(only);
}

const TABLE: Readonly<Record<string, Step>> = {
  put(run, id, object, call) {
    const value = run.state.settled(argument(call, SECOND));
    const key = keyOf(argument(call, FIRST));
    const cells = new Map(object.cells);
    let { rest } = object;
    if (key !== null && cells.size < TAINT.MEMBERS_MAX) cells.set(key, value);
    else rest = rest === null ? value : join(rest, value);
    run.state.setObject(id, { ...object, cells, rest });
    return any(run, object);
  },
  get(run, _, object, call) {
    const key = keyOf(argument(call, FIRST));
    const others = call.args.slice(1);
    const cell = key === null ? any(run, object) : object.cells.get(key);
    // What is there for certain needs no value that stands in for it.
    if (key !== null && cell !== undefined && onlyConstant(cell) !== null) return cell;
    const found = cell ?? object.rest ?? missing(object);
    return joinAll([found, ...others]);
  },
  compute(run, id, object, call) {
    const made = call.args.flatMap(({ closures }) => closures);
    if (made.length === 0) return any(run, object);
    const given = [argument(call, FIRST), any(run, object)];
    const value = joinAll(made.map((one) => run.parts.invoke(run, one, given, call)));
    TABLE['put']?.(run, id, object, { ...call, args: [argument(call, FIRST), value] });
    return value;
  },
  merge(run, id, object, call) {
    const key = keyOf(argument(call, FIRST));
    const given = argument(call, SECOND);
    const before = (key === null ? null : object.cells.get(key)) ?? object.rest;
    const made = call.args.flatMap(({ closures }) => closures);
    const value =
      before === null
        ? given
        : joinAll([given, ...made.map((one) => run.parts.invoke(run, one, [before, given], call))]);
    return (
      TABLE['put']?.(run, id, object, { ...call, args: [argument(call, FIRST), value] }) ?? value
    );
  },
  each(run, _, { cells, rest }, call) {
    const { closures } = argument(call, FIRST);
    const pairs = [...cells].map(([key, value]) => [constantOf(key), value]);
    if (rest !== null) pairs.push([TRUSTED, rest]);
    for (const pair of pairs) for (const one of closures) run.parts.invoke(run, one, pair, call);
    return TRUSTED;
  },
  remove(run, id, object, call) {
    const key = keyOf(argument(call, FIRST));
    const cell = key === null ? any(run, object) : object.cells.get(key);
    const found = cell ?? object.rest ?? missing(object);
    const cells = new Map(object.cells);
    if (key !== null) cells.delete(key);
    run.state.setObject(id, { ...object, cells });
    return found;
  },
  clear(run, id, object) {
    run.state.setObject(id, { ...object, cells: new Map(), rest: null });
    return TRUSTED;
  },
  extend(run, id, object, call) {
    const others = run.objectsOf(argument(call, FIRST));
    let written = object;
    const add = (value: Shape) => {
      const { rest, cells } = written;
      // Data under names that are not known may be under any known name.
      const opened = new Map([...cells].map(([key, one]) => [key, join(one, value)]));
      const all = isTainted(value) ? opened : cells;
      written = { ...written, cells: all, rest: rest === null ? value : join(rest, value) };
    };
    for (const [, other] of others) {
      for (const [key, value] of other.cells) written = withCell(written, key, value);
      if (other.rest !== null) add(other.rest);
    }
    for (const [key, value] of call.options) {
      if (key === ANY_NAME) add(value);
      else written = withCell(written, key, run.state.settled(value));
    }
    for (const [, other] of others) {
      for (const pair of itemsOf(other) ?? []) {
        const [key, value] = run.elementsOf(pair) ?? [];
        const name = key === undefined ? null : textOf(key);
        if (name !== null && value !== undefined) written = withCell(written, name, value);
      }
    }
    if (others.length === 0 && call.args.length > 0) {
      add(changed(UNKNOWN, { origins: argument(call, FIRST).origins }));
    }
    run.state.setObject(id, written);
    return TRUSTED;
  },
  load(run, id, object, call) {
    const [, file] = /^file:(.*)$/.exec(textOf(argument(call, FIRST)) ?? '') ?? [];
    if (file === undefined) run.state.setObject(id, { ...object, isOpen: true });
    else if (call.receiver !== null) fillFromFile(run, call.receiver, file, call);
    return TRUSTED;
  },
  any: (run, _, object) => run.list([any(run, object)]),
  entries(run, _, object) {
    return run.list([entryOf(run, TRUSTED, any(run, object))]);
  },
  pairs(run, _, { cells, rest }) {
    const pairs = [...cells.values()].map((value) => run.list([TRUSTED, value]));
    return rest === null ? run.list(pairs) : run.openList(pairs, run.list([TRUSTED, rest]));
  },
  keys: () => TRUSTED,
  number: () => TRUSTED,
};

/** A pair of a table: what a key and a value are read from by name. */
export function entryOf(run: Run, key: Shape, value: Shape): Shape {
  const cells = new Map([
    ['key', run.state.settled(key)] as const,
    ['value', run.state.settled(value)] as const,
  ]);
  return run.make('instance', { cells }).shape;
}

/** Puts the settings of a file that the program names into a table. */
export function fillFromFile(run: Run, table: Shape, file: string, { expression }: Call): void {
  const name = `${DATA_FILE}${file}`;
  const text = run.data.get(name);
  if (text === undefined) run.ask(name, expression.start, false);
  const settings = text === undefined ? [] : [...settingsIn(text)];
  // Of a large file only what the program asks for is kept: what stands between its quotes.
  const written = new Set(settings.length === 0 ? [] : run.text.split(/["']/));
  for (const [id, object] of run.objectsOf(table)) {
    let filled = text === undefined ? { ...object, isOpen: true } : object;
    for (const [key, value] of settings) {
      if (written.has(key)) filled = withCell(filled, key, constantOf(value));
    }
    run.state.setObject(id, filled);
  }
}

/** The text that a builder holds so far. */
function textIn({ rest }: HeapObject): Shape {
  return rest ?? constantOf('');
}

/** `text.delete(0, text.length())`: the end is that of the builder itself. */
function isOwnLength(run: Run, { receiverPath, expression }: Call): boolean {
  const end = expression.arguments[SECOND]?.value;
  if (end?.form !== 'call' && end?.form !== 'member') return false;
  const object = end.form === 'call' ? end.receiver : end.object;
  const isLength = run.knowledge.methods.get(`text ${end.name}`) === 'length';
  return isLength && object !== null && dottedName(run, object) === receiverPath;
}

function span({ expression }: Call): readonly [number, number] {
  return [expression.start, expression.end];
}

const BUILDER: Readonly<Record<string, Step>> = {
  append(run, id, object, call) {
    const added = call.args.map((value) => run.state.settled(readText(run, value)));
    const rest = build([textIn(object), ...added.slice(0, 1)], span(call));
    run.state.setObject(id, { ...object, rest });
    return SELF;
  },
  insert(run, id, object, call) {
    const value = run.state.settled(readText(run, argument(call, SECOND)));
    const isFront = indexOf(argument(call, FIRST)) === 0;
    const parts = isFront ? [value, textIn(object)] : [textIn(object), value];
    run.state.setObject(id, { ...object, rest: build(parts, span(call)) });
    return SELF;
  },
  replace(run, id, object, call) {
    const rest = derive([textIn(object), readText(run, call.args.at(-1) ?? UNKNOWN)]);
    run.state.setObject(id, { ...object, rest });
    return SELF;
  },
  clear(run, id, object, call) {
    const isEmpty = call.args.length === 1 && indexOf(argument(call, FIRST)) === 0;
    if (isEmpty) run.state.setObject(id, { ...object, rest: null });
    return SELF;
  },
  delete(run, id, object, call) {
    const isFromStart = indexOf(argument(call, FIRST)) === 0;
    if (isFromStart && isOwnLength(run, call)) run.state.setObject(id, { ...object, rest: null });
    else if (object.rest !== null) {
      run.state.setObject(id, { ...object, rest: changed(object.rest, { constants: null }) });
    }
    return SELF;
  },
  self: () => SELF,
  text: (_, __, object, { args }) =>
    args.length === 0 ? textIn(object) : changed(textIn(object), { constants: null }),
};

/** An object that holds one value: an atomic reference, a variable of a thread. */
const CELL: Readonly<Record<string, Step>> = {
  set(run, id, object, call) {
    run.state.setObject(id, { ...object, rest: run.state.settled(argument(call, FIRST)) });
    return object.rest ?? missing(object);
  },
  get: (_, __, object) => object.rest ?? missing(object),
};

/** Settings in sections: a table of tables, whose methods name section and key. */
const SECTIONS: Readonly<Record<string, Step>> = {
  section(run, id, object, call) {
    const name = keyOf(argument(call, FIRST));
    const empty = run.table(new Map(), null);
    if (name !== null)
      run.state.setObject(id, withCell(run.state.object(id) ?? object, name, empty));
    return TRUSTED;
  },
  put(run, id, object, call) {
    const [section = UNKNOWN, ...rest] = call.args;
    const name = keyOf(section);
    if (name !== null && !object.cells.has(name)) SECTIONS['section']?.(run, id, object, call);
    const inner = name === null ? undefined : run.state.object(id)?.cells.get(name);
    for (const [own, table] of run.objectsOf(inner ?? UNKNOWN)) {
      TABLE['put']?.(run, own, table, { ...call, args: rest });
    }
    return TRUSTED;
  },
  get(run, _, object, call) {
    const [section = UNKNOWN, ...rest] = call.args;
    const name = keyOf(section);
    const fallback = call.options.get('fallback');
    const args = [...rest, ...(fallback === undefined ? [] : [fallback])];
    const inner = name === null ? any(run, object) : (object.cells.get(name) ?? object.rest);
    if (inner === null) return fallback ?? missing(object);
    const found = run
      .objectsOf(inner)
      .flatMap(([own, table]) => TABLE['get']?.(run, own, table, { ...call, args }) ?? []);
    return found.length === 0 ? run.elementOf(inner) : joinAll(found);
  },
  extend: (run, id, object, call) => TABLE['extend']?.(run, id, object, call) ?? TRUSTED,
  load(run, id, object, call) {
    const file = textOf(argument(call, FIRST));
    const text = file === null ? undefined : run.data.get(`${DATA_FILE}${file}`);
    if (file !== null && text === undefined) {
      run.ask(`${DATA_FILE}${file}`, call.expression.start, false);
    }
    if (text === undefined) run.state.setObject(id, { ...object, isOpen: true });
    for (const [name, value] of text === undefined ? [] : settingsIn(text)) {
      const end = name.lastIndexOf('.');
      const args = [name.slice(0, end), name.slice(end + 1), value].map(constantOf);
      SECTIONS['put']?.(run, id, run.state.object(id) ?? object, { ...call, args });
    }
    return TRUSTED;
  },
};

const STEPS: Readonly<Partial<Record<HeapObject['kind'], Readonly<Record<string, Step>>>>> = {
  list: LIST,
  table: TABLE,
  builder: BUILDER,
  cell: CELL,
  sections: SECTIONS,
};

/** The text of a value: what a builder holds, or the value itself. */
export function readText(run: Run, shape: Shape): Shape {
  const builders = run.objectsOf(shape).filter(([, { kind }]) => kind === 'builder');
  return builders.length === 0 ? shape : joinAll(builders.map(([, object]) => textIn(object)));
}

/** An object of a class of that kind, made with what a call gives it. */
export function makeContainer(run: Run, kind: ContainerKind, call: Call): Shape {
  const { shape, id } = run.make(kind, { length: kind === 'list' ? 0 : null });
  const [first] = call.args;
  if (kind === 'table' && call.options.size > 0) {
    const cells = new Map([...call.options].map(([key, one]) => [key, run.state.settled(one)]));
    run.state.setObject(id, heapObject(kind, { cells }));
  }
  const made = changed(shape, { path: call.path === null ? null : `${call.path}()` });
  if (first === undefined) return made;
  const object = run.state.object(id);
  if (object === undefined) return made;
  if (kind === 'builder') {
    if (typeof onlyConstant(first) === 'number') return made;
    run.state.setObject(id, { ...object, rest: run.state.settled(readText(run, first)) });
  } else if (kind === 'cell') {
    run.state.setObject(id, { ...object, rest: run.state.settled(first) });
  } else if (first.objects.length > 0 || first.origins.length > 0) {
    STEPS[kind]?.['extend']?.(run, id, object, call);
  }
  return made;
}

/** Another object with the same fields, but for values that are given; null: it is not known. */
export function copiedObject(
  run: Run,
  shape: Shape,
  given: ReadonlyMap<string, Shape>,
): Shape | null {
  const [object] = shape.objects.length === 1 ? run.objectsOf(shape) : [];
  if (object === undefined) return null;
  const { kind, cells, ...rest } = object[1];
  const { shape: copy } = run.make(kind, { ...rest, cells: new Map([...cells, ...given]) });
  return changed(shape, { objects: copy.objects });
}
