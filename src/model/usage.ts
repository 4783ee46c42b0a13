import type { Static } from 'typebox';
import { USAGE } from './limits.ts';
import { WHOLE, WORDS } from './schema.ts';

const TOKENS = { type: 'integer', minimum: 0, maximum: USAGE.TOKENS_MAX } as const;
const NAME = { type: 'string', maxLength: USAGE.NAME_CHARS_MAX, pattern: WORDS } as const;

/** The body of `POST usage/log` (spec, LLM usage tracking); the cost is in dollars. */
export const USAGE_REQUEST = {
  type: 'object',
  required: ['provider', 'model', 'input_tokens', 'output_tokens', 'cost_usd'],
  properties: {
    provider: NAME,
    model: NAME,
    input_tokens: TOKENS,
    output_tokens: TOKENS,
    cache_creation_tokens: TOKENS,
    cache_read_tokens: TOKENS,
    cost_usd: {
      type: 'number',
      minimum: 0,
      maximum: USAGE.COST_USD_MAX,
      description: 'Kept to the nano-dollar',
    },
    context: { type: 'string', maxLength: USAGE.CONTEXT_CHARS_MAX, pattern: WHOLE },
  },
} as const;
export type UsageEntry = Static<typeof USAGE_REQUEST>;

/** What is summed of records. */
export const USAGE_AMOUNTS = [
  'input_tokens',
  'output_tokens',
  'cache_creation_tokens',
  'cache_read_tokens',
  'cost_nano_usd',
] as const;
export type UsageAmount = (typeof USAGE_AMOUNTS)[number];

/** One call of an LLM, as logged. Cost is in nano-dollars (10^-9 USD), so that sums are exact. */
export interface UsageRecord extends Record<UsageAmount, number> {
  usage_id: string;
  tenant_id: string;
  /** ms since the epoch, by the service's clock. */
  at_ms: number;
  provider: string;
  model: string;
  context: string | null;
  logged_by: string;
  source: UsageSource;
}

/** Who made the call: a caller that logged it (`api`), or gate 3 of this service (`gate`). */
export type UsageSource = 'api' | 'gate';

/** Sums over records. The cost is decimal text of nano-dollars: it may exceed 2^53. */
export interface UsageSums extends Record<'calls' | Exclude<UsageAmount, 'cost_nano_usd'>, number> {
  cost_nano_usd: string;
}

/** The sums of one day (UTC), provider and model. */
export interface UsageDay extends UsageSums {
  /** `YYYY-MM-DD`. */
  date: string;
  provider: string;
  model: string;
}

/** Sums as a database gives them: 64-bit integers, null where there was nothing to add. */
export type RawSums = Record<'calls' | UsageAmount, bigint | null>;

/** The sums of one hour since the epoch, provider and model. */
export interface HourSums extends RawSums {
  hour: bigint;
  provider: string;
  model: string;
}

/** Usage is summed by whole hours (UTC). */
export const HOUR_MS = 3_600_000;

const HOURS_PER_DAY = 24n;
const DAY_MS = 86_400_000;

/** The sum of sums. Counts of tokens above 2^53 lose their last digits; the cost never does. */
export function addUp(parts: readonly RawSums[]): UsageSums {
  const sum = (field: keyof RawSums) =>
    parts.reduce((total, part) => total + (part[field] ?? 0n), 0n);
  return {
    calls: Number(sum('calls')),
    input_tokens: Number(sum('input_tokens')),
    output_tokens: Number(sum('output_tokens')),
    cache_creation_tokens: Number(sum('cache_creation_tokens')),
    cache_read_tokens: Number(sum('cache_read_tokens')),
    cost_nano_usd: String(sum('cost_nano_usd')),
  };
}

/**
 * The sums of each day (UTC), provider and model; the oldest day first, then by name. null when
 * they are more than `limit`: no more of `hours` is read then.
 */
export function byDay(hours: Iterable<HourSums>, limit: number): UsageDay[] | null {
  const groups = new Map<string, { day: bigint; parts: HourSums[] }>();
  for (const part of hours) {
    const day = part.hour / HOURS_PER_DAY;
    const key = JSON.stringify([String(day), part.provider, part.model]);
    const group = groups.get(key);
    if (group !== undefined) group.parts.push(part);
    else if (groups.size === limit) return null;
    else groups.set(key, { day, parts: [part] });
  }
  const days = [...groups.values()].flatMap(({ day, parts }) => {
    const [first] = parts;
    if (first === undefined) return [];
    const date = new Date(Number(day) * DAY_MS).toISOString().slice(0, 10);
    return [{ date, provider: first.provider, model: first.model, ...addUp(parts) }];
  });
  return days.sort(
    (a, b) =>
      compare(a.date, b.date) || compare(a.provider, b.provider) || compare(a.model, b.model),
  );
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
