import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import test from 'ava';
import { createLooks } from '../../src/git/alternate.ts';
import { addressOf } from '../../src/git/environment.ts';
import { importBundle, removeStoppedImports } from '../../src/git/import-bundle.ts';
import { GIT } from '../../src/git/limits.ts';
import type { WantedFile } from '../../src/model/change.ts';
import { CraError } from '../../src/model/errors.ts';
import { SOURCE } from '../../src/model/limits.ts';
import { fake } from '../../src/rules/fake.ts';
import { lockDataDir } from '../../src/store/sqlite/database.ts';
import { APP_ID, FIRST_TOKEN, PRIVATE_KEY, startAppHost } from '../hosts/app-host.ts';
import type { Behaviour } from '../hosts/git-host.ts';
import { someOf } from '../some-cases.ts';
import { APP, openWithHost, settingsOf } from './opened.ts';

const TOKEN = fake('', 40, 'hex');
const NO_COMMIT = '1'.repeat(40);
const MAIN = 'refs/heads/main';

test('sync tells all branches and tags, and brings what is wanted', async (t) => {
  const { host, source } = await openWithHost(t);
  const repository = host.repository('team/app');
  const first = repository.commit([{ name: 'a', data: 'a\n' }]);
  repository.git('-c', 'user.name=A', '-c', 'user.email=a@b', 'tag', '-m', 'one', 'v1', first);
  const tag = repository.git('rev-parse', 'v1').toString().trim();
  const other = repository.commit([{ name: 'b', data: 'b\n' }], { ref: 'refs/heads/f/x' });
  repository.commit([{ name: 'c', data: 'c\n' }], { ref: 'refs/pull/1/head' });
  const refs = { [MAIN]: first, 'refs/heads/f/x': other, 'refs/tags/v1': tag };
  t.deepEqual(await source.listRefs(APP), { refs });
  const wants = [first, NO_COMMIT, tag];
  const synced = await source.sync({ ...APP, wants, refs: ['refs/heads/f/x', 'refs/heads/none'] });
  t.deepEqual(synced, { refs, missing: [NO_COMMIT], problem: null });
  // The head of the ref was not in `wants`: it is there without the host.
  host.behave({ kind: 'status', status: 500 });
  const { diff } = await source.diff({ ...APP, base: first, head: other });
  t.true(Buffer.from(diff).includes('+b\n'));
  const tagged = await source.diff({ ...APP, base: null, head: tag });
  t.is(tagged.commits, 1);
});

test('sync brings a commit that was forced away and whose branch is gone', async (t) => {
  const { host, source } = await openWithHost(t);
  const repository = host.repository('team/app');
  const base = repository.commit([{ name: 'a', data: 'a\n' }]);
  const away = repository.commit([{ name: 'a', data: 'b\n' }], { ref: 'refs/heads/x', from: base });
  const now = repository.commit([{ name: 'a', data: 'c\n' }], { ref: 'refs/heads/x', from: base });
  repository.git('update-ref', '-d', 'refs/heads/x');
  const synced = await source.sync({ ...APP, wants: [away, now], refs: ['refs/heads/x'] });
  t.deepEqual(synced.missing, []);
  t.deepEqual(await source.areRelated({ ...APP, one: away, other: now }), { related: true });
  const alone = repository.commit([{ name: 'z', data: 'z\n' }], {
    ref: 'refs/heads/y',
    from: null,
  });
  t.deepEqual(await source.areRelated({ ...APP, one: alone, other: now }), { related: false });
});

test('ancestry gives pages, newest first', async (t) => {
  const { host, source } = await openWithHost(t);
  const repository = host.repository('team/app');
  const ids = ['a', 'b', 'c', 'd', 'e'].map((data) => repository.commit([{ name: 'f', data }]));
  const from = ids.at(-1) ?? '';
  const page = (skip: number) => source.ancestry({ ...APP, from, skip, limit: 2 });
  t.deepEqual(await page(0), { shas: [ids[4], ids[3]], hasMore: true });
  t.deepEqual(await page(4), { shas: [ids[0]], hasMore: false });
  t.deepEqual(await page(9), { shas: [], hasMore: false });
  const without = [ids[1] ?? '', ids[0] ?? ''];
  t.deepEqual(await source.ancestry({ ...APP, from, without, skip: 0, limit: 9 }), {
    shas: [ids[4], ids[3], ids[2]],
    hasMore: false,
  });
  const gone = source.ancestry({ ...APP, from, without: [NO_COMMIT], skip: 0, limit: 9 });
  t.like(await t.throwsAsync(gone), { code: 'NOT_FOUND' });
  const error = await t.throwsAsync(source.ancestry({ ...APP, from, skip: 0, limit: 0 }));
  t.like(error, { code: 'INVALID_ARGUMENT' });
});

