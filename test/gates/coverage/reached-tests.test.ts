import test from 'ava';
import { wantedFiles } from '../../../src/analysis/worker/gates.ts';
import { isLesserPath } from '../../../src/gates/coverage/paths.ts';
import { withoutTestWords } from '../../../src/gates/coverage/reached-tests.ts';
import { compileRegex } from '../../../src/gates/patterns/regex.ts';
import type { TreeFile } from '../../../src/model/change.ts';
import { REHEARSAL } from '../../../src/rules/risk/paths.ts';
import { findingsOf, gateTools } from '../../analysis/worker/gates-run.ts';
import { pattern } from '../patterns/scan-text.ts';

const PRODUCTION = [
  ...['src/Audit.java', 'src/Commit.java', 'src/Latest.java', 'src/Edit.java', 'src/Submit.java'],
  ...['src/Exit.java', 'src/Split.java', 'src/Contest.java', 'src/Attest.java', 'src/Unit.java'],
  ...['src/SPLIT.java', 'src/Digest.java', 'src/Requests.java', 'src/Greatest.java'],
];
const PRODUCTION_OTHERS = PRODUCTION.flatMap((path) => [
  path.replace('.java', '.kt'),
  path.replace('.java', '.cs'),
]);
const TESTS = [
  ...['src/AuditTest.java', 'src/CommitTests.java', 'src/LatestIT.java', 'a/OrderTestCase.java'],
  ...['test/Audit.java', 'src/test/java/Audit.java', 'a/Commit2Test.java', 'a.test.ts'],
  ...['docs_src/first_steps/tutorial001.py', 'docs-src/a.py'],
];

test('names of classes are tests by their case', (t) => {
  const rehearsal = compileRegex(REHEARSAL);
  for (const path of [...PRODUCTION, ...PRODUCTION_OTHERS]) {
    t.false(isLesserPath(path), path);
    t.false(rehearsal.test(Buffer.from(path)), path);
  }
  for (const path of TESTS) t.true(isLesserPath(path), path);
  for (const path of ['a/AuditTest.kt', 'a/AuditTests.cs', 'a/AuditSpec.scala', 'a/OrderIT.java']) {
    t.true(rehearsal.test(Buffer.from(path)), path);
  }
  for (const path of ['latest/a.yaml', 'contest/a.yaml', 'attest/a.tf', 'fastest/a.sh']) {
    t.false(rehearsal.test(Buffer.from(path)), path);
  }
  for (const path of ['unittests/a.sh', 'my-tests/a.sh', 'OrderTests/a.cs', 'my_test/a.sh']) {
    t.true(rehearsal.test(Buffer.from(path)), path);
  }
});

const BAD = "app.get('/', (req) => require('child_process').exec(req.query.c));";

const added = (path: string, ...lines: string[]) =>
  `diff --git a/${path} b/${path}\nnew file mode 100644\n--- /dev/null\n+++ b/${path}\n` +
  `@@ -0,0 +1,${lines.length} @@\n${lines.map((line) => `+${line}\n`).join('')}`;
const changed = (path: string, ...lines: string[]) =>
  `diff --git a/${path} b/${path}\n--- a/${path}\n+++ b/${path}\n` +
  `@@ -1 +1,${lines.length + 1} @@\n //\n${lines.map((line) => `+${line}\n`).join('')}`;

const MANIFEST = (fields: object) => added('package.json', JSON.stringify(fields));

