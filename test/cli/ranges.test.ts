import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import test from 'ava';
import type { Teardown } from '../daemon.ts';
import { someOf } from '../some-cases.ts';
import { runCommand } from './fixtures/command.ts';
import { createRepository, ENVIRONMENT, temporaryFolder } from './fixtures/repository.ts';

/** `one`, then `two` on branch `side` beside `three` on `main`, and their merge as the newest. */
function createHistory(t: Teardown) {
  const repository = createRepository(t);
  const { git, commit } = repository;
  commit('one', { 'one.ts': '1\n' });
  git('checkout', '-q', '-b', 'side');
  commit('two', { 'two.ts': '2\n' });
  git('checkout', '-q', 'main');
  commit('three', { 'three.ts': '3\n' });
  git('merge', '-q', '--no-ff', '-m', 'merge', 'side');
  return repository;
}

/** A clone with the newest commits only. */
function shallowCloneOf(t: Teardown, path: string, depth: number): string {
  const clone = join(temporaryFolder(t), 'clone');
  const args = ['clone', '-q', `--depth=${depth}`, '--no-single-branch', `file://${path}`, clone];
  execFileSync('git', args, { env: { ...ENVIRONMENT }, stdio: 'pipe' });
  return clone;
}

const SHALLOW = /; this clone is shallow, .*git fetch --unshallow .*fetch-depth: 0 .*GIT_DEPTH: 0/;
const NO_COMMIT = /; there is no commit yet on this branch: commit first, or .*--staged/;

type Prepare = (t: Teardown) => { path: string; args?: string[] };

const REFUSED: [title: string, prepare: Prepare, range: string, says: RegExp][] = [
  ['a repository without commits', createRepository, 'HEAD~1..HEAD', NO_COMMIT],
  ['a branch of a repository without commits', createRepository, 'main...side', NO_COMMIT],
  ['an unknown start', createHistory, 'nope..HEAD', /there is no commit nope here: git fetch/],
  ['an unknown head', createHistory, 'main..nope', /there is no commit nope here: git fetch/],
  ['an unknown branch from where it parted', createHistory, 'nope...HEAD', /no commit nope here/],
  ['more commits than there are', createHistory, 'HEAD~9..HEAD', /there is no commit HEAD~9 here/],
  [
    'an id that is not there',
    createHistory,
    `${'f'.repeat(40)}..HEAD`,
    /there is no commit f+ here/,
  ],
  [
    'a branch that only the remote has',
    (t) => {
      const { path, git } = createHistory(t);
      git('update-ref', 'refs/remotes/origin/feature', 'side');
      return { path };
    },
    'feature..HEAD',
    /there is no branch feature here: origin\/feature is that of the remote/,
  ],
  [
    'histories without a common commit',
    (t) => {
      const { path, git, commit } = createHistory(t);
      git('checkout', '-q', '--orphan', 'other');
      commit('other');
      return { path };
    },
    'main...other',
    /no commit in common: main\.\.other compares them/,
  ],
  [
    'the parent of the oldest commit of a shallow clone',
    (t) => ({ path: shallowCloneOf(t, createHistory(t).path, 1) }),
    'HEAD~1..HEAD',
    SHALLOW,
  ],
  [
    'an older commit than those of a shallow clone',
    (t) => ({ path: shallowCloneOf(t, createHistory(t).path, 2) }),
    'HEAD~3..HEAD',
    SHALLOW,
  ],
  [
    'a shallow clone whose branches do not meet',
    (t) => ({ path: shallowCloneOf(t, createHistory(t).path, 1) }),
    'origin/side...HEAD',
    SHALLOW,
  ],
  [
    'a branch that a shallow clone of one branch lacks',
    (t) => {
      const path = shallowCloneOf(t, createHistory(t).path, 1);
      execFileSync('git', ['-C', path, 'update-ref', '-d', 'refs/remotes/origin/side']);
      return { path };
    },
    'origin/side..HEAD',
    SHALLOW,
  ],
];

for (const [title, prepare, range, says] of someOf(REFUSED)) {
  test(`analyze says what to do about ${title}`, async (t) => {
    const { path } = prepare(t);
    const { code, stdout, stderr } = await runCommand(['analyze', '--range', range], { cwd: path });
    t.deepEqual([code, stdout], [2, ''], stderr);
    t.regex(stderr, says);
    t.regex(stderr, /^cra analyze: git diff: [^\n]+\n$/);
  });
}

const FIRST = ['HEAD~1..HEAD', 'HEAD~..HEAD', 'HEAD^..HEAD', 'HEAD^1..', 'main~1..main', '@~..@'];

for (const range of someOf(FIRST)) {
  test(`analyze judges ${range} of a first commit: all of its files`, async (t) => {
    const { path, commit } = createRepository(t);
    commit('one', { 'a.ts': 'const a = 1;\n', 'b.ts': 'const b = 2;\n' });
    const args = ['analyze', '--range', range, '--json'];
    const { code, stdout, stderr } = await runCommand(args, { cwd: path });
    t.is(code, 0, stderr);
    t.deepEqual(JSON.parse(stdout).stats.files, 2);
  });
}

