import { USES } from '../../../rules/catalogue/line.ts';
import type { Constant, Span } from '../il/il.ts';
import { isMarkupEscape, keptBy } from './characters.ts';
import { readText } from './container.ts';
import { memberOfData } from './partial-data.ts';
import { groupsIn, isLineEnd, isWithoutLineEnd, matchedBy } from './pattern.ts';
import type { Call, Run } from './run.ts';
import {
  anyOf,
  asDecoded,
  build,
  changed,
  constantOf,
  derive,
  isDecoded,
  madeSafe,
  madeUnsafe,
  onlyConstant,
  type Shape,
  TRUSTED,
  textOf,
  together,
  UNKNOWN,
} from './value.ts';

/** Texts that are put together of alternatives of their parts. */
const COMBINATIONS_MAX = 16;
const CHARS_MAX = 4_000;
/** What digits and letters from a to f are safe for; they may be what another text decodes to. */
const DIGITS = USES.filter((use) => use !== 'regex');
/** Parts of a text that is split. */
const PARTS_MAX = 64;

/** What a function of texts that are known gives; undefined: that is not known. */
type Fold = (text: string, args: readonly Constant[]) => Constant | undefined;

function numberOf(value: Constant | undefined): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

function position(text: string, [what]: readonly unknown[]): number | undefined {
  return typeof what === 'string' ? text.indexOf(what) : undefined;
}

const FOLDS: Readonly<Record<string, Fold>> = {
  upper: (text) => text.toUpperCase(),
  lower: (text) => text.toLowerCase(),
  trim: (text) => text.trim(),
  same: (text) => text,
  concat: (text, others) =>
    others.every((one) => typeof one === 'string') ? text + others.join('') : undefined,
  length: (text) => text.length,
  character: (text, [index]) => text.at(numberOf(index) ?? text.length),
  part(text, [start, count]) {
    const from = numberOf(start);
    return from === undefined ? undefined : text.slice(from).slice(0, numberOf(count));
  },
  position,
  'position-or-part': position,
  'trim-start': (text, [what]) =>
    typeof what === 'string' && text.startsWith(what) ? text.slice(what.length) : undefined,
  'trim-end': (text, [what]) =>
    typeof what === 'string' && text.endsWith(what)
      ? text.slice(0, -what.length || text.length)
      : undefined,
  slice(text, [start, end]) {
    const from = numberOf(start);
    return from === undefined ? undefined : text.slice(from, numberOf(end));
  },
  replace: (text, [what, by]) =>
    typeof what === 'string' && what !== '' && typeof by === 'string' && text.length < CHARS_MAX
      ? text.replaceAll(what, () => by).slice(0, CHARS_MAX)
      : undefined,
};

/** A function of each combination of values that are known; null: one of them is not. */
export function folded(
  shapes: readonly Shape[],
  fold: (values: readonly Constant[]) => Constant | undefined,
): Shape | null {
  let all: Constant[][] = [[]];
  for (const { constants } of shapes) {
    if (constants === null || all.length * constants.length > COMBINATIONS_MAX) return null;
    all = all.flatMap((values) => constants.map((one) => [...values, one]));
  }
  const results: Constant[] = [];
  for (const values of all) {
    const result = fold(values);
    if (result === undefined) return null;
    results.push(result);
  }
  return shapes.some(isDecoded) ? asDecoded(anyOf(results)) : anyOf(results);
}

/** What a method of a text gives where all that goes into it is known; null: it is not. */
export function foldedText(run: Run, call: Call): Shape | null {
  const { name, receiver, args, isNew } = call;
  if (isNew || receiver === null) return null;
  const operation = run.knowledge.methods.get(`text ${name}`) ?? '';
  if (receiver.constants === null) return partOfStart(run, operation, receiver, call);
  if (receiver.role !== null && !isDecoded(receiver)) return null;
  const [first] = args;
  if (operation === 'split-text' && args.length === 1 && first?.pattern === null) {
    const text = textOf(receiver);
    const by = textOf(first);
    return text === null || by === null
      ? null
      : run.list(text.split(by, PARTS_MAX).map(constantOf));
  }
  const fold = FOLDS[operation];
  const isText = receiver.constants.every((one) => typeof one === 'string');
  if (fold === undefined || !isText) return null;
  return folded([receiver, ...args], ([text, ...rest]) => fold(String(text), rest));
}

