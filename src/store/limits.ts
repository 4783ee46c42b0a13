const MIB = 1024 * 1024;
const SECOND_MS = 1000;
const RETENTION_DAYS = 30;

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
  RETENTION_DAYS,
  /** Of events, reports of other tools, and answers and memory of reviews. */
  RETENTION_MS: RETENTION_DAYS * 24 * 3_600 * SECOND_MS,
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
  /** Pushes of a ref that are looked at, of each state, to tell whether one more is the same. */
  REF_LOG_MAX: 100,
  DEPTH_COUNTED_MAX: 3_000_000,
  /** Newest pushes that landed against their verdict, among which the status counts open ones. */
  LANDED_COUNTED_MAX: 1_000,
} as const;

/** Reviews after the verdict, and what is remembered of them. */
export const REVIEW_STORE = {
  DEPTH_COUNTED_MAX: 10_000,
  REMEMBERED_MAX: 500,
  LINES_PER_CALL_MAX: 500,
} as const;

/** Reports of other tools, sealed; kept for STORE.RETENTION_DAYS. */
export const REPORT_STORE = {
  /** Reports of one change, of all its tools together. */
  SUBJECT_BYTES_MAX: 32 * MIB,
  /** One report: with its base64 it fits into a document of MongoDB. */
  REPORT_BYTES_MAX: 8 * MIB,
  /** All reports of a tenant. */
  TENANT_BYTES_MAX: 2048 * MIB,
  TOOLS_MAX: 20,
  /** RFCs of one commit that one call names. */
  RFCS_MAX: 20,
} as const;

/** RFCs that leave the store for the archive. */
export const ARCHIVE = {
  /** Records of a status that one step looks at. */
  WINDOW: 500,
  /** Of one member: a read of one RFC unpacks all of it. */
  MEMBER_RFCS_MAX: 100,
  MEMBER_BYTES_MAX: 4 * MIB,
  /** A member of one record may be larger. */
  MEMBER_READ_BYTES_MAX: 64 * MIB,
  /** How often a daemon looks whether it is time, and at which hour of its clock that is. */
  LOOK_INTERVAL_MS: 900 * SECOND_MS,
  HOUR: 3,
  /** Legal holds of a daemon that has not run for so long keep nothing any more. */
  HOLDS_DAYS: 30,
} as const;

/** Events and their deliveries. */
export const EVENT_STORE = {
  /** Events that one claim lists, and due events that it looks at for that. */
  CLAIM_MAX: 100,
  CLAIM_WINDOW: 1_000,
  LIST_MAX: 100,
  COUNTED_MAX: 100_000,
} as const;

/** The audit trail, whichever driver keeps it. */
export const TRAIL = {
  DECIDE_DEADLINE_MS: 10 * SECOND_MS,
  /** Findings that the entry of an override names; it counts all of them. */
  FINDINGS_NAMED_MAX: 100,
  /** Heads of other chains that one boot names; the next boot names the rest. */
  HEADS_NAMED_MAX: 300,
  /** Entries that are read at once, by `verify` and `export`. */
  READ_PAGE: 1_000,
  /** How often a daemon reads on by such a page, to notice entries that were removed. */
  PATROL_INTERVAL_MS: 15_000,
  /** A signed root is due after so many entries, or after that time if there are any. */
  CHECKPOINT_ENTRIES: 1_000,
  CHECKPOINT_INTERVAL_MS: 60 * SECOND_MS,
  /** Entries that are proven in one call. */
  PROVEN_MAX: 200,
  /** A clock that goes back by more gets an entry in the trail. */
  CLOCK_STEP_MS: 1 * SECOND_MS,
  /** How long a decision waits for the comparison that a start begins. */
  GATE_WAIT_MS: 3 * SECOND_MS,
} as const;

/** The driver of MongoDB. A call ends in this order: the server, the driver, the caller. */
export const MONGO = {
  /** A read that waits for a majority is given up. */
  READ_WAIT_MS: 5 * SECOND_MS,
  /** How long to look for a primary, and how often to look at it. */
  SERVER_SELECTION_MS: 2 * SECOND_MS,
  HEARTBEAT_MS: 1 * SECOND_MS,
  /** A server that does not answer a heartbeat for this much longer hangs. */
  CONNECT_MS: 5 * SECOND_MS,
  /** How long one operation may take, the confirmation of the majority included. */
  OPERATION_MS: 8 * SECOND_MS,
  /** How long a start waits for the indexes of its collections. */
  INDEX_BUILD_MS: 300 * SECOND_MS,
  /** After this time, which is longer than its driver takes for any, it is given up. */
  HUNG_MS: 20 * SECOND_MS,
  /** Callers get this error before their own deadline, which would say less. */
  ANSWER_MS: 9 * SECOND_MS,
  CONNECTIONS_MAX: 32,
  /** A record with its summary must fit in one document (16 MiB) with room to spare. */
  RECORD_BYTES_MAX: 15 * MIB,
  /** Records that are read with one query. */
  READ_BATCH_MAX: 64,
  /** How often a compare-and-set is tried again, and the pause before that. */
  RACES_MAX: 100,
  RACE_PAUSE_MS: 10,
  /** A DRAFT that its daemon took up is left to it for an attempt and this much more. */
  LEASE_MARGIN_MS: 30 * SECOND_MS,
} as const;

/** The audit trail in MongoDB. */
export const MONGO_TRAIL = {
  /** Share of the capped collection at which it alarms, and at which decisions are refused. */
  ALARM_FILL: 0.7,
  REFUSE_FILL: 0.9,
  /** An intent without outcome that is older than this is settled by the daemon that finds it. */
  INTENT_OVERDUE_MS: 20 * SECOND_MS,
  RECONCILE_INTERVAL_MS: 5 * SECOND_MS,
  /** A round of what is looked at regularly is given up after this time. */
  ROUND_MS: 300 * SECOND_MS,
  /** An attempt to write entries or to read them back, and the pause before the next. */
  ATTEMPT_MS: 5 * SECOND_MS,
  /** After so long an attempt is given up and made again with the same bytes: that does no harm. */
  ATTEMPT_HUNG_MS: 6 * SECOND_MS,
  RETRY_MS_MIN: 10,
  RETRY_MS_MAX: 1 * SECOND_MS,
  /** An intent that is not written after this time is given up, and its decision with it. */
  INTENT_WAIT_MS: 4 * SECOND_MS,
  /** Entries that still wait get this long at a stop. */
  CLOSE_WAIT_MS: 5 * SECOND_MS,
  /** How often the room that is left is measured, and who may do what. */
  FILL_INTERVAL_MS: 10 * SECOND_MS,
  LEVEL_INTERVAL_MS: 180 * SECOND_MS,
  /** Intents are looked for so far back: now and then, and every time. */
  INTENTS_WINDOW_MS: 24 * 3_600 * SECOND_MS,
  INTENTS_WINDOW_SHORT_MS: 600 * SECOND_MS,
  /** Times that a decision which never happened may be asked again with one op_id. */
  ATTEMPTS_MAX: 9,
  /** RFCs, decided since the last checkpoint, whose entries a start looks for. */
  DECIDED_COMPARED_MAX: 20_000,
  /** Clocks of two daemons may differ by so much. */
  CLOCK_DIFFERENCE_MS: 600 * SECOND_MS,
  /** Overdue intents that are settled at once. */
  SETTLE_PARALLEL: 20,
  /** `cra setup mongodb`: size of the capped collection. */
  CAPPED_GIB_DEFAULT: 64,
  CAPPED_GIB_MAX: 1024 * 1024,
} as const;
