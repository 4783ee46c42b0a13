import type {
  Package,
  PropagatorLine,
  SanitizerLine,
  SinkLine,
  SourceLine,
} from '../../../rules/catalogue/line.ts';
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

/** A path from a module without calls on the way. */
function plain(path: string): string {
  return path.replaceAll('()', '');
}

/** The longest of the packages that a path begins with; null: none. */
function packageOf(packages: ReadonlySet<string>, path: string): string | null {
  for (let end = path.length; end > 0; end = path.lastIndexOf('.', end - 1)) {
    const name = path.slice(0, end);
    if (packages.has(name)) return name;
  }
  return null;
}

/** Lines of one sort, by the names and paths they are for. */
class Lines<L extends AnyLine> {
  readonly #byPath = new Map<string, L[]>();
  readonly #byName = new Map<string, { line: L; receivers: readonly string[] | null }[]>();

  readonly #packages: ReadonlySet<string>;

  constructor(
    packages: ReadonlySet<string>,
    entries: readonly { entry: Pick<Package, 'package' | 'receivers'>; line: L }[],
  ) {
    this.#packages = packages;
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
    const root = origin === null ? null : packageOf(this.#packages, plain(origin));
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
function isOpen({ properties, elements, constant, pieces, callable, role }: Value): boolean {
  const isKnown = properties !== null || elements !== null || constant !== null || pieces !== null;
  return !isKnown && callable === null && role !== 'plain';
}

function lastName(path: string | null): string {
  return path === null ? '' : path.slice(path.lastIndexOf('.') + 1).replace(/^_+/, '');
}

/** `cursor`, `db_cursor`, `readCursor` and `DB` for `cursor` and `db`. */
function isNamed(name: string, usual: string): boolean {
  if (name === usual || name.endsWith(`_${usual}`) || name.toLowerCase() === usual) return true;
  const isLong = usual.length > 1 && name.length > usual.length;
  return isLong && /[a-z]$/.test(name.slice(0, -usual.length)) && isCapital(name, usual);
}

function isCapital(name: string, usual: string): boolean {
  const end = name.slice(-usual.length);
  return /^[A-Z]/.test(end) && end.toLowerCase() === usual.toLowerCase();
}

/** What packages of a language do with data, looked up by what is called or read. */
export interface Catalogue {
  /** Sinks that are called. */
  sinksAt(site: Site): Found<SinkLine>[];
  /** The line that makes a member data from outside; null: none. */
  readAt(site: Site): SourceLine | null;
  /** The line that makes a call's result data from outside; null: none. */
  callAt(site: Site): SourceLine | null;
  /** The line of a function that hands data on; null: none. */
  propagatorAt(site: Site): PropagatorLine | null;
  /** The line of a function whose result is safe for some uses; null: none. */
  sanitizerAt(site: Site): SanitizerLine | null;
}

/** Makes the catalogue of one language. */
export function createCatalogue(
  packages: readonly Package[],
  sanitizers: readonly SanitizerLine[],
): Catalogue {
  const names = new Set([...packages, ...sanitizers].map((entry) => entry.package));
  const linesOf = <L extends AnyLine>(sort: (entry: Package) => readonly L[]) =>
    new Lines<L>(
      names,
      packages.flatMap((entry) => sort(entry).map((line) => ({ entry, line }))),
    );
  const sinks = linesOf<SinkLine>((entry) => entry.sinks ?? []);
  const reads = linesOf<SourceLine>((entry) => sourcesOf(entry, false));
  const calls = linesOf<SourceLine>((entry) => sourcesOf(entry, true));
  const propagators = linesOf<PropagatorLine>((entry) => entry.propagators ?? []);
  const safe = new Lines<SanitizerLine>(
    names,
    sanitizers.map((line) => ({ entry: line, line })),
  );
  return {
    sinksAt: (site) => sinks.find(site),
    readAt: (site) => reads.find(site)[0]?.line ?? null,
    callAt: (site) => calls.find(site)[0]?.line ?? null,
    propagatorAt: (site) => propagators.find(site)[0]?.line ?? null,
    sanitizerAt: (site) => safe.find(site)[0]?.line ?? null,
  };
}

/** The exports of source lines that are called, or those that are not. */
function sourcesOf(entry: Package, isCall: boolean): SourceLine[] {
  return (entry.sources ?? []).flatMap((line) => {
    const exports = line.exports.split(' ').filter((path) => path.endsWith('()') === isCall);
    return exports.length === 0 ? [] : [{ ...line, exports: exports.join(' ') }];
  });
}
