import { HISTORY } from '../../src/model/limits.ts';
import {
  type ChangeShape,
  createEstimator,
  FEATURES,
  type Feature,
  HINTS,
  type HistoryFeatures,
  type MessageHints,
  type ModelInput,
  type NeutralHistory,
  neutralFeatures,
  type RiskModel,
} from '../../src/verdict/score-model.ts';
import { type BoostingSettings, outputOf, type TreeNode, trainTrees } from './boosting.ts';
import { mean } from './metrics.ts';
import { columnOf, type RiskTable } from './table.ts';

export const SETTINGS: BoostingSettings = {
  trees: 150,
  leaves: 8,
  learningRate: 0.06,
  rowsPerLeafMin: 60,
  l2: 5,
  binsMax: 48,
};

/** Mean chance of a repository that the model says nothing else of. */
const BASE_RATE = 0.25;

/** The message is the author's claim: it moves the log-odds by at most this, either way. */
const MESSAGE_MAX = 0.4;

/**
 * Features that can rise when a change adds code: the score must not fall then. `h_gap` is free:
 * what a change adds does not move it.
 */
const FREE: readonly Feature[] = ['h_gap'];

type Estimates = (row: number) => number;

/** Trains the model of score-model.ts on some rows of a table. */
export function fitModel(table: RiskTable, rows: readonly number[], name: string): RiskModel {
  const neutral = neutralHistory(table, rows);
  const inputs = rows.map((row) => inputOf(table, row, neutral));
  const labels = Uint8Array.from(rows, (row) => table.labels[row] ?? 0);
  const groups = Uint8Array.from(rows, (row) => table.repoOf[row] ?? 0);
  const trees = trainTrees(
    {
      columns: FEATURES.map((feature) => Float64Array.from(inputs, (input) => input[feature])),
      labels,
      groups,
      monotone: FEATURES.map((feature) => (FREE.includes(feature) ? 0 : 1)),
    },
    SETTINGS,
  );
  const hints = rows.map((row) => hintsOf(table, row));
  const scores = inputs.map((input) => outputOf(trees, (index) => input[FEATURES[index] ?? 'la']));
  const message = fitHints(scores, hints, labels, groups);
  const model: RiskModel = {
    name,
    intercept: 0,
    neutral,
    message,
    messageMax: MESSAGE_MAX,
    trees: trees.flatMap(encode),
  };
  const estimates = estimatesOf(model, table);
  return { ...model, intercept: interceptFor(estimates, table, rows) };
}

/**
 * Log-odds of a row, by the code that the service runs; `isCold`: as if nothing were known of
 * its repository.
 */
export function estimatesOf(model: RiskModel, table: RiskTable, isCold = false): Estimates {
  const estimate = createEstimator(model);
  return (row) => estimate(inputOf(table, row, model.neutral, isCold), hintsOf(table, row)).logOdds;
}

export function chanceOf(logOdds: number): number {
  return 1 / (1 + Math.exp(-logOdds));
}

function inputOf(
  table: RiskTable,
  row: number,
  neutral: NeutralHistory,
  isCold = false,
): ModelInput {
  const value = (name: string) => columnOf(table, name)[row] ?? 0;
  const shape = Object.fromEntries(
    FEATURES.filter((name) => !name.startsWith('h_')).map((name) => [name, value(name)]),
  ) as unknown as ChangeShape;
  const isKnown = value('h_seen') >= HISTORY.CHANGES_MIN && !isCold;
  const history = isKnown ? historyOf(value) : neutralFeatures(neutral, value('la'));
  return { ...shape, ...history };
}

/** `h_recent` of the data is a mean over all files; the service's is one over the known ones. */
function historyOf(value: (name: string) => number): HistoryFeatures {
  const known = value('h_known');
  return {
    h_rel_la: value('h_rel_la'),
    h_fixratio: value('h_fixratio'),
    h_recent: known === 0 ? 0 : value('h_recent') / known,
    h_gap: value('h_gap'),
  };
}

/** Medians of the rows whose history is known, and the usual size of all. */
function neutralHistory(table: RiskTable, rows: readonly number[]): NeutralHistory {
  const seen = columnOf(table, 'h_seen');
  const known = rows.filter((row) => (seen[row] ?? 0) >= HISTORY.CHANGES_MIN);
  const histories = known.map((row) => historyOf((name) => columnOf(table, name)[row] ?? 0));
  const median = (feature: keyof HistoryFeatures) => {
    const sorted = histories.map((history) => history[feature]).sort((a, b) => a - b);
    return Number((sorted[sorted.length >> 1] ?? 0).toFixed(3));
  };
  const sizes = rows.map((row) => Math.log1p(columnOf(table, 'la')[row] ?? 0));
  const size = mean(sizes);
  const deviation = Math.sqrt(mean(sizes.map((each) => (each - size) ** 2)));
  return {
    size_mean: Number(size.toFixed(3)),
    size_deviation: Number(deviation.toFixed(3)),
    h_fixratio: median('h_fixratio'),
    h_recent: median('h_recent'),
    h_gap: median('h_gap'),
  };
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
  const weights: MessageHints = { fix: 0, revert: 0, refactor: 0, feature: 0, trivial: 0 };
  const bases = new Float64Array(256);
  const residual = (row: number) => {
    const hint = hints[row];
    const base = (scores[row] ?? 0) + (bases[groups[row] ?? 0] ?? 0);
    const logOdds = HINTS.reduce((sum, name) => sum + weights[name] * (hint?.[name] ?? 0), base);
    const chance = chanceOf(logOdds);
    return { pull: (labels[row] ?? 0) - chance, weight: chance * (1 - chance) };
  };
  const step = (takes: (row: number) => boolean) => {
    let [pull, weight] = [0, 1];
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

/** The intercept that makes the mean over repositories of their mean chances BASE_RATE. */
function interceptFor(estimates: Estimates, table: RiskTable, rows: readonly number[]): number {
  const byRepo = table.repos.map((_name, repo) =>
    rows.filter((row) => table.repoOf[row] === repo).map(estimates),
  );
  const present = byRepo.filter((scores) => scores.length > 0);
  let [low, high] = [-10, 10];
  for (let round = 0; round < 40; round += 1) {
    const middle = (low + high) / 2;
    const rate = mean(
      present.map((scores) => mean(scores.map((score) => chanceOf(score + middle)))),
    );
    if (rate < BASE_RATE) low = middle;
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
