import type { OwnRows, OwnTable } from '../../model/rules.ts';
import { ownTables } from '../../rules/catalogue/own.ts';
import { OWN_LANGUAGES, sinkFilterWith } from './languages.ts';
import type { ReadPackaged } from './parse/tree.ts';
import { createSyntaxService } from './syntax-service.ts';

/** Names of files with examples. */
const PATHS = {
  javascript: 'src/example.tsx',
  python: 'src/example.py',
  go: 'src/example.go',
  java: 'src/Example.java',
  csharp: 'src/Example.cs',
  kotlin: 'src/Example.kt',
} as const;

/** Fingerprints of examples are never seen. */
const NO_KEY = new Uint8Array(32);

/** Inspects an example with some rows: `id (line n)` for each finding. */
type Look = (
  text: string,
  language: OwnRows['language'],
  tables: readonly OwnTable[],
) => Promise<readonly string[]>;

/**
 * Runs the examples of rows, whose form is right, as files: each `bad` one must give a finding,
 * each `good` one none, and without a row an example of its entry must come out otherwise. Gives
 * what is wrong, as sentences that name the entry.
 */
export async function tryOwnRows(
  entries: readonly OwnRows[],
  readPackaged: ReadPackaged,
): Promise<string[]> {
  const look = lookWith(readPackaged);
  const problems: string[] = [];
  for (const [index, entry] of entries.entries()) {
    const own = await tryEntry(entries, index, entry, look);
    problems.push(...own.map((problem) => `ast.catalogue[${index}].${problem}`));
  }
  return problems;
}

function lookWith(readPackaged: ReadPackaged): Look {
  const service = createSyntaxService({ readPackaged });
  return async (text, language, tables) => {
    if (!sinkFilterWith(tables).mayHold(Buffer.from(text), OWN_LANGUAGES[language])) return [];
    const added: [number, number][] = [[0, text.split('\n').length]];
    const fragments = [{ path: PATHS[language], text, startLine: 1, added }];
    const input = { fragments, fingerprintKey: NO_KEY, catalogue: tables };
    const { results } = await service.inspect(input, { stopReason: () => null });
    return results.flatMap(({ findings, unparsed }) => [
      ...(unparsed.length > 0 ? ['ast-unparsed: it cannot be parsed'] : []),
      ...findings.map(({ id, line }) => `${id} (line ${line ?? 1})`),
    ]);
  };
}

async function tryEntry(
  entries: readonly OwnRows[],
  index: number,
  entry: OwnRows,
  look: Look,
): Promise<string[]> {
  const { language, lines, examples } = entry;
  const texts = examples.flatMap(({ bad, good }) => [bad, good]);
  const all = ownTables(entries);
  const found: (readonly string[])[] = [];
  for (const text of texts) found.push(await look(text, language, all));
  const problems = found.flatMap((ids, at) => {
    const name = `examples[${Math.floor(at / 2)}].${at % 2 === 0 ? 'bad' : 'good'}`;
    const lost = ids.find((id) => id.startsWith('ast-unparsed'));
    if (lost !== undefined) return [`${name} is not followed: ${lost}`];
    if (at % 2 === 0) return ids.length > 0 ? [] : [`${name} gives no finding`];
    return ids.length === 0 ? [] : [`${name} gives ${ids.join(', ')}`];
  });
  // Where examples come out wrong, nothing says what the rows have to do with it.
  if (problems.length > 0) return problems;
  for (const [row, line] of lines.entries()) {
    const less = { ...entry, lines: lines.filter((_, other) => other !== row) };
    const tables = ownTables(entries.with(index, less));
    let isNeeded = false;
    for (const [at, text] of texts.entries()) {
      if (isNeeded) break;
      isNeeded = (await look(text, language, tables)).join() !== found[at]?.join();
    }
    if (!isNeeded) problems.push(`lines[${row}]: no example comes out otherwise without "${line}"`);
  }
  return problems;
}
