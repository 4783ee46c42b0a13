import { asBuffer } from '../../diff/bytes.ts';
import { type DiffFile, type Hunk, LINE, LineCursor } from '../../diff/diff.ts';
import type { TreeFile, TreeFiles, WantedFile } from '../../model/change.ts';
import { type ForeignMarker, OWN_MARKER, type PipelineSettings } from '../../model/rules.ts';
import { MARKERS } from '../limits.ts';
import { FOREIGN_WORDS, type MarkerText, readMarker } from './marker-syntax.ts';

/**
 * Tells markers that a change adds from those that stood in its base already: the same rules and
 * reason stand in the same file (renames followed), on a context or removed line of the hunk or in
 * the base's whole file, where that was read.
 */
export class BaseMarkers {
  readonly #bytes: Uint8Array;
  readonly #foreign: readonly ForeignMarker[];
  readonly #words: readonly string[];
  /** By path. */
  readonly #bases: ReadonlyMap<string, TreeFile>;
  readonly #ofFiles = new Map<string, ReadonlySet<string>>();
  readonly #ofHunks = new Map<Hunk, ReadonlySet<string>>();

  /** `bytes` is the text in which hunks are; `trees` are the files of `wantedForMarkers`. */
  constructor(bytes: Uint8Array, foreign: readonly ForeignMarker[], trees: TreeFiles) {
    this.#bytes = bytes;
    this.#foreign = foreign;
    this.#words = wordsOf(foreign);
    const bases = (trees ?? []).filter(({ side }) => side === 'base');
    this.#bases = new Map(bases.map((file) => [file.path, file]));
  }

  /** Whether a marker on an added line of a hunk, given as text, stood in the base. */
  has(line: string, marker: MarkerText, file: DiffFile, hunk: Hunk): boolean {
    const key = keyOf(line, marker);
    return this.#inHunk(hunk).has(key) || this.#inFile(basePathOf(file)).has(key);
  }

  #inHunk(hunk: Hunk): ReadonlySet<string> {
    const known = this.#ofHunks.get(hunk);
    if (known !== undefined) return known;
    const keys = new Set<string>();
    const bytes = asBuffer(this.#bytes);
    const cursor = new LineCursor(bytes);
    cursor.open(hunk);
    while (cursor.next()) {
      if (cursor.kind !== LINE.ADDED) this.#collect(bytes, cursor.start, cursor.end, keys);
    }
    this.#ofHunks.set(hunk, keys);
    return keys;
  }

  #inFile(path: string | null): ReadonlySet<string> {
    const content = path === null ? null : (this.#bases.get(path)?.bytes ?? null);
    if (path === null || content === null) return NO_KEYS;
    const known = this.#ofFiles.get(path);
    if (known !== undefined) return known;
    const keys = new Set<string>();
    const bytes = asBuffer(content);
    for (let start = 0; start < bytes.length; ) {
      const end = bytes.indexOf(LF, start);
      const stop = end === -1 ? bytes.length : end;
      this.#collect(bytes, start, stop, keys);
      start = stop + 1;
    }
    this.#ofFiles.set(path, keys);
    return keys;
  }

  #collect(bytes: Buffer, start: number, end: number, keys: Set<string>): void {
    if (end - start > MARKERS.LINE_BYTES_MAX) return;
    const line = bytes.toString('latin1', start, end);
    if (!this.#words.some((word) => line.includes(word))) return;
    const marker = readMarker(line, this.#foreign);
    if (marker !== null) keys.add(keyOf(line, marker));
  }
}

const LF = 0x0a;
const NO_KEYS: ReadonlySet<string> = new Set();

/** A marker of another tool has no reason to compare, so its whole line has to be the same. */
function keyOf(line: string, { by, rules, reason }: MarkerText): string {
  const text = reason === null ? line.trim() : line.slice(...reason).trim();
  return JSON.stringify([by, [...rules].sort(), text]);
}

function wordsOf(foreign: readonly ForeignMarker[]): string[] {
  return [OWN_MARKER, ...foreign.map((name) => FOREIGN_WORDS[name])];
}

/** Where a file stood before the change; null: nowhere, or it is a copy of what stays there. */
function basePathOf({ change, oldPath }: DiffFile): string | null {
  return change === 'copied' || change === 'deleted' ? null : oldPath;
}

/**
 * The files of the base that tell which markers of a change are old: of those with a marker's word
 * in a hunk, and of those that are read whole (`whole`: their new paths).
 */
export function wantedForMarkers(
  bytes: Uint8Array,
  files: readonly DiffFile[],
  whole: ReadonlySet<string>,
  { own_markers, foreign_markers = [] }: PipelineSettings,
): WantedFile[] {
  if (own_markers === 'on') return [];
  const text = asBuffer(bytes);
  const words = wordsOf(foreign_markers).filter((word) => text.includes(word));
  const hasWord = ({ start, end, additions }: Hunk) => {
    const body = text.subarray(start, end);
    return additions > 0 && words.some((word) => body.includes(word));
  };
  return files.flatMap((file) => {
    const path = basePathOf(file);
    const isWanted = whole.has(file.path) || file.hunks.some(hasWord);
    return path !== null && isWanted ? [{ side: 'base' as const, path }] : [];
  });
}
