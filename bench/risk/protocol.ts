import { areaUnderCurve, mean } from '../../src/verdict/score-measures.ts';
import { outputOf } from './boosting.ts';
import { chanceOf, estimatesOf, fitModel, fitTrees } from './fit.ts';
import { columnOf, type RiskTable, selectRows } from './table.ts';

/** Changes that a model was not trained on, with what it says of them. */
export interface Held {
  repo: string;
  chances: number[];
  labels: number[];
  /** Seconds since the epoch, rising. */
  times: number[];
  /** The chances without the message. */
  silent: number[];
  /** Lines added: the baseline that ranks by size alone. */
  sizes: number[];
}

/** Share of a repository's changes, oldest first, that the later ones are judged by. */
const EARLY_SHARE = 0.8;

export interface Protocol {
  /** The last changes of each repository, by a model of the earlier ones of all. */
  late: Held[];
  /** Each repository by a model of all others. */
  unseen: Held[];
  /** Each repository by a model without its whole family (the part of its name before `/`). */
  strange: Held[];
}

/** Trains and judges as the field does; AUC and recall are taken within a repository each. */
export function runProtocol(
  table: RiskTable,
  seed: number,
  progress: (text: string) => void,
): Protocol {
  const families = [...new Set(table.repos.map(familyOf))];
  const early = earlyRows(table);
  progress(`risk, seed ${seed}: late changes`);
  const late = hold(table, seed, (row) => !early.has(row));
  const unseen = holdEach(table, seed, progress);
  const strange = families.flatMap((family) => {
    progress(`risk, seed ${seed}: without ${family}`);
    return hold(table, seed, (row) => familyOf(repoOf(table, row)) === family);
  });
  return { late, unseen, strange };
}

/** Each repository by a model of all others. */
export function holdEach(table: RiskTable, seed: number, progress: (text: string) => void): Held[] {
  return table.repos.flatMap((repo) => {
    progress(`risk, seed ${seed}: without ${repo}`);
    return hold(table, seed, (row) => repoOf(table, row) === repo);
  });
}

/** What ranks the changes; `scores` are whole points, as they are served. */
export type Ranking = 'chances' | 'scores' | 'silent' | 'sizes';

/** Mean over repositories. */
export function macroAuc(held: readonly Held[], by: Ranking): number {
  return mean(held.map((repo) => aucOf(repo, by)));
}

/** AUC of one repository. */
export function aucOf(held: Held, by: Ranking): number {
  const { chances, silent, sizes, labels } = held;
  const scores = chances.map((chance) => Math.round(100 * chance));
  return areaUnderCurve({ chances, silent, sizes, scores }[by], labels);
}

/** Mean over repositories of the share of bad changes among the riskiest. */
export function macroRecall(held: readonly Held[], by: 'chances' | 'sizes', share: number): number {
  return mean(held.map((repo) => recallAt(repo[by], repo.labels, share)));
}

/** Share of the yes that is among the riskiest `share` of all. */
export function recallAt(
  scores: readonly number[],
  labels: readonly number[],
  share: number,
): number {
  const order = scores
    .map((_score, row) => row)
    .sort((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0));
  const found = order.slice(0, Math.round(order.length * share));
  const sum = (rows: readonly number[]) =>
    rows.reduce((total, row) => total + (labels[row] ?? 0), 0);
  return sum(found) / sum(order);
}

/** The chances as they would be with each repository's own base rate. */
export function shiftToOwnRate({ chances, labels }: Held): number[] {
  const rate = mean(labels);
  const logOdds = chances.map((chance) => Math.log(chance / (1 - chance)));
  let low = -5;
  let high = 5;
  for (let round = 0; round < 40; round += 1) {
    const middle = (low + high) / 2;
    if (mean(logOdds.map((value) => chanceOf(value + middle))) < rate) low = middle;
    else high = middle;
  }
  return logOdds.map((value) => chanceOf(value + low));
}

/** Trains on the rows that are not held out, and judges those that are. */
function hold(table: RiskTable, seed: number, isHeld: (row: number) => boolean): Held[] {
  const model = fitModel(
    table,
    selectRows(table, (row) => !isHeld(row)),
    'held-out',
    seed,
  );
  const estimates = estimatesOf(model, table);
  const silent = estimatesOf(model, table, true);
  const sizes = columnOf(table, 'la');
  return table.repos.flatMap((repo, number) => {
    const rows = selectRows(table, (row) => table.repoOf[row] === number && isHeld(row));
    if (rows.length === 0) return [];
    return {
      repo,
      chances: rows.map((row) => chanceOf(estimates(row))),
      silent: rows.map((row) => chanceOf(silent(row))),
      labels: rows.map((row) => table.labels[row] ?? 0),
      times: rows.map((row) => table.times[row] ?? 0),
      sizes: rows.map((row) => sizes[row] ?? 0),
    };
  });
}

/**
 * AUC of trees on these columns alone (no message), means over repositories that they have not
 * seen: each by trees of all others, and each by trees without its family.
 */
export function columnsAuc(
  table: RiskTable,
  features: readonly string[],
  free: readonly string[],
  seed: number,
): { unseen: number; strange: number } {
  const columns = features.map((feature) => columnOf(table, feature));
  const groups = (nameOf: (repo: string) => string) =>
    [...new Set(table.repos.map(nameOf))].flatMap((group) => {
      const isHeld = (row: number) => nameOf(repoOf(table, row)) === group;
      const training = selectRows(table, (row) => !isHeld(row));
      const { trees } = fitTrees(table, training, features, seed, free);
      return table.repos.flatMap((repo) => {
        if (nameOf(repo) !== group) return [];
        const rows = selectRows(table, (row) => repoOf(table, row) === repo);
        const labels = rows.map((row) => table.labels[row] ?? 0);
        const scores = rows.map((row) => outputOf(trees, (at) => columns[at]?.[row] ?? 0));
        return areaUnderCurve(scores, labels);
      });
    });
  return { unseen: mean(groups((repo) => repo)), strange: mean(groups(familyOf)) };
}

function repoOf(table: RiskTable, row: number): string {
  return table.repos[table.repoOf[row] ?? 0] ?? '';
}

function earlyRows(table: RiskTable): ReadonlySet<number> {
  const early = table.repos.flatMap((_name, repo) => {
    const rows = selectRows(table, (row) => table.repoOf[row] === repo);
    return rows.slice(0, Math.floor(rows.length * EARLY_SHARE));
  });
  return new Set(early);
}

function familyOf(repo: string): string {
  return repo.split('/', 1)[0] ?? repo;
}
