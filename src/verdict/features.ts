/**
 * What the change model looks at. The short names are those of the field (Y. Kamei et al., "A
 * Large-Scale Empirical Study of Just-in-Time Quality Assurance", TSE 2013) and of the training
 * data's columns; docs/risk-score.md explains each.
 */

/** The shape of a change. Changes of white space alone are left out of all of it. */
export interface ChangeShape {
  /** Lines added. */
  la: number;
  /** Files, directories and top-level directories touched; the root counts as one. */
  nf: number;
  nd: number;
  ns: number;
  hunks: number;
  /** New files. */
  n_new: number;
  /** Files by kind: code without tests, tests, documentation, builds and dependencies, ... */
  nf_code: number;
  nf_test: number;
  nf_doc: number;
  nf_dep: number;
  /** ... migrations, configuration, and the rest. */
  nf_mig: number;
  nf_cfg: number;
  nf_other: number;
  /** Lines added to code (migrations included), and to tests. */
  code_la: number;
  test_la: number;
}

/** What a message can claim its change to be. */
export const HINTS = ['fix', 'revert', 'refactor', 'feature', 'trivial'] as const;

/** 1 for each claim that the message makes, else 0. */
export type MessageHints = Record<(typeof HINTS)[number], number>;

/** A change of nothing. */
export const EMPTY_SHAPE: ChangeShape = {
  la: 0,
  nf: 0,
  nd: 0,
  ns: 0,
  hunks: 0,
  n_new: 0,
  nf_code: 0,
  nf_test: 0,
  nf_doc: 0,
  nf_dep: 0,
  nf_mig: 0,
  nf_cfg: 0,
  nf_other: 0,
  code_la: 0,
  test_la: 0,
};

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
