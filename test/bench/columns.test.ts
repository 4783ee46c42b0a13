import test from 'ava';
import { createColumns } from '../../bench/risk/columns.ts';

/** Posted in this order to one fresh repository; what is not named is 0. */
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
      ...{ la: 4, ld: 1, nf: 1, nd: 1, ns: 1, hunks: 1, lt_hint: 23, nf_code: 1 },
      ...{ code_la: 4, code_ld: 1, cx_add: 2, exc_add: 1, call_add: 2, com_share: 0.25 },
      ...{ max_indent: 8, max_file: 5, fix: 1, issue: 1, msg_len: 36, msg_lines: 1 },
      ...{ h_gap: -1, h_gapmin: -1 },
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
      ...{ la: 3, ld: 1, nf: 3, nd: 2, ns: 2, entropy: 1, hunks: 2, n_new: 2, n_bin: 1 },
      ...{ lt_hint: 3, nf_doc: 1, nf_test: 1, nf_other: 1, test_la: 1, feature: 1 },
      ...{ msg_len: 27, msg_lines: 3, h_seen: 1, h_gap: -1, h_gapmin: -1 },
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
      ...{ la: 2, nf: 2, nd: 1, ns: 1, entropy: 1, hunks: 2, n_new: 1, lt_hint: 25 },
      ...{ nf_code: 2, code_la: 2, conc_add: 2, call_add: 1, max_indent: 4, max_file: 1 },
      ...{ msg_len: 13, msg_lines: 1, h_seen: 2, h_nuc_mean: 0.5, h_nuc_max: 1 },
      ...{ h_fix_mean: 0.5, h_fix_max: 1, h_fixratio: 1, h_known: 0.5, h_gap: 1.098612 },
      ...{ h_gapmin: Math.log(3), h_churn: 2.5, h_dir: 1, h_recent: 0.5 },
    },
  },
];

test('createColumns gives the columns of the training data', (t) => {
  const columns = createColumns();
  for (const { message, diff, expected } of CHANGES) {
    const found = columns(message, Buffer.from(diff));
    for (const [name, value] of Object.entries(found)) {
      t.is(value, expected[name] ?? 0, `${name} of ${message}`);
    }
    for (const name of Object.keys(expected)) t.true(name in found, name);
  }
});
