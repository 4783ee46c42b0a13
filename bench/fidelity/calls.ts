import { preamble } from '../../src/gates/syntax/fragments/candidates.ts';
import { type Dialect, hasJsx } from '../../src/gates/syntax/languages.ts';
import { findHazard } from '../../src/gates/syntax/parse/hazard.ts';
import {
  createLocator,
  createParser,
  mapLines,
  type Tree,
} from '../../src/gates/syntax/parse/parser.ts';
import {
  bare,
  child,
  childNodes,
  fixedName,
  type SyntaxNode,
} from '../../src/gates/syntax/parse/swc-node.ts';

/** A call or `new` with a name: `exec` of `cp.exec(x)`, on the line of that name (1-based). */
export interface Call {
  line: number;
  name: string;
}

/** The calls in syntax trees of a text that starts on `startLine`, without those of our own. */
export function callsOf(text: string, startLine: number, trees: readonly Tree[]): Call[] {
  const lines = mapLines(text);
  const calls: Call[] = [];
  for (const tree of trees) {
    const locator = createLocator(text, lines, startLine, tree);
    const todo: SyntaxNode[] = [tree.module];
    for (let node = todo.pop(); node !== undefined; node = todo.pop()) {
      for (const part of childNodes(node)) todo.push(part);
      const callee = calleeName(node);
      const name = fixedName(callee);
      const start = callee?.span?.start;
      if (name === null || start === undefined || locator.isSynthetic(start)) continue;
      calls.push({ line: locator.lineAt(start), name });
    }
  }
  return calls;
}

function calleeName(node: SyntaxNode): SyntaxNode | null {
  if (node.type !== 'CallExpression' && node.type !== 'NewExpression') return null;
  const callee = bare(child(node, 'callee'));
  return child(callee, 'property') ?? callee;
}

/** The calls in a whole file; null when the parser does not take it, or must not see it. */
export function callsOfFile(text: string, dialect: Dialect): Call[] | null {
  if (findHazard(text, hasJsx(dialect)) !== null) return null;
  const start = preamble(text);
  // Spans count from the first token; behind a comment that would not be the text's start.
  const prefix = ';';
  const result = createParser(dialect).parse(prefix + text.slice(start));
  if (!result.ok) return null;
  return callsOf(text, 1, [{ module: result.module, prefix, start, end: text.length }]);
}
