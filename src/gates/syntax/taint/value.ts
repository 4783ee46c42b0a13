import type { Use } from '../../../rules/catalogue/line.ts';

/**
 * How much of it an outsider controls:
 * `strong` data of a request or message; `checked` the same, after a schema's or validator's look;
 * `weak` a parameter of an exported function; `operator` a setting of the program.
 */
export type Strength = 'strong' | 'checked' | 'weak' | 'operator';

/** Where data from outside comes in. */
export interface Source {
  readonly strength: Strength;
  /** As it is written: `req.query.id`. */
  readonly text: string;
  /** 1-based line of the new file; 0 when it has none of its own. */
  readonly line: number;
  /** Offset in the text that was parsed; absent: the engine does not say it. */
  readonly offset?: number;
  /** The sender makes the whole object, keys and all: `req.body`. */
  readonly isWhole: boolean;
  /** The sender may make it an object where the program expects text: parsed JSON, `a[b]=c`. */
  readonly mayBeObject: boolean;
  readonly safeFor: readonly Use[];
  /** Uses for which a function cleaned it of which only the name is known. */
  readonly claimedFor: readonly Use[];
  /** It is the host of the address of that text: `new URL(text).hostname`. */
  readonly hostOf: string | null;
  /** An address that was parsed, so that its members are those of an address. */
  readonly isUrl: boolean;
  /** A path without steps up that are not resolved: `path.resolve(root, name)`. */
  readonly isResolved: boolean;
  /** Names that it went through, in order. */
  readonly steps: readonly Step[];
}

/** A name on the way from source to sink, and the line where it got the data. */
export interface Step {
  readonly name: string;
  readonly line: number;
  /** Offset in the text that was parsed; absent: the engine does not say it. */
  readonly offset?: number;
  /** How it got the data; absent: it was assigned to, or is a parameter. */
  readonly how?: StepKind;
}

/** A parameter got it in a call of that function, or a call of that name gave it back. */
export type StepKind = { readonly passedTo: string } | 'result';

/** A function that the fragment shows. `F` is its syntax tree, `S` the scope that it sees. */
export interface Callable<F = unknown, S = unknown> {
  readonly node: F;
  readonly scope: S;
  readonly name: string;
  /** The tree it stands in: lines are known only while that tree is evaluated. */
  readonly home: unknown;
  /** It copies keys of one object into another, `__proto__` and all. */
  readonly pollutes: boolean;
  /** It holds no statement; absent: the node tells. */
  readonly isEmpty?: boolean;
}

/** Things whose members are sources, known by the names that everybody gives them. */
export type Role =
  | 'request'
  | 'context'
  | 'event'
  | 'location'
  | 'document'
  | 'process'
  | 'regex'
  | 'socket'
  | 'archive'
  | 'collection'
  | 'page'
  | 'plain'
  | 'elements'
  | 'window'
  | 'hash'
  | 'random'
  | 'nothing'
  | 'this';

/** What is known of an expression's value. Made by the functions below only. */
export interface Value {
  readonly source: Source | null;
  /** The whole text, when it is known. */
  readonly constant: string | null;
  /** A text put together: known parts, and values between them. */
  readonly pieces: readonly Piece[] | null;
  /** First and last line of the expression that put it together. */
  readonly builtOn: readonly [number, number] | null;
  /** What it was imported as: `child_process`, `child_process.exec`. */
  readonly origin: string | null;
  /** How it came of a package of the catalogue: `pg.createPool().query`. */
  readonly made: string | null;
  readonly role: Role | null;
  /** Known properties of an object, or what is known of them all under `*`. */
  readonly properties: ReadonlyMap<string, Value> | null;
  readonly elements: readonly Value[] | null;
  /** Nobody outside the program has a hand in it: literals, numbers, its own paths. */
  readonly isTrusted: boolean;
  /** JSON text, which is harmless within program code. */
  readonly isJson: boolean;
  /** What a function gave back of which nothing is known. */
  readonly isResult: boolean;
  readonly callable: Callable | null;
  /** Uses that an encoder made it safe for, where nothing else is known of it. */
  readonly safeFor: readonly Use[];
  /** The literal that stands in where the value is missing: `env.SECRET || 'changeme'`. */
  readonly fallback: string | null;
}

