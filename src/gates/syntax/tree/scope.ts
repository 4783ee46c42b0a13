import { USES, type Use } from '../../../rules/catalogue/line.ts';
import type { Safety } from '../taint/run.ts';
import {
  build,
  claimedSafe,
  constant,
  derive,
  holes,
  madeSafe,
  type Source,
  stronger,
  TRUSTED,
  through,
  UNKNOWN,
  type Value,
  worse,
} from '../taint/value.ts';
import type { Run } from './run.ts';
import type { TreeNode } from './tree.ts';

/**
 * What names hold at one point of a function. A branch writes into a scope of its own, which is
 * merged into the one before when the branches meet again.
 */
export class Scope {
  readonly parent: Scope | null;
  readonly own = new Map<string, Value>();

  constructor(parent: Scope | null) {
    this.parent = parent;
  }

  get(name: string): Value | undefined {
    for (let at: Scope | null = this; at !== null; at = at.parent) {
      const value = at.own.get(name);
      if (value !== undefined) return value;
    }
    return undefined;
  }

  set(name: string, value: Value): void {
    this.own.set(name, value);
  }

  /** Takes over what a branch wrote that is the only way to come here. */
  adopt(branch: Scope): void {
    for (const [name, value] of branch.own) this.own.set(name, value);
  }

  /** Either of two branches was taken: names hold the worse value, and checks hold in both only. */
  join(left: Scope, right: Scope): void {
    for (const name of new Set([...left.own.keys(), ...right.own.keys()])) {
      const one = left.own.get(name) ?? this.get(name);
      const other = right.own.get(name) ?? this.get(name);
      const first = one && left.settled(one);
      const second = other && right.settled(other);
      if (first !== undefined && second !== undefined) this.own.set(name, worse(first, second));
      else if (!name.startsWith(GUARD)) this.own.set(name, first ?? second ?? UNKNOWN);
    }
  }

  /** Remembers what checks proved. */
  guard(facts: readonly Fact[]): void {
    for (const fact of facts) this.set(fact, TRUSTED);
  }

  /** The value with what checks made it safe for: it leaves the scope. */
  settled(value: Value): Value {
    const { source, pieces } = value;
    if (source === null) return value;
    const safe = USES.filter((use) => this.safetyOf(use, source) === 'safe');
    const claimed = USES.filter((use) => this.safetyOf(use, source) === 'claimed');
    const known = safe.length === 0 ? value : madeSafe(value, safe);
    const whole = claimed.length === 0 ? known : claimedSafe(known, claimed);
    if (pieces === null) return whole;
    const kept = pieces.map((piece) => (typeof piece === 'string' ? piece : this.settled(piece)));
    return { ...whole, pieces: kept };
  }

  /** What checks proved from here up to a scope, that included. */
  heldUpTo(last: Scope): Set<Fact> {
    const held = new Set<Fact>();
    for (let at: Scope | null = this; at !== null; at = at === last ? null : at.parent) {
      for (const name of at.own.keys()) if (name.startsWith(GUARD)) held.add(name);
    }
    return held;
  }

  /** Whether a check that still holds made data of the source safe for the use. */
  safetyOf = (use: Use, source: Pick<Source, 'text'>): Safety => {
    let isClaimed = false;
    // What was checked as a whole is checked in its parts.
    for (let { text } = source; ; text = text.slice(0, text.lastIndexOf('.'))) {
      if (this.get(`${GUARD}${use} ${text}`) !== undefined) return 'safe';
      isClaimed ||= this.get(`${CLAIM}${use} ${text}`) !== undefined;
      if (!text.includes('.')) return isClaimed ? 'claimed' : null;
    }
  };
}

/** No name of the program begins like these. */
const GUARD = '\0';
const CLAIM = '\0?';

/** That a check made data of a source safe for a use: the name under which it is remembered. */
export type Fact = string;

/** A condition: its value, and what it tells by how it turned out. */
export interface Facts {
  readonly value: Value;
  readonly whenTrue: readonly Fact[];
  readonly whenFalse: readonly Fact[];
}

/** Data from outside in a value and in the parts that it was put together from. */
export function sourcesIn(value: Value): Source[] {
  const all = [value.source, ...holes(value).map((hole) => hole.source)];
  return all.filter((source) => source !== null);
}

/**
 * Facts on all data in a value; `isClaimed`: all that is known of the check is a name that
 * promises it.
 */
