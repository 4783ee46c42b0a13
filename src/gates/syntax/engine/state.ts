import { USES, type Use } from '../../../rules/catalogue/line.ts';
import { TAINT } from '../../limits.ts';
import type { ClassId, Variable } from '../il/il.ts';
import {
  changed,
  type Fact,
  hasSameOrigins,
  join,
  mapOrigins,
  type ObjectId,
  type Origin,
  OTHERS,
  originsIn,
  type Shape,
  union,
} from './value.ts';

/** What an object is that keeps values. */
export type ContainerKind = 'instance' | 'list' | 'table' | 'builder' | 'cell' | 'sections';

/** An object, list or table, and what is known to be in it. */
export interface HeapObject {
  /** `product`: of a package, with its methods that were called and what each was given last. */
  readonly kind: ContainerKind | 'product';
  /** The class of the file that it is an instance of; null when absent. */
  readonly type: ClassId | null;
  /** Fields, keys and indexes that are known. */
  readonly cells: ReadonlyMap<string, Shape>;
  /** What may be in it under any other key; null: nothing. */
  readonly rest: Shape | null;
  /** Elements of a list whose indexes are known: 0 to this; null: they are not. */
  readonly length: number | null;
  /** It was made elsewhere: it may hold more than is known. */
  readonly isOpen: boolean;
  /** It stands for many objects that loops make at one place: a write to one leaves the others. */
  readonly isMany: boolean;
}

/** An object; all that is not given of it is empty. */
export function heapObject(
  kind: HeapObject['kind'],
  parts: Partial<Omit<HeapObject, 'kind'>>,
): HeapObject {
  const { type = null, cells = new Map(), rest = null, length = null, isOpen = false } = parts;
  return { kind, type, cells, rest, length, isOpen, isMany: parts.isMany ?? false };
}

/**
 * An object as a function finds it that did not make it: a list or table that began empty is there
 * to be filled, by functions that may have run before.
 */
export function filled(object: HeapObject): HeapObject {
  const { kind, cells, rest } = object;
  const mayGrow = (kind === 'table' || kind === 'list') && cells.size === 0 && rest === null;
  return mayGrow && !object.isOpen ? { ...object, length: null, isOpen: true } : object;
}

/** An object with another value under a key; one of too many keys is not kept apart from others. */
export function withCell(object: HeapObject, key: string, value: Shape): HeapObject {
  const { cells, rest } = object;
  if (!cells.has(key) && cells.size >= TAINT.MEMBERS_MAX) {
    return { ...object, rest: rest === null ? value : join(rest, value) };
  }
  return { ...object, cells: new Map(cells).set(key, value) };
}

/** Bits of a fact: data are safe for a use, or the name of a check alone says so. */
const SAFE = new Map(USES.map((use, index) => [use, 1 << index]));
const CLAIMED = new Map(USES.map((use, index) => [use, 1 << (USES.length + index)]));
const ALL_SAFE = (1 << USES.length) - 1;
/** Data are a text, no object. */
const IS_TEXT = 1 << (2 * USES.length);
/**
 * What checks prove of an address: it begins with a slash or at least names no scheme, it does not
 * begin with two slashes, it does not begin with a slash and a backslash, a parser finds no host.
 */
const ADDRESS_PARTS = {
  'from-root': IS_TEXT << 1,
  'no-slash': IS_TEXT << 2,
  'no-backslash': IS_TEXT << 3,
  'no-host': IS_TEXT << 4,
};
/** A text does not begin with a dash. */
const NO_DASH = IS_TEXT << 5;
export type AddressPart = keyof typeof ADDRESS_PARTS;
/** Together: browsers read both `//` and `/\\` as what stands before a host. */
const OWN_HOST = partBits(['from-root', 'no-slash', 'no-backslash']);
/** Together: parsers find no host in `///host`, where browsers find one. */
const PARSED_OWN_HOST = partBits(['from-root', 'no-host']);

/** Behind the name of an address: what is still an address of the same start. */
const SAME_START = /^(?:\.(?:[a-z_]\w*|(?:slice|substr|substring)\(0[^()]*\)))*$/i;

function partBits(parts: readonly AddressPart[]): number {
  return parts.reduce((bits, part) => bits | ADDRESS_PARTS[part], 0);
}

/** What a check proves of an address; less than all parts together leads to other hosts. */
export function addressFacts(texts: readonly string[], ...parts: readonly AddressPart[]): Fact[] {
  const bits = partBits(parts);
  return texts.flatMap((text) => (text.startsWith(OTHERS) ? [] : [{ text, bits }]));
}

/** That data in a value do not begin with a dash: no program takes them for an option. */
export function noOptionFacts(shape: Shape): Fact[] {
  return originsIn(shape).flatMap(({ text }) =>
    text.startsWith(OTHERS) ? [] : [{ text, bits: NO_DASH }],
  );
}

