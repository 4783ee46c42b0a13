const KIB = 1024;
const MIB = 1024 * 1024;
const SECOND_MS = 1000;

/** Bodies of requests. */
export const BODY = {
  /** `analyze`, `webhook` and `pre-receive`. */
  LARGE_BYTES_MAX: 32 * MIB,
  /** Bodies that the main thread reads itself: more JSON at once would block it. */
  SMALL_BYTES_MAX: 256 * KIB,
  /** Smaller bodies cannot hold enough values to matter. */
  UNCOUNTED_BYTES_MAX: 1 * MIB,
  VALUES_MAX: 100_000,
} as const;

/** Fields of requests. Characters are Unicode code points. */
export const FIELDS = {
  REPO_NAME_CHARS_MAX: 512,
  BRANCH_CHARS_MAX: 1024,
  COMMIT_MESSAGE_CHARS_MAX: 64 * KIB,
  ID_CHARS_MAX: 200,
  RFC_ID_CHARS_MAX: 128,
  /** RFC 5321, 4.5.3.1.3, without the brackets. */
  EMAIL_CHARS_MAX: 254,
} as const;

/** Jobs of scan threads, and the calls that wait for them. */
export const JOB = {
  /** From the start of an attempt. */
  ATTEMPT_DEADLINE_MS: 110 * SECOND_MS,
  /** An RFC whose attempts ended with their thread or daemon this often is BLOCKED. */
  ATTEMPTS_MAX: 3,
  /** A thread that does not end its job this long after its deadline is replaced. */
  THREAD_GRACE_MS: 5 * SECOND_MS,
  /** Hiding secrets in the texts of one decision. */
  REDACT_DEADLINE_MS: 5 * SECOND_MS,
  /** Starting a thread and its AST child, all attempts together. */
  PREPARE_DEADLINE_MS: 900 * SECOND_MS,
} as const;

/** Calls of the git thread. */
export const SOURCE = {
  /**
   * A fetch that is ended leaves nothing, so a first clone must fit: 250 s on a busy machine for
   * 300,000 files and 200,000 commits of 240 MB. A host that sends nothing is left after
   * GIT.STALL_SECONDS.
   */
  SYNC_DEADLINE_MS: 3_600 * SECOND_MS,
  REFS_DEADLINE_MS: 30 * SECOND_MS,
  READ_DEADLINE_MS: 60 * SECOND_MS,
  DIFF_DEADLINE_MS: 150 * SECOND_MS,
  /** With all that its commands wait for, behind pushes; GIT.REVERTS_MS is for the commands. */
  REVERTS_DEADLINE_MS: 3_600 * SECOND_MS,
  ANCESTRY_PAGE_MAX: 100_000,
  /** Whole files that are read beside one diff, and all of them together. */
  BLOBS_MAX: 2_000,
  BLOBS_BYTES_MAX: 64 * MIB,
} as const;

/** Findings of one RFC; the worst are kept and `findings-overflow` tells how many there were. */
export const FINDINGS_PER_RFC_MAX = 500;

/** Titles of findings, and the steps between a source and a sink. */
export const FLOW = {
  TITLE_CHARS_MAX: 200,
  /** Source and sink included. */
  STEPS_MAX: 12,
  /** Of the words for one step. */
  WHAT_CHARS_MAX: 200,
  /** Of a name of the change within them. */
  NAME_CHARS_MAX: 60,
  /** All steps of one RFC, and all steps of one fragment of code, as JSON. */
  RECORD_BYTES_MAX: 1 * MIB,
} as const;

/** Lists of RFCs. */
export const RFCS = {
  LIST_LIMIT_DEFAULT: 50,
  LIST_LIMIT_MAX: 100,
  /** RFCs of each kind that are shown as connected with one. */
  RELATED_MAX: 50,
} as const;

/** Bounds of SERVICE_RETENTION_CONFIG. */
export const RETENTION = {
  /** Rules, and legal holds. */
  ENTRIES_MAX: 100,
  DAYS_MAX: 36_500,
  /** How long sealed diffs are kept; reviews that wait for their provider read them. */
  DIFF_DAYS_DEFAULT: 30,
  DIFF_DAYS_MIN: 7,
  /** No RFC leaves for the archive before its diff is gone. */
  DIFF_DAYS_MAX: 90,
} as const;

/** Searches over RFCs, and what the stores index of each RFC for them. */
export const SEARCH = {
  CHARS_MAX: 1_024,
  TERMS_MAX: 12,
  /** Entries of an index that one page of a search looks at; the next page goes on behind them. */
  EXAMINED_MAX: 5_000,
  /** The same for a text that is left out: its entries lie further apart than rows of a page. */
  LEFT_OUT_EXAMINED_MAX: 50_000,
  /** Of a record: rules, fingerprints, digests of contributors, and words with their text. */
  RULES_MAX: 50,
  FINDINGS_MAX: 20,
  CONTRIBUTORS_MAX: 16,
  WORDS_MAX: 24,
  TEXT_CHARS_MAX: 2_048,
  VALUE_CHARS_MAX: 100,
} as const;

