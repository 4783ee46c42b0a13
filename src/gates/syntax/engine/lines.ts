import { lesserId } from '../../../model/finding.ts';
import type {
  Package,
  PropagatorLine,
  SanitizerLine,
  SinkKind,
  SinkLine,
  SourceLine,
} from '../../../rules/catalogue/line.ts';
import { TAINT } from '../../limits.ts';
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
import { TRUSTED, type Value } from '../sinks/value.ts';
import type { State } from './state.ts';

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
export interface Found<L> {
  readonly line: L;
  readonly isByName: boolean;
}

type AnyLine = Pick<SinkLine, 'exports' | 'receivers' | 'free'>;

/** A path from a module without calls on the way. */
function plain(path: string): string {
  return path.replaceAll('()', '');
}

/** The longest of the packages that a path begins with; null when absent. */
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

  /** Last names of all paths: most of what is called has none of them. */
  readonly #names = new Set<string>();
  readonly #packages: ReadonlySet<string>;

  constructor(
    packages: ReadonlySet<string>,
    entries: readonly { entry: Pick<Package, 'package' | 'receivers'>; line: L }[],
  ) {
    this.#packages = packages;
    for (const { entry, line } of entries) {
      const receivers = (line.receivers ?? entry.receivers ?? '').split(' ').filter(Boolean);
      for (const path of line.exports.replaceAll('()', '').split(' ')) {
        const whole = path === 'default' ? entry.package : `${entry.package}.${path}`;
        append(this.#byPath, whole, line);
        this.#names.add(whole.slice(whole.lastIndexOf('.') + 1));
        const last = path.slice(path.lastIndexOf('.') + 1);
        if (line.free === true) append(this.#byName, last, { line, receivers: null });
        else if (receivers.length > 0) append(this.#byName, last, { line, receivers });
      }
    }
  }

  hasName(name: string): boolean {
    return this.#names.has(name);
  }

  /** The lines for what is called or read; by usual names where its path is not known. */
  find({ name, origin, receiver, receiverPath }: Site): Found<L>[] {
    // Most of what is called has a name that none of the lines has.
    const isNamedSo = origin === null || origin.endsWith(name);
    if (isNamedSo && !this.#names.has(name)) return [];
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
  /** Sinks that are assigned to, as a member or under a key. */
  assignsAt(site: Site): Found<SinkLine>[];
  /** Whether some sink has that last name. */
  namesSink(name: string): boolean;
  /** The line that makes a member data from outside; null when absent. */
  readAt(site: Site): SourceLine | null;
  /** The line that makes a call's result data from outside; null when absent. */
  callAt(site: Site): SourceLine | null;
  /** The line of a function that hands data on; null when absent. */
  propagatorAt(site: Site): PropagatorLine | null;
  /** The line of a function whose result is safe for some uses; null when absent. */
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
  const isAssigned = ({ how }: SinkLine) => how === 'assign';
  const sinks = linesOf<SinkLine>(
    (entry) => entry.sinks?.filter((line) => !isAssigned(line)) ?? [],
  );
  const assigns = linesOf<SinkLine>((entry) => entry.sinks?.filter(isAssigned) ?? []);
  const reads = linesOf<SourceLine>((entry) => sourcesOf(entry, false));
  const calls = linesOf<SourceLine>((entry) => sourcesOf(entry, true));
  const propagators = linesOf<PropagatorLine>((entry) => entry.propagators ?? []);
  const safe = new Lines<SanitizerLine>(
    names,
    sanitizers.map((line) => ({ entry: line, line })),
  );
  return {
    sinksAt: (site) => sinks.find(site),
    assignsAt: (site) => assigns.find(site),
    namesSink: (name) => sinks.hasName(name),
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
  lines: readonly Found<SinkLine>[],
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
  if (line.when !== undefined && !isOn(keywords.get(line.when))) return null;
  if (line.shell === true && !startsShell(call)) return null;
  if (line.writer?.split(' ').includes(plain(args[0]?.origin ?? '')) === false) return null;
  const isOff = line.unless?.split(' ').some((name) => isOn(keywords.get(name)));
  if (run.language.isTyped && site.origin === null && line.kind === 'sql') {
    // Of something that is only named like a database: text that is put together, no plain value.
    if (args[line.args?.[0] ?? 0]?.pieces == null) return null;
  }
  if (isOff || (line.unless !== undefined && args.slice(1).some(isSafeLoader))) return null;
  if (isSetting(line.kind)) return settingIn(line, call);
  for (const index of line.args ?? (line.options === undefined ? [0] : [])) {
    const value = index < 0 ? site.receiver : args[index];
    if (value == null) continue;
    // A program whose arguments are arguments of the call.
    const isSpread = line.kind === 'program' && value.elements === null && args.length > index + 1;
    const found = isSpread
      ? program(run, line, args.slice(index))
      : dangerIn(run, line, value, index, isByName);
    if (found !== null) return found;
  }
  for (const name of line.options?.split(' ') ?? []) {
    const value = keywords.get(name);
    const found = value === undefined ? null : dangerIn(run, line, value, 0, isByName);
    if (found !== null) return found;
  }
  return null;
}

/** The danger of a fixed value, of one that is missing, or of the call itself. */
function settingIn(line: SinkLine, { args, keywords, site }: Looked): Danger | null {
  const at = (index: number) => (index < 0 ? site.receiver : args[index]) ?? null;
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
    const value = keywords.get(name);
    if (value !== undefined && isWrong(line, value, textsOf(value))) return found(value, -1);
  }
  return null;
}

/** Kinds of which not every value is wrong. */
const BY_VALUE: ReadonlySet<SinkKind> = new Set(['random', 'secret']);

/** A literal, those of a list, the one that stands in for a setting, or the name of a constant. */
function textsOf({ constant, elements, origin, fallback }: Value): string[] {
  const known = constant ?? fallback;
  if (known !== null) return [known];
  if (elements !== null) return elements.flatMap((item) => item.constant ?? []);
  return origin === null || origin.endsWith(')') ? [] : [origin.replace(/^.*\./, '')];
}

/** Whether a call, or the one that made its receiver, starts a program that reads a script. */
function startsShell({ args, site }: Looked): boolean {
  const [first] = args;
  const given = first?.elements?.[0] ?? first;
  const program = site.receiver?.fallback ?? given?.constant ?? '';
  const name = program.split(/\s/, 1)[0] ?? '';
  const isAlone = (first?.elements?.length ?? 1) <= 2;
  return isAlone && (SHELL.test(name) || RUNNER.test(name));
}

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

function dangerTo(
  run: Judge,
  line: SinkLine,
  value: Value,
  argument: number,
  isByName: boolean,
): Danger | null {
  if (line.kind === 'sql' && isByName && !isStatement(value)) return null;
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
 * scripts are full of them, and gate 1 has rules for those that are certain by a line.
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
