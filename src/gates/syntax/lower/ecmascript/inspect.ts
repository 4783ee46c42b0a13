import type { AskedName, Fragment, Offered } from '../../../../rpc/contract.ts';
import { AST_GATE } from '../../../limits.ts';
import { followModule } from '../../engine/engine.ts';
import type { OnLost, Seen } from '../../engine/inspect.ts';
import type { Knowledge } from '../../engine/knowledge.ts';
import { readFragment } from '../../fragments/fragment-tree.ts';
import { dialectOf, hasJsx } from '../../languages.ts';
import { findHazard } from '../../parse/hazard.ts';
import { mapLines } from '../../parse/parser.ts';
import { TOO_DEEP } from '../../parse/tree.ts';
import { askedNames, type LowerFile, locatorOf, viewOf } from '../../program/view.ts';
import type { Reporter } from '../../report/findings.ts';
import { lowerText, lowerTrees } from './language.ts';

/**
 * Looks at a fragment: findings of data from outside that reaches a sink. `onLost` gets code that
 * could not be followed, with its line from 0; `unparsed` are lines that no tree holds.
 */
export function inspectScript(
  knowledge: Knowledge,
  fragment: Fragment,
  reporter: Reporter,
  onLost: OnLost,
  lowerOther: LowerFile = lowerScript,
): Seen {
  const { text, startLine, added, path } = fragment;
  // What has no extension of its own is a script by its first line, which is in another hunk.
  const dialect = dialectOf(path) ?? 'js';
  const { trees, unparsed, refused, parsedLength } = readFragment(text, added, dialect);
  let steps = 0;
  let asked: AskedName[] = [];
  let offered: Offered[] | undefined;
  try {
    const lowered = lowerTrees(text, trees);
    const lines = mapLines(text);
    const lineAt = (offset: number) => startLine + lines.lineAt(lowered.indexOf(offset));
    const columnAt = (offset: number) => {
      const index = lowered.indexOf(offset);
      const line = text.slice(lines.startOf(lines.lineAt(index)), index);
      return Buffer.byteLength(line) + 1;
    };
    const own = { module: lowered.module, text: lowered.text, lineAt, columnAt };
    const view = viewOf(fragment, own, lowered.text.length, lowerOther);
    reporter.locator = locatorOf(view);
    const flows = followModule(
      view.module,
      view.text,
      knowledge,
      view.lineAt,
      (danger, at, last, name, beyond) => {
        if (lowered.isSynthetic(at.start)) return;
        const end = Math.max(at.end, last.end);
        reporter.report(danger, { span: at }, { span: { start: last.start, end } }, name, beyond);
      },
      view.ownLength,
    );
    ({ steps } = flows);
    asked = askedNames(view, flows);
    if (fragment.wantsOffered) offered = flows.offered();
    const { cut } = lowered.module;
    if (cut != null && !flows.lost.has(TOO_DEEP)) onLost(lineAt(cut) - startLine, TOO_DEEP);
    for (const [reason, at] of flows.lost) onLost(lineAt(at) - startLine, reason);
  } catch (thrown) {
    const [first] = trees;
    if (!(thrown instanceof RangeError)) throw thrown;
    onLost(mapLines(text).lineAt(first?.start ?? 0), 'it nests too deeply to be followed');
  }
  const [firstLost] = unparsed;
  if (refused && firstLost !== undefined) onLost(firstLost, 'it would end the parser');
  const work = parsedLength + steps * AST_GATE.STEP_WORK;
  const seen = { unparsed: ranges(unparsed), work, asked };
  return offered === undefined ? seen : { ...seen, offered };
}

function ranges(lines: readonly number[]): [number, number][] {
  const result: [number, number][] = [];
  for (const line of [...lines].sort((left, right) => left - right)) {
    const last = result.at(-1);
    if (last !== undefined && last[1] === line) last[1] = line + 1;
    else result.push([line, line + 1]);
  }
  return result;
}

/** Lowers a whole file. */
export const lowerScript: LowerFile = (path, text) => {
  const dialect = dialectOf(path) ?? 'js';
  if (findHazard(text, hasJsx(dialect)) !== null) return null;
  try {
    const { module, pieces, before } = lowerText(text, dialect);
    // Of a text that is parsed in parts the places are not known.
    return pieces === 1 && module.cut == null ? { module, before } : null;
  } catch (thrown) {
    if (thrown instanceof RangeError) return null;
    throw thrown;
  }
};
