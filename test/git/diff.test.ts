import test from 'ava';
import { parseDiff } from '../../src/diff/parse.ts';
import { CraError } from '../../src/model/errors.ts';
import type { DiffOutput } from '../../src/rpc/source-contract.ts';
import type { Blob } from '../diff/repository.ts';
import type { HostedRepository } from '../hosts/git-repository.ts';
import { APP, openWithHost } from './opened.ts';

const EMPTY_TREE = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';
const lines = (count: number) =>
  Array.from({ length: count }, (_, index) => `line ${index}\n`).join('');

/** So many MB that take little time to write and to compare. */
function longLines(megabytes: number): Buffer {
  return Buffer.alloc(megabytes * 2 ** 20, `${'x'.repeat(2 ** 16 - megabytes)}\n`);
}

function byHand(repository: HostedRepository, base: string | null, head: string): string {
  const options = ['--no-color', '--full-index', '-M', '--submodule=short'];
  const trees = [base ?? EMPTY_TREE, head];
  const args = ['-c', 'core.quotePath=false', 'diff', ...options, ...trees];
  return repository.git(...args).toString('latin1');
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('latin1');
}

/** Each a change of this first commit. */
const FIRST: readonly Blob[] = [
  { name: 'app.js', data: lines(30) },
  { name: 'run.sh', data: '#!/bin/sh\n' },
  { name: 'old/place.md', data: lines(40) },
  { name: 'gone.txt', data: 'bye\n' },
  { name: 'link', data: 'app.js', mode: '120000' },
  { name: 'module', data: '1111111111111111111111111111111111111111', mode: '160000' },
];

const changes: readonly { what: string; files: readonly Blob[] }[] = [
  { what: 'a plain change', files: [{ name: 'app.js', data: `${lines(30)}more\n` }] },
  { what: 'a deletion', files: [{ name: 'gone.txt', data: null }] },
  {
    what: 'a rename',
    files: [
      { name: 'old/place.md', data: null },
      { name: 'new/place.md', data: `${lines(40)}and more\n` },
    ],
  },
  { what: 'a mode', files: [{ name: 'run.sh', data: '#!/bin/sh\n', mode: '100755' }] },
  { what: 'a symlink', files: [{ name: 'link', data: '/etc/passwd', mode: '120000' }] },
  { what: 'a file for a symlink', files: [{ name: 'link', data: 'text\n' }] },
  {
    what: 'a submodule',
    files: [{ name: 'module', data: '2222222222222222222222222222222222222222', mode: '160000' }],
  },
  {
    what: 'an LFS pointer',
    files: [
      {
        name: 'model.bin',
        data: `version https://git-lfs.github.com/spec/v1\noid sha256:${'0'.repeat(64)}\nsize 9\n`,
      },
    ],
  },
  {
    what: 'odd names',
    files: [
      'quo"te',
      'line\nbreak',
      'broken\u00ff\u00fe',
      'tab\there',
      ' blank ',
      '-dash',
      '--a b',
    ].map((name) => ({ name, data: 'x\n' })),
  },
  { what: 'an image', files: [{ name: 'logo.PNG', data: Buffer.from([0x89, 0, 1, 2]) }] },
  { what: 'nothing', files: [] },
];

for (const { what, files } of changes) {
  test.serial(`diff has the bytes of git diff: ${what}`, async (t) => {
    const { host, source } = await openWithHost(t);
    const repository = host.repository('team/app');
    const base = repository.commit(FIRST);
    const head = repository.commit(files, { message: `${what}\n\nwith a body\n` });
    const synced = await source.sync({ ...APP, wants: [head, base], refs: ['refs/heads/main'] });
    t.deepEqual(synced, { refs: { 'refs/heads/main': head }, missing: [], problem: null });
    const changed = await source.diff({ ...APP, base, head });
    t.is(textOf(changed.diff), byHand(repository, base, head));
    t.true(changed.diff.buffer instanceof SharedArrayBuffer);
    t.is(changed.commits, 1);
    t.is(changed.history, null);
    t.is(changed.message, `${what}\n\nwith a body`);
    t.deepEqual(changed.notes, []);
    const whole = await source.diff({ ...APP, base: null, head });
    t.is(textOf(whole.diff), byHand(repository, null, head));
  });
}