/** A part of a text that lies in its beginning, where only that is known; null: it does not. */
function partOfStart(
  run: Run,
  operation: string,
  text: Shape,
  { args, options }: Call,
): Shape | null {
  const [first = UNKNOWN, second = UNKNOWN] = args;
  const start = startOf(text);
  if (start === '') return null;
  if (operation === 'slice') return sliced(text, first, second);
  // With a limit the last part holds separators, and all that stands behind them.
  const isSplit = /^split(?:-text)?$/.test(operation) && args.length + options.size === 1;
  const by = isSplit && first.pattern === null ? textOf(first) : null;
  if (by === null || !/^[\w ,;:/-]+$/.test(by)) return null;
  const known = start.split(by, PARTS_MAX).slice(0, -1).map(constantOf);
  return known.length === 0 ? null : run.openList(known, derive([text]));
}

/** What a method of a text gives back; null: it is something else, or another method. */
export function textResult(run: Run, call: Call): Shape | null {
  const { name, receiver } = call;
  if (receiver === null) return null;
  const operation = run.knowledge.methods.get(`text ${name}`);
  const text = readText(run, receiver);
  const isText = text.constants !== null || text.pieces !== null || receiver.origins.length > 0;
  if (operation === undefined) return null;
  const isNamed = receiver.path === null || /String\(\)$/.test(receiver.path);
  if (!isText && !(receiver.isTrusted && isNamed)) return null;
  return textOperation(run, operation, call, isNamed);
}

/** What an operation on the text that a call is made on gives; null: it is something else. */
export function textOperation(
  run: Run,
  operation: string,
  call: Call,
  isNamed = true,
): Shape | null {
  const { args, receiver } = call;
  const text = readText(run, receiver ?? UNKNOWN);
  const fold = FOLDS[operation];
  const isKnown = text.constants?.every((one) => typeof one === 'string') === true;
  const known =
    fold === undefined || !isKnown
      ? null
      : folded([text, ...args], ([first, ...rest]) => fold(String(first), rest));
  const certain = known ?? partOfStart(run, operation, text, call);
  if (certain !== null) return certain;
  const [first = UNKNOWN, second = UNKNOWN] = args;
  switch (operation) {
    case 'same':
    case 'trim':
    case 'lower':
    case 'upper':
      return isNamed ? changed(text, { constants: null }) : null;
    case 'trim-start':
    case 'trim-end':
      return changed(text, { constants: null });
    case 'length':
    case 'position':
      return TRUSTED;
    case 'position-or-part':
      // Documents have methods of these names that give a part of them.
      return isNamed ? TRUSTED : derive([text]);
    case 'digits':
      return madeSafe(derive([text]), DIGITS);
    case 'concat':
      return build([text, readText(run, first)], [call.expression.start, call.expression.end]);
    case 'format':
      return text.constants === null ? null : formatted(run, [text, ...args], call);
    case 'braces':
      return braced(run, text, call);
    case 'braces-of': {
      const tables = run.objectsOf(first).filter(([, { kind }]) => kind === 'table');
      const [[, table] = [0, null]] = tables;
      return table === null || tables.length > 1
        ? build([text, run.flat(first)], [call.expression.start, call.expression.end])
        : braced(run, text, { ...call, args: [], options: table.cells });
    }
    case 'join':
      // Of a text that is data the elements are what counts.
      return joined(run, text, first, call);
    case 'character':
    case 'list':
      // A check of one character says nothing of the others.
      return text.isTrusted ? TRUSTED : memberOfData(run, derive([text]), call.name);
    case 'slice':
      return text.isTrusted ? TRUSTED : derive([text]);
    case 'split':
    case 'split-some': {
      const by = textOf(first);
      const whole = textOf(text);
      if (whole !== null && by !== null && /^[\w ,;:/-]+$/.test(by)) {
        return run.list(whole.split(by).map(constantOf));
      }
      if (text.isTrusted) return TRUSTED;
      const parts = derive([text]);
      // Behind the last slash no directory is named.
      const isPath = (by ?? first.path ?? '').match(/^\/$|\.sep$/) !== null;
      return isPath ? run.endingList(parts, madeSafe(parts, ['path'])) : parts;
    }
    case 'cut': {
      // What stands before the first separator is known where the text begins with both.
      const by = textOf(first);
      const end = by === null ? -1 : startOf(text).indexOf(by);
      if (end < 0 || by === null) return null;
      const before = constantOf(startOf(text).slice(0, end));
      const behind = derive([text]);
      return run.knowledge.traits.has('package')
        ? together([before, behind, TRUSTED])
        : run.list([before, first, behind]);
    }
    case 'replace':
    case 'replace-first': {
      const count = args[2] ?? call.options.get('count');
      const isAll = count === undefined ? operation === 'replace' : onlyConstant(count) === -1;
      if (!isAll) return replacedInPart(text, second);
      // `text.replace(Regex("..."), by)`
      if (first.pattern !== null) return substituted(text, first, second, true);
      const rest = replaced(text, first, second, false);
      const isEscape = isMarkupEscape(textOf(first) ?? '', textOf(second) ?? '');
      return isEscape ? madeSafe(rest, ['html']) : rest;
    }
    case 'replace-pattern':
      // `PATTERN.matcher(text).replaceAll(by)`
      return text.pattern !== null && args.length === 1
        ? substituted(text, text, first, true)
        : replaced(text, first, second, true);
    case 'matched': {
      if (text.pattern === null) return null;
      const key = onlyConstant(first);
      const groups = groupsIn(text.pattern);
      const group =
        typeof key === 'number' ? groups[key - 1] : groups.find(({ name }) => name === key);
      return matchedPart(text, group?.body ?? text.pattern);
    }
    default:
      return null;
  }
}

