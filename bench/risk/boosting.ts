import { createRandom, type Random } from '../random.ts';

/**
 * Gradient-boosted trees for a yes-or-no label: logistic loss, second-order steps, histograms,
 * leaves split best first, monotone constraints, each tree on a sample of rows and columns (J. H.
 * Friedman 2001, 2002; T. Chen, C. Guestrin, KDD 2016). Written for tables that fit in memory; the
 * same input and seed always give the same trees.
 */

export interface TrainingTable {
  /** One array a feature, one value a row. */
  columns: readonly Float64Array[];
  /** 1: the label is yes. */
  labels: Uint8Array;
  /** Group of each row, from 0. A group has a base rate of its own, which the trees don't learn. */
  groups: Uint8Array;
  /** One a feature: 1 when the output never falls as the feature rises, -1 the reverse, 0 free. */
  monotone: readonly (-1 | 0 | 1)[];
}

export interface BoostingSettings {
  trees: number;
  leaves: number;
  learningRate: number;
  rowsPerLeafMin: number;
  /** Added to the sum of second derivatives: shrinks leaves of few rows. */
  l2: number;
  binsMax: number;
  /** Shares of the rows and of the columns that a tree sees, above 0 and at most 1. */
  rowShare: number;
  columnShare: number;
  /** Which rows and columns those are. */
  seed: number;
}

/** A split (`value` is the mean output below it) or, without children, a leaf. */
export interface TreeNode {
  value: number;
  split: { feature: number; threshold: number; low: TreeNode; high: TreeNode } | null;
}

interface Gradients {
  first: Float64Array;
  second: Float64Array;
}

interface Leaf {
  node: TreeNode;
  rows: Int32Array;
  histogram: Histogram;
  /** What monotone splits above allow. */
  from: number;
  to: number;
  best: Split | null;
}

interface Split {
  feature: number;
  bin: number;
  gain: number;
  low: number;
  high: number;
}

/** Trains the trees; rows `value <= threshold` go low. Outputs are log-odds beside a base rate. */
export function trainTrees(table: TrainingTable, settings: BoostingSettings): TreeNode[] {
  const bins = table.columns.map((column) => binColumn(column, settings.binsMax));
  const size = table.labels.length;
  const scores = new Float64Array(size);
  const gradients = { first: new Float64Array(size), second: new Float64Array(size) };
  const random = createRandom(settings.seed);
  const trees: TreeNode[] = [];
  for (let round = 0; round < settings.trees; round += 1) {
    centreGroups(table, scores, gradients);
    const features = drawFeatures(bins.length, settings, random);
    const ground = { columns: bins, features, monotone: table.monotone, gradients, settings };
    const tree = growTree(ground, drawRows(size, settings, random));
    trees.push(tree);
    for (let row = 0; row < size; row += 1) {
      scores[row] =
        (scores[row] ?? 0) + outputOf([tree], (feature) => table.columns[feature]?.[row] ?? 0);
    }
  }
  return trees;
}

function drawRows(size: number, { rowShare }: BoostingSettings, random: Random): Int32Array {
  const rows = Int32Array.from({ length: size }, (_value, row) => row);
  return rowShare >= 1 ? rows : rows.filter(() => random.next() < rowShare);
}

/** Some of the features, in their order; at least one. */
function drawFeatures(count: number, settings: BoostingSettings, random: Random): number[] {
  const left = Array.from({ length: count }, (_value, feature) => feature);
  const wanted = Math.max(1, Math.round(count * settings.columnShare));
  while (left.length > wanted) left.splice(Math.floor(random.next() * left.length), 1);
  return left;
}

/** Shifts each group to its own rate (one Newton step a round), then takes the derivatives. */
function centreGroups(table: TrainingTable, scores: Float64Array, gradients: Gradients): void {
  const { labels, groups } = table;
  const pull = new Float64Array(256);
  const weight = new Float64Array(256);
  derive(labels, scores, gradients);
  for (let row = 0; row < labels.length; row += 1) {
    const group = groups[row] ?? 0;
    pull[group] = (pull[group] ?? 0) + (gradients.first[row] ?? 0);
    weight[group] = (weight[group] ?? 0) + (gradients.second[row] ?? 0);
  }
  for (let row = 0; row < labels.length; row += 1) {
    const group = groups[row] ?? 0;
    scores[row] = (scores[row] ?? 0) + (pull[group] ?? 0) / ((weight[group] ?? 0) + 1e-9);
  }
  derive(labels, scores, gradients);
}