test.serial('diff has the objects of its commits and of the tags that name them', async (t) => {
  const { host, source } = await openWithHost(t);
  const repository = host.repository('team/app');
  const base = repository.commit([{ name: 'a', data: '1\n' }]);
  const first = repository.commit([{ name: 'a', data: '2\n' }], { message: 'first\0behind\n' });
  const head = repository.commit([{ name: 'a', data: '3\n' }], { message: 'second' });
  const person = ['-c', 'user.name=A', '-c', 'user.email=a@b'];
  repository.git(...person, 'tag', '-a', '-m', 'of a commit', 'v1', head);
  repository.git(...person, 'tag', '-a', '-m', 'of a tag', 'v2', 'v1');
  const [v1, v2] = ['v1', 'v2'].map((name) => repository.git('rev-parse', name).toString().trim());
  const objectsIn = ({ messages }: DiffOutput) =>
    [...textOf(messages).matchAll(/^([0-9a-f]{40}) (commit|tag) \d+$/gm)].map(([, id]) => id);
  await source.sync({ ...APP, wants: [head, v2 ?? ''], refs: [] });
  const range = { ...APP, base, head };
  const plain = await source.diff(range);
  t.deepEqual(objectsIn(plain), [head, first]);
  t.true(textOf(plain.messages).includes('first\0behind\n'));
  t.false(plain.is_annotated);
  const tagged = await source.diff({ ...range, head: v2 ?? '' });
  t.deepEqual(objectsIn(tagged), [v2, v1, head, first]);
  t.true(tagged.is_annotated);
  t.is(tagged.commits, 2);
  t.is(textOf(tagged.diff), textOf(plain.diff));
  t.deepEqual(objectsIn(await source.diff({ ...APP, base: head, head: v1 ?? '' })), [v1]);
  t.is((await source.diff({ ...APP, base: head, head })).messages.length, 0);
});

test.serial('diff has all of a workflow, and of a file whose key is changed', async (t) => {
  const { host, source } = await openWithHost(t);
  const repository = host.repository('team/app');
  const path = '.github/workflows/c i.yml';
  const moved = '.github/workflows/:(top)d.yml';
  const base = repository.commit([
    { name: path, data: `on: pull_request_target\n${lines(40)}` },
    { name: 'key.txt', data: `-----BEGIN PRIVATE KEY-----\n${lines(40)}` },
    { name: 'app.js', data: lines(40) },
  ]);
  const head = repository.commit([
    { name: path, data: null },
    { name: moved, data: `on: pull_request_target\n${lines(40)}checkout\n` },
    { name: 'key.txt', data: `-----BEGIN PRIVATE KEY-----\n${lines(40)}${'Abcd'.repeat(16)}\n` },
    { name: 'app.js', data: `${lines(40)}more\n` },
  ]);
  await source.sync({ ...APP, wants: [head, base], refs: [] });
  const { diff } = await source.diff({ ...APP, base, head });
  const { files, problems } = parseDiff(diff);
  t.deepEqual(problems, []);
  t.deepEqual(
    files.map(({ path, change, hunks }) => [path, change, hunks[0]?.newStart]),
    [
      [moved, 'renamed', 1],
      ['app.js', 'modified', 38],
      ['key.txt', 'modified', 1],
    ],
  );
});

const LONG = { renamesMs: 60_000, patchMs: 60_000, historyMs: 60_000 };

test.serial('diff goes on without renames where to find them takes too long', async (t) => {
  const { host, source } = await openWithHost(t, { times: { ...LONG, renamesMs: 0 } });
  const repository = host.repository('team/app');
  const base = repository.commit([{ name: 'old', data: lines(40) }]);
  const head = repository.commit([
    { name: 'old', data: null },
    { name: 'new', data: lines(40) },
  ]);
  const { diff, notes } = await source.diff({ ...APP, base, head });
  t.is(textOf(diff), repository.git('diff', '--no-renames', '--full-index', base, head).toString());
  t.deepEqual(notes, []);
});

test.serial('diff that takes too long without renames, too, is too large', async (t) => {
  const times = { ...LONG, renamesMs: 0, patchMs: 0 };
  const { host, source } = await openWithHost(t, { times });
  const head = host.repository('team/app').commit([{ name: 'a', data: '1\n' }]);
  const error = await t.throwsAsync(source.diff({ ...APP, base: null, head }), {
    instanceOf: CraError,
  });
  t.is(error?.code, 'OUT_OF_RANGE');
  t.regex(String(error?.details['reason']), /git diff did not end within 0 s/);
});

test.serial('patches of commits that take too long are a finding', async (t) => {
  const { host, source } = await openWithHost(t, { times: { ...LONG, historyMs: 0 } });
  const repository = host.repository('team/app');
  repository.commit([{ name: 'a', data: '1\n' }]);
  const head = repository.commit([{ name: 'a', data: '2\n' }]);
  const { notes, messages } = await source.diff({ ...APP, base: null, head });
  t.deepEqual(
    notes.map(({ id, severity }) => [id, severity]),
    [['history-unscanned', 'high']],
  );
  t.true(messages.length > 0, 'the messages were read');
});

