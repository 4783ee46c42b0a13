import { readFileSync } from 'node:fs';
import type { RunOptions } from './options.ts';
import type { Report } from './report.ts';
import { createColumns } from './risk/columns.ts';

/** Diffs of one fresh repository in the order of their arrival, with the columns they must give. */
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
  const columns = createColumns();
  const rows = cases.flatMap(({ commit_message, diff, expected }, index) => {
    const found = columns(commit_message, Buffer.from(diff));
    return Object.entries(expected).map(([name, value]) => {
      const own = found[name] ?? Number.NaN;
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
