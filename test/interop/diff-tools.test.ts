import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { parseDiff } from '../../src/diff/parse.ts';
import { temporaryDir } from '../daemon.ts';

/** The tree before and after a change that touches every kind of edit. */
const BEFORE: Record<string, string> = {
  'src/a.txt': 'one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\n',
  'src/with space.txt': 'keep\nold\n',
  'gone.txt': 'a\nb\n',
  'no-newline.txt': 'last',
};
const AFTER: Record<string, string> = {
  'src/a.txt': 'one\nTWO\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\neleven\n',
  'src/with space.txt': 'keep\n-- old\n++ new\n',
  'no-newline.txt': 'last\nmore',
  'new/b.py': 'import os\n',
};

const EXPECTED = [
  'gone.txt +0 -2',
  'new/b.py +1 -0',
  'no-newline.txt +2 -1',
  'src/a.txt +2 -1',
  'src/with space.txt +2 -1',
];

function write(root: string, tree: Record<string, string>): void {
  for (const [path, text] of Object.entries(tree)) {
    mkdirSync(join(root, path, '..'), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}

function change(root: string): void {
  rmSync(join(root, 'gone.txt'));
  write(root, AFTER);
}

function counts(diff: Buffer): string[] {
  const { files, problems } = parseDiff(diff);
  const lines = files.map((file) => `${file.path} +${file.additions} -${file.deletions}`);
  return [...problems.map((problem) => `problem: ${problem.message}`), ...lines].sort();
}

/** Runs a tool; a diff tool exits with 1 when there are differences. */
function run(cwd: string, command: string, args: string[], input?: Buffer): Buffer {
  try {
    return execFileSync(command, args, {
      cwd,
      input,
      env: { PATH: process.env['PATH'], HGUSER: 'test', HOME: cwd },
      stdio: ['pipe', 'pipe', 'pipe'],
      maxBuffer: 2 ** 28,
    });
  } catch (thrown) {
    const { status, stdout } = thrown as { status: number; stdout: Buffer };
    if (status === 1) return stdout;
    throw thrown;
  }
}

for (const [title, options] of [
  ['in git style', ['--git']],
  ['in plain style', []],
] as const) {
  test(`parseDiff reads what Mercurial prints ${title}`, (t) => {
    const root = temporaryDir(t);
    const hg = (...args: string[]) => run(root, 'hg', args);
    hg('init');
    write(root, BEFORE);
    hg('commit', '--addremove', '--message', 'before');
    change(root);
    hg('addremove');
    t.deepEqual(counts(hg('diff', ...options)), EXPECTED);
  });
}

test('parseDiff reads what Subversion prints', (t) => {
  const root = temporaryDir(t);
  run(root, 'svnadmin', ['create', 'repository']);
  run(root, 'svn', ['checkout', '--quiet', `file://${join(root, 'repository')}`, 'work']);
  const work = join(root, 'work');
  const svn = (...args: string[]) => run(work, 'svn', args);
  write(work, BEFORE);
  svn('add', '--quiet', '--force', '.');
  svn('commit', '--quiet', '--message', 'before');
  rmSync(join(work, 'gone.txt'));
  svn('delete', '--quiet', 'gone.txt');
  write(work, AFTER);
  svn('add', '--quiet', '--force', '.');
  t.deepEqual(counts(svn('diff')), EXPECTED);
});

test('parseDiff reads what diff -ruN prints, and counts what diffstat counts', (t) => {
  const root = temporaryDir(t);
  write(join(root, 'old'), BEFORE);
  write(join(root, 'new'), BEFORE);
  change(join(root, 'new'));
  const diff = run(root, 'diff', ['-ruN', 'old', 'new']);
  const parsed = parseDiff(diff);
  t.deepEqual(parsed.problems, []);
  const [, ...rows] = run(root, 'diffstat', ['-t', '-m', '-q'], diff).toString().trim().split('\n');
  let additions = 0;
  let deletions = 0;
  for (const row of rows) {
    // INSERTED,DELETED,MODIFIED,FILENAME: -m pairs removed and added lines as modified.
    const [inserted = 0, deleted = 0, modified = 0] = row.split(',').map(Number);
    additions += inserted + modified;
    deletions += deleted + modified;
  }
  t.deepEqual(
    { additions: parsed.additions, deletions: parsed.deletions },
    { additions, deletions },
  );
});

test('parseDiff finds the files that lsdiff finds in what filterdiff makes', (t) => {
  const root = temporaryDir(t);
  write(join(root, 'old'), BEFORE);
  write(join(root, 'new'), BEFORE);
  change(join(root, 'new'));
  const diff = run(root, 'diff', ['-ruN', 'old', 'new']);
  for (const options of [['--format=unified'], ['--strip-match=1', '--addprefix=b/']]) {
    const filtered = run(root, 'filterdiff', options, diff);
    const listed = run(root, 'lsdiff', [], filtered).toString().trim().split('\n').sort();
    const parsed = parseDiff(filtered).files;
    t.is(parsed.length, listed.length);
    // lsdiff ends a name at its first space.
    const names = parsed.map((file) => file.path.split(' ')[0] ?? '');
    for (const name of names)
      t.true(
        listed.some((entry) => entry.includes(name)),
        name,
      );
  }
});
