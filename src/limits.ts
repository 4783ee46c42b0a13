/**
 * Every bound of the service, with its unit in the name. A bound that a setting may change is
 * the default of that setting. Hostile input is normal input: nothing grows past these.
 */

const KIB = 1024;
const MIB = 1024 * KIB;
const SECOND_MS = 1000;

/** Front door. */
export const HTTP = {
  /** `analyze` and `webhook` bodies. */
  LARGE_BODY_BYTES_MAX: 32 * MIB,
  /** Bodies that the main thread reads itself: more JSON at once would hold others up. */
  SMALL_BODY_BYTES_MAX: 256 * KIB,
  /** Bodies that are arriving or waiting, all together: what admission charges. */
  BODY_BUDGET_BYTES: 512 * MIB,
  /**
   * The same of bodies whose sender has proved nothing yet: a budget of their own. uWebSockets.js
   * may hand over a whole body of a fast connection before a pause holds: six of the largest.
   */
  UNPROVEN_BUDGET_BYTES: 256 * MIB,
  /** An unproven body above this goes on to disk; all of them together take so much of it. */
  UNPROVEN_IN_MEMORY_BYTES_MAX: 256 * KIB,
  SPOOL_BUDGET_BYTES: 4096 * MIB,
  /** Bytes of one spooled body that wait for the disk; above it the connection is paused. */
  SPOOL_WAITING_BYTES_MAX: 512 * KIB,
  /** Bodies of one address that go to disk at once; the others wait, unread. */
  SPOOLING_PER_ADDRESS_MAX: 6,
  /** Spooled bodies that are in memory at once, as their senders have proved who they are. */
  SPOOLED_IN_MEMORY_MAX: 3,
  /** Unproven bytes of one address: thirty of GitHub's largest payloads (25 MB). */
  UNPROVEN_BYTES_PER_ADDRESS_MAX: 768 * MIB,
  /**
   * Unproven bodies of one address. A byte holds a whole chunk of memory: without it, one address
   * could spend the budget of all by 1,536 connections with a byte each.
   */
  UNPROVEN_BODIES_PER_ADDRESS_MAX: 64,
  /** A valid signature lifts both for its address. */
  PROVEN_ADDRESS_MS: 3_600 * SECOND_MS,
  PROVEN_ADDRESSES_MAX: 10_000,
  /** Chunks of bodies that are kept for the next ones. */
  IDLE_CHUNK_BYTES_MAX: 32 * MIB,
  /** Request line and headers together; more is 431. */
  HEADER_BYTES_MAX: 32 * KIB,
  /** What uWebSockets.js itself accepts; above ours, so that the refusal is in the envelope. */
  HEADER_BYTES_HARD_MAX: 64 * KIB,
  /**
   * uWebSockets.js closes connections below 16 KB/s without a word; ours is stricter, so that the
   * client gets an answer. A body must bring this much every BODY_RATE_WINDOW_MS, else 408.
   */
  BODY_RATE_BYTES_MIN: 96 * KIB,
  BODY_RATE_WINDOW_MS: 5 * SECOND_MS,
  BODY_DEADLINE_MS: 60 * SECOND_MS,
  BODY_CHECK_INTERVAL_MS: 1 * SECOND_MS,
  /** Requests that are there in full and being answered; more is 503. */
  IN_FLIGHT_MAX: 4096,
  /** A request that took longer is in the log. */
  SLOW_REQUEST_MS: 1 * SECOND_MS,
  /** Places of their own for health and dispatcher/status, and as many for decisions. */
  RESERVED_IN_FLIGHT_MAX: 512,
  /** Replies above this are written in steps as the client reads. */
  REPLY_STEP_BYTES: 64 * KIB,
  /** Longest `?wait=` of GET rfc/<id>. */
  WAIT_SECONDS_MAX: 60,
  /** At a stop: bodies that still arrive get this long, requests in all that long. */
  DRAIN_UPLOADS_MS: 5 * SECOND_MS,
  DRAIN_MS: 20 * SECOND_MS,
  RETRY_AFTER_SECONDS: 2,
} as const;

