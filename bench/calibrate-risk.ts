import { CALIBRATION, scoreGroupOf } from '../src/model/score.ts';
import { type Curve, calibrate, curved } from '../src/verdict/score-curve.ts';
import {
  areaUnderCurve,
  brier,
  calibration,
  calibrationError,
} from '../src/verdict/score-measures.ts';
import type { RunOptions } from './options.ts';
import type { Cell, Report } from './report.ts';
import { SETTINGS } from './risk/fit.ts';
import { aucOf, type Held, holdEach, macroAuc } from './risk/protocol.ts';
import { readTable } from './risk/table.ts';

const DAY_SECONDS = 24 * 3_600;
/** Whole points make some changes equal that were not, and others not. */
const AUC_TOLERANCE = 0.001;

/**
 * Curves as the service fits them, over labelled changes (`--data`) in their order: each
 * repository's chances come from a model that has not seen it; a curve of its group is fitted to
 * the changes that were settled by then, and to none that came later.
 */
export async function run({ data, progress }: RunOptions): Promise<Report> {
  if (data === null) throw new TypeError('calibrate-risk needs --data PATH, a CSV of changes');
  const served = holdEach(readTable(data), SETTINGS.seed, progress).map(asPoints);
  const { own, versions } = await calibrateAll(served);
  const rows = served.map((held, index): Cell[] => {
    const other = own[index] ?? held;
    return [held.repo, held.labels.length, ...measures([held]), ...measures([other])];
  });
  const within = { shipped: versionAuc(served, versions), own: versionAuc(own, versions) };
  return {
    title: 'Scores by curves of their groups',
    facts: [
      `a curve takes ${CALIBRATION.CHANGES_MIN} changes that are ${CALIBRATION.SETTLED_DAYS} days ` +
        `old; groups are owners of repositories; ${versions.filter((one) => one.some((version) => version > 0)).length} ` +
        `of ${own.length} repositories had one`,
    ],
    tables: [
      {
        columns: ['repository, never seen', 'changes', ...COLUMNS('shipped'), ...COLUMNS('own')],
        rows: [
          ...rows,
          [
            'all',
            served.flatMap(({ labels }) => labels).length,
            ...measures(served),
            ...measures(own),
          ],
        ],
      },
    ],
    notes: [
      `AUC among the changes of a repository that one version scored: ${within.shipped.toFixed(4)} by ` +
        `the shipped curve, ${within.own.toFixed(4)} by their own: a curve keeps their order`,
      'the AUC of the table compares scores of different versions, too, which are not comparable',
      'AUC of all: mean over repositories; ECE and Brier of all: over all changes, in whole points',
    ],
    holds:
      within.own >= within.shipped - AUC_TOLERANCE &&
      errorOf(own) <= errorOf(served) &&
      brierOf(own) <= brierOf(served),
  };
}

const COLUMNS = (curve: string) => ['AUC', 'ECE', 'Brier'].map((name) => `${name}, ${curve} curve`);

function measures(held: readonly Held[]): string[] {
  const [only] = held;
  const auc = held.length === 1 && only ? aucOf(only, 'chances') : macroAuc(held, 'chances');
  return [auc, errorOf(held), brierOf(held)].map((value) => value.toFixed(4));
}

/** AUC among changes of one repository and version, by the number of pairs. */
function versionAuc(held: readonly Held[], versions: readonly number[][]): number {
  let sum = 0;
  let pairs = 0;
  for (const [at, { chances, labels }] of held.entries()) {
    const parts = new Map<number, number[]>();
    for (const [row, version] of (versions[at] ?? []).entries()) {
      const rows = parts.get(version) ?? [];
      rows.push(row);
      parts.set(version, rows);
    }
    for (const rows of parts.values()) {
      const own = rows.map((row) => labels[row] ?? 0);
      const failures = own.reduce((all, label) => all + label, 0);
      const weight = failures * (rows.length - failures);
      if (weight === 0) continue;
      const scores = rows.map((row) => chances[row] ?? 0);
      sum += weight * areaUnderCurve(scores, own);
      pairs += weight;
    }
  }
  return sum / pairs;
}

function errorOf(held: readonly Held[]): number {
  const labels = held.flatMap((one) => one.labels);
  return calibrationError(
    calibration(
      held.flatMap(({ chances }) => chances),
      labels,
    ),
  );
}

function brierOf(held: readonly Held[]): number {
  return brier(
    held.flatMap(({ chances }) => chances),
    held.flatMap(({ labels }) => labels),
  );
}

function asPoints(held: Held): Held {
  return { ...held, chances: held.chances.map((chance) => Math.round(100 * chance) / 100) };
}

interface Change {
  held: number;
  index: number;
  time: number;
  chance: number;
  label: number;
}

/** The chances that the service would have given, and by which curve; 0: by the shipped one. */
async function calibrateAll(
  served: readonly Held[],
): Promise<{ own: Held[]; versions: number[][] }> {
  const own = served.map((held) => ({ ...held, chances: [...held.chances] }));
  const versions = served.map(({ chances }) => chances.map(() => 0));
  let version = 0;
  const groups = new Map<string, Change[]>();
  for (const [held, { repo, chances, labels, times }] of served.entries()) {
    const changes = groups.get(scoreGroupOf(repo)) ?? [];
    for (const [index, chance] of chances.entries()) {
      changes.push({ held, index, chance, label: labels[index] ?? 0, time: times[index] ?? 0 });
    }
    groups.set(scoreGroupOf(repo), changes);
  }
  for (const changes of groups.values()) {
    changes.sort((a, b) => a.time - b.time);
    const settled: Change[] = [];
    let next = 0;
    let curve: Curve | null = null;
    let fittedAt = Number.NEGATIVE_INFINITY;
    for (const change of changes) {
      if (change.time - fittedAt >= CALIBRATION.FIT_INTERVAL_MS / 1_000) {
        const until = change.time - CALIBRATION.SETTLED_DAYS * DAY_SECONDS;
        const from = change.time - CALIBRATION.DAYS_MAX * DAY_SECONDS;
        for (let one = changes[next]; one !== undefined && one.time <= until; one = changes[next]) {
          settled.push(one);
          next += 1;
        }
        const fitted = await calibrate(settled.filter(({ time }) => time >= from));
        curve = typeof fitted === 'string' ? null : fitted;
        fittedAt = change.time;
        version += 1;
      }
      const chances = own[change.held]?.chances;
      const byVersion = versions[change.held];
      if (curve === null || chances === undefined || byVersion === undefined) continue;
      chances[change.index] = Math.round(100 * curved(curve, change.chance)) / 100;
      byVersion[change.index] = version;
    }
  }
  return { own, versions };
}
