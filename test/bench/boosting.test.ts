import test from 'ava';
import { createRandom } from '../../bench/random.ts';
import { outputOf, trainTrees } from '../../bench/risk/boosting.ts';
import { areaUnderCurve, calibration, recallAt } from '../../bench/risk/metrics.ts';

const SETTINGS = {
  trees: 40,
  leaves: 4,
  learningRate: 0.2,
  rowsPerLeafMin: 20,
  l2: 1,
  binsMax: 32,
};

/** Two groups with base rates of their own; the first feature matters, the second is noise. */
function drawTable(size: number) {
  const random = createRandom(7);
  const signal = Float64Array.from({ length: size }, () => random.between(0, 50));
  const noise = Float64Array.from({ length: size }, () => random.between(0, 50));
  const groups = Uint8Array.from({ length: size }, (_value, row) => row % 2);
  const labels = Uint8Array.from(signal, (value, row) => {
    const logOdds = (value - 25) / 8 + (groups[row] === 1 ? 1.5 : -1.5);
    return Number(random.next() < 1 / (1 + Math.exp(-logOdds)));
  });
  return { columns: [signal, noise], labels, groups, monotone: [1, 0] as const };
}

test('trainTrees finds what matters, the same trees each time, and never falls along it', (t) => {
  const table = drawTable(4_000);
  const trees = trainTrees(table, SETTINGS);
  t.deepEqual(trainTrees(table, SETTINGS), trees);
  t.is(trees.length, SETTINGS.trees);
  const rows = [...table.labels.keys()].filter((row) => table.groups[row] === 0);
  const scores = rows.map((row) =>
    outputOf(trees, (feature) => table.columns[feature]?.[row] ?? 0),
  );
  const labels = rows.map((row) => table.labels[row] ?? 0);
  t.true(areaUnderCurve(scores, labels) > 0.8);
  for (const noise of [0, 20, 49]) {
    const along = Array.from({ length: 50 }, (_value, signal) =>
      outputOf(trees, (feature) => (feature === 0 ? signal : noise)),
    );
    t.true(along.every((value, at) => at === 0 || value >= (along[at - 1] ?? 0)));
  }
});

test('metrics of scores that are known by heart', (t) => {
  t.is(areaUnderCurve([1, 2, 3, 4], [0, 0, 1, 1]), 1);
  t.is(areaUnderCurve([1, 1, 1, 1], [0, 1, 0, 1]), 0.5);
  t.is(areaUnderCurve([4, 3, 2, 1], [0, 1, 0, 1]), 0.25);
  t.is(recallAt([0.9, 0.8, 0.1, 0.2], [1, 0, 1, 0], 0.25), 0.5);
  const deciles = calibration([0.05, 0.95, 1, 0.91], [0, 1, 1, 0]);
  t.is(deciles[0]?.count, 1);
  t.is(deciles[9]?.count, 3);
  t.is(deciles[9]?.observed, 2 / 3);
});
