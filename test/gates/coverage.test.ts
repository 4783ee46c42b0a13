import test from 'ava';
import { wantedFiles } from '../../src/analysis/worker/gates.ts';
import { parseDiff } from '../../src/diff/parse.ts';
import { coverageOf } from '../../src/gates/coverage/coverage.ts';
import { basePathsOf } from '../../src/gates/coverage/paths.ts';
import { prepareRules } from '../../src/gates/patterns/compile.ts';
import { compileRegex } from '../../src/gates/patterns/regex.ts';
import type { TreeFile } from '../../src/model/change.ts';
import { defaultRules } from '../../src/rules/default.ts';
import { findingsOf, gateTools } from '../analysis/worker/gates-run.ts';
import { KEY, newFile, placesOf, scanDiff } from './patterns/scan-text.ts';

/** `severity id` of what could not be looked at. */
function unseen(diff: string | Buffer): string[] {
  const bytes = Buffer.from(diff);
  const { findings } = coverageOf(bytes, parseDiff(bytes), KEY, null);
  return findings.map(({ id, severity }) => `${severity} ${id}`);
}

const binary = (path: string) =>
  `diff --git a/${path} b/${path}\nBinary files a/${path} and b/${path} differ\n`;

const SOURCES = [
  'src/app.js',
  'src/App.vue',
  'src/App.svelte',
  'lib/a.mts',
  'page.astro',
  'views/a.erb',
  'views/a.ejs',
  'a.jsp',
  'run.cmd',
  'a.zsh',
  'Rakefile',
  'ops/Containerfile',
  'prod.tfvars',
  'yarn.lock',
  'go.mod',
  'logo.svg',
  '.github/CODEOWNERS',
  '.npmrc',
  '.env.production',
];

for (const path of SOURCES) {
  test(`${path} as binary blocks: nobody has read it`, (t) => {
    t.deepEqual(unseen(binary(path)), ['high binary-file']);
  });
}

test('images and fonts as binary are noted, other data is pointed out', (t) => {
  for (const path of ['a.png', 'a.woff2', 'b/a.JPG']) {
    t.deepEqual(unseen(binary(path)), ['info binary-file']);
  }
  for (const path of ['a.zip', 'a.svgz', 'model.onnx', 'a.js.gz', 'Makefile/a.dat']) {
    t.deepEqual(unseen(binary(path)), ['medium binary-file']);
  }
});

const OID = `oid sha256:${'0a'.repeat(32)}`;
const POINTER = `version https://git-lfs.github.com/spec/v1\n${OID}\nsize 12\n`;

test('a Git LFS pointer is pointed out, and blocks where code is behind it', (t) => {
  t.deepEqual(unseen(newFile(POINTER, 'data/model.bin')), ['medium outside-diff']);
  t.deepEqual(unseen(newFile(POINTER, 'data/cities.json')), ['medium outside-diff']);
  t.deepEqual(unseen(newFile(POINTER, 'src/app.js')), ['high outside-diff']);
});

test('a Git LFS pointer is known without the context around it', (t) => {
  const changed = (path: string, oid: string) =>
    `--- a/${path}\n+++ b/${path}\n@@ -2 +2 @@\n-oid sha256:${'b'.repeat(64)}\n+${oid}\n`;
  t.deepEqual(unseen(changed('model.bin', OID)), ['medium outside-diff']);
  t.deepEqual(unseen(changed('src/app.js', OID)), ['high outside-diff']);
  t.deepEqual(unseen(changed('notes.txt', `${OID} is the object`)), []);
});

const moved = (from: string, to: string, how = 'rename') =>
  `diff --git a/${from} b/${to}\nsimilarity index 100%\n${how} from ${from}\n${how} to ${to}\n`;

test('text that becomes code by a rename or copy blocks: as code it was never read', (t) => {
  t.deepEqual(unseen(moved('notes.txt', 'src/app.js')), ['high outside-diff']);
  t.deepEqual(unseen(moved('data.bin', 'bin/run.sh', 'copy')), ['high outside-diff']);
  t.deepEqual(unseen(moved('src/a.js', 'src/b.ts')), []);
  t.deepEqual(unseen(moved('Makefile', 'rules.mk')), []);
  t.deepEqual(unseen(moved('README.txt', 'docs/README.md')), []);
  t.deepEqual(unseen(moved('src/app.js', 'notes.txt')), []);
});

const PLACES: [from: string, to: string, severity: string][] = [
  ['docs/ci.yml', '.github/workflows/ci.yml', 'high'],
  ['.github/workflows/ci.yml.off', '.github/workflows/ci.yml', 'high'],
  ['docs/ci.yml', '.gitlab-ci.yml', 'high'],
  ['docs/image.txt', 'Dockerfile', 'high'],
  ['docs/package.txt', 'web/package.json', 'high'],
  ['template.json', 'package.json', 'high'],
  ['docs/hook', '.husky/pre-commit', 'high'],
  ['old/1.sql', 'db/migrations/1.sql', 'medium'],
  ['notes.txt', 'db/migrations/1.sql', 'high'],
  ['docs/owners', '.github/CODEOWNERS', 'medium'],
];

