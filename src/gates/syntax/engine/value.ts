import { createHash } from 'node:crypto';
import { USES, type Use } from '../../../rules/catalogue/line.ts';
import type { ClassId, Constant, FunctionId, Variable } from '../il/il.ts';
import type { Source, Step, StepKind, Strength } from '../sinks/value.ts';

/** Where data comes in: a source, or a parameter of the function that is looked at by itself. */
export interface Origin extends Source {
  /** The parameter that it is, so that a summary can put an argument in its place. */
  readonly parameter: Variable | null;
}

/** Where something stands: a 1-based line of the new file, and an offset in the parsed text. */
export type Place = Required<Pick<Origin, 'line' | 'offset'>>;

/** What checks proved of the data of one name. */
export interface Fact {
  readonly text: string;
  /** A bit for each thing that was proved; `state.ts` has them. */
  readonly bits: number;
}

/** What a condition tells by how it turns out. */
export interface Verdict {
  readonly whenTrue: readonly Fact[];
  readonly whenFalse: readonly Fact[];
  /** What a position tells that is the first one: `text.indexOf(root) === 0`. */
  readonly whenFirst?: readonly Fact[];
}

/** Number of an object that the program makes or is given. */
export type ObjectId = number;

/** Objects that joins have dropped. To copy their list with each join would be quadratic. */
interface Others {
  readonly dropped: readonly ObjectId[];
  readonly left: Others | null;
  readonly right: Others | null;
}

/** A function as a value. */
export type Closure =
  | {
      readonly kind: 'function';
      readonly id: FunctionId;
      readonly self: Shape | null;
      /** Arguments with which each call of it begins. */
      readonly first?: readonly Shape[];
      /** Functions that take its result in turn; a call gives the result of the last one. */
      readonly after?: readonly Shape[];
    }
  /** A method of something: of a value, or of what it is called with. */
  | {
      readonly kind: 'method';
      readonly object: Shape;
      readonly name: string;
      readonly after?: readonly Shape[];
    };

/** Parts of a text, in their order: known ones, and values. */
export type Pieces = readonly (string | Shape)[];

/** What is known of a value. Made by the functions below only. */
export interface Shape {
  /** Data from outside in it. */
  readonly origins: readonly Origin[];
  /** What it may be, where all of that is known. */
  readonly constants: readonly Constant[] | null;
  /** A text put together: known parts, and values between them. */
  readonly pieces: Pieces | null;
  /** Other texts with data from outside that it may be as well, by their pieces. */
  readonly texts: readonly Pieces[];
  /** Offsets of the expression that put it together. */
  readonly builtOn: readonly [number, number] | null;
  /** Its path from a package, calls on the way as `()`: `java.sql.Statement()`. */
  readonly path: string | null;
  /** It is a class of the file itself, not an object of it. */
  readonly ownClass: ClassId | null;
  /** The type of the file whose methods it has, though it is a text, number or list. */
  readonly namedType: ClassId | null;
  readonly objects: readonly ObjectId[];
  readonly closures: readonly Closure[];
  /** Further objects that it may be, beyond the bound: only whether they hold data counts. */
  readonly others: Others | null;
  /** It may be more objects or functions than are kept. */
  readonly isCut: boolean;
  /** The pattern that it was made with. */
  readonly pattern: string | null;
  /** How that matches, in the letters of its language. */
  readonly flags: string;
  /** What its usual name, its type or how it was given says that it is; null: nothing. */
  readonly role: string | null;
  /** JSON text, which is harmless within program code. */
  readonly isJson: boolean;
  /** The literal that stands in where the value is missing: `env.SECRET || 'changeme'`. */
  readonly fallback: string | null;
  /** Nobody outside the program has a hand in it. */
  readonly isTrusted: boolean;
  /** Values that a function gave back together; null: it is one value. */
  readonly results: readonly Shape[] | null;
  /** It is there for certain: an error that was made. */
  readonly isPresent: boolean;
  /** A type of the program's own says what it is, so no usual name does. */
  readonly isPlain: boolean;
  /** What a function gave back of which nothing is known. */
  readonly isResult: boolean;
  /** Uses that an encoder made it safe for, where nothing else is known of it. */
  readonly safeFor: readonly Use[];
  /** Data that may be in it, as a function out of sight was given that; null when absent. */
  readonly passed: Origin | null;
  /** The name under which checks of it are remembered, where nothing is known of it; else null. */
  readonly checkedAs: string | null;
  readonly verdict: Verdict | null;
  /** What waiting for it tells, and what is proved once it has come; null: nothing. */
  readonly awaited: { readonly verdict: Verdict | null; readonly facts: readonly Fact[] } | null;
}

