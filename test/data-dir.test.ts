import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { run as mirror } from '../src/cli/mirror.ts';
import { openDataDir } from '../src/daemon/data-dir.ts';
import { PROGRAM } from './daemon.ts';

const NO_KEYS = { fingerprint: null, seal: null, checkpoint: null };

function folder(t: ExecutionContext): string {
  const path = mkdtempSync(join(tmpdir(), 'cra-data-dir-'));
  t.teardown(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

for (const path of [
  '/proc',
  '/proc/x',
  '/proc/self/data',
  '/proc/1/a/b',
  '/sys/x',
  '/sys/kernel/a/b',
]) {
  test(`a data directory at ${path} is refused at once`, (t) => {
    t.throws(() => openDataDir(path, NO_KEYS), {
      message: `data directory: ${path} lies on a file system of the kernel: name another directory in SERVICE_DATA_DIR`,
    });
  });
}

test('a data directory behind a file is refused, with what to do', (t) => {
  const file = join(folder(t), 'file');
  writeFileSync(file, '');
  t.throws(() => openDataDir(join(file, 'data'), NO_KEYS), {
    message: /has a file in its path: name a directory in SERVICE_DATA_DIR$/,
  });
});

test('a data directory of another user is refused to root, by cra mirror import as well', async (t) => {
  const path = join(folder(t), 'data');
  mkdirSync(path);
  if (process.geteuid?.() !== 0) {
    t.notThrows(() => openDataDir(path, NO_KEYS));
    return;
  }
  chownSync(path, 12_345, 12_345);
  t.throws(() => openDataDir(path, NO_KEYS), {
    message: /belongs to user 12345, and this is root: .*chown -R 0/,
  });
  process.env['SERVICE_DATA_DIR'] = path;
  t.teardown(() => delete process.env['SERVICE_DATA_DIR']);
  await t.throwsAsync(mirror(['import', 'github', 'acme/mono', 'none.bundle']), {
    message: /belongs to user 12345, and this is root: run this as that user/,
  });
  t.false(existsSync(join(path, 'mirrors')));
});

test('a data directory that is there is used again, with the same keys', (t) => {
  const path = join(folder(t), 'deep', 'data');
  const first = openDataDir(path, NO_KEYS);
  t.deepEqual(openDataDir(path, NO_KEYS), first);
  t.is(statSync(path).mode & 0o777, 0o700);
});

test('a store without its keys is refused, and nothing makes others', (t) => {
  const path = join(folder(t), 'data');
  const { keys } = openDataDir(path, NO_KEYS);
  writeFileSync(join(path, 'cra.db'), '');
  rmSync(join(path, 'keys', 'seal'));
  const message = /keys\/seal of this store is missing: copy it from .*docs\/how-to\/backup\.md/;
  t.throws(() => openDataDir(path, NO_KEYS), { code: 'FAILED_PRECONDITION', message });
  t.throws(() => openDataDir(path, NO_KEYS), { message });
  t.deepEqual(openDataDir(path, { ...NO_KEYS, seal: keys.seal }).keys, keys);
});

/** Runs a command in mounts of its own, which nobody else sees and which go with it. */
const IN_MOUNTS = process.geteuid?.() === 0 ? ['-m'] : ['-r', '-m'];

function inMounts(script: string, ...args: string[]) {
  const shell = ['sh', '-e', '-c', script, 'sh', ...args];
  const env = { PATH: process.env['PATH'], SERVICE_PORT: '0' };
  const { status, stdout, stderr } = spawnSync('unshare', [...IN_MOUNTS, ...shell], {
    env,
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

/** A sandbox may forbid it: then these tests cannot be made. */
const mayMount = inMounts('mount -t tmpfs none /mnt').status === 0;
const withMounts = mayMount ? test : test.skip;

const TRY = `
  const { openDataDir } = await import(process.argv[1]);
  try {
    openDataDir(process.argv[2], { fingerprint: null, seal: null, checkpoint: null });
  } catch ({ code, message }) {
    console.log(code + ' ' + message);
  }`;
const MODULE = new URL('../src/daemon/data-dir.js', import.meta.url).href;
/** Tries the directory $2 below $1, where the script has mounted something. */
const OPEN = '"$3" --input-type=module -e "$4" "$5" "$1/$2"';

const FULL =
  /^RESOURCE_EXHAUSTED data directory: \S+ has no space left: free 1048576 bytes at least/;
const READ_ONLY =
  /^FAILED_PRECONDITION data directory: \S+ is on a read-only file system: mount it writable, or name another directory in SERVICE_DATA_DIR/;

const MOUNTS: [title: string, script: string, folder: string, says: RegExp][] = [
  ['of 16 KiB', 'mount -t tmpfs -o size=16k none "$1"', 'data', FULL],
  ['of 512 KiB', 'mount -t tmpfs -o size=512k none "$1"', '', FULL],
  ['deep in a small disk', 'mount -t tmpfs -o size=64k none "$1"', 'a/b/c', FULL],
  ['without inodes', 'mount -t tmpfs -o nr_inodes=2 none "$1"', 'data', FULL],
  ['with one inode too few', 'mount -t tmpfs -o nr_inodes=4 none "$1"', 'data', FULL],
  [
    'whose disk others have filled',
    'mount -t tmpfs -o size=4m none "$1"; head -c 3700000 /dev/zero > "$1/other"',
    'data',
    FULL,
  ],
  [
    'that was used before and is full now',
    `mount -t tmpfs -o size=4m none "$1"; ${OPEN}; head -c 3700000 /dev/zero > "$1/other"`,
    'data',
    FULL,
  ],
  ['that is mounted read-only', 'mount -t tmpfs -o ro none "$1"', '', READ_ONLY],
  ['below a read-only mount', 'mount -t tmpfs -o ro none "$1"', 'data', READ_ONLY],
  [
    'that was used before and is read-only now',
    `mount -t tmpfs none "$1"; ${OPEN}; mount -o remount,ro "$1"`,
    'data',
    READ_ONLY,
  ],
  [
    'that is bound read-only',
    'mkdir "$1/data"; mount --bind "$1/data" "$1/data"; mount -o remount,ro,bind "$1/data"',
    'data',
    READ_ONLY,
  ],
  [
    'whose keys are on a read-only mount',
    'mkdir -p "$1/data/keys"; mount -t tmpfs -o ro none "$1/data/keys"',
    'data',
    READ_ONLY,
  ],
];

for (const [title, script, name, says] of MOUNTS) {
  withMounts(`a data directory ${title} is refused at once, with what to do`, (t) => {
    const args = [folder(t), name, process.execPath, TRY, MODULE];
    const { stdout, stderr } = inMounts(`${script}; ${OPEN}`, ...args);
    t.regex(stdout, says, stderr);
  });
}

withMounts('a disk that has room for a start is taken', (t) => {
  const args = [folder(t), 'data', process.execPath, TRY, MODULE];
  const { stdout, stderr } = inMounts(`mount -t tmpfs -o size=4m none "$1"; ${OPEN}`, ...args);
  t.deepEqual([stdout, stderr], ['', '']);
});

withMounts('the daemon ends with 2 for a read-only disk, and with 1 for a full one', (t) => {
  const serve = 'SERVICE_DATA_DIR="$1/data" exec "$2" "$3" serve';
  const args = [folder(t), process.execPath, PROGRAM];
  const readOnly = inMounts(`mount -t tmpfs -o ro none "$1"; ${serve}`, ...args);
  t.is(readOnly.status, 2);
  t.regex(readOnly.stderr, /is on a read-only file system: mount it writable/);
  // It may have space again soon: systemd starts it anew.
  const full = inMounts(`mount -t tmpfs -o size=64k none "$1"; ${serve}`, ...args);
  t.is(full.status, 1);
  t.regex(full.stdout, /has no space left: free 1048576 bytes at least/);
});

/** What a user who is not root meets. */
const NOBODY = 65_534;

const DENIED: [title: string, prepare: (path: string) => void][] = [
  ['that may only be read', (path) => mkdirSync(path, { mode: 0o555 })],
  ['that may not be entered', (path) => mkdirSync(path, { mode: 0o600 })],
  ['that does not exist where nothing may be made', (path) => chmodSync(join(path, '..'), 0o555)],
  [
    'whose keys may not be read',
    (path) => mkdirSync(join(path, 'keys'), { recursive: true, mode: 0 }),
  ],
];

for (const [title, prepare] of DENIED) {
  test(`a data directory ${title} is refused to a user who is not root`, (t) => {
    const path = join(folder(t), 'data');
    const isRoot = process.geteuid?.() === 0;
    const own = process.geteuid?.() ?? 0;
    const user = isRoot ? NOBODY : own;
    prepare(path);
    if (isRoot) execFileSync('chown', ['-R', String(NOBODY), join(path, '..')]);
    try {
      if (isRoot) process.seteuid?.(NOBODY);
      t.throws(() => openDataDir(path, NO_KEYS), {
        message: new RegExp(`cannot be read and written by user ${user}: give this user the dir`),
      });
    } finally {
      if (isRoot) process.seteuid?.(own);
      chmodSync(join(path, '..'), 0o755);
    }
  });
}