test('of many commits those are found that lie behind another one', async (t) => {
  const { host, source } = await openWithHost(t);
  const repository = host.repository('team/app');
  const [old = '', head = '', next = '', newest = ''] = ['a', 'b', 'c', 'd'].map((data) =>
    repository.commit([{ name: 'f', data }]),
  );
  const aside = repository.commit([{ name: 'g', data: 'g' }], { ref: 'refs/heads/x', from: old });
  await source.sync({ ...APP, wants: [newest, aside], refs: [] });
  const shas = [old, head, next, newest, aside, NO_COMMIT, old];
  const among = (known: string[]) => source.ancestorsAmong({ ...APP, head, shas, known });
  t.deepEqual(await among([]), { shas: [old, head] });
  // Also where what is known lies further on, or is not there.
  t.deepEqual(await among([newest, NO_COMMIT]), { shas: [old, head] });
  t.deepEqual(await source.ancestorsAmong({ ...APP, head, shas: [NO_COMMIT], known: [] }), {
    shas: [],
  });
});

test('a repository without refs is not what a push was made to', async (t) => {
  const { host, source } = await openWithHost(t);
  host.repository('team/app');
  const asked = source.sync({ ...APP, wants: [NO_COMMIT], refs: [MAIN] });
  const error = await t.throwsAsync(asked, { instanceOf: CraError });
  t.is(error?.code, 'UNAVAILABLE');
});

/** What a host may do, and what is said of it. */
const troubles: readonly { behaviour: Behaviour; reason: RegExp }[] = [
  { behaviour: { kind: 'status', status: 500 }, reason: /^the host answered with HTTP 500$/ },
  { behaviour: { kind: 'status', status: 403 }, reason: /^the host refuses access \(HTTP 403\)/ },
  { behaviour: { kind: 'status', status: 404 }, reason: /^the host has no such repository/ },
  { behaviour: { kind: 'html' }, reason: /^the host answered with something that is not git$/ },
  {
    behaviour: { kind: 'redirect', to: 'http://127.0.0.1:1' },
    reason: /^the host redirects to another place/,
  },
];

for (const { behaviour, reason } of someOf(troubles)) {
  const name = behaviour.kind === 'status' ? `status ${behaviour.status}` : behaviour.kind;
  test(`sync does with the mirror when the host gives ${name}, and says why`, async (t) => {
    const { host, source } = await openWithHost(t, { token: TOKEN });
    const repository = host.repository('team/app');
    const head = repository.commit([{ name: 'a', data: 'a\n' }]);
    await source.sync({ ...APP, wants: [head], refs: [] });
    host.behave(behaviour);
    const synced = await source.sync({ ...APP, wants: [head], refs: [MAIN] });
    t.deepEqual([synced.refs, synced.missing], [null, []]);
    t.regex(synced.problem ?? '', reason);
    const wants = [head, NO_COMMIT];
    const error = await t.throwsAsync(source.sync({ ...APP, wants, refs: [] }));
    t.like(error, { code: 'UNAVAILABLE' });
    t.regex(String((error as { details?: { reason?: unknown } }).details?.reason), reason);
    const listed = await t.throwsAsync(source.listRefs(APP));
    t.regex(listed.message, reason);
  });
}

test('sync whose fetch fails does with the mirror or rejects', async (t) => {
  const { host, source } = await openWithHost(t);
  const repository = host.repository('team/app');
  const head = repository.commit([{ name: 'a', data: 'a\n' }]);
  await source.sync({ ...APP, wants: [head], refs: [] });
  const next = repository.commit([{ name: 'a', data: 'b\n' }]);
  host.behave({ kind: 'refs-only' });
  const synced = await source.sync({ ...APP, wants: [head], refs: [MAIN] });
  t.like(synced, { refs: null, missing: [] });
  t.like(await t.throwsAsync(source.sync({ ...APP, wants: [next], refs: [] })), {
    code: 'UNAVAILABLE',
  });
});