/** Kept of each, so that joins end. */
const LIMITS = {
  ORIGINS: 16,
  CONSTANTS: 4,
  OBJECTS: 64,
  CLOSURES: 32,
  PIECES: 64,
  TEXTS: 16,
  TEXT_CHARS: 4_000,
  STEPS: 10,
  DEPTH: 4,
} as const;

export const UNKNOWN: Shape = {
  origins: [],
  constants: null,
  pieces: null,
  texts: [],
  builtOn: null,
  path: null,
  ownClass: null,
  namedType: null,
  objects: [],
  closures: [],
  others: null,
  isCut: false,
  pattern: null,
  results: null,
  isPresent: false,
  flags: '',
  role: null,
  isJson: false,
  fallback: null,
  isTrusted: false,
  isPlain: false,
  isResult: false,
  safeFor: [],
  passed: null,
  checkedAs: null,
  verdict: null,
  awaited: null,
};
export const TRUSTED: Shape = changed(UNKNOWN, { isTrusted: true });
export const RESULT: Shape = changed(UNKNOWN, { isResult: true });
/** It can be guessed. */
export const RANDOM: Shape = changed(TRUSTED, { role: 'random' });
const NO_VALUE: Shape = changed(TRUSTED, { constants: [null] });

/**
 * A value with some of its fields changed. It is copied field by field, as V8 takes five times as
 * long to spread so many fields, and gives the result a hidden class of its own.
 */
export function changed(shape: Shape, changes: Partial<Shape>): Shape {
  const copy: Shape = {
    origins: shape.origins,
    constants: shape.constants,
    pieces: shape.pieces,
    texts: shape.texts,
    builtOn: shape.builtOn,
    path: shape.path,
    ownClass: shape.ownClass,
    namedType: shape.namedType,
    objects: shape.objects,
    closures: shape.closures,
    others: shape.others,
    isCut: shape.isCut,
    pattern: shape.pattern,
    results: shape.results,
    isPresent: shape.isPresent,
    flags: shape.flags,
    role: shape.role,
    isJson: shape.isJson,
    fallback: shape.fallback,
    isTrusted: shape.isTrusted,
    isPlain: shape.isPlain,
    isResult: shape.isResult,
    safeFor: shape.safeFor,
    passed: shape.passed,
    checkedAs: shape.checkedAs,
    verdict: shape.verdict,
    awaited: shape.awaited,
  };
  return Object.assign(copy, changes);
}

/** Whether it can be guessed. */
export function isRandom({ role }: Shape): boolean {
  return role === 'random';
}

/** Known text that stands in the program as base64 or in hexadecimal, so that nobody reads it. */
export function isDecoded({ role }: Shape): boolean {
  return role === 'decoded';
}

/** The same, as text that was decoded. */
export function asDecoded(shape: Shape): Shape {
  return changed(shape, { role: 'decoded' });
}

/** Nothing is known of it. */
export function isBlank(shape: Shape): boolean {
  const { origins, pieces, isTrusted, role, path, objects, closures, constants, verdict } = shape;
  if (origins.length > 0 || pieces !== null || isTrusted || role !== null) return false;
  // That a function of another file gave it says nothing of it.
  if (path !== null && !(path.includes('()') && isOfProgram(path))) return false;
  return objects.length + closures.length === 0 && constants === null && verdict === null;
}

/** Whether a path is of a module of the program: it begins at the file. */
export function isOfProgram(path: string): boolean {
  return /^(?:new )?\.{1,2}\//.test(path);
}

