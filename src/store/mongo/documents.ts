import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { Binary, type Decimal128, type ObjectId, type Timestamp } from 'mongodb';
import type { StoredAcceptance } from '../../audit/records-check.ts';
import { CraError } from '../../model/errors.ts';
import { RULES } from '../../model/limits.ts';
import type { StoredSession } from '../../model/principal.ts';
import type { PushInfo } from '../../model/push.ts';
import type { RfcStatus } from '../../model/rfc.ts';
import type { TaskStatus } from '../../model/task.ts';
import type { UsageAmount, UsageRecord } from '../../model/usage.ts';
import type { ArchivedReference, OpenCall } from '../contract/records.ts';
import { MONGO } from '../limits.ts';
import type { RequestedOperation } from '../steps/decision.ts';
import type { EventRow } from '../steps/event.ts';

/** Collection `rfcs`: one record. */
export interface RfcDocument {
  /** The rfc_id. */
  _id: string;
  tenant_id: string;
  repo_key: string;
  branch: string;
  commit_sha: string | null;
  status: RfcStatus;
  rev: number;
  /** Raised by a daemon that settles a decision which another left open. */
  fence: number;
  /**
   * The place in the order of the store. Written as Timestamp(0, 0), which the server replaces by
   * its cluster time when it inserts: unique in a replica set, growing also across elections and
   * whatever the clocks of its members, and no round trip.
   */
  seq: Timestamp;
  created_at: string;
  /** JSON of the RfcSummary and of the RfcRecord: what readers get, byte for byte. */
  summary: string;
  json: string;
  diff: DiffReference | null;
  /** Of a DRAFT: the daemon that works on it. */
  owner: string | null;
  /** Of a DRAFT: until when, on the server's clock; null: a lease from `seq` on. */
  lease_until: Date | null;
  /** A tombstone: only the trail still refers to it. */
  deleted?: true;
  /** Of a tombstone: what the RFC refused, which stays refused. */
  refusal?: RefusalFields;
  push?: PushFields;
  vcs?: VcsFields;
  /** Its newest decision: the op_id, and when by the server's clock. */
  decided?: { op: string; at: Date };
  /** Of an emergency override: until when somebody else has to review it. */
  review_due?: Date;
  /** Of a push that has landed against its verdict; it stays when somebody lets that pass. */
  landed?: true;
  /** Of a push that was revoked or rejected (a `Revocation`): verdicts may depend on it still. */
  fallen?: RevocationFields;
  /** Absent: a version wrote it that kept no trends. */
  trend?: TrendFields;
  /** Ids of the components that it judged; left out when empty. */
  components?: string[];
  /** By what a search finds it (model/search). Absent: a version wrote it that had no search. */
  texts?: string[];
  /** Events that have no rows in their lanes yet: JSON of each `ServiceEvent`. */
  events?: { event_id: string; lanes: string[]; json: string }[];
}

/**
 * The status of a tombstone that has no end: neither counts nor lists of a status pass over it, and
 * no record has it.
 */
export const GONE_STATUS = 'GONE' as RfcStatus;

/** What a deletion leaves of an RFC that refused its change. */
export interface RefusalFields {
  /** JSON of `refusalLeft` of the record. */
  json: string;
  /** When it was deleted. */
  at: Date;
  /** Of a push: its repository and ref, as in `push`. */
  repo?: string;
  ref?: string;
}

/** What the trends count of a record. */
export interface TrendFields {
  /** See `trendText`. */
  next: string;
  /** It is to be counted, or to be compared with what was counted. */
  due?: true;
}

/** A `Revocation`, stored as `fallen`; a deleted record keeps it. */
export interface RevocationFields {
  repo: string;
  sha: string;
  is_rejected: boolean;
  at: Date;
}

/** Of a push: the fields it is searched and leased by. Other records have no such field. */
export interface PushFields {
  /** Its repository (`repositoryKey`). */
  repo: string;
  ref: string;
  delivery: string;
  /** Absent: a sweep found it, and its webhook has not come (`swept`). */
  body?: string;
  swept?: true;
  /** Where its webhook says that the ref was before; absent: nothing says. */
  before?: string;
  /** Absent of pushes that an earlier version took in. */
  source?: PushInfo['source'];
  /** Its head, and the last push of that: a sweep and a webhook exclude each other by it. */
  head?: string;
  /** From when on it may be claimed, on the server's clock. */
  due: Date;
  /** The daemon that claimed it last. */
  owner: string | null;
  /**
   * Its commit counts as an accepted head; its change could not be had. Written together with the
   * status by whatever writes it.
   */
  accepted?: true;
  unjudged?: true;
  /** Of a verdict that is not a rejection: the ids that it depends on, as its record says. */
  rests_on?: string[];
}

/** Of a record whose commit status is posted to a host. */
export interface VcsFields {
  host: string;
  /** From when on the status is due; absent: it is posted. */
  due?: Date;
  /** The status that was posted last. */
  posted: string | null;
  /** Of a tombstone: JSON of the `deletedRecord`, and whether it was a push. */
  deleted?: string;
  was_push?: true;
}