test('analyze reads whole files of a first commit', async (t) => {
  const { path, commit } = createRepository(t);
  const lines = [
    "import { exec } from 'node:child_process';",
    "import express from 'express';",
    'const app = express();',
    "app.get('/', (req, res) => exec('ls ' + req.query.dir, () => res.end()));",
  ];
  commit('one', { 'a.js': `${lines.join('\n')}\n` });
  const args = ['analyze', '--range', 'HEAD~1..HEAD', '--json'];
  const { code, stdout } = await runCommand(args, { cwd: path });
  t.is(code, 1);
  t.regex(stdout, /vuln-01/);
});

test('analyze blocks a range that removes a database, not a range that moves it', async (t) => {
  const { path, git, write, commit } = createRepository(t);
  const database = 'resource "aws_db_instance" "orders" {\n  engine = "mysql"\n}\n';
  const queue = 'resource "aws_sqs_queue" "mail" {\n  name = "mail"\n}\n';
  commit('base', { 'live/main.tf': `${queue}${database}`, 'live/outputs.tf': 'locals {}\n' });
  write('live/main.tf', queue);
  write('live/data.tf', database);
  git('add', '.');
  commit('elsewhere');
  git('rm', '-q', 'live/data.tf');
  commit('removed');
  const analyze = async (range: string) => {
    const args = ['analyze', '--range', range, '--json'];
    const { code, stdout } = await runCommand(args, { cwd: path });
    const { findings } = JSON.parse(stdout).gates.risk;
    return { code, ids: findings.map(({ id }: { id: string }) => id) };
  };
  const moved = await analyze('HEAD~2..HEAD~1');
  t.false(moved.ids.includes('risk-terraform-database-removed'));
  const removed = await analyze('HEAD~1..HEAD');
  t.deepEqual(removed, { code: 1, ids: ['risk-terraform-database-removed'] });
});

test('analyze judges what a merge brought to its first parent', async (t) => {
  const { path } = createHistory(t);
  const args = ['analyze', '--range', 'HEAD~1..HEAD', '--json'];
  const { code, stdout, stderr } = await runCommand(args, { cwd: path });
  t.is(code, 0, stderr);
  t.deepEqual([JSON.parse(stdout).stats.files, JSON.parse(stdout).stats.additions], [1, 1]);
});

const EMPTY: [title: string, args: (path: string) => string[], says: RegExp][] = [
  ['HEAD..HEAD', () => ['--range', 'HEAD..HEAD'], /are the same commit\. For the newest commit/],
  ['HEAD..', () => ['--range', 'HEAD..'], /Both ends of HEAD\.\. are the same commit/],
  ['main...main', () => ['--range', 'main...main'], /are the same commit/],
  ['a merged branch', () => ['--range', 'main...side'], /merged already. .* is side\.\.\.main/],
  ['commits that change no file', () => ['--range', 'main..same'], /leave the files as they were/],
  ['an index without changes', () => ['--staged'], /Nothing is staged: git add/],
];

for (const [title, args, says] of someOf(EMPTY)) {
  test(`analyze accepts ${title}, and says why there is no change`, async (t) => {
    const { path, git, commit } = createHistory(t);
    git('checkout', '-q', '-b', 'same');
    commit('nothing');
    git('checkout', '-q', 'main');
    const { code, stdout } = await runCommand(['analyze', ...args(path)], { cwd: path });
    t.is(code, 0);
    t.regex(stdout, /no-changes: Change is empty\s+git finds no change to analyze/);
    t.regex(stdout, says);
  });
}

test('replay says what to do in a repository without commits', async (t) => {
  const { path } = createRepository(t);
  const args = ['replay', '--repo', path, '--server', 'http://127.0.0.1:1'];
  const { code, stderr } = await runCommand(args);
  t.is(code, 2);
  t.regex(stderr, NO_COMMIT);
});

test('replay warns that the oldest commit of a shallow clone is not a first one', async (t) => {
  const path = shallowCloneOf(t, createHistory(t).path, 1);
  const args = ['replay', '--repo', path, '--server', 'http://127.0.0.1:1'];
  const { stderr } = await runCommand(args);
  t.regex(stderr, /warning: this clone is shallow: .*git fetch --unshallow/);
});

test('a repository of another user is refused with the setting that trusts it', async (t) => {
  const { path } = createRepository(t);
  // What git itself has for tests of it.
  const env = { GIT_TEST_ASSUME_DIFFERENT_OWNER: '1' };
  const { code, stderr } = await runCommand(['analyze', '--staged'], { cwd: path, env });
  t.is(code, 2);
  t.regex(stderr, /git config --global --add safe\.directory \S+\/shop/);
});
