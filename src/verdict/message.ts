import type { MessageHints } from './features.ts';

const FIX = new RegExp(
  [
    '\\b(?:fix(?:e[sd]|ing)?|bugs?|defects?|patch(?:es|ed)?|faults?|wrong|incorrect(?:ly)?',
    '|regressions?|crash(?:e[sd])?|npe|races?|deadlocks?|leaks?)\\b',
  ].join(''),
  'i',
);
const REVERT = /^revert/i;
const REFACTOR = /\b(?:refactor(?:ed|ing)?|clean ?up|rename|move|simplify|extract)\b/i;
const FEATURE =
  /\b(?:add(?:s|ed|ing)?|implements?|supports?|introduces?|features?|new|allow|enable|blueprint)\b/i;
const TRIVIAL =
  /\b(?:typos?|docs?|documentation|comments?|minor|trivial|whitespace|license|readme|bump|releases?|translations?|style)\b/i;

/** Reads the message of a change: the whole of it for `fix`, its first line for the others. */
export function readMessage(message: string): MessageHints {
  const end = message.indexOf('\n');
  const subject = end === -1 ? message : message.slice(0, end);
  return {
    fix: Number(FIX.test(message)),
    revert: Number(REVERT.test(subject)),
    refactor: Number(REFACTOR.test(subject)),
    feature: Number(FEATURE.test(subject)),
    trivial: Number(TRIVIAL.test(subject)),
  };
}