/** That all data in a value are text. */
export function textFacts(shape: Shape): Fact[] {
  return originsIn(shape).map(({ text }) => ({ text, bits: IS_TEXT }));
}

/** That data of that name is safe for uses; `isClaimed`: the name of a check alone says so. */
export function factsOf(text: string, uses: readonly Use[], isClaimed = false): Fact[] {
  // Of other data of that name a check says nothing.
  if (uses.length === 0 || text.startsWith(OTHERS)) return [];
  const bitOf = isClaimed ? CLAIMED : SAFE;
  return [{ text, bits: uses.reduce((bits, use) => bits | (bitOf.get(use) ?? 0), 0) }];
}

/** The same for all data in a value. */
export function factsOn(shape: Shape, uses: readonly Use[] = USES, isClaimed = false): Fact[] {
  return originsIn(shape).flatMap(({ text }) => factsOf(text, uses, isClaimed));
}

/** A fact of which no more than the name of a check is known. */
export function asClaim({ text, bits }: Fact): Fact {
  return { text, bits: ((bits & ALL_SAFE) << USES.length) | (bits & (ALL_SAFE << USES.length)) };
}

/** Facts that hold in all of several cases. */
export function commonFacts(cases: readonly (readonly Fact[])[]): Fact[] {
  const [first, ...rest] = cases.map(bitsByText);
  if (first === undefined) return [];
  return [...first].flatMap(([text, known]) => {
    const bits = rest.reduce((all, facts) => all & (facts.get(text) ?? 0), known);
    return bits === 0 ? [] : [{ text, bits }];
  });
}

function bitsByText(facts: readonly Fact[]): Map<string, number> {
  const found = new Map<string, number>();
  for (const { text, bits } of facts) found.set(text, (found.get(text) ?? 0) | bits);
  return found;
}

type SafetyTest = (use: Use | 'option', origin: Pick<Origin, 'text'>) => 'safe' | 'claimed' | null;

const NO_VARIABLES: Map<Variable, Shape> = new Map();
const NO_OBJECTS: Map<ObjectId, HeapObject> = new Map();
const NO_FACTS: Map<string, number> = new Map();

/**
 * What variables and objects hold at one point. A branch writes into a state of its own, which is
 * merged into the one before where branches meet.
 */
export class State {
  readonly #parent: State | null;
  // Most states hold few of these: each is made with the first write.
  #variables: Map<Variable, Shape> = NO_VARIABLES;
  #objects: Map<ObjectId, HeapObject> = NO_OBJECTS;
  /** Bits of what was proved here, by the names of data. */
  #facts: Map<string, number> = NO_FACTS;
  #safetyTest: SafetyTest | null = null;

  constructor(parent: State | null) {
    this.#parent = parent;
  }

  fork(): State {
    return new State(this);
  }

  get(variable: Variable): Shape | undefined {
    for (let at: State | null = this; at !== null; at = at.#parent) {
      const value = at.#variables.get(variable);
      if (value !== undefined) return value;
    }
    return undefined;
  }

