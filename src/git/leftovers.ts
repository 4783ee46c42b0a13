import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** What a killed command leaves behind: locks, and packs and objects that are not whole. */
const LEFTOVER = /\.lock$|^tmp_|^\.tmp-|^incoming-|^pack-[0-9a-f]+\.keep$|^gc\.pid$/;

/**
 * Removes what killed commands left in a mirror. Nobody else may be using it: that a lock is
 * there then only means that its owner is gone.
 */
export function removeLeftovers(gitDir: string): void {
  if (existsSync(gitDir)) sweep(gitDir);
}

function sweep(directory: string): void {
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    if (LEFTOVER.test(entry.name)) rmSync(path, { recursive: true, force: true });
    else if (entry.isDirectory()) sweep(path);
  }
}