for (const [from, to, severity] of PLACES) {
  test(`${from} moved or copied as it is to ${to} is pointed out: its content was not read`, (t) => {
    t.deepEqual(unseen(moved(from, to)), [`${severity} outside-diff`]);
    t.deepEqual(unseen(moved(from, to, 'copy')), [`${severity} outside-diff`]);
  });
}

test('a move from one such place to another of its kind is not a finding', (t) => {
  t.deepEqual(unseen(moved('.github/workflows/a.yml', '.github/workflows/b.yml')), []);
  t.deepEqual(unseen(moved('a/package.json', 'b/package.json')), []);
  t.deepEqual(unseen(moved('Dockerfile', 'docker/Dockerfile.web')), []);
  t.deepEqual(unseen(moved('migrations/1.sql', 'db/migrations/1.sql')), []);
  t.deepEqual(unseen(moved('.github/workflows/a.yml', 'docs/a.yml')), []);
});

test('the rules on paths speak of a file that is moved as it is', (t) => {
  const rules = prepareRules(defaultRules);
  const found = scanDiff(rules, moved('docs/owners', '.github/CODEOWNERS'));
  t.deepEqual(placesOf(found), ['risk-owners-changed .github/CODEOWNERS']);
});

test('a Git LFS pointer in place of configuration blocks', (t) => {
  for (const path of [
    'deploy/app.yml',
    'Dockerfile',
    'package.json',
    '.npmrc',
    'requirements.txt',
  ]) {
    t.deepEqual(unseen(newFile(POINTER, path)), ['high outside-diff'], path);
  }
  for (const path of ['a.csv', 'data/a.xml', 'docs/a.html', 'a.psd']) {
    t.deepEqual(unseen(newFile(POINTER, path)), ['medium outside-diff'], path);
  }
});

test('rules look at a name without the blank at its end', (t) => {
  const diff = newFile('on: pull_request_target\n', '.github/workflows/x.yml ');
  const found = scanDiff(prepareRules(defaultRules), diff).map(({ id }) => id);
  t.deepEqual(found, ['risk-workflow-privileged-trigger']);
});

test('a name with a blank at its end blocks: some tools drop it', (t) => {
  const pair = (path: string) => `--- a/${path}\n+++ b/${path}\n@@ -0,0 +1 @@\n+x\n`;
  for (const path of ['.github/workflows/x.yml ', 'x.yml  ', 'x.yml \t2026-01-01 00:00:00 +0000']) {
    t.deepEqual(unseen(pair(path)), ['high diff-unreadable'], path);
    t.deepEqual(unseen(`diff --git a/x.yml  b/x.yml \n${pair('x.yml ')}`), [
      'high diff-unreadable',
    ]);
  }
  t.deepEqual(unseen(moved('x.yml ', 'x.yml')), []);
  t.deepEqual(unseen(pair('a b.yml')), []);
  t.deepEqual(unseen(pair('notes ')), []);
});

const BAD = "app.get('/', (req) => require('child_process').exec(req.query.c));\n";
/** Too long a line for the parser, with a word of a sink. */
const LONG = `eval(a); const table = '${'x'.repeat(21_000)}';\n`;

const created = (path: string, text: string) => newFile(text, path).toString();

/** What the base says of paths: `files` is what was read of it. */
const BASE_CASES: { title: string; diff: string; files?: TreeFile[]; expected: string[] }[] = [
  {
    title: 'a new folder of tests proves nothing: its code is one step lower, and blocks',
    diff: created('tests/run.js', BAD),
    expected: ['high ast-command tests/run.js:1'],
  },
  {
    title: 'in a folder of tests of which the diff shows an older file, code is listed',
    diff: created('tests/run.js', BAD) + edited('tests/old.js'),
    expected: ['medium ast-command tests/run.js:1'],
  },
  {
    title: 'in a folder of tests that the base has, code is listed',
    diff: created('tests/run.js', BAD),
    files: [{ side: 'base', path: 'tests', state: 'directory', bytes: null }],
    expected: ['medium ast-command tests/run.js:1'],
  },
  {
    title: 'a folder of tests within one that is new is part of it',
    diff: created('app/tests/run.js', BAD) + edited('app/main.js'),
    expected: ['high ast-command app/tests/run.js:1'],
  },
  {
    title: 'a test beside code that was there before is a test by its name',
    diff: created('src/run.test.js', BAD) + edited('src/run.js'),
    expected: ['medium ast-command src/run.test.js:1'],
  },
  {
    title: 'built files are one step lower, in whatever folder',
    diff: created('dist/run.js', BAD) + edited('dist/old.js'),
    expected: ['high ast-command dist/run.js:1'],
  },
  {
    title: 'a long line blocks',
    diff: created('lib/made.js', LONG),
    expected: ['high ast-unparsed lib/made.js:1'],
  },
  {
    title: 'a long line of a file that the base marks as generated is listed',
    diff: created('lib/made.js', LONG),
    files: attributes('.gitattributes', '*.css -text\n/lib/*.js linguist-generated\n'),
    expected: ['medium ast-unparsed lib/made.js:1'],
  },
  {
    title: 'a mark that the change itself brings says nothing',
    diff: created('.gitattributes', '*.js linguist-generated\n') + created('lib/made.js', LONG),
    files: [{ side: 'base', path: '.gitattributes', state: 'missing', bytes: null }],
    expected: ['high ast-unparsed lib/made.js:1', 'medium generated-mark-added .gitattributes:1'],
  },
];