export type Piece = string | Value;

const PIECES_MAX = 64;
const TEXT_CHARS_MAX = 4_000;
const STEPS_MAX = 6;
const STRENGTHS: readonly Strength[] = ['operator', 'weak', 'checked', 'strong'];

export const UNKNOWN: Value = {
  source: null,
  constant: null,
  pieces: null,
  builtOn: null,
  origin: null,
  made: null,
  role: null,
  properties: null,
  elements: null,
  isTrusted: false,
  isJson: false,
  isResult: false,
  callable: null,
  safeFor: [],
  fallback: null,
};

/** What a function gives back of which nothing is known. */
export const RESULT: Value = { ...UNKNOWN, isResult: true };

export const TRUSTED: Value = { ...UNKNOWN, isTrusted: true };

/** A text that is known. */
export function constant(value: string): Value {
  return { ...TRUSTED, constant: value.slice(0, TEXT_CHARS_MAX) };
}

/** What comes from outside. */
export function fromSource(source: Source): Value {
  return { ...UNKNOWN, source };
}

/** Data from outside, as it is written at `line`; `shape` tells what else is known of it. */
export function outside(
  strength: Strength,
  text: string,
  line: number,
  shape: Partial<Pick<Source, 'isWhole' | 'mayBeObject' | 'safeFor'>> = {},
): Value {
  const { isWhole = false, mayBeObject = isWhole, safeFor = [] } = shape;
  const plain = { claimedFor: [], hostOf: null, isUrl: false, isResolved: false, steps: [] };
  return fromSource({ strength, text, line, isWhole, mayBeObject, safeFor, ...plain });
}

/** The value after it got a name. */
export function through(value: Value, name: string, line: number): Value {
  const { source } = value;
  if (source === null || source.steps.length >= STEPS_MAX || name === '') return value;
  const last = source.steps.at(-1);
  if (last?.name === name && last.line === line) return value;
  return { ...value, source: { ...source, steps: [...source.steps, { name, line }] } };
}

/** The value after an encoder or a check that makes it safe for these uses. */
export function madeSafe(value: Value, uses: readonly Use[]): Value {
  const { source } = value;
  if (source === null) return value;
  return { ...value, source: { ...source, safeFor: union(source.safeFor, uses) } };
}

/** The value after a function that promises by its name alone to make it safe for these uses. */
export function claimedSafe(value: Value, uses: readonly Use[]): Value {
  const { source } = value;
  if (source === null) return value;
  return { ...value, source: { ...source, claimedFor: union(source.claimedFor, uses) } };
}

function union(left: readonly Use[], right: readonly Use[]): readonly Use[] {
  return [...new Set([...left, ...right])];
}

/** Something whose role is known, such as a module or a request. */
export function withRole(role: Role): Value {
  return { ...UNKNOWN, role };
}

/** Something of which only the name it came from is known. */
export function withOrigin(origin: string): Value {
  return { ...UNKNOWN, origin };
}

/** A text put together from parts; a constant when all of them are. */
export function build(parts: readonly Value[], builtOn: readonly [number, number]): Value {
  const pieces: Piece[] = [];
  let length = 0;
  let lines = builtOn;
  for (const part of parts) {
    if (part.builtOn !== null) lines = span(lines, part.builtOn);
    for (const piece of part.pieces ?? [part.constant ?? part]) {
      if (typeof piece === 'string') length += piece.length;
      const last = pieces.at(-1);
      if (typeof piece === 'string' && typeof last === 'string')
        pieces[pieces.length - 1] = last + piece;
      else pieces.push(piece);
    }
  }
  const [only = ''] = pieces;
  if (pieces.length <= 1 && typeof only === 'string') return constant(only);
  const isTrusted = pieces.every((piece) => typeof piece === 'string' || piece.isTrusted);
  const source = parts.reduce<Source | null>((found, part) => stronger(found, part.source), null);
  const isTooLarge = pieces.length > PIECES_MAX || length > TEXT_CHARS_MAX;
  const kept = isTooLarge ? clipPieces(pieces) : pieces;
  const role = parts.some((part) => part.role === 'random') ? 'random' : null;
  return { ...UNKNOWN, source: joined(source), pieces: kept, builtOn: lines, role, isTrusted };
}

