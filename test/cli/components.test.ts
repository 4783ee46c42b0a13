import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { withOwnMap } from '../../src/cli/own-components.ts';
import { CraError } from '../../src/model/errors.ts';
import { defaultRules } from '../../src/rules/default.ts';
import { startDaemonProcess, type Teardown, temporaryDir } from '../daemon.ts';
import { runCommand } from './fixtures/command.ts';
import { createRepository, type Repository, temporaryFolder } from './fixtures/repository.ts';

const KEY = `key = "${['ghp', '_1a2B3c4D5e6F7g8H9i0JkLmNoPqRsTuVwXyZ'].join('')}"\n`;
const OWN = '.cra/components.json';
const COMPONENTS = [
  { id: 'web', paths: ['services/web/**'] },
  { id: 'pay', paths: ['services/pay/**'] },
];

/** With a map in its first commit, and then a key in `pay` beside a harmless line in `web`. */
function createMonorepo(t: Teardown, map: unknown = { components: COMPONENTS }): Repository {
  const repository = createRepository(t);
  const text = typeof map === 'string' ? map : JSON.stringify(map);
  repository.commit('one', { 'readme.md': 'a\n', ...(map === null ? {} : { [OWN]: text }) });
  repository.commit('two', { 'services/pay/env.sh': KEY, 'services/web/page.txt': 'a\n' });
  return repository;
}

/** The one rule of a rules file: to try the built-in ones takes seconds. */
const RULE = {
  id: 'secret-github',
  description: 'a token of GitHub',
  regex: 'ghp_[A-Za-z0-9]{36}',
  severity: 'critical',
  message: 'a token of GitHub',
  fix: 'Revoke it.',
  source: 'https://docs.github.com/',
  examples: { match: [KEY, KEY], noMatch: ['ghp_', 'ghp'] },
};

/** A rules file with these components, whose repository is acme/mono. */
function rulesWith(t: Teardown): string {
  const path = join(temporaryFolder(t), 'rules.json');
  const components = COMPONENTS.map((one) => ({ ...one, repo: 'acme/mono' }));
  const rules = { version: 1, allow_empty: true, secret_patterns: [RULE], components };
  writeFileSync(path, JSON.stringify(rules));
  return path;
}

const NEWEST = ['--range', 'HEAD~1..HEAD'];

function analyze(path: string, args: string[], options: Parameters<typeof runCommand>[1] = {}) {
  return runCommand(['analyze', ...args], { cwd: path, ...options });
}

test("analyze judges by the repository's own map, and shows the findings of one component", async (t) => {
  const { path } = createMonorepo(t);
  const whole = await analyze(path, NEWEST);
  t.is(whole.code, 1, whole.stderr);
  t.regex(whole.stdout, /^BLOCKED .*\n(?:.*\n)*? {2}components {2}pay BLOCKED, web PASSED\n/);
  const web = await analyze(path, [...NEWEST, '--component', 'web']);
  t.is(web.code, 0, web.stderr);
  t.regex(web.stdout, /asked for {2}web: PASSED \(1 finding of other components not shown\)\n/);
  t.notRegex(web.stdout, /env\.sh/);
  const pay = await analyze(path, [...NEWEST, '--component=pay']);
  t.is(pay.code, 1, pay.stderr);
  t.regex(pay.stdout, /asked for {2}pay: BLOCKED\n/);
  t.regex(pay.stdout, /services\/pay\/env\.sh\n.*critical secret-github/);
  const json = await analyze(path, [...NEWEST, '--component=web', '--json']);
  const answer = JSON.parse(json.stdout);
  t.deepEqual([json.code, answer.overall_status], [0, 'BLOCKED']);
  t.deepEqual(
    answer.components.map(({ id, status }: Record<string, string>) => [id, status]),
    [
      ['web', 'PASSED'],
      ['pay', 'BLOCKED'],
    ],
  );
});

test('what no component claims counts for the requested component', async (t) => {
  const { path, commit } = createMonorepo(t);
  commit('three', { 'shared.sh': KEY, 'services/web/page.txt': 'b\n' });
  const { code, stdout } = await analyze(path, [...NEWEST, '--component', 'web']);
  t.is(code, 1);
  t.regex(stdout, /shared\.sh/);
});