  set(variable: Variable, value: Shape): void {
    if (this.#variables === NO_VARIABLES) this.#variables = new Map();
    this.#variables.set(variable, value);
  }

  object(id: ObjectId): HeapObject | undefined {
    for (let at: State | null = this; at !== null; at = at.#parent) {
      const value = at.#objects.get(id);
      if (value !== undefined) return value;
    }
    return undefined;
  }

  setObject(id: ObjectId, value: HeapObject): void {
    if (this.#objects === NO_OBJECTS) this.#objects = new Map();
    const before = value.isMany ? this.object(id) : undefined;
    this.#objects.set(id, before === undefined ? value : joinObjects(before, value));
  }

  /** Remembers what checks proved. */
  guard(facts: Iterable<Fact>): void {
    for (const { text, bits } of facts) this.#prove(text, bits);
  }

  #prove(text: string, bits: number): void {
    if (this.#facts === NO_FACTS) this.#facts = new Map();
    this.#facts.set(text, (this.#facts.get(text) ?? 0) | bits);
  }

  #hasFacts(): boolean {
    for (let at: State | null = this; at !== null; at = at.#parent) {
      if (at.#facts.size > 0) return true;
    }
    return false;
  }

  /** The bits of all that was proved of data of that name. */
  #provedOf(text: string): number {
    let bits = 0;
    for (let at: State | null = this; at !== null; at = at.#parent) {
      if (at.#facts.size > 0) bits |= at.#facts.get(text) ?? 0;
    }
    return bits;
  }

  /** The same with what was proved of data that it is a part of: a part is as safe as the whole. */
  #provedOfWhole(whole: string): number {
    if (!this.#hasFacts()) return 0;
    let all = 0;
    for (let text = whole; ; text = text.slice(0, text.lastIndexOf('.'))) {
      const bits = this.#provedOf(text);
      const ofAddress = redirectBits(bits);
      all |= bits;
      if (ofAddress !== 0 && SAME_START.test(whole.slice(text.length))) all |= ofAddress;
      if (!text.includes('.')) return all;
    }
  }

  /** What checks made data of that name safe for. */
  safetyOf(use: Use | 'option', { text }: Pick<Origin, 'text'>): 'safe' | 'claimed' | null {
    // A part of a text may begin with a dash where the text does not.
    if (use === 'option') return (this.#provedOf(text) & NO_DASH) === 0 ? null : 'safe';
    return safetyIn(this.#provedOfWhole(text), use);
  }

  /** `safetyOf` as a function that can be handed on. */
  get safetyTest(): SafetyTest {
    this.#safetyTest ??= (use, origin) => this.safetyOf(use, origin);
    return this.#safetyTest;
  }

  /** The uses that checks of data of that name made it safe for. */
  safeUses(text: string): readonly Use[] {
    const bits = this.#provedOfWhole(text) & ALL_SAFE;
    return bits === 0 ? [] : usesIn(bits, 'safe');
  }

  /** The value with what checks made it safe for: it leaves the state. */
  settled(shape: Shape): Shape {
    if (shape.origins.length === 0 && shape.pieces === null) return shape;
    if (!this.#hasFacts() || originsIn(shape).length === 0) return shape;
    return mapOrigins(shape, (origin) => this.settledOrigin(origin));
  }

  /** The same for one origin. */
  settledOrigin(origin: Origin): Origin {
    if (origin.safeFor.length === USES.length) return origin;
    const bits = this.#provedOfWhole(origin.text);
    if (bits === 0) return origin;
    const safeFor = union(origin.safeFor, usesIn(bits, 'safe'));
    const claimedFor = union(origin.claimedFor, usesIn(bits, 'claimed'));
    const isText = origin.mayBeObject && (this.#provedOf(origin.text) & IS_TEXT) !== 0;
    const shape = isText ? { isWhole: false, mayBeObject: false } : {};
    return { ...origin, ...shape, safeFor, claimedFor };
  }

  /** What was written and proved since `base`, as a state of its own: later writes do not count. */
  since(base: State): State {
    const copy = new State(base);
    for (let at: State | null = this; at !== null && at !== base; at = at.#parent) {
      copy.#fill(at);
    }
    return copy;
  }

  /** Forgets what these variables are exactly: they change from one round to the next. */
  widen(variables: Iterable<Variable>): void {
    for (const variable of variables) {
      const value = this.get(variable);
      if (value !== undefined && value.constants !== null && value.constants[0] !== null) {
        this.set(variable, changed(value, { constants: null }));
      }
    }
  }

  /** Whether data in variables and objects is what it is in another state that knows them. */
  isLike(other: State, since: State): boolean {
    const own = this.since(since);
    for (const [key, value] of own.#variables) {
      const before = other.get(key);
      if (before !== undefined && !isAlike(before, value)) return false;
    }
    for (const [key, value] of own.#objects) {
      const before = other.object(key);
      if (before === undefined || before === value) continue;
      if (before.cells.size !== value.cells.size) return false;
      if (dataIn(before) !== dataIn(value)) return false;
    }
    return true;
  }

  /** Variables that were written since `base`. */
  writtenSince(base: State): readonly Variable[] {
    return [...this.since(base).#variables.keys()];
  }

  /** The writes of this state alone, on another one. */
  onto(base: State): State {
    const copy = new State(base);
    copy.#fill(this);
    return copy;
  }

  /** The same writes, without what was proved. */
  withoutFacts(): State {
    const copy = new State(this.#parent);
    copy.#fill(this);
    copy.#facts = NO_FACTS;
    return copy;
  }

  /** Takes what another state wrote and proved, where nothing was written yet. */
  #fill(other: State): void {
    if (other.#variables.size > 0) {
      if (this.#variables.size === 0) this.#variables = new Map(other.#variables);
      else {
        for (const [key, value] of other.#variables) {
          if (!this.#variables.has(key)) this.#variables.set(key, value);
        }
      }
    }
    if (other.#objects.size > 0) {
      if (this.#objects.size === 0) this.#objects = new Map(other.#objects);
      else {
        for (const [key, value] of other.#objects) {
          if (!this.#objects.has(key)) this.#objects.set(key, value);
        }
      }
    }
    for (const [text, bits] of other.#facts) this.#prove(text, bits);
  }

  /** Facts that were proved since `base`. */
  factsSince(base: State): Fact[] {
    return this.since(base).#ownFacts();
  }

  #ownFacts(): Fact[] {
    return [...this.#facts].map(([text, bits]) => ({ text, bits }));
  }

  /** Forgets variables that nothing sees any more: of a function that has ended. */
  drop([first, end]: readonly [Variable, Variable]): void {
    for (const key of this.#variables.keys()) {
      if (key >= first && key < end) this.#variables.delete(key);
    }
  }

  /** Goes on with what all of these states, forks of this one, have in common. */
  merge(states: readonly State[]): void {
    const all = states.map((state) => (state.#parent === this ? state : state.since(this)));
    const [only] = all;
    if (only === undefined) return;
    if (all.length === 1) {
      for (const [key, value] of only.#variables) this.set(key, value);
      for (const [key, value] of only.#objects) this.setObject(key, value);
      this.guard(only.#ownFacts());
      return;
    }
    const variables = new Map<Variable, Shape>();
    const objects = new Map<ObjectId, HeapObject>();
    for (const way of all) {
      for (const key of way.#variables.keys()) {
        if (variables.has(key)) continue;
        let value: Shape | undefined;
        for (const state of all) {
          const one = state.get(key);
          if (one === undefined) continue;
          const settled = state.settled(one);
          value = value === undefined ? settled : join(value, settled);
        }
        if (value !== undefined) variables.set(key, value);
      }
      for (const key of way.#objects.keys()) {
        if (objects.has(key)) continue;
        let value: HeapObject | undefined;
        for (const state of all) {
          const one = state.object(key);
          if (one === undefined) continue;
          const settled = state.#settledObject(one);
          value = value === undefined ? settled : joinObjects(value, settled);
        }
        if (value !== undefined) objects.set(key, value);
      }
    }
    const isChecked = all.every((state) => state.#facts.size > 0);
    const facts = isChecked ? commonFacts(all.map((state) => state.#ownFacts())) : [];
    for (const [key, value] of variables) this.set(key, value);
    for (const [key, value] of objects) this.setObject(key, value);
    this.guard(facts);
  }

  #settledObject(object: HeapObject): HeapObject {
    if (!this.#hasFacts()) return object;
    const cells = new Map([...object.cells].map(([key, value]) => [key, this.settled(value)]));
    return { ...object, cells, rest: object.rest === null ? null : this.settled(object.rest) };
  }
}

/** What parts of an address that were proved say of a redirect to it. */
function redirectBits(bits: number): number {
  if ((bits & OWN_HOST) === OWN_HOST) return SAFE.get('redirect') ?? 0;
  return (bits & PARSED_OWN_HOST) === PARSED_OWN_HOST ? (CLAIMED.get('redirect') ?? 0) : 0;
}

function safetyIn(bits: number, use: Use): 'safe' | 'claimed' | null {
  if ((bits & (SAFE.get(use) ?? 0)) !== 0) return 'safe';
  return (bits & (CLAIMED.get(use) ?? 0)) === 0 ? null : 'claimed';
}

function usesIn(bits: number, safety: 'safe' | 'claimed'): readonly Use[] {
  return USES.filter((use) => safetyIn(bits, use) === safety);
}

function isAlike(left: Shape, right: Shape): boolean {
  if (left === right) return true;
  return (
    hasSameOrigins(originsIn(left), originsIn(right)) &&
    left.objects.length === right.objects.length &&
    left.closures.length === right.closures.length &&
    left.isTrusted === right.isTrusted
  );
}

function dataIn({ cells, rest }: HeapObject): number {
  let count = rest === null ? 0 : originsIn(rest).length;
  for (const value of cells.values()) count += originsIn(value).length;
  return count;
}

/** Fields and elements of one of two objects, or of one object at two moments. */
export function joinObjects(left: HeapObject, right: HeapObject): HeapObject {
  if (left === right) return left;
  const isOrdered = left.length !== null && left.length === right.length;
  if (left.kind === 'list' && !isOrdered) {
    const values = [left, right].flatMap(({ cells, rest }) => [
      ...cells.values(),
      ...(rest === null ? [] : [rest]),
    ]);
    const [first, ...others] = values;
    const rest = first === undefined ? null : others.reduce(join, first);
    return { ...left, cells: new Map(), rest, length: null };
  }
  const cells = new Map<string, Shape>();
  for (const key of new Set([...left.cells.keys(), ...right.cells.keys()])) {
    const one = left.cells.get(key);
    const other = right.cells.get(key);
    const value = one !== undefined && other !== undefined ? join(one, other) : (one ?? other);
    if (value !== undefined) cells.set(key, value);
  }
  const { rest } = left;
  const both = rest !== null && right.rest !== null ? join(rest, right.rest) : (rest ?? right.rest);
  const isOpen = left.isOpen || right.isOpen;
  return { ...left, cells, rest: both, isOpen, isMany: left.isMany || right.isMany };
}