/** A value as a variable gets it: what checks proved of another one says nothing of it. */
export function asUnchecked(shape: Shape, name: string, offset: number): Shape {
  return isBlank(shape) ? changed(shape, { checkedAs: `? ${name} ${offset}` }) : shape;
}

/** A value that is known. */
export function constantOf(value: Constant): Shape {
  if (value === null) return NO_VALUE;
  if (isLong(value)) return longText(String(value));
  return changed(TRUSTED, { constants: [value] });
}

function isLong(value: Constant): boolean {
  return typeof value === 'string' && value.length > LIMITS.TEXT_CHARS;
}

/** A text of the program of which the beginning and the end are known: what it equals is not. */
function longText(text: string): Shape {
  return changed(TRUSTED, { pieces: shortened(text, LIMITS.TEXT_CHARS) });
}

/** The two ends of a text, and the omitted part between them. */
function shortened(text: string, room: number): (string | Shape)[] {
  if (text.length <= room) return [text];
  const half = room >> 1;
  return [text.slice(0, half), TRUSTED, text.slice(-half)];
}

/** One of several values that are known. */
export function anyOf(values: readonly Constant[]): Shape {
  const all = [...new Set(values)];
  const [only] = all;
  if (all.length === 1 && only !== undefined && isLong(only)) return constantOf(only);
  const isKnown = all.length > 0 && all.length <= LIMITS.CONSTANTS && !all.some(isLong);
  return isKnown ? changed(TRUSTED, { constants: all }) : TRUSTED;
}

/** A value of which only the path is known. */
export function at(path: string): Shape {
  return changed(UNKNOWN, { path });
}

/** Data from outside. */
export function outside(
  strength: Strength,
  text: string,
  { line, offset }: Place,
  shape: Partial<
    Pick<
      Origin,
      'isWhole' | 'mayBeObject' | 'safeFor' | 'claimedFor' | 'parameter' | 'isOfReturned'
    >
  > = {},
): Shape {
  const { isWhole = false, safeFor = [], claimedFor = [], parameter = null } = shape;
  const { isOfReturned = false } = shape;
  const { mayBeObject = isWhole } = shape;
  const rest = { hostOf: null, isUrl: false, isResolved: false, isOfReturned, steps: [] };
  const place = { line, offset, isWhole, mayBeObject };
  const origin = { strength, text, ...place, safeFor, claimedFor };
  return changed(UNKNOWN, { origins: [{ ...origin, ...rest, parameter }] });
}

/** The only value that it can be; undefined: there are others, or it is not known. */
export function onlyConstant({ constants }: Shape): Constant | undefined {
  return constants?.length === 1 ? constants[0] : undefined;
}

/** Its text where that is known; null: it is not. */
export function textOf(shape: Shape): string | null {
  const only = onlyConstant(shape);
  return only === undefined || only === null ? null : String(only);
}

/** Whether a condition holds; null: it may or may not. */
export function truthOf({ constants }: Shape): boolean | null {
  const [first] = constants ?? [];
  if (typeof first !== 'boolean') return null;
  return constants?.every((one) => one === first) === true ? first : null;
}

/** Whether a value is data from outside, and more than a parameter of a function. */
export function isOutside({ origins }: Shape): boolean {
  return origins.some(({ strength }) => strength !== 'weak');
}

/** All data from outside in a text, its parts included. */
export function originsIn(shape: Shape, depth = 0): readonly Origin[] {
  if (shape.pieces === null || depth > LIMITS.DEPTH) return shape.origins;
  const inner = shape.pieces.flatMap((piece) =>
    typeof piece === 'string' ? [] : originsIn(piece, depth + 1),
  );
  return inner.length === 0 ? shape.origins : [...shape.origins, ...inner];
}

/** The same for whether any of it is from outside. */
export function isTainted(shape: Shape): boolean {
  return originsIn(shape).some(({ strength }) => strength !== 'weak');
}

