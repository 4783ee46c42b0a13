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
  /** Operation of a method, by the kind of what it is called on, a blank and its name. */
  readonly methods: ReadonlyMap<string, string>;
  readonly guards: ReadonlyMap<string, string>;
  /** Lists of words, by their sort. */
  has(sort: Sort, word: string): boolean;
  /** The words of the lines of a sort, behind that. */
  rows(sort: RowSort): readonly (readonly string[])[];
  /** What a pattern finds in a text; nothing where the language has none. */
  all(pattern: string, text: string): Iterable<RegExpMatchArray>;
  /** Whether lines are of a package of that name. */
  isPackage(name: string): boolean;
  /** Whether a name is of those that a pattern says; false where the language has none. */
  is(pattern: string, name: string): boolean;
  /** Whether lines say what a class does: other types are the program's. */
  isKnown(path: string): boolean;
  /** Paths of classes of the catalogue by their names, the first of two of one name first. */
  readonly classes: ReadonlyMap<string, readonly string[]>;
}

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
  'ends',
  'raises',
  'trait',
] as const;
type Sort = (typeof SORTS)[number];

/** Sorts of lines whose words say more in their order. */
const ROWS = ['operator', 'decorates', 'registers', 'serves', 'called', 'usual'] as const;
type RowSort = (typeof ROWS)[number];

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
  const lists = new Map<string, Set<string>>(SORTS.map((sort) => [sort, new Set()]));
  const patterns = new Map<string, RegExp>();
  const rows = new Map<string, string[][]>(ROWS.map((sort) => [sort, []]));
  for (const line of table.split('\n').filter((text) => text !== '')) {
    const [sort = '', second = '', ...rest] = line.split(' ');
    const list = lists.get(sort);
    const row = rows.get(sort);
    if (list !== undefined) for (const word of [second, ...rest]) list.add(word);
    else if (row !== undefined) row.push([second, ...rest]);
    else if (sort === 'pattern') patterns.set(second, new RegExp(rest.join(' ')));
    else if (sort === 'kind') {
      for (const path of rest) kinds.set(path, second as HeapObject['kind']);
    } else if (sort === 'function') for (const path of rest) functions.set(path, second);
    else if (sort === 'guard') for (const name of rest) guards.set(name, second);
    else if (KINDS.includes(sort)) for (const name of rest) methods.set(`${sort} ${name}`, second);
    else throw new TypeError(`the table of operations has no sort "${sort}"`);
  }
  const names = new Set(packages.map((entry) => entry.package));
  const classes = classesOf(packages, sanitizers, [
    ...(lists.get('known') ?? []),
    ...kinds.keys(),
    ...functions.keys(),
  ]);
  return {
    catalogue: createCatalogue(packages, sanitizers),
    kinds,
    functions,
    methods,
    guards,
    has: (sort, word) => lists.get(sort)?.has(word) === true,
    rows: (sort) => rows.get(sort) ?? [],
    all(pattern, text) {
      const found = patterns.get(pattern);
      return found === undefined ? [] : text.matchAll(new RegExp(found, 'g'));
    },
    isPackage: (name) => names.has(name),
    is: (pattern, name) => patterns.get(pattern)?.test(name) === true,
    isKnown(path) {
      for (let end = path.length; end > 0; end = path.lastIndexOf('.', end - 1)) {
        if (names.has(path.slice(0, end))) return true;
      }
      return classes.get(path.slice(path.lastIndexOf('.') + 1))?.includes(path) === true;
    },
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
