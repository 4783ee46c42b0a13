import type { Severity } from '../../../domain/finding.ts';
import { holes, type Strength, type Value } from '../taint/value.ts';

/** A call or `new`, as a sink sees it. */
export interface CallSite {
  /** Last name of the callee: `exec` of `cp.exec`; '' when it is computed. */
  readonly name: string;
  /** What the callee was imported as, where the fragment shows it: `child_process.exec`. */
  readonly origin: string | null;
  /** The callee's name is declared in the fragment, as something that was not imported. */
  readonly isDeclared: boolean;
  /** What stands before the last name; null for a plain name. */
  readonly receiver: Value | null;
  /** How that is written, when it is a chain of names: `this.db`. */
  readonly receiverPath: string | null;
  readonly isNew: boolean;
  readonly args: readonly Value[];
}

/** What a sink has found. */
export interface Danger {
  id: string;
  severity: Severity;
  cwe: string;
  /** What the data reaches, as part of a sentence: `a shell command`. */
  sink: string;
  fix: string;
  value: Value;
  /** Index of the argument that holds the value; -1 for the receiver or a property. */
  argument: number;
}

/** A sign of a sink in raw text: the prefilter. */
export interface Hint {
  /** Literals of which one stands in the text, in any case: looked for first, all at once. */
  words: readonly string[];
  /** Expressions that must all match then. Linear: run on whole hunks of hostile text. */
  patterns: readonly RegExp[];
}

/** One class of vulnerability: data for the prefilter, and functions that look at code. */
export interface Sink {
  /** Of which at least one applies wherever this sink is used; a hunk with none is not parsed. */
  readonly hints: readonly Hint[];
  inCall?(site: CallSite): Danger | null;
  /** A property of an object literal. */
  inProperty?(name: string, value: Value): Danger | null;
}

/**
 * How dangerous a value is: by its source, or `built` for a text put together from what are no
 * literals, or `null` when it has no shape to speak of.
 */
export function threat(value: Value): Strength | 'built' | null {
  if (value.source !== null) return value.source.strength;
  return holes(value).length > 0 ? 'built' : null;
}

/** The last part of an origin if it is one of the modules', else null. */
export function exportOf(origin: string | null, modules: ReadonlySet<string>): string | null {
  if (origin === null) return null;
  if (modules.has(origin)) return '';
  const dot = origin.lastIndexOf('.');
  return dot > 0 && modules.has(origin.slice(0, dot)) ? origin.slice(dot + 1) : null;
}

/** The words themselves, as whole words. */
export function wholeWords(words: readonly string[]): Hint {
  const escaped = words.map((word) => word.replaceAll('$', '\\$'));
  return { words, patterns: [new RegExp(`(?<![\\w$])(?:${escaped.join('|')})(?![\\w$])`)] };
}
