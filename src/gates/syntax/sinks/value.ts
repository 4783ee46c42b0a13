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
  /** An address that was parsed: it has the members of an address. */
  readonly isUrl: boolean;
  /** A path without steps up that are not resolved: `path.resolve(root, name)`. */
  readonly isResolved: boolean;
  /** A parameter of a function that an exported one gives back: fewer callers get at it. */
  readonly isOfReturned?: boolean;
  /** The function out of sight that it was given to, and may have come out of in any form. */
  readonly through?: string;
  /** Names that it went through, in order. */
  readonly steps: readonly Step[];
}

/**
 * Whether it is the path of a request: it has no host, but two slashes at its begin make one of
 * it in a redirect.
 */
export function isServedPath({ safeFor, claimedFor }: Source): boolean {
  return safeFor.includes('url') && claimedFor.includes('redirect');
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
  | 'decoded'
  | 'nothing'
  | 'this';

/** What is known of an expression's value. Made by the functions below only. */
export interface Value {
  readonly source: Source | null;
  /** The whole text, when it is known. */
  readonly constant: string | null;
  /** The same of a value that matters though no outsider can choose it: a cipher, a check. */
  readonly setting: string | null;
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
  /** Methods that were called on it and fields that it was made with; absent: not all are known. */
  readonly settings?: ReadonlyMap<string, Value>;
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

const STRENGTHS: readonly Strength[] = ['operator', 'weak', 'checked', 'strong'];

export const UNKNOWN: Value = {
  source: null,
  constant: null,
  setting: null,
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

export const TRUSTED: Value = { ...UNKNOWN, isTrusted: true };

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

/** Parts of a text, between known parts, that somebody else may choose. */
export function holes(value: Value): Value[] {
  const open: Value[] = [];
  for (const piece of value.pieces ?? []) {
    if (typeof piece !== 'string' && !piece.isTrusted) open.push(piece);
  }
  return open;
}
