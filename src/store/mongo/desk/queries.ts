import type { Document, Filter, Timestamp } from 'mongodb';
import type { Query } from '../queries.ts';
import type { RulesDocument, TaskDocument, UsageDocument, UsageHourDocument } from './documents.ts';

/** A task that stands in the way of another one of its finding. */
export const OPEN_TASK = { status: { $in: ['pending', 'picked'] } } as const;

/** A revision, not a number that was fenced off. */
const REVISION = { entry: { $exists: true } } as const;

/** Which records of usage are summed: those with `fromMs` <= at_ms < `toMs`. */
export interface UsageWindow {
  tenant_id: string;
  fromMs: number;
  toMs: number;
}

/**
 * Every query on tasks, usage and rules that is not by `_id`. test/store/mongo/desk.test.ts
 * holds the plan of each: none may scan or sort.
 */
export const DESK_QUERIES = {
  openTask: (tenant_id: string, finding_id: string): Query<TaskDocument> => ({
    filter: { tenant_id, finding_id, status: { $in: [...OPEN_TASK.status.$in] } },
    options: { projection: { json: 1 }, hint: 'open' },
  }),
  /** Those of an RFC, by the range of its findings' ids. */
  openTasksOf: (
    tenant_id: string,
    { from, below }: { from: string; below: string },
  ): Query<TaskDocument> => ({
    filter: {
      tenant_id,
      finding_id: { $gte: from, $lt: below },
      status: { $in: [...OPEN_TASK.status.$in] },
    },
    options: { projection: { json: 1 }, hint: 'open' },
  }),
  pendingTasks: (
    tenant_id: string,
    after: Timestamp | null,
    limit: number,
  ): Query<TaskDocument> => ({
    filter: { tenant_id, status: 'pending', ...(after === null ? {} : { seq: { $gt: after } }) },
    options: { projection: { seq: 1, json: 1 }, sort: { seq: 1 }, limit, hint: 'pending' },
  }),
  usageBetween: ({ tenant_id, fromMs, toMs }: UsageWindow): Filter<UsageDocument> => ({
    tenant_id,
    at_ms: { $gte: fromMs, $lt: toMs },
  }),
  usageHours: (tenant_id: string, firstHour: number): Filter<UsageHourDocument> => ({
    tenant_id,
    hour: { $gte: firstHour },
  }),
  newestRules: (): Query<RulesDocument> => ({
    filter: REVISION,
    options: { projection: { entry: 1 }, sort: { _id: -1 }, limit: 1 },
  }),
  listRules: (before: number | null, limit: number): Query<RulesDocument> => ({
    filter: { ...REVISION, ...(before === null ? {} : { _id: { $lt: before } }) },
    options: { projection: { entry: 1 }, sort: { _id: -1 }, limit },
  }),
} as const;

/** The sums of all amounts, for a $group. */
export const SUMS: Document = {
  input_tokens: { $sum: '$input_tokens' },
  output_tokens: { $sum: '$output_tokens' },
  cache_creation_tokens: { $sum: '$cache_creation_tokens' },
  cache_read_tokens: { $sum: '$cache_read_tokens' },
  cost_nano_usd: { $sum: '$cost_nano_usd' },
};
