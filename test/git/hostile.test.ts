import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { findWideContext } from '../../src/gates/patterns/wide-context.ts';
import { addressOf, isRefName } from '../../src/git/environment.ts';
import { reasonOf } from '../../src/git/git.ts';
import { createGroups } from '../../src/git/launcher.ts';
import { openSource } from '../../src/git/source.ts';
import { CraError } from '../../src/model/errors.ts';
import type { SourceRepository } from '../../src/rpc/source-contract.ts';
import { fake } from '../../src/rules/fake.ts';
import { openRepository } from '../hosts/git-repository.ts';
import { APP, openWithHost, settingsOf } from './opened.ts';

const TOKEN = fake('', 40, 'hex');

const names = [
  '-upload-pack=touch/x',
  'a/-b',
  '../../etc/x',
  'a/../b',
  'a//b',
  'a',
  '/a/b',
  'a/b/',
  'a/b?x=1',
  'a/b#c',
  'a/b@evil',
  'a/b\n',
  'a b/c',
  'ext::sh -c id/x',
  'a/b%2e%2e',
  `a/${'b'.repeat(600)}`,
];

test('no name of a repository reaches git that hosts do not give', async (t) => {
  const { host, source } = await openWithHost(t);
  for (const repo_full_name of names) {
    const repository: SourceRepository = { host: 'test', repo_full_name };
    const error = await t.throwsAsync(source.listRefs(repository));
    t.like(error, { code: 'INVALID_ARGUMENT' }, repo_full_name);
  }
  const unknown = { ...APP, host: 'other' };
  t.like(await t.throwsAsync(source.listRefs(unknown)), { code: 'NOT_FOUND' });
  const ids = ['HEAD', '--all', '1234567', '^'.repeat(40), 'refs/heads/main'];
  for (const id of ids) {
    const error = await t.throwsAsync(source.sync({ ...APP, wants: [id], refs: [] }));
    t.like(error, { code: 'INVALID_ARGUMENT' }, id);
    const diff = await t.throwsAsync(source.diff({ ...APP, base: null, head: id }));
    t.like(diff, { code: 'INVALID_ARGUMENT' }, id);
  }
  const refs = ['main', '-x', 'refs/heads/a..b', 'refs/heads/--upload-pack=x y'];
  for (const ref of refs) {
    const error = await t.throwsAsync(source.sync({ ...APP, wants: [], refs: [ref] }));
    t.like(error, { code: 'INVALID_ARGUMENT' }, ref);
  }
  t.deepEqual(host.requests, []);
});

test('no URL is used but https, http and file:///', (t) => {
  const url = (text: string) => () =>
    addressOf([settingsOf({ url: text, token: null, username: 'x' })], APP).protocol;
  for (const text of [
    'ext::sh -c "touch x"',
    '--upload-pack=x',
    'ssh://host',
    'git://host',
    'file://host/path',
    '/a/path',
    'https://host\n/x',
    'fd::3',
    'https://user:token@host',
    'https://host?x',
  ]) {
    t.like(t.throws(url(text)), { code: 'INVALID_ARGUMENT' }, text);
  }
  t.is(url('https://host:3000/git')(), 'https');
  t.is(url('file:///srv/git')(), 'file');
});

test('isRefName agrees with git check-ref-format', (t) => {
  const parts = ['a', 'a.lock', '.a', 'a.', 'a..b', 'a b', 'a~', 'a^1', 'a:b', 'a?', 'a*', 'a[b'];
  const more = ['a\\b', 'a@{b', '@', 'a//b', '', 'a/', 'a\u007f', 'a\u0001', 'é', 'a.lock/b', '-a'];
  for (const part of [...parts, ...more]) {
    const name = `refs/heads/${part}`;
    t.is(isRefName(name), formatHolds(name), name);
  }
  t.false(isRefName('refs/heads'));
  t.false(isRefName('heads/main'));
});

