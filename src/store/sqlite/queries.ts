import type {
  EntryRow,
  StoredAcceptance,
  StoredRefusal,
  StoredRfc,
} from '../../audit/records-check.ts';
import type { AuditPlace } from '../../model/audit.ts';
import type { ReportName } from '../../model/reports.ts';
import type { RfcStatus } from '../../model/rfc.ts';
import type { ArchivedReference } from '../contract/records.ts';
import type { AcceptedRow, EmergencyCounts, EndedAcceptance } from '../contract/trail.ts';
import type { OverdueReview, RequestedOperation } from '../steps/decision.ts';
import { insertInto, type Prepared, sql } from './connection.ts';

/**
 * op_id of the newest decision of an RFC; null where the RFC has no decision or its JSON is
 * damaged.
 */
export const NEWEST_DECISION =
  "CASE WHEN json_valid(json) THEN json ->> '$.override_history[#-1].decision_id' END";

/** When the review of an emergency override is due; null when absent. */
export const REVIEW_DUE =
  "CASE WHEN json_valid(json) AND json ->> '$.emergency.review' = 'due' " +
  "THEN json ->> '$.emergency.due_at' END";

/** Since when a push is known to have landed against its verdict; null: it has not. */
export const LANDED_AT = "CASE WHEN json_valid(json) THEN json ->> '$.landed_blocked.at' END";

/** Whether an entry is an override by an agent with a token of its own. */
export const IS_BY_AGENT =
  "kind = 'override' AND phase IN ('whole', 'done') AND " +
  "CASE WHEN json_valid(entry) THEN entry ->> '$.principal.credential' END = 'agent-token'";

/**
 * Every statement on records and the trail. test/store/sqlite/queries.test.ts holds the plan of
 * each: no statement may scan or sort. `INDEXED BY` keeps the plans of lists whatever statistics
 * say, for the row id would do as well while there is one tenant, and scan once there are two.
 */
