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
}

/** An object with another value under a key; one of too many keys is not kept apart from others. */
export function withCell(object: HeapObject, key: string, value: Shape): HeapObject {
  const { cells, rest } = object;
  if (!cells.has(key) && cells.size >= TAINT.MEMBERS_MAX) {
    return { ...object, rest: rest === null ? value : join(rest, value) };
  }
  return { ...object, cells: new Map(cells).set(key, value) };
}

/** No name of the program begins like these. */
const GUARD = '\0';
const CLAIM = '\0?';

/** What two checks prove together: an address that begins with one slash stays on this host. */
const OWN_HOST = ['from-root', 'no-host'] as const;

/**
 * What an address is when it begins with a slash, and when it does not begin with two: either
 * alone leads to other hosts. Express writes a backslash behind the slash as `%5C`
 * (https://github.com/pillarjs/encodeurl/releases/tag/v2.0.0).
 */
export function ownHostFacts(shape: Shape, part: (typeof OWN_HOST)[number]): Fact[] {
  return originsIn(shape).flatMap(({ text }) => {
    return text.startsWith(OTHERS) ? [] : [`${GUARD}${part} ${text}`];
  });
}

/** That data of that name is safe for uses; `isClaimed`: the name of a check alone says so. */
export function factsOf(text: string, uses: readonly Use[], isClaimed = false): Fact[] {
  // Of other data of that name a check says nothing.
  if (text.startsWith(OTHERS)) return [];
  return uses.map((use) => `${isClaimed ? CLAIM : GUARD}${use} ${text}`);
}

/** The same for all data in a value. */
export function factsOn(shape: Shape, uses: readonly Use[] = USES, isClaimed = false): Fact[] {
  return originsIn(shape).flatMap(({ text }) => factsOf(text, uses, isClaimed));
}

type SafetyTest = (use: Use, origin: Pick<Origin, 'text'>) => 'safe' | 'claimed' | null;

const NO_VARIABLES: Map<Variable, Shape> = new Map();
const NO_OBJECTS: Map<ObjectId, HeapObject> = new Map();
const NO_FACTS: Set<string> = new Set();

/**
 * What variables and objects hold at one point. A branch writes into a state of its own, which is
 * merged into the one before where branches meet.
 */
export class State {
  readonly #parent: State | null;
  // Most states hold few of these: each is made with the first write.
  #variables: Map<Variable, Shape> = NO_VARIABLES;
  #objects: Map<ObjectId, HeapObject> = NO_OBJECTS;
  #facts: Set<Fact> = NO_FACTS;
  /** Names of data of which something was proved here. */
  #checked: Set<string> = NO_FACTS;
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
    this.#objects.set(id, value);
  }

  /** Remembers what checks proved. */
  guard(facts: Iterable<Fact>): void {
    for (const fact of facts) {
      if (this.#facts === NO_FACTS) {
        this.#facts = new Set();
        this.#checked = new Set();
      }
      this.#facts.add(fact);
      this.#checked.add(fact.slice(fact.indexOf(' ') + 1));
    }
  }

  #holds(fact: Fact): boolean {
    for (let at: State | null = this; at !== null; at = at.#parent) {
      if (at.#facts.has(fact)) return true;
    }
    return false;
  }

  /** Whether something was proved of data of that name, or of what it is a part of. */
  #isChecked(whole: string): boolean {
    for (let at: State | null = this; at !== null; at = at.#parent) {
      if (at.#checked.size === 0) continue;
      for (let text = whole; ; text = text.slice(0, text.lastIndexOf('.'))) {
        if (at.#checked.has(text)) return true;
        if (!text.includes('.')) break;
      }
    }
    return false;
  }

  #hasFacts(): boolean {
    for (let at: State | null = this; at !== null; at = at.#parent) {
      if (at.#facts.size > 0) return true;
    }
    return false;
  }

  /** What checks made data of that name safe for. */
  safetyOf(use: Use, { text: whole }: Pick<Origin, 'text'>): 'safe' | 'claimed' | null {
    if (!this.#isChecked(whole)) return null;
    let isClaimed = false;
    // What was checked as a whole is checked in its parts.
    for (let text = whole; ; text = text.slice(0, text.lastIndexOf('.'))) {
      if (this.#holds(`${GUARD}${use} ${text}`)) return 'safe';
      const isOwnHost = OWN_HOST.every((part) => this.#holds(`${GUARD}${part} ${text}`));
      if (use === 'redirect' && isOwnHost) return 'safe';
      isClaimed ||= this.#holds(`${CLAIM}${use} ${text}`);
      if (!text.includes('.')) return isClaimed ? 'claimed' : null;
    }
  }

  /** `safetyOf` as a function that can be handed on. */
  get safetyTest(): SafetyTest {
    this.#safetyTest ??= (use, origin) => this.safetyOf(use, origin);
    return this.#safetyTest;
  }

  /** The uses that checks of data of that name made it safe for. */
  safeUses(text: string): readonly Use[] {
    if (!this.#isChecked(text)) return [];
    return USES.filter((use) => this.safetyOf(use, { text }) === 'safe');
  }

  /** The value with what checks made it safe for: it leaves the state. */
  settled(shape: Shape): Shape {
    if (shape.origins.length === 0 && shape.pieces === null) return shape;
    if (!this.#hasFacts() || originsIn(shape).length === 0) return shape;
    return mapOrigins(shape, (origin) => this.settledOrigin(origin));
  }

  /** The same for one origin. */
  settledOrigin(origin: Origin): Origin {
    if (origin.safeFor.length === USES.length || !this.#isChecked(origin.text)) return origin;
    const safe: Use[] = [];
    const claimed: Use[] = [];
    for (const use of USES) {
      const safety = this.safetyOf(use, origin);
      if (safety !== null) (safety === 'safe' ? safe : claimed).push(use);
    }
    const safeFor = union(origin.safeFor, safe);
    const isText = origin.mayBeObject && this.#holds(`${GUARD}text ${origin.text}`);
    const shape = isText ? { isWhole: false, mayBeObject: false } : {};
    return { ...origin, ...shape, safeFor, claimedFor: union(origin.claimedFor, claimed) };
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
    copy.#checked = NO_FACTS;
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
    this.guard(other.#facts);
  }

  /** Facts that were proved since `base`. */
  factsSince(base: State): Set<Fact> {
    return this.since(base).#facts;
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
      this.guard(only.#facts);
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
    const isCommon = (fact: Fact) => all.every((state) => state.#facts.has(fact));
    const facts = only.#facts.size === 0 ? [] : [...only.#facts].filter(isCommon);
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
  return { ...left, cells, rest: both, isOpen: left.isOpen || right.isOpen };
}
