import type { Baseline, RepositoryPlace, Revocation } from '../../../model/push.ts';
import type { RfcStatus } from '../../../model/rfc.ts';
import type { PushClaim } from '../../contract/pushes.ts';
import type { RefPush } from '../../same-push.ts';
import type { DecidedRow } from '../../stored-record.ts';
import { insertInto, type Prepared, sql } from '../connection.ts';
import { type CountRow, type JsonRow, LANDED_AT, type StateRow, type ViewRow } from '../queries.ts';

const VIEW = `seq, rfc_id, commit_sha, status, push_accepts,
      CASE status WHEN 'BLOCKED' THEN json ->> '$.push.waiting_for' END AS waiting_for`;

/** What a `RefPush` is made of. */
const LOGGED = `${VIEW}, push_body IS NULL AS is_awaited,
      json ->> '$.push.before' AS before, json ->> '$.push.source' AS source`;

/**
 * What ProdFacts are made of. The pin stands in the record alone, and only a decision sets one: of
 * all others the record is not read.
 */
const FACTS = `seq, status, commit_sha, summary,
      CASE WHEN status NOT IN ('DRAFT', 'PASSED', 'BLOCKED') THEN json END AS decided`;

const DUE = `json, vcs_due, vcs_posted, ${isOutdated('rfc')} AS isOutdated, 0 AS isDeleted`;

/**
 * Pushes by their state, each with the condition of its partial index word for word: else SQLite
 * does not take it.
 */
const OPEN = `rfc INDEXED BY push_queue
      WHERE status = 'DRAFT' AND push_ref IS NOT NULL`;
const JUDGED = `rfc INDEXED BY push_judged
      WHERE status NOT IN ('DRAFT', 'SUPERSEDED') AND push_ref IS NOT NULL`;
const SUPERSEDED = `rfc INDEXED BY push_superseded
      WHERE status = 'SUPERSEDED' AND push_ref IS NOT NULL`;
const OF_REF = 'AND tenant_id = ? AND push_repo = ? AND push_ref = ?';
/** Records of a commit, pushed or not. */
const OF_COMMIT = `rfc INDEXED BY rfc_by_commit
      WHERE tenant_id = ? AND commit_sha = ? AND commit_sha IS NOT NULL`;

/** Neither a deployment nor a branch depends on the pull request of a fork. */
export const OF_BRANCH = `(push_ref IS NULL OR NOT (
      push_ref GLOB 'refs/pull/*' OR push_ref GLOB 'refs/merge-requests/*'))`;