test('a wrong token is reported as such', async (t) => {
  const { host, source } = await openWithHost(t, { token: TOKEN });
  host.repository('team/app').commit([{ name: 'a', data: 'a\n' }]);
  host.behave({ kind: 'status', status: 401 });
  const error = await t.throwsAsync(source.listRefs(APP));
  t.regex(error.message, /^the host refuses access \(HTTP 401\): look at the token/);
});

for (const kind of ['hang', 'stall'] as const) {
  test(`a host that ${kind}s is left at the deadline, and nothing runs on`, async (t) => {
    const { host, source, groups } = await openWithHost(t);
    const repository = host.repository('team/app');
    const noise = randomBytes(300_000);
    const head = repository.commit([{ name: 'a', data: noise }]);
    host.behave({ kind });
    const input = { ...APP, wants: [head], refs: [] };
    const error = await t.throwsAsync(source.sync(input, { timeoutMs: 1_500 }));
    t.like(error, { code: 'DEADLINE_EXCEEDED' });
    // The next call has its turn when the last process is gone.
    host.behave({ kind: 'serve' });
    t.deepEqual((await source.sync(input)).missing, []);
    t.true(new Int32Array(groups).every((pid) => pid === 0));
  });
}

test('a call that is cancelled ends its git', async (t) => {
  const { host, source } = await openWithHost(t);
  const head = host.repository('team/app').commit([{ name: 'a', data: 'a\n' }]);
  host.behave({ kind: 'hang' });
  const abort = new AbortController();
  const input = { ...APP, wants: [head], refs: [] };
  const called = source.sync(input, { signal: abort.signal });
  await host.nextRequest();
  abort.abort();
  t.like(await t.throwsAsync(called), { code: 'CANCELLED' });
  host.behave({ kind: 'serve' });
  t.deepEqual((await source.sync(input)).missing, []);
});

test('repositories do not wait for each other', async (t) => {
  const { host, source } = await openWithHost(t);
  const head = host.repository('team/app').commit([{ name: 'a', data: 'a\n' }]);
  const wants = [host.repository('team/other').commit([{ name: 'b', data: 'b\n' }])];
  host.behave({ kind: 'hang' });
  const abort = new AbortController();
  const options = { signal: abort.signal };
  const stuck = source.sync({ ...APP, wants: [head], refs: [] }, options);
  await host.nextRequest();
  host.behave({ kind: 'serve' });
  const other = { host: 'test', repo_full_name: 'team/other' };
  t.deepEqual((await source.sync({ ...other, wants, refs: [] })).missing, []);
  abort.abort();
  await t.throwsAsync(stuck);
});

test('a shallow repository is refused, as its ancestry is not whole', async (t) => {
  const { host, source } = await openWithHost(t);
  const full = host.repository('team/full');
  full.commit([{ name: 'a', data: 'a\n' }]);
  const head = full.commit([{ name: 'a', data: 'b\n' }]);
  const shallow = join(host.root, 'team', 'app.git');
  execFileSync('git', ['clone', '-q', '--bare', '--depth=1', `file://${full.dir}`, shallow]);
  const error = await t.throwsAsync(source.sync({ ...APP, wants: [head], refs: [] }));
  t.like(error, { code: 'UNAVAILABLE' });
  t.regex(error.message, /shallow/);
});

test('a push comes without the walk of git, and nothing that it needs may be missing', async (t) => {
  const { host, source, mirrorDir } = await openWithHost(t);
  const repository = host.repository('team/app');
  const ids = ['a', 'b', 'c', 'd'].map((name) => repository.commit([{ name, data: name }]));
  const [first = '', second = '', third = '', fourth = ''] = ids;
  const missingOf = async (id: string) =>
    (await source.sync({ ...APP, wants: [id], refs: [] })).missing;
  t.deepEqual(await missingOf(first), []);
  const packs = join(mirrorDir, readdirSync(mirrorDir)[0] ?? '', 'objects', 'pack');
  const promised = () => readdirSync(packs).filter((name) => name.endsWith('.promisor')).length;
  t.is(promised(), 0);
  t.deepEqual(await missingOf(second), []);
  t.is(promised(), 2);
  // A host that has filters, and refuses the one that leaves nothing out.
  repository.git('config', 'uploadpack.allowFilter', 'true');
  repository.git('config', 'uploadpackfilter.allow', 'false');
  t.deepEqual(await missingOf(third), []);
  t.is(promised(), 2);
  repository.git('config', 'uploadpackfilter.allow', 'true');
  host.behave({ kind: 'without-blobs' });
  t.like(await t.throwsAsync(missingOf(fourth)), { code: 'UNAVAILABLE' });
  host.behave({ kind: 'serve' });
  t.deepEqual(await missingOf(fourth), []);
  host.behave({ kind: 'status', status: 500 });
  const { diff } = await source.diff({ ...APP, base: null, head: fourth });
  t.true(Buffer.from(diff).includes('+d'));
});

