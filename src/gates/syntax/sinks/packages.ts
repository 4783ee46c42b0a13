import { packages } from '../../../rules/catalogue/javascript.ts';
import type { Package, PropagatorLine, SourceLine } from '../../../rules/catalogue/line.ts';
import type { Callable, Value } from './value.ts';

/** What is called, by its names. */
export interface Named {
  /** Last name of the callee: `exec` of `cp.exec`; '' when it is computed. */
  readonly name: string;
  /** What the callee was imported as, where the fragment shows it: `child_process.exec`. */
  readonly origin: string | null;
  /** How the callee came of a package of the catalogue: `pg.createPool().query`. */
  readonly made: string | null;
  /** The callee's name is declared in the fragment, as something that was not imported. */
  readonly isDeclared: boolean;
  /** The fragment assigns a global or a method of a prototype of this name. */
  readonly isPatched: boolean;
  /** The function itself, when the fragment shows it. */
  readonly callable: Callable | null;
  /** What stands before the last name; null for a plain name. */
  readonly receiver: Value | null;
  /** How that is written, when it is a chain of names: `this.db`. */
  readonly receiverPath: string | null;
}

/** A longer path keeps its package and its last name. */
const PATH_CHARS_MAX = 160;
/** Paths whose lines are remembered. */
const CACHE_MAX = 4_096;
/** `lodash/escape`, `validator/lib/escape.js`: a package's export by the file that holds it. */
const EXPORT_FILE =
  /^((?:@[^/]+\/)?[^/.]+)\/(?:(?:lib|es|esm|dist|fp)\/)?([\w-]+)(?:\.js)?(?=\.|$)/;