/** Statements on pushes, statuses and baselines; their plans are held by a test. */
export const PUSH_QUERIES = {
  acceptPush: insertInto(
    'rfc',
    'rfc_id tenant_id repo_key branch commit_sha status rev created_at summary json vcs_host ' +
      'vcs_due push_ref push_delivery push_body push_repo texts',
    'ON CONFLICT DO NOTHING',
  ),
  pushByDelivery: sql<IdRow>(`
    SELECT rfc_id FROM rfc INDEXED BY push_by_delivery
    WHERE push_delivery = ? AND push_delivery IS NOT NULL`),
  pushByBody: sql<IdRow>(`
    SELECT rfc_id FROM rfc INDEXED BY push_by_body
    WHERE push_body = ? AND push_body IS NOT NULL`),
  /** Whether a sweep found a push of a ref to one head that no webhook has announced yet. */
  sweptPush: sql<{ seq: number }>(`
    SELECT seq FROM rfc INDEXED BY push_swept
    WHERE tenant_id = ? AND push_repo = ? AND push_ref = ? AND push_ref IS NOT NULL
      AND commit_sha = ? AND push_body IS NULL LIMIT 1`),
  /** The pushes of a ref to one head, newest first. */
  pushesOfHead: sql<LoggedRow>(`
    SELECT ${LOGGED} FROM rfc INDEXED BY rfc_by_commit
    WHERE tenant_id = ? AND push_repo = ? AND push_ref = ? AND push_ref IS NOT NULL
      AND commit_sha = ? AND commit_sha IS NOT NULL
    ORDER BY seq DESC LIMIT ?`),
  /** The pushes of a ref that came later than one, newest first: of each state by its index. */
  openAfter: sql<LoggedRow>(`
    SELECT ${LOGGED} FROM ${OPEN} ${OF_REF} AND seq > ? ORDER BY seq DESC LIMIT ?`),
  judgedAfter: sql<LoggedRow>(`
    SELECT ${LOGGED} FROM ${JUDGED} ${OF_REF} AND seq > ? ORDER BY seq DESC LIMIT ?`),
  supersededAfter: sql<LoggedRow>(`
    SELECT ${LOGGED} FROM ${SUPERSEDED} ${OF_REF} AND seq > ? ORDER BY seq DESC LIMIT ?`),
  takeWebhook: 'UPDATE rfc SET push_body = ? WHERE rfc_id = ?',
  /** The first repository with open pushes that stands behind one. */
  nextOpenRepo: sql<RepositoryPlace>(`
    SELECT tenant_id, push_repo AS repo_key FROM ${OPEN} AND (tenant_id, push_repo) > (?, ?)
    ORDER BY tenant_id, push_repo LIMIT 1`),
  /** Its first ref with open pushes that stands behind one. */
  nextOpenRef: sql<{ push_ref: string }>(`
    SELECT push_ref FROM ${OPEN} AND tenant_id = ? AND push_repo = ? AND push_ref > ?
    ORDER BY push_ref LIMIT 1`),
  newestOpen: sql<NewestRow>(`
    SELECT seq, rfc_id, push_held_until FROM ${OPEN} ${OF_REF} ORDER BY seq DESC LIMIT 1`),
  olderOpen: sql<PushClaim['older'][number]>(`
    SELECT rfc_id, rev, commit_sha FROM ${OPEN} ${OF_REF} AND seq < ?
    ORDER BY seq DESC LIMIT ?`),
  push: sql<PushRow>(`
    SELECT rfc_id, tenant_id, status, rev, json, push_ref, push_owner, push_held_until, vcs_posted
    FROM rfc WHERE rfc_id = ? AND tenant_id = ? AND push_ref IS NOT NULL`),
  /** A push that stays a DRAFT. */
  progress: `
    UPDATE rfc SET rev = ?, summary = ?, json = ?, push_held_until = ?, push_owner = ?,
      vcs_due = coalesce(?, vcs_due)
    WHERE rfc_id = ?`,
  renewPush: `
    UPDATE rfc SET push_held_until = ?
    WHERE rfc_id = ? AND tenant_id = ? AND status = 'DRAFT' AND push_owner = ?`,
  releasePushes: `
    UPDATE rfc INDEXED BY push_held SET push_held_until = NULL
    WHERE status = 'DRAFT' AND push_held_until IS NOT NULL AND push_held_until > ?
      AND push_owner = ?`,
  supersede: `
    UPDATE rfc SET status = ?, rev = ?, summary = ?, json = ?, vcs_due = ?
    WHERE rfc_id = ?`,
  acceptHead: 'UPDATE rfc SET push_accepts = 1 WHERE rfc_id = ?',
  acceptedOfCommit: sql<IdRow & { push_ref: string }>(`
    SELECT rfc_id, push_ref FROM rfc INDEXED BY push_accepted_of_commit
    WHERE tenant_id = ? AND push_repo = ? AND commit_sha = ? AND push_accepts = 1
    ORDER BY seq DESC LIMIT 1`),
  acceptedOfRef: sql<IdRow & { commit_sha: string }>(`
    SELECT rfc_id, commit_sha FROM rfc INDEXED BY push_accepted_of_ref
    WHERE tenant_id = ? AND push_repo = ? AND push_ref = ? AND push_accepts = 1
    ORDER BY seq DESC LIMIT 1`),
  addBaseline: insertInto('repository', 'tenant_id repo_key name host sha adopted_at heads'),
  baseline: sql<Omit<Baseline, 'heads'> & { heads: string }>(`
    SELECT host, sha, adopted_at, heads FROM repository WHERE tenant_id = ? AND repo_key = ?`),
  baselineHead: sql<{ sha: string | null }>(
    'SELECT sha FROM repository WHERE tenant_id = ? AND repo_key = ?',
  ),
  hostOfName: sql<{ host: string }>(`
    SELECT host FROM repository INDEXED BY repository_by_name
    WHERE tenant_id = ? AND name = ? ORDER BY rowid LIMIT 1`),
  lowerBaseline: `
    UPDATE repository SET sha = ? WHERE tenant_id = ? AND repo_key = ? AND sha = ?`,
  bindRepository: `
    UPDATE repository SET repo_key = ? WHERE tenant_id = ? AND repo_key = ? AND host = ?`,
  bindPushes: `
    UPDATE rfc INDEXED BY push_by_repo SET push_repo = ?
    WHERE tenant_id = ? AND push_repo = ? AND push_ref IS NOT NULL`,
  bindRevocation: 'UPDATE push_fallen SET repo_key = ? WHERE tenant_id = ? AND repo_key = ?',
  repoOfPush: sql<{ push_repo: string | null }>('SELECT push_repo FROM rfc WHERE rfc_id = ?'),
  pushesOfCommit: sql<JsonRow>(`
    SELECT json FROM ${OF_COMMIT} AND push_repo = ? AND push_ref IS NOT NULL
    ORDER BY seq DESC LIMIT ?`),
  /** Of a branch or tag that has a verdict on this commit. */
  judgedOfBranches: sql<IdRow>(`
    SELECT rfc_id FROM ${OF_COMMIT} AND push_repo = ? AND push_ref IS NOT NULL AND ${OF_BRANCH}
      AND status NOT IN ('DRAFT', 'SUPERSEDED')
    ORDER BY seq DESC LIMIT 1`),
  /** Of any repository: the statuses are DECIDED_STATUSES. */
  decidedOfCommit: sql<DecidedRow>(`
    SELECT status, json FROM ${OF_COMMIT} AND status IN ('REJECTED', 'OVERRIDDEN', 'APPROVED')
    ORDER BY seq DESC`),
  /** What deletions left, the newest first. */
  addRefusal: `
    INSERT INTO deleted_refusal (rfc_id, tenant_id, seq, repo_key, branch, commit_sha, push_repo,
      push_ref, status, json)
    SELECT rfc_id, tenant_id, seq, repo_key, branch, commit_sha, push_repo, push_ref, ?, ?
    FROM rfc WHERE rfc_id = ?`,
  bindRefusals: `
    UPDATE deleted_refusal INDEXED BY refusal_by_ref SET push_repo = ?
    WHERE tenant_id = ? AND push_repo = ? AND push_ref IS NOT NULL`,
  refusal: sql<JsonRow>('SELECT json FROM deleted_refusal WHERE rfc_id = ? AND tenant_id = ?'),
  refusalOfName: sql<PlacedRow>(`
    SELECT seq, json FROM deleted_refusal INDEXED BY refusal_by_name
    WHERE tenant_id = ? AND repo_key = ? AND ${OF_BRANCH}
    ORDER BY seq DESC, rfc_id DESC LIMIT 1`),
  refusalOfBranch: sql<PlacedRow>(`
    SELECT seq, json FROM deleted_refusal INDEXED BY refusal_by_branch
    WHERE tenant_id = ? AND repo_key = ? AND branch = ? AND ${OF_BRANCH}
    ORDER BY seq DESC, rfc_id DESC LIMIT 1`),
  refusalOfRef: sql<PushViewRow>(`
    SELECT seq, rfc_id, commit_sha, status, NULL AS push_accepts, NULL AS waiting_for
    FROM deleted_refusal INDEXED BY refusal_by_ref
    WHERE tenant_id = ? AND push_repo = ? AND push_ref = ? AND push_ref IS NOT NULL
    ORDER BY seq DESC, rfc_id DESC LIMIT 1`),
  refusedPushOfName: sql<NamedPush>(`
    SELECT json ->> '$.push.default_branch' AS branch, push_repo
    FROM deleted_refusal INDEXED BY refusal_pushed
    WHERE tenant_id = ? AND repo_key = ? AND push_ref IS NOT NULL
    ORDER BY seq DESC, rfc_id DESC LIMIT 1`),
  refusalsOfCommit: sql<CommitRow>(`
    SELECT seq, rfc_id, repo_key, branch, commit_sha, push_repo, push_ref, status, json,
      NULL AS push_accepts, NULL AS waiting_for
    FROM deleted_refusal INDEXED BY refusal_by_commit
    WHERE tenant_id = ? AND commit_sha = ? AND commit_sha IS NOT NULL
    ORDER BY seq DESC, rfc_id DESC`),
  /** Not older than the newest record that judged the component. */
  refusalsSince: sql<IdRow & JsonRow>(`
    SELECT rfc_id, json FROM deleted_refusal INDEXED BY refusal_by_name
    WHERE tenant_id = ? AND repo_key = ? AND seq >= ? AND ${OF_BRANCH}
    ORDER BY seq DESC, rfc_id DESC`),
  newestOfComponent: sql<IdRow & { seq: number }>(`
    SELECT rfc.seq, rfc.rfc_id FROM rfc_component
    JOIN rfc ON rfc.seq = rfc_component.seq
    WHERE rfc_component.tenant_id = ? AND component = ? AND repo_key = ? AND ${OF_BRANCH}
    ORDER BY rfc_component.seq DESC LIMIT 1`),
  refusedOfCommit: sql<JsonRow>(`
    SELECT json FROM ${OF_COMMIT} AND status IN ('BLOCKED', 'REJECTED', 'DRAFT')
      AND push_ref IS NOT NULL
    ORDER BY seq DESC LIMIT ?`),
  overridden: sql<JsonRow>(`
    SELECT json FROM rfc INDEXED BY push_overridden
    WHERE status = 'OVERRIDDEN' AND push_ref IS NOT NULL AND tenant_id = ? AND push_repo = ?
    ORDER BY seq DESC LIMIT ?`),
  addDependency: insertInto('push_rests', 'tenant_id on_id rfc_id', 'ON CONFLICT DO NOTHING'),
  removeDependency: `
    DELETE FROM push_rests WHERE tenant_id = ? AND on_id = ? AND rfc_id = ?`,
  dependentsOf: sql<JsonRow>(`
    SELECT rfc.json FROM push_rests JOIN rfc ON rfc.rfc_id = push_rests.rfc_id
    WHERE push_rests.tenant_id = ? AND on_id = ? AND rfc.push_repo = ?
      AND rfc.status IN ('PASSED', 'APPROVED', 'OVERRIDDEN', 'BLOCKED') LIMIT ?`),
  reopen: `
    UPDATE rfc SET status = ?, rev = ?, summary = ?, json = ?, vcs_host = ?, vcs_due = ?,
      push_accepts = NULL, push_held_until = NULL, push_owner = NULL
    WHERE rfc_id = ? AND rev = ?`,
  addRevocation: insertInto(
    'push_fallen',
    'tenant_id id repo_key sha is_rejected at_ms',
    `ON CONFLICT (tenant_id, id) DO UPDATE SET
      sha = excluded.sha, is_rejected = excluded.is_rejected, at_ms = excluded.at_ms`,
  ),
  revocations: sql<Omit<Revocation, 'is_rejected'> & { is_rejected: number }>(`
    SELECT tenant_id, id, repo_key, sha, is_rejected, at_ms FROM push_fallen ORDER BY n LIMIT ?`),
  removeRevocation: 'DELETE FROM push_fallen WHERE tenant_id = ? AND id = ?',
  newestOpenOfRef: sql<PushViewRow>(`
    SELECT ${VIEW} FROM ${OPEN} ${OF_REF} ORDER BY seq DESC LIMIT 1`),
  newestJudgedOfRef: sql<PushViewRow>(`
    SELECT ${VIEW} FROM ${JUDGED} ${OF_REF} ORDER BY seq DESC LIMIT 1`),
  newestOfCommit: sql<PushViewRow & { push_ref: string }>(`
    SELECT ${VIEW}, push_ref FROM rfc INDEXED BY rfc_by_commit
    WHERE tenant_id = ? AND repo_key = ? AND commit_sha = ? AND commit_sha IS NOT NULL
      AND status <> 'SUPERSEDED' AND push_ref IS NOT NULL AND ${OF_BRANCH}
    ORDER BY seq DESC LIMIT 1`),
  oldestOpenOfRef: sql<PlacedRow>(`
    SELECT seq, json FROM ${OPEN} ${OF_REF} ORDER BY seq LIMIT 1`),
  oldestJudgedOfRef: sql<PlacedRow>(`
    SELECT seq, json FROM ${JUDGED} ${OF_REF} ORDER BY seq LIMIT 1`),
  oldestSupersededOfRef: sql<PlacedRow>(`
    SELECT seq, json FROM ${SUPERSEDED} ${OF_REF} ORDER BY seq LIMIT 1`),
  defaultBranch: sql<NamedPush>(`
    SELECT json ->> '$.push.default_branch' AS branch, push_repo FROM rfc INDEXED BY push_by_name
    WHERE tenant_id = ? AND repo_key = ? AND push_ref IS NOT NULL
    ORDER BY seq DESC LIMIT 1`),
  facts: sql<FactsRow>(`
    SELECT ${FACTS} FROM rfc INDEXED BY rfc_live_by_repo
    WHERE tenant_id = ? AND repo_key = ? AND status <> 'SUPERSEDED' AND ${OF_BRANCH}
    ORDER BY seq DESC LIMIT 1`),
  factsOfBranch: sql<FactsRow>(`
    SELECT ${FACTS} FROM rfc INDEXED BY rfc_live_by_branch
    WHERE tenant_id = ? AND repo_key = ? AND branch = ? AND status <> 'SUPERSEDED' AND ${OF_BRANCH}
    ORDER BY seq DESC LIMIT 1`),
  factsOfCommit: sql<FactsRow & { branch: string }>(`
    SELECT ${FACTS}, branch FROM rfc INDEXED BY rfc_by_commit
    WHERE tenant_id = ? AND repo_key = ? AND commit_sha = ? AND commit_sha IS NOT NULL
      AND status <> 'SUPERSEDED' AND ${OF_BRANCH}
    ORDER BY seq DESC`),
  newestPush: sql<ViewRow>(`
    SELECT status, rev, CAST(json AS BLOB) AS json FROM rfc INDEXED BY push_by_name
    WHERE tenant_id = ? AND repo_key = ? AND push_ref IS NOT NULL AND ${OF_BRANCH}
    ORDER BY seq DESC LIMIT 1`),
  newestOfRepo: sql<ViewRow>(`
    SELECT status, rev, CAST(json AS BLOB) AS json FROM rfc INDEXED BY push_by_repo
    WHERE tenant_id = ? AND push_repo = ? AND push_ref IS NOT NULL
    ORDER BY seq DESC LIMIT 1`),
  nextPushedRepo: sql<RepositoryPlace>(`
    SELECT tenant_id, push_repo AS repo_key FROM rfc INDEXED BY push_by_repo
    WHERE push_ref IS NOT NULL AND (tenant_id, push_repo) > (?, ?)
    ORDER BY tenant_id, push_repo LIMIT 1`),
  counts: sql<{ open: number; due: number }>('SELECT open, due FROM push_count WHERE id = 1'),
  leasedCount: sql<CountRow>(`
    SELECT count(*) AS count FROM (
      SELECT 1 FROM rfc INDEXED BY push_held
      WHERE status = 'DRAFT' AND push_held_until IS NOT NULL AND push_held_until > ? LIMIT ?)`),
  landedCount: sql<CountRow>(`
    SELECT count(*) AS count FROM (
      SELECT seq, tenant_id, push_repo, push_ref FROM rfc INDEXED BY push_landed
      WHERE status IN ('BLOCKED', 'REJECTED') AND ${LANDED_AT} IS NOT NULL
      ORDER BY seq DESC LIMIT ?) AS landed
    WHERE NOT EXISTS (
      SELECT 1 FROM rfc AS later INDEXED BY push_accepted_of_ref
      WHERE later.tenant_id = landed.tenant_id AND later.push_repo = landed.push_repo
        AND later.push_ref = landed.push_ref AND later.push_accepts = 1
        AND later.seq > landed.seq)`),
  oldestOpen: sql<{ created_at: string }>(`
    SELECT created_at FROM rfc INDEXED BY push_open
    WHERE status = 'DRAFT' AND push_ref IS NOT NULL ORDER BY seq LIMIT 1`),
  dueVerdicts: sql<DueRow>(`
    SELECT ${DUE} FROM rfc INDEXED BY vcs_due_verdict
    WHERE vcs_host = ? AND vcs_due IS NOT NULL AND status <> 'DRAFT' AND vcs_due <= ?
    ORDER BY vcs_due DESC LIMIT ?`),
  dueDrafts: sql<DueRow>(`
    SELECT ${DUE} FROM rfc INDEXED BY vcs_due_draft
    WHERE vcs_host = ? AND vcs_due IS NOT NULL AND status = 'DRAFT' AND vcs_due <= ?
    ORDER BY vcs_due DESC LIMIT ?`),
  dueOfDeleted: sql<DueRow>(`
    SELECT json, vcs_due, vcs_posted, ${isOutdated('gone')} AS isOutdated, 1 AS isDeleted
    FROM deleted_status AS gone INDEXED BY deleted_status_due
    WHERE vcs_host = ? AND vcs_due <= ?
    ORDER BY vcs_due DESC LIMIT ?`),
  addDeleted: `
    INSERT INTO deleted_status (rfc_id, tenant_id, seq, repo_key, commit_sha, push_ref, vcs_host,
      vcs_due, vcs_posted, json)
    SELECT rfc_id, tenant_id, seq, repo_key, commit_sha, push_ref, ?, ?, vcs_posted, ?
    FROM rfc WHERE rfc_id = ?`,
  putOffDeleted: `
    UPDATE deleted_status SET vcs_due = ?, vcs_posted = coalesce(?, vcs_posted)
    WHERE rfc_id = ? AND tenant_id = ?`,
  removeDeleted: 'DELETE FROM deleted_status WHERE rfc_id = ? AND tenant_id = ?',
  summary: sql<{ summary: string }>('SELECT summary FROM rfc WHERE rfc_id = ?'),
  postedStatus: sql<{ vcs_posted: string | null; vcs_due: number | null }>(
    'SELECT vcs_posted, vcs_due FROM rfc WHERE rfc_id = ? AND tenant_id = ?',
  ),
  settleStatus: `
    UPDATE rfc SET vcs_posted = coalesce(?, vcs_posted),
      vcs_due = CASE WHEN rev = ? THEN ?
        WHEN ? IS NOT NULL AND vcs_host IS NOT NULL THEN coalesce(vcs_due, ?)
        ELSE vcs_due END
    WHERE rfc_id = ? AND tenant_id = ?`,
} as const;