test('a mirror that is damaged is made again', async (t) => {
  const { host, source, mirrorDir, reopen } = await openWithHost(t);
  const repository = host.repository('team/app');
  const base = repository.commit([{ name: 'a', data: 'a\n' }]);
  const head = repository.commit([{ name: 'a', data: 'b\n' }]);
  const good = await source.diff({ ...APP, base, head });
  const dir = join(mirrorDir, readdirSync(mirrorDir)[0] ?? '');
  const packs = join(dir, 'objects', 'pack');
  const damages: (() => void)[] = [
    () => rmSync(packs, { recursive: true }),
    () => {
      for (const name of readdirSync(packs)) truncate(join(packs, name));
    },
    () => rmSync(join(dir, 'HEAD')),
    () => writeFileSync(join(dir, 'config'), '[core'),
    () => rmSync(dir, { recursive: true }),
  ];
  for (const damage of someOf(damages)) {
    damage();
    t.deepEqual(await source.diff({ ...APP, base, head }), good);
    damage();
    t.deepEqual((await source.sync({ ...APP, wants: [base, head], refs: [MAIN] })).missing, []);
    t.deepEqual(await source.diff({ ...APP, base, head }), good);
  }
  damages[3]?.();
  t.deepEqual(await (await reopen()).diff({ ...APP, base, head }), good);
});

function truncate(path: string): void {
  const bytes = readFileSync(path);
  rmSync(path, { force: true });
  writeFileSync(path, bytes.subarray(0, bytes.length / 2));
}

test('a commit that neither host nor mirror has is NOT_FOUND', async (t) => {
  const { host, source } = await openWithHost(t);
  const head = host.repository('team/app').commit([{ name: 'a', data: 'a\n' }]);
  const error = await t.throwsAsync(source.diff({ ...APP, base: NO_COMMIT, head }));
  t.like(error, { code: 'NOT_FOUND' });
});

test('what a crash left is removed before use', async (t) => {
  const { host, source, mirrorDir, reopen } = await openWithHost(t);
  const repository = host.repository('team/app');
  const head = repository.commit([{ name: 'a', data: 'a\n' }]);
  await source.sync({ ...APP, wants: [head], refs: [] });
  const dir = join(mirrorDir, readdirSync(mirrorDir)[0] ?? '');
  const next = repository.commit([{ name: 'a', data: 'b\n' }]);
  const left = [
    join(dir, 'objects', 'pack', 'tmp_pack_x'),
    join(dir, 'objects', 'pack', `pack-${'0'.repeat(40)}.keep`),
    join(dir, 'refs', 'cra', 'keep', `${next}.lock`),
    join(dir, 'packed-refs.lock'),
    join(mirrorDir, 'gone-0'),
  ];
  for (const path of left) writeFileSync(path, 'x');
  const again = await reopen();
  t.deepEqual(left.filter(existsSync), []);
  t.deepEqual((await again.sync({ ...APP, wants: [next], refs: [] })).missing, []);
  t.is(statSync(mirrorDir).mode & 0o777, 0o700);
});

