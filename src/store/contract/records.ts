import type { SealedDiff } from '../../core/seal.ts';
import type { Finding } from '../../model/finding.ts';
import { RFCS } from '../../model/limits.ts';
import type { Means } from '../../model/next-steps.ts';
import type { Principal } from '../../model/principal.ts';
import type { RecordText, RfcRecord } from '../../model/records.ts';
import type { KeptReport, ReportName } from '../../model/reports.ts';
import type { RfcStatus } from '../../model/rfc.ts';
import { CALIBRATION, type ScoredChange } from '../../model/score.ts';
import type { Facets, Search } from '../../model/search.ts';
import type { TrendStepName, Trends } from '../../model/trend.ts';
import type { UsageRecord } from '../../model/usage.ts';
import type { Client, Reader, Writer } from '../../rpc/service.ts';
import { REVIEW_STORE, STORE } from '../limits.ts';
import { checkCount, checkOutcome, checkRevision } from './checks.ts';
import { limited, read, write } from './method.ts';

/**
 * Records and diffs at rest. Every method is a whole business step; each driver passes the same
 * conformance suite (test/store/conformance.ts). All drivers hold:
 *
 * - A write that resolves is durable: it outlives kill -9 and loss of power.
 * - A write that rejects with RESOURCE_EXHAUSTED (disk full, too many waiting), ABORTED,
 *   ALREADY_EXISTS, NOT_FOUND or INVALID_ARGUMENT did not happen. After UNAVAILABLE,
 *   DEADLINE_EXCEEDED or UNKNOWN it may have happened; `confirmWrites` reads it again by id first.
 * - A read that starts after a write resolved sees it.
 * - A caller of another tenant gets NOT_FOUND, as for an id that does not exist.
 * - "Newest" is the order in which the store took the records, never a clock.
 * - `json` and `summary` are stored and given back byte for byte.
 * - Stored data that can't be right is DATA_LOSS.
 *
 * Fields in snake_case stand in stored records and answers, by the names that they have
 * there; what only a call has is in camelCase.
 */
