const KIB = 1024;
const MIB = 1024 * 1024;
const SECOND_MS = 1000;

/** Gate 1. */
export const RISK_GATE = {
  /** A longer line is matched in windows that reach this far around its keywords. */
  LINE_WINDOW_BYTES: 4 * KIB,
  /** A window that grew longer is cut into pieces that overlap by LINE_WINDOW_BYTES. */
  LINE_PIECE_BYTES: 16 * KIB,
  /** The new side of a hunk, joined, for multi-line patterns; longer hunks overlap in pieces. */
  HUNK_WINDOW_BYTES: 256 * KIB,
  /** The longest multi-line match that is certain to be found wherever a piece ends. */
  HUNK_OVERLAP_BYTES: 64 * KIB,
  /** The same for lines as they read, without invisible characters and joined at `\`. */
  PLAIN_OVERLAP_BYTES: 8 * KIB,
  MATCHES_PER_RULE_MAX: 100,
  /** Bytes of one diff that are read again after a first match; more is `risk-unscanned`. */
  RESCAN_BYTES_MAX: 256 * MIB,
  /** Shorter runs of base64 or hex digits are not decoded: no token fits in. */
  ENCODED_RUN_BYTES_MIN: 24,
  /** Base64 on either side of a line break that is decoded together: a token fits in. */
  BROKEN_BYTES_MAX: 256,
  /** An encoding within an encoding is decoded, too, but not one within that. */
  ENCODED_DEPTH_MAX: 2,
  /** Encoded bytes that are decoded, all depths together; beyond is `risk-undecoded`, low. */
  DECODED_BYTES_PER_LINE_MAX: 1 * MIB,
  DECODED_BYTES_PER_HUNK_MAX: 4 * MIB,
  DECODED_BYTES_PER_DIFF_MAX: 16 * MIB,
  /** Joined string literals, lines that continue each other included. */
  LITERAL_BYTES_MAX: 16 * KIB,
  /** Longer lines are looked at in pieces that overlap by this much. */
  LITERAL_OVERLAP_BYTES: 1 * KIB,
  /** Expressions run between two looks at the cancel flag. */
  CANCEL_CHECK_RUNS: 256,
  PATTERNS_MAX: 5_000,
  ID_CHARS_MAX: 100,
  REGEX_CHARS_MAX: 4 * KIB,
  KEYWORDS_MAX: 20_000,
  KEYWORD_BYTES_MAX: 128,
  /** States times byte classes of the keyword automaton, 4 bytes each. */
  KEYWORD_TABLE_CELLS_MAX: 16 * MIB,
  EXCERPT_CHARS_MAX: 200,
  /** Secrets that are looked for in all excerpts, together; with more there are no excerpts. */
  REDACTION_BYTES_MAX: 64 * KIB,
  /** Attempts to find a cut secret at the ends of other gates' excerpts; then none is shown. */
  REDACTION_COMPARES_MAX: 4 * MIB,
  /** Places of secrets that are remembered until a hunk ends; with more it has no excerpts. */
  MASKS_PER_HUNK_MAX: 100_000,
} as const;

/** Gate 2. The reasons are in docs/why/architecture.md, "What can die". */
export const AST_GATE = {
  FRAGMENT_BYTES_MAX: 256 * KIB,
  LINE_BYTES_MAX: 20 * KIB,
  BRACKET_DEPTH_MAX: 256,
  /** Tokens of one operator, `a<`, `.x` or the like without a `;` between. */
  RUN_TOKENS_MAX: 2_000,
  /**
   * Levels of syntax that are lowered, and expressions and blocks that are evaluated within each
   * other, in functions that are called too; what is deeper is left out, and said. A statement in
   * the syntax is two levels. Chains `a + b + c` and `else if` take no recursion: they are one
   * level with at most RUN_TOKENS_MAX links. With the interpreter of V8 a level takes up to 1 KB of
   * the stack where it is lowered and 1.4 KB where it is evaluated (measured); the stack is 984 KB.
   */
  LEVELS_MAX: 400,
  /** Parse calls for one fragment, all ways to wrap and trim it included. */
  PARSE_CALLS_MAX: 64,
  /** Text that the parser reads for one fragment in all calls, in UTF-16 units. */
  PARSE_LENGTH_MAX: 512 * KIB,
  /**
   * CPU time of the child for one call; then it is killed. Time on the clock does not count: on a
   * busy machine the same diff would get another verdict. What the bounds above allow takes a
   * fraction of it.
   */
  CALL_CPU_MS: 4 * SECOND_MS,
  /**
   * Work for one RFC: text given to the parser, in UTF-16 units, and STEP_WORK of them for each
   * node that is evaluated again within a call; the rest is `ast-unparsed`. It ends long before
   * RFC_CPU_MS does, and at the same fragment each time.
   */
  RFC_WORK_MAX: 24 * MIB,
  /** A node takes 2 to 3 us where a character takes about 1, measured over npm packages. */
  STEP_WORK: 2,
  /** CPU time of the child for one RFC; calls that were killed count with all they were given. */
  RFC_CPU_MS: 60 * SECOND_MS,
  /**
   * Changed files that are read whole, in both versions, and the work and CPU time for them, as
   * above and beside it; the rest is judged by its hunks. The child may end so often on them.
   */
  WHOLE_FILES_MAX: 300,
  WHOLE_WORK_MAX: 8 * MIB,
  WHOLE_CPU_MS: 20 * SECOND_MS,
  WHOLE_FAILURES_MAX: 5,
  /** Fragments sent to the child at once. */
  BATCH_BYTES: 256 * KIB,
  /** Whole files whose result a scan thread keeps, and findings of one, about 2 KB each. */
  KNOWN_RESULTS_MAX: 2_000,
  KNOWN_FINDINGS_MAX: 10,
  CHILD_RESTART_MAX_PER_RFC: 50,
} as const;

/** Files that the flows of changed files lead to. What is cut off is `ast-program-partial`. */
export const PROGRAM = {
  /** Files from one to the next. */
  DEPTH_MAX: 5,
  /** Files that each side of one change may read beside its own files. */
  FILES_MAX: 200,
  /** How often they may be followed, each with one file of the change, and characters of that. */
  USES_MAX: 1_000,
  CHARS_MAX: 2 * MIB,
  /** A longer file is left out. */
  FILE_CHARS_MAX: 256 * KIB,
  /** Paths and folders that each side of one change may ask for. */
  PATHS_MAX: 20_000,
  FOLDERS_MAX: 1_000,
  /**
   * Where callers of a changed function are looked for: folders around it, files in those, the
   * nearest first, and callers that are followed, callers of callers included.
   */
  CALLER_FOLDERS_MAX: 300,
  CALLER_FILES_MAX: 2_000,
  CALLERS_MAX: 16,
  CALLER_DEPTH_MAX: 2,
} as const;

/** Following values through one fragment. What is due to the text itself is linear in it. */
export const TAINT = {
  /** Calls of the fragment's own functions that are followed into them, and how deep. */
  CALLS_MAX: 300,
  CALL_DEPTH_MAX: 4,
  /** Nodes evaluated again within such calls, or walked to see what a function is. */
  STEPS_MAX: 60_000,
  /** Elements and properties known of one array or object; `[...a, ...a]` doubles them. */
  MEMBERS_MAX: 256,
} as const;
