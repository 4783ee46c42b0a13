import type { Tree } from './fragment-tree.ts';

/** Where a node of a tree stands in the file. Offsets are those of the parser's spans. */
export interface Locator {
  /** 1-based line of the new file. */
  lineAt(offset: number): number;
  /** 1-based column in bytes. */
  columnAt(offset: number): number;
  /** Whether the offset lies in text that was put before the part. */
  isSynthetic(offset: number): boolean;
  /** The text between two offsets. */
  textOf(start: number, end: number): string;
}

const NEWLINE = 10;

/**
 * Spans are offsets in UTF-8 bytes. They count from the module's own start: its first token is the
 * first of the prefix, whatever the parser takes for the beginning.
 */
export function createLocator(
  text: string,
  lines: LineMap,
  startLine: number,
  tree: Tree,
): Locator {
  const part = Buffer.from(text.slice(tree.start, tree.end));
  const firstLine = lines.lineAt(tree.start);
  const before = Buffer.byteLength(text.slice(lines.startOf(firstLine), tree.start));
  const shift = tree.module.span.start + tree.prefix.length;
  const starts = [0];
  for (let at = part.indexOf(NEWLINE); at >= 0; at = part.indexOf(NEWLINE, at + 1))
    starts.push(at + 1);

  function lineIndex(offset: number): number {
    const at = Math.max(0, Math.min(offset - shift, part.length));
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((starts[middle] ?? 0) <= at) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  return {
    lineAt: (offset) => startLine + firstLine + lineIndex(offset),
    columnAt(offset) {
      const index = lineIndex(offset);
      return offset - shift - (starts[index] ?? 0) + (index === 0 ? before : 0) + 1;
    },
    isSynthetic: (offset) => offset < shift,
    textOf: (start, end) =>
      part.toString('utf8', Math.max(0, start - shift), Math.max(0, end - shift)),
  };
}

/** Lines of a text by index; both count from 0, indexes are UTF-16 code units. */
export interface LineMap {
  readonly count: number;
  /** The line that holds an index. */
  lineAt(index: number): number;
  /** Index of a line's first character; the text's length for lines beyond it. */
  startOf(line: number): number;
}

/** Finds the lines of a text once; each look-up is a binary search. */
export function mapLines(text: string): LineMap {
  const starts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return {
    count: starts.length,
    lineAt(index) {
      let low = 0;
      let high = starts.length - 1;
      while (low < high) {
        const middle = (low + high + 1) >> 1;
        if ((starts[middle] ?? 0) <= index) low = middle;
        else high = middle - 1;
      }
      return low;
    },
    startOf: (line) => starts[line] ?? text.length,
  };
}
