import { candidates } from '../src/gates/syntax/fragments/candidates.ts';
import { readFragment } from '../src/gates/syntax/fragments/fragment-tree.ts';
import { outline } from '../src/gates/syntax/fragments/outline.ts';
import { dialectOf, hasJsx } from '../src/gates/syntax/languages.ts';
import { createParser } from '../src/gates/syntax/parse/parser.ts';
import { createSyntaxService } from '../src/gates/syntax/syntax-service.ts';
import type { Fragment } from '../src/rpc/contract.ts';
import type { CallContext } from '../src/rpc/service.ts';
import { best } from './harness.ts';
import type { Cell, Table } from './report.ts';

/** Runs over the fragments before the first that counts: a child in service is warm. */
const WARM_RUNS = 10;
const CONTEXT: CallContext = { stopReason: () => null };

/**
 * What a child does with the fragments, in this process: all of it, reading alone, and the least
 * that SWC can cost, one parse of each text within what makes it parse.
 */
export async function measureSyntaxCost(
  fragments: readonly Fragment[],
  fingerprintKey: Uint8Array,
): Promise<Table> {
  const service = createSyntaxService();
  const isNewFile = ({ startLine, added, text }: Fragment) =>
    startLine === 1 && added.length === 1 && added[0]?.[1] === text.split('\n').length - 1;
  const kinds: [string, Fragment[]][] = [
    ['hunks of changed files', fragments.filter((fragment) => !isNewFile(fragment))],
    ['new files', fragments.filter(isNewFile)],
  ];
  const rows: Cell[][] = [];
  for (const [kind, own] of kinds) {
    if (own.length === 0) continue;
    const sources = own.flatMap(sourceOf);
    const inspect = () =>
      own.map((fragment) => service.inspect({ fragments: [fragment], fingerprintKey }, CONTEXT));
    for (let run = 0; run < WARM_RUNS; run += 1) inspect();
    const all = await best(inspect);
    const reading = await best(() => own.map(read));
    const bare = await best(() => sources.map(({ parse }) => parse()));
    const bareMs = (bare.cpuMs / sources.length) * own.length;
    const parses = own.reduce((sum, fragment) => sum + (read(fragment)?.calls ?? 0), 0);
    const characters = own.reduce((sum, { text }) => sum + text.length, 0);
    rows.push([
      kind,
      own.length,
      characters / 1000 / own.length,
      parses / own.length,
      all.cpuMs / own.length,
      reading.cpuMs / own.length,
      bareMs / own.length,
      all.cpuMs / bareMs,
      reading.cpuMs / bareMs,
    ]);
  }
  return { columns: COLUMNS, rows };
}

const COLUMNS = [
  'sent to the child',
  'fragments',
  'KB each',
  'parses each',
  'CPU ms each',
  'reading alone',
  'one bare parse',
  'all, against bare',
  'reading, against bare',
];

function read({ text, added, path }: Fragment) {
  const dialect = dialectOf(path);
  return dialect === null ? null : readFragment(text, added, dialect);
}

/** The first text around a fragment that parses, ready to be parsed again; none when none does. */
function sourceOf({ text, path }: Fragment): { parse: () => unknown }[] {
  const dialect = dialectOf(path);
  if (dialect === null) return [];
  for (const { prefix, suffix } of candidates(text, outline(text, hasJsx(dialect)), dialect)) {
    const source = prefix + text + suffix;
    if (!createParser(dialect).parse(source).ok) continue;
    return [{ parse: () => createParser(dialect).parse(source) }];
  }
  return [];
}
