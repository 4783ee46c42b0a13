import type { ClassId, Expression, Module, Offer, Span, Type } from './il.ts';

/** A module of another file, with its place in the text of all. */
export interface Linked {
  readonly module: Module;
  /** Where its text begins. */
  readonly offset: number;
}

/** What a path stands for in the names of one unit. */
interface FoundUnit {
  readonly unit: number;
  /** Length of the part of the path that is the module. */
  readonly length: number;
  /** Names of the module that flows lead to. */
  readonly names: ReadonlySet<string>;
}

/** How a unit finds others by the paths that it has for them. */
export interface UnitFinder {
  find(from: number, path: string): FoundUnit | null;
  /** A path that begins at the file of a unit as it is written in the first one. */
  inFirst(from: number, path: string): string;
}

/** One module of several, and what is not in view. */
interface LinkedModule {
  readonly module: Module;
  /** Names that units hand on from others that are not in view, and that flows lead to. */
  readonly missing: readonly { readonly unit: number; readonly path: string }[];
}

/** Names that hand on others' names, which hand them on. */
const HANDED_ON_MAX = 8;

/**
 * One module of several: the numbers of each go on behind the numbers of the module before, and
 * names that the others offer stand for what they are there. The first unit keeps its numbers.
 */
export function linkModules(units: readonly Linked[], finder: UnitFinder): LinkedModule {
  const [first] = units;
  if (first === undefined) throw new TypeError('there is a module to link others to');
  const linker = new Linker(units, finder);
  const linked = units.map((_, unit) => linker.moved(unit));
  const { unknown, exported } = first.module;
  const all = <Part>(part: (module: Module) => readonly Part[]) => linked.flatMap(part);
  // What is imported has run when the first line of a file does.
  const [own, ...others] = linked;
  const elsewhere = units.flatMap(({ module: one }, unit) =>
    unit === 0 || one.exported === undefined ? [] : [one.exported + linker.variablesBefore(unit)],
  );
  const module = {
    variables: all(({ variables }) => variables),
    functions: all(({ functions }) => functions),
    classes: all(({ classes }) => classes),
    body: [...others.reverse().flatMap(({ body }) => body), ...(own?.body ?? [])],
    unknown,
    ...(exported === undefined ? {} : { exported }),
    ...(elsewhere.length === 0 ? {} : { exportedElsewhere: elsewhere }),
  };
  return { module, missing: linker.missing };
}

/** What is added to the numbers of a unit. */
interface Base {
  readonly offset: number;
  readonly variables: number;
  readonly functions: number;
  readonly classes: number;
}

type Node = Readonly<Record<string, unknown>>;

class Linker {
  readonly missing: { unit: number; path: string }[] = [];
  readonly #units: readonly Linked[];
  readonly #bases: Base[] = [];
  readonly #finder: UnitFinder;

  constructor(units: readonly Linked[], finder: UnitFinder) {
    this.#units = units;
    this.#finder = finder;
    let variables = 0;
    let functions = 0;
    let classes = 0;
    for (const { module, offset } of units) {
      this.#bases.push({ offset, variables, functions, classes });
      variables += module.variables.length;
      functions += module.functions.length;
      classes += module.classes.length;
    }
  }

  /** How many variables the units before have. */
  variablesBefore(unit: number): number {
    return this.#bases[unit]?.variables ?? 0;
  }

  /** The module of a unit with its new numbers, and names of others linked. */
  moved(unit: number): Module {
    const { module } = this.#units[unit] as Linked;
    const { functions, classes, body } = module;
    const parts = this.#copy(unit, { functions, classes, body }) as Pick<
      Module,
      'functions' | 'classes' | 'body'
    >;
    return { ...module, ...parts };
  }

  #copy(unit: number, value: unknown): unknown {
    if (Array.isArray(value)) return value.map((one) => this.#copy(unit, one));
    if (typeof value !== 'object' || value === null) return value;
    const node = value as Node;
    const linked = this.#linked(unit, node);
    if (linked !== null) return linked;
    const base = this.#bases[unit] as Base;
    const copy: Record<string, unknown> = {};
    for (const [key, inner] of Object.entries(node)) {
      const by = shiftOf(node, key, base);
      if (key === 'path' && typeof inner === 'string') {
        copy[key] = this.#finder.inFirst(unit, inner);
      } else copy[key] = by === null ? this.#copy(unit, inner) : shifted(inner, by);
    }
    return copy;
  }