export const AUTH = {
  /** Spec, Limits: API token length. */
  TOKEN_CHARS_MIN: 32,
  /** Wrong credentials from one address in that time that are answered 401; more is 429. */
  FAILURES_MAX: 30,
  FAILURES_WINDOW_MS: 60 * SECOND_MS,
  /** Addresses that are remembered for that; the one unused for longest goes first. */
  ADDRESSES_MAX: 10_000,
  /** A JWT that was checked is not checked again for so long, nor are more of them remembered. */
  VERIFIED_MS: 5 * 60 * SECOND_MS,
  VERIFIED_MAX: 10_000,
  /** OpenID Connect Core, 2: `sub` has at most 255 characters. */
  SUBJECT_CHARS_MAX: 255,
  /** RFC 5321, 4.5.3.1.3, without the brackets. */
  EMAIL_CHARS_MAX: 254,
  NAME_CHARS_MAX: 200,
  TENANT_CHARS_MAX: 128,
  /** Between our clock and the issuer's. */
  CLOCK_TOLERANCE_SECONDS: 30,
  /** One document of the issuer. */
  ISSUER_TIMEOUT_MS: 5 * SECOND_MS,
  ISSUER_DOCUMENT_BYTES_MAX: 256 * KIB,
  /** The issuer's keys: kept so long, asked for again not sooner than that, for whatever reason. */
  KEYS_MAX_AGE_MS: 10 * 60 * SECOND_MS,
  KEYS_COOLDOWN_MS: 30 * SECOND_MS,
  /** The status report asks the issuer for its keys at most so often. */
  ISSUER_CHECK_MS: 60 * SECOND_MS,
  /** Requests that wait for them; more are refused, so that a slow issuer holds up no others. */
  KEYS_WAITING_MAX: 256,
  /** How much longer they count while the issuer cannot be reached. */
  KEYS_GRACE_MS: 60 * 60 * SECOND_MS,
  /** A browser session ends when it is unused, or anyway after so long. */
  SESSION_IDLE_MS: 60 * 60 * SECOND_MS,
  SESSION_MAX_MS: 12 * 60 * 60 * SECOND_MS,
  /** Use is written down not more often than this. */
  SESSION_TOUCH_MS: 60 * SECOND_MS,
  /** From the way to the issuer to the way back. */
  LOGIN_MS: 10 * 60 * SECOND_MS,
  RETURN_PATH_CHARS_MAX: 512,
  LOGIN_FORM_BYTES_MAX: 4 * KIB,
  /** The link that lets the first admin in. */
  ONE_TIME_LINK_MS: 15 * 60 * SECOND_MS,
  /** Wrong passwords from one address in that time; more is 429. */
  PASSWORD_FAILURES: 5,
  PASSWORD_WINDOW_MS: 15 * 60 * SECOND_MS,
  /** Passwords that wait for their check, one after the other; more is 503. */
  PASSWORD_WAITING_MAX: 4,
  /** ASVS 5, 6.2.1: 15 characters are recommended. */
  PASSWORD_CHARS_MIN: 15,
  PASSWORD_BYTES_MAX: 1 * KIB,
  /** Entries of the audit trail on logins of one person or address; failed ones of everybody. */
  LOGIN_ENTRIES_PER_MINUTE: 20,
  FAILED_LOGIN_ENTRIES_PER_MINUTE: 60,
  /** Cost of scrypt: 2^17 blocks take 128 MiB and some 0.4 s, 2^20 all that one may spend. */
  SCRYPT_LOG_COST_MIN: 15,
  SCRYPT_LOG_COST: 17,
  SCRYPT_LOG_COST_MAX: 20,
  SCRYPT_MEMORY_BYTES_MAX: 1280 * MIB,
} as const;

/** JSON bodies. */
export const BODY = {
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
} as const;

/** What the diff parser reads before it says "too much" in a finding. */
export const DIFF = {
  FILES_MAX: 100_000,
  HUNKS_MAX: 500_000,
  PATH_BYTES_MAX: 4 * KIB,
  HEADER_LINES_MAX: 64,
  PROBLEMS_MAX: 100,
  PARENTS_MAX: 64,
} as const;

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

