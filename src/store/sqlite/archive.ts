import { setImmediate } from 'node:timers/promises';
import type { ArchiveSide, FreeRfc } from '../archive.ts';
import { ARCHIVE } from '../limits.ts';
import { type Connection, prepared, sql } from './connection.ts';
import { OF_BRANCH, PUSH_QUERIES } from './pushes/queries.ts';
import { QUERIES } from './queries.ts';

const NEWER = 'newer.tenant_id = rfc.tenant_id';
/** Behind `newer`, which is another table in a join. */
const isOfBranch = OF_BRANCH.replaceAll('push_ref', 'newer.push_ref');

/**
 * An RFC that nothing asks for: its commit is not an accepted head, no status of it is due, nothing
 * is accepted by it, and another one is the newest of its repository, branch and components, and
 * the newest judged push of its ref: a sweep would judge that ref again. A verdict on a commit goes
 * after the older verdicts on it, deleted ones too, so that none of these speaks again.
 */
const IS_FREE = `push_accepts IS NULL AND vcs_due IS NULL
      AND (trend IS NOT NULL OR status = 'SUPERSEDED')
      AND NOT EXISTS (
        SELECT 1 FROM accepted INDEXED BY accepted_by_rfc
        WHERE accepted.tenant_id = rfc.tenant_id AND accepted.rfc_id = rfc.rfc_id)
      AND (push_ref IS NULL OR (EXISTS (
        SELECT 1 FROM rfc AS newer INDEXED BY push_by_name
        WHERE ${NEWER} AND newer.repo_key = rfc.repo_key AND newer.push_ref IS NOT NULL
          AND newer.seq > rfc.seq AND ${isOfBranch}
      ) AND EXISTS (
        SELECT 1 FROM rfc AS newer INDEXED BY push_by_repo
        WHERE ${NEWER} AND newer.push_repo = rfc.push_repo AND newer.push_ref IS NOT NULL
          AND newer.seq > rfc.seq)))
      AND (status = 'SUPERSEDED' OR ((NOT ${OF_BRANCH} OR EXISTS (
        SELECT 1 FROM rfc AS newer INDEXED BY rfc_live_by_branch
        WHERE ${NEWER} AND newer.repo_key = rfc.repo_key AND newer.branch = rfc.branch
          AND newer.status <> 'SUPERSEDED' AND newer.seq > rfc.seq AND ${isOfBranch}
      )) AND (push_ref IS NULL OR EXISTS (
        SELECT 1 FROM rfc AS newer INDEXED BY push_judged
        WHERE ${NEWER} AND newer.push_repo = rfc.push_repo AND newer.push_ref = rfc.push_ref
          AND newer.push_ref IS NOT NULL AND newer.status NOT IN ('DRAFT', 'SUPERSEDED')
          AND newer.seq > rfc.seq
      )) AND (commit_sha IS NULL OR NOT (EXISTS (
        SELECT 1 FROM rfc AS older INDEXED BY rfc_by_commit
        WHERE older.tenant_id = rfc.tenant_id AND older.commit_sha = rfc.commit_sha
          AND older.commit_sha IS NOT NULL AND older.status <> 'SUPERSEDED'
          AND older.seq < rfc.seq
      ) OR EXISTS (
        SELECT 1 FROM deleted_refusal AS refusal INDEXED BY refusal_by_commit
        WHERE refusal.tenant_id = rfc.tenant_id AND refusal.commit_sha = rfc.commit_sha
          AND refusal.commit_sha IS NOT NULL AND refusal.seq <= rfc.seq)))))
      AND NOT EXISTS (
        SELECT 1 FROM rfc_component AS own INDEXED BY rfc_component_of
        WHERE own.seq = rfc.seq AND NOT EXISTS (
          SELECT 1 FROM rfc_component AS part JOIN rfc AS newer ON newer.seq = part.seq
          WHERE part.tenant_id = own.tenant_id AND part.component = own.component
            AND part.seq > own.seq AND newer.repo_key = rfc.repo_key AND ${isOfBranch}))`;

const FREE = 'rfc_id, tenant_id, status, rev, json';