/** A module of the program's own, which may hold anything under its usual name. */
const OWN_MODULE = /^(?:[./]|[@~#]\/|[~#]\w|src\/)/;

const NAMES = new Set(packages.map((entry) => entry.package));

/** A path without how each step was made: `new pg.Pool.connect()` is `pg.Pool.connect`. */
function canonical(path: string): string {
  return path.replace(/^new |\(\)|\.default(?=\.|$)/g, '');
}

const ROOTS = new Map<string, string | null>();

/** The package of the catalogue that a path begins with, and the path from there; else null. */
function rooted(path: string): { name: string; rest: string } | null {
  return roots(path)[0] ?? null;
}

/** The same by all readings of the path: `a/b.c` may be the export `b.c` of `a`, or its `c`. */
function roots(path: string): { name: string; rest: string }[] {
  const plain = canonical(path);
  const readings = [plain, plain.replace(EXPORT_FILE, '$1.$2'), plain.replace(SUBPATH, '$1')];
  return [...new Set(readings)].flatMap((written) => {
    for (let end = written.length; end > 0; end = written.lastIndexOf('.', end - 1)) {
      const name = written.slice(0, end);
      if (NAMES.has(name)) return [{ name, rest: written.slice(end + 1) }];
    }
    return [];
  });
}

const SUBPATH = /^((?:@[^/]+\/)?[^/.]+(?:\.js)?)(?:\/[\w-]+)+(?:\.[cm]?js)?(?=\.|$)/;

/** Whether a path comes of a package of the catalogue. */
export function isCatalogued(path: string): boolean {
  let known = ROOTS.get(path);
  if (known === undefined) {
    known = rooted(path)?.name ?? null;
    if (ROOTS.size >= CACHE_MAX) ROOTS.clear();
    ROOTS.set(path, known);
  }
  return known !== null;
}

/** The path of a member of what has that path. */
export function memberPathOf(path: string, name: string): string {
  const next = `${path}.${name}`;
  if (next.length <= PATH_CHARS_MAX) return next;
  return `${rooted(path)?.name ?? path.slice(0, PATH_CHARS_MAX)}.${name}`;
}

/** An entry of a list of lines, with what its package says. */
export interface Known<L> {
  readonly line: L;
  readonly package: Package;
}

/** Lines of one sort, by the names and paths they are for. */
export class Lines<L extends { exports: string; receivers?: string; free?: true }> {
  readonly all: readonly Known<L>[];
  readonly #byPath = new Map<string, Known<L>[]>();
  readonly #byReceiver = new Map<
    string,
    { known: Known<L>; receivers: readonly string[] | null }[]
  >();
  readonly #byName = new Map<string, Known<L>[]>();
  readonly #cache = new Map<string, readonly Known<L>[]>();

  constructor(linesOf: (entry: Package) => readonly L[]) {
    this.all = packages.flatMap((entry) =>
      linesOf(entry).map((line) => ({ line, package: entry })),
    );
    for (const known of this.all) this.#add(known);
  }

  #add(known: Known<L>): void {
    const { line, package: entry } = known;
    const receivers = (line.receivers ?? entry.receivers ?? '').split(' ').filter(Boolean);
    const isFree = line.free === true;
    for (const path of line.exports.split(' ')) {
      const last = path.slice(path.lastIndexOf('.') + 1);
      const isMethod = path.includes('.');
      // `default()` is what the package itself gives back.
      const member = path === 'default()' ? '()' : path;
      append(
        this.#byPath,
        path === 'default' ? entry.package : `${entry.package}.${member}`,
        known,
      );
      if (isMethod && (isFree || receivers.length > 0)) {
        const own = this.#byReceiver.get(last) ?? [];
        this.#byReceiver.set(last, [...own, { known, receivers: isFree ? null : receivers }]);
      }
      if (isFree && !isMethod)
        append(this.#byName, path === 'default' ? entry.package : last, known);
      for (const alias of entry.aliases?.split(' ') ?? []) {
        if (path === 'default') append(this.#byName, alias, known);
        else if (!path.startsWith('*')) append(this.#byName, `${alias}.${path}`, known);
      }
    }
  }

  /** The lines for what is called, or assigned to; none for what is declared as something else. */
  find(site: Named): readonly Known<L>[] {
    const path = site.made ?? site.origin;
    if (site.callable !== null || site.isPatched) return NOTHING;
    if (path !== null && !OWN_MODULE.test(path)) return this.at(path);
    if (site.receiver === null) {
      return site.isDeclared || path !== null ? NOTHING : (this.#byName.get(site.name) ?? NOTHING);
    }
    const { receiverPath } = site;
    if (receiverPath === null) return this.#freeMethods(site.name, site.receiver);
    if (!site.isDeclared && path === null) {
      const plain = receiverPath.replace(/^(?:window|globalThis|this)\./, '');
      const named = this.#byName.get(`${plain}.${site.name}`);
      if (named !== undefined) return named;
    }
    return this.#byUsualName(site.name, receiverPath, site.receiver);
  }

  /** The lines for a path from a package: `mysql2/promise.createPool().query`. */
  at(path: string): readonly Known<L>[] {
    const known = this.#cache.get(path);
    if (known !== undefined) return known;
    if (this.#cache.size >= CACHE_MAX) this.#cache.clear();
    const found = this.#lookUp(path);
    this.#cache.set(path, found);
    return found;
  }

  #lookUp(path: string): readonly Known<L>[] {
    for (const root of roots(path)) {
      const found = this.#linesOf(root, path);
      if (found.length > 0) return found;
    }
    return NOTHING;
  }

  #linesOf(root: { name: string; rest: string }, path: string): readonly Known<L>[] {
    const { name } = root;
    // What a function gave back is called, not the function.
    const rest = path.endsWith('()') ? `${root.rest}()` : root.rest;
    const exact = this.#byPath.get(rest === '' ? name : `${name}.${rest}`) ?? NOTHING;
    const last = rest.slice(rest.lastIndexOf('.') + 1);
    const anywhere = rest === '' ? NOTHING : (this.#byPath.get(`${name}.*.${last}`) ?? NOTHING);
    if (anywhere.length === 0) return exact;
    const steps = rest.split('.').slice(0, -1);
    return [...exact, ...anywhere.filter((known) => !isClosed(known.package, steps))];
  }

  /** Of what has no name, only those that mean nothing else. */
  #freeMethods(name: string, receiver: Value): readonly Known<L>[] {
    const lines = this.#byReceiver.get(name);
    if (lines === undefined || !isOpen(receiver)) return NOTHING;
    return lines.filter(({ receivers }) => receivers === null).map(({ known }) => known);
  }

  #byUsualName(name: string, receiverPath: string, receiver: Value): readonly Known<L>[] {
    const lines = this.#byReceiver.get(name);
    if (lines === undefined || !isOpen(receiver)) return NOTHING;
    const steps = receiverPath.split('.').map((step) => step.replace(/^[_#$]+/, ''));
    return lines
      .filter(({ receivers }) => receivers?.some((usual) => hasName(steps, usual)) ?? true)
      .map(({ known }) => known);
  }
}

const NOTHING: readonly never[] = [];

/** Whether a path goes by way of a function whose results are something else. */
function isClosed({ closed }: Package, steps: readonly string[]): boolean {
  return closed?.split(' ').some((name) => steps.includes(name)) === true;
}

function append<K>(map: Map<string, K[]>, key: string, item: K): void {
  const known = map.get(key);
  if (known === undefined) map.set(key, [item]);
  else if (!known.includes(item)) known.push(item);
}

/** Nothing in view says what it is. */
function isOpen({
  origin,
  made,
  properties,
  elements,
  constant,
  pieces,
  callable,
}: Value): boolean {
  const isImported = origin !== null && !OWN_MODULE.test(origin);
  const isKnown = properties !== null || elements !== null || constant !== null || pieces !== null;
  return made === null && !isImported && !isKnown && callable === null;
}

/** `pool`, `userPool` and `prisma.user` for `pool` and `prisma`. */
function hasName(steps: readonly string[], usual: string): boolean {
  const capital = usual.charAt(0).toUpperCase() + usual.slice(1);
  return steps.some((step) => step === usual || step.endsWith(capital));
}

/** Lines whose members are data, or whose results are: those end in `()`. */
function dataLines(isCall: boolean): Lines<SourceLine> {
  return new Lines<SourceLine>((entry) =>
    (entry.sources ?? []).flatMap((line) => {
      if (line.callback !== undefined || line.decorator === true) return [];
      const paths = line.exports.split(' ').filter((path) => path.endsWith('()') === isCall);
      const exports = paths.join(' ').replaceAll('()', '');
      return exports === '' ? [] : [{ ...line, exports }];
    }),
  );
}

const READS = dataLines(false);
const CALLS = dataLines(true);
const CALLBACKS = new Lines<SourceLine>((entry) =>
  (entry.sources ?? []).filter((line) => line.callback !== undefined),
);

/** The line that makes a member data from outside, by its path; null when absent. */
export function readLine(path: string): SourceLine | null {
  return READS.at(path)[0]?.line ?? null;
}

/** The line that makes a call's result data from outside; null when absent. */
export function callLine(site: Named): SourceLine | null {
  return CALLS.find(site)[0]?.line ?? null;
}

/** Lines that say what a function is given which is given to a call. */
export function callbackLines(site: Named): readonly Known<SourceLine>[] {
  return CALLBACKS.find(site);
}

/** The line of a decorator of parameters; null when absent. */
export function decoratorLine(name: string): SourceLine | null {
  return DECORATORS.get(name) ?? null;
}

const DECORATORS = new Map(
  packages
    .flatMap((entry) => entry.sources ?? [])
    .filter((line) => line.decorator === true)
    .flatMap((line) => line.exports.split(' ').map((name) => [name, line] as const)),
);

const PROPAGATORS = new Lines<PropagatorLine>((entry) => entry.propagators ?? []);

/** The line of a function that hands data on; null for others. */
export function propagatorOf(site: Named): PropagatorLine | null {
  return PROPAGATORS.find(site)[0]?.line ?? null;
}

const TYPES = new Map(
  packages.flatMap((entry) =>
    (entry.types ?? '')
      .split(' ')
      .filter(Boolean)
      .map((name) => [name, `${entry.package}.${name}`] as const),
  ),
);

/** What a type that is not declared in view belongs to: `typeorm.DataSource`; else null. */
export function pathOfType(name: string): string | null {
  return TYPES.get(name) ?? null;
}

/** Names of decorators that bring data from outside: signs of it in raw text. */
export function sourceDecorators(): readonly string[] {
  return [...DECORATORS.keys()];
}

/** Usual names of what brings data from outside: signs of it in raw text. */
export function sourceReceivers(): readonly string[] {
  const names = CALLBACKS.all.flatMap(({ line, package: entry }) =>
    (line.receivers ?? entry.receivers ?? '').split(' ').filter(Boolean),
  );
  return [...new Set(names)];
}

/** Packages that bring data from outside, for the same. */
export function sourcePackages(): readonly string[] {
  return packages.filter((entry) => (entry.sources ?? []).length > 0).map((entry) => entry.package);
}