export function factsOn(value: Value, uses: readonly Use[] = USES, isClaimed = false): Fact[] {
  return sourcesIn(value).flatMap(({ text }) => factsOf(text, uses, isClaimed));
}

/** The same for data of one source. */
export function factsOf(text: string, uses: readonly Use[], isClaimed = false): Fact[] {
  return uses.map((use) => `${isClaimed ? CLAIM : GUARD}${use} ${text}`);
}

/** Whether a value is data from outside, and more than a parameter of a function. */
export function isOutside(value: Value | null): boolean {
  return value !== null && value.source !== null && value.source.strength !== 'weak';
}

/** The same for the parts of a value. */
export function holdsOutside(value: Value): boolean {
  return sourcesIn(value).some(({ strength }) => strength !== 'weak');
}

/** Elements and properties known of one list or dictionary. */
export const MEMBERS_MAX = 256;

/** The value after it got a name. */
export function named(run: Run, value: Value, node: TreeNode): Value {
  return through(value, run.textOf(node), run.lineOf(node));
}

/** Any element of a list, or a key of a table. */
export function elementOf(value: Value): Value {
  if (value.elements !== null) return listed(value.elements);
  if (value.properties !== null) return TRUSTED;
  if (value.source !== null) return { ...UNKNOWN, source: value.source };
  return value.isTrusted ? TRUSTED : UNKNOWN;
}

/** Any of several values: the most dangerous. */
export function listed(values: readonly Value[]): Value {
  const [first, ...rest] = values;
  if (first === undefined) return TRUSTED;
  return rest.reduce((found, value) => worse(found, value), first);
}

/** A function as a value, with the scope that it sees. */
export function functionValue(run: Run, node: TreeNode, name: string, scope: Scope): Value {
  return { ...UNKNOWN, callable: { node, scope, name, home: run, pollutes: false } };
}

/** A list with these elements. */
export function listValue(values: readonly Value[]): Value {
  const source = values.reduce<Source | null>((found, one) => stronger(found, one.source), null);
  const isTrusted = values.every((value) => value.isTrusted);
  return { ...UNKNOWN, elements: values.slice(0, MEMBERS_MAX), source, isTrusted };
}

/** Element of a value that is taken apart: of what a function gave back nothing else is known. */
export function itemOf(value: Value, index: number): Value {
  if (value.elements !== null) return value.elements[index] ?? UNKNOWN;
  const { source, origin } = value;
  return source !== null || origin !== null ? { ...UNKNOWN, source, origin } : UNKNOWN;
}

/** Data put into a list or table makes the whole of it data. */
export function addTo(run: Run, path: string, value: Value): void {
  const dot = path.lastIndexOf('.');
  const owner =
    dot < 0 ? undefined : run.classes.get(run.scope.get(path.slice(0, dot))?.made ?? '');
  const name = path.slice(dot + 1);
  const before = run.scope.get(path) ?? owner?.attributes.get(name);
  const after = withAdded(before, value);
  if (after === null) return;
  run.scope.set(path, after);
  owner?.attributes.set(name, after);
}

function withAdded(before: Value | undefined, value: Value): Value | null {
  const source = stronger(before?.source ?? null, value.source);
  if (before?.elements != null) {
    const elements = [...before.elements, value].slice(-MEMBERS_MAX);
    return { ...before, elements, source, isTrusted: before.isTrusted && value.isTrusted };
  }
  return value.source === null ? null : { ...(before ?? UNKNOWN), source, isTrusted: false };
}

const SOURCE_CHARS_MAX = 80;

/** Data under a key: `request.args.name`, however it is read. */
export function subSource(source: Source, key: string): Source {
  const text = clipped(`${source.text}.${key.replace(/[^\w-]+/g, '_')}`);
  return { ...source, text, isUrl: false };
}

/** Text of a source, short enough for messages. */
export function clipped(text: string): string {
  const line = text.replace(/\s+/g, ' ');
  return line.length > SOURCE_CHARS_MAX ? line.slice(0, SOURCE_CHARS_MAX) : line;
}

/** The elements of a list as one text. */
export function joinTexts(run: Run, between: Value, list: Value, node: TreeNode): Value {
  if (list.elements === null) return derive([list]);
  const pieces = list.elements.flatMap((value, index) =>
    index === 0 ? [value] : [between, value],
  );
  return build(pieces.length === 0 ? [constant('')] : pieces, run.linesOf(node));
}