/** The value after each of its origins became another. */
export function mapOrigins(shape: Shape, change: (origin: Origin) => Origin): Shape {
  if (shape.origins.length === 0 && shape.pieces === null) return shape;
  const origins = shape.origins.map(change);
  const pieces =
    shape.pieces?.map((piece) => (typeof piece === 'string' ? piece : mapOrigins(piece, change))) ??
    null;
  const texts = shape.texts.map((text) =>
    text.map((piece) => (typeof piece === 'string' ? piece : mapOrigins(piece, change))),
  );
  const results = shape.results?.map((one) => mapOrigins(one, change)) ?? null;
  return changed(shape, { origins, pieces, texts, results });
}

/** The value after it got a name; `how` as in `Step`. */
export function named(shape: Shape, name: string, { line, offset }: Place, how?: StepKind): Shape {
  if (shape.origins.length === 0 || name === '') return shape;
  const step = how === undefined ? { name, line, offset } : { name, line, offset, how };
  return changed(shape, { origins: shape.origins.map((origin) => passed(origin, [step])) });
}

/** Data after it went through more steps. */
export function passed(origin: Origin, steps: readonly Step[]): Origin {
  const all = [...origin.steps];
  for (const step of steps) {
    const last = all.at(-1);
    const isKnown = last?.name === step.name && last.line === step.line;
    if (!isKnown && all.length < LIMITS.STEPS) all.push(step);
  }
  return all.length === origin.steps.length ? origin : { ...origin, steps: all };
}

/** What is in one or the other, each once. */
export function union<T>(left: readonly T[], right: readonly T[]): readonly T[] {
  if (right.length === 0) return left;
  return left.length === 0 ? right : [...new Set([...left, ...right])];
}

/** The value after an encoder or a check that makes it safe for these uses. */
export function madeSafe(shape: Shape, uses: readonly Use[]): Shape {
  return mapOrigins(shape, (origin) => ({ ...origin, safeFor: union(origin.safeFor, uses) }));
}

/** Data that were safe for these uses, and are not any more. */
export function madeUnsafe(shape: Shape, uses: readonly Use[]): Shape {
  const without = (safe: readonly Use[]) => safe.filter((use) => !uses.includes(use));
  return mapOrigins(shape, (origin) => ({ ...origin, safeFor: without(origin.safeFor) }));
}

/** The same where only the name of what looked at it is known. */
export function claimedSafe(shape: Shape, uses: readonly Use[] = USES): Shape {
  return mapOrigins(shape, (origin) => ({ ...origin, claimedFor: union(origin.claimedFor, uses) }));
}

const STRENGTHS: readonly Strength[] = ['operator', 'weak', 'checked', 'strong'];

/** Orders origins by how much they weigh, the worst first. */
export function byWeight(left: Origin, right: Origin): number {
  const order = STRENGTHS.indexOf(right.strength) - STRENGTHS.indexOf(left.strength);
  if (order !== 0) return order;
  const safer = left.safeFor.length - right.safeFor.length;
  return safer !== 0 ? safer : left.claimedFor.length - right.claimedFor.length;
}

/** Name of the data for which there is no more room beside that of other sources. */
export const OTHERS = 'one of many sources';

/** Either of two sets of data; what there is no room for counts as data that no check clears. */
function joinOrigins(left: readonly Origin[], right: readonly Origin[]): readonly Origin[] {
  if (left === right || right.length === 0) return left;
  if (left.length === 0) return right;
  const all = withMore(left, right);
  return all === left ? left : bounded(all);
}

/** Origins, each once: what there is no room for is merged at the end, not with each of many. */
export function eachOnce(origins: readonly Origin[]): readonly Origin[] {
  return origins.length < 2 ? origins : bounded(withMore([], origins));
}

