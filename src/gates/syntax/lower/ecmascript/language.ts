import type { Fragment } from '../../../../rpc/contract.ts';
import { readFragment } from '../../fragments/fragment-tree.ts';
import type { Module } from '../../il/il.ts';
import type { Dialect } from '../../languages.ts';
import type { Tree } from '../../parse/parser.ts';
import type { Piece } from './context.ts';
import { lowerEcmascript } from './lower.ts';

/** A module, and the text to which its spans refer. */
export interface Lowered {
  readonly module: Module;
  readonly text: string;
  /** Parts in which the text was parsed. */
  readonly pieces: number;
  /** Characters that were put before the first of them. */
  readonly before: number;
  /** Whether an offset lies in text that was put around a part. */
  isSynthetic(offset: number): boolean;
  /** The index in the fragment's text; of what was put around it that of the text behind. */
  indexOf(offset: number): number;
}

/** Lowers the trees of a fragment's text. */
export function lowerTrees(text: string, trees: readonly Tree[]): Lowered {
  const pieces: Piece[] = [];
  let whole = '';
  for (const { module, prefix, start, end } of trees) {
    const own = prefix + text.slice(start, end);
    pieces.push({ tree: module, text: own, prefixLength: prefix.length, start: whole.length });
    whole += `${own}\n`;
  }
  /** The piece that holds an offset, and how far the offset is behind its prefix. */
  const placeOf = (offset: number) => {
    const found = pieces.findLastIndex(({ start }) => start <= offset);
    const piece = pieces[found];
    const from = trees[found]?.start ?? 0;
    return { from, behind: piece === undefined ? 0 : offset - piece.start - piece.prefixLength };
  };
  return {
    module: lowerEcmascript(pieces),
    text: whole,
    pieces: pieces.length,
    before: pieces[0]?.prefixLength ?? 0,
    isSynthetic: (offset) => placeOf(offset).behind < 0,
    indexOf(offset) {
      const { from, behind } = placeOf(offset);
      return from + Math.max(0, behind);
    },
  };
}

/** Parses and lowers a text all of whose lines count. */
export function lowerText(text: string, dialect: Dialect): Lowered {
  const added: Fragment['added'] = [[0, text.split('\n').length]];
  return lowerTrees(text, readFragment(text, added, dialect).trees);
}
