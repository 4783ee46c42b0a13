import test from 'ava';
import { headerText } from '../../src/diff/header-text.ts';
import { parseDiff } from '../../src/diff/parse.ts';

const cases: readonly { name: string; diff: string; text: readonly string[] }[] = [
  {
    name: 'a new symlink',
    diff: 'diff --git a/l b/l\nnew file mode 120000\nindex 000..111\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+t\n',
    text: ['new file mode 120000', '--- /dev/null', '+++ b/l'],
  },
  {
    name: 'a file that becomes executable and moves',
    diff: 'diff --git a/x b/y\nold mode 100644\nnew mode 100755\nsimilarity index 100%\nrename from x\nrename to y\n',
    text: [
      'old mode 100644',
      'new mode 100755',
      'rename from x',
      'rename to y',
      '--- a/x',
      '+++ b/y',
    ],
  },
  {
    name: 'a copy',
    diff: 'diff --git a/x b/y\nsimilarity index 100%\ncopy from x\ncopy to y\n',
    text: ['copy from x', 'copy to y', '--- a/x', '+++ b/y'],
  },
  {
    name: 'a deleted binary file',
    diff: 'diff --git a/x b/x\ndeleted file mode 100644\nindex 111..000\nBinary files a/x and /dev/null differ\n',
    text: ['deleted file mode 100644', 'Binary files differ', '--- a/x', '+++ /dev/null'],
  },
  {
    name: 'an ordinary change',
    diff: '--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n',
    text: ['--- a/x', '+++ b/x'],
  },
  {
    name: 'a name that tries to add a line',
    diff: 'diff --git "a/x\\nnew file mode 120000" "b/x\\nnew file mode 120000"\nold mode 100644\nnew mode 100755\n',
    text: [
      'old mode 100644',
      'new mode 100755',
      '--- a/x\\012new file mode 120000',
      '+++ b/x\\012new file mode 120000',
    ],
  },
];

for (const { name, diff, text } of cases) {
  test(`headerText states ${name}`, (t) => {
    const [file] = parseDiff(Buffer.from(diff)).files;
    t.is(file && headerText(file), text.join('\n'));
  });
}