export type PushStatements = Prepared<typeof PUSH_QUERIES>;

/**
 * Whether another RFC speaks for the commit of this row (see DueStatus), or an RFC that was deleted
 * and refused it.
 */
function isOutdated(row: 'rfc' | 'gone'): string {
  return `(EXISTS (
      SELECT 1 FROM rfc AS newer INDEXED BY rfc_by_commit
      WHERE newer.tenant_id = ${row}.tenant_id
        AND newer.repo_key IN (${row}.repo_key, lower(${row}.json ->> '$.repo_full_name'))
        AND newer.commit_sha = ${row}.commit_sha AND newer.commit_sha IS NOT NULL
        AND newer.status <> 'SUPERSEDED'
        AND (newer.push_ref IS NOT NULL, newer.seq) > (${row}.push_ref IS NOT NULL, ${row}.seq)
    ) OR EXISTS (
      SELECT 1 FROM deleted_refusal AS refusal INDEXED BY refusal_by_commit
      WHERE refusal.tenant_id = ${row}.tenant_id
        AND refusal.repo_key IN (${row}.repo_key, lower(${row}.json ->> '$.repo_full_name'))
        AND refusal.commit_sha = ${row}.commit_sha AND refusal.commit_sha IS NOT NULL
        AND refusal.rfc_id <> ${row}.rfc_id
        AND (refusal.push_ref IS NOT NULL, refusal.seq) >= (${row}.push_ref IS NOT NULL, ${row}.seq)
    ))`;
}

