import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const WAIT_MS = 10_000;
const POLL_MS = 5;
/** A holder works for milliseconds: one that holds longer is a process that was stopped. */
const HELD_MS_MAX = 30_000;
const UNWRITTEN_MS_MAX = 1_000;
const RELEASED = 'released';
/** Old generations that stay, so that a process that was slow for a moment sees a newer one. */
const GENERATIONS_KEPT = 32;

/**
 * Runs `work` while no other process does the same for this `path`. `work` must be synchronous.
 * Rejects when the lock is not free within 10 s.
 *
 * A lock file that every process may delete when it looks stale can be deleted twice, and then
 * two processes hold it. So no file is taken over here: each holder creates the next generation,
 * `PATH.lock.N+1`, which only one process can (O_EXCL), once generation N was released or its
 * process has ended. A process that was so slow that its generation had been tidied away sees a
 * higher one after creating its own, and starts again.
 */
export async function withFileLock<T>(path: string, work: () => T): Promise<T> {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const deadline = Date.now() + WAIT_MS;
  for (;;) {
    const own = tryLock(path);
    if (own !== null) {
      try {
        return work();
      } finally {
        release(own);
      }
    }
    if (Date.now() > deadline) throw new Error(`another process holds the lock of ${path}`);
    await pause(POLL_MS * (1 + Math.random()));
  }
}

/** The lock file of the generation that is now ours; null: another process holds the lock. */
function tryLock(path: string): string | null {
  const newest = generationsOf(path).at(-1) ?? 0;
  if (newest > 0 && isHeld(fileOf(path, newest))) return null;
  const own = fileOf(path, newest + 1);
  try {
    writeFileSync(own, String(process.pid), { flag: 'wx', mode: 0o600 });
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'EEXIST') return null;
    throw thrown;
  }
  const generations = generationsOf(path);
  if ((generations.at(-1) ?? 0) > newest + 1) {
    rmSync(own, { force: true });
    return null;
  }
  for (const each of generations) {
    if (each < newest - GENERATIONS_KEPT) rmSync(fileOf(path, each), { force: true });
  }
  return own;
}

function fileOf(path: string, generation: number): string {
  return `${path}.lock.${generation}`;
}

function generationsOf(path: string): number[] {
  const start = `${basename(path)}.lock.`;
  return readdirSync(dirname(path))
    .filter((name) => name.startsWith(start) && /^\d{1,15}$/.test(name.slice(start.length)))
    .map((name) => Number(name.slice(start.length)))
    .sort((one, other) => one - other);
}

function isHeld(file: string): boolean {
  let text: string;
  let changedMs: number;
  try {
    text = readFileSync(file, 'utf8');
    changedMs = statSync(file).mtimeMs;
  } catch {
    return false;
  }
  if (text === RELEASED) return false;
  const pid = /^\d{1,10}$/.test(text) ? Number(text) : null;
  // Empty: its process has not written yet, or ended before it could.
  if (pid === null) return Date.now() - changedMs < UNWRITTEN_MS_MAX;
  return Date.now() - changedMs < HELD_MS_MAX && isAlive(pid);
}

/** Whether a process of this id runs; true also for a process of another user. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (thrown) {
    return (thrown as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function release(own: string): void {
  const next = join(dirname(own), `.${basename(own)}.${process.pid}`);
  writeFileSync(next, RELEASED, { mode: 0o600 });
  renameSync(next, own);
}
