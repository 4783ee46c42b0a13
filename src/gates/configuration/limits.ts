const KIB = 1024;

/** Documents of configuration. */
export const DOCUMENTS = {
  /** A longer text is not read: GitHub and GitLab take far shorter ones. Bytes. */
  BYTES_MAX: 256 * KIB,
  /** Lists and maps within each other; GitLab takes 100 (docs.gitlab.com, max_yaml_depth). */
  DEPTH_MAX: 100,
  /** Brackets that are open at once; a text with more is not given to the parser. */
  BRACKETS_MAX: 500,
  /** Nodes of a document with its aliases followed. */
  NODES_MAX: 200_000,
  /** Items of lists behind variables, each time that a rule looks at one, for a document. */
  BORROWED_MAX: 500_000,
  /** Documents in one text. */
  COUNT_MAX: 1_000,
  /** Blocks in settings of a server. */
  BLOCKS_MAX: 5_000,
  /**
   * The end of the names of a block and of the blocks around it, by which it is known. Characters.
   */
  ADDRESS_CHARS_MAX: 300,
  /** Values of a message; a longer one is not shown. */
  SHOWN_CHARS_MAX: 80,
  /** Files of one change that are read whole; together they may be so long, bytes. */
  FILES_MAX: 500,
  TOTAL_BYTES_MAX: 4 * KIB * KIB,
  /**
   * Files of modules of Terraform that are read for the values of variables of one change, and
   * folders that are listed for them.
   */
  MODULE_FILES_MAX: 300,
  /** Findings of one file, and of one change; that there are more is a finding. */
  FINDINGS_MAX: 200,
  FINDINGS_OF_CHANGE_MAX: 2_000,
  /** Of these, low and info ones: graver ones always have room. */
  MILD_OF_CHANGE_MAX: 1_000,
} as const;

/** Plans of Terraform, as JSON. */
export const PLANS = {
  /** As bodies of requests. */
  BYTES_MAX: 32 * KIB * KIB,
  /** Resources that it has, unchanged ones too. */
  RESOURCES_MAX: 20_000,
  MODULES_MAX: 20_000,
  /** Values of resources that change, and expressions. */
  NODES_MAX: 1_000_000,
  /** An address, a type or a name. Characters. */
  ADDRESS_CHARS_MAX: 2_000,
  /** Findings that one plan brings; that there are more is a finding. */
  FINDINGS_MAX: 1_000,
  /** Addresses that one finding names. */
  ADDRESSES_SHOWN_MAX: 5,
} as const;

/** Migrations of databases. */
export const MIGRATIONS = {
  /** A longer file is hardly written by hand: rules on lines look at it. Characters. */
  CHARS_MAX: 1024 * KIB,
  /** What one file does to a database. */
  OPERATIONS_MAX: 10_000,
  /** Tokens of one call in a migration that is code; what stands behind is not seen. */
  CALL_TOKENS_MAX: 1_000,
} as const;

/** Expressions of workflows. */
export const EXPRESSIONS = {
  /** Parentheses and functions within each other. */
  DEPTH_MAX: 50,
  /** A longer expression counts with every name that it holds. Characters. */
  CHARS_MAX: 4 * KIB,
} as const;

/** The search for code that is fetched and run. */
export const FETCHES = {
  /** Text of one piece that is searched; the rest is cut into further pieces. Characters. */
  PIECE_CHARS_MAX: 64 * KIB,
  /** Pieces overlap by so much: a download is run within this distance. Characters. */
  REACH_CHARS: 4 * KIB,
  /** From a command to what it is piped into. Characters. */
  COMMAND_CHARS_MAX: 600,
  /** Scripts of one change that hold a word for a download, all together. Characters. */
  CHANGE_CHARS_MAX: 4 * KIB * KIB,
  /** A longer line of a program was written by a tool: its parts stand together by chance. */
  LINE_CHARS_MAX: 1_000,
  /** Downloads of one piece whose files are looked for. */
  DOWNLOADS_MAX: 100,
} as const;
