import test from 'ava';
import { createRandom } from '../../bench/random.ts';
import { outputOf, trainTrees } from '../../bench/risk/boosting.ts';
import { columnsOf } from '../../bench/risk/columns.ts';
import { recallAt } from '../../bench/risk/protocol.ts';
import { areaUnderCurve, calibration } from '../../src/verdict/score-measures.ts';

const SETTINGS = {
  trees: 40,
  leaves: 4,
  learningRate: 0.2,
  rowsPerLeafMin: 20,
  l2: 1,
  binsMax: 32,
  rowShare: 0.7,
  columnShare: 0.5,
  seed: 1,
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
  t.notDeepEqual(trainTrees(table, { ...SETTINGS, seed: 2 }), trees);
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

/** What is not named is 0. */
const CHANGES: readonly { message: string; diff: string; expected: Record<string, number> }[] = [
  {
    message: 'Fix the lookup of an empty cart (#7)',
    diff: `diff --git a/src/cart/find.go b/src/cart/find.go
--- a/src/cart/find.go
+++ b/src/cart/find.go
@@ -20,3 +20,6 @@ func Find(id string) {
 	item := all[id]
-	return item
+	// nothing there
+	if item == nil || item.Gone() {
+		panic(id)
+	}
 }
`,
    expected: {
      la: 4,
      nf: 1,
      nd: 1,
      ns: 1,
      hunks: 1,
      nf_code: 1,
      code_la: 4,
      src_la: 3,
      cx_add: 2,
      fix: 1,
    },
  },
  {
    message: 'Add a page\n\nand its picture',
    diff: `diff --git a/web/page.html b/web/page.html
new file mode 100644
--- /dev/null
+++ b/web/page.html
@@ -0,0 +1,2 @@
+<p>
+</p>
diff --git a/web/logo.png b/web/logo.png
new file mode 100644
Binary files /dev/null and b/web/logo.png differ
diff --git a/test/page.test.ts b/test/page.test.ts
--- a/test/page.test.ts
+++ b/test/page.test.ts
@@ -1,2 +1,2 @@
-one();
+two();
 three();
`,
    expected: {
      la: 3,
      nf: 3,
      nd: 2,
      ns: 2,
      hunks: 2,
      n_new: 2,
      nf_doc: 1,
      nf_test: 1,
      nf_other: 1,
      test_la: 1,
      feature: 1,
    },
  },
  {
    message: 'Lock the cart',
    diff: `diff --git a/src/cart/find.go b/src/cart/find.go
--- a/src/cart/find.go
+++ b/src/cart/find.go
@@ -24,1 +24,2 @@
 		panic(id)
+	lockAll(mutex)
diff --git a/src/cart/new.go b/src/cart/new.go
new file mode 100644
--- /dev/null
+++ b/src/cart/new.go
@@ -0,0 +1,1 @@
+package cart
`,
    expected: {
      la: 2,
      nf: 2,
      nd: 1,
      ns: 1,
      hunks: 2,
      n_new: 1,
      nf_code: 2,
      code_la: 2,
      src_la: 2,
    },
  },
];

test('columnsOf gives the columns of the training data', (t) => {
  for (const { message, diff, expected } of CHANGES) {
    const found = columnsOf(message, Buffer.from(diff));
    for (const [name, value] of Object.entries(found)) {
      t.is(value, expected[name] ?? 0, `${name} of ${message}`);
    }
    for (const name of Object.keys(expected)) t.true(name in found, name);
  }
});