function formatHolds(name: string): boolean {
  try {
    execFileSync('git', ['check-ref-format', name], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

test('credentials are in no command line, URL or error', async (t) => {
  const { host, source } = await openWithHost(t, { token: TOKEN });
  const head = host.repository('team/app').commit([{ name: 'a', data: 'a\n' }]);
  const basic = Buffer.from(`cra:${TOKEN}`).toString('base64');
  host.behave({ kind: 'hang' });
  const abort = new AbortController();
  const called = source.sync({ ...APP, wants: [head], refs: [] }, { signal: abort.signal });
  await host.nextRequest();
  const lines = commandLines();
  t.true(lines.some((line) => line.includes(host.url)));
  t.deepEqual(
    lines.filter((line) => line.includes(TOKEN) || line.includes(basic)),
    [],
  );
  abort.abort();
  await t.throwsAsync(called);
  t.is(host.requests[0]?.authorization, `Basic ${basic}`);
  host.behave({ kind: 'serve' });
  t.deepEqual((await source.sync({ ...APP, wants: [head], refs: [] })).missing, []);
  const said = `fatal: odd https://cra:${TOKEN}@host/x ${basic} /var/lib/x\nremote: ${TOKEN}`;
  t.is(reasonOf(said, [TOKEN, basic]), 'git failed: odd the host *** a file');
});

function commandLines(): string[] {
  return readdirSync('/proc').flatMap((pid) => {
    try {
      return /^\d+$/.test(pid) ? [readFileSync(join('/proc', pid, 'cmdline'), 'latin1')] : [];
    } catch {
      return [];
    }
  });
}

test('a redirect is not followed, so no credentials go there', async (t) => {
  const { host, source } = await openWithHost(t, { token: TOKEN });
  const other = await openWithHost(t);
  other.host.repository('team/app').commit([{ name: 'a', data: 'a\n' }]);
  host.behave({ kind: 'redirect', to: other.host.url });
  t.like(await t.throwsAsync(source.listRefs(APP)), { code: 'UNAVAILABLE' });
  t.deepEqual(other.host.requests, []);
});

test('a folder is a host where that is configured; nothing in it runs', async (t) => {
  const root = mkdtempSync(join(tmpdir(), 'cra-folder-'));
  const mark = join(root, 'ran');
  const script = `#!/bin/sh\necho x >> ${mark}\nexec "$@"\n`;
  const repository = openRepository(join(root, 'team', 'app.git'));
  repository.commit([
    { name: '.gitattributes', data: '* filter=evil diff=evil\n' },
    { name: 'a', data: 'a\n' },
  ]);
  const head = repository.commit([{ name: 'a', data: 'b\n' }]);
  mkdirSync(join(repository.dir, 'hooks'), { recursive: true });
  for (const hook of ['pre-upload', 'post-upload', 'post-checkout', 'reference-transaction']) {
    writeFileSync(join(repository.dir, 'hooks', hook), script, { mode: 0o755 });
  }
  writeFileSync(join(root, 'evil.sh'), script, { mode: 0o755 });
  for (const name of [
    'uploadpack.packObjectsHook',
    'core.fsmonitor',
    'core.sshCommand',
    'core.alternateRefsCommand',
    'diff.external',
    'diff.evil.textconv',
    'filter.evil.smudge',
    'filter.evil.clean',
  ]) {
    repository.git('config', name, join(root, 'evil.sh'));
  }
  const options = {
    mirrorDir: join(root, 'mirrors'),
    hosts: [settingsOf({ url: `file://${root}`, token: null, username: 'x' })],
    mirrorBytesMax: 2 ** 30,
    groups: createGroups(),
  };
  const { methods, close } = await openSource(options, findWideContext);
  t.teardown(async () => {
    await close();
    rmSync(root, { recursive: true, force: true });
  });
  const context = { stopReason: () => null };
  const synced = await methods.sync({ ...APP, wants: [head], refs: [] }, context);
  t.deepEqual(synced.missing, []);
  const { diff, commits } = await methods.diff({ ...APP, base: null, head }, context);
  t.is(commits, 2);
  t.true(Buffer.from(diff).includes('+b\n'));
  t.false(existsSync(mark));
});

test('a repository that borrows objects of another one is whole in its mirror', async (t) => {
  const { host, source } = await openWithHost(t);
  const alternate = host.repository('team/alternate');
  const base = alternate.commit([{ name: 'a', data: 'a\n' }]);
  const repository = host.repository('team/app');
  const alternates = join(repository.dir, 'objects', 'info', 'alternates');
  writeFileSync(alternates, `${join(alternate.dir, 'objects')}\n`);
  const head = repository.commit([{ name: 'a', data: 'b\n' }], { from: base });
  t.deepEqual((await source.sync({ ...APP, wants: [head], refs: [] })).missing, []);
  rmSync(alternate.dir, { recursive: true });
  const { diff } = await source.diff({ ...APP, base, head });
  t.true(Buffer.from(diff).includes('-a\n+b\n'));
});

const PERSON = 'A U Thor <author@example.com> 1700000000 +0000';

test('objects that old tools wrote are taken, objects that would mislead a diff are not', async (t) => {
  const { host, source } = await openWithHost(t);
  const repository = host.repository('team/app');
  const write = (kind: string, data: Buffer) =>
    execFileSync(
      'git',
      ['--git-dir', repository.dir, 'hash-object', '-t', kind, '-w', '--stdin', '--literally'],
      { input: data },
    )
      .toString()
      .trim();
  const blob = write('blob', Buffer.from('x\n'));
  const entry = (mode: string, name: string) =>
    Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(blob, 'hex')]);
  const commitOf = (tree: Buffer, person: string) =>
    write(
      'commit',
      Buffer.from(`tree ${write('tree', tree)}\nauthor ${person}\ncommitter ${person}\n\nm\n`),
    );
  const padded = commitOf(entry('0100644', 'a'), PERSON);
  const noBlank = commitOf(entry('100644', 'a'), PERSON.replace('> ', '>'));
  for (const head of [padded, noBlank]) {
    repository.git('update-ref', 'refs/heads/main', head);
    t.deepEqual((await source.sync({ ...APP, wants: [head], refs: [] })).missing, []);
    const { diff } = await source.diff({ ...APP, base: null, head });
    t.true(Buffer.from(diff).includes('+x\n'));
  }
  const twice = commitOf(Buffer.concat([entry('100644', 'a'), entry('100755', 'a')]), PERSON);
  repository.git('update-ref', 'refs/heads/main', twice);
  const error = await t.throwsAsync(source.sync({ ...APP, wants: [twice], refs: [] }));
  t.true(error instanceof CraError);
  t.like(error, { code: 'UNAVAILABLE' });
  t.regex(error.message, /^the host sent a malformed object \(duplicateEntries in [0-9a-f]{40}\)$/);
});

test('a change that unfolds to more than memory holds is too large, at once', async (t) => {
  const { host, source } = await openWithHost(t);
  const repository = host.repository('team/app');
  const base = repository.commit([{ name: 'a', data: 'a\n' }]);
  const git = (args: readonly string[], input: string) =>
    execFileSync('git', ['--git-dir', repository.dir, ...args], { input, env: WRITER })
      .toString()
      .trim();
  let entry = `100644 blob ${git(['hash-object', '-w', '--stdin'], 'a\n')}`;
  for (let level = 0; level < 10; level += 1) {
    const names = Array.from({ length: 10 }, (_, index) => `${entry}\t${index}\n`);
    entry = `040000 tree ${git(['mktree'], names.join(''))}`;
  }
  const tree = entry.split(' ')[2] ?? '';
  const head = git(['commit-tree', '-p', base, '-m', 'all of it', tree], '');
  repository.git('update-ref', 'refs/heads/main', head);
  t.deepEqual((await source.sync({ ...APP, wants: [head], refs: [] })).missing, []);
  const error = await t.throwsAsync(source.diff({ ...APP, base, head }));
  t.like(error, { code: 'OUT_OF_RANGE' });
  t.regex(error.message, /^git diff needs more than \d+ MiB of memory$/);
});

const WRITER = {
  ...process.env,
  GIT_AUTHOR_NAME: 'A',
  GIT_AUTHOR_EMAIL: 'a@example.com',
  GIT_COMMITTER_NAME: 'A',
  GIT_COMMITTER_EMAIL: 'a@example.com',
};