const NUL = Buffer.from('import os\nos.system("x")\0\n');

test.serial('diff shows text that a NUL byte makes binary, in its place', async (t) => {
  const { host, source } = await openWithHost(t);
  const repository = host.repository('team/app');
  const base = repository.commit([
    { name: 'b"*[x] \\.py', data: 'print(1)\n' },
    { name: 'gone.cfg', data: 'a\0b\n' },
  ]);
  const large = Buffer.alloc(2 ** 20 + 1, 'a\0b\n');
  const head = repository.commit([
    { name: 'a.txt', data: 'first\n' },
    { name: 'b"*[x] \\.py', data: NUL },
    { name: 'c.png', data: Buffer.from([0x89, 0, 1]) },
    { name: 'dir/line\nbreak', data: large },
    { name: 'gone.cfg', data: null },
    { name: 'z.txt', data: 'last\n' },
  ]);
  const { diff } = await source.diff({ ...APP, base, head });
  const text = textOf(diff);
  t.true(text.includes('+os.system("x")\0\n'));
  t.true(text.includes('-a\0b\n'));
  // In one piece with the rest, as if git had never called it binary.
  const sections = text.split(/^(?=diff --git )/m);
  const shown = byHand(repository, base, head).split(/^(?=diff --git )/m);
  t.is(sections.length, shown.length);
  const spliced = sections.flatMap((section, index) => (section === shown[index] ? [] : [index]));
  t.deepEqual(
    spliced.map((index) => shown[index]?.split('\n')[0]),
    ['diff --git "a/b\\"*[x] \\\\.py" "b/b\\"*[x] \\\\.py"', 'diff --git a/gone.cfg b/gone.cfg'],
  );
  t.true(text.includes('Binary files /dev/null and b/c.png differ\n'));
  t.true(text.includes('Binary files /dev/null and "b/dir/line\\nbreak" differ\n'));
  t.deepEqual(parseDiff(diff).problems, []);
});

test.serial('diff keeps the markers where too much is binary to be shown', async (t) => {
  const { host, source } = await openWithHost(t);
  const repository = host.repository('team/app');
  const base = repository.commit([{ name: 'a', data: 'a\n' }]);
  const files = Array.from({ length: 40 }, (_, index) => ({
    name: `data-${index}`,
    data: Buffer.alloc(2 ** 20 - 1, `${index}\0\n`),
  }));
  const head = repository.commit(files);
  const { diff } = await source.diff({ ...APP, base, head });
  t.is(textOf(diff), byHand(repository, base, head));
});

test.serial('diff is blind to the attributes of a tree', async (t) => {
  const { host, source } = await openWithHost(t);
  const repository = host.repository('team/app');
  const base = repository.commit([{ name: 'a.py', data: 'a\n' }]);
  const attributes = '*.py -diff\n*.js binary\n*.rb diff=hidden\n';
  const head = repository.commit([
    { name: '.gitattributes', data: attributes },
    { name: 'a.py', data: 'evil\n' },
    { name: 'b.js', data: 'evil\n' },
    { name: 'c.rb', data: 'evil\n' },
  ]);
  const { diff } = await source.diff({ ...APP, base, head });
  t.is(textOf(diff).match(/^\+evil$/gm)?.length, 3);
  t.false(textOf(diff).includes('Binary files'));
});

test.serial('diff works in a repository with SHA-256 ids', async (t) => {
  const { host, source } = await openWithHost(t);
  const repository = host.repository('team/app', 'sha256');
  const first = repository.commit([{ name: 'a.txt', data: 'a\n' }]);
  const head = repository.commit([{ name: 'a.txt', data: 'b\0\n' }]);
  t.is(head.length, 64);
  const synced = await source.sync({ ...APP, wants: [head], refs: [] });
  t.deepEqual(synced.missing, []);
  const changed = await source.diff({ ...APP, base: first, head });
  t.true(textOf(changed.diff).includes('-a\n+b\0\n'));
  const whole = await source.diff({ ...APP, base: null, head });
  t.is(whole.commits, 2);
  t.true(textOf(whole.diff).includes('+b\0\n'));
});

test.serial('diff refuses a change that is too large', async (t) => {
  const { host, source } = await openWithHost(t);
  const repository = host.repository('team/app');
  const base = repository.commit([{ name: 'a', data: 'a\n' }]);
  const head = repository.commit([{ name: 'a', data: longLines(34) }]);
  const error = await t.throwsAsync(source.diff({ ...APP, base, head }));
  t.like(error, {
    code: 'OUT_OF_RANGE',
    details: { reason: 'git diff gives more than 33554432 bytes' },
  });
});