/** Gate 2. The reasons are in docs/ARCHITECTURE.md, "What kills a parser". */
export const AST_GATE = {
  FRAGMENT_BYTES_MAX: 256 * KIB,
  LINE_BYTES_MAX: 20 * KIB,
  BRACKET_DEPTH_MAX: 256,
  /** Tokens of one operator, `a<`, `.x` or the like without a `;` between. */
  RUN_TOKENS_MAX: 2_000,
  /** Parse calls for one fragment, all ways to wrap and trim it included. */
  PARSE_CALLS_MAX: 64,
  /** Text given to the parser for one fragment, all those calls together, in UTF-16 units. */
  PARSE_LENGTH_MAX: 512 * KIB,
  /** Time for one file's fragments in the child; then it is killed. */
  FILE_DEADLINE_MS: 1 * SECOND_MS,
  /** Parse time for one RFC; what is left over is `ast-unparsed`. */
  RFC_BUDGET_MS: 20 * SECOND_MS,
  /** Fragments sent to the child at once. */
  BATCH_BYTES: 256 * KIB,
  CHILD_RESTART_MAX_PER_RFC: 50,
  CHILD_OLD_SPACE_MIB: 512,
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
  /** Facts that checks tell of names in one scope; an assignment looks through them all. */
  FACTS_MAX: 512,
} as const;

/** Findings of one RFC; the worst are kept and `findings-overflow` tells how many there were. */
export const FINDINGS_PER_RFC_MAX = 500;

/** The code around findings, as people see it. */
export const CODE = {
  /** Lines before and behind that of a finding. */
  LINES_AROUND: 10,
  LINE_CHARS_MAX: 400,
  /** Of a longer line so much around its finding is searched for secrets. */
  PIECE_BYTES_MAX: 2 * KIB,
  /** All lines of one answer. */
  BYTES_MAX: 64 * KIB,
  /** From the request to the answer, waiting for git and for a thread included. */
  DEADLINE_MS: 20 * SECOND_MS,
} as const;

/** Scan pool and pipeline. */
export const PIPELINE = {
  /** Jobs of fewer bytes may use the thread that is kept for small jobs. */
  SMALL_JOB_BYTES: 1 * MIB,
  /** A caller waits this long for a free thread, then 503. */
  ADMISSION_WAIT_MS: 2 * SECOND_MS,
  ADMISSION_QUEUE_MAX: 4096,
  /** Gates 1 and 2 run this long before analyze answers DRAFT. */
  ANSWER_WITHIN_MS: 10 * SECOND_MS,
  /** Hiding secrets in the texts of one decision. */
  REDACT_DEADLINE_MS: 5 * SECOND_MS,
  /** From the start of an attempt. */
  ATTEMPT_DEADLINE_MS: 110 * SECOND_MS,
  /** A thread that does not end its job this long after its deadline is replaced. */
  THREAD_GRACE_MS: 5 * SECOND_MS,
  /** An RFC whose attempts ended with their thread or daemon this often is BLOCKED. */
  ATTEMPTS_MAX: 3,
  THREADS_MIN: 2,
  /** A scan thread and its child are up within this time of the start. */
  PREPARE_DEADLINE_MS: 60 * SECOND_MS,
  /** DRAFTs that a start takes up at once. */
  RESUME_BATCH: 500,
  /** Drafts that a failure left are taken up again after this time. */
  RESUME_RETRY_MS: 30 * SECOND_MS,
  /** How often a daemon that shares its store looks for drafts that another one left. */
  ORPHANS_INTERVAL_MS: 30 * SECOND_MS,
  THREAD_OLD_SPACE_MIB: 1024,
  /** Each lost thread leaves about 9 MiB of RE2's memory behind: after so many, a restart. */
  THREAD_LOSSES_MAX: 50,
} as const;