  /** What a node is that names something of another unit; null: it does not. */
  #linked(unit: number, node: Node): unknown {
    switch (node['form']) {
      case 'name':
      case 'member': {
        const path = pathOf(node);
        return path === null ? null : this.#find(unit, path, this.#spanOf(unit, node));
      }
      case 'call':
        return this.#linkedCall(unit, node as unknown as Of<'call'>);
      case 'new':
        return this.#linkedNew(unit, node as unknown as Of<'new'>);
      default:
        return isType(node) && node.own === null && node.path !== null
          ? this.#linkedType(unit, node)
          : null;
    }
  }

  #linkedCall(unit: number, node: Of<'call'>): Expression | null {
    const { receiver, name, arguments: given } = node;
    const before = receiver === null ? null : pathOf(receiver as unknown as Node);
    const path = receiver === null ? node.path : before === null ? null : `${before}.${name}`;
    const span = this.#spanOf(unit, node);
    const callee = path === null || node.isBase ? null : this.#find(unit, path, span);
    if (callee === null) return null;
    const rest = { ...span, at: this.#spanOf(unit, node.at) };
    const list = this.#copy(unit, given) as typeof given;
    if (callee.form === 'member') {
      const called = { receiver: callee.object, name: callee.name, path: null, isBase: false };
      return { ...rest, form: 'call', ...called, arguments: list };
    }
    return { ...rest, form: 'apply', callee, name, arguments: list, isNew: false };
  }

  #linkedNew(unit: number, node: Of<'new'>): Expression | null {
    const { type, arguments: given } = node;
    const span = this.#spanOf(unit, node);
    const callee =
      type.own === null && type.path !== null ? this.#find(unit, type.path, span) : null;
    if (callee === null || callee.form === 'class') return null;
    const at = this.#spanOf(unit, node.at);
    const list = this.#copy(unit, given) as typeof given;
    const name = type.name.slice(type.name.lastIndexOf('.') + 1);
    return { ...span, form: 'apply', callee, name, arguments: list, at, isNew: true };
  }

  #linkedType(unit: number, type: Type): Type | null {
    const found = this.#find(unit, type.path ?? '', { start: 0, end: 0 });
    if (found?.form !== 'class') return null;
    const inner = this.#copy(unit, type.arguments) as Type['arguments'];
    return { ...type, own: found.id, path: null, arguments: inner };
  }

  /** What a path stands for in another unit; null: nothing that is in view. */
  #find(from: number, path: string, span: Span, depth = 0): Expression | null {
    const found = depth > HANDED_ON_MAX ? null : this.#finder.find(from, path);
    if (found === null || found.unit === from) return null;
    const { unit, length, names } = found;
    const offer = this.#units[unit]?.module.offer;
    if (offer === undefined) return null;
    const keys = path.slice(length).split('.').filter(Boolean);
    const { length: before } = this.missing;
    const value = this.#offered(unit, offer, keys, span, depth);
    // Of a module that hands on many names only the needed names are asked for.
    if (!names.has(keys[0] ?? '')) this.missing.length = before;
    return value;
  }

  /** What stands behind a name that a unit hands on. */
  #findBehind(unit: number, path: string, span: Span, depth: number): Expression | null {
    if (this.#finder.find(unit, path) === null) this.missing.push({ unit, path });
    return this.#find(unit, path, span, depth + 1);
  }

  #offered(
    unit: number,
    offer: Offer,
    [key, ...rest]: readonly string[],
    span: Span,
    depth: number,
  ): Expression | null {
    const known = offer.names.get(key ?? 'default');
    if (known !== undefined) return this.#value(unit, known, rest, span, depth);
    if (key === undefined) return this.#value(unit, offer.whole, [], span, depth);
    for (const star of offer.stars) {
      const behind = this.#findBehind(unit, [star, key, ...rest].join('.'), span, depth);
      if (behind !== null) return behind;
    }
    if (offer.stars.length > 0 && !offer.names.has('default')) return null;
    // A member of what is imported without a name.
    const whole = offer.names.get('default') ?? offer.whole;
    return this.#value(unit, whole, [key, ...rest], span, depth);
  }

  #value(
    unit: number,
    value: Expression | null,
    keys: readonly string[],
    span: Span,
    depth: number,
  ): Expression | null {
    if (value === null) return null;
    if (value.form === 'name') {
      const path = value.path === null ? null : [value.path, ...keys].join('.');
      return path === null ? null : this.#findBehind(unit, path, span, depth);
    }
    const moved = { ...(this.#copy(unit, value) as Expression), ...span };
    const object =
      moved.form === 'member' ? { ...moved, object: { ...moved.object, ...span } } : moved;
    return keys.reduce<Expression>(
      (inner, name) => ({ ...span, form: 'member', object: inner, name }),
      object,
    );
  }

  #spanOf(unit: number, { start, end }: Partial<Span>): Span {
    const { offset } = this.#bases[unit] as Base;
    return { start: (start ?? 0) + offset, end: (end ?? 0) + offset };
  }
}

type Of<F extends Expression['form']> = Expression & { readonly form: F };

/** A path with the members behind it; null: it is another expression. */
function pathOf(node: Node): string | null {
  if (node['form'] === 'name') return node['path'] as string | null;
  if (node['form'] !== 'member') return null;
  const before = pathOf(node['object'] as Node);
  return before === null ? null : `${before}.${node['name'] as string}`;
}

function isType(node: Node): node is Node & Type {
  return 'own' in node && 'isList' in node;
}

/** By how much the numbers under a key of a node move; null: it holds something else. */
function shiftOf(node: Node, key: string, base: Base): number | null {
  const value = node[key];
  const [first] = Array.isArray(value) ? value : [value];
  if (typeof first !== 'number') return null;
  switch (key) {
    case 'start':
    case 'end':
      return base.offset;
    case 'variable':
    case 'bind':
    case 'self':
    case 'given':
    case 'variables':
    case 'key':
    case 'result':
      return base.variables;
    case 'owner':
    case 'own':
      return base.classes;
    case 'functions':
    case 'initializers':
      return base.functions;
    case 'id':
      return node['form'] === 'class' || 'bases' in node ? base.classes : base.functions;
    default:
      return null;
  }
}

function shifted(value: unknown, by: number): unknown {
  return Array.isArray(value) ? value.map((one: number) => one + by) : (value as ClassId) + by;
}