function edited(path: string): string {
  return `diff --git a/${path} b/${path}\n--- a/${path}\n+++ b/${path}\n@@ -1 +1 @@\n-a\n+b\n`;
}

function attributes(path: string, text: string): TreeFile[] {
  return [{ side: 'base', path, state: 'read', bytes: Buffer.from(text) }];
}

for (const { title, diff, files = null, expected } of BASE_CASES) {
  test(title, async (t) => {
    const findings = await findingsOf(diff, { files });
    const seen = findings.map(
      ({ severity, id, file, line }) => `${severity} ${id} ${file}:${line}`,
    );
    t.deepEqual(seen, expected);
    const wanted = wantedFiles(Buffer.from(diff), gateTools().rules);
    for (const { path } of files ?? [])
      t.true(
        wanted.some((one) => one.path === path),
        path,
      );
  });
}

/** [pattern and attributes in a folder, path, whether it is marked] */
const MARKS: [folder: string, line: string, path: string, isMarked: boolean][] = [
  ['', '*.js linguist-generated', 'a/b.js', true],
  ['', '*.js linguist-generated=true text', 'b.js', true],
  ['', '*.js linguist-generated=false', 'b.js', false],
  ['', '*.js -linguist-generated', 'b.js', false],
  ['', 'lib/*.js linguist-generated', 'lib/b.js', true],
  ['', 'lib/*.js linguist-generated', 'lib/a/b.js', false],
  ['', 'lib/*.js linguist-generated', 'x/lib/b.js', false],
  ['', 'lib/** linguist-generated', 'lib/a/b.js', true],
  ['', '**/gen/*.js linguist-generated', 'x/y/gen/b.js', true],
  ['', 'b.j? linguist-generated', 'a/b.js', true],
  ['', '[ab].js linguist-generated', 'c.js', false],
  ['', '*.js linguist-generated\nb.js -linguist-generated', 'b.js', false],
  ['', '# *.js linguist-generated', 'b.js', false],
  ['', 'a+(b).js linguist-generated', 'a+(b).js', true],
  ['', '[ linguist-generated', 'b.js', false],
  ['lib', '*.js linguist-generated', 'lib/a/b.js', true],
  ['lib', '*.js linguist-generated', 'b.js', false],
];

test('basePathsOf reads linguist-generated as git reads patterns of attributes', (t) => {
  for (const [folder, line, path, isMarked] of MARKS) {
    const files = attributes(folder === '' ? '.gitattributes' : `${folder}/.gitattributes`, line);
    t.is(basePathsOf([], files, null).isGenerated(path), isMarked, `${folder} ${line} ${path}`);
  }
  const byRules = basePathsOf([], null, compileRegex('^made/'));
  t.deepEqual(['made/a.js', 'a/made/a.js'].map(byRules.isGenerated), [true, false]);
});

test('basePathsOf takes the marks that came with a decision, in the order that they had then', (t) => {
  const file = (text: string, side: 'base' | 'head' = 'head') =>
    ({ side, path: '.gitattributes', state: 'read', bytes: Buffer.from(text) }) as const;
  const js = '*.js linguist-generated\n';
  const but = 'src/*.js -linguist-generated\n';
  const cases: [string, NonNullable<Parameters<typeof basePathsOf>[3]>, string, boolean][] = [
    [js, [], 'b.js', false],
    [js, [{ before: [], after: [file(js)] }], 'b.js', true],
    [js, [{ before: [file(js)], after: [file(js)] }], 'b.js', false],
    [js, [{ before: [file(js)], after: [file(but)] }], 'b.js', false],
    [js, [{ before: [file(but)], after: [file(js + but)] }], 'b.js', true],
    [js + but, [{ before: [], after: [file(js)] }], 'src/b.js', false],
    [but + js, [{ before: [], after: [file(js + but)] }], 'src/b.js', false],
    [but + js, [{ before: [], after: [file(js + but)] }], 'b.js', true],
    [`${js}*.ts linguist-generated\n`, [{ before: [], after: [file(js)] }], 'b.ts', false],
    ['* linguist-generated\n', [{ before: [], after: [file(js)] }], 'b.js', false],
  ];
  for (const [text, decided, path, isMarked] of cases) {
    const { isGenerated } = basePathsOf([], [file(text, 'base')], null, decided);
    t.is(isGenerated(path), isMarked, JSON.stringify([text, path]));
  }
});
