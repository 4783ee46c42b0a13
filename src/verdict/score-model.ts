import type { RepoHistory } from '../model/change.ts';
import { HISTORY } from '../model/limits.ts';

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
  'h_rel_la',
  'h_fixratio',
  'h_recent',
  'h_gap',
] as const;
export type Feature = (typeof FEATURES)[number];

/** What a repository's earlier changes say of this one. */
export interface HistoryFeatures {
  /** Its size against the usual one, in standard deviations of ln(1 + lines added). */
  h_rel_la: number;
  /** Share of fixes among the earlier changes of its files. */
  h_fixratio: number;
  /** Earlier changes of each known file among the last HISTORY.WINDOW_CHANGES. */
  h_recent: number;
  /** Mean of ln(1 + changes since each known file was last touched); -1 when none is known. */
  h_gap: number;
}

export interface NeutralHistory extends Omit<HistoryFeatures, 'h_rel_la'> {
  /** Of ln(1 + lines added). */
  size_mean: number;
  size_deviation: number;
}

export type ModelInput = ChangeShape & HistoryFeatures;

/** A trained model as it is written down. */
export interface RiskModel {
  name: string;
  /** Log-odds that everything else is added to. */
  intercept: number;
  /** Stands for the history while little of it is known: what is usual elsewhere. */
  neutral: NeutralHistory;
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
  logOdds: number;
  /** Log-odds by feature, in the order of FEATURES, against the mean of the training data. */
  parts: Float64Array;
  message: number;
}

type Estimator = (input: ModelInput, hints: MessageHints) => Estimate;

/** Prepares a model; the result takes about 150 x 4 steps a change. */
export function createEstimator(model: RiskModel): Estimator {
  const trees = decode(model.trees);
  const { features, thresholds, values, highs, roots } = trees;
  const mean = roots.reduce((sum, root) => sum + (values[root] ?? 0), model.intercept);
  const row = new Float64Array(FEATURES.length);
  return (input, hints) => {
    FEATURES.forEach((name, index) => {
      row[index] = input[name];
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
    return { logOdds: parts.reduce((sum, part) => sum + part, mean + message), parts, message };
  };
}

/** Whether a history is long enough to say anything. */
export function isTelling(history: RepoHistory | null): history is RepoHistory {
  return history !== null && history.changes >= HISTORY.CHANGES_MIN;
}

/** The features of a history of `isTelling`. */
export function historyFeatures(history: RepoHistory, la: number): HistoryFeatures {
  const { files_known, touches } = history;
  return {
    h_rel_la: relativeSize(history, la),
    h_fixratio: touches === 0 ? 0 : history.fixes / touches,
    h_recent: files_known === 0 ? 0 : history.recent_touches / files_known,
    h_gap: files_known === 0 ? -1 : history.log_age / files_known,
  };
}

/** The features of a change whose history says nothing yet. */
export function neutralFeatures(neutral: NeutralHistory, la: number): HistoryFeatures {
  const { h_fixratio, h_recent, h_gap } = neutral;
  return { h_rel_la: relativeSize(neutral, la), h_fixratio, h_recent, h_gap };
}

function relativeSize(usual: { size_mean: number; size_deviation: number }, la: number): number {
  return (Math.log1p(la) - usual.size_mean) / Math.max(usual.size_deviation, DEVIATION_MIN);
}

/** Where all changes had the same size, a little more is not much more. */
const DEVIATION_MIN = 0.1;

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
