import type { Package, SanitizerLine } from '../../../rules/catalogue/line.ts';
import { type Catalogue, createCatalogue } from '../tree/lines.ts';
import type { HeapObject } from './state.ts';

/**
 * What is known of a language's packages: all that the engine knows of a language. Made of lines of
 * the catalogue and of a table of operations, whose first words `SORTS` names.
 */
export interface Knowledge {
  readonly catalogue: Catalogue;
  /** What objects of a class are, by its path. */
  readonly kinds: ReadonlyMap<string, HeapObject['kind']>;
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
  /** Lists of words, by their sort. */
  has(sort: Sort, word: string): boolean;
  /** Whether a name is of those that a pattern says; false where the language has none. */
  is(pattern: string, name: string): boolean;
  /** Whether lines say what a class does: other types are the program's. */
  isKnown(path: string): boolean;
  /** Paths of all packages with lines, and of those that are known without one. */
  readonly packages: readonly string[];
  /** Paths of classes of the catalogue by their names, the first of two of one name first. */
  readonly classes: ReadonlyMap<string, readonly string[]>;
}

/** A member or call, by its path or as it is written. */
type Given = {
  readonly name: string;
  readonly path: string | null;
  readonly receiverPath: string | null;
};

const SORTS = [
  'known',
  'converts',
  'asserts',
  'harmless',
  'textual',
  'route',
  'handler',
  'limits',
  'bound',
  'statement',
  'action',
  'request',
  'answer',
  'calls-back',
  'script',
  'prints',
] as const;
type Sort = (typeof SORTS)[number];

const KINDS = ['list', 'table', 'builder', 'text', 'any'];

/** Compiles what is known of a language. Throws on a line of the table that says nothing. */
export function createKnowledge(
  packages: readonly Package[],
  sanitizers: readonly SanitizerLine[],
  table: string,
): Knowledge {
  const kinds = new Map<string, HeapObject['kind']>();
  const functions = new Map<string, string>();
  const methods = new Map<string, string>();
  const guards = new Map<string, string>();
  const statics = new Map<string, string>();
  const gives = new Map<string, string>();
  const counted = new Map<string, string>();
  const lists = new Map<string, Set<string>>(SORTS.map((sort) => [sort, new Set()]));
  const patterns = new Map<string, RegExp>();
  for (const line of table.split('\n').filter((text) => text !== '')) {
    const [sort = '', second = '', ...rest] = line.split(' ');
    const list = lists.get(sort);
    if (list !== undefined) for (const word of [second, ...rest]) list.add(word);
    else if (sort === 'pattern') patterns.set(second, new RegExp(rest.join(' ')));
    else if (sort === 'kind') {
      for (const path of rest) kinds.set(path, second as HeapObject['kind']);
    } else if (sort === 'function') for (const path of rest) functions.set(path, second);
    else if (sort === 'static') for (const path of rest) statics.set(path, second);
    else if (sort === 'counts') for (const path of rest) counted.set(path, second);
    else if (sort === 'is') for (const path of rest) gives.set(path, second);
    else if (sort === 'guard') for (const name of rest) guards.set(name, second);
    else if (KINDS.includes(sort)) for (const name of rest) methods.set(`${sort} ${name}`, second);
    else throw new TypeError(`the table of operations has no sort "${sort}"`);
  }
  const known = lists.get('known') ?? new Set();
  const paths = [...packages, ...sanitizers].map((entry) => entry.package);
  const names = new Set([...known, ...packages.map((entry) => entry.package)]);
  const classes = classesOf(packages, sanitizers, [...known, ...kinds.keys(), ...functions.keys()]);
  return {
    catalogue: createCatalogue(packages, sanitizers),
    kinds,
    functions,
    methods,
    guards,
    statics,
    counted,
    given({ name, path, receiverPath }) {
      if (gives.size === 0) return null;
      const written = path === null ? `${receiverPath}.${name}()` : path.replaceAll('()', '');
      return gives.get(written) ?? null;
    },
    has: (sort, word) => lists.get(sort)?.has(word) === true,
    is: (pattern, name) => patterns.get(pattern)?.test(name) === true,
    isKnown(path) {
      for (let end = path.length; end > 0; end = path.lastIndexOf('.', end - 1)) {
        if (names.has(path.slice(0, end))) return true;
      }
      return classes.get(path.slice(path.lastIndexOf('.') + 1))?.includes(path) === true;
    },
    packages: [...new Set([...known, ...paths])],
    classes,
  };
}

function classesOf(
  packages: readonly Package[],
  sanitizers: readonly SanitizerLine[],
  paths: readonly string[],
): ReadonlyMap<string, readonly string[]> {
  // The class of a path: its first part that begins with a capital.
  const all = paths.flatMap((path) => /^(?:[a-z]\w*\.)+[A-Z]\w*/.exec(path)?.[0] ?? []);
  const lines = packages.flatMap((entry) =>
    [...(entry.sources ?? []), ...(entry.sinks ?? []), ...(entry.propagators ?? [])].map(
      ({ exports }) => ({ package: entry.package, exports }),
    ),
  );
  for (const { package: name, exports } of [...lines, ...sanitizers]) {
    for (const path of exports.split(' ')) {
      const [first = ''] = path.split(/[.(]/, 1);
      if (/^[A-Z]/.test(first)) all.push(`${name}.${first}`);
    }
  }
  for (const { package: name, types } of packages) {
    for (const type of types?.split(' ') ?? []) all.push(`${name}.${type}`);
  }
  const found = new Map<string, string[]>();
  for (const path of new Set(all)) {
    const name = path.slice(path.lastIndexOf('.') + 1);
    found.set(name, [...(found.get(name) ?? []), path]);
  }
  return found;
}