/** What a text begins with whatever stands behind that: `'name: ' + value`; '': nothing. */
function startOf({ pieces, texts }: Shape): string {
  const [first] = pieces ?? [];
  return typeof first === 'string' && texts.length === 0 ? first : '';
}

/** A part of a text within the beginning that is known; null: there is more in it. */
export function sliced(text: Shape, from: Shape, to: Shape): Shape | null {
  const start = onlyConstant(from);
  const end = onlyConstant(to);
  if (typeof start !== 'number' || typeof end !== 'number' || start < 0 || end < start) return null;
  const known = startOf(text);
  return end > known.length ? null : constantOf(known.slice(start, end));
}

/** A text in which only some places are replaced: it may hold all that it held. */
function replacedInPart(text: Shape, by: Shape): Shape {
  return text.isTrusted && by.isTrusted ? TRUSTED : withReplacement(derive([text, by]), by);
}

/** Behind `replace('&lt;', '<')` what was escaped is not any more. */
export function withReplacement(text: Shape, by: Shape | undefined): Shape {
  return textOf(by ?? UNKNOWN)?.includes('<') === true ? madeUnsafe(text, ['html']) : text;
}

/** A text without separators, or of nothing but some characters. */
function replaced(text: Shape, what: Shape, by: Shape, isPattern: boolean): Shape {
  if (text.isTrusted && by.isTrusted) return TRUSTED;
  const passed = withReplacement(derive([text, by]), by);
  const pattern = textOf(what) ?? '';
  const given = textOf(by) ?? '/';
  const safe = isPattern ? keptBy(pattern) : null;
  if (safe !== null && /^[\w-]?$/.test(given)) return madeSafe(passed, safe);
  if (isPattern && isMarkupEscape(pattern, given)) return madeSafe(passed, ['html']);
  const isWithoutLines = isLineEnd(pattern, isPattern) && isWithoutLineEnd(textOf(by));
  if (isWithoutLines) return madeSafe(passed, ['line']);
  const isCut = /^(?:\/|\[\\\\?\/\]|\[\/\\\\+\])[+]?$/.test(pattern) && !/[/.]/.test(given);
  return isCut ? madeSafe(passed, ['path']) : passed;
}

/** What a pattern matches of a text, or a group of it. */
export function matchedPart(text: Shape, pattern: string): Shape {
  return madeSafe(derive([text]), matchedBy(pattern));
}

/** What stands behind a pattern's matches: `re.sub(pattern, by, text)`; `isAll`: all of them. */
export function substituted(text: Shape, what: Shape, by: Shape, isAll: boolean): Shape {
  if (!isAll) return replacedInPart(text, by);
  const pattern = textOf(what) === null ? what.pattern : textOf(what);
  return replaced(text, pattern === null ? what : constantOf(pattern), by, true);
}

