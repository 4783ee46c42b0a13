import type { Fragment, FragmentResult, Syntax } from '../../rpc/contract.ts';
import type { Implementation } from '../../rpc/service.ts';
import { dialectOf } from './dialect.ts';
import { readFragment } from './fragment-tree.ts';
import { mapLines } from './line-map.ts';
import { createLocator } from './locator.ts';
import { Reporter } from './report.ts';
import { Interpreter } from './taint/interpreter.ts';

/**
 * The service of an AST child: syntax trees of fragments and the sinks in them. It is synchronous
 * and stateless; whoever forked the process limits its time and survives its end.
 */
export function createSyntaxService(): Implementation<typeof Syntax> {
  return {
    inspect({ fragments, fingerprintKey }) {
      return { results: fragments.map((fragment) => inspect(fragment, fingerprintKey)) };
    },
  };
}

function inspect(fragment: Fragment, key: Uint8Array): FragmentResult {
  const dialect = dialectOf(fragment.path);
  if (dialect === null) return { findings: [], unparsed: fragment.added };
  const { text, startLine, added } = fragment;
  const lines = mapLines(text);
  const { trees, unparsed } = readFragment(text, added, dialect);
  const reporter = new Reporter(fragment, text.split('\n'), key);
  let interpreter: Interpreter | null = null;
  for (const tree of trees) {
    const locator = createLocator(text, lines, startLine, tree);
    interpreter ??= new Interpreter(reporter, locator);
    reporter.locator = locator;
    interpreter.run(tree.module, locator);
  }
  return { findings: reporter.findings, unparsed: ranges(unparsed) };
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
