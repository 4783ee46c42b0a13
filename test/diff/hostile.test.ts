import test from 'ava';
import { parseDiff } from '../../src/diff/parse.ts';
import { addedLines } from './added-lines.ts';

const HEADER = '--- a/x.js\n+++ b/x.js\n';
const GIT = `diff --git a/x.js b/x.js\nindex 111..222 100644\n${HEADER}`;
const HUNK = '@@ -0,0 +1 @@\n+ok\n';
const SHA = '0123456789abcdef0123456789abcdef01234567';
const MAIL = `From ${SHA} Mon Sep 17 00:00:00 2001\n`;
const COMMIT = `commit ${SHA}\n`;

interface Case {
  name: string;
  text: string;
  /** What the problems say, in order. */
  problems: readonly RegExp[];
  /** The added lines that are seen. */
  added: readonly string[];
}

/** Broken or deceitful diffs, and the odd ones that are neither. */
const cases: readonly Case[] = [
  {
    name: 'a removed line that looks like a header',
    text: `${GIT}@@ -1,2 +1,2 @@\n--- a/y.js\n+++ b/y.js\n c\n`,
    problems: [],
    added: ['x.js:1:++ b/y.js'],
  },
  {
    name: 'a body that ends at the next header',
    text: `${GIT}@@ -1,9 +1,9 @@\n+a\n${GIT}${HUNK}`,
    problems: [/ends early/],
    added: ['x.js:1:a', 'x.js:1:ok'],
  },
  {
    name: 'a body that ends at a pair which its counts leave no room for',
    text: `${HEADER}@@ -0,0 +1,9 @@\n+a\n--- a/y.js\n+++ b/y.js\n@@ -0,0 +1 @@\n+b\n`,
    problems: [/ends early/],
    added: ['x.js:1:a', 'y.js:1:b'],
  },
  {
    name: 'a body that ends at the next hunk',
    text: `${HEADER}@@ -1,2 +1,3 @@\n+a\n@@ -9 +9,2 @@\n+b\n c\n`,
    problems: [/ends early/],
    added: ['x.js:1:a', 'x.js:9:b'],
  },
  {
    name: 'a body that ends with the text',
    text: `${HEADER}@@ -1,2 +1,3 @@\n+a\n`,
    problems: [/ends early/],
    added: ['x.js:1:a'],
  },
  {
    name: 'a body of which the empty lines at the end were trimmed away',
    text: `${HEADER}@@ -1,3 +1,4 @@\n c\n+a`,
    problems: [],
    added: ['x.js:2:a'],
  },
  {
    name: 'more added lines than declared',
    text: `${HEADER}@@ -1 +1,2 @@\n c\n+a\n+b\n`,
    problems: [/more lines than its header says/],
    added: ['x.js:2:a', 'x.js:3:b'],
  },
  {
    name: 'more added lines behind blank ones and a note',
    text: `${HEADER}@@ -0,0 +1 @@\n+a\n\\ No newline at end of file\n\n\n+b\n`,
    problems: [/more lines than its header says/],
    added: ['x.js:1:a', 'x.js:4:b'],
  },
  {
    name: 'added lines in a hunk of no lines',
    text: `${HEADER}@@ -0,0 +0,0 @@\n+a\n`,
    problems: [/more lines than its header says/],
    added: ['x.js:0:a'],
  },
  {
    name: 'more added lines than declared while removed ones are missing',
    text: `${HEADER}@@ -1,2 +1,1 @@\n+a\n+b\n-c\n-d\n`,
    problems: [/more lines than its header says/],
    added: ['x.js:1:a', 'x.js:2:b'],
  },
  {
    name: 'an added line below a removed one that looks like a signature',
    text: `${HEADER}${HUNK}-- \n+b\n`,
    problems: [/more lines than its header says/],
    added: ['x.js:1:ok', 'x.js:2:b'],
  },
  {
    name: 'an added line further below the signature',
    text: `${HEADER}${HUNK}-- \n2.39.5\n+b\n`,
    problems: [/below the signature/],
    added: ['x.js:1:ok'],
  },
  {
    name: 'a signature whose blank was lost, and nothing below',
    text: `${HEADER}${HUNK}--\n2.39.5`,
    problems: [],
    added: ['x.js:1:ok'],
  },
  {
    name: 'a hunk without a header',
    text: '@@ -0,0 +1 @@\n+a\n',
    problems: [/no file header/],
    added: ['(unknown):1:a'],
  },
  {
    name: 'a hunk without a header in a commit message',
    text: `${MAIL}\n@@ -0,0 +1 @@\n+a\n---\n${GIT}${HUNK}`,
    problems: [/no file header/, /more lines/],
    added: ['(unknown):1:a', 'x.js:1:ok'],
  },
  {
    name: 'a hunk behind half a header',
    text: '--- a/x.js\n@@ -0,0 +1 @@\n+a\n',
    problems: [/no file header/],
    added: ['(unknown):1:a'],
  },
  {
    name: 'a header and a hunk with text between, as patch(1) takes them',
    text: `${HEADER}text\n@@ -0,0 +1 @@\n+a\n`,
    problems: [/no hunk follows/, /does not belong to a diff/, /no file header/],
    added: ['(unknown):1:a'],
  },
  {
    name: 'a header without a hunk',
    text: HEADER,
    problems: [/no hunk follows/],
    added: [],
  },
  {
    name: 'lines of a hunk without its header',
    text: `${GIT}+a\n`,
    problems: [/no hunk follows/, /does not belong to a diff/],
    added: [],
  },
  {
    name: 'a hunk header that is not readable, and the lines under it',
    text: `${GIT}@@ -1 @@\n+a\n`,
    problems: [/header is not readable/],
    added: ['x.js:0:a'],
  },
  {
    name: 'hunk headers that patch(1) still reads',
    text: `${GIT}@@ -0,0+1@@\n+a\n@@ -1 +2,2 @ where\n c\n+b\n`,
    problems: [],
    added: ['x.js:1:a', 'x.js:3:b'],
  },
  {
    name: 'numbers that no tool can hold',
    text: `${GIT}@@ -${'9'.repeat(400)},1 +1,${'9'.repeat(400)} @@\n+a\n`,
    problems: [/too large/, /ends early/],
    added: ['x.js:1:a'],
  },
  {
    name: 'text that belongs to nothing',
    text: `${GIT}${HUNK}and now for something\n+b\n`,
    problems: [/does not belong to a diff/],
    added: ['x.js:1:ok'],
  },
  {
    name: 'a header in a commit message',
    text: `${COMMIT}\n${HEADER}${HUNK}`,
    problems: [],
    added: ['x.js:1:ok'],
  },
  {
    name: 'words of git in a commit message',
    text: `${MAIL}\ndiff --git is one\n@@ that\nIndex: none\nOnly in x: y\n---\n${GIT}${HUNK}`,
    problems: [],
    added: ['x.js:1:ok'],
  },
  {
    name: 'an indented diff in a commit message',
    text: `${COMMIT}\n    --- a/y\n    +++ b/y\n    @@ -0,0 +1 @@\n    +a\n\n${GIT}${HUNK}`,
    problems: [/indented diff/],
    added: ['x.js:1:ok'],
  },
  {
    name: 'a diff behind X, which patch(1) skips',
    text: 'X--- a/y\nX+++ b/y\nX@@ -0,0 +1 @@\nX+a\n',
    problems: [/indented diff/],
    added: [],
  },
  {
    name: 'a context diff',
    text: `${GIT}${HUNK}${COMMIT}*** a/y\n--- b/y\n*********\n*** 1 ****\n--- 1,2 ----\n+ a\n`,
    problems: [/context diff/],
    added: ['x.js:1:ok'],
  },
  {
    name: 'a diff in the normal format',
    text: `Index: y\n\n1a2\n> a\n${GIT}${HUNK}`,
    problems: [/normal format/],
    added: ['x.js:1:ok'],
  },
  {
    name: 'an ed script',
    text: `Index: y\n\n1a\nevil\n.\n${GIT}${HUNK}`,
    problems: [/ed script/],
    added: ['x.js:1:ok'],
  },
  {
    name: 'a mail that has to be decoded',
    text: `${GIT}${HUNK}-- \n2.39.5\n\n${MAIL}Content-Transfer-Encoding: base64\n\nZGlmZg==\n`,
    problems: [/encoded mail/],
    added: ['x.js:1:ok'],
  },
  {
    name: 'two names without a rename',
    text: `diff --git a/x.txt b/x.txt\n--- a/x.js\n+++ b/x.js\n${HUNK}`,
    problems: [/name different files/],
    added: ['x.js:1:ok'],
  },
  {
    name: 'a rename that the other lines deny',
    text: `diff --git a/y b/x.js\nrename from y\nrename to x.js\n--- a/y\n+++ b/z.js\n${HUNK}`,
    problems: [/name different files/],
    added: ['x.js:1:ok'],
  },
  {
    name: 'half a rename',
    text: 'diff --git a/y b/x.js\nrename from y\n',
    problems: [/name different files/],
    added: [],
  },
  {
    name: 'a pair of which patch(1) may choose the other name',
    text: `--- a/app.js\n+++ b/notes.txt\n${HUNK}`,
    problems: [/names two files/],
    added: ['notes.txt:1:ok'],
  },
  {
    name: 'an index line for another file',
    text: `Index: y.js\n=======\n${HEADER}${HUNK}`,
    problems: [/name different files/],
    added: ['x.js:1:ok'],
  },
  {
    name: 'names without a clear border',
    text: 'diff --git a b c d e\nnew file mode 100644\n',
    problems: [/does not show where one name ends/],
    added: [],
  },
  {
    name: 'a quoted name that does not end',
    text: `--- "a/x\n+++ "b/x\n${HUNK}`,
    problems: [/not properly quoted/],
    added: ['x:1:ok'],
  },
  {
    name: 'a name with a NUL, where tools end it',
    text: `diff --git "a/x.js\\000.png" "b/x.js\\000.png"\n${HUNK}`,
    problems: [/NUL/],
    added: ['x.js\0.png:1:ok'],
  },
  {
    name: 'no name on either side',
    text: `--- /dev/null\n+++ /dev/null\n${HUNK}`,
    problems: [/neither side/, /deleted but has added lines/],
    added: ['(unknown):1:ok'],
  },
  {
    name: 'a file both new and deleted',
    text: `diff --git a/x b/x\nnew file mode 100644\ndeleted file mode 100644\n${HUNK}`,
    problems: [/both new and deleted/],
    added: ['x:1:ok'],
  },
  {
    name: 'a deleted file with added lines',
    text: `diff --git a/x b/x\ndeleted file mode 100644\n${HUNK}`,
    problems: [/deleted but has added lines/],
    added: ['x:1:ok'],
  },
  {
    name: 'a binary file with lines',
    text: `diff --git a/x.js b/x.js\nBinary files a/x.js and b/x.js differ\n${HUNK}`,
    problems: [/declared binary but has lines/],
    added: ['x.js:1:ok'],
  },
  {
    name: 'a submodule with lines of a file',
    text: `diff --git a/x.js b/x.js\nindex 111..222 160000\n--- a/x.js\n+++ b/x.js\n${HUNK}`,
    problems: [/submodule has lines of a file/],
    added: ['x.js:1:ok'],
  },
  {
    name: 'a symlink with lines of a file',
    text: 'diff --git a/x.js b/x.js\nindex 111..222 120000\n--- a/x.js\n+++ b/x.js\n@@ -0,0 +1,2 @@\n+a\n+b\n',
    problems: [/symlink has lines of a file/],
    added: ['x.js:1:a', 'x.js:2:b'],
  },
  {
    name: 'a binary patch that breaks off',
    text: 'diff --git a/x b/x\nGIT binary patch\nliteral 3\nKcmZQzU|?imWB\n+a\n',
    problems: [/binary patch is damaged/, /does not belong to a diff/],
    added: [],
  },
  {
    name: 'a binary patch without any data',
    text: 'diff --git a/x b/x\nGIT binary patch\n+a\n',
    problems: [/binary patch is damaged/, /does not belong to a diff/],
    added: [],
  },
  {
    name: 'a file that only one side has',
    text: 'diff -ru a b\nOnly in b: secret.js\n',
    problems: [/only in b: secret.js/],
    added: [],
  },
  {
    name: 'properties of Subversion',
    text: 'Index: x\n=======\n\nProperty changes on: x\n____\nAdded: exec\n## -0,0 +1 ##\n+*\n',
    problems: [/does not belong to a diff/],
    added: [],
  },
  {
    name: 'colours of a terminal',
    text: `${GIT}${HUNK}\u001b[1mdiff --git a/y b/y\u001b[m\n\u001b[36m@@ -0,0 +1 @@\u001b[m\n`,
    problems: [/does not belong to a diff/],
    added: ['x.js:1:ok'],
  },
  {
    name: 'a byte order mark',
    text: `\ufeff${GIT}${HUNK}`,
    problems: [],
    added: ['x.js:1:ok'],
  },
  {
    name: 'a combined body that ends early in its result',
    text: 'diff --cc x\n@@@ -1,2 -1,2 +1,3 @@@\n++a\ndiff --cc y\n@@@ -0,0 -0,0 +1 @@@\n++b\n',
    problems: [/ends early/],
    added: ['x:1:a', 'y:1:b'],
  },
  {
    name: 'a combined body with too many lines',
    text: 'diff --cc x\n@@@ -0,0 -0,0 +1 @@@\n++a\n++b\n',
    problems: [/more lines than its header says/],
    added: ['x:1:a', 'x:2:b'],
  },
  {
    name: 'counts of parents that git itself gets wrong',
    text: `diff --cc x\n@@@ -1,1 -1,50 +1,1 @@@\n- a\n++b\n\n${COMMIT}`,
    problems: [],
    added: ['x:1:b'],
  },
];

for (const { name, text, problems, added } of cases) {
  test(`parseDiff on ${name}`, (t) => {
    const bytes = Buffer.from(text);
    const diff = parseDiff(bytes);
    t.deepEqual(addedLines(bytes, diff), added);
    t.is(diff.problems.length, problems.length, JSON.stringify(diff.problems));
    problems.forEach((says, index) => {
      t.regex(diff.problems[index]?.message ?? '', says);
    });
  });
}

test('parseDiff names the file and the line of a problem', (t) => {
  const text = `${GIT}${HUNK}${GIT}@@ -1,9 +1,9 @@\n+a\n`;
  const { problems } = parseDiff(Buffer.from(text));
  const message = 'the hunk ends early: its header says more lines';
  t.deepEqual(problems, [{ message, file: 'x.js', diffLine: 13 }]);
});