test('a component that the change does not touch is accepted, an unknown one is not', async (t) => {
  const { path, commit } = createMonorepo(t);
  commit('three', { 'services/pay/other.sh': KEY });
  const web = await analyze(path, [...NEWEST, '--component', 'web']);
  t.is(web.code, 0);
  t.regex(web.stdout, /asked for {2}web: the change does not touch it/);
  const nothing = await analyze(path, ['--range', 'HEAD..HEAD', '--component', 'web']);
  t.is(nothing.code, 0);
  for (const range of [['--range', 'HEAD..HEAD'], ['--staged']]) {
    const { code, stdout, stderr } = await analyze(path, [...range, '--component', 'wbe']);
    t.deepEqual([code, stdout], [2, '']);
    t.regex(stderr, /--component: there is no component wbe of shop: web, pay\n/);
  }
});

test('nothing in a change decides which component it belongs to', async (t) => {
  const { path, git, write, commit } = createMonorepo(t);
  const moved = { components: [{ id: 'web', paths: ['services/**'] }, COMPONENTS[1]] };
  commit('three', {
    [OWN]: JSON.stringify({ components: [{ id: 'web', paths: ['nothing/**'] }] }),
    'services/web/env.sh': KEY,
  });
  // By the map where the change begins the key is in web.
  t.is((await analyze(path, [...NEWEST, '--component', 'web'])).code, 1);
  t.is((await analyze(path, ['--range', 'HEAD~1...HEAD', '--component', 'web'])).code, 1);
  write(OWN, JSON.stringify(moved));
  git('add', '--all');
  const { code, stderr } = await analyze(path, ['--staged', '--component', 'pay']);
  t.is(code, 2);
  t.regex(stderr, /there is no component pay of shop: web\n/);
});

test('a diff on standard input, and what is staged, are judged by the map of HEAD', async (t) => {
  const { path, git, write } = createMonorepo(t);
  write('services/web/env.sh', KEY);
  git('add', '--all');
  const staged = await analyze(path, ['--staged', '--component', 'web']);
  t.is(staged.code, 1, staged.stderr);
  const stdin = git('diff', '--cached');
  const piped = await analyze(path, ['-', '--component', 'web'], { stdin });
  t.is(piped.code, 1, piped.stderr);
  t.is((await analyze(path, ['-', '--component', 'pay'], { stdin })).code, 0);
});

test('components of a rules file belong to the repository that origin names', async (t) => {
  const { path, git } = createMonorepo(t, null);
  const env = { SERVICE_RULES_PATH: rulesWith(t) };
  const unknown = await analyze(path, [...NEWEST, '--component', 'web'], { env });
  t.is(unknown.code, 2);
  t.regex(unknown.stderr, /no components of shop are known: \.cra\/components\.json is not there/);
  git('remote', 'add', 'origin', 'git@git.example.org:acme/mono.git');
  t.is((await analyze(path, [...NEWEST, '--component', 'web'], { env })).code, 0);
  t.is((await analyze(path, [...NEWEST, '--component', 'pay'], { env })).code, 1);
  const other = [...NEWEST, '--component', 'web', '--repo-name', 'acme/other'];
  t.regex((await analyze(path, other, { env })).stderr, /no components of acme\/other are known/);
});

test('components of the rules file count before components of the repository', async (t) => {
  const { path, git } = createMonorepo(t, { components: [{ id: 'own', paths: ['**'] }] });
  const env = { SERVICE_RULES_PATH: rulesWith(t) };
  t.is((await analyze(path, [...NEWEST, '--component', 'own'], { env })).code, 1);
  git('remote', 'add', 'origin', 'git@git.example.org:acme/mono.git');
  const { code, stderr } = await analyze(path, [...NEWEST, '--component', 'own'], { env });
  t.is(code, 2);
  t.regex(stderr, /there is no component own of acme\/mono: web, pay/);
});