export const Records = {
  name: 'Records',
  methods: {
    /**
     * Writes a new record, whatever its status, together with its diff. The same call again
     * (same id, tenant and json) answers the same; another record under a known id is
     * ALREADY_EXISTS. Large buffers of `diff.chunks` move to the store: the caller cannot
     * use them afterwards.
     */
    insertRfc: write<{ record: RecordText; diff: SealedDiff | null }, { rev: number }>(),
    /**
     * Replaces a DRAFT by its outcome where status = DRAFT and rev = `expectedRev`; the outcome's
     * rev is one higher and its status another (INVALID_ARGUMENT else). Of racing calls exactly
     * one wins; the others get ABORTED with `{status, rev}` in the details. NOT_FOUND when it is
     * gone. The place in lists stays.
     */
    completeDraft: write<{ record: RecordText; expectedRev: number }, { rev: number }>({
      check: checkOutcome,
    }),
    /**
     * Replaces a record by one of the next rev, after another review, or (a DRAFT of analyze by
     * itself) before the first one, with what gates 1 and 2 found: where
     * status = `from` and rev = `expectedRev`. The status stays, or makes a move of gate 3
     * (`release`, `recall`; INVALID_ARGUMENT else): then the commit status becomes due, and the
     * head of a push is accepted or revoked in the same write. ABORTED as above. A move is
     * made by `Trail.moveRfc`, which writes its audit entry, too.
     */
    reviseRfc: write<ReviseInput, { rev: number }>({ check: checkRevision }),
    /**
     * Counts a new attempt on a DRAFT whose rev is `expectedRev`: `queue.attempts` and rev one
     * higher, `updated_at` set. ABORTED as above.
     */
    startAttempt: write<RfcId & { expectedRev: number }, { record: RfcRecord }>(),
    /** The newest state of one record; with `means` a BLOCKED one says `next_steps`. */
    getRfc: read<RfcId & { means?: Means }, RfcView>(),
    /**
     * The same as JSON of a SARIF 2.1.0 log, converted in the store thread: it may be large. With
     * `means` its rules name their pages in the handbook.
     */
    getSarif: read<RfcId & { means?: Means }, { json: Uint8Array }>(),
    /**
     * The findings of one record that `name` means (model/named-findings), selected in the store
     * thread: a record with many findings is too large for a caller that needs one.
     */
    findFindings: read<RfcId & { name: string }, { repo_name: string; findings: Finding[] }>(),
    /**
     * The newest `limit` (1..LIST_LIMIT_MAX) records behind `cursor` that match the filters;
     * `repo` is compared without regard to case. A walk along `next_cursor` meets each record
     * once; records inserted meanwhile are not in it. INVALID_ARGUMENT for a wrong cursor or limit.
     * With `texts` a page may have fewer rows than `limit`, even 0, and still a `next_cursor`: it
     * looks at `examined` entries of the index of the rarest text.
     */
    listRfcs: read<ListInput, ListOutput>(limited(RFCS.LIST_LIMIT_MAX)),
    /**
     * What the newest FACETS.RECORDS_MAX records are that match the same filters: how many have
     * each status, severity, repository, rule and component; records with a text of `without` are
     * left out. Costs as many rows of a list.
     */
    countFacets: read<Omit<ListInput, 'limit' | 'cursor'> & { without: string[] }, Facets>(),
    /**
     * What is known of the risk of the newest `limit` (1..CALIBRATION.READ_PAGE) RFCs behind
     * `cursor`; RFCs that have none leave a page short.
     */
    listScores: read<
      { tenant_id: string; limit: number; cursor: string | null },
      { scores: ScoredChange[]; next_cursor: string | null }
    >(limited(CALIBRATION.READ_PAGE)),
    /** DRAFTs of all tenants behind `cursor`, oldest first, `limit` (1..DRAFTS_LIMIT_MAX). */
    listDrafts: read<
      { limit: number; cursor?: string | null },
      { drafts: RfcRecord[]; next_cursor: string | null }
    >(limited(STORE.DRAFTS_LIMIT_MAX)),
    /**
     * The diff given to `insertRfc`, still sealed. NOT_FOUND when it was never kept or its
     * retention is over.
     */
    getDiff: read<RfcId, SealedDiff>(),
    /** The status and rev of one record, without its content. */
    getState: read<RfcId, Omit<RfcView, 'json'>>(),
    /**
     * What is there now of a tenant: counts by status up to `most` each, and the ends of the list.
     * Costs `most` keys of an index a status at most, whatever the number of records.
     */
    pulse: read<{ tenant_id: string; most: number }, Pulse>(),
    /**
     * Verdicts, decisions and rules by day, of the records that are there (model/trend). Costs the
     * counters of these days, and TRENDS.REPOSITORY_DAYS_MAX more of repositories, whatever the
     * number of records; days beyond TRENDS.DAYS_MAX are forgotten. Not `complete` while records
     * of versions that did not count are being counted.
     */
    trends: read<TrendsInput, TrendsView>(),
    /**
     * Keeps reports about a change for STORE.RETENTION_DAYS, also before it has an RFC; each
     * replaces the earlier one of its tool. RESOURCE_EXHAUSTED beyond REPORT_STORE: none is kept.
     */
    keepReports: write<ReportSubject & { reports: KeptReport[] }, { ok: true }>(),
    /** What is kept of a change, one of each tool. */
    reportNames: read<ReportSubject, { reports: ReportName[] }>(),
    /** The report of a tool that is kept of a change; null: it is not there (any more). */
    getReport: read<ReportSubject & { tool: string }, { report: KeptReport | null }>(),
    /** The newest RFCs of a commit that are not SUPERSEDED, at most REPORT_STORE.RFCS_MAX. */
    rfcsOfCommit: read<
      { tenant_id: string; repo_name: string; commit_sha: string },
      { rfc_ids: string[]; has_more: boolean }
    >(),
    /** Writes something durable, so an answer means that the store can write. */
    ping: write<null, { ok: true }>(),
  },
} as const;

export type RecordStore = Client<typeof Records>;
export type RecordsWriter = Writer<typeof Records>;
/** Reads that no driver has: `serve` makes them of a record. */
export type RecordViews = Pick<Reader<typeof Records>, 'getSarif' | 'findFindings'>;
export type RecordsReader = Omit<Reader<typeof Records>, keyof RecordViews>;

