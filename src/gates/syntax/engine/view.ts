import type { Use } from '../../../rules/catalogue/line.ts';
import type { Callable, Piece, Role, Source, Value } from '../sinks/value.ts';
import type { Run } from './run.ts';
import {
  byWeight,
  changed,
  type ObjectId,
  type Origin,
  onlyConstant,
  type Shape,
} from './value.ts';

/** Elements and members of an object that a sink looks at, and how deep. */
const SHOWN_MAX = 64;
const SHOWN_DEPTH_MAX = 8;

/**
 * A shape as sinks look at it, with one of its origins: a sink asks for little of most values, so
 * each part is made when it is asked for.
 */
export class View implements Value {
  readonly #run: Run;
  readonly #given: Shape;
  #known: Shape | null = null;
  readonly #index: number;
  readonly #depth: number;
  #ways: readonly Origin[] | null;
  #source: Source | null | undefined;
  #properties: ReadonlyMap<string, Value> | null | undefined;
  #elements: readonly Value[] | null | undefined;
  #pieces: readonly Piece[] | null | undefined;

  /** `index`: which of its origins, the worst one first; `ways`: differing origins, if known. */
  constructor(run: Run, shape: Shape, index = 0, depth = 0, ways: readonly Origin[] | null = null) {
    this.#run = run;
    this.#ways = ways;
    this.#given = shape;
    this.#index = index;
    this.#depth = depth;
  }

  /** Whether anything of it was asked for. */
  get isLookedAt(): boolean {
    return this.#known !== null;
  }

