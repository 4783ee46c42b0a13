import { searchTexts } from '../../model/search.ts';
import type { ListInput, ListSearch } from '../contract/records.ts';
import type { ListRow } from '../lists.ts';
import { parseRecord, repoKey } from '../stored-record.ts';
import { type Connection, prepared, sql } from './connection.ts';
import type { JsonRow } from './queries.ts';

/** Answered by keys of indexes alone: a search reads no more records than it finds. */
const isOfFilters = (seq: 'part.seq' | 'rfc.seq') => `
      AND (:repo IS NULL OR EXISTS (
        SELECT 1 FROM rfc AS own INDEXED BY rfc_by_repo
        WHERE own.tenant_id = :tenant AND own.repo_key = :repo AND own.seq = ${seq}))
      AND (:status IS NULL OR EXISTS (
        SELECT 1 FROM rfc AS own INDEXED BY rfc_by_status
        WHERE own.tenant_id = :tenant AND own.status = :status AND own.seq = ${seq}))
      AND (:component IS NULL OR EXISTS (
        SELECT 1 FROM rfc_component AS own
        WHERE own.tenant_id = :tenant AND own.component = :component AND own.seq = ${seq}))`;

/**
 * Statements of searches (model/search): the index of texts is the table `rfc_text`, which the
 * newest records are not in yet.
 */
export const SEARCH_QUERIES = {
  newestUntil: sql<SeqRow>(`
    SELECT seq FROM rfc INDEXED BY rfc_by_time
    WHERE tenant_id = ? AND created_at <= ? ORDER BY created_at DESC, seq DESC LIMIT 1`),
  oldestSince: sql<SeqRow>(`
    SELECT seq FROM rfc INDEXED BY rfc_by_time
    WHERE tenant_id = ? AND created_at >= ? ORDER BY created_at, seq LIMIT 1`),
  countText: sql<{ count: number }>(`
    SELECT count(*) AS count FROM (
      SELECT 1 FROM rfc_text
      WHERE tenant_id = ? AND text = ? AND seq < ? AND seq >= ? LIMIT ?)`),
  /** The place of the last entry that a page looks at; absent: the list ends before. */
  lastExamined: sql<SeqRow>(`
    SELECT seq FROM rfc_text WHERE tenant_id = ? AND text = ? AND seq < ? AND seq >= ?
    ORDER BY seq DESC LIMIT 1 OFFSET ?`),
  listByTexts: sql<ListRow<number>>(`
    SELECT rfc.seq, rfc.status, rfc.summary FROM rfc_text AS part JOIN rfc ON rfc.seq = part.seq
    WHERE part.tenant_id = :tenant AND part.text = :text AND part.seq < :before
      AND part.seq >= :from ${isOfFilters('part.seq')}
      AND NOT EXISTS (
        SELECT 1 FROM json_each(:others) AS other WHERE NOT EXISTS (
          SELECT 1 FROM rfc_text AS own
          WHERE own.tenant_id = :tenant AND own.text = other.value AND own.seq = part.seq))
    ORDER BY part.seq DESC LIMIT :limit`),
  indexed: sql<SeqRow>('SELECT seq FROM rfc_indexed'),
  listUnindexed: sql<ListRow<number>>(`
    SELECT rfc.seq, rfc.status, rfc.summary FROM rfc
    WHERE rfc.tenant_id = :tenant AND rfc.seq < :before AND rfc.seq >= :from
      ${isOfFilters('rfc.seq')}
      AND NOT EXISTS (
        SELECT 1 FROM json_each(:texts) AS sought
        WHERE sought.value NOT IN (SELECT value FROM json_each(rfc.texts)))
    ORDER BY rfc.seq DESC LIMIT :limit`),
  textsOf: sql<SeqRow & { texts: string }>(`
    SELECT seq, texts FROM rfc
    WHERE seq IN (SELECT value FROM json_each(?)) AND texts IS NOT NULL`),
  withoutTexts: sql<JsonRow & { seq: number }>(`
    SELECT seq, json FROM rfc INDEXED BY rfc_without_texts
    WHERE texts IS NULL ORDER BY seq LIMIT ?`),
  setTexts: 'UPDATE rfc SET texts = ? WHERE seq = ?',
} as const;

interface SeqRow {
  seq: number;
}

/** Places within a list: `from` is in it, `before` is not. */
interface Span {
  before: number;
  from: number;
}

/** Searches on an open database. */
export function createSearch(database: Connection) {
  const queries = prepared(database, SEARCH_QUERIES);

  /**
   * The text that the fewest records have, as far as a page looks, and where it stops looking;
   * undefined: at the end of the list. Of texts with more records the rarest one reaches back
   * furthest.
   */
  function rarest(tenant: string, { texts, examined }: ListSearch, { before, from }: Span) {
    const spans = texts.map((text) => {
      const end = queries.lastExamined.get(tenant, text, before, from, examined - 1)?.seq;
      const isCounted = end === undefined && texts.length > 1;
      const counted = isCounted
        ? queries.countText.get(tenant, text, before, from, examined)
        : null;
      return { text, end, count: isCounted ? (counted?.count ?? 0) : examined };
    });
    const [first] = spans.toSorted(
      (one, other) => one.count - other.count || (one.end ?? 0) - (other.end ?? 0),
    );
    return first ?? { text: '', end: undefined };
  }

  return {
    /** Where the records of the times of a search stand, before a place. */
    span({ tenant_id, search }: ListInput, before: number): Span {
      const { until = null, since = null } = search ?? {};
      const newest = until === null ? null : queries.newestUntil.get(tenant_id, until);
      const oldest = since === null ? null : queries.oldestSince.get(tenant_id, since);
      return {
        before: newest === null ? before : Math.min(before, (newest?.seq ?? 0) + 1),
        from: oldest === null ? 0 : (oldest?.seq ?? Number.MAX_SAFE_INTEGER),
      };
    },

    byTexts(input: ListInput, search: ListSearch, span: Span) {
      const { tenant_id: tenant, status, component = null, limit } = input;
      const repo = input.repo === null ? null : repoKey(input.repo);
      const filters = { tenant, status, repo, component };
      // Read first: the writer may index more records in between.
      const behind = (queries.indexed.get()?.seq ?? 0) + 1;
      const newest = queries.listUnindexed.all({
        ...filters,
        before: span.before,
        from: Math.max(span.from, behind),
        texts: JSON.stringify(search.texts),
        limit: limit + 1,
      });
      if (newest.length > limit) return { rows: newest, end: null };
      const before = Math.min(span.before, behind);
      const { text, end } = rarest(tenant, search, { ...span, before });
      const indexed = queries.listByTexts.all({
        ...filters,
        text,
        before,
        from: end ?? span.from,
        others: JSON.stringify(search.texts.filter((other) => other !== text)),
        limit: limit + 1 - newest.length,
      });
      return { rows: [...newest, ...indexed], end: end ?? null };
    },
  };
}

/** Records that one step indexes. */
const OLDER_AT_ONCE = 100;

/** A step that indexes records of versions that kept no texts (see `repeatWrite`). */
export function createOlderIndexing(database: Connection): () => number {
  const { withoutTexts, setTexts } = prepared(database, SEARCH_QUERIES);
  return () => {
    const rows = withoutTexts.all(OLDER_AT_ONCE);
    for (const { seq, json } of rows) {
      setTexts.run(JSON.stringify(searchTexts(parseRecord(json))), BigInt(seq));
    }
    return rows.length;
  };
}
