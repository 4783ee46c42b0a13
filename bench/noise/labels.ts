import { readFileSync } from 'node:fs';
import type { Table } from '../report.ts';

/** What a person says of one finding after reading the line: is the class right? */
interface Label {
  repo: string;
  sha: string;
  rule: string;
  file: string;
  line: number;
  /** Two passes, the second without a look at the first; neither sees the severity. */
  first: 'right' | 'wrong';
  second: 'right' | 'wrong';
  why: string;
}

/** Labels that a class needs before its precision says anything. */
const LABELS_MIN = 200;
/** A class whose lower bound is at least this may block. */
const PRECISION_MIN = 0.9;
/** Of the standard normal distribution, for 95 % on both sides. */
const Z = 1.96;

/** Precision of each class by the labels of a file (JSON lines), with the bound that counts. */
export function readPrecision(path: string): Table {
  const lines = readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '');
  const labels = lines.map((line) => JSON.parse(line) as Label);
  const rules = [...new Set(labels.map(({ rule }) => rule))].sort();
  const rows = rules.map((rule) => {
    const own = labels.filter((label) => label.rule === rule);
    const right = own.filter(({ first, second }) => first === 'right' && second === 'right').length;
    const split = own.filter(({ first, second }) => first !== second).length;
    const lower = lowerBound(right, own.length);
    const blocks = own.length >= LABELS_MIN && lower >= PRECISION_MIN;
    return [rule, own.length, right, split, right / own.length, lower, blocks ? 'yes' : 'no'];
  });
  return {
    columns: [
      ...['class', 'labels', 'right in both passes', 'passes differ', 'precision'],
      ...['lower bound, 95 %', `may block (>= ${LABELS_MIN} labels, bound >= ${PRECISION_MIN})`],
    ],
    rows,
  };
}

/** E. B. Wilson's score interval (1927), its lower end. */
function lowerBound(right: number, count: number): number {
  const share = right / count;
  const middle = share + Z ** 2 / (2 * count);
  const width = Z * Math.sqrt((share * (1 - share)) / count + Z ** 2 / (4 * count ** 2));
  return (middle - width) / (1 + Z ** 2 / count);
}