/** The newest RFCs that facets of a search count, and the values of each facet that they name. */
export const FACETS = { RECORDS_MAX: 500, VALUES_MAX: 10 } as const;

/** Earlier changes with the finding of an RFC. */
export const SEEN = { CHANGES_MAX: 10 } as const;

/** Decisions, bulk decisions and entries of the operations log. */
export const DECISIONS = {
  /** Characters of a reason, after redaction. */
  REASON_CHARS_MAX: 4_000,
  ACTOR_CHARS_MAX: 200,
  /** Entries of one caller's ops-log. */
  OPS_LOG_PER_MINUTE_MAX: 60,
  OPS_LOG_TEXT_CHARS_MAX: 4_000,
  /** Findings that one decision names to accept them. */
  ACCEPTED_IDS_MAX: 100,
  BULK_MAX: 1_000,
  /** Ids that one bulk call may name; a call decides about BULK_MAX of them. */
  BULK_IDS_MAX: 5_000,
  /** Decisions of one bulk call that are under way at once: what one group commit takes. */
  BULK_PARALLEL: 100,
  /** Answers of bulk calls that are kept for a repeat with the same Idempotency-Key. */
  BULK_REPLAYS_MAX: 32,
  /** Callers whose ops-log quota is remembered at once. */
  OPS_LOG_CALLERS_MAX: 10_000,
  IDEMPOTENCY_KEY_CHARS_MAX: 255,
} as const;

/** Overrides by the token of agents. */
export const AGENTS = {
  /** Highest risk score, and overrides of 24 hours, unless the settings say otherwise. */
  SCORE_DEFAULT: 70,
  OVERRIDES_PER_DAY_DEFAULT: 20,
  OVERRIDES_PER_DAY_MAX: 1_000,
  /** The period that rolls on, in which they are counted. */
  DAY_MS: 24 * 3_600_000,
} as const;

/** Remediation tasks. */
export const TASKS = {
  LIST_LIMIT_DEFAULT: 100,
  LIST_LIMIT_MAX: 500,
  TITLE_CHARS_MAX: 200,
  /** RFCs of a tenant, the newest, in which the one open finding of a rule is searched. */
  RULE_SEARCH_RFCS_MAX: 2_000,
} as const;

/** dispatcher/status. */
export const STATUS = {
  /** A part that has not answered by then is down. */
  PART_WAIT_MS: 2 * SECOND_MS,
  /** How often the state of the audit trail is compared with the one before, for the log. */
  TRAIL_LOOK_MS: 2 * SECOND_MS,
} as const;

/** The answers to load balancers. */
export const READINESS = {
  /** How old a look at the parts may be. */
  LOOK_MS: SECOND_MS,
  /** A balancer that has not asked for so long is not there any more. */
  ASKED_WITHIN_MS: 30 * SECOND_MS,
  /** Balancers that are known apart. */
  CALLERS_MAX: 16,
  /** At a stop: so many refusals take a daemon out (HAProxy's `fall`, Kubernetes' threshold: 3). */
  REFUSALS: 3,
  /** At a stop: the longest wait for them. */
  STOP_WAIT_MS: 8 * SECOND_MS,
} as const;

/** The ledger of LLM calls. */
export const USAGE = {
  NAME_CHARS_MAX: 200,
  CONTEXT_CHARS_MAX: 1_000,
  /** Of one call. Sums of tokens are exact to 2^53: nine million calls of the largest kind. */
  TOKENS_MAX: 1_000_000_000,
  /**
   * Of one call. In nano-dollars it is exact as a double, and the sum of an hour, provider and
   * model, which is a 64-bit integer, takes nine million calls of the dearest kind.
   */
  COST_USD_MAX: 1_000,
  /** Days, providers and models of one summary: about 1 MB of JSON; more is refused. */
  SUMMARY_LINES_MAX: 5_000,
  /** What a summary without `since` goes back. */
  SUMMARY_DAYS_DEFAULT: 30,
  /** About ten years. */
  HOURS_MAX: 87_600,
} as const;

