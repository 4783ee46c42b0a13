import { readFileSync } from 'node:fs';
import type { RunOptions } from './options.ts';
import type { Report } from './report.ts';
import { columnsOf } from './risk/columns.ts';

/** Diffs with the columns they must give; those that no model uses are passed over. */
interface Parity {
  cases: readonly {
    commit_message: string;
    diff: string;
    expected: Readonly<Record<string, number>>;
  }[];
}

/** The expected columns are rounded to six decimals. */
const TOLERANCE = 1e-6;

/** Compares the columns that our code gives with expected ones (`--data`, JSON). */
export async function run(options: RunOptions): Promise<Report> {
  if (options.data === null) throw new TypeError('risk-parity needs --data PATH, JSON of cases');
  const { cases } = JSON.parse(readFileSync(options.data, 'utf8')) as Parity;
  const rows = cases.flatMap(({ commit_message, diff, expected }, index) => {
    const found = columnsOf(commit_message, Buffer.from(diff));
    return Object.entries(found).flatMap(([name, own]) => {
      const value = expected[name];
      if (value === undefined) return [];
      return { cells: [index + 1, name, value, own], isEqual: Math.abs(own - value) <= TOLERANCE };
    });
  });
  const different = rows.filter(({ isEqual }) => !isEqual);
  return {
    title: 'Features of changes, against expected ones',
    facts: [
      `${cases.length} changes, ${rows.length} values, ${different.length} of them different`,
    ],
    tables:
      different.length === 0
        ? []
        : [
            {
              columns: ['change', 'column', 'expected', 'ours'],
              rows: different.map(({ cells }) => cells),
            },
          ],
    notes: [],
    holds: rows.length > 0 && different.length === 0,
  };
}