test('a mirror borrows what a repository of mirror_path has, and says when that is gone', async (t) => {
  const mirrorPath = mkdtempSync(join(tmpdir(), 'cra-alternate-'));
  t.teardown(() => rmSync(mirrorPath, { recursive: true, force: true }));
  const { host, source, mirrorDir, reopen } = await openWithHost(t, { settings: { mirrorPath } });
  const repository = host.repository('team/app');
  const first = repository.commit([{ name: 'noise', data: randomBytes(1_000_000) }]);
  const alternate = join(mirrorPath, 'team', 'app.git');
  execFileSync('git', ['clone', '-q', '--mirror', repository.dir, alternate]);
  const head = repository.commit([{ name: 'a', data: 'a\n' }]);
  t.deepEqual((await source.sync({ ...APP, wants: [head, first], refs: [MAIN] })).missing, []);
  const dir = join(mirrorDir, readdirSync(mirrorDir)[0] ?? '');
  t.true(packedBytes(dir) < 100_000);
  t.true(existsSync(join(dir, 'objects', 'info', 'commit-graphs')));
  const change = { ...APP, base: first, head };
  const { diff } = await source.diff(change);
  t.true(Buffer.from(diff).includes('+a\n'));
  renameSync(alternate, `${alternate}.away`);
  const gone = await t.throwsAsync(source.diff(change));
  t.regex(gone.message, /^the repository .*app\.git \(mirror_path\) is gone/);
  const again = await reopen();
  const refused = await t.throwsAsync(again.sync({ ...APP, wants: [head], refs: [] }));
  t.like(refused, { code: 'UNAVAILABLE', message: gone.message });
  renameSync(`${alternate}.away`, alternate);
  t.true(Buffer.from((await again.diff(change)).diff).includes('+a\n'));
  writeFileSync(join(alternate, 'shallow'), `${first}\n`);
  rmSync(dir, { recursive: true });
  const shallow = await t.throwsAsync(again.diff(change));
  t.regex(shallow.message, /is shallow/);
});

function packedBytes(dir: string): number {
  const packs = join(dir, 'objects', 'pack');
  const sizes = readdirSync(packs).map((name) => statSync(join(packs, name)).size);
  return sizes.reduce((sum, bytes) => sum + bytes, 0);
}

test('forks borrow from one repository of mirror_path by links of their names', async (t) => {
  const mirrorPath = mkdtempSync(join(tmpdir(), 'cra-alternate-'));
  t.teardown(() => rmSync(mirrorPath, { recursive: true, force: true }));
  const { host, source, mirrorDir } = await openWithHost(t, { settings: { mirrorPath } });
  const repository = host.repository('team/app');
  const first = repository.commit([{ name: 'noise', data: randomBytes(1_000_000) }]);
  execFileSync('git', ['clone', '-q', '--mirror', repository.dir, join(mirrorPath, 'app.git')]);
  const forks = ['ann/app', 'bob/app'];
  for (const name of forks) {
    const fork = host.repository(name);
    execFileSync('git', ['--git-dir', repository.dir, 'push', '-q', fork.dir, MAIN]);
    const head = fork.commit([{ name: 'a', data: `${name}\n` }]);
    mkdirSync(join(mirrorPath, dirname(name)));
    symlinkSync('../app.git', join(mirrorPath, `${name}.git`));
    const place = { host: 'test', repo_full_name: name };
    await source.sync({ ...place, wants: [head, first], refs: [MAIN] });
    const { diff } = await source.diff({ ...place, base: first, head });
    t.true(Buffer.from(diff).includes(`+${name}\n`));
  }
  const mirrors = readdirSync(mirrorDir).filter((name) => name.endsWith('.git'));
  t.is(mirrors.length, forks.length);
  t.true(mirrors.every((name) => packedBytes(join(mirrorDir, name)) < 100_000));
});

