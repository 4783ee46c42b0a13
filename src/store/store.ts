import type { Records } from '../rpc/contract.ts';
import type { Client, Implementation } from '../rpc/service.ts';
import type { Trail } from '../rpc/trail-contract.ts';

/**
 * Records and diffs at rest, as services see them. Every method is a whole business step; each
 * driver passes the same conformance suite (test/store/conformance.ts). What all of them hold:
 *
 * - A write that resolves is durable: it outlives kill -9 and loss of power.
 * - A write that rejects with RESOURCE_EXHAUSTED (disk full, too many waiting), ABORTED,
 *   ALREADY_EXISTS, NOT_FOUND or INVALID_ARGUMENT did not happen. After UNAVAILABLE,
 *   DEADLINE_EXCEEDED or UNKNOWN it may have happened; `createStore` reads it again by id first.
 * - A read that starts after a write resolved sees it.
 * - Whoever is not of the record's tenant gets NOT_FOUND, as for an id that does not exist.
 * - "Newest" is the order in which the store took the records, never a clock.
 * - `json` and `summary` are stored and given back byte for byte.
 * - Stored data that can't be right is DATA_LOSS.
 */
export interface Store {
  /**
   * Writes a new record, whatever its status, together with its diff. The same call again
   * (same id, tenant and json) answers the same; another record under a known id is
   * ALREADY_EXISTS. Large buffers of `diff.chunks` move to the store: the caller has no use of
   * them afterwards.
   */
  insertRfc: Call<'insertRfc'>;
  /**
   * Replaces a DRAFT by its outcome where status = DRAFT and rev = `expectedRev`; the outcome's
   * rev is one higher and its status another (INVALID_ARGUMENT else). Of racing calls exactly one
   * wins; the others get ABORTED with `{status, rev}` in the details. The place in lists stays.
   */
  completeDraft: Call<'completeDraft'>;
  /** Counts an attempt where status = DRAFT and rev = `expectedRev`; sets `updated_at`. */
  startAttempt: Call<'startAttempt'>;
  /** The newest state of one record. */
  getRfc: Call<'getRfc'>;
  /** The same as a SARIF 2.1.0 log: converted where it is read, as it may be large. */
  getSarif: Call<'getSarif'>;
  /**
   * The findings of one record that `name` means (domain/named-findings), picked where it is read:
   * a record with many is too large for whoever wants one.
   */
  findFindings: Call<'findFindings'>;
  /**
   * The newest `limit` (1..LIST_LIMIT_MAX) records behind `cursor` that match the filters; `repo`
   * is compared without regard to case. A walk along `next_cursor` meets each record once; records
   * inserted meanwhile are not in it. INVALID_ARGUMENT for a cursor or limit that can't be.
   */
  listRfcs: Call<'listRfcs'>;
  /** DRAFTs of all tenants, oldest first, at most `limit` (1..DRAFTS_LIMIT_MAX). */
  listDrafts: Call<'listDrafts'>;
  /** The diff given to `insertRfc`, still sealed. */
  getDiff: Call<'getDiff'>;
  /**
   * The history that a change meets in its repository: what `insertRfc` was given as `change` of
   * earlier records, each diff once. A diff that was counted before meets what it met then, so a
   * change that is posted again scores the same. Costs a few rows, whatever the number of records.
   */
  repoHistory: Call<'repoHistory'>;
  /** Writes something durable, so an answer means that the store can write. */
  ping: Call<'ping'>;
}

/**
 * Decisions and the trail that tells of them (DESIGN: write-once audit). What every driver holds:
 *
 * - A decision that resolves is durable, and so is the entry that tells of it; neither is ever
 *   there without the other once the store is up again.
 * - UNAVAILABLE: nothing was changed, as the trail could not be written (or is full).
 *   DEADLINE_EXCEEDED and UNKNOWN: it may have happened; the same `op_id` asks again.
 */
export interface TrailStore {
  /**
   * Decides about an RFC and tells the trail, as one step. NOT_FOUND as for reads; ABORTED with
   * `{status, rev}` where the transition table does not allow it, which is also what all but one
   * of racing calls get; ALREADY_EXISTS when `op_id` stands for another request. The fingerprints
   * that it accepts are accepted in the same step, and withdrawn by a rejection or deletion.
   * A deletion leaves the SHA-256 of the record's json in the trail (`details.record_sha256`).
   */
  decide: TrailCall<'decide'>;
  /**
   * Writes one entry of phase `whole`; the same event again, by its `op_id`, is the first one.
   * ALREADY_EXISTS when `op_id` stands for something else.
   */
  appendEvent: TrailCall<'appendEvent'>;
  auditStatus: TrailCall<'auditStatus'>;
  /** BLOCKED RFCs of a tenant, oldest first, for bulk decisions. */
  listBlocked: TrailCall<'listBlocked'>;
  /** Which of these fingerprints decisions have accepted in the repository. */
  acceptedAmong: TrailCall<'acceptedAmong'>;
}

type Call<Name extends keyof Client<typeof Records>> = Client<typeof Records>[Name];
type TrailCall<Name extends keyof Client<typeof Trail>> = Client<typeof Trail>[Name];

/** The methods that the writing side of a driver serves; the rest is the reading side's. */
export type WriteMethod = 'insertRfc' | 'completeDraft' | 'startAttempt' | 'ping';
export type ReadMethod = Exclude<keyof Store, WriteMethod>;
export type TrailWriteMethod = 'decide' | 'appendEvent' | 'auditStatus';
export type TrailReadMethod = Exclude<keyof TrailStore, TrailWriteMethod>;

/** The two halves of a driver, as a server runs them. */
export type RecordsWriter = Pick<Implementation<typeof Records>, WriteMethod>;
export type RecordsReader = Pick<Implementation<typeof Records>, ReadMethod>;
export type TrailWriter = Pick<Implementation<typeof Trail>, TrailWriteMethod>;
export type TrailReader = Pick<Implementation<typeof Trail>, TrailReadMethod>;
