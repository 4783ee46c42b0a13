import { readdirSync, readFileSync } from 'node:fs';
import { readTable, type Table } from './table.ts';

/** The languages of the catalogue; each has a folder here. */
export const CATALOGUE_LANGUAGES = [
  'javascript',
  'python',
  'golang',
  'java',
  'csharp',
  'kotlin',
] as const;
export type CatalogueLanguage = (typeof CATALOGUE_LANGUAGES)[number];

/**
 * The tables of a language by their topics, from `src/rules/catalogue/<language>/<topic>.txt`. The
 * bundle holds them compiled (tools/build-bundle.mjs). Throws what is wrong with them, a line each:
 * `file:line: problem`.
 */
export function tablesOf(language: CatalogueLanguage): Readonly<Record<string, Table>> {
  const folder = new URL(`../../../../src/rules/catalogue/${language}/`, import.meta.url);
  const problems: string[] = [];
  const tables: Record<string, Table> = {};
  const files = readdirSync(folder).filter((file) => file.endsWith('.txt'));
  for (const file of files.sort()) {
    const { table, problems: own } = readTable(readFileSync(new URL(file, folder), 'utf8'));
    tables[file.replace(/\.txt$/, '')] = table;
    const path = `src/rules/catalogue/${language}/${file}`;
    problems.push(...own.map(({ line, text }) => `${path}:${line}: ${text}`));
  }
  if (problems.length > 0) throw new TypeError(problems.join('\n'));
  return tables;
}