function derive(labels: Uint8Array, scores: Float64Array, { first, second }: Gradients): void {
  for (let row = 0; row < labels.length; row += 1) {
    const chance = 1 / (1 + Math.exp(-(scores[row] ?? 0)));
    first[row] = (labels[row] ?? 0) - chance;
    second[row] = chance * (1 - chance);
  }
}

interface BinnedColumn {
  /** Bin of each row. */
  bins: Uint8Array;
  /** Upper edge of each bin but the last. */
  edges: Float64Array;
}

/** Bins of about as many rows each; a value that many rows share has a bin of its own. */
function binColumn(column: Float64Array, binsMax: number): BinnedColumn {
  const sorted = Float64Array.from(column).sort();
  const edges: number[] = [];
  for (let bin = 1; bin < binsMax; bin += 1) {
    const at = Math.floor((bin * sorted.length) / binsMax);
    const value = sorted[at] ?? 0;
    const above = sorted[upperBound(sorted, value)];
    if (above === undefined) break;
    const edge = roundEdge(value, above);
    if (edges.length === 0 || edge > (edges.at(-1) ?? 0)) edges.push(edge);
  }
  const bounds = Float64Array.from(edges);
  return { bins: Uint8Array.from(column, (value) => lowerBound(bounds, value)), edges: bounds };
}

/** A short number in [value, above). */
function roundEdge(value: number, above: number): number {
  const middle = (value + above) / 2;
  for (let digits = 1; digits < 8; digits += 1) {
    const short = Number(middle.toPrecision(digits));
    if (short >= value && short < above) return short;
  }
  return value;
}

/** How many of the sorted numbers are smaller than `value`. */
function lowerBound(sorted: Float64Array, value: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? 0) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** How many of the sorted numbers are not greater than `value`. */
function upperBound(sorted: Float64Array, value: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? 0) <= value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** What growing a tree works on. */
interface Ground {
  columns: readonly BinnedColumn[];
  /** The columns that the tree may split by. */
  features: readonly number[];
  monotone: TrainingTable['monotone'];
  gradients: Gradients;
  settings: BoostingSettings;
}

/**
 * Sums over the rows of a leaf, by feature and bin: first derivative, second, and count, at
 * `3 * (feature * binsMax + bin)`. What one child of a split has, the other has not.
 */
type Histogram = Float64Array;

/** Grows one tree on some rows. */
function growTree(ground: Ground, rows: Int32Array): TreeNode {
  const { settings } = ground;
  const root = makeLeaf(ground, rows, histogramOf(ground, rows), -Infinity, Infinity);
  const leaves = [root];
  while (leaves.length < settings.leaves) {
    const next = leaves.reduce((a, b) => ((b.best?.gain ?? 0) > (a.best?.gain ?? 0) ? b : a));
    if (next.best === null) break;
    leaves.splice(leaves.indexOf(next), 1, ...splitLeaf(ground, next, next.best));
  }
  return scale(root.node, settings.learningRate);
}

function histogramOf(ground: Ground, rows: Int32Array): Histogram {
  const { columns, features, gradients, settings } = ground;
  const { first, second } = gradients;
  const histogram = new Float64Array(3 * columns.length * settings.binsMax);
  for (const feature of features) {
    const bins = columns[feature]?.bins ?? new Uint8Array();
    for (const row of rows) {
      const at = 3 * (feature * settings.binsMax + (bins[row] ?? 0));
      histogram[at] = (histogram[at] ?? 0) + (first[row] ?? 0);
      histogram[at + 1] = (histogram[at + 1] ?? 0) + (second[row] ?? 0);
      histogram[at + 2] = (histogram[at + 2] ?? 0) + 1;
    }
  }
  return histogram;
}

function makeLeaf(
  ground: Ground,
  rows: Int32Array,
  histogram: Histogram,
  from: number,
  to: number,
): Leaf {
  // Every feature's bins hold every row: those of the first give the totals.
  const first = 3 * (ground.features[0] ?? 0) * ground.settings.binsMax;
  let sum = 0;
  let weight = 0;
  for (let at = first; at < first + 3 * ground.settings.binsMax; at += 3) {
    sum += histogram[at] ?? 0;
    weight += histogram[at + 1] ?? 0;
  }
  const value = outputWithin(ground.settings, sum, weight, from, to);
  const leaf: Leaf = { node: { value, split: null }, rows, histogram, from, to, best: null };
  for (const feature of ground.features) {
    const found = bestSplit(ground, leaf, feature, sum, weight);
    if (found !== null && found.gain > (leaf.best?.gain ?? 1e-6)) leaf.best = found;
  }
  return leaf;
}

