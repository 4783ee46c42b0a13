import { createHash } from 'node:crypto';
import {
  appendFileSync,
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

/** One call of a tool (specification, MCP tools: the local audit log). */
interface AuditLine {
  tool: string;
  args: unknown;
  result: unknown;
  /** Of override calls; null: there was no active session. */
  sessionId?: string | null;
}

/** The local audit log: one JSON object a line. */
export interface AuditLog {
  /** Appends one line, with the time (ISO 8601, UTC). Throws when it cannot be written. */
  append(line: AuditLine): Promise<void>;
  /** Throws when a line could not be written now. */
  check(): void;
}

/** A diff is kept by its hash and length past this. */
const TEXT_CHARS_MAX = 4_096;
const FILE_BYTES_MAX = 16 * 1024 * 1024;
const FILES_KEPT = 5;

/**
 * Opens the log in `path`. A line is one write to a file opened for appending, so lines of several
 * processes stay whole. Above 16 MiB the file becomes `PATH.1` and so on; five of them are kept.
 * `hide` removes tokens from whatever is written.
 */
export function openAuditLog(path: string, hide: <T>(value: T) => T): AuditLog {
  const options = { mode: 0o600, flush: true } as const;
  return {
    async append({ tool, args, result, ...rest }) {
      const ts = new Date().toISOString();
      const line = hide({ ts, tool, args: shorten(args), result: shorten(result), ...rest });
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      if (sizeOf(path) > FILE_BYTES_MAX) await withFileLock(path, () => rotate(path));
      appendFileSync(path, `${JSON.stringify(line)}\n`, options);
    },
    check() {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      appendFileSync(path, '', options);
    },
  };
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/** Another process may have rotated before the lock was ours. */
function rotate(path: string): void {
  if (sizeOf(path) <= FILE_BYTES_MAX) return;
  for (let number = FILES_KEPT - 1; number >= 1; number -= 1) {
    if (sizeOf(`${path}.${number}`) > 0) renameSync(`${path}.${number}`, `${path}.${number + 1}`);
  }
  renameSync(path, `${path}.1`);
}

/** Long texts are kept as their SHA-256 and their length in characters. */
function shorten(value: unknown): unknown {
  if (typeof value === 'string') {
    if (value.length <= TEXT_CHARS_MAX) return value;
    return { sha256: createHash('sha256').update(value).digest('hex'), chars: value.length };
  }
  if (Array.isArray(value)) return value.map(shorten);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, shorten(each)]));
}

const WAIT_MS = 10_000;
const POLL_MS = 5;
/** A holder works for milliseconds: a longer hold is a process that was stopped. */
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
