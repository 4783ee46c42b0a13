import test from 'ava';
import { countChanges, type ParsedDiff } from '../../src/diff/diff.ts';
import { parseDiff } from '../../src/diff/parse.ts';
import { type Blob, createRepository } from './repository.ts';

/** Names that have been mistaken for something else; one character a byte. */
const NAMES = [
  'plain.js',
  'src/deep/er.ts',
  'with blank.txt',
  ' leading and trailing ',
  'x b/x',
  'a/x',
  'b/x',
  'a/b/a',
  'tab\there',
  'line\nbreak',
  'quo"te',
  'back\\slash',
  'na\u00c3\u00afve',
  'broken\u00ff\u00fe',
  'diff --git a b',
  '-dash',
  '--- a',
  'x and y',
  'dev/null',
  'rename from x',
  '"whole"',
  'a b c d e f',
];

const numbered = (count: number, at = -1, text = '') =>
  Array.from({ length: count }, (_, index) => `${index === at ? text : `line ${index}`}\n`).join(
    '',
  );

const TRAPS = 'SELECT 1;\n-- a/x\n++ b/x\n@@ -1 +1 @@\ndiff --git a/x b/x\n\n \n\\ No newline\n';

const commits: readonly (readonly Blob[])[] = [
  [
    ...NAMES.map((name) => ({ name, data: numbered(30) })),
    { name: 'traps.sql', data: TRAPS },
    { name: 'crlf.txt', data: 'one\r\ntwo\r\nthree\r\n' },
    { name: 'no-newline.txt', data: 'one\ntwo' },
    { name: 'image.png', data: Buffer.from([0x89, 0, 1, 2, 3]) },
    { name: 'run.sh', data: '#!/bin/sh\n' },
    { name: 'link', data: 'plain.js', mode: '120000' },
    { name: 'module', data: '1111111111111111111111111111111111111111', mode: '160000' },
    { name: 'empty', data: '' },
    { name: 'old/place.md', data: numbered(40) },
    { name: 'long.txt', data: `${'x'.repeat(300_000)}\ny\n` },
  ],
  [
    ...NAMES.map((name, index) => ({ name, data: numbered(30, index, 'changed') })),
    { name: 'traps.sql', data: TRAPS.replace('-- a/x\n++ b/x\n', '-- a/y\n++ b/y\n') },
    { name: 'crlf.txt', data: 'one\r\nTWO\r\nthree\r\n' },
    { name: 'no-newline.txt', data: 'one\ntwo\nthree' },
    { name: 'image.png', data: Buffer.from([0x89, 0, 9, 2, 3, 4]) },
    { name: 'run.sh', data: '#!/bin/sh\n', mode: '100755' },
    { name: 'link', data: 'traps.sql', mode: '120000' },
    { name: 'module', data: '2222222222222222222222222222222222222222', mode: '160000' },
    { name: 'old/place.md', data: null },
    { name: 'new/place.md', data: numbered(40, 3, 'moved') },
    { name: 'long.txt', data: `${'x'.repeat(300_000)}z\ny\n` },
    { name: 'fresh', data: '' },
  ],
  [
    ...NAMES.slice(0, 9).map((name) => ({ name, data: null })),
    { name: 'traps.sql', data: null },
    { name: 'image.png', data: null },
    { name: 'link', data: null },
    { name: 'module', data: null },
    { name: 'empty', data: null },
    { name: 'no-newline.txt', data: 'one\ntwo\nthree\n' },
    { name: 'copy.md', data: numbered(40, 3, 'moved') },
  ],
];

const repository = createRepository(commits);
const { git } = repository;
test.after.always(() => repository.remove());

/** Ways to write the same change: settings, options that choose it, and those of its form alone. */
const ways: readonly { setting?: string; options?: readonly string[]; form?: readonly string[] }[] =
  [
    {},
    { options: ['--no-renames'] },
    { options: ['-M', '-C', '--find-copies-harder'] },
    { options: ['-R'] },
    { options: ['--diff-algorithm=histogram', '--no-indent-heuristic'] },
    { form: ['--no-prefix'] },
    { form: ['--src-prefix=older/', '--dst-prefix=new/'] },
    { form: ['-U0'] },
    { form: ['-U99999'] },
    { form: ['--full-index', '--binary'] },
    { form: ['--function-context', '--inter-hunk-context=3'] },
    { setting: 'diff.mnemonicPrefix=true' },
    { setting: 'core.quotePath=false' },
  ];

for (const { setting, options = [], form = [] } of ways) {
  const name = [setting, ...options, ...form].filter(Boolean).join(' ') || 'nothing';
  test(`parseDiff counts as git diff --numstat does, with ${name}`, (t) => {
    const settings = setting === undefined ? [] : ['-c', setting];
    for (const range of ['HEAD~2..HEAD~1', 'HEAD~1..HEAD', 'HEAD~2..HEAD']) {
      const diff = parseDiff(git(...settings, 'diff', ...options, ...form, range));
      t.deepEqual(diff.problems, []);
      t.deepEqual(countsOf(diff), numstat(git('diff', ...options, '--numstat', '-z', range)));
    }
  });
}