export const QUERIES = {
  insert: insertInto(
    'rfc',
    'rfc_id tenant_id repo_key branch commit_sha status rev created_at diff_segment diff_offset ' +
      'diff_lengths diff_bytes summary json vcs_host vcs_due trend texts',
    'ON CONFLICT (rfc_id) DO NOTHING',
  ),
  complete: sql<{ push_ref: string | null }>(`
    UPDATE rfc SET status = ?, rev = ?, summary = ?, json = ?, texts = ?, vcs_host = ?, vcs_due = ?
    WHERE rfc_id = ? AND tenant_id = ? AND status = 'DRAFT' AND rev = ?
    RETURNING push_ref`),
  /** A record whose status stays. */
  setRecord: 'UPDATE rfc SET rev = ?, summary = ?, json = ?, texts = ? WHERE rfc_id = ?',
  state: sql<StateRow>('SELECT tenant_id, status, rev, json FROM rfc WHERE rfc_id = ?'),
  /** As bytes, which go to the caller as they are. */
  view: sql<ViewRow>(`
    SELECT status, rev, CAST(json AS BLOB) AS json FROM rfc
    WHERE rfc_id = ? AND tenant_id = ?`),
  archived: sql<ArchivedRow>(`
    SELECT tenant_id, status, rev, file, offset, bytes, line FROM archived WHERE rfc_id = ?`),
  diff: sql<DiffRow>(`
    SELECT diff_segment, diff_offset, diff_lengths, diff_bytes FROM rfc
    WHERE rfc_id = ? AND tenant_id = ?`),
  drafts: sql<JsonRow & { seq: number }>(`
    SELECT seq, json FROM rfc INDEXED BY rfc_drafts
    WHERE status = 'DRAFT' AND seq > ? AND push_ref IS NULL ORDER BY seq LIMIT ?`),
  ofCommit: sql<{ rfc_id: string }>(`
    SELECT rfc_id FROM rfc INDEXED BY rfc_by_commit
    WHERE tenant_id = ? AND repo_key = ? AND commit_sha = ? AND commit_sha IS NOT NULL
      AND status <> 'SUPERSEDED' ORDER BY seq DESC LIMIT ?`),
  reportNames: sql<ReportName>(`
    SELECT tool, sha256, bytes FROM report WHERE tenant_id = ? AND repo_key = ? AND subject = ?`),
  keptReport: sql<JsonRow>(`
    SELECT json FROM report WHERE tenant_id = ? AND repo_key = ? AND subject = ? AND tool = ?`),
  reportBytes: sql<{ bytes: number }>(`
    SELECT coalesce(sum(bytes), 0) AS bytes FROM report INDEXED BY report_bytes
    WHERE tenant_id = ?`),
  keepReport: insertInto(
    'report',
    'tenant_id repo_key subject tool sha256 at_ms bytes json',
    'ON CONFLICT (tenant_id, repo_key, subject, tool) DO UPDATE SET sha256 = excluded.sha256, ' +
      'at_ms = excluded.at_ms, bytes = excluded.bytes, json = excluded.json',
  ),
  dropReports: 'DELETE FROM report WHERE at_ms < ?',
  list: sql<ListedRow>(`
    SELECT seq, status, summary FROM rfc INDEXED BY rfc_by_tenant
    WHERE tenant_id = ? AND seq < ? ORDER BY seq DESC LIMIT ?`),
  scores: sql<JsonRow & { seq: number }>(`
    SELECT seq, json FROM rfc INDEXED BY rfc_by_tenant
    WHERE tenant_id = ? AND seq < ? ORDER BY seq DESC LIMIT ?`),
  listByRepo: sql<ListedRow>(`
    SELECT seq, status, summary FROM rfc INDEXED BY rfc_by_repo
    WHERE tenant_id = ? AND repo_key = ? AND seq < ? ORDER BY seq DESC LIMIT ?`),
  listByStatus: sql<ListedRow>(`
    SELECT seq, status, summary FROM rfc INDEXED BY rfc_by_status
    WHERE tenant_id = ? AND status = ? AND seq < ? ORDER BY seq DESC LIMIT ?`),
  listByRepoAndStatus: sql<ListedRow>(`
    SELECT seq, status, summary FROM rfc INDEXED BY rfc_by_repo_status
    WHERE tenant_id = ? AND repo_key = ? AND status = ? AND seq < ? ORDER BY seq DESC LIMIT ?`),
  listByComponent: sql<ListedRow>(`
    SELECT rfc.seq, rfc.status, rfc.summary
    FROM rfc_component AS part JOIN rfc ON rfc.seq = part.seq
    WHERE part.tenant_id = ? AND part.component = ? AND part.seq < ?
      AND (rfc.repo_key = ? OR ? IS NULL) AND (rfc.status = ? OR ? IS NULL)
    ORDER BY part.seq DESC LIMIT ?`),
  decide: `
    UPDATE rfc SET status = ?, rev = ?, summary = ?, json = ?, vcs_host = ?, vcs_due = ?,
      push_accepts = iif(push_ref IS NULL, NULL, ?)
    WHERE rfc_id = ? AND tenant_id = ? AND rev = ?`,
  revise: `
    UPDATE rfc SET status = ?, rev = ?, summary = ?, json = ?, texts = ?,
      vcs_due = coalesce(?, vcs_due), push_accepts = iif(push_ref IS NULL, NULL, ?)
    WHERE rfc_id = ? AND tenant_id = ? AND status = ? AND rev = ?`,
  remove: 'DELETE FROM rfc WHERE rfc_id = ? AND tenant_id = ? AND rev = ?',
  blocked: sql<BlockedRow>(`
    SELECT seq, rfc_id, created_at, iif(?, summary, NULL) AS summary
    FROM rfc INDEXED BY rfc_by_status
    WHERE tenant_id = ? AND status = 'BLOCKED' AND seq > ? ORDER BY seq LIMIT ?`),
  blockedByRepo: sql<BlockedRow>(`
    SELECT seq, rfc_id, created_at, iif(?, summary, NULL) AS summary
    FROM rfc INDEXED BY rfc_by_repo_status
    WHERE tenant_id = ? AND repo_key = ? AND status = 'BLOCKED' AND seq > ? ORDER BY seq LIMIT ?`),
  decisionOp: sql<DecisionOpRow>(
    'SELECT tenant_id, rfc_id, request_hash, output FROM decision_op WHERE op_id = ?',
  ),
  addDecisionOp: insertInto('decision_op', 'op_id tenant_id rfc_id request_hash output'),
  accept: insertInto(
    'accepted',
    'tenant_id repo_key fingerprint rfc_id by reason at rule expires_at',
    `ON CONFLICT (tenant_id, repo_key, fingerprint, rfc_id) DO UPDATE SET
      by = excluded.by, reason = excluded.reason, at = excluded.at, rule = excluded.rule,
      expires_at = excluded.expires_at`,
  ),
  emergencies: sql<EmergencyPlace>(`
    SELECT seq, ${REVIEW_DUE} AS due_at, summary,
      ${REVIEW_DUE} <= strftime('%Y-%m-%dT%H:%M:%fZ', 'now') AS overdue
    FROM rfc INDEXED BY rfc_review_due
    WHERE status = 'OVERRIDDEN' AND ${REVIEW_DUE} IS NOT NULL
      AND tenant_id = ? AND ${REVIEW_DUE} >= ? AND (${REVIEW_DUE}, seq) > (?, ?)
    ORDER BY ${REVIEW_DUE}, seq LIMIT ?`),
  emergencyCounts: sql<EmergencyCounts>(`
    SELECT count(*) AS due,
      coalesce(sum(${REVIEW_DUE} <= strftime('%Y-%m-%dT%H:%M:%fZ', 'now')), 0) AS overdue
    FROM rfc INDEXED BY rfc_review_due
    WHERE status = 'OVERRIDDEN' AND ${REVIEW_DUE} IS NOT NULL AND tenant_id = ?`),
  /** Of all tenants. */
  allEmergencyCounts: sql<EmergencyCounts>(`
    SELECT count(*) AS due,
      coalesce(sum(${REVIEW_DUE} <= strftime('%Y-%m-%dT%H:%M:%fZ', 'now')), 0) AS overdue
    FROM rfc INDEXED BY rfc_review_due
    WHERE status = 'OVERRIDDEN' AND ${REVIEW_DUE} IS NOT NULL`),
  overdueEmergency: sql<OverdueReview>(`
    SELECT rfc_id, ${REVIEW_DUE} AS due_at FROM rfc INDEXED BY rfc_review_due
    WHERE status = 'OVERRIDDEN' AND ${REVIEW_DUE} IS NOT NULL AND tenant_id = ?
      AND ${REVIEW_DUE} <= strftime('%Y-%m-%dT%H:%M:%fZ', 'now')
    ORDER BY ${REVIEW_DUE} LIMIT 1`),
  /** Behind a time; all of them, also where the clock went back. */
  overridesByAgents: sql<CountRow>(`
    SELECT count(*) AS count FROM audit INDEXED BY audit_by_agents
    WHERE ${IS_BY_AGENT} AND ts > ?`),
  rev: sql<Pick<ViewRow, 'status' | 'rev'>>(
    'SELECT status, rev FROM rfc WHERE rfc_id = ? AND tenant_id = ?',
  ),
  countStatus: sql<CountRow>(`
    SELECT count(*) AS count FROM (
      SELECT 1 FROM rfc INDEXED BY rfc_by_status WHERE tenant_id = ? AND status = ? LIMIT ?)`),
  newestOf: sql<{ seq: number }>(`
    SELECT seq FROM rfc INDEXED BY rfc_by_tenant WHERE tenant_id = ? ORDER BY seq DESC LIMIT 1`),
  oldestBlocked: sql<{ created_at: string }>(`
    SELECT created_at FROM rfc INDEXED BY rfc_by_status
    WHERE tenant_id = ? AND status = 'BLOCKED' ORDER BY seq LIMIT 1`),
  /** How many fingerprints an RFC has accepted. */
  acceptedByRfc: sql<CountRow>(`
    SELECT count(*) AS count FROM accepted INDEXED BY accepted_by_rfc
    WHERE tenant_id = ? AND rfc_id = ?`),
  withdraw: `
    DELETE FROM accepted INDEXED BY accepted_by_rfc WHERE tenant_id = ? AND rfc_id = ?`,
  listAccepted: sql<AcceptedRow>(`
    SELECT repo_key AS repo, fingerprint, rfc_id, by, reason, at, rule, expires_at FROM accepted
    WHERE tenant_id = ? AND (repo_key, fingerprint, rfc_id) > (?, ?, ?)
    ORDER BY repo_key, fingerprint, rfc_id LIMIT ?`),
  listAcceptedIn: sql<AcceptedRow>(`
    SELECT repo_key AS repo, fingerprint, rfc_id, by, reason, at, rule, expires_at FROM accepted
    WHERE tenant_id = ? AND repo_key = ? AND (fingerprint, rfc_id) > (?, ?)
    ORDER BY fingerprint, rfc_id LIMIT ?`),
  listEntries: sql<PlacedEntry>(`
    SELECT n, entry FROM audit INDEXED BY audit_shown
    WHERE tenant_id = ? AND kind NOT IN ('boot', 'clock-step', 'checkpoint') AND n < ?
    ORDER BY n DESC`),
  listWithoutLogins: sql<PlacedEntry>(`
    SELECT n, entry FROM audit INDEXED BY audit_without_logins
    WHERE tenant_id = ? AND kind NOT IN ('boot', 'clock-step', 'checkpoint', 'login') AND n < ?
    ORDER BY n DESC`),
  listEntriesOfKind: sql<PlacedEntry>(`
    SELECT n, entry FROM audit INDEXED BY audit_by_kind
    WHERE tenant_id = ? AND kind = ? AND n < ? ORDER BY n DESC`),
  listEntriesOfRfc: sql<PlacedEntry>(`
    SELECT n, entry FROM audit INDEXED BY audit_by_rfc
    WHERE tenant_id = ? AND rfc_id = ? AND rfc_id IS NOT NULL AND n < ? ORDER BY n DESC`),
  endAcceptance: `
    DELETE FROM accepted WHERE tenant_id = ? AND repo_key = ? AND fingerprint = ?`,
  accepted: `
    SELECT by, reason FROM accepted
    WHERE tenant_id = ? AND repo_key = ? AND fingerprint = ? LIMIT 1`,
  /** `strftime` is as JavaScript writes times, so that they compare as texts. */
  acceptedNow: sql<Pick<AcceptedRow, 'by' | 'reason'>>(`
    SELECT by, reason FROM accepted
    WHERE tenant_id = ? AND repo_key = ? AND fingerprint = ?
      AND (expires_at IS NULL OR expires_at > strftime('%Y-%m-%dT%H:%M:%fZ', 'now')) LIMIT 1`),
  endedAcceptance: sql<EndedAcceptance>(`
    SELECT fingerprint, rule, rfc_id, expires_at FROM accepted AS old
      INDEXED BY accepted_ending
    WHERE tenant_id = ? AND repo_key = ?
      AND expires_at <= strftime('%Y-%m-%dT%H:%M:%fZ', 'now') AND expires_at IS NOT NULL
      AND NOT EXISTS (
        SELECT 1 FROM accepted AS other
        WHERE other.tenant_id = old.tenant_id AND other.repo_key = old.repo_key
          AND other.fingerprint = old.fingerprint
          AND (other.expires_at IS NULL
            OR other.expires_at > strftime('%Y-%m-%dT%H:%M:%fZ', 'now')))
    ORDER BY expires_at LIMIT 1`),
  auditAppend: insertInto('audit', 'n chain seq op_id phase kind ts bytes prev hash entry'),
  auditOp: sql<AuditPlace & EntryText & { kind: string }>(
    'SELECT chain, seq, kind, entry FROM audit WHERE op_id = ? AND phase = ?',
  ),
  /** The newest of all chains. */
  auditLast: sql<{ n: number; bytes: number; ts: string }>(
    'SELECT n, bytes, ts FROM audit WHERE n = (SELECT max(n) FROM audit)',
  ),
  auditHead: sql<{ seq: number; hash: string }>(
    'SELECT seq, hash FROM audit WHERE chain = ? ORDER BY seq DESC LIMIT 1',
  ),
  auditEntry: sql<EntryText>('SELECT entry FROM audit WHERE chain = ? AND seq = ?'),
  /** Every chain with the place of the first entry that is there: one look-up for each chain. */
  auditChains: sql<{ chain: string; n: number }>(`
    WITH RECURSIVE named (chain) AS (
      SELECT min(chain) FROM audit
      UNION ALL
      SELECT (SELECT min(chain) FROM audit WHERE chain > named.chain) FROM named
      WHERE named.chain IS NOT NULL
    )
    SELECT chain, (SELECT n FROM audit WHERE chain = named.chain ORDER BY seq LIMIT 1) AS n
    FROM named WHERE chain IS NOT NULL`),
  auditNamed: sql<EntryText>(
    'SELECT entry FROM audit WHERE op_id >= ? AND op_id < ? ORDER BY op_id',
  ),
  /**
   * The next decided RFCs behind a decision: the last of them, how many, and how many of these
   * decisions have their entry.
   */
  decidedPage: sql<{ last: string; count: number; documented: number }>(`
    SELECT max(op_id) AS last, count(*) AS count, total(is_documented) AS documented FROM (
      SELECT ${NEWEST_DECISION} AS op_id, EXISTS (
        SELECT 1 FROM audit
        WHERE audit.op_id = ${NEWEST_DECISION} AND audit.phase IN ('whole', 'done')
      ) AS is_documented
      FROM rfc INDEXED BY rfc_decided
      WHERE status IN ('OVERRIDDEN', 'APPROVED', 'REJECTED') AND ${NEWEST_DECISION} > ?
      ORDER BY ${NEWEST_DECISION} LIMIT ?)`),
  /** Decided RFCs without their entry, behind one and up to another. */
  undocumented: sql<UndocumentedRow>(`
    SELECT rfc_id, ${NEWEST_DECISION} AS op_id
    FROM rfc INDEXED BY rfc_decided
    WHERE status IN ('OVERRIDDEN', 'APPROVED', 'REJECTED')
      AND ${NEWEST_DECISION} > ? AND ${NEWEST_DECISION} <= ?
      AND NOT EXISTS (
        SELECT 1 FROM audit WHERE audit.op_id = ${NEWEST_DECISION} AND audit.phase IN ('whole', 'done'))`),
  /** Every decision of the next decided RFCs behind one in their order, with its entry or not. */
  decidedHistory: sql<UndocumentedRow>(`
    SELECT rfc.seq, rfc.rfc_id, json_extract(decision.value, '$.decision_id') AS op_id
    FROM rfc, json_each(rfc.json, '$.override_history') AS decision
    WHERE rfc.seq > ? AND rfc.seq <= ? AND rfc.status <> 'DRAFT' AND json_valid(rfc.json)
      AND NOT EXISTS (
        SELECT 1 FROM audit
        WHERE audit.op_id = json_extract(decision.value, '$.decision_id')
          AND audit.phase IN ('whole', 'done'))`),
  /**
   * The next RFCs behind one, in their order, that nobody decided about and that a decision about
   * others covers: each carry has an entry of its own, whose op_id names the RFC.
   */
  carriedPage: sql<{ seq: number; rfc_id: string; is_documented: number }>(`
    SELECT seq, rfc_id, EXISTS (
      SELECT 1 FROM audit
      WHERE audit.op_id > 'carry ' || rfc.rfc_id || ' '
        AND audit.op_id < 'carry ' || rfc.rfc_id || '!'
        AND audit.phase IN ('whole', 'done')
    ) AS is_documented
    FROM rfc INDEXED BY rfc_decided
    WHERE status IN ('OVERRIDDEN', 'APPROVED', 'REJECTED') AND status = 'OVERRIDDEN'
      AND ${NEWEST_DECISION} IS NULL AND seq > ?
    ORDER BY seq LIMIT ?`),
  /** Records behind one and up to another that show a decision, or contradict their row. */
  shownDecided: sql<StoredRfc>(`
    SELECT rfc_id, tenant_id, repo_key, branch, commit_sha, created_at, status, rev, json, summary
    FROM rfc WHERE seq > ? AND seq <= ? AND (
      status IN ('OVERRIDDEN', 'APPROVED', 'REJECTED') OR NOT json_valid(json)
      OR json_array_length(json, '$.override_history') > 0
      OR json ->> '$.overall_status' IS NOT status)`),
  shownRfc: sql<StoredRfc>(`
    SELECT rfc_id, tenant_id, repo_key, branch, commit_sha, created_at, status, rev, json, summary
    FROM rfc WHERE rfc_id = ?`),
  shownRefusal: sql<StoredRefusal>(`
    SELECT rfc_id, tenant_id, repo_key, branch, commit_sha, status, json FROM deleted_refusal
    WHERE rfc_id = ?`),
  entriesOfOp: sql<EntryText>('SELECT entry FROM audit WHERE op_id = ?'),
  /** What is accepted, of all tenants, behind one in the order of the key. */
  acceptedPage: sql<StoredAcceptance>(`
    SELECT tenant_id, repo_key, fingerprint, rfc_id, by, reason, at, rule, expires_at FROM accepted
    WHERE (tenant_id, repo_key, fingerprint, rfc_id) > (?, ?, ?, ?)
    ORDER BY tenant_id, repo_key, fingerprint, rfc_id LIMIT ?`),
  revisionsPage: sql<{ number: number; entry: string; text: string }>(`
    SELECT number, entry, text FROM rules_revision WHERE number > ? ORDER BY number LIMIT ?`),
  newestSeq: sql<{ seq: number | null }>('SELECT max(seq) AS seq FROM rfc'),
  /** Entries of a chain behind one, by `seq`. */
  auditPage: sql<EntryRow>(`
    SELECT chain, seq, op_id, phase, kind, ts, prev, hash, entry FROM audit
    WHERE chain = ? AND seq > ? ORDER BY seq LIMIT ?`),
} as const;

