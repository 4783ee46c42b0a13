import type { Expression, FunctionId } from '../il/il.ts';
import type { Run } from './run.ts';
import type { HeapObject } from './state.ts';
import { changed, joinAll, type Shape, textOf, UNKNOWN } from './value.ts';

/** The member that holds what an object inherits from. */
const PROTOTYPE = '__proto__';
/** Objects that inherit from each other; further ones add nothing. */
const CHAIN_MAX = 8;

/** Which function or class a value is; null: it is neither. */
function keyOf({ closures, ownClass }: Shape): string | null {
  if (ownClass !== null) return `class ${ownClass}`;
  const [first] = closures;
  return first?.kind === 'function' ? `function ${first.id}` : null;
}

/** What objects inherit that a function or class makes; null: the value is neither. */
export function prototypeOf(run: Run, maker: Shape): Shape | null {
  const key = keyOf(maker);
  if (key === null) return null;
  const known = run.prototypes.get(key);
  if (known !== undefined && run.objectsOf(known).length > 0) return known;
  const { shape } = run.make('instance', { type: maker.ownClass, isOpen: true });
  run.prototypes.set(key, shape);
  return shape;
}

/** `A.prototype = object`; false: the value makes no objects. */
export function replacePrototype(run: Run, maker: Shape, prototype: Shape): boolean {
  const key = keyOf(maker);
  if (key === null) return false;
  run.prototypes.set(key, prototype);
  return true;
}

/** Cells of a new object of a function that is called with `new`. */
export function inheritedBy(run: Run, maker: Shape): Map<string, Shape> {
  const prototype = run.prototypes.get(keyOf(maker) ?? '');
  return new Map(prototype === undefined ? [] : [[PROTOTYPE, prototype]]);
}

/** What an object inherits under a name; null: nothing that is known. */
export function inherited(run: Run, object: HeapObject, name: string): Shape | null {
  let next = above(run, object);
  for (let step = 0; step < CHAIN_MAX && next !== null; step += 1) {
    const objects = run.objectsOf(next).map(([, one]) => one);
    const found = objects.flatMap(({ cells }) => cells.get(name) ?? []);
    if (found.length > 0) return joinAll(found);
    const [first] = objects;
    next = first === undefined ? null : above(run, first);
  }
  return null;
}

function above(run: Run, { cells, type }: HeapObject): Shape | null {
  const own = cells.get(PROTOTYPE);
  if (own !== undefined) return own;
  return type === null ? null : (run.prototypes.get(`class ${type}`) ?? null);
}

/**
 * What becomes a member of an object. A function with `this` of its own is looked at where the
 * block ends, as it may call members that are added behind it.
 */
export function memberToBe(run: Run, value: Expression): Shape {
  if (value.form !== 'closure' || run.depth > 0) return run.evaluate(value);
  const declared = run.functionOf(value.id);
  if (declared?.self === undefined || declared.owner !== null) return run.evaluate(value);
  run.members.push(value.id);
  return changed(UNKNOWN, { closures: [{ kind: 'function', id: value.id, self: null }] });
}

/** Notes the object whose member a function is from now on. */
export function holdMember(run: Run, { closures }: Shape, holder: Shape): void {
  const [one] = closures;
  if (one?.kind === 'function' && holder.objects.length > 0) run.holders.set(one.id, holder);
}

/** What `this` is in a function that is a member of an object; null: nobody knows. */
export function selfOfMember(run: Run, id: FunctionId): Shape | null {
  const holder = run.holders.get(id);
  if (holder === undefined || run.objectsOf(holder).length === 0) return null;
  return run.make('instance', { cells: new Map([[PROTOTYPE, holder]]), isOpen: true }).shape;
}

/** Defines a property as a descriptor says: its value, or what its getter gives. */
function define(run: Run, target: Shape, name: string | null, descriptor: Shape): void {
  for (const [, { cells }] of run.objectsOf(descriptor)) {
    const getter = cells.get('get');
    const value = getter === undefined ? cells.get('value') : run.gotFrom(getter, target);
    if (value !== undefined && name !== null) run.write(target, name, value);
  }
}

/** The same for a table of descriptors. */
function defineAll(run: Run, target: Shape, descriptors: Shape): void {
  for (const [, { cells }] of run.objectsOf(descriptors)) {
    for (const [name, descriptor] of cells) define(run, target, name, descriptor);
  }
}

/** `Object.create`, `Object.setPrototypeOf`, `Object.defineProperty` and the like; null: others. */
export function prototypeCall(
  run: Run,
  operation: string,
  [first, second, third]: readonly (Shape | undefined)[],
): Shape | null {
  if (first === undefined) return null;
  switch (operation) {
    case 'create': {
      const made = run.table(new Map([[PROTOTYPE, first]]), null);
      if (second !== undefined) defineAll(run, made, second);
      return made;
    }
    case 'inherit':
      if (second !== undefined) run.write(first, PROTOTYPE, second);
      return first;
    case 'inherit-maker': {
      const own = prototypeOf(run, first);
      const base = second === undefined ? null : prototypeOf(run, second);
      if (own !== null && base !== null) run.write(own, PROTOTYPE, base);
      return first;
    }
    case 'put': {
      const name = second === undefined ? null : textOf(second);
      if (name !== null && third !== undefined) run.write(first, name, third);
      return first;
    }
    case 'define':
      if (second !== undefined && third === undefined) defineAll(run, first, second);
      else if (second !== undefined && third !== undefined) {
        define(run, first, textOf(second), third);
      }
      return first;
    default:
      return null;
  }
}
