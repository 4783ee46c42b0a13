import type { Collection, Decimal128, Document, Filter, MongoClient } from 'mongodb';
import type { UsageDay, UsageSums } from '../../model/usage.ts';
import type { StoreDriver } from '../contract/store.ts';
import { addUp, byDay, HOUR_MS, type HourSums, type RawSums } from '../usage-sums.ts';
import type { UsageDocument, UsageHourDocument } from './documents.ts';
import { createUsageLedger } from './usage-ledger.ts';

/** Which records of usage are summed: those with `fromMs` <= at_ms < `toMs`. */
export interface UsageWindow {
  tenant_id: string;
  fromMs: number;
  toMs: number;
}

/** Queries on usage; test/store/mongo/services.test.ts holds the plan of each. */
export const USAGE_QUERIES = {
  usageBetween: ({ tenant_id, fromMs, toMs }: UsageWindow): Filter<UsageDocument> => ({
    tenant_id,
    at_ms: { $gte: fromMs, $lt: toMs },
  }),
  usageHours: (tenant_id: string, firstHour: number): Filter<UsageHourDocument> => ({
    tenant_id,
    hour: { $gte: firstHour },
  }),
} as const;

/** The sums of all amounts, for a $group. */
const SUMS: Document = {
  input_tokens: { $sum: '$input_tokens' },
  output_tokens: { $sum: '$output_tokens' },
  cache_creation_tokens: { $sum: '$cache_creation_tokens' },
  cache_read_tokens: { $sum: '$cache_read_tokens' },
  cost_nano_usd: { $sum: '$cost_nano_usd' },
};

interface UsageCollections {
  usage: Collection<UsageDocument>;
  usageHours: Collection<UsageHourDocument>;
}

const HOURS_PER_DAY = 24;

/** Usage on MongoDB. */
export interface UsageService {
  methods: StoreDriver['usage'];
  /** Refuses new records; resolves when those that wait are written. */
  drained(): Promise<void>;
}

/** Creates it; the client is that of the collections. */
export function createUsageService(
  client: MongoClient,
  { usage, usageHours }: UsageCollections,
): UsageService {
  const ledger = createUsageLedger({ client, usage, usageHours });
  const sums = createUsageReader({ usage, usageHours });
  const methods: StoreDriver['usage'] = {
    async logUsage({ record }, call) {
      await ledger.submit(record, call);
      return { usage_id: record.usage_id };
    },
    usageTotal: ({ tenant_id, since_ms }) => sums.total(tenant_id, since_ms),
    async usageDays({ tenant_id, since_ms, limit }) {
      return { days: await sums.days(tenant_id, since_ms, limit) };
    },
  };
  return { methods, drained: ledger.close };
}

/**
 * Sums of usage: whole hours from their sums, the hour in which a window begins from records.
 * The two look at different records, so nothing that is written meanwhile counts twice.
 */
function createUsageReader({ usage, usageHours }: UsageCollections) {
  /** Sums of the records between two times, by the fields of `by`; then what `more` says. */
  async function between(
    tenantId: string,
    sinceMs: number,
    by: Document,
    more: readonly Document[] = [],
  ): Promise<SumRow[]> {
    const toMs = firstHourOf(sinceMs) * HOUR_MS;
    if (toMs === sinceMs) return [];
    const $match = USAGE_QUERIES.usageBetween({ tenant_id: tenantId, fromMs: sinceMs, toMs });
    const $group = { _id: by, calls: { $sum: 1 }, ...SUMS };
    return await usage.aggregate<SumRow>([{ $match }, { $group }, ...more]).toArray();
  }

  async function ofHours(
    tenantId: string,
    sinceMs: number,
    by: Document,
    more: readonly Document[] = [],
  ): Promise<SumRow[]> {
    const $match = USAGE_QUERIES.usageHours(tenantId, firstHourOf(sinceMs));
    const $group = { _id: by, calls: { $sum: '$calls' }, ...SUMS };
    return await usageHours.aggregate<SumRow>([{ $match }, { $group }, ...more]).toArray();
  }

  return {
    async total(tenantId: string, sinceMs: number): Promise<UsageSums> {
      const parts = [ofHours(tenantId, sinceMs, ALL), between(tenantId, sinceMs, ALL)];
      return addUp((await Promise.all(parts)).flat().map(rawSums));
    },
    async days(tenantId: string, sinceMs: number, limit: number): Promise<UsageDay[] | null> {
      const edgeDay = Math.floor(sinceMs / HOUR_MS / HOURS_PER_DAY);
      // One more than the limit shows that there are more.
      const more = [{ $limit: limit + 1 }];
      const parts = [
        ofHours(tenantId, sinceMs, { day: DAY, ...NAMES }, more),
        between(tenantId, sinceMs, { day: { $literal: edgeDay }, ...NAMES }, more),
      ];
      return byDay((await Promise.all(parts)).flat().map(hourSums), limit);
    },
  };
}

/** One group of all. */
const ALL: Document = {};
const NAMES: Document = { provider: '$provider', model: '$model' };
const DAY: Document = { $floor: { $divide: ['$hour', HOURS_PER_DAY] } };

function firstHourOf(sinceMs: number): number {
  return Math.ceil(sinceMs / HOUR_MS);
}

type SumRow = { _id: { day: number; provider: string; model: string } } & {
  [Field in keyof RawSums]: Decimal128 | number;
};

function rawSums(row: SumRow): RawSums {
  const exact = (field: keyof RawSums) => BigInt(row[field].toString());
  return {
    calls: exact('calls'),
    input_tokens: exact('input_tokens'),
    output_tokens: exact('output_tokens'),
    cache_creation_tokens: exact('cache_creation_tokens'),
    cache_read_tokens: exact('cache_read_tokens'),
    cost_nano_usd: exact('cost_nano_usd'),
  };
}

/** The sums of a day stand in its first hour. */
function hourSums(row: SumRow): HourSums {
  const { day, provider, model } = row._id;
  return { hour: BigInt(day) * BigInt(HOURS_PER_DAY), provider, model, ...rawSums(row) };
}