function bestSplit(
  { columns, monotone, settings }: Ground,
  { histogram, rows, node, from, to }: Leaf,
  feature: number,
  sum: number,
  weight: number,
): Split | null {
  const whole = worth(settings, sum, weight, node.value);
  const direction = monotone[feature] ?? 0;
  const edges = columns[feature]?.edges.length ?? 0;
  let lowSum = 0;
  let lowWeight = 0;
  let lowCount = 0;
  let best: Split | null = null;
  for (let bin = 0; bin < edges; bin += 1) {
    const at = 3 * (feature * settings.binsMax + bin);
    lowSum += histogram[at] ?? 0;
    lowWeight += histogram[at + 1] ?? 0;
    lowCount += histogram[at + 2] ?? 0;
    if (lowCount < settings.rowsPerLeafMin) continue;
    if (rows.length - lowCount < settings.rowsPerLeafMin) break;
    const low = outputWithin(settings, lowSum, lowWeight, from, to);
    const high = outputWithin(settings, sum - lowSum, weight - lowWeight, from, to);
    if ((high - low) * direction < 0) continue;
    const gain =
      worth(settings, lowSum, lowWeight, low) +
      worth(settings, sum - lowSum, weight - lowWeight, high) -
      whole;
    if (best === null || gain > best.gain) best = { feature, bin, gain, low, high };
  }
  return best;
}

/** What is below a monotone split stays on its side of the middle: so the whole tree is. */
function splitLeaf(ground: Ground, leaf: Leaf, { feature, bin, low, high }: Split): [Leaf, Leaf] {
  const column = ground.columns[feature];
  const isLow = (row: number) => (column?.bins[row] ?? 0) <= bin;
  const lowRows = leaf.rows.filter(isLow);
  const highRows = leaf.rows.filter((row) => !isLow(row));
  const isLowSmaller = lowRows.length <= highRows.length;
  const counted = histogramOf(ground, isLowSmaller ? lowRows : highRows);
  const rest = leaf.histogram.map((value, at) => value - (counted[at] ?? 0));
  const [lowSums, highSums] = isLowSmaller ? [counted, rest] : [rest, counted];
  const middle = (low + high) / 2;
  const direction = ground.monotone[feature] ?? 0;
  const lowLeaf = makeLeaf(
    ground,
    lowRows,
    lowSums,
    direction < 0 ? middle : leaf.from,
    direction > 0 ? middle : leaf.to,
  );
  const highLeaf = makeLeaf(
    ground,
    highRows,
    highSums,
    direction > 0 ? middle : leaf.from,
    direction < 0 ? middle : leaf.to,
  );
  const threshold = column?.edges[bin] ?? 0;
  leaf.node.split = { feature, threshold, low: lowLeaf.node, high: highLeaf.node };
  return [lowLeaf, highLeaf];
}

/** Output of a leaf that lowers the loss most, within bounds. */
function outputWithin(
  { l2 }: BoostingSettings,
  sum: number,
  weight: number,
  from: number,
  to: number,
): number {
  return Math.min(to, Math.max(from, sum / (weight + l2)));
}

/** How much a leaf of this output lowers the loss, by its second-order approximation. */
function worth({ l2 }: BoostingSettings, sum: number, weight: number, value: number): number {
  return 2 * sum * value - (weight + l2) * value * value;
}

function scale(node: TreeNode, factor: number): TreeNode {
  const value = node.value * factor;
  if (node.split === null) return { value, split: null };
  const { low, high } = node.split;
  const children = { low: scale(low, factor), high: scale(high, factor) };
  return { value, split: { ...node.split, ...children } };
}

/** Output of the trees for one row, without a base rate. */
export function outputOf(trees: readonly TreeNode[], row: (feature: number) => number): number {
  let sum = 0;
  for (const tree of trees) {
    let node = tree;
    while (node.split !== null) {
      const { feature, threshold, low, high } = node.split;
      node = row(feature) <= threshold ? low : high;
    }
    sum += node.value;
  }
  return sum;
}