test('a component is judged on its branches only', async (t) => {
  const components = [{ ...COMPONENTS[0], branches: ['main', 'release/*'] }, COMPONENTS[1]];
  const { path } = createMonorepo(t, { components });
  const args = [...NEWEST, '--component', 'web'];
  t.is((await analyze(path, [...args, '--branch', 'release/2'])).code, 0);
  const { code, stderr } = await analyze(path, [...args, '--branch', 'feature']);
  t.is(code, 2);
  t.regex(stderr, /web is judged on other branches than feature \(--branch says which/);
});

const BAD: [title: string, map: unknown, says: RegExp][] = [
  ['no JSON', '{', /JSON/],
  ['a list', COMPONENTS, /object/],
  ['no components', {}, /components/],
  ['rules besides', { components: COMPONENTS, disabled_rules: ['secret-*'] }, /disabled_rules/],
  ['a field twice', '{"components": [], "components": []}', /gives a field twice/],
  ['an id twice', { components: [COMPONENTS[0], COMPONENTS[0]] }, /component web is there twice/],
  ['an odd id', { components: [{ id: 'We b', paths: ['a'] }] }, /components\.0\.id/],
  ['no paths', { components: [{ id: 'web' }] }, /paths/],
  ['a folder', { components: [{ id: 'web', paths: ['web/'] }] }, /write web\/\*\* for all/],
  ['a path from the root', { components: [{ id: 'web', paths: ['/web/**'] }] }, /without a slash/],
  [
    'an expression with a look-ahead',
    { components: [{ id: 'web', paths: ['re:^(?!a)'] }] },
    /RE2 has no look-ahead/,
  ],
  [
    'a mode that lowers vulnerabilities',
    { components: [{ ...COMPONENTS[0], modes: { 'vuln-*': 'warn' } }] },
    /modes lower vuln-\*, which blocks/,
  ],
  [
    'too many',
    { components: Array.from({ length: 301 }, (_, n) => ({ id: `c${n}`, paths: ['a'] })) },
    /300/,
  ],
];

for (const [title, map, says] of BAD) {
  test(`a map with ${title} is refused by name`, (t) => {
    const text = typeof map === 'string' ? map : JSON.stringify(map);
    const refused = () => withOwnMap({ rules: defaultRules }, 'shop', { text, place: 'HEAD:map' });
    const { message } = t.throws(refused, { instanceOf: CraError });
    t.regex(message, says);
    t.regex(message, /HEAD:map/);
  });
}

test('a wrong map is refused by name, and stops nobody who does not ask for it', async (t) => {
  const { path } = createMonorepo(t, { components: [{ id: 'web', paths: ['web/'] }] });
  const { code, stdout, stderr } = await analyze(path, [...NEWEST, '--component', 'web']);
  t.deepEqual([code, stdout], [2, '']);
  t.regex(stderr, /HEAD~1:\.cra\/components\.json: .*write web\/\*\* for all/);
  const whole = await analyze(path, NEWEST);
  t.is(whole.code, 1);
  t.regex(whole.stderr, /^warning: HEAD~1:\.cra\/components\.json/);
});

test('--component with --server is the verdict of the service', async (t) => {
  const { path, git, commit } = createMonorepo(t, null);
  git('remote', 'add', 'origin', 'git@git.example.org:acme/mono.git');
  const env = { SERVICE_RULES_PATH: rulesWith(t) };
  const daemon = await startDaemonProcess(t, temporaryDir(t), env);
  const server = ['--server', `http://127.0.0.1:${daemon.port}`];
  const ask = (id: string) => analyze(path, [...NEWEST, ...server, '--component', id]);
  t.is((await ask('pay')).code, 1);
  const web = await ask('web');
  t.is(web.code, 0, web.stderr);
  t.regex(web.stdout, /^BLOCKED .*\n(?:.*\n)*? {2}asked for {2}web: PASSED\n/);
  commit('three', { 'services/pay/env.sh': 'a\n' });
  for (const id of ['web', 'wbe']) {
    const { code, stderr } = await ask(id);
    t.is(code, 2);
    t.regex(stderr, /RFC-\w+ has no verdict of \w+: the change does not touch it, or the rules/);
  }
});
