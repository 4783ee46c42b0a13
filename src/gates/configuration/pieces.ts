import { lineStarts } from '../../core/line-offsets.ts';
import { asBuffer } from '../../diff/bytes.ts';
import { type DiffFile, type Hunk, LINE, LineCursor } from '../../diff/diff.ts';

/** A text, and which of its lines are new. */
export interface Piece {
  text: string;
  /** Number in the new file of each line. */
  numbers: readonly number[];
  /** Null: all of them are new. */
  added: readonly boolean[] | null;
}

/** Where in the text of a piece a part of it begins. */
export interface Place {
  piece: Piece;
  offset: number;
}

/** A text of which all lines are new. */
export function wholePiece(text: string): Piece {
  const numbers = text.split('\n').map((_, index) => index + 1);
  return { text, numbers, added: null };
}

/** The new side of each hunk that adds lines. */
export function piecesOf(bytes: Uint8Array, file: DiffFile): Piece[] {
  const hunks = file.hunks.filter(({ additions }) => additions > 0);
  return sideOf(bytes, hunks, LINE.REMOVED);
}

/** The old side of each hunk. */
export function oldPiecesOf(bytes: Uint8Array, { hunks, change }: DiffFile): Piece[] {
  return change === 'added' ? [] : sideOf(bytes, hunks, LINE.ADDED);
}

/** A side of hunks: without the lines that only the other one has. */
export function sideOf(bytes: Uint8Array, hunks: readonly Hunk[], other: number): Piece[] {
  const cursor = new LineCursor(bytes);
  return hunks.flatMap((hunk) => {
    const lines: string[] = [];
    const numbers: number[] = [];
    const added: boolean[] = [];
    cursor.open(hunk);
    while (cursor.next()) {
      if (cursor.kind === other) continue;
      const line = asBuffer(bytes).toString('utf8', cursor.start, cursor.end);
      lines.push(cursor.newLine === 1 ? line.replace(/^\ufeff/, '') : line);
      numbers.push(cursor.newLine);
      added.push(cursor.kind === LINE.ADDED);
    }
    return [{ text: `${lines.join('\n')}\n`, numbers, added }];
  });
}

/** Parts of YAML of which no line is indented less than the first, with their offsets. */
export function blocksOf(text: string): { text: string; offset: number }[] {
  const blocks: { text: string; offset: number }[] = [];
  let offset = 0;
  let indent = 0;
  let block = '';
  let at = 0;
  for (const line of text.split('\n')) {
    const own = line.search(/\S/);
    if (own !== -1 && (block.trim() === '' || own < indent)) {
      if (block.trim() !== '') blocks.push({ text: block, offset });
      block = '';
      offset = at;
      indent = own;
    }
    block += `${line}\n`;
    at += line.length + 1;
  }
  if (block.trim() !== '') blocks.push({ text: block, offset });
  return blocks;
}

/** Offsets in the new text of the lines that a change adds. */
export function addedOffsets(text: string, pieces: readonly Piece[]): number[] {
  const starts = lineStarts(text);
  return pieces.flatMap(({ numbers, added }) => {
    return numbers.flatMap((line, index) => {
      const start = added?.[index] === true ? starts[line - 1] : undefined;
      return start === undefined
        ? []
        : [start + (/\S/.exec(text.slice(start, start + 200))?.index ?? 0)];
    });
  });
}

/** Where the line that holds an offset ends. */
export function lineEnd(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end === -1 ? text.length : end;
}

/** The text of a file, without its byte order mark. */
export function textOf(bytes: Uint8Array): string {
  return asBuffer(bytes)
    .toString('utf8')
    .replace(/^\ufeff/, '');
}
