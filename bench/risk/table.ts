import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';

/** Labelled changes of several repositories, one row each, oldest first within a repository. */
export interface RiskTable {
  size: number;
  /** Names of the repositories, and the number of each row's. */
  repos: readonly string[];
  repoOf: Uint8Array;
  /** 1: a later fix touched the lines of this change. */
  labels: Uint8Array;
  /** Seconds since the epoch. */
  times: Float64Array;
  /** Every other column, by its name. */
  columns: ReadonlyMap<string, Float64Array>;
}

/** Reads a table from CSV, gzipped or not, with the columns `repo`, `ts`, `y` and numbers. */
export function readTable(path: string): RiskTable {
  const bytes = readFileSync(path);
  const isZipped = bytes[0] === 0x1f && bytes[1] === 0x8b;
  const text = (isZipped ? gunzipSync(bytes) : bytes).toString('utf8');
  const [head = '', ...lines] = text.trim().split('\n');
  const names = head.split(',');
  for (const name of ['repo', 'ts', 'y']) {
    if (!names.includes(name)) throw new TypeError(`${path} has no column "${name}"`);
  }
  const cells = lines.map((line) => line.split(','));
  const cell = (row: readonly string[], name: string) => row[names.indexOf(name)] ?? '';
  const repos = [...new Set(cells.map((row) => cell(row, 'repo')))].sort();
  const rows = cells
    .map((row) => ({ row, repo: repos.indexOf(cell(row, 'repo')), ts: Number(cell(row, 'ts')) }))
    .sort((a, b) => a.repo - b.repo || a.ts - b.ts);
  const numbers = names.filter((name) => !['repo', 'sha', 'ts', 'y'].includes(name));
  const column = (name: string) => {
    const at = names.indexOf(name);
    return Float64Array.from(rows, ({ row }) => Number(row[at]));
  };
  const columns = new Map(numbers.map((name) => [name, column(name)]));
  return {
    size: rows.length,
    repos,
    repoOf: Uint8Array.from(rows, ({ repo }) => repo),
    labels: Uint8Array.from(column('y')),
    times: column('ts'),
    columns: withSourceLines(columns),
  };
}

/** Data may have the share of comments and blank lines instead of the lines that are neither. */
function withSourceLines(columns: Map<string, Float64Array>): Map<string, Float64Array> {
  const code = columns.get('code_la');
  const share = columns.get('com_share');
  if (columns.has('src_la') || code === undefined || share === undefined) return columns;
  const lines = code.map((added, row) => Math.round(added * (1 - (share[row] ?? 0))));
  return columns.set('src_la', lines);
}

/** The rows that `keep` says yes to, by number. */
export function selectRows(table: RiskTable, keep: (row: number) => boolean): number[] {
  return Array.from({ length: table.size }, (_value, row) => row).filter(keep);
}

/** The numbers of a column; a TypeError names one that is not there. */
export function columnOf(table: RiskTable, name: string): Float64Array {
  const column = table.columns.get(name);
  if (column === undefined) throw new TypeError(`the data has no column "${name}"`);
  return column;
}
