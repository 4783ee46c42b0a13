import { regexText } from '../../../core/regex-text.ts';
import { javascriptTable } from '../../../rules/catalogue/javascript.ts';
import type { Package, SinkLine } from '../../../rules/catalogue/line.ts';
import { argumentAt, type Catalogue, type Site, startsShell } from '../engine/catalogue-lines.ts';
import { dangerAt, isSetting, isWrong, lessened, settingAt } from './kinds.ts';
import {
  type AssignSite,
  type CallSite,
  type Danger,
  firstOf,
  type Hint,
  type PropertySite,
  type Sink,
  SOURCE_SIGN,
} from './sink.ts';
import { TRUSTED, type Value } from './value.ts';

type Where = Pick<PropertySite, 'safetyOf'>;

/** Sinks that lines of a catalogue name, whatever their class. */
export function cataloguedSink(catalogue: Catalogue): Sink {
  const wrongIn = (line: SinkLine, value: Value, argument: number, site: Where) =>
    judged(line, value, argument, site, catalogue.isKnown);
  return {
    hints: [],
    inCall: (site) =>
      firstOf(catalogue.sinksAt(site).map(({ line }) => inCall(line, site, wrongIn))),
    inTag: (site) =>
      firstOf(
        catalogue.tagsAt(site).map(({ line }) => wrongIn(line, site.args[0] ?? TRUSTED, 0, site)),
      ),
    inAssign: (site) =>
      firstOf(
        catalogue.assignsAt(assigned(site)).map(({ line }) => wrongIn(line, site.value, -1, site)),
      ),
    inProperty: (site) =>
      firstOf(catalogue.propertiesAt(site.name).map((line) => wrongIn(line, site.value, -1, site))),
  };
}

/** The danger of a value to a line's sink. */
type WrongIn = (line: SinkLine, value: Value, argument: number, site: Where) => Danger | null;

function inCall(line: SinkLine, site: CallSite, wrongIn: WrongIn): Danger | null {
  const { args } = site;
  if (line.when !== undefined && !args.some((arg) => isOn(arg, line.when ?? ''))) return null;
  if (line.unless?.split(' ').some((name) => args.some((arg) => isOn(arg, name)))) return null;
  if (line.shell === true && !startsShell(site)) return null;
  if (line.missing === true) return missing(line, site);
  const at = line.args ?? (line.options === undefined ? [0] : []);
  const direct = at.map((index) => {
    const value = argumentAt(index, site);
    return value == null ? null : wrongIn(line, value, index, site);
  });
  const isAlways = isSetting(line.kind) && line.value === undefined && line.options === undefined;
  if (isAlways && line.args === undefined) return lessened(line, settingAt(line.kind, TRUSTED, -1));
  return firstOf([...direct, ...optionsOf(line, site, wrongIn)]);
}

/** The options that a line names, in any argument that is an object. */
function* optionsOf(line: SinkLine, site: CallSite, wrongIn: WrongIn): Generator<Danger | null> {
  for (const path of line.options?.split(' ') ?? []) {
    for (const [index, argument] of site.args.entries()) {
      const value = optionAt(argument, path);
      if (value !== undefined) yield wrongIn(line, value, index, site);
    }
  }
}

function optionAt(argument: Value | undefined, path: string): Value | undefined {
  return path
    .split('.')
    .reduce<Value | undefined>((value, name) => value?.properties?.get(name), argument);
}

/** Whether an option is given, and not switched off. */
function isOn(argument: Value, name: string): boolean {
  const value = optionAt(argument, name);
  return value !== undefined && !/^(?:false|0|)$/.test(value.constant ?? 'x');
}

/** An object of options that lacks one, or none at all where one is expected. */
function missing(line: SinkLine, site: CallSite): Danger | null {
  const [at = 0] = line.args ?? [];
  const options = site.args[at];
  if (line.value?.test(site.args[0]?.constant ?? '') === false) return null;
  const found = () => lessened(line, settingAt(line.kind, options ?? TRUSTED, -1));
  if (options === undefined) return found();
  // Another object may be spread into it.
  const { properties, source } = options;
  if (properties === null || (source !== null && source.strength !== 'operator')) return null;
  const isThere = line.options?.split(' ').some((path) => optionAt(options, path) !== undefined);
  return isThere ? null : found();
}

type IsKnown = Catalogue['isKnown'];

function judged(
  line: SinkLine,
  value: Value,
  argument: number,
  site: Where,
  isKnown: IsKnown,
): Danger | null {
  if (!isSetting(line.kind)) return lessened(line, dangerAt(line.kind, value, argument, site));
  return isWrong(line, value, writtenIn(value, isKnown))
    ? lessened(line, settingAt(line.kind, value, argument))
    : null;
}

/** A literal, the literals of a list, or the last name of a package's constant: `mode.ECB`. */
function writtenIn({ setting, elements, made, origin }: Value, isKnown: IsKnown): string[] {
  if (setting !== null) return [setting];
  if (elements !== null) return elements.flatMap((item) => item.constant ?? []);
  const path = made ?? origin;
  return path === null || path.endsWith(')') || !isKnown(path) ? [] : [path.replace(/^.*\./, '')];
}

