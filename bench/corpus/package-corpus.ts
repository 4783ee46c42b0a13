import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createRandom, type Random } from '../random.ts';
import type { Content, Corpus } from './corpus.ts';

const EXTENSIONS = {
  script: /\.(?:[cm]?js|ts)$/,
  plain: /\.(?:py|cc|h)$/,
  all: /\.(?:[cm]?js|ts|py|cc|h)$/,
} as const;

const FILE_BYTES_MAX = 200_000;
const FILES_PER_DIFF_MAX = 5;
const CORPUS_BYTES = 12_000_000;
/** One file in so many is new; the others are changed in places. */
const NEW_FILE_EVERY = 4;
const CONTEXT_LINES = 3;
const CHANGED_LINES_MAX = 20;
const GAP_LINES_MAX = 120;

/** Diffs of files in the package folders, the same for the same seed and the same packages. */
export function readPackages(seed: number, content: Content): Corpus {
  const random = createRandom(seed);
  const root = packageRoot();
  const paths = shuffle(listFiles(root, EXTENSIONS[content]), random);
  const diffs: Buffer[] = [];
  let bytes = 0;
  let parts: string[] = [];
  let wanted = random.between(1, FILES_PER_DIFF_MAX + 1);
  for (const path of paths) {
    if (bytes >= CORPUS_BYTES) break;
    const text = readFileSync(path, 'utf8');
    if (text.length === 0 || text.length > FILE_BYTES_MAX) continue;
    parts.push(fileDiff(relative(root, path), text, random));
    if (parts.length < wanted) continue;
    const diff = Buffer.from(parts.join(''));
    diffs.push(diff);
    bytes += diff.length;
    parts = [];
    wanted = random.between(1, FILES_PER_DIFF_MAX + 1);
  }
  const kind = { script: 'JS/TS', plain: '.py, .cc and .h', all: 'source' }[content];
  return { source: `${kind} files of the package folders, seed ${seed}`, diffs };
}

/** A file by the path that it has in those diffs. */
export function readPackageFile(path: string): Buffer {
  return readFileSync(join(packageRoot(), path));
}

/** Compiled, this file is one folder deeper. */
function packageRoot(): string {
  const up = import.meta.url.endsWith('.ts') ? '../../node_modules' : '../../../node_modules';
  return fileURLToPath(new URL(up, import.meta.url));
}

/** In an order that does not depend on the file system; build output is no part of a package. */
function listFiles(folder: string, extension: RegExp): string[] {
  const entries = readdirSync(folder, { withFileTypes: true });
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  return entries.flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return BUILT.test(entry.name) ? [] : listFiles(path, extension);
    return entry.isFile() && extension.test(entry.name) ? [path] : [];
  });
}

const BUILT = /^(?:build|\.cache|\.package-lock.*)$/;

function shuffle<T>(values: T[], random: Random): T[] {
  for (let last = values.length - 1; last > 0; last -= 1) {
    const other = random.between(0, last + 1);
    const a = values[last];
    const b = values[other];
    if (a !== undefined && b !== undefined) [values[last], values[other]] = [b, a];
  }
  return values;
}

function fileDiff(path: string, text: string, random: Random): string {
  const lines = text.replace(/\n$/, '').split('\n');
  if (random.between(0, NEW_FILE_EVERY) === 0) return newFileDiff(path, lines);
  return changedFileDiff(path, lines, random);
}

/** Git's own text for a file that was not there before. */
export function newFileDiff(path: string, lines: readonly string[]): string {
  const head = `diff --git a/${path} b/${path}\nnew file mode 100644\nindex 0000000..1111111\n`;
  const names = `--- /dev/null\n+++ b/${path}\n@@ -0,0 +1,${lines.length} @@\n`;
  return `${head}${names}${lines.map((line) => `+${line}\n`).join('')}`;
}

/** The file as it is now, after changes here and there: the old lines are made up. */
function changedFileDiff(path: string, lines: readonly string[], random: Random): string {
  const head = `diff --git a/${path} b/${path}\nindex 1111111..2222222 100644\n`;
  const parts = [`${head}--- a/${path}\n+++ b/${path}\n`];
  let drift = 0;
  let at = Math.min(random.between(0, GAP_LINES_MAX), lines.length - 1);
  while (at < lines.length) {
    const end = Math.min(at + random.between(1, CHANGED_LINES_MAX + 1), lines.length);
    const first = Math.max(0, at - CONTEXT_LINES);
    const last = Math.min(lines.length, end + CONTEXT_LINES);
    const removed = lines.slice(at, end).filter(() => random.next() < 0.5);
    const oldCount = last - first - (end - at) + removed.length;
    parts.push(
      `@@ -${first + 1 + drift},${oldCount} +${first + 1},${last - first} @@\n`,
      marked(' ', lines.slice(first, at)),
      marked(
        '-',
        removed.map((line) => `${line} // was`),
      ),
      marked('+', lines.slice(at, end)),
      marked(' ', lines.slice(end, last)),
    );
    drift += removed.length - (end - at);
    at = last + CONTEXT_LINES + random.between(1, GAP_LINES_MAX);
  }
  return parts.join('');
}

function marked(marker: string, lines: readonly string[]): string {
  return lines.map((line) => `${marker}${line}\n`).join('');
}
