import {
  addUp,
  byDay,
  HOUR_MS,
  type HourSums,
  type RawSums,
  USAGE_AMOUNTS,
  type UsageRecord,
} from '../../model/usage.ts';
import type { StoreReader, StoreWriter } from '../contract/store.ts';
import { type Connection, insertInto, prepared, sql } from './connection.ts';
import type { Steps } from './group-commit.ts';

const COLUMNS = USAGE_AMOUNTS.join(' ');
const AMOUNTS = USAGE_AMOUNTS.join(', ');

/** The sums of all amounts. */
export const SUMS = USAGE_AMOUNTS.map((name) => `sum(${name}) AS ${name}`).join(', ');
const ADDED = ['calls', ...USAGE_AMOUNTS].map((name) => `${name} = ${name} + excluded.${name}`);

/** Statements on usage. `usage_hour` has the sums of whole hours (UTC). */
export const USAGE_QUERIES = {
  addUsage: insertInto(
    'usage',
    `usage_id tenant_id at_ms provider model ${COLUMNS} context logged_by source`,
    'ON CONFLICT (usage_id) DO NOTHING',
  ),
  addToHour: insertInto(
    'usage_hour',
    `tenant_id hour provider model calls ${COLUMNS}`,
    `ON CONFLICT (tenant_id, hour, provider, model) DO UPDATE SET ${ADDED.join(', ')}`,
  ),
  usageOfHours: sql<RawSums>(`
    SELECT sum(calls) AS calls, ${SUMS} FROM usage_hour WHERE tenant_id = ? AND hour >= ?`),
  usageBetween: sql<RawSums>(`
    SELECT count(*) AS calls, ${SUMS} FROM usage
    WHERE tenant_id = ? AND at_ms >= ? AND at_ms < ?`),
  hoursSince: sql<HourSums>(`
    SELECT hour, provider, model, calls, ${AMOUNTS} FROM usage_hour
    WHERE tenant_id = ? AND hour >= ?`),
  usageRows: sql<HourSums>(`
    SELECT at_ms / 3600000 AS hour, provider, model, 1 AS calls, ${AMOUNTS} FROM usage
    WHERE tenant_id = ? AND at_ms >= ? AND at_ms < ?`),
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
    // better-sqlite3 binds numbers as floats.
    const amounts = USAGE_AMOUNTS.map((name) => BigInt(record[name]));
    const place = [tenant_id, at_ms, provider, model];
    const about = [record.context, record.logged_by, record.source];
    const { changes } = queries.addUsage.run(usage_id, ...place, ...amounts, ...about);
    if (changes === 0) return;
    queries.addToHour.run(tenant_id, Math.floor(at_ms / HOUR_MS), provider, model, 1, ...amounts);
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
      const hourEnd = firstHour * HOUR_MS;
      return addUp([
        ...ofHours.all(tenant_id, firstHour),
        ...between.all(tenant_id, sinceMs, hourEnd),
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
