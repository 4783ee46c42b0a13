/**
 * What the change model looks at. The short names are terms of the field (Y. Kamei et al., "A
 * Large-Scale Empirical Study of Just-in-Time Quality Assurance", TSE 2013) and of the training
 * data's columns; docs/why/risk-score.md explains each.
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
  /** Lines added to code without its comments, and branches in them: `if`, `for`, `&&`, `?`, ... */
  src_la: number;
  cx_add: number;
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
  src_la: 0,
  cx_add: 0,
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

/** What the trees look at, in the order of their feature numbers. */
export const FEATURES = [
  'la',
  'nf',
  'nd',
  'ns',
  'hunks',
  'n_new',
  'nf_code',
  'nf_test',
  'nf_doc',
  'nf_dep',
  'nf_mig',
  'nf_cfg',
  'nf_other',
  'code_la',
  'test_la',
  'src_la',
  'cx_add',
] as const satisfies readonly (keyof ChangeShape)[];
export type Feature = (typeof FEATURES)[number];

/** A trained model as it is written down. */
export interface RiskModel {
  name: string;
  /** Log-odds that everything else is added to. */
  intercept: number;
  /** Log-odds of each hint of the message; their sum is cut to `messageMax` either way. */
  message: MessageHints;
  messageMax: number;
  /**
   * The trees one after the other, each from its root, low child first. A split is its feature's
   * number, threshold (values up to it go low) and the mean output below it; a leaf -1 and its
   * output.
   */
  trees: readonly number[];
}

/** Log-odds that a change needs a later fix, and what each part of it contributes. */
interface Estimate {
  /** Of a change of which nothing is known: the mean over the training data. */
  base: number;
  /** What each feature adds, in the order of FEATURES, and what the message does. */
  parts: Float64Array;
  message: number;
  /** The sum of all of these. */
  logOdds: number;
}

type Estimator = (shape: ChangeShape, hints: MessageHints) => Estimate;

/** Prepares a model; the result takes about 150 x 4 steps a change. */
export function createEstimator(model: RiskModel): Estimator {
  const trees = decode(model.trees);
  const { features, thresholds, values, highs, roots } = trees;
  const base = roots.reduce((sum, root) => sum + (values[root] ?? 0), model.intercept);
  const row = new Float64Array(FEATURES.length);
  return (shape, hints) => {
    FEATURES.forEach((name, index) => {
      row[index] = shape[name];
    });
    const parts = new Float64Array(FEATURES.length);
    for (const root of roots) {
      let node = root;
      let feature = features[node] ?? LEAF;
      while (feature !== LEAF) {
        const isLow = (row[feature] ?? 0) <= (thresholds[node] ?? 0);
        const next = isLow ? node + 1 : (highs[node] ?? 0);
        // The part of a feature: how its splits move the mean of what is below (A. Saabas 2014).
        parts[feature] = (parts[feature] ?? 0) + (values[next] ?? 0) - (values[node] ?? 0);
        node = next;
        feature = features[node] ?? LEAF;
      }
    }
    const message = messagePart(model, hints);
    const logOdds = parts.reduce((sum, part) => sum + part, base + message);
    return { base, parts, message, logOdds };
  };
}

const LEAF = -1;

function messagePart({ message, messageMax }: RiskModel, hints: MessageHints): number {
  const sum = HINTS.reduce((total, hint) => total + message[hint] * hints[hint], 0);
  return Math.max(-messageMax, Math.min(messageMax, sum));
}

/** The nodes in the order in which they are written: a low child follows its parent. */
interface Nodes {
  features: Int8Array;
  thresholds: Float64Array;
  values: Float64Array;
  highs: Int32Array;
  roots: number[];
}

function decode(numbers: readonly number[]): Nodes {
  const nodes: Nodes = {
    features: new Int8Array(numbers.length),
    thresholds: new Float64Array(numbers.length),
    values: new Float64Array(numbers.length),
    highs: new Int32Array(numbers.length),
    roots: [],
  };
  let at = 0;
  let node = 0;
  function read(): void {
    const own = node;
    node += 1;
    const feature = numbers[at] ?? LEAF;
    nodes.features[own] = feature;
    if (feature === LEAF) {
      nodes.values[own] = numbers[at + 1] ?? 0;
      at += 2;
      return;
    }
    nodes.thresholds[own] = numbers[at + 1] ?? 0;
    nodes.values[own] = numbers[at + 2] ?? 0;
    at += 3;
    read();
    nodes.highs[own] = node;
    read();
  }
  while (at < numbers.length) {
    nodes.roots.push(node);
    read();
  }
  return nodes;
}
