import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Table } from '../report.ts';

/**
 * What a reader says of one line of a sample (`npm run bench -- labels`): is the class right?
 * Neither reader sees the severity or what the other says. What is unsure does not count as right.
 */
interface Label {
  n: number;
  label: 'right' | 'wrong' | 'unsure';
  why: string;
}

/** Labels that a class needs before its precision says anything. */
const LABELS_MIN = 200;
/** A class whose lower bound is at least this may block. */
const PRECISION_MIN = 0.9;
/** Of the standard normal distribution, for 95 % on both sides. */
const Z = 1.96;

/**
 * Precision of each class by the answers of two readers, `CLASS.A.jsonl` and `CLASS.B.jsonl` in a
 * folder, with the bound that counts. Throws a TypeError when the two are not about the same lines.
 */
export function readPrecision(folder: string): Table {
  const rules = readdirSync(folder)
    .filter((name) => name.endsWith(A) && existsSync(join(folder, name.replace(A, B))))
    .map((name) => name.slice(0, -A.length))
    .sort();
  const rows = rules.map((rule) => {
    const first = readAnswers(join(folder, rule + A));
    const second = readAnswers(join(folder, rule + B));
    if (first.size !== second.size || [...first.keys()].some((n) => !second.has(n))) {
      throw new TypeError(`the answers of ${A} and ${B} for ${rule} are not about the same lines`);
    }
    const pairs = [...first].map(([n, label]) => [label, second.get(n)] as const);
    const right = pairs.filter((pair) => pair.every((label) => label === 'right')).length;
    const split = pairs.filter(([one, other]) => one !== other).length;
    const count = pairs.length;
    const lower = lowerBound(right, count);
    const blocks = count >= LABELS_MIN && lower >= PRECISION_MIN;
    return [rule, count, right, split, right / count, lower, blocks ? 'yes' : 'no'];
  });
  return {
    columns: [
      ...['class', 'lines', 'right for both', 'readers differ', 'precision'],
      ...['lower bound, 95 %', `may block (>= ${LABELS_MIN} labels, bound >= ${PRECISION_MIN})`],
    ],
    rows,
  };
}

const A = '.A.jsonl';
const B = '.B.jsonl';

function readAnswers(path: string): Map<number, Label['label']> {
  const lines = readFileSync(path, 'utf8').split('\n');
  const labels = lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Label);
  return new Map(labels.map(({ n, label }) => [n, label]));
}

/** E. B. Wilson's score interval (1927), its lower end. */
function lowerBound(right: number, count: number): number {
  const share = right / count;
  const middle = share + Z ** 2 / (2 * count);
  const width = Z * Math.sqrt((share * (1 - share)) / count + Z ** 2 / (4 * count ** 2));
  return (middle - width) / (1 + Z ** 2 / count);
}
