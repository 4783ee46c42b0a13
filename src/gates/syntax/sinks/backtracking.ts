import { backtrackingOf } from '../engine/backtracking.ts';
import { type CallSite, type Danger, type Hint, type Sink, sourceFor } from './sink.ts';
import { holes, TRUSTED, type Value } from './value.ts';

const CWE = 'CWE-1333';
const FIX =
  'Write the pattern so that a text matches in one way only: no repetition within a repetition, no ' +
  'two repetitions side by side of the same characters; or bound the length of the text first.';
/** Methods of a regular expression whose first argument is the text, and the other way round. */
const OF_PATTERNS = new Set(['test', 'exec']);
const OF_TEXTS = new Set(['match', 'matchAll', 'replace', 'replaceAll', 'search', 'split']);

/** A repetition at the end of a group that is repeated, or alternatives within one. */
const NESTED = /[*+?}|][^()\n]{0,80}\)(?:[*+]|\{\d{0,4},\d{0,4}\})/;
/** Two repetitions in one literal, or one before its end; each class ends where the next begins. */
const REPEATED = /\/[^\n/*+]{0,60}[*+][^\n/*+$]{0,60}[*+$][^\n/]{0,60}\//;
/** One repetition of a class, group or any character before something else: `/<[^>]*>/`. */
const REPEATED_CLASS = /\/[^\n/]{0,60}[\])}.][*+][^\n/]{1,60}\/[a-z]{0,6}[,;.)\s]/;
const MATCHES = /\.(?:test|exec|match(?:All)?|replace(?:All)?|search|split)\(/;
const hints: readonly Hint[] = [
  { words: [']*', ']+', ')*', ')+', '.*', '.+'], patterns: [MATCHES, REPEATED_CLASS] },
  nestedRepetition(')*', ')+', '){'),
  {
    words: ['+$/', '*$/', '+/', '.*', '.+', '\\s*'],
    patterns: [MATCHES, REPEATED],
  },
];

/** Signs of a pattern with a repetition in a repetition, in a text with one of these words. */
export function nestedRepetition(...words: readonly string[]): Hint {
  return { words, patterns: [NESTED] };
}

/** Patterns that a text can keep busy for long (CWE-1333). */
export const backtracking: Sink = { hints, inCall };

/** What a pattern is that is written down, whatever it is used for; null: it ends in time. */
export function backtrackingDanger(pattern: string, flags: string): Danger | null {
  if (backtrackingOf(pattern, flags) !== 'exponential') return null;
  return danger('medium', TRUSTED, -1);
}

function inCall(site: CallSite): Danger | null {
  const { name, args, receiver } = site;
  const [first] = args;
  if (receiver === null || first === undefined) return null;
  if (OF_PATTERNS.has(name)) return matched(site, receiver, first, 0);
  return OF_TEXTS.has(name) ? matched(site, first, receiver, -1) : null;
}

function matched(site: CallSite, regex: Value, text: Value, argument: number): Danger | null {
  const { constant, role, properties } = regex;
  if (role !== 'regex' || constant === null) return null;
  const how = backtrackingOf(constant, properties?.get('flags')?.constant ?? '');
  if (how === null) return null;
  const source = sourceFor(text, 'regex', site.safetyOf);
  if (source === null) return how === 'polynomial' && isOpen(text) ? open(text) : null;
  if (source.strength === 'operator') return null;
  const isStrong = source.strength !== 'weak';
  // A loop that is written down is said where it stands.
  if (how === 'exponential') return isStrong ? danger('high', text, argument, source) : null;
  return danger(isStrong ? 'medium' : 'low', text, argument, source);
}

/** Whether nothing is known of a text: what calls the function that matches it is not in view. */
function isOpen(text: Value): boolean {
  const { constant, isTrusted, origin, role, properties, elements, callable, safeFor } = text;
  const isKnown = constant !== null || isTrusted || origin !== null || role !== null;
  const isOther = properties !== null || elements !== null || callable !== null;
  if (isKnown || isOther || text.source !== null || safeFor.includes('regex')) return false;
  return text.pieces === null || holes(text).some(isOpen);
}

function open(text: Value): Danger {
  return { ...danger('low', text, -1), sink: 'polynomial regular expression' };
}

function danger(
  severity: Danger['severity'],
  value: Value,
  argument: number,
  source: Danger['source'] = null,
): Danger {
  const sink = 'slow regular expression';
  return { id: 'ast-backtracking', severity, cwe: CWE, sink, fix: FIX, value, source, argument };
}