/** Calls between threads and processes. */
export const RPC = {
  PENDING_MAX: 20_000,
  /** Calls or answers that cross to another thread together: the first must not wait for many. */
  BATCH_MESSAGES_MAX: 64,
  /** Added to a call's deadline before the client gives up on an answer. */
  GRACE_MS: 1 * SECOND_MS,
  /** A service thread that is asked to close ends within this time, or is terminated. */
  THREAD_CLOSE_MS: 10 * SECOND_MS,
  /** A child that gets little CPU time is waited for up to this many deadlines more. */
  STARVED_FACTOR: 10,
  CHILD_START_MS: 10 * SECOND_MS,
  FRAME_BYTES_MAX: 64 * MIB,
} as const;

/** Lists of RFCs. */
export const RFCS = {
  LIST_LIMIT_DEFAULT: 50,
  LIST_LIMIT_MAX: 100,
} as const;

/** Pushes: webhooks, their queue, the statuses that are posted. */
export const PUSHES = {
  /** A webhook waits so long for a store that is down, then 503. */
  STORE_WAIT_MS: 3 * SECOND_MS,
  STORE_RETRY_MS: 250,
  /** Open pushes of the store; above it webhooks are refused and their repositories swept later. */
  OPEN_MAX: 2_000_000,
  /** Share of that at which the status alarms. */
  OPEN_ALARM: 0.7,
  /** Commits that are looked through for an accepted one; behind them the search is given up. */
  ANCESTRY_MAX: 200_000,
  /** Webhooks that are followed back, each from the commit before it, to where a push began. */
  BEFORES_MAX: 1_000,
  /** Heads that were taken back, and heads that rest on one, that one step looks at. */
  FALLEN_PAGE: 100,
  /** A verdict that was made meanwhile is written by then: so long a head that fell is kept. */
  FALLEN_SETTLES_MS: 60 * SECOND_MS,
  /** The newest decisions of a repository that are compared with a blocked range. */
  CARRY_DECISIONS_MAX: 64,
  /** Pushes on top of a decided one that are compared with it. */
  CARRY_ON_TOP_MAX: 16,
  /** Commits of a first-parent line that are compared one by one. */
  CARRY_STEPS_MAX: 32,
  DEPTH_INTERVAL_MS: 10 * SECOND_MS,
  /** A daemon holds what it judges for so long, and says so again while it lives. */
  LEASE_MS: 90 * SECOND_MS,
  RENEW_INTERVAL_MS: 20 * SECOND_MS,
  /** A push whose judgement failed with the store or a thread is tried again after so long. */
  FAILED_HOLD_MS: 5 * SECOND_MS,
  /** Pushes judged at the same time, for each scan thread: one is read while one is scanned. */
  RUNNING_PER_THREAD: 2,
  /** Claimed pushes: most of them wait for their hosts, of which some are slow. */
  IN_HAND_MAX: 64,
  /** JSON values in the payload of one webhook; GitHub lists at most 2,048 commits. */
  DELIVERY_VALUES_MAX: 2_000_000,
  /** A commit that the host does not show yet is asked for again after so long. */
  RETRY_MS: [1_000, 2_000, 4_000, 15_000],
  /** A head that no webhook has announced is taken up not sooner than this. */
  HEAD_GRACE_MS: 5 * SECOND_MS,
  /** How often an idle daemon looks for pushes that others left. */
  POLL_INTERVAL_MS: 5 * SECOND_MS,
  SWEEP_INTERVAL_SECONDS_DEFAULT: 300,
  /** Repositories that one page of a sweep reads, and looks at at the same time. */
  SWEEP_PAGE: 100,
  SWEEP_PARALLEL: 4,
  /** Refs of one repository that a sweep compares. */
  SWEEP_REFS_MAX: 10_000,
  /** Repositories whose webhooks were refused; the rest is found by the sweep of all. */
  REFUSED_REPOS_MAX: 10_000,
  DELIVERY_ID_CHARS_MAX: 200,
  /** Standard Webhooks: how far the time of a signature may be from ours. */
  SIGNED_AGE_MS: 300 * SECOND_MS,
} as const;