/** A property that is assigned to, as the catalogue looks it up. */
function assigned({ object, objectPath, name }: AssignSite): Site {
  const { made, origin, callable } = object;
  return {
    name,
    origin: origin === null ? null : `${origin}.${name}`,
    made: made === null ? null : `${made}.${name}`,
    callable,
    receiver: object,
    receiverPath: objectPath,
  };
}

interface Known {
  readonly line: SinkLine;
  readonly package: Package;
}

/** Signs of the lines in raw text: the package's name and a function's, or the usual names. */
export function catalogueHints(): Hint[] {
  const byPackage = new Map<string, Known[]>();
  const byReceivers = new Map<string, Known[]>();
  const names: Known[] = [];
  const all = javascriptTable.packages.flatMap((entry) =>
    (entry.sinks ?? []).map((line): Known => ({ line, package: entry })),
  );
  const isProperty = ({ line }: Known) => line.how === 'property';
  for (const known of all.filter((one) => !isProperty(one))) {
    const { line, package: entry } = known;
    add(byPackage, entry.package, known);
    const receivers = line.receivers ?? entry.receivers ?? '';
    if (receivers !== '') add(byReceivers, receivers, known);
    if (line.free === true || entry.aliases !== undefined || entry.types !== undefined)
      names.push(known);
  }
  return [
    ...[...byPackage].flatMap(([name, lines]) => packageHints(name, lines)),
    ...[...byReceivers].flatMap(([receivers, lines]) => receiverHints(receivers, lines)),
    ...names.flatMap(nameHints),
    ...all.filter(isProperty).map(({ line }) => wordHint(line.exports.split(' '), [line])),
  ];
}

function packageHints(name: string, lines: readonly Known[]): Hint[] {
  const quoted = new RegExp(`['"\`](?:node:)?${regexText(name)}(?:/[\\w./-]{1,80})?['"\`]`);
  return bySort(lines).map((same) => {
    const hint = wordHint(lastNames(same), same);
    // A package that is called itself goes by any name.
    const isWhole = same.some((line) => line.exports.split(' ').includes('default'));
    const patterns = isWhole ? hint.patterns.slice(1) : hint.patterns;
    return {
      words: [`'${name}`, `"${name}`, `\`${name}`, `:${name}`],
      patterns: [quoted, ...patterns],
    };
  });
}

function receiverHints(receivers: string, lines: readonly Known[]): Hint[] {
  const usual = receivers
    .split(' ')
    .filter(Boolean)
    .map((name) => {
      const first = name.charAt(0);
      return `[${first.toLowerCase()}${first.toUpperCase()}]${regexText(name.slice(1))}`;
    });
  return bySort(lines).map((same) => {
    const names = lastNames(same).map(regexText).join('|');
    const call = new RegExp(
      String.raw`(?:${usual.join('|')})\s{0,20}[!?]?\.\s{0,20}(?:${names})(?![\w$])`,
    );
    const [, ...rest] = wordHint([], same).patterns;
    return { words: lastNames(same), patterns: [call, ...rest] };
  });
}

/** Names by which functions are known without their import. */
function nameHints({ line, package: entry }: Known): Hint[] {
  const aliases = entry.aliases?.split(' ') ?? [];
  const types = entry.types?.split(' ') ?? [];
  const free = line.free === true ? lastNames([line]) : [];
  const first = [...aliases, ...types, ...free];
  const any = new RegExp(String.raw`(?<![\w$])(?:${first.map(regexText).join('|')})(?![\w$])`);
  const hint = wordHint(lastNames([line]), [line]);
  const isWhole = line.exports.split(' ').includes('default');
  return [{ words: first, patterns: [any, ...(isWhole ? hint.patterns.slice(1) : hint.patterns)] }];
}

/** Lines that data from outside is a danger to need a sign of it; others do not. */
function bySort(lines: readonly Known[]): SinkLine[][] {
  const all = lines.map(({ line }) => line);
  const sorts = [all.filter(needsSource), all.filter((line) => !needsSource(line))];
  return sorts.filter((same) => same.length > 0);
}

function needsSource({ kind }: SinkLine): boolean {
  return !isSetting(kind) && kind !== 'shell' && kind !== 'html' && kind !== 'code';
}

function wordHint(words: readonly string[], lines: readonly SinkLine[]): Hint {
  const any = new RegExp(`(?<![\\w$])(?:${words.map(regexText).join('|')})(?![\\w$])`);
  const options = lines.every(isByName)
    ? lines.flatMap((line) => line.options?.split(/[ .]/) ?? [])
    : [];
  const named = options.length > 0 ? [new RegExp(options.map(regexText).join('|'))] : [];
  const sign = lines.every(needsSource) ? [SOURCE_SIGN] : [];
  return { words, patterns: [any, ...named, ...sign] };
}

/** Whether a setting is wrong only where the text names its option: it has no place of its own. */
export function isByName({ kind, options, args = [], missing }: SinkLine): boolean {
  return isSetting(kind) && options !== undefined && args.length === 0 && missing !== true;
}

function lastNames(lines: readonly SinkLine[]): string[] {
  const paths = lines.flatMap((line) => line.exports.split(' '));
  const names = paths.map((path) => path.slice(path.lastIndexOf('.') + 1));
  return [...new Set(names)].filter((name) => name !== 'default');
}

function add(map: Map<string, Known[]>, key: string, known: Known): void {
  map.set(key, [...(map.get(key) ?? []), known]);
}