export interface DiffReference {
  /** Of its chunks; each write of a diff has its own. */
  id: ObjectId;
  chunks: number;
  /** Size of the diff before it was sealed. */
  bytes: number;
}

/** Collection `diffs`: one sealed chunk. */
export interface DiffChunkDocument {
  _id: { diff: ObjectId; chunk: number };
  rfc_id: string;
  /** The retention counts from here. */
  written_at: Date;
  data: Binary;
}

/** Collection `trends`: what one daemon counted on a day of a repository, or of a whole tenant. */
export interface TrendDocument {
  /** A hash of the daemon and the next three. */
  _id: string;
  tenant_id: string;
  /** Empty: the whole tenant. */
  repo_key: string;
  /** Midnight UTC: older ones are removed by it. */
  day: Date;
  counts: Record<string, number>;
}

/** Collection `trend_marks`: what was counted of a record. */
export interface TrendMarkDocument {
  /** The rfc_id. */
  _id: string;
  counted: string;
}

/** Collection `baselines`: what a repository held when it was seen first. */
export interface BaselineDocument {
  /** `repo_key` as `repositoryKey` makes it. */
  _id: { tenant_id: string; repo_key: string };
  /** The name that it had then, as the store compares it; absent: the key is the name. */
  name?: string;
  /** Commits that were accepted before it was lowered: heads may depend on them still. */
  fallen?: { sha: string; at: Date }[];
  /** The head that counts as accepted; null: no head does. */
  sha: string | null;
  /** JSON of the Baseline, compressed by gzip. */
  baseline: Binary;
  /**
   * JSON of the entry that the trail lacks; until the trail has it no baseline counts. Its name is
   * stored; the code calls it unpublished.
   */
  untold?: string;
}

/** Collection `tasks`: one worker task. */
export interface TaskDocument {
  /** The taskId. */
  _id: string;
  tenant_id: string;
  finding_id: string;
  status: TaskStatus;
  rev: number;
  /** The place in the order of the store; see `seq` of RfcDocument. */
  seq: Timestamp;
  /** JSON of the TaskRecord. */
  json: string;
}

/** What is summed. Decimals of 34 digits: integers that neither round nor overflow. */
export type AmountFields = Record<UsageAmount, Decimal128>;

/** Collection `archived`: where an RFC stands that left for the archive. */
export interface ArchivedDocument extends ArchivedReference {
  /** The rfc_id. */
  _id: string;
  tenant_id: string;
  /** ISO 8601, UTC. */
  archived_at: string;
  /** Of a push, as in `push`, which is known by them when it comes again. */
  delivery?: string | null;
  body?: string | null;
}

/** Collection `deploy_reports`. */
export interface DeployDocument {
  /** The report_id. */
  _id: string;
  tenant_id: string;
  /** `placeKey` and `reportOrder` of the report. */
  place: string;
  sorted: string;
  sha: string;
  result: string;
  /** JSON of the DeployReport. */
  json: string;
}

/** Collection `score_curves`: a version of the curves of a tenant. */
export interface CurvesDocument {
  _id: { tenant_id: string; version: number };
  /** JSON of the ScoreCurves. */
  json: string;
}

/** Collection `usage`: one call of an LLM. */
export interface UsageDocument extends AmountFields, Omit<UsageRecord, 'usage_id' | UsageAmount> {
  /** The usage_id. */
  _id: string;
}

/** Collection `usage_hours`: what one writer added to an hour (UTC), provider and model. */
export interface UsageHourDocument extends AmountFields {
  /** A hash of the writer and the next four. */
  _id: string;
  tenant_id: string;
  /** Hours since the epoch. */
  hour: number;
  provider: string;
  model: string;
  calls: number;
}

/** Collection `rules`: a revision, or a number that stays without one for good. */
export interface RulesDocument {
  /** The number of the revision. */
  _id: number;
  /** The op_id of the change that took the number. */
  op_id: string;
  /** JSON of the RulesEntry; absent where a change was abandoned. */
  entry?: string;
  /** The rules file, JSON, compressed by gzip. */
  text?: Binary;
  /** Raised by each reader that had to settle the change. */
  fence?: number;
}

/** A stored record with what decisions add to it, or what a deletion leaves of it. */
export interface RecordDocument extends Omit<RfcDocument, 'summary' | 'json'> {
  /** Both are absent from a record that was deleted. */
  summary?: string;
  json?: string;
  /** op_id of the deletion, and op_ids of the decisions before it. */
  deleted_by?: string;
  decisions?: string[];
  /** op_ids of what changed it besides decisions: carries, moves of reviews, remarks. */
  carries?: string[];
  /** Set when the trail has the deletion: the rest is removed then. */
  expires_at?: Date;
}

/**
 * A fingerprint that a decision on an RFC accepts. It counts only while the record of that RFC
 * says so: documents that a crash or a race left behind accept nothing.
 */