const VERB = /%(?:\d+\$|\[\d+\])?(?:\((\w+)\))?[-#+ 0,(]*\d*(?:\.\d+)?(?:[tT]?([a-zA-Z%]))/;
const NO_NAMES: ReadonlyMap<string, Shape> = new Map();

/** A format with its values: they stand where the verbs are; `%d` takes no text. */
export function formatted(run: Run, all: readonly Shape[], { expression }: Call): Shape {
  const [first = UNKNOWN, ...rest] = all;
  // A locale may stand before the format.
  const isKnown = first.constants !== null || first.pieces !== null;
  const isFirst = isKnown || first.origins.length > 0 || rest.length === 0;
  const [format = UNKNOWN, ...given] = isFirst ? all : rest;
  const [only] = given;
  const values =
    given.length === 1 && only !== undefined && only.objects.length > 0 && only.pieces === null
      ? itemsOf(run, only)
      : given;
  return putInto(run, format, { values, names: NO_NAMES }, expression);
}

/** What stands where a format says: values in order, and named values. */
interface Put {
  readonly values: readonly Shape[];
  readonly names: ReadonlyMap<string, Shape>;
}

/** A format as an operator, with a list or table of values or only one of them. */
export function formatOf(run: Run, format: Shape, given: Shape, span: Span): Shape {
  const [first] = run.objectsOf(given);
  const isTable = first?.[1].kind === 'table';
  const names = isTable ? first[1].cells : NO_NAMES;
  const values = isTable ? [run.flat(given)] : itemsOf(run, given);
  return putInto(run, format, { values, names }, span);
}

function putInto(run: Run, format: Shape, { values, names }: Put, { start, end }: Span): Shape {
  const text = textOf(format);
  const all = [...values, ...names.values()].map((one) => run.flat(readText(run, one)));
  if (text === null) return build([format, ...all], [start, end]);
  const isText = (verb: string) => /[sSc]/.test(verb) || run.knowledge.is('text-verb', verb);
  const pieces: Shape[] = [];
  let left = text;
  let index = 0;
  for (let match = VERB.exec(left); match !== null; match = VERB.exec(left)) {
    const [whole, name, verb = ''] = match;
    pieces.push(constantOf(left.slice(0, match.index)));
    left = left.slice(match.index + whole.length);
    if (verb === '%' || verb === 'n') pieces.push(constantOf(verb === '%' ? '%' : '\n'));
    else {
      const place = /^%\[?(\d+)[$\]]/.exec(whole)?.[1];
      const inOrder = values[place === undefined ? index : Number(place) - 1];
      const value = name === undefined ? inOrder : (names.get(name) ?? values[0]);
      pieces.push(isText(verb) ? run.flat(readText(run, value ?? UNKNOWN)) : TRUSTED);
      index += 1;
    }
  }
  return build([...pieces, constantOf(left)], [start, end]);
}

const BRACES = /\{\{|\}\}|\{([^{}:!]*)([^{}]*)\}/g;

/** `'{} {name}'.format(...)` in the same way. */
function braced(run: Run, format: Shape, { args, options, expression }: Call): Shape {
  const text = textOf(format);
  const read = (one: Shape) => run.flat(readText(run, one));
  if (text === null) {
    const inputs = [format, ...args.map(read), ...[...options.values()].map(read)];
    return build(inputs, [expression.start, expression.end]);
  }
  const pieces: Shape[] = [];
  let end = 0;
  let index = 0;
  for (const match of text.matchAll(BRACES)) {
    const [whole, name, format = ''] = match;
    pieces.push(constantOf(text.slice(end, match.index)));
    end = match.index + whole.length;
    if (name === undefined) {
      pieces.push(constantOf(whole.charAt(0)));
      continue;
    }
    const root = name.split(/[.[]/, 1)[0] ?? '';
    const inOrder = root === '' ? args[index] : args[Number(root)];
    if (root === '') index += 1;
    const value = options.get(root) ?? inOrder ?? options.get('') ?? UNKNOWN;
    pieces.push(/^:.*[dxXobeEfFgGn]$/.test(format) ? TRUSTED : read(value));
  }
  pieces.push(constantOf(text.slice(end)));
  return build(pieces, [expression.start, expression.end]);
}

/** The elements of a list; of another value that itself. */
function itemsOf(run: Run, shape: Shape): readonly Shape[] {
  const lists = run.objectsOf(shape).filter(([, { kind }]) => kind === 'list');
  const [only] = lists;
  if (only === undefined) return [shape];
  const [, { cells, length }] = only;
  if (lists.length > 1 || length === null) return [run.elementOf(shape)];
  return [...Array(length).keys()].map((index) => cells.get(String(index)) ?? TRUSTED);
}

/** The elements of a list as one text. */
export function joined(run: Run, between: Shape, list: Shape, { expression }: Call): Shape {
  if (list.objects.length === 0) return derive([list, ...(between.isTrusted ? [] : [between])]);
  const items = itemsOf(run, list).map((one) => readText(run, one));
  const parts = items.flatMap((item, index) => (index === 0 ? [item] : [between, item]));
  return build(parts.length === 0 ? [constantOf('')] : parts, [expression.start, expression.end]);
}