test.serial(
  'history has the patch of each commit, so that nothing is added and removed unseen',
  async (t) => {
    const { host, source } = await openWithHost(t);
    const repository = host.repository('team/app');
    const base = repository.commit([{ name: 'a.txt', data: 'a\n' }]);
    const ids = Array.from({ length: 25 }, (_, index) =>
      repository.commit([
        { name: `f${index}.txt`, data: `added-${index}\n` },
        ...(index > 0 ? [{ name: `f${index - 1}.txt`, data: null }] : []),
        ...(index === 7 ? [{ name: 'x.py', data: Buffer.from('hidden\0secret\n') }] : []),
        ...(index === 8 ? [{ name: 'x.py', data: null }] : []),
      ]),
    );
    const head = ids.at(-1) ?? '';
    const changed = await source.diff({ ...APP, base, head });
    t.is(changed.commits, 25);
    const history = historyOf(changed);
    t.deepEqual(
      [...history.matchAll(/^commit ([0-9a-f]{40})$/gm)].map((match) => match[1]),
      ids.toReversed(),
    );
    for (let index = 0; index < 25; index += 1) t.true(history.includes(`\n+added-${index}\n`));
    t.true(history.includes('\n+hidden\0secret\n'));
    t.false(textOf(changed.diff).includes('hidden'));
    t.deepEqual(parseDiff(changed.history ?? new Uint8Array()).problems, []);
    t.deepEqual(changed.notes, []);
  },
);

function historyOf({ history }: DiffOutput): string {
  return history === null ? '' : textOf(history);
}

test.serial('history shows what a merge adds beside its parents', async (t) => {
  const { host, source } = await openWithHost(t);
  const repository = host.repository('team/app');
  const base = repository.commit([{ name: 'a.txt', data: lines(20) }]);
  const side = repository.commit([{ name: 'side.txt', data: 'from the side\n' }], {
    ref: 'refs/heads/side',
    from: base,
  });
  repository.commit([{ name: 'main.txt', data: 'from main\n' }]);
  const evil = repository.commit(
    [
      { name: 'side.txt', data: 'from the side\n' },
      { name: 'a.txt', data: `evil line\n${lines(20)}` },
      { name: 'evil.txt', data: 'evil file\n' },
    ],
    { merge: [side] },
  );
  const head = repository.commit([
    { name: 'a.txt', data: lines(20) },
    { name: 'evil.txt', data: null },
  ]);
  const changed = await source.diff({ ...APP, base, head });
  t.is(changed.commits, 4);
  const history = historyOf(changed);
  t.true(history.includes(`commit ${evil}\n`));
  t.true(history.includes('\n++evil line\n'));
  t.true(history.includes('\n++evil file\n'));
  t.is(history.match(/from the side/g)?.length, 1);
  t.deepEqual(parseDiff(changed.history ?? new Uint8Array()).problems, []);
  t.is(textOf(changed.diff), byHand(repository, base, head));
});

test.serial('history that is too long is a finding, and its newest part is there', async (t) => {
  const { host, source } = await openWithHost(t);
  const repository = host.repository('team/app');
  const base = repository.commit([{ name: 'a.txt', data: 'a\n' }]);
  for (let index = 0; index < 7; index += 1) {
    repository.commit([{ name: 'big.txt', data: longLines(5 + index) }]);
  }
  const head = repository.commit([{ name: 'big.txt', data: null }]);
  const changed = await source.diff({ ...APP, base, head });
  t.like(changed.notes[0], { id: 'history-unscanned', gate: 'risk', severity: 'high' });
  t.is(changed.notes.length, 1);
  t.true(historyOf(changed).startsWith(`commit ${head}\n`));
  t.true((changed.history?.length ?? 0) <= 64 * 2 ** 20);
  t.is(textOf(changed.diff), '');
  t.deepEqual(parseDiff(changed.history ?? new Uint8Array()).problems, []);
});

test.serial('message is cut, whatever its bytes are', async (t) => {
  const { host, source } = await openWithHost(t);
  const repository = host.repository('team/app');
  const broken = Buffer.concat([Buffer.from('a\u2028'), Buffer.from([0xff, 0xfe])]);
  const odd = repository.commit([{ name: 'a', data: 'a\n' }], { message: broken });
  const long = repository.commit([{ name: 'a', data: 'b\n' }], {
    message: '\u{1f600}'.repeat(100_000),
  });
  const first = await source.diff({ ...APP, base: null, head: odd });
  t.is(first.message, 'a\u2028\ufffd\ufffd');
  const second = await source.diff({ ...APP, base: odd, head: long });
  t.is(second.message, '\u{1f600}'.repeat(65_536));
});