/** Data and more of it, each once; the first list itself where that brings nothing new. */
function withMore(known: readonly Origin[], more: readonly Origin[]): readonly Origin[] {
  let copy: Origin[] | null = null;
  for (const one of more) {
    const all = copy ?? known;
    const index = all.findIndex((other) => isSame(other, one));
    const same = all[index];
    if (same === one) continue;
    if (same === undefined) {
      copy ??= [...known];
      copy.push(one);
      continue;
    }
    const safeFor = inBoth(same.safeFor, one.safeFor);
    const claimedFor = inBoth(same.claimedFor, one.claimedFor);
    if (safeFor === same.safeFor && claimedFor === same.claimedFor) continue;
    copy ??= [...known];
    copy[index] = { ...same, safeFor, claimedFor };
  }
  return copy ?? known;
}

/** Uses that are in both lists; the first list itself where that is all of it. */
function inBoth(left: readonly Use[], right: readonly Use[]): readonly Use[] {
  const isIn = (use: Use) => right.includes(use);
  return left.every(isIn) ? left : left.filter(isIn);
}

/** Data of which there is room for so much; the rest as data that no check clears. */
function bounded(all: readonly Origin[]): readonly Origin[] {
  if (all.length <= LIMITS.ORIGINS) return all;
  // Parameters stay: a function has few, and what a caller gives for them is not known here.
  const parameters = fewParts(all.filter(({ parameter }) => parameter !== null));
  const sources = all.filter(({ parameter }) => parameter === null);
  if (sources.length <= LIMITS.ORIGINS) return [...sources, ...parameters];
  const apart = sources.filter(({ text }) => text !== OTHERS).sort(byWeight);
  const merged = sources.filter(({ text }) => text === OTHERS);
  const over = apart.splice(LIMITS.ORIGINS);
  const one = merge([...merged, ...over]);
  return one === null ? all : [...apart, ...parameters, one];
}

/** Parameters, each with few of its parts: of more of them only that they are parts is kept. */
function fewParts(origins: readonly Origin[]): readonly Origin[] {
  if (origins.length <= LIMITS.ORIGINS) return origins;
  const byParameter = new Map<Variable | null, Origin[]>();
  for (const one of origins) {
    const known = byParameter.get(one.parameter);
    if (known === undefined) byParameter.set(one.parameter, [one]);
    else known.push(one);
  }
  return [...byParameter.values()].flatMap((parts) => {
    const one = parts.length <= LIMITS.ORIGINS ? null : merge(parts);
    return one === null ? parts : [one];
  });
}

/** Several data as one, with the least that is known of any of them. */
function merge(origins: readonly Origin[]): Origin | null {
  const [first, ...rest] = [...origins].sort(byWeight);
  if (first === undefined) return null;
  const all = [first, ...rest];
  const both = (name: 'safeFor' | 'claimedFor') =>
    first[name].filter((use) => rest.every((other) => other[name].includes(use)));
  return {
    ...first,
    text: OTHERS,
    line: all.reduce((least, { line }) => Math.min(least, line), first.line),
    steps: [],
    hostOf: null,
    isUrl: false,
    isResolved: false,
    isWhole: all.some(({ isWhole }) => isWhole),
    mayBeObject: all.some(({ mayBeObject }) => mayBeObject),
    safeFor: both('safeFor'),
    claimedFor: both('claimedFor'),
  };
}

function isSame(left: Origin, right: Origin): boolean {
  if (left.line === right.line) return left.text === right.text;
  return left.text === OTHERS && right.text === OTHERS;
}

/** Whether two sets of data are the same, and the same is known of each. */
export function hasSameOrigins(left: readonly Origin[], right: readonly Origin[]): boolean {
  if (left === right) return true;
  if (left.length !== right.length) return false;
  return left.every((one) => {
    const other = right.find((origin) => isSame(origin, one));
    return (
      other !== undefined &&
      one.safeFor.length === other.safeFor.length &&
      one.claimedFor.length === other.claimedFor.length
    );
  });
}

/** What is dropped of the objects of two values that are joined. */
function othersOf(objects: readonly ObjectId[], left: Shape, right: Shape): Others | null {
  const dropped = objects.slice(LIMITS.OBJECTS);
  if (dropped.length === 0) {
    if (right.others === null || right.others === left.others) return left.others;
    if (left.others === null) return right.others;
  }
  return { dropped, left: left.others, right: right.others };
}