  get #shape(): Shape {
    this.#known ??= textOfBuilder(this.#run, this.#given);
    return this.#known;
  }

  get source(): Source | null {
    this.#source ??= this.#own() ?? this.#inner();
    if (this.#source === null) askForValue(this.#run, this.#shape);
    return this.#source;
  }

  #own(): Source | null {
    const { origins, passed, safeFor } = this.#shape;
    const isShown = passed !== null && this.#run.showsPassed;
    if (origins.length === 0 && !isShown) return null;
    // What a caller chooses is less than what a request may have brought.
    if (isShown && origins.every(({ strength }) => strength === 'weak')) {
      const origin = this.#run.state.settledOrigin(passed);
      return { ...origin, safeFor: [...origin.safeFor, ...safeFor] };
    }
    this.#ways ??= waysOf(this.#run, this.#shape);
    return this.#ways[Math.min(this.#index, this.#ways.length - 1)] ?? null;
  }

  #inner(): Source | null {
    // The object around it is the program's own.
    for (const { source } of [...(this.elements ?? []), ...(this.properties?.values() ?? [])]) {
      if (source !== null) return { ...source, isWhole: false, mayBeObject: false };
    }
    return null;
  }

  get constant(): string | null {
    const { pattern } = this.#shape;
    const only = onlyConstant(this.#shape);
    const isOpen = only === undefined && pattern === null;
    // Most values that a rule compares are results of calls, which say nothing of the call.
    if (isOpen && this.#shape.path?.includes('()') === false) {
      askForValue(this.#run, this.#shape, true);
    }
    return only === undefined || only === null ? pattern : String(only);
  }

  get setting(): string | null {
    const { constant } = this;
    if (constant === null) askForValue(this.#run, this.#shape, true);
    return constant;
  }

  get pieces(): readonly Piece[] | null {
    if (this.#pieces !== undefined) return this.#pieces;
    const { pieces } = this.#shape;
    this.#pieces =
      pieces === null
        ? null
        : pieces.map((piece) =>
            typeof piece === 'string'
              ? piece
              : new View(this.#run, piece, this.#index, this.#depth + 1),
          );
    return this.#pieces;
  }

  get builtOn(): readonly [number, number] | null {
    const { builtOn } = this.#shape;
    if (builtOn === null) return null;
    const [start, end] = builtOn;
    return [this.#run.lineAt(start), this.#run.lineAt(Math.max(start, end - 1))];
  }

  get origin(): string | null {
    return importOf(this.#shape.path);
  }

  get made(): string | null {
    return madeOf(this.#run, this.#shape.path);
  }

  get role(): Role | null {
    const { role, pattern, constants, isPlain } = this.#shape;
    if (role !== null) return role as Role;
    if (pattern !== null) return 'regex';
    if (constants?.length === 1 && constants[0] === null) return 'nothing';
    return isPlain ? 'plain' : null;
  }

  get properties(): ReadonlyMap<string, Value> | null {
    if (this.#properties !== undefined) return this.#properties;
    this.#properties = this.#members();
    return this.#properties;
  }

  #members(): ReadonlyMap<string, Value> | null {
    const run = this.#run;
    const { flags, pattern } = this.#shape;
    if (pattern !== null) {
      return new Map([
        ['flags', new View(run, changed(this.#shape, { pattern: null, constants: [flags] }))],
      ]);
    }
    if (this.#depth >= SHOWN_DEPTH_MAX) return null;
    const [first] = run.objectsOf(this.#shape);
    if (first === undefined) return null;
    const [, object] = first;
    if (object.kind !== 'table' && object.kind !== 'instance') return null;
    if (object.isOpen && (object.kind === 'instance' || object.cells.size === 0)) return null;
    const found = new Map<string, Value>();
    for (const [key, value] of object.cells) {
      if (found.size >= SHOWN_MAX) break;
      found.set(key, new View(run, value, this.#index, this.#depth + 1));
    }
    return found;
  }

  get elements(): readonly Value[] | null {
    if (this.#elements !== undefined) return this.#elements;
    this.#elements = this.#items();
    return this.#elements;
  }

  #items(): readonly Value[] | null {
    if (this.#depth >= SHOWN_DEPTH_MAX) return null;
    const run = this.#run;
    const lists = run.objectsOf(this.#shape).filter(([, { kind }]) => kind === 'list');
    if (lists.length === 0) return null;
    const all = lists.flatMap(([, object]) => run.contentsOf(object));
    return all
      .slice(0, SHOWN_MAX)
      .map((value) => new View(run, value, this.#index, this.#depth + 1));
  }

  get isTrusted(): boolean {
    const { isTrusted, objects } = this.#shape;
    if (isTrusted || objects.length === 0) return isTrusted;
    const inner = [...(this.elements ?? []), ...(this.properties?.values() ?? [])];
    return inner.length > 0 && this.source === null && inner.every((one) => one.isTrusted);
  }

  get isJson(): boolean {
    return this.#shape.isJson;
  }

  get isResult(): boolean {
    return this.#shape.isResult;
  }

  get callable(): Callable | null {
    const { closures } = this.#shape;
    const [first] = closures;
    if (first === undefined) return null;
    const declared = first.kind === 'function' ? this.#run.functionOf(first.id) : null;
    const isEmpty = declared?.body?.length === 0;
    const pollutes = first.kind === 'function' && this.#run.pollutes(first.id);
    return { node: null, scope: null, name: declared?.name ?? '', home: null, pollutes, isEmpty };
  }

  get safeFor(): readonly Use[] {
    return this.#shape.safeFor;
  }

  get fallback(): string | null {
    return this.#shape.fallback;
  }
}

/**
 * Asks for a value of another file that a sink is given, where nothing in view says what it is;
 * `isSetting`: what it is matters even if no outsider can choose it.
 */
export function askForValue(run: Run, shape: Shape, isSetting = false): void {
  const { path, origins, constants, pieces, isTrusted } = shape;
  for (const piece of pieces ?? [])
    if (typeof piece !== 'string') askForValue(run, piece, isSetting);
  if (path === null || origins.length > 0 || constants !== null) return;
  if (isTrusted && !isSetting && (run.knowledge.traits.has('keys') || path.startsWith('constant.')))
    return;
  if (!run.knowledge.isKnown(path.replace(/\(\).*$/, ''))) run.ask(path, run.here, false);
}

/** What a builder holds so far is the text; all else is what it is. */
function textOfBuilder(run: Run, shape: Shape): Shape {
  if (shape.objects.length === 0) return shape;
  const [first] = run.objectsOf(shape);
  if (first === undefined || first[1].kind !== 'builder' || first[1].rest === null) return shape;
  return changed(first[1].rest, { path: shape.path });
}

/** The path of what is imported, or of an object of an imported class; null for other values. */
export function importOf(path: string | null): string | null {
  if (path === null || !path.includes('()')) return path;
  if (!path.startsWith('new ')) return null;
  const at = path.indexOf('()');
  return path.includes('()', at + 2) ? null : path.slice(0, at) + path.slice(at + 2);
}

/** How a value came of a package of the catalogue; null where it did not. */
export function madeOf(run: Run, path: string | null): string | null {
  if (path === null || !run.knowledge.isKnown(path)) return null;
  return path.includes('()') ? path.replace(/^new /, '') : null;
}

const NO_WAYS: readonly Origin[] = [];

/** Origins of a value that a sink may judge in different ways, the worst one first. */
function waysOf(run: Run, { origins }: Shape): readonly Origin[] {
  if (origins.length === 0) return NO_WAYS;
  const settled = origins.map((one) => run.state.settledOrigin(one));
  if (settled.length === 1) return settled;
  const found = new Map<string, Origin>();
  for (const origin of settled.sort(byWeight)) {
    const key = keyOf(origin);
    if (!found.has(key)) found.set(key, origin);
  }
  return [...found.values()];
}

/** All of an origin that a sink asks for. */
function keyOf(origin: Origin): string {
  const { strength, safeFor, claimedFor, isWhole, mayBeObject, isUrl, isResolved } = origin;
  const flags = [isWhole, mayBeObject, isUrl, isResolved, origin.hostOf !== null];
  return `${strength} ${safeFor.join()} ${claimedFor.join()} ${flags.map(Number).join('')}`;
}

/** How many origins values have at most that a sink may judge in different ways. */
export function waysIn(run: Run, shapes: readonly Shape[]): number {
  let most = 1;
  const seen = new Set<ObjectId>();
  // By depth, so that each object is looked at once: objects of a list know most of each other.
  let level = shapes;
  for (let depth = 0; level.length > 0; depth += 1) {
    const inner = new Set<Shape>();
    for (const shape of level) {
      if (shape.origins.length > most) most = Math.max(most, waysOf(run, shape).length);
      if (depth >= INNER_DEPTH_MAX) continue;
      for (const piece of shape.pieces ?? []) if (typeof piece !== 'string') inner.add(piece);
      for (const [id, object] of run.objectsOf(shape)) {
        if (seen.has(id)) continue;
        seen.add(id);
        for (const one of run.contentsOf(object)) inner.add(one);
      }
    }
    level = [...inner];
  }
  return most;
}

/** Objects within objects whose origins are looked at one by one. */
const INNER_DEPTH_MAX = 2;
