import { lesserId } from '../../../model/finding.ts';
import {
  type CheckLine,
  type ConsumerLine,
  LAST_ARGUMENT,
  type Package,
  type PropagatorLine,
  type SanitizerLine,
  type SinkKind,
  type SinkLine,
  type SourceLine,
} from '../../../rules/catalogue/line.ts';
import type { Table } from '../../../rules/catalogue/table.ts';
import { TAINT } from '../../limits.ts';
import { decoded } from '../sinks/code.ts';
import {
  dangerAt,
  isSetting,
  isWrong,
  lessened,
  RUNNER,
  RUNNER_FLAG,
  STARTS_OTHERS,
  settingAt,
} from '../sinks/kinds.ts';
import { holesInValues } from '../sinks/query.ts';
import type { Danger } from '../sinks/sink.ts';
import { type Callable, TRUSTED, type Value } from '../sinks/value.ts';
import { isTypedPlain } from './answer-types.ts';
import type { State } from './state.ts';

/** What is called or read, by its names. */
export interface Site {
  /** The last name: `run` of `subprocess.run`; '' when it is computed. */
  readonly name: string;
  /** Its path from a module, calls on the way as `()`; null: nothing in view says it. */
  readonly origin: string | null;
  /** How it came of a package with rows, where `origin` does not say it: `pg.Pool().query`. */
  readonly made?: string | null;
  /** The file says what the first name is, and it is not an import. */
  readonly isDeclared?: boolean;
  /** The file replaces a global or a method of this name. */
  readonly isPatched?: boolean;
  /** The function itself, where the file shows it. */
  readonly callable?: Callable | null;
  /** What stands before the last name; null for a plain name. */
  readonly receiver: Value | null;
  /** How that is written, when it is a chain of names: `self.cursor`. */
  readonly receiverPath: string | null;
}

/** A line by which a call is judged. */
export type Judged = Pick<Found<SinkLine>, 'line' | 'isByName'>;

/** A line with its package, and how it was found: by its path from there, or by names alone. */
interface Found<L> {
  readonly line: L;
  readonly entry: Entry;
  readonly isByName: boolean;
}

type AnyLine = Pick<SinkLine, 'exports' | 'receivers' | 'free'>;
type Entry = Pick<Package, 'package' | 'receivers' | 'aliases' | 'closed'>;

/** How names of a language are read. */
export interface Naming {
  /** The ways to read a path from a module, without how each step was made. */
  readings(path: string): readonly string[];
  /** A module of the program's own, which may hold anything under its usual name. */
  isOwnModule(path: string): boolean;
  /** Nothing in view says what a receiver is. */
  isOpen(receiver: Value): boolean;
  /** Whether a receiver that is written so has a usual name. */
  isUsual(receiverPath: string | null, usual: string): boolean;
  /** Only what a row writes as a method is called on something, and nothing else is. */
  readonly isExact: boolean;
  /** What is called on a receiver as if it were not: `window.fetch`. */
  readonly global: RegExp;
}

/** Names in a language whose modules, classes and methods have one path each. */
const PLAIN_NAMES: Naming = {
  readings: (path) => [withoutCalls(path)],
  isOwnModule: () => true,
  isOpen({ properties, elements, constant, pieces, callable, role }) {
    const isKnown =
      properties !== null || elements !== null || constant !== null || pieces !== null;
    return !isKnown && callable === null && role !== 'plain';
  },
  isUsual(receiverPath, usual) {
    const name = lastOf(receiverPath ?? '').replace(/^_+/, '');
    // `cursor`, `db_cursor`, `readCursor` and `DB` for `cursor` and `db`.
    if (name === usual || name.endsWith(`_${usual}`) || name.toLowerCase() === usual) return true;
    const isLong = usual.length > 1 && name.length > usual.length;
    return isLong && /[a-z]$/.test(name.slice(0, -usual.length)) && isCapital(name, usual);
  },
  isExact: false,
  global: /^(?!)/,
};

function isCapital(name: string, usual: string): boolean {
  const end = name.slice(-usual.length);
  return /^[A-Z]/.test(end) && end.toLowerCase() === usual.toLowerCase();
}