/** The objects that a value may be beyond the kept ones, each once. */
export function dropped({ others }: Shape): ReadonlySet<ObjectId> {
  const objects = new Set<ObjectId>();
  const seen = new Set<Others>();
  const waiting = [others];
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    if (at === null || seen.has(at)) continue;
    seen.add(at);
    for (const id of at.dropped) objects.add(id);
    waiting.push(at.left, at.right);
  }
  return objects;
}

/** Either of two values. */
export function join(left: Shape, right: Shape): Shape {
  if (left === right) return left;
  // What is missing tells nothing of what is there.
  if (onlyConstant(left) === null)
    return right.isPresent ? changed(right, { isPresent: false }) : right;
  if (onlyConstant(right) === null) return left.isPresent ? { ...left, isPresent: false } : left;
  if (left.constants !== null && right.constants !== null) {
    const either = anyOf([...left.constants, ...right.constants]);
    return isDecoded(left) || isDecoded(right) ? asDecoded(either) : either;
  }
  const origins = joinOrigins(left.origins, right.origins);
  const text = moreOpen(left, right);
  const isTrusted = left.isTrusted && right.isTrusted;
  const objects = union(left.objects, right.objects);
  const closures = joinClosures(left.closures, right.closures);
  const texts = text.pieces === null ? [] : otherTexts(text.pieces, [left, right]);
  const isCut =
    objects.length > LIMITS.OBJECTS ||
    closures.length > LIMITS.CLOSURES ||
    texts.length > LIMITS.TEXTS;
  return {
    origins,
    constants: null,
    pieces: text.pieces,
    texts: texts.slice(0, LIMITS.TEXTS),
    builtOn: text.builtOn ?? left.builtOn ?? right.builtOn,
    path: left.path ?? right.path,
    ownClass: left.ownClass ?? right.ownClass,
    namedType: left.namedType ?? right.namedType,
    objects: isCut ? objects.slice(0, LIMITS.OBJECTS) : objects,
    closures: isCut ? closures.slice(0, LIMITS.CLOSURES) : closures,
    others: othersOf(objects, left, right),
    isCut: isCut || left.isCut || right.isCut,
    pattern: left.pattern === right.pattern ? left.pattern : null,
    results: joinResults(left.results, right.results),
    isPresent: left.isPresent && right.isPresent,
    flags: left.flags === right.flags ? left.flags : '',
    role: joinRoles(left, right),
    isJson: left.isJson && right.isJson,
    fallback: left.fallback ?? right.fallback,
    isTrusted,
    isPlain: left.isPlain && right.isPlain,
    isResult: isResultOf(left, right),
    safeFor: left.safeFor.filter((use) => right.safeFor.includes(use)),
    passed: left.passed ?? right.passed,
    checkedAs: left.checkedAs === right.checkedAs ? left.checkedAs : null,
    verdict: null,
    awaited: null,
  };
}

/** Where one of them is not known, it counts and not that the other one was decoded. */
function joinRoles(left: Shape, right: Shape): string | null {
  const own = isDecoded(left) ? null : left.role;
  return own ?? (isDecoded(right) ? null : right.role);
}

/** Where one of them is data, what that is counts. */
function isResultOf(left: Shape, right: Shape): boolean {
  if (left.origins.length > 0 && right.origins.length === 0) return left.isResult;
  if (right.origins.length > 0 && left.origins.length === 0) return right.isResult;
  return left.isResult || right.isResult;
}

function joinResults(
  left: readonly Shape[] | null,
  right: readonly Shape[] | null,
): readonly Shape[] | null {
  if (left === null || right === null || left.length !== right.length) return null;
  return left.map((one, index) => join(one, right[index] ?? UNKNOWN));
}

/** Several values that go together. */
export function together(items: readonly Shape[]): Shape {
  return changed(derive(items), { results: items });
}

function joinClosures(left: readonly Closure[], right: readonly Closure[]): readonly Closure[] {
  const all = [...left];
  for (const one of right) {
    const isKnown = all.some((other) =>
      one.kind === 'function' && other.kind === 'function'
        ? one.id === other.id && one.after === other.after
        : one === other,
    );
    if (!isKnown) all.push(one);
  }
  return all;
}

