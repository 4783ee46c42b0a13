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

/** One call of an LLM, as logged. Cost is in nano-dollars (10^-9 USD), so that sums are exact. */
export interface UsageRecord {
  usage_id: string;
  tenant_id: string;
  /** ms since the epoch, by the service's clock. */
  at_ms: number;
  provider: string;
  model: string;
  input_tokens: number;
  output_tokens: number;
  cache_creation_tokens: number;
  cache_read_tokens: number;
  cost_nano_usd: number;
  context: string | null;
  logged_by: string;
  source: UsageSource;
}

/** Who made the call: a caller that logged it (`api`), or gate 3 of this service (`gate`). */
export type UsageSource = 'api' | 'gate';

/** Sums over records. The cost is decimal text of nano-dollars: it may exceed 2^53. */
export interface UsageSums {
  calls: number;
  input_tokens: number;
  output_tokens: number;
  cache_creation_tokens: number;
  cache_read_tokens: number;
  cost_nano_usd: string;
}

/** The sums of one day (UTC), provider and model. */
export interface UsageDay extends UsageSums {
  /** `YYYY-MM-DD`. */
  date: string;
  provider: string;
  model: string;
}
