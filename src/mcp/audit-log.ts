import { createHash } from 'node:crypto';
import { appendFileSync, mkdirSync, renameSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { withFileLock } from './file-lock.ts';

/** One call of a tool (specification, MCP tools: the local audit log). */
export interface AuditLine {
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
