import type { SealedDiff } from '../../core/seal.ts';
import type { Finding } from '../../model/finding.ts';
import type { RecordText, RfcRecord } from '../../model/records.ts';
import type { RfcStatus } from '../../model/rfc.ts';
import type { Trends } from '../../model/trend.ts';
import { type Client, type Reader, read, type Writer, write } from '../../rpc/service.ts';
import { STORE } from './limits.ts';

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
 * Fields in snake_case are those of stored records and of answers, by the names that they have
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
    insertRfc: write<{ record: RecordText; diff: SealedDiff | null }, { rev: number }>(
      STORE.CALL_DEADLINE_MS,
    ),
    /**
     * Replaces a DRAFT by its outcome where status = DRAFT and rev = `expectedRev`; the outcome's
     * rev is one higher and its status another (INVALID_ARGUMENT else). Of racing calls exactly
     * one wins; the others get ABORTED with `{status, rev}` in the details. NOT_FOUND when it is
     * gone. The place in lists stays.
     */
    completeDraft: write<{ record: RecordText; expectedRev: number }, { rev: number }>(
      STORE.CALL_DEADLINE_MS,
    ),
    /**
     * Replaces a record by one of the next rev, after another review, or (a DRAFT of analyze by
     * itself) before the first one, with what gates 1 and 2 found: where
     * status = `from` and rev = `expectedRev`. The status stays, or makes a move of gate 3
     * (`release`, `recall`; INVALID_ARGUMENT else): then the commit status becomes due, and the
     * head of a push is accepted or taken back in the same write. ABORTED as above. A move is
     * made by `Trail.moveRfc`, which writes its audit entry, too.
     */
    reviseRfc: write<ReviseInput, { rev: number }>(STORE.CALL_DEADLINE_MS),
    /**
     * Counts a new attempt on a DRAFT whose rev is `expectedRev`: `queue.attempts` and rev one
     * higher, `updated_at` set. ABORTED as above.
     */
    startAttempt: write<
      { tenant_id: string; rfc_id: string; expectedRev: number },
      { record: RfcRecord }
    >(STORE.CALL_DEADLINE_MS),
    /** The newest state of one record. */
    getRfc: read<{ tenant_id: string; rfc_id: string }, RfcView>(STORE.CALL_DEADLINE_MS),
    /** The same as JSON of a SARIF 2.1.0 log, converted in the store thread: it may be large. */
    getSarif: read<{ tenant_id: string; rfc_id: string }, { json: Uint8Array }>(
      STORE.CALL_DEADLINE_MS,
    ),
    /**
     * The findings of one record that `name` means (model/named-findings), selected in the store
     * thread: a record with many findings is too large for a caller that needs one.
     */
    findFindings: read<
      { tenant_id: string; rfc_id: string; name: string },
      { repo_name: string; findings: Finding[] }
    >(STORE.CALL_DEADLINE_MS),
    /**
     * The newest `limit` (1..LIST_LIMIT_MAX) records behind `cursor` that match the filters;
     * `repo` is compared without regard to case. A walk along `next_cursor` meets each record
     * once; records inserted meanwhile are not in it. INVALID_ARGUMENT for a wrong cursor or limit.
     */
    listRfcs: read<ListInput, ListOutput>(STORE.CALL_DEADLINE_MS),
    /** DRAFTs of all tenants, oldest first, at most `limit` (1..DRAFTS_LIMIT_MAX). */
    listDrafts: read<{ limit: number }, { drafts: RfcRecord[] }>(STORE.CALL_DEADLINE_MS),
    /**
     * The diff given to `insertRfc`, still sealed. NOT_FOUND when it was never kept or its
     * retention is over.
     */
    getDiff: read<{ tenant_id: string; rfc_id: string }, SealedDiff>(STORE.CALL_DEADLINE_MS),
    /** The status and rev of one record, without its content. */
    getState: read<{ tenant_id: string; rfc_id: string }, Omit<RfcView, 'json'>>(
      STORE.CALL_DEADLINE_MS,
    ),
    /**
     * What is there now of a tenant: counts by status up to `most` each, and the ends of the list.
     * Costs `most` keys of an index a status at most, whatever the number of records.
     */
    pulse: read<{ tenant_id: string; most: number }, Pulse>(STORE.CALL_DEADLINE_MS),
    /**
     * Verdicts, decisions and rules by day, of the records that are there (model/trend). Costs the
     * counters of these days, whatever the number of records; days beyond TRENDS.DAYS_MAX are
     * forgotten. Not `complete` while records of versions that did not count are being counted.
     */
    trends: read<TrendsInput, TrendsView>(STORE.CALL_DEADLINE_MS),
    /** Writes something durable, so an answer means that the store can write. */
    ping: write<null, { ok: true }>(STORE.CALL_DEADLINE_MS),
  },
} as const;

export type RecordStore = Client<typeof Records>;
export type RecordsWriter = Writer<typeof Records>;
export type RecordsReader = Reader<typeof Records>;

export interface ReviseInput {
  record: RecordText;
  from: RfcStatus;
  expectedRev: number;
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
}

export interface TrendsView extends Trends {
  complete: boolean;
}

export interface ListInput {
  tenant_id: string;
  status: RfcStatus | null;
  repo: string | null;
  /** Only those that judged this component; null or absent: all. */
  component?: string | null;
  limit: number;
  /** From a former answer, or null for the newest. */
  cursor: string | null;
}

export interface ListOutput {
  /**
   * JSON array of RfcSummary: newest `limit`, sorted by status priority, then newest. It is made of
   * texts; as bytes it cost both threads a quarter more, most of it to free the buffers.
   */
  json: string;
  next_cursor: string | null;
}