/** Statements of the archive. */
export const ARCHIVE_QUERIES = {
  /** The last of the records that one step looks at; absent: there are fewer. */
  windowEnd: sql<{ seq: number }>(`
    SELECT seq FROM rfc INDEXED BY rfc_by_status
    WHERE tenant_id = ? AND status = ? AND seq > ? ORDER BY seq LIMIT 1 OFFSET ?`),
  freeRfcs: sql<FreeRfc>(`
    SELECT ${FREE} FROM rfc INDEXED BY rfc_by_status
    WHERE tenant_id = ? AND status = ? AND seq > ? AND seq <= ? AND created_at < ? AND ${IS_FREE}
    ORDER BY seq`),
  freeRfc: sql<Pick<FreeRfc, 'rev'>>(`
    SELECT rev FROM rfc WHERE rfc_id = ? AND status = ? AND ${IS_FREE}`),
  /** The keys of a push stay, so that the same delivery or body does not come in again. */
  addArchived: `
    INSERT INTO archived (rfc_id, tenant_id, status, rev, file, offset, bytes, line, archived_at,
      delivery, body)
    SELECT rfc_id, tenant_id, status, rev, ?, ?, ?, ?, ?,
      nullif(lower(hex(push_delivery)), ''), nullif(lower(hex(push_body)), '')
    FROM rfc WHERE rfc_id = ?`,
  archivedPlace: sql<{ rfc_id: string }>(
    'SELECT rfc_id FROM archived WHERE file = ? AND offset = ? LIMIT 1',
  ),
  archivedDelivery: sql<{ rfc_id: string }>(`
    SELECT rfc_id FROM archived INDEXED BY archived_by_delivery
    WHERE delivery = ? AND delivery IS NOT NULL`),
  archivedBody: sql<{ rfc_id: string }>(`
    SELECT rfc_id FROM archived INDEXED BY archived_by_body WHERE body = ? AND body IS NOT NULL`),
} as const;

const ENDS = 'SELECT file, max(offset + bytes) AS end FROM archived GROUP BY file';

/** See `ends` of ArchiveSide. */
export function archiveEnds(database: Connection): ReadonlyMap<string, number> {
  const rows = database.prepare<[], { file: string; end: number }>(ENDS).all();
  return new Map(rows.map(({ file, end }) => [file, end]));
}

/** Runs a step as one transaction, durably. */
type Write = <Result>(step: () => Result) => Promise<Result>;

/** The archive's side of a database; without `write` it only reads. */
export function createArchiveSide(database: Connection, write: Write | null): ArchiveSide {
  const queries = prepared(database, ARCHIVE_QUERIES);
  const { remove } = prepared(database, QUERIES);
  const { removeDependency } = prepared(database, PUSH_QUERIES);

  return {
    async free({ tenant_id, status, before, after }) {
      // The thread serves the daemon besides.
      await setImmediate();
      const from = Number(after ?? 0);
      const end = queries.windowEnd.get(tenant_id, status, from, ARCHIVE.WINDOW - 1)?.seq;
      const until = end ?? Number.MAX_SAFE_INTEGER;
      const rfcs = queries.freeRfcs.all(tenant_id, status, from, until, before);
      return { rfcs, next: end ?? null };
    },

    async replace(rfcs) {
      if (write === null) throw new RangeError('the database is open for reading');
      return await write(() => {
        // All of them before the first change.
        const isSame = rfcs.every(
          ({ rfc_id, status, rev }) => queries.freeRfc.get(rfc_id, status)?.rev === rev,
        );
        if (!isSame) return false;
        for (const { rfc_id, tenant_id, rev, rests_on, ...place } of rfcs) {
          const { file, offset, bytes, line, archived_at } = place;
          const where = [file, BigInt(offset), BigInt(bytes), BigInt(line)];
          queries.addArchived.run(...where, archived_at, rfc_id);
          for (const onId of rests_on) removeDependency.run(tenant_id, onId, rfc_id);
          remove.run(rfc_id, tenant_id, rev);
        }
        return true;
      });
    },

    /** One daemon has the store. */
    shareHolds: () => Promise.resolve([]),

    async isReferred({ file, offset }) {
      return queries.archivedPlace.get(file, offset) !== undefined;
    },

    ends: async () => archiveEnds(database),
  };
}
