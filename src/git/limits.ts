const KIB = 1024;
const MIB = 1024 * 1024;
const SECOND_MS = 1000;

/** Git and its mirrors. */
export const GIT = {
  /**
   * Parts of it: a diff with renames, then without, and the patches of the commits. To compare
   * 1,000 removed files with 1,000 new ones takes minutes if their author wants it to.
   */
  RENAMES_MS: 20 * SECOND_MS,
  PATCH_MS: 40 * SECOND_MS,
  HISTORY_MS: 30 * SECOND_MS,
  /** All commands of one search for reverts. */
  REVERTS_MS: 150 * SECOND_MS,
  /** Commands that read mirrors at once; commands that wait for one host. */
  READS_MAX: 4,
  HOST_CALLS_MAX: 4,
  /** Processes at once: as many groups can be ended by the main thread. */
  GROUPS_MAX: 256,
  /** A repository that does not fit is not fetched again for so long. */
  TOO_LARGE_MS: 600 * SECOND_MS,
  /** A repository of `mirror_path` that does not answer for so long cannot be read. */
  ALTERNATE_MS: 10 * SECOND_MS,
  /** How often a daemon looks whether git is there. */
  LOOK_INTERVAL_MS: 60 * SECOND_MS,
  /** How often a running command is asked whether it may go on. */
  WATCH_INTERVAL_MS: 100,
  /** A host that sends less than this for so long is given up. */
  STALL_BYTES_PER_SECOND: 1 * KIB,
  STALL_SECONDS: 20,
  /** Each of the two calls that give a token of a GitHub App. */
  APP_TOKEN_DEADLINE_MS: 10_000,
  /** What is kept of git's error output, and of it in a sentence. */
  ERROR_BYTES_MAX: 8 * KIB,
  REASON_CHARS_MAX: 200,
  /** Names and ids that git lists: refs of a repository, files of a range. */
  LIST_BYTES_MAX: 64 * MIB,
  /** Commits that one `sync` may want, refs included. */
  IDS_MAX: 1_000,
  REF_CHARS_MAX: 1_024,
  BLOB_BYTES_MAX: 4 * MIB,
  /** Files that the flows of a change lead to, read at once. */
  PROGRAM_BYTES_MAX: 16 * MIB,
  /** Binary content up to this size is shown as text; above it is a marker, which is a finding. */
  TEXT_BYTES_MAX: 1 * MIB,
  /** Whole files that rules over several lines need, together; longer ones stay hunks. */
  WIDE_BYTES_MAX: 16 * MIB,
  /** The diff of one file that is compared with a decided one, the whole file as its context. */
  COMPARED_BYTES_MAX: 8 * MIB,
  /** Files that a decided range and the base both change; no decision covers more. */
  COMPARED_FILES_MAX: 128,
  /** Renames of a compared change are looked for among so many files on each side. */
  COMPARED_RENAMES_MAX: 200,
  /** Patches of the commits of one range; beyond is `history-unscanned`. */
  HISTORY_BYTES_MAX: 64 * MIB,
  /** Commit and tag objects of one range; beyond is `history-unscanned`. */
  MESSAGES_BYTES_MAX: 16 * MIB,
  /** A tag may name a tag; beyond so many the rest is `history-unscanned`. */
  TAG_DEPTH_MAX: 8,
  /** Renames are looked for among so many files on each side: git's own default. */
  RENAMES_MAX: 1_000,
  /** git's answers of a line or two. */
  ANSWER_BYTES_MAX: 64 * KIB,
  /** Of a process that reads a change; of a process that reads a whole repository. */
  MEMORY_BYTES_MAX: 1024 * MIB,
  FETCH_MEMORY_BYTES_MAX: 4096 * MIB,
  /** Packs of one mirror, one for each fetch, before the small ones are joined. */
  PACKS_MAX: 50,
  /** With so many bytes of packs a mirror gets a graph of its commits after its first fetch. */
  GRAPH_PACK_BYTES_MIN: 8 * MIB,
  /** Heads that a mirror names to its host as known; the newest stay. */
  KEPT_MAX: 1_000,
} as const;
