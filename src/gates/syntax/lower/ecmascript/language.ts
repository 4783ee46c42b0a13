import type { Fragment } from '../../../../rpc/contract.ts';
import { sanitizers } from '../../../../rules/catalogue/sanitizers.ts';
import { packages } from '../../../../rules/catalogue.ts';
import { createKnowledge } from '../../engine/knowledge.ts';
import { readFragment } from '../../fragment-tree.ts';
import type { Module } from '../../il/il.ts';
import type { Dialect } from '../../languages.ts';
import type { Tree } from '../../parser.ts';
import type { Piece } from './context.ts';
import { lowerEcmascript } from './lower.ts';

/** What is known of packages of JavaScript. */
export const knowledge = createKnowledge(packages, sanitizers, '');

/** A module, and the text to which its spans refer. */
export interface Lowered {
  readonly module: Module;
  readonly text: string;
  readonly pieces: readonly Piece[];
}

/** Lowers the trees of a fragment's text. Throws a RangeError where they nest too deeply. */
export function lowerTrees(text: string, trees: readonly Tree[]): Lowered {
  const pieces: Piece[] = [];
  let whole = '';
  for (const { module, prefix, start, end } of trees) {
    const own = prefix + text.slice(start, end);
    const prefixLength = prefix.length;
    pieces.push({ tree: module, text: own, prefixLength, start: whole.length });
    whole += `${own}\n`;
  }
  return { module: lowerEcmascript(pieces), text: whole, pieces };
}

/** Parses and lowers a text all of whose lines count. */
export function lowerText(text: string, dialect: Dialect): Lowered {
  const added: Fragment['added'] = [[0, text.split('\n').length]];
  return lowerTrees(text, readFragment(text, added, dialect).trees);
}
