import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { GIT } from '../limits.ts';
import { CraError } from '../model/errors.ts';

/** The disk space of the mirrors of a directory, and which of them has to go. */
export interface MirrorSpace {
  /** OUT_OF_RANGE for a mirror that did not fit lately, else null. */
  refusal(name: string): CraError | null;
  /** Notes how large a mirror is now; OUT_OF_RANGE when it alone is above the limit. */
  note(name: string, bytes: number): CraError | null;
  forget(name: string): void;
  /** Those to be removed so that the others fit: the ones unused for longest, none that is busy. */
  surplus(): string[];
}

interface Use {
  bytes: number;
  usedAt: number;
}

/** Space for so many bytes; `uses` are the mirrors that are there already. */
export function createMirrorSpace(
  bytesMax: number,
  uses: Map<string, Use>,
  isBusy: (name: string) => boolean,
): MirrorSpace {
  const retryAt = new Map<string, number>();
  return {
    refusal: (name) => ((retryAt.get(name) ?? 0) > Date.now() ? tooLarge(bytesMax) : null),
    note(name, bytes) {
      uses.set(name, { bytes, usedAt: Date.now() });
      if (bytes <= bytesMax) return null;
      retryAt.set(name, Date.now() + GIT.TOO_LARGE_MS);
      return tooLarge(bytesMax);
    },
    forget: (name) => void uses.delete(name),
    surplus() {
      const byAge = [...uses].sort(([, one], [, other]) => one.usedAt - other.usedAt);
      let total = byAge.reduce((sum, [, { bytes }]) => sum + bytes, 0);
      const names: string[] = [];
      for (const [name, { bytes }] of byAge) {
        if (total <= bytesMax) break;
        if (isBusy(name)) continue;
        total -= bytes;
        names.push(name);
      }
      return names;
    },
  };
}

/** The mirror of that name and size, as it was left by an earlier start. */
export function readUse(dir: string): Use {
  return { bytes: sizeOf(dir), usedAt: statSync(dir).mtimeMs };
}

/** Bytes of all files below a directory; what vanishes meanwhile counts nothing. */
export function sizeOf(directory: string): number {
  let bytes = 0;
  for (const entry of entriesOf(directory)) {
    const path = join(directory, entry.name);
    bytes += entry.isDirectory() ? sizeOf(path) : fileSize(path);
  }
  return bytes;
}

function entriesOf(directory: string) {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch {
    return [];
  }
}

function fileSize(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

function tooLarge(bytesMax: number): CraError {
  const mib = Math.floor(bytesMax / (1024 * 1024));
  const reason = `the repository does not fit into the ${mib} MiB that all mirrors may take`;
  return new CraError('OUT_OF_RANGE', reason, { details: { reason } });
}