/** Names a record; that of another tenant does not exist. */
export interface RfcId {
  tenant_id: string;
  rfc_id: string;
}

/** What reports are about: a commit, or an RFC that names none (`reportSubject`). */
export interface ReportSubject {
  tenant_id: string;
  repo_name: string;
  subject: string;
}

/** A member of a file of the archive (store/archive-files). */
export interface ArchivePlace {
  /** Relative to the archive, as `<daemon>/2026-01.jsonl.gz`. */
  file: string;
  /** Of the member, in bytes. */
  offset: number;
  bytes: number;
}

/** Where one RFC stands: its line within a member, from 0 on. */
export interface ArchivedLine extends ArchivePlace {
  line: number;
}

/** What the store keeps of an archived RFC. */
export interface ArchivedReference extends ArchivedLine {
  status: RfcStatus;
  rev: number;
}

export interface ReviseInput {
  record: RecordText;
  from: RfcStatus;
  expectedRev: number;
  /** A host shows something of it that has changed; absent: the status alone says so. */
  isStatusDue?: boolean;
}

/** A record as bytes of JSON (the RfcRecord), sent on as they are. */
export interface RfcView {
  overall_status: RfcStatus;
  rev: number;
  json: Uint8Array;
}

export interface Pulse {
  counts: Record<RfcStatus, number>;
  /** Place of the newest RFC, opaque: it changes when there is a newer RFC; null when absent. */
  newest: string | null;
  /** `created_at` of the oldest BLOCKED RFC; null when absent. */
  oldest_blocked_at: string | null;
}

export interface TrendsInput {
  tenant_id: string;
  /** Name of a repository, without regard to case; null: all. */
  repo: string | null;
  /** Days of UTC, YYYY-MM-DD; both are in it. */
  since: string;
  until: string;
  by: TrendStepName;
}

export interface TrendsView extends Trends {
  /** Of the tenant; empty for the trends of one repository. */
  repositories: { repo: string; blocked: number }[];
  complete: boolean;
}

export interface ListInput {
  tenant_id: string;
  status: RfcStatus | null;
  repo: string | null;
  /** Only records that judged this component; null or absent: all. */
  component?: string | null;
  /** Only records that a search finds; null or absent: all. */
  search?: ListSearch | null;
  limit: number;
  /** From a former answer, or null for the newest. */
  cursor: string | null;
}

export interface ListSearch extends Pick<Search, 'texts' | 'until' | 'since'> {
  /** Entries of the index of a text that one page looks at. */
  examined: number;
}

export interface ListOutput {
  /**
   * JSON array of RfcSummary: newest `limit`, sorted by status priority, then newest. It is made of
   * texts; as bytes it cost both threads a quarter more, most of it to free the buffers.
   */
  json: string;
  next_cursor: string | null;
}

/**
 * Money and answers of gate 3 at rest: what its calls may cost, what they did cost, and what was
 * answered. The promises of `Records` hold here, too.
 */
