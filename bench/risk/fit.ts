import { mean } from '../../src/verdict/score-measures.ts';
import {
  type ChangeShape,
  createEstimator,
  FEATURES,
  HINTS,
  type MessageHints,
  type RiskModel,
} from '../../src/verdict/score-model.ts';
import { type BoostingSettings, outputOf, type TreeNode, trainTrees } from './boosting.ts';
import { columnOf, type RiskTable } from './table.ts';

export const SETTINGS: BoostingSettings = {
  trees: 150,
  leaves: 8,
  learningRate: 0.06,
  rowsPerLeafMin: 60,
  l2: 5,
  binsMax: 64,
  rowShare: 0.6,
  columnShare: 0.4,
  seed: 1,
};

/** The message is the author's claim: it moves the log-odds by at most this, either way. */
const MESSAGE_MAX = 0.4;

type Estimates = (row: number) => number;

/**
 * Trains the model of score-model.ts on some rows of a table. Each feature can rise when a change
 * adds code, so the output never falls along any of them.
 */
export function fitModel(
  table: RiskTable,
  rows: readonly number[],
  name: string,
  seed = SETTINGS.seed,
): RiskModel {
  const { labels, groups } = targetsOf(table, rows);
  const { trees, scores } = fitTrees(table, rows, FEATURES, seed);
  const hints = rows.map((row) => hintsOf(table, row));
  const message = fitHints(scores, hints, labels, groups);
  const parts = { name, intercept: 0, message, messageMax: MESSAGE_MAX };
  const model: RiskModel = { ...parts, trees: trees.flatMap(encode) };
  const estimates = estimatesOf(model, table);
  return { ...model, intercept: interceptFor(rows.map(estimates), mean([...labels])) };
}

/** Trees on any columns of the data, and their outputs for the rows they were trained on. */
export function fitTrees(
  table: RiskTable,
  rows: readonly number[],
  features: readonly string[],
  seed: number,
  free: readonly string[] = [],
): { trees: TreeNode[]; scores: number[] } {
  const columns = features.map((feature) => {
    const column = columnOf(table, feature);
    return Float64Array.from(rows, (row) => column[row] ?? 0);
  });
  const monotone = features.map((feature) => (free.includes(feature) ? 0 : 1));
  const training = { columns, ...targetsOf(table, rows), monotone };
  const trees = trainTrees(training, { ...SETTINGS, seed });
  const scores = rows.map((_row, index) =>
    outputOf(trees, (feature) => columns[feature]?.[index] ?? 0),
  );
  return { trees, scores };
}

function targetsOf(table: RiskTable, rows: readonly number[]) {
  return {
    labels: Uint8Array.from(rows, (row) => table.labels[row] ?? 0),
    groups: Uint8Array.from(rows, (row) => table.repoOf[row] ?? 0),
  };
}

/** Log-odds of a row, by the code that the service runs; `isSilent`: as if without a message. */
export function estimatesOf(model: RiskModel, table: RiskTable, isSilent = false): Estimates {
  const estimate = createEstimator(model);
  return (row) => estimate(shapeOf(table, row), isSilent ? NO_HINTS : hintsOf(table, row)).logOdds;
}

const NO_HINTS: MessageHints = { fix: 0, revert: 0, refactor: 0, feature: 0, trivial: 0 };

export function chanceOf(logOdds: number): number {
  return 1 / (1 + Math.exp(-logOdds));
}

function shapeOf(table: RiskTable, row: number): ChangeShape {
  const entries = FEATURES.map((name) => [name, columnOf(table, name)[row] ?? 0] as const);
  return Object.fromEntries(entries) as unknown as ChangeShape;
}

function hintsOf(table: RiskTable, row: number): MessageHints {
  const value = (name: string) => columnOf(table, name)[row] ?? 0;
  const entries = HINTS.map((hint) => [hint, value(hint)] as const);
  return Object.fromEntries(entries) as unknown as MessageHints;
}

/** Logistic regression on what the trees leave, with a base rate a repository, by Newton steps. */
function fitHints(
  scores: readonly number[],
  hints: readonly MessageHints[],
  labels: Uint8Array,
  groups: Uint8Array,
): MessageHints {
  const weights = { ...NO_HINTS };
  const bases = new Float64Array(256);
  const residual = (row: number) => {
    const hint = hints[row];
    const base = (scores[row] ?? 0) + (bases[groups[row] ?? 0] ?? 0);
    const logOdds = HINTS.reduce((sum, name) => sum + weights[name] * (hint?.[name] ?? 0), base);
    const chance = chanceOf(logOdds);
    return { pull: (labels[row] ?? 0) - chance, weight: chance * (1 - chance) };
  };
  const step = (takes: (row: number) => boolean) => {
    let pull = 0;
    let weight = 1;
    scores.forEach((_score, row) => {
      if (!takes(row)) return;
      const each = residual(row);
      pull += each.pull;
      weight += each.weight;
    });
    return pull / weight;
  };
  const present = new Set(groups);
  for (let round = 0; round < 15; round += 1) {
    for (const group of present) {
      bases[group] = (bases[group] ?? 0) + step((row) => groups[row] === group);
    }
    for (const name of HINTS) weights[name] += step((row) => hints[row]?.[name] === 1);
  }
  for (const name of HINTS) weights[name] = Number(weights[name].toFixed(3));
  return weights;
}

/**
 * The intercept that makes the mean chance that of the training data: of a repository that nothing
 * is known of, nothing better is known.
 */
function interceptFor(scores: readonly number[], rate: number): number {
  let low = -10;
  let high = 10;
  for (let round = 0; round < 40; round += 1) {
    const middle = (low + high) / 2;
    if (mean(scores.map((score) => chanceOf(score + middle))) < rate) low = middle;
    else high = middle;
  }
  return Number(low.toFixed(4));
}

/** As `RiskModel.trees` wants it; four decimals, which keep the order of outputs. */
function encode(node: TreeNode): number[] {
  const value = Number(node.value.toFixed(4));
  if (node.split === null) return [-1, value];
  const { feature, threshold, low, high } = node.split;
  return [feature, threshold, value, ...encode(low), ...encode(high)];
}
