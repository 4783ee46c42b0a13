import { join } from 'node:path';
import test from 'ava';
import { readChange } from '../../src/cli/change.ts';
import { openGit } from '../../src/cli/git.ts';
import { nameAtOrigin } from '../../src/cli/origin.ts';
import { readClientSettings } from '../../src/daemon/config/reader.ts';
import { runCommand } from './fixtures/command.ts';
import { data, answer as fakeAnswer, startFakeService } from './fixtures/fake-service.ts';
import { createRepository, ENVIRONMENT } from './fixtures/repository.ts';

/** The address of origin, and the name; null: none, so that of the folder. */
const ORIGINS: [address: string, name: string | null][] = [
  ['https://github.com/acme/shop.git', 'acme/shop'],
  ['https://github.com/acme/shop', 'acme/shop'],
  ['https://github.com/acme/shop.git/', 'acme/shop'],
  ['http://git.example.org:3000/acme/shop.git', 'acme/shop'],
  ['HTTPS://GitHub.com/Acme/Shop.git', 'Acme/Shop'],
  ['https://x-access-token:ghs_SECRET@github.com/acme/shop.git', 'acme/shop'],
  ['https://SECRET@github.com/acme/shop.git', 'acme/shop'],
  ['https://ann:SECRET%40x@git.example.org:8443/acme/shop.git', 'acme/shop'],
  ['https://ann:SECRET@x@git.example.org/acme/shop.git', 'acme/shop'],
  ['https://gitlab.com/acme/shop.git?private_token=SECRET', 'acme/shop'],
  ['https://gitlab.com/acme/shop.git#SECRET', 'acme/shop'],
  ['https://gitlab.com/acme/teams/web/shop.git', 'acme/teams/web/shop'],
  ['https://git.example.org/acme/my%2Bshop.git', 'acme/my+shop'],
  ['https://git.example.org/shop.git', 'shop'],
  ['ssh://git@github.com/acme/shop.git', 'acme/shop'],
  ['ssh://git@git.example.org:2222/acme/shop.git', 'acme/shop'],
  ['ssh://git:SECRET@git.example.org:2222/acme/shop.git', 'acme/shop'],
  ['ssh://git@[2001:db8::1]:2222/acme/shop.git', 'acme/shop'],
  ['git+ssh://git@git.example.org/acme/shop.git', 'acme/shop'],
  ['git://git.example.org/acme/shop.git', 'acme/shop'],
  ['git@github.com:acme/shop.git', 'acme/shop'],
  ['git@github.com:acme/shop', 'acme/shop'],
  ['github.com:acme/shop.git', 'acme/shop'],
  ['work:acme/shop.git', 'acme/shop'],
  ['git@github.com:/acme/shop.git', 'acme/shop'],
  ['git:SECRET@git.example.org:acme/shop.git', 'acme/shop'],
  ['[git@git.example.org:2222]:acme/shop.git', 'acme/shop'],
  ['git@[2001:db8::1]:acme/shop.git', 'acme/shop'],
  // Whatever could be a secret is in no name.
  ['git:SEC/RET@git.example.org:acme/shop.git', null],
  ['https://ann:SEC/RET@git.example.org/acme/shop.git', null],
  ['https://git.example.org/ann:SECRET@acme/shop.git', null],
  ['https://git.example.org/acme/shop;token=SECRET.git', null],
  ['https://git.example.org/acme/sh%0Aop.git', null],
  ['https://git.example.org/acme/%E2%80%AEshop.git', null],
  ['https://git.example.org/acme/%ff.git', null],
  ['https://git.example.org/', null],
  ['https://git.example.org/~ann/shop.git', null],
  ['git@git.example.org:../shop.git', null],
  [`https://git.example.org/${'a'.repeat(600)}.git`, null],
  ['/srv/git/other.git', null],
  ['../other', null],
  ['./a:b/other.git', null],
  ['file:///srv/git/other.git', null],
  ['C:\\git\\other', null],
  ['ext::sh -c SECRET', null],
  ['codecommit::eu-west-1://other', null],
  ['s3://bucket/other', null],
];

for (const [address, name] of ORIGINS) {
  test(`the name of a repository at ${address.slice(0, 70)}`, async (t) => {
    const { path, git } = createRepository(t);
    git('config', 'remote.origin.url', address);
    t.is(await nameAtOrigin(await openGit(path, ENVIRONMENT)), name);
    const source = { kind: 'staged', repo: path } as const;
    const given = { repoName: null, branch: null, message: null };
    const { request } = await readChange(source, given, readClientSettings(ENVIRONMENT));
    t.is(request.repo_name, name ?? 'shop');
    t.notRegex(JSON.stringify(request), /SECRET|SEC\/RET/);
  });
}

test('an origin that git rewrites has the name at the place where it is', async (t) => {
  const { path, git } = createRepository(t);
  git('config', 'url.https://ann:SECRET@git.example.org/acme/.insteadOf', 'acme:');
  git('config', 'remote.origin.url', 'acme:shop.git');
  t.is(await nameAtOrigin(await openGit(path, ENVIRONMENT)), 'acme/shop');
});

test('only origin names a repository', async (t) => {
  const { path, git } = createRepository(t);
  git('remote', 'add', 'upstream', 'https://github.com/acme/upstream.git');
  t.is(await nameAtOrigin(await openGit(path, ENVIRONMENT)), null);
});

test('analyze and replay send the name at origin, unless --repo-name gives another', async (t) => {
  const { path, git, commit } = createRepository(t);
  commit('one', { 'a.ts': 'a\n' });
  commit('two', { 'a.ts': 'b\n' });
  git('remote', 'add', 'origin', 'https://ann:SECRET@git.example.org:8443/acme/shop.git');
  const service = await startFakeService(t, () => data(fakeAnswer({})));
  const server = ['--server', service.url];
  const diff = git('diff', 'HEAD~1', 'HEAD');
  const cases: [args: string[], name: string, stdin?: string][] = [
    [['analyze', '--range', 'HEAD~1..HEAD', ...server], 'acme/shop'],
    [['analyze', '-', ...server], 'acme/shop', diff],
    [['replay', '--repo', path, '--commits', '1', ...server], 'acme/shop'],
    [['analyze', '--range', 'HEAD~1..HEAD', '--repo-name', 'acme/other', ...server], 'acme/other'],
    [['analyze', '-', '--repo-name', 'acme/other', ...server], 'acme/other', diff],
    [['replay', '--repo', path, '--commits', '1', '--repo-name', 'x/y', ...server], 'x/y'],
  ];
  for (const [args, name, stdin] of cases) {
    service.requests.length = 0;
    const options = { cwd: path, ...(stdin === undefined ? {} : { stdin }) };
    const { code, stdout, stderr } = await runCommand(args, options);
    t.is(code, 0, stderr);
    t.is(service.requests[0]?.change?.repo_name, name, args.join(' '));
    t.notRegex(stdout + stderr, /SECRET/);
  }
});

test('a diff on standard input outside of a repository has the name of the folder', async (t) => {
  const { path, commit, git } = createRepository(t);
  commit('one', { 'a.ts': 'a\n' });
  const service = await startFakeService(t, () => data(fakeAnswer({})));
  const args = ['analyze', '-', '--server', service.url];
  const { code } = await runCommand(args, { cwd: join(path, '..'), stdin: git('show', 'HEAD') });
  t.is(code, 0);
  t.regex(service.requests[0]?.change?.repo_name ?? '', /^cra-cli-/);
});