/** A rule set is compiled and tried on its examples in a process of its own. */
export const RULES = {
  /** Entries of `pipeline.modes`, and rules or branches of one of them. */
  MODES_MAX: 1_000,
  /** CPU time of the process that tries rules: on a busy machine the clock says little of them. */
  CHECK_CPU_MS: 60 * SECOND_MS,
  FILE_BYTES_MAX: 16 * MIB,
  PROBLEMS_SHOWN_MAX: 20,
  /** Processes that try rules at the same time. */
  BUILDS_MAX: 2,
  /** Rules that wait to be tried; more is refused. */
  BUILDS_WAITING_MAX: 16,
  /** How often a daemon looks whether another one has stored rules. */
  FOLLOW_INTERVAL_MS: 5 * SECOND_MS,
  /** Fifteen digits: what a query may hold as a number, exact as a double. */
  NUMBER_MAX: 999_999_999_999_999,
  /** Revisions in one list. */
  LIST_MAX: 100,
  /** A dry run looks at so many of the newest RFCs, for so long. */
  DRY_RUN_RFCS_DEFAULT: 50,
  DRY_RUN_RFCS_MAX: 100,
  DRY_RUN_MS: 60 * SECOND_MS,
  /** Bytes of diffs that one dry run reads. */
  DRY_RUN_BYTES_MAX: 256 * MIB,
  /** Dry runs under way and waiting: one runs at a time. */
  DRY_RUNS_WAITING_MAX: 8,
  COMMENT_CHARS_MAX: 500,
  /** Entries of `ast.catalogue`; rows and examples of each, and how long these are. */
  CATALOGUE_ENTRIES_MAX: 100,
  CATALOGUE_LINES_MAX: 100,
  CATALOGUE_LINE_CHARS_MAX: 500,
  CATALOGUE_EXAMPLES_MAX: 50,
  CATALOGUE_EXAMPLE_CHARS_MAX: 4_000,
  /** Rows times examples, over all entries: how often an example is looked at in a trial. */
  CATALOGUE_TRIES_MAX: 2_000,
  /** Types, paths and values of one rule on documents. */
  DOCUMENT_TESTS_MAX: 100,
  /** Accepted fingerprints of one rule set. */
  ACCEPTED_MAX: 10_000,
  /** The longest time that `max_acceptance_days` may give: about ten years. */
  ACCEPTANCE_DAYS_MAX: 3_650,
  /** When the review of an emergency is due. */
  EMERGENCY_REVIEW_DAYS_DEFAULT: 3,
  EMERGENCY_REVIEW_DAYS_MAX: 365,
  /** Components of one rule set, and of one its paths or branches, their length, and its modes. */
  COMPONENTS_MAX: 300,
  /** Reports that changes wait for. */
  REQUIRED_REPORTS_MAX: 20,
  TOOL_CHARS_MAX: 80,
  /** Rows of the severities of reports. */
  REPORT_SEVERITIES_MAX: 300,
  REPORT_WITHIN_SECONDS_MAX: 86_400,
  /** Globs of one setting, and characters of each. */
  PATHS_MAX: 300,
  PATH_CHARS_MAX: 300,
  COMPONENT_PATHS_MAX: 50,
  COMPONENT_PATH_CHARS_MAX: 300,
  COMPONENT_MODES_MAX: 100,
  /** Findings that the verdict of one component names; it counts all of them. */
  COMPONENT_FINDINGS_MAX: 5,
} as const;

/** What `cra pre-receive` sends and is answered. */
export const PRE_RECEIVE = {
  /** Refs of one push that the trail names; it counts all of them. */
  REFS_SHOWN_MAX: 20,
  /** Findings of one answer, the worst; it counts all of them. */
  FINDINGS_MAX: 10,
  REASON_CHARS_MAX: 1_000,
  /** Rules that refuse besides secrets, and people who may bypass. */
  LIST_MAX: 1_000,
} as const;

/** What people say about RFCs; a comment has 4 KB of plain text. */
export const REMARKS = {
  MESSAGE_CHARS_MAX: 1_000,
  COMMENT_CHARS_MAX: 4_000,
  /** Of one RFC. */
  FINDINGS_MAX: 100,
  COMMENTS_MAX: 500,
  /** People who are asked to decide. */
  REQUESTS_MAX: 50,
} as const;

/** Counts by day of verdicts, decisions and rules. */
export const TRENDS = {
  DAYS_DEFAULT: 30,
  /** Older days are forgotten. */
  DAYS_MAX: 400,
  /** Rules of one RFC that are counted, the worst. */
  RULES_PER_RFC_MAX: 50,
  RULE_CHARS_MAX: 100,
  /** Rules of one answer. */
  RULES_SHOWN_MAX: 50,
  /** Components of one RFC that are counted as blocked. */
  COMPONENTS_PER_RFC_MAX: 50,
  /** And as passed, which most are: each is a write. */
  PASSED_COMPONENTS_PER_RFC_MAX: 10,
  /** Repositories and components of one answer, which have most BLOCKED RFCs. */
  PLACES_SHOWN_MAX: 20,
  /** Days of repositories with a BLOCKED RFC that one answer adds up, the newest. */
  REPOSITORY_DAYS_MAX: 20_000,
  /** Half octaves of seconds: 48 days, or longer. */
  WAIT_STEP_MAX: 44,
} as const;

/** A line of `GET rfcs`: fifty of them are at most 256 KiB. */
export const SUMMARY = {
  COMPONENTS_MAX: 5,
  BYTES_MAX: 5_200,
  MESSAGE_CHARS_MAX: 500,
  REASON_CHARS_MAX: 300,
  /** Of one gate. */
  FINDINGS_MAX: 20,
  FINDING_CHARS_MAX: 300,
} as const;