/** Of two values the value whose text is less known: with data from outside, as a whole. */
function moreOpen(left: Shape, right: Shape): Shape {
  const weight = weightOf(right) - weightOf(left);
  if (weight !== 0) return weight > 0 ? right : left;
  return left.pieces === null ? left : right;
}

function weightOf(shape: Shape): number {
  const strengths = originsIn(shape).map(({ strength }) => STRENGTHS.indexOf(strength));
  if (strengths.length > 0) return 10 + Math.max(...strengths);
  if (shape.isTrusted) return 0;
  return shape.pieces === null ? 1 : 2;
}

/** Texts with data from outside that one of these values may be, each once, without that one. */
function otherTexts(known: Pieces, shapes: readonly Shape[]): Pieces[] {
  const all = new Set(
    shapes.flatMap(({ pieces, texts }) => (pieces === null ? texts : [pieces, ...texts])),
  );
  all.delete(known);
  if (all.size === 0) return [];
  const seen = new Set([tellingOf(known).key]);
  return [...all].filter((pieces) => {
    const { key, isData } = tellingOf(pieces);
    if (!isData || seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

/** What tells one text from another: known parts, and names of the data between them. */
interface Telling {
  readonly key: string;
  readonly isData: boolean;
}

/** By the text: values that are joined often share most of theirs. */
const TELLING = new WeakMap<Pieces, Telling>();

function tellingOf(pieces: Pieces): Telling {
  const known = TELLING.get(pieces);
  if (known !== undefined) return known;
  let isData = false;
  const parts = pieces.map((piece) => {
    if (typeof piece === 'string') return piece;
    const origins = originsIn(piece);
    isData ||= origins.length > 0;
    const names = origins.map(({ text, safeFor, claimedFor }) =>
      [text, ...safeFor, '', ...claimedFor].join(),
    );
    return `\0${names.join()}\0`;
  });
  const telling = { key: parts.join(''), isData };
  TELLING.set(pieces, telling);
  return telling;
}

/** Any of several values. */
export function joinAll(shapes: readonly Shape[]): Shape {
  const [first, ...rest] = shapes;
  return first === undefined ? TRUSTED : rest.reduce(join, first);
}

/** Text of the data, no longer an object that the sender made, nor an address of its own. */
function asText(origin: Origin): Origin {
  const { isWhole, mayBeObject, isUrl, isResolved, hostOf } = origin;
  if (!(isWhole || mayBeObject || isUrl || isResolved || hostOf !== null)) return origin;
  const rest = { isUrl: false, isResolved: false, hostOf: null };
  return { ...origin, ...rest, isWhole: false, mayBeObject: false };
}

/** A text put together; a constant when all of its parts are. */
export function build(parts: readonly Shape[], builtOn: readonly [number, number]): Shape {
  const pieces: (string | Shape)[] = [];
  let length = 0;
  let span = builtOn;
  for (const part of parts) {
    if (part.builtOn !== null) {
      span = [Math.min(span[0], part.builtOn[0]), Math.max(span[1], part.builtOn[1])];
    }
    const known = part.pieces ?? [part.constants?.length === 1 ? String(part.constants[0]) : part];
    for (const piece of known) {
      const last = pieces.at(-1);
      if (typeof piece === 'string') length += piece.length;
      if (typeof piece === 'string' && typeof last === 'string') {
        pieces[pieces.length - 1] = last + piece;
      } else pieces.push(piece);
    }
  }
  const [only = ''] = pieces;
  if (pieces.length <= 1 && typeof only === 'string') {
    return parts.some(isDecoded) ? asDecoded(constantOf(only)) : constantOf(only);
  }
  const isTrusted = pieces.every((piece) => typeof piece === 'string' || piece.isTrusted);
  const isTooLarge = pieces.length > LIMITS.PIECES || length > LIMITS.TEXT_CHARS;
  const origins = parts.reduce<readonly Origin[]>(
    (found, part) => joinOrigins(found, part.origins),
    [],
  );
  return {
    ...UNKNOWN,
    origins: origins.map(asText),
    pieces: isTooLarge ? clipped(pieces) : pieces,
    ...textsOf(parts, builtOn),
    builtOn: span,
    role: parts.some(({ role }) => role === 'random') ? 'random' : null,
    isTrusted,
  };
}

/** The other texts that come of the other texts of each part. */
function textsOf(
  parts: readonly Shape[],
  builtOn: readonly [number, number],
): Pick<Shape, 'texts' | 'isCut'> {
  const plain = parts.map((part) =>
    part.texts.length === 0 ? part : changed(part, { texts: [] }),
  );
  const texts: Pieces[] = [];
  for (const [index, part] of parts.entries()) {
    for (const pieces of part.texts) {
      const { pieces: text } = build(
        plain.with(index, changed(part, { pieces, texts: [] })),
        builtOn,
      );
      if (text !== null) texts.push(text);
    }
  }
  const isCut = texts.length > LIMITS.TEXTS || parts.some((part) => part.isCut);
  return { texts: texts.slice(0, LIMITS.TEXTS), isCut };
}

/** The first and the last pieces, without the inner part of long texts, and all between as one. */
function clipped(pieces: readonly (string | Shape)[]): (string | Shape)[] {
  const half = LIMITS.PIECES >> 1;
  const isLonger = pieces.length > LIMITS.PIECES;
  const first = isLonger ? pieces.slice(0, half) : pieces;
  const last = isLonger ? pieces.slice(-half) : [];
  const between = pieces
    .slice(first.length, pieces.length - last.length)
    .filter((piece) => typeof piece !== 'string');
  const room = Math.floor(LIMITS.TEXT_CHARS / (first.length + last.length));
  const short = (piece: string | Shape) =>
    typeof piece === 'string' ? shortened(piece, room) : [piece];
  const middle = isLonger ? [joinAll(between)] : [];
  return [...first.flatMap(short), ...middle, ...last.flatMap(short)];
}

/** What a function that hands on its inputs makes of them: same data, unknown shape. */
export function derive(inputs: readonly Shape[]): Shape {
  const origins = inputs.reduce<readonly Origin[]>(
    (found, input) => joinOrigins(found, originsIn(input)),
    [],
  );
  const passed = inputs.find((input) => input.passed !== null)?.passed ?? null;
  if (origins.length > 0) return changed(UNKNOWN, { origins: origins.map(asObjectless), passed });
  const [first, ...rest] = inputs.filter(({ isTrusted }) => !isTrusted);
  if (first === undefined) return TRUSTED;
  const safeFor = first.safeFor.filter((use) => rest.every((one) => one.safeFor.includes(use)));
  return safeFor.length === 0 && passed === null ? UNKNOWN : changed(UNKNOWN, { safeFor, passed });
}

function asObjectless(origin: Origin): Origin {
  const { isWhole, mayBeObject } = origin;
  return isWhole || mayBeObject ? { ...origin, isWhole: false, mayBeObject: false } : origin;
}

const SOURCE_CHARS_MAX = 80;
/** Marks a text that was cut. */
const CUT = '…';

/** Text of a source, short enough for messages; other text stays another one. */
export function clip(text: string, charsMax = SOURCE_CHARS_MAX): string {
  const line = text.replace(/\s+/g, ' ');
  return line.length > charsMax ? `${line.slice(0, charsMax)}${CUT}${digestOf(line)}` : line;
}

/** Whether a text of a source, as `clip` gives it, is another one or its part: `a.b`, `a[...]`. */
export function isPartOfText(text: string, whole: string): boolean {
  const shown = whole.charAt(SOURCE_CHARS_MAX) === CUT ? whole.slice(0, SOURCE_CHARS_MAX) : whole;
  if (!text.startsWith(shown)) return false;
  return text.length === shown.length || ['.', '[', CUT].includes(text.charAt(shown.length));
}

/** So long that nobody finds two texts that share it by chance or by search. */
const DIGEST_CHARS = 16;

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, DIGEST_CHARS);
}
