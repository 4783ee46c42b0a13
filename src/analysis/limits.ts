const KIB = 1024;
const MIB = 1024 * 1024;
const SECOND_MS = 1000;

/** The code around findings, as people see it. */
export const CODE = {
  /** Lines before and behind that of a finding. */
  LINES_AROUND: 10,
  LINE_CHARS_MAX: 400,
  /** Of a longer line so much around its finding is searched for secrets. */
  PIECE_BYTES_MAX: 2 * KIB,
  /** All lines of one answer. */
  BYTES_MAX: 64 * KIB,
  /** Lines of the whole change in one answer; what has no room comes file by file. */
  CHANGES_BYTES_MAX: 2 * MIB,
  /** Files of a change that one answer names. */
  FILES_MAX: 2_000,
  /** A longer diff is not shown as a whole. */
  DIFF_BYTES_MAX: 50 * MIB,
  /** From the request to the answer, waiting for git and for a thread included. */
  DEADLINE_MS: 20 * SECOND_MS,
} as const;

/** Scan pool and pipeline. */
export const PIPELINE = {
  /** Scan threads of a daemon. */
  THREADS_MAX: 64,
  /** Jobs of fewer bytes may use the thread that is kept for small jobs. */
  SMALL_JOB_BYTES: 1 * MIB,
  /** Jobs of so many bytes may share a thread with others. */
  LIGHT_JOB_BYTES_MAX: 32 * KIB,
  /** A caller waits this long for a free thread, then 503. */
  ADMISSION_WAIT_MS: 2 * SECOND_MS,
  ADMISSION_QUEUE_MAX: 4096,
  /** Gates 1 and 2 run this long before analyze answers DRAFT. */
  ANSWER_WITHIN_MS: 10 * SECOND_MS,
  /** Of these the second is for small jobs beside a large one; a setting may do without. */
  THREADS_DEFAULT_MIN: 2,
  /**
   * The scan threads and their children come up with so much CPU time of the threads; an attempt
   * that uses next to none for RPC.CHILD_HUNG_MS has failed, too. The clock says little of a start
   * on a busy machine: it counts for the last bound only, which is one of all attempts.
   */
  PREPARE_CPU_MS: 60 * SECOND_MS,
  PREPARE_ATTEMPTS_MAX: 3,
  /** DRAFTs that a start takes up at once. */
  RESUME_BATCH: 500,
  /** Drafts that a failure left are taken up again after this time. */
  RESUME_RETRY_MS: 30 * SECOND_MS,
  /** How often a daemon that shares its store looks for drafts that another one left. */
  ORPHANS_INTERVAL_MS: 30 * SECOND_MS,
  /** A DRAFT is taken up for an overdue report not sooner than this after the last time. */
  OVERDUE_MS_MIN: 100,
  THREAD_OLD_SPACE_MIB: 1024,
  CHILD_OLD_SPACE_MIB: 512,
  /**
   * How much nicer (nice(1)) scan threads are than the rest of a daemon, so that answers, reads and
   * the store go first on a busy machine: 1.5 times as many reads (bench/results/http.md).
   */
  THREAD_NICENESS: 10,
  /** Each lost thread leaves about 9 MiB of RE2's memory behind: after so many, a restart. */
  THREAD_LOSSES_MAX: 50,
} as const;

/** Comments that suppress findings. */
export const MARKERS = {
  /** In longer lines no marker is looked for: nobody comments there. */
  LINE_BYTES_MAX: 4 * KIB,
  /** Markers that one diff may use; more suppress nothing. */
  PER_DIFF_MAX: 1_000,
  RULES_PER_MARKER_MAX: 20,
  /** Bytes of reasons given to expressions of secrets; further reasons are not shown. */
  REDACTION_BYTES_MAX: 64 * MIB,
} as const;
