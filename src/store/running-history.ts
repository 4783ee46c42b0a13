import { hash } from 'node:crypto';
import type { ChangeEntry, RepoHistory } from '../model/change.ts';
import { HISTORY } from '../model/limits.ts';

/** What a store keeps of a repository, and of each of its files, between two changes. */
export interface RepoState {
  /** Distinct changes so far; the newest has this number. */
  changes: number;
  /** Of ln(1 + lines added), with a memory of 1 / HISTORY.MEAN_WEIGHT_MIN changes. */
  size_mean: number;
  size_variance: number;
}

export interface FileState {
  changes: number;
  fixes: number;
  /** Number of the newest change that touched the file. */
  last: number;
  /** How many changes lie between the newest ones that touched it, newest first: 1..255 each. */
  steps: Uint8Array;
}

export const NEW_REPO: RepoState = { changes: 0, size_mean: 0, size_variance: 0 };
export const NEW_FILE: FileState = { changes: 0, fixes: 0, last: 0, steps: new Uint8Array() };

/** The state of a repository after one more change. */
export function nextRepo(state: RepoState, entry: ChangeEntry): RepoState {
  const { changes, size_mean, size_variance } = state;
  const weight = Math.max(1 / (changes + 1), HISTORY.MEAN_WEIGHT_MIN);
  const step = Math.log1p(entry.lines_added) - size_mean;
  return {
    changes: changes + 1,
    size_mean: size_mean + weight * step,
    size_variance: (1 - weight) * (size_variance + weight * step * step),
  };
}

/** The state of a file after change number `number` touched it. */
export function nextFile(state: FileState, number: number, isFix: boolean): FileState {
  const { changes, fixes, last } = state;
  return {
    changes: changes + 1,
    fixes: fixes + (isFix ? 1 : 0),
    last: number,
    steps: changes === 0 ? state.steps : stepsWithin(number - last, state.steps),
  };
}

/** Those that can still count: within the window and not beyond TOUCHES_MAX. */
function stepsWithin(first: number, older: Uint8Array): Uint8Array {
  const steps: number[] = [];
  let span = 0;
  for (const step of [first, ...older]) {
    span += step;
    if (span >= HISTORY.WINDOW_CHANGES || steps.length === HISTORY.TOUCHES_MAX - 1) break;
    steps.push(step);
  }
  return Uint8Array.from(steps);
}

/** The history before the next change, which touches `files`; null for one never seen. */
export function historyOf(repo: RepoState, files: readonly (FileState | null)[]): RepoHistory {
  const known = files.filter((file) => file !== null);
  const sum = (value: (file: FileState) => number) =>
    known.reduce((total, file) => total + value(file), 0);
  return {
    changes: repo.changes,
    size_mean: rounded(repo.size_mean),
    size_deviation: rounded(Math.sqrt(repo.size_variance)),
    files: files.length,
    files_known: known.length,
    touches: sum((file) => file.changes),
    fixes: sum((file) => file.fixes),
    recent_touches: sum((file) => recentTouches(file, repo.changes)),
    log_age: rounded(sum((file) => Math.log1p(ageOf(file, repo.changes)))),
  };
}

/** Short to write down, so that a history that was kept is the one that was met. */
function rounded(value: number): number {
  return Number(value.toFixed(6));
}

/** The history as a short text. */
export function packHistory(history: RepoHistory): string {
  return JSON.stringify(FIELDS.map((field) => history[field]));
}

/** The history that `packHistory` wrote. */
export function unpackHistory(text: string): RepoHistory {
  const values = JSON.parse(text) as number[];
  const entries = FIELDS.map((field, at) => [field, values[at] ?? 0] as const);
  return Object.fromEntries(entries) as unknown as RepoHistory;
}

const FIELDS = [
  'changes',
  'size_mean',
  'size_deviation',
  'files',
  'files_known',
  'touches',
  'fixes',
  'recent_touches',
  'log_age',
] as const satisfies readonly (keyof RepoHistory)[];

/** 1 for the newest change. */
function ageOf(file: FileState, changes: number): number {
  return changes - file.last + 1;
}

function recentTouches(file: FileState, changes: number): number {
  let age = ageOf(file, changes);
  let touches = 0;
  for (const step of [...file.steps, Infinity]) {
    if (age > HISTORY.WINDOW_CHANGES) break;
    touches += 1;
    age += step;
  }
  return touches;
}

/** The key of a repository in the histories of every store: 32 digits, whatever its name is. */
export function historyRepoKey(tenantId: string, repoKey: string): string {
  return hash('sha256', JSON.stringify([tenantId, repoKey])).slice(0, 32);
}
