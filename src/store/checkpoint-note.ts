import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** Copied off the machine, this note proves that nothing before it was changed. */
const NOTE_FILE = 'checkpoint.note';

/** Puts a checkpoint into the data directory, durably and whole: a copy of it is never half. */
export function keepNote(dataDir: string, note: string): void {
  const file = join(dataDir, NOTE_FILE);
  const descriptor = openSync(`${file}.new`, 'w', 0o600);
  try {
    writeSync(descriptor, note);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  renameSync(`${file}.new`, file);
}

/** The checkpoint that was kept last; null: there is none. */
export function readKeptNote(dataDir: string): string | null {
  try {
    return readFileSync(join(dataDir, NOTE_FILE), 'utf8');
  } catch {
    return null;
  }
}