interface IdRow {
  rfc_id: string;
}

interface PlacedRow extends JsonRow {
  seq: number;
}

/** What a push is viewed by. */
export interface PushViewRow extends IdRow {
  seq: number;
  commit_sha: string;
  status: RfcStatus;
  push_accepts: number | null;
  waiting_for: string | null;
}

/** What a deletion left of an RFC of a commit. */
export interface CommitRow extends PushViewRow, JsonRow {
  repo_key: string;
  branch: string | null;
  push_repo: string | null;
  push_ref: string | null;
}

export interface LoggedRow extends Omit<RefPush, 'seq' | 'isAwaited' | 'isUnjudged'> {
  seq: number;
  is_awaited: number;
  waiting_for: string | null;
}

/** The newest open push of a ref. */
export interface NewestRow extends IdRow {
  seq: number;
  push_held_until: number | null;
}

/** What writing steps look at before they change a push. */
export interface PushRow extends StateRow, IdRow {
  push_ref: string;
  push_owner: string | null;
  /** Ms since the epoch; null: nobody has claimed it. */
  push_held_until: number | null;
  vcs_posted: string | null;
}

interface NamedPush {
  branch: string | null;
  push_repo: string;
}

export interface FactsRow {
  seq: number;
  status: RfcStatus;
  commit_sha: string | null;
  /** The RfcSummary. */
  summary: string;
  /** The record, where somebody has decided about it; else null. */
  decided: string | null;
}

interface DueRow extends JsonRow {
  vcs_due: number;
  vcs_posted: string | null;
  isOutdated: number;
  isDeleted: number;
}
