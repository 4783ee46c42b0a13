const MIB = 1024 * 1024;
const SECOND_MS = 1000;

/** What every driver of the store keeps to. */
export const STORE = {
  CALL_DEADLINE_MS: 10 * SECOND_MS,
  /** What decisions have accepted: an analysis does not wait longer, and goes on without. */
  LOOKUP_MS: 1 * SECOND_MS,
  BATCH_MAX: 1_000,
  /** Records and diffs of one batch together; a single larger operation commits alone. */
  BATCH_BYTES_MAX: 16 * MIB,
  /** Writes that wait for their commit; more is refused. */
  PENDING_MAX: 20_000,
  DRAFTS_LIMIT_MAX: 1_000,
  DIFF_RETENTION_DAYS: 30,
  /** Of a sealed diff: up to this SQLite keeps it in its database, and has one sync a batch. */
  SMALL_DIFF_BYTES_MAX: 64 * 1024,
  PRUNE_INTERVAL_MS: 3_600 * SECOND_MS,
} as const;

/** Calls about pushes. */
export const PUSH_STORE = {
  /** Older pushes of one ref that one claim names, and one step supersedes. */
  GROUP_MAX: 500,
  /** Repositories or refs that one claim passes over because others hold them. */
  CLAIM_HOPS_MAX: 200,
  /** Repositories of which a daemon knows the ref that had its turn last. */
  TURNS_REMEMBERED: 10_000,
  /** Repositories or due statuses that one call lists: each comes with its record. */
  LIST_LIMIT_MAX: 1_000,
  HEADS_PER_CALL_MAX: 500,
  REFS_PER_CALL_MAX: 1_000,
  /** Refused pushes of a page of commits, and pushes of one commit, that are looked at. */
  REFUSED_MAX: 100,
  DEPTH_COUNTED_MAX: 3_000_000,
} as const;

/** Reviews after the verdict, and what is remembered of them. */
export const REVIEW_STORE = {
  DEPTH_COUNTED_MAX: 10_000,
  REMEMBERED_MAX: 500,
  LINES_PER_CALL_MAX: 500,
} as const;

/** The audit trail, whichever driver keeps it. */
export const TRAIL = {
  DECIDE_DEADLINE_MS: 10 * SECOND_MS,
  /** Findings that the entry of an override names; it counts all of them. */
  FINDINGS_NAMED_MAX: 100,
  /** Heads of other chains that one boot names; the next one names those that are left. */
  HEADS_NAMED_MAX: 300,
  /** Entries that are read at once, by `verify` and `export`. */
  READ_PAGE: 1_000,
  /** How often a daemon reads on by such a page, to notice entries that were removed. */
  PATROL_INTERVAL_MS: 15_000,
  /** A signed root is due after so many entries, or after that time if there are any. */
  CHECKPOINT_ENTRIES: 1_000,
  CHECKPOINT_INTERVAL_MS: 60 * SECOND_MS,
  /** A clock that goes back by more gets an entry in the trail. */
  CLOCK_STEP_MS: 1 * SECOND_MS,
  /** How long a decision waits for the comparison that a start begins. */
  GATE_WAIT_MS: 3 * SECOND_MS,
} as const;