/** Settings of Git hosts. */
export const VCS = {
  CONFIG_BYTES_MAX: 1 * MIB,
  /** Certificate authorities of a host; a Linux distribution has some 250 KiB of them. */
  CA_BYTES_MAX: 1 * MIB,
  HOSTS_MAX: 100,
  WEBHOOK_SECRET_CHARS_MIN: 16,
  SWEEP_SECONDS_MIN: 10,
  SWEEP_SECONDS_MAX: 24 * 3_600,
  MIRROR_GIB_DEFAULT: 20,
  MIRROR_GIB_MAX: 64 * 1024,
} as const;

/** Commit statuses at the Git hosts. */
export const COMMIT_STATUS = {
  /** One call of a host's API, its answer included. */
  POST_DEADLINE_MS: 10 * SECOND_MS,
  ANSWER_BYTES_MAX: 64 * KIB,
  /** Calls of one host that are under way at once. */
  PARALLEL_MAX: 4,
  /** Calls of one host at once, and how many more a minute: in no minute more than their sum. */
  BURST_MAX: 30,
  REFILL_PER_MINUTE: 120,
  /** A round begins when it may make so many calls, and reads so many records to choose from. */
  ROUND_CALLS_MIN: 10,
  ROUND_RECORDS_MAX: 20,
  /** With more due than that, DRAFTs are put off for so long. */
  DRAFT_PUT_OFF_MS: 30 * SECOND_MS,
  /** Then it reads again: what was read longer ago is not posted. */
  ROUND_MS: 2 * SECOND_MS,
  /** A status that is not taken is tried again after as long as it has waited, between these. */
  RETRY_MS_MIN: 1 * SECOND_MS,
  RETRY_MS_MAX: 60 * SECOND_MS,
  /** After that time only now and then, and in the end not at all. */
  RETRY_SOON_FOR_MS: 10 * 60 * SECOND_MS,
  RETRY_LATE_MS: 10 * 60 * SECOND_MS,
  RETRY_FOR_MS: 3 * 24 * 3_600 * SECOND_MS,
  /** What a host that limits its callers makes us wait: when it does not say, and at most. */
  LIMITED_MS: 60 * SECOND_MS,
  LIMITED_MS_MAX: 3_600 * SECOND_MS,
  /** At a stop: calls under way get this long. */
  STOP_MS: 3 * SECOND_MS,
  /** GitHub refuses longer descriptions; GitLab's column. Code points. */
  GITHUB_DESCRIPTION_CHARS_MAX: 140,
  DESCRIPTION_CHARS_MAX: 255,
} as const;

/** Git and its mirrors. */
export const GIT = {
  SYNC_DEADLINE_MS: 300 * SECOND_MS,
  REFS_DEADLINE_MS: 30 * SECOND_MS,
  READ_DEADLINE_MS: 60 * SECOND_MS,
  DIFF_DEADLINE_MS: 150 * SECOND_MS,
  /**
   * Parts of it: a diff with renames, then without, and the patches of the commits. To compare
   * 1,000 removed files with 1,000 new ones takes minutes if their author wants it to.
   */
  RENAMES_MS: 20 * SECOND_MS,
  PATCH_MS: 40 * SECOND_MS,
  HISTORY_MS: 30 * SECOND_MS,
  /** Commands that read mirrors at once; those that wait for one host. */
  READS_MAX: 4,
  HOST_CALLS_MAX: 4,
  /** Processes at once: as many groups can be ended by the main thread. */
  GROUPS_MAX: 256,
  /** A repository that does not fit is not fetched again for so long. */
  TOO_LARGE_MS: 600 * SECOND_MS,
  /** How often a running command is asked whether it may go on. */
  WATCH_INTERVAL_MS: 100,
  /** A host that sends less than this for so long is given up. */
  STALL_BYTES_PER_SECOND: 1 * KIB,
  STALL_SECONDS: 20,
  /** What is kept of git's error output, and of it in a sentence. */
  ERROR_BYTES_MAX: 8 * KIB,
  REASON_CHARS_MAX: 200,
  /** Names and ids that git lists: refs of a repository, files of a range. */
  LIST_BYTES_MAX: 64 * MIB,
  /** Commits that one `sync` may want, refs included. */
  IDS_MAX: 1_000,
  REF_CHARS_MAX: 1_024,
  ANCESTRY_PAGE_MAX: 100_000,
  /** Whole files that are read beside one diff; the largest of them, and all together. */
  BLOBS_MAX: 2_000,
  BLOB_BYTES_MAX: 4 * MIB,
  BLOBS_BYTES_MAX: 64 * MIB,
  /** Binary content up to this size is shown as text; above it is a marker, which is a finding. */
  TEXT_BYTES_MAX: 1 * MIB,
  /** Whole files that rules over several lines need, together; longer ones stay hunks. */
  WIDE_BYTES_MAX: 16 * MIB,
  /** A patch that is compared with another one; no decision is carried to a larger change. */
  CHANGE_BYTES_MAX: 32 * MIB,
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
  /** Of one process that reads a change; of one that reads a whole repository. */
  MEMORY_BYTES_MAX: 1024 * MIB,
  FETCH_MEMORY_BYTES_MAX: 4096 * MIB,
  /** Packs of one mirror, one for each fetch, before the small ones are joined. */
  PACKS_MAX: 50,
  /** Heads that a mirror names to its host as known; the newest stay. */
  KEPT_MAX: 1_000,
} as const;