/** Changes that make the file with the flaw part of what runs. */
const REACHED: [title: string, path: string, diff: string][] = [
  ['main', 'test/run.js', MANIFEST({ main: './test/run.js' })],
  ['main without an ending', 'test/run.js', MANIFEST({ main: 'test/run' })],
  ['main of a folder', 'examples/index.js', MANIFEST({ main: 'examples' })],
  ['a pattern of exports', 'test/run.js', MANIFEST({ exports: { './*': './test/*.js' } })],
  [
    'a folder of a command',
    'test/run.js',
    MANIFEST({ scripts: { start: 'cd test && node run.js' } }),
  ],
  [
    'a script called a test that another starts',
    'test/run.js',
    MANIFEST({ scripts: { start: 'npm run test:x', 'test:x': 'node test/run.js' } }),
  ],
  ['a program', 'test/run.js', added('src/a.js', "fork('test/run.js');")],
  ['a command', 'test/run.js', added('src/a.js', "exec('node test/run.js --x');")],
  ['a path with escapes', 'test/run.js', added('src/a.js', "require('..\\/test\\/run');")],
  ['a path with two slashes', 'test/run.js', added('src/a.js', "require('..//test//run');")],
  ['a path of an image', 'test/run.js', added('src/a.js', "require('/opt/shop/test/run.js');")],
  [
    'a command of an image',
    'test/run.js',
    added('Dockerfile', 'CMD ["node", "/opt/x/test/run.js"]'),
  ],
  ['a manifest of a cluster', 'test/run.js', added('k8s/a.yaml', 'command: [node, test/run.js]')],
  ['bin', 'test/run.js', MANIFEST({ bin: { shop: 'test/run.js' } })],
  ['exports', 'e2e/run.js', MANIFEST({ exports: { '.': { import: './e2e/run.js' } } })],
  ['the start script', 'test/run.js', MANIFEST({ scripts: { start: 'node test/run.js' } })],
  [
    'a file behind the packages whose scripts are run',
    'test/run.js',
    MANIFEST({ scripts: { start: 'pnpm --filter ./packages/a exec node test/run.js' } }),
  ],
  [
    'a file behind the end of such a command',
    'test/run.js',
    MANIFEST({ scripts: { start: 'pnpm --filter=./packages/*&&./test/run.js' } }),
  ],
  [
    'a package below the tests that is chosen',
    'test/run/index.js',
    MANIFEST({ scripts: { postinstall: 'pnpm --filter ./test/run test' } }),
  ],
  [
    'a file under the name of such an option',
    'test/run.js',
    MANIFEST({ scripts: { start: 'pnpm exec node --filter=./test/run.js' } }),
  ],
  ['postinstall', 'test/run.js', MANIFEST({ scripts: { postinstall: 'node ./test/run.js' } })],
  [
    'a changed line of package.json',
    'test/run.js',
    changed('package.json', '  "main": "test/run.js",'),
  ],
  ['an import', 'test/run.js', changed('src/app.js', "import run from '../test/run.js';")],
  [
    'an import without an ending',
    'test/run.js',
    changed('app.js', "import run from './test/run';"),
  ],
  ['require', 'src/a.test.js', changed('src/app.js', "const a = require('./a.test.js');")],
  [
    'an import that is computed late',
    'test/run.js',
    changed('a.js', "await import('./test/run.js')"),
  ],
  ['a worker', 'test/run.js', changed('a.js', "new Worker('./test/run.js');")],
  ['TypeScript by its output', 'test/run.ts', changed('a.ts', "import './test/run.js';")],
  ['an export from', 'src/__x__/run.js', changed('src/a.ts', "export * from './__x__/run';")],
  [
    'another reached file',
    'test/run.js',
    `${changed('a.js', "import './test/first.js';")}${changed('test/first.js', "import './run.js';")}`,
  ],
  ['an image', 'test/run.js', changed('Dockerfile', 'CMD ["node", "test/run.js"]')],
  ['an image by its path', 'test/run.js', changed('Dockerfile', 'CMD node /app/test/run.js')],
  ['a Procfile', 'test/run.js', changed('Procfile', 'web: node test/run.js')],
];

for (const [title, path, diff] of REACHED) {
  test(`a file named like a test is judged as code when it is reached by ${title}`, async (t) => {
    const found = await findingsOf(`${changed(path, BAD)}${diff}`);
    const own = found.filter(({ file }) => file === path).map(({ id }) => id);
    t.deepEqual(own, ['vuln-01']);
  });
}