test('a mirror is imported from a whole bundle, and goes on from there', async (t) => {
  const { host, source, mirrorDir } = await openWithHost(t);
  const repository = host.repository('team/app');
  const first = repository.commit([{ name: 'noise', data: randomBytes(100_000) }]);
  const bundle = join(host.root, 'app.bundle');
  repository.git('bundle', 'create', '-q', bundle, '--all');
  const head = repository.commit([{ name: 'a', data: 'a\n' }]);
  const part = join(host.root, 'part.bundle');
  repository.git('bundle', 'create', '-q', part, `${first}..${MAIN}`);
  const cut = join(host.root, 'cut.bundle');
  writeFileSync(cut, readFileSync(bundle).subarray(0, 50_000));
  const address = addressOf([settingsOf(host)], APP);
  const importFrom = (file: string, bytesMax = 2 ** 30) =>
    importBundle({
      directory: mirrorDir,
      address,
      bundle: file,
      bytesMax,
      onProgress: () => null,
      lock: lockDataDir,
    });
  const refused: [string, RegExp, number?][] = [
    [part, /needs commits that are not in it/],
    [cut, /is cut off or damaged/],
    [join(host.root, 'team', 'app.git', 'HEAD'), /is not a bundle of git/],
    [join(host.root, 'none'), /there is no file/],
    [bundle, /set mirror_gib higher/, 100_000],
  ];
  for (const [file, reason, bytesMax] of refused) {
    t.regex((await t.throwsAsync(importFrom(file, bytesMax))).message, reason);
  }
  t.deepEqual(readdirSync(mirrorDir), []);
  t.is((await importFrom(bundle)).refs, 1);
  t.regex((await t.throwsAsync(importFrom(bundle))).message, /has a mirror: stop the service/);
  host.behave({ kind: 'status', status: 500 });
  t.is((await source.diff({ ...APP, base: null, head: first })).commits, 1);
  host.behave({ kind: 'serve' });
  t.deepEqual((await source.sync({ ...APP, wants: [head], refs: [] })).missing, []);
  // The new commit came alone.
  const packs = join(mirrorDir, readdirSync(mirrorDir)[0] ?? '', 'objects', 'pack');
  const bytes = readdirSync(packs)
    .filter((name) => name.endsWith('.pack'))
    .map((name) => statSync(join(packs, name)).size);
  t.is(bytes.filter((size) => size > 50_000).length, 1);
  t.is(bytes.length, 2);
});

/** A repository with a branch whose commit has a tree of these entries. */
function bundleOf(folder: string, names: readonly string[], author = 'A <a@b> 1 +0000'): string {
  const git = (args: string[], input: string | Buffer = '') =>
    execFileSync('git', args, { cwd: folder, input }).toString().trim();
  git(['init', '-q', '--bare']);
  const store = (type: string, input: string | Buffer) =>
    git(['hash-object', '-t', type, '-w', '--literally', '--stdin'], input);
  const blob = Buffer.from(store('blob', 'x\n'), 'hex');
  const entries = names.map((name) => Buffer.concat([Buffer.from(`100644 ${name}\0`), blob]));
  const tree = store('tree', Buffer.concat(entries));
  const commit = `tree ${tree}\nauthor ${author}\ncommitter A <a@b> 1 +0000\n\nx\n`;
  git(['update-ref', MAIN, store('commit', commit)]);
  git(['bundle', 'create', '-q', 'x.bundle', '--all']);
  return join(folder, 'x.bundle');
}

test('an import is as strict as a fetch, and removes stopped imports but no running ones', async (t) => {
  const root = mkdtempSync(join(tmpdir(), 'cra-import-'));
  t.teardown(() => rmSync(root, { recursive: true, force: true }));
  const directory = join(root, 'mirrors');
  const address = addressOf(
    [settingsOf({ url: 'https://git.example', token: null, username: 'x' })],
    APP,
  );
  const importFrom = (bundle: string, onProgress: () => CraError | null = () => null) =>
    importBundle({ directory, address, bundle, bytesMax: 2 ** 30, onProgress, lock: lockDataDir });
  const left = join(root, `import-${'0'.repeat(64)}`);
  mkdirSync(left);
  writeFileSync(join(left, 'lock.pid'), '1\n');
  mkdirSync(join(root, 'twice'));
  const twice = bundleOf(join(root, 'twice'), ['a', 'a']);
  const refused = await t.throwsAsync(importFrom(twice));
  t.regex(refused.message, /holds a malformed object \(duplicateEntries in [0-9a-f]{40}\)/);
  t.false(existsSync(left));
  mkdirSync(join(root, 'odd'));
  const odd = bundleOf(join(root, 'odd'), ['a'], 'A a@b 1 +0000');
  let again: Promise<Error | undefined> | undefined;
  await importFrom(odd, () => {
    again ??= t.throwsAsync(importFrom(odd));
    removeStoppedImports(root, lockDataDir);
    return null;
  });
  t.regex((await again)?.message ?? '', /is in use by another cra/);
  t.deepEqual(readdirSync(root).sort(), ['mirrors', 'odd', 'twice']);
});

