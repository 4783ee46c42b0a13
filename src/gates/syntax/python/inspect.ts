import type { Fragment, FragmentResult } from '../../../rpc/contract.ts';
import { AST_GATE, TAINT } from '../../limits.ts';
import { type Reporter, ReporterFull } from '../report.ts';
import { evaluateCall } from './calls.ts';
import { readCondition } from './conditions.ts';
import { evaluate } from './expressions.ts';
import { Run } from './run.ts';
import { executeBlock, executeModule } from './statements.ts';
import { type PythonParser, readPython } from './tree.ts';

/** Why parts of a fragment were not looked at; each is a finding. */
type OnLost = (line: number, reason: string) => void;

/**
 * Looks at a fragment of Python: findings of data from outside that reaches a sink. `onLost` hears
 * of code that could not be followed, with its line from 0.
 */
export function inspectPython(
  parser: PythonParser,
  fragment: Fragment,
  reporter: Reporter,
  onLost: OnLost,
): Pick<FragmentResult, 'unparsed' | 'work'> {
  const { text, startLine, added } = fragment;
  const { fitted, isForeign, work } = readPython(parser, text);
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
  const steps = { evaluate, evaluateCall, readCondition, executeBlock };
  const run = new Run(
    whole,
    lineAt,
    (danger, node, last, name) => {
      if (node.start < prefix.length) return;
      const end = Math.max(node.end, last.end);
      reporter.report(danger, { span: node }, { span: { start: last.start, end } }, name);
    },
    steps,
  );
  try {
    executeModule(run, root);
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