/** Changes that leave it a test. */
const LEFT: [title: string, path: string, diff: string][] = [
  ['nothing', 'test/run.js', ''],
  ['the test script', 'test/run.js', MANIFEST({ scripts: { test: 'node test/run.js' } })],
  [
    'packages whose scripts are run',
    'packages/a/test/run.test.js',
    MANIFEST({
      scripts: { build: 'turbo --filter=./packages/* build' },
    }),
  ],
  [
    'a test script by part',
    'test/run.js',
    MANIFEST({ scripts: { 'test:unit': 'node test/run.js' } }),
  ],
  ['a route of all paths', 'src/run.test.js', changed('src/app.js', "if (path === '/*') all();")],
  ['lists of files of a test runner', 'test/run.js', MANIFEST({ ava: { files: ['test/run.js'] } })],
  ['an import of a test', 'test/run.js', changed('test/all.js', "import './run.js';")],
  ['an import of another file', 'test/run.js', changed('src/app.js', "import './run.js';")],
  [
    'a removed import',
    'test/run.js',
    changed('a.js', 'x();').replace(' //\n', "-import './test/run.js';\n"),
  ],
  ['a text about it', 'test/run.js', changed('README.md', "See './test/run.js'.")],
];

for (const [title, path, diff] of LEFT) {
  test(`a test stays a test with ${title}`, async (t) => {
    const found = await findingsOf(`${changed(path, BAD)}${diff}`);
    const own = found.filter(({ file }) => file === path).map(({ id }) => id);
    t.deepEqual(own, ['ast-command']);
  });
}

test('rules that pass over tests see a reached file', async (t) => {
  const rule = pattern({
    id: 'risk-shell',
    severity: 'high',
    regex: 'pickle',
    keywords: ['pickle'],
    allowlists: [{ paths: [REHEARSAL] }],
  });
  const python = changed('tests/util.py', 'import pickle');
  const ids = async (diff: string) =>
    (await findingsOf(diff, { patterns: [rule] })).map(({ id }) => id);
  t.deepEqual(await ids(python), []);
  t.deepEqual(await ids(python + changed('shop/a.py', 'from tests.util import load')), [
    'risk-shell',
  ]);
  t.deepEqual(await ids(python + changed('a.py', 'from tests import util')), ['risk-shell']);
});

const MAIN = MANIFEST({ main: 'test/run.js' });
const more = (count: number, path: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => added(path(at), '//')).join('');

