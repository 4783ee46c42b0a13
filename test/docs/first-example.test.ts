import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, renameSync } from 'node:fs';
import { dirname, join } from 'node:path';
import test from 'ava';
import { createRepository, ENVIRONMENT, type Repository } from '../cli/fixtures/repository.ts';
import { daemonForAll, PROGRAM, type Teardown, temporaryDir } from '../daemon.ts';

const README = readFileSync(new URL('../../../README.md', import.meta.url), 'utf8');
const daemon = daemonForAll(test);

/** A block of commands of the README that has a text. */
function commandsWith(text: string): string {
  const blocks = [...README.matchAll(/^```sh\n([\s\S]+?)^```$/gm)].map(([, block = '']) => block);
  const found = blocks.find((block) => block.includes(text));
  if (found === undefined) throw new Error(`the README has no example with ${text}`);
  return found;
}

/** Runs examples as they stand there, but for the port, the program and the time of the hook. */
function run(home: string, commands: string) {
  const script = `cra() { "${process.execPath}" "${PROGRAM}" "$@"; }\n${commands}`
    .replaceAll('127.0.0.1:3011', `127.0.0.1:${daemon().port}`)
    .replaceAll('--fail closed', '--fail closed --within 60')
    .replaceAll('$PWD/dist/bundle/cra.js', PROGRAM)
    .replace(/^alias .*$/m, '');
  const env = { ...ENVIRONMENT, HOME: home };
  return spawnSync('bash', ['-c', script], { cwd: home, env, encoding: 'utf8' });
}

/** The same with a repository as ~/src/shop. */
function runBeside(repository: Repository, commands: string) {
  const home = dirname(repository.path);
  execFileSync('mkdir', ['-p', join(home, 'src')]);
  renameSync(repository.path, join(home, 'src', 'shop'));
  return run(home, commands);
}

const HISTORIES: [title: string, prepare: (t: Teardown) => Repository][] = [
  [
    'an ordinary commit',
    (t) => {
      const repository = createRepository(t);
      repository.commit('one', { 'a.txt': 'a\n' });
      repository.commit('two', { 'b.txt': 'b\n' });
      return repository;
    },
  ],
  [
    'a merge commit',
    (t) => {
      const repository = createRepository(t);
      const { git, commit } = repository;
      commit('one', { 'a.txt': 'a\n' });
      git('checkout', '-q', '-b', 'side');
      commit('two', { 'b.txt': 'b\n' });
      git('checkout', '-q', 'main');
      commit('three', { 'c.txt': 'c\n' });
      git('merge', '-q', '--no-ff', '-m', 'merge', 'side');
      return repository;
    },
  ],
  [
    'the first commit',
    (t) => {
      const repository = createRepository(t);
      repository.commit('one', { 'b.txt': 'b\n' });
      return repository;
    },
  ],
];

test.serial(
  'the push of the README is refused, and its change blocked, as it stands there',
  (t) => {
    const home = temporaryDir(t);
    const examples = ['hooks/pre-receive', 'git push', 'cra analyze --range'].map(commandsWith);
    const { stdout, stderr } = run(home, examples.join('\n'));
    const settle = (text: string) =>
      text
        .replace(/RFC-[0-9A-F]{27}/g, 'RFC')
        .replace(/ in [0-9a-f]{12}:/, ' in COMMIT:')
        .replace(/127\.0\.0\.1:\d+/g, 'HOST')
        .replace(/ +$/gm, '')
        .trim();
    const [, pushed = '', analysed = ''] = examples.map((commands) =>
      settle(README.slice(README.indexOf(commands) + commands.length).split('```')[2] ?? ''),
    );
    t.is(settle(stdout), analysed, stderr);
    t.true(settle(stderr).includes(pushed), stderr);
  },
);

for (const [title, prepare] of HISTORIES) {
  test.serial(`the first example of the README judges ${title}`, (t) => {
    const { stdout, stderr } = runBeside(prepare(t), commandsWith('curl -s -d @- http://'));
    const { ok, data } = JSON.parse(stdout);
    t.true(ok, stderr);
    t.deepEqual([data.overall_status, data.stats.files, data.stats.additions], ['PASSED', 1, 1]);
  });

  test.serial(`the example of the command line judges ${title}`, (t) => {
    const { status, stdout, stderr } = runBeside(
      prepare(t),
      commandsWith('cra analyze --repo ~/src/shop'),
    );
    t.is(status, 0, stderr);
    t.regex(stdout, /^PASSED .*\(1 file, \+1 -0\)\n(?:.*\n)*? {2}rfc {4}RFC-/);
  });
}

test.serial('both say what is missing in a repository without commits', (t) => {
  const posted = runBeside(createRepository(t), commandsWith('curl -s -d @- http://'));
  t.regex(posted.stderr, /does not have any commits yet/);
  t.regex(JSON.parse(posted.stdout).error, /diff/);
  const judged = runBeside(createRepository(t), commandsWith('cra analyze --repo ~/src/shop'));
  t.is(judged.status, 2);
  t.regex(judged.stderr, /there is no commit yet on this branch: commit first/);
});
