import type { Fragment, FragmentResult } from '../../../rpc/contract.ts';
import { AST_GATE, TAINT } from '../../limits.ts';
import { type Reporter, ReporterFull } from '../findings.ts';
import { type Frame, type Language, Run } from './run.ts';
import type { Parsed, TreeNode, TreeParser } from './tree.ts';

/** Why parts of a fragment were not looked at; each is a finding. */
type OnLost = (line: number, reason: string) => void;

/**
 * Looks at a fragment: findings of data from outside that reaches a sink. `onLost` hears of code
 * that could not be followed, with its line from 0.
 */
export function inspectTree(
  language: Language,
  parser: TreeParser,
  fragment: Fragment,
  reporter: Reporter,
  onLost: OnLost,
): Pick<FragmentResult, 'unparsed' | 'work'> {
  const { text, startLine, added } = fragment;
  const { fitted, isForeign, work } = readText(parser, text, language.framesFor(text));
  const [first] = added;
  if (fitted === null) {
    onLost(first?.[0] ?? 0, 'it nests too deeply to be followed');
    return { unparsed: [], work };
  }
  const { prefix, root } = fitted;
  const whole = prefix + text;
  const starts = lineStarts(whole);
  const headLines = prefix.split('\n').length - 1;
  const indexAt = (offset: number) => lineIndex(starts, offset);
  const lineAt = (offset: number) => startLine + Math.max(0, indexAt(offset) - headLines);
  reporter.locator = {
    lineAt,
    columnAt(offset) {
      const lineStart = starts[indexAt(offset)] ?? 0;
      return Buffer.byteLength(whole.slice(lineStart, offset)) + 1;
    },
    textOf: (start, end) => whole.slice(start, end),
  };
  const run = new Run(
    whole,
    lineAt,
    (danger, node, last, name) => {
      if (node.start < prefix.length) return;
      const end = Math.max(node.end, last.end);
      reporter.report(danger, { span: node }, { span: { start: last.start, end } }, name);
    },
    language,
  );
  try {
    language.executeModule(run, root);
    for (let next = run.waiting.shift(); next !== undefined; next = run.waiting.shift()) next();
  } catch (thrown) {
    if (thrown instanceof ReporterFull) return { unparsed: [], work };
    if (!(thrown instanceof RangeError)) throw thrown;
    onLost(first?.[0] ?? 0, 'it nests too deeply to be followed');
  }
  if (run.lostAt !== null) {
    const reason = 'its functions call each other more often or deeper than is followed';
    onLost(lineAt(run.lostAt) - startLine, reason);
  }
  const unparsed: [number, number][] =
    isForeign && first !== undefined ? [[first[0], first[0] + 1]] : [];
  const taken = Math.min(run.steps, TAINT.STEPS_MAX);
  return { unparsed, work: work + taken * AST_GATE.STEP_WORK };
}

/** A hunk made so that it may be parsed by itself: `prefix` stands before its text. */
interface Fitted {
  readonly prefix: string;
  readonly root: TreeNode;
}

/** What is read of a text. */
interface Read {
  /** Null: it nests deeper than is followed. */
  readonly fitted: Fitted | null;
  /** The greater part of it is not of the language. */
  readonly isForeign: boolean;
  /** Characters given to the parser. */
  readonly work: number;
}

/** A text of which more than this share is within errors is not a program. */
const FOREIGN_SHARE = 0.5;

/** Reads a file or a hunk with what has to stand before it. Grammars tolerate errors. */
function readText(parser: TreeParser, text: string, frames: readonly Frame[]): Read {
  let best: (Parsed & { prefix: string }) | null = null;
  let work = 0;
  for (const { before: prefix, after } of frames) {
    const parsed = parser.parse(prefix + text + after);
    work += prefix.length + text.length + after.length;
    if (best === null || parsed.errorChars < best.errorChars) best = { ...parsed, prefix };
    if (best.errorChars === 0 || best.root === null) break;
  }
  if (best === null || best.root === null) return { fitted: null, isForeign: false, work };
  const { prefix, root, errorChars } = best;
  const isForeign = errorChars > FOREIGN_SHARE * (text.length + prefix.length);
  return { fitted: { prefix, root }, isForeign, work };
}

function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}

/** The line (from 0) of an offset. */
function lineIndex(starts: readonly number[], offset: number): number {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}
