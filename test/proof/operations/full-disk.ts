import { execFileSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** A small file system of its own, in memory. */
export interface SmallDisk {
  readonly path: string;
  /** Takes all the room that is left, again and again until `free`. */
  fill(): void;
  free(): void;
  unmount(): void;
}

const BLOCK = Buffer.alloc(64 * 1024);

/** Mounts it; throws a sentence where that is not allowed. */
export function mountSmallDisk(path: string, megabytes: number): SmallDisk {
  mkdirSync(path, { recursive: true });
  try {
    const options = `size=${megabytes}m,mode=0700`;
    execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'cra-proof', path], { stdio: 'ignore' });
  } catch (thrown) {
    const message = 'this proof mounts a tmpfs: run it as root, on Linux';
    throw new Error(message, { cause: thrown });
  }
  const filler = join(path, 'filler');
  let timer: NodeJS.Timeout | null = null;
  return {
    path,
    fill() {
      append(filler);
      // What somebody deletes or truncates meanwhile is gone at once.
      timer ??= setInterval(() => append(filler), REFILL_MS);
    },
    free() {
      if (timer !== null) clearInterval(timer);
      timer = null;
      rmSync(filler, { force: true });
    },
    unmount: () => void execFileSync('umount', ['--lazy', path], { stdio: 'ignore' }),
  };
}

const REFILL_MS = 5;

/** Large blocks first, then single bytes, until not even one fits. */
function append(path: string): void {
  const descriptor = openSync(path, 'a');
  try {
    for (const size of [BLOCK.length, 512, 1]) writeUntilFull(descriptor, size);
  } finally {
    closeSync(descriptor);
  }
}

function writeUntilFull(descriptor: number, size: number): void {
  try {
    while (writeSync(descriptor, BLOCK, 0, size) > 0);
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'ENOSPC') throw thrown;
  }
}
