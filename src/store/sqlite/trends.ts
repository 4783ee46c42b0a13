import { TRENDS } from '../../model/limits.ts';
import type { RecordText } from '../../model/records.ts';
import {
  type BlockedSum,
  mostBlocked,
  summariseTrends,
  type TrendStep,
  type TrendSum,
  trendSteps,
  trendText,
  WHOLE_TENANT,
} from '../../model/trend.ts';
import type { TrendsInput, TrendsView } from '../contract/records.ts';
import { parseRecord, repoKey } from '../stored-record.ts';
import { type Connection, insertInto, prepared, sql } from './connection.ts';
import type { JsonRow } from './queries.ts';

/** Statements on trends. */
export const TREND_QUERIES = {
  trendOf: sql<TrendRow>('SELECT tenant_id, repo_key, trend FROM rfc WHERE rfc_id = ?'),
  setTrend: 'UPDATE rfc SET trend = ? WHERE rfc_id = ?',
  addTrend: insertInto(
    'trend',
    'tenant_id repo_key day counter count',
    'ON CONFLICT (tenant_id, repo_key, day, counter) DO UPDATE SET count = count + excluded.count',
  ),
  trends: sql<TrendSum>(`
    SELECT day, counter, count FROM trend
    WHERE tenant_id = ? AND repo_key = ? AND day >= ? AND day <= ?`),
  blockedRepositories: sql<BlockedSum>(`
    SELECT repo_key, count FROM trend INDEXED BY trend_blocked
    WHERE tenant_id = ? AND counter = 'blocked' AND repo_key <> '' AND day >= ? AND day <= ?
    ORDER BY day DESC LIMIT ?`),
  uncounted: sql<JsonRow & { rfc_id: string }>(`
    SELECT rfc_id, json FROM rfc INDEXED BY rfc_uncounted
    WHERE trend IS NULL AND status NOT IN ('DRAFT', 'SUPERSEDED') ORDER BY seq LIMIT ?`),
  forgetTrends: 'DELETE FROM trend INDEXED BY trend_by_day WHERE day < ?',
} as const;

interface TrendRow {
  tenant_id: string;
  repo_key: string;
  trend: string | null;
}

/** What the records of a batch add to the sums: written once, at the end of the batch. */
export interface TrendSums {
  add(place: Pick<TrendRow, 'tenant_id' | 'repo_key'>, step: TrendStep): void;
  /** How much was added; `rewind` undoes what was added since. */
  mark(): number;
  rewind(mark: number): void;
  /** Writes the sums, within the transaction of the batch. */
  flush(): void;
}

/** The records of a batch mostly add to the same few sums, each of which costs a search. */
export function createTrendSums(database: Connection): TrendSums {
  const queries = prepared(database, TREND_QUERIES);
  const added: [tenant: string, repo: string, day: string, counter: string, by: number][] = [];
  return {
    add({ tenant_id, repo_key }, { day, counter, by }) {
      for (const repo of [WHOLE_TENANT, repo_key]) added.push([tenant_id, repo, day, counter, by]);
    },
    mark: () => added.length,
    rewind: (mark) => void added.splice(mark),
    flush() {
      if (added.length === 0) return;
      const sums = new Map<string, (typeof added)[number]>();
      for (const one of added.splice(0)) {
        const key = JSON.stringify(one.slice(0, 4));
        const sum = sums.get(key);
        if (sum === undefined) sums.set(key, one);
        else sum[4] += one[4];
      }
      for (const [tenant, repo, day, counter, by] of sums.values()) {
        if (by !== 0) queries.addTrend.run(tenant, repo, day, counter, BigInt(by));
      }
    },
  };
}

/** Counts records, within the transaction of what changes them. */
export function createTrendSteps(database: Connection, sums: TrendSums) {
  const queries = prepared(database, TREND_QUERIES);

  /** Adds to the sums what leads from one trend to another. */
  function change(place: Omit<TrendRow, 'trend'>, before: string, next: string): void {
    for (const step of trendSteps(before, next)) sums.add(place, step);
  }

  return {
    /** A new record, whose row holds its trend. */
    added({ tenant_id, repo_name, trend }: RecordText) {
      change({ tenant_id, repo_key: repoKey(repo_name) }, '', trend);
    },
    /** A record that is there counts this from now on; before it is removed: nothing. */
    counted(rfcId: string, trend: string): void {
      const row = queries.trendOf.get(rfcId);
      if (row === undefined || row.trend === trend) return;
      change(row, row.trend ?? '', trend);
      queries.setTrend.run(trend, rfcId);
    },
  };
}

/** Records that one step counts. */
const OLDER_AT_ONCE = 100;

/** A step that counts records of versions that kept no trends (see `repeatWrite`). */
export function createOlderCounting(database: Connection, sums: TrendSums): () => number {
  const { uncounted } = prepared(database, TREND_QUERIES);
  const steps = createTrendSteps(database, sums);
  return () => {
    const rows = uncounted.all(OLDER_AT_ONCE);
    for (const { rfc_id, json } of rows) steps.counted(rfc_id, trendText(parseRecord(json)));
    return rows.length;
  };
}

const DAY_MS = 24 * 3_600_000;

/** Forgets days that no answer shows any more. */
export function forgetTrends(database: Connection, nowMs: number): void {
  const oldest = new Date(nowMs - TRENDS.DAYS_MAX * DAY_MS).toISOString().slice(0, 10);
  database.prepare(TREND_QUERIES.forgetTrends).run(oldest);
}

/** Reads what was counted between two days. */
export function createTrendsReader(database: Connection): (input: TrendsInput) => TrendsView {
  const queries = prepared(database, TREND_QUERIES);
  return ({ tenant_id, repo, since, until, by }) => {
    const key = repo === null ? WHOLE_TENANT : repoKey(repo);
    const sums = summariseTrends(queries.trends.iterate(tenant_id, key, since, until), by);
    const most = TRENDS.REPOSITORY_DAYS_MAX;
    const blocked =
      repo === null ? queries.blockedRepositories.iterate(tenant_id, since, until, most) : [];
    const complete = queries.uncounted.get(1) === undefined;
    return { ...sums, repositories: mostBlocked(blocked), complete };
  };
}