test('a folder of mirror_path that hangs takes one look, and others are refused at once', async (t) => {
  const look = createLooks(20);
  let started = 0;
  let answer = () => {};
  const hung = () => {
    started += 1;
    return new Promise<void>((resolve) => {
      answer = resolve;
    });
  };
  const refusal = { code: 'UNAVAILABLE', message: /\/srv\/.* does not answer$/ };
  const both = ['/srv/a.git', '/srv/b.git'].map((path) => look('/srv', path, hung));
  for (const asked of both) await t.throwsAsync(asked, refusal);
  await t.throwsAsync(look('/srv', '/srv/c.git', hung), refusal);
  t.is(started, 1);
  t.is(await look('/other', '/other/a.git', async () => 'there'), 'there');
  answer();
  await new Promise(setImmediate);
  t.is(await look('/srv', '/srv/a.git', async () => 'there'), 'there');
});

test('mirrors unused for longest make room; a mirror that does not fit is refused', async (t) => {
  const { host, source, mirrorDir } = await openWithHost(t, { mirrorBytesMax: 2_500_000 });
  const sync = (name: string, wants: string[]) =>
    source.sync({ host: 'test', repo_full_name: name, wants, refs: [] });
  const heads = ['a/1', 'a/2', 'a/3'].map((name) => {
    const repository = host.repository(name);
    return { name, id: repository.commit([{ name: 'noise', data: randomBytes(1_000_000) }]) };
  });
  for (const { name, id } of heads) await sync(name, [id]);
  t.is(readdirSync(mirrorDir).length, 2);
  // The one that had to go is fetched again by the next reader.
  const [first] = heads;
  const again = { host: 'test', repo_full_name: 'a/1', base: null, head: first?.id ?? '' };
  t.is((await source.diff(again)).commits, 1);
  const large = host
    .repository('a/large')
    .commit([{ name: 'noise', data: randomBytes(4_000_000) }]);
  for (let round = 0; round < 2; round += 1) {
    const error = await t.throwsAsync(sync('a/large', [large]));
    t.like(error, { code: 'OUT_OF_RANGE' });
    t.regex(error.message, /does not fit into the 2 MiB/);
  }
  t.is(readdirSync(mirrorDir).length, 2);
});

test('a mirror of many fetches is tidied and has it all, without what it borrows', async (t) => {
  const mirrorPath = mkdtempSync(join(tmpdir(), 'cra-alternate-'));
  t.teardown(() => rmSync(mirrorPath, { recursive: true, force: true }));
  const { host, source, mirrorDir } = await openWithHost(t, { settings: { mirrorPath } });
  const repository = host.repository('team/app');
  repository.commit([{ name: 'noise', data: randomBytes(1_000_000) }]);
  const alternate = join(mirrorPath, 'team', 'app.git');
  execFileSync('git', ['clone', '-q', '--mirror', repository.dir, alternate]);
  const ids: string[] = [];
  for (let index = 0; index < 53; index += 1) {
    const id = repository.commit([{ name: 'a', data: `${index}\n` }]);
    ids.push(id);
    await source.sync({ ...APP, wants: [id], refs: [] });
  }
  const packs = join(mirrorDir, readdirSync(mirrorDir)[0] ?? '', 'objects', 'pack');
  const names = readdirSync(packs);
  t.true(names.filter((name) => name.endsWith('.pack')).length < 10);
  t.true(names.every((name) => statSync(join(packs, name)).size < 100_000));
  host.behave({ kind: 'status', status: 500 });
  const synced = await source.sync({ ...APP, wants: ids, refs: [] });
  t.deepEqual(synced.missing, []);
  const { commits } = await source.diff({ ...APP, base: ids[0] ?? '', head: ids.at(-1) ?? '' });
  t.is(commits, 52);
});