export type RecordStatements = Prepared<typeof QUERIES>;

/** A record as it stands in a row. */
export interface ViewRow {
  status: RfcStatus;
  rev: number;
  json: Buffer;
}

interface ArchivedRow extends ArchivedReference {
  tenant_id: string;
}

/** What writing steps look at before they change a row. */
export interface StateRow {
  tenant_id: string;
  status: string;
  rev: number;
  json: string;
}

/** Read as columns, which cost a fifth less than an object that the binding makes of them. */
type ListedRow = [seq: number, status: RfcStatus, summary: string];

export interface JsonRow {
  json: string;
}

export interface CountRow {
  count: number;
}

interface EntryText {
  entry: string;
}

interface PlacedEntry extends EntryText {
  n: number;
}

interface DiffRow {
  diff_segment: string | null;
  diff_offset: number;
  diff_lengths: string;
  diff_bytes: number;
}

export interface BlockedRow {
  seq: number;
  rfc_id: string;
  created_at: string;
  /** Null where it was not asked for. */
  summary: string | null;
}

interface EmergencyPlace {
  seq: number;
  due_at: string;
  summary: string;
  overdue: number;
}

interface DecisionOpRow extends Omit<RequestedOperation, 'op_id'> {
  output: string;
}

interface UndocumentedRow {
  rfc_id: string;
  op_id: string;
}

/** The same bytes in an ArrayBuffer that holds nothing else, so that it can be transferred. */
export function ownBytes(bytes: Buffer): Uint8Array {
  return bytes.byteLength === bytes.buffer.byteLength ? bytes : new Uint8Array(bytes);
}
