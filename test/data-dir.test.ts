import { chownSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { openDataDir } from '../src/daemon/data-dir.ts';

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

test('a data directory of another user is refused to root', (t) => {
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
});

test('a data directory that is there is used again, with the same keys', (t) => {
  const path = join(folder(t), 'deep', 'data');
  const first = openDataDir(path, NO_KEYS);
  t.deepEqual(openDataDir(path, NO_KEYS), first);
  t.is(statSync(path).mode & 0o777, 0o700);
});
