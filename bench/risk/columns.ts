import { countAllLines, fileKind, measureChange } from '../../src/analysis/worker/change-shape.ts';
import { type DiffFile, type Hunk, LINE, LineCursor } from '../../src/diff/diff.ts';
import { parseDiff } from '../../src/diff/parse.ts';
import {
  type FileState,
  historyOf,
  NEW_FILE,
  NEW_REPO,
  nextFile,
  nextRepo,
} from '../../src/store/running-history.ts';
import { historyFeatures, isTelling, readMessage } from '../../src/verdict/score-model.ts';
import { contentColumns } from './content.ts';

export type Columns = Record<string, number>;

/**
 * Makes the columns of the training data from the changes of one repository, given in the order
 * in which they arrived. What the service's model uses is measured by the service's own code.
 */
export function createColumns(): (message: string, diff: Uint8Array) => Columns {
  const history = createHistoryColumns();
  return (message, bytes) => {
    const diff = parseDiff(bytes);
    const { shape } = measureChange(diff, countAllLines);
    const hints = readMessage(message);
    const { files } = diff;
    return {
      ...shape,
      ld: diff.deletions,
      entropy: entropyOf(files.map(changedLines)),
      n_rm: files.filter(({ change }) => change === 'deleted').length,
      n_ren: files.filter(({ change }) => change === 'renamed').length,
      n_bin: files.filter(({ content }) => content === 'binary').length,
      lt_hint: reachOf(bytes, files),
      nf_ci: files.filter(({ path }) => fileKind(path) === 'ci').length,
      nf_infra: files.filter(({ path }) => fileKind(path) === 'infra').length,
      ...contentColumns(bytes, diff),
      ...hints,
      issue: Number(/#\d+|\b[A-Z][A-Z0-9]+-\d+\b|\bbug[: #]+\d+/i.test(message)),
      msg_len: message.length,
      msg_lines: message.trim().split('\n').length,
      ...history(files, shape.la, hints.fix === 1),
    };
  };
}

function changedLines({ additions, deletions }: DiffFile): number {
  return additions + deletions;
}

/** Shannon's, in bits, of where the changed lines are. */
function entropyOf(sizes: readonly number[]): number {
  const total = sizes.reduce((sum, size) => sum + size, 0);
  return sizes
    .filter((size) => size > 0)
    .reduce((sum, size) => sum - (size / total) * Math.log2(size / total), 0);
}

/** Mean over the files that were there before of the line behind the last hunk. */
function reachOf(bytes: Uint8Array, files: readonly DiffFile[]): number {
  const cursor = new LineCursor(bytes);
  const endOf = (hunk: Hunk) => {
    cursor.open(hunk);
    let lines = 0;
    while (cursor.next()) if (cursor.kind !== LINE.ADDED) lines += 1;
    return hunk.oldStart + lines;
  };
  const reaches = files
    .filter(({ change, hunks }) => change !== 'added' && hunks.length > 0)
    .map(({ hunks }) => Math.max(...hunks.map(endOf)));
  return reaches.length === 0 ? 0 : reaches.reduce((sum, reach) => sum + reach, 0) / reaches.length;
}

interface SeenFile {
  state: FileState;
  lines: number;
}

function createHistoryColumns(): (
  files: readonly DiffFile[],
  la: number,
  isFix: boolean,
) => Columns {
  const seen = new Map<string, SeenFile>();
  const directories = new Map<string, number>();
  let repo = NEW_REPO;
  return (files, la, isFix) => {
    const states = files.map(({ path }) => seen.get(path)?.state ?? null);
    const touched = new Set(files.map(({ path }) => directoryOf(path)));
    const known = states.filter((state) => state !== null);
    const history = historyOf(repo, states);
    const { h_rel_la } = isTelling(history) ? historyFeatures(history, la) : { h_rel_la: 0 };
    const columns = {
      h_seen: history.changes,
      h_nuc_mean: history.touches / files.length,
      h_nuc_max: Math.max(0, ...known.map((state) => state.changes)),
      h_fix_mean: history.fixes / files.length,
      h_fix_max: Math.max(0, ...known.map((state) => state.fixes)),
      h_fixratio: history.touches === 0 ? 0 : history.fixes / history.touches,
      h_known: known.length / files.length,
      h_gap: known.length === 0 ? -1 : history.log_age / known.length,
      h_gapmin:
        known.length === 0
          ? -1
          : Math.min(...known.map(({ last }) => Math.log1p(repo.changes - last + 1))),
      h_churn: meanOf(files.map(({ path }) => seen.get(path)?.lines ?? 0)),
      h_dir: meanOf([...touched].map((directory) => directories.get(directory) ?? 0)),
      h_rel_la,
      h_recent: history.recent_touches / files.length,
    };
    repo = nextRepo(repo, { diff_hash: '', lines_added: la, is_fix: isFix, file_keys: [] });
    for (const file of files) {
      const { state, lines } = seen.get(file.path) ?? { state: NEW_FILE, lines: 0 };
      const next = nextFile(state, repo.changes, isFix);
      seen.set(file.path, { state: next, lines: lines + changedLines(file) });
    }
    for (const directory of touched) {
      directories.set(directory, (directories.get(directory) ?? 0) + 1);
    }
    return columns;
  };
}

function directoryOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
