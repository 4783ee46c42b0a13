import type { GateFinding } from '../../model/finding.ts';
import type { Fragment, FragmentResult, Syntax } from '../../rpc/contract.ts';
import type { Implementation } from '../../rpc/service.ts';
import { dialectOf } from './dialect.ts';
import { readFragment, type Tree } from './fragment-tree.ts';
import { mapLines } from './line-map.ts';
import { createLocator, type Locator } from './locator.ts';
import { Reporter, ReporterFull } from './report.ts';
import { Interpreter } from './taint/interpreter.ts';
import { unparsedFinding } from './unparsed.ts';

/**
 * The service of an AST child: syntax trees of fragments and the sinks in them. It is synchronous
 * and stateless; the process that forked it limits its time and survives its end.
 */
export function createSyntaxService(): Implementation<typeof Syntax> {
  return {
    inspect({ fragments, fingerprintKey }) {
      return { results: fragments.map((fragment) => inspect(fragment, fingerprintKey)) };
    },
  };
}

function inspect(fragment: Fragment, key: Uint8Array): FragmentResult {
  // What has no extension of its own is a script by its first line, which is in another hunk.
  const dialect = dialectOf(fragment.path) ?? 'js';
  const { text, startLine, added } = fragment;
  const lines = mapLines(text);
  const { trees, unparsed, refused } = readFragment(text, added, dialect);
  const reporter = new Reporter(fragment, key);
  const findings: GateFinding[] = [];
  let interpreter: Interpreter | null = null;
  for (const tree of trees) {
    const locator = createLocator(text, lines, startLine, tree);
    interpreter ??= new Interpreter(reporter, locator);
    if (!follow(interpreter, reporter, tree, locator)) {
      const line = lines.lineAt(tree.start);
      findings.push(lost(fragment, key, line, 'it nests too deeply to be followed'));
    }
  }
  const lostAt = interpreter?.calls.lostAt ?? null;
  if (lostAt !== null) {
    const reason = 'its functions call each other more often or deeper than is followed';
    findings.push(lost(fragment, key, Math.max(0, lostAt - startLine), reason));
  }
  const [first] = unparsed;
  if (refused && first !== undefined) {
    findings.push(lost(fragment, key, first, 'it would end the parser'));
  }
  return { findings: [...reporter.findings, ...findings], unparsed: ranges(unparsed) };
}

/** Runs a tree past the sinks; false when it is too deep for the stack. */
function follow(
  interpreter: Interpreter,
  reporter: Reporter,
  tree: Tree,
  locator: Locator,
): boolean {
  try {
    reporter.locator = locator;
    interpreter.run(tree.module, locator);
    return true;
  } catch (thrown) {
    // The reporter says that there is more; nothing of it is graver.
    if (thrown instanceof ReporterFull) return true;
    if (thrown instanceof RangeError) return false;
    throw thrown;
  }
}

function lost(fragment: Fragment, key: Uint8Array, index: number, reason: string): GateFinding {
  const { path, text, startLine } = fragment;
  const where = { line: startLine + index, excerptLine: index };
  return unparsedFinding(key, { path, text, reason, severity: 'high', ...where });
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
