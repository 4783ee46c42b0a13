import type { UsageDay, UsageRecord, UsageSums } from '../../../model/usage.ts';
import { addUp, byDay, HOUR_MS, type HourSums, NO_USAGE } from '../../usage-sums.ts';
import type { Connection } from '../database.ts';
import { DESK_QUERIES } from './queries.ts';

/** Writes a record and adds it to its hour, within a transaction; a known id changes nothing. */
export function createUsageRecorder(database: Connection): (record: UsageRecord) => void {
  const addUsage = database.prepare(DESK_QUERIES.addUsage);
  const addToHour = database.prepare(DESK_QUERIES.addToHour);
  return (record) => {
    const { usage_id, tenant_id, at_ms, provider, model, context, logged_by } = record;
    const amounts = [
      record.input_tokens,
      record.output_tokens,
      record.cache_creation_tokens,
      record.cache_read_tokens,
      // better-sqlite3 binds numbers as floats; STRICT takes those that are whole.
      BigInt(record.cost_nano_usd),
    ];
    const place = [tenant_id, at_ms, provider, model];
    const { changes } = addUsage.run(usage_id, ...place, ...amounts, context, logged_by);
    if (changes === 0) return;
    addToHour.run(tenant_id, Math.floor(at_ms / HOUR_MS), provider, model, ...amounts);
  };
}

/** Sums of usage: whole hours from their sums, the hour in which a window begins from records. */
export function createUsageReader(database: Connection) {
  const ofHours = database.prepare<unknown[], HourSums>(DESK_QUERIES.usageOfHours).safeIntegers();
  const between = database.prepare<unknown[], HourSums>(DESK_QUERIES.usageBetween).safeIntegers();
  const hours = database.prepare<unknown[], HourSums>(DESK_QUERIES.hoursSince).safeIntegers();
  const rows = database.prepare<unknown[], HourSums>(DESK_QUERIES.usageRows).safeIntegers();

  return {
    total(tenantId: string, sinceMs: number): UsageSums {
      const firstHour = Math.ceil(sinceMs / HOUR_MS);
      return addUp([
        ofHours.get(tenantId, firstHour) ?? NO_USAGE,
        between.get(tenantId, sinceMs, firstHour * HOUR_MS) ?? NO_USAGE,
      ]);
    },
    days(tenantId: string, sinceMs: number, limit: number): UsageDay[] | null {
      const firstHour = Math.ceil(sinceMs / HOUR_MS);
      function* parts() {
        yield* rows.iterate(tenantId, sinceMs, firstHour * HOUR_MS);
        yield* hours.iterate(tenantId, firstHour);
      }
      return byDay(parts(), limit);
    },
  };
}