/** Data among other text: no longer an address or a path of its own. */
function joined(source: Source | null): Source | null {
  const part = partOf(source);
  if (part === null || !(part.isResolved || part.isUrl || part.hostOf !== null)) return part;
  return { ...part, isResolved: false, isUrl: false, hostOf: null };
}

/** The first pieces and what comes from outside of the rest. */
function clipPieces(pieces: readonly Piece[]): Piece[] {
  const kept = pieces.slice(0, PIECES_MAX).map((piece) => {
    return typeof piece === 'string' ? piece.slice(0, TEXT_CHARS_MAX / PIECES_MAX) : piece;
  });
  const rest = pieces.slice(PIECES_MAX).filter((piece) => typeof piece !== 'string');
  const worst = rest.reduce<Value>((found, piece) => worse(found, piece), TRUSTED);
  return [...kept, worst];
}

/** Either of two values: the one that is more dangerous. */
export function worse(left: Value, right: Value): Value {
  if (left === right) return left;
  const source = stronger(left.source, right.source);
  if (source !== null) return source === left.source ? left : right;
  if (left.isTrusted !== right.isTrusted) return left.isTrusted ? right : left;
  if (left.isTrusted && left.constant !== right.constant) return TRUSTED;
  if (right.pieces !== null || right.origin !== null || right.made !== null) return right;
  return left;
}

/** The source that weighs more; null when there is neither. */
export function stronger(left: Source | null, right: Source | null): Source | null {
  if (left === null) return right;
  if (right === null) return left;
  const order = STRENGTHS.indexOf(right.strength) - STRENGTHS.indexOf(left.strength);
  if (order !== 0) return order > 0 ? right : left;
  const safer = left.safeFor.length - right.safeFor.length;
  return safer > 0 || (safer === 0 && right.claimedFor.length < left.claimedFor.length)
    ? right
    : left;
}

/** Text of the data, no longer an object that the sender made. */
export function partOf(source: Source | null): Source | null {
  if (source === null || !(source.isWhole || source.mayBeObject)) return source;
  return { ...source, isWhole: false, mayBeObject: false };
}

/** What a function that hands on its inputs makes of them: same data, unknown shape. */
export function derive(inputs: readonly Value[]): Value {
  const source = inputs.reduce<Source | null>(
    (found, input) => stronger(found, input.source),
    null,
  );
  if (source !== null) return { ...UNKNOWN, source: partOf(source) };
  const [first, ...rest] = inputs.filter((input) => !input.isTrusted);
  if (first === undefined) return TRUSTED;
  const safeFor = first.safeFor.filter((use) => rest.every((input) => input.safeFor.includes(use)));
  return safeFor.length === 0 ? UNKNOWN : { ...UNKNOWN, safeFor };
}

/** The value after a check that a careful program may rely on, or not. */
export function checked(value: Value): Value {
  if (value.source?.strength !== 'strong') return value;
  return { ...value, source: { ...value.source, strength: 'checked' } };
}

/** Parts of a text between the known ones that somebody else may choose. */
export function holes(value: Value): Value[] {
  const open: Value[] = [];
  for (const piece of value.pieces ?? []) {
    if (typeof piece !== 'string' && !piece.isTrusted) open.push(piece);
  }
  return open;
}

function span(left: readonly [number, number], right: readonly [number, number]): [number, number] {
  return [Math.min(left[0], right[0]), Math.max(left[1], right[1])];
}