/** Decisions and the audit trail. */
export const AUDIT = {
  /** Characters of a reason, after redaction. */
  REASON_CHARS_MAX: 4_000,
  ACTOR_CHARS_MAX: 200,
  /** Entries of one caller's ops-log. */
  OPS_LOG_PER_MINUTE_MAX: 60,
  OPS_LOG_TEXT_CHARS_MAX: 4_000,
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

/** What the score remembers of a repository; its definitions are in docs/risk-score.md. */
export const HISTORY = {
  /** Until so many changes were seen, a history says nothing. */
  CHANGES_MIN: 20,
  /** What counts as recent. */
  WINDOW_CHANGES: 200,
  /** Recent changes that are counted for one file. */
  TOUCHES_MAX: 20,
  /** Files of one change that are looked up and counted. */
  FILES_MAX: 64,
  /** A new change moves the running mean by at least this share: about the last 500 count. */
  MEAN_WEIGHT_MIN: 0.002,
  /** An analysis does not wait longer for the history; it goes on without one. */
  LOOKUP_MS: 1 * SECOND_MS,
} as const;

/** A rule set is compiled and tried on its examples in a process of its own. */
export const RULES = {
  CHECK_DEADLINE_MS: 60 * SECOND_MS,
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
  COMMENT_CHARS_MAX: 500,
  /** Accepted fingerprints of one rule set. */
  ACCEPTED_MAX: 10_000,
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

export const LIFECYCLE = {
  /** SIGTERM to exit: requests in flight get this long. */
  SHUTDOWN_DEADLINE_MS: 30 * SECOND_MS,
} as const;

/** Command line client. */
export const CLI = {
  HTTP_TIMEOUT_MS: 180 * SECOND_MS,
  CONCURRENCY_DEFAULT: 8,
  CONCURRENCY_MAX: 256,
  COMMITS_DEFAULT: 1_000,
  /** A change in one request; what the service takes as a body. */
  DIFF_BYTES_MAX: HTTP.LARGE_BODY_BYTES_MAX,
  REPLY_BYTES_MAX: 64 * MIB,
  /** Ids, message and the like that git writes about one commit, beside its diff. */
  COMMIT_HEAD_BYTES_MAX: 1 * MIB,
  /** What is kept of git's error output. */
  GIT_ERROR_BYTES_MAX: 8 * KIB,
  /** How often a request that got 503 is sent again, and how long a server may make it wait. */
  RETRIES_MAX: 30,
  RETRY_AFTER_SECONDS_MAX: 30,
  /** `?wait=` of one poll, and how long a DRAFT may take before it counts as stuck. */
  POLL_SECONDS: 30,
  DRAFT_WAIT_MS: 600 * SECOND_MS,
  /** Requests in a row without any answer after which a replay gives up. */
  FAILURES_IN_A_ROW_MAX: 20,
  PROGRESS_INTERVAL_MS: 10 * SECOND_MS,
  /** Commits or rules that a summary names; it counts all of them. */
  LISTED_MAX: 20,
} as const;
