import { LINE, LineCursor, type ParsedDiff } from '../../src/diff/diff.ts';

/** The added lines of a diff as `path:line:content`, in order; one character a byte. */
export function addedLines(bytes: Uint8Array, diff: ParsedDiff): string[] {
  const cursor = new LineCursor(bytes);
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const lines: string[] = [];
  for (const file of diff.files) {
    for (const hunk of file.hunks) {
      cursor.open(hunk);
      while (cursor.next()) {
        if (cursor.kind !== LINE.ADDED) continue;
        const content = buffer.toString('latin1', cursor.start, cursor.end);
        lines.push(`${file.path}:${cursor.newLine}:${content}`);
      }
    }
  }
  return lines;
}