export interface AcceptedDocument extends Omit<StoredAcceptance, 'rule' | 'expires_at'> {
  /** `rfc_id:fingerprint` */
  _id: string;
  /** Absent where an older version wrote it. */
  rule?: string | null;
  /** As a text, like the other times; `ENDED` compares it. */
  expires_at?: string | null;
}

/**
 * Collection `agent_overrides`: the overrides of agents within 24 hours, in one document, so that
 * comparing their number and adding one is one step for all daemons. A place is taken before an
 * override is begun and released when it was not made. What a crash leaves in between counts
 * until its 24 hours are over: the number that was made is never above the ceiling.
 */
export interface AgentOverridesDocument {
  _id: 'all';
  /** At most AGENTS.OVERRIDES_PER_DAY_MAX. */
  places: AgentPlace[];
}

/** One override that was made, or may be made yet. */
export interface AgentPlace {
  /** The op_id. */
  op: string;
  /** Of the call that took it: two calls of one operation release their own alone. */
  call: string;
  /** By the clock of the server. */
  at: Date;
}

/**
 * Collection `decision_ops`: the answer to a decision from before the store was copied. Only
 * `cra store copy` writes there.
 */
export interface DecisionOpDocument extends Omit<RequestedOperation, 'op_id'> {
  /** The op_id. */
  _id: string;
  /** JSON of the DecideOutput. */
  output: string;
}

/** Collection `sessions`: one browser session, times in ISO 8601. */
export interface SessionDocument extends Omit<StoredSession, 'session_id' | 'principal'> {
  /** The session_id. */
  _id: string;
  tenant_id: string;
  principal_id: string;
  /** JSON of the Principal. */
  principal: string;
  /** The same as a date: from then on the server may remove the session. */
  ends: Date;
}

/** Collection `meta`: what the daemons of a store agree on, and a line for each of them. */
export interface MetaDocument {
  _id: string;
  [field: string]: unknown;
}

/** Collection `budgets`: what a scope of gate 3 holds, settled and reserved. */
export interface BudgetDocument {
  /** The scope. */
  _id: string;
  /** Whole, and below 2^53. */
  nano_usd: number;
}

/** Collection `review_calls`: a call of gate 3 whose end nobody has reported yet. */
export interface ReviewCallDocument extends OpenCall {
  /** The call_id. */
  _id: string;
  started_ms: number;
}

/** Collection `review_answers`: a chunk that a model has read. */
export interface ReviewAnswerDocument {
  /** A keyed hash of tenant, text, prompt and model. */
  _id: string;
  json: string;
  at: Date;
}

/** Collection `review_queue`: a review of an RFC that has a verdict. */
export interface QueuedReviewDocument {
  /** The review_id. */
  _id: string;
  due_ms: number;
  /** No daemon may claim it before, on the server's clock. */
  held_until: Date;
  owner: string | null;
  tries: number;
  json: string;
}

/** Collection `review_memory`: what blocked a change, by a line of it. */
export interface RememberedDocument {
  _id: { tenant_id: string; repo_key: string; line_key: string; kind: string };
  at: Date;
  json: string;
}

/** Collection `reports`: a report of another tool about a change (`reportText`). */
export interface ReportDocument {
  _id: { tenant_id: string; repo_key: string; subject: string; tool: string };
  sha256: string;
  at: Date;
  bytes: number;
  json: string;
}

/** Collection `events`: an event that one subscription (`lane`) wants. */
export interface EventDocument extends Omit<EventRow, 'at_ms'> {
  _id: { lane: string; event_id: string };
  /** When the fact was: the server removes it by this. */
  at: Date;
  /** Ms since the epoch; null: delivered, or given up where there is a reason. */
  due_ms: number | null;
  failed_ms: number | null;
  tries: number;
  reason: string | null;
}

const compress = promisify(gzip);
const decompress = promisify(gunzip);

/**
 * A text that may be as large as a document; compressed it fits. INVALID_ARGUMENT, with `name` in
 * the sentence, when even that does not.
 */
export async function packText(text: string, name: string): Promise<Binary> {
  const bytes = await compress(text);
  if (bytes.length <= MONGO.RECORD_BYTES_MAX) return new Binary(bytes);
  throw new CraError('INVALID_ARGUMENT', `${name} are too large to be stored`);
}

/** The text that `packText` was given; DATA_LOSS when that can't be. */
export async function unpackText(data: Binary | Uint8Array, name: string): Promise<string> {
  const bytes = data instanceof Uint8Array ? data : data.buffer;
  try {
    const text = await decompress(bytes, { maxOutputLength: TEXT_BYTES_MAX });
    return text.toString();
  } catch (thrown) {
    throw new CraError('DATA_LOSS', `${name} that are stored are damaged`, { cause: thrown });
  }
}

/** What is stored was written as JSON: that may be longer than the file. */
const TEXT_BYTES_MAX = 8 * RULES.FILE_BYTES_MAX;