export const Reviews = {
  name: 'Reviews',
  methods: {
    /**
     * Holds money back for one call: in every scope, or, where one of them has not enough left, in
     * none (`reserved: false`). The same `call_id` again answers the same and holds back nothing
     * more. Daemons that share the store share the scopes.
     */
    reserveCall: write<{ call: ReservedCall }, { reserved: boolean }>(),
    /**
     * Ends a call: its scopes hold what it cost (nano-dollars) instead of its reserve, the usage
     * record is written, and the answer is kept for STORE.RETENTION_DAYS (the first one of a
     * key stays), as one step. A call that is not open changes nothing.
     */
    settleCall: write<SettleCallInput, { settled: boolean }>(),
    /**
     * Settles calls that a daemon left open when it ended: calls of `owner` (empty: of nobody), and
     * calls of others that began before `beforeMs`. Nobody knows what they cost, so they cost
     * their reserve.
     */
    settleLeft: write<{ owner: string; beforeMs: number }, { calls: number }>(),
    /** What a scope holds, in nano-dollars: settled and reserved. */
    spentIn: read<{ scopes: string[] }, { nanoUsd: number[] }>(),
    findAnswer: read<{ key: string }, { json: string | null }>(),
    /** Queues a review of an RFC that has a verdict, or will have one; the first of an id stays. */
    queueReview: write<{ review: QueuedReview; dueMs: number }, { queued: boolean }>(),
    /**
     * Claims the review that is due first, of those due before `dueBeforeMs` that no daemon
     * holds, for `leaseMs` on the store's clock. Racing daemons never claim the same one.
     */
    claimReview: write<
      { owner: string; leaseMs: number; dueBeforeMs: number },
      { review: QueuedReview | null }
    >(),
    /** Ends a claim of `owner`: the review is removed, or due again. Nothing for other owners. */
    endReview: write<
      {
        review_id: string;
        owner: string;
        /** Null: it is done. */
        again: { tries: number; dueMs: number } | null;
      },
      { ended: boolean }
    >(),
    /** Frees the reviews that a daemon of this name held before it died. */
    releaseReviews: write<{ owner: string }, { released: number }>(),
    /** Makes the reviews due at `dueMs` that are due later: a model is back. */
    expediteReviews: write<{ dueMs: number }, { expedited: number }>(),
    /** Reviews that wait or run in all daemons, counted up to REVIEW_STORE.DEPTH_COUNTED_MAX. */
    reviewDepth: read<null, { reviews: number }>(),
    /**
     * Remembers what blocked a change of a repository, by keys of its lines, for
     * STORE.RETENTION_DAYS after it was seen last; at most REVIEW_STORE.REMEMBERED_MAX a call.
     */
    rememberFindings: write<RememberInput, { ok: true }>({
      check: ({ findings }) => checkCount('findings', findings, REVIEW_STORE.REMEMBERED_MAX),
    }),
    /**
     * What is remembered of these lines (at most REVIEW_STORE.LINES_PER_CALL_MAX) at `atMs`:
     * nothing that is older than STORE.RETENTION_DAYS then.
     */
    recallFindings: read<
      { tenant_id: string; repo_key: string; lineKeys: string[]; atMs: number },
      { found: RememberInput['findings'] }
    >({
      check: ({ lineKeys }) => checkCount('lineKeys', lineKeys, REVIEW_STORE.LINES_PER_CALL_MAX),
    }),
    /** Removes what is remembered under these names; at most REVIEW_STORE.REMEMBERED_MAX a call. */
    forgetFindings: write<
      { tenant_id: string; repo_key: string; findings: { line_key: string; kind: string }[] },
      { forgotten: number }
    >({
      check: ({ findings }) => checkCount('findings', findings, REVIEW_STORE.REMEMBERED_MAX),
    }),
  },
} as const;

export type ReviewStore = Client<typeof Reviews>;

/** A review of a change that has a verdict. */
export interface QueuedReview {
  /** `retry RFC` (one an RFC), or the operation that asked for it. */
  review_id: string;
  tenant_id: string;
  rfc_id: string;
  /** Who asked for it, and why, without secrets; null: the service tries again. */
  asked: { principal: Principal; reason: string; at: string } | null;
  /** How often it was put off. */
  tries: number;
}

export interface RememberInput {
  tenant_id: string;
  repo_key: string;
  /** `kind` tells findings of one line apart. */
  findings: { line_key: string; kind: string; json: string }[];
  atMs: number;
}

/** What is counted against one budget. */
export interface BudgetScope {
  /** `rfc ID`, `day DATE`, `month MONTH`, `tenant ID day DATE`, ... */
  scope: string;
  /** Nano-dollars that calls of the scope may cost together; null: counted without a limit. */
  limitNanoUsd: number | null;
}

/** A call that is about to be made. */
export interface ReservedCall {
  call_id: string;
  /** The daemon that makes it, by the name that it keeps after a restart. */
  owner: string;
  started_ms: number;
  reserved_nano_usd: number;
  scopes: BudgetScope[];
  /** What is logged when nobody hears how the call ended: its cost is the reserve. */
  usage: UsageRecord;
}

export interface SettleCallInput {
  call_id: string;
  usage: UsageRecord;
  /** Null: no answer that counts came. It is as old as the usage. */
  answer: { key: string; json: string } | null;
}

/** A reserved call as both stores keep it. */
export type OpenCall = Pick<ReservedCall, 'call_id' | 'owner' | 'reserved_nano_usd' | 'usage'> & {
  scopes: string[];
};
