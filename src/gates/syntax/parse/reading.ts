import type { Parsed, TreeNode, TreeParser } from './tree.ts';

/** Whole lines that stand before and behind a hunk while it is parsed. */
export interface Frame {
  readonly before: string;
  readonly after: string;
}

/** A hunk made so that it may be parsed by itself: `prefix` stands before its text. */
interface Fitted {
  readonly prefix: string;
  readonly root: TreeNode;
  readonly hasErrors: boolean;
  /** As in `Parsed`. */
  readonly cut: number | null;
}

/** What is read of a text. */
export interface Read {
  /** Null: the parser gave nothing. */
  readonly fitted: Fitted | null;
  /** The greater part of it is not of the language. */
  readonly isForeign: boolean;
  /** Characters given to the parser. */
  readonly work: number;
}

/** A text of which more than this share is within errors is not a program. */
const FOREIGN_SHARE = 0.5;

/** Reads a file or a hunk with what has to stand before it. Grammars tolerate errors. */
export function readText(parser: TreeParser, text: string, frames: readonly Frame[]): Read {
  let best: (Parsed & { prefix: string }) | null = null;
  let work = 0;
  for (const { before: prefix, after } of frames) {
    const parsed = parser.parse(prefix + text + after);
    work += prefix.length + text.length + after.length;
    if (best === null || parsed.errorChars < best.errorChars) best = { ...parsed, prefix };
    if (best.errorChars === 0 || best.root === null) break;
  }
  if (best === null || best.root === null) return { fitted: null, isForeign: false, work };
  const { prefix, root, cut, errorChars, hasErrors } = best;
  const isForeign = errorChars > FOREIGN_SHARE * (text.length + prefix.length);
  return { fitted: { prefix, root, cut, hasErrors }, isForeign, work };
}
