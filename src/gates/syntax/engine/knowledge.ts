import {
  LISTS,
  type Package,
  ROWS,
  type RowSort,
  type SanitizerLine,
} from '../../../rules/catalogue/line.ts';
import type { Table } from '../../../rules/catalogue/table.ts';
import type { Danger, Sink } from '../sinks/sink.ts';
import {
  type Catalogue,
  createCatalogue,
  type Naming,
  type PackageRows,
  withoutCalls,
} from './catalogue-lines.ts';
import type { ContainerKind } from './state.ts';

/**
 * What is known of a language's packages: all that the engine knows of a language. Made of lines of
 * the catalogue: of packages, and of the language itself.
 */
export interface Knowledge {
  readonly catalogue: Catalogue;
  /** What objects of a class are, by its path. */
  readonly kinds: ReadonlyMap<string, ContainerKind>;
  /** Paths whose result is remembered with the methods that are called on it. */
  readonly products: ReadonlySet<string>;
  /** Operation of a function, by its path. */
  readonly functions: ReadonlyMap<string, string>;
  /** Operation of a function whose first argument is a text, by its path. */
  readonly statics: ReadonlyMap<string, string>;
  /** The field of a type by which alone its objects count, by the path of the type. */
  readonly counted: ReadonlyMap<string, string>;
  /** What a member or call gives that is another one's: its path; null: it is its own. */
  given(site: Given): string | null;
  /** Operation of a method, by the kind of what it is called on, a blank and its name. */
  readonly methods: ReadonlyMap<string, string>;
  readonly guards: ReadonlyMap<string, string>;
  /** Lists of words, by their sort; a `set` has a sort of its own. */
  has(sort: string, word: string): boolean;
  /** A name that the language has for something; '' where it has none. */
  word(name: string): string;
  /**
   * What a name that nothing declares is known to be (`req`), a member of something that is known
   * so (`context req`), or a member of anything (`. req`).
   */
  readonly roles: ReadonlyMap<string, string>;
  /** What a type says that a parameter is; null: nothing. */
  roleOfType(name: string): string | null;
  /** Paths of names that nothing declares. */
  readonly free: ReadonlyMap<string, string>;
  /** What the language does in another way than others. */
  readonly traits: ReadonlySet<Trait>;
  /** Whether functions write into what they are given or called on. */
  readonly fills: boolean;
  /** Sinks that look at more than lines of the catalogue; null when there are lines alone. */
  readonly sinks: Sinks | null;
  /**
   * The finding for a function that lets keys of data reach a prototype (`isRead`: keys of a
   * text); null: it can't.
   */
  readonly pollution: Special['pollution'] | null;
  /** The words of the lines of a sort, behind that. */
  rows(sort: RowSort): readonly (readonly string[])[];
  /** What a pattern finds in a text; nothing where the language has none. */
  all(pattern: string, text: string): Iterable<RegExpMatchArray>;
  /** Whether lines are of a package of that name. */
  isPackage(name: string): boolean;
  /** Whether a pattern has the name; false where the language has no pattern. */
  is(pattern: string, name: string): boolean;
  /** Whether lines say what a class does: other types are the program's. */
  isKnown(path: string): boolean;
  /** Paths of all packages with lines, and of packages that are known without one. */
  readonly packages: readonly string[];
  /** Paths of types that no other package has, by their names. */
  readonly types: ReadonlyMap<string, string>;
  /**
   * Paths of classes of the catalogue by their names, the first of two of one name first; of a
   * class within a class also by both names (`Request.Builder`).
   */
  readonly classes: ReadonlyMap<string, readonly string[]>;
  /** Whether members of what has this path are data from outside: `flask.request`. */
  carriesData(path: string): boolean;
}

/** Where languages differ in what they mean; docs/reference/catalogue.md says what each is. */
export type Trait =
  | 'hints'
  | 'self'
  | 'callbacks'
  | 'sinks-end'
  | 'keys'
  | 'truth'
  | 'whole-division'
  | 'list-sum'
  | 'embeds'
  | 'hands-on'
  | 'backtracks'
  | 'package'
  | 'encoded-backslash';

/** A member or call, by its path or as it is written. */
interface Given {
  readonly name: string;
  readonly path: string | null;
  readonly receiverPath: string | null;
}

