/** What is remembered of a repository's changes, for the score of the next one. */

/** What a change leaves in the history of its repository. */
export interface ChangeEntry {
  /** SHA-256 of the diff, hex. A diff counts once, however often it is posted. */
  diff_hash: string;
  lines_added: number;
  /** Its message speaks of a fix. */
  is_fix: boolean;
  /** Hashes of the paths it touches, hex, each once, at most HISTORY.FILES_MAX. */
  file_keys: readonly string[];
}

/**
 * A repository before a change, as far as the files of that change are concerned. Sums are over
 * those files. Ages are counted in changes, not in time: the change before this one has age 1.
 */
export interface RepoHistory {
  /** Distinct changes before this one. */
  changes: number;
  /** Running mean and standard deviation of ln(1 + lines added). */
  size_mean: number;
  size_deviation: number;
  files: number;
  /** Files that a change touched before. */
  files_known: number;
  /** Earlier changes of each file, and those of them that were fixes. */
  touches: number;
  fixes: number;
  /** Earlier changes of each file among the last HISTORY.WINDOW_CHANGES, counted to TOUCHES_MAX. */
  recent_touches: number;
  /** ln(1 + age of the newest earlier change), over the known files. */
  log_age: number;
}

/** The history of a repository of which nothing is known. */
export function emptyHistory(files: number): RepoHistory {
  return {
    changes: 0,
    size_mean: 0,
    size_deviation: 0,
    files,
    files_known: 0,
    touches: 0,
    fixes: 0,
    recent_touches: 0,
    log_age: 0,
  };
}
