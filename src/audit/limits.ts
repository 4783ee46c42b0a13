const KIB = 1024;
const MIB = 1024 * 1024;

/** One entry. */
export const ENTRY = {
  ENTRY_BYTES_MAX: 64 * KIB,
  DETAILS_DEPTH_MAX: 16,
  /** Decisions that one entry of an acceptance names. */
  ACCEPTED_NAMED_MAX: 500,
} as const;

/** Reading a trail to verify or export it. What grows with its entries is bounded here. */
export const AUDIT_READ = {
  /** Entries behind the last checkpoint that a start follows; they are seldom above 1,000. */
  FOLLOWED_ENTRIES_MAX: 20_000,
  CHAINS_MAX: 100_000,
  /** Heads of other chains that all boot entries name together. */
  NAMED_HEADS_MAX: 1_000_000,
  /** A repeated op_id is found when no more than this many others stand between (~150 MB). */
  OP_IDS_REMEMBERED: 500_000,
  /** Intents that wait for their outcome, and outcomes that wait for their intent. */
  OPEN_OPERATIONS_MAX: 100_000,
  /** Records and entries that are compared at once. */
  COMPARED_AT_ONCE: 200,
  /** Of a value in the description of a difference. */
  SHOWN_CHARS_MAX: 120,
  /** How far the clocks of two daemons may differ (MONGO_TRAIL.CLOCK_DIFFERENCE_MS). */
  CLOCK_DIFFERENCE_MS: 600_000,
  /** Differences between store and trail that a result lists; it counts all of them. */
  DIFFERENCES_LISTED_MAX: 100,
  /** Warnings that a result lists; it counts all of them. */
  WARNINGS_LISTED_MAX: 20,
  /** First and last line of an export; they name its chains. */
  EXPORT_LINE_BYTES_MAX: 128 * MIB,
  BLOCK_BYTES: 1 * MIB,
  /** Files with checkpoints that were kept elsewhere. */
  KEPT_CHECKPOINT_BYTES_MAX: 16 * MIB,
} as const;
