import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Copied off the machine, this note proves that nothing before it was changed. */
const NOTE_FILE = 'checkpoint.note';

/** Puts a checkpoint into the data directory, whole: whoever copies it never gets half of one. */
export function keepNote(dataDir: string, note: string): void {
  const file = join(dataDir, NOTE_FILE);
  writeFileSync(`${file}.new`, note, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}