test('blobs reads whole files of both trees, and follows links within the tree', async (t) => {
  const { host, source } = await openWithHost(t);
  const repository = host.repository('team/app');
  const large = Buffer.alloc(GIT.BLOB_BYTES_MAX + 1, 'a');
  const base = repository.commit([
    { name: 'docs/notes.txt', data: 'old\n' },
    { name: 'in', data: 'docs', mode: '120000' },
  ]);
  const head = repository.commit([
    { name: 'docs/notes.txt', data: 'new\n' },
    { name: 'server.js', data: 'docs/notes.txt', mode: '120000' },
    { name: 'deep.js', data: 'in/notes.txt', mode: '120000' },
    { name: 'passwd.js', data: '/etc/passwd', mode: '120000' },
    { name: 'up.js', data: '../../etc/passwd', mode: '120000' },
    { name: 'gone.js', data: 'no such file', mode: '120000' },
    { name: 'loop.js', data: 'loop.js', mode: '120000' },
    { name: 'folder.js', data: 'docs', mode: '120000' },
    { name: 'line\nbreak', data: 'x' },
    { name: 'large', data: large },
    { name: 'half', data: Buffer.alloc(700, 'b') },
    { name: 'other', data: Buffer.alloc(700, 'c') },
  ]);
  await source.sync({ ...APP, wants: [head, base], refs: [] });
  const want = (side: 'base' | 'head', path: string) => ({ side, path });
  const cases: [WantedFile, string][] = [
    [want('base', 'docs/notes.txt'), 'read old'],
    [want('head', 'docs/notes.txt'), 'read new'],
    [want('head', 'server.js'), 'read new'],
    [want('head', 'deep.js'), 'read new'],
    [want('base', 'server.js'), 'missing'],
    [want('head', 'passwd.js'), 'outside'],
    [want('head', 'up.js'), 'outside'],
    [want('head', 'gone.js'), 'missing'],
    [want('head', 'loop.js'), 'missing'],
    [want('head', 'folder.js'), 'directory'],
    [want('base', 'docs'), 'directory'],
    [want('head', 'line\nbreak'), 'missing'],
    [want('head', '../app.git/config'), 'missing'],
    [want('head', ''), 'missing'],
    [want('head', 'large'), 'too-large'],
    [want('head', 'half'), `read ${'b'.repeat(700)}`],
    [want('head', 'other'), 'too-large'],
    [want('head', 'server.js'), 'read new'],
  ];
  const wants = cases.map(([wanted]) => wanted);
  const { files } = await source.blobs({ ...APP, base, head, wants, bytes_max: 1_000 });
  for (const [index, [wanted, expected]] of cases.entries()) {
    const { state, bytes, ...named } = files[index] ?? { state: null, bytes: null };
    t.deepEqual(named, wanted);
    const text = bytes === null ? '' : ` ${Buffer.from(bytes).toString().trimEnd()}`;
    t.is(`${state}${text}`, expected, wanted.path);
  }
  const many = Array.from({ length: SOURCE.BLOBS_MAX + 1 }, () => want('head', 'half'));
  const tooMany = source.blobs({ ...APP, base, head, wants: many, bytes_max: 1_000 });
  await t.throwsAsync(tooMany, { code: 'OUT_OF_RANGE' });
});

test('a GitHub App reads a repository with the token of its installation', async (t) => {
  const app = await startAppHost(t);
  app.now = Date.now();
  app.owners.add('team');
  const settings = {
    provider: 'github',
    apiUrl: app.apiUrl,
    token: null,
    app: { appId: APP_ID, privateKey: PRIVATE_KEY },
  } as const;
  const { host, source } = await openWithHost(t, { token: FIRST_TOKEN, settings });
  const first = host.repository('team/app').commit([{ name: 'a', data: 'a\n' }]);
  t.deepEqual(await source.listRefs(APP), { refs: { [MAIN]: first } });
  t.deepEqual((await source.sync({ ...APP, wants: [first], refs: [] })).missing, []);
  t.deepEqual(app.tokens, [FIRST_TOKEN]);
  // What the mirror has is read without the host.
  app.faults.push({ path: /./, status: 503, message: 'no', times: 99 });
  t.true(Buffer.from((await source.diff({ ...APP, base: null, head: first })).diff).includes('+a'));
});

test('a repository for which the App is not installed is unavailable, with the reason', async (t) => {
  const app = await startAppHost(t);
  app.now = Date.now();
  const settings = {
    provider: 'github',
    apiUrl: app.apiUrl,
    token: null,
    app: { appId: APP_ID, privateKey: PRIVATE_KEY },
  } as const;
  const { host, source } = await openWithHost(t, { token: FIRST_TOKEN, settings });
  host.repository('team/app').commit([{ name: 'a', data: 'a\n' }]);
  const error = await t.throwsAsync(source.listRefs(APP), { instanceOf: CraError });
  t.is(error.code, 'UNAVAILABLE');
  t.is(error.details['reason'], 'the GitHub App is not installed for the repository');
});