/** What looks at calls, tags, properties and assignments; the first danger counts. */
export interface Sinks
  extends Required<Pick<Sink, 'inCall' | 'inTag' | 'inProperty' | 'inAssign'>> {
  /** Calls, by all that names say of them, that no sink looked at more closely. */
  readonly ignored: Set<string>;
}

/** What a language has beside its tables. */
export interface Special {
  readonly naming: Naming;
  sinksOf(catalogue: Catalogue): Sinks;
  pollution(isRead: boolean): Danger;
}

/** The rows of a table that the engine's knowledge is made of. */
export type Facts = PackageRows & Pick<Table, 'operations'>;

/** What is known of a language by its table, and by rows of the rules, which come first. */
export function knowledgeOf(
  table: Facts,
  own: Facts | null = null,
  special: Special | null = null,
): Knowledge {
  const { packages, sanitizers, checks, consumers, operations } =
    own === null
      ? table
      : {
          packages: [...own.packages, ...table.packages],
          sanitizers: [...own.sanitizers, ...table.sanitizers],
          checks: [...own.checks, ...table.checks],
          consumers: [...own.consumers, ...table.consumers],
          operations: [...own.operations, ...table.operations],
        };
  const rows: PackageRows = { packages, sanitizers, checks, consumers };
  const catalogue = createCatalogue(rows, special?.naming);
  const kinds = new Map<string, ContainerKind>();
  const products = new Set<string>();
  const functions = new Map<string, string>();
  const methods = new Map<string, string>();
  const guards = new Map<string, string>();
  const statics = new Map<string, string>();
  const gives = new Map<string, string>();
  const counted = new Map<string, string>();
  const lists = new Map<string, Set<string>>(LISTS.map((sort) => [sort, new Set()]));
  const named = new Map<string, string>();
  const roles = new Map<string, string>();
  const types: (readonly [RegExp, string])[] = [];
  const free = new Map<string, string>();
  const patterns = new Map<string, RegExp>();
  const facts = new Map<string, (readonly string[])[]>(ROWS.map((sort) => [sort, []]));
  for (const { sort, words, pattern } of operations) {
    const [first = '', ...rest] = words;
    const list = lists.get(sort);
    const row = facts.get(sort);
    if (list !== undefined) for (const word of words) list.add(word);
    else if (sort === 'set') {
      const known = lists.get(first) ?? new Set();
      for (const word of rest) known.add(word);
      lists.set(first, known);
    } else if (sort === 'word') named.set(first, rest.join(' '));
    else if (sort === 'role') for (const name of rest) roles.set(name, first);
    else if (sort === 'leads') {
      const [to = '', ...members] = rest;
      for (const name of members) roles.set(`${first} ${name}`, to);
    } else if (sort === 'typed' && pattern !== undefined) types.push([pattern, first]);
    else if (sort === 'free') for (const name of rest) free.set(name, first);
    else if (row !== undefined) row.push(words);
    else if (pattern !== undefined) patterns.set(first, pattern);
    else if (sort === 'kind') {
      for (const path of rest) {
        if (first === 'product') products.add(path);
        else kinds.set(path, first as ContainerKind);
      }
    } else if (sort === 'function') for (const path of rest) functions.set(path, first);
    else if (sort === 'static') for (const path of rest) statics.set(path, first);
    else if (sort === 'counts') for (const path of rest) counted.set(path, first);
    else if (sort === 'is') for (const path of rest) gives.set(path, first);
    else if (sort === 'guard') for (const name of rest) guards.set(name, first);
    else for (const name of rest) methods.set(`${sort} ${name}`, first);
  }
  const known = lists.get('known') ?? new Set();
  const paths = [...packages, ...sanitizers].map((entry) => entry.package);
  const names = new Set([...known, ...packages.map((entry) => entry.package)]);
  const made = [...known, ...kinds.keys(), ...products];
  const classes = classesOf(packages, sanitizers, [
    ...made.flatMap((path) => classIn(path) ?? path),
    ...[...functions.keys()].map((path) => classIn(path) ?? path.slice(0, path.lastIndexOf('.'))),
  ]);
  return {
    catalogue,
    types: typesOf(packages),
    word: (name) => named.get(name) ?? '',
    roles,
    roleOfType: (name) => types.find(([pattern]) => pattern.test(name))?.[1] ?? null,
    free,
    fills: packages.some(fills) || patterns.has('writes'),
    traits: (lists.get('trait') ?? new Set()) as ReadonlySet<Trait>,
    sinks: special?.sinksOf(catalogue) ?? null,
    pollution: special?.pollution ?? null,
    kinds,
    products,
    functions,
    methods,
    guards,
    statics,
    counted,
    given({ name, path, receiverPath }) {
      if (gives.size === 0) return null;
      const written = path === null ? `${receiverPath}.${name}()` : withoutCalls(path);
      return gives.get(written) ?? null;
    },
    has: (sort, word) => lists.get(sort)?.has(word) === true,
    rows: (sort) => facts.get(sort) ?? [],
    all(pattern, text) {
      const found = patterns.get(pattern);
      return found === undefined ? [] : text.matchAll(new RegExp(found, `${found.flags}g`));
    },
    isPackage: (name) => names.has(name),
    is: (pattern, name) => patterns.get(pattern)?.test(name) === true,
    isKnown(path) {
      if (catalogue.isKnown(path) || known.has(path)) return true;
      return classes.get(path.slice(path.lastIndexOf('.') + 1))?.includes(path) === true;
    },
    packages: [...new Set([...known, ...paths])],
    classes,
    carriesData: carriersIn(packages),
  };
}