/** Changes so large that not all of them is searched for the uses of a test. */
const PADDED: [title: string, diff: string][] = [
  ['more than a thousand tests before it', `${more(1_001, (at) => `test/a${at}.js`)}${MAIN}`],
  ['ten thousand tests before it', `${more(10_000, (at) => `test/a${at}.js`)}${MAIN}`],
  ['8 MiB of code before it', `${added('src/a.js', `// ${'x'.repeat(9 << 20)}`)}${MAIN}`],
  [
    '8 MiB of code in many files before it',
    `${Array.from({ length: 90 }, (_, at) => added(`src/a${at}.js`, `// ${'x'.repeat(100_000)}`)).join('')}${MAIN}`,
  ],
];

for (const [title, diff] of PADDED) {
  test(`a test that package.json runs is no test with ${title}`, async (t) => {
    const found = await findingsOf(`${changed('test/run.js', BAD)}${diff}`);
    t.true(found.some(({ id, file }) => id === 'vuln-01' && file === 'test/run.js'));
  });
}

test('a manifest that could not be read may run any test beneath it', async (t) => {
  const diff = changed('pkg/test/run.js', BAD);
  const tree = (state: TreeFile['state']): TreeFile[] => [
    { side: 'head', path: 'pkg/package.json', state, bytes: null },
  ];
  const ids = async (state: TreeFile['state']) =>
    (await findingsOf(diff, { files: tree(state) })).map(({ id }) => id);
  t.true((await ids('too-large')).includes('vuln-01'));
  t.true((await ids('outside')).includes('vuln-01'));
  t.true((await ids('missing')).includes('ast-command'));
});

test('tests in more folders than manifests are read count as production code', async (t) => {
  const folders = Array.from({ length: 300 }, (_, at) => added(`p${at}/test/a.js`, '//')).join('');
  const diff = `${folders}${changed('zz/test/run.js', BAD)}`;
  const found = await findingsOf(diff, { files: [] });
  t.true(found.some(({ id, file }) => id === 'vuln-01' && file === 'zz/test/run.js'));
  const wanted = wantedFiles(Buffer.from(diff), gateTools().rules);
  t.true(wanted.some(({ path }) => path === 'package.json'));
});

test('package.json of the tree counts where the change leaves it alone', async (t) => {
  const diff = changed('pkg/test/run.js', BAD);
  const wanted = wantedFiles(Buffer.from(diff), gateTools().rules);
  for (const path of ['package.json', 'pkg/package.json', 'pkg/test/package.json']) {
    t.true(
      wanted.some((one) => one.side === 'head' && one.path === path),
      path,
    );
  }
  const files = (main: string): TreeFile[] => [
    {
      side: 'head',
      path: 'pkg/package.json',
      state: 'read',
      bytes: Buffer.from(`{"main":"${main}"}`),
    },
  ];
  const ids = async (main: string) =>
    (await findingsOf(diff, { files: files(main) }))
      .map(({ id }) => id)
      .filter((id) => id !== 'ast-hunks-only');
  t.deepEqual(await ids('test/run.js'), ['vuln-01']);
  t.deepEqual(await ids('lib/run.js'), ['ast-command']);
});

test('a reached file is read whole where both versions are at hand', async (t) => {
  const diff =
    'diff --git a/test/run.js b/test/run.js\n--- a/test/run.js\n+++ b/test/run.js\n' +
    '@@ -1 +1 @@\n-const cmd = () => 1;\n+const cmd = (req) => req.query.c;\n';
  const rest = "\napp.get('/', (req) => {\n  require('child_process').exec(cmd(req));\n});\n";
  const tree = (side: TreeFile['side'], path: string, text: string): TreeFile => {
    return { side, path, state: 'read', bytes: Buffer.from(text) };
  };
  const files = [
    tree('head', 'package.json', '{"main":"test/run.js"}'),
    tree('base', 'test/run.js', `const cmd = () => 1;${rest}`),
    tree('head', 'test/run.js', `const cmd = (req) => req.query.c;${rest}`),
  ];
  const found = await findingsOf(diff, { files });
  t.deepEqual(
    found.map(({ id, file, line }) => `${id} ${file}:${line}`),
    ['vuln-01 test/run.js:3'],
  );
});

test('a part of a reached document is not read as all of it', async (t) => {
  const path = 'test/package.json';
  const rest = '  "private": true\n}\n';
  const diff =
    `diff --git a/${path} b/${path}\n--- a/${path}\n+++ b/${path}\n` +
    '@@ -1,2 +1,2 @@\n {\n-  "version": "1.0.0",\n+  "version": "1.0.1",\n';
  const tree = (side: TreeFile['side'], name: string, text: string): TreeFile => {
    return { side, path: name, state: 'read', bytes: Buffer.from(text) };
  };
  const files = [
    tree('head', 'package.json', `{"main":"${path}"}`),
    tree('base', path, `{\n  "version": "1.0.0",\n${rest}`),
    tree('head', path, `{\n  "version": "1.0.1",\n${rest}`),
  ];
  t.deepEqual(await findingsOf(diff, { files }), []);
});

test('withoutTestWords leaves a path that says nothing of tests', (t) => {
  const names = [
    'test/run.js',
    'src/a.test.ts',
    'a/tests/test_x.py',
    'conftest.py',
    'a/OrderTest.java',
  ];
  for (const name of names) t.false(isLesserPath(withoutTestWords(name)), withoutTestWords(name));
  t.is(withoutTestWords('packages/a/test/run.js'), 'packages/a/reached/run.js');
});