/** Whether a name is all of a path, or its last step. */
function isLast(path: string, name: string): boolean {
  const before = path.length - name.length - 1;
  return path.endsWith(name) && (before < 0 || path[before] === '.');
}

function lastOf(path: string): string {
  return path.slice(path.lastIndexOf('.') + 1);
}

/** A path without the marks of calls: `pg.Pool().query` is `pg.Pool.query`. */
export function withoutCalls(path: string): string {
  return path.includes('()') ? path.replaceAll('()', '') : path;
}

/** Where a path leads: its package, and what follows that. */
interface Root {
  readonly name: string;
  readonly rest: string;
}

/** Paths whose lines are remembered. */
const REMEMBERED_MAX = 4_096;

/** Names of packages with lines, and which of them a path is of. */
class Roots {
  readonly naming: Naming;
  readonly #packages: ReadonlySet<string>;
  readonly #known = new Map<string, readonly Root[]>();

  constructor(naming: Naming, packages: ReadonlySet<string>) {
    this.naming = naming;
    this.#packages = packages;
  }

  /** The longest of the packages that a path begins with, by each of its readings. */
  of(path: string): readonly Root[] {
    const known = this.#known.get(path);
    if (known !== undefined) return known;
    const found = this.naming.readings(path).flatMap((written) => {
      // What the package itself gives back is called.
      const called = written.slice(0, -2);
      if (written.endsWith('()') && this.#packages.has(called))
        return [{ name: called, rest: '()' }];
      for (let end = written.length; end > 0; end = written.lastIndexOf('.', end - 1)) {
        const name = written.slice(0, end);
        if (this.#packages.has(name)) return [{ name, rest: written.slice(end + 1) }];
      }
      return [];
    });
    if (this.#known.size >= REMEMBERED_MAX) this.#known.clear();
    this.#known.set(path, found);
    return found;
  }
}

/** Lines of one sort, by the names and paths they are for. */
class Lines<L extends AnyLine> {
  readonly #byPath = new Map<string, Found<L>[]>();
  /** By the whole name that a plain function goes by, or one behind an alias: `cp.exec`. */
  readonly #byName = new Map<string, Found<L>[]>();
  readonly #byReceiver = new Map<
    string,
    { found: Found<L>; receivers: readonly string[] | null }[]
  >();
  /** Last names of all paths: most of what is called has none of them. */
  readonly #names = new Set<string>();
  readonly #roots: Roots;

  constructor(roots: Roots, entries: readonly { entry: Entry; line: L }[]) {
    this.#roots = roots;
    for (const { entry, line } of entries) {
      for (const path of line.exports.split(' ')) this.#add(entry, line, path);
    }
  }

  #add(entry: Entry, line: L, path: string): void {
    const { naming } = this.#roots;
    // What every program has goes by its whole name.
    const isGlobal = entry.package === 'global';
    const isFree = line.free === true;
    const receivers = words(line.receivers ?? entry.receivers ?? '');
    const isMethod = !naming.isExact || path.includes('.');
    const isPlain = !naming.isExact || !path.includes('.');
    // `default()` is what the package itself gives back.
    const member = path === 'default()' ? '()' : path;
    const whole = path === 'default' ? entry.package : `${entry.package}.${member}`;
    const last = path === 'default' ? lastOf(entry.package) : lastOf(path);
    append(this.#byPath, whole, { line, entry, isByName: false });
    this.#names.add(last.replace('()', ''));
    if (isMethod && (isFree || receivers.length > 0)) {
      const found = { line, entry, isByName: isFree };
      appendTo(this.#byReceiver, last, { found, receivers: isFree ? null : receivers });
    }
    const found = { line, entry, isByName: true };
    if (isGlobal) append(this.#byName, path, found);
    else if (isFree && isPlain) {
      append(this.#byName, path === 'default' ? entry.package : last, found);
    }
    for (const alias of words(entry.aliases ?? '')) {
      this.#names.add(lastOf(alias));
      if (path === 'default') append(this.#byName, alias, found);
      else if (!path.startsWith('*')) append(this.#byName, `${alias}.${path}`, found);
    }
  }

  hasName(name: string): boolean {
    return this.#names.has(name);
  }

  /** The lines for what is called or read; by usual names where its path is not known. */
  find(site: Site): readonly Found<L>[] {
    const { name, receiverPath } = site;
    const { naming } = this.#roots;
    const path = site.made ?? site.origin;
    // Most of what is called has a name that none of the lines has.
    if (!this.#names.has(name) && (path === null || isLast(path, name))) return NOTHING;
    if (site.callable != null || site.isPatched === true) return NOTHING;
    if (path !== null) {
      const found = this.#at(path);
      if (found !== null) return found;
      if (!naming.isOwnModule(path)) return NOTHING;
    }
    const { receiver } = site;
    const isUndeclared = site.isDeclared !== true && path === null;
    if (receiver === null) return (isUndeclared && this.#byName.get(name)) || NOTHING;
    if (isUndeclared && receiverPath !== null) {
      const before = receiverPath.replace(naming.global, '');
      const [plain = ''] = naming.readings(before === '' ? name : `${before}.${name}`);
      const named = this.#byName.get(plain);
      if (named !== undefined) return named;
    }
    return this.#byUsualName(name, receiverPath, receiver);
  }

  /** The lines for a path from a package; null where it is of none. */
  #at(path: string): readonly Found<L>[] | null {
    const roots = this.#roots.of(path);
    if (roots.length === 0) return null;
    for (const { name, rest } of roots) {
      const exact = this.#byPath.get(rest === '' ? name : `${name}.${rest}`) ?? NOTHING;
      const anywhere = rest === '' ? NOTHING : this.#byPath.get(`${name}.*.${lastOf(rest)}`);
      if (anywhere === undefined || anywhere.length === 0) {
        if (exact.length > 0) return exact;
        continue;
      }
      const steps = rest.split('.').slice(0, -1);
      return [...exact, ...anywhere.filter(({ entry }) => !isClosed(entry, steps))];
    }
    return NOTHING;
  }

  #byUsualName(name: string, receiverPath: string | null, receiver: Value): readonly Found<L>[] {
    const known = this.#byReceiver.get(name);
    const { naming } = this.#roots;
    if (known === undefined || !naming.isOpen(receiver)) return NOTHING;
    return known
      .filter(
        ({ receivers }) =>
          receivers === null || receivers.some((usual) => naming.isUsual(receiverPath, usual)),
      )
      .map(({ found }) => found);
  }
}

const NOTHING: readonly never[] = [];

/** Whether a path goes by way of a function whose results are something else. */
function isClosed({ closed }: Entry, steps: readonly string[]): boolean {
  return closed?.split(' ').some((name) => steps.includes(name)) === true;
}

function words(list: string): string[] {
  return list.split(' ').filter(Boolean);
}

function append<L>(map: Map<string, Found<L>[]>, key: string, found: Found<L>): void {
  const known = map.get(key);
  if (known?.some(({ line }) => line === found.line) === true) return;
  appendTo(map, key, found);
}

function appendTo<K>(map: Map<string, K[]>, key: string, item: K): void {
  const known = map.get(key);
  if (known === undefined) map.set(key, [item]);
  else known.push(item);
}

/** What packages of a language do with data, looked up by what is called or read. */
export interface Catalogue {
  /** Whether lines are of the package that a path begins with. */
  isKnown(path: string): boolean;
  /** Sinks that are called. */
  sinksAt(site: Site): readonly Found<SinkLine>[];
  /** The same of template tags, and of properties that are assigned to. */
  tagsAt(site: Site): readonly Found<SinkLine>[];
  assignsAt(site: Site): readonly Found<SinkLine>[];
  /** Sinks that are properties of any object literal or element, by their name. */
  propertiesAt(name: string): readonly SinkLine[];
  /** Whether some sink has that last name. */
  namesSink(name: string): boolean;
  /** The line that makes a member data from outside; null when absent. */
  readAt(site: Site): SourceLine | null;
  /** The line that makes a call's result data from outside; null when absent. */
  callAt(site: Site): SourceLine | null;
  /** Lines that say what a function is given which is given to a call. */
  callbacksAt(site: Site): readonly Found<SourceLine>[];
  /** What a decorator of a parameter says that it holds; null when absent. */
  decoratorAt(name: string): SourceLine | null;
  /** Lines of queues and brokers, by the name of a method, or `option` and that of an option. */
  consumersAt(name: string): readonly ConsumerLine[];
  /** The line of a function that hands data on; null when absent. */
  propagatorAt(site: Site): PropagatorLine | null;
  /** The line of a function whose result is safe for some uses; null when absent. */
  sanitizerAt(site: Site): SanitizerLine | null;
  /** What a function that looks at its first argument proves; null when absent. */
  checkAt(site: Site): CheckLine | null;
}

/** The rows of a table that are about packages. */
export type PackageRows = Pick<Table, 'packages' | 'sanitizers' | 'checks' | 'consumers'>;

/** Makes the catalogue of one language. */
export function createCatalogue(table: PackageRows, naming: Naming = PLAIN_NAMES): Catalogue {
  const { packages, sanitizers, checks, consumers } = table;
  const namesOf = (entries: readonly Entry[]) => new Set(entries.map((entry) => entry.package));
  const known = new Roots(naming, namesOf(packages));
  const roots = new Roots(naming, namesOf([...packages, ...sanitizers, ...checks]));
  const linesOf = <L extends AnyLine>(sort: (entry: Package) => readonly L[]) =>
    new Lines<L>(
      roots,
      packages.flatMap((entry) => sort(entry).map((line) => ({ entry, line }))),
    );
  const sinksOf = (how: NonNullable<SinkLine['how']>) =>
    linesOf<SinkLine>(({ sinks = [] }) => sinks.filter((line) => (line.how ?? 'call') === how));
  const properties = new Map<string, SinkLine[]>();
  const decorators = new Map<string, SourceLine>();
  for (const { sinks = [], sources = [] } of packages) {
    for (const line of sinks.filter(({ how }) => how === 'property')) {
      for (const name of line.exports.split(' ')) appendTo(properties, name, line);
    }
    for (const line of sources.filter(({ decorator }) => decorator === true)) {
      for (const name of line.exports.split(' ')) {
        if (!decorators.has(name)) decorators.set(name, line);
      }
    }
  }
  const consuming = new Map<string, ConsumerLine[]>();
  for (const line of consumers) {
    const names = line.option === undefined ? line.exports.split(' ') : [`option ${line.option}`];
    for (const name of names) appendTo(consuming, name, line);
  }
  const calls = sinksOf('call');
  const tags = sinksOf('tag');
  const assigns = sinksOf('assign');
  const reads = linesOf<SourceLine>((entry) => sourcesOf(entry, false));
  const results = linesOf<SourceLine>((entry) => sourcesOf(entry, true));
  const callbacks = linesOf<SourceLine>(({ sources = [] }) =>
    sources.filter(({ callback }) => callback !== undefined),
  );
  const propagators = linesOf<PropagatorLine>((entry) => entry.propagators ?? []);
  return {
    isKnown: (path) => known.of(path).length > 0,
    sinksAt: (site) => calls.find(site),
    tagsAt: (site) => tags.find(site),
    assignsAt: (site) => assigns.find(site),
    propertiesAt: (name) => properties.get(name) ?? NOTHING,
    namesSink: (name) => calls.hasName(name),
    readAt: (site) => reads.find(site)[0]?.line ?? null,
    callAt: (site) => results.find(site)[0]?.line ?? null,
    callbacksAt: (site) => callbacks.find(site),
    decoratorAt: (name) => decorators.get(name) ?? null,
    consumersAt: (name) => consuming.get(name) ?? NOTHING,
    propagatorAt: (site) => propagators.find(site)[0]?.line ?? null,
    sanitizerAt: firstLine(sanitizers, roots),
    checkAt: firstLine(checks, roots),
  };
}

/** Looks up lines that say themselves which package they are of; null when absent. */
export function lookUp<L extends AnyLine & Entry>(
  lines: readonly L[],
  naming: Naming,
): (site: Site) => L | null {
  return firstLine(lines, new Roots(naming, new Set(lines.map((line) => line.package))));
}

function firstLine<L extends AnyLine & Entry>(lines: readonly L[], roots: Roots) {
  const found = new Lines<L>(
    roots,
    lines.map((line) => ({ entry: line, line })),
  );
  return (site: Site) => found.find(site)[0]?.line ?? null;
}

/** Lines of data whose exports are called, or read. */
function sourcesOf({ sources = [] }: Package, isCall: boolean): SourceLine[] {
  return sources.flatMap((line) => {
    if (line.callback !== undefined) return [];
    const exports = line.exports.split(' ').filter((path) => path.endsWith('()') === isCall);
    const plain = exports.join(' ').replaceAll('()', '');
    return plain === '' ? [] : [{ ...line, exports: plain }];
  });
}

/** What a language is asked for where a value reaches a sink. */
export interface Rules {
  /** Types say what a name stands for, so that a usual name by itself says less. */
  readonly isTyped: boolean;
  /** Whether a value is an open file or upload, not the name of one. */
  isStream(value: Value): boolean;
}

/** What is known of checks where a value reaches a sink. */
export type Safety = Pick<State, 'safetyTest'>;

/** The name under which arguments come whose names are not known: a table that is spread. */
export const ANY_NAME = '';

/** A call as sinks look at it. */
export interface Looked {
  readonly site: Site;
  readonly args: readonly Value[];
  /** Arguments with a name, and fields of a literal. */
  readonly keywords: ReadonlyMap<string, Value>;
}

/** What data from outside does at a call, by the first of the lines for it that says so. */
export function dangerAtCall(
  rules: Rules,
  scope: Safety,
  call: Looked,
  lines: readonly Judged[],
): Danger | null {
  for (const { line, isByName } of lines) {
    const danger = dangerOf({ language: rules, scope }, line, call, isByName);
    if (danger !== null) return danger;
  }
  return null;
}

/** Where a call is looked at. */
interface Judge {
  readonly language: Rules;
  readonly scope: Safety;
}

function dangerOf(run: Judge, line: SinkLine, call: Looked, isByName: boolean): Danger | null {
  const { args, keywords, site } = call;
  const named =
    line.when === undefined ? undefined : (keywords.get(line.when) ?? settingOf(call, line.when));
  if (line.when !== undefined && !isOn(named) && !isGiven(line.when, call)) return null;
  // What is started stands first, or under the name that `when` says.
  const started = named === undefined ? args : [named];
  if (line.shell === true && !startsShell({ args: started, receiver: site.receiver })) return null;
  if (line.writer?.split(' ').includes((args[0]?.origin ?? '').replaceAll('()', '')) === false)
    return null;
  const isOff = line.unless?.split(' ').some((name) => isOn(keywords.get(name)));
  if (run.language.isTyped && site.origin === null && line.kind === 'sql') {
    // Of something that is only named like a database: text that is put together, no plain value.
    if (args[line.args?.[0] ?? 0]?.pieces == null) return null;
  }
  if (isOff || (line.unless !== undefined && args.slice(1).some(isSafeLoader))) return null;
  if (isSetting(line.kind)) return settingIn(line, call);
  if (line.kind === 'page' && !keywords.has(ANY_NAME)) {
    const isJudged = (index: number) => (line.args ?? [0]).includes(index);
    const others = args.filter((_, index) => !isJudged(index));
    const type = line.type === undefined ? undefined : args[line.type];
    if (isTypedPlain(keywords, others, type)) return null;
  }
  for (const { value, index, all } of placesOf(line, call)) {
    const found =
      all === null ? dangerIn(run, line, value, index, isByName) : program(run, line, all);
    if (found !== null) return found;
  }
  return null;
}

/** Where a call gets what a line judges. */
interface Place {
  readonly value: Value;
  /** Of an argument; 0 for an option. */
  readonly index: number;
  /** A program with its arguments, which are arguments of the call; null: the value alone. */
  readonly all: readonly Value[] | null;
}

/** An argument by its position in a line, or what the method is called on. */
export function argumentAt<T>(
  index: number,
  { args, receiver }: { readonly args: readonly T[]; readonly receiver: T | null },
): T | null {
  if (index === LAST_ARGUMENT) return args.at(-1) ?? null;
  return (index < 0 ? receiver : args[index]) ?? null;
}

/** What a line judges of a call: arguments by their place, then options. */
function placesOf(line: SinkLine, { args, keywords, site }: Looked): Place[] {
  const places: Place[] = [];
  for (const index of line.args ?? (line.options === undefined ? [0] : [])) {
    const value = argumentAt(index, { args, receiver: site.receiver });
    if (value === null) continue;
    const isSpread = line.kind === 'program' && value.elements === null && args.length > index + 1;
    places.push({ value, index, all: isSpread ? args.slice(index) : null });
  }
  for (const name of line.options?.split(' ') ?? []) {
    const isKey = name.startsWith('$');
    const value = optionAt(keywords, name) ?? (isKey ? keyIn(args, name) : undefined);
    if (value !== undefined) places.push({ value, index: 0, all: null });
  }
  return places;
}

/** The values of a call that a line judges. */
export function judgedBy(line: SinkLine, call: Looked): readonly Value[] {
  return placesOf(line, call).flatMap(({ value, all }) => all ?? value);
}

/** What a method of that name was given last, on what the call is made on or is given. */
function settingOf({ args, site }: Looked, name: string): Value | undefined {
  for (const one of [site.receiver, ...args]) {
    const value = one?.settings?.get(name);
    if (value !== undefined) return value;
  }
  return undefined;
}

/** The danger of a fixed value, of a missing value, or of the call itself. */
function settingIn(line: SinkLine, { args, keywords, site }: Looked): Danger | null {
  const at = (index: number) => argumentAt(index, { args, receiver: site.receiver });
  const names = line.options?.split(' ') ?? [];
  const found = (value: Value, index: number) => lessened(line, settingAt(line.kind, value, index));
  if (line.missing === true) {
    const [index] = line.args ?? [];
    if (line.value?.test(args[0]?.constant ?? '') === false) return null;
    const given = index === undefined ? keywords : at(index)?.settings;
    // What is spread into it may hold any name.
    if (given === undefined || given.has(ANY_NAME) || names.some((name) => given.has(name))) {
      return null;
    }
    return found(TRUSTED, -1);
  }
  const isAlways = line.value === undefined && line.options === undefined;
  const isAny = isAlways && (line.args ?? []).length === 0;
  if (isAny && !BY_VALUE.has(line.kind)) return found(TRUSTED, -1);
  for (const index of line.args ?? (line.options === undefined ? [0] : [])) {
    const value = at(index);
    if (value !== null && isWrong(line, value, textsOf(value))) return found(value, index);
  }
  for (const name of names) {
    const value = optionAt(keywords, name);
    if (value !== undefined && isWrong(line, value, textsOf(value))) return found(value, -1);
  }
  return null;
}

/** An option, or a field of a table which is given as an option: `options.verify`. */
function optionAt(keywords: Looked['keywords'], name: string): Value | undefined {
  const [first = '', ...inner] = name.split('.');
  let value = keywords.get(first);
  for (const key of inner) value = value?.properties?.get(key);
  return value;
}

/** What stands under a key of a table that is an argument: `{'$where': text}`. */
function keyIn(args: readonly Value[], name: string): Value | undefined {
  for (const { properties } of args) {
    const value = properties?.get(name);
    if (value !== undefined) return value;
  }
  return undefined;
}

/** Kinds of which not every value is wrong. */
const BY_VALUE: ReadonlySet<SinkKind> = new Set(['random', 'secret']);

/** A literal, the literals of a list, the default of a setting, or the name of a constant. */
function textsOf({ setting, elements, origin, fallback }: Value): string[] {
  const known = setting ?? fallback;
  if (known !== null) return [known];
  if (elements !== null) return elements.flatMap((item) => item.constant ?? []);
  return origin === null || origin.endsWith(')') ? [] : [origin.replace(/^.*\./, '')];
}

/** What is asked of a call whether it starts a program that reads a script. */
interface Start {
  readonly args: readonly Value[];
  readonly receiver: Value | null;
}

/** Whether a call, or the call that made its receiver, starts a program that reads a script. */
export function startsShell({ args, receiver }: Start): boolean {
  const [first, second] = args;
  const made = receiver?.fallback ?? receiver?.constant ?? null;
  const list = first?.elements ?? [first, ...(second?.elements ?? [])];
  const written = made ?? list[0]?.constant ?? '';
  const [name = '', ...rest] = written.split(/\s+/);
  const others = made === null ? list.slice(1).map((one) => one?.constant ?? '') : [];
  // `su user`, `ssh host`
  const isOne = /(?:^|\/)(?:su|ssh)$/.test(name) && rest.length + others.length === 1;
  const isAlone = [...rest, ...others].every((word) => READS_INPUT.test(word));
  return (isAlone || isOne) && (SHELL.test(name) || RUNNER.test(name));
}

/** Options that leave a program to read its script from what is written to it. */
const READS_INPUT = /^-(?:s|i|l|)$/;

/** Readers that run what they read, by the name of the loader. */
const UNSAFE_LOADER = /(?:^|\.)C?(?:Unsafe|Full)?Loader$/;
const SAFE_LOADER = /(?:^|\.)C?(?:Safe|Base)Loader$/;

/** Whether an option is given, and not switched off. */
function isOn(value: Value | undefined): boolean {
  if (value === undefined) return false;
  return (
    !/^(?:False|false|None|0|)$/.test(value.constant ?? 'x') &&
    !UNSAFE_LOADER.test(value.origin ?? '')
  );
}

/** Whether an argument or option is a text that begins so: `text/html`. */
function isGiven(text: string, { args, keywords }: Looked): boolean {
  // The name of a header, or of a constant of a package.
  const [first] = args;
  if (!text.includes('/')) {
    const isConstant = first?.constant == null && lastOf(first?.origin ?? '') === text;
    return isConstant || first?.constant?.toLowerCase() === text.toLowerCase();
  }
  return [...args, ...keywords.values()].some(({ constant }) => constant?.startsWith(text));
}

function isSafeLoader({ origin }: Value): boolean {
  return SAFE_LOADER.test(origin ?? '');
}

/** Elements of a list that are looked at: more than are kept. */
const ELEMENTS_MAX = 2 * TAINT.MEMBERS_MAX;

function dangerIn(
  run: Judge,
  line: SinkLine,
  value: Value,
  argument: number,
  isByName: boolean,
): Danger | null {
  if (line.kind === 'program' && value.elements !== null) return program(run, line, value.elements);
  // Named parameters, or conditions with their values.
  if (line.kind === 'sql' && value.properties !== null) return null;
  // Frameworks of Python send a table as JSON; what writes answers elsewhere prints it.
  if (line.kind === 'page' && !run.language.isTyped && value.properties !== null) return null;
  // A database runs the text under this key: `bson.M{"$where": text}`.
  const code = line.kind === 'filter' ? (value.properties ?? value.settings)?.get('$where') : null;
  if (code != null) return dangerTo(run, { ...line, kind: 'script' }, code, argument, isByName);
  const parts =
    value.elements ?? (value.properties === null ? null : [...value.properties.values()]);
  if (parts === null) return dangerTo(run, line, value, argument, isByName);
  const looked = line.kind === 'shell' ? parts.slice(0, 1) : parts.slice(0, ELEMENTS_MAX);
  for (const one of looked) {
    const found =
      one.elements === null
        ? dangerTo(run, line, one, argument, isByName)
        : dangerIn(run, line, one, argument, isByName);
    if (found !== null) return found;
  }
  return null;
}

const SHELL = /(?:^|\/)(?:ba|da|z|k|a)?sh$|^(?:cmd|powershell|pwsh)(?:\.exe)?$/i;
const SHELL_FLAG = /^(?:-l?i?c|\/[cCkK]|-[cC]ommand)$/;
/** A program and its arguments, or a list of them: the program itself, or a shell's script. */
function program(run: Judge, line: SinkLine, given: readonly Value[]): Danger | null {
  // `execvp('sh', ['sh', '-c', text])`
  const all = given.flatMap((one, index) => (index > 0 && one.elements) || [one]);
  const isWrapped = STARTS_OTHERS.test(all[0]?.constant ?? '');
  const shell = isWrapped ? all.findIndex(({ constant }) => SHELL.test(constant ?? '')) : 0;
  const elements = all.slice(Math.max(0, shell));
  const [first] = elements;
  if (first === undefined) return null;
  const isShell = SHELL.test(first.constant ?? '');
  const flag = elements.findIndex(({ constant }) => SHELL_FLAG.test(constant ?? ''));
  const isRunner = RUNNER.test(first.constant ?? '');
  const runnerFlag = isRunner
    ? elements.findIndex(({ constant }) => RUNNER_FLAG.test(constant ?? ''))
    : -1;
  if ((isShell && flag > 0) || runnerFlag > 0) {
    const script = elements[(isShell && flag > 0 ? flag : runnerFlag) + 1];
    return script === undefined
      ? null
      : dangerTo(run, { ...line, kind: 'shell' }, script, 0, false);
  }
  return first.elements === null ? dangerTo(run, line, first, 0, false) : null;
}

/** A text that a database takes for a statement. */
const STATEMENT =
  /\b(?:select\b[\s\S]*\bfrom\b|insert\s+(?:or\s+\w+\s+|ignore\s+)?into\b|replace\s+into\b|update\b[\s\S]+\bset\b|delete\s+from\b|merge\s+into\b)|^\s*(?:create|alter|drop|truncate|call|exec|execute|grant|pragma|set|with)\s+\w|\b(?:where|order by|group by|limit|having)\b/i;

/** Looks up names of JNDI, of which addresses of servers bring code. */
const LOOKUP = /\b(?:doL|l)ookup\b/;
/** What a name in a directory begins with, not the address of a server: `uid=`. */
const DIRECTORY_NAME = /^\w+=/;

function dangerTo(
  run: Judge,
  line: SinkLine,
  value: Value,
  argument: number,
  isByName: boolean,
): Danger | null {
  if (line.kind === 'sql' && isByName && !isStatement(value)) return null;
  if (/^(?:code|shell)$/.test(line.kind) && value.role === 'decoded')
    return decoded(value, argument);
  const isLookup = line.kind === 'deserialise' && LOOKUP.test(line.exports);
  if (isLookup && DIRECTORY_NAME.test(String(value.pieces?.[0]))) return null;
  if (line.direct === true && value.isResult && value.pieces === null) return null;
  if (/^(?:path|look|request)$/.test(line.kind) && run.language.isStream(value)) return null;
  const danger = dangerAt(line.kind, value, argument, { safetyOf: run.scope.safetyTest });
  return danger === null ? null : graded(line, danger);
}

function isStatement({ pieces }: Value): boolean {
  if (pieces === null) return false;
  return STATEMENT.test(pieces.map((piece) => (typeof piece === 'string' ? piece : '?')).join(''));
}

/** Kinds for which a text put together from unknown values is worth a look. */
const BUILT: ReadonlySet<SinkKind> = new Set(['shell', 'sql']);

/**
 * What is certain keeps its grade. A text put together from values that nobody knows is medium:
 * scripts are full of them, and gate 1 has rules for sinks that are certain by a line.
 */
function graded(line: SinkLine, danger: Danger): Danger | null {
  const { source, severity } = danger;
  const strength = (source === undefined ? danger.value.source : source)?.strength ?? null;
  if (strength === 'strong') {
    const less = line.severity ?? severity;
    return severity === 'critical' && less === 'critical'
      ? danger
      : { ...danger, severity: less, id: lesserId(danger) };
  }
  const isName = line.kind === 'sql' && holesInValues(danger.value.pieces ?? []) === 0;
  const isShown =
    strength === 'checked' || (BUILT.has(line.kind) && severity === 'high' && !isName);
  return isShown ? { ...danger, severity: 'medium', id: lesserId(danger) } : null;
}