/** Tells objects whose members are sources, by their paths. */
function carriersIn(packages: readonly Package[]): (path: string) => boolean {
  const objects = new Set<string>();
  const all = new Set<string>();
  for (const { package: name, types, sources = [] } of packages) {
    for (const { exports, callback, into, decorator } of sources) {
      if (callback !== undefined || into !== undefined || decorator) continue;
      for (const path of exports.split(' ')) {
        const [owner = '', member] = path.split('.');
        if (member === undefined) continue;
        if (owner !== '*') objects.add(`${name}.${owner}`);
        else if (types === undefined) all.add(name);
        else for (const type of types.split(' ')) objects.add(`${name}.${type}`);
      }
    }
  }
  return (path) => {
    const plain = withoutCalls(path).replace(/^new /, '');
    return objects.has(plain) || all.has(plain.slice(0, plain.lastIndexOf('.')));
  };
}

function fills({ sources = [], propagators = [] }: Package): boolean {
  return [...sources, ...propagators].some(({ into }) => into !== undefined);
}

function typesOf(packages: readonly Package[]): Map<string, string> {
  const types = new Map<string, string>();
  for (const entry of packages) {
    for (const name of entry.types?.split(' ') ?? []) {
      if (!types.has(name)) types.set(name, `${entry.package}.${name}`);
    }
  }
  return types;
}

/**
 * The class of a path: its first part that begins with a capital; null where the packages of the
 * language begin with one as well.
 */
function classIn(path: string): string | null {
  return /^(?:[a-z]\w*\.)+[A-Z]\w*/.exec(path)?.[0] ?? null;
}

function classesOf(
  packages: readonly Package[],
  sanitizers: readonly SanitizerLine[],
  paths: readonly string[],
): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  const note = (name: string, path: string) => found.set(name, [...(found.get(name) ?? []), path]);
  const all = paths.filter((path) => /^\w+(?:\.\w+)*\.[A-Z]\w*$/.test(path));
  // No other package has these names, as a rule; further ones of the same name come behind them.
  for (const { package: name, types } of packages) {
    for (const type of types?.split(' ') ?? []) all.push(`${name}.${type}`);
  }
  const lines = packages.flatMap((entry) =>
    [...(entry.sources ?? []), ...(entry.sinks ?? []), ...(entry.propagators ?? [])].map(
      ({ exports }) => ({ package: entry.package, exports }),
    ),
  );
  for (const { package: name, exports } of [...lines, ...sanitizers]) {
    for (const path of exports.split(' ')) {
      const [first = '', inner = ''] = path.split(/[.(]/, 2);
      if (!/^[A-Z]/.test(first)) continue;
      all.push(`${name}.${first}`);
      // A class within a class tells which of several packages is meant.
      if (/^[A-Z]/.test(inner)) note(`${first}.${inner}`, `${name}.${first}.${inner}`);
    }
  }
  for (const path of new Set(all)) note(path.slice(path.lastIndexOf('.') + 1), path);
  return found;
}