/** Commands that write commits around their diffs. */
const commands: readonly (readonly string[])[] = [
  ['show', '-p', 'HEAD~1', 'HEAD'],
  ['log', '-p', '-2'],
  ['log', '-p', '-2', '--stat', '--summary'],
  ['log', '-p', '-2', '--oneline'],
  ['log', '-p', '-2', '--format=%H'],
  ['log', '-p', '-2', '--format=fuller', '--decorate=full', '--raw'],
  ['log', '-p', '-2', '--format=reference'],
  ['log', '-p', '-2', '--format=email'],
  ['log', '-p', '-2', '--format=raw', '--parents'],
  ['log', '-p', '--left-right', 'HEAD~2...HEAD'],
  ['format-patch', '--stdout', 'HEAD~2'],
  ['format-patch', '--stdout', '--no-signature', '--no-stat', 'HEAD~2'],
  ['format-patch', '--stdout', '--attach', '--base=HEAD~2', 'HEAD~2'],
  ['format-patch', '--stdout', '--cover-letter', '--numbered', 'HEAD~2'],
];

for (const command of commands) {
  test(`parseDiff finds all files in git ${command.join(' ')}`, (t) => {
    const settings = ['-c', 'user.name=A', '-c', 'user.email=a@example.com'];
    const diff = parseDiff(git(...settings, ...command));
    t.deepEqual(diff.problems, []);
    const counts = ['HEAD~1', 'HEAD'].flatMap((commit) =>
      numstat(git('show', '--format=', '--numstat', '-z', commit)),
    );
    t.deepEqual(countsOf(diff), counts.sort(byPath));
  });
}

test('parseDiff tells what happened to each file of a commit', (t) => {
  const { files } = parseDiff(git('diff', '-M', 'HEAD~2', 'HEAD~1'));
  const told = (path: string) => {
    const file = files.find((one) => one.path === path);
    return file && [file.change, file.content, file.oldMode, file.newMode, file.oldPath];
  };
  t.deepEqual(told('plain.js'), ['modified', 'text', '100644', '100644', 'plain.js']);
  t.deepEqual(told('image.png'), ['modified', 'binary', '100644', '100644', 'image.png']);
  t.deepEqual(told('run.sh'), ['modified', 'text', '100644', '100755', 'run.sh']);
  t.deepEqual(told('link'), ['modified', 'symlink', '120000', '120000', 'link']);
  t.deepEqual(told('module'), ['modified', 'submodule', '160000', '160000', 'module']);
  t.deepEqual(told('new/place.md'), ['renamed', 'text', '100644', '100644', 'old/place.md']);
  t.deepEqual(told('fresh'), ['added', 'text', null, '100644', null]);
  const gone = parseDiff(git('diff', 'HEAD~1', 'HEAD')).files.find(({ path }) => path === 'link');
  t.deepEqual([gone?.change, gone?.content, gone?.newPath], ['deleted', 'symlink', null]);
});

test('parseDiff reads the log of a submodule as a file without hunks', (t) => {
  const text = git('diff', '--submodule=log', 'HEAD~2', 'HEAD~1', '--', 'module', 'plain.js');
  const { files, problems } = parseDiff(text);
  t.deepEqual(problems, []);
  t.deepEqual(
    files.map(({ path, content, change }) => [path, content, change]),
    [
      ['module', 'submodule', 'modified'],
      ['plain.js', 'text', 'modified'],
    ],
  );
});

interface Counts {
  path: string;
  additions: number;
  deletions: number;
}

function countsOf(diff: ParsedDiff): Counts[] {
  return diff.files
    .map(({ path, additions, deletions }) => ({ path, additions, deletions }))
    .sort(byPath);
}

/** Reads `--numstat -z`: `added TAB deleted TAB path NUL`; a rename has no path, but two follow. */
function numstat(output: Buffer): Counts[] {
  const tokens = output.toString('utf8').split('\0');
  const counts: Counts[] = [];
  for (let index = 0; index + 1 < tokens.length; index += 1) {
    const [, added, deleted, path] = /^\n?(.*?)\t(.*?)\t(.*)$/s.exec(tokens[index] ?? '') ?? [];
    const moved = path === '';
    counts.push({
      path: (moved ? tokens[index + 2] : path) ?? '',
      additions: Number(added) || 0,
      deletions: Number(deleted) || 0,
    });
    if (moved) index += 2;
  }
  return counts.sort(byPath);
}

function byPath(one: Counts, other: Counts): number {
  return one.path < other.path
    ? -1
    : Number(one.path > other.path) || one.additions - other.additions;
}

const link = (name: string, target: string): Blob => ({ name, data: target, mode: '120000' });

test('countChanges counts files that change their kind as numstat does', (t) => {
  const before = [
    { name: 'binary to link', data: 'a\0b' },
    link('link to binary', 'target'),
    link('link to text', 'target'),
    { name: 'text to link', data: 'x\ny\n' },
    { name: 'text', data: 'x\n' },
  ];
  const after = [
    link('binary to link', 'target'),
    { name: 'link to binary', data: 'a\0b' },
    { name: 'link to text', data: 'one\ntwo\n' },
    link('text to link', 'target'),
    { name: 'text', data: 'y\nz\n' },
  ];
  const { git, remove } = createRepository([before, after]);
  t.teardown(remove);
  const numstat = git('diff', '--numstat', 'HEAD~1', 'HEAD').toString().trim().split('\n');
  const sum = (column: number) =>
    numstat.reduce((total, line) => total + (Number(line.split('\t')[column]) || 0), 0);
  t.deepEqual(countChanges(parseDiff(git('diff', 'HEAD~1', 'HEAD')).files), {
    files: numstat.length,
    additions: sum(0),
    deletions: sum(1),
  });
});
