import {
  addUp,
  byDay,
  HOUR_MS,
  type HourSums,
  NO_USAGE,
  type UsageRecord,
} from '../../model/usage.ts';
import type { StoreReader, StoreWriter } from '../contract/store.ts';
import { type Connection, insertInto, prepared, sql } from './connection.ts';
import type { Steps } from './group-commit.ts';

const SUMS = `
  SUM(calls) AS calls, SUM(input_tokens) AS input_tokens, SUM(output_tokens) AS output_tokens,
  SUM(cache_creation_tokens) AS cache_creation_tokens,
  SUM(cache_read_tokens) AS cache_read_tokens, SUM(cost_nano_usd) AS cost_nano_usd`;

/** Statements on usage. `usage_hour` has the sums of whole hours (UTC). */
export const USAGE_QUERIES = {
  addUsage: insertInto(
    'usage',
    'usage_id tenant_id at_ms provider model input_tokens output_tokens cache_creation_tokens ' +
      'cache_read_tokens cost_nano_usd context logged_by source',
    'ON CONFLICT (usage_id) DO NOTHING',
  ),
  addToHour: `
    INSERT INTO usage_hour (tenant_id, hour, provider, model, calls, input_tokens, output_tokens,
      cache_creation_tokens, cache_read_tokens, cost_nano_usd)
    VALUES (?, ?, ?, ?, 1, ?, ?, ?, ?, ?)
    ON CONFLICT (tenant_id, hour, provider, model) DO UPDATE SET
      calls = calls + 1,
      input_tokens = input_tokens + excluded.input_tokens,
      output_tokens = output_tokens + excluded.output_tokens,
      cache_creation_tokens = cache_creation_tokens + excluded.cache_creation_tokens,
      cache_read_tokens = cache_read_tokens + excluded.cache_read_tokens,
      cost_nano_usd = cost_nano_usd + excluded.cost_nano_usd`,
  usageOfHours: sql<HourSums>(`SELECT ${SUMS} FROM usage_hour WHERE tenant_id = ? AND hour >= ?`),
  usageBetween: sql<HourSums>(`
    SELECT ${SUMS.replace('SUM(calls)', 'COUNT(*)')} FROM usage
    WHERE tenant_id = ? AND at_ms >= ? AND at_ms < ?`),
  hoursSince: sql<HourSums>(`
    SELECT hour, provider, model, calls, input_tokens, output_tokens, cache_creation_tokens,
      cache_read_tokens, cost_nano_usd
    FROM usage_hour WHERE tenant_id = ? AND hour >= ?`),
  usageRows: sql<HourSums>(`
    SELECT at_ms / 3600000 AS hour, provider, model, 1 AS calls, input_tokens, output_tokens,
      cache_creation_tokens, cache_read_tokens, cost_nano_usd
    FROM usage WHERE tenant_id = ? AND at_ms >= ? AND at_ms < ?`),
} as const;

/** The writing steps on usage. */
export function createUsageSteps(database: Connection): Steps<StoreWriter['usage']> {
  const add = createUsageRecorder(database);
  return {
    logUsage({ record }) {
      add(record);
      return { usage_id: record.usage_id };
    },
  };
}

/** Writes a record and adds it to its hour, within a transaction; a known id changes nothing. */
export function createUsageRecorder(database: Connection): (record: UsageRecord) => void {
  const queries = prepared(database, USAGE_QUERIES);
  return (record) => {
    const { usage_id, tenant_id, at_ms, provider, model } = record;
    const amounts = [
      record.input_tokens,
      record.output_tokens,
      record.cache_creation_tokens,
      record.cache_read_tokens,
      // better-sqlite3 binds numbers as floats; STRICT takes those that are whole.
      BigInt(record.cost_nano_usd),
    ];
    const place = [tenant_id, at_ms, provider, model];
    const about = [record.context, record.logged_by, record.source];
    const { changes } = queries.addUsage.run(usage_id, ...place, ...amounts, ...about);
    if (changes === 0) return;
    queries.addToHour.run(tenant_id, Math.floor(at_ms / HOUR_MS), provider, model, ...amounts);
  };
}

/**
 * The reading methods of Usage: whole hours from their sums, the hour in which a window begins from
 * records.
 */
export function createUsageReader(database: Connection): StoreReader['usage'] {
  const queries = prepared(database, USAGE_QUERIES);
  const ofHours = queries.usageOfHours.safeIntegers();
  const between = queries.usageBetween.safeIntegers();
  const hours = queries.hoursSince.safeIntegers();
  const rows = queries.usageRows.safeIntegers();
  return {
    usageTotal({ tenant_id, sinceMs }) {
      const firstHour = Math.ceil(sinceMs / HOUR_MS);
      return addUp([
        ofHours.get(tenant_id, firstHour) ?? NO_USAGE,
        between.get(tenant_id, sinceMs, firstHour * HOUR_MS) ?? NO_USAGE,
      ]);
    },
    usageDays({ tenant_id, sinceMs, limit }) {
      const firstHour = Math.ceil(sinceMs / HOUR_MS);
      function* parts() {
        yield* rows.iterate(tenant_id, sinceMs, firstHour * HOUR_MS);
        yield* hours.iterate(tenant_id, firstHour);
      }
      return { days: byDay(parts(), limit) };
    },
  };
}
