import type {
  Package,
  PropagatorLine,
  SanitizerLine,
  SinkLine,
  SourceLine,
} from '../../../rules/catalogue/line.ts';
import { pythonPackages, pythonSanitizers } from '../../../rules/catalogue/python.ts';
import type { Value } from '../taint/value.ts';

/** What is called or read, by its names. */
export interface Site {
  /** The last name: `run` of `subprocess.run`. */
  readonly name: string;
  /** Its path from a module, calls on the way as `()`; null: nothing in view says it. */
  readonly origin: string | null;
  /** What stands before the last name; null for a plain name. */
  readonly receiver: Value | null;
  /** How that is written, when it is a chain of names: `self.cursor`. */
  readonly receiverPath: string | null;
}

/** A line, and how it was found: by the path from its package, or by names alone. */
interface Found<L> {
  readonly line: L;
  readonly isByName: boolean;
}

type AnyLine = Pick<SinkLine, 'exports' | 'receivers' | 'free'>;

const PACKAGES = new Set([...pythonPackages, ...pythonSanitizers].map((entry) => entry.package));

/** A path from a module without calls on the way. */
function plain(path: string): string {
  return path.replaceAll('()', '');
}

/** The longest package of the catalogue that a path begins with; null: none. */
function packageOf(path: string): string | null {
  for (let end = path.length; end > 0; end = path.lastIndexOf('.', end - 1)) {
    const name = path.slice(0, end);
    if (PACKAGES.has(name)) return name;
  }
  return null;
}

/** Lines of one sort, by the names and paths they are for. */
class Lines<L extends AnyLine> {
  readonly #byPath = new Map<string, L[]>();
  readonly #byName = new Map<string, { line: L; receivers: readonly string[] | null }[]>();

  constructor(entries: readonly { entry: Pick<Package, 'package' | 'receivers'>; line: L }[]) {
    for (const { entry, line } of entries) {
      const receivers = (line.receivers ?? entry.receivers ?? '').split(' ').filter(Boolean);
      for (const path of line.exports.replaceAll('()', '').split(' ')) {
        append(this.#byPath, path === 'default' ? entry.package : `${entry.package}.${path}`, line);
        const last = path.slice(path.lastIndexOf('.') + 1);
        if (line.free === true) append(this.#byName, last, { line, receivers: null });
        else if (receivers.length > 0) append(this.#byName, last, { line, receivers });
      }
    }
  }

  /** The lines for what is called or read; by usual names where its path is not known. */
  find({ name, origin, receiver, receiverPath }: Site): Found<L>[] {
    const root = origin === null ? null : packageOf(plain(origin));
    if (origin !== null && root !== null) {
      const path = plain(origin);
      const own = this.#byPath.get(path) ?? [];
      const any = path === root ? [] : (this.#byPath.get(`${root}.*.${name}`) ?? []);
      return [...own, ...any].map((line) => ({ line, isByName: false }));
    }
    if (receiver === null ? origin !== null : !isOpen(receiver)) return [];
    const last = lastName(receiverPath);
    return (this.#byName.get(name) ?? [])
      .filter(
        ({ receivers }) => receivers === null || receivers.some((usual) => isNamed(last, usual)),
      )
      .map(({ line, receivers }) => ({ line, isByName: receivers === null }));
  }
}

function append<K>(map: Map<string, K[]>, key: string, item: K): void {
  const known = map.get(key);
  if (known === undefined) map.set(key, [item]);
  else if (!known.includes(item)) known.push(item);
}

/** Nothing in view says what it is. */
function isOpen({ properties, elements, constant, pieces, callable }: Value): boolean {
  const isKnown = properties !== null || elements !== null || constant !== null || pieces !== null;
  return !isKnown && callable === null;
}

function lastName(path: string | null): string {
  return path === null ? '' : path.slice(path.lastIndexOf('.') + 1).replace(/^_+/, '');
}

/** `cursor`, `db_cursor` and `read_cursor` for `cursor`. */
function isNamed(name: string, usual: string): boolean {
  return name === usual || name.endsWith(`_${usual}`);
}

type Sort<L> = (entry: Package) => readonly L[];

function linesOf<L extends AnyLine>(sort: Sort<L>): Lines<L> {
  return new Lines(pythonPackages.flatMap((entry) => sort(entry).map((line) => ({ entry, line }))));
}

/** The exports of a source line that are called, or those that are not. */
function sourcesOf(isCall: boolean): Sort<SourceLine> {
  return (entry) =>
    (entry.sources ?? []).flatMap((line) => {
      const exports = line.exports.split(' ').filter((path) => path.endsWith('()') === isCall);
      return exports.length === 0 ? [] : [{ ...line, exports: exports.join(' ') }];
    });
}

const SINKS = linesOf<SinkLine>((entry) => entry.sinks ?? []);
const READS = linesOf<SourceLine>(sourcesOf(false));
const CALLS = linesOf<SourceLine>(sourcesOf(true));
const PROPAGATORS = linesOf<PropagatorLine>((entry) => entry.propagators ?? []);
const SANITIZERS = new Lines<SanitizerLine>(
  pythonSanitizers.map((line) => ({ entry: line, line })),
);

/** Sinks that are called. */
export function sinksAt(site: Site): Found<SinkLine>[] {
  return SINKS.find(site);
}

/** The line that makes a member data from outside; null: none. */
export function readAt(site: Site): SourceLine | null {
  return READS.find(site)[0]?.line ?? null;
}

/** The line that makes a call's result data from outside; null: none. */
export function callAt(site: Site): SourceLine | null {
  return CALLS.find(site)[0]?.line ?? null;
}

/** The line of a function that hands data on; null: none. */
export function propagatorAt(site: Site): PropagatorLine | null {
  return PROPAGATORS.find(site)[0]?.line ?? null;
}

/** The line of a function whose result is safe for some uses; null: none. */
export function sanitizerAt(site: Site): SanitizerLine | null {
  return SANITIZERS.find(site)[0]?.line ?? null;
}
